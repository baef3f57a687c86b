"""Pins: saved by content in the state folder, applied in previews or reported as without effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.app.events import OpenRequest
from core.app.services.preview import OpenService, PreviewService
from core.common.paths import state_dir
from core.presentation.model import FATES, Screen
from core.presentation.row_filter import UserMarks
from core.strategies.pinned import strategy as pinned
from tests.core.app.recording_session import LIMIT, STRATEGY, RecordingHandler
from tests.core.cli.running_cli import CHAT, Cli

PINNED = (STRATEGY, pinned.NAME), (LIMIT, 4000)


def is_kept(screen: Screen, index: int) -> bool:
    return screen.fates[index] == FATES.index("kept")


def test_a_pin_is_told_obeyed_and_taken_off_again(handler: RecordingHandler) -> None:
    assert not is_kept(handler.screen(PreviewService.change, PINNED), 2)
    assert is_kept(handler.pin(2, "keep"), 2)
    assert handler.marks() == UserMarks(keep=(2,))
    assert not is_kept(handler.pin(2, "keep"), 2)
    assert handler.marks() == UserMarks()


def test_one_kind_takes_the_place_of_the_other_and_a_note_stays_beside_it(handler: RecordingHandler) -> None:
    handler(PreviewService.change, PINNED)
    handler.pin(2, "keep")
    handler.pin(2, "note", "the only list")
    assert handler.marks() == UserMarks(keep=(2,), notes=((2, "the only list"),))
    screen = handler.pin(2, "drop")
    assert handler.marks() == UserMarks(drop=(2,), notes=((2, "the only list"),))
    assert screen.fates[2] == screen.fates[1] == FATES.index("dropped")
    handler.pin(2, "drop")
    assert handler.marks() == UserMarks(notes=((2, "the only list"),))
    handler.pin(2, "note")
    assert handler.marks() == UserMarks()


def test_pins_are_found_again_and_nothing_lies_beside_the_transcript(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(PreviewService.change, PINNED)
    handler.pin(2, "drop")
    handler.pin(3, "note", "ask again")
    other = RecordingHandler()
    other(OpenService.open, OpenRequest(str(transcript)))
    assert other.marks() == UserMarks(drop=(2,), notes=((3, "ask again"),))
    assert [path.name for path in transcript.parent.iterdir()] == [transcript.name]
    [file] = [path for path in state_dir().rglob("*.json") if "pins" in path.read_text("utf-8")]
    text = file.read_text("utf-8")
    assert "ask again" in text
    assert "Question" not in text
    assert set(json.loads(text)) == {"pins"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_the_command_line_takes_pins_for_one_run(run: Cli) -> None:
    tight = ("compact", CHAT, "-s", pinned.NAME, "--set", "context-limit=600")
    plain = run.json(*tight)
    changed = [one["index"] for one in plain["fates"] if one["fate"] not in ("kept", "dropped")]
    first = changed[0]
    result = run.json(*tight, "--pin", str(first + 1))
    assert result["fates"][first]["fate"] == "kept"
    assert result["fates"][first]["reason"] == "A pin keeps it whole."
    gone = run.json(*tight, "--drop-pin", str(first + 1))
    assert gone["fates"][first]["fate"] == "dropped"
