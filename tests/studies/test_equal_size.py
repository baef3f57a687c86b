"""The table of strategies at one size is complete; its measurement holds."""

import re
from datetime import date

import pytest

from core.strategies.names import EXCERPT
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.tokens.counter import counter_for
from core.transcript.compaction import FateKind
from tests.studies.equal_pairs import SizeResult, beaten_table, interval, pairs_table
from tests.studies.equal_size import (
    MARKS,
    PAGE,
    measure_split,
    page_with_table,
    plain_demand,
    plain_recall,
    table,
    verdict,
)
from tests.studies.equal_sizing import SplitTranscript, cut_to_fit, largest_for_budget
from tests.support.builders import ai, exchange, human
from tests.support.narrowing import known

LOG = "line of a log that says little\n" * 60


def transcript() -> SplitTranscript:
    """Requests, work with large results, and later turns."""
    steps = [
        message
        for number in range(20)
        for message in (
            *exchange(f"t{number}", "Bash", LOG, command=f"make part_{number}"),
            ai(f"Part {number}."),
        )
    ]
    before = (
        human("Build the importer in src/importer.py. Never push to main."),
        *steps,
        human("Go on."),
    )
    after = (ai("Now src/importer.py again."),)
    counter = counter_for("")
    return SplitTranscript(
        "made.json", before, after, "/", counter, counter.messages(before)
    )


def test_the_results_have_every_strategy_and_say_when() -> None:
    text = PAGE.read_text("utf-8")
    found = known(MARKS.search(text))
    rows = re.findall(r"^\| `([\w-]+)` \|", found[0], re.MULTILINE)
    assert set(rows) == set(COMPACTION_STRATEGIES)
    assert re.search(r"Measured on \d{4}-\d\d-\d\d over \d+ transcripts", found[0])
    assert f"`{EXCERPT}`: needed, in context: " in found[0]


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_every_strategy_gets_a_result_of_the_size_or_below(name: str) -> None:
    file = transcript()
    most = file.tokens // 4
    found = known(largest_for_budget(find_strategy(name), file, most))
    assert file.count(cut_to_fit(found, file, most).messages) <= most


def test_what_is_cut_off_is_dropped_from_the_oldest_on() -> None:
    file = transcript()
    found = known(largest_for_budget(find_strategy("none"), file, file.tokens // 4))
    kinds = [fate.kind for fate in cut_to_fit(found, file, file.tokens // 4).fates]
    assert kinds[0] is FateKind.DROPPED
    assert kinds[-1] is FateKind.KEPT


def test_needs_are_measured() -> None:
    [one] = measure_split(transcript(), (EXCERPT,), (0.25,))
    assert (one.recall, one.plain_recall) == (1.0, 1.0)
    assert one.size <= 0.25


def test_a_plain_count_takes_what_the_model_used_and_nobody_said_again() -> None:
    before = (
        human("Port 4810 in src/a.py, not old_name."),
        *exchange("t", "Bash", "fatal: no branch x"),
    )
    after = (
        human("old_name again"),
        ai("4810, src/a.py, old_name; new/b.py. fatal: no branch x"),
    )
    needed = plain_demand(before, after)
    assert needed == {"4810", "src/a.py", "fatal: no branch x"}
    assert (
        plain_recall(needed, (ai("in src/a.py: 48100, fatal: no branch xy"),)) == 1 / 3
    )


def test_the_verdict_says_by_how_much_it_is_not_the_best() -> None:
    ours = SizeResult(
        file="a",
        strategy=EXCERPT,
        share=0.1,
        size=0.1,
        recall=0.50,
        plain_recall=0.70,
        again=0.50,
        around=0.50,
    )
    other = SizeResult(
        file="a",
        strategy="none",
        share=0.1,
        size=0.1,
        recall=0.60,
        plain_recall=0.65,
        again=0.40,
        around=0.40,
    )
    assert verdict([ours, other]) == (
        f"`{EXCERPT}`: needed, in context: 10.0 points behind the best, `none`; "
        "by another list of names: 5.0 points ahead of the next best, `none`; "
        "lines written again: 10.0 points ahead of the next best, `none`; "
        "64 characters on both sides: 10.0 points ahead of the next best, `none`."
    )
    page = page_with_table(
        "<!-- equal-size -->\n<!-- /equal-size -->", [ours, other], date(2026, 1, 2)
    )
    assert "Measured on 2026-01-02 over 1 transcripts" in page
    assert table([ours, other]) in page


def test_pairs_have_an_interval_and_what_is_beaten_is_named() -> None:
    assert interval([0.1, 0.1, 0.1]) == pytest.approx((0.1, 0.1))
    low, high = interval([0.0, 0.1, 0.2, 0.3])
    assert 0.0 <= low < 0.15 < high <= 0.3
    ours = [
        SizeResult(
            file=file,
            strategy=EXCERPT,
            share=0.1,
            size=0.1,
            recall=0.50,
            plain_recall=0.70,
            again=0.50,
            around=0.50,
        )
        for file in ("a", "b")
    ]
    tails = [
        SizeResult(
            file=file,
            strategy="none",
            share=0.1,
            size=0.1,
            recall=recall,
            plain_recall=0.6,
            again=0.5,
            around=0.5,
        )
        for file, recall in (("a", 0.65), ("b", 0.45))
    ]
    line = "| needed, in context | `none` | −5.0 [−15.0, +5.0] | −5.0 [−15.0, +5.0] |"
    assert line in pairs_table([*ours, *tails])
    assert beaten_table([*ours, *tails]).splitlines()[2:] == [
        "| a | needed, in context | 50 % | at 10% +15.0; mean +15.0 | `none` +15.0 |"
    ]
