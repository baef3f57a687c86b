"""The tab Strategies: rows, sorting, marks, columns, the plot, the pair, links to Inspect; the
tabs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.rpc import Call, call_of, is_call_of
from core.app.services.compare import CompareService
from core.losses.evidence import MustMark, MustStatus
from core.presentation.compare.columns import COMPARE as TABLE
from core.presentation.compare.results import BEST, OTHER, PlotPoint, compare_plot
from core.trials.trial import WRITTEN_BY, MustPair
from gui.compare.plot import ResultPlot
from gui.compare.strategies_tab import PairPane, StrategiesTab
from gui.inspect.toolbar import VIEW_NAMES
from gui.view_switching import COMPARE, INSPECT, REPLAY, SWEEP
from gui.window_content import WindowContent
from tests.gui.fake_analysis import NAMES, compare_page, lost_pair
from tests.gui.window_space import SMALL, calls_from_now, open_file, open_tab, settle
from tests.support.narrowing import known

LEFT = Qt.MouseButton.LeftButton
view_of = partial(open_tab, name=COMPARE, kind=StrategiesTab)
TOKENS, LOST = TABLE.columns[0].label, TABLE.columns[3].label
SORTED = ["recorded 1", "one-shot", "high-density", "middle-out", "none", "broken"]


def plot_of(
    qtbot: QtBot, size: tuple[int, int], points: Sequence[PlotPoint] = ()
) -> ResultPlot:
    page = compare_page()
    scatter = compare_plot(page.rows, page.scope, page.mark)
    plot = ResultPlot()
    qtbot.addWidget(plot)
    plot.resize(*size)
    plot.show_scatter(replace(scatter, points=(*scatter.points, *points)))
    plot.grab()
    return plot


def test_the_switch_the_tabs_and_keys_lead_to_the_views(
    qtbot: QtBot, space: WindowContent
) -> None:
    view_of(qtbot, space)
    for name, key in zip(VIEW_NAMES, (Qt.Key.Key_1, Qt.Key.Key_2), strict=True):
        QTest.keyClick(space.window, key, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, space)
        assert VIEW_NAMES[space.toolbar.view_switch.choice] == name
        assert (space.views.visible_tab is None) == (name == INSPECT)
    for place, name in enumerate((COMPARE, REPLAY, SWEEP)):
        space.views.tab_bar.setCurrentIndex(place)
        settle(qtbot, space)
        assert space.views.visible_tab is space.views.view(name)
    space.window.actions_by_id[INSPECT].trigger()
    space.window.actions_by_id[COMPARE].trigger()
    settle(qtbot, space)
    assert space.views.visible_tab is space.views.view(SWEEP)  # the tab that was left
    space.views.tab_bar.setCurrentIndex(0)  # for the tests that share the window


def test_rows_come_one_by_one_and_the_status_counts_them(
    qtbot: QtBot, space: WindowContent
) -> None:
    sent = calls_from_now(space)
    view = view_of(qtbot, space)
    assert sent.count(call_of(CompareService.compare, (), 0.0)) == 1
    assert known(view.status).text.startswith("6 of 6 done")
    assert list(view.table.names) == SORTED
    assert view.table.results.row_at(0) == "Recorded"
    assert view.table.results.row_at(2) == "General"


def test_a_click_on_a_head_sorts_and_keys_do_too(
    qtbot: QtBot, space: WindowContent
) -> None:
    table = view_of(qtbot, space).table
    header = table.horizontalHeader()
    QTest.mouseClick(
        header.viewport(), LEFT, pos=QPoint(header.sectionViewportPosition(3) + 20, 8)
    )
    assert table.results.sort_title == LOST
    ascending = list(table.names)
    assert ascending == [
        "recorded 1",
        "one-shot",
        "middle-out",
        "high-density",
        "none",
        "broken",
    ]
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_R)
    assert list(table.names) == [
        "recorded 1",
        "none",
        "high-density",
        "middle-out",
        "one-shot",
        "broken",
    ]
    QTest.keyClick(table, Qt.Key.Key_S)
    assert table.results.sort_title == "your messages"  # no row has a backtest


def test_letters_mark_by_key_and_by_click(qtbot: QtBot, space: WindowContent) -> None:
    view = view_of(qtbot, space)
    assert view.marked == ("recorded 1", "high-density")
    table = view.table
    table.select("one-shot")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_A)
    assert view.marked == ("one-shot", "high-density")
    rect = table.visualRect(table.results.index(table.results.row_of("middle-out"), 0))
    QTest.mouseClick(
        table.viewport(), LEFT, pos=QPoint(rect.left() + 26, rect.center().y())
    )
    assert view.marked == ("one-shot", "middle-out")
    settle(qtbot, space)
    assert view.pair.losses == lost_pair("one-shot", "middle-out")
    QTest.keyClick(
        table, Qt.Key.Key_A
    )  # the current row is middle-out: the two rows swap marks
    assert view.marked == ("middle-out", "one-shot")


def test_the_menu_of_a_row_opens_and_marks_it(
    qtbot: QtBot, space: WindowContent
) -> None:
    table = view_of(qtbot, space).table
    table.fill_menu("middle-out")
    open_it, *marks = table.menu.actions()
    with qtbot.waitSignal(table.opened) as opened:
        open_it.trigger()
    assert opened.args == ["middle-out"]
    for place, mark in enumerate(marks):
        with qtbot.waitSignal(table.mark_requested) as marked:
            mark.trigger()
        assert marked.args == [place, "middle-out"]


def test_the_menu_key_opens_the_menu_of_the_current_row(
    qtbot: QtBot, space: WindowContent
) -> None:
    table = view_of(qtbot, space).table
    table.select("one-shot")
    by_key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(table.viewport(), by_key)
    assert table.menu.isVisible()
    with qtbot.waitSignal(table.opened) as opened:
        table.menu.actions()[0].trigger()
    assert opened.args == ["one-shot"]
    table.menu.close()


def test_the_pair_is_asked_once_and_leads_to_messages(
    qtbot: QtBot, space: WindowContent
) -> None:
    sent = calls_from_now(space)
    view = view_of(qtbot, space)
    requests = [one for one in sent if is_call_of(one, CompareService.pair)]
    assert requests[-1] == call_of(CompareService.pair, "recorded 1", "high-density")
    facts, pair = view.pair.facts, view.pair
    assert [button.text() for button in pair.filters[1:]] == [
        "3 gone only in A",
        "1 only in B",
        "0 in both",
    ]
    assert facts.topLevelItemCount() == 3
    assert facts.columnWidth(0) > facts.fontMetrics().horizontalAdvance("decision")
    QTest.mouseClick(pair.filters[2], LEFT)
    assert facts.topLevelItemCount() == 1
    QTest.mouseClick(pair.filters[1], LEFT)
    assert (
        pair.removed_text.full_text
        == "Text removed: A 133,484 tokens   B 101,449 tokens"
    )
    assert pair.agent_text.text() == "The agent kept more."
    facts.setFocus()
    QTest.keyClick(facts, Qt.Key.Key_Down)
    QTest.keyClick(facts, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    assert space.page.selected == ("before", 20)


def test_each_transcript_keeps_its_own_state(
    qtbot: QtBot, space: WindowContent, tmp_path: Path
) -> None:
    view = view_of(qtbot, space)
    view.mark(0, "one-shot")
    view.table.select("high-density")
    view.table.on_sorted(3, Qt.SortOrder.DescendingOrder)
    open_file(qtbot, space)
    view_of(qtbot, space)
    assert view.marked == ("recorded 1", "high-density")
    assert (view.table.results.sort_title, view.table.results.is_descending) == (
        TOKENS,
        False,
    )
    assert known(view.plots.plot.picture).current == known(view.table.current).name
    open_file(qtbot, space, tmp_path / SMALL.name)
    view_of(qtbot, space)
    assert view.marked == ("one-shot", "high-density")
    assert (view.table.results.sort_title, view.table.results.is_descending) == (
        LOST,
        True,
    )


def test_esc_stops_it_and_continue_goes_on(qtbot: QtBot, space: WindowContent) -> None:
    view = view_of(qtbot, space)
    view.start()
    space.window.actions_by_id["cancel"].trigger()
    settle(qtbot, space)
    assert view.resume_button.isVisible()
    assert view.status is not None
    assert view.status.text.endswith("stopped")
    QTest.mouseClick(view.resume_button, LEFT)
    settle(qtbot, space)
    assert not view.resume_button.isVisible()
    assert not view.status.text.endswith("stopped")


def test_rows_and_columns_are_chosen_from_menus(
    qtbot: QtBot, space: WindowContent
) -> None:
    view, sent = view_of(qtbot, space), calls_from_now(space)
    action = next(
        one for one in view.names_button.menu().actions() if one.data() == "one-shot"
    )
    assert action.isChecked()
    action.trigger()
    settle(qtbot, space)
    (call,) = (one for one in sent if is_call_of(one, CompareService.compare))
    assert isinstance(call.arguments[0], tuple)
    assert {*call.arguments[0]} == {*NAMES} - {"one-shot"}
    count = view.table.results.columnCount()
    next(
        one
        for one in view.columns_button.menu().actions()
        if one.data() == "open errors"
    ).trigger()
    assert view.table.results.columnCount() == count + 1
    assert view.table.results.title(count) == "open errors"


def test_the_plot_is_written_and_replaces_nothing_but_a_picture(
    qtbot: QtBot, space: WindowContent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = view_of(qtbot, space)
    where = "gui.compare.analysis_tab.QFileDialog.getSaveFileName"
    monkeypatch.setattr(where, lambda *_: (str(tmp_path / "out.png"), ""))
    view.png_action.trigger()
    assert QImage(str(tmp_path / "out.png")).width() > 200
    (tmp_path / "session.jsonl").write_text("mine")
    for name, why in (
        ("nowhere/out.png", "does not exist"),
        ("session.jsonl", "is not a PNG"),
    ):
        monkeypatch.setattr(where, lambda *_, name=name: (str(tmp_path / name), ""))
        view.png_action.trigger()
        assert why in space.bar.notices[0].title
    assert (tmp_path / "session.jsonl").read_text() == "mine"


@pytest.mark.parametrize("size", [(900, 500), (480, 260), (1400, 700)])
def test_names_in_the_plot_cover_neither_each_other_nor_a_point(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    plot = plot_of(qtbot, size)
    picture, frame = plot.picture, known(plot.picture).frame
    assert picture is not None
    boxes = {label.text: label.box for label in picture.labels}
    assert set(boxes) == set(NAMES) - {"broken"}
    assert not any(
        one.intersects(other) for one, other in combinations(boxes.values(), 2)
    )
    places = [frame.point_at(point.x, point.y) for point in plot.points]
    assert not any(box.contains(place) for box in boxes.values() for place in places)
    ticks = (frame.point_at(0, tick.value).y() for tick in frame.y.ticks)
    figures = [QRectF(0, y - 5, frame.box.left(), 10) for y in ticks]
    assert not any(
        box.intersects(figure) for box in boxes.values() for figure in figures
    )


def test_no_point_hides_a_best_trade_off(qtbot: QtBot, space: WindowContent) -> None:
    picture = known(view_of(qtbot, space).plots.plot.picture)
    best, *others = (replace(one, shape=OTHER) for one in picture.points)
    points = (replace(best, shape=BEST), *others)
    shown = replace(picture, scatter=replace(picture.scatter, points=points))
    assert shown.points[0].shape == BEST
    assert shown.painted_points()[-1].name == best.name


def test_points_are_picked_by_mouse_and_keys(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = view_of(qtbot, space)
    view.table.select("recorded 1")
    plot = view.plots.plot
    frame = known(plot.picture).frame
    point = next(one for one in plot.points if one.name == "middle-out")
    QTest.mouseClick(plot, LEFT, pos=frame.point_at(point.x, point.y).toPoint())
    assert known(view.table.current).name == "middle-out"
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert known(view.table.current).name == "high-density"


def test_f6_goes_through_the_areas_of_the_view(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = view_of(qtbot, space)
    space.window.activateWindow()
    qtbot.waitUntil(space.window.isActiveWindow)
    view.table.setFocus()
    for area in (view.plot, view.pair.facts, view.table):
        space.commands.next_area()
        assert space.window.focusWidget() is area


def test_what_a_and_b_hold_of_the_musts_comes_first(qtbot: QtBot) -> None:
    gone, stands = MustStatus.GONE, MustStatus.WORD_FOR_WORD
    pairs = (
        MustPair(MustMark("Never x.", gone, 4), MustMark("Never x.", stands, 4)),
        MustPair(MustMark("Keep y.", stands, 6), MustMark("Keep y.", stands, 6)),
    )
    pane = PairPane()
    qtbot.addWidget(pane)
    pane.show_losses(replace(lost_pair("a", "b"), musts=pairs), "a", "b")
    assert pane.filters[0].text() == "Must keep: 1 differ"
    first = known(pane.facts.topLevelItem(0))
    assert [first.text(column) for column in range(3)] == ["A ✕  B ✓", "Never x.", "#5"]
    with qtbot.waitSignal(pane.message_wanted) as wanted:
        pane.facts.itemActivated.emit(first, 0)
    assert wanted.args == ["all", 4]


BY_TWO = (f"{WRITTEN_BY}haiku", f"{WRITTEN_BY}mini", "none", "middle-out")


def last_comparison(sent: Sequence[Call]) -> Call:
    wanted = CompareService.compare, CompareService.compare_profiles
    return [one for one in sent if any(is_call_of(one, way) for way in wanted)][-1]


def test_profiles_are_asked_about_before_they_write(
    qtbot: QtBot, space: WindowContent
) -> None:
    view = view_of(qtbot, space)
    sent = calls_from_now(space)
    view.choose_names(BY_TWO)
    settle(qtbot, space)
    request = CompareService.compare_profiles, ("none", "middle-out"), ("haiku", "mini")
    assert last_comparison(sent) == call_of(*request, False)
    assert view.run.has_question
    assert view.run.question.no_button.hasFocus()  # a stray Enter costs nothing
    QTest.keyClick(view.run.question.yes_button, Qt.Key.Key_Space)
    settle(qtbot, space)
    assert last_comparison(sent) == call_of(*request, True)
    assert view.run.isHidden()
    assert set(view.table.names) == {"none", "middle-out"}


@pytest.fixture
def asked(qtbot: QtBot, space: WindowContent) -> StrategiesTab:
    """The tab, while it asks whether two profiles may write."""
    view = view_of(qtbot, space)
    view.choose_names(BY_TWO)
    settle(qtbot, space)
    return view


def test_who_declines_the_price_sees_offline_summaries(
    qtbot: QtBot, space: WindowContent, asked: StrategiesTab
) -> None:
    sent = calls_from_now(space)
    QTest.mouseClick(asked.run.question.no_button, LEFT)
    settle(qtbot, space)
    names = ("none", "middle-out")
    assert last_comparison(sent) == call_of(CompareService.compare, names, 0.0)
    assert asked.run.isHidden()


def test_an_aim_ends_the_comparison_of_profiles(
    qtbot: QtBot, space: WindowContent, asked: StrategiesTab
) -> None:
    sent = calls_from_now(space)
    asked.aim.setText("20k")
    QTest.keyClick(asked.aim, Qt.Key.Key_Return)
    settle(qtbot, space)
    names = ("none", "middle-out")
    assert last_comparison(sent) == call_of(CompareService.compare, names, 20_000.0)
    asked.no_aim.click()
    settle(qtbot, space)
