"""The reference's boundary rules, their faults, and snapping, which corrects them."""

from __future__ import annotations

import pytest

from core.transcript.boundaries import (
    CutRequest,
    adjust_for_tool_call_boundary,
    adjust_tail,
    find_backward_valid_split_point,
    find_forward_valid_split_point,
    last_responses,
    snap_cut,
)
from core.transcript.compaction import Cut
from core.transcript.model import Message
from core.transcript.tool_pairs import find_pairs
from tests.builders import ai, call, human, response, tool

LOOP = (
    human("go"),
    ai("", call("a", "1")),
    tool(response("1")),
    ai("", call("b", "2")),
    tool(response("2")),
    tool(response("3")),
)


def cut(history: tuple[Message, ...], asked: int, *, safe: bool = True, keep_low: bool = True) -> Cut:
    request = CutRequest(
        "cut", asked, "asked", adjust_for_tool_call_boundary(history, asked), keep_low, (0, len(history))
    )
    cut_made = snap_cut(request, find_pairs(history), safe=safe)
    assert cut_made is not None
    return cut_made


@pytest.mark.req("REQ-CS-004.2")
def test_forward_skips_tool_messages() -> None:
    assert find_forward_valid_split_point(LOOP, 2) == 3


@pytest.mark.req("REQ-CS-004.2")
def test_forward_steps_back_once_before_an_unanswered_call() -> None:
    history = (human("a"), ai("", call("x", "1")), human("b"))
    assert find_forward_valid_split_point(history, 2) == 1


@pytest.mark.req("REQ-CS-004.3")
def test_backward_stops_behind_a_message_that_needs_nothing() -> None:
    assert find_backward_valid_split_point((human("a"), tool(response("1")), tool(response("2"))), 3) == 1


@pytest.mark.req("REQ-CS-004.1")
def test_adjust_goes_back_where_forward_runs_off_the_end() -> None:
    assert adjust_for_tool_call_boundary(LOOP, 5) == 4
    assert adjust_for_tool_call_boundary(LOOP, 0) == 0
    assert adjust_for_tool_call_boundary((), 3) == 3


def test_the_reference_can_part_a_call_from_its_result_and_safe_cannot() -> None:  # fix BD-01
    cut_made = cut(LOOP, 4, safe=False)
    assert (cut_made.index, cut_made.reference_orphans) == (4, ("2",))
    mended = cut(LOOP, 4)
    assert (mended.index, mended.reference) == (3, 4)
    assert [step.valid for step in mended.trace] == [None, False, True, True]


def test_sentences_name_messages_by_their_place_in_the_source() -> None:
    cut_made = snap_cut(
        CutRequest("cut", 4, "asked", 4, True, (0, 6)),
        find_pairs(LOOP),
        safe=True,
        display_index=lambda i: i + 100,
    )
    assert cut_made is not None
    assert cut_made.trace[0].detail == "before #105"
    assert "#104" in cut_made.trace[-1].title


@pytest.mark.req("REQ-HD-008.2")
def test_the_tail_begins_with_the_call_and_not_with_its_result() -> None:
    last = last_responses(LOOP)
    assert adjust_tail(LOOP, 4, last) == 3
    unanswered = (human("a"), ai("", call("x", "1")), human("b"))
    assert adjust_tail(unanswered, 1, last_responses(unanswered)) == 2
