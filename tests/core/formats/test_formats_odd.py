"""Values of any type anywhere give a conversation or one sentence; large images stay in their
file."""

import base64
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.export.export import EXPORTERS, export_history
from core.formats.common.document import TruncatedText, text_length
from core.formats.common.json_parsing import (
    MAX_DEPTH,
    TOO_DEEP,
    InvalidJsonError,
    parse_bytes,
    parse_json_document,
)
from core.formats.registry import FORMATS, load_conversation
from core.lint.lint import PROVIDERS, lint_messages
from core.presentation.lists.row_texts import row_text
from core.presentation.message_body import body_blocks
from core.tokens.counter import counter_for
from core.transcript.images import media_size, media_tokens
from core.transcript.model import Conversation, Media, ToolResponse
from core.transcript.scopes import history_of_scope, scopes
from core.transcript.tool_pairs import find_pairs
from core.trials.side_by_side import recorded_side_by_side
from tests.core.formats.exporting import compacted_export, unchanged_export
from tests.core.formats.small_files import SMALL, written
from tests.support.sampling import sampled

_TRANSCRIPTS = [exporter.name for exporter in EXPORTERS if not exporter.is_report]
_ROUNDS = 10
_ODD: tuple[Json, ...] = (
    None,
    True,
    -1,
    1.5,
    10**30,
    float("nan"),
    "",
    "x" * 5000,
    "a\0\x1b[31m\n\nb",
    "\ud800",
    "{",
    '{"a": 1}',
    [],
    {},
    [[]],
    [None, 1, "a", {}],
    {"type": []},
    {"type": {}, "id": [], "role": {}},
    [
        {"type": "text"},
        {"type": "tool_use", "id": {}},
        {"type": "tool_result", "content": 7},
    ],
)


def nested(levels: int) -> Json:
    value: Json = "x"
    for _ in range(levels):
        value = [value]
    return value


