"""The dialog in which a model is asked about reworded sentences."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of
from core.app.services.judge import JudgeService
from gui.inspect.inspector.losses_tab import JUDGE_LINK
from gui.quiz import QuizDialog
from gui.window_content import WindowContent
from tests.journeys.walks import open_transcript, settle
from tests.support.narrowing import known


def test_it_shows_what_would_be_asked_and_asks_nothing(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    sent: list[Call] = []
    space.backend.started.connect(sent.append)
    open_transcript(qtbot, space, transcript)
    space.page.show_tab("losses")
    settle(qtbot, space)
    link = space.page.inspector.losses.judge
    assert link.text.startswith("Ask a model · ")
    link.link_activated.emit(JUDGE_LINK)
    settle(qtbot, space)
    dialog = space.judge.open_dialog()
    settle(qtbot, space)
    page = known(dialog.page)
    assert page.title == "Do reworded sentences say the same?"
    assert page.rows
    assert not dialog.run_button.isEnabled()  # the offline profile judges nothing
    dialog.hide()
    assert call_of(JudgeService.questions, False) in sent
    assert call_of(JudgeService.run, False) not in sent


def test_a_dialog_says_that_it_prepares_before_its_questions_come(qtbot: QtBot) -> None:
    dialog = QuizDialog(None)
    qtbot.addWidget(dialog)
    assert (dialog.note, dialog.run_button.text()) == ("Looking for what can be asked…", "Ask")
    assert not dialog.run_button.isEnabled()
    assert not dialog.cancel_button.isVisibleTo(dialog)
    assert not dialog.baseline.isVisibleTo(dialog)
