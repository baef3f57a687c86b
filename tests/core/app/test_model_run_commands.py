"""Settings, profiles and a model in the worker: confirmed once, shown, harmless; the models of
tiered."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services.inspector import InspectorService
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.inspector_model import MessageBody
from core.presentation.model import Notice, SettingControl
from core.presentation.screen_model import Screen
from core.presentation.settings_page import profile_row
from core.settings.profile import OFFLINE, Profile
from core.settings.schema import (
    COMPACTION_MODEL,
    LIMIT,
    OUTPUT_RESERVE,
    PRESERVE,
    PROFILE,
    STRATEGY,
    THRESHOLD,
)
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.strategies import tiered
from tests.core.app.recording_workspace import (
    RecordingHandler,
    control,
    last_event,
    save_profile,
)
from tests.core.strategies.tiered_running import SEVEN_OF_UPLOADS
from tests.support.loopback import BROKEN, EMPTY, UNAUTHORISED, Loopback, Reply


@pytest.mark.req("REQ-CS-009.2", "REQ-CS-008.1", "REQ-CS-008.2")
def test_values_are_saved_for_the_next_session(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(SettingsService.save, ((THRESHOLD, 0.5),))
    assert control(handler(SettingsService.page), THRESHOLD).layer == "saved"
    assert SavedSettings().load().values == {THRESHOLD: 0.5}
    page = RecordingHandler(transcript)(SettingsService.page)
    assert control(page, THRESHOLD).value == 0.5
    assert "Chat compression" in [group.title for group in page.groups]


@pytest.mark.req("REQ-CS-007.4", "REQ-CS-007.5")
def test_completion_offers_choices_and_profiles(handler: RecordingHandler) -> None:
    ProfileStore().save(Profile(name="cheap", provider="openai", model="tiny-1"))
    strategies = handler(SettingsService.completions, "/set compression.strategy ", 26)
    assert {entry[1] for entry in strategies.entries} >= {"middle-out", "high-density"}
    profiles = handler(SettingsService.completions, "/profile load ch", 16)
    assert [entry[1] for entry in profiles.entries] == ["cheap"]


@pytest.mark.req("REQ-CS-007.6", "REQ-HD-001.10")
def test_a_profile_brings_its_settings_and_takes_the_session_along(
    handler: RecordingHandler,
) -> None:
    handler(SettingsService.run_line, f"/set {PRESERVE} 0.4")
    handler(SettingsService.run_line, "/profile save mine")
    assert ProfileStore().load("mine").settings == {PRESERVE: 0.4}
    handler(SettingsService.run_line, f"/set unset {PRESERVE}")
    handler(ProfileService.use, "mine")
    assert control(handler.tuning, PRESERVE).value == 0.4
    assert handler(ProfileService.page).rows[-1].active
    handler(ProfileService.delete, "mine", agreed=True)
    assert last_event(handler, Screen).request.profile == OFFLINE


@pytest.mark.req("REQ-CS-002.6", "REQ-CS-002.4")
def test_a_model_is_called_by_compact_alone_and_streams(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server)
    assert "not yet written" in last_event(handler, Screen).result.heading
    assert server.log == []
    handler(PreviewService.compact, CompactionRequest())
    pictures = [event for event in handler.events if isinstance(event, SummaryProgress)]
    assert pictures[-1].is_over
    done = last_event(handler, Screen)
    assert "written by local" in done.result.heading
    assert done.history.choices
    assert "Ship the parser" in "".join(done.result.rows.text)
    assert "Question" in server.log[0].text


def test_a_message_is_shown_while_the_model_writes(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server, Reply(delay=0.3))
    shown: list[MessageBody] = []

    def read() -> None:
        shown.append(handler.call(InspectorService.body, "before", 0))

    handler.while_waiting(read)
    handler(PreviewService.compact, CompactionRequest())
    assert {body.index for body in shown} == {0}
    assert not handler.preview.summary.unwritten


@pytest.mark.req("REQ-CS-006A.2", "REQ-CS-006.3")
@pytest.mark.parametrize("reply", [UNAUTHORISED, EMPTY])
def test_a_failed_call_changes_nothing(
    handler: RecordingHandler, server: Loopback, reply: Reply
) -> None:
    handler.use_profile(server, reply)
    before = last_event(handler, Screen)
    handler(PreviewService.compact, CompactionRequest())
    notice = last_event(handler, Notice)
    assert "local (tiny-1)" in notice.title
    assert [one.action for one in notice.actions] == [
        "compact",
        "profiles",
        "compact-offline",
    ]
    handler(PreviewService.change)
    assert last_event(handler, Screen).result.heading == before.result.heading
    handler(PreviewService.compact, CompactionRequest(offline=True))
    assert last_event(handler, Screen).history.choices


def test_a_missing_key_leads_to_its_profile_and_to_the_offline_summary(
    handler: RecordingHandler, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler.use_profile(server)
    monkeypatch.delenv("LOCAL_KEY")
    handler(PreviewService.compact, CompactionRequest())
    notice = last_event(handler, Notice)
    assert notice.title.startswith("The profile local has no key: ")
    assert notice.text.endswith("The conversation is unchanged.")
    actions = [(one.action, one.argument) for one in notice.actions]
    assert actions == [("profiles", "local"), ("compact-offline", "")]
    assert not server.log


def test_a_paid_profile_is_asked_about_once_with_its_price(
    handler: RecordingHandler,
) -> None:
    handler.use_paid_profile()
    handler(PreviewService.compact, CompactionRequest())
    asked = last_event(handler, CallQuestion)
    assert asked.title.startswith("Send this to api.anthropic.com, by haiku, at most $")
    assert asked.facts[0].value.startswith("≈ $")
    assert (
        " to send, at most $" in asked.facts[0].value
    )  # two figures of different things
    handler(PreviewService.compact, CompactionRequest(agreed=True))
    assert "NOT_SET_HERE" in str(last_event(handler, Notice))


@pytest.mark.req("REQ-CS-009.2")
def test_undo_leaves_the_saved_layer_as_the_file_has_it(
    handler: RecordingHandler,
) -> None:
    handler(PreviewService.change, ((PRESERVE, 0.3),))
    handler(SettingsService.save, ((PRESERVE, 0.3),))
    handler(PreviewService.undo)
    handler(PreviewService.change, ((PRESERVE, None),))
    assert control(handler.tuning, PRESERVE).layer == "saved"


def test_a_saved_value_that_allows_no_preview_can_be_taken_out(
    handler: RecordingHandler,
) -> None:
    handler(SettingsService.save, ((PROFILE, "nope"),))
    assert control(handler(SettingsService.page), PROFILE).layer == "saved"
    handler(SettingsService.save, ((PROFILE, None),))
    assert last_event(handler, Screen).strategy == "middle-out"


def test_a_file_that_breaks_while_the_window_is_open_is_told_once(
    handler: RecordingHandler,
) -> None:
    SavedSettings().path.parent.mkdir(parents=True, exist_ok=True)
    SavedSettings().path.write_text("a = \n")
    handler(PreviewService.change)
    assert "line 1" in last_event(handler, Notice).title
    handler(PreviewService.change)
    assert not any(isinstance(event, Notice) for event in handler.events)


@pytest.mark.req("REQ-CS-002.5")
def test_a_profile_is_edited_renamed_and_tried(
    handler: RecordingHandler, server: Loopback
) -> None:
    row = profile_row(save_profile(server), OFFLINE)
    handler(SettingsService.run_line, f"/set {PROFILE} local")
    handler(
        ProfileService.save,
        replace(row, name="renamed", parameters="temperature = 0.2"),
        former="local",
    )
    assert ProfileStore().names() == (OFFLINE, "renamed")
    assert ProfileStore().load("renamed").parameters == {"temperature": 0.2}
    assert control(handler(SettingsService.page), PROFILE).value == "renamed"
    handler(PreviewService.compact, CompactionRequest())
    assert "written by renamed" in last_event(handler, Screen).result.heading
    assert "answered" in handler(ProfileService.test, row).title
    server.script = [UNAUTHORISED]
    refused = handler(ProfileService.test, row)
    assert (refused.severity, "sk-local" in str(refused)) == ("error", False)


def test_use_offline_after_a_failure_is_what_writes_from_then_on(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server, UNAUTHORISED, Reply())
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.compact, CompactionRequest(offline=True))
    screen = last_event(handler, Screen)
    assert (screen.request.profile, screen.request.price) == (OFFLINE, "")
    handler(PreviewService.change, ((PRESERVE, 0.4),))
    handler(PreviewService.compact, CompactionRequest())
    assert len(last_event(handler, Screen).history.choices) == 2
    assert len(server.log) == 1


SMALL, LARGE = 1500, 6000
"""Limits under which tier 3 is needed, and under which tier 2 reaches the target."""


def choose_tiered(handler: RecordingHandler, limit: int = SMALL) -> None:
    handler(
        PreviewService.change,
        ((STRATEGY, tiered.NAME), (LIMIT, limit), (OUTPUT_RESERVE, 0)),
    )


def summary_profile(handler: RecordingHandler) -> SettingControl:
    return next(
        one
        for group in handler.tuning.groups
        for one in group.controls
        if one.label == "Summary by"
    )


@pytest.mark.req("ION-27", "ION-29")
def test_the_panel_shows_which_model_writes_and_why(handler: RecordingHandler) -> None:
    ProfileStore().save(
        Profile(
            name="cloud",
            provider="anthropic",
            model="claude-opus-5-5",
            key_env="NO_SUCH_KEY",
        )
    )
    handler(ProfileService.use, "cloud")
    assert "claude-opus-5-5" in summary_profile(handler).value_text
    choose_tiered(handler)
    shown = summary_profile(handler)
    assert "haiku" in shown.value_text
    assert "anthropic" in shown.note.text
    handler(PreviewService.change, ((COMPACTION_MODEL, "claude-sonnet-5-5"),))
    assert summary_profile(handler).note.text == f"set by {COMPACTION_MODEL}"


@pytest.mark.req("ION-28", "ION-71")
def test_the_chosen_model_writes_what_stands(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server, Reply(text=SEVEN_OF_UPLOADS))
    choose_tiered(handler)
    handler(PreviewService.change, ((COMPACTION_MODEL, "small"),))
    handler(PreviewService.compact, CompactionRequest())
    assert [asked.body["model"] for asked in server.log] == ["small"]
    assert "keep the lexer" in "".join(last_event(handler, Screen).result.rows.text)


@pytest.mark.req("ION-53")
def test_where_two_tiers_do_no_model_is_called(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server)
    choose_tiered(handler, LARGE)
    handler(PreviewService.compact, CompactionRequest())
    assert server.log == []
    assert not any(isinstance(event, CallQuestion) for event in handler.events)
    assert last_event(handler, Screen).history.choices


@pytest.mark.req("ION-60", "ION-63")
def test_a_failed_summary_leaves_tier_2_with_a_warning(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server, *[BROKEN] * 3)
    choose_tiered(handler)
    handler(PreviewService.change, (("compression.retries", 0),))
    handler(PreviewService.compact, CompactionRequest())
    assert "Output removed" in "".join(last_event(handler, Screen).result.rows.text)
    assert any(
        "The result of tier 2 is kept." in f"{one.title} {one.text} {one.details}"
        for one in handler.notices
    )
