"""What is whole in damaged lines is read and counted as repaired, by every reader of JSON lines."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import Conversation
from tests.conftest import SHARED
from tests.core.formats.exporting import edited_export, with_text
from tests.core.formats.small_files import SMALL

LOGS = [
    name for name, value in SMALL.items() if isinstance(value, tuple) and len(value) > 2
]


def glued(line: bytes) -> bytes:
    """Return a line behind the start of itself."""
    return line[: len(line) * 2 // 3] + line


def with_breaks(line: bytes) -> bytes:
    """Return a line with a real line break, and a blank line, for each escaped one."""
    return line.replace(rb"\n", b"\n").replace(b"|", b"\n\n")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "a start that was cut off": glued,
    "a part behind it": lambda line: line + line[: len(line) // 2],
    "line breaks": with_breaks,
}


def lines_of(name: str) -> list[bytes]:
    return [json.dumps(value).encode() for value in SMALL[name]]


def read(path: Path, lines: list[bytes], name: str) -> Conversation:
    path.write_bytes(b"\n".join(lines) + b"\n")
    return load_conversation(path, format=name)


@pytest.mark.parametrize("damage", [glued, DAMAGE["a part behind it"]])
@pytest.mark.parametrize("name", LOGS)
def test_a_record_beside_a_part_of_itself_is_read(
    name: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    lines = lines_of(name)
    whole = read(tmp_path / "whole", lines, name)
    fields = [frozenset(json.loads(one)) for one in lines]
    number = next((n for n in range(1, len(lines)) if fields.count(fields[n]) > 1), 0)
    if not number:
        pytest.skip("no line is like another")
    mended = read(
        tmp_path / "damaged",
        [*lines[:number], damage(lines[number]), *lines[number + 1 :]],
        name,
    )
    assert [one.blocks for one in mended.messages] == [
        one.blocks for one in whole.messages
    ]
    assert [note.line for note in mended.report.repaired][-1] == number + 1
    assert len(mended.report.warnings) == len(whole.report.warnings)


def claude(uuid: str, parent: str | None, text: str) -> bytes:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return json.dumps(
        {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message}
    ).encode()


def test_line_breaks_in_a_text_are_kept_and_written_again_as_one_line(
    tmp_path: Path,
) -> None:
    lines = [
        claude("a", None, "one"),
        with_breaks(claude("b", "a", "def f():\n  return 1||end")),
        claude("c", "b", "x"),
    ]
    conversation = read(tmp_path / "t.jsonl", lines, "claude_code")
    assert with_text(conversation.messages[1], 0, "").sources[0].line == 2
    assert [block.text for one in conversation.messages for block in one.blocks] == [  # type: ignore[union-attr]
        "one",
        "def f():\n  return 1\n\n\n\nend",
        "x",
    ]
    assert (
        conversation.report.repaired[0].text
        == "line breaks in a text; 3 lines are one record"
    )
    edits = {0: with_text(conversation.messages[0], 0, "two")}
    exported = export_history(edited_export(conversation, edits), "claude_code").data
    assert [json.loads(one)["uuid"] for one in exported.splitlines()] == ["a", "b", "c"]


def test_two_records_on_one_line_are_both_read(tmp_path: Path) -> None:
    lines = [
        claude("a", None, "one"),
        claude("b", "a", "two") + claude("c", "b", "three"),
    ]
    conversation = read(tmp_path / "t.jsonl", lines, "claude_code")
    assert [one.id for one in conversation.messages] == ["a", "b", "c"]
    assert conversation.report.repaired[0].text == "2 records stand on one line"


def test_a_part_of_a_record_is_not_taken_for_one(tmp_path: Path) -> None:
    cut = claude("b", "a", "two")
    ends = [cut[: cut.index(b"}") + 1], cut[:-1], cut[:-30]]
    for end in ends:  # cut off behind a block, at the last brace, inside a text
        conversation = read(
            tmp_path / "t.jsonl",
            [claude("a", None, "one"), end, claude("c", "b", "x")],
            "claude_code",
        )
        assert [one.id for one in conversation.messages] == ["a", "c"]
        assert [note.line for note in conversation.report.warnings] == [2, 3]
        assert [lost.line for lost in conversation.report.lost_parents] == [3]


@pytest.mark.parametrize("name", ["cp_4098_glued.jsonl", "cp_2649_rawnewline.jsonl"])
def test_a_damaged_file_answers_every_call(name: str) -> None:
    if not (path := SHARED / "faults" / name).is_file():
        pytest.skip("needs ../shared")
    conversation = load_conversation(path)
    assert len(conversation.messages) == 25
    assert conversation.report.repaired
    assert not conversation.report.warnings
