"""The line of the verdict: cells of fixed width, whole phrases, what a click asks for."""

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.verdict_model import VerdictCell
from gui.inspect.verdict_line import VerdictLine
from gui.widgets.theme import body_font
from tests.gui.session_screen import session_screen

LEFT = Qt.MouseButton.LeftButton
LONG = VerdictCell(
    (
        (("Over the limit by 4,310 · would be refused", "error"),),
        (("254,720 → ", ""), ("≤229,949", "strong")),
    ),
    (((("Over the limit by 4,310", "error"),),),),
    "error",
    "error",
    ("Counted with o200k_base.",),
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


LOSSES = VerdictCell(
    (
        (("1 of 6 musts gone", "error"),),
        (("2 in part", ""),),
        (("9 needed names gone", ""),),
    ),
    (
        ((("1 of 6 musts gone", "error"),), (("and more", "quiet"),)),
        ((("1 of 6 musts gone", "error"),),),
    ),
    "dropped",
    "error",
)


@pytest.mark.parametrize("zoom", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("width", [1024, 1180, 1280, 1440, 3840])
def test_what_a_cell_says_is_whole_and_the_first_unit_stays(
    line: VerdictLine, width: int, zoom: float
) -> None:
    line.setFont(body_font(zoom))
    line.resize(width, line.height())
    for name in ("middle-out", "high-density"):
        line.show_verdict(session_screen(name).verdict)
        line.show_losses(LOSSES)
        assert not line.grab().isNull()  # an error while it paints ends the program
        for cell in line.cells:
            shown = cell.visible_phrases()
            assert shown in cell.cell.forms
            assert cell.width_of(shown) <= cell.width()
        assert line.losses_cell.visible_phrases()[0] == LOSSES.phrases[0]
        places = [cell.geometry() for cell in line.cells]
        assert all(one.right() + 1 == other.left() for one, other in pairwise(places))
        assert places[-1].right() + 1 == line.width()


def test_a_cell_grows_for_its_words_and_keeps_its_width(line: VerdictLine) -> None:
    line.show_verdict(session_screen().verdict)
    narrow = line.losses_cell.width()
    line.show_losses(LOSSES)
    wide = line.losses_cell.width()
    assert wide > narrow
    line.show_losses(VerdictCell(LOSSES.phrases[:1]))
    assert line.losses_cell.width() == wide
    line.show_verdict(session_screen().verdict)
    assert line.losses_cell.width() == narrow


def test_the_trigger_gives_up_its_room_before_the_price(line: VerdictLine) -> None:
    free = VerdictCell(((("free", "strong"),),), ((),))
    verdict = replace(session_screen().verdict, price=free)
    line.show_verdict(verdict)
    line.show_losses(LOSSES)
    line.resize(
        sum(cell.width_of(cell.cell.phrases) for cell in line.cells) - 10, line.height()
    )
    line.show_verdict(verdict)
    assert "trigger" in " ".join(words(line.size_cell.visible_phrases()))
    line.show_losses(LOSSES)
    assert "trigger" not in " ".join(words(line.size_cell.visible_phrases()))
    assert words(line.price_cell.visible_phrases()) == ["free"]


def test_an_old_width_gives_way_before_a_unit_does(line: VerdictLine) -> None:
    line.show_verdict(session_screen().verdict)
    line.show_losses(VerdictCell(LOSSES.phrases[:1]))
    wide = [cell.width_of(cell.cell.phrases) for cell in line.cells[:2]]
    needed = line.losses_cell.width_of(LOSSES.phrases)
    line.resize(sum(wide) + needed - 40, line.height())
    line.show_losses(LOSSES)
    assert line.losses_cell.visible_phrases() == LOSSES.phrases
    assert "trigger" not in " ".join(words(line.size_cell.visible_phrases()))


def test_words_that_fit_after_all_come_back(line: VerdictLine) -> None:
    verdict = replace(
        session_screen().verdict, price=VerdictCell(((("free", "strong"),),), ((),))
    )
    line.resize(1000, line.height())  # where letters are smaller
    line.show_verdict(verdict)
    line.show_losses(LOSSES)
    sizes, messages, losses, price = (cell.cell.forms for cell in line.cells)
    shown = sizes[1], messages[-1], losses[0], price[0]
    pixels = [cell.width_of(form) for cell, form in zip(line.cells, shown, strict=True)]
    line.resize(sum(pixels), line.height())
    longer = (*LOSSES.phrases[:2], (("9 needed names are gone", ""),))
    line.show_losses(VerdictCell(longer, LOSSES.shorter, LOSSES.glyph))
    line.show_losses(LOSSES)
    assert words(line.price_cell.visible_phrases()) == ["free"]


def test_the_whole_text_is_said_where_less_is_shown(line: VerdictLine) -> None:
    cell = line.size_cell
    cell.resize(260, 29)
    cell.show_cell(LONG)
    assert cell.visible_phrases() == LONG.shorter[0]
    assert (
        cell.accessibleName()
        == "Size: Over the limit by 4,310 · would be refused · 254,720 → ≤229,949"
    )
    assert "Counted with o200k_base." in cell.toolTip()


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


def test_after_compact_the_price_gives_way_to_the_next_step(
    line: VerdictLine, qtbot: QtBot
) -> None:
    verdict = session_screen().verdict
    line.show_verdict(verdict)
    assert not line.export_button.isVisible()
    line.show_verdict(verdict, is_first=False, is_compacted=True)
    assert line.price_cell.cell.text == "Compacted"
    assert line.price_cell.cell.details == ("free",)
    with qtbot.waitSignal(line.export_requested):
        line.export_button.click()
