"""The ruler widget: clicks, handles by pointer and keyboard, zoom, painting."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.model import Screen
from core.presentation.ruler import geometry as ruler_maths
from gui.inspect.ruler.axis import saved_box
from gui.inspect.ruler.bars import kind_columns
from gui.inspect.ruler.frame import SAVING_GAP, RulerFrame, first_clear_x, text_width
from gui.inspect.ruler.labels import labels_beside_lines
from gui.inspect.ruler.ruler_widget import Ruler
from gui.widgets.theme import body_font, theme
from tests.gui.fakes import fake_screen

LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., Ruler]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    def make(screen: Screen | None = None, width: int = 1600) -> Ruler:
        ruler = Ruler()
        qtbot.addWidget(ruler)
        ruler.setFont(body_font())
        ruler.resize(width, 152)
        ruler.show()
        ruler.set_screen(screen or fake_screen())
        QApplication.processEvents()
        ruler.clearFocus()
        return ruler

    return make


def context(ruler: Ruler) -> RulerFrame:
    frame = ruler._frame()
    assert frame is not None
    return frame


def at(ruler: Ruler, boundary: float, y: int = 54) -> QPoint:
    """Return the widget's point of a boundary before message n, or between two."""
    frame, below = context(ruler), int(boundary)
    sums = frame.content.before.sums
    tokens = sums[below] + (boundary - below) * (sums[min(below + 1, len(sums) - 1)] - sums[below])
    return QPoint(round(frame.x(tokens)), y)


def drag(ruler: Ruler, path: list[QPoint]) -> None:
    """Press at the first point and move along; the button stays down."""
    QTest.mousePress(ruler, LEFT, Qt.KeyboardModifier.NoModifier, path[0])
    for place in path[1:]:
        point = QPointF(place)
        event = QMouseEvent(
            QEvent.Type.MouseMove, point, ruler.mapToGlobal(point), LEFT, LEFT, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(ruler, event)


def wheel(ruler: Ruler, place: QPoint, notches: int = 1) -> None:
    event = QWheelEvent(
        QPointF(place),
        ruler.mapToGlobal(QPointF(place)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(ruler, event)


def test_click_selects_the_message(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    tokens = context(ruler).content.screen.before.tokens
    index = max(range(100, 200), key=tokens.__getitem__)
    with qtbot.waitSignal(ruler.message_clicked) as caught:
        QTest.mouseClick(ruler, LEFT, pos=at(ruler, index + 0.5))
    assert caught.args == ["before", index]


def test_click_in_the_after_bar(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    summary = context(ruler).content.screen.after_fates.index(5)
    x = round(context(ruler).x(context(ruler).content.after.sums[summary] + 2000))
    with qtbot.waitSignal(ruler.message_clicked) as caught:
        QTest.mouseClick(ruler, LEFT, pos=QPoint(x, 112))
    assert caught.args == ["after", summary]


def test_dragging_a_handle_snaps_and_emits(show: Show) -> None:
    ruler, seen = show(), RecordedMoves()
    ruler.handle_moved.connect(seen.record)
    handle = context(ruler).content.screen.handles[1]
    drag(ruler, [at(ruler, handle.index, 28), at(ruler, 250.4, 28), at(ruler, 200.4, 28)])
    assert [final for _, _, final in seen.moves] == [False, False]
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 200.4, 28))
    key, value, final = seen.moves[-1]
    assert (key, final) == (handle.key, True)
    assert handle.stops[list(handle.values).index(value)] in range(198, 203)


class RecordedMoves:
    """Records the moves that a ruler emitted."""

    def __init__(self) -> None:
        self.moves: list[tuple[str, float, bool]] = []

    def record(self, key: str, value: float, final: bool) -> None:
        self.moves.append((key, value, final))


def test_escape_puts_a_dragged_handle_back(show: Show) -> None:
    ruler, seen = show(), RecordedMoves()
    ruler.handle_moved.connect(seen.record)
    handle = context(ruler).content.screen.handles[0]
    drag(ruler, [at(ruler, handle.index, 28), at(ruler, 120, 28)])
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert seen.moves[-1] == (handle.key, 0.2, True)
    assert ruler._moves.painted_handles()[0].index == handle.index


def test_the_moved_handle_stays_until_the_preview_follows(show: Show) -> None:
    ruler = show()
    handle = context(ruler).content.screen.handles[0]
    drag(ruler, [at(ruler, handle.index, 28), at(ruler, 120, 28)])
    moved = ruler._moves.painted_handles()[0].index
    ruler.set_screen(fake_screen())
    assert ruler._moves.painted_handles()[0].index == moved != handle.index
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 120, 28))
    ruler.set_screen(fake_screen())
    assert ruler._moves.painted_handles()[0].index == handle.index


def test_click_on_a_handle_asks_about_the_cut(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    with qtbot.waitSignal(ruler.cut_clicked) as caught:
        QTest.mouseClick(ruler, LEFT, pos=at(ruler, context(ruler).content.screen.handles[1].index, 28))
    assert caught.args == ["bottom"]


def test_a_locked_handle_does_not_move_and_says_why(show: Show) -> None:
    ruler, seen = show(fake_screen(locked="Tokens decide.")), RecordedMoves()
    ruler.handle_moved.connect(seen.record)
    index = context(ruler).content.screen.handles[0].index
    drag(ruler, [at(ruler, index, 28), at(ruler, 200, 28)])
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 200, 28))
    assert not seen.moves
    assert ruler._tip(QPointF(at(ruler, index, 28))) == "Tokens decide."


