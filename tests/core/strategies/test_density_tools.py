"""The tools of popular agents: which calls supersede a read, and which must not."""

import json

import pytest

from core.common.json_value import Json
from core.transcript.model import Message, ToolCall
from core.transcript.tool_pairs import is_failed_result
from tests.core.strategies.test_density_passes import pruned
from tests.support.builders import ai, human, response, tool

PATCH = "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch"
HERE = "cat > a.py <<'EOF'\nx\nEOF"
PATCHED, RUN = ("apply_patch", PATCH), {"command": HERE}
VIEW = {"command": "view", "path": "/repo/a.py"}
ANTHROPIC, GEMINI, GOOSE = (
    "str_replace_based_edit_tool",
    "run_shell_command",
    "developer__text_editor",
)


def did(
    id: str, name: str, arguments: Json, result: Json = "ok"
) -> tuple[Message, Message]:
    return ai("", ToolCall(id, name, arguments)), tool(response(id, name, result))


AGENTS = [
    ("Codex", ("shell", {"command": ["bash", "-lc", "cat a.py"]}), PATCHED),
    (
        "Codex exec",
        ("exec_command", {"cmd": "sed -n '1,200p' a.py", "workdir": "/repo"}),
        PATCHED,
    ),
    (
        "Codex shell patch",
        ("shell", {"command": ["cat", "a.py"], "workdir": "/repo"}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
    ),
    (
        "Codex local shell",
        ("local_shell", {"command": ["cat", "a.py"], "working_directory": "/repo"}),
        ("exec_command", {"cmd": HERE}),
    ),
    (
        "Gemini",
        ("read_file", {"absolute_path": "/repo/a.py"}),
        ("write_file", {"file_path": "/repo/a.py"}),
    ),
    (
        "Gemini shell",
        (GEMINI, {"command": "cat a.py", "directory": "."}),
        (GEMINI, RUN),
    ),
    (
        "opencode",
        ("read", {"filePath": "/repo/a.py"}),
        ("write", {"filePath": "/repo/a.py", "content": "x"}),
    ),
    ("opencode patch", ("read", {"filePath": "a.py"}), ("patch", {"patchText": PATCH})),
    (
        "Pi",
        ("read", {"path": "a.py", "offset": 1, "limit": 9}),
        ("write", {"path": "a.py", "content": "x"}),
    ),
    (
        "Cline",
        ("read_file", {"path": "a.py"}),
        ("write_to_file", {"path": "a.py", "content": "x"}),
    ),
    (
        "Cline SDK",
        ("read_files", {"files": [{"path": "/repo/a.py"}]}),
        ("write_to_file", {"path": "a.py"}),
    ),
    (
        "Roo",
        ("read_file", {"args": "<file><path>a.py</path></file>"}),
        ("write_to_file", {"path": "a.py"}),
    ),
    (
        "SWE-agent",
        ("open", {"path": "a.py", "line_number": 3}),
        ("create", {"filename": "a.py"}),
    ),
    ("OpenHands", ("file_editor", VIEW), ("execute_bash", RUN)),
    ("OpenHands shell", ("terminal", {"command": "cat a.py"}), ("terminal", RUN)),
    (
        "goose",
        (GOOSE, VIEW),
        (GOOSE, {"command": "write", "path": "/repo/a.py", "file_text": "x"}),
    ),
    (
        "Roo's messages",
        ("readFile", {"path": "a.py"}),
        ("newFileCreated", {"path": "a.py"}),
    ),
    (
        "MCP",
        ("read_multiple_files", {"paths": ["a.py"]}),
        ("write_file", {"path": "a.py"}),
    ),
    (
        "Copilot CLI",
        ("view", {"path": "/repo/a.py"}),
        ("create", {"path": "/repo/a.py", "file_text": "x"}),
    ),
    (
        "VS Code",
        ("read_file", {"filePath": "/repo/a.py"}),
        ("create_file", {"filePath": "/repo/a.py"}),
    ),
    ("Claude Code", ("Read", {"file_path": "a.py"}), ("Write", {"file_path": "a.py"})),
    ("Claude Code shell", ("Bash", {"command": "cat a.py"}), ("Bash", RUN)),
    (
        "Anthropic",
        (ANTHROPIC, VIEW),
        (ANTHROPIC, {"command": "create", "path": "a.py"}),
    ),
]


@pytest.mark.parametrize(
    ("agent", "read", "write"), AGENTS, ids=[agent for agent, _, _ in AGENTS]
)
def test_a_whole_write_supersedes_a_read(
    agent: str, read: tuple[str, Json], write: tuple[str, Json]
) -> None:  # fix RW-03
    messages = (*did("r", *read), *did("w", *write))
    assert sorted(pruned(*messages).removals) == [0, 1]
    assert pruned(*did("w", *write), *did("r", *read)).is_empty


@pytest.mark.parametrize(
    ("edit", "old"),
    [
        (("edit", {"path": "a.py", "oldText": "def f():\n    pass"}), True),
        (("edit", {"filePath": "a.py", "oldString": "def f():\n    pass"}), True),
        (("edit", {"path": "a.py", "old_str": "def f():\n    pass"}), True),
        (("editor", {"path": "a.py", "old_text": "def f():\n    pass"}), True),
        (("replace", {"file_path": "a.py", "old_string": "def f():\n    pass"}), True),
        (("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH"}), False),
        (("apply_diff", {"path": "a.py", "diff": "<<<<<<< SEARCH"}), False),
        (("insert_content", {"path": "a.py", "line": 1, "content": "x"}), False),
        (("bash", {"command": "sed -i 's/f/g/' a.py"}), False),
        (("edit", {"search": "def f():\n    pass", "replace": "x"}), False),
    ],
)
def test_an_edit_supersedes_only_what_it_is_known_to_replace(
    edit: tuple[str, Json], old: bool
) -> None:
    part = did(
        "r", "read", {"path": "a.py", "offset": 3, "limit": 2}, "def f():\n    pass"
    )
    assert pruned(*part, *did("e", *edit)).is_empty is not old


