"""One trial has one set of figures, printed and in the window: in Compare and its cards, One setting,
Folder, compact, backtest, tune and check."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from core.app.services.compare import CompareService, SweepService
from core.app.services.folder import FolderService
from core.app.services.lists import PanelService
from core.app.services.preview import PreviewService
from core.app.services.settings import SettingsService
from core.cli.output.json_output import rounded
from core.common.json_value import Json
from core.common.paths import SAMPLES
from core.losses.evidence import MustStatus, counted_musts
from core.losses.must_keep import FILE_NAME, session_musts
from core.presentation.compare.columns import must_cell
from core.presentation.compare.model import (
    ComparePage,
    FolderPage,
    StrategyCards,
    SweepPage,
)
from core.presentation.losses_words import backtest_sentence
from core.settings.schema import LIMIT, PRESERVE
from core.strategies.names import EXCERPT
from core.trials.past import past_of
from core.trials.sessions import TrialSession, opened_session
from core.trials.trial import TrialResult
from core.trials.tune_evaluation import at_defaults
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import Cli
from tests.core.strategies.strategy_running import values
from tests.core.trials.test_one_trial import NAMES, run_at_point
from tests.core.trials.test_tune_command import chat
from tests.support.narrowing import known
from tests.support.sampling import sampled

SIZES = {"hand-made": 1_000, "sample": 30_000}
MUSTS = "Never\nretry\nPlan it.\nGo on with part 5.\nnobody said this\n"
COUNTED = (MustStatus.WORD_FOR_WORD, MustStatus.IN_PART, MustStatus.GONE)
VARY = f"{PRESERVE}=0.3,0.4"

Figures = dict[str, Json]


@pytest.fixture(params=tuple(SIZES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def session(kind: str, tmp_path: Path) -> Path:
    """A session alone in its folder, with texts that must survive beside it."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / FILE_NAME).write_text(MUSTS)
    if kind == "sample":
        return Path(copy(SAMPLES / "fix-flaky-upload.jsonl", folder))
    path = folder / "chat.json"
    path.write_text(json.dumps(chat(20)))
    return path


@pytest.fixture
def window(session: Path, kind: str) -> RecordingHandler:
    """A window with the session, and the settings that the commands get."""
    handler = RecordingHandler(session)
    for setting in (f"{LIMIT} {SIZES[kind]}", f"{PRESERVE} 0.3"):
        handler(SettingsService.run_line, f"/set {setting}")
    return handler


@pytest.fixture
def limit(kind: str) -> tuple[str, ...]:
    return "--set", f"{LIMIT}={SIZES[kind]}"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def of_result(row: TrialResult) -> Figures:
    """Return the figures of a row of the window."""
    return {
        "before": (row.sizes.before_messages, row.sizes.before_tokens),
        "after": (row.sizes.messages, row.sizes.tokens),
        "cost": row.summary_cost,
        "calls": row.calls,
        "needed": row.needed_share,
        "gone": row.losses.gone,
        "said": row.messages_word_for_word,
        "musts": [row.losses.count_musts(one) for one in COUNTED],
        "idle": (row.no_op, row.error),
        "refused": row.lint,
        "saved": row.reduction,
    }


def of_row(row: dict[str, Any]) -> Figures:
    """Return the figures of a row of ``compare --json``."""
    said = row["said_word_for_word"], row["said"]
    return {
        "before": (row["before_messages"], row["before_tokens"]),
        "after": (row["messages"], row["tokens"]),
        "cost": row["summary_cost"],
        "calls": row["calls"],
        "needed": row["needed_share"],
        "gone": row["gone"],
        "said": None if row["said"] is None else said,
        "musts": [row[f"musts_{one}"] for one in ("word_for_word", "in_part", "gone")],
        "idle": (row["no_op"], row["error"]),
        "refused": (row["lint_errors"], row["lint_warnings"]),
        "saved": row["saved"],
    }


