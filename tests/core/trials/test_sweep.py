"""Sweeps: axes, points, the best points."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.analysis.model import BASELINE
from core.analysis.replay import COLUMNS, replay_csv
from core.common.errors import Cancelled, InputError
from core.formats.registry import load_conversation
from core.losses.evidence import MustMark, MustStatus
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings.schema import (
    LIMIT,
    PRESERVE,
    PROFILE,
    RETENTION,
    SUMMARY_TOKENS,
    TOP_PRESERVE,
    with_setting,
)
from core.strategies import high_density, middle_out, top_down
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.transcript.model import Conversation
from core.trials import axes
from core.trials.axes import SettingAxis, Sweep
from core.trials.by_strategy import compare_strategies
from core.trials.run import priced, trial_values
from core.trials.trial import Trial, TrialResult, with_front
from tests.core.analysis.replaying import MODEL, replay_session, session
from tests.core.strategies.strategy_running import values
from tests.studies.corpus_tables import files
from tests.support.builders import conversation, talk
from tests.support.sampling import sampled
from tests.support.sweep_points import sweep_point

MIDDLE, CUT, DENSE = (
    find_strategy(one.NAME) for one in (middle_out, top_down, high_density)
)


def said() -> Conversation:
    return conversation(
        *talk(40, "the server listens on port 8080 in src/app.py " * 4), model=MODEL
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PRESERVE}=0.1:0.3:0.1", (0.1, 0.2, 0.3)),
        (f"{PRESERVE}=10%:30%:10%", (0.1, 0.2, 0.3)),
        (f"{PRESERVE}=0:1:0.4", (0.0, 0.4, 0.8)),
        (f"{PRESERVE}=0,1:0,3:0,1", (0.1, 0.2, 0.3)),
        (f"{PRESERVE}=0.1,30%,0.1", (0.1, 0.3)),
        (f"{SUMMARY_TOKENS}=1,000:2000:500", (1000, 1500, 2000)),
        (f" {LIMIT} = 5000 , 6000", (5000, 6000)),
    ],
)
def test_ranges_and_lists(text: str, expected: tuple[object, ...]) -> None:
    assert axes.parse_axis(text, MIDDLE).values == expected


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ((), "One setting or two can be varied"),
        ((f"{PRESERVE}=0,1",) * 3, "not 3"),
        ((f"{PRESERVE}=0,1", f"{PRESERVE}=0.2,0.3"), "varied twice"),
        ((PRESERVE,), "KEY=FROM:TO:STEP"),
        ((f"{PRESERVE}=",), "has no values"),
        ((f"{PRESERVE}=0.2",), "only one value"),
        ((f"{PRESERVE}=0:1",), "is not a range"),
        ((f"{PRESERVE}=0.5:0.1:0.1",), "the smaller value first"),
        ((f"{PRESERVE}=0:1:0",), "must be above 0"),
        ((f"{PRESERVE}=0:1:x",), "'x' is not a number"),
        ((f"{PRESERVE}=0:inf:1",), "cannot be 'inf'"),
        ((f"{PRESERVE}=0:2:0.5",), "from 0 up to 1"),
        ((f"{LIMIT}=1:1e99:1e97",), "cannot be '1e99'"),
        ((f"{PRESERVE}=0:1:1e-9999999",), "cannot be '1e-9999999'"),
        ((f"{SUMMARY_TOKENS}=10:20:2.5",), "a whole number"),
        ((f"{PRESERVE}=0:1:0.0001",), "larger step"),
        (
            (f"{PRESERVE}=0:1:0.01", f"{TOP_PRESERVE}=0:1:0.01"),
            f"at most {axes.MAX_POINTS}",
        ),
        (("compression-presrve-threshold=0,1",), f"Did you mean {PRESERVE}?"),
        (("compression.strategy=a,b",), "foldline compare"),
        ((f"{RETENTION}=1,2",), "The strategy middle-out does not use"),
        ((f"{PROFILE}=a,b",), "The strategy middle-out does not use"),
    ],
)
def test_what_cannot_be_varied_is_said_with_the_way_out(
    texts: tuple[str, ...], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        axes.parse_axes(texts, MIDDLE)
    assert words in str(caught.value)
    assert caught.value.hint


def trials(*vary: str) -> tuple[Trial, ...]:
    return axes.axis_trials(MIDDLE.name, axes.parse_axes(vary, MIDDLE))


def test_a_point_is_the_preview_with_its_settings() -> None:
    source = AnalysisInput(conversation=said(), values=values())
    points = list(axes.run_trials(source, trials(f"{PRESERVE}=0.1:0.5:0.2")))
    for point in points:
        made = compute_preview(said(), trial_values(values(), point.trial))
        assert (point.sizes.tokens, point.sizes.messages) == (
            made.sizes.after_tokens,
            len(made.result.compaction.messages),
        )
        assert point.fate_count(*FateKind) == 40
        assert point.fate_count(FateKind.KEPT) == point.sizes.messages - 2
        assert (
            point.messages_word_for_word == (point.messages_word_for_word[0], 20)
            if point.messages_word_for_word
            else False
        )
    assert [point.sizes.tokens for point in points] == sorted(
        point.sizes.tokens for point in points
    )


def best_marked(points: Sequence[TrialResult]) -> tuple[TrialResult, ...]:
    return with_front(points, [one.needed_share for one in points])


def test_the_best_points_are_those_that_no_other_beats() -> None:
    def point(
        name: str, tokens: int, kept: float | None, no_op: str = "", error: str = ""
    ) -> TrialResult:
        figures = sweep_point(name, tokens=tokens, messages=1, needed_share=kept)
        return replace(figures, no_op=no_op, error=error)

    points = (
        point("small", 100, 0.5),
        point("beaten", 120, 0.4),
        point("large", 200, 0.9),
        point("as good as large", 200, 0.9),
        point("more tokens for the same", 201, 0.9),
        point("nothing done", 50, 1.0, no_op="Already under the target."),
        point("failed", 0, None, error="No."),
        point("nobody knows", 10, None),
    )
    best = [one.trial.setting_values[0] for one in best_marked(points) if one.on_front]
    assert best == ["small", "large", "as good as large"]


def test_points_come_one_by_one_and_progress_cancels() -> None:
    told: list[float] = []

    def progress(fraction: float, text: str) -> None:
        told.append(fraction)
        if text == "point 3 of 6":
            raise Cancelled

    source = AnalysisInput(
        conversation=said(), values=values(), options=PreviewOptions(progress=progress)
    )
    found = axes.run_trials(source, trials(f"{PRESERVE}=0:0.5:0.1"))
    values_of_two = [next(found).trial.setting_values for _ in range(2)]
    assert values_of_two == [(0.0,), (0.1,)]
    with pytest.raises(Cancelled):
        next(found)
    assert told == sorted(told)


@pytest.mark.skipif(not files(), reason="no corpus beside the project")
@pytest.mark.parametrize(
    "path",
    files()[:: sampled(1, 47)],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_real_sessions_can_be_swept(path: Path) -> None:
    source = AnalysisInput(
        conversation=load_conversation(path), values=values(context_limit=50_000)
    )
    points = list(axes.run_trials(source, trials(f"{PRESERVE}=10%,40%")))
    assert [point.error for point in points] == ["", ""]
    assert points[0].sizes.tokens <= points[1].sizes.tokens or points[0].no_op


def rows(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_a_sweep_is_a_row_for_every_point() -> None:
    fates = {FateKind.KEPT: 3, FateKind.DROPPED: 1}
    points = (
        replace(
            sweep_point(
                *(True, 0.1),
                tokens=100,
                messages=4,
                needed_share=0.5,
                fates=fates,
                gone=2,
                said=(3, 4),
            ),
            on_front=True,
        ),
        sweep_point(False, 0.1, error="It needs a limit."),
    )
    varied = (SettingAxis("switch", (True, False)), SettingAxis("share", (0.1,)))
    source = AnalysisInput(conversation=said(), values=values())
    sweep = Sweep(
        source=source, strategy="x", axes=varied, before=points[0], results=points
    )
    found = rows(axes.sweep_csv(sweep))
    named = (
        "switch",
        "share",
        "tokens",
        "messages",
        "gone",
        "said_word_for_word",
        "needed_share",
        "musts_word_for_word",
        "musts_in_part",
        "musts_gone",
        *FateKind,
        "calls",
        "cost",
    )
    cells = (
        "true",
        "0.1",
        "100",
        "4",
        "2",
        "3",
        "0.5",
        *("", "", ""),
        *("3", "0", "0", "0", "0", "1"),
        "0",
        "0.0",
        "1",
        "",
        "",
    )
    assert found[0] == dict(zip((*named, "best", "no_op", "error"), cells, strict=True))
    assert found[1]["error"] == "It needs a limit."
    assert (found[1]["tokens"], found[1]["best"]) == ("", "")


def test_a_replay_is_a_row_for_every_turn_of_every_strategy() -> None:
    found = rows(replay_csv(replay_session(session(6), BASELINE, top_down.NAME)))
    assert len(found) == 12
    assert list(found[0]) == list(COLUMNS)
    assert found[5] == dict(
        zip(COLUMNS, (BASELINE, "6", "12", "11000", "1", "", "", "", ""), strict=True)
    )
    assert list(found[10].values()) == [
        top_down.NAME,
        "5",
        "10",
        "5000",
        "0",
        "9000",
        "5000",
        "0",
        "0.0",
    ]


@pytest.mark.parametrize("known", [True, False])
def test_a_run_has_the_figures_of_compare(known: bool) -> None:
    """Its price as well: without one in the table both are unknown."""
    session = replace(said(), model="gpt-4o" if known else "unheard-of")
    source = AnalysisInput(conversation=session, values=values(context_limit=50_000))
    first = next(axes.run_trials(source, trials(f"{PRESERVE}=0.2,0.3")))
    point = priced(first, source.price)
    fixed = replace(source, values=with_setting(source.values, PRESERVE, 0.2))
    (row,) = (
        priced(one, source.price) for one in compare_strategies(fixed, (MIDDLE.name,))
    )
    assert replace(point, seconds=0.0, trial=row.trial) == replace(row, seconds=0.0)
    assert (point.summary_cost is None) is not known


def test_a_point_that_loses_a_must_is_no_best_trade_off() -> None:
    kept, gone = (
        MustMark("Ask", one) for one in (MustStatus.WORD_FOR_WORD, MustStatus.GONE)
    )
    points = (
        sweep_point("small", tokens=100, needed_share=0.5, musts=(gone,)),
        sweep_point("large", tokens=200, needed_share=0.9, musts=(kept,)),
    )
    assert [one.on_front for one in best_marked(points)] == [False, True]
