"""Rules by which presets split a history, as known agents do. Every cut goes through
``core.transcript.tool_pairs.snap_cut``, so that no pair is separated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from core.common.json_value import MISSING
from core.common.number_format import share_of
from core.facts.sentences import is_summary, plain_text
from core.facts.shell_actions import normalised_tool_name
from core.strategies.base import StrategyContext
from core.transcript.compaction import Cut, NoOp, NoOpCode, Split
from core.transcript.model import (
    NOT_TYPED,
    Block,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.provenance import message_entry
from core.transcript.tool_kinds import (
    FRESH_SHELL_TOOLS,
    PATCH_TOOLS,
    SHELL_TOOLS,
    TOOL_KINDS,
)
from core.transcript.tool_pairs import (
    CutRequest,
    Pairs,
    TokenCount,
    find_pairs,
    result_text,
    snap_cut,
    suffix_sums,
)

_BY_RESULT = "results of tools, before which it never cuts, move it"
_BY_USER_MESSAGE = "the message of the person that it has to begin with moves it"
_BY_CALL = "the calls that the results answer move it"


@dataclass(frozen=True, slots=True)
class SplitInput:
    """The current messages, a token counter, the displayed number (from 0) of an index, the pairs,
    and the limit where it is known."""

    history: Sequence[Message]
    count: TokenCount
    number_of: Callable[[int], int]
    pairs: Pairs
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SummarisedRange:
    """Messages [start, end) are summarised; ``kept_reason`` says why the others stay."""

    start: int
    end: int
    split: Split
    kept_reason: str = ""


class KeptBesideSummary(StrEnum):
    NOTHING = "nothing"
    NEWEST_TOKENS = "newest tokens"
    NEWEST_EXCHANGES = "newest exchanges"
    NEWEST_SHARE = "newest share"
    NEWEST_MESSAGES = "newest messages"
    FIRST_AND_NEWEST = "first and newest"
    SHARE_OF_LIMIT = "share of the limit"


@dataclass(frozen=True, slots=True)
class SplitRule:
    """The table [split] of a preset; each kind reads its own numbers. ``share`` is a fraction of
    the characters or of the limit, ``progress`` the smallest fraction of the messages worth a
    summary."""

    keep: KeptBesideSummary
    tokens: int = 0
    messages: int = 0
    share: float = 0.0
    first: int = 0
    progress: float = 0.0


def split_input(
    history: Sequence[Message],
    count: TokenCount,
    source_index: Callable[[int], int],
    limit: int | None = None,
) -> SplitInput:
    return SplitInput(history, count, source_index, find_pairs(history), limit)


def divide_history(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Return the range to summarise, or why there is none."""
    if not inputs.history:
        return NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty.")
    if rule.keep is KeptBesideSummary.NOTHING:
        count = len(inputs.history)
        return SummarisedRange(0, count, Split(0, count, 0))
    return _RULES[rule.keep](rule, inputs)


def is_typed(message: Message) -> bool:
    """Return whether the user wrote the message: no harness row, tool result or earlier summary."""
    if message.speaker is not Speaker.HUMAN or message.flags & NOT_TYPED:
        return False
    if any(tool_responses(message)) or any(tool_calls(message)):
        return False
    return bool(plain_text(message).strip()) and not is_summary(message)


