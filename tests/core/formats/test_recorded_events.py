"""An event that removed nothing is no compaction; files of sub-agents are no earlier contexts."""

import json
from pathlib import Path
from typing import Any

from core.formats.registry import load_conversation
from tests.core.formats.session_lines import Line, read_lines


def copilot_event(kind: str, number: int, **data: Any) -> Line:
    return {"type": kind, "id": f"e{number}", "timestamp": "2026-01-01T00:00:00Z", "data": data}


def truncated(removed: int) -> list[Line]:
    return [
        copilot_event("session.start", 1, sessionId="s", version=1, producer="copilot-agent"),
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
    rows += [{"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(words)]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_contexts_of_sub_agents_are_listed_as_conversations(tmp_path: Path) -> None:
    call = {"id": "t1", "function": {"name": "Task", "arguments": '{"prompt": "Count the plums"}'}}
    asked = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", **call}]}
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
