"""Dragging the row of a cut, or its handle: the row stays at its height, the list moves under
it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.lists.row_plan import RowKind
from core.presentation.ruler.geometry import CutHandle, CutMove
from core.presentation.ruler.wording import cut_move
from core.presentation.screen_model import Screen
from gui.aim_field import Aim
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.table_view import MessageListView
from gui.widgets.theme import body_font
from tests.gui import pointer
from tests.gui.session_screen import KEPT, session_screen

LEFT, SCREEN = Qt.MouseButton.LeftButton, session_screen()
TOP = SCREEN.ruler.handles[0]


@pytest.fixture
def page(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InspectPage]:
    qapp.setFont(body_font())
    session = BackendClient()
    monkeypatch.setattr(session, "call", lambda *_, **__: _Answer())
    inspect_page = InspectPage(session, Aim())
    qtbot.addWidget(inspect_page)
    inspect_page.resize(1400, 800)
    inspect_page.show()
    inspect_page.show_screen(SCREEN)
    inspect_page.finish()
    QApplication.processEvents()
    yield inspect_page
    session.close()


class _Answer:
    """A call that is never answered."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: self


def list_of(page: InspectPage) -> MessageListView:
    return page.lists.list.view


def drag(page: InspectPage, rows: float, name: str = "top") -> int:
    """Press on the row of a cut and move the pointer by some rows; return the height of the
    press."""
    view = list_of(page)
    y = view.row_top(view.cut_row(name)) + 5
    ways = (0, rows * view.row_pixels / 2, rows * view.row_pixels)
    pointer.drag(view.viewport(), [QPoint(150, y + round(way)) for way in ways])
    return y


def dragged(page: InspectPage) -> CutMove:
    move = page.lists.list.model.move
    assert move is not None
    return move


def drop(page: InspectPage, y: int) -> None:
    QTest.mouseRelease(list_of(page).viewport(), LEFT, pos=QPoint(150, y))


def moved(screen: Screen, to: int, *, provisional: bool) -> Screen:
    """Return the screen with the first cut before message ``to``."""
    handle = replace(TOP, index=to, setting=TOP.values[TOP.stops.index(to)])
    cuts = (
        replace(screen.source.cuts[0], boundary=to, text=f"Top ends after #{to}"),
        *screen.source.cuts[1:],
    )
    return replace(
        screen,
        provisional=provisional,
        ruler=replace(screen.ruler, handles=(handle, *screen.ruler.handles[1:])),
        source=replace(screen.source, cuts=cuts),
    )


def test_the_row_of_a_dragged_cut_stays_and_says_where_it_was(
    page: InspectPage,
) -> None:
    view, model = list_of(page), page.lists.list.model
    height = view.row_top(view.cut_row("top"))
    y = drag(page, 6)
    assert view.row_top(view.cut_row("top")) == height
    move = dragged(page)
    assert move.boundary in TOP.stops
    assert abs(move.boundary - TOP.index - 6) <= 2
    cut = view.cut_row("top")
    assert model.plan.message_at(cut - 1) == ("before", move.boundary - 1)
    assert model.accessible_text(cut) == f"{move.text}, {move.detail}"
    assert move.text == f"Top ends after #{move.boundary}"
    assert move.detail.startswith(f"was #{TOP.index} · keeps ")
    drop(page, y)


def test_while_a_cut_is_dragged_right_halves_are_empty_and_nothing_is_folded(
    page: InspectPage,
) -> None:
    y = drag(page, 6)
    plan = page.lists.list.model.plan
    assert set(plan.kinds) <= {
        RowKind.MESSAGE,
        RowKind.CUT,
        RowKind.RECORDED,
        RowKind.SYSTEM,
    }
    assert plan.kinds.count(RowKind.MESSAGE) == len(SCREEN.source.rows)
    drop(page, y)