def places(
    value: Json, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(value: Json, dice: Random) -> Json:
    made: Json = copy.deepcopy(list(value) if isinstance(value, tuple) else value)
    *way, last = dice.choice(list(places(made)))
    holder = made
    for key in way:
        holder = holder[key]
    match dice.randrange(6):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, list):
            holder.extend(copy.deepcopy(holder))
            dice.shuffle(holder)
        case 2:
            holder[last] = copy.deepcopy(
                dice.choice([inner for inner in _parts(made) if inner is not made])
            )
        case _:
            holder[last] = dice.choice((*_ODD, nested(MAX_DEPTH // 2)))
    return tuple(made) if isinstance(value, tuple) else made


def _parts(value: Json) -> list[Json]:
    found = []
    for way in places(value):
        inner = value
        for key in way:
            inner = inner[key]
        found.append(inner)
    return found


def damaged(data: bytes, dice: Random) -> bytes:
    at = dice.randrange(1, len(data))
    return (
        data[:at]
        if dice.random() < 0.5
        else data[: at - 1] + bytes([dice.randrange(256)]) + data[at:]
    )


def read(path: Path, format: str = "") -> Conversation | None:
    """Return the conversation of a file; None if it was refused in one sentence."""
    try:
        return load_conversation(path, format=format)
    except InputError as error:
        told = error.message
    assert told.endswith(".")
    assert told.isprintable()
    return None


def assert_usable(conversation: Conversation, dice: Random) -> None:
    """Check that scopes, pairs, linters and exporters can handle whatever a reader returned."""
    report = conversation.report
    assert all(note.text.isprintable() for note in (*report.warnings, *report.repaired))
    for scope in scopes(conversation):
        messages = history_of_scope(conversation, scope).messages
        find_pairs(messages)
        for provider in PROVIDERS:
            lint_messages(messages, provider.name)
    for number in range(1, len(conversation.recorded) + 1):
        recorded_side_by_side(conversation, number)
    # A third of the exporters: each writes what several files of each format became.
    parts = sampled(1, 3)
    for name in _TRANSCRIPTS[dice.randrange(parts) :: parts]:
        is_compacted = conversation.messages and dice.random() < 0.5
        export = compacted_export if is_compacted else unchanged_export
        export_history(export(conversation), name)


def test_there_is_a_small_file_of_every_format(tmp_path: Path) -> None:
    no_json = {"crush", "zed", "aider"}
    assert SMALL.keys() == {format_.name for format_ in FORMATS} - no_json
    for name, value in SMALL.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(written(value))
        conversation = load_conversation(path)
        assert conversation.format == name
        assert conversation.messages


@pytest.mark.parametrize("name", SMALL)
def test_odd_values_are_never_fatal(tmp_path: Path, name: str) -> None:
    dice, path = Random(name), tmp_path / "odd.json"
    for _ in range(_ROUNDS):
        value = changed(SMALL[name], dice)
        if dice.random() < 0.4:
            value = changed(value, dice)
        path.write_bytes(written(value))
        conversation = read(path) or read(path, name)
        if conversation is not None:
            assert_usable(conversation, dice)


@pytest.mark.parametrize("name", SMALL)
def test_damaged_bytes_are_never_fatal(tmp_path: Path, name: str) -> None:
    dice, path = Random(name), tmp_path / "odd.json"
    for _ in range(_ROUNDS):
        path.write_bytes(damaged(written(SMALL[name]), dice))
        conversation = read(path)
        if conversation is not None:
            find_pairs(conversation.messages)


@pytest.mark.parametrize("name", SMALL)
def test_every_reader_refuses_or_reads_what_is_not_its_own(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "other.json"
    # Every reader gets a third of the formats, and every format goes to a third of the readers.
    parts = sampled(1, 3)
    others = [*SMALL.values()][[*SMALL].index(name) % parts :: parts]
    for value in (*others, [], {}, [7], (), (7, {})):
        path.write_bytes(written(value) or b"\n")
        read(path, name)


def test_nesting_is_read_to_a_depth_that_everything_can_walk() -> None:
    for levels, error in (
        (MAX_DEPTH, ""),
        (MAX_DEPTH + 1, TOO_DEEP),
        (900, TOO_DEEP),
        (100_000, TOO_DEEP),
    ):
        data = b"[" * levels + b"]" * levels
        assert parse_bytes(data).error == error
        assert parse_bytes(b'{"a": NaN, "b": %b}' % data[1:-1]).error == error
    parse_json_document(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    with pytest.raises(InvalidJsonError, match=TOO_DEEP):
        parse_json_document(b"[" * 900 + b"]" * 900)


@pytest.mark.parametrize(
    "name", ["gemini_cli", "codex_rollout", "claude_code", "pi_agent", "openhands"]
)
def test_ids_are_made_of_names_with_half_characters(tmp_path: Path, name: str) -> None:
    path = tmp_path / "half.json"
    lines = [{**line, "sessionId": "\ud800"} for line in SMALL["claude_code"]]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert export_history(unchanged_export(load_conversation(path)), name).data


@pytest.mark.parametrize("name", ["langchain", "cline_session", "copilot_cli", "goose"])
def test_ids_that_were_made_up_are_told(tmp_path: Path, name: str) -> None:
    without = re.compile(
        rb'"(?:id|tool_call_id|tool_use_id|toolCallId|callID)": "[^"]*"'
    )
    path = tmp_path / "odd.json"
    path.write_bytes(without.sub(b'"odd": 1', written(SMALL[name])))
    told = [note.text for note in load_conversation(path, format=name).report.repaired]
    assert any("has no id" in text for text in told)


def test_a_field_that_is_absent_is_never_a_word(tmp_path: Path) -> None:
    """llxprt distinguishes an absent field from null; no other format can."""
    path = tmp_path / "absent.json"
    call, answer = (
        {"type": "tool_call", "id": "c", "name": "look"},
        {"type": "tool_response", "callId": "c"},
    )
    entries = [
        ("human", {"type": "text", "text": "hi"}),
        ("ai", call),
        ("tool", answer),
    ]
    path.write_text(
        json.dumps([{"speaker": who, "blocks": [block]} for who, block in entries])
    )
    conversation = load_conversation(path)
    for name in _TRANSCRIPTS:
        assert (
            b"missing"
            not in export_history(unchanged_export(conversation), name).data.lower()
        )
    for message in conversation.messages:
        shown = [
            *(block.text for block in body_blocks(message, None)),
            row_text(message)[1],
        ]
        assert "missing" not in "".join(shown).lower()


_PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000200000001000802000000")


def picture(fill: bytes) -> str:
    return base64.b64encode(_PNG + fill * 100_000).decode()


def session(folder: Path, *contents: Any) -> Conversation:
    records = [
        {
            "type": "user",
            "uuid": f"u{n}",
            "parentUuid": None,
            "message": {"role": "user", "content": content},
        }
        for n, content in enumerate((*contents, "thanks"))
    ]
    path = folder / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return load_conversation(path)


def image(data: str) -> dict[str, Any]:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": data},
    }


def result(data: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t1", "content": [image(data)]}


def test_a_long_image_is_left_in_the_file_and_counted_whole(tmp_path: Path) -> None:
    data = picture(b"a")
    conversation = session(tmp_path, [image(data)], [result(data)])
    media, response, _ = (message.blocks[0] for message in conversation.messages)
    assert isinstance(media, Media)
    assert isinstance(response, ToolResponse)
    assert isinstance(media.data, TruncatedText)
    assert response.result[0]["source"]["data"] == media.data
    assert len(media.data) < 500
    assert text_length(media.data) == len(data)
    assert media_size(media.data) == media_size(data) == (512, 256)
    counts = [counter_for("").message(one) for one in conversation.messages]
    assert counts[:2] == [media_tokens(data)] * 2


@pytest.mark.parametrize("to", ["openai_chat", "anthropic_messages", "llxprt"])
def test_an_export_holds_the_whole_image(tmp_path: Path, to: str) -> None:
    data = picture(b"a")
    written = export_history(
        unchanged_export(session(tmp_path, [image(data)])), to
    ).data
    assert data.encode() in written


def test_text_is_never_trimmed(tmp_path: Path) -> None:
    data = picture(b"a")
    block = {"type": "text", "text": data}
    odd = {"type": "tool_result", "tool_use_id": "t", "content": data}
    first, second, _ = session(tmp_path, [block, image("iVBO")], [odd]).messages
    assert first.blocks[0].text == second.blocks[0].result == data  # type: ignore[union-attr]


def test_what_does_not_stand_in_the_file_letter_for_letter_is_kept(
    tmp_path: Path,
) -> None:
    data = picture(b"\xff")
    record = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "message": {"content": [image(data)]},
    }
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(record).replace("/", "\\/") + "\n{}")
    media = load_conversation(path).messages[0].blocks[0]
    assert isinstance(media, Media)
    assert media.data == data
