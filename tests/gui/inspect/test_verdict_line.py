"""The line of the verdict: cells of fixed width, whole phrases, what a click asks for."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.verdict_model import NO_VERDICT, VerdictCell
from gui.inspect.verdict_line import VerdictLine
from gui.widgets.theme import body_font
from tests.gui.session_screen import session_screen

LEFT = Qt.MouseButton.LeftButton
LONG = VerdictCell(
    (
        (("Over the limit by 4,310 · would be refused", "error"),),
        (("254,720 → ", ""), ("≤229,949", "strong")),
    ),
    ((("Over by 4k", "error"),),),
    "error",
    "error",
    ("Counted with o200k_base.",),
    2,
)


@pytest.fixture
def line(qtbot: QtBot) -> VerdictLine:
    line = VerdictLine()
    qtbot.addWidget(line)
    line.setFont(body_font())
    line.resize(1440, 30)
    line.show()
    return line


def words(phrases: tuple[tuple[tuple[str, str], ...], ...]) -> list[str]:
    return ["".join(text for text, _ in phrase) for phrase in phrases]


@pytest.mark.parametrize("zoom", [1.0, 1.3, 2.0])
@pytest.mark.parametrize("width", [720, 1024, 1180, 1280, 1440, 3840])
def test_no_state_moves_a_cell(line: VerdictLine, width: int, zoom: float) -> None:
    line.setFont(body_font(zoom))
    line.resize(width, line.height())
    places = []
    for verdict in (NO_VERDICT, session_screen().verdict, session_screen("high-density").verdict):
        line.show_verdict(verdict)
        line.losses_cell.show_cell(LONG)
        assert not line.grab().isNull()  # an error while it paints ends the program
        places.append([cell.geometry() for cell in line.cells])
    assert places[0] == places[1] == places[2]
    assert all(one.right() + 1 == other.left() for one, other in pairwise(places[0]))
    assert places[0][-1].right() + 1 == line.width()


@pytest.mark.parametrize("width", range(200, 1200, 40))
def test_words_go_from_the_end_and_never_in_halves(line: VerdictLine, width: int) -> None:
    cell = line.size_cell
    cell.resize(width, 29)
    cell.show_cell(LONG)
    whole = " ".join(words(LONG.phrases) + words(LONG.short)).split()
    shown = " ".join(words(cell.shown_phrases())).replace("…", "").split()
    assert all(word in whole for word in shown)
    assert (
        cell.accessibleName()
        == "Size: Over the limit by 4,310 · would be refused · 254,720 → ≤229,949"
    )
    assert "Counted with o200k_base." in cell.toolTip()


def test_a_later_phrase_loses_whole_parts(line: VerdictLine) -> None:
    sizes = (("272k → ", ""), ("194k", "strong"), (" of 200k", ""))
    line.size_cell.show_cell(
        VerdictCell(((("Fits", "ok"),), sizes, (("above its aim by 2k", "quiet"),)))
    )
    shown = set()
    for width in range(60, 500):
        line.size_cell.resize(width, 29)
        shown |= set(words(line.size_cell.shown_phrases()[1:]))
    assert shown == {"272k → 194k of 200k", "272k → 194k", "above its aim by 2k"}


def test_the_reason_of_a_no_op_loses_its_last_words_only(line: VerdictLine) -> None:
    reason = "3 messages in the Middle"
    title, short = ((("Nothing to compact:", "strong"),)), ((("Nothing to compact", "strong"),))
    line.messages_cell.show_cell(VerdictCell((title, ((reason, ""),)), (short,)))
    shown, alone = set(), set()
    for width in range(200, 500):
        line.messages_cell.resize(width, 29)
        phrases = line.messages_cell.shown_phrases()
        shown |= set(words(phrases[1:]))
        alone |= set(words(phrases)) if len(phrases) == 1 else set()
    assert alone == {"Nothing to compact"}
    assert shown == {"3 messages…", "3 messages in…", "3 messages in the…", reason}


def test_the_cells_ask_for_what_they_are_about(line: VerdictLine, qtbot: QtBot) -> None:
    with qtbot.waitSignal(line.changes_requested):
        QTest.mouseClick(line.messages_cell, LEFT)
    with qtbot.waitSignal(line.losses_requested):
        QTest.keyClick(line.losses_cell, Qt.Key.Key_Space)


def test_losses_of_the_former_result_are_faded_until_those_of_the_new_one_are_known(
    line: VerdictLine,
) -> None:
    verdict = session_screen().verdict
    line.show_verdict(verdict)
    assert words(line.losses_cell.cell.phrases) == ["counting…"]
    line.show_losses(LONG)
    line.show_verdict(replace(verdict, losses=verdict.losses), is_first=False)
    assert [cell.is_faded for cell in line.cells] == [False, False, True, False]
    line.show_losses(LONG)
    assert [cell.is_faded for cell in line.cells] == [False] * 4
    line.set_busy(True)
    assert [cell.is_faded for cell in line.cells] == [True] * 4


def test_no_number_of_a_former_file_survives(line: VerdictLine) -> None:
    line.show_verdict(session_screen().verdict)
    line.show_losses(LONG)
    line.clear()
    QApplication.processEvents()
    assert [cell.cell.text for cell in line.cells] == ["counting…", "", "", ""]
    assert not line.size_cell.gauge.now
