"""Test sessions of Pi."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.common.json_value import Json

HEAD = {
    "type": "session",
    "version": 3,
    "id": "pi-1",
    "timestamp": "2026-05-01T08:00:00.000Z",
    "cwd": "/home/ada/tides",
}
_TIME = "2026-05-01T08:00:01.000Z"


def entry(kind: str, id: str = "", parent: str | None = "", **fields: Any) -> Json:
    """An entry; without an id it is one of the first version."""
    linked = {"id": id, "parentId": parent or None} if id else {}
    return {"type": kind, **linked, "timestamp": _TIME, **fields}


def user(text: str, id: str = "", parent: str = "") -> Json:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}
    return entry("message", id, parent, message=message)


def answer(text: str, id: str = "", parent: str = "", *calls: Json, **fields: Any) -> Json:
    content = [*([{"type": "text", "text": text}] if text else []), *calls]
    message = {
        "role": "assistant",
        "content": content,
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "usage": {"input": 7, "output": 2, "cacheRead": 100, "cacheWrite": 20},
        "stopReason": "toolUse" if calls else "stop",
    }
    return entry("message", id, parent, message=message | fields)


def call(id: str, name: str = "read", **arguments: Json) -> Json:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def result(call_id: str, text: str = "42 tides", id: str = "", parent: str = "", **fields: Any) -> Json:
    message = {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": "read",
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "details": {"full": text},
    }
    return entry("message", id, parent, message=message | fields)


def session(folder: Path, *entries: Json, head: Json = None) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (head or HEAD, *entries)), "utf-8")
    return path


def chained(*entries: Json) -> list[Json]:
    """The entries with ids e1, e2, … each after the one before."""
    found: list[Json] = []
    for number, one in enumerate(entries, 1):
        parent = f"e{number - 1}" if number > 1 else None
        found.append({**one, "id": f"e{number}", "parentId": parent})
    return found


TALK = [
    user("one"),
    answer("", "", "", call("c1", path="tides.txt")),
    result("c1"),
    answer("two"),
    entry("session_info", name="Tides"),
    user("three"),
    answer("four"),
    user("five"),
    answer("six"),
]
