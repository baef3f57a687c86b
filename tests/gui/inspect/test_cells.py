"""Cells of the list: summaries in every state, recorded compactions, objects for screen readers."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import ChangeLine, MessageChanges
from core.presentation.lists.aligned_rows import Block, CellSizes, CellText, EditedLines
from core.presentation.lists.row_plan import RECORDED_ROWS, RowKind
from core.presentation.lists.row_texts import SPOKEN_CHARS
from core.presentation.model import FATES, RUN_TOPIC, Notice, NoticeAction, RecordedRow
from core.presentation.screen_model import Screen
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.lists.delegate import SEE_BEFORE, TOGGLE_SUMMARY, UNDO, recorded_links
from gui.inspect.lists.table_model import AFTER, BEFORE
from gui.widgets.theme import body_font, current_theme
from tests.gui.session_screen import INSERTED, SUMMARISED, session_screen

Show = Callable[..., AlignedList]
EDITED = FATES.index("edited")


# Cells


def cell_of(lists: AlignedList) -> tuple[Block, QRect]:
    return next(iter(lists.list.view.visible_blocks()))


def test_a_click_in_a_cell_selects_the_summary_and_one_beside_it_the_message(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = show_lists(session_screen())
    block, rect = cell_of(lists)
    viewport = lists.list.view.viewport()
    with qtbot.waitSignals([lists.list.selected, lists.list.clicked]):
        QTest.mouseClick(
            viewport,
            Qt.MouseButton.LeftButton,
            pos=QPoint(rect.x() + 20, rect.y() + 60),
        )
    assert lists.list.current == (AFTER, block.result)
    QTest.mouseClick(
        viewport, Qt.MouseButton.LeftButton, pos=QPoint(rect.x() - 20, rect.y() + 5)
    )
    assert lists.list.current == (BEFORE, block.sources[0])


def test_the_answer_to_the_summary_is_selected_at_the_foot_of_its_cell(
    show_lists: Show,
) -> None:
    screen = session_screen()
    lists = show_lists(screen)
    answer = screen.result.fates.rindex(INSERTED)
    lists.select(AFTER, answer)
    view = lists.list.view
    row = lists.list.model.plan.row_of(AFTER, answer)
    assert (
        view.cell_at(QPoint(view.rows.columns.split + 20, view.row_top(row) + 3))
        is None
    )
    place = QPoint(view.rows.columns.split + 40, view.row_top(row) + 3)
    lists.select(BEFORE, 0)
    view.scroll_into_view(row)
    place.setY(view.row_top(row) + 3)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert lists.list.current == (AFTER, answer)


def test_enter_shows_the_whole_summary_and_again_less(show_lists: Show) -> None:
    lists = show_lists(session_screen())
    block, _ = cell_of(lists)
    lists.select(BEFORE, block.sources[0])
    QTest.keyClick(lists.list.view, Qt.Key.Key_Return)
    assert RowKind.EXPANDED in lists.list.model.plan.kinds
    whole = next(
        one for one in lists.list.model.plan.blocks if one.result == block.result
    )
    assert whole.rows >= lists.list.view.cells.rows_of(block.result)
    QTest.keyClick(lists.list.view, Qt.Key.Key_Return)
    assert lists.list.model.plan.blocks[0].rows == block.rows


def test_the_end_of_a_whole_summary_is_read_by_scrolling(show_lists: Show) -> None:
    screen = session_screen()
    lists = show_lists(screen, height=400)
    block, _ = cell_of(lists)
    lists.select(BEFORE, block.sources[0])
    QTest.keyClick(lists.list.view, Qt.Key.Key_Return)
    view = lists.list.view

    def end_of(last: str) -> QImage:
        cell = replace(screen.aligned.cells[block.result], text="a line\n" * 90 + last)
        cells = {block.result: cell}
        lists.set_screen(replace(screen, aligned=replace(screen.aligned, cells=cells)))
        whole = lists.list.model.plan.blocks[0]
        view.verticalScrollBar().setValue(
            (whole.first + whole.rows) * view.row_pixels - view.height()
        )
        return view.viewport().grab().toImage()

    assert end_of("one end") != end_of("another end")


@pytest.mark.parametrize("width", [1000, 500])  # the cell beside its run, and below it
def test_the_edge_of_a_summary_has_the_colour_of_summaries(
    show_lists: Show, width: int
) -> None:
    lists = show_lists(session_screen(), width)
    view = lists.list.view
    lists.select(
        BEFORE,
        next(one.sources[1] for one in lists.list.model.plan.blocks if one.result >= 0),
    )
    _, rect = cell_of(lists)
    image = view.viewport().grab().toImage()
    assert (
        image.pixelColor(rect.x() + 1, rect.center().y())
        == current_theme().fate_fill[SUMMARISED]
    )


def test_where_only_the_start_of_a_cell_is_in_sight_its_text_is_read_and_not_its_foot(
    show_lists: Show,
) -> None:
    lists = show_lists(session_screen(), height=400)
    view = lists.list.view
    block, _ = cell_of(lists)

    def links_with(rows: int) -> int:
        bar = view.verticalScrollBar()
        bar.setValue(
            block.first * view.row_pixels
            - view.viewport().height()
            + rows * view.row_pixels
        )
        view.viewport().grab()
        return len(view.cells.links)

    assert [links_with(rows) > 0 for rows in (3, 4, 6)] == [False, False, True]


def test_names_of_the_selected_message_are_marked_in_its_summary(
    show_lists: Show,
) -> None:
    lists = show_lists(session_screen())
    block, _ = cell_of(lists)
    plain = lists.list.view.grab().toImage()
    word = lists.list.model.aligned.cells[block.result].text.split()[3]
    lists.list.mark_matches(
        MessageChanges(
            block.sources[0],
            (ChangeLine("found", word), ChangeLine("gone", "x")),
            (word,),
        )
    )
    assert lists.list.view.cells.marked == (word,)
    assert lists.list.view.grab().toImage() != plain
    lists.list.mark_matches(None)
    assert lists.list.view.grab().toImage() == plain


@pytest.mark.parametrize("family", ["", "DejaVu Serif"])
@pytest.mark.parametrize("zoom", [1.0, 1.3, 1.5])
@pytest.mark.parametrize(
    "width", [420, 616, 735, 856]
)  # of the list in windows of 1024, 1180, 1280, 1440
def test_no_text_of_a_cell_is_painted_outside_of_it(
    show_lists: Show, width: int, zoom: float, family: str
) -> None:
    """The rows around a cell are the same with another text, title and note in it."""
    font = body_font(zoom)
    font.setFamilies([family or font.family()])
    screen = session_screen()
    lists = show_lists(screen, width)
    lists.setFont(font)
    lists.select(BEFORE, screen.source.fates.index(SUMMARISED))
    block, _ = cell_of(lists)
    long = CellText(
        "1,234 messages → 1 " * 9,
        CellSizes("9,999 " * 9, "9,999 " * 9),
        "wide " * 4_000,
        "by haiku, " * 30,
    )

    def outside(cell: CellText) -> QImage:
        cells = {block.result: cell}
        lists.set_screen(replace(screen, aligned=replace(screen.aligned, cells=cells)))
        image = lists.list.view.viewport().grab().toImage()
        painter = QPainter(image)
        for _, rect in lists.list.view.visible_blocks():
            painter.fillRect(rect, Qt.GlobalColor.black)
        painter.end()
        return image

    assert outside(long) == outside(
        replace(long, title="1", sizes=CellSizes("", ""), text="x", note="")
    )


UNWRITTEN = (
    "haiku writes the summary when you press Compact; until then its budget counts."
)
FAILURE = Notice(
    "error",
    "haiku did not answer.",
    "No API key is set.",
    (
        NoticeAction("Try again", "compact"),
        NoticeAction("Use offline", "compact-offline"),
    ),
    topic=RUN_TOPIC,
)


def unwritten_screen(
    text: str = "", *, stale: bool = False, provisional: bool = False
) -> Screen:
    """Return a screen whose summary is not written; ``text`` is one of other settings."""
    screen = session_screen()
    cells = {
        at: replace(cell, text=text, state=UNWRITTEN)
        for at, cell in screen.aligned.cells.items()
    }
    cells = {at: replace(cell, note="") for at, cell in cells.items()}
    aligned = replace(screen.aligned, cells=cells)
    return replace(
        screen,
        aligned=aligned,
        provisional=provisional,
        request=replace(screen.request, price="≈ $0.05", stale=stale),
    )


def cell_actions(lists: AlignedList) -> list[str]:
    lists.list.view.grab()  # paints the links
    return [link.label for link in lists.list.view.cells.links]


@pytest.mark.parametrize(
    ("screen", "words", "actions"),
    [
        (session_screen(), "<state_snapshot>", ["Edit prompt…", "Show whole summary"]),
        (
            unwritten_screen(),
            f"**Not written yet**\n{UNWRITTEN}",
            ["Compact · ≈ $0.05", "Use offline · free", "Show request"],
        ),
        (unwritten_screen(provisional=True), f"**Not written yet**\n{UNWRITTEN}", []),
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
    assert cells.states.words(lists.list.model.aligned.cells[block.result]).startswith(
        words
    )
    assert sorted(cell_actions(lists)) == sorted(actions)


def test_a_failed_run_says_why_in_its_cell_until_another_preview(
    show_lists: Show,
) -> None:
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
    link = next(
        one
        for one in lists.list.view.cells.links
        if one.label.startswith("Use offline")
    )
    with qtbot.waitSignal(lists.list.action_requested) as clicked:
        QTest.mouseClick(
            lists.list.view.viewport(),
            Qt.MouseButton.LeftButton,
            pos=link.rect.center(),
        )
    assert clicked.args == ["compact-offline", ""]


def test_a_summary_of_other_settings_is_painted_as_out_of_date(
    show_lists: Show,
) -> None:
    lists = show_lists(unwritten_screen("The old one."))
    fresh = lists.list.view.grab().toImage()
    lists.set_screen(unwritten_screen("The old one.", stale=True))
    assert lists.list.view.grab().toImage() != fresh


@pytest.mark.parametrize(
    "width", [978, 600]
)  # beside each other, and one below the other
def test_an_edit_far_into_a_message_is_painted_from_where_it_differs(
    show_lists: Show, width: int
) -> None:
    screen = session_screen("high-density")
    result = next(
        at
        for at, source in enumerate(screen.result.origin)
        if screen.source.fates[source] == EDITED
    )
    source = screen.result.origin[result]
    texts, leads = list(screen.result.rows.text), list(screen.result.rows.lead)
    texts[result], leads[result] = (
        screen.source.rows.text[source],
        screen.source.rows.lead[source],
    )
    same = replace(
        screen,
        result=replace(
            screen.result,
            rows=replace(screen.result.rows, text=tuple(texts), lead=tuple(leads)),
        ),
    )
    lists = show_lists(same, width)
    lists.select(BEFORE, source)
    plain = lists.list.view.grab().toImage()
    edits = {
        result: EditedLines(
            "… retry.py 1 import x", "… retry.py [the same file is in #51]"
        )
    }
    lists.set_screen(replace(same, aligned=replace(same.aligned, edits=edits)))
    assert lists.list.view.grab().toImage() != plain


# Recorded compactions


def recorded_lists(show_lists: Show, position: int, width: int = 978) -> AlignedList:
    row = RecordedRow(
        boundary=position,
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
        view.rows,
        view.rows.rect_of(row),
        lists.list.model.main.recorded[0],
        lists.list.model.is_open(row),
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


def test_a_recorded_compaction_can_be_undone(show_lists: Show, qtbot: QtBot) -> None:
    lists = recorded_lists(show_lists, 3)
    with qtbot.waitSignal(lists.list.action_requested) as clicked:
        click_link(lists, UNDO)
    assert clicked.args == ["undo", "1"]


def test_a_recorded_compaction_leads_to_the_session_before_it(
    show_lists: Show, qtbot: QtBot
) -> None:
    lists = recorded_lists(show_lists, 3)
    with qtbot.waitSignal(lists.list.action_requested) as clicked:
        click_link(lists, SEE_BEFORE)
    assert clicked.args == ["scope", "before:1"]
    with qtbot.waitSignal(lists.list.action_requested) as typed:
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
    parts = lists.list.parts.widgets
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
        ("SummaryCellPart", f"{cell.title}, {cell.sizes.text}"),
    ]
    cut, *_, summary = lists.list.parts.widgets
    view = lists.list.view
    assert cut.geometry().top() == view.row_top(view.cut_row("top"))
    assert summary.geometry() == box
    assert summary.accessibleDescription() == cell.text[:SPOKEN_CHARS]
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert parts_of(lists) == []
