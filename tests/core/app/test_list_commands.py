"""The lists in the worker: filter, marks, copies, runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.app.events import CompactionRequest, OpenRequest
from core.app.services.inspector import InspectorService
from core.app.services.lists import JSON, MessageListService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.side_by_side import SideBySideService
from core.common.errors import InputError
from core.presentation.model import FATES, Screen
from core.presentation.row_filter import FilterMatches, UserMarks
from tests.core.app.recording_session import BOTTOM, RecordingHandler

KEPT = FATES.index("kept")


def filter_rows(handler: RecordingHandler, text: str) -> FilterMatches:
    found = handler.call(MessageListService.filter, text)
    assert isinstance(found, FilterMatches)
    return found


def test_both_sides_are_linked(handler: RecordingHandler) -> None:
    """A result message is shown if its source message matches, even if it does not match itself."""
    screen = handler.screen(
        PreviewService.change, (("compression.strategy", "high-density"), ("context-limit", 2000))
    )
    edited = next(place for place, fate in enumerate(screen.fates) if fate == FATES.index("edited"))
    found = filter_rows(handler, f"#{edited + 1} tokens>50")
    assert found.before.count(1) == 1
    [there] = [place for place, one in enumerate(found.after) if one]
    assert screen.origin[there] == edited
    assert screen.after.tokens[there] < 50


def test_a_mark_comes_and_goes_and_is_remembered(handler: RecordingHandler, transcript: Path) -> None:
    assert handler.call(MessageListService.toggle_mark, "before", 4) == UserMarks((4,))
    assert filter_rows(handler, "marked").before.count(1) == 1
    again = RecordingHandler()
    again(OpenService.open, OpenRequest(str(transcript)))
    assert again.marks() == UserMarks((4,))
    assert again.call(MessageListService.toggle_mark, "before", 4) == UserMarks(())
    again(OpenService.open, OpenRequest(str(transcript)))
    assert again.marks() == UserMarks()


def test_nothing_is_written_beside_the_transcript(handler: RecordingHandler, transcript: Path) -> None:
    before = {path: path.read_bytes() for path in transcript.parent.iterdir()}
    handler.call(MessageListService.toggle_mark, "before", 4)
    assert {path: path.read_bytes() for path in transcript.parent.iterdir()} == before


def test_a_message_is_copied_as_the_file_has_it(handler: RecordingHandler) -> None:
    copied = handler.call(MessageListService.copy, "before", 0, JSON)
    assert json.loads(copied.text) == {"role": "user", "content": "Question 0 about the upload test"}
    assert copied.description == "#1 is in the clipboard as JSON."


def last_screen(handler: RecordingHandler) -> Screen:
    return [event for event in handler.events if isinstance(event, Screen)][-1]


def compare_runs(handler: RecordingHandler, a: str, b: str) -> Screen:
    handler.call(SideBySideService.runs, a, b)
    return last_screen(handler)


def two_runs(handler: RecordingHandler) -> Screen:
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.change, ((BOTTOM, 0.1),))
    return handler.screen(PreviewService.compact, CompactionRequest())


def test_a_run_is_kept_under_a_name_which_undo_leaves(handler: RecordingHandler) -> None:
    two_runs(handler)
    handler.call(MessageListService.name_run, "1", " before the tests ")
    named = last_screen(handler)
    assert named.run_choices[0].label == "before the tests"
    assert handler.screen(PreviewService.undo).run_choices[0].label == "before the tests"
    with pytest.raises(InputError, match="A run needs a name to be kept under"):
        handler.call(MessageListService.name_run, "1", " ")


def test_any_two_runs_stand_side_by_side(handler: RecordingHandler) -> None:
    runs = two_runs(handler).run_choices
    seen = compare_runs(handler, "1", "2")
    assert handler.notices[0].title == f"Before is {runs[0].label}, after is {runs[1].label}."
    assert handler.notices[0].actions[0].action == "preview"
    assert seen.fates.count(KEPT) > 0
    assert len(seen.after) < len(seen.before)
    handler.call(InspectorService.body, "before", 0)
    other = compare_runs(handler, "2", "1")
    assert (len(other.before), len(other.after)) == (len(seen.after), len(seen.before))
    assert len(handler.screen(PreviewService.change).before) == 30


def test_two_windows_take_no_marks_from_each_other(handler: RecordingHandler, transcript: Path) -> None:
    other = RecordingHandler()
    other(OpenService.open, OpenRequest(str(transcript)))
    handler.call(MessageListService.toggle_mark, "before", 4)
    assert other.call(MessageListService.toggle_mark, "before", 6) == UserMarks((4, 6))
    assert handler.call(MessageListService.toggle_mark, "before", 4) == UserMarks((6,))
