"""What is a compaction of the agent: summaries of APIs and libraries, no event that removed nothing,
no file of a sub-agent."""

import json
from pathlib import Path
from typing import Any

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.summarize.earlier_summary import read_snapshot
from core.transcript.model import MessageFlag, Speaker, joined_text
from core.transcript.scopes import history_of_scope
from tests.core.formats.exporting import edited_export, with_text
from tests.core.formats.session_lines import Line, claude_line, read_lines, said
from tests.core.formats.small_files import saved


def copilot_event(kind: str, number: int, **data: Any) -> Line:
    return {
        "type": kind,
        "id": f"e{number}",
        "timestamp": "2026-01-01T00:00:00Z",
        "data": data,
    }


def truncated(removed: int) -> list[Line]:
    return [
        copilot_event(
            "session.start", 1, sessionId="s", version=1, producer="copilot-agent"
        ),
        copilot_event("user.message", 2, content="Read it"),
        copilot_event("assistant.message", 3, content="Read.", toolRequests=[]),
        copilot_event(
            "session.truncation",
            4,
            messagesRemovedDuringTruncation=removed,
            tokensRemovedDuringTruncation=removed * 10,
        ),
        copilot_event("user.message", 5, content="And now?"),
    ]


def test_a_truncation_that_removed_nothing_is_no_compaction(tmp_path: Path) -> None:
    assert read_lines(tmp_path, truncated(0)).recorded == ()
    assert len(read_lines(tmp_path, truncated(1)).recorded) == 1


def kimi_context(*words: str) -> str:
    rows: list[Line] = [{"role": "_checkpoint", "id": 0}]
    rows += [
        {"role": ("user", "assistant")[n % 2], "content": one}
        for n, one in enumerate(words)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_contexts_of_sub_agents_are_listed_as_conversations(tmp_path: Path) -> None:
    call = {
        "id": "t1",
        "function": {"name": "Task", "arguments": '{"prompt": "Count the plums"}'},
    }
    asked = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"type": "function", **call}],
    }
    main = tmp_path / "context.jsonl"
    main.write_text(f"{kimi_context('Have a helper count')}{json.dumps(asked)}\n")
    for number in (10, 2):
        tmp_path.joinpath(f"context_sub_{number}.jsonl").write_text(
            kimi_context("Count the plums" if number == 2 else "Eat", f"{number}")
        )
    conversation = load_conversation(main)
    assert conversation.report.warnings == ()
    listed = [(one.title, one.kind, one.call_id) for one in conversation.listed[1:]]
    assert listed == [("Count the plums", "sub-agent", "t1"), ("Eat", "sub-agent", "")]
    assert len(load_conversation(main, conversation=3).messages) == 2


def test_an_earlier_context_is_named_and_is_no_conversation(tmp_path: Path) -> None:
    main = tmp_path / "context.jsonl"
    main.write_text(kimi_context("Go on"))
    tmp_path.joinpath("context_1.jsonl").write_text(kimi_context("Begin"))
    conversation = load_conversation(main)
    assert conversation.listed == ()
    assert "context_1.jsonl" in conversation.report.warnings[0].text


PORT = "The gateway listens on port 8443; the file src/gate.py holds it."


def compacted_request() -> dict[str, Any]:
    block = {"type": "compaction", "content": f"<summary>{PORT}</summary>"}
    answer = [block, {"type": "text", "text": "Step 5 next."}]
    return {
        "model": "claude-opus-4-8",
        "messages": [
            {"role": "user", "content": "Do the migration."},
            {"role": "assistant", "content": answer},
            {"role": "user", "content": "Go on."},
        ],
    }


def test_a_readable_compaction_block_is_an_earlier_summary(tmp_path: Path) -> None:
    conversation = load_conversation(saved(tmp_path, compacted_request()))
    assert [(one.kind, one.boundary, one.kept) for one in conversation.recorded] == [
        ("summary", 1, ())
    ]
    summary, answer = conversation.messages[1:3]
    assert summary.flags & MessageFlag.RECORDED_SUMMARY
    assert (joined_text(answer), answer.flags, answer.speaker) == (
        "Step 5 next.",
        0,
        Speaker.AI,
    )
    found = read_snapshot(history_of_scope(conversation, "current").messages)
    assert "8443" in str(found)


def test_a_compaction_block_is_written_as_it_was(tmp_path: Path) -> None:
    value = compacted_request()
    conversation = load_conversation(saved(tmp_path, value))
    edits = {3: with_text(conversation.messages[3], 0, "Go on now.")}
    written = export_history(
        edited_export(conversation, edits), "anthropic_messages"
    ).data
    last = {"role": "user", "content": "Go on now."}
    assert json.loads(written)["messages"] == [*value["messages"][:2], last]


def langchain_state(summary: str) -> dict[str, Any]:
    tagged = {"additional_kwargs": {"lc_source": "summarization"}}
    return {
        "messages": [
            {"type": "human", "content": summary, "id": "h1", **tagged},
            {"type": "ai", "content": "How can I help?", "id": "a1"},
            {"type": "human", "content": "Continue with clause 14.", "id": "h2"},
        ]
    }


def test_a_tagged_summary_of_langchain_is_a_compaction(tmp_path: Path) -> None:
    conversation = load_conversation(
        saved(tmp_path, langchain_state(f"Summary:\n\n{PORT}"))
    )
    assert [(one.kind, one.boundary) for one in conversation.recorded] == [
        ("summary", 0)
    ]
    assert said(conversation) == ["Continue with clause 14."]
    assert "8443" in str(read_snapshot(conversation.messages))
    assert conversation.report.warnings == ()


def test_an_error_in_place_of_a_summary_is_told(tmp_path: Path) -> None:
    error = "Summary:\n\nError generating summary: 429 Too Many Requests"
    conversation = load_conversation(saved(tmp_path, langchain_state(error)))
    assert "is an error of its model" in conversation.report.warnings[0].text


def test_clearing_an_empty_context_is_no_compaction(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    start, clear = (
        "# aider chat started at 2026-01-02 10:00:00",
        "> All chat history cleared.  ",
    )
    path.write_text(
        f"{start}\n\n{clear}\n\n#### rename it\n\nRenamed.\n\n{clear}\n\n{clear}\n"
    )
    assert [one.boundary for one in load_conversation(path).recorded] == [2]


def test_a_microcompaction_that_cleared_nothing_is_none(tmp_path: Path) -> None:
    def boundary(ids: list[str], saved: int) -> Line:
        metadata = {"preTokens": 90_000, "tokensSaved": saved, "compactedToolIds": ids}
        line = {
            "type": "system",
            "subtype": "microcompact_boundary",
            "parentUuid": "u1",
        }
        return {
            **line,
            "uuid": f"b{saved}",
            "sessionId": "s",
            "microcompactMetadata": metadata,
        }

    lines = [claude_line("u1", None, "Go on."), boundary([], 0), boundary(["c1"], 500)]
    conversation = read_lines(tmp_path, lines)
    assert [one.cleared for one in conversation.recorded] == [("c1",)]
