"""Notes of the settings dialog: effective values, missing keys."""

from dataclasses import replace

import pytest

from core.app.settings_files import UserConfiguration
from core.configuration.layers import SettingLayers
from core.configuration.profile_store import ProfileStore
from core.presentation.dialog_model import SettingsPage
from core.presentation.preview_wording import limit_text
from core.presentation.settings_page import settings_notes
from core.preview.options import Preview
from core.settings.keys import LIMIT, PRESERVE, PROFILE, TOP_PRESERVE
from core.settings.profile import Profile
from core.transcript.model import Conversation, RecordedCompaction
from tests.core.presentation.test_view_screen import layers, made, session


def _hint(key: str, found: SettingLayers, preview: Preview | None = None) -> str:
    page = UserConfiguration().settings_page(found, "offline", preview)
    return next(one.hint for group in page.groups for one in group.controls if one.key == key)


def _unset(source: Conversation) -> Preview:
    return made(source, limit=None)


def test_a_share_says_which_messages_stay() -> None:
    preview = made(session(), bottom=0.3)
    assert _hint(TOP_PRESERVE, layers(), preview) == "here #1–#4"
    assert _hint(PRESERVE, layers(bottom=0.3), preview) == "set by hand · default is 20 % · here #15–#20"


def test_an_unset_limit_says_where_the_one_that_counts_comes_from() -> None:
    assert _hint(LIMIT, SettingLayers()) == "not set: looked up by the model"
    preview = _unset(session(model="claude-sonnet-4-5"))
    assert _hint(LIMIT, SettingLayers(), preview) == "not set: 200,000, claude-sonnet-4-5 in the model table"
    assert LIMIT not in settings_notes(made(session()))


def test_a_window_that_the_file_gives_away_is_named_once() -> None:
    auto = RecordedCompaction("summary", 1, trigger="auto", tokens_before=167_000)
    preview = _unset(replace(session(), format="claude_code", recorded=(auto,)))
    assert _hint(LIMIT, SettingLayers(), preview) == "not set: 200,000, automatic compaction at 167,000"
    assert limit_text(preview.window) == "200,000 (automatic compaction at 167,000)"


def _page(name: str = "") -> SettingsPage:
    found = SettingLayers().with_session(PROFILE, name) if name else SettingLayers()
    return UserConfiguration().settings_page(found, "offline")


def test_a_chosen_profile_without_a_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", key_env="HAIKU_KEY"))
    assert _page().missing_key is None
    told = _page("haiku").missing_key
    assert told is not None
    assert told.title == "haiku has no key:"
    assert told.text.startswith("the environment variable HAIKU_KEY is empty.")
    assert [(one.action, one.argument) for one in told.actions] == [("profiles", "haiku")]
    monkeypatch.setenv("HAIKU_KEY", "sk-0123456789")
    assert _page("haiku").missing_key is None
