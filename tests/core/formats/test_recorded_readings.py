"""What files of each API and agent are read as, and written as, is what was recorded.

A recording holds the source, its reading, and its exports: whole in every format of an API, and compacted and
edited in its own. ``python -m tests.core.formats.test_recorded_readings`` records them again; look at the
difference before you commit it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import MISSING
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportInput
from core.transcript.model import Message, Text, ToolResponse
from tests.core.formats.exporting import compacted_export, edited_export, unchanged_export

FOLDER = Path(__file__).parent / "recorded"
RECORDINGS = sorted(FOLDER.glob("*.json"))
TARGETS = ("anthropic_messages", "openai_chat", "openai_responses", "codex_rollout", "gemini", "sharegpt")


def as_json(value: Any) -> Any:
    """Return a value of the transcript as JSON, without fields that have their default."""
    if value is MISSING or isinstance(value, Enum):
        return str(value)
    if is_dataclass(value):
        shown: dict[str, Any] = {"": type(value).__name__}
        for field in fields(value):
            if (inner := getattr(value, field.name)) not in (field.default, (), {}, "", None):
                shown[field.name] = as_json(inner)
        return shown
    if isinstance(value, Mapping):
        return {name: as_json(item) for name, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, tuple | list) else value


def export_json(given: ExportInput, name: str) -> dict[str, Any]:
    exported = export_history(given, name, redact=False)
    try:
        data = json.loads(exported.data)
    except ValueError:
        data = [json.loads(line) for line in exported.data.splitlines()]
    return {"data": data, "warnings": list(exported.warnings)}


def changed(message: Message) -> Message:
    """Return a message with other words, and other results."""
    blocks = (
        replace(block, text=f"changed {block.text}")
        if type(block) is Text
        else replace(block, result="short")
        if isinstance(block, ToolResponse)
        else block
        for block in message.blocks
    )
    return replace(message, blocks=tuple(blocks))


def recorded(source: Any, folder: Path, name: str) -> dict[str, Any]:
    """Return the recording of a source: a list of lines, or one value under ``value``."""
    path = folder / name
    text = json.dumps(source["value"]) if "value" in source else "\n".join(map(json.dumps, source["lines"]))
    path.write_text(text)
    conversation = load_conversation(path)
    exports: dict[str, Any] = {}
    if name in EXPORTED:
        exports = {to: export_json(unchanged_export(conversation), to) for to in TARGETS}
    if conversation.format in TARGETS and conversation.messages:
        own = conversation.format
        messages = conversation.messages
        edits = {index: changed(messages[index]) for index in range(0, len(messages), 2)}
        exports["compacted"] = export_json(compacted_export(conversation), own)
        exports["edited"] = export_json(edited_export(conversation, edits), own)
    reading = as_json(replace(conversation, document=replace(conversation.document, path=None)))
    del reading["document"]
    return {"source": source, "reading": reading, "exports": exports}


def as_lines(value: Any, levels: int = 4) -> str:
    """Return JSON with a line for each value down to some level."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[\n" + ",\n".join(as_lines(item, levels - 1) for item in value) + "\n]"
    items = (f"{json.dumps(name)}: {as_lines(item, levels - 1)}" for name, item in value.items())
    return "{\n" + ",\n".join(items) + "\n}"


EXPORTED = ("anthropic_messages", "openai_chat", "openai_responses", "codex_rollout", "gemini")
"""Recordings that have every kind of block of their format, and are exported to every other."""


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_file_is_read_and_written_as_recorded(path: Path, tmp_path: Path) -> None:
    expected = json.loads(path.read_text("utf-8"))
    found = json.loads(json.dumps(recorded(expected["source"], tmp_path, path.stem)))
    assert found["reading"] == expected["reading"]
    assert found["exports"] == expected["exports"]


if __name__ == "__main__":
    for path in RECORDINGS:
        source = json.loads(path.read_text("utf-8"))["source"]
        with tempfile.TemporaryDirectory() as folder:
            value = recorded(source, Path(folder), path.stem)
        path.write_text(as_lines(value) + "\n", "utf-8")
