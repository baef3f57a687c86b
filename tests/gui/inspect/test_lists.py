"""The list: views, cells, keys, collapsed runs, filter, selection; and while a file is read."""

import pickle
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import ChangeLine, MessageChanges
from core.presentation.lists import side_rows
from core.presentation.lists.row_plan import RowFlag, RowKind
from core.presentation.lists.side_rows import with_plan
from core.presentation.losses_words import NOT_COUNTED
from core.presentation.model import FATES, RUN_TOPIC, Notice, RowsReadEvent
from core.presentation.ruler.geometry import CutMove
from core.presentation.screen_model import REPAIRED_COPY, Screen
from gui.aim_field import Aim
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.lists.row_parts import fitted_text, list_fonts
from gui.inspect.lists.table_model import (
    AFTER,
    BEFORE,
    CHANGES,
    VIEWS,
    ListState,
    MessageListModel,
)
from gui.widgets.theme import body_font
from tests.gui.fake_prompts import fake_question
from tests.gui.session_screen import INSERTED, KEPT, SUMMARISED, session_screen

Show = Callable[..., AlignedList]
EDITED = FATES.index("edited")


def model_of(screen: Screen, view: str) -> MessageListModel:
    model = MessageListModel()
    model.set_state(ListState(view=view))
    model.show_screen(screen)
    return model


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("strategy", ["middle-out", "high-density"])
def test_the_model_keeps_qt_rules(
    qtmodeltester: ModelTester, view: str, strategy: str
) -> None:
    qtmodeltester.check(
        model_of(session_screen(strategy, messages=120), view), force_py=True
    )  # type: ignore[no-untyped-call]


def test_a_list_of_a_new_transcript_is_painted_where_it_stays(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen, height=300)
    lists.set_rows(screen.source.rows)  # as while a file is read
    bar = lists.list.view.verticalScrollBar()
    places = [bar.value() for _ in lists.show_in_steps(screen)]
    assert [bar.value()] == places
    assert bar.value() > 0


def test_rows_speak_for_themselves() -> None:
    screen = session_screen(messages=120)
    model = model_of(screen, AFTER)
    row = model.plan.row_of(AFTER, len(screen.result.rows) - 1)
    assert model.accessible_text(row).startswith(f"{len(screen.result.rows)}, kept, ")
    assert "was #120" in model.accessible_text(row)
    assert model.accessible_text(model.plan.kinds.index(RowKind.COMPACTED)).startswith(
        "— context compacted"
    )


def test_the_model_grows_with_what_is_read() -> None:
    rows = session_screen(messages=60).source.rows
    model = MessageListModel()
    for start, part in ((0, rows), (60, rows), (120, rows)):
        model.append(RowsReadEvent(1, start, part))
    assert model.rowCount() == 180
    counted = replace(rows, tokens=array("q", range(60)))
    model.append(
        RowsReadEvent(1, 60, counted)
    )  # replaces the rows that were not counted yet
    assert model.rowCount() == 180
    assert model.before.rows.tokens[60:120] == counted.tokens
    assert (
        model.before.rows.tokens[:60] == model.before.rows.tokens[120:] == rows.tokens
    )


def test_rows_of_many_messages_are_planned_by_the_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = session_screen()
    assert with_plan(screen).plan is None
    monkeypatch.setattr(side_rows, "MOST_PLANNED_IN_WINDOW", 100)
    planned = pickle.loads(pickle.dumps(with_plan(screen)))
    own, model = model_of(screen, CHANGES), model_of(planned, CHANGES)
    assert model.plan is planned.plan
    assert model.plan == own.plan
    row = own.plan.kinds.index(RowKind.COLLAPSED)
    for one in (own, model):
        one.toggle(row)  # opened, the window plans again
    assert model.plan == own.plan
    model.show_rows(screen.source.rows)
    assert len(model.plan) == len(screen.source.rows)


# Views


