"""The pages of Compare: figures, groups, plots, pairs, a request in words, settings to vary."""

from array import array
from dataclasses import replace
from typing import Any

import pytest

from core.analysis import model
from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import Replay, replay_input
from core.facts.model import Fact, FactKind
from core.llm.catalog import TokenRates
from core.losses.evidence import (
    EvidenceStatus,
    KindCount,
    MustMark,
    MustStatus,
)
from core.losses.needed_later import NeededLater
from core.presentation.compare import columns, pages, results
from core.presentation.compare.columns import (
    COMPARE,
    CSV_COLUMNS,
    REPLAY,
    SWEEP,
    csv_cells,
)
from core.presentation.compare.model import (
    ComparePage,
    FolderMeans,
    ReplayPage,
    ResultTable,
    StatusMark,
)
from core.settings.schema import LIMIT, MODE, PRESERVE
from core.strategies.middle_out import NAME as MIDDLE
from core.strategies.one_shot import STRATEGY as ONE_SHOT
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.compaction import FateKind
from core.transcript.model import RecordedCompaction
from core.trials.axes import SettingAxis, Sweep
from core.trials.by_strategy import Comparison, ranked_rows
from core.trials.trial import (
    LostFact,
    Sizes,
    Trial,
    TrialLosses,
    TrialResult,
    with_front,
)
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, conversation, human
from tests.support.sweep_points import past_keeping, sweep_point

AXES = (SettingAxis(PRESERVE, (0.1, 0.2)), SettingAxis(MODE, ("safe", "reference")))

FATES = dict(zip(FateKind, (5, 1, 2, 7, 4, 3), strict=True))
POINT = sweep_point(
    *(0.1, "safe"),
    tokens=4_000,
    messages=12,
    needed_share=0.75,
    fates=FATES,
    gone=3,
    said=(3, 4),
)
FAILED = sweep_point(0.2, "reference", error="It did not work.")
IDLE = sweep_point(
    *(0.1, "reference"),
    tokens=10_000,
    messages=30,
    needed_share=1.0,
    no_op="Too few.",
    gone=0,
)
SESSION = conversation(
    human("a"), ai("b"), recorded=(RecordedCompaction(kind="S", boundary=1),)
)
RATES = TokenRates(model="m", input=1.0, output=5.0, read=0.1, write=1.25)
ROW = TrialResult(
    trial=Trial(MIDDLE),
    kind="strategy",
    sizes=Sizes(before_tokens=10_000, tokens=4_000, messages=12, before_messages=40),
    losses=TrialLosses(
        kinds=(
            KindCount(FactKind.YOUR_MESSAGE, 4, 2, 1, 1),
            KindCount(FactKind.FILE_CHANGED, 3, 3, 0, 0),
        ),
        needed=NeededLater(8, 6, 7),
        nowhere=2,
        gone=3,
    ),
    cost=model.CompactionCost(
        prefix=3_000,
        first_changed=4,
        rewritten=1_000,
        rates=RATES,
        summary=0.25,
        break_even=2.1,
    ),
    calls=1,
    seconds=0.25,
    scope="all",
)
RECORDED = replace(
    ROW, trial=Trial("recorded 1"), kind="recorded", scope="before:1", note="auto"
)


def cells(table: ResultTable[Any], row: Any) -> dict[str, str]:
    return {
        column.label.format(mark="").strip(): column.cell(row).text
        for column in table.columns
    }


def page(*rows: TrialResult, names: tuple[str, ...] = ()) -> ComparePage:
    found = names or tuple(row.name for row in rows)
    return pages.compare_page(
        Comparison(
            source=AnalysisInput(conversation=SESSION, values=values()),
            names=found,
            rows=ranked_rows(rows, "all"),
            profile="offline",
            seconds=1.25,
        )
    )


@pytest.mark.parametrize(
    ("calls", "text", "cell"),
    [
        (25.2, "26 calls", 26),
        (0.4, "1 call", 1),
        (1.0, "1 call", 1),
        (0.0, "at once", 0),
        (None, "never", "never"),
    ],
)
def test_break_even_is_the_same_everywhere(
    calls: float | None, text: str, cell: object
) -> None:
    """The next whole number of calls, in the window, in the table of a terminal and in a CSV."""
    row = replace(
        ROW,
        cost=model.CompactionCost(
            prefix=3,
            first_changed=4,
            rewritten=1,
            rates=RATES,
            summary=0.2,
            first_before=1.0,
            first_after=1.0,
            later_before=1.0,
            later_after=1.0,
            break_even=calls,
        ),
    )
    assert cells(COMPARE, row)["pays for itself after"] == text
    assert row.cost is not None
    assert row.cost.break_even_text == text
    assert csv_cells(row)[CSV_COLUMNS.index("break_even")] == cell


