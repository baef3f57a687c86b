"""tiered in the worker: which model writes and why, no call where none is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.app.messages import ChangeSettingsCommand, OpenFileCommand, RunCompactionCommand
from core.app.services.settings_commands import UseProfileCommand
from core.configuration.profile_store import ProfileStore
from core.presentation.model import Screen, SettingControl
from core.presentation.settings.model import CallQuestion
from core.settings.keys import COMPACTION_MODEL, LIMIT, OUTPUT_RESERVE, STRATEGY
from core.settings.profile import Profile
from core.strategies.tiered import strategy as tiered
from tests.core.app.test_desk import Bench, transcript
from tests.core.app.test_desk_model import found, profile
from tests.core.strategies.tiered_running import SEVEN
from tests.loopback import BROKEN, Loopback, Reply, serving

__all__ = ["transcript"]

SMALL, LARGE = 1500, 6000
"""Limits under which tier 3 is needed, and under which tier 2 reaches the target."""


@pytest.fixture
def desk(transcript: Path) -> Bench:
    bench = Bench()
    bench(OpenFileCommand(str(transcript)))
    return bench


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with serving() as started:
        yield started


def chosen(desk: Bench, limit: int = SMALL) -> Screen:
    """Return the screen with tiered under a limit."""
    desk(ChangeSettingsCommand(((STRATEGY, tiered.NAME), (LIMIT, limit), (OUTPUT_RESERVE, 0))))
    return found(desk, Screen)


def writer(screen: Screen) -> SettingControl:
    return next(one for group in screen.groups for one in group.controls if one.label == "Written by")


@pytest.mark.req("ION-27", "ION-29")
def test_the_panel_shows_which_model_writes_and_why(desk: Bench) -> None:
    ProfileStore().save(Profile("cloud", "anthropic", "claude-opus-5-5", key_env="NO_SUCH_KEY"))
    desk(UseProfileCommand("cloud"))
    assert "claude-opus-5-5" in writer(found(desk, Screen)).value_text
    shown = writer(chosen(desk))
    assert "haiku" in shown.value_text
    assert "anthropic" in shown.hint
    desk(ChangeSettingsCommand(((COMPACTION_MODEL, "claude-sonnet-5-5"),)))
    assert writer(found(desk, Screen)).hint == f"set by {COMPACTION_MODEL}"


@pytest.mark.req("ION-28", "ION-71")
def test_the_chosen_model_is_called_and_its_summary_stands(desk: Bench, server: Loopback) -> None:
    profile(server, Reply(SEVEN))
    desk(UseProfileCommand("local"))
    chosen(desk)
    desk(ChangeSettingsCommand(((COMPACTION_MODEL, "small"),)))
    desk(RunCompactionCommand())
    assert [asked.body["model"] for asked in server.log] == ["small"]
    assert "keep the lexer" in "".join(found(desk, Screen).after.text)


@pytest.mark.req("ION-53")
def test_where_the_first_two_tiers_do_no_model_is_called_nor_asked_about(
    desk: Bench, server: Loopback
) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    chosen(desk, LARGE)
    desk(RunCompactionCommand())
    assert server.log == []
    assert not any(isinstance(event, CallQuestion) for event in desk.events)
    assert found(desk, Screen).runs_made


@pytest.mark.req("ION-60", "ION-63")
def test_a_summary_that_fails_leaves_tier_2_with_a_warning(desk: Bench, server: Loopback) -> None:
    profile(server, *[BROKEN] * 3)
    desk(UseProfileCommand("local"))
    chosen(desk)
    desk(ChangeSettingsCommand((("compression.retries", 0),)))
    desk(RunCompactionCommand())
    done = found(desk, Screen)
    assert done.runs_made
    assert "Output removed" in "".join(done.after.text)
    assert any("The result of tier 2 is kept." in f"{one.what} {one.text}" for one in done.notices)
