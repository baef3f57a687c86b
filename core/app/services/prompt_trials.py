"""Trials of an edited prompt: one summary is written, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.analysis.summary_check.preview_summaries import SummaryRetention, summary_parts, summary_retention
from core.app.document import OpenFile
from core.app.events import CompactionRequest, Event
from core.app.services.model_calls import ModelRunHandler
from core.common.errors import InputError
from core.llm.protocol import SummaryRequest
from core.presentation.model import Notice
from core.presentation.notices import no_op_notice
from core.presentation.prompts.model import TrialPage
from core.presentation.prompts.trial_page import PromptTrial, no_trial, trial_key, trial_page
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.preview.options import Preview, PreviewOptions
from core.preview.run_requests import summary_requests
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompts import built_in


@dataclass(frozen=True, slots=True)
class _TrialRequest:
    """The requests of a prompt text for a preview, and their key."""

    name: str
    text: str
    requests: tuple[SummaryRequest, ...]
    key: str


class PromptTrials:
    """Tries prompts on the preview that is shown. Asks, prices and calls as ``model`` does."""

    def __init__(self, emit: Callable[[Event], None], model: ModelRunHandler) -> None:
        self._emit = emit
        self._model = model.telling(self._take_event)
        self._page = TrialPage("", "", "")
        self._known: dict[tuple[str, ...], SummaryRetention] = {}  # by profile and key

    def run(
        self,
        file: OpenFile,
        preview: Preview,
        options: PreviewOptions,
        name: str,
        text: str,
        offline: bool,
        agreed: bool,
    ) -> TrialPage:
        """Write the summary with the text; InputError where the strategy does not use the prompt."""
        request = self._trial_request(file, preview, name, text)
        if reason := no_trial(preview, name, request.requests):
            raise InputError(reason)
        profile = BUILT_IN if offline else options.writer
        self._show(TrialPage(_title(profile), "", request.key, is_running=True))
        command = CompactionRequest(agreed=agreed, offline=offline)
        result = self._written(file, preview, request, options, command)
        if result is None:
            return replace(self._page, is_running=False)
        trial = self._evaluated(file, result, request, profile, options)
        if trial.retained is not None:
            trial = self._with_built_in(file, preview, request, trial, trial.retained, options)
        no_op = result.compaction.no_op
        notice = None if no_op is None else no_op_notice(no_op)
        return replace(trial_page(trial, request.key, preview.count_method.mark), notice=notice)

    def _trial_request(self, file: OpenFile, preview: Preview, name: str, text: str) -> _TrialRequest:
        requests = summary_requests(preview, text, file.counter_of(preview))
        return _TrialRequest(name, text, requests, trial_key(preview, name, requests))

    def _written(
        self,
        file: OpenFile,
        preview: Preview,
        request: _TrialRequest,
        options: PreviewOptions,
        command: CompactionRequest,
    ) -> Preview | None:
        prompts = {request.name: request.text}
        shown = replace(options, scope=preview.history.scope, focus="", pins=preview.pins)
        return self._model.run(file, preview, command, replace(shown, checks=False, prompts=prompts))

    def _evaluated(
        self,
        file: OpenFile,
        result: Preview,
        request: _TrialRequest,
        profile: Profile,
        options: PreviewOptions,
    ) -> PromptTrial:
        """Return the summary, even of a refused result, because it may have been paid for."""
        run = result.compaction
        if run.no_op is None:
            parts = summary_parts(result)
            text = "\n\n".join(part.text for part in parts)
            held = summary_retention(parts, run, file.facts(result, options.progress))
        else:
            text, held = run.summary.text if run.summary is not None else "", None
        costs = [call.cost for call in run.calls if call.cost is not None]
        return PromptTrial(
            profile,
            text,
            file.counter_of(result).text(text),
            sum(one.max_tokens for one in request.requests),
            held,
            sum(costs) if costs and len(costs) == len(run.calls) else None,
        )

    def _with_built_in(
        self,
        file: OpenFile,
        preview: Preview,
        request: _TrialRequest,
        trial: PromptTrial,
        held: SummaryRetention,
        options: PreviewOptions,
    ) -> PromptTrial:
        """Compare with the built-in prompt: tried offline, too; of a model its result is known or not."""
        called = (trial.profile.name, trial.profile.provider, trial.profile.model)
        self._known[*called, request.key] = held
        original = self._trial_request(file, preview, request.name, built_in(request.name).text)
        if original.key == request.key:
            return replace(trial, is_built_in=True)
        if trial.profile.is_offline:
            offline = CompactionRequest(offline=True)
            result = self._written(file, preview, original, options, offline)
            if result is None or result.compaction.no_op is not None:
                return trial
            built_in_trial = self._evaluated(file, result, original, trial.profile, options)
            return replace(trial, built_in=built_in_trial.retained, is_same=built_in_trial.text == trial.text)
        return replace(trial, built_in=self._known.get((*called, original.key)))

    def _take_event(self, event: Event) -> None:
        match event:
            case SummaryProgress():
                self._show(replace(self._page, progress=None if event.is_over else event))
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
