"""The command bar: actions by name, lines with completion, history and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow
from pytestqt.qtbot import QtBot

from core.presentation.model import PickerChoice
from core.presentation.settings.model import CompletionList
from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.palette.command_bar import CommandBar
from gui.palette.command_history import CommandHistory
from gui.palette.offers import completed_text, suggestions
from gui.widgets.pickers import ChoiceSource
from gui.widgets.theme import theme
from tests.gui.fake_pages import completions

IDS = tuple(row.id for row in ACTIONS)


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    result = QMainWindow()
    qtbot.addWidget(result)
    inside = QLineEdit()
    result.setCentralWidget(inside)
    result.resize(1280, 800)
    result.show()
    result.activateWindow()
    qtbot.waitUntil(result.isActiveWindow)
    inside.setFocus()
    return result


@pytest.fixture
def bar(window: QMainWindow) -> Iterator[CommandBar]:
    actions = ActionSet(window)
    result = CommandBar(window, actions, theme("light"))
    result.open_bar()
    yield result
    result.close_bar()


def _type(qtbot: QtBot, bar: CommandBar, text: str) -> None:
    QTest.keyClicks(bar.field, text)
    bar.show_completions(completions(bar.field.text()))


def test_it_lists_what_can_be_done_now(bar: CommandBar) -> None:
    ids = {offer.action for offer in bar.list.offers}
    assert {"open", "settings", "profiles"} <= ids
    assert not {"compact", "command"} & ids


def test_typing_filters_and_enter_does_it(qtbot: QtBot, bar: CommandBar) -> None:
    _type(qtbot, bar, "larg")
    with qtbot.waitSignal(bar.action_chosen) as signal:
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert signal.args == ["larger"]
    assert not bar.isVisible()


def test_nothing_found_is_said(qtbot: QtBot, bar: CommandBar) -> None:
    _type(qtbot, bar, "zebra")
    assert bar.message_list.text == "Nothing here is called “zebra”."
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.isVisible()


def test_what_cannot_be_done_now_says_why(qtbot: QtBot, bar: CommandBar) -> None:
    _type(qtbot, bar, "fold it again")
    assert bar.list.offers == ()
    assert bar.message_list.text == "Fold it again: not now. No transcript is open."
    # no empty space below
    assert bar.message_list.geometry().bottom() > bar.height() - 2 * bar.fontMetrics().height()


def test_escape_closes_and_gives_the_keyboard_back(
    qtbot: QtBot, window: QMainWindow, bar: CommandBar
) -> None:
    assert window.focusWidget() is bar.field
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert window.focusWidget() is window.centralWidget()


def test_a_line_asks_for_completions_at_its_cursor(qtbot: QtBot, bar: CommandBar) -> None:
    with qtbot.waitSignal(bar.complete_requested) as signal:
        bar.show_text("/set ")
    assert signal.args == ["/set ", 5]


@pytest.mark.req("REQ-CS-007.4")
def test_tab_completes_a_key(qtbot: QtBot, bar: CommandBar) -> None:
    bar.show_text("")
    _type(qtbot, bar, "/set compression.str")
    assert [offer.title for offer in bar.list.offers] == ["compression.strategy"]
    QTest.keyClick(bar.field, Qt.Key.Key_Tab)
    assert bar.field.text() == "/set compression.strategy "
    assert bar.isVisible()


def test_down_marks_a_completion_that_enter_takes(qtbot: QtBot, bar: CommandBar) -> None:
    bar.show_text("")
    _type(qtbot, bar, "/")
    QTest.keyClick(bar.field, Qt.Key.Key_Down)
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.field.text() == "/set "


def test_enter_sends_a_line_and_up_brings_it_back(qtbot: QtBot, bar: CommandBar) -> None:
    for line in ("/compact the tests", "/profile list"):
        bar.show_text(line)
        with qtbot.waitSignal(bar.line_entered) as signal:
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert signal.args == [line]
        bar.open_bar()
    for key, line in (("Up", "/profile list"), ("Up", "/compact the tests"), ("Down", "/profile list")):
        QTest.keyClick(bar.field, getattr(Qt.Key, f"Key_{key}"))
        assert bar.field.text() == line


def test_a_wrong_line_stays_with_what_was_meant(qtbot: QtBot, bar: CommandBar) -> None:
    bar.show_text("")
    _type(qtbot, bar, "/set compression.stratgy x")
    with qtbot.assertNotEmitted(bar.line_entered):
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert "Did you mean compression.strategy?" in bar.message_list.text
    assert bar.isVisible()


def test_a_problem_waits_a_moment_while_one_types(qtbot: QtBot, bar: CommandBar) -> None:
    bar.show_text("")
    _type(qtbot, bar, "/set compression.stratgy x")
    assert bar.message_list.text == ""
    qtbot.waitUntil(lambda: bar.message_list.text != "", timeout=2000)


def test_late_completions_go(bar: CommandBar) -> None:
    bar.show_text("/set ")
    bar.show_completions(CompletionList("/se", 0, (("/set ", "/set", ""),)))
    assert "/set" not in [offer.title for offer in bar.list.offers]


def test_it_stays_in_the_middle_of_the_window(window: QMainWindow, bar: CommandBar) -> None:
    window.resize(900, 600)
    QApplication.processEvents()
    assert abs(bar.geometry().center().x() - 450) <= 1


def test_actions_that_begin_with_the_words_come_first() -> None:
    assert suggestions("compact", IDS)[0].action == "compact"
    assert suggestions("dark", IDS)[0].title == "Theme: Dark"
    assert suggestions("dark", ()) == ()


def test_every_action_is_found_by_its_own_title() -> None:
    for offer in suggestions("", IDS):
        assert offer in suggestions(offer.title, IDS)


PICKS = (
    ChoiceSource(
        "strategy",
        "Strategy",
        (
            PickerChoice("middle-out", "middle-out", "Keeps both ends."),
            PickerChoice("pi", "pi", "As the agent Pi."),
        ),
        "middle-out",
    ),
    ChoiceSource("scope", "Scope", (PickerChoice("current", "Current context"),), "all"),
)


def test_choices_are_found_by_name_and_what_is_called_so_comes_first() -> None:
    assert [one.pick for one in suggestions("strategy", IDS, sources=PICKS)][:2] == [
        ("strategy", "middle-out"),
        ("strategy", "pi"),
    ]
    assert suggestions("pi", IDS, sources=PICKS)[0].title == "Strategy: pi"
    assert suggestions("current con", IDS, sources=PICKS)[0].pick == ("scope", "current")
    assert all(one.pick is None for one in suggestions("", IDS, sources=PICKS))


def test_what_is_chosen_already_is_marked() -> None:
    marked = [one.title for one in suggestions("e", IDS, {"theme-dark"}, PICKS) if one.is_on]
    assert marked == ["Theme: Dark", "Strategy: middle-out"]


def test_enter_picks_a_choice(qtbot: QtBot, bar: CommandBar) -> None:
    bar.close_bar()
    bar.open_bar("", PICKS)
    _type(qtbot, bar, "pi")
    with qtbot.waitSignal(bar.picked) as signal:
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert signal.args == ["strategy", "pi"]
    assert not bar.isVisible()


@pytest.mark.parametrize(
    ("text", "cursor", "start", "insert", "wanted"),
    [
        ("/se", 3, 0, "/set ", ("/set ", 5)),
        ("/set comp rest", 9, 5, "compression.mode ", ("/set compression.mode rest", 22)),
        ("/set abc", 6, 5, "x", ("/set x", 6)),
    ],
)
def test_a_completion_replaces_the_word_at_the_cursor(
    text: str, cursor: int, start: int, insert: str, wanted: tuple[str, int]
) -> None:
    assert completed_text(text, cursor, start, insert) == wanted


def test_history_ends_with_what_was_being_typed() -> None:
    history = CommandHistory()
    for line in ("a", "b", "a"):
        history.add(line)
    assert [history.previous_line("typed"), history.previous_line("a"), history.previous_line("b")] == [
        "a",
        "b",
        None,
    ]
    assert [history.next_line(), history.next_line(), history.next_line()] == ["a", "typed", None]
