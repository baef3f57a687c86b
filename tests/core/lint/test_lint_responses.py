"""Lint for the Responses API: pairs in order, ids, reasoning, compaction items, empty messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.lint.lint import lint_messages
from core.transcript.model import Message, Opaque, Speaker, Thinking, ToolCall
from core.transcript.scopes import history_of_scope
from tests.builders import ai, call, human, response, tool
from tests.core.formats.codex_lines import SESSION
from tests.core.formats.exporting import compacted_export, corpus_files, load_written


def _rules(*messages: Message, source: tuple[Message, ...] = ()) -> list[tuple[str, str, int]]:
    found = lint_messages(messages, "responses", source=source)
    return [(one.severity, one.rule.removeprefix("responses."), one.index) for one in found]


def test_a_good_session_is_valid(tmp_path: Path) -> None:
    assert _rules(*load_written(tmp_path, *SESSION).messages) == []


def test_outputs_may_stand_anywhere_behind_their_calls() -> None:
    assert _rules(human("q"), ai("", call("a")), human("and"), tool(response("a")), ai("done")) == []


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([human("q"), tool(response("a"))], [("error", "orphan-result", 1)]),
        (
            [human("q"), tool(response("a")), ai("", call("a"))],
            [("error", "orphan-result", 1), ("warning", "open-call", 2)],
        ),
        ([ai("", call("a")), human("and"), ai("x")], [("error", "unanswered-call", 0)]),
        ([human("q"), ai("", call("a"), call("b")), tool(response("a"))], [("warning", "open-call", 1)]),
        (
            [ai("", call("a")), tool(response("a")), tool(response("a"))],
            [("error", "second-result", 2)],
        ),
        ([ai("", call("f", "a"), call("g", "a")), tool(response("a"))], [("error", "duplicate-id", 0)]),
        (
            [ai("", call("a")), tool(response("a")), ai("", call("a")), tool(response("a"))],
            [("info", "reused-id", 2)],
        ),
        ([Message(Speaker.UNKNOWN, human("x").blocks)], [("warning", "unknown-role", 0)]),
        ([human(""), ai(" ")], [("info", "empty-message", 0), ("warning", "empty-message", 1)]),
    ],
)
def test_pairs_ids_roles_and_empty_messages(
    messages: list[Message], expected: list[tuple[str, str, int]]
) -> None:
    assert _rules(*messages) == expected


def test_reasoning_stays_with_what_it_led_to() -> None:
    lone = Message(Speaker.AI, (Thinking("", {"encrypted_content": "x"}),))
    assert _rules(lone, human("q"), ai("a")) == [("error", "lone-reasoning", 0)]
    assert _rules(human("q"), lone) == [("warning", "open-reasoning", 1)]
    changed = replace(lone)
    assert _rules(changed, human("q"), source=(lone,)) == []
    assert _rules(Message(Speaker.AI, (Thinking("of another API"),)), human("q")) == []


def test_arguments_that_are_no_json() -> None:
    broken = ToolCall("a", "f", "{cut", {"$arguments": "{cut"})
    free = ToolCall("b", "patch", "*** Begin", {"$item": "custom_tool_call"})
    messages = (ai("", broken, free), tool(response("a")), tool(response("b")))
    assert _rules(*messages) == [("warning", "arguments", 0)]


def test_compaction_items() -> None:
    def folded_item(**fields: Any) -> Message:
        return human("", Opaque("compaction", {"type": "compaction", **fields}))

    assert _rules(human("q"), folded_item(encrypted_content="x"), ai("a")) == []
    assert _rules(human("q"), folded_item(), ai("a")) == [("error", "empty-compaction", 1)]
    late = (human("q"), ai("a"), folded_item(encrypted_content="x"))
    assert _rules(*late) == [("warning", "late-compaction", 2)]


FILES = corpus_files("codex_rollout", "openai_responses")


@pytest.mark.parametrize("path", FILES)
def test_a_fold_at_valid_boundaries_makes_no_error(path: Path) -> None:
    conversation = load_conversation(path)
    for scope in ("all", "current"):
        given = compacted_export(conversation, scope)
        past = history_of_scope(conversation, scope).messages
        assert _errors(given.messages, past) <= _errors(past, ())


def _errors(messages: tuple[Message, ...], source: tuple[Message, ...]) -> set[str]:
    return {
        one.rule for one in lint_messages(messages, "responses", source=source) if one.severity == "error"
    }