def test_rows_that_change_sides_have_a_bar(page: InspectPage) -> None:
    view = list_of(page)
    y = drag(page, 6)
    image, accent = view.viewport().grab().toImage(), view.rows.theme.accent_text
    cut = view.cut_row("top")
    for row, has_bar in ((cut - 1, True), (cut + 1, False)):
        place = QPoint(1, view.row_top(row) + view.row_pixels // 2)
        assert (image.pixelColor(place * image.devicePixelRatio()) == accent) is has_bar
    drop(page, y)


def test_a_dropped_cut_is_shown_with_its_result_at_the_same_height(
    page: InspectPage,
) -> None:
    view, model = list_of(page), page.lists.list.model
    height = view.row_top(view.cut_row("top"))
    y = drag(page, 6)
    to = dragged(page).boundary
    page.show_screen(moved(SCREEN, to, provisional=True))
    drop(page, y)
    page.show_screen(
        moved(SCREEN, to, provisional=True)
    )  # a preview that was on its way
    assert dragged(page).boundary == to
    page.show_screen(moved(SCREEN, to, provisional=False))
    assert model.move is None
    assert RowKind.CELL in model.plan.kinds
    assert view.row_top(view.cut_row("top")) == height


def test_a_drop_moves_the_setting_once_for_all(page: InspectPage) -> None:
    moves: list[tuple[str, float, bool]] = []
    page.ruler.handle_moved.connect(lambda *move: moves.append(move))
    drop(page, drag(page, 6))
    assert [final for *_, final in moves][-1] is True
    assert all(not final for *_, final in moves[:-1])
    assert all(value in TOP.values for _, value, _ in moves)


def test_escape_puts_a_dragged_cut_back(page: InspectPage) -> None:
    view, model = list_of(page), page.lists.list.model
    moves: list[tuple[str, float, bool]] = []
    page.ruler.handle_moved.connect(lambda *move: moves.append(move))
    height = view.row_top(view.cut_row("top"))
    y = drag(page, 6)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert moves[-1] == (TOP.key, TOP.setting, True)
    assert dragged(page).boundary == TOP.index
    drop(page, y)
    page.backend.idle.emit()  # nothing else comes
    assert model.move is None
    assert view.row_top(view.cut_row("top")) == height


def test_a_click_on_a_cut_moves_nothing(page: InspectPage, qtbot: QtBot) -> None:
    view = list_of(page)
    before = view.message_model.plan
    with qtbot.assertNotEmitted(page.ruler.handle_moved):
        drop(page, drag(page, 0))
    assert view.message_model.plan is before


def test_a_locked_cut_cannot_be_dragged(page: InspectPage, qtbot: QtBot) -> None:
    locked = tuple(
        replace(handle, locked="Tokens decide.") for handle in SCREEN.ruler.handles
    )
    page.show_screen(replace(SCREEN, ruler=replace(SCREEN.ruler, handles=locked)))
    with qtbot.assertNotEmitted(page.ruler.handle_moved):
        drop(page, drag(page, 6))
    view = list_of(page)
    assert view.message_model.can_drag(view.cut_row("top")) is False


def test_a_handle_that_is_dragged_in_the_ruler_moves_the_list_in_the_same_way(
    page: InspectPage,
) -> None:
    page.ruler.drag_cut("top", TOP.index + 5)
    view = list_of(page)
    assert dragged(page).name == "top"
    assert 0 <= view.row_top(view.cut_row("top")) < view.viewport().height()
    page.ruler.end_drag(is_applied=True)


def test_beyond_the_list_the_cut_moves_on_by_itself(
    page: InspectPage, qtbot: QtBot
) -> None:
    view = list_of(page)
    y = drag(page, view.viewport().height() / view.row_pixels + 2)
    first = dragged(page).boundary
    qtbot.waitUntil(lambda: dragged(page).boundary > first)
    drop(page, y)


@pytest.mark.parametrize(
    ("handle", "origin", "to", "words"),
    [
        (TOP, 32, 46, ("Top ends after #46", "was #32 · keeps 46 · ")),
        (TOP, 32, 0, ("Top is empty", "was #32 · keeps 0 · ")),
        (TOP, 0, 32, ("Top ends after #32", "was empty · keeps 32 · ")),
        (
            SCREEN.ruler.handles[1],
            350,
            360,
            ("Bottom starts at #361", "was #351 · keeps 52 · "),
        ),
    ],
)
def test_a_dragged_cut_in_words(
    handle: CutHandle, origin: int, to: int, words: tuple[str, str]
) -> None:
    bare = replace(handle, non_input=handle.non_input[:0])
    move = cut_move(bare, origin, to, range(len(SCREEN.source.rows) + 1))
    assert move.text == words[0]
    assert move.detail.startswith(words[1])


def test_the_fates_of_the_draft_are_shown_while_a_cut_is_dragged(
    page: InspectPage,
) -> None:
    y = drag(page, 6)
    kept = bytes(len(SCREEN.source.rows))
    page.show_screen(
        replace(
            moved(SCREEN, TOP.stops[-1], provisional=True),
            source=replace(
                moved(SCREEN, TOP.stops[-1], provisional=True).source, fates=kept
            ),
        )
    )
    assert set(page.lists.list.model.before.fates) == {KEPT}
    drop(page, y)
