"""Rules by which presets split a history, as known agents do. Every cut goes through
``core.transcript.boundaries.snap_cut``, so that no pair is separated."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from core.facts.sentences import is_summary, plain_text
from core.transcript.boundaries import CutRequest, TokenCount, snap_cut, suffix_sums
from core.transcript.compaction import Cut, NoOp, NoOpCode, Split
from core.transcript.llxprt_content import message_entry
from core.transcript.model import Message, MessageFlag, Speaker, tool_calls, tool_responses
from core.transcript.tool_pairs import Pairs, find_pairs

_BY_RESULT = "results of tools, before which it never cuts, move it"
_BY_USER_MESSAGE = "the message of the person that it has to begin with moves it"
_BY_CALL = "the calls that the results answer move it"
_ANY_BOUNDS = (0, 0)  # placeholder bounds of a request; ``_snapped`` sets the real ones
_NOT_TYPED = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY


@dataclass(frozen=True, slots=True)
class SplitInput:
    """The current messages, their pairs, a token counter, and the displayed number (from 0) of a position."""

    history: Sequence[Message]
    count: TokenCount
    number_of: Callable[[int], int]
    pairs: Pairs


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


@dataclass(frozen=True, slots=True)
class SplitRule:
    """The table [split] of a preset; each kind reads its own numbers. ``share`` is a fraction of the
    characters, ``progress`` the smallest fraction of the messages worth a summary."""

    keep: KeptBesideSummary
    tokens: int = 0
    messages: int = 0
    share: float = 0.0
    first: int = 0
    progress: float = 0.0


def split_input(history: Sequence[Message], count: TokenCount, place: Callable[[int], int]) -> SplitInput:
    return SplitInput(history, count, place, find_pairs(history))


def divide_history(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Return the range to summarise, or why there is none."""
    if not split_messages.history:
        return NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty.")
    return _RULES[rule.keep](rule, split_messages)


def is_typed(message: Message) -> bool:
    """Return whether the user wrote the message: no harness row, tool result or earlier summary."""
    if message.speaker is not Speaker.HUMAN or message.flags & _NOT_TYPED:
        return False
    if any(tool_responses(message)) or any(tool_calls(message)):
        return False
    return bool(plain_text(message).strip()) and not is_summary(message)


