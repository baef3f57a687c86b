"""Pins in the worker: notices, Undo, all constraints at once, the filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.pins import MARKS, load_section, save_section
from core.app.services.inspector import InspectorService
from core.app.services.lists import MessageListService
from core.app.services.preview import PreviewService
from core.export.export import export_history
from core.formats.writing.base import ExportInput
from core.presentation.row_filter import UserMarks
from core.strategies.pinned import strategy as pinned
from core.transcript.scopes import history_of_scope
from tests.builders import ai, conversation, human, talk
from tests.core.app.recording_session import LIMIT, STRATEGY, RecordingHandler

RULES = (
    human("Build the importer. Never push to main."),
    *(one for n in range(12) for one in (ai(f"Step {n}: " + "words " * 40), human(f"next {n}"))),
    human("Always keep the flag `legacy_mode`."),
    ai("I will."),
)
FIRST, SECOND = 0, len(RULES) - 2


@pytest.fixture
def handler(tmp_path: Path) -> RecordingHandler:
    path = tmp_path / "rules.json"
    talk = conversation(*RULES)
    path.write_bytes(export_history(ExportInput(talk, history_of_scope(talk, "all")), "openai").data)
    handler = RecordingHandler(path)
    handler(PreviewService.change, ((STRATEGY, pinned.NAME), (LIMIT, 1000)))
    return handler


def kept_pins(handler: RecordingHandler) -> tuple[int, ...]:
    return handler.marks().keep


def pin_constraints(handler: RecordingHandler) -> str:
    """Pin all constraints; return the title of the notice."""
    handler.call(MessageListService.pin_constraints)
    return next(one.title for one in handler.notices if one.topic == "pin")


def test_undo_takes_back_pins_and_settings_in_their_order(handler: RecordingHandler, tmp_path: Path) -> None:
    handler.pin(4, "keep")
    handler(PreviewService.change, ((LIMIT, 900),))
    handler.pin(6, "keep")
    assert kept_pins(handler) == (4, 6)
    handler(PreviewService.undo)
    assert (handler.setting(LIMIT), kept_pins(handler)) == ("900", (4,))
    handler(PreviewService.undo)
    assert handler.setting(LIMIT) == "1,000"
    handler(PreviewService.undo)
    assert kept_pins(handler) == ()
    assert RecordingHandler(tmp_path / "rules.json").marks() == UserMarks()


def test_two_windows_take_no_pins_from_each_other(handler: RecordingHandler, tmp_path: Path) -> None:
    other = RecordingHandler(tmp_path / "rules.json")
    handler.pin(4, "keep")
    other.pin(6, "keep")
    assert kept_pins(other) == (4, 6)
    other(PreviewService.undo)
    assert kept_pins(other) == (4,)
    handler.pin(8, "keep")
    assert kept_pins(handler) == (4, 8)


def test_all_constraints_are_pinned_at_once_and_taken_back_at_once(handler: RecordingHandler) -> None:
    handler.pin(FIRST, "note", "mind")
    assert [span.text for span in handler.call(InspectorService.fidelity).pins] == ["Pin all 2 rules"]
    assert pin_constraints(handler) == "Pinned 2 messages for 2 constraints."
    assert kept_pins(handler) == (FIRST, SECOND)
    assert handler.marks().notes == ((FIRST, "mind"),)
    assert pin_constraints(handler) == "Nothing to pin: 2 constraints found."
    handler(PreviewService.undo)
    assert kept_pins(handler) == ()


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


def test_the_filter_finds_pins_and_notes(handler: RecordingHandler) -> None:
    for at, kind, note in ((4, "keep", ""), (6, "drop", ""), (4, "note", "mind"), (8, "note", "Ask again")):
        handler.pin(at, kind, note)
    found = {query: handler.call(MessageListService.filter, query).before for query in FOUND}
    assert {query: [at for at, shown in enumerate(mask) if shown] for query, mask in found.items()} == FOUND


TALK = talk(12)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"marks": [[1]]}', '{"marks": {"a": 1}}', "\0", '{"marks": [["1", 2, 3]]}']
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
