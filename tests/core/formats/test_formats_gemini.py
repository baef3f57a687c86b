"""Gemini CLI's sessions and logs, and contents of the Gemini API."""

from __future__ import annotations

from pathlib import Path

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Text, ToolResponse
from core.transcript.scopes import history_of_scope
from tests.core.formats.gemini_files import log, user


def words(conversation: Conversation, scope: str = "all") -> list[str]:
    """The texts of a scope, a result standing for its message."""
    found = []
    for message in history_of_scope(conversation, scope).messages:
        for block in message.blocks:
            if isinstance(block, Text):
                found.append(block.text)
            elif isinstance(block, ToolResponse):
                found.append(f"-> {block.result}")
    return found


def test_damage_in_a_log_is_told_and_survived(tmp_path: Path) -> None:
    path = log(
        tmp_path, user("u", "q"), 7, {"$set": 3}, {"$patch": {}}, {"type": "user"}, {"$set": {"messages": 1}}
    )
    path.write_text(path.read_text() + '{"id": "g", "type": "gem')
    conversation = load_conversation(path)
    assert words(conversation) == ["q"]
    warnings = " ".join(warning.text for warning in conversation.report.warnings)
    assert all(part in warnings for part in ("not an object", "$set", "$patch", "incomplete JSON"))
