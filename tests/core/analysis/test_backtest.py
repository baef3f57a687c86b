"""Strategies at earlier points of a session, judged by what the next turns used."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.analysis.backtest.backtest import MIN_TURNS, backtest, backtest_plan, run_point
from core.analysis.backtest.folder import FileBacktest, backtest_means
from core.common.errors import Cancelled
from core.preview.options import PreviewOptions
from core.transcript.model import Conversation, Message
from core.transcript.tool_pairs import find_pairs
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, call, conversation, human, response, tool

TURNS = 40


def session(turns: int = TURNS) -> Conversation:
    """Return a session in which each answer uses a name of the plan and one of the turn before."""
    plan = " ".join(f"Step {turn} needs the key_{turn}." for turn in range(turns))
    messages: list[Message] = [human("Plan it."), ai(plan), human("Do it.")]
    for turn in range(turns):
        arguments = {"path": f"src/part_{turn}.py", "text": f"key_{turn}"}
        said = f"Part {turn} follows field_{turn - 1} of the one before."
        messages.append(ai(said, call("edit", f"c{turn}", **arguments)))
        result = f"field_{turn} was written by this edit. " + "Line. " * 60
        messages.append(tool(response(f"c{turn}", "edit", result)))
    return conversation(*messages, ai("Done."))


def source(found: Conversation, limit: int = 3_000, **options: object) -> AnalysisInput:
    return AnalysisInput(
        conversation=found,
        values=values(context_limit=limit),
        options=PreviewOptions(**options),  # type: ignore[arg-type]
    )


@pytest.mark.req("BACK-1", "BACK-2")
def test_points_are_valid_boundaries_with_enough_answers() -> None:
    found = session()
    plan, pairs = backtest_plan(source(found)), find_pairs(found.messages)
    assert len(plan.points) == 5
    for point, share in zip(plan.points, (0.4, 0.5, 0.6, 0.7, 0.8), strict=True):
        assert pairs.valid[point.needs.cut]
        assert point.needs.cut / len(found.messages) == pytest.approx(share, abs=0.03)
        assert (
            sum(message.speaker == "ai" for message in found.messages[point.needs.cut : point.end])
            >= 5
        )
        assert point.end - point.needs.cut == pytest.approx(len(found.messages) / 10, abs=4)


@pytest.mark.req("BACK-1")
def test_the_limit_shrinks_with_the_session() -> None:
    *_, found = backtest(source(session()), "top-down-truncation")
    assert not found.error
    shares = [point.after / point.before for point in found.points]
    assert max(shares) - min(shares) < 0.1
    assert max(shares) < 0.6


@pytest.mark.req("NEED-2", "BACK-1")
def test_what_keeps_the_start_keeps_what_is_needed() -> None:
    *_, all_kept = backtest(source(session()), "none")
    *_, newest = backtest(source(session()), "top-down-truncation")
    assert all_kept.share == 1.0
    assert newest.share is not None
    assert newest.share < 1.0
    gone = {one.text for point in newest.points for one in point.needed.gone}
    assert gone == {f"key_{turn}" for turn in range(15, 37)}


@pytest.mark.req("BACK-3")
def test_a_short_session_has_none() -> None:
    (found,) = backtest(source(session(MIN_TURNS - 3)), "middle-out")
    assert found.share is None
    assert found.reason == "The session has 11 turns; a backtest needs 12."


def test_a_run_that_fails_says_so() -> None:
    unlimited = AnalysisInput(conversation=session(), values=values(), options=PreviewOptions())
    *_, found = backtest(unlimited, "top-down-truncation")
    assert found.share is None
    assert "context-limit" in found.error


def test_it_can_be_cancelled() -> None:
    def cancel(fraction: float, text: str) -> None:
        if "point 2" in text:
            raise Cancelled

    running = backtest(source(session(), progress=cancel), "middle-out")
    with pytest.raises(Cancelled):
        list(running)


def test_points_are_found_once_for_all_strategies() -> None:
    shared = source(session())
    assert backtest_plan(shared) is backtest_plan(shared)
    assert backtest_plan(shared, 3) is not backtest_plan(shared)
    assert len(backtest_plan(shared, 3).points) == 3


def test_each_session_counts_once_in_the_mean() -> None:
    *_, whole = backtest(source(session()), "none")
    *_, short = backtest(source(session(5)), "none")
    other = replace(
        whole,
        points=tuple(replace(one, needed=replace(one.needed, kept=0)) for one in whole.points),
    )
    (mean,) = backtest_means(
        [FileBacktest("a", (whole,)), FileBacktest("b", (other,)), FileBacktest("c", (short,))]
    )
    assert (mean.sessions, mean.share, mean.lowest, mean.highest) == (2, 0.5, 0.0, 1.0)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.req("BACK-4")
def test_command_for_a_file(cli: Cli) -> None:
    found = cli.json("backtest", SESSION, "-s", "middle-out", "-s", "none", "--points", "3")
    assert [point["needed"] > 0 for point in found["points"]] == [True] * len(found["points"])
    assert [one["name"] for one in found["strategies"]] == ["middle-out", "none"]
    assert found["strategies"][1]["share"] == 1.0
    assert cli.run("backtest", SESSION, "-s", "middle-out") == 0
    assert "of its own past" in cli.out


@pytest.mark.req("BACK-4")
def test_command_for_a_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(Path(SESSION).read_bytes())
    (tmp_path / "b.json").write_text(
        '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]'
    )
    (tmp_path / "c.txt").write_text("no transcript")
    found = cli.json("backtest", str(tmp_path), "-s", "middle-out", "--engine", "cores:1")
    assert [one["sessions"] for one in found["strategies"]] == [1]
    assert [bool(one["problem"]) for one in found["files"]] == [False, False, True]
    assert cli.run("backtest", str(tmp_path / "b.json")) == 0
    assert "a backtest needs 12" in cli.out
    alone = cli.json("backtest", str(tmp_path / "a.jsonl"), "-s", "middle-out")
    assert alone["strategies"] == found["files"][0]["strategies"]


@pytest.mark.parametrize("points", ["0", "21", "x"])
def test_wrong_numbers_of_points(cli: Cli, points: str) -> None:
    assert points in cli.error_text("backtest", SESSION, "--points", points)


@pytest.mark.req("BACK-4")
def test_compare_has_it_where_nothing_follows(cli: Cli) -> None:
    assert cli.run("compare", SESSION, "-s", "middle-out", "-s", "none") == 0
    head = next(line for line in cli.out.splitlines() if "backtest" in line)
    row = next(line for line in cli.out.splitlines() if line.startswith("middle-out"))
    assert "%" in row[head.index("backtest") - 2 : head.index("backtest") + 9]


@pytest.mark.req("BACK-5")
@pytest.mark.parametrize(("name", "passes"), [("hybrid", 4), ("excerpt", 8)])
def test_every_part_of_a_run_can_be_cancelled(name: str, passes: int) -> None:
    """Also those that read all messages and estimate none: each pass over the messages asks as
    often."""
    asked = 0

    def count(fraction: float, text: str) -> None:
        nonlocal asked
        asked += 1

    found = session()
    plan = backtest_plan(source(found))
    asked, point = 0, plan.points[-1]
    run_point(source(found, progress=count), point, name, 1_500)
    assert asked >= passes * point.needs.cut
