"""The tracker that hybrid extracts from a conversation: reads, changes, tasks and times (seed 004)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.strategies.tool_work import find_tool_work, read_text
from core.strategies.tracker import (
    MAX_MODIFICATIONS,
    FileSection,
    file_outline,
    file_sections,
    key_sections,
    text_digest,
    track_history,
)
from core.transcript.model import Message, ToolResponse
from tests.builders import ai, call, exchange, human, response, tool

CODE = (
    "import os\n\n\ndef first():\n    pass\n\n\nclass Second:\n    def method(self):\n        pass\n"
    + "\n" * 5
)


def at(minute: int, *messages: Message) -> tuple[Message, ...]:
    return tuple(replace(one, timestamp=f"2026-01-01T10:{minute:02}:00Z") for one in messages)


def todo(id_: str, status: str, text: str = "Fix the parser") -> tuple[Message, Message]:
    todos = [{"content": text, "status": status}]
    return ai("", call("TodoWrite", id_, todos=todos)), tool(response(id_, "TodoWrite"))


@pytest.mark.req("LH-24", "LH-30")
def test_a_read_is_known_by_digest_lines_sections_summary_and_time() -> None:
    history = (human("go"), *at(5, *exchange("r", "Read", CODE, file_path="/p/a.py")))
    tracker = track_history(history)
    read = tracker.read_files["/p/a.py"]
    assert (read.hash, read.lines, read.ranges, read.message) == (text_digest(CODE), 15, (), 2)
    assert read.sections == (FileSection("first", 4, 7), FileSection("Second", 8, 15))
    assert read.summary == "defines first, Second"
    assert read.timestamp == tracker.newest_time == 1767261900000


def test_the_digest_tells_texts_apart_however_they_were_read() -> None:
    numbered = "".join(f"{n:6}→{line}\n" for n, line in enumerate(CODE.splitlines(), 1))
    one = track_history(exchange("r", "Read", numbered, file_path="a.py")).read_files["a.py"]
    other = track_history(exchange("r", "bash", CODE, command="cat a.py")).read_files["a.py"]
    changed = track_history(exchange("r", "bash", CODE + "x", command="cat a.py")).read_files["a.py"]
    assert one.hash == other.hash != changed.hash
    assert 0 <= one.hash < 1 << 64


def test_the_newest_read_counts_and_a_failed_one_does_not() -> None:
    failed = tool(ToolResponse("c", "Read", "no such file", "no such file"))
    history = (
        *exchange("a", "Read", CODE, file_path="a.py"),
        *exchange("b", "Read", "new", file_path="a.py"),
        ai("", call("Read", "c", file_path="a.py")),
        failed,
    )
    assert track_history(history).read_files["a.py"].hash == text_digest("new")


def test_a_part_of_a_file_has_its_range() -> None:
    shown = exchange("r", "bash", "\n".join(CODE.splitlines()[3:5]), command="sed -n '4,5p' a.py")
    read = track_history(shown).read_files["a.py"]
    assert (read.ranges, read.sections) == (((4, 5),), (FileSection("first", 4, 5),))
    whole = exchange("r", "bash", "one\ntwo\n", command="sed -n '1,200p' a.py")
    assert track_history(whole).read_files["a.py"].ranges == ()


@pytest.mark.req("LH-24", "LH-36", "LH-32")
def test_changes_are_known_by_kind_time_and_task() -> None:
    history = (
        *at(1, *exchange("w", "Write", "File created successfully", file_path="a.py")),
        *at(2, *todo("t1", "in_progress")),
        *at(3, *exchange("e", "Edit", "ok", file_path="a.py", old_string="x", new_string="y")),
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
    assert [one.timestamp for one in tracker.modifications] == [1767261660000, 1767261780000, 1767261900000]
    assert tracker.active_todo == ""


def test_a_file_that_was_seen_before_is_modified_not_created() -> None:
    history = (
        *exchange("r", "Read", CODE, file_path="a.py"),
        *exchange("w", "Write", "The file has been updated.", file_path="a.py"),
        *exchange("x", "Write", "ok", file_path="b.py"),
    )
    assert [one.kind for one in track_history(history).modifications] == ["modified", "created"]


def test_the_lines_of_a_change_come_from_the_call_or_from_what_the_result_shows() -> None:
    snippet = "The file a.py has been updated:\n    12→def x():\n    13→    pass"
    history = (
        *exchange("a", "replace_lines", "ok", path="a.zig", start_line=3, end_line=9),
        *exchange(
            "b", "str_replace_editor", "ok", command="insert", path="a.py", insert_line=4, new_str="x\ny"
        ),
        *exchange("c", "Edit", snippet, file_path="a.py", old_string="x", new_string="y"),
        *exchange("d", "Edit", "ok", file_path="a.py", old_string="x", new_string="y"),
    )
    assert [one.lines for one in track_history(history).modifications] == [(3, 9), (4, 5), (12, 13), None]


def test_failed_changes_are_forgotten_and_only_the_newest_twenty_known() -> None:
    failed = (ai("", call("Edit", "f", file_path="f.py")), tool(ToolResponse("f", "Edit", "x", "not found")))
    many = [message for n in range(25) for message in exchange(f"w{n}", "Write", "ok", file_path=f"{n}.py")]
    known = track_history((*many, *failed)).modifications
    assert [one.path for one in known] == [f"{n}.py" for n in range(25 - MAX_MODIFICATIONS, 25)]


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


def test_without_times_nothing_has_an_age() -> None:
    tracker = track_history(exchange("w", "Write", "ok", file_path="a.py"))
    assert tracker.newest_time is None
    assert tracker.modifications[0].timestamp is None


@pytest.mark.parametrize(
    ("result", "text", "first"),
    [
        ("plain\ntext", "plain\ntext", 1),
        ("     7\tx\n     8\ty", "x\ny", 7),
        ("Here it is:\r\n     1\tx\r\n     2\ty", "x\ny", 1),
        ("x = {1: 2}\nfor i in x:\n    pass", "x = {1: 2}\nfor i in x:\n    pass", 1),
        ('{"status": "success", "file_path": "a.py", "content": "x\\ny"}', "x\ny", 1),
        ('{"success": true, "data": "{\\"file_path\\": \\"a\\", \\"content\\": \\"x\\"}"}', "x", 1),
        ('"x\\ny"', "x\ny", 1),
        ("Exit code: 0\nWall time: 1 s\nOutput:\nx\ny", "x\ny", 1),
        ("<returncode>0</returncode>\n<output>\nx\ny\n</output>", "x\ny", 1),
        ([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}], "x\ny", 1),
        ("x\n<system-reminder>be good</system-reminder>", "x", 1),
        (None, "", 1),
    ],
)
def test_the_text_of_a_read_comes_out_of_its_envelope(result: object, text: str, first: int) -> None:
    assert read_text(ToolResponse("r", "Read", result)) == (text, first)


def test_a_result_without_its_call_tells_what_it_says_itself() -> None:
    read = tool(ToolResponse("r", "", '{"file_path": "a.py", "content": "x"}'))
    written = tool(ToolResponse("w", "", '{"file_path": "b.py", "lines_written": 3}'))
    refused = tool(ToolResponse("f", "", '{"success": false, "error_message": "no", "data": null}'))
    result = list(find_tool_work((read, written, refused)).values())
    assert [(one.is_read, one.is_change, one.failed) for one in result] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


# outlines


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.md", "# Title\n\nwords\n\n## Part\nwords\n", ["Title", "Part"]),
        ("a.toml", "[tool.x]\na = 1\n[[y]]\nb = 2\n", ["tool.x", "y"]),
        (
            "a.ts",
            "export default async function go() {\n}\nexport interface I {\n}\ntype T = {\n}\n",
            ["go", "I", "T"],
        ),
        (
            "a.rs",
            "pub(crate) struct S {\n}\nimpl<T> Trait for S {\n}\nfn main() {\n}\n",
            ["S", "Trait", "main"],
        ),
        ("a.go", "type Conf struct {\n}\nfunc (c *Conf) Run() error {\n}\n", ["Conf", "Run"]),
        (
            "a.zig",
            'const App = struct {\n};\npub fn main() !void {\n}\ntest "it" {\n}\n',
            ["App", "main", "it"],
        ),
        (
            "a.c",
            "static int helper(void)\n{\n}\nint main(int argc, char **argv) {\n  return f(a);\n}\n",
            ["helper", "main"],
        ),
        ("a.py", "No model (REQ-1).\n# comment\nx = 1\n", []),
    ],
)
def test_definitions_and_headings_are_sections(path: str, text: str, names: list[str]) -> None:
    result = file_sections(path, text)
    assert [one.title for one in result] == names
    assert not result or result[-1].end == text.count("\n")


def test_the_line_about_a_file_names_the_public_first_and_stays_short() -> None:
    text = "".join(f"def {'_' * (n % 2)}part_number_{n}():\n    pass\n" for n in range(60))
    line = file_outline("a.py", text, file_sections("a.py", text))
    assert line.startswith("defines part_number_0, part_number_2, ")
    assert line.endswith("more")
    assert len(line) <= 200
    assert file_outline("a.txt", "words\n" * 90, ()) == ""


def test_a_file_of_a_thousand_definitions_is_told_as_it_is() -> None:
    text = "".join(f"def f{number}():\n    pass\n\n" for number in range(1_000))
    parts = file_sections("a.py", text)
    assert (len(parts), parts[199].title, parts[199].end) == (1_000, "f199", 600)
    assert parts[-1].end == 3_000
    assert file_outline("a.py", text, parts).endswith("and 988 more")


def test_key_sections_are_the_longest_in_their_order() -> None:
    parts = (
        FileSection("a", 1, 9),
        FileSection("b", 10, 10),
        FileSection("c", 11, 90),
        FileSection("d", 91, 120),
    )
    assert [one.title for one in key_sections(parts, 2)] == ["c", "d"]
