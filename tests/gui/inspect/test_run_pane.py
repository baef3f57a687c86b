"""The question before a paid call and what a model writes, in the place of the summary."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from core.app.events import CompactionRequest
from core.app.services.preview import PreviewService
from core.app.services.service_host import ServiceHost
from core.app.worker import EventEmitter, InterruptReason
from core.presentation.dialog_model import SummaryProgress
from gui.inspect.run_pane import RunPane
from gui.widgets.view_layout import FoundSecretsList
from gui.window_content import WindowContent
from tests.gui.fake_prompts import fake_question, fake_writing
from tests.gui.window_space import settle, shown_window
from tests.support.narrowing import known


class PaidCall(PreviewService):
    """Asks before the first compaction, then writes."""

    def compact(self, request: CompactionRequest) -> None:
        if not request.agreed:
            self._workspace.emit(fake_question())
            return
        for writing in (
            fake_writing("one"),
            fake_writing("one two"),
            fake_writing("one two", over=True),
        ):
            self._workspace.emit(writing)


def make_paid_host(emit: EventEmitter, interrupted: InterruptReason) -> ServiceHost:
    host = ServiceHost(emit, interrupted)
    host.services["PreviewService"] = PaidCall(host, pytest.fail)
    return host


@pytest.fixture
def below(qtbot: QtBot) -> QWidget:
    result = QWidget()
    qtbot.addWidget(result)
    field = QLineEdit(result)
    result.setFocusProxy(field)
    result.resize(420, 400)
    with qtbot.waitActive(result):
        result.show()
        result.activateWindow()
    field.setFocus()
    return result


@pytest.fixture
def pane(below: QWidget) -> RunPane:
    return RunPane(below)


def long_text(lines: int) -> str:
    return "\n".join(
        f"line {number} of the summary that a model writes" for number in range(lines)
    )


def test_it_is_not_there_until_it_has_something_to_say(pane: RunPane) -> None:
    assert pane.isHidden()
    pane.clear()
    assert pane.isHidden()


def test_the_keyboard_is_never_on_what_costs_money(
    below: QWidget, pane: RunPane
) -> None:
    pane.show_question(fake_question())
    assert pane.question.no_button.hasFocus()
    assert not known(below.focusProxy()).isEnabled()


@pytest.mark.parametrize(
    ("name", "signal"), [("yes_button", "agreed"), ("no_button", "declined")]
)
def test_an_answer_gives_the_list_back(
    qtbot: QtBot, pane: RunPane, name: str, signal: str
) -> None:
    pane.show_question(fake_question())
    with qtbot.waitSignal(getattr(pane, signal)):
        getattr(pane.question, name).click()
    assert pane.isHidden()


def test_esc_takes_the_question_away_and_calls_nothing(
    qtbot: QtBot, below: QWidget, pane: RunPane
) -> None:
    pane.show_question(fake_question())
    with qtbot.assertNotEmitted(pane.agreed), qtbot.assertNotEmitted(pane.declined):
        QTest.keyClick(pane.question.no_button, Qt.Key.Key_Escape)
    assert pane.isHidden()
    assert known(below.focusProxy()).hasFocus()


def test_a_question_shows_its_facts(pane: RunPane) -> None:
    pane.show_question(fake_question())
    labels = [one for one in pane.question.findChildren(QLabel) if one.text()]
    texts = [one.text() for one in labels]
    assert "≈ $0.09, at most $0.11" in texts
    assert "1 token" in texts
    assert all(one.textFormat() == Qt.TextFormat.PlainText for one in labels)


def test_a_long_price_takes_no_room_of_the_next_label(pane: RunPane) -> None:
    asked = fake_question()
    price = replace(
        asked.facts[0], value="≈ $0.09 to send, at most $0.11 for all of the summary"
    )
    widths = []
    for facts in (asked.facts, (price, asked.facts[1])):
        pane.show_question(replace(asked, facts=facts))
        pane.question.resize(420, 400)
        QApplication.processEvents()
        labels = pane.question.findChildren(QLabel)
        widths.append(
            [one.width() for one in labels if one.text() == asked.facts[1].label][-1]
        )
    assert widths[0] == widths[1]


def test_writing_shows_how_far_it_is_and_ends(pane: RunPane) -> None:
    pane.show_writing(fake_writing("<b>one</b>"))
    assert pane.is_writing
    assert pane.writing.summary_text.toPlainText() == "<b>one</b>"
    pane.show_writing(fake_writing(over=True))
    assert pane.isHidden()


def test_the_stream_follows_its_end(pane: RunPane) -> None:
    pane.show_writing(fake_writing(long_text(60)))
    bar = pane.writing.summary_text.verticalScrollBar()
    pane.show_writing(fake_writing(long_text(120)))
    assert bar.value() == bar.maximum() > 0


# In the window


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication) -> Iterator[WindowContent]:
    with shown_window(make_paid_host, saves_state=False) as workspace:
        yield workspace


def test_compact_asks_then_writes_then_gives_the_list_back(
    qtbot: QtBot, opened: WindowContent
) -> None:
    pane = opened.page.lists.run_pane
    written: list[SummaryProgress] = []
    opened.backend.writing.connect(written.append)
    opened.window.actions_by_id["compact"].trigger()
    settle(qtbot, opened)
    assert pane.has_question
    _, rect = next(iter(opened.page.lists.list.view.visible_blocks()))
    assert rect.contains(pane.geometry()), (
        "in the place of the summary, not over anything else"
    )
    assert pane.height() >= pane.sizeHint().height()
    pane.question.yes_button.click()
    settle(qtbot, opened)
    assert [one.is_over for one in written] == [False, False, True]
    assert pane.isHidden()


def test_a_question_does_not_outlive_a_change_of_settings(
    qtbot: QtBot, opened: WindowContent
) -> None:
    opened.backend.compact()
    settle(qtbot, opened)
    opened.backend.set_value("compression.mode", "safe")
    assert opened.page.lists.run_pane.isHidden()
    settle(qtbot, opened)


def test_the_request_of_a_question_is_shown_in_the_editor(
    qtbot: QtBot, opened: WindowContent
) -> None:
    opened.backend.compact()
    settle(qtbot, opened)
    opened.page.lists.run_pane.question.request_button.click()
    settle(qtbot, opened)
    editor = opened.dialogs.open_prompts()
    assert editor.views.request.toPlainText().startswith("system  1 of ")
    editor.close()


def test_the_question_lists_the_secrets_that_go_out(pane: RunPane) -> None:
    pane.show_question(
        replace(fake_question(), secrets=("1 × GitHub token ghp_…: #3 text",))
    )
    assert [one.text for one in pane.findChildren(FoundSecretsList)] == [
        "1 × GitHub token ghp_…: #3 text"
    ]
    pane.show_question(fake_question())
    assert [one.isHidden() for one in pane.findChildren(FoundSecretsList)] == [True]


def test_esc_and_the_button_cancel(qtbot: QtBot, pane: RunPane) -> None:
    pane.show_writing(fake_writing())
    for act in (
        pane.writing.cancel_button.click,
        lambda: QTest.keyClick(pane, Qt.Key.Key_Escape),
    ):
        with qtbot.waitSignal(pane.cancel_requested):
            act()
