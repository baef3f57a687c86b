"""Gemini CLI's sessions and logs, and contents of the Gemini API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    MessageFlag,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.gemini_files import answer, called, log, repeated, session, user


def words(conversation: Conversation, scope: str = "all") -> list[str]:
    """The texts of a scope, a result standing for its message."""
    found = []
    for message in history_of_scope(conversation, scope).messages:
        for block in message.blocks:
            if isinstance(block, Text):
                found.append(block.text)
            elif isinstance(block, ToolResponse):
                found.append(f"-> {block.result}")
    return found


def test_calls_and_results_of_one_record_are_two_messages(tmp_path: Path) -> None:
    done = called("c1", path="tides.txt")
    thought = {"subject": "Reading", "description": "I look at the file.", "timestamp": "t"}
    ask, reply = (
        user("u1", "Which tides?"),
        answer("g1", "I look.", done, thoughts=[thought], tokens={"input": 900}),
    )
    conversation = load_conversation(session(tmp_path, ask, reply, repeated("u2", done), summary="Tides"))
    human, ai, tool = conversation.messages
    assert ai.blocks == (
        Thinking("Reading\nI look at the file.", {"$thought": thought}),
        Text("I look."),
        ToolCall(
            "c1", "read_file", {"path": "tides.txt"}, {"status": "success", "resultDisplay": "42 tides"}
        ),
    )
    assert tool.blocks == (ToolResponse("c1", "read_file", "42 tides", extra={"$response": "output"}),)
    assert [human.sources[0].part, ai.sources[0].part, tool.sources[0].part] == [0, 0, 1]
    assert (conversation.model, conversation.reported_context, conversation.title) == (
        "gemini-3-pro",
        900,
        "Tides",
    )
    assert dict(conversation.report.skipped) == {"tool results that are in their call's record already": 1}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("plain", ("plain", False)),
        ([{"text": "a"}, {"text": "b"}], ("a\nb", False)),
        ([{"functionResponse": {"id": "c", "name": "n", "response": {"error": "no"}}}], ("no", True)),
        (
            [{"functionResponse": {"name": "n", "response": {"rows": 3, "of": 4}}}],
            ({"rows": 3, "of": 4}, False),
        ),
    ],
)
def test_results_come_in_several_shapes(tmp_path: Path, result: Any, expected: Any) -> None:
    done = {"id": "c", "name": "n", "args": {}, "status": "success", "result": result}
    conversation = load_conversation(session(tmp_path, user("u", "?"), answer("g", "", done)))
    (response,) = tool_responses(conversation.messages[2])
    assert (response.call_id, response.result, response.error == response.result) == ("c", *expected)


def test_in_a_log_the_last_state_of_a_record_counts(tmp_path: Path) -> None:
    waiting, done = (
        answer("g", "", called("c", output=None)),
        answer("g", "", called("c"), tokens={"input": 5}),
    )
    path = log(tmp_path, user("u", "q"), waiting, {"$set": {"lastUpdated": "t"}}, done, user("u2", "thanks"))
    conversation = load_conversation(path)
    assert words(conversation) == ["q", "-> 42 tides", "thanks"]
    assert sum(1 for message in conversation.messages for _ in tool_calls(message)) == 1
    assert conversation.reported_context == 5
    assert dict(conversation.report.skipped) == {
        "session fields": 1,
        "$set": 1,
        "written again with the same id": 1,
    }
    source = conversation.messages[1].sources[0]
    assert (source.line, json.loads(read_source(conversation.document, source))) == (5, done)


SNAPSHOT = user("s", "<state_snapshot>The tides were read.</state_snapshot>")
LONG = [user("u1", "one"), answer("g1", "two"), user("u2", "three"), answer("g2", "four")]


def test_a_rewritten_history_with_a_snapshot_is_a_recorded_compaction(tmp_path: Path) -> None:
    ack = answer("k", "Got it.")
    tail = [{**record, "id": f"new-{record['id']}"} for record in LONG[2:]]  # the same words, other ids
    rewrite = {"$set": {"messages": [SNAPSHOT, ack, *tail]}}
    conversation = load_conversation(log(tmp_path, *LONG, rewrite, user("u3", "five")))
    assert words(conversation) == ["one", "two", "three", "four", "five"]
    assert words(conversation, "before:1") == ["one", "two", "three", "four"]
    snapshot = SNAPSHOT["content"][0]["text"]
    assert words(conversation, "current") == [snapshot, "Got it.", "three", "four", "five"]
    (compaction,) = conversation.recorded
    assert (compaction.kind, compaction.position, compaction.kept) == ("summary", 4, (2, 3))
    assert compaction.summary[0].flags == MessageFlag.RECORDED_SUMMARY
    assert compaction.context_after[0] is compaction.summary[0]
    assert json.loads(read_source(conversation.document, compaction.summary[0].sources[0])) == SNAPSHOT


def test_a_history_that_only_grew_is_no_compaction(tmp_path: Path) -> None:
    context = user("x", "<session_context>Today is Friday.</session_context>")
    conversation = load_conversation(
        log(
            tmp_path,
            {"$set": {"messages": [LONG[0]]}},
            {"$set": {"messages": [context, *LONG[:2]]}},
            {"$set": {"messages": [context, *LONG[:2]], "summary": "Counting"}},
            *LONG[2:],
        )
    )
    assert conversation.recorded == ()
    assert words(conversation)[1:] == ["one", "two", "three", "four"]
    assert conversation.messages[0].flags == MessageFlag.META
    assert conversation.title == "Counting"
    assert dict(conversation.report.skipped)["history written again, nothing gone"] == 3


def test_a_rewind_takes_back_and_leaves_a_branch(tmp_path: Path) -> None:
    path = log(tmp_path, *LONG, {"$rewindTo": "u2"}, user("u3", "better"), answer("g3", "good"))
    conversation = load_conversation(path)
    assert words(conversation) == ["one", "two", "better", "good"]
    assert dict(conversation.report.skipped)["taken back by a rewind"] == 2
    main, left = conversation.branches
    assert (main.number, main.title, main.messages) == (1, "better", 4)
    assert (left.number, left.title, left.messages, left.line) == (2, "three", 4, 6)
    other = load_conversation(path, branch=2)
    assert (words(other), other.branch, len(other.branches)) == (["one", "two", "three", "four"], 2, 2)
    with pytest.raises(InputError, match="2 branches, not 3"):
        load_conversation(path, branch=3)


def test_a_patch_that_brings_a_result_only_completes_its_record(tmp_path: Path) -> None:
    done = called("c")
    patch = {"$patch": {"id": "g", "toolCalls": [{"id": "c", "result": done["result"]}]}}
    path = log(
        tmp_path, user("u", "q"), answer("g", "", called("c", output=None)), patch, user("u2", "thanks")
    )
    conversation = load_conversation(path)
    assert words(conversation) == ["q", "-> 42 tides", "thanks"]
    assert (conversation.recorded, conversation.report.warnings) == ((), ())
    assert [source.line for source in conversation.messages[1].sources] == [3, 4]


def test_a_patch_of_what_was_said_is_a_recorded_compaction(tmp_path: Path) -> None:
    before = [user("u", "q"), answer("g", "", called("c", output="long " * 50)), *LONG]
    masked = called("c", output="<tool_output_masked>long</tool_output_masked>")
    updates = [
        {"id": "g", "toolCalls": [{"id": "c", "result": masked["result"]}]},
        {"id": "u1", "content": "1"},
    ]
    patch = {"$patch": {"updates": updates, "removeIds": ["g1", "gone"], "orderIds": ["g2", "u2", "gone"]}}
    conversation = load_conversation(log(tmp_path, *before, patch, user("u9", "and then?")))
    (compaction,) = conversation.recorded
    assert (compaction.kind, compaction.position) == ("replace", 7)
    assert words(conversation)[1].startswith("-> long long")
    assert words(conversation, "before:1")[2:] == ["one", "two", "three", "four"]
    left = ["q", "-> <tool_output_masked>long</tool_output_masked>", "1", "four", "three", "and then?"]
    assert words(conversation, "current") == left
    assert conversation.report.warnings == ()


def test_damage_in_a_log_is_told_and_survived(tmp_path: Path) -> None:
    path = log(
        tmp_path, user("u", "q"), 7, {"$set": 3}, {"$patch": {}}, {"type": "user"}, {"$set": {"messages": 1}}
    )
    path.write_text(path.read_text() + '{"id": "g", "type": "gem')
    conversation = load_conversation(path)
    assert words(conversation) == ["q"]
    warnings = " ".join(warning.text for warning in conversation.report.warnings)
    assert all(part in warnings for part in ("not an object", "$set", "$patch", "incomplete JSON"))
