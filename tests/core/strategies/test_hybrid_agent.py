"""Hybrid's agent mode: a scripted model compresses a history in rounds of tool calls."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import CompactionFailed
from core.settings.prompts import built_in
from core.strategies.base import StrategyContext
from core.strategies.hybrid import STRATEGY, protected_messages
from core.strategies.hybrid_agent import (
    MAX_ROUNDS,
    METADATA,
    PROMPT,
    RESULT,
    SEGMENT,
    VERIFY,
    run_agent,
)
from core.strategies.hybrid_state import DISPLAY_ONLY
from core.strategies.hybrid_tool_results import REPLACEMENTS
from core.strategies.tracker import track_history
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Speaker, Text, tool_responses
from tests.core.histories import histories
from tests.core.strategies.strategy_running import context, tokens, values
from tests.core.strategies.test_strategy_properties import check
from tests.core.strategies.tool_histories import (
    HISTORY,
    NEWEST,
    READ,
    TALK,
    WRITE,
    ScriptedToolModel,
    tool_request,
)
from tests.support.builders import system
from tests.support.narrowing import known

SUMMARY = "The user wants the parser fixed; the fix is in src/fix.py."
LOOK = (tool_request(METADATA),)
RESULTS = (
    tool_request(RESULT, message_index=READ, strategy="use_curator_cache"),
    tool_request(RESULT, message_index=WRITE, strategy="use_modification_metadata"),
)
SEGMENTS = (
    tool_request(SEGMENT, start_index=1, end_index=TALK, summary=SUMMARY),
    tool_request(VERIFY),
)


def given_to(model: ScriptedToolModel | None, focus: str = "") -> StrategyContext:
    agent = None if model is None else lambda profile: model
    prompts = {PROMPT: built_in(PROMPT).text}
    return replace(
        context(HISTORY, values(), limit=10_000),
        agent=agent,
        prompts=prompts,
        focus=focus,
    )


def compacted(
    model: ScriptedToolModel | None, target: int = 300, focus: str = ""
) -> Compaction:
    return run_agent(
        given_to(model, focus),
        track_history(HISTORY),
        target,
        NEWEST,
        strategy=STRATEGY,
    )


@pytest.mark.req("LH-72", "LH-87", "LH-52", "LH-53")
def test_a_model_compresses_the_history_in_three_rounds() -> None:
    model = ScriptedToolModel([LOOK, RESULTS, SEGMENTS])
    done = compacted(model)
    assert len(model.requests) == 4  # the last answer calls nothing
    assert tokens(done.messages) < 300
    assert not done.warnings
    stats = known(done.figures.stats)
    assert (stats.original_tokens, stats.compressed_tokens) == (
        tokens(HISTORY),
        tokens(done.messages),
    )
    assert (stats.tool_results_compressed, stats.messages_protected) == (2, 6)
    assert (stats.user_messages_compressed, stats.assistant_messages_compressed) == (
        1,
        3,
    )


@pytest.mark.req("LH-54", "LH-78")
def test_what_is_protected_comes_out_as_it_went_in() -> None:
    done = compacted(ScriptedToolModel([RESULTS, SEGMENTS]))
    assert done.messages[0] is HISTORY[0]
    assert done.messages[-5:] == HISTORY[-5:]
    assert done.protected == (0, *sorted(NEWEST))
    assert [done.fates[index].kind for index in (READ, TALK)] == [
        FateKind.SUMMARISED
    ] * 2
    assert [done.fates[index].kind for index in (0, 7)] == [FateKind.KEPT] * 2
    assert [step.rule for step in done.fates[READ].steps] == [
        "agent tool result",
        "agent segment",
    ]
    assert done.origins[1] == tuple(range(1, TALK + 1))


@pytest.mark.req("LH-72")
def test_the_model_is_told_the_task_with_its_figures_and_the_focus() -> None:
    model = ScriptedToolModel([LOOK])
    compacted(model, focus="the docs")
    system, (task, *_) = model.requests[0]
    assert "Above all keep what has to do with: the docs" in str(task)
    assert all(
        word in str(task)
        for word in ("12 messages", "3,135 tokens", "300 tokens", "2,835")
    )
    assert all(
        words in system
        for words in ("compress_tool_result", "within 1,000".capitalize(), "8 rounds")
    )


@pytest.mark.req("LH-85")
def test_every_call_is_recorded_with_its_round_its_effect_and_the_tokens_after_it() -> (
    None
):
    model = ScriptedToolModel([LOOK, RESULTS])
    done = compacted(model)
    assert [call.purpose for call in done.calls] == ["round 1", "round 2", "round 3"]
    steps = [step for call in done.calls for step in call.agent_steps]
    assert [(step.round, step.tool) for step in steps] == [
        (1, METADATA),
        (2, RESULT),
        (2, RESULT),
    ]
    assert steps == model.steps
    assert steps[1].effect.startswith("The result in #4 became a line: 2,392 →")
    assert steps[1].arguments == RESULTS[0][1]
    assert (
        steps[0].tokens
        == tokens(HISTORY)
        > steps[1].tokens
        > steps[2].tokens
        == tokens(done.messages)
    )


@pytest.mark.req("LH-86", "LH-78")
def test_a_refused_call_is_answered_with_the_reason_and_the_run_goes_on() -> None:
    wrong = (
        tool_request(SEGMENT, start_index=0, end_index=8, summary=SUMMARY),
        tool_request("compress_everything"),
        (RESULT, '{"message_index": 3, "str'),
    )
    model = ScriptedToolModel([wrong, RESULTS])
    done = compacted(model, target=1000)
    answers = [
        json.loads(one.result)
        for message in model.requests[1][1]
        for one in tool_responses(message)
    ]
    assert [one["error_type"] for one in answers] == [
        "validation_failed",
        "not_found",
        "parse_error",
    ]
    assert "system prompt" in answers[0]["error_message"]
    assert [step.refused for step in model.steps] == [True, True, True, False, False]
    assert tokens(done.messages) < 1000


@pytest.mark.req("LH-87")
def test_it_ends_after_eight_rounds_at_the_latest() -> None:
    model = ScriptedToolModel([RESULTS, *[LOOK] * 20])
    done = compacted(model)
    assert len(model.requests) == len(done.calls) == MAX_ROUNDS == 8
    assert any("stopped after 8 rounds" in warning for warning in done.warnings)


@pytest.mark.req("LH-68")
def test_a_result_above_the_target_is_kept_and_the_shortfall_said() -> None:
    done = compacted(ScriptedToolModel([RESULTS]), target=100)
    assert done.no_op is None
    assert tokens(done.messages) > known(done.target) == 100


@pytest.mark.req("LH-92")
def test_an_error_half_way_leaves_the_history_and_is_raised() -> None:
    before: tuple[Message, ...] = tuple(HISTORY)
    model = ScriptedToolModel(
        [RESULTS, CompactionFailed("scripted (m): the server failed.", "")]
    )
    with pytest.raises(CompactionFailed, match="the server failed"):
        compacted(model)
    assert before == HISTORY


@pytest.mark.req("LH-21", "LH-19")
def test_what_is_only_shown_goes_and_the_newest_context_stays() -> None:
    shown = Message(
        speaker=Speaker.UNKNOWN,
        blocks=(Text("A banner."),),
        extra={"role": DISPLAY_ONLY},
    )
    history = (*HISTORY[:2], shown, system("Context of now."), *HISTORY[2:])
    model = ScriptedToolModel(
        [(tool_request(SEGMENT, start_index=1, end_index=2, summary="S"), *RESULTS)]
    )
    context_of = replace(given_to(model), history=history)
    done = run_agent(
        context_of,
        track_history(history),
        300,
        frozenset(range(9, 14)),
        strategy=STRATEGY,
    )
    assert shown not in done.messages
    assert done.fates[2].kind is FateKind.DROPPED
    assert known(done.figures.stats).display_data_deleted == 1
    assert "is protected" in model.steps[0].effect


places = st.integers(0, 40)
calls = st.one_of(
    st.builds(
        lambda place, strategy: tool_request(
            RESULT, message_index=place, strategy=strategy
        ),
        places,
        st.sampled_from(REPLACEMENTS),
    ),
    st.builds(
        lambda start, more: tool_request(
            SEGMENT, start_index=start, end_index=start + more, summary="In short."
        ),
        places,
        st.integers(0, 12),
    ),
    st.just(tool_request(METADATA, include_details=True)),
)


@pytest.mark.req("LH-75", "LH-78", "LH-83")
@given(
    histories(), st.lists(st.lists(calls, max_size=6), max_size=4), st.integers(0, 6)
)
def test_whatever_a_model_calls_pairs_stay_whole_and_what_is_protected_stays(
    messages: tuple[Message, ...], script: list[list[tuple[str, str]]], most: int
) -> None:
    protected = protected_messages(messages, most)
    context = replace(given_to(ScriptedToolModel(script)), history=messages)
    done = run_agent(context, track_history(messages), 50, protected, strategy=STRATEGY)
    check(messages, done)
    kept = {id(message) for message in done.messages}
    assert all(id(messages[index]) in kept for index in protected)
