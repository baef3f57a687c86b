"""Pi's sessions: lines and trees, roles, compactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.pi_files import HEAD, answer, call, chained, entry, result, session, user


def words(conversation: Conversation, scope: str = "all") -> list[str]:
    """The first text of every message of a scope, a result standing for its message."""
    found = []
    for message in history_of_scope(conversation, scope).messages:
        texts = [b.text for b in message.blocks if isinstance(b, Text)]
        found += texts or [str(b.result) for b in message.blocks if isinstance(b, ToolResponse)]
    return found


def test_blocks_of_an_exchange(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    shown = result("c", content=[{"type": "text", "text": "42"}, image], isError=True)
    conversation = load_conversation(
        session(tmp_path, user("q"), answer("I look.", "", "", thinking, call("c", path="a")), shown)
    )
    ai, tool = conversation.messages[1:]
    assert ai.blocks[1] == Thinking("hm", {"signature": "sig"})
    response, media = tool.blocks
    assert isinstance(response, ToolResponse)
    assert isinstance(media, Media)
    assert (response.call_id, response.name, response.result, response.error) == ("c", "read", "42", "42")
    assert (media.mime, media.data) == ("image/png", "QUJD")
    assert (conversation.cwd, conversation.session_id) == (HEAD["cwd"], "pi-1")
    assert (conversation.model, conversation.reported_context) == ("claude-sonnet-4-5", 127)


def test_every_role_says_what_the_model_is_told(tmp_path: Path) -> None:
    bash = {"role": "bashExecution", "command": "make", "output": "no", "exitCode": 2}
    rows = [
        {"role": "user", "content": "plain"},
        bash,
        bash | {"excludeFromContext": True},
        {"role": "custom", "content": "note"},
        {"role": "branchSummary", "summary": "went wrong"},
        {"role": "compactionSummary", "summary": "before"},
        {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "overloaded"},
        {"role": "oracle", "content": "??"},
        {"role": "user", "content": {"odd": 1}},
    ]
    entries = [entry("message", message=message) for message in rows]
    entries += [entry("custom_message", content="more"), entry("branch_summary", summary="again")]
    entries += [entry("custom", data=1), entry("label", label="x"), entry("session_info", name="Tides")]
    conversation = load_conversation(session(tmp_path, *entries))
    assert words(conversation) == [
        "plain",
        "Ran `make`\n```\nno\n```\n\nCommand exited with code 2",
        "note",
        "went wrong",
        "before",
        "??",
        "more",
        "again",
    ]
    flags = [message.flags for message in conversation.messages]
    assert flags[:6] == [
        MessageFlag.NONE,
        MessageFlag.COMMAND,
        MessageFlag.META,
        MessageFlag.META,
        MessageFlag.RECORDED_SUMMARY,
        MessageFlag.API_ERROR,
    ]
    assert conversation.messages[6].speaker is Speaker.UNKNOWN
    assert conversation.messages[7].blocks == (Opaque("content", {"odd": 1}),)
    assert conversation.title == "Tides"
    assert dict(conversation.report.skipped) == {
        "session": 1,
        "shown only": 1,
        "custom": 1,
        "label": 1,
        "session_info": 1,
    }
    assert ["oracle" in warning.text for warning in conversation.report.warnings] == [True, False]


FOUR = [user("one"), answer("two"), user("three"), answer("four")]


def test_a_compaction_of_a_tree_names_its_first_kept_entry(tmp_path: Path) -> None:
    folded = entry("compaction", summary="sum", firstKeptEntryId="e3", tokensBefore=150_000)
    conversation = load_conversation(session(tmp_path, *chained(*FOUR, folded, user("five"))))
    (compaction,) = conversation.recorded
    assert (compaction.kind, compaction.position, compaction.kept) == ("summary", 4, (2, 3))
    assert compaction.tokens_before == 150_000
    assert words(conversation) == ["one", "two", "three", "four", "five"]
    assert words(conversation, "current") == ["sum", "three", "four", "five"]
    assert words(conversation, "before:1") == ["one", "two", "three", "four"]


def forked(folder: Path) -> Path:
    """A session that went back to its second entry: the first way on was left."""
    trunk = chained(*FOUR)
    again = [user("better", "b1", "e2"), answer("good", "b2", "b1")]
    return session(folder, *trunk, *again, entry("label", "l1", "b2", targetId="e1", label="start"))


def test_the_newest_entry_ends_the_session_and_other_ends_are_branches(tmp_path: Path) -> None:
    conversation = load_conversation(forked(tmp_path))
    assert words(conversation) == ["one", "two", "better", "good"]
    assert dict(conversation.report.skipped)["message of another branch"] == 2
    main, left = conversation.branches
    assert (main.number, main.title, main.messages, main.line) == (1, "better", 4, 6)
    assert (left.number, left.title, left.messages, left.line) == (2, "three", 4, 4)
    other = load_conversation(forked(tmp_path), branch=2)
    assert (words(other), other.branch) == (["one", "two", "three", "four"], 2)
    with pytest.raises(InputError, match="2 branches, not 5"):
        load_conversation(forked(tmp_path), branch=5)


def test_parents_that_are_lost_or_lead_in_circles_lose_no_message(tmp_path: Path) -> None:
    entries = [
        user("one", "a", "z"),
        user("two", "b", "nobody"),
        user("three", "c", "c"),
        user("four", "a", "c"),
    ]
    conversation = load_conversation(session(tmp_path, *entries))
    assert words(conversation) == ["one", "two", "three", "four"]
    assert [note.line for note in conversation.report.repaired] == [3, 4]
    assert [note.line for note in conversation.report.warnings] == [5]
