"""The linters: what an API refuses is an error, what the exporter repairs is less."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import InputError
from core.lint.lint import PROVIDERS, default_provider, find_provider, lint_messages
from core.transcript.model import Message, Opaque, Speaker, Text, Thinking, ToolCall
from tests.builders import ai, call, exchange, human, response, system, tool

BOTH = pytest.mark.parametrize("provider", ["anthropic", "openai"])


def _rules(messages: Sequence[Message], provider: str) -> list[tuple[str, str, int]]:
    found = lint_messages(messages, provider)
    return [(finding.severity, finding.rule.partition(".")[2], finding.index) for finding in found]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_a_sound_conversation_has_no_findings(provider: str) -> None:
    both = ai("", call("read", "b"), call("list", "c"))
    answers = tool(response("b", "read"), response("c", "list"))
    messages = (human("q"), *exchange("a", "read"), ai("x"), human("q"), both, answers, ai("x"))
    assert _rules(messages, provider) == []


@BOTH
def test_a_result_without_a_call_is_an_error(provider: str) -> None:
    messages = (human("q"), ai("x"), tool(response("lost")))
    assert _rules(messages, provider) == [("error", "orphan-result", 2)]
    (finding,) = lint_messages(messages, provider)
    assert finding.text == "#3 answers the call lost, which no message makes."


@BOTH
def test_a_result_must_answer_the_turn_before_it(provider: str) -> None:
    late = (human("q"), ai("", call("a")), human("stop"), ai("ok"), tool(response("a")))
    assert _rules(late, provider) == [("error", "unanswered-call", 1), ("error", "orphan-result", 4)]
    early = (human("q"), tool(response("a")), ai("", call("a")))
    assert _rules(early, provider) == [("error", "orphan-result", 1), ("warning", "open-call", 2)]
    assert "comes only later, in #3" in lint_messages(early, provider)[0].text


@BOTH
def test_an_open_call_at_the_very_end_only_warns(provider: str) -> None:
    start = (human("q"), ai("", call("a"), call("b")))
    assert _rules(start, provider) == [("warning", "open-call", 1)] * 2
    assert _rules((*start, tool(response("a"))), provider) == [("warning", "open-call", 1)]
    assert _rules((*start, tool(response("a")), human("go")), provider) == [("error", "unanswered-call", 1)]


def test_an_id_used_again_is_refused_by_anthropic_only() -> None:
    messages = (human("q"), *exchange("a", "read"), *exchange("a", "read"))
    twice = (human("q"), ai("", call("a"), call("a")), tool(response("a")))
    assert _rules(messages, "anthropic") == [("error", "duplicate-id", 3)]
    for provider in ("openai", "gemini"):
        assert _rules(messages, provider) == [("info", "reused-id", 3)]
        assert ("error", "duplicate-id", 1) in _rules(twice, provider)


def test_anthropic_wants_a_user_first_and_no_blank_text() -> None:
    assert _rules((ai("x"),), "anthropic") == [("error", "first-role", 0)]
    assert _rules((human("q"), ai(" ", call("a")), tool(response("a"))), "anthropic") == [
        ("warning", "empty-text", 1)
    ]
    assert _rules((human("q"), Message(Speaker.HUMAN, ()), ai(" ")), "anthropic") == [
        ("warning", "empty-message", 1),
        ("info", "empty-message", 2),
    ]


def test_openai_wants_words_or_calls_of_the_assistant() -> None:
    assert _rules((human(""), ai("", thinking="hm")), "openai") == [
        ("info", "empty-content", 0),
        ("warning", "empty-message", 1),
    ]


def test_roles_that_an_api_lacks() -> None:
    odd = Message(Speaker.UNKNOWN, (Text("x"),))
    for provider in ("anthropic", "gemini"):
        assert _rules((human("q"), system("s"), odd), provider) == [
            ("info", "system-role", 1),
            ("warning", "unknown-role", 2),
        ]
    assert _rules((human("q"), system("s"), odd), "openai") == [("warning", "unknown-role", 2)]


def test_thinking_has_to_be_signed_and_as_it_was() -> None:
    signed = replace(ai("x"), blocks=(Thinking("hm", {"signature": "s"}), Text("x")))
    changed = replace(signed, blocks=(Thinking("h", {"signature": "s"}), Text("x")))
    assert _rules((human("q"), ai("x", thinking="hm")), "anthropic") == [("warning", "unsigned-thinking", 1)]
    assert lint_messages((human("q"), signed), "anthropic", source=(human("q"), signed)) == ()
    (finding,) = lint_messages((human("q"), changed), "anthropic", source=(human("q"), signed))
    assert (finding.severity, finding.rule) == ("error", "anthropic.altered-thinking")


@BOTH
def test_base64_in_text_is_told(provider: str) -> None:
    data = "iVBORw0KGgoAAAANSUhEUgAAB4cVq5Zf9Xy2Kd7LmNpRtSuWw3" * 40
    assert _rules((human("see " + data),), provider) == [("warning", "base64-text", 0)]
    assert _rules((human("=" * 5000), human("x" * 5000), human("word " * 1000)), provider) == []


def test_the_default_is_the_api_of_the_format() -> None:
    assert default_provider("claude_code") == "anthropic"
    assert default_provider("openai_chat") == default_provider("llxprt") == "openai"
    assert default_provider("openai_chat", "claude-sonnet-4-5") == "openai"
    assert default_provider("pi_agent", "claude-sonnet-4-5") == "anthropic"
    assert default_provider("openhands", "litellm_proxy/anthropic/Claude-Opus-4-5") == "anthropic"
    assert default_provider("llxprt", "gemini-2.5-pro") == "gemini"
    assert default_provider("pi_agent", "gpt-5.5") == "openai"
    assert [provider.name for provider in PROVIDERS] == ["anthropic", "openai", "responses", "gemini"]
    with pytest.raises(InputError, match="telepathy"):
        find_provider("telepathy")


@BOTH
def test_ten_times_the_messages_take_about_ten_times_as_long(provider: str) -> None:
    messages = [human("q")]
    for number in range(6_667):
        messages += [*exchange(f"a{number}", "read", "line of text\n" * 20), ai("done")]
    few, many = (min(_linting(messages[:size], provider) for _ in range(2)) for size in (2_002, 20_002))
    assert many < 40 * few  # quadratic: 100


def _linting(messages: Sequence[Message], provider: str) -> float:
    """Processor seconds that the linter takes."""
    started = time.process_time()
    assert lint_messages(messages, provider, source=messages) == ()
    return time.process_time() - started


def rules(messages: Sequence[Message], source: Sequence[Message] = ()) -> list[tuple[str, str, int]]:
    """Severity, rule and message of the findings."""
    found = lint_messages(messages, "gemini", source=source)
    return [(finding.severity, finding.rule.removeprefix("gemini."), finding.index) for finding in found]


def test_the_contents_begin_with_a_user() -> None:
    assert rules((ai("x"), human("q"))) == [("error", "first-role", 0)]
    assert rules((*exchange("a", "read"), ai("x"))) == [
        ("error", "first-role", 0),
        ("error", "call-order", 0),
    ]


def test_every_call_is_answered_in_the_next_turn() -> None:
    two = ai("", call("read", "a"), call("read", "b"))
    one = tool(response("a", "read"))
    assert rules((human("q"), two, one, ai("x"))) == [("error", "unanswered-call", 1)]
    assert rules((human("q"), two, one)) == [("warning", "open-call", 1)]
    assert rules((human("q"), two)) == [("warning", "open-call", 1)] * 2
    late = (human("q"), ai("", call("a")), human("stop"), ai("ok"), tool(response("a")))
    assert rules(late) == [("error", "unanswered-call", 1), ("error", "orphan-result", 4)]
    assert rules((human("q"), *exchange("a", "read"), tool(response("a", "read")))) == [
        ("error", "second-result", 3)
    ]


def test_a_result_names_the_function_that_was_called() -> None:
    (finding,) = lint_messages((human("q"), ai("", call("read", "a")), tool(response("a", "list"))), "gemini")
    assert (finding.severity, finding.rule, finding.index) == ("error", "gemini.function-name", 2)
    assert finding.text == "#3 answers a as 'list', which was called as 'read'."


def test_signatures_stay_with_what_they_sign() -> None:
    signed = ToolCall("a", "read", {"path": "x"}, {"thoughtSignature": "s"})
    thought = Thinking("hm", {"thought": True, "thoughtSignature": "t"})
    source = (human("q"), ai("", thought, signed), tool(response("a", "read")))
    assert rules(source, source) == []
    shorter = replace(source[1], blocks=(thought, replace(signed, arguments={})))
    assert rules((source[0], shorter, source[2]), source) == []
    bare = replace(source[1], blocks=(replace(thought, text="h"), replace(signed, extra={})))
    assert rules((source[0], bare, source[2]), source) == [
        ("error", "altered-thinking", 1),
        ("error", "lost-signature", 1),
    ]


def _responses_rules(*messages: Message, source: tuple[Message, ...] = ()) -> list[tuple[str, str, int]]:
    found = lint_messages(messages, "responses", source=source)
    return [(one.severity, one.rule.removeprefix("responses."), one.index) for one in found]


def test_outputs_may_stand_anywhere_behind_their_calls() -> None:
    assert (
        _responses_rules(human("q"), ai("", call("a")), human("and"), tool(response("a")), ai("done")) == []
    )


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
        ([ai("", call("a")), tool(response("a")), tool(response("a"))], [("error", "second-result", 2)]),
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
    assert _responses_rules(*messages) == expected


def test_reasoning_stays_with_what_it_led_to() -> None:
    lone = Message(Speaker.AI, (Thinking("", {"encrypted_content": "x"}),))
    assert _responses_rules(lone, human("q"), ai("a")) == [("error", "lone-reasoning", 0)]
    assert _responses_rules(human("q"), lone) == [("warning", "open-reasoning", 1)]
    changed = replace(lone)
    assert _responses_rules(changed, human("q"), source=(lone,)) == []
    assert _responses_rules(Message(Speaker.AI, (Thinking("of another API"),)), human("q")) == []


def test_arguments_that_are_no_json() -> None:
    broken = ToolCall("a", "f", "{cut", {"$arguments": "{cut"})
    free = ToolCall("b", "patch", "*** Begin", {"$item": "custom_tool_call"})
    messages = (ai("", broken, free), tool(response("a")), tool(response("b")))
    assert _responses_rules(*messages) == [("warning", "arguments", 0)]


def test_compaction_items() -> None:
    def folded_item(**fields: Any) -> Message:
        return human("", Opaque("compaction", {"type": "compaction", **fields}))

    assert _responses_rules(human("q"), folded_item(encrypted_content="x"), ai("a")) == []
    assert _responses_rules(human("q"), folded_item(), ai("a")) == [("error", "empty-compaction", 1)]
    late = (human("q"), ai("a"), folded_item(encrypted_content="x"))
    assert _responses_rules(*late) == [("warning", "late-compaction", 2)]


def test_at_most_four_cache_marks() -> None:
    marked = human("", *(Text("x", {"cache_control": {"type": "ephemeral"}}) for _ in range(5)))
    assert _rules((marked,), "anthropic") == [("error", "cache-control", 0)]