def test_tab_reaches_the_handles_and_arrows_move_them(show: Show) -> None:
    ruler, seen = show(), RecordedMoves()
    ruler.handle_moved.connect(seen.record)
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    assert ruler._moves.focused == "top"
    QTest.keyClick(ruler, Qt.Key.Key_Tab)
    assert ruler._moves.focused == "bottom"
    handle = context(ruler).content.screen.handles[1]
    stop = list(handle.stops).index(handle.index)
    QTest.keyClick(ruler, Qt.Key.Key_Right)
    assert seen.moves == [(handle.key, handle.values[stop + 1], final) for final in (False, True)]
    QTest.keyClick(ruler, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert seen.moves[-1][1] == handle.values[stop - 9]


def test_home_end_and_escape_by_keyboard(show: Show) -> None:
    ruler, seen = show(), RecordedMoves()
    ruler.handle_moved.connect(seen.record)
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    handle = context(ruler).content.screen.handles[0]
    QTest.keyClick(ruler, Qt.Key.Key_End)
    assert seen.moves[-1][1] == handle.values[-1]
    QTest.keyClick(ruler, Qt.Key.Key_Home)
    assert seen.moves[-1][1] == handle.values[0]
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert seen.moves[-1] == (handle.key, 0.2, True)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_handle_is_asked_for_its_reasons_by_key(qtbot: QtBot, show: Show, key: Qt.Key) -> None:
    ruler = show()
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(ruler.cut_clicked) as caught:
        QTest.keyClick(ruler, key)
    assert caught.args == ["top"]


def test_the_wheel_zooms_at_the_pointer_and_0_resets(show: Show) -> None:
    ruler = show()
    place = at(ruler, 200)
    before = ruler._view.tokens(place.x() - 76)
    wheel(ruler, place, 4)
    assert ruler._view.zoomed
    assert ruler._view.tokens(place.x() - 76) == pytest.approx(before)
    assert ruler.hasFocus()
    QTest.keyClick(ruler, Qt.Key.Key_0)
    assert not ruler._view.zoomed


def test_dragging_pans_when_zoomed_and_selects_nothing(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    wheel(ruler, at(ruler, 200), 6)
    start = ruler._view.start
    with qtbot.assertNotEmitted(ruler.message_clicked):
        drag(ruler, [QPoint(800, 54), QPoint(700, 54)])
        QTest.mouseRelease(ruler, LEFT, pos=QPoint(700, 54))
    assert ruler._view.start == pytest.approx(start + 100 / ruler._view.scale)


def test_double_click_fits_a_band(show: Show) -> None:
    ruler = show()
    band, sums = context(ruler).content.screen.bands[1], context(ruler).content.before.sums
    QTest.mouseDClick(ruler, LEFT, pos=at(ruler, 200, 30))
    assert ruler._view.start == sums[band.start]
    assert ruler._view.span == sums[band.end] - sums[band.start]


def test_hovering_names_the_messages(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    tokens = context(ruler).content.screen.before.tokens
    index = max(range(100, 200), key=tokens.__getitem__)
    with qtbot.waitSignal(ruler.hovered) as caught:
        QTest.mouseMove(ruler, at(ruler, index + 0.5))
    assert caught.args == ["before", index, index]
    assert ruler._tip(QPointF(at(ruler, index + 0.5))).startswith(f"#{index + 1} ")


def test_a_column_of_many_messages_says_so(show: Show) -> None:
    ruler = show(fake_screen(messages=20_000, limit=None))
    assert "messages" in ruler._tip(QPointF(at(ruler, 10_000)))


def test_why_is_a_link_right_of_the_legend(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    with qtbot.waitSignal(ruler.why_requested) as caught:
        QTest.mouseClick(ruler, LEFT, pos=QPoint(ruler.width() - 26, 143))
    assert caught.args == ["bottom"]


@pytest.mark.parametrize(("width", "height"), [(1600, 152), (1280, 134)])
def test_the_legend_needs_width(show: Show, width: int, height: int) -> None:
    assert show(width=width).height() == height


@pytest.mark.parametrize("name", ["light", "dark", "high-contrast"])
@pytest.mark.parametrize("strategy", ["middle-out", "high-density"])
def test_bars_are_painted_in_the_colours_of_the_theme(show: Show, name: str, strategy: str) -> None:
    ruler, colours = show(fake_screen(strategy)), theme(name)
    ruler.set_theme(colours)
    image = ruler.grab().toImage()
    seen = {image.pixelColor(x, 54).rgb() for x in range(image.width())}
    assert {colours.kind[0].rgb(), colours.kind[3].rgb(), colours.free.rgb()} <= seen


def test_the_visible_part_is_framed_and_the_selection_marked(show: Show) -> None:
    ruler = show()
    plain = ruler.grab().toImage()
    ruler.set_visible_range(100, 120)
    ruler.select("before", 200)
    assert ruler.grab().toImage() != plain
    ruler.set_visible_range(-1, -1)
    ruler.select("before", -1)
    assert ruler.grab().toImage() == plain


def test_without_a_limit_or_messages_it_still_paints(show: Show) -> None:
    ruler = show(fake_screen("high-density", limit=None))
    assert context(ruler).view.total == context(ruler).content.before.sums[-1]
    assert not Ruler().grab().isNull()


def test_it_has_a_name_and_says_what_it_shows(show: Show) -> None:
    ruler = show()
    assert ruler.accessibleName()
    assert context(ruler).content.screen.marks.after_saved in ruler.accessibleDescription()


def test_painting_again_does_not_reckon_again(show: Show) -> None:
    ruler = show(fake_screen("high-density", messages=20_000, limit=None))
    painted = list(context(ruler).content.cached_pictures)
    ruler.set_visible_range(3, 400)
    ruler.grab()
    assert context(ruler).content.cached_pictures == painted != []
    assert ruler.grab().toImage().pixelColor(0, 0) == QColor(theme("light").surface)


def test_a_cleared_ruler_says_that_it_counts_and_has_no_handles(show: Show) -> None:
    ruler = show()
    ruler.clear()
    ruler.grab()
    assert ruler.accessibleDescription() == "counting"
    QTest.mouseClick(ruler, LEFT, pos=QPoint(300, 50))
    assert not ruler._moves.painted_handles()


def test_a_locked_handle_that_belongs_to_no_setting_can_be_clicked(show: Show, qtbot: QtBot) -> None:
    screen = fake_screen(locked="Tokens decide.")
    bare = [replace(one, key="", stops=array("q", [one.index]), values=array("d")) for one in screen.handles]
    ruler = show(replace(screen, handles=tuple(bare)))
    with qtbot.waitSignal(ruler.cut_clicked):
        QTest.mouseClick(ruler, LEFT, pos=at(ruler, bare[0].index, 28))


@pytest.mark.parametrize("line", ["trigger", "limit", "target"])
def test_what_was_saved_goes_out_of_the_way_of_a_line(show: Show, line: str) -> None:
    screen = fake_screen()
    after = sum(screen.after.tokens)
    at_line = {name: after + 4_000 if name == line else None for name in ("trigger", "limit", "target")}
    marks = replace(screen.marks, **at_line)  # type: ignore[arg-type]
    frame = context(show(replace(screen, marks=marks)))
    start = frame.x(after) + SAVING_GAP
    assert start < frame.x(after + 4_000) < start + 150
    assert first_clear_x(frame, start, 150) == frame.x(after + 4_000) + SAVING_GAP
    assert first_clear_x(frame, start + 400, 150) == start + 400


@pytest.mark.parametrize(("width", "moves"), [(1600, True), (500, False)])
def test_what_was_saved_stands_right_of_the_target_where_it_fits(show: Show, width: int, moves: bool) -> None:
    screen = fake_screen()
    after = sum(screen.after.tokens)
    target = after + 12_000 * 1600 // width  # as many pixels, at the end of the text
    marks = replace(screen.marks, trigger=None, limit=None, target=target)
    frame = context(show(replace(screen, marks=marks), width))
    box, near = saved_box(frame), frame.x(after) + SAVING_GAP
    assert box is not None
    assert near < frame.x(target) < near + box.width()
    assert box.left() == (frame.x(target) + SAVING_GAP if moves else near)


def test_the_label_of_a_band_stands_beside_a_line_or_gets_shorter(show: Show) -> None:
    screen = fake_screen()
    marks = replace(screen.marks, trigger=40_000, limit=None, target=None)
    frame = context(show(replace(screen, marks=marks)))
    line, texts = frame.x(40_000), ("middle · 245 summarised · 88,383", "middle 245")
    wide = text_width(frame.bold, texts[0])
    assert labels_beside_lines(frame, texts, line - 20, line + 400) == (line + SAVING_GAP, texts[0])
    assert labels_beside_lines(frame, texts, line - wide - 40, line) == (line - wide - 40, texts[0])
    assert labels_beside_lines(frame, texts, line - 100, line + 20) == (line - 100, texts[1])
    assert labels_beside_lines(frame, texts, line - 20, line + 30)[1] == ""


def test_the_columns_of_a_bar_are_made_once_for_a_view() -> None:
    book = ruler_maths.token_sums(ruler_maths.prefix_sums([1, 1]), [1, 1], bytes([2, 3]))
    near, far = ruler_maths.whole_range(2, 2), ruler_maths.whole_range(4, 4)
    made = kind_columns(book, near)
    assert kind_columns(book, near) is made
    assert kind_columns(book, far) == ruler_maths.pixel_columns(book, far, ruler_maths.KIND_WEIGHTS) != made
    assert kind_columns(book, near) == made
