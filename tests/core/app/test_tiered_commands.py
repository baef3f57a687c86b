"""tiered in the worker: which model writes and why, no call where none is needed."""

from __future__ import annotations

import pytest

from core.app.events import CompactionRequest
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService
from core.configuration.profile_store import ProfileStore
from core.presentation.dialog_model import CallQuestion
from core.presentation.model import Screen, SettingControl
from core.settings.keys import COMPACTION_MODEL, LIMIT, OUTPUT_RESERVE, STRATEGY
from core.settings.profile import Profile
from core.strategies.tiered import strategy as tiered
from tests.core.app.recording_session import RecordingHandler, last_event, save_profile
from tests.core.strategies.tiered_running import SEVEN
from tests.loopback import BROKEN, Loopback, Reply

SMALL, LARGE = 1500, 6000
"""Limits under which tier 3 is needed, and under which tier 2 reaches the target."""


def chosen(handler: RecordingHandler, limit: int = SMALL) -> Screen:
    """Return the screen with tiered under a limit."""
    handler(PreviewService.change, ((STRATEGY, tiered.NAME), (LIMIT, limit), (OUTPUT_RESERVE, 0)))
    return last_event(handler, Screen)


def writer(handler: RecordingHandler) -> SettingControl:
    return next(one for group in handler.tuning.groups for one in group.controls if one.label == "Summary by")


@pytest.mark.req("ION-27", "ION-29")
def test_the_panel_shows_which_model_writes_and_why(handler: RecordingHandler) -> None:
    ProfileStore().save(Profile("cloud", "anthropic", "claude-opus-5-5", key_env="NO_SUCH_KEY"))
    handler(ProfileService.use, "cloud")
    assert "claude-opus-5-5" in writer(handler).value_text
    chosen(handler)
    shown = writer(handler)
    assert "haiku" in shown.value_text
    assert "anthropic" in shown.hint
    handler(PreviewService.change, ((COMPACTION_MODEL, "claude-sonnet-5-5"),))
    assert writer(handler).hint == f"set by {COMPACTION_MODEL}"


@pytest.mark.req("ION-28", "ION-71")
def test_the_chosen_model_is_called_and_its_summary_stands(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server, Reply(SEVEN))
    handler(ProfileService.use, "local")
    chosen(handler)
    handler(PreviewService.change, ((COMPACTION_MODEL, "small"),))
    handler(PreviewService.compact, CompactionRequest())
    assert [asked.body["model"] for asked in server.log] == ["small"]
    assert "keep the lexer" in "".join(last_event(handler, Screen).after.text)


@pytest.mark.req("ION-53")
def test_where_the_first_two_tiers_do_no_model_is_called_nor_asked_about(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server)
    handler(ProfileService.use, "local")
    chosen(handler, LARGE)
    handler(PreviewService.compact, CompactionRequest())
    assert server.log == []
    assert not any(isinstance(event, CallQuestion) for event in handler.events)
    assert last_event(handler, Screen).run_choices


@pytest.mark.req("ION-60", "ION-63")
def test_a_summary_that_fails_leaves_tier_2_with_a_warning(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server, *[BROKEN] * 3)
    handler(ProfileService.use, "local")
    chosen(handler)
    handler(PreviewService.change, (("compression.retries", 0),))
    handler(PreviewService.compact, CompactionRequest())
    done = last_event(handler, Screen)
    assert done.run_choices
    assert "Output removed" in "".join(done.after.text)
    assert any("The result of tier 2 is kept." in f"{one.title} {one.text}" for one in handler.notices)
