"""Settings, profiles and a real HTTP model in the worker: confirmed once, shown, stale, harmless."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from core.app.messages import ChangeSettingsCommand, OpenFileCommand, RunCompactionCommand, UndoCommand
from core.app.services.settings_commands import (
    CompleteLineCommand,
    DeleteProfileCommand,
    LoadPromptCommand,
    LoadSettingsCommand,
    RunLineCommand,
    SaveProfileCommand,
    SavePromptCommand,
    SaveSettingsCommand,
    TryProfileCommand,
    UseProfileCommand,
)
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.presentation.model import Notice, Screen, SettingControl
from core.presentation.prompts.model import PromptPage
from core.presentation.settings.model import (
    CallQuestion,
    CompletionList,
    ProfilesPage,
    SettingsPage,
    SummaryProgress,
)
from core.presentation.settings.profiles_page import row_of
from core.settings.keys import PRESERVE, THRESHOLD
from core.settings.profile import OFFLINE, Profile
from tests.core.app.test_desk import Bench, transcript
from tests.loopback import EMPTY, SUMMARY, UNAUTHORISED, Loopback, Reply, serving

__all__ = ["transcript"]
_T = TypeVar("_T")


@pytest.fixture
def desk(transcript: Path) -> Bench:
    bench = Bench()
    bench(OpenFileCommand(str(transcript)))
    return bench


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with serving() as found:
        yield found


def profile(server: Loopback, *script: Reply, **fields: Any) -> Profile:
    if script:
        server.script = list(script)
    made = Profile("local", "openai", "tiny-1", server.base_url("openai"), key_env="LOCAL_KEY")
    made = replace(made, **fields)
    ProfileStore().save(made)
    return made


def found(bench: Bench, kind: type[_T]) -> _T:
    return next(event for event in reversed(bench.events) if isinstance(event, kind))


def control(page: SettingsPage | Screen, key: str) -> SettingControl:
    return next(one for group in page.groups for one in group.controls if one.key == key)


# settings


@pytest.mark.req("REQ-CS-007.1", "REQ-CS-007.3", "REQ-CS-009.1")
def test_a_line_of_the_command_bar_sets_and_unsets(desk: Bench) -> None:
    desk(RunLineCommand(f"/set {PRESERVE} 0.4"))
    assert control(found(desk, Screen), PRESERVE).layer == "session"
    desk(RunLineCommand(f"/set unset {PRESERVE}"))
    assert control(found(desk, Screen), PRESERVE).layer == "default"


def test_a_wrong_line_says_what_was_meant(desk: Bench) -> None:
    desk(RunLineCommand("/set compression.strategie middle-out"))
    assert "compression.strategy" in str(found(desk, Notice))


@pytest.mark.req("REQ-CS-009.2", "REQ-CS-008.1", "REQ-CS-008.2")
def test_values_are_saved_as_default_and_seen_by_the_next_desk(desk: Bench, transcript: Path) -> None:
    desk(SaveSettingsCommand(((THRESHOLD, 0.5),)))
    assert control(found(desk, SettingsPage), THRESHOLD).layer == "saved"
    assert SavedSettings().load().values == {THRESHOLD: 0.5}
    other = Bench()
    other(OpenFileCommand(str(transcript)))
    assert control(found(other, Screen), THRESHOLD).value == 0.5
    other(LoadSettingsCommand())
    sections = [group.title for group in found(other, SettingsPage).groups]
    assert "Chat compression" in sections


def test_a_file_changed_by_another_program_is_noticed(desk: Bench) -> None:
    SavedSettings().save({PRESERVE: 0.5})
    desk(ChangeSettingsCommand())
    assert control(found(desk, Screen), PRESERVE).layer == "saved"


@pytest.mark.req("REQ-CS-007.4", "REQ-CS-007.5")
def test_completion_offers_choices_and_profiles(desk: Bench) -> None:
    ProfileStore().save(Profile("cheap", "openai", "tiny-1"))
    desk(CompleteLineCommand("/set compression.strategy ", 26))
    assert {entry[1] for entry in found(desk, CompletionList).entries} >= {"middle-out", "high-density"}
    desk(CompleteLineCommand("/profile load ch", 16))
    assert [entry[1] for entry in found(desk, CompletionList).entries] == ["cheap"]


# profiles


@pytest.mark.req("REQ-CS-007.6", "REQ-HD-001.10")
def test_a_profile_brings_its_settings_and_takes_the_session_along(desk: Bench) -> None:
    desk(RunLineCommand(f"/set {PRESERVE} 0.4"))
    desk(RunLineCommand("/profile save mine"))
    assert ProfileStore().load("mine").settings == {PRESERVE: 0.4}
    desk(RunLineCommand(f"/set unset {PRESERVE}"))
    desk(UseProfileCommand("mine"))
    assert control(found(desk, Screen), PRESERVE).value == 0.4
    assert found(desk, ProfilesPage).rows[-1].active
    desk(DeleteProfileCommand("mine"))
    assert found(desk, Screen).profile == OFFLINE


@pytest.mark.req("REQ-CS-006A.1")
def test_an_unknown_profile_is_named_with_the_known_ones(desk: Bench) -> None:
    desk(UseProfileCommand("nope"))
    assert "'nope'" in str(found(desk, Notice))
    desk(RunLineCommand("/set compression.profile nope"))
    assert "nope" in str(found(desk, Notice))
    assert OFFLINE in str(found(desk, Notice))


def test_a_profile_that_is_saved_or_used_without_its_key_is_told(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server, key_env="NONE_SUCH"), OFFLINE)
    for command in (SaveProfileCommand(row, former="local"), UseProfileCommand("local")):
        desk.events.clear()
        desk(command)
        told = found(desk, Notice)
        assert (told.severity, told.what) == ("warning", "local has no key:")
        assert "NONE_SUCH is empty" in told.text
    desk.events.clear()
    desk(SaveProfileCommand(replace(row, key_name="LOCAL_KEY"), former="local"))
    assert not [event for event in desk.events if isinstance(event, Notice)]


def test_a_profile_is_edited_renamed_and_tried(desk: Bench, server: Loopback) -> None:
    row = row_of(profile(server), OFFLINE)
    desk(SaveProfileCommand(replace(row, name="renamed", parameters="temperature = 0.2"), former="local"))
    assert ProfileStore().names() == (OFFLINE, "renamed")
    assert ProfileStore().load("renamed").parameters == {"temperature": 0.2}
    desk(TryProfileCommand(row))
    assert "answered" in found(desk, Notice).what
    server.script = [UNAUTHORISED]
    desk(TryProfileCommand(row))
    assert found(desk, Notice).severity == "error"
    assert "sk-local" not in str(found(desk, Notice))


# a model writes


@pytest.mark.req("REQ-CS-002.6", "REQ-CS-002.4")
def test_nothing_is_called_until_compact_and_then_the_summary_streams_in(
    desk: Bench, server: Loopback
) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    waiting = found(desk, Screen)
    assert "not yet written" in waiting.after_head
    assert server.log == []
    desk(RunCompactionCommand())
    pictures = [event for event in desk.events if isinstance(event, SummaryProgress)]
    assert pictures[-1].is_over
    done = found(desk, Screen)
    assert "written by local" in done.after_head
    assert done.runs_made
    assert "Ship the parser" in "".join(done.after.text)
    assert "Question" in server.log[0].text


def test_a_summary_goes_stale_and_comes_back_with_undo(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    desk(ChangeSettingsCommand(((PRESERVE, 0.4),)))
    stale = found(desk, Screen)
    assert stale.stale
    assert stale.notices[0].what == "The summary is stale."
    desk(UndoCommand())
    assert not found(desk, Screen).stale
    assert "Ship the parser" in "".join(found(desk, Screen).after.text)
    assert len(server.log) == 1


@pytest.mark.req("REQ-CS-006A.2", "REQ-CS-006.3")
@pytest.mark.parametrize("reply", [UNAUTHORISED, EMPTY])
def test_a_failed_call_is_one_sentence_and_changes_nothing(
    desk: Bench, server: Loopback, reply: Reply
) -> None:
    profile(server, reply)
    desk(UseProfileCommand("local"))
    before = found(desk, Screen)
    desk(RunCompactionCommand())
    notice = found(desk, Notice)
    assert "local (tiny-1)" in notice.what
    assert [one.action for one in notice.actions] == ["compact", "profiles", "compact-offline"]
    desk(ChangeSettingsCommand())
    assert found(desk, Screen).after_head == before.after_head
    desk(RunCompactionCommand(offline=True))
    assert found(desk, Screen).runs_made


def test_use_offline_after_a_failure_is_what_writes_from_then_on(desk: Bench, server: Loopback) -> None:
    profile(server, UNAUTHORISED, Reply())
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    desk(RunCompactionCommand(offline=True))
    screen = found(desk, Screen)
    assert (screen.profile, screen.price) == (OFFLINE, "")
    desk(ChangeSettingsCommand(((PRESERVE, 0.4),)))
    desk(RunCompactionCommand())
    assert len(found(desk, Screen).runs_made) == 2
    assert len(server.log) == 1


def test_a_missing_key_leads_to_its_profile_and_to_the_offline_summary(
    desk: Bench, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    monkeypatch.delenv("LOCAL_KEY")
    desk(RunCompactionCommand())
    notice = found(desk, Notice)
    assert notice.what.startswith("The profile local has no key: ")
    assert notice.text.endswith("The history is as it was.")
    assert [(one.action, one.argument) for one in notice.actions] == [
        ("profiles", "local"),
        ("compact-offline", ""),
    ]
    assert not server.log


def test_a_prompt_with_an_unknown_placeholder_is_told_of_at_compact(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(SavePromptCommand("middle-out", "", "", "base", "Sum up in {limit_tokens} tokens."))
    desk(RunCompactionCommand())
    told = [str(one) for screen in desk.events if isinstance(screen, Screen) for one in screen.notices]
    assert any("nothing fills in {limit_tokens}" in one for one in told)


def test_cancel_ends_the_call_and_nothing_else(desk: Bench, server: Loopback) -> None:
    profile(server, Reply("word " * 400, pace=0.05))
    desk(UseProfileCommand("local"))
    desk.reason = "cancel"
    desk(RunCompactionCommand())
    assert found(desk, Notice).what == "Cancelled."
    desk.reason = ""
    desk(ChangeSettingsCommand())
    assert found(desk, Screen).strategy == "middle-out"


def test_a_paid_profile_is_asked_about_once_with_its_price(desk: Bench) -> None:
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", key_env="NOT_SET_HERE"))
    desk(UseProfileCommand("haiku"))
    desk(RunCompactionCommand())
    asked = found(desk, CallQuestion)
    assert asked.title == "Call haiku for the first time?"
    assert asked.facts[0].value.startswith("≈ $")
    desk(RunCompactionCommand(agreed=True))
    assert "NOT_SET_HERE" in str(found(desk, Notice))


def test_a_paid_model_without_a_price_says_so_on_the_button(desk: Bench) -> None:
    ProfileStore().save(Profile("new", "anthropic", "claude-of-tomorrow", key_env="NOT_SET_HERE"))
    desk(UseProfileCommand("new"))
    assert found(desk, Screen).price == "(price unknown)"


@pytest.mark.req("REQ-CS-005.2")
def test_an_override_for_one_model_reaches_the_request_and_the_server(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(LoadPromptCommand())
    page = found(desk, PromptPage)
    text = page.text + "\nMention the marker zanzibar.\n"
    desk(SavePromptCommand(page.name, "openai", "tiny-1", "model", text))
    desk(LoadPromptCommand())
    shown = found(desk, PromptPage)
    assert shown.level == "model"
    assert "zanzibar" in "".join(part.text for part in shown.request.parts)
    desk(RunCompactionCommand())
    assert "zanzibar" in server.log[-1].text
    assert SUMMARY
