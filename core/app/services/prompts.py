"""The service behind the prompt editor: pages of prompts, their files, and trials, which write one
summary with an edited prompt and change nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.events import CompactionRequest, Event
from core.app.services.service import Service
from core.app.workspace import Workspace
from core.common.atomic_file import FileSignature
from core.common.errors import InputError
from core.losses.summary_check import summary_parts
from core.losses.summary_evidence import SummaryRetention, summary_retention
from core.presentation.dialog_model import (
    CallQuestion,
    PromptLocation,
    PromptPage,
    SummaryProgress,
    TrialPage,
)
from core.presentation.model import Notice
from core.presentation.preview_status import no_op_notice
from core.presentation.prompt_page import (
    PromptPageRequest,
    PromptTrial,
    no_trial,
    prompt_page,
    trial_key,
    trial_page,
)
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import RunRequests, requests_of
from core.settings.profile import BUILT_IN, Profile
from core.settings.prompt_levels import revert_override, save_override
from core.settings.prompts import built_in, prompts_folder
from core.settings.schema import STRATEGY
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy

if TYPE_CHECKING:
    from core.settings.schema import Values


class PromptTrials:
    """Tries prompts on the preview that is shown. Asks, prices and calls as a run of a model
    does."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._model = workspace.model_runs.telling(self._take_event)
        self._page = TrialPage(title="", about="", key="")
        self._known: dict[tuple[str, ...], SummaryRetention] = {}  # by writer and key

    def run(self, name: str, text: str, offline: bool, agreed: bool) -> TrialPage:
        """Write the summary with the text; InputError where the strategy does not use the
        prompt."""
        workspace = self._workspace
        preview = workspace.preview(
            workspace.opened_file(), workspace.view
        )  # as a run would begin
        requests, key = _requests(preview, name, text)
        if reason := no_trial(preview, name, requests):
            raise InputError(reason)
        if offline:
            profile = BUILT_IN
        else:
            profile = self._options().summary.profile
        title = "Offline" if profile.is_offline else profile.name
        self._show(TrialPage(title=title, about="", key=key, is_running=True))
        result = self._written(
            preview, name, text, CompactionRequest(agreed=agreed, offline=offline)
        )
        if result is None:
            return replace(self._page, is_running=False)
        trial = self._evaluated(result, requests, profile)
        if trial.retained is not None:
            trial = self._with_built_in(preview, name, key, trial, trial.retained)
        no_op = result.result.compaction.no_op
        if no_op is None:
            notice = None
        else:
            notice = no_op_notice(no_op)
        return replace(
            trial_page(trial, key, preview.sizes.count_method.mark), notice=notice
        )

    def _options(self) -> PreviewOptions:
        return self._workspace.preview_options(
            self._workspace.opened_file(), self._workspace.view
        )

    def _written(
        self, preview: Preview, name: str, text: str, command: CompactionRequest
    ) -> Preview | None:
        options = replace(self._options(), prompts={name: text})
        return self._model.run(self._workspace.opened_file(), preview, command, options)

    def _evaluated(
        self, result: Preview, requests: RunRequests, profile: Profile
    ) -> PromptTrial:
        """Return the summary, even of a refused result, because it may have been paid for."""
        run = result.result.compaction
        file = self._workspace.opened_file()
        if run.no_op is None:
            parts = summary_parts(result)
            text = "\n\n".join(part.text for part in parts)
            retention = summary_retention(
                parts,
                run,
                file.losses(result, self._workspace.reporter().working).items,
            )
        else:
            text = run.summary.text if run.summary is not None else ""
            retention = None
        costs = [call.cost for call in run.calls if call.cost is not None]
        return PromptTrial(
            profile=profile,
            text=text,
            tokens=result.source.counter.text(text),
            max_tokens=sum(one.max_tokens for one in requests.requests),
            retained=retention,
            cost=sum(costs) if costs and len(costs) == len(run.calls) else None,
        )

    def _with_built_in(
        self,
        preview: Preview,
        name: str,
        key: str,
        trial: PromptTrial,
        retention: SummaryRetention,
    ) -> PromptTrial:
        """Compare with the built-in prompt: tried offline, too; of a model its result is known or
        not."""
        writer = trial.profile.writer_key
        self._known[*writer, key] = retention
        original = built_in(name).text
        requests, original_key = _requests(preview, name, original)
        if original_key == key:
            return replace(trial, is_built_in=True)
        if not trial.profile.is_offline:
            return replace(trial, built_in=self._known.get((*writer, original_key)))
        result = self._written(preview, name, original, CompactionRequest(offline=True))
        if result is None or result.result.compaction.no_op is not None:
            return trial
        built_in_trial = self._evaluated(result, requests, trial.profile)
        return replace(
            trial,
            built_in=built_in_trial.retained,
            is_same=built_in_trial.text == trial.text,
        )

    def _take_event(self, event: Event) -> None:
        match event:
            case SummaryProgress():
                self._show(
                    replace(self._page, progress=None if event.is_over else event)
                )
            case CallQuestion():
                self._show(replace(self._page, question=event))
            case Notice():
                self._show(replace(self._page, notice=event))
            case _:
                self._workspace.emit(event)

    def _show(self, page: TrialPage) -> None:
        self._page = page
        self._workspace.emit(page)


