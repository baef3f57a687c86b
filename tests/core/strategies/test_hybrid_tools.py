"""The four tools of hybrid's agent mode: answers, changes and refusals."""

import json
from typing import Any

import pytest

from core.common.json_value import Json
from core.lint.lint import PROVIDERS, lint_messages
from core.strategies.hybrid_agent import (
    INVALID,
    METADATA,
    RESULT,
    SEGMENT,
    UNREADABLE,
    VERIFY,
    AgentToolResult,
    call_agent_tool,
)
from core.strategies.hybrid_state import HybridAgentState, percent_of
from core.transcript.model import Speaker, Text, tool_responses
from core.transcript.tool_pairs import find_pairs, response_content
from tests.core.strategies.tool_histories import (
    HISTORY,
    NEWEST,
    READ,
    TALK,
    WRITE,
    hybrid_state,
)

SUMMARY = (
    "The user wants the parser fixed, and wants to know why it failed; the fix is in src/fix.py, "
    "and a note about the cause stays open."
)


def use(
    given: HybridAgentState, name: str, /, **arguments: Json
) -> tuple[HybridAgentState, AgentToolResult]:
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
        one
        for api in PROVIDERS
        for one in lint_messages(given.messages, api.name)
        if one.severity == "error"
    ]
    return not errors and not find_pairs(given.messages).orphans


# looking


@pytest.mark.req("LH-73")
def test_the_agent_sees_indices_roles_sizes_and_what_is_protected() -> None:
    # fault 4 of the original: indices, sizes and contents were not shown
    rows = told(hybrid_state(), METADATA)["messages"]
    assert [row["index"] for row in rows] == list(range(len(HISTORY)))
    assert rows[READ]["tokens"] > 2000
    shown = [rows[READ][name] for name in ("role", "tools", "files")]
    assert shown == ["tool", ["Read"], ["src/parser.py"]]
    assert [row["index"] for row in rows if row.get("protected")] == [
        0,
        *sorted(NEWEST),
    ]


@pytest.mark.req("LH-73")
def test_the_agent_is_told_the_tracker_and_the_counts() -> None:
    result = told(hybrid_state(), METADATA)
    assert [one["path"] for one in result["files_read"]] == ["src/parser.py"]
    (change,) = result["recent_modifications"]
    assert (change["path"], change["type"]) == ("src/fix.py", "created")
    assert result["message_statistics"]["total_messages"] == len(HISTORY)
    assert result["message_statistics"]["tool_messages"] == 2


@pytest.mark.req("LH-76")
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (10_000, "Target achieved"),
        (3_000, "Very close"),
        (1_500, "Close to"),
        (-3_000, "Significant"),
    ],
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
    after = done(
        hybrid_state(), RESULT, message_index=READ, strategy="use_curator_cache"
    )
    assert text(after, READ).startswith("📄 [Compressed] Read src/parser.py (400 lines")
    old, new = HISTORY[READ], after.messages[READ]
    assert (new.speaker, next(tool_responses(new)).call_id) == (old.speaker, "r1")
    assert after.tokens < hybrid_state().tokens - 2000
    assert sound(after)


@pytest.mark.req("LH-74")
def test_a_write_is_told_by_its_record_and_anything_by_a_plain_line() -> None:
    written = done(
        hybrid_state(),
        RESULT,
        message_index=WRITE,
        strategy="use_modification_metadata",
    )
    assert text(written, WRITE) == "✏️ [Compressed] Created src/fix.py"
    plain = done(hybrid_state(), RESULT, message_index=READ, strategy="generic")
    assert text(plain, READ) == "🔧 [Compressed] Read: output left out, 400 lines"


@pytest.mark.req("LH-86")
@pytest.mark.parametrize(
    ("index", "strategy", "words"),
    [
        (99, "generic", "Message index 99 out of range (total messages: 12)"),
        (1, "generic", "Message at index 1 is not a tool message (role: user)"),
        (READ, "zip", "Unknown strategy: zip"),
    ],
)
def test_a_result_that_is_none_is_refused(
    index: int, strategy: str, words: str
) -> None:
    assert (
        refusal(hybrid_state(), RESULT, message_index=index, strategy=strategy)
        == f"{INVALID}: {words}"
    )


# segments


@pytest.mark.req("LH-75")
def test_a_range_becomes_one_message_with_the_summary() -> None:
    after = done(
        hybrid_state(), SEGMENT, start_index=1, end_index=TALK, summary=SUMMARY
    )
    assert len(after.messages) == len(HISTORY) - TALK + 1
    assert text(after, 1) == f"💭 [Compressed Segment: messages 1-6]\n{SUMMARY}"
    assert after.messages[1].speaker is Speaker.HUMAN
    assert not after.messages[1].extra
    assert sound(after)


@pytest.mark.req("LH-75", "LH-86")
@pytest.mark.parametrize(("start", "end"), [(1, 2), (3, 6), (1, 4), (3, 3), (4, 4)])
def test_a_call_is_never_separated_from_its_result(start: int, end: int) -> None:
    # fault 11 of the original
    words = refusal(
        hybrid_state(), SEGMENT, start_index=start, end_index=end, summary=SUMMARY
    )
    assert "the call and its result" in words


@pytest.mark.req("LH-78", "LH-18")
def test_protected_messages_and_the_system_prompt_are_refused() -> None:
    # fault 11 of the original
    first = refusal(
        hybrid_state(), SEGMENT, start_index=0, end_index=1, summary=SUMMARY
    )
    assert (
        first == f"{INVALID}: Cannot compress: Message at index 0 is the system prompt"
    )
    newest = refusal(
        hybrid_state(), SEGMENT, start_index=6, end_index=7, summary=SUMMARY
    )
    assert newest.endswith(
        "Message at index 7 is protected (last 5 user/assistant messages)"
    )
    kept = hybrid_state(protected=NEWEST | {READ})
    assert "is protected" in refusal(
        kept, RESULT, message_index=READ, strategy="generic"
    )


@pytest.mark.req("LH-27")
def test_a_summary_that_is_not_shorter_changes_nothing() -> None:
    given = hybrid_state()
    after, result = use(
        given,
        SEGMENT,
        start_index=1,
        end_index=1,
        summary="The parser fails on every second file. " * 100,
    )
    assert after == given
    assert "would not be shorter" in result.effect


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
    assert result.error_type == UNREADABLE
    assert result.error_message == f"Failed to parse arguments: error.{cause}"
