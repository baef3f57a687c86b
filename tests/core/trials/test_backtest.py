"""Strategies at earlier points of a session, judged by what the next turns used."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.common.errors import Cancelled
from core.losses.needed_later import NeededLater
from core.presentation.losses_words import backtest_sentence
from core.preview.options import PreviewOptions
from core.transcript.model import Conversation, Message
from core.transcript.tool_pairs import find_pairs
from core.trials.past import (
    MIN_TURNS,
    backtest,
    best_first,
    past_of,
    past_trial,
)
from core.trials.run import run_trial
from core.trials.session_work import backtest_means
from core.trials.sessions import SessionAnswer
from core.trials.trial import Backtest, Depth, TrialResult
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.strategies.strategy_running import values
from tests.core.trials.test_tune_command import chat
from tests.support.builders import ai, call, conversation, human, response, tool
from tests.support.sweep_points import point_result

TURNS = 40
SMALL = ("--set", "compression.context-limit=1000")


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


def judged(left: float, used: int, kept: int) -> TrialResult:
    """Return a point of 1,000 tokens at which ``left`` of them stay."""
    return point_result(round(1_000 * left), NeededLater(used, kept, kept))


def made(*points: TrialResult, name: str = "pi") -> Backtest:
    return Backtest(name, points, len(points))


@pytest.mark.req("BACK-1", "BACK-2")
def test_points_are_valid_boundaries_with_enough_answers() -> None:
    found = session()
    past, pairs = past_of(source(found)), find_pairs(found.messages)
    assert len(past.parts) == 5
    for part, share in zip(past.parts, (0.4, 0.5, 0.6, 0.7, 0.8), strict=True):
        cut, end = part.point.cut, part.point.end
        assert pairs.valid[cut]
        assert cut / len(found.messages) == pytest.approx(share, abs=0.1)
        assert sum(message.speaker == "ai" for message in found.messages[cut:end]) >= 5
        assert end - cut == pytest.approx(len(found.messages) / 10, abs=4)


@pytest.mark.req("BACK-1")
def test_the_limit_shrinks_with_the_session() -> None:
    *_, found = backtest(source(session()), "top-down-truncation")
    assert not found.error
    shares = [one.sizes.tokens / one.sizes.before_tokens for one in found.points]
    assert max(shares) - min(shares) < 0.1
    assert max(shares) < 0.6


@pytest.mark.req("NEED-2", "BACK-1")
def test_what_keeps_the_start_keeps_what_is_needed() -> None:
    *_, newest = backtest(source(session()), "top-down-truncation")
    assert newest.share is not None
    assert newest.share < 1.0
    needed = [point.losses.needed for point in newest.points]
    gone = {one.text for found in needed if found for one in found.gone}
    assert gone == {f"key_{turn}" for turn in range(15, 40)}


@pytest.mark.req("BACK-3")
def test_a_short_session_has_none() -> None:
    (found,) = backtest(source(session(MIN_TURNS - 3)), "middle-out")
    assert found.share is None
    assert found.reason == "The session has 11 turns; a backtest needs 12."


def test_a_run_that_fails_says_so() -> None:
    unlimited = AnalysisInput(
        conversation=session(), values=values(), options=PreviewOptions()
    )
    *_, found = backtest(unlimited, "top-down-truncation")
    assert found.share is None
    assert "compression.context-limit" in found.error


def test_it_can_be_cancelled() -> None:
    def cancel(fraction: float, text: str) -> None:
        if "point 2" in text:
            raise Cancelled

    running = backtest(source(session(), progress=cancel), "middle-out")
    with pytest.raises(Cancelled):
        list(running)


def test_points_are_found_once_for_all_strategies() -> None:
    shared = source(session())
    assert past_of(shared) is past_of(shared)
    assert past_of(shared, 3) is not past_of(shared)
    assert len(past_of(shared, 3).parts) == 3


def test_each_session_counts_once_in_the_mean() -> None:
    whole, nothing = made(*[judged(0.5, 10, 10)] * 3), made(*[judged(0.5, 90, 0)] * 3)
    short = made(judged(0.5, 10, 10))
    found = zip("abc", (whole, nothing, short), strict=True)
    (mean,) = backtest_means(
        [SessionAnswer(name=name, result=(one,)) for name, one in found]
    )
    assert (mean.sessions, mean.share, mean.needed) == (2, 0.5, 300)


@pytest.mark.req("BACK-2")
def test_no_turn_judges_two_runs() -> None:
    for count in (2, 5, 20):
        points = [part.point for part in past_of(source(session()), count).parts]
        assert all(one.end <= other.cut for one, other in pairwise(points))


@pytest.mark.req("BACK-7")
def test_points_that_removed_less_than_a_tenth_are_left_out() -> None:
    found = made(judged(0.95, 10, 10), *[judged(0.5, 10, 5)] * 3)
    assert (found.needed, found.kept, found.share) == (30, 15, 0.5)


@pytest.mark.req("BACK-7")
@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([judged(0.5, 20, 10)] * 2, "at 2 of 2 points; a backtest needs 3."),
        ([judged(0.95, 20, 20)] * 5, "at 0 of 5 points; a backtest needs 3."),
        (
            [judged(0.5, 6, 6)] * 3,
            "used 18 names that were said before; a backtest needs 20.",
        ),
    ],
)
def test_too_little_is_no_figure(points: list[TrialResult], reason: str) -> None:
    found = made(*points)
    assert found.share is None
    assert found.obstacle.endswith(reason)
    assert backtest_sentence(found) == f"Backtest: – {found.obstacle}"


def test_tokens_left_are_a_share_of_the_tokens_of_all_points() -> None:
    large = point_result(900, NeededLater(10, 5, 5), before=9_000)
    assert made(large, judged(0.5, 10, 5)).tokens_left == pytest.approx(1_400 / 10_000)


@pytest.mark.req("BACK-7")
def test_the_interval_comes_from_the_points() -> None:
    alike = made(*[judged(0.5, 10, 5)] * 4).interval
    spread = made(judged(0.5, 10, 0), judged(0.5, 10, 10), judged(0.5, 10, 5)).interval
    assert alike is not None
    assert spread is not None
    assert (alike.low, alike.mean, alike.high) == (0.5, 0.5, 0.5)
    assert spread.low < 0.5 < spread.high


@pytest.mark.req("BACK-7")
def test_who_removes_least_is_not_first_by_its_share_alone() -> None:
    most = made(*[judged(0.85, 10, 10)] * 3, name="most")
    small = made(*[judged(0.2, 10, 8)] * 3, name="small")
    beaten = made(*[judged(0.5, 10, 7)] * 3, name="beaten")
    ranked = best_first([most, beaten, small])
    assert [(one.name, best) for one, best in ranked] == [
        ("small", True),
        ("most", True),
        ("beaten", False),
    ]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.req("BACK-4")
def test_command_for_a_file(cli: Cli) -> None:
    found = cli.json(
        "backtest", SESSION, "-s", "middle-out", "-s", "none", "--points", "3"
    )
    assert len(found["points"]) == 3
    assert [one["name"] for one in found["strategies"]] == ["middle-out", "none"]
    assert "0 of 3 points" in found["strategies"][1]["reason"]
    assert cli.run("backtest", SESSION, "-s", "middle-out") == 0
    assert "of its own past" in cli.out


@pytest.mark.req("BACK-4")
def test_command_for_a_folder(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(Path(SESSION).read_bytes())
    (tmp_path / "b.json").write_text(
        '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]'
    )
    (tmp_path / "c.txt").write_text("no transcript")
    found = cli.json(
        "backtest", str(tmp_path), "-s", "middle-out", "--engine", "cores:1"
    )
    assert [one["sessions"] for one in found["strategies"]] == [0]
    assert [bool(one["problem"]) for one in found["files"]] == [False, False, True]
    assert cli.run("backtest", str(tmp_path / "b.json")) == 0
    assert "a backtest needs 12" in cli.out
    alone = cli.json("backtest", str(tmp_path / "a.jsonl"), "-s", "middle-out")
    assert alone["strategies"] == found["files"][0]["strategies"]
    assert list(alone) == list(found)


@pytest.mark.parametrize("points", ["0", "21", "x"])
def test_wrong_numbers_of_points(cli: Cli, points: str) -> None:
    assert points in cli.error_text("backtest", SESSION, "--points", points)


@pytest.mark.req("BACK-4")
def test_compare_has_it_with_its_n_where_nothing_follows(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(chat(40)))
    assert cli.run("compare", str(path), "-s", "middle-out", *SMALL) == 0
    head = next(line for line in cli.out.splitlines() if "backtest" in line)
    row = next(line for line in cli.out.splitlines() if line.startswith("middle-out"))
    assert " of " in row[head.index("backtest") - 6 : head.index("backtest") + 9]


@pytest.mark.req("BACK-5")
@pytest.mark.parametrize(("name", "passes"), [("hybrid", 4), ("excerpt", 3)])
def test_every_part_of_a_run_can_be_cancelled(name: str, passes: int) -> None:
    """Also those that read all messages and estimate none: each pass over the messages asks as
    often."""
    asked = 0

    def count(fraction: float, text: str) -> None:
        nonlocal asked
        asked += 1

    found = session()
    past = past_of(source(found))
    asked, part = 0, past.parts[-1]
    run_trial(
        source(found, progress=count), past_trial(name, part, 1_500), Depth.NEEDED, part
    )
    assert asked >= passes * part.point.cut
