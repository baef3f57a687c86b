"""Compare in a small window: words are whole, and the table keeps its columns."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.model import PickerChoice
from gui.view_switching import COMPARE
from gui.widgets.pickers import ChoiceButton
from gui.window_content import WindowContent
from tests.gui.window_space import expose


def test_a_choice_says_less_rather_than_half_a_word(qtbot: QtBot) -> None:
    button = ChoiceButton("", "Which model's prices.")
    button.show_words("Summary prices: claude-sonnet-4-5", "Prices")
    expose(qtbot, button)
    button.resize(button.sizeHint())
    assert button.text() == "Summary prices: claude-sonnet-4-5"
    button.resize(button.minimumSizeHint())
    assert button.text() == "Prices"
    assert button.accessibleName() == "Summary prices: claude-sonnet-4-5"


def test_several_choices_are_ticked_before_their_menu_closes(qtbot: QtBot) -> None:
    button = ChoiceButton("", "What is compared.", least=2)
    button.show_choices([PickerChoice(name, name) for name in "abcd"], tuple("abcd"))
    expose(qtbot, button)
    chosen: list[tuple[str, ...]] = []
    button.chosen.connect(chosen.append)
    menu = button.menu()
    menu.popup(button.mapToGlobal(QPoint()))
    ticks = [action for action in menu.actions() if action.isCheckable()]
    for action in ticks[:3]:  # the third has to stay: two are the least
        at = menu.actionGeometry(action).center()
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=at)
    assert menu.isVisible()
    assert chosen == []
    menu.close()
    assert chosen == [("c", "d")]


def test_the_table_has_half_of_the_least_window(
    qtbot: QtBot, opened: WindowContent
) -> None:
    window = opened.window
    window.resize(window.minimumSize())
    opened.page_controller.show_view(COMPARE)
    for _ in range(5):
        QApplication.processEvents()
    table = opened.views.view(COMPARE).tables[0]
    assert table.width() >= 0.45 * window.width()


def open_menu(qtbot: QtBot, least: int = 2) -> ChoiceButton:
    button = ChoiceButton("", "What is compared.", least=least)
    qtbot.addWidget(button)
    button.show_choices([PickerChoice(name, name) for name in "abcdef"], tuple("abcde"))
    with qtbot.waitExposed(button):
        button.show()
    button.menu().popup(button.mapToGlobal(QPoint()))
    return button


def test_two_of_many_take_three_keys_after_the_menu(qtbot: QtBot) -> None:
    button = open_menu(qtbot)
    menu = button.menu()
    with qtbot.waitSignal(button.chosen) as chosen:
        QTest.keyClick(menu, Qt.Key.Key_Down)
        for key in (Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Space):
            QTest.keyClick(menu, key)
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Space):
            QTest.keyClick(menu, key)
        assert menu.isVisible()
        QTest.keyClick(menu, Qt.Key.Key_Escape)
    assert chosen.args == [("a", "b")]


def test_letters_go_to_the_choices_that_begin_with_them(qtbot: QtBot) -> None:
    button = open_menu(qtbot)
    menu = button.menu()
    menu.actions()[0].trigger()
    with qtbot.waitSignal(button.chosen) as chosen:
        for key in (Qt.Key.Key_D, Qt.Key.Key_Space, Qt.Key.Key_B, Qt.Key.Key_Space):
            QTest.keyClick(menu, key)
        QTest.keyClick(menu, Qt.Key.Key_Escape)
    assert chosen.args == [("d", "b")]


def test_too_few_ticks_leave_what_was_compared(qtbot: QtBot) -> None:
    button = open_menu(qtbot)
    menu, untick_all = button.menu(), button.menu().actions()[0]
    untick_all.trigger()
    assert not any(action.isChecked() for action in menu.actions())
    next(action for action in menu.actions() if action.data() == "f").trigger()
    with qtbot.assertNotEmitted(button.chosen):
        menu.close()
    ticked = [action.data() for action in menu.actions() if action.isChecked()]
    assert tuple(ticked) == button.values == tuple("abcde")


def test_unticking_all_leaves_who_writes_the_summaries(qtbot: QtBot) -> None:
    button = open_menu(qtbot, least=3)
    button.stays_ticked = frozenset("e")
    button.menu().actions()[0].trigger()
    assert button.values == ("e",)
