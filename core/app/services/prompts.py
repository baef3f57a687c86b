"""Prompts: their overrides, and trials of an edited text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.app.services.prompt_trials import PromptTrials
from core.app.services.service import Service
from core.common.atomic_file import FileSignature
from core.presentation.dialog_model import PromptLocation, PromptPage, TrialPage
from core.presentation.prompt_page import PromptPageRequest, prompt_page
from core.settings.prompt_levels import revert_override, save_override
from core.settings.prompts import prompts_folder
from core.settings.schema import STRATEGY
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy

if TYPE_CHECKING:
    from core.app.workspace import Workspace
    from core.settings.schema import Values


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
        return prompt_page(request, workspace.shown.settled.preview)

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
        if workspace.shown.preview is not None:
            workspace.change_settings(workspace.layers, workspace.profile, ())
        return self.page(location)


def _prompt_of_strategy(values: Values) -> str:
    """Return the first prompt of the chosen strategy; of one without any, that of the default."""
    prompts = find_strategy(values.text(STRATEGY)).prompts
    if prompts:
        return prompts[0]
    return COMPACTION_STRATEGIES[0]
