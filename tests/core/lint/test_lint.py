"""The linters: what an API refuses is an error, what the exporter repairs is less."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.lint.lint import PROVIDERS, default_provider, find_provider, lint_messages
from core.transcript.model import Message, Speaker, Text, Thinking
from tests.builders import ai, call, exchange, human, response, system, tool

BOTH = pytest.mark.parametrize("provider", ["anthropic", "openai"])


def _rules(messages: Sequence[Message], provider: str) -> list[tuple[str, str, int]]:
    found = lint_messages(messages, provider)
    return [(finding.severity, finding.rule.partition(".")[2], finding.index) for finding in found]


@BOTH
def test_a_sound_conversation_has_no_findings(provider: str) -> None:
    messages = (human("q"), *exchange("a", "read"), ai("x"), human("q"), *exchange("b", "read"), ai("x"))
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
    assert _rules(messages, "anthropic") == [("error", "duplicate-id", 3)]
    assert _rules(messages, "openai") == [("info", "reused-id", 3)]
    twice = (human("q"), ai("", call("a"), call("a")), tool(response("a")))
    assert ("error", "duplicate-id", 1) in _rules(twice, "openai")


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
    assert _rules((human("q"), system("s"), odd), "anthropic") == [
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


def test_at_most_four_cache_marks() -> None:
    marked = human("", *(Text("x", {"cache_control": {"type": "ephemeral"}}) for _ in range(5)))
    assert _rules((marked,), "anthropic") == [("error", "cache-control", 0)]


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


def test_the_orphan_of_the_broken_files_is_an_error(corpus: Path) -> None:
    messages = load_conversation(corpus / "broken" / "16_result_without_call.json").messages
    for provider in ("anthropic", "openai"):
        assert "orphan-result" in [rule for severity, rule, _ in _rules(messages, provider)]


@BOTH
def test_ten_times_the_messages_take_about_ten_times_as_long(provider: str) -> None:
    messages = [human("q")]
    for number in range(33_333):
        messages += [*exchange(f"a{number}", "read", "line of text\n" * 20), ai("done")]
    few, many = (min(_linting(messages[:size], provider) for _ in range(2)) for size in (10_000, 100_000))
    assert many < 40 * few  # quadratic: 100


def _linting(messages: Sequence[Message], provider: str) -> float:
    """Processor seconds that the linter takes."""
    started = time.process_time()
    assert lint_messages(messages, provider, source=messages) == ()
    return time.process_time() - started
