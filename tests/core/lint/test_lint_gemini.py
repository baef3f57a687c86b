"""Gemini's rules: user first, a result for each call right after it, signatures kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.lint.lint import lint_messages
from core.transcript.model import Message, Speaker, Text, Thinking, ToolCall
from tests.builders import ai, call, exchange, human, response, system, tool


def rules(messages: Sequence[Message], source: Sequence[Message] = ()) -> list[tuple[str, str, int]]:
    """Severity, rule and message of the findings."""
    found = lint_messages(messages, "gemini", source=source)
    return [(finding.severity, finding.rule.removeprefix("gemini."), finding.index) for finding in found]


def test_a_sound_conversation_has_no_findings() -> None:
    both = ai("", call("read", "b"), call("list", "c"))
    answers = tool(response("b", "read"), response("c", "list"))
    assert rules((human("q"), *exchange("a", "read"), both, answers, ai("x"))) == []


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


def test_ids_may_come_again_in_another_turn_only() -> None:
    assert rules((human("q"), *exchange("a", "read"), *exchange("a", "read"))) == [("info", "reused-id", 3)]
    twice = (human("q"), ai("", call("a"), call("a")), tool(response("a")))
    assert ("error", "duplicate-id", 1) in rules(twice)


def test_roles_that_gemini_lacks() -> None:
    odd = Message(Speaker.UNKNOWN, (Text("x"),))
    assert rules((human("q"), system("s"), odd)) == [
        ("info", "system-role", 1),
        ("warning", "unknown-role", 2),
    ]


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
