"""OpenHands: events of both versions as messages, condensations and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Media, Message, MessageFlag, Speaker, Text, Thinking, ToolCall, ToolResponse
from core.transcript.scopes import history_of_scope
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.research import (
    counts,
    saved,
    v0,
    v0_action,
    v0_observation,
    v0_run,
    v1,
    v1_action,
    v1_message,
    v1_observation,
    v1_run,
    zipped,
)


def _speakers(messages: tuple[Message, ...]) -> str:
    return "".join(message.speaker.value[0] for message in messages)


def test_a_session_of_version_1(tmp_path: Path) -> None:
    conversation = load_conversation(saved(tmp_path, v1_run(2), lines=True))
    assert _speakers(conversation.messages) == "hatata"
    assert conversation.system.texts == ("You are OpenHands.",)
    assert conversation.report.skipped == (("ConversationStateUpdateEvent", 2),)
    action, answer = conversation.messages[1:3]
    assert action.blocks == (
        Text("Round 0.", {"cache_prompt": False}),
        ToolCall("c0", "terminal", {"command": "ls"}, {"$arguments": '{"command": "ls"}'}),
    )
    assert isinstance(answer.blocks[0], ToolResponse)
    assert answer.blocks[0].result == [{"cache_prompt": False, "type": "text", "text": "seen 0"}]


def test_parallel_calls_are_one_message(tmp_path: Path) -> None:
    events = [
        v1_message("u0", "user", "Go."),
        v1_action("a1", "c1", "r", "Both."),
        v1_action("a2", "c2", "r"),
        v1_observation("o1", "c1", "a1"),
        v1_observation("o2", "c2", "a2", "no such file", failed=True),
    ]
    conversation = load_conversation(saved(tmp_path, events, lines=True))
    assert _speakers(conversation.messages) == "hatt"
    action = conversation.messages[1]
    assert [source.line for source in action.sources] == [2, 3]
    assert [block.id for block in action.blocks if isinstance(block, ToolCall)] == ["c1", "c2"]
    failed = conversation.messages[3].blocks[0]
    assert isinstance(failed, ToolResponse)
    assert failed.error == "no such file"


def test_thinking_errors_rejections_images(tmp_path: Path) -> None:
    signed = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    image = {"type": "image", "image_urls": ["data:image/png;base64,AAAA"]}
    said = v1_message("u0", "user", "Look.")
    said["llm_message"]["content"].append(image)
    said["extended_content"] = [{"type": "text", "text": "a skill"}]
    events = [
        said,
        {**v1_action("a1", "c1", "r1"), "thinking_blocks": [signed], "reasoning_content": "hm"},
        v1("AgentErrorEvent", "e1", "agent", tool_name="terminal", tool_call_id="c1", error="bad call"),
        {**v1_action("a2", "c2", "r2"), "action": None, "reasoning_content": "plain"},
        v1(
            "UserRejectObservation",
            "e2",
            "user",
            tool_name="terminal",
            tool_call_id="c2",
            rejection_reason="no",
        ),
    ]
    messages = load_conversation(saved(tmp_path, events, lines=True)).messages
    person = messages[0].blocks
    assert (person[1], person[2]) == (
        Media("", image["image_urls"][0]),
        Text("a skill", {"$field": "extended_content"}),
    )
    assert messages[1].blocks[0] == Thinking("hm", {"signature": "sig"})
    assert messages[3].blocks[0] == Thinking("plain", {"$field": "reasoning_content"})
    errors = [block.error for m in messages for block in m.blocks if isinstance(block, ToolResponse)]
    assert errors == ["bad call", "no"]


def test_model_and_usage_come_from_the_state(tmp_path: Path) -> None:
    tokens = {"per_turn_token": 1371, "context_window": 200000}
    metrics = {"default": {"model_name": "m", "accumulated_token_usage": tokens}, "condenser": {}}
    stats = v1(
        "ConversationStateUpdateEvent", "s", "environment", key="stats", value={"usage_to_metrics": metrics}
    )
    conversation = load_conversation(saved(tmp_path, [v1_message("u", "user", "Hi."), stats], lines=True))
    assert (conversation.model, conversation.reported_context, conversation.reported_limit) == (
        "m",
        1371,
        200000,
    )


def _condensed(id: str, forgotten: list[str], summary: str | None, offset: int | None) -> Any:
    fields = {"forgotten_event_ids": forgotten, "summary": summary, "summary_offset": offset}
    return v1("Condensation", id, "environment", **fields, llm_response_id="r")


def test_a_condensation_says_what_it_left(tmp_path: Path) -> None:
    events = v1_run(4)
    forgotten = ["a0", "o0", "a1", "o1"]
    events.insert(8, _condensed("k", forgotten, "They looked twice.", 2))
    events.insert(8, v1("CondensationRequest", "q", "environment"))
    conversation = load_conversation(saved(tmp_path, events, lines=True))
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.trigger) == ("summary", 5, "request")
    summary = recorded.summary[0]
    assert (summary.blocks, summary.flags) == ((Text("They looked twice."),), MessageFlag.RECORDED_SUMMARY)
    assert recorded.context_after == (0, summary)
    assert _speakers(history_of_scope(conversation, "current").messages) == "hhatata"
    assert _speakers(history_of_scope(conversation, "before:1").messages) == "hatat"
    assert recorded.source is not None
    assert recorded.source.line == 10


def test_a_session_of_version_0(tmp_path: Path) -> None:
    conversation = load_conversation(saved(tmp_path, v0_run(2)))
    assert _speakers(conversation.messages) == "hatata"
    assert counts(conversation) == (6, 2, 2, 0, 0)
    assert conversation.messages[1].blocks == (Text("Round 0."), ToolCall("c0", "bash", {"command": "ls"}))
    assert conversation.messages[-1].blocks == (Text("Done."),)
    assert (conversation.model, conversation.reported_context) == ("m", 40)
    assert conversation.report.skipped == (("agent_state_changed", 1),)


@pytest.mark.parametrize("paired", [True, False])
def test_events_without_ids_answer_the_action_before_them(tmp_path: Path, paired: bool) -> None:
    task = v0(None, "user", action="message", args={"content": "Go."})
    run = v0(None, "agent", action="run", args={"command": "ls", "thought": "Look."})
    seen = v0(None, "agent", observation="run", content="a.py", extras={})
    nothing = v0(None, "agent", observation="null", content="", extras={})
    events = [[task, nothing], [run, seen], [run, seen]] if paired else [task, nothing, run, seen, run, seen]
    conversation = load_conversation(saved(tmp_path, {"instance_id": "i", "history": events}))
    assert counts(conversation) == (5, 2, 2, 0, 0)
    assert conversation.session_id == "i"


def test_what_a_person_ran_is_a_command(tmp_path: Path) -> None:
    events = [v0(0, "user", action="run", args={"command": "git log"}), v0_observation(1, 0, text="abc")]
    flags = [(m.speaker, m.flags, m.blocks) for m in load_conversation(saved(tmp_path, events)).messages]
    assert flags == [
        (Speaker.HUMAN, MessageFlag.COMMAND, (Text("git log"),)),
        (Speaker.HUMAN, MessageFlag.COMMAND, (Text("abc"),)),
    ]


def test_errors_system_prompt_and_notes_of_the_harness(tmp_path: Path) -> None:
    events = [
        v0(
            0,
            "agent",
            action="system",
            args={"content": "You are OpenHands.", "tools": [{"type": "function"}]},
        ),
        v0_action(1, "c0", "r"),
        v0(2, "agent", cause=1, observation="error", content="no shell", extras={}),
        v0(3, "environment", observation="error", content="out of budget", extras={}),
    ]
    conversation = load_conversation(saved(tmp_path, events))
    assert conversation.system.texts == ("You are OpenHands.",)
    assert len(conversation.system.tools) == 1
    _, answer, note = conversation.messages
    assert isinstance(answer.blocks[0], ToolResponse)
    assert (answer.blocks[0].call_id, answer.blocks[0].error) == ("c0", "no shell")
    assert (note.speaker, note.flags) == (Speaker.HUMAN, MessageFlag.META)


@pytest.mark.parametrize(
    "given",
    [{"forgotten_event_ids": [2, 3, 4, 5]}, {"forgotten_events_start_id": 2, "forgotten_events_end_id": 5}],
)
def test_a_condensation_of_version_0(tmp_path: Path, given: Any) -> None:
    args = {**given, "summary": "Two rounds.", "summary_offset": 1}
    events = [*v0_run(3), v0(99, "agent", action="condensation", args=args)]
    (recorded,) = load_conversation(saved(tmp_path, events)).recorded
    assert (recorded.kind, recorded.position) == ("summary", 8)
    assert [one if isinstance(one, int) else -1 for one in recorded.context_after] == [0, -1, 5, 6, 7]


def test_a_run_a_line(tmp_path: Path) -> None:
    runs = [{"instance_id": f"task-{n}", "history": v0_run(n), "metrics": {}} for n in (1, 2)]
    conversation = load_conversation(saved(tmp_path, runs, lines=True), conversation=2)
    assert (conversation.number, conversation.siblings, len(conversation.messages)) == (2, 2, 6)
    assert [one.title for one in conversation.listed] == ["task-1", "task-2"]
    assert conversation.layout["line"] == 2
    assert conversation.messages[0].sources[0].line == 2


def _folder(name: str, events: list[Any]) -> dict[str, Any]:
    files = {f"{name}/events/event-{n:05}-{event['id']}.json": event for n, event in enumerate(events)}
    state = {"agent": {"llm": {"model": "m"}}}
    return {f"{name}/base_state.json": state, **dict(reversed(files.items()))}


def test_a_zipped_conversation_has_a_file_for_each_event(tmp_path: Path) -> None:
    conversation = load_conversation(zipped(tmp_path, _folder("c1", v1_run(2))))
    assert (conversation.format, conversation.model, conversation.siblings) == ("openhands", "m", 1)
    assert _speakers(conversation.messages) == "hatata"
    raw = json.loads(read_source(conversation.document, conversation.messages[0].sources[0]))
    assert raw["id"] == "u0"
    assert json.loads(export_history(unchanged_export(conversation), "openhands").data) == v1_run(2)


def test_unknown_events_are_counted(tmp_path: Path) -> None:
    events = [*v1_run(1), v1("NewEvent", "n", "environment"), v1("NewEvent", "n2", "environment")]
    assert ("NewEvent", 2) in load_conversation(saved(tmp_path, events, lines=True)).report.skipped
