"""Logs whose rows are copies, of a sub-agent, or call and result in one."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    MessageFlag,
    joined_text,
    tool_calls,
    tool_responses,
)
from tests.core.formats.small_files import saved


def texts(conversation: Conversation) -> list[str]:
    return [text for message in conversation.messages if (text := joined_text(message))]


def row(content: str, role: str = "user", /, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


OLD: dict[str, Any] = {"active": 0, "compacted": 1}
SUMMARY = "[CONTEXT COMPACTION] so far"


def hermes(folder: Path, *rows: dict[str, Any]) -> Conversation:
    session = {"session_id": "s1", "session_start": 1, "messages": [*rows]}
    return load_conversation(saved(folder, session))


def test_rows_that_a_compaction_of_hermes_copied_count_once(tmp_path: Path) -> None:
    old = (
        row("Build it.", **OLD),
        row("Built.", "assistant", **OLD),
        row("Fix it.", **OLD),
    )
    new = (row("Build it."), row(SUMMARY), row("Fix it."), row("Fixed.", "assistant"))
    loaded = hermes(tmp_path, *old, *new)
    assert texts(loaded) == ["Build it.", "Built.", "Fix it.", "Fixed."]
    assert (loaded.recorded[0].boundary, loaded.recorded[0].kept) == (3, (0, 2))
    assert dict(loaded.report.skipped) == {"copy that a compaction made": 2}


def test_the_same_words_said_again_later_are_no_copy(tmp_path: Path) -> None:
    old = (row("Go on.", **OLD), row("Done.", "assistant", **OLD))
    new = (row(SUMMARY), row("And?"), row("No.", "assistant"), row("Go on."))
    assert texts(hermes(tmp_path, *old, *new))[-1] == "Go on."


def test_copies_of_copies_count_once(tmp_path: Path) -> None:
    first = (row("Build it.", **OLD), row("Fix it.", **OLD), row(SUMMARY, **OLD))
    second = (row("Fix it.", **OLD), row("Fixed.", "assistant", **OLD), row(SUMMARY))
    loaded = hermes(
        tmp_path, *first, *second, row("Fixed.", "assistant"), row("Thanks.")
    )
    assert texts(loaded) == ["Build it.", "Fix it.", "Fixed.", "Thanks."]
    assert [one.kept for one in loaded.recorded] == [(1,), (2,)]


def tool(number: int, **fields: Any) -> dict[str, Any]:
    own = {
        "toolName": "Bash",
        "toolUseId": f"t{number}",
        "toolInput": {"command": "ls"},
    }
    return {
        "id": f"m{number}",
        "type": "tool",
        "content": "Running",
        "timestamp": 2,
        **own,
        **fields,
    }


HEADER = {
    "id": "s",
    "workspaceRootPath": "~/w",
    "sdkSessionId": "x",
    "name": "Tides",
    "model": "m",
}
ASKED = {"id": "m0", "type": "user", "timestamp": 1, "content": "Which tides?"}
SAID = {"id": "m9", "type": "assistant", "timestamp": 3, "content": "There are 42."}


def test_a_tool_row_of_craft_agents_is_call_and_result(tmp_path: Path) -> None:
    rows = (
        HEADER,
        ASKED,
        tool(1, toolResult="42"),
        tool(2, toolResult="no", isError=True),
        SAID,
    )
    loaded = load_conversation(saved(tmp_path, rows))
    assert loaded.format == "craft_agents"
    assert texts(loaded) == ["Which tides?", "There are 42."]
    calls = [call.id for message in loaded.messages for call in tool_calls(message)]
    results = [one for message in loaded.messages for one in tool_responses(message)]
    assert calls == [one.call_id for one in results] == ["t1", "t2"]
    assert [one.result for one in results] == ["42", "no"]
    assert results[1].error == "no"


def test_a_tool_that_still_runs_has_no_result(tmp_path: Path) -> None:
    loaded = load_conversation(
        saved(tmp_path, (HEADER, ASKED, tool(1, toolStatus="executing")))
    )
    assert not [one for message in loaded.messages for one in tool_responses(message)]


def test_type_and_content_alone_are_not_langchain(tmp_path: Path) -> None:
    rows = (
        {"type": "tool", "content": "42"},
        {"type": "system", "content": "Be exact."},
    )
    with pytest.raises(
        InputError, match="not a transcript in a format that Foldline knows"
    ):
        load_conversation(saved(tmp_path, rows))


def sdk(kind: str, content: Any, parent: str | None = None) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    return {"type": kind, "parent_tool_use_id": parent, "message": message}


def used(id_: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id_, "name": "Agent", "input": {}}]


def answered(id_: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id_, "content": "Monday"}]


STREAM = [
    *(
        sdk("user", "Ask a helper."),
        sdk("assistant", used("main")),
        sdk("user", "Run it.", "main"),
    ),
    *(sdk("assistant", used("sub"), "main"), sdk("user", answered("sub"), "main")),
    *(
        sdk("user", answered("main")),
        sdk("assistant", [{"type": "text", "text": "Monday."}]),
    ),
]


@pytest.mark.parametrize("as_lines", [False, True], ids=["array", "lines"])
def test_rows_below_a_call_are_a_sub_agent(as_lines: bool, tmp_path: Path) -> None:
    path = saved(tmp_path, tuple(STREAM) if as_lines else STREAM)
    loaded, sub_agent = load_conversation(path), load_conversation(path, conversation=2)
    assert loaded.format == "agent_sdk"
    assert texts(loaded) == ["Ask a helper.", "Monday."]
    assert texts(sub_agent) == ["Run it."]
    assert [(one.kind, one.call_id) for one in loaded.listed] == [
        ("", ""),
        ("sub-agent", "main"),
    ]


def test_results_in_rows_of_their_own_are_of_the_stream(tmp_path: Path) -> None:
    about = {"session_id": "s", "timestamp": "2026-01-01T00:00:00Z"}
    asked = sdk("user", "Ask a helper.") | about
    result = {"type": "tool_result", "tool_use_id": "main", "content": "Monday"} | about
    loaded = load_conversation(
        saved(tmp_path, (asked, sdk("assistant", used("main")) | about, result))
    )
    assert loaded.format == "agent_sdk"
    assert [
        one.result for message in loaded.messages for one in tool_responses(message)
    ] == ["Monday"]


GOOSE = {"id": "1", "working_dir": "/repo", "extension_data": {}, "message_count": 18}


def test_a_session_of_goose_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no message"):
        load_conversation(saved(tmp_path, {**GOOSE, "conversation": []}))


def test_a_list_in_each_line_is_named(tmp_path: Path) -> None:
    lists = ([{"role": "user", "content": "hi"}], [{"role": "user", "content": "ho"}])
    with pytest.raises(InputError, match="has a list in each line"):
        load_conversation(saved(tmp_path, lists))


def test_a_zip_of_the_folder_of_opencode_is_named(tmp_path: Path) -> None:
    session = {"id": "ses_1", "projectID": "p", "directory": "/repo", "time": {}}
    message = {"id": "msg_1", "sessionID": "ses_1", "role": "user"}
    with ZipFile(tmp_path / "store.zip", "w") as archive:
        archive.writestr("storage/session/p/ses_1.json", json.dumps(session))
        archive.writestr("storage/message/ses_1/msg_1.json", json.dumps(message))
    with pytest.raises(InputError, match="opencode's storage folder"):
        load_conversation(tmp_path / "store.zip")


def step(number: int, source: str, message: str) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message}


def test_a_handoff_of_terminus_without_helpers_is_a_compaction(tmp_path: Path) -> None:
    handoff = "Performed context summarization and handoff to continue task."
    steps = [
        *(
            step(1, "user", "Fix it."),
            step(2, "agent", "I look."),
            step(3, "system", handoff),
        ),
        *(
            step(4, "user", "Here are the answers: it leaks."),
            step(5, "agent", "Done."),
        ),
    ]
    run = {
        "schema_version": "ATIF-v1.5",
        "agent": {"name": "terminus-2"},
        "steps": steps,
    }
    loaded = load_conversation(saved(tmp_path, run))
    (compaction,) = loaded.recorded
    answers = loaded.messages[compaction.boundary]
    assert (compaction.kept, joined_text(answers)) == (
        (0,),
        "Here are the answers: it leaks.",
    )
    assert answers.flags & MessageFlag.RECORDED_SUMMARY
