"""The quiz dialog, and the line in the Losses tab that opens it."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of
from core.app.services.quiz import QuizService
from core.presentation.inspector_model import QuizPage, QuizRow
from core.presentation.model import LabelledFigure
from gui.quiz import QuizDialog
from gui.window_content import WindowContent
from tests.journeys.walks import open_transcript, settle
from tests.support.narrowing import known

LONG = (
    "should_retry keeps its signature; the billing service overrides it, and so do two others. " * 3
)
ROWS = (
    QuizRow("recall", "What was the last value of “port”?", (("expected", "port = 9090", ""),)),
    QuizRow("constraint", "What did the person forbid?", (("expected", LONG, ""),)),
)
FACTS = (LabelledFigure("Result", "middle-out"), LabelledFigure("Price", "2 calls, at most $0.04"))
ASK = "Ask haiku 2 questions · at most $0.04"
PAGE = QuizPage(
    title="What a model still knows",
    facts=FACTS,
    button_text=ASK,
    reason="",
    table_header=(),
    table=(),
    rows=ROWS,
    status="",
    total=2,
)
RUNNING = replace(PAGE, is_running=True, done=1, status="1 of 2 asked")
GIVEN = ("given", "port = 9090", "")
DONE = replace(
    PAGE,
    table_header=("", "answered", "score", "95 %"),
    table=(("recall", "1 of 1", "1.00", "–"), ("all", "1 of 2", "1.00", "–")),
    rows=(
        replace(ROWS[0], details=(*ROWS[0].details, GIVEN), verdict="right", tone="ok"),
        replace(ROWS[1], verdict="not answered", tone="muted"),
    ),
    status="1 of 2 answered, $0.02.",
    done=2,
)


@pytest.fixture
def dialog(qtbot: QtBot) -> QuizDialog:
    result = QuizDialog(None)
    qtbot.addWidget(result)
    with qtbot.waitExposed(result):
        result.show()
    result.show_page(PAGE)
    QApplication.processEvents()
    return result


def cells(dialog: QuizDialog, row: int) -> tuple[str, str]:
    item = known(dialog.tree.topLevelItem(row))
    return item.text(1), item.text(2)


def below(dialog: QuizDialog, row: int) -> list[QTreeWidgetItem]:
    item = known(dialog.tree.topLevelItem(row))
    children = (item.child(at) for at in range(item.childCount()))
    return [child for child in children if child is not None]


def test_price_and_questions_are_there_before_anything_is_asked(
    dialog: QuizDialog, qtbot: QtBot
) -> None:
    assert dialog.run_button.text() == ASK
    assert cells(dialog, 0) == ("What was the last value of “port”?", "")
    assert not dialog.cancel_button.isVisible()
    with qtbot.waitSignal(dialog.quiz_requested) as signal:
        dialog.run_button.click()
    assert signal.args == [False, 0]


@pytest.mark.req("JUDGE-4")
def test_how_many_questions_the_model_writes_is_chosen_before_it_is_asked(
    dialog: QuizDialog, qtbot: QtBot
) -> None:
    assert not dialog.written.isVisible()
    dialog.show_page(
        replace(PAGE, written_text="Questions that the model writes", most_written=200)
    )
    assert dialog.written.isVisible()
    with qtbot.waitSignal(dialog.options_changed) as changed:
        dialog.written.setValue(3)
    assert changed.args == [False, 3]
    with qtbot.waitSignal(dialog.quiz_requested) as asked:
        dialog.run_button.click()
    assert asked.args == [False, 3]


def test_what_cannot_be_asked_says_why(dialog: QuizDialog) -> None:
    dialog.show_page(
        replace(PAGE, reason="The offline profile answers no questions.", status="Choose one.")
    )
    assert not dialog.run_button.isEnabled()
    assert dialog.run_button.toolTip() == "The offline profile answers no questions."
    assert dialog.note == "Choose one."


def test_a_run_shows_how_far_it_is_and_can_be_stopped(dialog: QuizDialog, qtbot: QtBot) -> None:
    dialog.show_page(RUNNING)
    assert dialog.note == "1 of 2 asked"
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


def test_answers_stand_under_their_questions_right_ones_folded(dialog: QuizDialog) -> None:
    dialog.show_page(DONE)
    assert [cells(dialog, row)[1] for row in (0, 1)] == ["right", "not answered"]
    heights = [dialog.tree.visualItemRect(below(dialog, row)[0]).height() for row in (0, 1)]
    assert heights[0] == 0 < heights[1]
    assert [line.text(1) for line in below(dialog, 0)] == ["port = 9090", "port = 9090"]
    assert dialog.note == "1 of 2 answered, $0.02."


def test_the_window_shows_the_questions_of_what_is_seen(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    sent: list[Call] = []
    space.backend.started.connect(sent.append)
    open_transcript(qtbot, space, transcript)
    space.window.actions_by_id["probes"].trigger()
    settle(qtbot, space)
    dialog = space.quiz.open_dialog()
    settle(qtbot, space)
    page = known(dialog.page)
    assert page.rows
    assert not dialog.run_button.isEnabled()
    dialog.hide()
    assert sent.count(call_of(QuizService.questions, False, 0)) == 2
    assert call_of(QuizService.run, False, 0) not in sent
