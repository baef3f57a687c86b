"""A task in the real window: a search of settings over a folder, stopped, gone on with, its result
used."""

import json
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.presentation.compare.tune_table import TunePage
from core.settings.schema import STRATEGY
from gui.compare.folder_tabs import TuneTab
from gui.view_switching import TUNE
from gui.window_content import WindowContent
from tests.core.trials.test_tune_command import chat
from tests.gui.window_space import open_tab
from tests.journeys.walks import open_transcript, settle

NAMES = ("one-shot", "top-down-truncation")


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in range(5):
        (folder / f"s{number}.json").write_text(json.dumps(chat(16 + number)))
    return folder


def page(tab: TuneTab) -> TunePage:
    assert tab.page is not None
    return tab.page


@pytest.mark.req("TUNE-5")
def test_a_search_is_stopped_continued_and_its_best_settings_are_tried(
    qtbot: QtBot,
    space: WindowContent,
    sessions: Path,
) -> None:
    open_transcript(qtbot, space, sessions / "s0.json")
    space.page_controller.show_folder(str(sessions))
    space.views.folder().tune_button.click()
    qtbot.waitUntil(lambda: space.backend.is_up_to_date, timeout=30_000)
    tab = space.views.tune()
    assert space.views.visible_tab is tab
    tab.choose_names(NAMES)
    qtbot.waitUntil(
        lambda: page(tab).names == NAMES and space.backend.is_up_to_date, timeout=30_000
    )
    assert page(tab).question == "5 files to tune on, on all cores. No model is called."

    tab.form.run_button.click()
    qtbot.waitUntil(lambda: page(tab).done > 0, timeout=60_000)
    started = time.monotonic()
    tab.form.stop_button.click()
    qtbot.waitUntil(
        lambda: page(tab).is_idle and space.backend.is_up_to_date, timeout=30_000
    )
    assert time.monotonic() - started < 5
    assert not [
        one for one in space.bar.notices if one.topic == "worker"
    ]  # no process had to be ended
    assert page(tab).resumed > 0
    assert tab.form.run_button.text() == "Continue"

    tab.form.run_button.click()
    qtbot.waitUntil(
        lambda: not page(tab).question and page(tab).is_idle, timeout=120_000
    )
    assert {row.name for row in page(tab).rows} == {*NAMES}
    assert tab.row is not None
    chosen = tab.row
    assert "Nothing better than the defaults" in tab.details.verdict.text()
    assert not tab.details.export_button.isEnabled()
    assert not tab.details.save_button.isEnabled()
    tab.details.use_button.click()
    screen = settle(qtbot, space)
    assert screen.strategy == chosen.name == dict(chosen.changes)[STRATEGY]
    assert space.window.pages.currentWidget() is space.page
    tab = open_tab(qtbot, space, TUNE, TuneTab)
    assert not page(tab).question  # the result is still there