def _keep_nothing(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    count = len(split_messages.history)
    return SummarisedRange(0, count, Split(0, count, 0))


def _newest_tokens(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest messages, back to the one that fills the tokens; never cut before a result."""
    count = len(split_messages.history)
    sums = suffix_sums(split_messages.history, split_messages.count)
    request_text = f"newest {rule.tokens:,} tokens"
    start = next((position for position in range(count, -1, -1) if sums[position] >= rule.tokens), 0)
    if start == 0:
        return _tail_is_all(split_messages, request_text)
    reference = next(
        (position for position in range(start, count) if not _is_result(split_messages.history[position])),
        start,
    )
    return _tail(split_messages, request_text, start, reference, _BY_RESULT)


def _newest_exchanges(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest messages within the tokens, at least one, and all back to a typed message. Where that
    is everything, keep only the newest exchange; where there is only one, keep nothing."""
    history = split_messages.history
    sums = suffix_sums(history, split_messages.count)
    start = next(
        (position for position in range(len(history) - 1) if sums[position] <= rule.tokens), len(history) - 1
    )
    typed_positions = [position for position, message in enumerate(history) if is_typed(message)]
    reference = next((position for position in reversed(typed_positions) if position <= start), 0)
    if reference == 0:
        reference = next(reversed(typed_positions), 0) or len(history)
    return _tail(
        split_messages,
        f"newest {rule.tokens:,} tokens, from a message of the person",
        start,
        reference,
        _BY_USER_MESSAGE,
    )


def _newest_share(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Keep the newest share of the characters of the messages' JSON. The cut is only before a message of the
    user: at the first one past the older share, else after the last answer, else at the last such message."""
    history = split_messages.history
    sizes = [len(json.dumps(message_entry(message), default=str)) for message in history]
    older, older_size = [0, *accumulate(sizes)], sum(sizes) * (1 - rule.share)
    start = next((position for position, size in enumerate(older) if size >= older_size), len(history))
    starts = [position for position, message in enumerate(history) if _is_from_user(message)]
    default_cut = len(history) if _is_finished(history) else next(reversed(starts), 0)
    reference = next((position for position in starts if older[position] >= older_size), default_cut)
    request_text = f"newest {rule.share:.0%} of the characters, from a message of the person"
    return _tail(split_messages, request_text, start, reference, _BY_USER_MESSAGE)


def _newest_messages(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Keep a number of newest messages, and with results the calls that they answer."""
    start = max(0, len(split_messages.history) - rule.messages)
    reference = next(position for position in range(start, -1, -1) if split_messages.pairs.valid[position])
    return _tail(split_messages, f"newest {rule.messages} messages", start, reference, _BY_CALL)


def _first_and_newest(rule: SplitRule, split_messages: SplitInput) -> SummarisedRange | NoOp:
    """Keep the first and the newest messages; half remain, with the summary counted as one."""
    count = len(split_messages.history)
    first = min(rule.first, count)
    newest_start = max(first, count - max(0, count // 2 - first - 1))
    half_text = f"half of {count} messages remain"
    top = _snap(
        split_messages, CutRequest("top", first, f"first {rule.first} messages", first, False, _ANY_BOUNDS)
    )
    bottom = _snap(
        split_messages, CutRequest("bottom", newest_start, half_text, newest_start, True, _ANY_BOUNDS)
    )
    summarised = bottom.index - top.index
    if summarised < max(1.0, rule.progress * count):
        between_text = "lies 1 message" if summarised == 1 else f"lie {max(0, summarised)} messages"
        reason = (
            f"Between the first {rule.first} messages and the newest {between_text}; "
            f"less than {rule.progress:.0%} of {count} is not worth a summary."
        )
        return NoOp(NoOpCode.TOO_FEW, reason)
    split = Split(top.index, summarised, count - bottom.index, (top, bottom))
    kept_reason = f"Among the first {rule.first} messages or the newest, of which half remain."
    return SummarisedRange(top.index, bottom.index, split, kept_reason)


_RULES: Mapping[KeptBesideSummary, Callable[[SplitRule, SplitInput], SummarisedRange | NoOp]] = {
    KeptBesideSummary.NOTHING: _keep_nothing,
    KeptBesideSummary.NEWEST_TOKENS: _newest_tokens,
    KeptBesideSummary.NEWEST_EXCHANGES: _newest_exchanges,
    KeptBesideSummary.NEWEST_SHARE: _newest_share,
    KeptBesideSummary.NEWEST_MESSAGES: _newest_messages,
    KeptBesideSummary.FIRST_AND_NEWEST: _first_and_newest,
}


def _is_from_user(message: Message) -> bool:
    return message.speaker is Speaker.HUMAN and not any(tool_responses(message))


def _is_result(message: Message) -> bool:
    return message.speaker is Speaker.TOOL or any(tool_responses(message))


def _is_finished(history: Sequence[Message]) -> bool:
    """Return whether the last message is the model's and has no tool calls."""
    return bool(history) and history[-1].speaker is Speaker.AI and not any(tool_calls(history[-1]))


def _tail(
    split_messages: SplitInput, request_text: str, start: int, reference: int, moved_by: str
) -> SummarisedRange | NoOp:
    """Summarise everything before one cut."""
    cut = _snap(
        split_messages, CutRequest("cut", start, request_text, reference, True, _ANY_BOUNDS, moved_by)
    )
    if cut.index == 0:
        return _tail_is_all(split_messages, request_text)
    count = len(split_messages.history)
    return SummarisedRange(
        0, cut.index, Split(0, cut.index, count - cut.index, (cut,)), f"In the tail: {request_text}."
    )


def _tail_is_all(split_messages: SplitInput, request_text: str) -> NoOp:
    count = len(split_messages.history)
    size_text = (
        f"{count} message{'' if count == 1 else 's'} and "
        f"{split_messages.count(split_messages.history):,} tokens"
    )
    return NoOp(NoOpCode.TAIL_COVERS_ALL, f"What stays ({request_text}) is the whole history of {size_text}.")


def _snap(split_messages: SplitInput, request: CutRequest) -> Cut:
    """Return the agent's own cut or the nearest valid one; at least one message stays if the agent keeps
    one."""
    allowed = (0, max(request.reference, len(split_messages.history) - 1))
    cut = snap_cut(
        replace(request, allowed=allowed, rule="Its own rule"),
        split_messages.pairs,
        safe=True,
        display_index=split_messages.number_of,
    )
    if cut is None:  # pragma: no cover - 0 is always valid
        raise AssertionError("no valid boundary")
    return cut
