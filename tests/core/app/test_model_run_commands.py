"""Settings, profiles and a real HTTP model in the worker: confirmed once, shown, stale, harmless."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import CompactionRequest, OpenRequest
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.presentation.dialog_model import CallQuestion, CompletionList, SettingsPage, SummaryProgress
from core.presentation.model import Notice, Screen
from core.presentation.settings_page import profile_row
from core.settings.keys import PRESERVE, PROFILE, THRESHOLD
from core.settings.profile import OFFLINE, Profile
from tests.core.app.recording_session import RecordingHandler, control, last_event, save_profile
from tests.loopback import EMPTY, UNAUTHORISED, Loopback, Reply

# settings


@pytest.mark.req("REQ-CS-007.1", "REQ-CS-007.3", "REQ-CS-009.1")
def test_a_line_of_the_command_bar_sets_and_unsets(handler: RecordingHandler) -> None:
    handler(SettingsService.run_line, f"/set {PRESERVE} 0.4")
    assert control(handler.tuning, PRESERVE).layer == "session"
    handler(SettingsService.run_line, f"/set unset {PRESERVE}")
    assert control(handler.tuning, PRESERVE).layer == "default"


@pytest.mark.req("REQ-CS-009.2", "REQ-CS-008.1", "REQ-CS-008.2")
def test_values_are_saved_as_default_and_seen_by_the_next_desk(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(SettingsService.save, ((THRESHOLD, 0.5),))
    handler(SettingsService.page)
    assert control(last_event(handler, SettingsPage), THRESHOLD).layer == "saved"
    assert SavedSettings().load().values == {THRESHOLD: 0.5}
    other = RecordingHandler()
    other(OpenService.open, OpenRequest(str(transcript)))
    other(SettingsService.page)
    assert control(last_event(other, SettingsPage), THRESHOLD).value == 0.5
    sections = [group.title for group in last_event(other, SettingsPage).groups]
    assert "Chat compression" in sections


@pytest.mark.req("REQ-CS-007.4", "REQ-CS-007.5")
def test_completion_offers_choices_and_profiles(handler: RecordingHandler) -> None:
    ProfileStore().save(Profile("cheap", "openai", "tiny-1"))
    handler(SettingsService.completions, "/set compression.strategy ", 26)
    assert {entry[1] for entry in last_event(handler, CompletionList).entries} >= {
        "middle-out",
        "high-density",
    }
    handler(SettingsService.completions, "/profile load ch", 16)
    assert [entry[1] for entry in last_event(handler, CompletionList).entries] == ["cheap"]


# profiles


@pytest.mark.req("REQ-CS-007.6", "REQ-HD-001.10")
def test_a_profile_brings_its_settings_and_takes_the_session_along(handler: RecordingHandler) -> None:
    handler(SettingsService.run_line, f"/set {PRESERVE} 0.4")
    handler(SettingsService.run_line, "/profile save mine")
    assert ProfileStore().load("mine").settings == {PRESERVE: 0.4}
    handler(SettingsService.run_line, f"/set unset {PRESERVE}")
    handler(ProfileService.use, "mine")
    assert control(handler.tuning, PRESERVE).value == 0.4
    assert handler(ProfileService.page).rows[-1].active
    handler(ProfileService.delete, "mine")
    assert last_event(handler, Screen).profile == OFFLINE


# a model writes


@pytest.mark.req("REQ-CS-002.6", "REQ-CS-002.4")
def test_nothing_is_called_until_compact_and_then_the_summary_streams_in(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server)
    handler(ProfileService.use, "local")
    waiting = last_event(handler, Screen)
    assert "not yet written" in waiting.after_heading
    assert server.log == []
    handler(PreviewService.compact, CompactionRequest())
    pictures = [event for event in handler.events if isinstance(event, SummaryProgress)]
    assert pictures[-1].is_over
    done = last_event(handler, Screen)
    assert "written by local" in done.after_heading
    assert done.run_choices
    assert "Ship the parser" in "".join(done.after.text)
    assert "Question" in server.log[0].text


@pytest.mark.req("REQ-CS-006A.2", "REQ-CS-006.3")
@pytest.mark.parametrize("reply", [UNAUTHORISED, EMPTY])
def test_a_failed_call_is_one_sentence_and_changes_nothing(
    handler: RecordingHandler, server: Loopback, reply: Reply
) -> None:
    save_profile(server, reply)
    handler(ProfileService.use, "local")
    before = last_event(handler, Screen)
    handler(PreviewService.compact, CompactionRequest())
    notice = last_event(handler, Notice)
    assert "local (tiny-1)" in notice.title
    assert [one.action for one in notice.actions] == ["compact", "profiles", "compact-offline"]
    handler(PreviewService.change)
    assert last_event(handler, Screen).after_heading == before.after_heading
    handler(PreviewService.compact, CompactionRequest(offline=True))
    assert last_event(handler, Screen).run_choices


def test_a_missing_key_leads_to_its_profile_and_to_the_offline_summary(
    handler: RecordingHandler, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_profile(server)
    handler(ProfileService.use, "local")
    monkeypatch.delenv("LOCAL_KEY")
    handler(PreviewService.compact, CompactionRequest())
    notice = last_event(handler, Notice)
    assert notice.title.startswith("The profile local has no key: ")
    assert notice.text.endswith("The conversation is unchanged.")
    assert [(one.action, one.argument) for one in notice.actions] == [
        ("profiles", "local"),
        ("compact-offline", ""),
    ]
    assert not server.log


def test_a_paid_profile_is_asked_about_once_with_its_price(handler: RecordingHandler) -> None:
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", key_env="NOT_SET_HERE"))
    handler(ProfileService.use, "haiku")
    handler(PreviewService.compact, CompactionRequest())
    asked = last_event(handler, CallQuestion)
    assert asked.title == "Send this to anthropic?"
    assert asked.facts[0].value.startswith("≈ $")
    handler(PreviewService.compact, CompactionRequest(agreed=True))
    assert "NOT_SET_HERE" in str(last_event(handler, Notice))


@pytest.mark.req("REQ-CS-009.2")
def test_undo_leaves_the_saved_layer_as_the_file_has_it(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((PRESERVE, 0.3),))
    handler(SettingsService.save, ((PRESERVE, 0.3),))
    handler(PreviewService.undo)
    handler(PreviewService.change, ((PRESERVE, None),))
    assert control(handler.tuning, PRESERVE).layer == "saved"


def test_a_saved_value_that_allows_no_preview_is_shown_and_can_be_taken_out(
    handler: RecordingHandler,
) -> None:
    handler(SettingsService.save, ((PROFILE, "nope"),))
    handler(SettingsService.page)
    assert control(last_event(handler, SettingsPage), PROFILE).layer == "saved"
    handler(SettingsService.save, ((PROFILE, None),))
    assert last_event(handler, Screen).strategy == "middle-out"


def test_a_file_that_breaks_while_the_window_is_open_is_told_once(handler: RecordingHandler) -> None:
    SavedSettings().path.parent.mkdir(parents=True, exist_ok=True)
    SavedSettings().path.write_text("a = \n")
    handler(PreviewService.change)
    assert "line 1" in last_event(handler, Notice).title
    handler(PreviewService.change)
    assert not any(isinstance(event, Notice) for event in handler.events)


@pytest.mark.req("REQ-CS-002.5")
def test_the_profile_for_summaries_follows_a_new_name(handler: RecordingHandler, server: Loopback) -> None:
    row = profile_row(save_profile(server), OFFLINE)
    handler(SettingsService.run_line, f"/set {PROFILE} local")
    handler(ProfileService.save, replace(row, name="renamed"), former="local")
    handler(SettingsService.page)
    assert control(last_event(handler, SettingsPage), PROFILE).value == "renamed"
    handler(PreviewService.compact, CompactionRequest())
    assert "written by renamed" in last_event(handler, Screen).after_heading


def test_a_profile_is_edited_renamed_and_tried(handler: RecordingHandler, server: Loopback) -> None:
    row = profile_row(save_profile(server), OFFLINE)
    handler(ProfileService.save, replace(row, name="renamed", parameters="temperature = 0.2"), former="local")
    assert ProfileStore().names() == (OFFLINE, "renamed")
    assert ProfileStore().load("renamed").parameters == {"temperature": 0.2}
    handler(ProfileService.test, row)
    assert "answered" in last_event(handler, Notice).title
    server.script = [UNAUTHORISED]
    handler(ProfileService.test, row)
    assert last_event(handler, Notice).severity == "error"
    assert "sk-local" not in str(last_event(handler, Notice))


def test_use_offline_after_a_failure_is_what_writes_from_then_on(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server, UNAUTHORISED, Reply())
    handler(ProfileService.use, "local")
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.compact, CompactionRequest(offline=True))
    screen = last_event(handler, Screen)
    assert (screen.profile, screen.price) == (OFFLINE, "")
    handler(PreviewService.change, ((PRESERVE, 0.4),))
    handler(PreviewService.compact, CompactionRequest())
    assert len(last_event(handler, Screen).run_choices) == 2
    assert len(server.log) == 1
