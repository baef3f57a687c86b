"""Images of a large session stay in its file; tokens, equality and exports are unaffected."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.common.media import TruncatedText, text_length
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.tokens.counter import counter_for
from core.transcript.image_tokens import media_size, media_tokens
from core.transcript.model import Conversation, Media, ToolResponse
from core.transcript.scopes import history_of_scope

_PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000200000001000802000000")


def picture(fill: bytes) -> str:
    return base64.b64encode(_PNG + fill * 100_000).decode()


def session(folder: Path, *contents: Any) -> Conversation:
    records = [
        {"type": "user", "uuid": f"u{n}", "parentUuid": None, "message": {"role": "user", "content": content}}
        for n, content in enumerate((*contents, "thanks"))
    ]
    path = folder / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return load_conversation(path)


def image(data: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def result(data: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t1", "content": [image(data)]}


def exported(conversation: Conversation, to: str) -> bytes:
    return export_history(ExportInput(conversation, history_of_scope(conversation, "all")), to).data


def test_a_long_image_is_left_in_the_file(tmp_path: Path) -> None:
    data = picture(b"a")
    conversation = session(tmp_path, [image(data)], [result(data)])
    media, response, _ = (message.blocks[0] for message in conversation.messages)
    assert isinstance(media, Media)
    assert isinstance(response, ToolResponse)
    assert isinstance(media.data, TruncatedText)
    assert response.result[0]["source"]["data"] == media.data
    assert len(media.data) < 500
    assert text_length(media.data) == len(data)


def test_its_size_and_tokens_are_those_of_the_whole(tmp_path: Path) -> None:
    data = picture(b"a")
    conversation = session(tmp_path, [image(data)], [result(data)])
    media = conversation.messages[0].blocks[0]
    assert isinstance(media, Media)
    assert media_size(media.data) == media_size(data) == (512, 256)
    counts = [counter_for("").message(one) for one in conversation.messages]
    assert counts[:2] == [media_tokens(data)] * 2


@pytest.mark.parametrize("to", ["openai_chat", "anthropic_messages", "llxprt"])
def test_an_export_holds_the_whole_image(tmp_path: Path, to: str) -> None:
    data = picture(b"a")
    written = exported(session(tmp_path, [image(data)]), to)
    assert data.encode() in written


def test_text_is_never_trimmed(tmp_path: Path) -> None:
    data = picture(b"a")
    block = {"type": "text", "text": data}
    odd = {"type": "tool_result", "tool_use_id": "t", "content": data}
    first, second, _ = session(tmp_path, [block, image("iVBO")], [odd]).messages
    assert first.blocks[0].text == second.blocks[0].result == data  # type: ignore[union-attr]


def test_what_does_not_stand_in_the_file_letter_for_letter_is_kept(tmp_path: Path) -> None:
    data = picture(b"\xff")
    record = {"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": [image(data)]}}
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(record).replace("/", "\\/") + "\n{}")
    media = load_conversation(path).messages[0].blocks[0]
    assert isinstance(media, Media)
    assert media.data == data
