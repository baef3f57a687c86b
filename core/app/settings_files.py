"""The user's settings file, profiles and prompts, and the pages that show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from core.app.services.settings_commands import (
    LoadPromptCommand,
    RevertPromptCommand,
    SaveProfileCommand,
    SavePromptCommand,
)
from core.common.errors import FoldlineError
from core.common.file_names import shown_path
from core.configuration.layers import SettingLayers
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.llm.credentials import empty_variable
from core.presentation.model import Notice
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.page import PromptPageRequest, prompt_page
from core.presentation.settings.effective_values import settings_notes
from core.presentation.settings.model import ProfileRow, ProfilesPage, SettingsPage
from core.presentation.settings.page import missing_key_notice, settings_page
from core.presentation.settings.profiles_page import profile_from_row, profiles_page
from core.preview.options import Preview
from core.settings.keys import PROFILE, STRATEGY
from core.settings.profile import Profile
from core.settings.prompts import prompts_folder, revert_override, save_override
from core.settings.schema import SettingValue
from core.settings.values import Values
from core.strategies.model_choice import SummaryModelChoice, choose_summary_model
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from core.tokens.counter import TokenCounter, counter_for

_PROMPT = COMPRESSION_STRATEGIES[0]


class UserConfiguration:
    """The user's settings file and folders. Nothing is written but by the methods that say so."""

    def __init__(self) -> None:
        self.saved = SavedSettings()
        self.profiles = ProfileStore()
        self.problems: tuple[str, ...] = ()
        self._seen: object = "never read"

    def refreshed(self, layers: SettingLayers) -> SettingLayers:
        """Return the layers with the saved one as the file has it now; read only if it changed."""
        signature = self.saved.signature()
        if signature == self._seen:
            return layers
        self._seen = signature
        loaded = self.saved.load()
        self.problems = loaded.problems
        return layers.with_saved(loaded.values)

    def save_settings(
        self, layers: SettingLayers, values: Mapping[str, SettingValue | None]
    ) -> SettingLayers:
        """Write values to the settings file; the session's values of these keys are removed."""
        loaded = self.saved.save(values)
        self.problems, self._seen = loaded.problems, self.saved.signature()
        for key in values:
            layers = layers.unset(key)
        return layers.with_saved(loaded.values)

    def settings_page(self, layers: SettingLayers, active: str, shown: Preview | None = None) -> SettingsPage:
        """Return the settings dialog's page; ``shown`` is the preview that is shown."""
        names, path = self.profiles.names(), shown_path(self.saved.path, Path.home())
        why = self._no_key(layers, active)
        return settings_page(layers, names, active, path, self.problems, settings_notes(shown), why)

    def _no_key(self, layers: SettingLayers, active: str) -> Notice | None:
        """Return why the summary's profile cannot be called; None where it can, or none is found."""
        try:
            return self.without_key(self.writer(layers.resolve(), active).profile.name)
        except FoldlineError:
            return None

    def without_key(self, name: str) -> Notice | None:
        """Return the notice that a profile's named key is missing; InputError if unknown."""
        variable = empty_variable(self.profiles.load(name))
        return missing_key_notice(name, variable) if variable else None

    def profiles_page(self, active: str) -> ProfilesPage:
        return profiles_page(self.profiles, active)

    def writer(self, values: Values, active: str) -> SummaryModelChoice:
        """Return the profile that writes the summary: that of the setting, else the active one (REQ-CS-002.5,
        .6), with the model that the strategy chooses, where it does.

        Raises InputError for a profile that does not exist, naming it and the known ones (REQ-CS-006A.1).
        """
        name = values.get(PROFILE)
        profile = self.profiles.load(active if name is None else str(name))
        return choose_summary_model(profile, values, find_strategy(values.text(STRATEGY)))

    def use(self, layers: SettingLayers, name: str) -> SettingLayers:
        """Return the layers with a profile's saved settings in the session (REQ-CS-009.1)."""
        return layers.with_profile(self.profiles.load(name).settings, name)

    def save_profile(self, command: SaveProfileCommand, layers: SettingLayers) -> None:
        """Write a profile as edited. A renamed one's old file is deleted; a new one replaces none."""
        former = self._former(command.former)
        profile = profile_from_row(command.row, former)
        if command.from_session:
            profile = replace(profile, settings=layers.for_profile())
        renamed = command.former != profile.name
        self.profiles.save(profile, overwrite=not renamed)
        if renamed and former is not None and not former.is_offline:
            self.profiles.delete(command.former)

    def save_session(self, name: str, active: str, layers: SettingLayers) -> None:
        """Save the active profile's model with the session's settings (``/profile save NAME``)."""
        former = self._former(name)
        model = former or self.profiles.load(active)
        self.profiles.save(replace(model, name=name, settings=layers.for_profile()))

    def _former(self, name: str) -> Profile | None:
        return self.profiles.load(name) if name in self.profiles.names() else None

    def try_profile(self, row: ProfileRow, cancelled: Callable[[], bool]) -> Notice:
        """Call a profile's model with a few tokens; returns a notice about the result."""
        try:
            profile = profile_from_row(row, None)
            if profile.is_offline:
                return Notice("info", "Nothing to test.", "This profile calls no model.", topic="test")
            seconds = _greet(profile, cancelled)
        except FoldlineError as error:
            return Notice("error", error.message, error.hint, topic="test")
        return Notice("info", f"{profile.model} answered", f"in {seconds:.1f} s.", topic="test")

    def prompt_page(
        self, command: LoadPromptCommand, writer: Profile, shown: Preview | None, focus: str
    ) -> PromptPage:
        """Return the prompt editor's page, for the profile that writes or the provider and model named."""
        request = PromptPageRequest(
            command.name or _PROMPT,
            command.provider or writer.provider,
            command.model or writer.model,
            prompts_folder(),
            command.level,
            command.text,
            command.seen,
            focus,
            writer,
        )
        return prompt_page(request, _counter(shown), shown)

    def save_prompt(self, command: SavePromptCommand) -> None:
        """Write an override; raises PromptFileChangedError where the file is not as it was seen."""
        save_override(
            command.level,
            command.text,
            command.name,
            command.provider,
            command.model,
            prompts_folder(),
            command.seen,
        )

    def revert_prompt(self, command: RevertPromptCommand) -> None:
        revert_override(command.level, command.name, command.provider, command.model, prompts_folder())


def _counter(shown: Preview | None) -> TokenCounter:
    return counter_for("") if shown is None else shown.sizing.counter(counter_for(shown.window.model))


def _greet(profile: Profile, cancelled: Callable[[], bool]) -> float:
    """Return the seconds until the model answered a greeting."""
    from core.llm.credentials import find_key
    from core.summarize.model_summarizer import probe_model

    return probe_model(profile, find_key(profile), cancelled).seconds or 0.0
