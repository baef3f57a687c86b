"""Lines of small sessions of agents, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Speaker, joined_text
from tests.core.formats.small_files import saved

Line = dict[str, Any]


def read_lines(folder: Path, lines: Sequence[Line], **asked: Any) -> Conversation:
    return load_conversation(saved(folder, tuple(lines), "session.jsonl"), **asked)


def said(conversation: Conversation) -> list[str]:
    """Return what the person said, without what the harness wrote."""
    return [
        joined_text(one)
        for one in conversation.messages
        if one.speaker is Speaker.HUMAN and not one.flags
    ]


def claude_line(uuid: str, parent: str | None, content: Any, **fields: Any) -> Line:
    """Return a line of Claude Code: of the model if its uuid begins with ``a``, else the user's."""
    role = "assistant" if uuid.startswith("a") else "user"
    message = {"role": role, "content": content} | (
        {"id": f"m-{uuid}"} if role != "user" else {}
    )
    links = {"uuid": uuid, "parentUuid": parent, "sessionId": "s"}
    return {"type": role, **links, "message": message, **fields}


def tool_call(id_: str) -> list[Line]:
    return [{"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": "ls"}}]


def tool_result(id_: str, text: str) -> list[Line]:
    return [{"type": "tool_result", "tool_use_id": id_, "content": text}]


def queue_line(operation: str, text: str = "") -> Line:
    words = {"content": text} if text else {}
    return {
        "type": "queue-operation",
        "operation": operation,
        "sessionId": "s",
        **words,
    }
