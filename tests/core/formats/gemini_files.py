"""Test sessions of Gemini CLI and requests of its API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.transcript.model import Conversation

HEAD = {"sessionId": "s-1", "projectHash": "f" * 64, "startTime": "2026-05-01T08:00:00.000Z"}


def user(id: str, text: str, **fields: Any) -> Json:
    return {
        "id": id,
        "timestamp": "2026-05-01T08:00:01.000Z",
        "type": "user",
        "content": [{"text": text}],
    } | (fields)


def answer(id: str, text: Json = "", *calls: Json, **fields: Any) -> Json:
    made: Json = {"id": id, "timestamp": "2026-05-01T08:00:02.000Z", "type": "gemini", "content": text}
    if calls:
        made["toolCalls"] = list(calls)
    return made | {"model": "gemini-3-pro", **fields}


def called(id: str, name: str = "read_file", output: str | None = "42 tides", **args: Json) -> Json:
    made: Json = {"id": id, "name": name, "args": args, "status": "success", "resultDisplay": output}
    if output is not None:
        response = {"id": id, "name": name, "response": {"output": output}}
        made["result"] = [{"functionResponse": response}]
    return made


def repeated(id: str, *calls: Json) -> Json:
    """Return the user record that repeats the results of calls."""
    return user(id, "", content=[part for call in calls for part in call["result"]])


def row(kind: str, text: str = "a note") -> Json:
    """Return a row that the user saw and the model did not."""
    return {"id": f"{kind}-{text}", "timestamp": "2026-05-01T08:00:03.000Z", "type": kind, "content": text}


def session(folder: Path, *records: Json, **fields: Any) -> Path:
    path = folder / "session.json"
    path.write_text(json.dumps({**HEAD, **fields, "messages": list(records)}, indent=2), "utf-8")
    return path


def log(folder: Path, *lines: Json) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (HEAD, *lines)), "utf-8")
    return path


def content_entry(role: str, *parts: Any) -> Json:
    """A content of the API; a string is a text part."""
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call_part(name: str, id: str = "", **args: Json) -> Json:
    return {"functionCall": {**({"id": id} if id else {}), "name": name, "args": args}}


def result_part(name: str, output: Json, id: str = "") -> Json:
    return {"functionResponse": {**({"id": id} if id else {}), "name": name, "response": {"output": output}}}


def contents(folder: Path, value: Any) -> Conversation:
    path = folder / "contents.json"
    path.write_text(json.dumps(value), "utf-8")
    return load_conversation(path)
