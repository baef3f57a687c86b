"""The list: views, cells, keys, folds, filter, selection; and while a file is read."""

import pickle
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import ChangeLine, MessageChanges
from core.presentation.lists import side_rows
from core.presentation.lists.aligned_model import EditedLines
from core.presentation.lists.aligned_rows import Block
from core.presentation.lists.row_plan import RECORDED_ROWS, RowKind
from core.presentation.lists.row_speech import SPOKEN_CHARS
from core.presentation.lists.side_rows import ListContent, with_plan
from core.presentation.model import FATES, RUN_TOPIC, Notice, NoticeAction, RecordedRow, RowsReadEvent, Screen
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.lists.separators import SEE_BEFORE, TOGGLE_SUMMARY, recorded_links
from gui.inspect.lists.table_model import AFTER, BEFORE, CHANGES, VIEWS, ListState, MessageListModel
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
def test_the_model_keeps_qt_rules(qtmodeltester: ModelTester, view: str, strategy: str) -> None:
    qtmodeltester.check(model_of(session_screen(strategy, messages=120), view), force_py=True)  # type: ignore[no-untyped-call]


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
    assert model.accessible_text(model.plan.kinds.index(RowKind.COMPACTED)).startswith("— context compacted")


def test_the_model_grows_with_what_is_read() -> None:
    rows = session_screen(messages=60).source.rows
    model = MessageListModel()
    for start, part in ((0, rows), (60, rows), (120, rows)):
        model.append(RowsReadEvent(1, start, part))
    assert model.rowCount() == 180
    counted = replace(rows, tokens=array("q", range(60)))
    model.append(RowsReadEvent(1, 60, counted))  # replaces the rows that were not counted yet
    assert model.rowCount() == 180
    assert model.before.rows.tokens[60:120] == counted.tokens
    assert model.before.rows.tokens[:60] == model.before.rows.tokens[120:] == rows.tokens


def test_rows_of_many_messages_are_planned_by_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = session_screen()
    assert with_plan(screen).plan is None
    monkeypatch.setattr(side_rows, "MOST_PLANNED_IN_WINDOW", 100)
    planned = pickle.loads(pickle.dumps(with_plan(screen)))
    own, model = model_of(screen, CHANGES), model_of(planned, CHANGES)
    assert model.plan is planned.plan
    assert model.plan == own.plan
    fold = own.plan.kinds.index(RowKind.FOLD)
    for one in (own, model):
        one.toggle(fold)  # opened, the window plans again
    assert model.plan == own.plan
    model.show_rows(ListContent(side=BEFORE, rows=screen.source.rows))
    assert len(model.plan) == len(screen.source.rows)


# Views


def test_the_views_show_both_sides_or_one(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    result = f"After · {len(screen.result.rows)} messages"
    assert list(lists.column_header.names) == ["Before · 412 messages", result]
    lists.next_view()
    assert lists.shown_view == BEFORE
    assert list(lists.column_header.names) == ["Before · 412 messages"]
    lists.next_view()
    assert lists.shown_view == AFTER
    assert {lists.list.model.plan.message_at(row)[0] for row in lists.list.view.visible_rows()} <= {AFTER, ""}
    lists.next_view()
    assert lists.shown_view == CHANGES
    assert lists.views.choice == 0


def test_the_selected_message_keeps_its_height_in_another_view(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    last = len(screen.source.rows) - 20
    lists.select(BEFORE, last)
    view, plan = lists.list.view, lists.list.model.plan
    height = view.row_top(plan.row_of(BEFORE, last))
    lists.show_view(BEFORE)
    assert view.row_top(lists.list.model.plan.row_of(BEFORE, last)) == height
    assert lists.current_message() == (BEFORE, last)
    lists.show_view(AFTER)
    result = lists.list.model.aligned.results[last]
    assert view.row_top(lists.list.model.plan.row_of(AFTER, result)) == height


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
            result=replace(screen.result, rows=screen.source.rows, fates=kept, origin=results),
        )
    )
    assert set(lists.list.model.plan.kinds) == {RowKind.MESSAGE}
    assert lists.column_header.names == ("Before · 60 messages",)


