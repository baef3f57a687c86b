"""A model that calls tools, end to end over a real server on the loopback address."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.common.errors import Cancelled, CompactionFailed
from core.llm.client import LLMClient, LLMToolModel, chat_messages
from core.llm.litellm_adapter import ToolCallCollector, load_litellm
from core.llm.protocol import (
    CallFinished,
    CallStarted,
    ModelEvent,
    SummaryRequest,
    ToolCallRequest,
    ToolUsed,
)
from core.settings.profile import Profile
from core.settings.prompts import built_in
from core.strategies.hybrid import STRATEGY
from core.strategies.hybrid_agent import (
    METADATA,
    PROMPT,
    RESULT,
    SEGMENT,
    VERIFY,
    run_agent,
)
from core.strategies.tracker import track_history
from core.transcript.compaction import Compaction
from tests.core.llm.model_asking import KEY, RecordingCaller, profile, request
from tests.core.strategies.strategy_running import context, tokens
from tests.core.strategies.tool_histories import HISTORY, NEWEST, READ, TALK, WRITE
from tests.core.summarize.test_model_summariser import IDS, SHAPES
from tests.support import loopback
from tests.support.builders import ai, call, human, response, tool
from tests.support.loopback import USAGE, Reply, reply_with_calls, run_loopback

LOOK = reply_with_calls((METADATA, {}))
SHRINK = reply_with_calls(
    (RESULT, {"message_index": READ, "strategy": "use_curator_cache"}),
    (RESULT, {"message_index": WRITE, "strategy": "generic"}),
    text="Results first.",
)
SUMMARY = {
    "start_index": 1,
    "end_index": TALK,
    "summary": f"Fixed “src/fix.py”{' as asked' * 9}.",
}
FOLD = reply_with_calls((SEGMENT, SUMMARY), (VERIFY, {}))
DONE = Reply(text="Done.")


def compacted(
    work: Profile,
    events: list[ModelEvent] | None = None,
    cancelled: Callable[[], bool] = bool,
) -> Compaction:
    load_litellm()
    observer = (events if events is not None else []).append
    model = LLMToolModel(
        LLMClient(work, KEY, retries=0, observer=observer, cancelled=cancelled)
    )
    prompts = {PROMPT: built_in(PROMPT).text}
    given = replace(
        context(HISTORY, limit=10_000), agent=lambda name: model, prompts=prompts
    )
    return run_agent(given, track_history(HISTORY), 300, NEWEST, strategy=STRATEGY)


@pytest.mark.req("LH-72", "LH-85")
@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
def test_a_run_in_three_rounds_over_both_shapes(shape: str, stream: bool) -> None:
    events: list[ModelEvent] = []
    with run_loopback(LOOK, SHRINK, FOLD, DONE) as server:
        done = compacted(profile(server, shape, stream=stream), events)
    assert tokens(done.messages) < 300
    assert [len(one.agent_steps) for one in done.calls] == [1, 2, 2, 0]
    assert {(one.input_tokens, one.output_tokens, one.cost) for one in done.calls} == {
        (*USAGE, 0.0)
    }
    kinds = [
        type(event)
        for event in events
        if isinstance(event, CallStarted | ToolUsed | CallFinished)
    ]
    assert kinds[:4] == [CallStarted, CallFinished, ToolUsed, CallStarted]
    assert "src/parser.py" in server.log[1].text
    assert "Results first." in server.log[2].text
    assert (
        "Empty message" not in server.log[3].text
    )  # what litellm writes into empty texts
    assert "Fixed “src/fix.py”" in str(done.messages[1])


@pytest.mark.req("LH-86", "LH-78")
def test_refusals_unknown_tools_and_bad_json_are_answered() -> None:
    wrong = reply_with_calls(
        (SEGMENT, {"start_index": 6, "end_index": 9, "summary": "S"}),
        ("zip", {}),
        (RESULT, '{"message_in'),
    )
    with run_loopback(wrong, SHRINK, DONE) as server:
        done = compacted(profile(server))
    assert [step.refused for step in done.calls[0].agent_steps] == [True, True, True]
    sent = server.log[1].text
    assert all(
        words in sent
        for words in ("index 7 is protected", "Unknown tool: zip", "error.SyntaxError")
    )
    assert tokens(done.messages) < tokens(HISTORY)


@pytest.mark.req("LH-92")
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        *((loopback.REFUSED, "refused to go"), (loopback.TOO_LONG, "cut off")),
        (loopback.OVERFLOW, "does not fit"),
    ],
)
def test_an_error_half_way_is_raised_with_its_cause(reply: Reply, words: str) -> None:
    with (
        run_loopback(SHRINK, reply) as server,
        pytest.raises(CompactionFailed, match=words) as result,
    ):
        compacted(profile(server, stream=False))
    assert "The conversation is unchanged" in str(result.value)


@pytest.mark.req("LH-90")
def test_a_cancel_between_two_rounds_ends_the_run() -> None:
    events: list[ModelEvent] = []
    with run_loopback(SHRINK, loopback.SLOW) as server, pytest.raises(Cancelled):
        compacted(
            profile(server),
            events,
            lambda: any(isinstance(one, ToolUsed) for one in events),
        )


def piece(index: int, id: str, name: str, arguments: str) -> SimpleNamespace:
    function = SimpleNamespace(name=name or None, arguments=arguments)
    return SimpleNamespace(
        tool_calls=[SimpleNamespace(index=index, id=id or None, function=function)]
    )


@pytest.mark.parametrize("second", [0, 1])
def test_calls_are_put_together_also_where_a_server_gives_all_the_same_number(
    second: int,
) -> None:
    asks = ToolCallCollector()
    asks.add(piece(0, "a", VERIFY, ""))
    asks.add(piece(0, "", "", "{}"))
    asks.add(piece(second, "b", METADATA, '{"include_'))
    asks.add(piece(second, "b", METADATA, 'details": true}'))
    asks.add(SimpleNamespace(content="text"))
    details = ToolCallRequest("b", METADATA, '{"include_details": true}')
    assert asks.calls == (ToolCallRequest("a", VERIFY, "{}"), details)


def test_the_talk_goes_out_as_chat_messages_with_readable_arguments() -> None:
    talk = (
        human("Task."),
        ai(
            "Looking.",
            replace(call(METADATA, "c1"), arguments="{bad"),
            call(VERIFY, "c2"),
        ),
        tool(response("c1", METADATA, "{}"), response("c2", VERIFY, "{}")),
    )
    system, task, answer, first, second = chat_messages("S", talk)
    assert (system["content"], task["content"], answer["content"]) == (
        "S",
        "Task.",
        "Looking.",
    )
    assert [one["function"]["arguments"] for one in answer["tool_calls"]] == [
        '{"unreadable": "{bad"}',
        "{}",
    ]
    assert [one["tool_call_id"] for one in (first, second)] == ["c1", "c2"]


@pytest.mark.parametrize("stream", [True, False])
def test_signed_thoughts_go_back_with_the_results_of_their_calls(stream: bool) -> None:
    with run_loopback(replace(SHRINK, thinking="First the results."), DONE) as server:
        compacted(profile(server, "anthropic", stream=stream))
    answer = next(
        one for one in server.log[1].body["messages"] if one["role"] == "assistant"
    )
    thought = {"type": "thinking", "thinking": "First the results.", "signature": "s"}
    assert [{key: answer["content"][0][key] for key in thought}] == [thought]


@pytest.mark.req("LH-46", "LH-47")
def test_a_summary_request_has_a_temperature_and_a_limit_of_its_own() -> None:
    asked: SummaryRequest = replace(request(), temperature=0.3, max_output_tokens=60)
    with run_loopback() as server:
        RecordingCaller(profile(server)).summarise(asked)
        RecordingCaller(
            profile(server, parameters={"temperature": 0.9, "max_tokens": 50})
        ).summarise(asked)
    bodies = [one.body for one in server.log]
    assert [(one["temperature"], one["max_tokens"]) for one in bodies] == [
        (0.3, 60),
        (0.9, 50),
    ]
