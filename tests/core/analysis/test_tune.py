"""The search of settings: what is better is found, and where nothing is better it says so."""

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.analysis.compare.folder_job import FileComparisonJob
from core.analysis.tune.evaluation import Candidate, Evaluation, SessionEvaluations, TuneJob, trigger_limit
from core.analysis.tune.progress import TuneProgressFile
from core.analysis.tune.search import Score, search
from core.analysis.tune.settings_file import gain_text, settings_toml
from core.analysis.tune.tune import TuneRequest, TuneResult, tune
from core.common.json_value import Json
from core.configuration.layers import SETTINGS
from core.settings.keys import PRESERVE, TOP_PRESERVE
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import find_strategy
from tests.core.cli.running_cli import Cli
from tests.core.strategies.strategy_running import values

NAME = "middle-out"
KEYS = (TOP_PRESERVE, PRESERVE)
TUNABLE = [one for one in SETTINGS if one.key in KEYS]
JOBS = tuple(FileComparisonJob("", f"session {number}", (), values(), "all") for number in range(12))

Judge = Callable[[Candidate], Score]


def planted(candidate: Candidate) -> Score:
    """Keep most at a bottom of 35 % and no top; sizes grow with both."""
    chosen = {PRESERVE: 0.2, TOP_PRESERVE: 0.2} | dict(candidate.vector)
    bottom, top = float(chosen[PRESERVE]), float(chosen[TOP_PRESERVE])
    return Score(0.9 - abs(bottom - 0.35) - top / 2, 0.05 + bottom / 2 + top)


def flat(candidate: Candidate) -> Score:
    return Score(0.6, planted(candidate).size)


def runner(
    judge: Judge, spread: float = 0.02
) -> Callable[[Any, Sequence[TuneJob]], Generator[tuple[int, Any] | None, None, None]]:
    """Return what runs jobs by a judge instead of strategies; sessions differ a little."""

    def run(work: object, jobs: Sequence[TuneJob]) -> Generator[tuple[int, Any] | None, None, None]:
        for index, job in enumerate(jobs):
            found = []
            for candidate in job.candidates:
                score, random = judge(candidate), Random(f"{job.file.name}{candidate}")
                kept = round(1000 * (score.share + random.uniform(-spread, spread)))
                found.append(Evaluation(1000, kept, 1000, round(1000 * score.size), 5))
            yield index, SessionEvaluations(job.file.name, tuple(found))

    return run


def result(judge: Judge, budget: float = 0.3) -> TuneResult:
    *_, last = tune(TuneRequest((NAME,), budget, 60), JOBS, runner(judge))
    return last


@pytest.mark.req("TUNE-1")
def test_a_planted_setting_is_found_within_the_budget() -> None:
    found = result(planted)
    (best,) = found.strategies
    chosen = dict(best.best.vector)
    assert chosen[TOP_PRESERVE] == 0.0
    assert chosen[PRESERVE] == pytest.approx(0.35, abs=0.051)
    assert best.fits
    assert best.size is not None
    assert best.size <= 0.3
    assert best.gain is not None
    assert best.gain.low > 0
    assert gain_text(best, found).startswith("It keeps more than the default on 6 sessions: +")


@pytest.mark.req("TUNE-2")
def test_where_nothing_is_better_it_says_so() -> None:
    found = result(flat, budget=0.5)
    assert gain_text(found.strategies[0], found).startswith(
        "No better than the default is shown on 6 sessions"
    )


@pytest.mark.req("TUNE-2")
def test_half_of_the_sessions_choose_and_the_others_report() -> None:
    found = result(planted)
    names = {job.name for job in JOBS}
    assert set(found.choosing) | set(found.reporting) == names
    assert not set(found.choosing) & set(found.reporting)
    assert len(found.choosing) == len(found.reporting) == 6


def test_it_is_deterministic_and_stops_at_its_runs() -> None:
    assert result(planted) == result(planted)
    running = search(NAME, TUNABLE, 0.3, 20)
    tried, batch = 0, next(running)
    while batch:
        tried += len(batch)
        try:
            batch = running.send({one: planted(one) for one in batch})
        except StopIteration:
            break
    assert tried <= 20


@pytest.mark.req("TUNE-3")
def test_a_killed_search_goes_on_from_what_it_knows(tmp_path: Path) -> None:
    jobs = []
    for number in range(6):
        path = tmp_path / f"s{number}.jsonl"
        path.write_text("x")
        jobs.append(FileComparisonJob(str(path), path.name, (), values(), "all"))
    saved, request, ran = TuneProgressFile(tmp_path, jobs[0]), TuneRequest((NAME,), 0.3, 20), list[str]()

    def counting(work: Any, asked: Sequence[TuneJob]) -> Generator[tuple[int, Any] | None, None, None]:
        ran.extend(job.file.name for job in asked)
        yield from runner(planted)(work, asked)

    *_, whole = tune(request, jobs, counting, saved.known(jobs), saved.add_evaluations)
    assert ran
    ran.clear()
    *_, again = tune(request, jobs, counting, saved.known(jobs), saved.add_evaluations)
    assert again == whole
    assert ran == []
    Path(jobs[0].path).write_text("changed")
    *_, _ = tune(request, jobs, counting, saved.known(jobs), saved.add_evaluations)
    assert set(ran) == {jobs[0].name}


@pytest.mark.req("TUNE-1")
@pytest.mark.parametrize("name", ["middle-out", "tiered", "hybrid", "high-density", "claude-code", "none"])
def test_a_run_has_the_size_at_which_it_would_be_triggered(name: str) -> None:
    strategy, tokens = find_strategy(name), 40_000
    limit = trigger_limit(strategy, values(), tokens)
    size = trigger_tokens(strategy, values(context_limit=limit), limit)
    assert size is None or size >= tokens
    below = trigger_tokens(strategy, values(context_limit=limit - 1), limit - 1)
    assert below is None or below <= tokens


def test_the_file_says_how_it_was_found() -> None:
    found = result(planted)
    text = settings_toml(found, found.strategies[0]).decode()
    assert "# 6 sessions chose, 6 others report (split by name, seed 1)" in text
    assert 'strategy = "middle-out"' in text
    assert f"{PRESERVE} = 0." in text


def chat(turns: int) -> list[Json]:
    plan = " ".join(f"Step {turn} needs the key_{turn}." for turn in range(turns))
    messages: list[Json] = [{"role": "user", "content": "Plan it."}, {"role": "assistant", "content": plan}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Go on with part {turn}. " + "Please. " * 30})
        messages.append(
            {"role": "assistant", "content": f"Part {turn} uses key_{turn} and field_{turn}. " * 3}
        )
    return messages


@pytest.mark.req("TUNE-3")
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cli, folder = Cli(capsys), tmp_path / "sessions"
    folder.mkdir()
    for number in range(4):
        (folder / f"s{number}.json").write_text(json.dumps(chat(20 + number)))
    out = tmp_path / "tuned.toml"
    arguments = ("tune", str(folder), "-s", NAME, "-s", "pi", "--runs", "6", "--engine", "cores:1")
    found = cli.json(*arguments, "-o", str(out))
    assert {one["strategy"] for one in found["strategies"]} == {NAME, "pi"}
    assert len(found["choosing"]) == len(found["reporting"]) == 2
    assert "Found by foldline tune" in out.read_text()
    assert cli.run(*arguments) == 0
    assert "2 sessions chose, 2 others report" in cli.out
    assert "is not a folder" in cli.error_text("tune", str(folder / "s0.json"))
    assert "neither a share" in cli.error_text("tune", str(folder), "--budget", "none")
