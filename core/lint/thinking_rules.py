"""Rules for thinking and its signatures: where Anthropic wants it in an answer, and what Gemini
wants with its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.lint.common_rules import (
    ERROR,
    WARNING,
    LintedHistory,
    LintFinding,
    display_id,
)
from core.transcript.model import (
    Block,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
)

# Anthropic

_REDACTED = "redacted_thinking"
WITH_BUDGET = "enabled"
"""The mode of thinking in which the API checks where thinking stands: with a budget."""


def is_thought(block: Block) -> bool:
    return isinstance(block, Thinking) or (
        isinstance(block, Opaque) and block.kind == _REDACTED
    )


def written_blocks(history: LintedHistory, indices: Sequence[int]) -> list[Block]:
    """Return the blocks of a turn that are written."""
    return [
        block
        for index in indices
        for block in history.messages[index].blocks
        if history.api.is_written(block)
    ]


def running_loop(history: LintedHistory) -> range:
    """Return the numbers of the turns after the last words that are not the model's, where its last
    one calls tools; an empty range elsewhere."""
    turns = history.turns
    start = len(turns)
    while start and (
        turns[start - 1][0] or _only_results(history, turns[start - 1][1])
    ):
        start -= 1
    calling = next((one for by_model, one in reversed(turns) if by_model), ())
    if any(any(tool_calls(history.messages[index])) for index in calling):
        return range(start, len(turns))
    return range(0)


def _only_results(history: LintedHistory, indices: Sequence[int]) -> bool:
    # Other content beside a result begins a new turn: it makes Anthropic forget earlier thinking.
    blocks = written_blocks(history, indices)
    return all(isinstance(block, ToolResponse) for block in blocks)


def loop_without_thinking(history: LintedHistory) -> int | None:
    """Return the number of the turn that begins the running loop without thinking, where the
    request asks for thinking with a budget or a later turn of the loop thinks; else None.

    Anthropic, extended thinking with tools: "Expected `thinking` or `redacted_thinking`, but found
    `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking
    block" (n8n-io/n8n#22550, anomalyco/opencode#3077). Adaptive thinking does not demand it."""
    loop = running_loop(history)
    first = next((number for number in loop if history.turns[number][0]), None)
    if first is None or is_thought(written_blocks(history, history.turns[first][1])[0]):
        return None
    thinks = any(
        is_thought(block)
        for number in loop
        for block in written_blocks(history, history.turns[number][1])
    )
    return first if thinks or history.model.thinking == WITH_BUDGET else None


def turns_with_late_thinking(history: LintedHistory) -> Iterator[int]:
    """Yield the numbers of the model's turns that think only after other content.

    Anthropic, with a budget: "If an assistant message contains any thinking blocks, the first
    block must be `thinking` or `redacted_thinking`" (anthropics/claude-code#20705)."""
    for number, (by_model, indices) in enumerate(history.turns):
        if not by_model:
            continue
        blocks = written_blocks(history, indices)
        if any(map(is_thought, blocks)) and not is_thought(blocks[0]):
            yield number


def checks_place_of_thinking(history: LintedHistory) -> bool:
    """Return whether the place of thinking may matter: not where the file says another mode than
    one with a budget."""
    return history.model.thinking in ("", WITH_BUDGET)


def thinking_first(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that an answer that thinks begins with it, and so does the running loop of tools: an
    error where the file asks for a budget, a warning where it does not say the mode."""
    if not checks_place_of_thinking(history):
        return
    is_certain = history.model.thinking == WITH_BUDGET
    severity, when = (ERROR, "") if is_certain else (WARNING, " with a thinking budget")
    late = set(turns_with_late_thinking(history))
    for number in sorted(late):
        text = (
            f"thinks only after other content; {history.api.label} refuses that{when}."
        )
        index = history.turns[number][1][0]
        yield history.finding(severity, "late-thinking", index, text)
    first = loop_without_thinking(history)
    if first is not None and first not in late:
        text = (
            "begins the running tool calls without thinking; "
            f"{history.api.label} refuses that{when}."
        )
        index = history.turns[first][1][0]
        yield history.finding(severity, "missing-thinking", index, text)


def final_thinking(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that no answer ends in thinking: the last of a request is refused, an agent may still
    be writing it, and others were refused and taken.

    Anthropic: "The final block in an assistant message cannot be `thinking`"
    (tailcallhq/forgecode#2107, NousResearch/hermes-agent#13010)."""
    for number, (by_model, indices) in enumerate(history.turns):
        if not by_model or not is_thought(written_blocks(history, indices)[-1]):
            continue
        is_last = number == len(history.turns) - 1
        text = (
            f"ends in thinking, which {history.api.label} refuses of the last answer."
        )
        if not is_last:
            text = f"ends in thinking; {history.api.label} is reported to refuse that."
        severity = ERROR if is_last and history.is_request else WARNING
        yield history.finding(severity, "final-thinking", indices[-1], text)


# Anthropic and Gemini


def altered_thinking(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that signed thinking has the text of the source."""
    signature = history.api.signature
    signed = {
        # By signature: texts may repeat, a signature belongs to one text.
        key: text
        for one in history.source
        for key, text in _signed_thoughts(one, signature)
    }
    for index, message in history.changed:
        for key, text in _signed_thoughts(message, signature):
            if signed.get(key, text) != text:
                fault = "holds thinking that was changed after it was signed."
                yield history.finding(ERROR, "altered-thinking", index, fault)


def _signed_thoughts(message: Message, signature: str) -> Iterator[tuple[str, str]]:
    """Yield the signature and the text of each thought that has one."""
    for block in message.blocks:
        if isinstance(block, Thinking) and block.extra.get(signature):
            yield str(block.extra[signature]), block.text


_BINDS_THINKING = re.compile(r"claude-(?!mythos-5-1)[a-z]+-(5-[1-9](?!\d)|[6-9]|\d\d)")


def bound_thinking(history: LintedHistory) -> Iterator[LintFinding]:
    """Check that no thinking of the source stands behind what was changed, which newer models read
    only behind the same messages as before.

    "If the prefix differs from what you sent when the block was produced, that block and every
    later thinking block are invalid": refused by default for accounts since 2026-08-31
    (platform.claude.com, preserved thinking; from Claude Fable 5.1 on, not Mythos 5.1)."""
    if not history.source or not _BINDS_THINKING.search(history.model.name.lower()):
        return
    pairs = zip(history.messages, history.source, strict=False)
    same = next(
        (at for at, (new, old) in enumerate(pairs) if new is not old),
        min(len(history.messages), len(history.source)),
    )
    for index in range(same, len(history.messages)):
        if any(map(is_thought, history.messages[index].blocks)):
            text = (
                "holds thinking behind changed messages; newer models refuse it unless the request "
                "sets thinking.block_binding.prefix_mismatch_behavior to drop_block."
            )
            yield history.finding(WARNING, "bound-thinking", index, text)
            return


# Gemini

SIGNATURE = "thoughtSignature"
FOREIGN_SIGNATURE = "skip_thought_signature_validator"
"""What Google's documentation of thought signatures gives for calls that the model did not make
itself; Gemini CLI sends the same."""
_SIGNS_CALLS = re.compile(r"gemini-([3-9]|\d\d)(?!.*image)")


def signs_calls(model: str) -> bool:
    """Return whether a model of Gemini wants its calls back with their signatures; those that draw
    do not (docs.cloud.google.com, thought signatures)."""
    return _SIGNS_CALLS.search(model.lower()) is not None


def unsigned_calls(history: LintedHistory) -> Iterator[tuple[int, ToolCall]]:
    """Yield the first call of each turn after the person's last words that has no signature, with
    the index of its message.

    Gemini 3: "The first `functionCall` part in each step of the current turn must include its
    `thought_signature`" (ai.google.dev/gemini-api/docs/thought-signatures)."""
    # An agent that keeps no signatures adds them when it sends.
    if not history.is_request or not signs_calls(history.model.name):
        return
    turns = history.turns
    start = len(turns)
    while start and (
        turns[start - 1][0] or not _has_words(history, turns[start - 1][1])
    ):
        start -= 1
    for by_model, indices in turns[start:]:
        calls = [
            (index, call)
            for index in indices
            for call in tool_calls(history.messages[index])
        ]
        if by_model and calls and not calls[0][1].extra.get(SIGNATURE):
            yield calls[0]


def _has_words(history: LintedHistory, indices: Sequence[int]) -> bool:
    return any(
        isinstance(block, Text) and block.text
        for index in indices
        for block in history.messages[index].blocks
    )


def missing_signatures(history: LintedHistory) -> Iterator[LintFinding]:
    for index, call in unsigned_calls(history):
        text = f"makes the call {display_id(call.id)} without its thought signature."
        yield history.finding(ERROR, "missing-signature", index, text)


def lost_signatures(history: LintedHistory) -> Iterator[LintFinding]:
    calls = [call for message in history.source for call in tool_calls(message)]
    signatures = {
        call.id: call.extra[SIGNATURE] for call in calls if call.extra.get(SIGNATURE)
    }
    for index, message in history.changed:
        for call in tool_calls(message):
            signature = call.extra.get(SIGNATURE)
            # Gemini 3 refuses a call that comes back without its signature.
            if signatures.get(call.id, signature) != signature:
                text = f"lost the thought signature of the call {display_id(call.id)}."
                yield history.finding(ERROR, "lost-signature", index, text)
