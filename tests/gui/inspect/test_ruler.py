"""The ruler widget: clicks, handles by pointer and keyboard, zoom, painting."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.ruler.geometry import RulerMust
from core.presentation.screen_model import Screen
from gui.inspect.ruler.bars import LABEL_GAP, RulerFrame, band_labels
from gui.inspect.ruler.overlay import tip_left
from gui.inspect.ruler.ruler_widget import Ruler
from gui.widgets.theme import body_font
from tests.gui.pointer import drag
from tests.gui.session_screen import session_screen

LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., Ruler]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    def make(screen: Screen | None = None, width: int = 1600) -> Ruler:
        ruler = Ruler()
        qtbot.addWidget(ruler)
        ruler.setFont(body_font())
        ruler.resize(width, 200)
        ruler.show()
        ruler.set_screen(screen or session_screen())
        QApplication.processEvents()
        ruler.clearFocus()
        return ruler

    return make


def context(ruler: Ruler) -> RulerFrame:
    frame = ruler.frame()
    assert frame is not None
    return frame


def at(ruler: Ruler, boundary: float, y: int = 30) -> QPoint:
    """Return the widget's point of a boundary before message n, or between two."""
    frame, below = context(ruler), int(boundary)
    sums = frame.content.before.sums
    tokens = sums[below] + (boundary - below) * (
        sums[min(below + 1, len(sums) - 1)] - sums[below]
    )
    return QPoint(round(frame.x(tokens)), y)


def moves_of(ruler: Ruler) -> list[tuple[str, float, bool]]:
    """Return a list that grows with each move of a handle: setting, value, whether it is final."""
    moves: list[tuple[str, float, bool]] = []
    ruler.handle_moved.connect(lambda *move: moves.append(move))
    return moves


def wheel(ruler: Ruler, place: QPoint, notches: int = 1) -> None:
    point, control = QPointF(place), Qt.KeyboardModifier.ControlModifier
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    turn = (QPoint(), QPoint(0, 120 * notches), none, control, phase, False)
    QApplication.sendEvent(ruler, QWheelEvent(point, ruler.mapToGlobal(point), *turn))


def test_the_message_under_the_pointer_is_named_and_a_click_selects_it(
    show: Show, qtbot: QtBot
) -> None:
    ruler = show()
    tokens = context(ruler).content.screen.source.rows.tokens
    index = max(range(100, 200), key=tokens.__getitem__)
    with qtbot.waitSignal(ruler.hovered) as caught:
        QTest.mouseMove(ruler, at(ruler, index + 0.5))
    assert caught.args == ["before", index, index]
    assert ruler.tip(QPointF(at(ruler, index + 0.5))).startswith(f"#{index + 1} ")
    with qtbot.waitSignal(ruler.message_clicked) as caught:
        QTest.mouseClick(ruler, LEFT, pos=at(ruler, index + 0.5))
    assert caught.args == ["before", index]


def test_dragging_a_handle_snaps_and_emits(show: Show) -> None:
    ruler = show()
    moves = moves_of(ruler)
    handle = context(ruler).content.screen.ruler.handles[1]
    drag(
        ruler, [at(ruler, handle.index, 12), at(ruler, 250.4, 12), at(ruler, 200.4, 12)]
    )
    assert [final for _, _, final in moves] == [False, False]
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 200.4, 12))
    key, value, final = moves[-1]
    assert (key, final) == (handle.key, True)
    assert handle.stops[list(handle.values).index(value)] in range(198, 203)


def test_escape_puts_a_dragged_handle_back(show: Show) -> None:
    ruler = show()
    moves = moves_of(ruler)
    handle = context(ruler).content.screen.ruler.handles[0]
    drag(ruler, [at(ruler, handle.index, 12), at(ruler, 120, 12)])
    QTest.keyClick(ruler, Qt.Key.Key_Escape)
    assert moves[-1] == (handle.key, 0.2, True)
    assert ruler.moves.painted_handles()[0].index == handle.index


def test_click_on_a_handle_asks_about_the_cut(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    with qtbot.waitSignal(ruler.cut_clicked) as caught:
        QTest.mouseClick(
            ruler,
            LEFT,
            pos=at(ruler, context(ruler).content.screen.ruler.handles[1].index, 12),
        )
    assert caught.args == ["bottom"]


def test_a_locked_handle_does_not_move_and_says_why(show: Show) -> None:
    screen = session_screen()
    handles = tuple(
        replace(one, locked="Tokens decide.") for one in screen.ruler.handles
    )
    ruler = show(replace(screen, ruler=replace(screen.ruler, handles=handles)))
    moves = moves_of(ruler)
    index = context(ruler).content.screen.ruler.handles[0].index
    drag(ruler, [at(ruler, index, 12), at(ruler, 200, 12)])
    QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 200, 12))
    assert not moves
    assert ruler.tip(QPointF(at(ruler, index, 12))) == "Tokens decide."


