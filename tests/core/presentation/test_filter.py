"""The filter language: syntax, errors, matches, cost."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.common.errors import Cancelled, InputError
from core.presentation.filter_query import KEYS, VALUES, FilterTerm, complete_filter, parse_filter, tool_term
from core.presentation.lists.row_texts import message_rows
from core.presentation.model import FATES, SPEAKERS, MessageRows
from core.presentation.row_filter import (
    FilterEvaluator,
    FilterTable,
    UserMarks,
    carried_mask,
    json_strings,
    matching_mask,
    tool_at,
)
from core.presentation.ruler.geometry import match_positions, whole_range
from core.transcript.model import Message, Speaker, Text, ToolResponse
from tests.builders import exchange, human

LONG = "a line of output\n" * 400 + "the needle is here"
MESSAGES = (
    human("Fix the Retry test"),
    *exchange("call-1", "bash", "38 passed", command="pytest"),
    *exchange("call-2", "read_file", LONG, path="src/retry.py"),
    Message(Speaker.AI, (Text("Done, nothing else fails"),), id="msg-7"),
)
KEPT, PRUNED = FATES.index("kept"), FATES.index("pruned")


def found(text: str, messages: tuple[Message, ...] = MESSAGES, tokens: tuple[int, ...] = ()) -> list[int]:
    """Return the numbers, from 1, of matching messages; #4 and #5 are pruned, #2 is marked."""
    counts = array("q", tokens or range(0, 100 * len(messages), 100))
    fates = bytes(PRUNED if place in (3, 4) else KEPT for place in range(len(messages)))
    table = FilterTable(
        message_rows(messages, counts), fates, FilterEvaluator(messages).source_mask, marks=UserMarks((1,))
    )
    return [number for number, shown in enumerate(matching_mask(parse_filter(text), table), 1) if shown]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("tool:bash", [2, 3]),
        ("tool:READ*", [4, 5]),
        ("-tool:*", [1, 6]),
        ("speaker:human", [1]),
        ("fate:pruned", [4, 5]),
        ("kind:call", [2, 4]),
        ("block:response", [3, 5]),
        ("block:text", [1, 6]),
        ("id:call-2", [4, 5]),
        ("id:msg", [6]),
        ("tokens>200", [4, 5, 6]),
        ("tokens>=200 tokens<0.4k", [3, 4]),
        ("tokens=300", [4]),
        ("#2", [2]),
        ("#2-3", [2, 3]),
        ("#5-", [5, 6]),
        ("marked", [2]),
        ("retry", [1, 4]),
        ('"retry test"', [1]),
        ("needle", [5]),  # far behind what a row shows
        ("pytest OR needle", [2, 5]),
        ("tool:bash -pytest OR #6", [3, 6]),
        ("fate:pruned tool:bash", []),
        ("FATE:Pruned", [4, 5]),
    ],
)
def test_what_a_query_lets_through(text: str, numbers: list[int]) -> None:
    assert found(text) == numbers