def test_a_row_says_its_figures() -> None:
    assert cells(COMPARE.of_rows([ROW]), ROW) == {
        "tokens after": "4,000",
        "saved": "−60 %",
        "needed later": "75 %",
        "backtest": "–",
        "your messages": "2 of 4",
        "made up": "2",
        "said by nobody": "0",
        "cost": "≈ $0.25",
        "in order": "yes",
        "pays for itself after": "3 calls",
        "still cached": "3,000",
        "instructions": "–",
        "files changed": "3 of 3",
        "open errors": "–",
        "messages": "12",
        "model calls": "1",
        "time": "250 ms",
    }


@pytest.mark.parametrize(
    ("change", "column", "text"),
    [
        (
            {
                "cost": model.CompactionCost(
                    prefix=3_000, first_changed=None, rewritten=0, rates=RATES
                )
            },
            "still cached",
            "all",
        ),
        (
            {
                "cost": model.CompactionCost(
                    prefix=3_000, first_changed=4, rewritten=9, rates=RATES, summary=0.0
                )
            },
            "pays for itself after",
            "never",
        ),
        (
            {
                "cost": model.CompactionCost(
                    prefix=3_000,
                    first_changed=4,
                    rewritten=9,
                    rates=RATES,
                    break_even=0,
                )
            },
            "pays for itself after",
            "at once",
        ),
        ({"cost": None}, "pays for itself after", "–"),
        (
            {
                "cost": model.CompactionCost(
                    prefix=3_000, first_changed=4, rewritten=9, rates=RATES
                )
            },
            "pays for itself after",
            "–",
        ),
        ({"no_op": "why"}, "pays for itself after", ""),
        ({"lint": (2, 1)}, "in order", "2 faults"),
        ({"lint": (0, 1)}, "in order", "1 warning"),
        ({"losses": replace(ROW.losses, needed=None)}, "needed later", "–"),
        ({"losses": replace(ROW.losses, gone=None)}, "made up", "–"),
    ],
)
def test_what_is_not_known_or_wrong_is_said_so(
    change: dict[str, Any], column: str, text: str
) -> None:
    assert cells(COMPARE, replace(ROW, **change))[column] == text


def test_a_table_says_why_columns_have_dashes() -> None:
    ends_here = replace(ROW, losses=replace(ROW.losses, needed=None))
    found = COMPARE.unknown([ends_here, RECORDED])
    assert found["The transcript ends here: nobody knows what comes."] == (
        "needed later",
    )
    assert found["There is none to keep."] == ("instructions", "open errors")
    assert found["The file does not say what the agent called."] == ("model calls",)
    assert COMPARE.unknown([FAILED]) == {}


def test_a_page_counts_its_rows_and_explains_the_recorded_ones() -> None:
    made = page(ROW, RECORDED, names=(MIDDLE, ONE_SHOT.name, "recorded 1", "none"))
    assert (made.status, made.done, made.total, made.is_over) == (
        "2 of 4 done in 1.2 s",
        2,
        4,
        False,
    )
    assert COMPARE.note(RECORDED) == "of 10k before it, auto"
    assert made.footnote.count(".") == 1  # short sentences
    groups = [choice.group for choice in made.choices]
    assert list(dict.fromkeys(groups)) == ["Recorded", "General", "As an agent does it"]


def judged(*statuses: MustStatus) -> TrialResult:
    marks = tuple(
        MustMark(f"must {index}", status) for index, status in enumerate(statuses)
    )
    return replace(ROW, losses=replace(ROW.losses, musts=marks))


def test_musts_stand_as_glyphs_in_their_order() -> None:
    row = judged(MustStatus.WORD_FOR_WORD, MustStatus.NOT_SAID, MustStatus.GONE)
    cell = next(one for one in COMPARE.columns if one.label == "must keep").cell(row)
    assert [mark.status for mark in cell.marks] == [
        MustStatus.WORD_FOR_WORD,
        MustStatus.GONE,
    ]
    assert cell.text == "✕ 1 ✓ 1"


