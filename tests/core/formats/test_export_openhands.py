"""Export of OpenHands events after an edit of their message."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.export.export import ExportedFile, export_history
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Block, Conversation, Message, Opaque, Text, Thinking, ToolCall
from tests.core.formats.exporting import edited_export, unchanged_export, with_text
from tests.core.formats.research import (
    saved,
    v0_run,
    v1_action,
    v1_message,
    v1_observation,
    v1_run,
    v1_text,
    zipped,
)

SHORTER = {"command": "…"}
SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "zzz"}


def _without(kind: type[Block]) -> Callable[[Message], Message]:
    return lambda message: replace(
        message, blocks=tuple(block for block in message.blocks if not isinstance(block, kind))
    )


def _shortened(message: Message) -> Message:
    blocks = (replace(b, arguments=SHORTER) if isinstance(b, ToolCall) else b for b in message.blocks)
    return replace(message, blocks=tuple(blocks))


def _edited(
    folder: Path, events: Sequence[Json], number: int, edit: Callable[[Message], Message]
) -> ExportedFile:
    source = load_conversation(saved(folder, list(events), lines=True))
    return export_history(edited_export(source, {number: edit(source.messages[number])}), "openhands")


def _again(written: ExportedFile, folder: Path) -> Conversation:
    path = folder / "again.jsonl"
    path.write_bytes(written.data)
    return load_conversation(path)


def _nested() -> dict[str, Any]:
    event = v1_action("a", "c", "r")
    return {**event, "tool_call": {"id": "c", "type": "function", "function": event["tool_call"]}}


def _of_action_alone() -> dict[str, Any]:
    return {**v1_action("a", "c", "r"), "tool_call": None}


@pytest.mark.parametrize("event", [v1_action("a", "c", "r"), _nested(), _of_action_alone()])
def test_shortened_arguments_of_version_1(event: dict[str, Any], tmp_path: Path) -> None:
    events = [*v1_run(1)[:2], event, v1_observation("o", "c", "a")]
    again = _again(_edited(tmp_path, events, 1, _shortened), tmp_path)
    (call,) = [block for block in again.messages[1].blocks if isinstance(block, ToolCall)]
    assert call.arguments == SHORTER


def test_shortened_arguments_of_version_0_stand_in_the_answer_of_the_model_where_it_is_kept(
    tmp_path: Path,
) -> None:
    asked = {"id": "c0", "type": "function", "function": {"name": "run", "arguments": '{"command": "ls"}'}}
    kept, plain = v0_run(1), v0_run(1)
    kept[2]["tool_call_metadata"]["model_response"]["choices"][0]["message"]["tool_calls"] = [asked]
    for events in (kept, plain):
        again = _again(_edited(tmp_path, events, 1, _shortened), tmp_path)
        thought, call = again.messages[1].blocks
        assert thought == Text("Round 0.")
        assert isinstance(call, ToolCall)
        assert call.arguments == SHORTER


def test_reasoning_that_went_is_gone_and_hidden_reasoning_stays(tmp_path: Path) -> None:
    act, said = v1_action("a", "c", "r", "I look."), v1_message("m", "assistant", "Done.")
    act |= {"thinking_blocks": [SIGNED, HIDDEN], "responses_reasoning_item": {"id": "rs"}}
    said["llm_message"] |= {"reasoning_content": "Why?", "thinking_blocks": []}
    events = [*v1_run(1)[:2], act, v1_observation("o", "c", "a"), said]
    written = _edited(tmp_path, events, 1, _without(Thinking))
    kinds = [
        block.kind for block in _again(written, tmp_path).messages[1].blocks if isinstance(block, Opaque)
    ]
    assert (kinds, written.warnings) == (["redacted_thinking", "reasoning"], ())
    last = _again(_edited(tmp_path, events, 3, _without(Thinking)), tmp_path).messages[3]
    assert last.blocks == (Text("Done.", {"cache_prompt": False}),)


def test_what_is_not_understood_comes_back_and_no_field_is_added(tmp_path: Path) -> None:
    said = v1_message("u", "user", "Look.")
    said["llm_message"]["content"].append({"type": "future", "x": 1})
    del said["extended_content"]
    written = _edited(tmp_path, [said, *v1_run(1)[2:]], 0, lambda one: with_text(one, 0, "See."))
    expected = {**said["llm_message"], "content": [*v1_text("See."), {"type": "future", "x": 1}]}
    assert json.loads(written.data.split(b"\n")[0]) == {**said, "llm_message": expected}
    assert written.warnings == ()


def _speakers(messages: tuple[Message, ...]) -> str:
    return "".join(message.speaker.value[0] for message in messages)


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
