"""The quiz dialog, and the line in the Losses tab that opens it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import AskPage, AskRow
from core.presentation.model import LabelledFigure
from gui.ask import AskDialog
from tests.gui.window_space import expose
from tests.support.narrowing import known

LONG = (
    "should_retry keeps its signature; the billing service overrides it, and so do two others. "
    * 3
)
ROWS = (
    AskRow(
        "recall",
        "What was the last value of “port”?",
        (("expected", "port = 9090", ""),),
    ),
    AskRow("constraint", "What did the person forbid?", (("expected", LONG, ""),)),
)
FACTS = (
    LabelledFigure("Result", "middle-out"),
    LabelledFigure("Price", "2 calls, at most $0.04"),
)
ASK = "Ask haiku 2 questions · at most $0.04"
PAGE = AskPage(
    title="What a model still knows",
    facts=FACTS,
    button_text=ASK,
    reason="",
    rows=ROWS,
    status="",
    total=2,
)
RUNNING = replace(PAGE, is_running=True, done=1, status="1 of 2 asked")
GIVEN = ("given", "port = 9090", "")
DONE = replace(
    PAGE,
    rows=(
        replace(ROWS[0], details=(*ROWS[0].details, GIVEN), verdict="right", tone="ok"),
        replace(ROWS[1], verdict="not answered", tone="muted"),
    ),
    status="1 of 2 answered, $0.02.",
    done=2,
)


@pytest.fixture
def dialog(qtbot: QtBot) -> AskDialog:
    result = expose(qtbot, AskDialog(None))
    result.show_page(PAGE)
    QApplication.processEvents()
    return result


def cells(dialog: AskDialog, row: int) -> tuple[str, str]:
    item = known(dialog.tree.topLevelItem(row))
    return item.text(1), item.text(2)


def below(dialog: AskDialog, row: int) -> list[QTreeWidgetItem]:
    item = known(dialog.tree.topLevelItem(row))
    children = (item.child(at) for at in range(item.childCount()))
    return [child for child in children if child is not None]


def test_price_and_questions_are_there_before_anything_is_asked(
    dialog: AskDialog, qtbot: QtBot
) -> None:
    assert dialog.run_button.text() == ASK
    assert cells(dialog, 0) == ("What was the last value of “port”?", "")
    assert not dialog.cancel_button.isVisible()
    with qtbot.waitSignal(dialog.ask_requested) as signal:
        dialog.run_button.click()
    assert signal.args == [False]


@pytest.mark.req("JUDGE-3")
def test_the_pairs_are_ticked_before_anything_is_asked(
    dialog: AskDialog, qtbot: QtBot
) -> None:
    assert not dialog.option.isVisible()
    dialog.show_page(replace(PAGE, option_text="First test it on 60 shipped pairs"))
    assert dialog.option.isVisible()
    with qtbot.waitSignal(dialog.option_changed) as changed:
        dialog.option.setChecked(True)
    assert changed.args == [True]
    with qtbot.waitSignal(dialog.ask_requested) as asked:
        dialog.run_button.click()
    assert asked.args == [True]


def test_what_cannot_be_asked_says_why(dialog: AskDialog) -> None:
    dialog.show_page(
        replace(
            PAGE,
            reason="The profile offline calls no model that could answer.",
            status="Choose one.",
        )
    )
    assert not dialog.run_button.isEnabled()
    assert (
        dialog.run_button.toolTip()
        == "The profile offline calls no model that could answer."
    )
    assert dialog.status_label.text() == "Choose one."


def test_a_run_shows_how_far_it_is_and_can_be_stopped(
    dialog: AskDialog, qtbot: QtBot
) -> None:
    dialog.show_page(RUNNING)
    assert dialog.status_label.text() == "1 of 2 asked"
    assert not dialog.run_button.isVisible()
    with qtbot.waitSignal(dialog.cancel_wanted):
        dialog.cancel_button.click()
    with qtbot.waitSignal(dialog.cancel_wanted):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    dialog.show_page(RUNNING)
    dialog.end_run()  # the worker ended
    assert not dialog.cancel_button.isVisible()
    with qtbot.assertNotEmitted(dialog.cancel_wanted):
        dialog.close()


def test_answers_stand_under_their_questions_right_ones_folded(
    dialog: AskDialog,
) -> None:
    dialog.show_page(DONE)
    assert [cells(dialog, row)[1] for row in (0, 1)] == ["right", "not answered"]
    heights = [
        dialog.tree.visualItemRect(below(dialog, row)[0]).height() for row in (0, 1)
    ]
    assert heights[0] == 0 < heights[1]
    assert [line.text(1) for line in below(dialog, 0)] == ["port = 9090", "port = 9090"]
    assert dialog.status_label.text() == "1 of 2 answered, $0.02."
