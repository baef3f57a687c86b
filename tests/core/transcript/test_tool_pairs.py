"""Pairs of calls and responses, and the boundaries that do not separate them."""

from __future__ import annotations

from core.transcript.tool_pairs import find_pairs
from tests.builders import ai, call, human, response, tool


def test_a_call_and_its_response_are_a_pair_that_blocks_the_boundary_between() -> None:
    pairs = find_pairs([human("a"), ai("", call("bash", "1")), tool(response("1")), human("b")])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(1, 2)]
    assert list(pairs.valid) == [1, 1, 0, 1, 1]


def test_unanswered_calls_and_orphans_are_named_and_never_block() -> None:
    pairs = find_pairs([ai("", call("bash", "1")), tool(response("2"))])
    assert (pairs.unanswered, pairs.orphans) == (((0, "1"),), ((1, "2"),))
    assert all(pairs.valid)


def test_an_id_used_again_is_joined_turn_by_turn() -> None:
    turn = [ai("", call("bash", "1")), tool(response("1"))]
    pairs = find_pairs([*turn, *turn])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(0, 1), (2, 3)]
    assert pairs.valid[2]


def test_parallel_calls_block_until_the_last_answer() -> None:
    pairs = find_pairs([ai("", call("a", "1"), call("b", "2")), tool(response("1")), tool(response("2"))])
    assert list(pairs.valid) == [1, 0, 0, 1]
    assert [pair.id for pair in pairs.pairs_across(2)] == ["2"]


def test_answers_that_come_before_their_call_all_belong_to_it() -> None:
    early = tool(response("1"), response("1"))
    pairs = find_pairs([early, human("a"), ai("", call("bash", "1"))])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(2, 0), (2, 0)]
    assert not pairs.orphans
