"""Compare in a small window: words are whole, and the table keeps its columns."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.view_switching import COMPARE
from gui.widgets.pickers import ChoiceButton
from gui.window_content import WindowContent


def test_a_choice_says_less_rather_than_half_a_word(qtbot: QtBot) -> None:
    button = ChoiceButton("", "Which model's prices.")
    qtbot.addWidget(button)
    button.show_words("Summary prices: claude-sonnet-4-5", "Prices")
    with qtbot.waitExposed(button):
        button.show()
    button.resize(button.sizeHint())
    assert button.text() == "Summary prices: claude-sonnet-4-5"
    button.resize(button.minimumSizeHint())
    assert button.text() == "Prices"
    assert button.accessibleName() == "Summary prices: claude-sonnet-4-5"


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
