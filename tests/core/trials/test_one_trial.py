"""One trial has one set of figures, whoever asks for it: Compare, One setting, Folder, backtest,
tune and check."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.common.paths import SAMPLES
from core.losses.needed_later import CONTINUED_AT
from core.settings.schema import LIMIT
from core.strategies.names import EXCERPT
from core.strategies.registry import find_strategy
from core.trials.axes import SettingAxis, axis_trials, run_trials
from core.trials.by_strategy import compare_strategies
from core.trials.past import Past, backtest, part_at_share, past_of, past_trial
from core.trials.run import PartOfSession, priced, run_trial
from core.trials.session_work import CompareWork
from core.trials.sessions import SessionJob, TrialSession, answer, opened_session
from core.trials.trial import Depth, Trial, TrialResult
from core.trials.tune_evaluation import evaluate, trigger_limit
from tests.core.cli.running_cli import Cli
from tests.core.strategies.strategy_running import values
from tests.support.sampling import sampled

NAMES = ("middle-out", "tiered", "pi", EXCERPT)
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".json", ".jsonl"))
SIZE = 30_000
MUST = "the"  # said in every sample


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request: pytest.FixtureRequest) -> TrialSession:
    path: Path = request.param
    return TrialSession(
        path=str(path), name=path.name, values=values(context_limit=SIZE), scope=""
    )


def names_for(file: TrialSession) -> tuple[str, ...]:
    """Return every other strategy: two files that follow each other have all of them."""
    parts = sampled(1, 2)
    return NAMES[FILES.index(Path(file.path)) % parts :: parts]


def opened(file: TrialSession) -> AnalysisInput:
    return replace(opened_session(file), musts=(MUST,))


def figures(result: TrialResult, depth: Depth = Depth.LOSSES) -> dict[str, object]:
    """Return what a depth judges, without what is of a run: its time and its texts."""
    sizes, kept = result.sizes, result.losses
    needed = (
        kept.needed if kept.needed and kept.needed.used else None
    )  # shown as a dash
    found: dict[str, object] = {
        "tokens": (sizes.before_tokens, sizes.tokens, sizes.limit, sizes.trigger),
        "messages": (sizes.before_messages, sizes.messages),
        "cost": result.cost,
        "calls": result.calls,
        "needed": needed,
        "valid": result.no_op or result.error,
    }
    if depth >= Depth.LOSSES:
        found["lost"] = kept.gone, kept.kinds, kept.nowhere, kept.unsaid, kept.statuses
        found["must keep"] = [(one.text, one.status) for one in kept.musts]
    if depth >= Depth.ALL:
        found["lint"] = result.lint
    return found


def test_a_run_on_the_history_has_equal_figures(file: TrialSession) -> None:
    """Compare, One setting, Folder, and the part of a session that ends with it."""
    source = opened(file)
    compared = {
        one.name: priced(one, source.price) for one in compare_strategies(source, NAMES)
    }
    found = answer(SessionJob(file, CompareWork(NAMES))).result or ()
    of_folder = {one.name: one for one in found}
    for name in names_for(file):
        row = compared[name]
        (trial,) = axis_trials(name, (SettingAxis(LIMIT, (SIZE,)),))
        (swept,) = run_trials(opened(file), (trial,))
        whole, part = part_at_share(opened(file), name, 1.0)
        past = run_trial(opened(file), whole, Depth.LOSSES, part)
        assert figures(priced(swept, source.price)) == figures(row)
        assert figures(replace(priced(past, source.price), scope=row.scope)) == figures(
            row
        )
        assert without_texts(of_folder[name]) == without_texts(row)


def without_texts(result: TrialResult) -> dict[str, object]:
    """Return the figures that a folder keeps of a file: no single facts and names."""
    kept = replace(result.losses, statuses=b"", musts=())
    return figures(replace(result, losses=kept), Depth.ALL)


@pytest.mark.req("BACK-1")
def test_a_run_at_a_point_has_equal_figures(file: TrialSession) -> None:
    """A backtest, tune, and any depth of the same trial."""
    source = opened(file)
    for name in names_for(file):
        *_, found = backtest(source, name)
        parts = past_of(source.offline).parts
        for result, part in zip(found.points, parts, strict=True):
            again = run_trial(source, result.trial, Depth.ALL, part)
            assert figures(again, Depth.NEEDED) == figures(result, Depth.NEEDED)
            assert_tuned(source, name, part)


def run_at_point(
    source: AnalysisInput, name: str, part: PartOfSession, fixed: int = 0
) -> TrialResult:
    """Run a strategy on a part of a session at the limit at which it is due there; ``fixed`` are
    the tokens that each request has besides its messages."""
    limit = trigger_limit(find_strategy(name), source.values, part.before + fixed)
    return run_trial(source, past_trial(name, part, limit), Depth.LOSSES, part)


def assert_tuned(source: AnalysisInput, name: str, part: PartOfSession) -> None:
    result = run_at_point(source, name, part)
    evaluated = evaluate(source, Past((part,)), Trial(name))
    assert result.losses.needed is not None
    assert (evaluated.before, evaluated.after) == (
        result.sizes.before_tokens,
        result.sizes.tokens,
    )
    assert (evaluated.needed, evaluated.kept) == (
        result.losses.needed.used,
        result.losses.needed.kept,
    )


def test_check_says_the_figures_of_its_trial(file: TrialSession, cli: Cli) -> None:
    source = opened(file)
    for name in names_for(file):
        settings = ("-s", name, "--set", f"compression.context-limit={SIZE}")
        (checked,) = cli.json("check", file.path, *settings)["files"]
        trial, part = part_at_share(source, name, CONTINUED_AT)
        result = run_trial(source, trial, Depth.ALL, part)
        assert result.losses.needed is not None
        assert checked["tokens_before"] == result.sizes.before_tokens
        assert checked["tokens_after"] == result.sizes.tokens
        assert (checked["needed"], checked["kept"]) == (
            result.losses.needed.used,
            result.losses.needed.kept,
        )
        assert checked["lost"] == result.losses.gone
