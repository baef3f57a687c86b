"""The tab Folder: the question before the work, tables and plot, why a file failed."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.losses.needed_later import NeededLater
from core.presentation.compare.columns import means_by_name
from core.trials.trial import Sizes, Trial, TrialLosses, TrialResult
from gui.backend import BackendClient
from gui.compare.folder_tabs import FolderTab
from gui.widgets.theme import AppearanceController
from tests.gui.fake_analysis import folder_page
from tests.gui.recording_backend import RecordingBackend
from tests.gui.session_screen import session_screen
from tests.gui.window_space import show_tab

MEANS = means_by_name(
    [
        TrialResult(
            trial=Trial("tiered"),
            kind="strategy",
            sizes=Sizes(before_tokens=900, tokens=360, messages=2),
            losses=TrialLosses(needed=NeededLater(10, 9, 9)),
        )
    ]
)
DONE = folder_page(*MEANS)


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> FolderTab:
    appearance = AppearanceController(qapp, "light")
    appearance.style_all_widgets()
    return show_tab(qtbot, FolderTab(BackendClient()), "")


def test_before_the_work_begins_there_is_the_question_alone(view: FolderTab) -> None:
    view.means.setFocus()
    view.show_page(folder_page(question="4 files to compare, on all cores."))
    assert not view.means.isVisible()
    assert not view.plot.isVisible()
    assert view.window().focusWidget() is view.question.begin_button
    view.question.begin_button.click()
    view.show_page(folder_page())
    assert view.window().focusWidget() is view.means
    view.show_page(DONE)
    assert view.means.isVisible()
    assert view.plot.isVisible()


def test_results_of_other_settings_are_not_shown_again(
    qtbot: QtBot, qapp: QApplication
) -> None:
    backend = RecordingBackend()
    tab = show_tab(qtbot, FolderTab(backend.client), "")
    tab.scan("/sessions")
    tab.show_page(DONE)
    for is_changed in (False, True):
        backend.calls.clear()
        tab.hide()
        if is_changed:
            backend.screen.emit(session_screen())
        assert backend.calls == []
        tab.show()
        assert [name for name, _ in backend.calls] == [
            "FolderService.scan"
        ] * is_changed


def test_why_a_file_failed_is_in_the_place_of_its_figures(view: FolderTab) -> None:
    sizes = Sizes(before_tokens=39, tokens=20, messages=2)
    known = TrialResult(
        trial=Trial("tiered"), kind="strategy", sizes=sizes, file="a.json"
    )
    failed = replace(known, file="b.json", error="No context limit is known.")
    view.show_page(replace(DONE, files=(known, failed)))
    columns = view.files.results.columnCount()
    assert [view.files.columnSpan(row, 1) for row in (0, 1)] == [1, columns - 1]
    before = view.files.grab().toImage()
    view.show_page(replace(DONE, files=(known, replace(failed, error="It is empty."))))
    assert view.files.grab().toImage() != before