def _newest_tokens(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest messages, back to the one that fills the tokens; never cut before a
    result."""
    history = inputs.history
    count = len(inputs.history)
    sums = suffix_sums(history, inputs.count)
    detail = f"newest {rule.tokens:,} tokens"
    start = next((at for at in range(count, -1, -1) if sums[at] >= rule.tokens), 0)
    if start == 0:
        return _tail_is_all(inputs, detail)
    others = (
        at
        for at in range(start, count)
        if history[at].speaker is not Speaker.TOOL
        and not any(tool_responses(history[at]))
    )
    return _tail(inputs, detail, start, next(others, start), _BY_RESULT)


def _newest_exchanges(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest messages within the tokens, at least one, and all back to a typed message."""
    history = inputs.history
    sums = suffix_sums(history, inputs.count)
    last = len(history) - 1
    start = next((at for at in range(last) if sums[at] <= rule.tokens), last)
    typed = [at for at, message in enumerate(history) if is_typed(message)]
    before = [at for at in typed if at <= start]
    reference = before[-1] if before else 0
    # Nothing in front of the first message can be summarised: then the last exchange alone stays.
    if not reference:
        reference = typed[-1] if typed else 0
    detail = f"newest {rule.tokens:,} tokens, from a message of the person"
    return _tail(inputs, detail, start, reference or len(history), _BY_USER_MESSAGE)


def _newest_share(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest share of the characters of the messages' JSON."""
    history = inputs.history
    count = len(inputs.history)
    sizes = [
        len(json.dumps(message_entry(message), default=str)) for message in history
    ]
    older = [0, *accumulate(sizes)]
    older_size = sum(sizes) * (1 - rule.share)
    start = next((at for at, size in enumerate(older) if size >= older_size), count)
    starts = [
        at
        for at, message in enumerate(history)
        if message.speaker is Speaker.HUMAN and not any(tool_responses(message))
    ]
    is_finished = history[-1].speaker is Speaker.AI and not any(tool_calls(history[-1]))
    if is_finished:
        default_cut = count
    else:
        default_cut = next(reversed(starts), 0)
    reference = next((at for at in starts if older[at] >= older_size), default_cut)
    detail = f"newest {rule.share:.0%} of the characters, from a message of the person"
    return _tail(inputs, detail, start, reference, _BY_USER_MESSAGE)


def _newest_messages(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep a number of newest messages, and with results the calls that they answer."""
    start = max(0, len(inputs.history) - rule.messages)
    reference = next(at for at in range(start, -1, -1) if inputs.pairs.valid[at])
    return _tail(inputs, f"newest {rule.messages} messages", start, reference, _BY_CALL)


def _first_and_newest(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep the first and the newest messages; half remain, with the summary counted as one."""
    count = len(inputs.history)
    first = min(rule.first, count)
    newest = max(first, count - max(0, count // 2 - first - 1))
    split = _between(rule, inputs, first, newest, f"half of {count} messages remain")
    summarised = split.middle
    if summarised < max(1.0, rule.progress * count):
        if summarised == 1:
            between = "lies 1 message"
        else:
            between = f"lie {max(0, summarised)} messages"
        reason = (
            f"Between the first {rule.first} messages and the newest {between}; "
            f"less than {rule.progress:.0%} of {count} is not worth a summary."
        )
        return NoOp(NoOpCode.TOO_FEW, reason)
    kept_reason = f"It is among the first {rule.first} messages, or the newest, of which half remain."
    return SummarisedRange(split.top, split.top + summarised, split, kept_reason)


def _share_of_limit(rule: SplitRule, inputs: SplitInput) -> SummarisedRange | NoOp:
    """Keep the first messages, and of the newest what fits into a share of the limit, at least a
    number."""
    history = inputs.history
    count = len(inputs.history)
    tokens = share_of(inputs.limit or 0, rule.share)
    sums = suffix_sums(history, inputs.count)
    fitting = next((at for at in range(count) if sums[at] <= tokens), count - 1)
    detail = f"newest {tokens:,} tokens" + (
        f", at least {rule.messages} messages" if rule.messages else ""
    )
    newest = max(0, min(fitting, count - rule.messages))
    if not rule.first:
        return _tail(inputs, detail, newest, newest, _BY_CALL)
    first = min(rule.first, newest)
    split = _between(rule, inputs, first, newest, detail)
    if split.middle <= 0:
        return _tail_is_all(inputs, f"first {rule.first} messages, {detail}")
    kept_reason = f"It is among the first {rule.first} messages, or the {detail}."
    return SummarisedRange(split.top, split.top + split.middle, split, kept_reason)


_RULES: Mapping[
    KeptBesideSummary, Callable[[SplitRule, SplitInput], SummarisedRange | NoOp]
] = {
    KeptBesideSummary.NEWEST_TOKENS: _newest_tokens,
    KeptBesideSummary.NEWEST_EXCHANGES: _newest_exchanges,
    KeptBesideSummary.NEWEST_SHARE: _newest_share,
    KeptBesideSummary.NEWEST_MESSAGES: _newest_messages,
    KeptBesideSummary.FIRST_AND_NEWEST: _first_and_newest,
    KeptBesideSummary.SHARE_OF_LIMIT: _share_of_limit,
}


def _between(
    rule: SplitRule, inputs: SplitInput, first: int, newest: int, detail: str
) -> Split:
    """Return the split by a cut behind the first messages and one before the newest."""
    top = _snap(inputs, "top", first, f"first {rule.first} messages", keep_low=False)
    bottom = _snap(inputs, "bottom", newest, detail)
    return Split(
        top.index,
        bottom.index - top.index,
        len(inputs.history) - bottom.index,
        (top, bottom),
    )


def _tail(
    inputs: SplitInput, detail: str, start: int, reference: int, moved_by: str
) -> SummarisedRange | NoOp:
    """Summarise everything before one cut."""
    cut = _snap(inputs, "cut", start, detail, reference=reference, moved_by=moved_by)
    if cut.index == 0:
        return _tail_is_all(inputs, detail)
    split = Split(0, cut.index, len(inputs.history) - cut.index, (cut,))
    return SummarisedRange(0, cut.index, split, f"In the tail: {detail}.")


def _tail_is_all(inputs: SplitInput, detail: str) -> NoOp:
    count = len(inputs.history)
    tokens = inputs.count(inputs.history)
    size = f"{count} message{'' if count == 1 else 's'} and {tokens:,} tokens"
    return NoOp(
        NoOpCode.TAIL_COVERS_ALL,
        f"What stays ({detail}) is the whole history of {size}.",
    )


def _snap(
    inputs: SplitInput,
    name: str,
    requested: int,
    detail: str,
    *,
    reference: int | None = None,
    keep_low: bool = True,
    moved_by: str = _BY_CALL,
) -> Cut:
    """Return the agent's own cut, ``requested`` where it is not moved, or the nearest valid one; at
    least one message stays if the agent keeps one."""
    reference = requested if reference is None else reference
    request = CutRequest(
        name=name,
        requested=requested,
        requested_detail=detail,
        reference=reference,
        keep_low=keep_low,
        allowed=(0, max(reference, len(inputs.history) - 1)),
        moved_reason=moved_by,
        rule="Its own rule",
    )
    cut = snap_cut(request, inputs.pairs, safe=True, display_index=inputs.number_of)
    assert cut is not None  # 0 is always valid
    return cut


# Tool results of a history: their tool, size and text, and how to replace them.


class ToolClass(StrEnum):
    """The class of a tool in the table of tools; unlisted tools have none."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class ToolResultPlace:
    """A tool result: its message and block, the place of its call (None without one), its tool and
    tokens. ``block`` -1: the whole message, an observation written by a harness."""

    message: int
    block: int
    call: tuple[int, int] | None
    tool: str
    tokens: int


def tool_class(tool: str) -> ToolClass | None:
    if tool in SHELL_TOOLS or tool in FRESH_SHELL_TOOLS:
        return ToolClass.SHELL
    if tool in PATCH_TOOLS:
        return ToolClass.EDIT
    kind = TOOL_KINDS.get(tool)
    if kind:
        return ToolClass(kind.operation.value)
    return None


def find_results(
    context: StrategyContext, messages: Sequence[Message]
) -> list[ToolResultPlace]:
    """Return every result with content, oldest first."""
    calls = find_pairs(messages).calls
    found = []
    for index, message in enumerate(messages):
        for block in result_blocks(message):
            call = calls.get((index, block))
            if call:
                called = messages[call[0]].blocks[call[1]]
            else:
                called = None
            tool = called.name if isinstance(called, ToolCall) else ""
            found.append(
                result_at(
                    index,
                    message,
                    block,
                    call,
                    tool,
                    lambda one: context.estimate_tokens((one,)),
                )
            )
    return found


def result_blocks(message: Message) -> tuple[int, ...]:
    """Return the result blocks with content; -1 for an observation."""
    blocks = [
        block_index
        for block_index, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse) and block.result not in (None, "", MISSING)
    ]
    # An observation is the environment's response, written by a harness without tool calls. The
    # flags come
    # last: checking them is ten times slower.
    is_observation = (
        message.extra.get("message_type") == "observation"
        and message.flags & MessageFlag.META
    )
    if is_observation:
        return (-1, *blocks)
    return tuple(blocks)


def result_at(
    index: int,
    message: Message,
    block: int,
    call: tuple[int, int] | None,
    tool: str,
    count: Callable[[Message], int],
) -> ToolResultPlace:
    """Return the result at a place of ``result_blocks``; ``tool`` is from its call, ``count``
    returns tokens."""
    if block < 0:
        return ToolResultPlace(index, -1, None, "", count(message))
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    if len(message.blocks) == 1:
        single_block_message = message
    else:
        single_block_message = replace(message, blocks=(response,))
    return ToolResultPlace(
        index, block, call, tool or response.name, count(single_block_message)
    )


def result_text_at(message: Message, block: int) -> str:
    if block < 0:
        return plain_text(message)
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    text = result_text(response.result)
    value = response.result
    if text or isinstance(value, str):
        return text
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def with_text(message: Message, block: int, text: str) -> Message:
    """Replace the text of one result."""
    if block < 0:
        return replace(message, blocks=(Text(text),))
    response = message.blocks[block]
    assert isinstance(response, ToolResponse)
    return _with_block(message, block, replace(response, result=text))


def without_input(message: Message, block: int) -> Message:
    """Remove the arguments of one call; the message itself where it has none."""
    call = message.blocks[block]
    if not isinstance(call, ToolCall) or call.arguments == {}:
        return message
    return _with_block(message, block, replace(call, arguments={}))


def _with_block(message: Message, block_index: int, block: Block) -> Message:
    return replace(
        message,
        blocks=(
            *message.blocks[:block_index],
            block,
            *message.blocks[block_index + 1 :],
        ),
    )


def matches_tool(tool: str, names: Iterable[str]) -> bool:
    """Return whether a tool is one of these, in any agent's spelling."""
    return normalised_tool_name(tool) in {normalised_tool_name(name) for name in names}
