"""The dialog in which a model is asked about reworded sentences."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of
from core.app.services.ask import AskService
from gui.ask import AskDialog
from gui.inspect.inspector.losses_tab import ASK_LINK
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
    link = space.page.inspector.losses.ask
    assert link.text.startswith("Ask a model · ")
    link.link_activated.emit(ASK_LINK)
    settle(qtbot, space)
    space.window.actions_by_id["ask"].trigger()
    dialog = space.ask.open_dialog()
    settle(qtbot, space)
    page = known(dialog.page)
    assert page.title == "Does it say the same? Does a model find it?"
    assert page.rows
    assert not dialog.run_button.isEnabled()  # the offline profile judges nothing
    dialog.hide()
    assert call_of(AskService.questions, False) in sent
    assert call_of(AskService.run, False) not in sent


def test_a_dialog_says_that_it_prepares_before_its_questions_come(qtbot: QtBot) -> None:
    dialog = AskDialog(None)
    qtbot.addWidget(dialog)
    assert (dialog.status_label.text(), dialog.run_button.text()) == (
        "Looking for what can be asked…",
        "Ask",
    )
    assert not dialog.run_button.isEnabled()
    assert not dialog.cancel_button.isVisibleTo(dialog)
    assert not dialog.option.isVisibleTo(dialog)
