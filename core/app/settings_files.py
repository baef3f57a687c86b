"""The user's settings file and profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.common.errors import FoldlineError
from core.common.paths import display_path
from core.llm.credentials import empty_variable
from core.presentation.dialog_model import ProfileRow, SettingsPage
from core.presentation.model import Notice
from core.presentation.settings_page import (
    missing_key_notice,
    profile_from_row,
    settings_notes,
    settings_page,
)
from core.preview.options import Preview
from core.settings.profile import Profile
from core.settings.schema import STRATEGY, SettingValue, Values
from core.settings_store.layers import SettingLayers
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import (
    ProjectSettings,
    SavedSettings,
    find_project_file,
    project_settings,
)
from core.strategies.model_choice import SummaryModelChoice, choose_summary_model
from core.strategies.registry import find_strategy


class SettingsFiles:
    """The user's settings file and folders. Nothing is written but by the methods that say so."""

    def __init__(self) -> None:
        self.saved = SavedSettings()
        self.profiles = ProfileStore()
        self.project = ProjectSettings()
        self._saved_problems: tuple[str, ...] = ()
        self._seen: object = "never read"

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the settings file and with the project file, a sentence each."""
        return (*self._saved_problems, *self.project.problems)

    def refreshed(self, layers: SettingLayers) -> SettingLayers:
        """Return the layers with settings file and project file as they are now; read only if one
        changed."""
        project = find_project_file(Path.cwd())
        signature = (
            self.saved.signature(),
            project and SavedSettings(project).signature(),
            project,
        )
        if signature == self._seen:
            return layers
        self._seen = signature
        loaded = self.saved.load()
        self.project = project_settings(project)
        self._saved_problems = loaded.problems
        return layers.with_saved(loaded.values).with_project(
            self.project.values, str(project or "")
        )

    def save_settings(
        self, layers: SettingLayers, values: Mapping[str, SettingValue | None]
    ) -> SettingLayers:
        """Write values to the settings file; the session's values of these keys are removed."""
        loaded = self.saved.save(values)
        self._saved_problems = loaded.problems
        self._seen = "read again with the project file"
        for key in values:
            layers = layers.unset(key)
        return layers.with_saved(loaded.values)

    def settings_page(
        self, layers: SettingLayers, active: str, shown: Preview | None = None
    ) -> SettingsPage:
        """Return the settings dialog's page; ``shown`` is the preview that is shown."""
        names = self.profiles.names()
        path = display_path(self.saved.path, Path.home())
        if layers.project_file:
            path += f" · project file {display_path(Path(layers.project_file), Path.home())}"
        why = self._no_key(layers, active)
        return settings_page(
            layers, names, path, self.problems, settings_notes(shown), why
        )

    def _no_key(self, layers: SettingLayers, active: str) -> Notice | None:
        """Return why the summary's profile cannot be called; None where it can, or none is
        found."""
        try:
            return self.without_key(
                self.summary_profile(layers.resolve(), active).profile.name
            )
        except FoldlineError:
            return None

    def without_key(self, name: str) -> Notice | None:
        """Return the notice that a profile's named key is missing; InputError if unknown."""
        variable = empty_variable(self.profiles.load(name))
        if variable:
            return missing_key_notice(name, variable)
        return None

    def summary_profile(self, values: Values, active: str) -> SummaryModelChoice:
        """Return the profile that writes the summary, with the model that the strategy chooses."""
        profile = self.profiles.summary_profile(values, active)
        return choose_summary_model(
            profile, values, find_strategy(values.text(STRATEGY))
        )

    def save_profile(
        self, row: ProfileRow, former: str, settings: Mapping[str, SettingValue] | None
    ) -> None:
        """Write a profile as edited, with other ``settings`` if given. A renamed one's old file is
        deleted; a new one replaces none."""
        previous = self._former(former)
        profile = profile_from_row(row, previous)
        if settings is not None:
            profile = replace(profile, settings=settings)
        is_renamed = former != profile.name
        self.profiles.save(profile, overwrite=not is_renamed)
        if is_renamed and previous is not None and not previous.is_offline:
            self.profiles.delete(former)

    def save_session(self, name: str, active: str, layers: SettingLayers) -> None:
        """Save the active profile's model with the session's settings (``/profile save NAME``)."""
        former = self._former(name)
        model = former or self.profiles.load(active)
        self.profiles.save(replace(model, name=name, settings=layers.for_profile()))

    def _former(self, name: str) -> Profile | None:
        if name in self.profiles.names():
            return self.profiles.load(name)
        return None
