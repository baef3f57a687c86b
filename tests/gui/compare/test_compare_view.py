"""The Compare view: rows, sorting, marks, the plot, the pair, links to Inspect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.rpc import call_of, is_call_of
from core.app.services.compare import CompareService
from core.app.services.preview import PreviewService
from core.app.services.replay import ReplayService
from core.app.services.sweep import SweepService
from core.presentation.compare.model import BEATEN, COLUMNS, FIDELITY, NAME, TOKENS, ComparePoint
from core.presentation.compare.row_order import default_pair, row_order
from gui.compare.page import CompareView
from gui.compare.plot import ComparePlot
from gui.compare.table import CompareTable
from gui.inspect.view_switch import VIEW_NAMES
from gui.view_switching import COMPARE, INSPECT, REPLAY, SWEEP
from gui.widgets.theme import theme
from gui.workspace import Workspace
from tests.gui.analysis_space import settle, shown, space
from tests.gui.fake_analysis import NAMES, compare_page, pair_page

__all__ = ["space"]

LEFT = Qt.MouseButton.LeftButton


def view_of(qtbot: QtBot, space: Workspace) -> CompareView:
    view = shown(qtbot, space, COMPARE)
    assert isinstance(view, CompareView)
    return view


def sent_by(space: Workspace) -> list[Any]:
    sent: list[Any] = []
    space.session.started.connect(sent.append)
    return sent


def names(table: CompareTable) -> Sequence[str]:
    lines = [table.line_model.line_at(row) for row in range(table.line_model.rowCount())]
    return [line.name for line in lines if line is not None]


def test_the_switch_and_keys_lead_to_the_views(qtbot: QtBot, space: Workspace) -> None:
    view_of(qtbot, space)
    for name, key in zip(VIEW_NAMES, (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4), strict=True):
        QTest.keyClick(space.window, key, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, space)
        assert space.toolbar.view_switch.shown_view == name
        current = space.views.shown
        assert (current is None) == (name == INSPECT)


def test_rows_come_one_by_one_and_the_status_counts_them(qtbot: QtBot, space: Workspace) -> None:
    sent = sent_by(space)
    view = view_of(qtbot, space)
    assert sent.count(call_of(CompareService.compare, ())) == 1
    assert view.status is not None
    assert view.status.text.startswith("6 of 6 done")
    assert names(view.table) == ["none", "recorded 1", "high-density", "middle-out", "one-shot", "broken"]


def test_the_legend_explains_what_is_plotted(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    assert list(view.legend.words) == ["on the front", "beaten by another", "recorded"]
    view.show_page(compare_page(("none", "middle-out"), 2))
    assert list(view.legend.words) == ["on the front", "beaten by another"]


def test_a_click_on_a_head_sorts_and_keys_do_too(qtbot: QtBot, space: Workspace) -> None:
    table = view_of(qtbot, space).table
    header = table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(TOKENS) + 20, 8)
    QTest.mouseClick(header.viewport(), LEFT, pos=at)
    ascending = names(table)[2:]
    assert set(ascending) == {"high-density", "middle-out", "one-shot", "broken"}
    assert ascending[-1] == "broken"  # unknown values are last
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_R)
    assert names(table)[2:5] == list(reversed(ascending[:3]))
    assert names(table)[:2] == ["none", "recorded 1"]
    QTest.keyClick(table, Qt.Key.Key_S)
    assert table.line_model.sort_column == TOKENS + 1


def test_letters_mark_by_key_and_by_click(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    assert view.marked == ("recorded 1", "high-density")
    table = view.table
    table.select("one-shot")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_A)
    assert view.marked == ("one-shot", "high-density")
    rect = table.visualRect(table.line_model.index(table.line_model.row_of("middle-out"), NAME))
    QTest.mouseClick(table.viewport(), LEFT, pos=QPoint(rect.left() + 30, rect.center().y()))
    assert view.marked == ("one-shot", "middle-out")
    settle(qtbot, space)
    assert view.pair.page == pair_page("one-shot", "middle-out")
    QTest.keyClick(table, Qt.Key.Key_A)  # the current row is middle-out: the two rows swap marks
    assert view.marked == ("middle-out", "one-shot")


def test_the_pair_is_asked_once_and_leads_to_messages(qtbot: QtBot, space: Workspace) -> None:
    sent = sent_by(space)
    view = view_of(qtbot, space)
    requests = [one for one in sent if is_call_of(one, CompareService.pair)]
    assert requests[-1] == call_of(CompareService.pair, "recorded 1", "high-density")
    facts = view.pair.facts
    assert facts.facts.rowCount() == 4
    QTest.mouseClick(view.pair.filters[0], LEFT)
    assert facts.facts.rowCount() == 1
    QTest.mouseClick(view.pair.filters[0], LEFT)
    facts.setFocus()
    QTest.keyClick(facts, Qt.Key.Key_Down)
    assert view.pair.go_button.text() == "Go to #203"
    QTest.keyClick(facts, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert space.window.pages.currentWidget() is space.page
    assert space.page.selected == ("before", 202)


def test_enter_makes_a_row_the_current_view(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    view.table.select("high-density")
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    settle(qtbot, space)
    assert any(
        is_call_of(one, PreviewService.change) and one.arguments[0][0][1] == "high-density" for one in sent
    )
    assert space.window.pages.currentWidget() is space.page
    assert space.toolbar.strategy.currentData() == "high-density"


def test_a_recorded_row_opens_what_was_recorded(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    view.open_row("recorded 1")
    settle(qtbot, space)
    assert call_of(PreviewService.show_recorded, 1) in sent


def test_a_and_b_open_as_before_and_after(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    QTest.mouseClick(view.pair.open_button, LEFT)
    settle(qtbot, space)
    assert call_of(CompareService.open_pair, "recorded 1", "high-density") in sent
    assert space.window.pages.currentWidget() is space.page


def test_each_transcript_keeps_its_own_state(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    view.mark(0, "one-shot")
    view.table.sort_by(TOKENS, False)
    shown(qtbot, space, COMPARE, "/tmp/other.jsonl")
    assert view.marked == ("recorded 1", "high-density")
    assert (view.table.line_model.sort_column, view.table.line_model.is_descending) == (FIDELITY, True)
    shown(qtbot, space, COMPARE)
    assert view.marked == ("one-shot", "high-density")
    assert (view.table.line_model.sort_column, view.table.line_model.is_descending) == (TOKENS, False)


def test_esc_stops_it_and_go_on_goes_on(qtbot: QtBot, space: Workspace) -> None:
    view = shown(qtbot, space, COMPARE, "/tmp/slow.jsonl")
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


def test_what_is_compared_is_chosen_from_a_menu(qtbot: QtBot, space: Workspace) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    action = next(one for one in view.strategies_button.menu().actions() if one.data() == "one-shot")
    assert action.isChecked()
    action.trigger()
    settle(qtbot, space)
    assert call_of(CompareService.compare, tuple(name for name in NAMES if name != "one-shot")) in sent


def test_table_and_plot_are_written(
    qtbot: QtBot, space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, sent = view_of(qtbot, space), sent_by(space)
    where = "gui.widgets.table_saving.QFileDialog.getSaveFileName"
    monkeypatch.setattr(where, lambda *_: (str(tmp_path / "out.csv"), ""))
    QTest.mouseClick(view.csv_button, LEFT)
    assert call_of(CompareService.save_table, str(tmp_path / "out.csv")) in sent
    monkeypatch.setattr(where, lambda *_: (str(tmp_path / "out.png"), ""))
    QTest.mouseClick(view.png_button, LEFT)
    assert QImage(str(tmp_path / "out.png")).width() > 200
    (tmp_path / "session.jsonl").write_text("mine")
    for name, why in (("nowhere/out.png", "does not exist"), ("session.jsonl", "is no PNG")):
        monkeypatch.setattr(where, lambda *_, name=name: (str(tmp_path / name), ""))
        QTest.mouseClick(view.png_button, LEFT)
        assert why in space.bar.notices[0].title
    assert (tmp_path / "session.jsonl").read_text() == "mine"


def test_tables_are_written(qtbot: QtBot, space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    offered: list[str] = []

    def ask(parent: object, title: str, name: str) -> tuple[str, str]:
        offered.append(name)
        return "/tmp/out.csv", ""

    monkeypatch.setattr("gui.widgets.table_saving.QFileDialog.getSaveFileName", ask)
    sent = sent_by(space)
    for name, service in ((COMPARE, CompareService), (REPLAY, ReplayService), (SWEEP, SweepService)):
        view = shown(qtbot, space, name)
        QTest.mouseClick(view.csv_button, LEFT)
        settle(qtbot, space)
        assert call_of(service.save_table, "/tmp/out.csv") in sent
    assert offered == [f"/tmp/retry-queue-{name}.csv" for name in (COMPARE, REPLAY, SWEEP)]


@pytest.mark.parametrize("size", [(900, 500), (480, 260), (1400, 700)])
def test_names_in_the_plot_cover_neither_each_other_nor_a_point(qtbot: QtBot, size: tuple[int, int]) -> None:
    plot = ComparePlot(theme("light"))
    qtbot.addWidget(plot)
    plot.resize(*size)
    plot.show_page(compare_page())
    picture = plot.picture
    assert picture is not None
    boxes = {label.text: label.box for label in picture.labels}
    assert set(boxes) == set(NAMES) - {"broken"}
    assert not any(one.intersects(other) for one, other in combinations(boxes.values(), 2))
    frame = plot.frame()
    assert frame is not None
    places = [frame.point_at(point.tokens, point.fidelity) for point in plot.points]
    assert not any(box.contains(place) for box in boxes.values() for place in places)
    figures = [
        QRectF(0, frame.point_at(0, tick.value).y() - 5, frame.box.left(), 10) for tick in frame.y.ticks
    ]
    assert not any(box.intersects(figure) for box in boxes.values() for figure in figures)


def test_a_name_that_stands_nearer_to_another_point_has_a_line_to_its_own(qtbot: QtBot) -> None:
    plot = ComparePlot(theme("light"))
    qtbot.addWidget(plot)
    plot.resize(1400, 700)
    plot.show_page(compare_page())
    picture = plot.picture
    assert picture is not None
    label = next(one for one in picture.labels if not picture.needs_leader(one))
    right_box = QRectF(label.point_position.x() + 15, label.point_position.y() - 8, 90, 16)
    assert not picture.needs_leader(replace(label, box=right_box))
    further = label.point_position - QPointF(7, 0)  # still near, but the point of another label is between
    assert picture.needs_leader(replace(label, box=right_box, point_position=further, points=()))


def test_a_name_without_room_is_counted_at_the_nearest(qtbot: QtBot) -> None:
    """A row of points, too close for a label each and too far apart to hide each other."""
    page, gap = compare_page(), 1_900
    close_points = [ComparePoint(f"a-long-name-{at}", 60_000 + at * gap, 0.9, BEATEN) for at in range(12)]
    plot = ComparePlot(theme("light"))
    qtbot.addWidget(plot)
    plot.resize(480, 240)
    plot.show_page(replace(page, points=(*page.points, *close_points)))
    plot.grab()
    picture = plot.picture
    assert picture is not None
    named = [point for label in picture.labels for point in label.points]
    assert sorted(point.name for point in named) == sorted(point.name for point in plot.points)
    shared = next(label for label in picture.labels if len(label.points) > 1)
    assert shared.text == f"{shared.points[0].name} + {len(shared.points) - 1} more"
    hidden = shared.points[-1].name
    assert plot.tooltip_text(hidden).splitlines()[0].startswith(f"{hidden}: ")
    assert len(plot.tooltip_text(hidden).splitlines()) == len(shared.points)


def test_a_name_without_room_is_not_counted_at_a_point_far_away(qtbot: QtBot) -> None:
    far = ComparePoint("a-name-too-long-for-any-place-in-this-plot" * 3, 130_000, 0.7, BEATEN)
    plot = ComparePlot(theme("light"))
    qtbot.addWidget(plot)
    plot.resize(480, 260)
    plot.show_page(replace(compare_page(), points=(*compare_page().points, far)))
    plot.grab()
    assert plot.picture is not None
    assert {label.text for label in plot.picture.labels} == set(NAMES) - {"broken"}
    assert plot.tooltip_text(far.name).startswith(f"{far.name}: ")


def test_points_are_picked_by_mouse_and_keys(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    frame = view.plot.frame()
    assert frame is not None
    point = next(one for one in view.plot.points if one.name == "middle-out")
    QTest.mouseClick(view.plot, LEFT, pos=frame.point_at(point.tokens, point.fidelity).toPoint())
    assert view.table.current_line is not None
    assert view.table.current_line.name == "middle-out"
    QTest.keyClick(view.plot, Qt.Key.Key_Left)
    assert view.table.current_line.name == "high-density"


def test_every_part_has_a_name_and_a_failed_row_says_why(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    for part in view.areas():
        assert part.accessibleName()
    index = view.table.line_model.index(view.table.line_model.row_of("broken"), 0)
    role = Qt.ItemDataRole.AccessibleTextRole
    assert "It could not run." in view.table.line_model.data(index, role)  # type: ignore[operator]
    assert "fidelity 1.00" in view.table.line_model.data(view.table.line_model.index(0, 0), role)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["dark", "high-contrast"])
def test_it_paints_in_every_theme(qtbot: QtBot, space: Workspace, name: str) -> None:
    view_of(qtbot, space)
    space.window.actions_by_id[f"theme-{name}"].trigger()
    QApplication.processEvents()
    assert not space.window.grab().isNull()


def test_columns_give_way_to_names_in_a_narrow_window(qtbot: QtBot, space: Workspace) -> None:
    table = view_of(qtbot, space).table
    space.window.resize(1000, 700)
    hidden = [name for column, name in enumerate(COLUMNS) if table.isColumnHidden(column)]
    assert hidden
    assert "fidelity" not in hidden
    assert table.columnWidth(NAME) >= 200


def test_in_a_wide_window_no_gap_parts_names_from_their_figures(qtbot: QtBot, space: Workspace) -> None:
    table = view_of(qtbot, space).table
    space.window.resize(1920, 1080)
    assert not any(map(table.isColumnHidden, range(len(COLUMNS))))
    over = [table.columnWidth(at) - table.width_of(at) for at in range(1, len(COLUMNS))]
    names = max(map(table.name_width, table.line_model.lines))
    assert min(over) == max(over) > 8
    assert names <= table.columnWidth(NAME) <= max(236, names) + 2 * over[0] + len(COLUMNS)


def test_the_head_says_less_elsewhere_before_its_sentence_is_cut(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    text = "over the whole session · 150 messages · ≈80,056 tokens · all summaries offline"
    view.about_label.show_text(f"{text} · {text}")  # wider than the smallest window in every font
    view.fit_head()
    assert view.csv_button.text() == view.csv_button.toolTip()
    space.window.resize(view.head_row.sizeHint().width() - 1, 800)
    qtbot.waitUntil(lambda: not view.about_label.is_elided)
    assert (view.csv_button.text(), view.folder.text()) == ("CSV…", "Compare a folder…")


def test_the_order_is_baseline_recorded_then_the_column() -> None:
    lines = compare_page().lines
    assert [lines[at].name for at in row_order(lines)][:3] == ["none", "recorded 1", "high-density"]
    assert default_pair(lines) == ("recorded 1", "high-density")
    assert default_pair(lines[:1]) == ("", "")


def test_f6_goes_through_the_areas_of_the_view(qtbot: QtBot, space: Workspace) -> None:
    view = view_of(qtbot, space)
    space.window.activateWindow()
    view.table.setFocus()
    for area in (view.plot, view.pair.facts, view.table):
        space.commands.next_area()
        assert space.window.focusWidget() is area
