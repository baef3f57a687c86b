"""Settings, lines of the command bar, and profiles: models that write summaries, with their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.app.events import CompactionRequest
from core.app.rpc import Service, remote
from core.common.errors import FoldlineError, InputError
from core.presentation.dialog_model import CompletionList, ProfileRow, ProfilesPage, SettingsPage
from core.presentation.model import Notice
from core.settings.keys import PROFILE
from core.settings.profile import OFFLINE
from core.settings.schema import SettingValue

if TYPE_CHECKING:
    from core.app.services.preview import PreviewService
    from core.app.session import Session
    from core.configuration.slash_commands import SlashProfile


class SettingsService(Service):
    def __init__(self, session: Session, previews: PreviewService, profiles: ProfileService) -> None:
        self._session, self._previews, self._profiles = session, previews, profiles

    @remote(latest=True)
    def page(self) -> SettingsPage:
        """Return all settings; a settings file that another program changed is previewed, too."""
        session = self._session
        if session.refresh():
            try:
                session.change(session.layers, session.profile, ())
            except FoldlineError as error:  # the page is there to correct it
                session.emit(Notice("error", error.message, error.hint))
        return session.configuration.settings_page(session.layers, session.profile, session.shown)

    @remote()
    def save(self, values: tuple[tuple[str, SettingValue | None], ...]) -> None:
        """Write values to the settings file (None removes one); the session's values of them are removed."""
        session = self._session
        layers = session.configuration.save_settings(session.layers, dict(values))
        session.change(layers, session.profile, tuple(key for key, _ in values))

    @remote()
    def run_line(self, text: str) -> None:
        """Run a line of the command bar (REQ-CS-007)."""
        from core.configuration.slash_commands import SlashCompact, SlashSet, SlashUnset, parse_command

        session = self._session
        session.refresh()
        match line := parse_command(text):
            case SlashSet(key, value):
                session.change(session.layers.with_session(key, value), session.profile, (key,))
            case SlashUnset(key):
                session.change(session.layers.unset(key), session.profile, (key,))
            case SlashCompact(focus):
                self._previews.compact(CompactionRequest(focus))
            case _:
                self._run_profile_line(line)

    def _run_profile_line(self, line: SlashProfile) -> None:
        from core.configuration.slash_commands import ProfileVerb

        session, profiles = self._session, self._session.configuration.profiles
        match line.verb:
            case ProfileVerb.LOAD:
                self._profiles.use(line.name)
            case ProfileVerb.SAVE:
                session.configuration.save_session(line.name, session.profile, session.layers)
                session.emit(Notice("info", f"Saved the profile {line.name}.", "", topic="profile"))
            case ProfileVerb.DELETE:
                self._profiles.delete(line.name)
            case ProfileVerb.LIST:
                text = f"{', '.join(profiles.names())}. Active: {session.profile}."
                session.emit(Notice("info", "Profiles:", text, topic="profile"))

    @remote(latest=True)
    def completions(self, text: str, cursor: int) -> CompletionList:
        """Return completions at the cursor of the command bar, and what is wrong with the line."""
        from core.configuration.slash_commands import complete_command

        found = complete_command(text, cursor, self._session.configuration.profiles.names())
        entries = tuple(
            (one.text + (" " if one.needs_more else ""), one.text, one.description) for one in found
        )
        start = found[0].start if found else cursor
        return CompletionList(text, start, entries, "" if entries else _problem(text))


def _problem(text: str) -> str:
    """Return what is wrong with a line that has no completions."""
    from core.configuration.slash_commands import parse_command

    if text.strip():
        try:
            parse_command(text)
        except InputError as error:
            return str(error)
    return ""


class ProfileService(Service):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._told = ""  # the profile whose use was told when it was to be deleted

    @remote(latest=True)
    def page(self) -> ProfilesPage:
        from core.presentation.settings_page import profiles_page

        session = self._session
        return profiles_page(session.configuration.profiles, session.profile, session.writer_name)

    @remote()
    def use(self, name: str) -> None:
        """Make a profile the active one and load its settings into the session (REQ-CS-009.1)."""
        self._session.refresh()
        self._activate(name)
        if (writer := self._session.writer_name) != name:
            text = f"{PROFILE} names it. Choose {name} in Summary by to change that."
            self._session.emit(Notice("info", f"Summaries are still by {writer}.", text, topic="profile"))
        self._warn_without_key(name)

    @remote()
    def choose_writer(self, name: str) -> None:
        """Let a profile write the summaries; the active profile and its settings stay."""
        session = self._session
        session.refresh()
        session.change(session.layers.with_session(PROFILE, name), session.profile, (PROFILE,))
        self._warn_without_key(name)

    @remote()
    def save(self, row: ProfileRow, former: str = "", from_session: bool = False) -> None:
        """Write a profile as edited. ``former`` is its name on disk, empty for a new one.

        ``from_session``: with the session's settings.
        """
        session = self._session
        layers, name, former_name = session.layers, row.name, former or row.name
        session.configuration.save_profile(row, former, layers.for_profile() if from_session else None)
        if former_name == session.profile:
            self._activate(name)
        elif layers.resolve().get(PROFILE) == former_name:
            if layers.session.get(PROFILE) == former_name:
                layers = layers.with_session(PROFILE, name)
            session.change(layers, session.profile, (PROFILE,))
        self._warn_without_key(name)

    @remote()
    def delete(self, name: str, agreed: bool = False) -> None:
        """Delete a profile; one in use only if ``agreed``, or when asked again after its use was told."""
        from core.presentation.settings_page import profile_use

        session, told, self._told = self._session, self._told, ""
        use = profile_use(name, session.profile, session.writer_name)
        if use and not agreed and name != told and name in session.configuration.profiles.names():
            self._told = name
            text = f"Run /profile delete {name} once more to delete it, or choose another one first."
            session.emit(Notice("warning", f"{name} is in use: {use}.", text, topic="profile"))
            return
        session.configuration.profiles.delete(name)
        if name == session.profile:
            self._activate(OFFLINE)
        elif session.layers.resolve().get(PROFILE) == name:
            session.change(session.layers, session.profile, (PROFILE,))

    @remote()
    def test(self, row: ProfileRow) -> Notice:
        """Call a profile's model with a few tokens; return a notice about the result."""
        from core.llm.credentials import find_key
        from core.llm.destination import checked_destination
        from core.presentation.settings_page import profile_from_row
        from core.summarize.model_summariser import probe_model

        try:
            profile = profile_from_row(row, None)
            if profile.is_offline:
                return Notice("info", "Nothing to test.", "This profile calls no model.")
            destination = checked_destination(profile)
            answer = probe_model(profile, find_key(profile), self._session.is_cancelled)
        except FoldlineError as error:
            return Notice("error", error.message, error.hint)
        took = f"from {destination.name}, in {answer.seconds or 0.0:.1f} s."
        return Notice("info", f"{profile.model} answered", took)

    def _activate(self, name: str) -> None:
        session = self._session
        profile = session.configuration.profiles.load(name)
        layers = session.layers.with_profile(profile.settings, name)
        session.change(layers, name, tuple({**session.layers.profile, **layers.profile}))

    def _warn_without_key(self, name: str) -> None:
        if (notice := self._session.configuration.without_key(name)) is not None:
            self._session.emit(notice)