def of_point(point: dict[str, Any], before: dict[str, int]) -> Figures:
    """Return the figures of a point of ``sweep --json``."""
    return {
        "before": (before["messages"], before["tokens"]),
        "after": (point["messages"], point["tokens"]),
        "cost": point["cost"],
        "calls": point["calls"],
        "needed": point["needed_share"],
        "gone": point["gone"],
        "said": point["said"] and tuple(point["said"]),
        "musts": [point["must"][one.value] for one in COUNTED],
        "idle": (point["no_op"] or "", point["error"] or ""),
    }


def of_compact(found: dict[str, Any]) -> Figures:
    """Return the figures of ``compact --json``, whose cost is what was paid."""
    losses, before, after = found["losses"], found["before"], found["after"]
    (said,) = (one for one in losses["kinds"] if one["kind"] == "your message")
    statuses = [one["status"] for one in found["must"]]
    return {
        "before": (before["messages"], before["tokens"]),
        "after": (after["messages"], after["tokens"]),
        "calls": len(found["calls"]),
        "said": (said["word_for_word"], said["total"]),
        "musts": [statuses.count(one.value) for one in COUNTED],
        "idle": (found["no_op"] or "", ""),
    }


def shared(figures: Figures, wanted: Figures) -> tuple[Figures, Figures]:
    """Return both with the figures that the first has."""
    return figures, {key: wanted[key] for key in figures}


def without_musts(figures: Figures) -> Figures:
    """A folder judges by no texts that must survive."""
    return {key: value for key, value in figures.items() if key != "musts"}


def compared(window: RecordingHandler, name: str) -> Figures:
    """Choose a strategy in the window, and return the figures of its row in Compare."""
    window(SettingsService.run_line, f"/set compression.strategy {name}")
    page: ComparePage = window(CompareService.compare, (name,))
    return of_result(next(row for row in page.rows if row.name == name))


# Every strategy on the small session, every other one on the long sample, too.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "hand-made") for name in NAMES),
        *((name, "sample") for name in sampled(NAMES, NAMES[::2])),
    ],
    indirect=["kind"],
)
def test_a_whole_session_has_one_set_of_figures(
    session: Path, window: RecordingHandler, limit: tuple[str, ...], name: str, cli: Cli
) -> None:
    file, settings = str(session), ("-s", name, *limit, "--set", f"{PRESERVE}=0.3")
    wanted = compared(window, name)
    assert wanted["musts"] != [0, 0, 0]
    (row,) = cli.json("compare", file, *settings)["rows"]
    assert of_row(row) == wanted
    found = cli.json("compact", file, *settings)
    one, other = shared(of_compact(found), wanted)
    assert one == other
    assert window.preview.sizes.after_tokens == found["after"]["tokens"]
    (checked,) = cli.json("check", file, *settings)["files"]
    assert checked["must"] == found["must"]
    (row,) = cli.json("compare", str(session.parent), *settings)["rows"]
    assert without_musts(of_row(row)) == without_musts(wanted)
    window(FolderService.scan, str(session.parent), (name,))
    folder: FolderPage = window(FolderService.compare)
    assert [without_musts(of_result(one)) for one in folder.files] == [
        without_musts(wanted)
    ]


@pytest.mark.parametrize("kind", ["sample"], indirect=True)
@pytest.mark.parametrize("name", ["middle-out", "one-shot", "high-density"])
def test_a_value_of_one_setting_has_the_figures_of_compare(
    session: Path, window: RecordingHandler, limit: tuple[str, ...], name: str, cli: Cli
) -> None:
    scope = "before:1"  # later turns show what was needed of it
    window(PreviewService.set_scope, scope)
    wanted = compared(window, name)
    assert wanted["needed"]
    swept: SweepPage = window(SweepService.sweep, (VARY,))
    assert of_result(swept.points[0]) == wanted | {"refused": (0, 0)}  # not looked for
    where = ("--scope", scope, "-s", name, *limit)
    printed = cli.json("sweep", str(session), *where, "--vary", VARY)
    one, other = shared(of_point(printed["points"][0], printed["before"]), wanted)
    assert one == other
    keeps = ("--set", f"{PRESERVE}=0.3")
    (row,) = cli.json("compare", str(session), *where, *keeps)["rows"]
    assert of_row(row) == wanted


