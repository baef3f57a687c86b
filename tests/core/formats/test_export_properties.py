"""Every corpus file of the written formats is exported and read again."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportInput
from core.transcript.model import Message, Speaker
from tests.core.formats.converting import WRITTEN
from tests.core.formats.exporting import (
    ACK,
    SUMMARY,
    compacted_export,
    corpus_files,
    edited_export,
    export_and_load,
    unchanged_export,
)
from tests.core.formats.small_files import SMALL, written

FILES = corpus_files("claude_code", "openai_chat", "anthropic_messages")
OPENAI, ANTHROPIC = "openai_chat", "anthropic_messages"


def _values(data: bytes) -> list[Any]:
    text = data.decode("utf-8", "replace")
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("path", corpus_files(*WRITTEN))
def test_an_unchanged_conversation_is_the_same_file(path: Path) -> None:
    conversation = load_conversation(path)
    exported = export_history(unchanged_export(conversation), conversation.format)
    assert _values(exported.data) == _values(path.read_bytes())


def _packings(data: bytes) -> dict[str, bytes]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("first.json", written(SMALL["goose"]))
        archive.writestr("own.json", data)
    zst = zstandard.ZstdCompressor().compress(data)
    return {"gzip": gzip.compress(data, mtime=0), "zst": zst, "zip": made.getvalue()}


@pytest.mark.parametrize("packing", ["gzip", "zst", "zip"])
@pytest.mark.parametrize("name", [name for name in WRITTEN if name in SMALL])
def test_a_packed_transcript_is_written_like_one_that_is_not(name: str, packing: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(written(SMALL[name]))
    packed.write_bytes(_packings(plain.read_bytes())[packing])
    source = load_conversation(packed, conversation=2 if packing == "zip" else 1)
    assert export_history(unchanged_export(source), name).data == plain.read_bytes()
    assert _same_ids(export_history(compacted_export(source), name).data) == _same_ids(
        export_history(compacted_export(load_conversation(plain)), name).data
    )


def test_a_key_in_a_log_printed_for_people_goes(tmp_path: Path) -> None:
    said = {"role": "user", "content": "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----"}
    path = tmp_path / "printed"
    path.write_text("\n".join(json.dumps(one, indent=2) for one in (said, said)))
    exported = export_history(unchanged_export(load_conversation(path)), OPENAI, redact=True)
    assert (exported.secrets, b"MII" in exported.data) == (2, False)


def _same_ids(data: bytes) -> bytes:
    """Mask ids that depend on the file's name."""
    return re.sub(rb"[0-9a-f-]{24,36}", b"id", data)


@pytest.mark.parametrize("path", [*FILES, *corpus_files("swe_agent", "openhands")])
def test_taking_out_nothing_but_the_last_message_keeps_all_other_fields(path: Path, tmp_path: Path) -> None:
    conversation = load_conversation(path)
    last = len(conversation.messages) - 1
    if last < 1:
        pytest.skip("too few messages")
    again = export_and_load(edited_export(conversation, {last: None}), conversation.format, tmp_path)
    assert _without_sources(again.messages) == _without_sources(conversation.messages[:last])
    assert again.system == conversation.system
    assert again.model == conversation.model or not again.model


def _without_sources(messages: Sequence[Message]) -> list[Any]:
    return [(m.speaker, m.blocks, m.flags, m.id, m.timestamp, m.extra) for m in messages]


@pytest.mark.parametrize("path", FILES)
def test_a_compacted_conversation_opens_again(path: Path, tmp_path: Path) -> None:
    conversation = load_conversation(path)
    given = compacted_export(conversation)
    again = export_and_load(given, conversation.format, tmp_path)
    assert again.format == conversation.format
    assert _shape(again.messages) == _expected(given, conversation.format)


def _shape(messages: Sequence[Message]) -> list[tuple[str, int]]:
    """Return speakers and block counts; neighbours of one speaker and the two halves of a record are
    joined."""
    shape: list[tuple[str, int]] = []
    for message in messages:
        role = "ai" if message.speaker is Speaker.AI else "user"
        if shape and shape[-1][0] == role:
            shape[-1] = (role, shape[-1][1] + len(message.blocks))
        else:
            shape.append((role, len(message.blocks)))
    return shape


def _expected(given: ExportInput, to: str) -> list[tuple[str, int]]:
    words = [message.blocks for message in given.messages]
    assert any(getattr(block, "text", "") == SUMMARY for blocks in words for block in blocks)
    assert any(getattr(block, "text", "") == ACK for blocks in words for block in blocks)
    return _shape(given.messages)


@pytest.mark.parametrize(
    "odd",
    [{"role": "tool", "tool_call_id": {}, "content": "ok"}, [], "text", {"role": "user", "content": {}}],
)
@pytest.mark.parametrize("to", ["claude_code", OPENAI, ANTHROPIC, "llxprt", "markdown"])
def test_an_odd_message_is_written_everywhere(odd: Any, to: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi"}, odd, {"role": "user", "content": "and"}]))
    assert export_history(compacted_export(load_conversation(path), keep=1), to).data
