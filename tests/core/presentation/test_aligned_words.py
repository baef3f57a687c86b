"""What a row of the aligned list says in either half, one test per case; and the text of a cell."""

from array import array
from dataclasses import replace

import pytest

from core.presentation.lists.aligned_rows import (
    AlignedColumns,
    AlignedPlan,
    CellSizes,
    CellText,
)
from core.presentation.lists.row_texts import (
    HalfWords,
    LineKind,
    cell_lines,
    left_words,
    line_difference,
    line_parts,
    message_rows,
    right_words,
    row_speech,
)
from core.presentation.lists.side_rows import (
    AlignedInput,
    AlignedState,
    ListContent,
    aligned_plan,
)
from core.presentation.model import FATES
from core.presentation.screen import (
    edited_lines,
    first_difference,
    short_reason,
)
from core.presentation.screen_model import partial_screen
from core.transcript.compaction import Fate, FateKind, FateStep
from tests.core.presentation.test_aligned_plan import given
from tests.support.builders import ai, human


def right(
    source: AlignedInput, row: int, columns: AlignedColumns | None = None
) -> HalfWords:
    plan = aligned_plan(source)
    return right_words(
        plan,
        row,
        source.fates,
        columns or AlignedColumns(source.results),
        source.origin,
    )


def linked(words: HalfWords) -> tuple[str, str, int]:
    return words.text[words.start : words.end], words.side, words.index


def test_a_removed_message_says_why_and_leads_to_the_message_that_is_named() -> None:
    source = given("kpk", (0,), (2,))
    reasons = AlignedColumns(
        source.results, ("superseded by the write in #137",), array("i", (-1, 0, -1))
    )
    words = right(source, 1, replace(reasons, reason_links=(136,)))
    assert words.text == "superseded by the write in #137"
    assert linked(words) == ("#137", "before", 136)
    assert right(source, 1).text == "removed"


def test_a_number_in_a_path_of_a_reason_is_no_link() -> None:
    source = given("kpk", (0,), (2,))
    reason = "/repo/issue #2/plan.md was read again"
    codes = array("i", (-1, 0, -1))
    words = right(
        source, 1, AlignedColumns(source.results, (reason,), codes, reason_links=(-1,))
    )
    assert words == HalfWords(reason)


def test_a_run_without_its_summary_beside_it_leads_to_it() -> None:
    words = right(given("sskkss", (2,), (3,), (0, 1, 4, 5)), 0)
    assert words.text == "in the summary after #4 ↓"
    assert linked(words) == ("#4", "after", 2)


def test_under_a_filter_a_row_says_in_which_message_its_summary_is() -> None:
    source = given("kssk", (0,), (1, 2), (3,))
    plan = aligned_plan(source, AlignedState(has_cells=False))
    words = right_words(
        plan, 1, source.fates, AlignedColumns(source.results), source.origin
    )
    assert words.text == "in the summary, #2 of After"


def test_a_moved_message_leads_to_its_other_place_and_back() -> None:
    source = given("kkkkk", (0,), (3,), (1,), (2,), (4,))
    words = right(source, 4)
    assert words.text == "moved to after #1 ↑"
    assert linked(words) == ("#1", "after", 1)
    back = left_words(aligned_plan(source), 1, source.origin)
    assert back.text == "from #4"
    assert linked(back) == ("#4", "before", 3)


def test_a_new_message_says_after_which_one_it_stands() -> None:
    plan = aligned_plan(given("kk", (0,), (), (1,)))
    assert left_words(plan, 1, array("q", (0, -1, 1))).text == "after #1"
    first = aligned_plan(given("k", (), (0,)))
    assert left_words(first, 0, array("q", (-1, 0))).text == "at the start"


@pytest.mark.parametrize(
    ("reason", "links", "text"),
    [
        (
            "Superseded by the write in #137: nothing reads it.",
            (136,),
            "superseded by the write in #137",
        ),
        (
            "Oldest first until under 5,480 tokens; 3 in all.",
            (),
            "oldest first until under 5,480 tokens",
        ),
        (
            "What stands for it is encrypted; only the server reads it.",
            (),
            "what stands for it is encrypted",
        ),
        ("All results are lines and the target is still missed.", (), "read-write"),
        ("A later result replaces all that this one says.", (8,), "read-write, #9"),
    ],
)
def test_a_reason_has_at_most_six_words_and_its_link(
    reason: str, links: tuple[int, ...], text: str
) -> None:
    step = FateStep("read-write", FateKind.PRUNED, reason, links)
    assert short_reason(Fate((step,))) == text


