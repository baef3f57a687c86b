"""The four tools of hybrid's agent mode: answers, changes and refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.common.json_value import Json
from core.lint.lint import PROVIDERS, lint_messages
from core.strategies.hybrid.agent_state import HybridAgentState, percent_of
from core.strategies.hybrid.agent_tools import (
    DEFINITIONS,
    INVALID,
    METADATA,
    RESULT,
    SEGMENT,
    UNKNOWN,
    UNREADABLE,
    VERIFY,
    AgentToolResult,
    call_agent_tool,
)
from core.transcript.model import Message, Speaker, Text, tool_responses
from core.transcript.tool_outcomes import response_content
from core.transcript.tool_pairs import find_pairs
from tests.builders import ai, exchange, human, response, system, tool
from tests.builders import call as called
from tests.core.strategies.tool_histories import HISTORY, LINES, NEWEST, READ, TALK, WRITE, hybrid_state

SUMMARY = "The user wants the parser fixed; the fix is in src/fix.py."


def use(given: HybridAgentState, name: str, /, **arguments: Json) -> tuple[HybridAgentState, AgentToolResult]:
    return call_agent_tool(given, name, json.dumps(arguments))


def done(given: HybridAgentState, name: str, /, **arguments: Json) -> HybridAgentState:
    after, result = use(given, name, **arguments)
    assert result.success, result.error_message
    return after


def told(given: HybridAgentState, name: str, /, **arguments: Json) -> Any:
    return json.loads(use(given, name, **arguments)[1].data)


def refusal(given: HybridAgentState, name: str, /, **arguments: Json) -> str:
    after, result = use(given, name, **arguments)
    assert after == given
    assert not result.success
    assert result.error_message in result.effect
    return f"{result.error_type}: {result.error_message}"


def text(given: HybridAgentState, place: int) -> str:
    block = given.messages[place].blocks[0]
    return block.text if isinstance(block, Text) else str(response_content(block))  # type: ignore[arg-type]


def sound(given: HybridAgentState) -> bool:
    """Return whether every pair is whole and no API refuses the messages."""
    errors = [
        one for api in PROVIDERS for one in lint_messages(given.messages, api.name) if one.severity == "error"
    ]
    return not errors and not find_pairs(given.messages).orphans


# looking


@pytest.mark.req("LH-73")
def test_the_agent_sees_indices_roles_sizes_and_what_is_protected() -> None:
    # fault 4 of the original: indices, sizes and contents were not shown
    rows = told(hybrid_state(), METADATA)["messages"]
    assert [row["index"] for row in rows] == list(range(len(HISTORY)))
    assert rows[READ]["tokens"] > 2000
    assert (rows[READ]["role"], rows[READ]["tools"], rows[READ]["files"]) == (
        "tool",
        ["Read"],
        ["src/parser.py"],
    )
    assert [row["index"] for row in rows if row.get("protected")] == [0, *sorted(NEWEST)]


@pytest.mark.req("LH-73")
def test_the_agent_is_told_the_tracker_and_the_counts() -> None:
    result = told(hybrid_state(), METADATA)
    assert [one["path"] for one in result["files_read"]] == ["src/parser.py"]
    assert [(one["path"], one["type"]) for one in result["recent_modifications"]] == [
        ("src/fix.py", "created")
    ]
    assert result["message_statistics"]["total_messages"] == len(HISTORY)
    assert result["message_statistics"]["tool_messages"] == 2


def test_texts_come_with_the_details_alone_and_none_of_protected_messages() -> None:
    assert "second file" not in use(hybrid_state(), METADATA)[1].data
    rows = told(hybrid_state(), METADATA, include_details=True)["messages"]
    assert rows[1]["text"].startswith("Please find out")
    assert rows[2]["text"] == "[Read src/parser.py]"
    assert len(rows[READ]["text"]) <= 201
    assert not any("text" in row for row in rows if row.get("protected"))


def test_whatever_stands_in_a_transcript_the_answer_is_json() -> None:
    # fault 12 of the original
    given = (*exchange("q", "Read", '"\n\\ \u2028', file_path='a "quoted"\n\\path'), human('say "no"\n\\'))
    result = told(hybrid_state(given, protected=frozenset()), METADATA, include_details=True)
    assert result["messages"][1]["files"] == ['a "quoted"\n\\path']
    assert result["messages"][2]["text"] == 'say "no"\n\\'


@pytest.mark.req("LH-76")
@pytest.mark.parametrize(
    ("target", "words"),
    [(10_000, "Target achieved"), (3_000, "Very close"), (1_500, "Close to"), (-3_000, "Significant")],
)
def test_the_agent_is_told_how_far_it_is(target: int, words: str) -> None:
    given = hybrid_state(target=target)
    result = told(given, VERIFY)
    assert result["current_tokens"] == given.tokens
    assert result["tokens_over_target"] == max(0, given.tokens - target)
    assert result["current_usage_percent"] == percent_of(given.tokens, 10_000)
    assert words in result["recommendation"]


# tool results


@pytest.mark.req("LH-74", "LH-28")
def test_a_read_becomes_a_line_in_its_place_with_its_id() -> None:
    after = done(hybrid_state(), RESULT, message_index=READ, strategy="use_curator_cache")
    assert text(after, READ).startswith("📄 [Compressed] Read src/parser.py (400 lines")
    old, new = HISTORY[READ], after.messages[READ]
    assert (new.speaker, next(tool_responses(new)).call_id) == (old.speaker, "r1")
    assert after.tokens < hybrid_state().tokens - 2000
    assert sound(after)


@pytest.mark.req("LH-74")
def test_a_write_is_told_by_its_record_and_anything_by_a_plain_line() -> None:
    written = done(hybrid_state(), RESULT, message_index=WRITE, strategy="use_modification_metadata")
    assert text(written, WRITE) == "✏️ [Compressed] Created src/fix.py"
    plain = done(hybrid_state(), RESULT, message_index=READ, strategy="generic")
    assert text(plain, READ) == "🔧 [Compressed] Read executed successfully"


@pytest.mark.parametrize("strategy", ["use_curator_cache", "use_modification_metadata", "generic"])
def test_a_failed_call_stays_a_failed_one(strategy: str) -> None:
    # fault 3 of the original
    bad = (
        ai("", called("Read", "x", file_path="a.py")),
        tool(response("x", "Read", "", f"No such file. {LINES}")),
    )
    after = done(hybrid_state(bad, protected=frozenset()), RESULT, message_index=1, strategy=strategy)
    assert "Read on a.py failed: No such file." in text(after, 1)


def test_a_result_that_would_not_shrink_stays_and_a_line_is_not_made_twice() -> None:
    # faults 8 and 9 of the original
    given = hybrid_state(exchange("a", "Read", "x = 1", file_path="a.py"), protected=frozenset())
    after, result = use(given, RESULT, message_index=1, strategy="use_curator_cache")
    assert (after, result.success) == (given, True)
    assert "Nothing was changed" in result.data
    once = done(hybrid_state(), RESULT, message_index=READ, strategy="use_curator_cache")
    assert "compressed already" in refusal(once, RESULT, message_index=READ, strategy="generic")


def test_an_old_read_is_not_told_by_the_summary_of_a_newer_text() -> None:
    old, new = "class Old:\n    def walk(self): ...\n" * 50, "class Fresh:\n    def run(self): ...\n" * 50
    given = (*exchange("a", "Read", old, file_path="a.py"), *exchange("b", "Read", new, file_path="a.py"))
    after = done(
        hybrid_state(given, protected=frozenset()), RESULT, message_index=1, strategy="use_curator_cache"
    )
    assert "Fresh" not in text(after, 1)


@pytest.mark.req("LH-86")
@pytest.mark.parametrize(
    ("index", "strategy", "words"),
    [
        (99, "generic", "Message index 99 out of range (total messages: 12)"),
        (1, "generic", "Message at index 1 is not a tool message (role: user)"),
        (READ, "zip", "Unknown strategy: zip"),
    ],
)
def test_a_result_that_is_none_is_refused(index: int, strategy: str, words: str) -> None:
    assert refusal(hybrid_state(), RESULT, message_index=index, strategy=strategy) == f"{INVALID}: {words}"


# segments


@pytest.mark.req("LH-75")
def test_a_range_becomes_one_message_with_the_summary() -> None:
    after = done(hybrid_state(), SEGMENT, start_index=1, end_index=TALK, summary=SUMMARY)
    assert len(after.messages) == len(HISTORY) - TALK + 1
    assert text(after, 1) == f"💭 [Compressed Segment: messages 1-6]\n{SUMMARY}"
    assert after.messages[1].speaker is Speaker.HUMAN
    assert not after.messages[1].extra
    assert sound(after)


def test_the_answer_holds_what_was_really_saved_beside_the_usual_estimate() -> None:
    given = hybrid_state()
    after, result = use(given, SEGMENT, start_index=1, end_index=TALK, summary=SUMMARY)
    data = json.loads(result.data)
    assert data["tokens_saved"] == given.tokens - after.tokens
    assert data["estimated_tokens_saved"] == 6 * 200 - len(SUMMARY) // 4
    assert result.effect.startswith("#2–#7 became one summary")


@pytest.mark.req("LH-75", "LH-86")
@pytest.mark.parametrize(("start", "end"), [(1, 2), (3, 6), (1, 4), (3, 3), (4, 4)])
def test_a_call_is_never_separated_from_its_result(start: int, end: int) -> None:
    # fault 11 of the original
    words = refusal(hybrid_state(), SEGMENT, start_index=start, end_index=end, summary=SUMMARY)
    assert "the call and its result" in words


@pytest.mark.req("LH-78", "LH-18")
def test_protected_messages_and_the_system_prompt_are_refused() -> None:
    # fault 11 of the original
    first = refusal(hybrid_state(), SEGMENT, start_index=0, end_index=1, summary=SUMMARY)
    assert first == f"{INVALID}: Cannot compress: Message at index 0 is the system prompt"
    newest = refusal(hybrid_state(), SEGMENT, start_index=6, end_index=7, summary=SUMMARY)
    assert newest.endswith("Message at index 7 is protected (last 5 user/assistant messages)")
    kept = hybrid_state(protected=NEWEST | {READ})
    assert "is protected" in refusal(kept, RESULT, message_index=READ, strategy="generic")


def test_what_is_protected_stays_so_wherever_it_moves() -> None:
    after = done(hybrid_state(), SEGMENT, start_index=1, end_index=TALK, summary=SUMMARY)
    assert "index 2 is protected" in refusal(after, SEGMENT, start_index=1, end_index=2, summary=SUMMARY)


@pytest.mark.parametrize(
    ("start", "end", "summary", "words"),
    [
        (5, 2, SUMMARY, "Invalid range: start_index (5) > end_index (2)"),
        (1, 12, SUMMARY, "end_index (12) out of range (total messages: 12)"),
        (1, 6, " \n", "Cannot compress: the summary is empty"),
    ],
)
def test_an_impossible_segment_is_refused(start: int, end: int, summary: str, words: str) -> None:
    result = refusal(hybrid_state(), SEGMENT, start_index=start, end_index=end, summary=summary)
    assert result == f"{INVALID}: {words}"


@pytest.mark.req("LH-27")
def test_a_summary_that_is_not_shorter_changes_nothing() -> None:
    given = hybrid_state()
    after, result = use(given, SEGMENT, start_index=1, end_index=1, summary=SUMMARY * 100)
    assert after == given
    assert "would not be shorter" in result.effect


def test_half_a_character_in_a_summary_does_no_harm() -> None:
    after, result = call_agent_tool(
        hybrid_state(), SEGMENT, '{"start_index": 1, "end_index": 1, "summary": "caf\\ud83d and more"}'
    )
    assert result.success
    assert text(after, 1).endswith("caf? and more")


# arguments


@pytest.mark.req("LH-86")
@pytest.mark.parametrize(
    ("name", "arguments", "cause"),
    [
        (RESULT, '{"message_index": 3}', "MissingField"),
        (RESULT, '{"message_index": 3, "strategy": "generic", "x": 1}', "UnknownField"),
        (RESULT, '{"message_index": -3, "strategy": "generic"}', "Overflow"),
        (RESULT, '{"message_index": 1.5, "strategy": "generic"}', "InvalidNumber"),
        (RESULT, '{"message_index": true, "strategy": "generic"}', "UnexpectedToken"),
        (RESULT, '{"message_index": 3, "strategy": 4}', "UnexpectedToken"),
        (RESULT, "[1, 2]", "UnexpectedToken"),
        (RESULT, '{"message_index": 3, "strat', "SyntaxError"),
        (METADATA, '{"include_details": "yes"}', "UnexpectedToken"),
    ],
)
def test_arguments_are_read_strictly(name: str, arguments: str, cause: str) -> None:
    given = hybrid_state()
    after, result = call_agent_tool(given, name, arguments)
    assert after == given
    assert (result.error_type, result.error_message) == (
        UNREADABLE,
        f"Failed to parse arguments: error.{cause}",
    )


def test_no_arguments_and_whole_numbers_with_a_point_are_understood() -> None:
    assert call_agent_tool(hybrid_state(), VERIFY, "")[1].success
    assert call_agent_tool(hybrid_state(), RESULT, '{"message_index": 3.0, "strategy": "generic"}')[1].success


def test_an_unknown_tool_is_refused_with_the_names_of_the_four() -> None:
    _, result = call_agent_tool(hybrid_state(), "compress_everything", "{}")
    assert result.error_type == UNKNOWN
    assert all(tool["name"] in result.answer for tool in DEFINITIONS)


def test_nothing_that_was_given_is_changed() -> None:
    before: tuple[Message, ...] = tuple(HISTORY)
    given = hybrid_state((system("S"), *talk_of(30)), protected=frozenset())
    done(given, SEGMENT, start_index=1, end_index=20, summary=SUMMARY)
    assert len(given.messages) == 31
    assert before == HISTORY


def talk_of(count: int) -> list[Message]:
    return [human(f"{number} " + "word " * 30) for number in range(count)]
