"""The tracker that hybrid extracts from a conversation: reads, changes, tasks and times (LH)."""

from dataclasses import replace

import pytest

from core.strategies.tracker import (
    FileSection,
    file_sections,
    read_text,
    text_digest,
    track_history,
)
from core.transcript.model import Message, ToolResponse
from tests.support.builders import ai, call, exchange, human, response, tool

CODE = (
    "import os\n\n\ndef first():\n    pass\n\n\nclass Second:\n    def method(self):\n      "
    "  pass\n"
) + "\n" * 5


def at(minute: int, *messages: Message) -> tuple[Message, ...]:
    return tuple(
        replace(one, timestamp=f"2026-01-01T10:{minute:02}:00Z") for one in messages
    )


def todo(
    id_: str, status: str, text: str = "Fix the parser"
) -> tuple[Message, Message]:
    todos = [{"content": text, "status": status}]
    return ai("", call("TodoWrite", id_, todos=todos)), tool(response(id_, "TodoWrite"))


@pytest.mark.req("LH-24", "LH-30")
def test_a_read_is_known_by_digest_lines_sections_summary_and_time() -> None:
    history = (human("go"), *at(5, *exchange("r", "Read", CODE, file_path="/p/a.py")))
    tracker = track_history(history)
    read = tracker.read_files["/p/a.py"]
    assert (read.hash, read.lines, read.ranges, read.message) == (
        text_digest(CODE),
        15,
        (),
        2,
    )
    assert read.sections == (FileSection("first", 4, 7), FileSection("Second", 8, 15))
    assert read.summary == "defines first, Second"
    assert read.timestamp == tracker.newest_time == 1767261900000


@pytest.mark.req("LH-24", "LH-36", "LH-32")
def test_changes_are_known_by_kind_time_and_task() -> None:
    history = (
        *at(1, *exchange("w", "Write", "File created successfully", file_path="a.py")),
        *at(2, *todo("t1", "in_progress")),
        *at(
            3,
            *exchange(
                "e", "Edit", "ok", file_path="a.py", old_string="x", new_string="y"
            ),
        ),
        *at(4, *todo("t2", "completed")),
        *at(5, *exchange("d", "bash", "", command="rm a.py")),
    )
    tracker = track_history(history)
    texts = [(one.path, one.kind, one.todo) for one in tracker.modifications]
    assert texts == [
        ("a.py", "created", ""),
        ("a.py", "modified", "Fix the parser"),
        ("a.py", "deleted", ""),
    ]
    assert [one.timestamp for one in tracker.modifications] == [
        1767261660000,
        1767261780000,
        1767261900000,
    ]
    assert tracker.active_todo == ""


def test_the_active_task_and_the_files_touched_for_it() -> None:
    history = (
        *exchange("r", "Read", CODE, file_path="early.py"),
        *todo("t", "in_progress"),
        *exchange("s", "Read", CODE, file_path="a.py"),
        *exchange("w", "Write", "ok", file_path="b.py"),
    )
    tracker = track_history(history)
    assert tracker.active_todo == "Fix the parser"
    assert tracker.files_touched == ("a.py", "b.py")


@pytest.mark.parametrize(
    ("result", "text", "first"),
    [
        ("plain\ntext", "plain\ntext", 1),
        ("     7\tx\n     8\ty", "x\ny", 7),
        ("Here it is:\r\n     1\tx\r\n     2\ty", "x\ny", 1),
        ("x = {1: 2}\nfor i in x:\n    pass", "x = {1: 2}\nfor i in x:\n    pass", 1),
        ('{"status": "success", "file_path": "a.py", "content": "x\\ny"}', "x\ny", 1),
        (
            '{"success": true, "data": "{\\"file_path\\": \\"a\\", \\"content\\": \\"x\\"}"}',
            "x",
            1,
        ),
        ('"x\\ny"', "x\ny", 1),
        ("Exit code: 0\nWall time: 1 s\nOutput:\nx\ny", "x\ny", 1),
        ("<returncode>0</returncode>\n<output>\nx\ny\n</output>", "x\ny", 1),
        ([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], "x\ny", 1),
        ("x\n<system-reminder>be good</system-reminder>", "x", 1),
        (None, "", 1),
    ],
)
def test_the_text_of_a_read_comes_out_of_its_envelope(
    result: object, text: str, first: int
) -> None:
    assert read_text(ToolResponse("r", "Read", result)) == (text, first)


# outlines


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.md", "# Title\n\nwords\n\n## Part\nwords\n", ["Title", "Part"]),
        ("a.toml", "[tool.x]\na = 1\n[[y]]\nb = 2\n", ["tool.x", "y"]),
        (
            "a.ts",
            "export default async function f() {\n}\nexport interface I {}\ntype T = {}\n",
            ["f", "I", "T"],
        ),
        (
            "a.rs",
            "pub(crate) struct S {\n}\nimpl<T> Trait for S {\n}\nfn f() {\n}\n",
            ["S", "Trait", "f"],
        ),
        (
            "a.go",
            "type Conf struct {\n}\nfunc (c *Conf) Run() error {\n}\n",
            ["Conf", "Run"],
        ),
        (
            "a.zig",
            'const App = struct {\n};\npub fn f() !void {\n}\ntest "it" {\n}\n',
            ["App", "f", "it"],
        ),
        (
            "a.c",
            "static int f(void)\n{\n}\nint g(int argc, char **argv) {\n  return f(a);\n}\n",
            ["f", "g"],
        ),
        ("a.py", "No model (REQ-1).\n# comment\nx = 1\n", []),
    ],
)
def test_definitions_and_headings_are_sections(
    path: str, text: str, names: list[str]
) -> None:
    result = file_sections(path, text)
    assert [one.title for one in result] == names
    assert not result or result[-1].end == text.count("\n")
