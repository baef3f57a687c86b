"""Each file gets the reader that understands it; an unsupported kind is refused by name."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats import registry
from core.formats.common.format import Format
from core.formats.common.open_document import UnreadableKindError
from core.formats.registry import FORMATS, load_conversation
from core.transcript.model import Conversation, Text, ToolResponse
from tests.support.builders import exchange

PI_HEAD = {
    "type": "session",
    "id": "s1",
    "cwd": "/repo",
    "timestamp": "2026-01-01T00:00:00Z",
}
CODEX_META = {
    "timestamp": "t",
    "type": "session_meta",
    "payload": {"id": "s1", "cwd": "/repo"},
}
SHAREGPT = {
    "conversations": [
        {"from": "human", "value": "hi"},
        {"from": "gpt", "value": "hello"},
    ]
}


def saved(folder: Path, *lines: Json) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def chat(count: int) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[number % 2], "content": f"words {number}"}
        for number in range(count)
    ]


def claude(count: int) -> list[dict[str, Any]]:
    def line(number: int, message: dict[str, Any]) -> dict[str, Any]:
        parent = f"u{number - 1}" if number else None
        return {
            "uuid": f"u{number}",
            "parentUuid": parent,
            "type": message["role"],
            "message": message,
        }

    return [
        {**line(number, message), "sessionId": "s"}
        for number, message in enumerate(chat(count))
    ]


def pi(count: int) -> list[dict[str, Any]]:
    return [
        {"type": "message", "id": f"m{number}", "message": one}
        for number, one in enumerate(chat(count))
    ]


def texts(conversation: Conversation) -> list[str]:
    return [
        block.text
        for message in conversation.messages
        for block in message.blocks
        if isinstance(block, Text)
    ]


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as error:
        load_conversation(path)
    assert error.value.exit_code == 2
    return error.value


# The reader that understands the file
# -------------------------------------------------------------------


def test_a_head_line_wins_over_entries_that_are_not_known(tmp_path: Path) -> None:
    compaction = {
        "type": "compaction",
        "id": "c",
        "summary": "so far",
        "firstKeptEntryId": "m8",
    }
    own = [
        {"type": "extension_state", "id": f"x{number}", "value": 1}
        for number in range(20)
    ]
    loaded = load_conversation(saved(tmp_path, PI_HEAD, *pi(10), compaction, *own))
    assert (loaded.format, len(loaded.messages), len(loaded.recorded)) == (
        "pi_agent",
        10,
        1,
    )


def test_one_item_of_its_own_is_no_file_of_responses(tmp_path: Path) -> None:
    others = [{"type": f"event {number}", "text": "words"} for number in range(9)]
    item = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
    assert (
        "holds records of OpenAI Responses, but no conversation"
        in refused(saved(tmp_path, item, *others)).message
    )


def test_a_system_message_among_items_of_responses_is_one_of_them(
    tmp_path: Path,
) -> None:
    system = {"type": "message", "role": "system", "content": "Be brief."}
    loaded = load_conversation(saved(tmp_path, system, {**system, "role": "user"}))
    assert (loaded.format, len(loaded.messages)) == ("openai_responses", 1)
    assert loaded.system.texts == ("Be brief.",)


OWN: dict[str, list[Any]] = {
    "claude_code": claude(8),
    "openai_chat": chat(8),
    "pi_agent": [PI_HEAD, *pi(7)],
    "codex_rollout": [
        CODEX_META,
        *({**CODEX_META, "type": "response_item", "payload": one} for one in chat(7)),
    ],
}
STRAYS = {
    "claude_code": claude(1)[0],
    "pi_agent": PI_HEAD,
    "codex_rollout": CODEX_META,
    "sharegpt": SHAREGPT,
}


@pytest.mark.parametrize(
    ("name", "stray"), [(name, one) for name in OWN for one in STRAYS if one != name]
)
@pytest.mark.parametrize("place", [0, 4, 8])
def test_a_record_of_another_format_is_left_out_and_told(
    tmp_path: Path, name: str, stray: str, place: int
) -> None:
    own = OWN[name]
    loaded = load_conversation(
        saved(tmp_path, *own[:place], STRAYS[stray], *own[place:])
    )
    alone = load_conversation(saved(tmp_path, *own))
    assert texts(loaded) == texts(alone)
    assert any(
        kind.startswith("record of another format") for kind, _ in loaded.report.skipped
    )
    assert [note.line for note in loaded.report.warnings] == [place + 1]


def test_a_reader_that_understands_nothing_refuses(tmp_path: Path) -> None:
    lines = [{"role": "narrator", "content": f"words {number}"} for number in range(4)]
    error = refused(saved(tmp_path, *lines))
    assert error.message.endswith("but Foldline understands nothing of it.")
    assert "--format openai_chat" in error.hint
    assert (
        len(load_conversation(saved(tmp_path, *lines), format="openai_chat").messages)
        == 4
    )


# Kinds that are not read yet
# ----------------------------------------------------------------------------

UNREAD: dict[str, list[Json]] = {
    "OpenClaw telemetry": [
        {"traceSchema": "openclaw-trajectory", "traceId": "t", "messages": []}
    ]
    * 2,
    "Gemini CLI's log of prompts": [
        {"sessionId": "s", "messageId": 0, "type": "user", "message": "hi"}
    ]
    * 2,
    "a DeepSeek export": [{"mapping": {}, "inserted_at": "t"}],
    "a Letta agent file": [{"agents": [], "blocks": [], "tools": []}],
}


@pytest.mark.parametrize("kind", UNREAD)
@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_kind_that_is_not_read_is_refused_by_its_name(
    tmp_path: Path, kind: str, form: str
) -> None:
    path = saved(tmp_path, *(UNREAD[kind] if form == "lines" else [UNREAD[kind]]))
    assert f"looks like {kind}" in refused(path).message
    assert "does not read yet" in refused(path).message


def test_a_database_is_told_by_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("CREATE TABLE steps(step_type)")
    with pytest.raises(UnreadableKindError, match="an Antigravity database"):
        load_conversation(path)
    assert [one.name for one in tmp_path.iterdir()] == ["state.db"]


# A header that comes later, and a reader chosen by hand
# -------------------------------------------------------------------

AIDER = "# aider chat started at 2026-01-02 10:00:00\n\n#### rename it\n\nRenamed.\n"
STREAM = (
    {"type": "init", "session_id": "a", "model": "gemini-2.5-pro"},
    {"type": "message", "role": "user", "content": "Paint the fence"},
    {"type": "tool_use", "tool_name": "read_file", "tool_id": "r1", "parameters": {}},
    {"type": "tool_result", "tool_id": "r1", "status": "success", "output": "wood"},
    {"type": "result", "status": "success"},
)


def test_lines_in_front_of_the_first_chat_of_aider_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text(f"-*- mode: fundamental -*-\n\n{AIDER}")
    loaded = load_conversation(path)
    assert (loaded.format, texts(loaded)) == ("aider", ["rename it", "Renamed."])
    assert dict(loaded.report.skipped)["line before the first chat"] == 1


def test_a_line_in_front_of_a_stream_of_gemini_is_counted(tmp_path: Path) -> None:
    wrapper = {
        "type": "message",
        "role": "user",
        "content": "Paint the fence",
        "ts": "x",
    }
    loaded = load_conversation(saved(tmp_path, wrapper, *STREAM))
    assert (loaded.format, texts(loaded)) == ("gemini_cli", ["Paint the fence"])
    assert dict(loaded.report.skipped)["in front of the stream"] == 1


def test_a_reader_chosen_by_hand_tries_any_text(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text("words\n" * 300 + AIDER)
    assert "is not JSON" in refused(path).message
    assert texts(load_conversation(path, format="aider")) == ["rename it", "Renamed."]
    path.write_text("words\n")
    for reader in FORMATS:
        with pytest.raises(InputError):
            load_conversation(path, format=reader.name)


def test_a_reader_that_pairs_nothing_loses_to_one_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reader(name: str, score: float, called: str) -> Format:
        messages = [*exchange(called, "read"), *exchange(called, "read")]
        results = [
            replace(one, blocks=(ToolResponse("r1", "", "wood"),))
            for one in messages[1::2]
        ]
        return Format(
            name=name,
            label=name,
            about=name,
            score=lambda file: (score, name),
            read=lambda file, request: Conversation(
                format=name, document=file.document, messages=(*messages[::2], *results)
            ),
        )

    monkeypatch.setattr(
        registry, "FORMATS", (reader("lone", 0.9, "other"), reader("paired", 0.5, "r1"))
    )
    assert load_conversation(saved(tmp_path, *STREAM)).format == "paired"
