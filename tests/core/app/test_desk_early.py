"""The worker at its start: a waiting file is read before other modules are loaded."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.messages import Event, OpenFileCommand, ReadingProgressEvent, WorkingEvent
from core.app.samples import bundled_samples
from core.app.services.dispatcher import CommandHandler
from core.app.services.early_opening import EarlyCommandHandler
from core.app.services.settings_commands import LoadSettingsCommand
from core.common.errors import InputError
from core.presentation.model import RowsReadEvent, Screen
from core.presentation.settings.model import SettingsPage

SAMPLE = str(bundled_samples()[0].path)
FRESH = """
import sys
import core.app.reopening
from core.app.messages import OpenFileCommand
from core.app.services.early_opening import EarlyCommandHandler
from core.presentation.model import RowsReadEvent, Screen

waits, core.app.reopening.LARGE = sys.argv[2] == "waits", int(sys.argv[3])

def emit(event):
    if isinstance(event, (RowsReadEvent, Screen)):
        print(type(event).__name__, "core.preview" in sys.modules)

desk = EarlyCommandHandler(emit, lambda: "cancel" if waits else "", None)
waits = False
desk.handle(OpenFileCommand(sys.argv[1]))
"""


def fresh(file: str, large: int) -> list[str]:
    """Return what a new process prints that makes a handler and opens a file, which "waits" meanwhile or
    "rests"; files of so many bytes are ``large``."""
    command = [sys.executable, "-c", FRESH, SAMPLE, file, str(large)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def told(events: list[Event]) -> list[Event]:
    """Return the events without progress, which depends on time."""
    return [
        event
        for event in events
        if not isinstance(event, (ReadingProgressEvent, RowsReadEvent, WorkingEvent))
    ]


def test_rows_of_a_large_file_have_their_tokens_before_what_previews_need_is_loaded() -> None:
    *rows, screen = fresh("waits", large=1)
    assert set(rows) == {"RowsReadEvent False"}
    assert screen == "Screen True"


def test_where_nothing_waits_all_is_loaded_before_it_is_asked_for() -> None:
    assert set(fresh("rests", large=1)) == {"RowsReadEvent True", "Screen True"}


def test_a_small_file_is_counted_when_all_is_loaded() -> None:
    shown = set(fresh("waits", large=1 << 40))  # what reading shows may come before all is loaded
    assert (
        {"RowsReadEvent True", "Screen True"}
        <= shown
        <= {"RowsReadEvent False", "RowsReadEvent True", "Screen True"}
    )


def test_it_says_what_the_desk_says() -> None:
    early, usual = list[Event](), list[Event]()
    EarlyCommandHandler(early.append, lambda: "", None).handle(OpenFileCommand(SAMPLE))
    CommandHandler(usual.append, lambda: "").handle(OpenFileCommand(SAMPLE))
    *before, screen = told(early)
    *same, expected = told(usual)
    assert before == same
    assert isinstance(screen, Screen)
    assert isinstance(expected, Screen)
    assert replace(screen, asked=expected.asked) == expected  # which is each desk's own


def test_rows_of_a_second_file_are_no_part_of_one_that_could_not_be_read(tmp_path: Path) -> None:
    events: list[Event] = []
    waits = "cancel"
    desk = EarlyCommandHandler(events.append, lambda: waits, None)
    waits = ""
    with pytest.raises(InputError, match=r"none\.jsonl"):
        desk.handle(OpenFileCommand(str(tmp_path / "none.jsonl")))
    with pytest.raises(InputError, match="before:99"):
        desk.handle(OpenFileCommand(SAMPLE, scope="before:99"))
    failed = {event.generation for event in events if isinstance(event, RowsReadEvent)}
    desk.handle(OpenFileCommand(SAMPLE))
    found = {event.generation for event in events if isinstance(event, RowsReadEvent)}
    assert found - failed == {3}


def test_other_commands_need_no_file() -> None:
    events: list[Event] = []
    waits = "cancel"
    desk = EarlyCommandHandler(events.append, lambda: waits, None)
    waits = ""
    desk.handle(LoadSettingsCommand())
    assert isinstance(events[-1], SettingsPage)
