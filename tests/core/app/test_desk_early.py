"""The worker's desk at its beginning: a file that waits is read before all else is loaded."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.messages import Event, Open, Reading, Working
from core.app.samples import samples
from core.app.services.dispatcher import Desk
from core.app.services.early_opening import EarlyDesk
from core.app.services.settings_commands import AskSettings
from core.common.errors import InputError
from core.presentation.model import RowsPart, Screen
from core.presentation.settings.model import SettingsPage

SAMPLE = str(samples()[0].path)
FRESH = """
import sys
import core.app.reopening
from core.app.messages import Open
from core.app.services.early_opening import EarlyDesk
from core.presentation.model import RowsPart, Screen

waits, core.app.reopening.LARGE = sys.argv[2] == "waits", int(sys.argv[3])

def emit(event):
    if isinstance(event, (RowsPart, Screen)):
        print(type(event).__name__, "core.preview" in sys.modules)

desk = EarlyDesk(emit, lambda: "cancel" if waits else "", None)
waits = False
desk.handle(Open(sys.argv[1]))
"""


def fresh(file: str, large: int) -> list[str]:
    """What a process of its own prints that makes a desk and opens a file, which "waits" meanwhile or
    "rests"; files of so many bytes are ``large``."""
    command = [sys.executable, "-c", FRESH, SAMPLE, file, str(large)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


def told(events: list[Event]) -> list[Event]:
    """What was said but how far things are, which is said now and then."""
    return [event for event in events if not isinstance(event, (Reading, RowsPart, Working))]


def test_rows_of_a_large_file_have_their_tokens_before_what_previews_need_is_loaded() -> None:
    *rows, screen = fresh("waits", large=1)
    assert set(rows) == {"RowsPart False"}
    assert screen == "Screen True"


def test_where_nothing_waits_all_is_loaded_before_it_is_asked_for() -> None:
    assert set(fresh("rests", large=1)) == {"RowsPart True", "Screen True"}


def test_a_small_file_is_counted_when_all_is_loaded() -> None:
    shown = set(fresh("waits", large=1 << 40))  # what reading shows may come before all is loaded
    assert {"RowsPart True", "Screen True"} <= shown <= {"RowsPart False", "RowsPart True", "Screen True"}


def test_it_says_what_the_desk_says() -> None:
    early, usual = list[Event](), list[Event]()
    EarlyDesk(early.append, lambda: "", None).handle(Open(SAMPLE))
    Desk(usual.append, lambda: "").handle(Open(SAMPLE))
    *before, screen = told(early)
    *same, expected = told(usual)
    assert before == same
    assert isinstance(screen, Screen)
    assert isinstance(expected, Screen)
    assert replace(screen, asked=expected.asked) == expected  # which is each desk's own


def test_rows_of_a_second_file_are_no_part_of_one_that_could_not_be_read(tmp_path: Path) -> None:
    events: list[Event] = []
    waits = "cancel"
    desk = EarlyDesk(events.append, lambda: waits, None)
    waits = ""
    with pytest.raises(InputError, match=r"none\.jsonl"):
        desk.handle(Open(str(tmp_path / "none.jsonl")))
    with pytest.raises(InputError, match="before:99"):
        desk.handle(Open(SAMPLE, scope="before:99"))
    failed = {event.generation for event in events if isinstance(event, RowsPart)}
    desk.handle(Open(SAMPLE))
    found = {event.generation for event in events if isinstance(event, RowsPart)}
    assert found - failed == {3}


def test_other_commands_need_no_file() -> None:
    events: list[Event] = []
    waits = "cancel"
    desk = EarlyDesk(events.append, lambda: waits, None)
    waits = ""
    desk.handle(AskSettings())
    assert isinstance(events[-1], SettingsPage)
