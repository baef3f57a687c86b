"""The tab Tune: the question before the work, the table, what a row says and what can be done with
it."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.analysis.intervals import Interval
from core.app.services.tune import TuneService
from core.presentation.compare.tune_page import tune_csv, tune_page
from core.presentation.compare.tune_table import TUNE, tune_plot
from core.presentation.model import Notice
from core.settings.schema import PRESERVE, STRATEGY
from core.trials.trial import Trial
from core.trials.tune_values import (
    BudgetUnit,
    Figures,
    TunedStrategy,
    TuneRequest,
    TuneResult,
    Tuning,
)
from gui.backend import BackendClient
from gui.compare.folder_tabs import TuneTab
from tests.gui.recording_backend import RecordingBackend
from tests.gui.session_screen import session_screen
from tests.gui.window_space import show_tab

NAMES = ("middle-out", "hybrid")
FOUND = Figures(
    share=0.8,
    interval=Interval(0.8, 0.7, 0.9),
    tokens_left=0.2,
    tokens_after=9_000,
    cost=0.41,
    priced=3,
)
DEFAULT = Figures(
    share=0.7,
    interval=Interval(0.7, 0.6, 0.8),
    tokens_left=0.3,
    tokens_after=12_000,
    cost=0.52,
    priced=2,
)
REQUEST = TuneRequest(strategies=NAMES, budget=0.3)
RESULT = TuneResult(
    request=REQUEST,
    strategies=(
        TunedStrategy(
            best=Trial("middle-out", ((PRESERVE, 0.35),)),
            fits=True,
            chosen_share=0.81,
            figures=FOUND,
            default=DEFAULT,
            gain=Interval(0.1, 0.02, 0.15),
            runs=60,
        ),
        TunedStrategy(
            best=Trial("hybrid"),
            fits=False,
            chosen_share=0.6,
            figures=DEFAULT,
            default=DEFAULT,
            runs=40,
        ),
    ),
    choosing=("a", "b", "c"),
    reporting=("d", "e", "f"),
    left_out=(("short.json", "The session has 3 turns; a backtest needs 12."),),
    rival="hybrid",
    over_rival=Interval(0.08, 0.01, 0.12),
    tried=100,
)
DONE = Tuning(
    folder=Path("sessions"), files=7, request=REQUEST, result=RESULT, seconds=3.0
)


@pytest.fixture
def tab(qtbot: QtBot, qapp: QApplication) -> TuneTab:
    return show_tab(qtbot, TuneTab(BackendClient()))


def cells(name: str) -> dict[str, str]:
    (row,) = (one for one in tune_page(DONE).rows if one.name == name)
    return {
        column.label: column.cell(row).text for column in TUNE.of_rows([row]).columns
    }


@pytest.mark.req("TUNE-5")
def test_a_row_has_needed_with_its_interval_cost_settings_and_the_default() -> None:
    assert cells("middle-out") == {
        "needed later": "80 % (70 to 90 %)",
        "left": "20 %",
        "cost": "≈ $0.41",
        "needed later, defaults": "70 % (60 to 80 %)",
        "left, defaults": "30 %",
        "cost, defaults": "≈ $0.52 (2 of 3)",
        "best settings": "preserve-threshold=0.35",
    }
    assert cells("hybrid")["best settings"] == "the defaults"


def test_a_row_says_how_many_musts_its_runs_keep() -> None:
    first = replace(
        RESULT.strategies[0], figures=replace(FOUND, musts=44, musts_kept=41)
    )
    (row,) = tune_page(replace(DONE, result=replace(RESULT, strategies=(first,)))).rows
    shown = {one.label: one.cell(row).text for one in TUNE.of_rows([row]).columns}
    assert shown["must keep"] == "41 of 44"


def test_only_settings_that_keep_every_must_can_be_listed(tab: TuneTab) -> None:
    first, second = RESULT.strategies
    first = replace(first, figures=replace(FOUND, musts=44, musts_kept=41))
    second = replace(second, figures=replace(DEFAULT, musts=44, musts_kept=44))
    tab.show_page(tune_page(DONE))
    assert tab.form.keeps_all.isHidden()
    tab.show_page(
        tune_page(replace(DONE, result=replace(RESULT, strategies=(first, second))))
    )
    assert len(tab.table.names) == 2
    tab.form.keeps_all.click()
    assert [*tab.table.names] == [second.best.strategy]


def test_a_row_says_where_it_is_above_the_budget() -> None:
    first = replace(RESULT.strategies[0], figures=replace(FOUND, tokens_left=0.4))
    rows = tune_page(
        replace(DONE, result=replace(RESULT, strategies=(first, RESULT.strategies[1])))
    ).rows
    assert [TUNE.note(row) for row in rows] == [
        "above the budget on the sessions that report",
        "above the budget on the sessions that chose",
    ]


@pytest.mark.req("TUNE-5")
def test_without_a_folder_the_tab_says_what_it_does(tab: TuneTab) -> None:
    assert tab.unopened_title == "Find settings on your own sessions"
    assert tab.choose_button.isVisible()
    assert (
        not tab.current_folder_button.isVisible()
    )  # no other file stands beside the open one
    assert tab.columns_button.isHidden()
    assert tab.export_button.isHidden()


def test_the_files_beside_the_open_one_are_offered(
    tab: TuneTab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.jsonl", "b.jsonl", "c.jsonl", "notes.md", ".hidden.jsonl"):
        (tmp_path / name).write_text("x")
    tab.begin(str(tmp_path / "a.jsonl"))
    assert tab.current_folder_button.text() == f"Use 3 sessions of {tmp_path.name}"
    scanned: list[str] = []
    monkeypatch.setattr(tab, "scan", scanned.append)
    tab.current_folder_button.click()
    assert scanned == [str(tmp_path)]


def test_before_the_work_there_is_the_question_alone(tab: TuneTab) -> None:
    tab.show_page(tune_page(replace(DONE, result=None)))
    assert (
        tab.form.question.text()
        == "7 files to tune on, on all cores. No model is called."
    )
    assert tab.form.run_button.text() == "Tune"
    assert not tab.table.isVisible()
    tab.show_page(tune_page(replace(DONE, result=None, resumed=12)))
    assert tab.form.run_button.text() == "Continue"
    assert tab.form.restart_button.isVisible()


def test_starting_over_is_of_one_folder(tab: TuneTab, tmp_path: Path) -> None:
    backend = RecordingBackend()
    tab.backend = backend.client
    tab.scan(str(tmp_path))
    tab.restart()
    backend.fail(
        TuneService.choose, Notice("error", "The budget is not a size.", "Type 20k.")
    )
    tab.scan(str(tmp_path / "other"))
    tab.begin_results()
    assert backend.last_arguments(TuneService.tune) == (False,)


@pytest.mark.req("TUNE-5")
def test_while_it_runs_it_says_what_is_done_and_left_and_can_be_stopped(
    tab: TuneTab,
) -> None:
    unknown = [
        replace(one, figures=Figures(), default=Figures(), gain=None)
        for one in RESULT.strategies
    ]
    running = replace(
        RESULT,
        strategies=tuple(unknown),
        stage="Stage 2 of the search",
        done=2,
        planned=5,
    )
    tab.show_page(tune_page(replace(DONE, result=running, is_running=True)))
    assert tab.form.stop_button.isVisible()
    assert not tab.form.run_button.isVisible()
    assert (
        "Stage 2 of the search: 2 of 5 sessions, 100 settings tried"
        in tab.details.verdict.text()
    )
    assert not tab.details.use_button.isEnabled()
    assert "–" in cells_of(tab)


def cells_of(tab: TuneTab) -> list[str]:
    model = tab.table.results
    entry = model.entry_at(0)
    assert entry is not None
    return [model.cell(entry, column).text for column in range(1, model.columnCount())]


@pytest.mark.req("TUNE-5")
def test_a_chosen_row_says_what_is_shown_and_can_be_used(
    tab: TuneTab, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    tab.show_page(tune_page(DONE))
    details = tab.details
    assert details.title.text() == "middle-out"
    assert details.verdict.text().startswith(
        "It keeps more than the default of the same size on 3 sessions: +10.0 points"
    )
    assert (
        "compression.preserve-threshold = 35 % (default 20 %)"
        in details.settings.text()
    )
    assert (
        "1 file of 7 left out. short.json: The session has 3 turns"
        in tab.footnote.text()
    )
    changed: list[object] = []
    monkeypatch.setattr(tab.backend, "set_values", changed.append)
    with qtbot.waitSignal(tab.inspect_wanted):
        details.use_button.click()
    (values,) = changed
    assert isinstance(values, tuple)
    assert dict(values)[PRESERVE] == 0.35
    assert dict(values)[STRATEGY] == "middle-out"
    tab.table.select("hybrid")
    assert details.title.text() == "hybrid"
    assert (
        "Nothing better than the defaults of hybrid is shown" in details.verdict.text()
    )
    assert not details.export_button.isEnabled()
    assert (
        details.use_button.property("role") == ""
    )  # nothing better is recommended by its colour
    tab.table.select("middle-out")
    assert details.use_button.property("role") == "primary"
    tab.begin("")
    assert not details.use_button.isEnabled()
    assert details.save_button.isEnabled()


def test_a_folder_with_too_few_files_says_so_where_another_is_chosen(
    qtbot: QtBot, qapp: QApplication
) -> None:
    backend = RecordingBackend()
    tab = show_tab(qtbot, TuneTab(backend.client))
    tab.scan("/sessions")
    assert not tab.choose_button.isVisible()
    backend.fail(
        TuneService.choose,
        Notice("error", "1 file is too few.", "Name another folder."),
    )
    assert tab.empty_label.text() == "1 file is too few. Name another folder."
    assert tab.choose_button.isVisible()


@pytest.mark.req("TUNE-5")
def test_a_result_says_that_settings_changed_since(
    qtbot: QtBot, qapp: QApplication
) -> None:
    backend, screen = RecordingBackend(), session_screen()
    tab = show_tab(qtbot, TuneTab(backend.client))
    tab.scan("/sessions")
    tab.show_page(tune_page(replace(DONE, result=None)))
    backend.screen.emit(screen)  # what is known is of these settings
    tab.show_page(tune_page(replace(DONE, is_running=True)))
    backend.screen.emit(screen)
    assert [name for name, _ in backend.calls] == ["TuneService.choose"] * 2
    tab.show_page(tune_page(DONE))
    backend.screen.emit(screen)
    tab.hide()
    backend.screen.emit(screen)
    tab.show()
    assert [name for name, _ in backend.calls[2:]] == ["TuneService.current_state"] * 2
    tab.show_page(tune_page(replace(DONE, is_outdated=True)))
    assert tab.footnote.text().startswith("Settings have changed since")
    assert tab.details.use_button.isEnabled()


def test_the_plot_has_the_chosen_point_beside_its_defaults() -> None:
    points = {
        point.name: (point.x, point.y)
        for point in tune_plot(tune_page(DONE).rows, "middle-out").points
    }
    assert points == {
        "middle-out": (20.0, 80.0),
        "hybrid": (30.0, 70.0),
        "middle-out, defaults": (30.0, 70.0),
    }


def test_the_csv_has_a_line_for_each_strategy() -> None:
    lines = tune_csv(DONE).decode("utf-8-sig").splitlines()
    assert len(lines) == 3
    assert lines[1].startswith(
        "middle-out,compression.preserve-threshold=0.35,1,60,0.8,0.7,0.9,0.2,9000,0.41,0,0"
    )


@pytest.mark.parametrize(
    ("budget", "unit", "text"),
    [
        (0.3, BudgetUnit.SHARE, "30 %"),
        (5e4, BudgetUnit.TOKENS, "50,000"),
        (0.5, BudgetUnit.DOLLARS, "$0.50"),
    ],
)
def test_the_budget_is_shown_as_it_is_typed(
    budget: float, unit: BudgetUnit, text: str
) -> None:
    request = replace(REQUEST, budget=budget, unit=unit)
    assert tune_page(replace(DONE, request=request)).budget == text