def test_errors_are_found_by_their_word_and_as_text_in_quotes() -> None:
    failed = Message(Speaker.TOOL, (ToolResponse("c", "bash", None, "Exit code 1"),))
    talked = (human("what is this error"), failed)
    assert found("error", talked) == [2]
    assert found('"error"', talked) == [1]


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("tol:bash", 1, "there is no key tol; tool is one"),
        ("error fate:lost", 12, "there is no fate lost"),
        ("tool:", 6, "tool: needs a value"),
        ("tokens>many", 8, "tokens> needs a number"),
        ("tokns>2000", 1, "only tokens can be compared, not tokns"),
        ('a "b', 3, "the quote is not closed"),
        ('""', 1, "the quotes hold no text"),
        ("#", 1, "a message is named by a number"),
        ("#0", 1, "#0 holds no message"),
        ("#9-3", 1, "#9-3 holds no message"),
        ("OR a", 1, "OR needs a condition before it"),
        ("a OR", 5, "OR needs a condition behind it"),
        ("a OR OR b", 6, "OR needs a condition before it"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(text: str, place: int, what: str) -> None:
    with pytest.raises(InputError) as error:
        parse_filter(text)
    assert error.value.message == f"Character {place}: {what}."
    assert error.value.hint


WRITTEN = st.text(
    alphabet=st.sampled_from('tokensfaeOR:"#-<>=0129k*. ٣\n\tbash') | st.characters(), max_size=40
)


@given(WRITTEN)
@example("tokens>99999999999999999999999999999999999999")
@example("#٣-٤")
@example("- -")
def test_a_query_is_read_or_refused_and_nothing_else(text: str) -> None:
    with suppress(InputError):
        assert len(found(text)) <= len(MESSAGES)


@given(st.text(max_size=30), st.integers(0, 30))
def test_offers_fit_what_is_typed(text: str, cursor: int) -> None:
    offers = complete_filter(text, min(cursor, len(text)), ("bash", "two words"))
    assert 0 <= offers.start <= offers.end <= len(text)


def test_keys_and_values_are_completed() -> None:
    assert complete_filter("t", 1).texts == ("tool:", "tokens>")
    assert complete_filter("error -fa", 9).texts == ("fate:",)
    assert complete_filter("fate:d", 6).texts == ("fate:dropped ",)
    assert complete_filter("tool:", 5, ("bash", "two words")).texts == ("tool:bash ", 'tool:"two words" ')
    assert complete_filter("", 0).texts == ()


def test_everything_that_is_offered_can_be_asked() -> None:
    for key, values in VALUES.items():
        assert all(parse_filter(f"{key}:{value}") for value in values)
    assert all(parse_filter(f"{key}:x") for key in KEYS if key not in VALUES)


def test_a_tool_of_any_name_can_be_asked_for() -> None:
    for name in ("bash", "two words", "mcp__fs__read[1]?"):
        talked = (human("go"), *exchange("c", name, "done"))
        assert found(tool_term(name), talked) == [2, 3]


def test_a_row_tells_its_tool() -> None:
    shown = message_rows(MESSAGES)
    assert [tool_at(shown, pair) for pair in ((0,), (1, 2), (3,))] == ["", "bash", "read_file"]


def test_a_result_is_seen_through_its_sources() -> None:
    assert carried_mask(b"\1\0\1", array("q", (2, -1, 1, 0))) == b"\1\0\0\1"


def test_a_result_is_searched_where_it_is_not_its_source() -> None:
    new = human("a summary with a needle")
    searched = FilterEvaluator(MESSAGES)
    mask = searched.result_mask(
        FilterTerm("text", "needle"), (MESSAGES[0], new, MESSAGES[4]), array("q", (0, -1, 4))
    )
    assert mask == b"\0\1\1"


def test_texts_of_any_depth_are_searched() -> None:
    deep: object = "needle"
    for _ in range(5_000):
        deep = [deep]
    assert "needle" in set(json_strings({"a": deep, "b": [1, None, True, 2.5]}))


def test_a_search_is_remembered_and_can_be_stopped() -> None:
    said: list[float] = []

    def progress(fraction: float, text: str) -> None:
        said.append(fraction)
        if len(said) > 1:
            raise Cancelled

    searched = FilterEvaluator(MESSAGES, progress)
    searched.source_mask(FilterTerm("text", "retry"))
    searched.source_mask(FilterTerm("text", "retry", negated=True))
    assert len(said) == 1
    with pytest.raises(Cancelled):
        searched.source_mask(FilterTerm("text", "other"))


COLUMN_QUERY = "speaker:tool -fate:kept kind:tool tokens>2000 #12- error OR marked -error"


def calls_of(work: Callable[[], object]) -> int:
    """Count Python's calls, into Python and into C."""
    made = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


def test_columns_are_filtered_without_a_step_per_row() -> None:
    """Ten thousand and a hundred thousand rows take the same number of calls."""

    def cost(size: int) -> int:
        codes = bytes(range(len(SPEAKERS))) * (size // len(SPEAKERS))
        many = len(codes)
        shown = MessageRows(codes, codes, bytes(many), bytes(many), array("q", range(many)), (), ())
        table = FilterTable(shown, bytes(many), lambda term: bytes(many), marks=UserMarks((7,)))
        query = parse_filter(COLUMN_QUERY)
        return calls_of(lambda: matching_mask(query, table))

    assert cost(10_000) == cost(100_000)


def test_a_search_of_texts_takes_as_many_steps_per_message_however_many_there_are() -> None:
    def cost(size: int) -> int:
        searched = FilterEvaluator((human("some words"),) * size)
        return calls_of(lambda: searched.source_mask(FilterTerm("text", "needle")))

    assert cost(20_000) <= 10 * cost(2_000)


def test_the_ruler_shows_matches_as_far_apart_as_they_can_be_told() -> None:
    sums = list(range(0, 1_001_000, 10))
    seen = list(match_positions(b"\1" * 100_000, sums, whole_range(1_000_000, 800)))
    assert 100 <= len(seen) <= 200
    assert all(b - a >= 3.9 for a, b in pairwise(seen))
    only = bytes(at in (7, 99_999) for at in range(100_000))
    assert [round(x) for x in match_positions(only, sums, whole_range(1_000_000, 800))] == [0, 800]
    assert list(match_positions(b"", sums, whole_range(1_000_000, 800))) == []