# Cells


def cell_of(lists: AlignedList) -> tuple[Block, QRect]:
    return next(iter(lists.list.view.visible_blocks()))


def test_a_click_in_a_cell_selects_the_summary_and_one_beside_it_the_message(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = show_lists(session_screen())
    block, rect = cell_of(lists)
    viewport = lists.list.view.viewport()
    with qtbot.waitSignals([lists.selected, lists.clicked]):
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(rect.x() + 20, rect.y() + 60))
    assert lists.current_message() == (AFTER, block.result)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(rect.x() - 20, rect.y() + 5))
    assert lists.current_message() == (BEFORE, block.sources[0])


def test_the_answer_to_the_summary_is_selected_at_the_foot_of_its_cell(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    answer = screen.result.fates.rindex(INSERTED)
    lists.select(AFTER, answer)
    view = lists.list.view
    row = lists.list.model.plan.row_of(AFTER, answer)
    assert view.cell_at(QPoint(view.rows.columns.split + 20, view.row_top(row) + 3)) is None
    place = QPoint(view.rows.columns.split + 40, view.row_top(row) + 3)
    lists.select(BEFORE, 0)
    view.scroll_into_view(row)
    place.setY(view.row_top(row) + 3)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert lists.current_message() == (AFTER, answer)


def test_enter_shows_the_whole_summary_and_again_less(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    block, _ = cell_of(lists)
    lists.select(BEFORE, block.sources[0])
    QTest.keyClick(lists.list.view, Qt.Key.Key_Return)
    assert RowKind.OPEN_FOLD in lists.list.model.plan.kinds
    whole = next(one for one in lists.list.model.plan.blocks if one.result == block.result)
    assert whole.rows >= lists.list.view.cells.rows_of(block.result)
    QTest.keyClick(lists.list.view, Qt.Key.Key_Return)
    assert lists.list.model.plan.blocks[0].rows == block.rows


def test_names_of_the_selected_message_are_marked_in_its_summary(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    block, _ = cell_of(lists)
    plain = lists.list.view.grab().toImage()
    word = lists.list.model.aligned.cells[block.result].text.split()[3]
    lists.list.mark_found(
        MessageChanges(block.sources[0], (ChangeLine("found", word), ChangeLine("gone", "x")), (word,))
    )
    assert lists.list.view.cells.marked == (word,)
    assert lists.list.view.grab().toImage() != plain
    lists.list.mark_found(None)
    assert lists.list.view.grab().toImage() == plain


def test_no_text_of_a_cell_is_painted_outside_of_it(show_lists: Show) -> None:
    """The rows around a cell are the same with another text in it."""
    screen = session_screen()
    lists = show_lists(screen)
    block, rect = cell_of(lists)
    other = {block.result: replace(screen.aligned.cells[block.result], text="x\n" * 400)}

    def outside() -> list[QImage]:
        image = lists.list.view.viewport().grab().toImage()
        return [image.copy(0, 0, rect.x(), image.height()), image.copy(0, 0, image.width(), rect.y())]

    before = outside()
    lists.set_screen(replace(screen, aligned=replace(screen.aligned, cells=other)))
    assert outside() == before


UNWRITTEN = "haiku writes the summary when you press Compact; until then its budget counts."
FAILURE = Notice(
    "error",
    "haiku did not answer.",
    "No API key is set.",
    (NoticeAction("Try again", "compact"), NoticeAction("Use offline", "compact-offline")),
    topic=RUN_TOPIC,
)


def unwritten_screen(text: str = "", *, stale: bool = False, draft: bool = False) -> Screen:
    """Return a screen whose summary is not written; ``text`` is one of other settings."""
    screen = session_screen()
    cells = {at: replace(cell, text=text, state=UNWRITTEN) for at, cell in screen.aligned.cells.items()}
    cells = {at: replace(cell, note="") for at, cell in cells.items()}
    aligned = replace(screen.aligned, cells=cells)
    return replace(
        screen, aligned=aligned, draft=draft, request=replace(screen.request, price="≈ $0.05", stale=stale)
    )


def cell_actions(lists: AlignedList) -> list[str]:
    lists.list.view.grab()  # paints the links
    return [link.action.label for link in lists.list.view.cells.links]


@pytest.mark.parametrize(
    ("screen", "words", "actions"),
    [
        (session_screen(), "<state_snapshot>", ["Edit prompt…", "Show whole summary"]),
        (
            unwritten_screen(),
            f"**Not written yet**\n{UNWRITTEN}",
            ["Compact · ≈ $0.05", "Use offline · free", "Show request"],
        ),
        (unwritten_screen(draft=True), f"**Not written yet**\n{UNWRITTEN}", []),
        (
            unwritten_screen("The old one.", stale=True),
            "The old one.",
            ["Compact again · ≈ $0.05", "Put it back"],
        ),
    ],
    ids=["written", "not written", "while something is dragged", "out of date"],
)
def test_a_cell_says_its_state_and_the_ways_out(
    show_lists: Show, screen: Screen, words: str, actions: list[str]
) -> None:
    lists = show_lists(screen)
    block, _ = cell_of(lists)
    cells = lists.list.view.cells
    assert cells.states.words(lists.list.model.aligned.cells[block.result]).startswith(words)
    assert sorted(cell_actions(lists)) == sorted(actions)


def test_a_failed_run_says_why_in_its_cell_until_another_preview(show_lists: Show) -> None:
    lists = show_lists(unwritten_screen("The old one.", stale=True))
    block, _ = cell_of(lists)
    cells, cell = lists.list.view.cells, lists.list.model.aligned.cells[block.result]
    lists.list.show_notice(replace(FAILURE, topic="judge"))
    assert cells.states.words(cell) == "The old one."
    lists.list.show_notice(FAILURE)
    assert cells.states.words(cell) == "**haiku did not answer.**\nNo API key is set."
    assert sorted(cell_actions(lists)) == ["Try again", "Use offline"]
    lists.list.show_notice(Notice("info", "", "", topic=RUN_TOPIC))
    assert cells.states.words(cell) == "The old one."
    lists.list.show_notice(FAILURE)
    lists.set_screen(unwritten_screen())
    assert cells.states.failure is None


def test_a_link_of_a_cell_does_what_it_says(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(unwritten_screen())
    cell_actions(lists)
    link = next(one for one in lists.list.view.cells.links if one.action.label.startswith("Use offline"))
    with qtbot.waitSignal(lists.action_requested) as clicked:
        QTest.mouseClick(lists.list.view.viewport(), Qt.MouseButton.LeftButton, pos=link.rect.center())
    assert clicked.args == ["compact-offline", ""]


def test_a_summary_of_other_settings_is_painted_as_out_of_date(show_lists: Show) -> None:
    lists = show_lists(unwritten_screen("The old one."))
    fresh = lists.list.view.grab().toImage()
    lists.set_screen(unwritten_screen("The old one.", stale=True))
    assert lists.list.view.grab().toImage() != fresh


def test_an_edit_far_into_a_message_is_painted_from_where_it_differs(show_lists: Show) -> None:
    screen = session_screen("high-density")
    result = next(
        at for at, source in enumerate(screen.result.origin) if screen.source.fates[source] == EDITED
    )
    source = screen.result.origin[result]
    texts, leads = list(screen.result.rows.text), list(screen.result.rows.lead)
    texts[result], leads[result] = screen.source.rows.text[source], screen.source.rows.lead[source]
    same = replace(
        screen,
        result=replace(screen.result, rows=replace(screen.result.rows, text=tuple(texts), lead=tuple(leads))),
    )
    lists = show_lists(same)
    lists.select(BEFORE, source)
    plain = lists.list.view.grab().toImage()
    edits = {result: EditedLines("… retry.py 1 import x", "… retry.py [the same file is in #51]")}
    lists.set_screen(replace(same, aligned=replace(same.aligned, edits=edits)))
    assert lists.list.view.grab().toImage() != plain


@pytest.mark.parametrize(("width", "is_stacked"), [(700, False), (600, True)])
def test_in_a_narrow_list_the_result_stands_below(show_lists: Show, width: int, is_stacked: bool) -> None:
    lists = show_lists(session_screen(), width)
    assert lists.list.model.state.is_stacked is is_stacked
    assert lists.column_header.isVisible() is not is_stacked
    block = lists.list.model.plan.blocks[0]
    assert (lists.list.model.plan.left[block.first] < 0) is is_stacked


# Keys and selection


def test_arrow_keys_fold_and_unfold(show_lists: Show) -> None:
    shown = show_lists(session_screen()).list
    fold = list(shown.model.plan.kinds).index(RowKind.FOLD)
    shown.view.setCurrentIndex(shown.model.index(fold, 0))
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert shown.model.plan.kinds[fold] == RowKind.OPEN_FOLD
    QTest.keyClick(shown.view, Qt.Key.Key_Down)
    QTest.keyClick(shown.view, Qt.Key.Key_Left)  # from inside
    assert shown.model.plan.kinds[fold] == RowKind.FOLD
    assert shown.view.currentIndex().row() == fold


def test_a_double_click_opens_a_fold_once(show_lists: Show) -> None:
    shown = show_lists(session_screen()).list
    fold = list(shown.model.plan.kinds).index(RowKind.FOLD)
    shown.view.scroll_into_view(fold)
    place = QPoint(60, shown.view.row_top(fold) + 5)
    QTest.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown.model.plan.kinds[fold] == RowKind.OPEN_FOLD


def test_moving_selects_and_says_so(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    lists.select(BEFORE, 4)
    with qtbot.waitSignal(lists.selected) as caught:
        QTest.keyClick(lists.list.view, Qt.Key.Key_Down)
    assert caught.args == [BEFORE, 5]
    assert lists.current_message() == (BEFORE, 5)


def test_selecting_by_program_is_silent_and_opens_the_fold(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    with qtbot.assertNotEmitted(lists.selected):
        lists.select(BEFORE, 200)
    row = lists.list.view.currentIndex().row()
    assert lists.list.model.plan.message_at(row) == (BEFORE, 200)
    start, end = lists.list.view.visible_range()
    assert start <= 200 < end


def test_a_message_of_the_other_side_is_shown_in_changes(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    lists.show_view(BEFORE)
    lists.select(AFTER, 3)
    assert lists.shown_view == CHANGES
    assert lists.current_message() == (AFTER, 3)


def test_the_pair_partner_is_bracketed_and_reached_by_key(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    call = next(index for index in range(10) if index in screen.source.partners)
    partner = screen.source.partners[call][0]
    lists.select(BEFORE, call)
    assert lists.list.view.rows.selected == {call, partner}
    QTest.keyClick(lists.list.view, Qt.Key.Key_BracketRight)
    assert lists.current_message() == (BEFORE, partner)


def test_o_goes_to_the_summary_and_back(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    lists.select(BEFORE, 200)
    QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert lists.current_message() == (AFTER, screen.aligned.results[200])
    QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert lists.current_message() == (BEFORE, screen.source.fates.index(SUMMARISED))


def test_alt_and_an_arrow_move_the_cut_of_the_row(show_lists: Show, qtbot: QtBot) -> None:
    lists = show_lists(session_screen())
    shown = lists.list
    cut = list(shown.model.plan.kinds).index(RowKind.CUT)
    shown.view.setCurrentIndex(shown.model.index(cut, 0))
    with qtbot.waitSignal(lists.cut_moved) as moved:
        QTest.keyClick(shown.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert moved.args == ["top", 1]


def test_a_moved_cut_stays_where_it_is_and_the_list_moves_under_it(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    view, model = lists.list.view, lists.list.model
    view.setCurrentIndex(model.index(view.cut_row("top"), 0))
    height = view.row_top(view.cut_row("top"))
    cuts = tuple(replace(cut, position=cut.position - 9) for cut in screen.source.cuts)
    lists.set_screen(replace(screen, source=replace(screen.source, cuts=cuts)))
    assert view.current_cut() == ("top", height)


def test_nothing_moves_on_a_preview_another_view_or_a_question(show_lists: Show) -> None:
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
    lists.set_busy(True)
    assert (places(), lists.list.view.verticalScrollBar().value()) == (before, scrolled)
    for view in (BEFORE, AFTER, CHANGES):
        lists.show_view(view)
        assert places() == before
    lists.run_pane.show_question(fake_question())
    assert places() == before
    lists.run_pane.clear()
    assert places() == before


def test_hidden_tokens_are_the_first_row_before_and_none_after(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(
        replace(screen, ruler=replace(screen.ruler, totals=replace(screen.ruler.totals, hidden=18_320)))
    )
    model = lists.list.model
    assert model.accessible_text(0) == "18,320 tokens of system prompt and tools, in no message"
    lists.show_view(AFTER)
    assert RowKind.SYSTEM not in model.plan.kinds


def test_the_selection_follows_its_message_into_the_next_preview(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    last = len(screen.result.rows) - 1
    lists.select(AFTER, last)
    next_screen = session_screen("high-density")
    lists.set_screen(next_screen)
    side, index = lists.current_message()
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
    assert model.rowCount() == model.before.fates.count(SUMMARISED) + model.after.fates.count(INSERTED) + cuts
    assert model.plan.blocks == ()
    QTest.mouseClick(summarised, Qt.MouseButton.LeftButton)
    QTest.mouseClick(inserted, Qt.MouseButton.LeftButton)  # hiding the last one shows all again
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


def test_chips_that_left_out_their_words_ask_for_no_more_layouts(show_lists: Show, qtbot: QtBot) -> None:
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
    assert "&lt;state_snapshot&gt;" in model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)


# Recorded compactions


def recorded_lists(show_lists: Show, position: int, width: int = 978) -> AlignedList:
    row = RecordedRow(
        position=position,
        number=1,
        text="— context compacted (60k → 3k tokens) —",
        detail="recorded 1",
        tone="",
        summary="What was done.\n" * 40,
        scope="before:1",
    )
    lists = show_lists(replace(session_screen(), recorded=(row,)), width)
    assert lists.list.select_recorded(1)
    return lists


def click_link(lists: AlignedList, action: str) -> None:
    view, row = lists.list.view, lists.list.model.plan.kinds.index(RowKind.RECORDED)
    links = recorded_links(
        view.rows, view.rows.rect_of(row), lists.list.model.main.recorded[0], lists.list.model.is_open(row)
    )
    link = next(one for one in links if one.action == action)
    place = QPoint((link.left + link.right) // 2, view.row_top(row) + 5)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.parametrize(("position", "width"), [(3, 978), (200, 978), (200, 700)])
def test_a_recorded_compaction_shows_its_summary_over_eight_rows(
    show_lists: Show, position: int, width: int
) -> None:
    lists = recorded_lists(show_lists, position, width)
    view, model = lists.list.view, lists.list.model
    top = view.row_top(model.plan.kinds.index(RowKind.RECORDED))
    plain = view.viewport().grab().toImage()
    click_link(lists, TOGGLE_SUMMARY)
    assert model.plan.kinds.count(RowKind.SUMMARY) == RECORDED_ROWS
    assert view.row_top(model.plan.kinds.index(RowKind.RECORDED)) == top
    assert view.viewport().grab().toImage() != plain
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert RowKind.SUMMARY not in model.plan.kinds
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert model.plan.kinds.count(RowKind.SUMMARY) == RECORDED_ROWS
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Left)  # from inside
    assert RowKind.SUMMARY not in model.plan.kinds


def test_a_recorded_compaction_leads_to_the_session_before_it(show_lists: Show, qtbot: QtBot) -> None:
    lists = recorded_lists(show_lists, 3)
    with qtbot.waitSignal(lists.action_requested) as clicked:
        click_link(lists, SEE_BEFORE)
    assert clicked.args == ["scope", "before:1"]
    with qtbot.waitSignal(lists.action_requested) as typed:
        QTest.keyClick(lists.list.view, Qt.Key.Key_O)
    assert typed.args == clicked.args


def test_a_recorded_compaction_says_what_its_keys_do(show_lists: Show) -> None:
    lists = recorded_lists(show_lists, 3)
    model = lists.list.model
    row = model.plan.kinds.index(RowKind.RECORDED)
    assert model.accessible_text(row).endswith(
        "; Enter shows its summary; O shows the session as it was before it"
    )


# Objects for screen readers


def parts_of(lists: AlignedList) -> list[tuple[str, str]]:
    parts = lists.list._parts.widgets
    return [(type(part).__name__, part.accessibleName()) for part in parts]


def test_cut_rows_and_summaries_in_sight_are_objects(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    block, box = cell_of(lists)
    cell = screen.aligned.cells[block.result]
    model, rows = lists.list.model, lists.list.view.visible_rows()
    cuts = [row for row in rows if model.plan.kinds[row] == RowKind.CUT]
    assert parts_of(lists) == [
        *(("CutPart", model.accessible_text(row)) for row in cuts),
        ("SummaryPart", f"{cell.title}, {cell.sizes}"),
    ]
    cut, *_, summary = lists.list._parts.widgets
    view = lists.list.view
    assert cut.geometry().top() == view.row_top(view.cut_row("top"))
    assert summary.geometry() == box
    assert summary.accessibleDescription() == cell.text[:SPOKEN_CHARS]
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert parts_of(lists) == []


# While a file is read

SCREEN = session_screen(messages=60)
ROWS = SCREEN.source.rows
UNCOUNTED = replace(ROWS, tokens=array("q", [-1]) * len(ROWS))


@pytest.fixture
def page(qtbot: QtBot, qapp: QApplication) -> Iterator[InspectPage]:
    qapp.setFont(body_font())
    backend = BackendClient()
    inspect_page = InspectPage(backend)
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
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    assert list(page.lists.rows.tokens) == [-1] * 120
    assert page.lists.column_header.names == ("Before · 120 messages so far",)
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    assert list(page.lists.rows.tokens) == [*ROWS.tokens, *[-1] * 60]


def test_the_rows_of_another_file_end_the_figures_of_the_former(page: InspectPage) -> None:
    page.show_screen(SCREEN)
    page.finish()
    assert page.verdict.size_cell.shown_phrases()
    page._loading.show_rows(RowsReadEvent(2, 0, UNCOUNTED))
    texts = [cell.accessibleName() for cell in page.verdict.cells]
    assert texts == ["Size: counting…", "Messages: 60 messages so far", "Losses", "Price"]
    page.begin()  # its title is known
    assert [cell.accessibleName() for cell in page.verdict.cells] == texts


def test_the_ruler_grows_to_the_right(qtbot: QtBot, page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 60, UNCOUNTED))
    page._loading.show_rows(RowsReadEvent(1, 0, ROWS))
    total = sum(ROWS.tokens)
    qtbot.waitUntil(lambda: page.ruler._view.total == 2 * total, timeout=20_000)


def test_a_preview_takes_the_place_of_what_was_filling(page: InspectPage) -> None:
    page._loading.show_rows(RowsReadEvent(1, 0, UNCOUNTED))
    page.begin()  # its title is known
    assert len(page.lists.rows) == 60
    page.show_screen(SCREEN)
    page.finish()
    assert page.lists.rows == ROWS
    assert len(page.lists.list.model.after.rows) == len(SCREEN.result.rows)


def test_a_cancelled_reading_leaves_the_open_transcript(page: InspectPage) -> None:
    page.show_screen(SCREEN)
    page.finish()
    page._loading.show_rows(RowsReadEvent(9, 0, replace(UNCOUNTED)))
    assert page.lists.rows.tokens[0] == -1
    page._backend.idle.emit()
    page.finish()
    assert page.lists.rows == ROWS
    assert page.preview is SCREEN
