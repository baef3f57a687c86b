"""Settings, lines of the command bar, and profiles: models that write summaries, with their
settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.app.events import CompactionRequest
from core.app.services.service import Service
from core.common.errors import FoldlineError, InputError
from core.llm.credentials import find_key
from core.llm.destination import checked_destination
from core.presentation.dialog_model import (
    CompletionList,
    ProfileRow,
    ProfilesPage,
    SettingsPage,
)
from core.presentation.model import Notice
from core.presentation.settings_page import profile_from_row, profile_use, profiles_page
from core.settings.profile import OFFLINE
from core.settings.schema import PROFILE, SettingValue
from core.settings_store.slash_commands import (
    ProfileVerb,
    SlashCompact,
    SlashSet,
    SlashUnset,
    complete_command,
    parse_command,
)
from core.strategies.names import is_program
from core.summarize.model_summariser import probe_model

if TYPE_CHECKING:
    from core.app.services.preview import PreviewService
    from core.app.workspace import Workspace
    from core.presentation.compare.model import StrategyCard
    from core.settings_store.slash_commands import SlashProfile


class SettingsService(Service):
    def __init__(
        self, workspace: Workspace, previews: PreviewService, profiles: ProfileService
    ) -> None:
        self._workspace, self._previews, self._profiles = workspace, previews, profiles

    def page(self) -> SettingsPage:
        """Return all settings."""
        workspace = self._workspace
        workspace.refresh()
        preview = workspace.display.preview
        return workspace.settings_files.settings_page(
            workspace.layers, workspace.profile, preview
        )

    def save(self, values: tuple[tuple[str, SettingValue | None], ...]) -> None:
        """Write values to the settings file (None removes one); the session's values of them are
        removed. A program as the strategy stays with the session."""
        workspace = self._workspace
        values = tuple(
            (key, value) for key, value in values if not is_program(str(value))
        )
        layers = workspace.settings_files.save_settings(workspace.layers, dict(values))
        workspace.change_settings(
            layers, workspace.profile, tuple(key for key, _ in values)
        )

    def run_line(self, text: str) -> StrategyCard | None:
        """Run a line of the command bar (REQ-CS-007); return what a change of a setting does."""
        workspace = self._workspace
        workspace.refresh()
        match line := parse_command(text):
            case SlashSet(key, value):
                return self._previews.change(((key, value),))
            case SlashUnset(key):
                workspace.change_settings(
                    workspace.layers.unset(key), workspace.profile, (key,)
                )
            case SlashCompact(focus):
                self._previews.compact(CompactionRequest(focus))
            case _:
                self._run_profile_line(line)
        return None

    def _run_profile_line(self, line: SlashProfile) -> None:

        workspace, profiles = self._workspace, self._workspace.settings_files.profiles
        match line.verb:
            case ProfileVerb.LOAD:
                self._profiles.use(line.name)
            case ProfileVerb.SAVE:
                workspace.settings_files.save_session(
                    line.name, workspace.profile, workspace.layers
                )
                workspace.emit(
                    Notice(
                        "info", f"Saved the profile {line.name}.", "", topic="profile"
                    )
                )
            case ProfileVerb.DELETE:
                self._profiles.delete(line.name)
            case ProfileVerb.LIST:
                text = f"{', '.join(profiles.names())}. Active: {workspace.profile}."
                workspace.emit(Notice("info", "Profiles:", text, topic="profile"))

    def completions(self, text: str, cursor: int) -> CompletionList:
        """Return completions at the cursor of the command bar, and what is wrong with the line."""
        found = complete_command(
            text, cursor, self._workspace.settings_files.profiles.names()
        )
        entries = tuple(
            (one.text + (" " if one.needs_more else ""), one.text, one.description)
            for one in found
        )
        if found:
            start = found[0].start
        else:
            start = cursor
        return CompletionList(text, start, entries, "" if entries else _problem(text))


def _problem(text: str) -> str:
    """Return what is wrong with a line that has no completions."""
    if text.strip():
        try:
            parse_command(text)
        except InputError as error:
            return str(error)
    return ""


class ProfileService(Service):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._warned_of = ""  # the profile whose use was told when it was to be deleted

    def page(self) -> ProfilesPage:

        workspace = self._workspace
        return profiles_page(
            workspace.settings_files.profiles,
            workspace.profile,
            workspace.summary_profile_name,
        )

    def use(self, name: str) -> None:
        """Make a profile the active one and load its settings into the session (REQ-CS-009.1)."""
        self._workspace.refresh()
        self._activate(name)
        if (summary_profile := self._workspace.summary_profile_name) != name:
            text = f"{PROFILE} names it. Choose {name} in Summary by to change that."
            self._workspace.emit(
                Notice(
                    "info",
                    f"Summaries are still by {summary_profile}.",
                    text,
                    topic="profile",
                )
            )
        self._warn_without_key(name)

    def choose_summary_profile(self, name: str) -> None:
        """Let a profile write the summaries; the active profile and its settings stay."""
        workspace = self._workspace
        workspace.refresh()
        workspace.change_settings(
            workspace.layers.with_session(PROFILE, name), workspace.profile, (PROFILE,)
        )
        self._warn_without_key(name)

    def save(
        self, row: ProfileRow, former: str = "", from_session: bool = False
    ) -> None:
        """Write a profile as edited. ``former`` is its name on disk, empty for a new one.

        ``from_session``: with the session's settings.
        """
        workspace = self._workspace
        layers = workspace.layers
        name = row.name
        former_name = former or row.name
        workspace.settings_files.save_profile(
            row, former, layers.for_profile() if from_session else None
        )
        if former_name == workspace.profile:
            self._activate(name)
        elif layers.resolve().get(PROFILE) == former_name:
            if layers.session.get(PROFILE) == former_name:
                layers = layers.with_session(PROFILE, name)
            workspace.change_settings(layers, workspace.profile, (PROFILE,))
        self._warn_without_key(name)

    def delete(self, name: str, agreed: bool = False) -> None:
        """Delete a profile; one in use only if ``agreed``, or when asked again after its use was
        told."""
        workspace, warned_of, self._warned_of = self._workspace, self._warned_of, ""
        use = profile_use(name, workspace.profile, workspace.summary_profile_name)
        if (
            use
            and not agreed
            and name != warned_of
            and name in workspace.settings_files.profiles.names()
        ):
            self._warned_of = name
            text = f"Run /profile delete {name} once more to delete it, or choose another one first."
            workspace.emit(
                Notice("warning", f"{name} is in use: {use}.", text, topic="profile")
            )
            return
        workspace.settings_files.profiles.delete(name)
        if name == workspace.profile:
            self._activate(OFFLINE)
        elif workspace.layers.resolve().get(PROFILE) == name:
            workspace.change_settings(workspace.layers, workspace.profile, (PROFILE,))

    def test(self, row: ProfileRow) -> Notice:
        """Call a profile's model with a few tokens; return a notice about the result."""
        try:
            profile = profile_from_row(row, None)
            if profile.is_offline:
                return Notice(
                    "info", "Nothing to test.", "This profile calls no model."
                )
            destination = checked_destination(profile)
            answer = probe_model(
                profile, find_key(profile), self._workspace.is_cancelled
            )
        except FoldlineError as error:
            return Notice("error", error.message, error.hint)
        took = f"from {destination.name}, in {answer.seconds or 0.0:.1f} s."
        return Notice("info", f"{profile.model} answered", took)

    def _activate(self, name: str) -> None:
        workspace = self._workspace
        profile = workspace.settings_files.profiles.load(name)
        layers = workspace.layers.with_profile(profile.settings, name)
        workspace.change_settings(
            layers, name, tuple({**workspace.layers.profile, **layers.profile})
        )

    def _warn_without_key(self, name: str) -> None:
        if (notice := self._workspace.settings_files.without_key(name)) is not None:
            self._workspace.emit(notice)
