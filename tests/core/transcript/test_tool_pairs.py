"""Pairs of calls and responses, and the boundaries that do not separate them."""

import base64
import struct
from typing import Any

import pytest

from core.transcript.images import image_size, media_tokens
from core.transcript.model import ToolCall, ToolResponse
from core.transcript.provenance import (
    block_from_entry,
    message_entry,
    message_from_entry,
)
from core.transcript.todos import active_todos, last_todos
from core.transcript.tool_pairs import find_pairs
from tests.support.builders import ai, call, human, response, tool


def test_a_call_and_its_response_are_a_pair_that_blocks_the_boundary_between() -> None:
    pairs = find_pairs(
        [human("a"), ai("", call("bash", "1")), tool(response("1")), human("b")]
    )
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(1, 2)]
    assert list(pairs.valid) == [1, 1, 0, 1, 1]


def test_an_id_used_again_is_joined_turn_by_turn() -> None:
    turn = [ai("", call("bash", "1")), tool(response("1"))]
    pairs = find_pairs([*turn, *turn])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(0, 1), (2, 3)]
    assert pairs.valid[2]


def test_parallel_calls_block_until_the_last_answer() -> None:
    pairs = find_pairs(
        [
            ai("", call("a", "1"), call("b", "2")),
            tool(response("1")),
            tool(response("2")),
        ]
    )
    assert list(pairs.valid) == [1, 0, 0, 1]
    assert [pair.id for pair in pairs.pairs_across(2)] == ["2"]


def test_answers_that_come_before_their_call_all_belong_to_it() -> None:
    early = tool(response("1"), response("1"))
    pairs = find_pairs([early, human("a"), ai("", call("bash", "1"))])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(2, 0), (2, 0)]
    assert not pairs.orphans


def _todo(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status}


@pytest.mark.req("REQ-HD-011.2")
def test_in_progress_comes_first_and_completed_is_left_out() -> None:
    todos = [_todo("a", "pending"), _todo("b", "completed"), _todo("c", "in_progress")]
    assert (
        active_todos([ai("", call("TodoWrite", "1", todos=todos))])
        == "- [in_progress] c\n- [pending] a"
    )


def test_the_last_list_wins_over_earlier_ones() -> None:
    first = ai("", call("todo_write", "1", todos=[_todo("old", "pending")]))
    last = ai(
        "", call("todo_write", "2", todos='[{"content": "new", "status": "pending"}]')
    )
    assert active_todos([first, last]) == "- [pending] new"


def test_tasks_are_followed_by_the_numbers_their_tool_gave() -> None:
    messages = [
        ai(
            "",
            call("TaskCreate", "1", subject="one"),
            call("TaskCreate", "2", subject="two"),
        ),
        tool(
            response("1", result="Task #7 created"),
            response("2", result=[{"text": "Task #8 created"}]),
        ),
        ai("", call("TaskUpdate", "3", taskId="7", status="completed")),
        ai("", call("TaskUpdate", "4", taskId="8", status="in_progress")),
    ]
    assert active_todos(messages) == "- [in_progress] two"
    assert len(last_todos(messages)) == 2


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


def test_ids_that_are_no_text_still_tell_calls_apart() -> None:
    call, answer = (
        block_from_entry({"type": "tool_call", "id": 7}),
        block_from_entry({"type": "tool_response", "callId": 8}),
    )
    assert isinstance(call, ToolCall)
    assert isinstance(answer, ToolResponse)
    assert (call.id, answer.call_id) == ("7", "8")


PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 32, 16)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08"
    + struct.pack(">HH", 480, 640)
    + b"\x03"
)
WEBP_X = (
    b"RIFF\0\0\0\0WEBPVP8X"
    + bytes(8)
    + (639).to_bytes(3, "little")
    + (479).to_bytes(3, "little")
)
WEBP_L = (
    b"RIFF\0\0\0\0WEBPVP8L"
    + bytes(4)
    + b"\x2f"
    + (639 | 479 << 14).to_bytes(4, "little")
)
WEBP = b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 640, 480)


@pytest.mark.parametrize("head", [PNG, JPEG, WEBP_X, WEBP_L, WEBP])
def test_the_header_tells_the_size(head: bytes) -> None:
    assert image_size(head) == (640, 480)
    assert media_tokens(base64.b64encode(head).decode()) == 410


@pytest.mark.parametrize(
    "head", [b"", b"hello", PNG[:18], JPEG[:8], b"\xff\xd8" + b"\xff" * 40, GIF[:6]]
)
def test_a_header_without_a_size_is_no_size(head: bytes) -> None:
    assert image_size(head) is None
