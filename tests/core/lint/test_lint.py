"""The linters: what an API refuses is an error, what the exporter repairs is less."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import InputError
from core.lint.common_rules import RequestModel
from core.lint.lint import (
    PROVIDERS,
    default_provider,
    find_provider,
    find_thrash,
    lint_history,
    lint_messages,
)
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    SourceDocument,
    Speaker,
    Text,
    Thinking,
    ToolCall,
)
from core.transcript.scopes import history_of_scope
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    system,
    tool,
)

BOTH = pytest.mark.parametrize("provider", ["anthropic", "openai"])
Q = human("q")
EMPTY, UNKNOWN = (
    Message(speaker=Speaker.HUMAN, blocks=()),
    Message(speaker=Speaker.UNKNOWN, blocks=(Text("x"),)),
)
A, B = tool(response("a")), tool(response("b"))
ORPHAN, OPEN, UNANSWERED, SECOND = (
    "orphan-result",
    "open-call",
    "unanswered-call",
    "second-result",
)
LATE = (Q, ai("", call("a")), human("stop"), ai("ok"), A)
EARLY = (Q, A, ai("", call("a")))
TWO = ai("", call("a"), call("b"))
AGAIN = (*exchange("a", "read"), *exchange("a", "read"))
TWICE = (Q, ai("", call("f", "a"), call("g", "a")), A)
SOUND = (
    Q,
    *exchange("a", "read"),
    ai("x"),
    Q,
    ai("", call("read", "b"), call("list", "c")),
)
BASE64 = "iVBORw0KGgoAAAANSUhEUgAAB4cVq5Zf9Xy2Kd7LmNpRtSuWw3" * 40
MARKED = human(
    "", *(Text("x", {"cache_control": {"type": "ephemeral"}}) for _ in range(5))
)
LONE = Message(speaker=Speaker.AI, blocks=(Thinking("", {"encrypted_content": "x"}),))
_CUT = ToolCall("a", "f", "{cut", {"$arguments": "{cut"})
NO_JSON = ai("", _CUT, ToolCall("b", "p", "*", {"$item": "custom_tool_call"}))


def compacted(**fields: Any) -> Message:
    return human("", Opaque("compaction", {"type": "compaction", **fields}))


ALL, FIRST_THREE, FIRST_TWO = (
    "anthropic openai gemini responses",
    "anthropic openai gemini",
    "anthropic openai",
)
CASES: list[tuple[str, str, Sequence[Message], list[tuple[str, str, int]]]] = [
    ("a sound conversation", ALL, (*SOUND, tool(response("b", "read"), response("c", "list")), ai("x")), []),
    ("a result without a call", FIRST_TWO, (Q, ai("x"), A), [("error", ORPHAN, 2)]),
    ("a result without a call at the end", "responses", (Q, A), [("error", ORPHAN, 1)]),
    ("a late result", FIRST_THREE, LATE, [("error", UNANSWERED, 1), ("error", ORPHAN, 4)]),
    ("a late result may be", "responses", LATE, []),
    ("an early result", f"{FIRST_TWO} responses", EARLY, [("error", ORPHAN, 1), ("warning", OPEN, 2)]),
    ("calls at the very end", FIRST_THREE, (Q, TWO), [("warning", OPEN, 1)] * 2),
    ("one of two calls at the very end", ALL, (Q, TWO, A), [("warning", OPEN, 1)]),
    ("an unanswered call", FIRST_THREE, (Q, TWO, A, human("go")), [("error", UNANSWERED, 1)]),
    ("an unanswered call in front", "responses", (ai("", call("a")), Q, ai("x")), [("error", UNANSWERED, 0)]),
    ("a second result", "gemini", (Q, *exchange("a", "read"), tool(response("a", "read"))),
     [("error", SECOND, 3)]),
    ("a second result in front", "responses", (ai("", call("a")), A, A), [("error", SECOND, 2)]),
    ("an id used again", "anthropic", (Q, *AGAIN), [("error", "duplicate-id", 3)]),
    ("an id used again may be", "openai gemini", (Q, *AGAIN), [("info", "reused-id", 3)]),
    ("an id used again is refused by some", "responses", (Q, *AGAIN), [("warning", "reused-id", 3)]),
    ("one id of two calls", "openai responses", TWICE, [("error", "duplicate-id", 1)]),
    ("a model first", "anthropic gemini", (ai("x"),), [("error", "first-role", 0)]),
    ("a call first", "gemini", AGAIN[:2], [("error", "first-role", 0), ("error", "call-order", 0)]),
    ("blank text", "anthropic", (Q, ai(" ", call("a")), A), [("warning", "empty-text", 1)]),
    ("by message, the worst first", "anthropic", (Q, ai(" ", call("a")), A, ai(" ", call("z")), Q),
     [("warning", "empty-text", 1), ("error", UNANSWERED, 3), ("warning", "empty-text", 3)]),
    ("a message without text", "anthropic", (Q, EMPTY, ai(" ")),
     [("warning", "empty-message", 1), ("info", "empty-message", 2)]),
    ("no words and no calls", "openai", (human(""), ai("", thinking="hm")),
     [("info", "empty-content", 0), ("warning", "empty-message", 1)]),
    ("empty items", "responses", (human(""), ai(" ")),
     [("info", "empty-message", 0), ("warning", "empty-message", 1)]),
    ("a role for context", "anthropic gemini", (Q, system("s")), [("info", "system-role", 1)]),
    ("a role for context may be", "openai", (Q, system("s")), []),
    ("an unknown role", ALL, (Q, UNKNOWN), [("warning", "unknown-role", 1)]),
    ("thinking without a signature", "anthropic", (Q, ai("x", thinking="hm")),
     [("warning", "unsigned-thinking", 1)]),
    ("base64 in text", FIRST_TWO, (human("see " + BASE64),), [("warning", "base64-text", 0)]),
    ("what only looks like it", FIRST_TWO, (human("=" * 5000), human("x" * 5000), human("word " * 1000)), []),
    ("five cache marks", "anthropic", (MARKED,), [("error", "cache-control", 0)]),
    ("reasoning alone", "responses", (LONE, Q, ai("a")), [("error", "lone-reasoning", 0)]),
    ("reasoning at the end", "responses", (Q, LONE), [("warning", "open-reasoning", 1)]),
    ("thinking of another API", "responses", (ai("", thinking="hm"), Q), []),
    ("arguments that are no JSON", "responses", (NO_JSON, A, B), [("warning", "arguments", 0)]),
    ("a compaction item", "responses", (Q, compacted(encrypted_content="x"), ai("a")), []),
    ("an empty compaction item", "responses", (Q, compacted(), ai("a")), [("error", "empty-compaction", 1)]),
    ("a late compaction item", "responses", (Q, ai("a"), compacted(encrypted_content="x")),
     [("info", "late-compaction", 2)]),
]  # fmt: skip


def rules(
    messages: Sequence[Message], provider: str, source: Sequence[Message] = ()
) -> list[tuple[str, str, int]]:
    found = lint_messages(messages, provider, source=source)
    return [
        (one.severity, one.rule.removeprefix(f"{provider}."), one.index)
        for one in found
    ]


@pytest.mark.parametrize(
    ("provider", "messages", "expected"),
    [
        pytest.param(provider, messages, expected, id=f"{provider}: {name}")
        for name, providers, messages, expected in CASES
        for provider in providers.split()
    ],
)
def test_each_api_has_its_rules(
    provider: str, messages: Sequence[Message], expected: list[tuple[str, str, int]]
) -> None:
    assert rules(messages, provider) == expected


def test_a_finding_names_messages_and_functions() -> None:
    (lost,) = lint_messages((Q, ai("x"), tool(response("lost"))), "anthropic")
    assert lost.text == "#3 answers the call lost, which no message makes."
    assert "comes only later, in #3" in lint_messages(EARLY, "openai")[0].text
    _, late = lint_messages(LATE, "anthropic")
    assert "is in #2, not in the assistant message right before" in late.text
    (named,) = lint_messages(
        (Q, ai("", call("read", "a")), tool(response("a", "list"))), "gemini"
    )
    assert (named.severity, named.rule, named.index) == (
        "error",
        "gemini.function-name",
        2,
    )
    assert named.text == "#3 answers a as 'list', which was called as 'read'."
    assert ("error", "duplicate-id", 1) in rules(TWICE, "gemini")


def test_thinking_and_signatures_have_to_be_as_they_were() -> None:
    signed = replace(ai("x"), blocks=(Thinking("hm", {"signature": "s"}), Text("x")))
    changed = replace(signed, blocks=(Thinking("h", {"signature": "s"}), Text("x")))
    assert rules((Q, signed), "anthropic", (Q, signed)) == []
    assert rules((Q, changed), "anthropic", (Q, signed)) == [
        ("error", "altered-thinking", 1)
    ]
    assert rules((replace(LONE), Q), "responses", (LONE,)) == []
    asked = ToolCall("a", "read", {"path": "x"}, {"thoughtSignature": "s"})
    thought = Thinking("hm", {"thought": True, "thoughtSignature": "t"})
    source = (Q, ai("", thought, asked), tool(response("a", "read")))
    assert rules(source, "gemini", source) == []
    shorter = replace(source[1], blocks=(thought, replace(asked, arguments={})))
    assert rules((Q, shorter, source[2]), "gemini", source) == []
    bare = replace(
        source[1], blocks=(replace(thought, text="h"), replace(asked, extra={}))
    )
    lost = [("error", "altered-thinking", 1), ("error", "lost-signature", 1)]
    assert rules((Q, bare, source[2]), "gemini", source) == lost


SIGNED = Thinking("hm", {"signature": "s"})
REDACTED = Opaque("redacted_thinking", {"data": "x"})
EARLY_THOUGHT, LATE_THOUGHT = ai("", SIGNED, call("a")), ai("x", SIGNED, call("a"))
PLACES: list[tuple[str, Sequence[Message], list[str]]] = [
    ("thinking first", (Q, EARLY_THOUGHT, A), []),
    ("hidden thinking first", (Q, ai("", REDACTED, call("a")), A), []),
    ("words first", (Q, LATE_THOUGHT, A), ["late-thinking"]),
    ("words of another message first", (Q, ai("x"), EARLY_THOUGHT, A), ["late-thinking"]),
    ("a later call without thinking", (Q, EARLY_THOUGHT, A, ai("", call("b")), B), []),
    ("no thinking", (Q, ai("", call("a")), A), ["missing-thinking"]),
    ("thinking in the second call alone", (Q, ai("", call("b")), B, EARLY_THOUGHT, A), ["missing-thinking"]),
    ("words behind the result", (Q, ai("", call("a")), A, human("go on")), []),
    ("no thinking in a turn that is over", (Q, ai("", call("a")), A, ai("x"), Q), []),
    ("an answer that ends in it", (Q, ai("", SIGNED), Q), ["final-thinking"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "expected"), [pytest.param(*one[1:], id=one[0]) for one in PLACES]
)
def test_thinking_with_a_budget_has_its_place(
    messages: Sequence[Message], expected: list[str]
) -> None:
    def of_mode(mode: str) -> list[str]:
        model = RequestModel("claude-sonnet-4-5", 200_000, mode)
        found = lint_messages(messages, "anthropic", model=model)
        return [one.rule.removeprefix("anthropic.") for one in found]

    assert of_mode("enabled") == expected
    # Adaptive thinking may stand anywhere but at the end.
    assert of_mode("adaptive") == [one for one in expected if one == "final-thinking"]


def test_the_place_of_thinking_is_a_warning_where_the_mode_is_not_known() -> None:
    (late,) = lint_messages((Q, LATE_THOUGHT, A), "anthropic")
    assert late.severity == "warning"
    assert lint_messages((Q, ai("", call("a")), A), "anthropic") == ()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-fable-5-1", ["bound-thinking"]),
        ("claude-opus-5-5", ["bound-thinking"]),
        ("claude-opus-6", ["bound-thinking"]),
        ("claude-mythos-5-1", []),
        ("claude-opus-5-20260901", []),
        ("claude-sonnet-4-5-20250929", []),
    ],
)
def test_newer_models_read_thinking_only_behind_the_same_messages(
    model: str, expected: list[str]
) -> None:
    def found(*messages: Message) -> list[str]:
        source, sent_to = (Q, EARLY_THOUGHT, A), RequestModel(model)
        result = lint_messages(messages, "anthropic", source=source, model=sent_to)
        return [one.rule.removeprefix("anthropic.") for one in result]

    assert found(human("what came before"), EARLY_THOUGHT, A) == expected
    assert found(Q, EARLY_THOUGHT, A) == []


def test_the_default_is_the_api_of_the_format() -> None:
    assert default_provider("claude_code") == "anthropic"
    assert default_provider("openai_chat") == default_provider("llxprt") == "openai"
    assert default_provider("openai_chat", "claude-sonnet-4-5") == "openai"
    assert default_provider("pi_agent", "claude-sonnet-4-5") == "anthropic"
    assert (
        default_provider("openhands", "litellm_proxy/anthropic/Claude-Opus-4-5")
        == "anthropic"
    )
    assert default_provider("llxprt", "gemini-2.5-pro") == "gemini"
    assert default_provider("pi_agent", "gpt-5.5") == "openai"
    assert [provider.name for provider in PROVIDERS] == [
        "anthropic",
        "openai",
        "responses",
        "gemini",
    ]
    with pytest.raises(InputError, match="telepathy"):
        find_provider("telepathy")


@BOTH
def test_ten_times_the_messages_take_about_ten_times_as_long(provider: str) -> None:
    messages = [Q]
    for number in range(3_334):
        messages += [*exchange(f"a{number}", "read", "line of text\n" * 20), ai("done")]
    few, many = (
        min(_linting(messages[:size], provider) for _ in range(2))
        for size in (1_000, 10_000)
    )
    assert many < 40 * few  # quadratic: 100


def _linting(messages: Sequence[Message], provider: str) -> float:
    """Return the processor seconds that the linter takes."""
    started = time.process_time()
    assert lint_messages(messages, provider, source=messages) == ()
    return time.process_time() - started


def test_a_compacted_session_is_judged_as_the_agent_sends_it_too() -> None:
    messages = (Q, ai("", call("f", "a")), A)
    summary = Message(
        speaker=Speaker.HUMAN,
        blocks=(Text("what happened"),),
        flags=MessageFlag.RECORDED_SUMMARY,
    )
    recorded = (RecordedCompaction(kind="summary", boundary=2, summary=(summary,)),)
    compacted = Conversation(
        format="claude_code",
        document=SourceDocument(name="s"),
        messages=messages,
        recorded=recorded,
    )
    whole = history_of_scope(compacted, "all")
    assert not lint_messages(messages, "anthropic")
    (finding,) = lint_history(compacted, whole, "anthropic")
    assert (finding.index, finding.rule) == (2, "anthropic.orphan-result")
    assert (
        finding.text
        == "In the current context: #3 answers the call a, which no message makes."
    )
    assert not lint_history(replace(compacted, recorded=()), whole, "anthropic")
    current = history_of_scope(compacted, "current")
    assert [one.rule for one in lint_history(compacted, current, "anthropic")] == [
        "anthropic.orphan-result"
    ]


def test_what_a_compaction_removed_is_no_error_any_more() -> None:
    summary = human("what happened", flags=MessageFlag.RECORDED_SUMMARY)
    recorded = RecordedCompaction(kind="summary", boundary=3, summary=(summary,))
    session = conversation(Q, ai("", call("f", "open")), ai("b"), human("c"), ai("d"))
    whole = history_of_scope(replace(session, recorded=(recorded,)), "all")
    (finding,) = lint_history(
        replace(session, recorded=(recorded,)), whole, "anthropic"
    )
    assert (finding.severity, finding.index) == ("info", 1)
    assert finding.text.startswith("No longer sent: The call open in #2")
    assert (
        lint_history(session, history_of_scope(session, "all"), "anthropic")[0].severity
        == "error"
    )


@pytest.mark.req("REPAIR-9")
@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ([(100, 40), (100, 95), (100, 96), (100, 91)], 3),
        ([(100, 95), (100, 96)], 0),
        ([(100, 95), (100, 96), (100, 90)], 0),
        ([(100, 95), (100, 96), (100, None), (100, 95)], 0),
    ],
)
def test_compactions_that_free_next_to_nothing_are_one_finding(
    sizes: list[tuple[int, int | None]], count: int
) -> None:
    messages = (Q, ai("x")) * 20
    recorded = tuple(
        RecordedCompaction(
            kind="truncate", boundary=10 * at, tokens_before=before, tokens_after=after
        )
        for at, (before, after) in enumerate(sizes)
    )
    session = Conversation(
        format="claude_code",
        document=SourceDocument(name="s"),
        messages=messages,
        recorded=recorded,
    )
    for scope in ("all", "current"):
        found = lint_history(session, history_of_scope(session, scope), "anthropic")
        texts = [one.text for one in found if one.rule == "anthropic.thrash"]
        assert [
            text.startswith(
                f"The last {count} compactions, in 20 messages, freed under 10 %"
            )
            for text in texts
        ] == ([True] if count else [])


def looping(
    answers: int, after: int | None = None, reported: int = 0, trigger: str = "auto"
) -> Conversation:
    """Return a session with four compactions, a request reported at each answer."""
    turn = (Q, *[ai("x")] * answers)
    messages = turn * 5
    recorded = [
        RecordedCompaction(
            kind="summary", boundary=len(turn) * at, trigger=trigger, tokens_after=after
        )
        for at in range(1, 5)
    ]
    usage = [
        ReportedUsage(index, reported)
        for index, message in enumerate(messages)
        if reported and message.speaker is Speaker.AI
    ]
    return conversation(*messages, recorded=tuple(recorded), usage=tuple(usage))


def test_compactions_in_vain_are_seen_by_the_next_reported_request() -> None:
    thrash = find_thrash(looping(5, reported=43_000))
    assert thrash is not None
    assert (thrash.count, thrash.answers) == (4, None)


def test_compactions_with_few_answers_between_are_a_loop() -> None:
    thrash = find_thrash(looping(1))
    assert thrash is not None
    assert thrash.text.startswith(
        "The last 4 compactions, in 6 messages, came after at most 1 answer of the model each"
    )
    assert find_thrash(looping(3)) is None
    assert find_thrash(looping(1, trigger="manual")) is None


def test_copies_in_the_context_are_named_with_their_tokens() -> None:
    rules_file = "Keep module free of floats. " * 10
    context = human(rules_file, flags=MessageFlag.META)
    session = conversation(
        context, Q, ai("x"), context, human("q " * 9), human("q " * 9), context
    )
    whole = history_of_scope(session, "all")
    (found,) = [
        one
        for one in lint_history(session, whole, "anthropic", tokens=len)
        if one.rule == "anthropic.copies"
    ]
    assert found.severity == "info"
    assert found.text.startswith(
        "The same text stands 3 times in the context (#1, #4, #7): 2 copies, about 560 tokens."
    )
