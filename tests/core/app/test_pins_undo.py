"""Lists and pins in the worker: filter, marks, copies, names of runs, Undo, all constraints at
once."""

import json
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.pins import MARKS, load_section, save_section
from core.app.services.lists import JSON, MessageListService
from core.app.services.preview import OpenService, PreviewService
from core.common.errors import Cancelled, InputError
from core.export.export import export_history
from core.formats.writing.exporter import ExportInput
from core.presentation.filter_query import UserMarks
from core.presentation.model import FATES
from core.presentation.screen_model import Screen
from core.strategies.names import EXCERPT
from core.transcript.scopes import history_of_scope
from tests.core.app.recording_workspace import (
    BOTTOM,
    LIMIT,
    STRATEGY,
    RecordingHandler,
    last_event,
)
from tests.support.builders import ai, conversation, human, talk

RULES = (
    human("Build the importer. Never push to main."),
    *(
        one
        for n in range(12)
        for one in (ai(f"Step {n}: " + "words " * 40), human(f"next {n}"))
    ),
    human("Always keep the flag `legacy_mode`."),
    ai("I will."),
)
FIRST, SECOND = 0, len(RULES) - 2


@pytest.fixture
def rules(tmp_path: Path) -> RecordingHandler:
    path = tmp_path / "rules.json"
    talk = conversation(*RULES)
    path.write_bytes(
        export_history(
            ExportInput(conversation=talk, history=history_of_scope(talk, "all")),
            "openai",
        ).data
    )
    rules = RecordingHandler(path)
    rules(PreviewService.change, ((STRATEGY, EXCERPT), (LIMIT, 1000)))
    return rules


def kept_pins(rules: RecordingHandler) -> tuple[int, ...]:
    return rules.marks().keep


def pin_messages(rules: RecordingHandler) -> str:
    rules.call(MessageListService.pin_messages)
    return next(one.title for one in rules.notices if one.topic == "pin")


def test_undo_takes_back_pins_and_settings_in_their_order(
    rules: RecordingHandler, tmp_path: Path
) -> None:
    rules.pin(4, "keep")
    rules(PreviewService.change, ((LIMIT, 900),))
    rules.pin(6, "keep")
    assert kept_pins(rules) == (4, 6)
    rules(PreviewService.undo)
    assert (rules.setting(LIMIT), kept_pins(rules)) == ("900", (4,))
    rules(PreviewService.undo)
    assert rules.setting(LIMIT) == "1,000"
    rules(PreviewService.undo)
    assert kept_pins(rules) == ()
    assert RecordingHandler(tmp_path / "rules.json").marks() == UserMarks()


def test_a_pin_over_a_reload_does_not_show_the_older_file(
    rules: RecordingHandler, tmp_path: Path
) -> None:
    """The rest of the step is refused; the pin, which was saved, is in the preview of the file as
    it is."""
    steps = rules.steps(MessageListService.set_pin, "before", 4, "keep")
    next(steps)
    path = tmp_path / "rules.json"
    body = json.loads(path.read_text())
    body["messages"].append({"role": "user", "content": "One more."})
    path.write_text(json.dumps(body))
    rules(OpenService.reload)
    with pytest.raises(Cancelled):
        next(steps)
    assert len(rules.preview.messages) == len(body["messages"])
    assert kept_pins(rules) == (4,)


def test_a_pin_that_changes_the_result_takes_the_name_of_the_run_from_it(
    rules: RecordingHandler,
) -> None:
    run = rules.screen(PreviewService.compact, CompactionRequest())
    assert "run 1" in run.result.heading
    changed = rules.pin(6, "keep")
    assert len(changed.result.rows) != len(run.result.rows)
    assert "run 1" not in changed.result.heading
    assert "run 1" in rules.screen(PreviewService.undo).result.heading


def test_two_windows_take_no_pins_from_each_other(
    rules: RecordingHandler, tmp_path: Path
) -> None:
    other = RecordingHandler(tmp_path / "rules.json")
    rules.pin(4, "keep")
    other.pin(6, "keep")
    assert kept_pins(other) == (4, 6)
    other(PreviewService.undo)
    assert kept_pins(other) == (4,)
    rules.pin(8, "keep")
    assert kept_pins(rules) == (4, 8)


