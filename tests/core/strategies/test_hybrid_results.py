"""hybrid's texts for tool results: reads, changes, other tools, failures (LH)."""

from dataclasses import replace

import pytest

from core.common.json_value import MISSING
from core.strategies import hybrid
from core.strategies.hybrid_tool_results import cut_text, is_marked
from core.strategies.tracker import FileModification, FileTracker
from core.tokens.counter import counter_for
from core.transcript.model import Message, Speaker, ToolResponse, tool_responses
from tests.core.strategies.hybrid_running import END, hybrid_context, run
from tests.core.strategies.strategy_running import result_texts
from tests.support.builders import ai, call, exchange, human, response, tool

OUTPUT = "line of output\n" * 60
CODE = "\n".join(
    ("def first():", *["    pass"] * 20, "", "def second():", *["    pass"] * 30)
)
MINUTE = 60_000


def replaced_result(*messages: Message, other_tools: str = "line") -> str:
    (text,) = result_texts(run((human("go"), *messages, *END), other_tools=other_tools))
    return text


@pytest.mark.req("LH-23", "LH-25", "LH-26", "LH-30")
def test_a_read_is_told_by_path_lines_digest_summary_and_sections() -> None:
    lines = replaced_result(
        *exchange("r", "read_file", CODE, path="src/a.py")
    ).splitlines()
    assert lines[0].startswith("📄 [Compressed] Read src/a.py (53 lines, hash:")
    assert lines[1:3] == [
        "• Curator Summary: defines first, second",
        "• Key Sections: first (lines 1-22), second (lines 23-53)",
    ]


@pytest.mark.req("LH-26", "LH-31")
def test_a_read_without_a_summary_still_names_path_lines_and_digest() -> None:
    text = replaced_result(
        *exchange("r", "Read", "only words\n" * 60, file_path="/p/a.txt")
    )
    assert text.startswith("📄 [Compressed] Read /p/a.txt (60 lines, hash:")
    assert "Summary" not in text


@pytest.mark.req("LH-23", "LH-57")
@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("Read", {"file_path": "/p/a.py"}, "/p/a.py"),
        ("read", {"filePath": "a.py"}, "a.py"),
        ("str_replace_editor", {"command": "view", "path": "/p/a.py"}, "/p/a.py"),
        ("shell", {"command": ["bash", "-lc", "sed -n '1,200p' a.py"]}, "a.py"),
        ("bash", {"command": "cat a.py"}, "a.py"),
    ],
)
def test_reads_of_popular_agents_are_known_by_their_calls(
    name: str, arguments: dict[str, object], path: str
) -> None:
    assert replaced_result(*exchange("r", name, CODE, **arguments)).startswith(
        f"📄 [Compressed] Read {path} (53 lines"
    )


@pytest.mark.req("LH-57", "LH-33", "LH-12")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("replace_lines", {"path": "app.zig", "start_line": 234, "end_line": 250}),
        ("insert_lines", {"path": "app.zig", "line_start": 234, "content": "x\n" * 17}),
    ],
)
def test_changes_of_lines_name_the_lines(
    name: str, arguments: dict[str, object]
) -> None:
    text = replaced_result(*exchange("w", name, "done\n" * 300, **arguments))
    assert text == "✏️ [Compressed] Modified app.zig (lines 234-250)\n• Type: modified"
    assert counter_for("").text(text) <= 40


