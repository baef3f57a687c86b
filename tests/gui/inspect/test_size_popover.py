"""The popover of the size, and the pickers."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from core.llm.request_size import RequestSizing
from core.presentation.model import PickerChoice, StatusPage
from core.presentation.verdict import size_page
from core.presentation.verdict_model import FigurePage, plain_cell
from core.tokens.calibration import ReportedRequest, calibrate
from gui.inspect.toolbar import NameButton
from gui.inspect.verdict_line import FigurePopover, VerdictLine
from gui.widgets.pickers import Picker, shrink_pickers
from gui.window_content import WindowContent
from tests.support.narrowing import known

REQUESTS = [
    ReportedRequest(1_000 * step, 1_400 * step + 20_000, "m", number=step)
    for step in range(1, 30)
]


@pytest.fixture
def line(qtbot: QtBot) -> VerdictLine:
    page = size_page(
        RequestSizing(1.4, 20_000, calibrate(REQUESTS)), (("Next request", "≈62,000"),)
    )
    line = VerdictLine()
    line.show_status(
        StatusPage(
            parts=(),
            notices=(),
            step_notices=0,
            price=plain_cell("free"),
            sizes=page,
            prices=FigurePage(),
        )
    )
    line.resize(1440, 30)
    line.show()
    qtbot.addWidget(line)
    return line


def popover(line: VerdictLine) -> FigurePopover:
    (found_popover,) = line.findChildren(FigurePopover)
    return found_popover


def test_the_size_opens_it_by_pointer_and_key(line: VerdictLine) -> None:
    QTest.mouseClick(line.size_cell, Qt.MouseButton.LeftButton)
    first = popover(line)
    first.close()
    QTest.keyClick(line.size_cell, Qt.Key.Key_Space)
    assert [one for one in line.findChildren(FigurePopover) if one is not first]


def test_of_a_refused_result_the_cell_leads_to_checks(
    line: VerdictLine, qtbot: QtBot
) -> None:
    page = StatusPage(
        parts=(),
        notices=(),
        step_notices=0,
        price=plain_cell("free"),
        sizes=FigurePage(facts=(("Next request", "≈62,000"),)),
        prices=FigurePage(),
        size=plain_cell("Anthropic refuses it"),
    )
    line.show_status(page)
    with qtbot.waitSignal(line.checks_requested):
        QTest.mouseClick(line.size_cell, Qt.MouseButton.LeftButton)
    assert line.findChildren(FigurePopover) == []
    assert "Opens Checks" in line.size_cell.toolTip()
    line.show_status(replace(page, size=None))
    QTest.mouseClick(line.size_cell, Qt.MouseButton.LeftButton)
    assert popover(line).isVisible()


def test_the_way_to_checks_shows_that_tab(opened: WindowContent) -> None:
    opened.page.verdict.checks_requested.emit()
    assert opened.page.inspector.current_tab == "checks"


def test_it_says_factor_hidden_tokens_requests_and_error(line: VerdictLine) -> None:
    line.show_sizes()
    words = " ".join(one.text() for one in popover(line).findChildren(QLabel))
    for expected in (
        "≈62,000",
        "×1.40",
        "20,000",
        "29 requests of 29",
        "0.0 %",
        "No silent clearing",
    ):
        assert expected in words
    assert not popover(line).grab().isNull()  # painted without an error


def test_what_is_not_known_opens_nothing(line: VerdictLine) -> None:
    assert line.show_prices() is None


def test_a_picker_without_room_ends_in_an_ellipsis_and_tells_in_its_tip(
    qtbot: QtBot,
) -> None:
    picker = Picker("Strategy", "Strategy: how")
    qtbot.addWidget(picker)
    picker.set_choices([PickerChoice("a", "a-strategy-of-a-long-name", "")])
    picker.set_value("a")
    picker.show()
    picker.resize(110, picker.sizeHint().height())
    assert picker.elided_text().endswith("…")
    assert picker.toolTip() == "a-strategy-of-a-long-name\nStrategy: how"


def test_the_widest_picker_gives_up_first_so_that_each_says_something(
    qtbot: QtBot,
) -> None:
    pickers = []
    for text in ("middle-out", "a-model-with-a-long-name-and-a-date", "whole session"):
        one = Picker("Name", "Tip")
        qtbot.addWidget(one)
        one.set_choices([PickerChoice("a", text, "")])
        one.set_value("a")
        pickers.append(one)
    small, wide, middle = (one.sizeHint().width() for one in pickers)
    shrink_pickers(wide - middle, pickers)
    assert [one.sizeHint().width() for one in pickers] == [small, middle, middle]
    shrink_pickers(wide - middle + 20, pickers)
    assert [one.sizeHint().width() for one in pickers] == [
        small,
        middle - 10,
        middle - 10,
    ]


def test_the_parts_of_the_chip_say_and_change_scope_and_model(
    qtbot: QtBot, opened: WindowContent
) -> None:
    bar = opened.toolbar
    assert bar.chip.text() == "whole session · gpt-4o · 128k"
    assert bar.compact_button.text() == "Compact · free"
    assert bar.profile.currentText() == "offline · free"
    with qtbot.waitSignal(bar.scope.picked):
        bar.scope.activated.emit(0)
    names = [action.text() for action in bar.open_button.menu().actions()]
    assert names == ["Open…", "Sessions…", "Open recent"]


@pytest.mark.parametrize("zoom", [0, 3])
def test_the_parts_never_go_and_are_shortened_together(
    opened: WindowContent, zoom: int
) -> None:
    chip, window = opened.toolbar.chip, opened.window
    window.appearance.zoom_by(zoom)
    chip.name.show_name("a-session-with-a-very-long-name-" * 12)
    for width in (1024, 1180, 1280, 1440, 1920):
        window.resize(width, 800)
        QApplication.processEvents()
        opened.toolbar.fit()
        QApplication.processEvents()
        assert chip.name.text() != chip.name.full_text
        assert "…" in chip.name.text()
        for picker in (chip.scope, chip.model):
            assert picker.is_short == chip.scope.is_short
            assert picker.elided_text() == picker.button_text, width
            right = picker.mapTo(window, QPoint(picker.width(), 0)).x()
            assert right <= window.width(), width
    window.appearance.zoom_by(-zoom)


def test_the_format_stands_beside_the_name_of_the_file(opened: WindowContent) -> None:
    chip = opened.toolbar.chip
    chip.name.show_name("session.jsonl", "Claude Code")
    opened.window.resize(1024, 700)
    QApplication.processEvents()
    opened.toolbar.fit()
    QApplication.processEvents()
    assert chip.name.text() == "session.jsonl · Claude Code"
    assert chip.name.accessibleName() == "session.jsonl, Claude Code"
    assert "Claude Code" in chip.name.toolTip().splitlines()


def test_a_long_name_covers_no_menu(opened: WindowContent) -> None:
    chip, bar = opened.toolbar.chip, opened.window.menuBar()
    chip.name.show_name("a-session-with-a-very-long-name-" * 4, "Anthropic messages")
    opened.window.resize(1024, 700)
    for _ in range(2):
        QApplication.processEvents()
        opened.toolbar.fit()
    QApplication.processEvents()
    last = bar.actionGeometry(bar.actions()[-1])
    assert 0 < last.right() < chip.x()
    assert bar.width() - 8 <= chip.geometry().right() <= bar.width()


def test_an_opened_file_shows_its_format(opened: WindowContent) -> None:
    label = known(opened.file).reader.label
    assert label
    assert opened.toolbar.chip.name.full_text.endswith(f" · {label}")


def test_without_room_the_name_stands_without_its_format(qtbot: QtBot) -> None:
    button = NameButton()
    qtbot.addWidget(button)
    button.show_name("a-session-with-a-very-long-name.jsonl", "Claude Code")
    with qtbot.waitExposed(button):
        button.show()
    button.resize(100, 28)
    assert button.text().startswith("a-")
    assert "Claude Code" not in button.text()
    assert "Claude Code" in button.accessibleName()


def test_the_name_opens_the_sizes_of_both_contexts_where_they_differ(
    opened: WindowContent,
) -> None:
    bar = opened.toolbar
    assert not bar.popup.sizes.text()
    sizes = ("whole session 272k", "current context 71k")
    assert opened.page.preview is not None
    bar.show_screen(
        replace(
            opened.page.preview,
            heading=replace(opened.page.preview.heading, sizes=sizes),
        )
    )
    bar.chip.name.click()
    assert bar.popup.sizes.isVisible()
    assert bar.popup.sizes.text() == "whole session 272k · current context 71k"
    bar.popup.hide()


def test_larger_text_cuts_no_button(opened: WindowContent) -> None:
    bar, button = opened.toolbar, opened.toolbar.compact_button
    opened.window.appearance.zoom_by(3)
    for width in (1024, 1180, 1400):
        opened.window.resize(width, 800)
        QApplication.processEvents()
        bar.fit()
        QApplication.processEvents()
        assert button.width() >= button.sizeHint().width(), width
