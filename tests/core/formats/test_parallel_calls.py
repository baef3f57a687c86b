"""Calls that a log writes one by one, before any of their results, are one answer of the model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.formats.common.session_log import joined_answers
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Message,
    RecordedCompaction,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from tests.core.formats.small_files import SMALL, saved

CALLS = {
    **{
        "claude_code": "t1",
        "codex_rollout": "c1",
        "openhands": "c1",
        "copilot_cli": "c1",
    },
    **{
        "goose": "c1",
        "cursor": "c1",
        "qwen_code": "c1",
        "kimi": "Read_0",
        "droid": "c1",
    },
    **{"grok_build": "c1", "hermes": "c1", "amp": "c1", "agent_sdk": "c1"},
}
"""Logs in which calls and results are records, each with the id of a call in its small file."""
WHOLE = {
    *(
        "openai_chat",
        "anthropic_messages",
        "openai_responses",
        "gemini",
        "sharegpt",
        "langchain",
    ),
    *("cline_session", "mini_swe_agent", "tau_bench", "tau2", "inspect_ai", "otlp"),
    *(
        "observations",
        "llxprt",
        "pi_agent",
        "gemini_cli",
        "atif",
        "ai_sdk",
        "opencode",
        "kiro",
    ),
    *(
        "continue_dev",
        "vscode_chat",
        "vscode_chat_replay",
        "chatgpt",
        "claude_ai",
        "swe_agent",
    ),
    *("craft_agents",),
    *("antigravity", "cline_ui", "pydantic_ai", "agent_framework", "google_adk"),
}
"""Formats whose records are what was sent, or whole answers with all of their calls."""


def doubled(records: Sequence[Any], id_: str) -> list[Any]:
    """Return the records with those of a call and of its result twice: the second time with an id
    of their own, as the next record of the log."""
    renamed: dict[str, str] = {}
    copies: list[Any] = []
    for record in records:
        if record.get("parentUuid") in renamed:
            record = {**record, "parentUuid": renamed[record["parentUuid"]]}
        copies.append(record)
        text = json.dumps(record)
        if f'"{id_}"' in text:
            copy = json.loads(text.replace(f'"{id_}"', '"second"'))
            if "parentUuid" in record:
                renamed[record["uuid"]] = f"{record['uuid']}-2"
                copy |= {"uuid": renamed[record["uuid"]], "parentUuid": record["uuid"]}
            copies.append(copy)
    return copies


def answers(conversation: Conversation) -> list[list[str]]:
    found = [
        [call.id for call in tool_calls(message)] for message in conversation.messages
    ]
    return [ids for ids in found if ids]


def test_every_format_is_one_or_the_other() -> None:
    assert not CALLS.keys() & WHOLE
    assert SMALL.keys() <= CALLS.keys() | WHOLE


@pytest.mark.parametrize("name", CALLS)
def test_calls_before_any_result_are_one_answer(name: str, tmp_path: Path) -> None:
    small, id_ = SMALL[name], CALLS[name]
    if isinstance(small, tuple):
        path = saved(tmp_path, tuple(doubled(small, id_)))
    else:
        key = "conversation" if name == "goose" else "messages"
        path = saved(tmp_path, {**small, key: doubled(small[key], id_)})
    loaded = load_conversation(path, format=name)
    assert [id_, "second"] in [ids[:2] for ids in answers(loaded)]


def wire(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}


def call(id_: str) -> dict[str, Any]:
    return wire(
        "ToolCall",
        type="function",
        id=id_,
        function={"name": "read", "arguments": "{}"},
    )


def result(id_: str) -> dict[str, Any]:
    return wire(
        "ToolResult", tool_call_id=id_, return_value={"is_error": False, "output": id_}
    )


def test_a_step_of_kimi_is_one_answer(tmp_path: Path) -> None:
    steps = (
        *(
            wire("TurnBegin", user_input="Read all"),
            wire("StepBegin", n=1),
            call("a"),
            call("c"),
        ),
        *(result("a"), call("b"), result("c"), result("b"), wire("StepBegin", n=2)),
        *(call("d"), result("d"), wire("TurnEnd")),
    )
    loaded = load_conversation(saved(tmp_path, steps))
    assert answers(loaded) == [["a", "c", "b"], ["d"]]
    results = [
        one.call_id for message in loaded.messages for one in tool_responses(message)
    ]
    assert results == ["a", "c", "b", "d"]


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": kind, "timestamp": "2026-01-01T00:00:00Z"}


def said(text: str, *ids: str) -> dict[str, Any]:
    requests = [{"toolCallId": id_, "name": "view", "arguments": {}} for id_ in ids]
    return event("assistant.message", content=text, toolRequests=requests)


def completed(id_: str) -> dict[str, Any]:
    return event(
        "tool.execution_complete", toolCallId=id_, success=True, result={"content": id_}
    )


def started(id_: str) -> dict[str, Any]:
    return event("tool.execution_start", toolCallId=id_, toolName="view", arguments={})


def test_messages_of_a_turn_of_copilot_are_one_answer(tmp_path: Path) -> None:
    events = (
        *(
            event("user.message", content="Read both"),
            event("assistant.turn_start", turnId="0"),
        ),
        *(said("I look."), said("", "a"), started("a"), said("", "b"), completed("a")),
        *(
            completed("b"),
            said("Both read."),
            event("assistant.turn_start", turnId="1"),
        ),
        said("Next turn."),
    )
    loaded = load_conversation(saved(tmp_path, events))
    texts = [
        [block.text for block in message.blocks if isinstance(block, Text)]
        for message in loaded.messages
        if message.speaker is Speaker.AI
    ]
    assert texts == [["I look."], ["Both read."], ["Next turn."]]
    assert answers(loaded) == [["a", "b"]]


def test_a_call_of_copilot_that_began_before_its_message_stands_once(
    tmp_path: Path,
) -> None:
    events = (
        event("user.message", content="Look"),
        started("a"),
        said("", "a"),
        completed("a"),
    )
    assert answers(load_conversation(saved(tmp_path, events))) == [["a"]]


def message(speaker: Speaker, *blocks: Any) -> Message:
    return Message(speaker=speaker, blocks=blocks)


CALLED = [message(Speaker.AI, ToolCall(id_, "read", {})) for id_ in "ab"]
ANSWERED = [message(Speaker.TOOL, ToolResponse(id_, "read", id_)) for id_ in "ab"]


def test_calls_that_are_never_answered_join_nothing() -> None:
    assert len(joined_answers(CALLED, ())[0]) == 2


def test_no_answer_goes_on_beyond_a_compaction() -> None:
    compaction = RecordedCompaction(kind="summary", boundary=1)
    assert len(joined_answers([*CALLED, *ANSWERED], [compaction])[0]) == 4


def test_a_compaction_moves_with_the_messages_around_it() -> None:
    compaction = RecordedCompaction(
        kind="summary", boundary=4, kept=(0, 1, 3), context_after=(0, 1, 3)
    )
    messages, recorded = joined_answers([*CALLED, *ANSWERED], [compaction])
    assert len(messages) == 3
    assert (recorded[0].boundary, recorded[0].kept) == (3, (0, 2))
    assert recorded[0].context_after == (0, 2)
