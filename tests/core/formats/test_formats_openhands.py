"""OpenHands: events of both versions as messages, condensations and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.export.export import export_history
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Message
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.research import v1_run, zipped


def _speakers(messages: tuple[Message, ...]) -> str:
    return "".join(message.speaker.value[0] for message in messages)


def _folder(name: str, events: list[Any]) -> dict[str, Any]:
    files = {f"{name}/events/event-{n:05}-{event['id']}.json": event for n, event in enumerate(events)}
    state = {"agent": {"llm": {"model": "m"}}}
    return {f"{name}/base_state.json": state, **dict(reversed(files.items()))}


def test_a_zipped_conversation_has_a_file_for_each_event(tmp_path: Path) -> None:
    conversation = load_conversation(zipped(tmp_path, _folder("c1", v1_run(2))))
    assert (conversation.format, conversation.model, conversation.siblings) == ("openhands", "m", 1)
    assert _speakers(conversation.messages) == "hatata"
    raw = json.loads(read_source(conversation.document, conversation.messages[0].sources[0]))
    assert raw["id"] == "u0"
    assert json.loads(export_history(unchanged_export(conversation), "openhands").data) == v1_run(2)
