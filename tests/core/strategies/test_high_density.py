"""high-density: results to one line; messages are dropped only when all lines are in place (REQ-HD-008)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.settings.schema import Mode
from core.strategies import high_density
from core.transcript.compaction import FateKind, NoOpCode
from core.transcript.model import Speaker, ToolResponse
from tests.builders import LONG, LOOP, ai, call, exchange, human, response, system, talk, tool
from tests.core.strategies.strategy_running import context, values


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
