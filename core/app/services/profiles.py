"""Profiles: models that write summaries, with their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.common.errors import FoldlineError
from core.presentation.model import Notice
from core.presentation.settings.model import ProfileRow, ProfilesPage
from core.settings.keys import PROFILE
from core.settings.profile import OFFLINE, Profile

if TYPE_CHECKING:
    from core.app.session import Session


class ProfileService:
    def __init__(self, session: Session) -> None:
        self._session = session

    @remote(latest=True)
    def page(self) -> ProfilesPage:
        from core.presentation.settings.profiles_page import profiles_page

        return profiles_page(self._session.configuration.profiles, self._session.profile)

    @remote()
    def use(self, name: str) -> None:
        """Make a profile the active one and load its settings into the session (REQ-CS-009.1)."""
        self._session.refresh()
        self._activate(name)
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
    def delete(self, name: str) -> None:
        session = self._session
        session.configuration.profiles.delete(name)
        if name == session.profile:
            self._activate(OFFLINE)
        elif session.layers.resolve().get(PROFILE) == name:
            session.change(session.layers, session.profile, (PROFILE,))

    @remote()
    def test(self, row: ProfileRow) -> Notice:
        """Call a profile's model with a few tokens; return a notice about the result."""
        from core.presentation.settings.profiles_page import profile_from_row

        try:
            profile = profile_from_row(row, None)
            if profile.is_offline:
                return Notice("info", "Nothing to test.", "This profile calls no model.")
            seconds = self._greet(profile)
        except FoldlineError as error:
            return Notice("error", error.message, error.hint)
        return Notice("info", f"{profile.model} answered", f"in {seconds:.1f} s.")

    def _greet(self, profile: Profile) -> float:
        """Return the seconds until the model answered a greeting."""
        from core.llm.credentials import find_key
        from core.summarize.model_summarizer import probe_model

        return probe_model(profile, find_key(profile), self._session.is_cancelled).seconds or 0.0

    def _activate(self, name: str) -> None:
        session = self._session
        profile = session.configuration.profiles.load(name)
        layers = session.layers.with_profile(profile.settings, name)
        session.change(layers, name, tuple({**session.layers.profile, **layers.profile}))

    def _warn_without_key(self, name: str) -> None:
        if (notice := self._session.configuration.without_key(name)) is not None:
            self._session.emit(notice)
