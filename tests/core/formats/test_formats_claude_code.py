"""Claude Code sessions: merged lines, split rows, flags, branches, side chains, compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.common import format
from core.formats.common.format import MessageObserver, ignore_messages
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message, Text

Line = dict[str, Any]


def user(uuid: str, parent: str | None, content: Any = "go on", **fields: Any) -> Line:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def ai(uuid: str, parent: str | None, *blocks: Line, id: str = "", **fields: Any) -> Line:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 1}
    message = {"id": id or f"msg_{uuid}", "model": "m-1", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def boundary(uuid: str, **metadata: Any) -> Line:
    line = {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None}
    return {**line, "compactMetadata": {"trigger": "auto", **metadata}}


def summary(uuid: str, parent: str) -> Line:
    return user(uuid, parent, "what happened", isCompactSummary=True)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def use(id: str, **fields: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}, **fields}


def result(id: str, content: Any = "out", **fields: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def read(
    folder: Path,
    *lines: Line,
    conversation: int = 1,
    branch: int = 1,
    seen: MessageObserver = ignore_messages,
) -> Conversation:
    path = folder / "session.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return load_conversation(path, conversation=conversation, branch=branch, on_messages=seen)


def words(conversation: Conversation) -> list[str]:
    blocks = [block for message in conversation.messages for block in message.blocks]
    return [block.text for block in blocks if isinstance(block, Text)]


def test_each_message_is_handed_on_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format, "_INTERVAL", 0.0)
    asked, more = ai("a", "u", text("look"), use("t1"), id="m"), ai("c", "b", text("and on"), id="m")
    lines = [user("u", None), asked, user("b", "a", [result("t1")]), more, user("d", "c"), user("e", "d")]
    handed: list[Message] = []
    conversation = read(tmp_path, *lines, seen=handed.extend)
    assert [one.sources[0] for one in handed] == [one.sources[0] for one in conversation.messages]
    same = [one is other for one, other in zip(handed, conversation.messages, strict=True)]
    assert same == [True, False, True, True, True]  # the second got a line more
