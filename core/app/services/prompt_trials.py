"""The desk's part of trying a prompt: the text that is edited writes one summary, which changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.analysis.summary_check.kept_constraints import SummaryRetention, summary_retention
from core.analysis.summary_check.preview_summaries import summary_parts
from core.app.document import OpenFile
from core.app.messages import Event, RunCompactionCommand
from core.app.services.model_calls import ModelRunHandler
from core.app.services.settings_commands import TryPromptCommand
from core.common.errors import InputError
from core.llm.protocol import SummaryRequest
from core.presentation.model import Notice
from core.presentation.notices import no_op_notice
from core.presentation.prompts.trial_model import TrialPage
from core.presentation.prompts.trial_page import PromptTrial, no_trial, trial_key, trial_page
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.preview.options import Preview, PreviewOptions
from core.preview.run_requests import requests_of
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompts import built_in


@dataclass(frozen=True, slots=True)
class _TrialRequest:
    """What a text would ask of a preview, and how that is told apart."""

    name: str
    text: str
    requests: tuple[SummaryRequest, ...]
    key: str


class PromptTrialHandler:
    """Tries prompts on the preview that is seen. Asks, prices and calls as ``model`` does."""

    def __init__(self, emit: Callable[[Event], None], model: ModelRunHandler) -> None:
        self._emit = emit
        self._model = model.telling(self._tell)
        self._page = TrialPage("", "", "")
        self._known: dict[
            tuple[str, ...], SummaryRetention
        ] = {}  # what models' summaries held, by profile and key

    def handle(self, command: TryPromptCommand, file: OpenFile, made: Preview, ask: PreviewOptions) -> None:
        """Write the summary with the text; a page comes after each step. Raises InputError where the
        strategy asks nothing with it."""
        tried = self._tried(file, made, command.name, command.text)
        if reason := no_trial(made, command.name, tried.requests):
            raise InputError(reason)
        profile = BUILT_IN if command.offline else ask.writer
        self._page = TrialPage(_title(profile), "", tried.key, is_running=True)
        self._emit(self._page)
        ran = self._run(file, made, tried, ask, command)
        if ran is None:
            self._show(replace(self._page, is_running=False))
            return
        trial = self._judged(file, ran, tried, profile, ask)
        if trial.held is not None:
            trial = self._compared(file, made, tried, trial, trial.held, ask)
        no_op = ran.compaction.no_op
        notice = None if no_op is None else no_op_notice(no_op)
        self._show(replace(trial_page(trial, tried.key, made.method.mark), notice=notice))

    def _tried(self, file: OpenFile, made: Preview, name: str, text: str) -> _TrialRequest:
        requests = requests_of(made, text, file.counter_of(made))
        return _TrialRequest(name, text, requests, trial_key(made, name, requests))

    def _run(
        self,
        file: OpenFile,
        made: Preview,
        tried: _TrialRequest,
        ask: PreviewOptions,
        command: TryPromptCommand,
    ) -> Preview | None:
        wanted = RunCompactionCommand(agreed=command.agreed, offline=command.offline)
        seen = replace(ask, scope=made.history.scope, focus="", pins=made.pins)
        return self._model.run(
            file, made, wanted, replace(seen, checks=False, prompts={tried.name: tried.text})
        )

    def _judged(
        self, file: OpenFile, ran: Preview, tried: _TrialRequest, profile: Profile, ask: PreviewOptions
    ) -> PromptTrial:
        """What was written; of a result that was refused its summary, which may have been paid for."""
        run = ran.compaction
        if run.no_op is None:
            parts = summary_parts(ran)
            text = "\n\n".join(part.text for part in parts)
            held = summary_retention(parts, run, file.facts(ran, ask.progress))
        else:
            text, held = run.summary.text if run.summary is not None else "", None
        costs = [call.cost for call in run.calls if call.cost is not None]
        return PromptTrial(
            profile,
            text,
            file.counter_of(ran).text(text),
            sum(one.max_tokens for one in tried.requests),
            held,
            sum(costs) if costs and len(costs) == len(run.calls) else None,
        )

    def _compared(
        self,
        file: OpenFile,
        made: Preview,
        tried: _TrialRequest,
        trial: PromptTrial,
        held: SummaryRetention,
        ask: PreviewOptions,
    ) -> PromptTrial:
        """Beside the built-in text: offline it is tried, too; of a model it is known or not."""
        called = (trial.profile.name, trial.profile.provider, trial.profile.model)
        self._known[*called, tried.key] = held
        original = self._tried(file, made, tried.name, built_in(tried.name).text)
        if original.key == tried.key:
            return replace(trial, is_built_in=True)
        if trial.profile.is_offline:
            ran = self._run(
                file, made, original, ask, TryPromptCommand(original.name, original.text, offline=True)
            )
            if ran is None or ran.compaction.no_op is not None:
                return trial
            other = self._judged(file, ran, original, trial.profile, ask)
            return replace(trial, built_in=other.held, is_same=other.text == trial.text)
        return replace(trial, built_in=self._known.get((*called, original.key)))

    def _tell(self, event: Event) -> None:
        """What the run says goes into the page of the try."""
        match event:
            case SummaryProgress():
                self._show(replace(self._page, writing=None if event.over else event))
            case CallQuestion():
                self._show(replace(self._page, question=event))
            case Notice():
                self._show(replace(self._page, notice=event))
            case _:
                self._emit(event)

    def _show(self, page: TrialPage) -> None:
        self._page = page
        self._emit(page)


def _title(profile: Profile) -> str:
    return "Offline" if profile.is_offline else profile.name