def test_more_than_eight_musts_are_counted() -> None:
    row = judged(*[MustStatus.WORD_FOR_WORD] * 11, MustStatus.GONE)
    cell = next(one for one in COMPARE.columns if one.label == "must keep").cell(row)
    assert [(mark.status.value, mark.count) for mark in cell.marks] == [
        ("gone", "1"),
        ("word for word", "11"),
    ]


@pytest.mark.parametrize(
    ("row", "shown", "left_out"),
    [
        (ROW, "your messages", "must keep"),
        (judged(MustStatus.GONE), "must keep", "your messages"),
    ],
)
def test_must_keep_stands_in_the_place_of_your_messages(
    row: TrialResult, shown: str, left_out: str
) -> None:
    columns = COMPARE.of_rows([row]).columns
    labels = [one.label for one in columns if not one.is_optional]
    assert shown in labels
    assert left_out not in labels


@pytest.mark.req("LOSS-2.5.3")
def test_points_are_those_of_the_scope_with_the_best_trade_offs() -> None:
    better = replace(
        ROW,
        trial=Trial(ONE_SHOT.name),
        sizes=replace(ROW.sizes, tokens=2_000),
        losses=replace(ROW.losses, needed=NeededLater(8, 7, 7)),
    )
    made = results.compare_plot(ranked_rows((ROW, better, RECORDED), "all"), "all", "≈")
    assert {point.name: point.shape for point in made.points} == {
        MIDDLE: results.OTHER,
        ONE_SHOT.name: results.BEST,
    }
    assert [made.points[place].name for place in made.front] == [ONE_SHOT.name]
    assert made.title.endswith("needed later")
    assert made.points[1].text == "≈4,000 tokens, 75 % of what later turns needed"
    assert (
        results.compare_plot(
            (replace(ROW, losses=replace(ROW.losses, needed=None)),), "all", "≈"
        ).points
        == ()
    )
    past = replace(ROW, losses=replace(ROW.losses, needed=None, past=past_keeping(60)))
    made = results.compare_plot((past,), "all", "≈")
    assert "later" not in made.title + made.y.title
    assert made.points[0].text == "≈4,000 tokens, 60 % of what its own past needed"


@pytest.mark.parametrize(
    ("overhead", "reason"),
    [(2_999, ""), (3_500, " (3,500 system prompt and tools)")],
)
def test_a_missed_aim_names_a_system_part_above_it(overhead: int, reason: str) -> None:
    row = replace(ROW, sizes=replace(ROW.sizes, aim=3_000, overhead=overhead))
    assert columns.missed_aim(row) == f"cannot reach 3,000 · least 4,000{reason}"


def test_a_point_is_what_fares_worst_of_the_musts() -> None:
    musts = tuple(
        MustMark("a", one)
        for one in (MustStatus.WORD_FOR_WORD, MustStatus.IN_PART, MustStatus.NOT_SAID)
    )
    sizes = replace(ROW.sizes, aim=3_000)
    kept = replace(ROW, losses=replace(ROW.losses, musts=musts), sizes=sizes)
    made = results.compare_plot((kept,), "all", "≈", 3_000)
    (point,) = made.points
    assert (point.worst, point.is_least) == (StatusMark(MustStatus.IN_PART), True)
    assert made.aim == 3_000
    assert made.x.high >= 4_000


@pytest.mark.parametrize(
    ("request_tokens", "note", "tone"),
    [
        (5_000, "", ""),
        (8_600, "above the trigger", "warn"),
        (10_001, "above the limit", "error"),
    ],
)
def test_a_result_that_is_still_too_large_is_marked_as_in_the_gauge(
    request_tokens: int, note: str, tone: str
) -> None:
    row = replace(
        ROW,
        sizes=replace(ROW.sizes, tokens=request_tokens, trigger=8_500, limit=10_000),
    )
    assert COMPARE.note(row) == note
    cell = COMPARE.columns[0].cell(row)
    assert (cell.tone, note in cell.tip) == (tone, True)
    assert COMPARE.note(replace(row, trial=Trial("none"))) == ", ".join(
        filter(None, ("unchanged", note))
    )