@pytest.mark.parametrize(
    "result",
    [
        json.dumps(
            {"output": "no", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}
        ),
        {"error": "no space"},
        {"success": False},
        {"exit_code": 2},
        '{"error": "no space"}',
        "Error: x",
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno",
        "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno",
        {"error": "File not found"},
        "Command: cat\nOutput: no\nExit Code: 1\nSignal: (none)",
        "no\n<shellId: 3 completed with exit code 1>",
        "\n[The command completed with exit code 1.]",
        "<returncode>1</returncode>\n<output>\n</output>",
        [{"type": "text", "text": "no\n\nCommand exited with code 1"}],
    ],
)
def test_a_failure_as_the_agents_tell_it_supersedes_nothing(result: Json) -> None:
    assert is_failed_result(response("w", "bash", result))
    read = did("r", "bash", {"command": "cat a.py"})
    assert pruned(*read, *did("w", "bash", {"command": HERE}, result)).is_empty


INCLUDED = '<file_content path="a.py">\n{}\n</file_content>'


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (INCLUDED, INCLUDED),
        ('<final_file_content path="a.py">\n{}\n</final_file_content>', INCLUDED),
        *(
            (form, form)
            for form in (
                "Content from @a:\n{}\n--- End of content ---",
                '<file name="/repo/a.py">\n{}\n</file>',
                (
                    "<files>\n<file><path>a.py</path>\n<content "
                    'lines="1-9">\n{}\n</content>\n</file>\n</files>'
                ),
                "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\n{}\n</INSTRUCTIONS>",
            )
        ),
    ],
)
def test_the_older_inclusion_goes(older: str, newer: str) -> None:  # fix FD-01
    said = (
        human(f"see this file\n{older.format('old')}\nand that"),
        ai("yes"),
        human(newer.format("new")),
    )
    result = pruned(*said)
    assert result.counters.file_deduplications_pruned == 1
    left = result.replacements[0].blocks[0]
    assert "old" not in getattr(left, "text", "old")
    assert 2 not in result.replacements