def _requests(preview: Preview, name: str, text: str) -> tuple[RunRequests, str]:
    """Return the requests of the preview's run with a prompt text, and their key."""
    requests = requests_of(preview, {name: text})
    return requests, trial_key(preview, name, requests)


class PromptService(Service):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._trials: PromptTrials | None = None

    def page(
        self,
        location: PromptLocation,
        text: str | None = None,
        seen: FileSignature | None = None,
    ) -> PromptPage:
        """Return a prompt with ``text`` as edited, None: as its file has it. ``seen`` is the file's
        signature when the text was taken from it. Empty parts of ``location``: what applies now."""
        workspace = self._workspace
        workspace.refresh()
        summary_profile = workspace.settings_files.summary_profile(
            workspace.layers.resolve(), workspace.profile
        ).profile
        request = PromptPageRequest(
            name=location.name or _prompt_of_strategy(workspace.layers.resolve()),
            provider=location.provider or summary_profile.provider,
            model=location.model or summary_profile.model,
            folder=prompts_folder(),
            level=location.level,
            text=text,
            file_signature=seen,
            summary_profile=summary_profile,
        )
        return prompt_page(request, workspace.display.settled.preview)

    def save(
        self, location: PromptLocation, text: str, seen: FileSignature | None = None
    ) -> PromptPage:
        """Write an override; PromptFileChangedError where its file is not as it was seen."""
        save_override(
            location.level,
            text,
            name=location.name,
            provider=location.provider,
            model=location.model,
            folder=prompts_folder(),
            known_signature=seen,
        )
        return self._changed_page(location)

    def revert(self, location: PromptLocation) -> PromptPage:

        revert_override(
            location.level,
            location.name,
            location.provider,
            location.model,
            prompts_folder(),
        )
        return self._changed_page(
            PromptLocation(location.name, location.provider, location.model)
        )

    def try_prompt(
        self, name: str, text: str, offline: bool = False, agreed: bool = False
    ) -> TrialPage:
        """Write the summary of what is shown with ``text`` as the prompt; nothing else changes.

        ``agreed`` to the paid call. A TrialPage is emitted while a model writes.
        """
        self._trials = self._trials or PromptTrials(self._workspace)
        return self._trials.run(name, text, offline, agreed)

    def _changed_page(self, location: PromptLocation) -> PromptPage:
        """Preview again with a changed prompt, and return its page."""
        workspace = self._workspace
        if workspace.display.preview is not None:
            workspace.change_settings(workspace.layers, workspace.profile, ())
        return self.page(location)


def _prompt_of_strategy(values: Values) -> str:
    """Return the first prompt of the chosen strategy; of one without any, that of the default."""
    prompts = find_strategy(values.text(STRATEGY)).prompts
    if prompts:
        return prompts[0]
    return COMPACTION_STRATEGIES[0]
