"""Lines of Codex rollouts and items of the Responses API for tests."""

from typing import Any


def line(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload}


def item(payload: dict[str, Any]) -> dict[str, Any]:
    return line("response_item", payload)


def meta(**fields: Any) -> dict[str, Any]:
    own = {
        "id": "s-1",
        "cwd": "/home/ada/shop",
        "originator": "codex_cli_rs",
        "cli_version": "0.140.0",
    }
    return line("session_meta", {**own, **fields})


def user(text: str) -> dict[str, Any]:
    return _message("user", "input_text", text)


def developer(text: str) -> dict[str, Any]:
    return _message("developer", "input_text", text)


def answer(text: str) -> dict[str, Any]:
    return _message("assistant", "output_text", text)


def _message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def output(id_: str, result: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": result}
