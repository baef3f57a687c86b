"""Calls of a Codex rollout by their id alone, and messages of other agents in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import MessageFlag, tool_calls, tool_responses
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.small_files import saved


def rollout(*items: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    meta = {"type": "session_meta", "payload": {"id": "s", "cwd": "/repo"}}
    question = [{"type": "input_text", "text": "Which tides?"}]
    asked = {"type": "message", "role": "user", "content": question}
    return (
        meta,
        *({"type": "response_item", "payload": item} for item in (asked, *items)),
    )


def agent_message(part: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "agent_message",
        "author": "/root/a",
        "recipient": "/root",
        "content": [part],
    }


SAID = agent_message({"type": "input_text", "text": "The gauge leaks."})
ENCRYPTED = agent_message({"type": "encrypted_content", "encrypted_content": "AAAA"})
ANSWER = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "It leaks."}],
}


def test_a_call_without_call_id_is_paired_by_its_id(tmp_path: Path) -> None:
    call = {"type": "function_call", "id": "fc_1", "name": "list", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "fc_1", "output": "42"}
    loaded = load_conversation(saved(tmp_path, rollout(call, output)))
    calls = [call.id for message in loaded.messages for call in tool_calls(message)]
    results = [
        one.call_id for message in loaded.messages for one in tool_responses(message)
    ]
    assert calls == results == ["fc_1"]
    assert not loaded.report.repaired
    request = json.loads(
        export_history(unchanged_export(loaded), "openai_responses").data
    )
    assert [item.get("call_id") for item in request["input"]] == [None, "fc_1", "fc_1"]


def test_a_message_of_another_agent_is_not_the_persons(tmp_path: Path) -> None:
    loaded = load_conversation(saved(tmp_path, rollout(SAID, ANSWER)))
    person = [one for one in loaded.messages if not one.flags & MessageFlag.META]
    assert len(loaded.messages) == 3
    assert len(person) == 2


@pytest.mark.parametrize(
    "target", ["openai_chat", "openai_responses", "anthropic_messages"]
)
def test_an_encrypted_message_is_left_out_and_counted(
    target: str, tmp_path: Path
) -> None:
    loaded = load_conversation(saved(tmp_path, rollout(SAID, ENCRYPTED, ANSWER)))
    exported = export_history(unchanged_export(loaded), target)
    request = json.loads(exported.data)
    written = request.get("messages", request.get("input"))
    assert all(message["content"] for message in written)
    assert "AAAA" not in exported.data.decode()
    assert any(
        "message of another agent" in text or "without content" in text
        for text in exported.warnings
    )
