"""Pins in the worker: notices, Undo, all constraints at once, the filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.messages import (
    ChangeSettingsCommand,
    LoadFidelityCommand,
    OpenFileCommand,
    RestoreRunCommand,
    RunCompactionCommand,
    UndoCommand,
)
from core.app.services.list_commands import FilterRowsCommand, PinConstraintsCommand, SetPinCommand
from core.export.export import export_history
from core.formats.writing.base import ExportInput
from core.presentation.fidelity.model import FidelityPage
from core.presentation.filter.query import PinsChangedEvent
from core.presentation.lists.model import RowsFilteredEvent
from core.presentation.model import FATES, Notice, NoticeAction, Screen
from core.strategies import middle_out
from core.strategies.pinned import strategy as pinned
from core.transcript.scopes import history_of_scope
from tests.builders import ai, conversation, human
from tests.core.app.test_desk import LIMIT, STRATEGY, Bench

RULES = (
    human("Build the importer. Never push to main."),
    *(one for n in range(12) for one in (ai(f"Step {n}: " + "words " * 40), human(f"next {n}"))),
    human("Always keep the flag `legacy_mode`."),
    ai("I will."),
)
FIRST, SECOND = 0, len(RULES) - 2


@pytest.fixture
def desk(tmp_path: Path) -> Bench:
    path = tmp_path / "rules.json"
    talk = conversation(*RULES)
    path.write_bytes(export_history(ExportInput(talk, history_of_scope(talk, "all")), "openai").data)
    bench = Bench()
    bench(OpenFileCommand(str(path)))
    bench(ChangeSettingsCommand(((STRATEGY, pinned.NAME), (LIMIT, 1000))))
    return bench


def keeps(desk: Bench) -> tuple[int, ...]:
    return [event for event in desk.events if isinstance(event, PinsChangedEvent)][-1].keep


def limit(desk: Bench) -> str:
    return [event for event in desk.events if isinstance(event, Screen)][-1].settings[LIMIT]


def said(desk: Bench, command: SetPinCommand | PinConstraintsCommand) -> Notice:
    return next(one for one in desk.screen(command).notices if one.topic == "pin")


def test_a_pin_says_what_it_did_and_offers_the_way_back(desk: Bench) -> None:
    notice = said(desk, SetPinCommand("before", 4, "keep"))
    assert (notice.what, notice.actions) == ("Pinned #5.", (NoticeAction("Undo", "undo"),))
    assert said(desk, SetPinCommand("before", 4, "drop")).what == "Pinned #5 to be dropped."
    assert said(desk, SetPinCommand("before", 4, "drop")).what == "Unpinned #5."
    assert said(desk, SetPinCommand("before", 4, "note", "why")).what == "Noted #5."
    assert said(desk, SetPinCommand("before", 4, "note")).what == "The note on #5 is gone."


def test_undo_takes_back_pins_and_settings_in_their_order(desk: Bench, tmp_path: Path) -> None:
    desk(SetPinCommand("before", 4, "keep"))
    desk(ChangeSettingsCommand(((LIMIT, 900),)))
    desk(SetPinCommand("before", 6, "keep"))
    assert keeps(desk) == (4, 6)
    desk(UndoCommand())
    assert (limit(desk), keeps(desk)) == ("900", (4,))
    desk(UndoCommand())
    assert limit(desk) == "1,000"
    desk(UndoCommand())
    assert keeps(desk) == ()
    again = Bench()
    again(OpenFileCommand(str(tmp_path / "rules.json")))
    assert not [event for event in again.events if isinstance(event, PinsChangedEvent)]


def test_two_windows_take_no_pins_from_each_other(desk: Bench, tmp_path: Path) -> None:
    other = Bench()
    other(OpenFileCommand(str(tmp_path / "rules.json")))
    desk(SetPinCommand("before", 4, "keep"))
    other(SetPinCommand("before", 6, "keep"))
    assert keeps(other) == (4, 6)
    other(UndoCommand())
    assert keeps(other) == (4,)
    desk(SetPinCommand("before", 8, "keep"))
    assert keeps(desk) == (4, 8)


def test_a_recalled_run_leaves_the_pins_as_they_are(desk: Bench) -> None:
    desk(RunCompactionCommand())
    desk(SetPinCommand("before", 4, "keep"))
    assert desk.screen(RestoreRunCommand("1")).fates[4] == FATES.index("kept")


def test_all_constraints_are_pinned_at_once_and_taken_back_at_once(desk: Bench) -> None:
    desk(SetPinCommand("before", FIRST, "note", "mind"))
    page = desk(LoadFidelityCommand())
    assert isinstance(page, FidelityPage)
    assert [span.text for span in page.pins] == ["Pin all 2 constraints"]
    assert said(desk, PinConstraintsCommand()).what == "Pinned 2 messages for 2 constraints."
    assert keeps(desk) == (FIRST, SECOND)
    assert [event for event in desk.events if isinstance(event, PinsChangedEvent)][-1].notes == (
        (FIRST, "mind"),
    )
    assert said(desk, PinConstraintsCommand()).what == "Nothing to pin: 2 constraints found."
    desk(UndoCommand())
    assert keeps(desk) == ()


def test_a_constraint_that_the_person_drops_stays_dropped(desk: Bench) -> None:
    desk(SetPinCommand("before", SECOND, "drop"))
    page = desk(LoadFidelityCommand())
    assert isinstance(page, FidelityPage)
    assert page.pins[0].text == "Pin the other constraint"
    desk(PinConstraintsCommand())
    assert keeps(desk) == (FIRST,)


def test_the_tab_says_where_pins_have_no_effect(desk: Bench) -> None:
    desk(ChangeSettingsCommand(((STRATEGY, middle_out.NAME),)))
    page = desk(LoadFidelityCommand())
    assert isinstance(page, FidelityPage)
    assert "".join(span.text for span in page.pins) == (
        "Pin all 2 constraints · no effect, use pinned-hybrid"
    )
    assert page.pins[-1].link == "strategy:pinned-hybrid"


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("pin:keep", [4]),
        ("pin:drop", [6]),
        ("pin:any", [4, 6]),
        ("-pin:any #1-8", [0, 1, 2, 3, 5, 7]),
        ("note:any", [4, 8]),
        ("note:again", [8]),
        ('note:"ask again"', [8]),
        ("pin:keep note:any", [4]),
    ],
)
def test_the_filter_finds_pins_and_notes(desk: Bench, query: str, places: list[int]) -> None:
    for at, kind, note in ((4, "keep", ""), (6, "drop", ""), (4, "note", "mind"), (8, "note", "Ask again")):
        desk(SetPinCommand("before", at, kind, note))
    found = desk(FilterRowsCommand(query))
    assert isinstance(found, RowsFilteredEvent)
    assert [at for at, shown in enumerate(found.before) if shown] == places


@pytest.mark.parametrize(
    ("query", "what", "hint"),
    [
        ("pin:glue", "Character 5: there is no pin glue.", "Values: keep, drop, any."),
        ("note:", "Character 6: note: needs a value.", 'Write as in: note:any or note:"ask again".'),
    ],
)
def test_a_wrong_condition_says_what_may_stand_there(desk: Bench, query: str, what: str, hint: str) -> None:
    found = desk(FilterRowsCommand(query))
    assert isinstance(found, RowsFilteredEvent)
    assert (found.error, found.hint) == (what, hint)