def test_all_messages_of_the_person_are_pinned_at_once_and_taken_back_at_once(
    rules: RecordingHandler,
) -> None:
    rules.pin(FIRST, "note", "mind")
    assert pin_messages(rules) == "Pinned 14 messages of yours."
    assert {FIRST, SECOND} < set(kept_pins(rules))
    assert rules.marks().notes == ((FIRST, "mind"),)
    assert pin_messages(rules) == "Nothing to pin."
    rules(PreviewService.undo)
    assert kept_pins(rules) == ()


FOUND = {
    "pin:keep": [4],
    "pin:drop": [6],
    "pin:any": [4, 6],
    "-pin:any #1-8": [0, 1, 2, 3, 5, 7],
    "note:any": [4, 8],
    "note:again": [8],
    'note:"ask again"': [8],
    "pin:keep note:any": [4],
}


def test_the_filter_finds_pins_and_notes(rules: RecordingHandler) -> None:
    for at, kind, note in (
        (4, "keep", ""),
        (6, "drop", ""),
        (4, "note", "mind"),
        (8, "note", "Ask again"),
    ):
        rules.pin(at, kind, note)
    found = {
        query: rules.call(MessageListService.filter, query).before for query in FOUND
    }
    assert {
        query: [at for at, shown in enumerate(mask) if shown]
        for query, mask in found.items()
    } == FOUND


TALK = talk(12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"marks": [[1]]}',
        '{"marks": {"a": 1}}',
        "\0",
        '{"marks": [["1", 2, 3]]}',
    ],
)
def test_a_spoilt_file_holds_nothing(tmp_path: Path, text: str) -> None:
    save_section(MARKS, TALK, {1: ""}, tmp_path)
    [file] = tmp_path.iterdir()
    file.write_text(text)
    assert load_section(MARKS, TALK, tmp_path) == {}


def test_they_follow_their_message(tmp_path: Path) -> None:
    save_section(MARKS, TALK, {7: ""}, tmp_path)
    grown = (*TALK[:4], human("put in between"), *TALK[4:], human("and more"))
    assert load_section(MARKS, grown, tmp_path) == {8: ""}
    assert load_section(MARKS, TALK[:6], tmp_path) == {}  # it is not there any more


def test_of_equal_messages_the_nearest_is_meant(tmp_path: Path) -> None:
    talked = (*TALK, human("go on"), *talk(5, "more "), human("go on"))
    save_section(MARKS, talked, {18: ""}, tmp_path)
    assert load_section(MARKS, talked, tmp_path) == {18: ""}
    assert load_section(MARKS, (*talked[:6], *talked[7:]), tmp_path) == {17: ""}


def test_a_result_is_shown_where_its_source_matches(handler: RecordingHandler) -> None:
    screen = handler.screen(
        PreviewService.change,
        (("compression.strategy", "high-density"), ("compression.context-limit", 2000)),
    )
    edited = next(
        place
        for place, fate in enumerate(screen.source.fates)
        if fate == FATES.index("edited")
    )
    found = handler.call(MessageListService.filter, f"#{edited + 1} tokens>50")
    assert found.before.count(1) == 1
    [there] = [place for place, one in enumerate(found.after) if one]
    assert screen.result.origin[there] == edited
    assert screen.result.rows.tokens[there] < 50


def test_a_message_is_copied_as_the_file_has_it(handler: RecordingHandler) -> None:
    copied = handler.call(MessageListService.copy, "before", 0, JSON)
    assert json.loads(copied.text) == {
        "role": "user",
        "content": "Question 0 about the upload test",
    }
    assert copied.description == "#1 is in the clipboard as JSON."


def test_a_run_is_kept_under_a_name_which_undo_leaves(
    handler: RecordingHandler,
) -> None:
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.change, ((BOTTOM, 0.1),))
    handler.call(MessageListService.name_run, "1", " before the tests ")
    assert last_event(handler, Screen).history.choices[0].label == "before the tests"
    assert (
        handler.screen(PreviewService.undo).history.choices[0].label
        == "before the tests"
    )
    with pytest.raises(InputError, match="A run needs a name to be kept under"):
        handler.call(MessageListService.name_run, "1", " ")


def test_two_windows_take_no_marks_from_each_other(
    handler: RecordingHandler, transcript: Path
) -> None:
    other, before = RecordingHandler(transcript), transcript.read_bytes()
    handler.call(MessageListService.toggle_mark, "before", 4)
    assert other.call(MessageListService.toggle_mark, "before", 6) == UserMarks((4, 6))
    assert handler.call(MessageListService.toggle_mark, "before", 4) == UserMarks((6,))
    assert (list(transcript.parent.iterdir()), transcript.read_bytes()) == (
        [transcript],
        before,
    )