def test_points_that_kept_nearly_all_use_the_height_of_the_plot() -> None:
    close = [
        replace(
            ROW,
            trial=Trial(str(kept)),
            losses=replace(ROW.losses, needed=NeededLater(100, kept, kept)),
        )
        for kept in (92, 97, 100)
    ]
    y = results.compare_plot(close, "all", "≈").y
    assert (90 <= y.low < 92, y.high) == (True, 100)
    assert (
        results.compare_plot(
            (replace(ROW, losses=replace(ROW.losses, needed=NeededLater(100, 5, 5))),),
            "all",
            "≈",
        ).y.low
        == 0
    )


def test_the_first_names_are_the_baseline_what_was_recorded_and_our_own() -> None:
    names = pages.default_names(SESSION)
    assert names[:2] == ("none", "recorded 1")
    assert all(find_strategy(name).emulates is None for name in names[2:])
    assert set(pages.default_names(SESSION, "Claude Code")) > set(names)
    own = tuple(one.name for one in STRATEGIES if one.emulates is None)
    assert pages.default_strategies() == ("none", *own)
    assert pages.first_replayed(MIDDLE)[:2] == ("none", MIDDLE)
    assert len(pages.first_replayed(MIDDLE)) == 4


def pair_row(name: str, kept: int, tokens: int, **fields: Any) -> TrialResult:
    needed = NeededLater(100, kept, kept)
    return TrialResult(
        trial=Trial(name),
        kind="strategy",
        sizes=Sizes(before_tokens=900, tokens=tokens, messages=9),
        losses=TrialLosses(needed=needed, gone=0),
        scope="all",
        **fields,
    )


ROWS = (
    pair_row("none", 100, 900, no_op="It never does anything."),
    pair_row("idle", 100, 900, no_op="Already under the target."),
    pair_row("careful", 98, 500),
    pair_row("best", 97, 300),
    pair_row("small", 60, 100),
)
FRONT = ("none", "best", "small")


@pytest.mark.parametrize(
    ("rows", "strategy", "pair"),
    [
        (ROWS, "careful", ("careful", "best")),
        (ROWS, "best", ("best", "small")),
        (ROWS, "idle", ("small", "best")),  # what changed nothing is in no pair
        (ROWS[:3], "careful", ("", "")),
        ((*ROWS, replace(RECORDED, scope="all")), "careful", ("recorded 1", "best")),
        ((*ROWS, RECORDED), "careful", ("careful", "best")),
    ],
)
def test_the_first_pair_is_what_is_chosen_against_the_best(
    rows: tuple[TrialResult, ...], strategy: str, pair: tuple[str, str]
) -> None:
    assert results.default_pair(rows, "all", FRONT, strategy) == pair


HEAD = model.ReplayResult(turns=(2, 5, 9, 12), tracks=(), limit=10_000, system=0)
PLAIN = model.ReplayTrack(
    name="none",
    sizes=array("q", (2_000, 5_000, 8_000, 11_000)),
    compactions=(),
    calls=0,
    sent=26_000,
    rewritten=500,
    over_limit_count=1,
    cost=0.5,
    trigger=None,
)
RUN = model.ReplayCompaction(turn=3, before=8_000, after=3_000, calls=1, cost=0.0)
FAILED_RUN = model.ReplayCompaction(
    turn=2, before=5_000, after=5_000, calls=0, cost=None, error="It failed."
)
COMPACTED = model.ReplayTrack(
    name=MIDDLE,
    sizes=array("q", (2_000, 5_000, 3_000, 6_000)),
    compactions=(FAILED_RUN, RUN),
    calls=1,
    sent=16_000,
    rewritten=3_000,
    over_limit_count=0,
    cost=None,
    trigger=8_500,
)


def replayed(*tracks: model.ReplayTrack, limit: int | None = 10_000) -> ReplayPage:
    source, result = (
        AnalysisInput(conversation=SESSION, values=values()),
        replace(HEAD, limit=limit, tracks=tracks),
    )
    return pages.replay_page(
        Replay(source, ("none", MIDDLE), replay_input(source), result, 0.5)
    )


def test_whence_costs_come_is_said_once_a_track_is_known() -> None:
    assert "costs" not in replayed().about
    assert replayed(PLAIN).about.endswith("costs are estimates: the file reports none")


