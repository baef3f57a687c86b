"""Claude Code sessions: merged lines, split rows, flags, branches, side chains, compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common import format
from core.formats.common.format import MessageObserver, ignore_messages
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    Message,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import CLEARED_RESULT, history_of_scope

Line = dict[str, Any]


def user(uuid: str, parent: str | None, content: Any = "go on", **fields: Any) -> Line:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def ai(uuid: str, parent: str | None, *blocks: Line, id: str = "", **fields: Any) -> Line:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 1}
    message = {"id": id or f"msg_{uuid}", "model": "m-1", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def boundary(uuid: str, **metadata: Any) -> Line:
    line = {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None}
    return {**line, "compactMetadata": {"trigger": "auto", **metadata}}


def summary(uuid: str, parent: str) -> Line:
    return user(uuid, parent, "what happened", isCompactSummary=True)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def use(id: str, **fields: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}, **fields}


def result(id: str, content: Any = "out", **fields: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def read(
    folder: Path,
    *lines: Line,
    conversation: int = 1,
    branch: int = 1,
    seen: MessageObserver = ignore_messages,
) -> Conversation:
    path = folder / "session.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return load_conversation(path, conversation=conversation, branch=branch, on_messages=seen)


def words(conversation: Conversation) -> list[str]:
    blocks = [block for message in conversation.messages for block in message.blocks]
    return [block.text for block in blocks if isinstance(block, Text)]


def test_lines_of_one_message_are_joined(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    call = use("t1", caller={"type": "direct"})
    lines = [ai("a", None, thought, id="m"), user("u", "a", [result("t1")]), ai("b", "u", call, id="m")]
    message, answer = read(tmp_path, *lines).messages
    arguments = {"command": "ls"}
    assert message.blocks == (
        Thinking("hm", {"signature": "s"}),
        ToolCall("t1", "Bash", arguments, {"caller": {"type": "direct"}}),
    )
    assert [source.line for source in message.sources] == [1, 3]
    assert answer.blocks == (ToolResponse("t1", "Bash", "out"),)


def test_results_and_text_are_two_messages(tmp_path: Path) -> None:
    line = user("u", None, [text("wait"), result("t1", is_error=True)])
    tool, human = read(tmp_path, line).messages
    assert (tool.speaker, human.speaker) == (Speaker.TOOL, Speaker.HUMAN)
    assert tool.blocks == (ToolResponse("t1", "", "out", "out"),)
    assert [message.sources[0].part for message in (tool, human)] == [0, 1]
    assert tool.sources[0].start == human.sources[0].start


@pytest.mark.parametrize(
    ("fields", "content", "flag"),
    [
        ({"isMeta": True}, "caveat", MessageFlag.META),
        ({}, "<command-name>/clear</command-name>", MessageFlag.COMMAND),
        ({}, [{"type": "text", "text": "<bash-stdout>x</bash-stdout>"}], MessageFlag.COMMAND),
        ({"isApiErrorMessage": True}, "overloaded", MessageFlag.API_ERROR),
        ({}, "go on", MessageFlag.NONE),
    ],
)
def test_flags(tmp_path: Path, fields: Line, content: Any, flag: MessageFlag) -> None:
    assert read(tmp_path, user("u", None, content, **fields)).messages[0].flags == flag


def test_facts_of_the_session(tmp_path: Path) -> None:
    synthetic = ai("b", "a", text("error"), isApiErrorMessage=True)
    synthetic["message"]["model"] = "<synthetic>"
    other = {"type": "mode", "mode": "plan"}
    lines = [ai("a", None, text("hi"), cwd="/repo", sessionId="s-1"), synthetic, other, other]
    conversation = read(tmp_path, *lines)
    assert (conversation.model, conversation.reported_context) == ("m-1", 76)
    assert (conversation.cwd, conversation.session_id) == ("/repo", "s-1")
    assert conversation.report.skipped == (("mode", 2),)


def test_each_message_is_handed_on_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format, "_INTERVAL", 0.0)
    asked, more = ai("a", "u", text("look"), use("t1"), id="m"), ai("c", "b", text("and on"), id="m")
    lines = [user("u", None), asked, user("b", "a", [result("t1")]), more, user("d", "c"), user("e", "d")]
    handed: list[Message] = []
    conversation = read(tmp_path, *lines, seen=handed.extend)
    assert [one.sources[0] for one in handed] == [one.sources[0] for one in conversation.messages]
    same = [one is other for one, other in zip(handed, conversation.messages, strict=True)]
    assert same == [True, False, True, True, True]  # the second got a line more


HOOK = {"type": "progress", "uuid": "p", "parentUuid": "old"}
FORKED = [
    *(ai("a", None, text("hi")), user("old", "a", "old"), HOOK, ai("b", "p", text("to old"))),
    *(user("new", "a", "new"), ai("c", "new", text("to new")), user("d", "c", "more")),
]


def test_only_the_older_of_two_prompts_leaves(tmp_path: Path) -> None:
    conversation = read(tmp_path, *FORKED)
    assert words(conversation) == ["hi", "new", "to new", "more"]
    assert ("other branch", 2) in conversation.report.skipped
    assert conversation.branches == (ConversationBranch(1, "new", 4, 5), ConversationBranch(2, "old", 3, 2))


def test_a_branch_is_the_session_as_it_was_on_the_way_of_the_older_prompt(tmp_path: Path) -> None:
    conversation = read(tmp_path, *FORKED, branch=2)
    assert words(conversation) == ["hi", "old", "to old"]
    assert (conversation.branch, len(conversation.branches)) == (2, 2)
    with pytest.raises(InputError, match="has 2 branches, not 3"):
        read(tmp_path, *FORKED, branch=3)
    with pytest.raises(InputError, match="has 1 branch, not"):
        read(tmp_path, *FORKED[:3], branch=2)


def test_every_branch_has_as_many_messages_as_it_says(tmp_path: Path) -> None:
    inner = [user("o2", "b", "older inside"), ai("e", "o2", text("x")), user("o3", "b", "newer inside")]
    lines = [*FORKED[:4], *inner, ai("f", "o3", text("y")), *FORKED[4:], user("g", "d", "z"), user("h", "d")]
    for branch in read(tmp_path, *lines).branches:
        assert len(read(tmp_path, *lines, branch=branch.number).messages) == branch.messages
    assert words(read(tmp_path, *lines, branch=3)) == ["hi", "old", "to old", "older inside", "x"]


def test_a_compaction_stays_on_the_way_that_it_follows(tmp_path: Path) -> None:
    """A boundary has no parent; the line before it is its logical one."""
    fold = [{**boundary("k"), "logicalParentUuid": "b"}, summary("s", "k"), user("v", "s", "after it")]
    lines = [*FORKED[:4], *fold, *FORKED[4:]]
    assert read(tmp_path, *lines).recorded == ()
    assert words(read(tmp_path, *lines)) == ["hi", "new", "to new", "more"]
    other = read(tmp_path, *lines, branch=2)
    assert words(other) == ["hi", "old", "to old", "after it"]
    assert [one.position for one in other.recorded] == [3]


@pytest.mark.parametrize(
    "second",
    [
        user("x", "a", [result("t1")]),
        user("x", "a", "<command-name>/model</command-name>"),
        user("x", "a", "note", isMeta=True),
        user("x", "missing", "other"),
        user("x", None, "other root"),
    ],
)
def test_other_forks_cut_nothing(tmp_path: Path, second: Line) -> None:
    lines = [ai("a", None, use("t1")), user("u", "a", "prompt"), second, ai("b", "x", text("end"))]
    assert len(read(tmp_path, *lines).messages) == 4


def test_side_chains_are_conversations_of_their_own(tmp_path: Path) -> None:
    side: Line = {"isSidechain": True}
    lines = [
        *(user("u", None, "main"), user("s1", None, "side one", **side)),
        *(ai("s2", "s1", text("done"), **side), user("s3", None, "side two", agentId="x", **side)),
    ]
    assert words(read(tmp_path, *lines)) == ["main"]
    second = read(tmp_path, *lines, conversation=2)
    assert words(second) == ["side one", "done"]
    assert (second.number, second.siblings) == (2, 3)
    assert words(read(tmp_path, *lines[1:])) == ["side one", "done"]
    with pytest.raises(InputError, match="holds 3 conversations, not 4"):
        read(tmp_path, *lines, conversation=4)


@pytest.mark.parametrize("turned", [False, True])
def test_a_recorded_compaction(tmp_path: Path, turned: bool) -> None:
    rows = [boundary("b", preTokens=900, postTokens=80), summary("s", "b")]
    lines = [user("u", None), *(reversed(rows) if turned else rows), user("v", "s")]
    conversation = read(tmp_path, *lines)
    (recorded,) = conversation.recorded
    assert (recorded.position, recorded.trigger) == (1, "auto")
    assert (recorded.tokens_before, recorded.tokens_after) == (900, 80)
    assert recorded.summary[0].flags == MessageFlag.RECORDED_SUMMARY
    assert len(conversation.messages) == 2


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedMessages": {"anchorUuid": "s", "uuids": ["v", "w"]}},
        {"preservedSegment": {"headUuid": "v", "anchorUuid": "s", "tailUuid": "w"}},
    ],
)
def test_preserved_messages(tmp_path: Path, metadata: Line) -> None:
    lines = [
        user("u", None),
        user("v", "u", [result("t"), text("and")]),
        ai("w", "v"),
        boundary("b", **metadata),
    ]
    assert read(tmp_path, *lines, summary("s", "b")).recorded[0].kept == (1, 2, 3)


def test_a_kept_message_that_hangs_on_the_summary_is_no_cycle(tmp_path: Path) -> None:
    segment = {"headUuid": "v", "anchorUuid": "s", "tailUuid": "v"}
    mark = {**boundary("b", preservedSegment=segment), "logicalParentUuid": "v"}
    lines = [user("u", None), mark, summary("s", "b"), ai("v", "s", text("kept")), user("w", "v")]
    conversation = read(tmp_path, *lines)
    assert conversation.report.warnings == ()
    assert history_of_scope(conversation, "current").positions == (-1, 1, 2)
    assert history_of_scope(conversation, "before:1").positions == (0, 1)  # written behind it, said before it
    turned = read(tmp_path, user("u", "v"), ai("v", "u", text("one")))
    assert ["form a cycle" in note.text for note in turned.report.warnings] == [True]


@pytest.mark.parametrize(("anchor", "positions"), [("s", (-1, 1, 2)), ("b", (1, -1, 2))])
def test_what_was_kept_stands_where_its_anchor_says(
    tmp_path: Path, anchor: str, positions: tuple[int, ...]
) -> None:
    segment = {"headUuid": "v", "anchorUuid": anchor, "tailUuid": "v"}
    lines = [user("u", None), ai("v", "u", text("kept")), boundary("b", preservedSegment=segment)]
    conversation = read(tmp_path, *lines, summary("s", "b"), user("w", "s"))
    assert history_of_scope(conversation, "current").positions == positions


def test_a_microcompaction(tmp_path: Path) -> None:
    line: Line = {"type": "system", "subtype": "microcompact_boundary", "uuid": "b", "parentUuid": "v"}
    line["microcompactMetadata"] = {
        **{"trigger": "auto", "preTokens": 50, "tokensSaved": 20},
        **{"compactedToolIds": ["t1"], "clearedAttachmentUUIDs": []},
    }
    lines = [ai("u", None, use("t1")), user("v", "u", [result("t1", "long")]), line]
    conversation = read(tmp_path, *lines)
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.tokens_before, recorded.tokens_after) == ("microcompact", 50, 30)
    assert recorded.cleared == ("t1",)
    seen = history_of_scope(conversation, "current").messages[1].blocks[0]
    assert isinstance(seen, ToolResponse)
    assert seen.result == CLEARED_RESULT


def test_real_compactions(corpus: Path) -> None:
    (recorded,) = load_conversation(corpus / "claude_code" / "36_entire-cli.jsonl").recorded
    assert (recorded.trigger, recorded.tokens_before) == ("auto", 167174)
    assert recorded.source
    assert recorded.source.line == 576
