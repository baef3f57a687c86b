"""Conversion between IContent entries and messages, with fields of any type."""

from __future__ import annotations

from typing import Any

import pytest

from core.transcript.llxprt_content import block_from_entry, message_entry, message_from_entry
from core.transcript.model import ToolCall, ToolResponse


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "tool_call", "id": 7, "name": "read_file"},
        {"type": "tool_response", "callId": "a", "result": None, "error": None},
        {"type": "tool_response", "toolName": ""},
        {"type": "media", "mimeType": "image/png", "data": "x", "caption": ""},
        {"type": "code", "code": "\ud800", "language": 3},
        {"type": "unheard of", "x": 1},
        "no object",
    ],
)
def test_a_block_comes_back_as_it_was(block: Any) -> None:
    entry = {"speaker": "ai", "blocks": [block], "metadata": {"id": "m"}}
    assert message_entry(message_from_entry(entry)) == entry


@pytest.mark.parametrize("entry", [{"speaker": "ai"}, {"blocks": []}, {"speaker": 5, "blocks": None}])
def test_an_entry_without_speaker_or_blocks_comes_back_as_it_was(entry: dict[str, Any]) -> None:
    assert message_entry(message_from_entry(entry)) == entry


def test_ids_that_are_no_text_still_tell_calls_apart() -> None:
    call, answer = (
        block_from_entry({"type": "tool_call", "id": 7}),
        block_from_entry({"type": "tool_response", "callId": 8}),
    )
    assert isinstance(call, ToolCall)
    assert isinstance(answer, ToolResponse)
    assert (call.id, answer.call_id) == ("7", "8")