@pytest.mark.req("LH-11", "LH-32", "LH-35", "LH-37")
def test_a_write_is_told_by_kind_age_and_task_in_at_most_50_tokens() -> None:
    todos = ({"content": "Add error handling", "status": "in_progress"},)
    plan = ai(
        "", call("TodoWrite", "t", todos=list(todos)), timestamp="2026-01-01T10:00:00Z"
    )
    write, answer = exchange(
        "w", "write_file", "Wrote src/app.zig.\n" * 90, path="src/app.zig"
    )
    late = replace(END[-1], timestamp="2026-01-01T10:05:59Z")
    stamped = replace(answer, timestamp="2026-01-01T10:03:30Z")
    result = run(
        (
            human("go"),
            plan,
            tool(response("t", "TodoWrite")),
            write,
            stamped,
            *END[:-1],
            late,
        )
    )
    assert result_texts(result)[1] == (
        "✏️ [Compressed] Created src/app.zig (2 min ago)\n"
        "• Type: created\n"
        "• Related to active todo: 'Add error handling'"
    )
    assert counter_for("").text(result_texts(result)[1]) <= 50


@pytest.mark.req("LH-36")
def test_created_modified_and_deleted_files_are_told_apart() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old.py\n-a\n+b\n"
        "*** Delete File: gone.py\n*** End Patch"
    )
    text = replaced_result(
        *exchange(
            "p",
            "apply_patch",
            "Success. Updated the following files:\n" * 90,
            input=patch,
        )
    )
    assert text == "✏️ [Compressed] Created new.py; Modified old.py; Deleted gone.py"
    removed = replaced_result(
        *exchange(
            "d", "bash", "Exit code: 0\n" + "removed " * 90, command="rm -f gone.py"
        )
    )
    assert removed.startswith("✏️ [Compressed] Deleted gone.py")


@pytest.mark.req("LH-34", "LH-38")
def test_the_newest_change_of_a_file_is_told_and_an_unknown_one_is_general() -> None:
    written = "Wrote a.py.\n" * 60
    history = (human("go"), *exchange("w", "write_file", written, path="a.py"), *END)
    changes = (
        FileModification(path="a.py", kind="created", timestamp=0),
        FileModification(path="a.py", kind="modified", timestamp=60 * MINUTE),
    )
    known = hybrid.compact_directly(
        hybrid_context(history), FileTracker({}, changes, newest_time=65 * MINUTE), 0
    )
    assert result_texts(known)[0].startswith("✏️ [Compressed] Modified a.py (5 min ago)")
    unknown = hybrid.compact_directly(hybrid_context(history), FileTracker({}), 0)
    assert result_texts(unknown) == ["🔧 [Compressed] write_file executed successfully"]
    silent = (human("go"), *exchange("w", "write_file", OUTPUT, path="a.py"), *END)
    unproven = hybrid.compact_directly(
        hybrid_context(silent), FileTracker({}, changes), 0
    )
    (text,) = result_texts(unproven)
    assert text.startswith(
        "✏️ [Compressed] write_file on a.py: its outcome is not recorded: «"
    )


@pytest.mark.req("LH-13", "LH-39", "LH-40")
def test_any_other_tool_becomes_one_line_with_its_name() -> None:
    assert (
        replaced_result(*exchange("g", "grep", OUTPUT))
        == "🔧 [Compressed] grep: output left out, 60 lines"
    )
    orphan = tool(ToolResponse("x", "", OUTPUT))
    assert replaced_result(orphan) == "🔧 [Compressed] tool: output left out, 60 lines"


@pytest.mark.req("LH-14", "LH-15")
def test_other_tools_may_keep_half_or_all() -> None:
    output = "".join(f"line {number}\n" for number in range(200))
    text = replaced_result(*exchange("g", "grep", output), other_tools="half")
    assert 0.4 < len(text) / len(output) < 0.6
    assert text.startswith("🔧 [Compressed] grep; half of its output:\nline 0\n")
    assert text.endswith("line 199\n")
    assert replaced_result(*exchange("g", "grep", output), other_tools="keep") == output
    read = replaced_result(
        *exchange("r", "Read", CODE, file_path="/p/a.py"), other_tools="keep"
    )
    assert is_marked(read)


