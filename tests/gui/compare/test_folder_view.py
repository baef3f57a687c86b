"""The view of a folder: its header fits into the smallest window, and its parts have their heights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.compare.model import CompareCell
from core.presentation.folder.model import FILE_COLUMNS, MEAN_COLUMNS, FolderPage, FolderRow
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.plots import plot_axis, whole_labels
from gui.backend import BackendClient
from gui.compare.folder_page import FolderView
from gui.language import tr
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import SMALL, resized_font
from tests.gui.fake_services import FakeHandler

PRICES = PriceChoice("", (PickerChoice("", "each session's model"), PickerChoice("b", "claude-haiku-4-5")))
"""The choices of the price picker once there are figures."""
_SCALE = plot_axis(0, 1, whole_labels)
PAGE = FolderPage(
    "/tmp/logs",
    "0 files",
    "in logs",
    "",
    0,
    0,
    1,
    (),
    (),
    (),
    "",
    (),
    (),
    (),
    _SCALE,
    _SCALE,
    "",
    "",
    True,
)
DONE = replace(PAGE, means=(FolderRow("tiered", tuple(CompareCell("1") for _ in MEAN_COLUMNS)),))


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> FolderView:
    appearance = AppearanceController(qapp, "light")
    appearance.style_all_widgets()
    folder_view = FolderView(BackendClient(host_factory=FakeHandler), appearance.theme)
    qtbot.addWidget(folder_view)
    folder_view.resize(900, 500)
    folder_view.show()
    return folder_view


def test_all_that_stands_in_the_head_fits_into_the_smallest_window(view: FolderView) -> None:
    view.title_label.setText("1,234 files")
    view.about_label.show_text("in logs · 1,230 transcripts compared · nothing is sent")
    view.price_picker.show_choice(PRICES)
    view.resume_button.show()
    view.fit_head()
    assert view.head_row.minimumSize().width() <= 900
    assert view.csv_button.toolTip() == view.csv_button.accessibleName() != view.csv_button.text() == "CSV…"


def test_with_room_the_buttons_that_save_say_what_they_save(view: FolderView) -> None:
    view.resize(1600, 500)
    assert view.csv_button.text() == view.csv_button.toolTip()
    assert view.png_button.text() == view.png_button.toolTip()


def test_titles_of_columns_are_whole(view: FolderView) -> None:
    view.show_page(DONE)
    view.resize(1800, 900)
    cells = tuple(CompareCell("1") for _ in MEAN_COLUMNS)
    view.means.show_lines([tr(title) for title in MEAN_COLUMNS], (FolderRow("tiered", cells),))
    head, metrics = view.means.horizontalHeader(), QFontMetrics(resized_font(view.font(), SMALL))
    for at in range(len(MEAN_COLUMNS)):
        title = str(view.means.line_model.headerData(at, Qt.Orientation.Horizontal))
        assert head.sectionSize(at) >= metrics.horizontalAdvance(title) + 16, title


def test_the_plot_and_the_files_have_the_height_of_the_lower_half(view: FolderView) -> None:
    view.show_page(DONE)
    view.resize(1800, 1000)
    assert view.plot.height() > 300
    assert view.files.height() > 300


def test_before_the_work_begins_there_is_the_question_alone(qtbot: QtBot, view: FolderView) -> None:
    view.means.setFocus()
    view.show_page(replace(PAGE, question="4 files to compare, on all cores."))
    assert not view.means.isVisible()
    assert not view.plot.isVisible()
    assert view.window().focusWidget() is view.question.begin_button
    view.question.begin_button.click()
    view.show_page(PAGE)
    assert view.window().focusWidget() is view.means
    view.show_page(DONE)
    assert view.means.isVisible()
    assert view.plot.isVisible()


def test_heads_beside_each_other_are_of_one_height(view: FolderView) -> None:
    view.show_page(DONE)
    view.resize(1800, 1000)
    assert view.plot.mapTo(view, QPoint(0, 0)).y() == view.files.mapTo(view, QPoint(0, 0)).y()


def test_why_a_file_failed_stands_in_the_place_of_its_figures(view: FolderView) -> None:
    view.show_page(DONE)
    view.resize(1800, 900)
    failed = (CompareCell("b.json"), CompareCell("≈39"), *(CompareCell("") for _ in FILE_COLUMNS[2:]))
    known = FolderRow("a.json", tuple(CompareCell("1") for _ in FILE_COLUMNS))
    view.files.show_lines(
        FILE_COLUMNS, (known, FolderRow("b.json", failed, trouble="No context limit is known."))
    )
    assert [view.files.columnSpan(row, 2) for row in (0, 1)] == [1, len(FILE_COLUMNS) - 2]
    blank = view.files.grab().toImage()
    view.files.show_lines(FILE_COLUMNS, (known, FolderRow("b.json", failed, trouble="It is empty.")))
    assert view.files.grab().toImage() != blank