def test_the_views_show_both_sides_or_one(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    result = f"After · {len(screen.result.rows)} messages"
    assert list(lists.column_header.names) == ["Before · 412 messages", result]
    lists.next_view()
    assert lists.current_view == BEFORE
    assert list(lists.column_header.names) == ["Before · 412 messages"]
    lists.next_view()
    assert lists.current_view == AFTER
    assert {
        lists.list.model.plan.message_at(row)[0]
        for row in lists.list.view.visible_rows()
    } <= {
        AFTER,
        "",
    }
    lists.next_view()
    assert lists.current_view == CHANGES
    assert lists.views.choice == 0


def test_the_views_of_a_repaired_copy_are_named_so(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(replace(screen, result_name=REPAIRED_COPY))
    names = [button.text() for button in lists.views.buttons]
    assert names == ["Repair", "Session", "Copy"]
    assert lists.column_header.names[0] == "Session · 412 messages"
    lists.set_screen(screen)
    assert lists.views.buttons[0].text() == "Changes"


def test_the_selected_message_keeps_its_height_in_another_view(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    last = len(screen.source.rows) - 20
    lists.select(BEFORE, last)
    view, plan = lists.list.view, lists.list.model.plan
    height = view.row_top(plan.row_of(BEFORE, last))
    lists.show_view(BEFORE)
    assert view.row_top(lists.list.model.plan.row_of(BEFORE, last)) == height
    assert lists.list.current == (BEFORE, last)
    lists.show_view(AFTER)
    result = lists.list.model.aligned.results[last]
    assert view.row_top(lists.list.model.plan.row_of(AFTER, result)) == height


def test_a_message_that_was_put_back_says_so(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    lists.show_boundary(2)
    plain = lists.list.view.grab().toImage()
    lists.set_screen(
        replace(screen, aligned=replace(screen.aligned, put_back=frozenset({2})))
    )
    row = lists.list.model.plan.row_of(BEFORE, 2)
    assert lists.list.model.accessible_text(row).endswith("; put back by you")
    assert lists.list.view.grab().toImage() != plain


def test_a_result_without_a_change_is_one_list_without_cuts(show_lists: Show) -> None:
    screen = replace(session_screen(messages=60), no_op="Nothing to compact.")
    kept = bytes(len(screen.source.rows))
    results = array("q", range(len(kept)))
    aligned = replace(screen.aligned, results=results, cells={})
    lists = show_lists(
        replace(
            screen,
            aligned=aligned,
            source=replace(screen.source, fates=kept),
            result=replace(
                screen.result, rows=screen.source.rows, fates=kept, origin=results
            ),
        )
    )
    assert set(lists.list.model.plan.kinds) == {RowKind.MESSAGE}
    assert lists.column_header.names == ("Before · 60 messages",)


@pytest.mark.parametrize(("width", "is_stacked"), [(700, False), (600, True)])
def test_in_a_narrow_list_the_result_stands_below(
    show_lists: Show, width: int, is_stacked: bool
) -> None:
    lists = show_lists(session_screen(), width)
    assert lists.list.model.state.is_stacked is is_stacked
    assert lists.column_header.isVisible() is not is_stacked
    block = lists.list.model.plan.blocks[0]
    assert (lists.list.model.plan.left[block.first] < 0) is is_stacked


# Keys and selection


def test_arrow_keys_fold_and_unfold(show_lists: Show) -> None:
    shown = show_lists(session_screen()).list
    row = list(shown.model.plan.kinds).index(RowKind.COLLAPSED)
    shown.view.setCurrentIndex(shown.model.index(row, 0))
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert shown.model.plan.kinds[row] == RowKind.EXPANDED
    QTest.keyClick(shown.view, Qt.Key.Key_Down)
    QTest.keyClick(shown.view, Qt.Key.Key_Left)  # from inside
    assert shown.model.plan.kinds[row] == RowKind.COLLAPSED
    assert shown.view.currentIndex().row() == row


def test_a_double_click_opens_a_fold_once(show_lists: Show) -> None:
    shown = show_lists(session_screen()).list
    row = list(shown.model.plan.kinds).index(RowKind.COLLAPSED)
    shown.view.scroll_into_view(row)
    place = QPoint(60, shown.view.row_top(row) + 5)
    QTest.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown.model.plan.kinds[row] == RowKind.EXPANDED


def test_moving_selects_and_says_so(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    lists.select(BEFORE, 4)
    with qtbot.waitSignal(lists.list.selected) as caught:
        QTest.keyClick(lists.list.view, Qt.Key.Key_Down)
    assert caught.args == [BEFORE, 5]
    assert lists.list.current == (BEFORE, 5)


def test_selecting_by_program_is_silent_and_opens_the_fold(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = show_lists(session_screen())
    with qtbot.assertNotEmitted(lists.list.selected):
        lists.select(BEFORE, 200)
    row = lists.list.view.currentIndex().row()
    assert lists.list.model.plan.message_at(row) == (BEFORE, 200)
    start, end = lists.list.view.visible_range()
    assert start <= 200 < end


def test_a_message_of_the_other_side_is_shown_in_changes(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    lists.show_view(BEFORE)
    lists.select(AFTER, 3)
    assert lists.current_view == CHANGES
    assert lists.list.current == (AFTER, 3)


def test_the_pair_partner_is_bracketed_and_reached_by_key(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    call = next(index for index in range(10) if index in screen.source.partners)
    partner = screen.source.partners[call][0]
    lists.select(BEFORE, call)
    assert lists.list.view.rows.selected == {call, partner}
    QTest.keyClick(lists.list.view, Qt.Key.Key_BracketRight)
    assert lists.list.current == (BEFORE, partner)


def test_o_goes_to_the_summary_and_back(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    lists.select(BEFORE, 200)
    QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert lists.list.current == (AFTER, screen.aligned.results[200])
    QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert lists.list.current == (BEFORE, 200)
    lists.select(AFTER, screen.aligned.results[300])  # not come from there
    lists.list.came_from = 2
    QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert lists.list.current == (BEFORE, screen.source.fates.index(SUMMARISED))


def test_a_summarised_message_keeps_its_height_through_all_views(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    source = screen.source.fates.index(SUMMARISED) + 2
    lists.select(BEFORE, source)
    view = lists.list.view
    height = view.row_top(lists.list.model.plan.row_of(BEFORE, source))
    lists.next_view()
    assert view.row_top(view.currentIndex().row()) == height
    lists.next_view()  # its summary stands for it in After
    assert lists.list.model.plan.message_at(view.currentIndex().row()) == (
        AFTER,
        screen.aligned.results[source],
    )
    assert view.row_top(view.currentIndex().row()) == height
    lists.next_view()
    assert lists.list.current == (BEFORE, source)
    assert view.row_top(view.currentIndex().row()) == height


def test_alt_and_an_arrow_move_the_cut_of_the_row(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = show_lists(session_screen())
    shown = lists.list
    cut = list(shown.model.plan.kinds).index(RowKind.CUT)
    shown.view.setCurrentIndex(shown.model.index(cut, 0))
    with qtbot.waitSignal(lists.list.cut_moved) as moved:
        QTest.keyClick(shown.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert moved.args == ["top", 1]


def test_a_moved_cut_stays_where_it_is_and_the_list_moves_under_it(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    view, model = lists.list.view, lists.list.model
    view.setCurrentIndex(model.index(view.cut_row("top"), 0))
    height = view.row_top(view.cut_row("top"))
    cuts = tuple(replace(cut, boundary=cut.boundary - 9) for cut in screen.source.cuts)
    lists.set_screen(replace(screen, source=replace(screen.source, cuts=cuts)))
    assert view.current_cut() == ("top", height)


def test_nothing_moves_on_a_preview_another_view_or_a_question(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    widgets = (
        lists.head,
        lists.views,
        lists.change_steps,
        lists.column_header,
        lists.list,
        lists.list.overview,
    )

    def places() -> list[QRect]:
        QApplication.processEvents()
        return [widget.geometry() for widget in widgets]

    before, scrolled = places(), lists.list.view.verticalScrollBar().value()
    lists.set_screen(replace(screen, request=replace(screen.request, stale=True)))
    lists.list.set_outdated(True)
    lists.list.show_notice(Notice("error", "It failed.", "why", topic=RUN_TOPIC))
    lists.list.mark_matches(MessageChanges(0, (ChangeLine("found", "upload"),)))
    lists.set_flag(RowFlag.MARK, ())
    assert (places(), lists.list.view.verticalScrollBar().value()) == (before, scrolled)
    for view in (BEFORE, AFTER, CHANGES):
        lists.show_view(view)
        assert places() == before
    lists.run_pane.show_question(fake_question())
    assert places() == before
    lists.run_pane.clear()
    assert places() == before
    handle = screen.ruler.handles[0]
    move = CutMove("top", handle.index, handle.stops[0], "Top is empty", "was #83")
    for step in (move, None):
        lists.list.show_drag(step)
        assert places() == before
    lists.list.end_drag()
    assert places() == before


def test_a_line_that_stands_for_a_message_keeps_its_end() -> None:
    stub = "[Bash pytest -x tests/upload --count 50 -k half_close: 1 failed, 40 passed, error]"
    face = list_fonts(body_font()).mono
    text, width = fitted_text(face, stub, 200, elides_middle=True)
    assert (text.endswith("error]"), text.startswith("[Bash"), width <= 200) == (
        True,
        True,
        True,
    )


def test_hidden_tokens_are_the_first_row_before_and_none_after(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(
        replace(
            screen,
            ruler=replace(
                screen.ruler, totals=replace(screen.ruler.totals, hidden=18_320)
            ),
        )
    )
    model = lists.list.model
    assert (
        model.accessible_text(0)
        == "18,320 tokens of system prompt and tools, in no message"
    )
    lists.show_view(AFTER)
    assert RowKind.SYSTEM not in model.plan.kinds


def test_the_selection_follows_its_message_into_the_next_preview(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    last = len(screen.result.rows) - 1
    lists.select(AFTER, last)
    next_screen = session_screen("high-density")
    lists.set_screen(next_screen)
    side, index = lists.list.current
    assert side == AFTER
    assert next_screen.result.origin[index] == screen.result.origin[last]


def test_the_list_follows_a_boundary(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    lists.show_boundary(380)
    start, end = lists.list.view.visible_range()
    assert start < 380 < end
    lists.show_boundary(-1)


# Chips and filter


def test_chips_count_filter_and_solo(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    model = lists.list.model
    kept, summarised, inserted = lists.head.chips
    assert (kept.fate, summarised.fate, inserted.fate) == (KEPT, SUMMARISED, INSERTED)
    QTest.mouseClick(kept, Qt.MouseButton.LeftButton)
    assert model.state.hidden == {KEPT}
    cuts = len(model.before.cuts)
    assert (
        model.rowCount()
        == model.before.fates.count(SUMMARISED)
        + model.after.fates.count(INSERTED)
        + cuts
    )
    assert model.plan.blocks == ()
    QTest.mouseClick(summarised, Qt.MouseButton.LeftButton)
    QTest.mouseClick(
        inserted, Qt.MouseButton.LeftButton
    )  # hiding the last one shows all again
    assert model.state.hidden == frozenset()
    QTest.mouseClick(kept, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier)
    assert model.state.hidden == {SUMMARISED, INSERTED}


class LayoutCounter(QObject):
    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_chips_that_left_out_their_words_ask_for_no_more_layouts(
    show_lists: Show, qtbot: QtBot
) -> None:
    head = show_lists(session_screen(), 640).head
    qtbot.waitUntil(lambda: head.chips[0].text() == head.chips[0].texts[1])
    layouts = LayoutCounter(head)
    for _ in range(20):
        QCoreApplication.sendPostedEvents()
    assert layouts.count <= 2


def test_a_filter_that_leaves_nothing_says_so(show_lists: Show) -> None:
    screen = replace(session_screen(), source=replace(session_screen().source, cuts=()))
    lists = show_lists(screen)
    said = lists.list.empty_text
    assert said.isHidden()
    lists.set_masks(bytes(len(screen.source.rows)), bytes(len(screen.result.rows)))
    assert said.isVisible()
    lists.set_masks(b"", b"")
    assert said.isHidden()


def test_a_tooltip_shows_markup_as_it_is() -> None:
    screen = session_screen(messages=120)
    model = model_of(screen, AFTER)
    row = model.plan.row_of(AFTER, screen.result.fates.index(INSERTED))
    assert "&lt;state_snapshot&gt;" in model.index(row, 0).data(
        Qt.ItemDataRole.ToolTipRole
    )


# While a file is read

SCREEN = session_screen(messages=60)
ROWS = SCREEN.source.rows
UNCOUNTED = replace(ROWS, tokens=array("q", [-1]) * len(ROWS))


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> Iterator[InspectPage]:
    qapp.setFont(body_font())
    backend = BackendClient()
    inspect_page = InspectPage(backend, Aim())
    qtbot.addWidget(inspect_page)
    inspect_page.resize(1400, 800)
    inspect_page.show()
    yield inspect_page
    backend.close()


def test_a_file_that_is_read_shows_its_rows_in_every_view(show_lists: Show) -> None:
    lists = show_lists(SCREEN)
    lists.show_view(AFTER)
    lists.set_rows(ROWS)
    assert lists.list.model.main.side == BEFORE
    assert lists.list.model.plan.message_at(0) == (BEFORE, 0)
    assert lists.list.empty_text.isHidden()


def test_rows_are_shown_before_they_are_counted(page: InspectPage) -> None:
    page.loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    assert list(page.lists.rows.tokens) == [-1] * 120
    assert page.lists.column_header.names == ("Before · 120 messages so far",)
    page.loading.show_rows(RowsReadEvent(1, 0, ROWS))
    assert list(page.lists.rows.tokens) == [*ROWS.tokens, *[-1] * 60]


def test_the_rows_of_another_file_end_the_figures_of_the_former(
    page: InspectPage,
) -> None:
    page.show_screen(SCREEN)
    page.finish()
    assert page.verdict.size_cell.visible_phrases()
    page.loading.show_rows(RowsReadEvent(2, 0, UNCOUNTED))
    texts = [cell.accessibleName() for cell in page.verdict.cells]
    assert texts == [
        "Size: counting…",
        "Messages: 60 messages so far",
        "Losses",
        "Price",
    ]
    page.begin()  # its title is known
    assert [cell.accessibleName() for cell in page.verdict.cells] == texts


def test_the_ruler_grows_to_the_right(qtbot: QtBot, page: InspectPage) -> None:
    page.loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    page.loading.show_rows(RowsReadEvent(1, 0, ROWS))
    total = sum(ROWS.tokens)
    qtbot.waitUntil(lambda: page.ruler.view.total == 2 * total, timeout=20_000)


def test_a_preview_takes_the_place_of_what_was_filling(page: InspectPage) -> None:
    page.loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.begin()  # its title is known
    assert len(page.lists.rows) == 60
    page.show_screen(SCREEN)
    page.finish()
    assert page.lists.rows == ROWS
    assert len(page.lists.list.model.after.rows) == len(SCREEN.result.rows)


def test_a_cancelled_reading_leaves_the_open_transcript(page: InspectPage) -> None:
    page.show_screen(SCREEN)
    page.finish()
    page.loading.show_rows(RowsReadEvent(9, 0, replace(UNCOUNTED)))
    assert page.lists.rows.tokens[0] == -1
    page.backend.idle.emit()
    page.finish()
    assert page.lists.rows == ROWS
    assert page.preview is SCREEN


def test_losses_that_were_not_counted_are_not_said_to_be_counted(
    page: InspectPage,
) -> None:
    page.show_screen(SCREEN)
    page.finish()
    page.backend._calls.cancel(page.backend._worker.serial)
    assert page.verdict.losses_cell.cell.text == NOT_COUNTED
    assert page.inspector.losses.words.text == f"{NOT_COUNTED} · Count now"
