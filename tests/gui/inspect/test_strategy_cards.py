"""The lists of the strategy popup: their heads stand over the words of the cards."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.losses.evidence import MustStatus
from core.presentation.compare.model import StatusMark, StrategyCard, TableCell
from gui.inspect.strategy_popup import CARD_PAD, CardList, card_widths
from gui.widgets.theme import body_font, scaled_pixels

MARKS = (StatusMark(MustStatus.WORD_FOR_WORD), StatusMark(MustStatus.GONE))
CARD = StrategyCard(
    name="excerpt",
    about="Keeps.",
    program="",
    calls="no model",
    tokens=9,
    reduction=0.4,
)
LABELS = ("must keep", "backtest")


def shown(qtbot: QtBot, marks: tuple[StatusMark, ...] = MARKS) -> CardList:
    found = CardList("General")
    qtbot.addWidget(found)
    card = replace(CARD, musts=TableCell("✓ 1 ✕ 1", marks=marks))
    widths = card_widths([card], LABELS, found.font())
    found.set_cards([card], "", LABELS, widths, is_waiting=False)
    found.resize(530, 400)
    found.show()
    return found


@pytest.mark.parametrize("zoom", [1.0, 1.25, 1.5])
def test_a_heading_begins_where_the_names_do(qtbot: QtBot, zoom: float) -> None:
    cards = shown(qtbot)
    cards.setFont(body_font(zoom))
    for _ in range(3):
        QApplication.processEvents()
    row = cards.view.visualRect(cards.model.index(0, 0))
    name = row.left() + 1 + scaled_pixels(CARD_PAD, cards.font())
    left = cards.view.viewport().mapTo(cards, QPoint(name, 0)).x()
    assert cards.heading.x() == left


def test_lists_begin_at_one_height_whatever_their_headings_say(qtbot: QtBot) -> None:
    ours, others = shown(qtbot), shown(qtbot)
    others.heading.show_text("As an agent does it")
    others.note.show_text("as of 2026-11-26")
    QApplication.processEvents()
    assert ours.view.y() == others.view.y()


def test_glyphs_are_numbered_and_counts_are_not(qtbot: QtBot) -> None:
    assert shown(qtbot).must_head.count == 2
    counts = (StatusMark(MustStatus.WORD_FOR_WORD, "11"),)
    assert shown(qtbot, counts).must_head.count == 0
