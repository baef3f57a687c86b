"""The filter language: syntax, errors, matches, cost."""

from array import array
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.common.errors import Cancelled, InputError
from core.presentation.filter_query import (
    FilterEvaluator,
    FilterTable,
    FilterTerm,
    UserMarks,
    complete_filter,
    matching_mask,
    parse_filter,
    tool_at,
)
from core.presentation.lists.row_texts import message_rows
from core.presentation.model import FATES
from core.presentation.ruler.geometry import match_positions, whole_range
from core.transcript.model import Message, Speaker, Text, ToolResponse
from tests.support.builders import exchange, human

LONG = "a line of output\n" * 400 + "the needle is here"
MESSAGES = (
    human("Fix the Retry test"),
    *exchange("call-1", "bash", "38 passed", command="pytest"),
    *exchange("call-2", "read_file", LONG, path="src/retry.py"),
    Message(speaker=Speaker.AI, blocks=(Text("Done, nothing else fails"),), id="msg-7"),
)
KEPT, PRUNED = FATES.index("kept"), FATES.index("pruned")


def found(
    text: str, messages: tuple[Message, ...] = MESSAGES, tokens: tuple[int, ...] = ()
) -> list[int]:
    """Return the numbers, from 1, of matching messages; #4 and #5 are pruned, #2 is marked."""
    counts = array("q", tokens or range(0, 100 * len(messages), 100))
    fates = bytes(PRUNED if place in (3, 4) else KEPT for place in range(len(messages)))
    rows, search = message_rows(messages, counts), FilterEvaluator(messages).source_mask
    table = FilterTable(rows, fates, search, marks=UserMarks((1,)))
    return [
        number
        for number, shown in enumerate(matching_mask(parse_filter(text), table), 1)
        if shown
    ]


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
    failed = Message(
        speaker=Speaker.TOOL, blocks=(ToolResponse("c", "bash", None, "Exit code 1"),)
    )
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
        ("a OR", 5, "OR needs a condition after it"),
        ("a OR OR b", 6, "OR needs a condition before it"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(
    text: str, place: int, what: str
) -> None:
    with pytest.raises(InputError) as error:
        parse_filter(text)
    assert error.value.message == f"Character {place}: {what}."
    assert error.value.hint


SIGNS = st.sampled_from('tokensfaeOR:"#-<>=0129k*. ٣\n\tbash') | st.characters()


@given(st.text(SIGNS, max_size=40))
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


def test_a_result_is_searched_where_it_is_not_its_source() -> None:
    result = (MESSAGES[0], human("a summary with a needle"), MESSAGES[4])
    term = FilterTerm("text", "needle")
    assert (
        FilterEvaluator(MESSAGES).result_mask(term, result, array("q", (0, -1, 4)))
        == b"\0\1\1"
    )


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


def test_a_row_tells_its_tool() -> None:
    shown = message_rows(MESSAGES)
    assert [tool_at(shown, pair) for pair in ((0,), (1, 2), (3,))] == [
        "",
        "bash",
        "read_file",
    ]


def test_keys_and_values_are_completed() -> None:
    assert complete_filter("t", 1).texts == ("tool:", "tokens>")
    assert complete_filter("error -fa", 9).texts == ("fate:",)
    assert complete_filter("fate:d", 6).texts == ("fate:dropped ",)
    assert complete_filter("tool:", 5, ("bash", "two words")).texts == (
        "tool:bash ",
        'tool:"two words" ',
    )
    assert complete_filter("", 0).texts == ()


def test_the_ruler_shows_matches_as_far_apart_as_they_can_be_told() -> None:
    sums = list(range(0, 1_001_000, 10))
    seen = list(match_positions(b"\1" * 100_000, sums, whole_range(1_000_000, 800)))
    assert 100 <= len(seen) <= 200
    assert all(b - a >= 3.9 for a, b in pairwise(seen))
    only = bytes(at in (7, 99_999) for at in range(100_000))
    assert [
        round(x) for x in match_positions(only, sums, whole_range(1_000_000, 800))
    ] == [0, 800]
    assert list(match_positions(b"", sums, whole_range(1_000_000, 800))) == []
