"""What files of each API and agent are read as, and written as, is what was recorded.

A recording holds the source, its reading, and its exports: whole in every format of an API, and
compacted and edited in its own. A file of ``readings`` holds a case for each rule of a reader: what
it says, the source and the conversation or why it is refused. A file of ``stores`` holds sessions
in databases or in several files. A file of ``writings`` holds a case for each rule of a writer:
what it says, the source, what is done to it (it is ``compacted``, gets ``edits``, or is taken in a
``scope``), and what is written. ``python -m tests.core.formats.test_recorded_readings`` records all
again; look at the difference before you commit it.
"""

import json
import sqlite3
import tempfile
from base64 import b64decode
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.common.errors import InputError
from core.common.json_value import MISSING
from core.export.checked_saving import write_export
from core.export.export import ExportedFile, export_history
from core.facts.sentences import plain_text
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.transcript.model import Conversation, Message, Text, ToolCall, ToolResponse
from core.transcript.scopes import history_of_scope
from tests.core.formats.exporting import (
    compacted_export,
    edited_export,
    unchanged_export,
    with_text,
)
from tests.core.formats.small_files import SMALL, written

FOLDER = Path(__file__).parent / "recorded"
RECORDINGS = sorted(FOLDER.glob("*.json"))
READINGS = sorted(FOLDER.glob("readings/*.json"))
STORES = sorted(FOLDER.glob("stores/*.json"))
WRITINGS = sorted(FOLDER.glob("writings/*.json"))
TARGETS = (
    "anthropic_messages",
    "openai_chat",
    "openai_responses",
    "codex_rollout",
    "gemini",
)


def as_json(value: Any) -> Any:
    """Return a value of the transcript as JSON, without fields that have their default."""
    if value is MISSING or isinstance(value, Enum):
        return str(value)
    if is_dataclass(value):
        shown: dict[str, Any] = {"": type(value).__name__}
        for field in fields(value):
            inner = getattr(value, field.name)
            if field.name != "document" and inner not in (
                field.default,
                (),
                {},
                "",
                None,
            ):
                shown[field.name] = as_json(inner)
        return shown
    if isinstance(value, Mapping):
        return {name: as_json(item) for name, item in value.items()}
    return (
        [as_json(item) for item in value] if isinstance(value, tuple | list) else value
    )


def export_json(given: ExportInput, name: str) -> dict[str, Any]:
    return file_json(export_history(given, name, redact=False))


def file_json(exported: ExportedFile) -> dict[str, Any]:
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


def read(source: Any, path: Path, **asked: Any) -> Conversation:
    text = (
        json.dumps(source["value"])
        if "value" in source
        else "\n".join(map(json.dumps, source["lines"]))
    )
    path.write_text(text)
    return load_conversation(path, **asked)


def recorded(source: Any, folder: Path, name: str) -> dict[str, Any]:
    conversation = read(source, folder / name)
    exports: dict[str, Any] = {}
    if name in EXPORTED:
        exports = {
            to: export_json(unchanged_export(conversation), to) for to in TARGETS
        }
    if conversation.format in TARGETS and conversation.messages:
        own = conversation.format
        messages = conversation.messages
        edits = {
            index: changed(messages[index]) for index in range(0, len(messages), 2)
        }
        exports["compacted"] = export_json(compacted_export(conversation), own)
        exports["edited"] = export_json(edited_export(conversation, edits), own)
    return {"source": source, "reading": as_json(conversation), "exports": exports}


def as_lines(value: Any, levels: int = 4) -> str:
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[\n" + ",\n".join(as_lines(item, levels - 1) for item in value) + "\n]"
    items = (
        f"{json.dumps(name)}: {as_lines(item, levels - 1)}"
        for name, item in value.items()
    )
    return "{\n" + ",\n".join(items) + "\n}"


EXPORTED = (
    "anthropic_messages",
    "openai_chat",
    "openai_responses",
    "codex_rollout",
    "gemini",
)
"""Recordings that have every kind of block of their format, and are exported to every other."""


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_file_is_read_and_written_as_recorded(path: Path, tmp_path: Path) -> None:
    expected = json.loads(path.read_text("utf-8"))
    found = json.loads(json.dumps(recorded(expected["source"], tmp_path, path.stem)))
    assert found["reading"] == expected["reading"]
    assert found["exports"] == expected["exports"]


def cases(paths: list[Path]) -> list[Any]:
    by_path = ((path, json.loads(path.read_text("utf-8"))["cases"]) for path in paths)
    return [
        pytest.param(one, id=f"{path.stem}: {one['says']}")
        for path, found in by_path
        for one in found
    ]


def as_read(read: Callable[[], Conversation]) -> dict[str, Any]:
    try:
        return {"reading": as_json(read())}
    except InputError as error:
        return {"refused": str(error)}