def test_a_request_says_what_was_and_what_comes() -> None:
    first, second = results.request_facts(COMPACTED, 2)
    assert (first.value, second.label, second.value) == (
        "none so far",
        "Next compaction",
        "request 3",
    )
    first, second = results.request_facts(COMPACTED, 4)
    assert (first.value, second.label, second.value) == (
        "1 request",
        "Next one, at this pace",
        "≈ request 5",
    )
    assert results.request_facts(COMPACTED, 9) == ()
    assert [results.size_at(COMPACTED, place) for place in (0, 1, 9)] == [
        "–",
        "2,000",
        "–",
    ]


def test_each_setting_brings_values_to_begin_with() -> None:
    found = {
        one.key: one.vary for one in pages.sweep_keys(find_strategy(MIDDLE), values())
    }
    assert found[PRESERVE] == f"{PRESERVE}=10 %:90 %:10 %"
    assert found[MODE] == f"{MODE}=safe,reference"
    assert found[LIMIT] == f"{LIMIT}=2000:16000:2000"


def test_a_line_says_its_totals() -> None:
    assert list(cells(REPLAY, PLAIN).values())[1:] == [
        "0",
        "1",
        "≈ $0.50",
        "0",
        "26k",
        "500",
    ]
    # a failed compaction counts for nothing
    assert list(cells(REPLAY, COMPACTED).values())[1:4] == ["1", "0", "–"]
    assert (replayed(PLAIN).is_over, replayed(PLAIN, COMPACTED).is_over) == (
        False,
        True,
    )
    assert (
        results.over_limit_request(PLAIN, 10_000),
        results.over_limit_request(COMPACTED, 10_000),
    ) == (
        4,
        0,
    )
    assert results.lower_limit(replayed(PLAIN, COMPACTED).result) == 8_000


def test_the_plot_ends_above_the_limit_only_where_a_line_comes_near_it() -> None:
    near = results.replay_scale(replayed(PLAIN, COMPACTED).result)
    assert (near.limit, near.limit_label, near.trigger) == (
        10_000,
        "limit 10,000",
        8_500,
    )
    far = results.replay_scale(replayed(PLAIN, COMPACTED, limit=200_000).result)
    assert (far.limit, far.limit_label) == (None, "limit 200,000, above this plot")
    assert results.replay_scale(
        replayed(PLAIN, limit=None).result
    ).limit_label.startswith("limit –")


def test_a_lost_fact_says_its_kind_and_place() -> None:
    rule = Fact(
        kind=FactKind.INSTRUCTION,
        key="k",
        text="Never  push.",
        first=3,
        last=9,
        count=2,
    )
    error = Fact(kind=FactKind.OPEN_ERROR, key="e", text="TypeError", first=4, last=4)
    assert results.lost_fact_cells(LostFact(rule, EvidenceStatus.WORD_FOR_WORD)) == (
        "instruction",
        "Never push.",
        "#4, 1 more",
        False,
    )
    assert results.lost_fact_cells(LostFact(error, EvidenceStatus.GONE)) == (
        "open error",
        "TypeError",
        "#5",
        True,
    )


def test_a_point_says_its_values_and_figures() -> None:
    made = pages.sweep_page(
        Sweep(
            source=AnalysisInput(conversation=SESSION, values=values()),
            strategy=MIDDLE,
            axes=AXES,
            before=replace(POINT, sizes=replace(POINT.sizes, mark="≈")),
            results=with_front((POINT, FAILED, IDLE), (0.75, None, None)),
        )
    )
    assert results.sweep_title(made, POINT) == "Keep Bottom 10 % · Behave safe"
    assert [results.sweep_text(made, point) for point in made.points] == [
        "≈4,000 tokens · 3 of your 4 messages word for word",
        "It did not work.",
        "≈10,000 tokens · Too few.",
    ]
    assert list(cells(SWEEP.of_rows([POINT]), POINT).values()) == [
        "4,000",
        "−60 %",
        "3 of 4",
        "75 %",
        "$0.00",
        "12",
        "6",
        "7",
        "4",
        "5",
        "3",
    ]
    assert (SWEEP.error(FAILED), SWEEP.note(IDLE)) == (
        "It did not work.",
        "nothing to do",
    )
    assert results.sweep_axis(made, "tokens").high >= 10_000
    assert [point.on_front for point in made.points] == [True, False, False]


def test_a_folders_point_is_where_its_share_is() -> None:
    means = FolderMeans("tiered", {"saved": 0.004, "needed_share": 0.8})
    (point,) = results.folder_plot([means]).points
    assert point.x == pytest.approx(99.6)
    assert point.text == "99 % of the tokens left, 80 % of what later turns needed"