@pytest.mark.req("LOSS-2.5.1")
@pytest.mark.parametrize("kind", ["hand-made"], indirect=True)
def test_a_card_has_the_figures_of_its_row(window: RecordingHandler) -> None:
    cards: StrategyCards = window(CompareService.cards)
    page: ComparePage = window(CompareService.compare, NAMES)
    rows = {row.name: row for row in page.rows}
    shown = [card for card in cards.cards if card.name in rows and not card.no_result]
    assert {card.name for card in shown} >= {"middle-out", EXCERPT}
    for card in shown:
        row = rows[card.name]
        assert (card.tokens, card.reduction) == (row.sizes.tokens, row.reduction)
        assert card.musts == must_cell(row)


@pytest.mark.req("BACK-1")
@pytest.mark.parametrize("name", NAMES)
def test_a_past_has_one_set_of_figures(
    session: Path, window: RecordingHandler, limit: tuple[str, ...], name: str, cli: Cli
) -> None:
    file, strategy = str(session), ("-s", name, *limit, "--set", f"{PRESERVE}=0.3")
    (printed,) = cli.json("backtest", file, *strategy)["strategies"]
    (row,) = cli.json("compare", file, *strategy)["rows"]
    compared(window, name)
    page: ComparePage = window(CompareService.compare, (name,))
    (shown,) = (one for one in page.rows if one.name == name)
    *_, said = window.call(PanelService.studies, True)
    past = known(shown.losses.past)
    assert row["backtest_share"] == past.share
    assert said.text == backtest_sentence(past)
    assert [printed["needed"], printed["kept"]] == [past.needed, past.kept]
    assert printed["share"] == rounded(past.share)
    assert printed["tokens_left"] == rounded(past.tokens_left)
    assert [(one["before"], one["after"]) for one in printed["points"]] == [
        (one.sizes.before_tokens, one.sizes.tokens) for one in past.points
    ]


@pytest.mark.parametrize("kind", ["hand-made"], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_tune_sums_the_runs_at_the_points_of_each_session(
    session: Path, name: str, cli: Cli
) -> None:
    copy(session, session.with_stem("again"))  # one half of the sessions reports
    request = ("tune", str(session.parent), "-s", name, "--runs", "1")
    (tuned,) = cli.json(*request, "--engine", "cores:1")["strategies"]
    wanted = runs_at_points(session, name)
    needs = [known(one.losses.needed) for one in wanted]
    before = sum(one.sizes.before_tokens for one in wanted)
    after = sum(one.sizes.tokens for one in wanted)
    found = tuned["default"]
    used, kept = sum(one.used for one in needs), sum(one.kept for one in needs)
    assert found["share"] == rounded(kept / used)
    assert found["tokens_left"] == rounded(after / before)
    assert found["musts"] == sum(len(counted_musts(one.losses.musts)) for one in wanted)
    standing = [one.losses.count_musts(MustStatus.WORD_FOR_WORD) for one in wanted]
    assert found["musts_kept"] == sum(standing)


def runs_at_points(session: Path, name: str) -> list[TrialResult]:
    """Run a strategy with its defaults at each point of the whole session, where it is due."""
    file = TrialSession(
        path=str(session), name="", values=at_defaults(values()), scope="all"
    )
    source = opened_session(file).offline
    source = replace(source, musts=session_musts(source.conversation))
    past = past_of(source)
    return [run_at_point(source, name, part, past.fixed) for part in past.parts]
