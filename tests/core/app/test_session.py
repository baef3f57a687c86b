"""A session: calls in, events for the window out."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import CompactionRequest, OpenRequest, ReadingProgressEvent
from core.app.rpc import Call, call_of
from core.app.services.export import ExportAnswer, ExportService
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import SettingsService
from core.formats.registry import load_conversation
from core.presentation.dialog_model import ExportRequest, FileOpenedEvent, SecretsCount
from core.presentation.model import FATES, FOCUS_KEY, Notice, NoticeAction, RowsReadEvent, Screen
from core.transcript.model import Speaker
from tests.core.app.recording_session import BOTTOM, LIMIT, STRATEGY, RecordingHandler, run_call


def kinds(handler: RecordingHandler) -> list[type]:
    return [type(event) for event in handler.events]


def test_opening_answers_with_title_rows_and_screen(handler: RecordingHandler) -> None:
    order = [kind for kind in kinds(handler) if kind in (FileOpenedEvent, RowsReadEvent, Screen)]
    assert set(order[:-2]) == {RowsReadEvent}
    assert order[-2:] == [FileOpenedEvent, Screen]
    rows = [event for event in handler.events if isinstance(event, RowsReadEvent)]
    assert sum(len(part.rows) for part in rows) == 30
    assert [count for part in rows for count in part.rows.tokens][2] > 100


def test_a_setting_changes_the_screen_and_can_be_undone(handler: RecordingHandler) -> None:
    changed = handler.screen(PreviewService.change, ((BOTTOM, 0.5),))
    effect = handler.tuning.effect
    assert effect is not None
    assert effect.change == "20 % → 50 %"
    assert changed.can_undo
    back = handler.screen(PreviewService.undo)
    assert (handler.setting(BOTTOM), back.can_undo, handler.tuning.effect) == ("20 %", False, None)
    assert back.can_redo
    again = handler.screen(PreviewService.redo)
    assert (handler.setting(BOTTOM), again.can_undo, again.can_redo) == ("50 %", True, False)
    handler.screen(PreviewService.undo)
    assert not handler.screen(PreviewService.change, ((BOTTOM, 0.4),)).can_redo


def test_a_focus_goes_into_the_summary_and_stays_through_other_changes(handler: RecordingHandler) -> None:
    focused = handler.screen(PreviewService.set_focus, "the pool")
    assert focused.can_undo
    assert handler.screen(PreviewService.change, ((BOTTOM, 0.5),)).can_undo
    field = next(one for group in handler.tuning.groups for one in group.controls if one.key == FOCUS_KEY)
    assert field.value == "the pool"
    assert handler.screen(PreviewService.set_focus, "").can_undo


def test_a_bad_value_is_refused_and_nothing_changes(handler: RecordingHandler) -> None:
    event = handler(PreviewService.change, ((BOTTOM, 7.0),))
    assert isinstance(event, Notice)
    assert BOTTOM in event.title
    handler.screen(PreviewService.change)
    assert handler.setting(BOTTOM) == "20 %"


def test_a_strategy_without_a_limit_waits_for_one(handler: RecordingHandler) -> None:
    refused = handler.screen(PreviewService.change, ((STRATEGY, "high-density"),))
    assert refused.strategy == "middle-out"
    assert handler.notices[0].topic == "limit"
    assert handler.screen(PreviewService.change, ((LIMIT, 8000),)).strategy == "high-density"


def test_a_strategy_chosen_before_opening_that_cannot_run_gives_way(transcript: Path) -> None:
    handler = RecordingHandler()
    handler(PreviewService.change, ((STRATEGY, "top-down-truncation"),))
    found = handler.screen(OpenService.open, OpenRequest(str(transcript)))
    assert found.strategy == "middle-out"
    assert handler.notices[0].title == "top-down-truncation needs a context limit"


def test_compact_makes_a_run_that_undo_takes_back(handler: RecordingHandler) -> None:
    made = handler.screen(PreviewService.compact, CompactionRequest("the upload"))
    assert made.run_choices[0].label.startswith("run 1 · middle-out · ≈")
    assert handler.notices[0].title == "Compacted: run 1 with middle-out."
    assert handler.screen(PreviewService.undo).run_choices == ()


def test_compact_without_anything_to_do_says_so(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((BOTTOM, 1.0),))
    event = handler(PreviewService.compact, CompactionRequest())
    assert isinstance(event, Notice)
    assert event.title == "Nothing to compact."


def test_scope_and_model_are_changes_like_others(handler: RecordingHandler) -> None:
    changed = handler.screen(PreviewService.set_model, "gpt-4o")
    assert changed.model == "gpt-4o"
    assert handler.tuning.effect is not None
    assert handler.tuning.effect.title == "Model"
    assert handler.screen(PreviewService.set_scope, "current").scope == "current"


def test_the_result_is_written_and_reads_again(handler: RecordingHandler, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    answer: ExportAnswer = handler.call(ExportService.export, ExportRequest(str(target), "openai_chat"))
    [notice] = answer.notices
    again = load_conversation(target)
    assert any(message.speaker is Speaker.HUMAN for message in again.messages)
    assert notice.title.startswith(f"Wrote out.json: {len(again.messages)} messages, ")
    assert notice.actions == (NoticeAction("Open it", "open", str(target)),)


def test_secrets_are_counted_before_anything_is_written(handler: RecordingHandler) -> None:
    request = ExportRequest("", "openai_chat", "before")
    counted: SecretsCount = handler.call(ExportService.count_secrets, request)
    assert counted.count == 0
    assert (
        counted.unredacted_text == counted.redacted_text == "No secrets found (keys, tokens, mail addresses)."
    )


def test_an_existing_file_is_asked_about_first(handler: RecordingHandler, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    request = ExportRequest(str(target), "openai_chat", side="before")
    assert handler.call(ExportService.export, request) == ExportAnswer()
    assert target.read_text() == "mine"
    assert handler.call(ExportService.export, replace(request, overwrite=True)).notices


@pytest.mark.parametrize(
    "call",
    [
        call_of(InspectorService.body, "before", 0),
        call_of(InspectorService.explain_cut, "top"),
        call_of(PreviewService.compact, CompactionRequest()),
        call_of(ExportService.export, ExportRequest("x", "markdown")),
    ],
)
def test_without_a_file_calls_say_so(call: Call) -> None:
    handler = RecordingHandler()
    run_call(handler._handler, call, handler.events.append)
    (event,) = handler.events
    assert isinstance(event, Notice)
    assert event.title == "No transcript is open."


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[], Path]:
    def write() -> Path:
        path = tmp_path / "long.jsonl"
        first = {"type": "user", "uuid": "u0", "parentUuid": None, "sessionId": "s"}
        with path.open("w") as file:
            for number in range(2000):
                record = first | {"uuid": f"u{number}", "message": {"role": "user", "content": f"{number}"}}
                file.write(json.dumps(record) + "\n")
        return path

    return write


def test_cancel_ends_reading_and_forgets_the_file(lines: Callable[[], Path]) -> None:
    handler = RecordingHandler()
    handler.reason = "cancel"
    handler(OpenService.open, OpenRequest(str(lines())))
    assert not any(isinstance(event, Screen) for event in handler.events)


def test_stop_reading_shows_what_was_read(lines: Callable[[], Path]) -> None:
    handler = RecordingHandler()
    handler.reason = "stop-reading"
    found = handler.screen(OpenService.open, OpenRequest(str(lines())))
    assert len(found.before) < 2000
    assert any(isinstance(event, Notice) and event.topic == "import" for event in handler.events)
    assert all(
        0 <= event.fraction <= 1 for event in handler.events if isinstance(event, ReadingProgressEvent)
    )


def test_an_earlier_run_can_be_shown_again(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((BOTTOM, 0.3),))
    handler(PreviewService.compact, CompactionRequest())
    first = handler.screen(PreviewService.change, ((BOTTOM, 0.1),))
    assert first.run == ""
    second = handler.screen(PreviewService.compact, CompactionRequest())
    assert (second.run, len(second.run_choices)) == ("2", 2)
    again = handler.screen(PreviewService.restore_run, "1")
    assert (again.run, len(again.run_choices)) == ("1", 2)
    assert "run 1" in again.after_heading
    assert handler.screen(PreviewService.undo).run == "2"


@pytest.mark.req("LH-71")
def test_a_message_is_put_back_and_undo_takes_it_away_again(handler: RecordingHandler) -> None:
    before = handler.screen(PreviewService.compact, CompactionRequest())
    gone = next(index for index, fate in enumerate(before.fates) if fate == FATES.index("summarised"))
    back = handler.screen(PreviewService.restore_message, gone)
    assert back.fates[gone] == FATES.index("kept")
    assert back.can_undo
    assert handler.screen(PreviewService.restore_message, gone, back=False).fates[gone] == FATES.index(
        "summarised"
    )
    assert handler.screen(PreviewService.undo).fates[gone] == FATES.index("kept")
    assert handler.screen(PreviewService.undo).fates[gone] == FATES.index("summarised")


@pytest.mark.req("REQ-CS-003.3")
def test_a_strategy_that_needs_a_limit_asks_for_it_wherever_it_was_chosen(tmp_path: Path) -> None:
    path = tmp_path / "of no model.json"
    path.write_text(json.dumps([{"role": "user", "content": f"words {n}"} for n in range(8)]))
    asked = []
    for by_line in (False, True):
        handler = RecordingHandler()
        handler(OpenService.open, OpenRequest(str(path)))
        if by_line:
            handler(SettingsService.run_line, "/set compression.strategy tiered")
        else:
            handler(PreviewService.change, ((STRATEGY, "tiered"),))
        asked.append(handler.notices)
    assert asked[0] == asked[1]
    assert [one.topic for one in asked[0]] == ["limit"]
