"""Chat replays of VS Code: each prompt is a conversation with its last request with tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Speaker, Text, tool_calls
from core.transcript.tool_pairs import find_pairs

TOOLS = [{"type": "function", "function": {"name": "create_file"}}]


def part(text: str) -> dict[str, Any]:
    return {"type": 1, "text": text}


def said(role: int, *parts: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": [*parts, {"type": 3, "cacheType": "ephemeral"}], **fields}


def asked(*messages: Any, answer: str = "Done.", tools: Any = TOOLS, tokens: int = 10) -> dict[str, Any]:
    metadata = {"model": "m-1", "tools": tools, "usage": {"prompt_tokens": tokens}, "maxPromptTokens": 900}
    sent = {"messages": list(messages)}
    response = {"type": "success", "message": [answer]}
    return {
        "kind": "request",
        "name": "panel/edit",
        "metadata": metadata,
        "requestMessages": sent,
        "response": response,
    }


def logged(id: str, **arguments: Any) -> dict[str, Any]:
    args = json.dumps(arguments)
    return {
        "id": f"{id}__vscode-17",
        "kind": "toolCall",
        "tool": "create_file",
        "args": args,
        "response": ["ok"],
    }


def replay(folder: Path, *prompts: Any) -> Path:
    path = folder / "replay.json"
    path.write_text(json.dumps({"exportedAt": "2025-10-31", "prompts": [*prompts]}, indent=1))
    return path


def prompt(text: str, *logs: Any) -> dict[str, Any]:
    return {"prompt": text, "hasSeen": False, "logs": list(logs)}


SYSTEM, ASK = said(0, part("be good")), said(1, part("write it"))


def test_the_last_request_with_tools_counts_and_its_answer_follows(tmp_path: Path) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "create_file", "arguments": '{"a": 1}'}}
    whole = asked(SYSTEM, ASK, said(2, part("I do"), toolCalls=[call]), said(3, part("ok"), toolCallId="t1"))
    title = asked(said(1, part("name this chat")), tools=[], answer="A title")
    path = replay(tmp_path, prompt("write it", asked(SYSTEM, ASK), logged("t1", a=1), whole, title))
    loaded = load_conversation(path)
    assert [message.speaker.value for message in loaded.messages] == ["human", "ai", "tool", "ai"]
    assert loaded.messages[-1].blocks == (Text("Done."),)
    assert (loaded.system.texts, loaded.model, loaded.reported_limit) == (("be good",), "m-1", 900)
    assert dict(loaded.report.skipped) == {"request": 2, "earlier tool call": 1}
    assert json.loads(read_source(loaded.document, loaded.messages[0].sources[0])) == ASK


def test_calls_logged_after_the_last_request_belong_to_its_answer(tmp_path: Path) -> None:
    path = replay(
        tmp_path, prompt("write it", asked(SYSTEM, ASK, answer="I do."), logged("t1", a=1), logged("t2"))
    )
    messages = load_conversation(path).messages
    assert [message.speaker.value for message in messages] == ["human", "ai", "tool", "tool"]
    assert [call.id for call in tool_calls(messages[1])] == ["t1", "t2"]
    assert len(find_pairs(messages).pairs) == 2


def test_a_prompt_without_requests_is_what_was_logged(tmp_path: Path) -> None:
    path = replay(tmp_path, prompt("write it", logged("t1", a=1)), prompt("nothing yet"))
    assert [message.speaker for message in load_conversation(path).messages] == [
        Speaker.HUMAN,
        Speaker.AI,
        Speaker.TOOL,
    ]
    assert load_conversation(path, conversation=2).messages[0].blocks == (Text("nothing yet"),)
    assert [one.title for one in load_conversation(path).listed] == ["write it", "nothing yet"]
    with pytest.raises(InputError, match="holds 2 conversations"):
        load_conversation(path, conversation=3)
