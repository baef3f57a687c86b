"""The lists in the worker: filter, marks, copies, names of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services.lists import JSON, MessageListService
from core.app.services.preview import PreviewService
from core.common.errors import InputError
from core.presentation.model import FATES, Screen
from core.presentation.row_filter import UserMarks
from tests.core.app.recording_session import BOTTOM, RecordingHandler, last_event


def test_both_sides_are_linked(handler: RecordingHandler) -> None:
    """A result message is shown if its source message matches, even if it does not match itself."""
    screen = handler.screen(
        PreviewService.change, (("compression.strategy", "high-density"), ("context-limit", 2000))
    )
    edited = next(place for place, fate in enumerate(screen.fates) if fate == FATES.index("edited"))
    found = handler.call(MessageListService.filter, f"#{edited + 1} tokens>50")
    assert found.before.count(1) == 1
    [there] = [place for place, one in enumerate(found.after) if one]
    assert screen.origin[there] == edited
    assert screen.after.tokens[there] < 50


def test_a_message_is_copied_as_the_file_has_it(handler: RecordingHandler) -> None:
    copied = handler.call(MessageListService.copy, "before", 0, JSON)
    assert json.loads(copied.text) == {"role": "user", "content": "Question 0 about the upload test"}
    assert copied.description == "#1 is in the clipboard as JSON."


def test_a_run_is_kept_under_a_name_which_undo_leaves(handler: RecordingHandler) -> None:
    handler(PreviewService.compact, CompactionRequest())
    handler(PreviewService.change, ((BOTTOM, 0.1),))
    handler.call(MessageListService.name_run, "1", " before the tests ")
    assert last_event(handler, Screen).run_choices[0].label == "before the tests"
    assert handler.screen(PreviewService.undo).run_choices[0].label == "before the tests"
    with pytest.raises(InputError, match="A run needs a name to be kept under"):
        handler.call(MessageListService.name_run, "1", " ")


def test_two_windows_take_no_marks_from_each_other(handler: RecordingHandler, transcript: Path) -> None:
    other, before = RecordingHandler(transcript), transcript.read_bytes()
    handler.call(MessageListService.toggle_mark, "before", 4)
    assert other.call(MessageListService.toggle_mark, "before", 6) == UserMarks((4, 6))
    assert handler.call(MessageListService.toggle_mark, "before", 4) == UserMarks((6,))
    assert (list(transcript.parent.iterdir()), transcript.read_bytes()) == ([transcript], before)