def test_tab_reaches_the_handles_and_arrows_move_them(show: Show) -> None:
    ruler = show()
    moves = moves_of(ruler)
    ruler.setFocus(Qt.FocusReason.TabFocusReason)
    assert ruler.moves.focused == "top"
    QTest.keyClick(ruler, Qt.Key.Key_Tab)
    assert ruler.moves.focused == "bottom"
    handle = context(ruler).content.screen.ruler.handles[1]
    stop = list(handle.stops).index(handle.index)
    QTest.keyClick(ruler, Qt.Key.Key_Right)
    assert moves == [
        (handle.key, handle.values[stop + 1], final) for final in (False, True)
    ]
    QTest.keyClick(ruler, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert moves[-1][1] == handle.values[stop - 9]


def test_the_wheel_zooms_at_the_pointer_and_0_resets(show: Show) -> None:
    ruler = show()
    place = at(ruler, 200)
    before = ruler.view.tokens(place.x() - 76)
    wheel(ruler, place, 4)
    assert ruler.view.zoomed
    assert ruler.view.tokens(place.x() - 76) == pytest.approx(before)
    assert ruler.hasFocus()
    QTest.keyClick(ruler, Qt.Key.Key_0)
    assert not ruler.view.zoomed


def test_dragging_with_shift_pans_when_zoomed_and_selects_nothing(
    show: Show, qtbot: QtBot
) -> None:
    ruler = show()
    wheel(ruler, at(ruler, 200), 6)
    start = ruler.view.start
    with qtbot.assertNotEmitted(ruler.message_clicked):
        drag(
            ruler, [QPoint(800, 30), QPoint(700, 30)], Qt.KeyboardModifier.ShiftModifier
        )
        QTest.mouseRelease(ruler, LEFT, pos=QPoint(700, 30))
    assert ruler.view.start == pytest.approx(start + 100 / ruler.view.scale)
    assert ruler.stretch.first == -1


def test_dragging_selects_the_messages_under_it(show: Show, qtbot: QtBot) -> None:
    ruler = show()
    with (
        qtbot.assertNotEmitted(ruler.message_clicked),
        qtbot.waitSignal(ruler.stretch_changed),
    ):
        drag(ruler, [at(ruler, 100), at(ruler, 140)])
        QTest.mouseRelease(ruler, LEFT, pos=at(ruler, 140))
    assert ruler.stretch.first == 100
    assert ruler.stretch.end in (140, 141)  # the pointer is on the edge of two messages


@pytest.mark.parametrize("width", [1600, 1280, 1024, 720])
@pytest.mark.parametrize("top", [0.001, 0.2, 0.7])
def test_labels_stand_apart_from_each_other_and_from_the_handles(
    show: Show, width: int, top: float
) -> None:
    ruler = show(width=width)
    assert ruler.height() == 92
    frame = context(ruler)
    handles = frame.content.screen.ruler.handles
    moved = replace(handles[0], index=round(top * handles[1].index))
    bands = frame.content.screen.ruler.bands
    first = replace(bands[0], end=moved.index), replace(bands[1], start=moved.index)
    screen = replace(
        frame.content.screen,
        ruler=replace(
            frame.content.screen.ruler,
            handles=(moved, handles[1]),
            bands=(*first, *bands[2:]),
        ),
    )
    ruler.set_screen(screen)
    frame = context(ruler)
    sums = frame.content.before.sums
    spans = sorted(
        (label.left, label.left + label.width) for label in band_labels(frame)
    )
    assert len(spans) >= 2
    assert all(start - end >= LABEL_GAP for (_, end), (start, _) in pairwise(spans))
    for handle in screen.ruler.handles:
        x = frame.x(sums[handle.index])
        assert all(end <= x - 6 or start >= x + 6 for start, end in spans)
    assert not ruler.grab().isNull()  # an error while it paints ends the program


@pytest.mark.parametrize("width", [1600, 1024])
def test_the_tip_of_a_moving_handle_covers_no_other_handle_where_it_can(
    show: Show, width: int
) -> None:
    frame, tip = context(show(width=width)), "Top ends after #25 · keeps 25"
    middle = (frame.lanes.left + frame.right) / 2
    right = tip_left(frame, tip, middle, [])
    assert right > middle
    left = tip_left(
        frame, tip, middle, [right + 20]
    )  # the other handle is at its right
    assert left < middle
    assert tip_left(frame, tip, middle, [right + 20, left + 20]) == right
    assert tip_left(frame, tip, frame.right - 1, []) < frame.right - 1


GONE = RulerMust(40, 0, "dropped", "error", "Ask first: gone · #41")
KEPT = RulerMust(40, 1, "ok", "ok", "Keep it: word for word · #41")
LAST = RulerMust(90, 2, "ok", "ok", "src/a.py: word for word · #91")


def over_must(ruler: Ruler, index: int) -> QPoint:
    return at(ruler, index + 0.5, round(context(ruler).lanes.musts[0]) + 4)


def test_musts_have_a_lane_while_there_are_some(show: Show) -> None:
    ruler = show()
    lanes = context(ruler).lanes
    ruler.set_musts((GONE, KEPT, LAST))
    below = context(ruler).lanes
    assert below.before[0] - lanes.before[0] == ruler.minimumHeight() - lanes.height > 0
    assert "Ask first: gone · #41" in ruler.accessibleDescription()
    assert not ruler.grab().isNull()
    ruler.set_musts(())
    assert context(ruler).lanes == lanes


def test_a_must_says_where_it_stands_and_leads_there(qtbot: QtBot, show: Show) -> None:
    ruler = show()
    ruler.set_musts((GONE, KEPT, LAST))
    assert ruler.tip(QPointF(over_must(ruler, 90))) == LAST.words
    with qtbot.waitSignal(ruler.message_clicked) as clicked:
        QTest.mouseClick(ruler, LEFT, pos=over_must(ruler, 90))
    assert clicked.args == ["before", 90]


def test_musts_too_near_are_one_mark_with_the_worst_first(show: Show) -> None:
    ruler = show()
    ruler.set_musts((replace(KEPT, message=39), GONE, LAST))
    frame = context(ruler)
    assert [
        one.words for one in ruler.musts_at(frame, QPointF(over_must(ruler, 39)))
    ] == [
        GONE.words,
        KEPT.words,
    ]


@pytest.mark.parametrize("hidden", [200_000, 300_000, 400_000, 800_000])
def test_the_label_of_the_top_never_lies_over_the_middle(
    show: Show, hidden: int
) -> None:
    screen = session_screen()
    totals = replace(screen.ruler.totals, hidden=hidden)
    ruler = show(replace(screen, ruler=replace(screen.ruler, totals=totals)))
    frame = context(ruler)
    labels = sorted(band_labels(frame), key=lambda label: label.left)
    assert labels[0].band.name == "Top"
    top_end = frame.x(frame.content.before.sums[labels[0].band.end])
    assert labels[0].left + labels[0].width <= top_end


def test_no_label_reaches_past_the_end_of_the_bar(show: Show) -> None:
    ruler = show(width=1024)
    screen = context(ruler).content.screen
    last, count = screen.ruler.bands[-1], len(screen.source.rows)
    for cut in range(count - 40, count, 2):
        bands = (*screen.ruler.bands[:-1], replace(last, start=cut))
        ruler.set_screen(replace(screen, ruler=replace(screen.ruler, bands=bands)))
        frame = context(ruler)
        assert all(
            label.left + label.width <= frame.right for label in band_labels(frame)
        )


def test_what_no_message_holds_is_a_block_in_front_of_both_bars(show: Show) -> None:
    screen = session_screen()
    totals = replace(
        screen.ruler.totals,
        hidden=20_000,
        hidden_labels=("20,000", "system · 20k", "system"),
    )
    ruler = show(replace(screen, ruler=replace(screen.ruler, totals=totals)))
    content = context(ruler).content
    assert content.before.sums[0] == content.after.sums[0] == 20_000
    assert content.total == 20_000 + sum(screen.source.rows.tokens)
    assert ruler.range_at(context(ruler), QPointF(80, 30)).first == -1
    index = next(
        index for index, tokens in enumerate(screen.source.rows.tokens) if tokens
    )
    assert at(ruler, index).x() > 80
    assert not ruler.grab().isNull()


def test_a_cleared_ruler_says_that_it_counts_and_has_no_handles(show: Show) -> None:
    ruler = show()
    ruler.clear()
    ruler.grab()
    assert ruler.accessibleDescription() == "counting"
    QTest.mouseClick(ruler, LEFT, pos=QPoint(300, 12))
    assert not ruler.moves.painted_handles()


@pytest.mark.parametrize("after_total", ["≈9", "≈123,456,789"])
def test_another_result_is_painted_as_on_a_new_ruler(
    show: Show, after_total: str
) -> None:
    first = session_screen()
    totals = replace(first.ruler.totals, after_total=after_total)
    other = replace(
        session_screen("high-density"),
        ruler=replace(session_screen("high-density").ruler, totals=totals),
        source=replace(session_screen("high-density").source, rows=first.source.rows),
    )
    ruler = show(first)
    ruler.grab()
    ruler.set_screen(other)
    assert ruler.grab().toImage() == show(other).grab().toImage()


def test_handles_in_sight_are_objects_for_screen_readers(show: Show) -> None:
    ruler = show()
    handles = ruler.moves.painted_handles()
    parts = ruler.parts.widgets
    assert [part.accessibleName() for part in parts] == [
        handle.tip for handle in handles
    ]
    for part, handle in zip(parts, handles, strict=True):
        assert part.geometry().contains(at(ruler, handle.index, 12))
    ruler.step_cut("top", 3)
    assert parts[0].accessibleName() == ruler.moves.painted_handles()[0].tip
    ruler.clear()
    assert ruler.parts.widgets == []
