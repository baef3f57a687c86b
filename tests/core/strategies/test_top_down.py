"""top-down-truncation: drops the oldest messages until the rest meets the target (REQ-CS-003)."""

from __future__ import annotations

import pytest

from core.common.errors import InputError
from core.strategies import top_down
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind, NoOpCode
from core.transcript.model import MessageFlag
from tests.builders import LOOP, ai, call, flagged, human, response, talk, tool
from tests.core.strategies.strategy_running import context, run, tokens


def test_a_single_message_is_counted_as_one() -> None:
    result = top_down.compress(context(talk(1), limit=1))
    assert result.no_op is not None
    assert result.no_op.reason == "There is 1 message; 2 always stay."


@pytest.mark.req("REQ-CS-003.2", "REQ-CS-003.4", "REQ-HD-011.4")
def test_top_down_drops_the_oldest_until_under_the_target() -> None:
    history = (*LOOP, human("last"))
    limit = tokens(history)
    result = top_down.compress(context(history, limit=limit, todos="- [pending] x"))
    assert tokens(result.messages) < 0.85 * limit * 0.6
    assert result.messages == history[-len(result.messages) :]
    assert not result.inserted
    assert {fate.kind for fate in result.fates} == {FateKind.KEPT, FateKind.DROPPED}


@pytest.mark.req("REQ-CS-003.5")
def test_top_down_leaves_two_messages_and_whole_pairs() -> None:
    result = top_down.compress(context(LOOP, limit=1))
    assert result.messages == LOOP[-2:]
    two = top_down.compress(context(LOOP[:2], limit=1))
    assert two.no_op is not None
    assert two.messages == LOOP[:2]


def test_top_down_keeps_the_last_request_alone_in_front() -> None:  # fix TD-02
    history = (human("old"), human("do it"), flagged(MessageFlag.META), *LOOP)
    result = top_down.compress(context(history, limit=1))
    assert result.messages == (human("do it"), *LOOP[-2:])
    assert result.fates[1].kind is FateKind.KEPT


def test_top_down_under_the_target_is_a_no_op() -> None:
    result = top_down.compress(context(talk(4), limit=100_000))
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.UNDER_TARGET


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s.needs_limit], ids=lambda s: s.name)
def test_a_strategy_that_needs_a_limit_says_how_to_give_one(strategy: Strategy) -> None:
    with pytest.raises(InputError, match=r"context limit.*--set context-limit=N.*--model NAME"):
        strategy.compress(context(talk(9), limit=None))


def test_top_down_cuts_further_up_where_nothing_would_go_else() -> None:  # fix TD-01
    early = (ai("", call("bash", "1")), human("x " * 40), ai("y"), tool(response("1", "bash", "r")))
    result = run("top-down-truncation", (*early, *talk(6)), limit=525)
    assert result.no_op is None
    assert result.split is not None
    assert result.split.cuts[0].index == 4
