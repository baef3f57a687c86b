"""Anthropic messages: system, split user messages, media, compaction blocks, Roo and Cline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
)


def read(folder: Path, value: Json) -> Conversation:
    path = folder / "messages.json"
    path.write_text(json.dumps(value), "utf-8")
    return load_conversation(path)


def user(*blocks: Any, **fields: Any) -> Json:
    return {"role": "user", "content": list(blocks), **fields}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "search_result", "source": "u", "title": "t", "content": [{"type": "text", "text": "x"}]},
        {"type": "document", "source": {"type": "file", "file_id": "f"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
    ],
)
def test_a_bare_list_is_known_by_a_block_that_only_this_format_has(tmp_path: Path, block: Json) -> None:
    conversation = read(tmp_path, [user({"type": "text", "text": "hi"}, block), user()])
    assert conversation.format == "anthropic_messages"
