"""Lines of Codex rollouts and items of the Responses API for tests."""

from __future__ import annotations

from typing import Any

TIME = "2026-03-01T10:00:0{}.000Z"


def line(kind: str, payload: dict[str, Any], second: int = 0) -> dict[str, Any]:
    return {"timestamp": TIME.format(second), "type": kind, "payload": payload}


def item(payload: dict[str, Any], second: int = 0) -> dict[str, Any]:
    return line("response_item", payload, second)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **fields})


def meta(**fields: Any) -> dict[str, Any]:
    own = {"id": "s-1", "cwd": "/home/ada/shop", "originator": "codex_cli_rs", "cli_version": "0.140.0"}
    return line("session_meta", {**own, **fields})


def tokens(asked: int, total: int, window: int | None = 258_400) -> dict[str, Any]:
    usage = {"input_tokens": asked, "total_tokens": total}
    return event("token_count", info={"last_token_usage": usage, "model_context_window": window})


def user(text: str, **fields: Any) -> dict[str, Any]:
    return _message("user", "input_text", text, fields)


def developer(text: str, **fields: Any) -> dict[str, Any]:
    return _message("developer", "input_text", text, fields)


def answer(text: str, **fields: Any) -> dict[str, Any]:
    return _message("assistant", "output_text", text, fields)


def _message(role: str, kind: str, text: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **fields}


def reasoning(id_: str, summary: str = "") -> dict[str, Any]:
    """Encrypted reasoning, with a summary if one is given."""
    parts = [{"type": "summary_text", "text": summary}] if summary else []
    return {"type": "reasoning", "id": id_, "summary": parts, "encrypted_content": f"gAAA-{id_}"}


def call(id_: str, name: str = "exec_command", arguments: str = '{"cmd":"ls"}') -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": id_}


def output(id_: str, result: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": result}


def compaction(secret: str = "gAAA-folded") -> dict[str, Any]:
    """The item that replaces compacted messages."""
    return {"type": "compaction", "encrypted_content": secret}


def compacted(*items: dict[str, Any], message: str = "", **fields: Any) -> dict[str, Any]:
    """A compaction line with this replacement history."""
    return line("compacted", {"message": message, "replacement_history": list(items), **fields})


TURN = (
    item(reasoning("rs_1", "Look first.")),
    event("agent_message", message="I look."),
    item(answer("I look.", id="msg_1", phase="commentary")),
    item(call("c1")),
    item(call("c2", arguments='{"cmd": "cat a.txt"}')),
    item(output("c1", "a.txt")),
    item(output("c2", "a long text of the file")),
    tokens(900, 950),
    item(answer("Done.", id="msg_2", phase="final_answer"), 1),
    event("agent_message", message="Done."),
)
"""An answer with two calls at once, and the answer that ends the turn."""

SESSION = (
    meta(base_instructions={"text": "Be exact."}),
    line("turn_context", {"cwd": "/home/ada/shop", "model": "gpt-5.5"}),
    item(developer("Ask before you delete.")),
    item(user("Show me the files.")),
    event("user_message", message="Show me the files."),
    *TURN,
)
"""A small session."""
