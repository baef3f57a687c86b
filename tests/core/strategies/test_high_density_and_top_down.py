"""high-density (REQ-HD-008) and top-down-truncation (REQ-CS-003)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import InputError
from core.strategies import high_density, top_down
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind
from core.transcript.model import MessageFlag, ToolResponse
from tests.builders import LONG, LOOP, ai, call, flagged, human, response, talk, tool
from tests.core.strategies.strategy_running import context, tokens, values


@pytest.mark.req("REQ-HD-008.2", "REQ-HD-008.3", "REQ-HD-008.4", "REQ-HD-008.5")
def test_high_density_makes_older_results_one_line() -> None:  # fix HD-01
    failed = (
        ai("", call("read_file", "f", file_path="a.py")),
        tool(response("f", "read_file", LONG, "denied")),
    )
    history = (human("go " * 50), *failed, *LOOP)
    result = high_density.compress(context(history, limit=10_000))
    lines = [b.result for m in result.messages for b in m.blocks if isinstance(b, ToolResponse)]
    assert lines[:2] == ["[read_file a.py: error]", "[bash make 0: success]"]
    assert result.messages[0] is history[0]
    assert result.messages[-3:] == history[-3:]
    assert lines[-1] == LONG
    assert result.metadata == replace(result.metadata, original_message_count=19, llm_call_made=False)


@pytest.mark.req("REQ-HD-008.6")
def test_high_density_aims_at_threshold_times_limit_times_headroom() -> None:
    result = high_density.compress(context((human("go"), *LOOP), limit=1000))
    assert result.target == 510
    less = values(compression_threshold=0.5, compression__density__compressHeadroom=0.5)
    assert high_density.compress(context((human("go"), *LOOP), less, limit=1000)).target == 250


def test_text_goes_only_when_all_lines_are_in_place_and_the_target_is_missed() -> None:  # fix HD-03
    result = high_density.compress(context((human("long " * 400), *LOOP), limit=500))
    assert result.fates[0].kind is FateKind.DROPPED
    assert result.fates[0].last.rule == "oldest first"
    assert "lines" in result.fates[0].last.reason


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


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s.needs_limit], ids=lambda s: s.name)
def test_a_strategy_that_needs_a_limit_says_how_to_give_one(strategy: Strategy) -> None:
    with pytest.raises(InputError, match=r"context limit.*--set context-limit=N.*--model NAME"):
        strategy.compress(context(talk(9), limit=None))