def speech(
    fates: str,
    *results: tuple[int, ...],
    cell: CellText | None = None,
    stale: bool = False,
) -> list[str]:
    source = given(fates, *results)
    plan: AlignedPlan = aligned_plan(source)
    texts = [human("do it"), *[ai(f"step {number}") for number in range(1, len(fates))]]
    screen = partial_screen(message_rows(texts, array("q", [10] * len(texts))))
    made = [
        texts[min(sources)] if len(sources) == 1 else ai("short") for sources in results
    ]
    rows = message_rows(made, array("q", [4] * len(made)))
    screen = replace(
        screen,
        source=replace(screen.source, fates=source.fates),
        result=replace(
            screen.result, rows=rows, fates=source.after_fates, origin=source.origin
        ),
        request=replace(screen.request, stale=stale),
    )
    before, after = ListContent("before", screen), ListContent("after", screen)
    columns = AlignedColumns(source.results, cells={} if cell is None else {1: cell})
    return [row_speech(plan, row, (before, after), columns) for row in range(len(plan))]


def test_a_screen_reader_hears_one_sentence_a_row() -> None:
    cell = CellText(
        "3 messages → 1",
        CellSizes("30", "4"),
        "All is done.",
        "offline, no model",
        subject="3 messages",
    )
    rows = speech("ksssk", (0,), (1, 2, 3), (4,), cell=cell)
    assert rows[0] == "1, kept, human, 10 tokens, do it"
    assert (
        rows[1]
        == "2, summarised, AI, 10 tokens, step 1; 3 messages → 1; 30 → 4 tokens; All is done."
    )
    assert (
        rows[2] == "3, summarised, AI, 10 tokens, step 2; in the summary of 3 messages"
    )
    outdated = speech("ksssk", (0,), (1, 2, 3), (4,), cell=cell, stale=True)[1]
    assert outdated.endswith(
        "; 3 messages → 1; out of date; 30 → 4 tokens; All is done."
    )


def test_an_edited_row_speaks_of_both_lines() -> None:
    row = speech("ke", (0,), (1,))[1]
    assert row == "2, edited, AI, 10 tokens, step 1; now edited, AI, 4 tokens, step 1"


def test_lines_are_shown_from_where_they_differ_if_most_stays() -> None:
    old, new = (
        "x" * 50 + "the file as it is on main",
        "x" * 50 + "[the same file is in #51]",
    )
    found = line_difference(old, new)
    assert (found.start, found.first, found.is_marked) == (26, 50, True)
    assert not line_difference("1 import os", "[Read a.py: success]").is_marked
    short = line_difference("keep this old", "keep this new")
    assert (short.start, short.first, short.old_end, short.new_end) == (0, 10, 13, 13)


def test_a_summary_is_set_as_heads_bullets_and_paragraphs() -> None:
    text = (
        "<state_snapshot>\n<overall_goal>\nMake it **pass**.\n</overall_goal>\n## Next\n- "
        "push\n1. look"
    )
    assert cell_lines(text) == (
        (LineKind.HEAD, "Overall goal"),
        (LineKind.TEXT, "Make it pass."),
        (LineKind.HEAD, "Next"),
        (LineKind.BULLET, "push"),
        (LineKind.TEXT, "1. look"),
    )


def test_code_in_a_line_of_a_summary_is_set_as_code_without_its_marks() -> None:
    found = list(line_parts("Names in use: `pool.py`, `a b`; not `this"))
    assert found == [
        ("Names in use: ", False),
        ("pool.py", True),
        (", ", False),
        ("a b", True),
        ("; not `this", False),
    ]


@pytest.mark.parametrize(
    ("old", "new", "first"),
    [
        ("abc", "abd", 2),
        ("abc", "abc", 3),
        ("ab", "abc", 2),
        ("", "x", 0),
        ("x" * 9_000 + "a", "x" * 9_000, 9_000),
    ],
)
def test_the_first_difference_of_two_texts(old: str, new: str, first: int) -> None:
    assert first_difference(old, new) == first


def test_messages_with_the_same_row_are_shown_from_their_first_difference() -> None:
    source = [
        human(f"{word} " * 100 + f"{word} is here") for word in ("one", "two", "three")
    ]
    result = [source[0], human("two " * 100 + "two is gone"), human("other")]
    fates = bytes(map(FATES.index, ("kept", "edited", "edited")))
    rows = message_rows(source), message_rows(result)
    lines = edited_lines(fates, range(3), (source, result), rows)
    assert lines == {
        1: ("… two two two two two is here", "… two two two two two is gone")
    }
