"""Codex rollouts: answers as messages, events, the system part, recorded compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Text,
    Thinking,
    ToolCall,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.codex_lines import (
    SESSION,
    answer,
    call,
    compacted,
    compaction,
    developer,
    event,
    item,
    line,
    meta,
    output,
    tokens,
    user,
)
from tests.core.formats.exporting import corpus_files, load_written


def _speakers(conversation: Conversation) -> str:
    return " ".join(message.speaker.value for message in conversation.messages)


def _words(messages: tuple[Message, ...]) -> list[str]:
    texts = ([b.text for b in m.blocks if isinstance(b, Text)] for m in messages)
    return ["".join(found) for found in texts]


def test_an_answer_is_one_message_however_many_items_it_has(tmp_path: Path) -> None:
    found = load_written(tmp_path, *SESSION)
    assert (found.format, _speakers(found)) == ("codex_rollout", "human ai tool tool ai")
    first = found.messages[1]
    assert [type(block) for block in first.blocks] == [Thinking, Text, ToolCall, ToolCall]
    assert [source.line for source in first.sources] == [6, 8, 9, 10]
    assert (first.id, first.blocks[0]) == (
        "msg_1",
        Thinking("Look first.", {"id": "rs_1", "encrypted_content": "gAAA-rs_1", "$field": "summary"}),
    )
    assert [reply.name for m in found.messages for reply in tool_responses(m)] == ["exec_command"] * 2


def test_instructions_count_once_wherever_they_are_written(tmp_path: Path) -> None:
    context = {"model": "m", "user_instructions": "Use tabs.", "developer_instructions": "Be brief."}
    tools = {"tools": [{"name": "look", "inputSchema": {}}]}
    found = load_written(
        tmp_path,
        meta(instructions="Use tabs.", dynamic_tools=tools),
        line("turn_context", context),
        line("turn_context", {"model": "m2"}),
        item(user("<user_instructions>\n\nUse tabs.\n\n</user_instructions>")),
        item(user("Go.")),
    )
    assert found.system.texts == ("Be brief.",)
    assert found.system.tools == ({"name": "look", "inputSchema": {}},)
    assert found.model == "m2"
    assert [m.flags for m in found.messages] == [MessageFlag.META, MessageFlag.NONE]


def test_an_excerpt_without_a_first_line_and_types_is_read(tmp_path: Path) -> None:
    found = load_written(
        tmp_path,
        item({"role": "user", "content": [{"type": "input_text", "text": "hi"}]}),
        item({"role": "assistant", "content": "hello"}),
        {"timestamp": "t", "type": "something_new", "payload": {"a": 1}},
    )
    assert (_speakers(found), _words(found.messages)) == ("human ai", ["hi", "hello"])
    assert found.report.skipped == (("something_new", 1),)


def test_old_rollouts_of_bare_items_with_windows_line_ends(tmp_path: Path) -> None:
    values = [
        {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": "Be kind.", "git": None},
        {"record_type": "state"},
        user("hi"),
        {"record_type": "state"},
        call("c1"),
        output("c1"),
        answer("done"),
    ]
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join(json.dumps(value).encode() + b"\r\n" for value in values))
    found = load_conversation(path)
    assert (found.format, _speakers(found)) == ("codex_rollout", "human ai tool ai")
    assert (found.session_id, found.system.texts) == ("old-1", ("Be kind.",))
    assert found.report.skipped == (("record_type: state", 2), ("session header", 1))


def test_a_rollout_holds_one_conversation(tmp_path: Path) -> None:
    path = Path(load_written(tmp_path, *SESSION).document.path or "")
    with pytest.raises(InputError, match="1 conversation"):
        load_conversation(path, conversation=2)


FOLDED = (
    meta(),
    item(developer("Rules.")),
    item(user("one")),
    item(answer("yes")),
    item(user("two")),
    item(call("c1")),
    item(output("c1")),
    tokens(1_900, 2_000),
    compacted(developer("Rules."), user("one"), user("two", extra=1), user("new"), compaction()),
    tokens(0, 300),
    event("context_compacted"),
    item(answer("on")),
    tokens(320, 330),
)


def test_an_opaque_compaction_names_what_stayed_and_counts_nothing_twice(tmp_path: Path) -> None:
    found = load_written(tmp_path, *FOLDED)
    assert len(found.messages) == 6
    (one,) = found.recorded
    assert (one.kind, one.position, one.tokens_before, one.tokens_after) == ("opaque", 5, 2_000, 300)
    assert one.context_after[:2] == (0, 2)
    assert (one.kept, len(one.summary), len(one.context_after)) == ((0, 2), 1, 4)
    assert one.summary[0].flags == MessageFlag.RECORDED_SUMMARY | MessageFlag.OPAQUE
    assert [source.part for m in one.context_after if isinstance(m, Message) for source in m.sources] == [
        3,
        4,
    ]
    current = history_of_scope(found, "current")
    assert _words(current.messages) == ["one", "two", "new", "", "on"]
    assert current.positions == (0, 2, -1, -1, 5)
    assert _words(history_of_scope(found, "before:1").messages) == ["one", "yes", "two", "", ""]


def test_the_newest_of_equal_messages_stayed(tmp_path: Path) -> None:
    found = load_written(
        tmp_path, meta(), *(item(user("go on")) for _ in range(3)), compacted(user("go on"), user("go on"))
    )
    assert (found.recorded[0].context_after, found.recorded[0].kind) == ((1, 2), "replace")


def test_a_summary_in_words(tmp_path: Path) -> None:
    summary = user("So far:\nall is well")
    found = load_written(
        tmp_path, meta(), item(user("one")), compacted(user("one"), summary, message="all is well")
    )
    (one,) = found.recorded
    assert (one.kind, _words(one.summary)) == ("summary", ["So far:\nall is well"])
    assert (one.tokens_before, one.tokens_after) == (None, None)


def test_older_lines_hold_a_text_only(tmp_path: Path) -> None:
    older = line("compacted", {"message": "all is well"})
    found = load_written(tmp_path, meta(), item(user("one")), item(answer("yes")), item(user("two")), older)
    (one,) = found.recorded
    assert (one.kind, one.kept, _words(one.summary)) == ("summary", (0, 2), ["all is well"])
    assert _words(history_of_scope(found, "current").messages) == ["one", "two", "all is well"]


def test_references_are_found_by_id(tmp_path: Path) -> None:
    entries = [
        {"type": "reference", "item_id": "u1"},
        {"type": "reference_v2", "item_id": "gone", "source_digest": "x"},
        {"type": "inline", "item": compaction(), "metadata": {}},
    ]
    fold = line("compacted", {"message": "", "replacement_history_entries": entries})
    found = load_written(tmp_path, meta(), item(user("one", id="u1")), item(answer("yes")), fold)
    (one,) = found.recorded
    assert (one.kind, one.context_after[0], len(one.context_after)) == ("opaque", 0, 2)
    assert "not in the file" in found.report.warnings[0].text


def test_an_item_and_the_line_after_it_are_one_compaction(tmp_path: Path) -> None:
    found = load_written(
        tmp_path, meta(), item(user("one")), item(answer("yes")), item(compaction()),
        compacted(user("one"), compaction()), item(answer("on")),
    )  # fmt: skip
    assert [one.context_after for one in found.recorded] == [(0, 2)]
    alone = load_written(tmp_path, meta(), item(user("one")), item(answer("yes")), item(compaction()))
    assert [(one.kind, one.position) for one in alone.recorded] == [("opaque", 2)]


def test_an_answer_does_not_go_on_across_a_compaction(tmp_path: Path) -> None:
    found = load_written(
        tmp_path, meta(), item(user("one")), item(answer("a")), compacted(compaction()), item(answer("b"))
    )
    assert _words(found.messages) == ["one", "a", "b"]


def _raw(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("path", corpus_files("codex_rollout"))
def test_counts_of_real_rollouts(path: Path) -> None:
    """Answers are runs of the model's items; every other item is a message, except leading rules."""
    mine = ("reasoning", "function_call", "custom_tool_call", "tool_search_call", "web_search_call")
    runs, calls, results, before, leading = 0, 0, 0, "", True
    for value in _raw(path):
        payload = value["payload"]
        kind = payload.get("type", "")
        if value["type"] == "compacted":
            before, leading = "", False
        if value["type"] != "response_item" or kind == "ghost_snapshot":
            continue
        who = "ai" if kind in (*mine, "image_generation_call") or payload.get("role") == "assistant" else kind
        leading = leading and payload.get("role") == "developer"
        runs += not leading and (who != "ai" or before != "ai")
        before = "" if payload.get("phase") == "final_answer" else who
        calls += kind in mine[1:4]
        results += kind.endswith("_output")
    found = load_conversation(path)
    assert found.format == "codex_rollout"
    assert len(found.messages) == runs
    assert sum(1 for m in found.messages for _ in tool_calls(m)) == calls
    assert sum(1 for m in found.messages for _ in tool_responses(m)) == results


@pytest.mark.parametrize("path", corpus_files("codex_rollout"))
def test_compactions_of_real_rollouts(path: Path) -> None:
    lines = [value["payload"] for value in _raw(path) if value["type"] == "compacted"]
    found = load_conversation(path)
    assert len(found.recorded) == len(lines)
    for one, payload in zip(found.recorded, lines, strict=True):
        kinds = [entry["type"] for entry in payload["replacement_history"]]
        assert one.kind == ("opaque" if "compaction" in kinds else "replace")
        assert len(one.context_after) <= len(kinds) - kinds.count("ghost_snapshot")
        assert not (one.tokens_before and one.tokens_after) or one.tokens_before > one.tokens_after


@pytest.mark.parametrize("path", corpus_files("codex_rollout"))
def test_every_record_is_a_message_or_named_as_skipped(path: Path) -> None:
    found = load_conversation(path)
    sources = {source.line for message in found.messages for source in message.sources}
    skipped = sum(count for _, count in found.report.skipped)
    known = len(sources) + len(found.layout["system"]) + len(found.recorded) + skipped
    assert known == found.report.records == len(_raw(path))
