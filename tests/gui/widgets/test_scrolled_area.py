"""ScrollContainer scrolls only if it has to: its height, its bar, and layouts that would
alternate."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import TextSpan
from gui.widgets.events import StepScheduler
from gui.widgets.text_labels import SpanText
from gui.widgets.view_layout import ScrollContainer

WORDS = " ".join(f"word{number}" for number in range(120))


@pytest.fixture
def inside() -> QWidget:
    result, text = QWidget(), SpanText()
    text.set_spans((TextSpan(WORDS),))
    QVBoxLayout(result).addWidget(text)
    return result


@pytest.fixture
def scrolled(qtbot: QtBot, inside: QWidget) -> ScrollContainer:
    result = ScrollContainer(inside, role="pane", min_height=60)
    qtbot.addWidget(result)
    result.show()
    return result


def test_it_asks_for_all_that_is_inside_and_keeps_a_little(
    scrolled: ScrollContainer, inside: QWidget
) -> None:
    scrolled.resize(300, 100)
    assert scrolled.sizeHint().height() == inside.heightForWidth(300) > 200
    assert scrolled.minimumSizeHint().height() == 60


def test_the_bar_comes_where_it_is_needed_whatever_it_makes_wrap(
    scrolled: ScrollContainer, inside: QWidget
) -> None:
    """At some widths the text fits only without the bar, and Qt's own layout would alternate
    without end."""
    for width in range(260, 330, 3):
        for less in (0, 1, 30):
            scrolled.setVisible(less > 0 or width % 2 == 0)
            scrolled.resize(width, inside.heightForWidth(width) - less)
            scrolled.show()
            QApplication.processEvents()
            assert scrolled.verticalScrollBar().isVisible() is (less > 0)


@pytest.fixture
def turns(qapp: object) -> Iterator[StepScheduler]:
    parent = QObject()
    yield StepScheduler(parent)
    parent.deleteLater()


def _steps(done: list[str], name: str) -> Iterator[None]:
    for number in range(3):
        done.append(f"{name}{number}")
        yield


def test_the_newest_wins_and_every_step_has_its_turn(
    turns: StepScheduler, qtbot: QtBot
) -> None:
    done: list[str] = []
    turns.start(_steps(done, "a"))
    turns.start(_steps(done, "b"))
    assert (done, turns.is_busy) == ([], True)
    qtbot.waitUntil(lambda: not turns.is_busy)
    assert done == ["b0", "b1", "b2"]


def test_what_is_left_can_be_hurried_or_dropped(turns: StepScheduler) -> None:
    done: list[str] = []
    turns.start(_steps(done, "a"))
    turns.finish()
    turns.start(_steps(done, "b"))
    turns.cancel()
    assert (done, turns.is_busy) == (["a0", "a1", "a2"], False)