def read_case(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    asked = {
        name: case[name]
        for name in ("format", "conversation", "branch")
        if name in case
    }
    given = {
        name: value
        for name, value in case.items()
        if name not in ("reading", "refused")
    }
    return {
        **given,
        **as_read(lambda: read(case["source"], folder / case["name"], **asked)),
    }


def file_bytes(file: Mapping[str, Any]) -> bytes:
    match file:
        case {"small": name}:
            return written(SMALL[name])
        case {"base64": data}:
            return b64decode(data)
        case {"text": lines}:
            return "\n".join(lines).encode()
        case {"lines": lines}:
            return written(tuple(lines))
    return written(file["value"])


def write_store(files: Mapping[str, Any], folder: Path) -> None:
    for name, file in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if "sql" in file:
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript("\n".join(file["sql"]))
        elif "zip" in file:
            with ZipFile(path, "w") as archive:
                for member, content in file["zip"].items():
                    archive.writestr(member, file_bytes(content))
        else:
            path.write_bytes(file_bytes(file))


def edited(message: Message, edit: Any) -> Message | None:
    """Return a message with another first text or result, with other arguments of its calls, or of
    these blocks, each a number or new words; None where it goes."""
    match edit:
        case None:
            return None
        case str():
            return with_text(message, 0, edit)
        case {"arguments": arguments}:
            found = (
                replace(b, arguments=arguments) if isinstance(b, ToolCall) else b
                for b in message.blocks
            )
            return replace(message, blocks=tuple(found))
    blocks = (
        message.blocks[one] if isinstance(one, int) else Text(one) for one in edit
    )
    return replace(message, blocks=tuple(blocks))


def export_of(case: Mapping[str, Any], source: Conversation) -> ExportInput:
    if "edits" in case:
        edits = {
            int(at): edited(source.messages[int(at)], edit)
            for at, edit in case["edits"].items()
        }
        return edited_export(source, edits)
    scope = case.get("scope", "all")
    if "compacted" in case:
        return compacted_export(source, scope, **case["compacted"])
    return unchanged_export(source, scope)


def write_case(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the case with what is written now, the sizes that it still reports, and, of an
    appended compaction, the history that it leaves."""
    asked = {
        name: case[name]
        for name in ("format", "conversation", "branch")
        if name in case
    }
    path, again, appends = (
        folder / case["name"],
        folder / "again",
        case.get("append", False),
    )
    source = read(case["source"], path, **asked)
    to = case.get("to", source.format)
    exported = export_history(
        export_of(case, source), to, redact=False, append_boundary=appends
    )
    write_export(exported, again, overwrite=False, source=None)
    written = file_json(exported)
    if source.reported_context:
        opened = load_conversation(again, format=to)
        sizes = [one.context for one in opened.usage]
        written |= {"reported": sizes, "reported context": opened.reported_context}
    if appends:
        left = history_of_scope(load_conversation(again), "current").messages
        written |= {"current": [plain_text(one) for one in left]}
        written |= {
            "begins with the source": exported.data.startswith(path.read_bytes())
        }
    return {**case, "written": written}


def read_store(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    write_store(case["files"], folder)
    found = []
    for one in case["read"]:
        asked = {
            key: value
            for key, value in one.items()
            if key not in ("reading", "refused")
        }
        options = {key: value for key, value in asked.items() if key != "name"}
        shown = as_read(lambda: load_conversation(folder / asked["name"], **options))  # noqa: B023
        found.append(
            {**asked, **json.loads(json.dumps(shown).replace(str(folder), "FOLDER"))}
        )
    return {**case, "read": found}


@pytest.mark.parametrize("case", cases(READINGS))
def test_a_source_is_read_as_recorded(case: Mapping[str, Any], tmp_path: Path) -> None:
    assert json.loads(json.dumps(read_case(case, tmp_path))) == case


@pytest.mark.parametrize("case", cases(WRITINGS))
def test_a_file_is_written_as_recorded(case: Mapping[str, Any], tmp_path: Path) -> None:
    assert json.loads(json.dumps(write_case(case, tmp_path))) == case


@pytest.mark.parametrize("case", cases(STORES))
def test_a_store_is_read_as_recorded(case: Mapping[str, Any], tmp_path: Path) -> None:
    assert read_store(case, tmp_path) == case


if __name__ == "__main__":
    for paths, record in (
        (READINGS, read_case),
        (STORES, read_store),
        (WRITINGS, write_case),
    ):
        for path in paths:
            found = []
            for case in json.loads(path.read_text("utf-8"))["cases"]:
                with tempfile.TemporaryDirectory() as folder:
                    found.append(record(case, Path(folder)))
            path.write_text(as_lines({"cases": found}) + "\n", "utf-8")
    for path in RECORDINGS:
        source = json.loads(path.read_text("utf-8"))["source"]
        with tempfile.TemporaryDirectory() as folder:
            value = recorded(source, Path(folder), path.stem)
        path.write_text(as_lines(value) + "\n", "utf-8")