@pytest.mark.req("LH-41")
@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        (
            "bash",
            "make: *** No rule for target 'x'.\n" * 9 + "exit code 2",
            "bash failed: make: ***",
        ),
        (
            "Read",
            "<tool_use_error>No such file.</tool_use_error>" * 4,
            "Read on /p/a.py failed: No such",
        ),
    ],
)
def test_a_failure_is_reported_as_one(name: str, result: str, expected: str) -> None:
    answer = ToolResponse("f", name, result, result)
    history = (
        human("go"),
        ai("", call(name, "f", file_path="/p/a.py")),
        tool(answer),
        *END,
    )
    made = run(history)
    (line,) = [one for message in made.messages for one in tool_responses(message)]
    assert str(line.result).startswith(f"🔧 [Compressed] {expected}")
    assert line.error == line.result


@pytest.mark.req("LH-41")
def test_an_error_without_a_result_keeps_its_mark_and_loses_its_length() -> None:
    answer = ToolResponse("f", "bash", MISSING, "permission denied\n" * 90)
    result = run(
        (human("go"), ai("", call("bash", "f", command="x")), tool(answer), *END)
    )
    (line,) = [one for message in result.messages for one in tool_responses(message)]
    assert (line.result, line.error) == (
        MISSING,
        "🔧 [Compressed] bash failed: permission denied",
    )


@pytest.mark.req("LH-29")
@pytest.mark.parametrize(
    "result",
    ['{"file_path": "a.py", "content"' + "x" * 300, "[1, 2" * 99, {"odd": [1] * 99}],
)
def test_what_cannot_be_parsed_gets_the_general_line(result: object) -> None:
    assert (
        replaced_result(tool(ToolResponse("x", "mystery", result)))
        == "🔧 [Compressed] mystery: output left out, 1 line"
    )


@pytest.mark.req("LH-27")
def test_a_text_that_is_hardly_shorter_is_not_used() -> None:
    short = exchange("g", "grep", "a.py:1: found here, once, in this line")
    result = run((human("words " * 90), *short, *END))
    assert result_texts(result) == ["a.py:1: found here, once, in this line"]
    assert result.fates[2].last.rule == "not shorter"


@pytest.mark.req("LH-28", "LH-58")
def test_ids_names_and_parallel_results_stay() -> None:
    calls = ai("", call("grep", "a"), call("grep", "b"))
    both = tool(response("a", "grep", OUTPUT), response("b", "grep", "ok"))
    result = run((human("go"), calls, both, *END))
    answers = [one for message in result.messages for one in tool_responses(message)]
    assert [(one.call_id, one.name) for one in answers] == [
        ("a", "grep"),
        ("b", "grep"),
    ]
    assert [one.result for one in answers] == [
        "🔧 [Compressed] grep: output left out, 60 lines",
        "ok",
    ]
    assert result.messages[2].speaker is Speaker.TOOL
    assert result.fates[2].last.links == (1,)


@pytest.mark.req("LH-80")
def test_a_text_is_cut_between_characters() -> None:
    assert cut_text("grün", 3) == "💬 [Compressed/Truncated] gr…"
    assert cut_text("grün", 5) == "💬 [Compressed/Truncated] grün"


@pytest.mark.req("LH-23", "LH-29")
def test_the_envelope_of_a_result_without_a_call_names_its_path() -> None:
    extra = '{"status":"success","file_path":"a.py","content":"' + "x\\n" * 99 + '"}'
    assert "Read a.py (99 lines" in replaced_result(tool(ToolResponse("o", "", extra)))


@pytest.mark.req("LH-41")
def test_a_failure_in_an_envelope_keeps_type_and_message() -> None:
    failed = '"error_type":"not_found","error_message":"No such file: a.py"'
    refused = f'{{"success":false,"data":null,{failed}{" " * 400}}}'
    text = replaced_result(*exchange("r", "read_file", refused, path="a.py"))
    assert (
        text
        == "🔧 [Compressed] read_file on a.py failed: not_found: No such file: a.py"
    )
