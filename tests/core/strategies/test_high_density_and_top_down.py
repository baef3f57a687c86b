"""high-density (REQ-HD-008) and top-down-truncation (REQ-CS-003)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import InputError
from core.settings.schema import Mode
from core.strategies import high_density, top_down
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind, NoOpCode
from core.transcript.model import MessageFlag, Speaker, ToolResponse
from tests.builders import LONG, LOOP, ai, call, exchange, flagged, human, response, system, talk, tool
from tests.core.strategies.strategy_running import context, run, tokens, values


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


def test_short_results_and_earlier_lines_stay() -> None:  # fix HD-02
    history = (*exchange("a", "bash", "ok"), *exchange("b", "bash", "[bash make: error]"), *LOOP)
    result = high_density.compress(context(history, limit=10_000))
    assert result.messages[:4] == history[:4]


def test_messages_of_other_speakers_stay() -> None:  # fix HD-04
    history = (system("rules"), *LOOP)
    assert high_density.compress(context(history, limit=10_000)).messages[0] is history[0]
    old = high_density.compress(context(history, limit=10_000, mode=Mode.REFERENCE))
    assert old.messages[0].speaker is not Speaker.SYSTEM


def test_a_tail_that_reaches_to_the_start_is_a_no_op() -> None:
    result = high_density.compress(context(talk(5), values(compression_preserve_threshold=1.0)))
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.TAIL_COVERS_ALL


def test_nothing_to_shorten_is_a_no_op() -> None:
    result = high_density.compress(context(talk(9), limit=100_000))
    assert result.no_op is not None
    assert result.no_op.code is NoOpCode.NOTHING_TO_PRUNE


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
