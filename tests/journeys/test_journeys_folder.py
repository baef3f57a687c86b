"""Tasks in the real window: a folder compared on all cores, calls priced as another model's."""

import csv
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from core.analysis.model import BASELINE
from core.llm.catalog import known_models
from core.presentation.compare.columns import COMPARE as COLUMNS
from core.strategies.one_shot import STRATEGY as ONE_SHOT
from gui.compare.folder_tabs import FolderTab
from gui.compare.strategies_tab import StrategiesTab
from gui.view_switching import COMPARE
from gui.window_content import WindowContent
from tests.gui.window_space import open_tab
from tests.journeys.walks import open_transcript, settle

TWO = (BASELINE, ONE_SHOT.name)


def look(
    qtbot: QtBot, space: WindowContent, monkeypatch: pytest.MonkeyPatch, path: Path
) -> FolderTab:
    where = "gui.compare.analysis_tab.QFileDialog.getExistingDirectory"
    monkeypatch.setattr(where, lambda *_: str(path))
    space.window.actions_by_id["compare-folder"].trigger()
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=30_000)
    view = space.views.visible_tab
    assert isinstance(view, FolderTab)
    return view


def test_a_folder_is_compared_stopped_gone_on_with_and_a_file_opened(
    qtbot: QtBot,
    space: WindowContent,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look(qtbot, space, monkeypatch, folder).choose_names(TWO)
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=30_000)
    view = space.views.folder()
    assert view.page is not None
    assert (view.page.done, view.page.total) == (0, 5)
    assert not space.toolbar.isVisible()
    view.question.begin_button.click()
    qtbot.waitUntil(lambda: not view.question.isVisible(), timeout=30_000)
    started = time.monotonic()
    space.window.actions_by_id["cancel"].trigger()
    qtbot.waitUntil(
        lambda: (
            space.backend.is_up_to_date
            and view.status is not None
            and view.status.text.endswith("stopped")
        ),
        timeout=30_000,
    )
    assert time.monotonic() - started < 5
    assert view.question.isVisible()
    assert not [
        one for one in space.bar.notices if one.topic == "worker"
    ]  # no process had to be ended
    view.question.begin_button.click()
    qtbot.waitUntil(
        lambda: view.page is not None and view.page.done == 5, timeout=60_000
    )
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=30_000)
    page = view.page
    assert page.means
    assert [row.file for row in page.files] == ["a.json", "b.json", "deep/c.json"]
    where = "gui.compare.analysis_tab.QFileDialog.getSaveFileName"
    monkeypatch.setattr(where, lambda *_: (str(tmp_path / "out.csv"), ""))
    view.csv_action.trigger()
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=30_000)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8-sig") as file:
        assert {row["file"] for row in csv.DictReader(file)} == {
            row.file for row in page.files
        }
    monkeypatch.setattr(where, lambda *_: (str(tmp_path / "out.png"), ""))
    view.png_action.trigger()
    assert QImage(str(tmp_path / "out.png")).width() > 200
    again = look(qtbot, space, monkeypatch, folder)
    assert (
        again.question.question_label.text()
        == "5 of 5 files were done before with these settings."
    )
    view.files.opened.emit("b.json")
    screen = settle(qtbot, space)
    assert screen.strategy == page.selected
    assert space.file is not None
    assert Path(space.file.path).name == "b.json"
    assert space.window.pages.currentWidget() is space.page
    view.back.emit()
    assert space.window.pages.currentWidget() is space.page


def test_model_calls_are_priced_as_another_model_and_nothing_is_called(
    qtbot: QtBot, space: WindowContent, transcript: Path
) -> None:
    open_transcript(qtbot, space, transcript)
    view = open_tab(qtbot, space, COMPARE, StrategiesTab)
    view.choose_names(TWO)
    settle(qtbot, space)
    assert view.price_button.text() == "Summary prices: gpt-4o"

    def cost() -> float:
        assert view.page is not None
        (row,) = (row for row in view.page.rows if row.name == TWO[1])
        return (
            next(
                column.cell(row).key
                for column in COLUMNS.columns
                if column.label == "cost"
            )
            or 0.0
        )

    before = cost()
    assert before > 0
    view.price_button.chosen.emit((known_models()[0],))
    settle(qtbot, space)
    assert cost() > before
    assert view.page is not None
    assert view.page.is_over
    assert view.page.price.value == known_models()[0]
