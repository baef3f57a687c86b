"""Where presets divide a history: the rules by which known agents cut, as functions of their numbers.

Every cut goes through ``core.transcript.boundaries.snap_cut``, so that no pair is ever separated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from core.facts.sentences import is_summary, plain_text
from core.transcript.boundaries import CutRequest, TokenCount, snap_cut, suffix_sums
from core.transcript.compaction import Cut, NoOp, NoOpCode, Split
from core.transcript.llxprt_content import entry_from
from core.transcript.model import Message, MessageFlag, Speaker, tool_calls, tool_responses
from core.transcript.tool_pairs import Pairs, find_pairs

_BY_RESULT = "results of tools, before which it never cuts, move it"
_BY_PERSON = "the message of the person that it has to begin with moves it"
_BY_CALL = "the calls that the results answer move it"
_EVERYWHERE = (0, 0)  # bounds of a wish; ``_snapped`` puts the real ones
_NOT_TYPED = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY


@dataclass(frozen=True, slots=True)
class SplitInput:
    """What a rule looks at: the messages that are there now, their pairs, tokens of messages, and the
    number (from 0) by which people know a position."""

    history: Sequence[Message]
    count: TokenCount
    place: Callable[[int], int]
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class SummarisedRange:
    """Messages [start, end) are summarised; ``kept`` says why those around them stay."""

    start: int
    end: int
    split: Split
    kept: str = ""


class KeptBesideSummary(StrEnum):
    """What stays beside the summary."""

    NOTHING = "nothing"
    NEWEST_TOKENS = "newest tokens"
    NEWEST_EXCHANGES = "newest exchanges"
    NEWEST_SHARE = "newest share"
    NEWEST_MESSAGES = "newest messages"
    FIRST_AND_NEWEST = "first and newest"


@dataclass(frozen=True, slots=True)
class SplitRule:
    """The table [split] of a preset; each kind reads its own numbers.

    ``share`` is a fraction of the characters, ``progress`` the least fraction of the messages that has
    to go.
    """

    keep: KeptBesideSummary
    tokens: int = 0
    messages: int = 0
    share: float = 0.0
    first: int = 0
    progress: float = 0.0


def split_input(history: Sequence[Message], count: TokenCount, place: Callable[[int], int]) -> SplitInput:
    """A history with its pairs, as the rules want it."""
    return SplitInput(history, count, place, find_pairs(history))


def divide_history(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """What is summarised, or why nothing is."""
    if not given.history:
        return NoOp(NoOpCode.EMPTY_HISTORY, "The history is empty.")
    return _RULES[rule.keep](rule, given)


def is_typed(message: Message) -> bool:
    """True for what a person wrote: no row of a harness, no result of a tool, no earlier summary."""
    if message.speaker is not Speaker.HUMAN or message.flags & _NOT_TYPED:
        return False
    if any(tool_responses(message)) or any(tool_calls(message)):
        return False
    return bool(plain_text(message).strip()) and not is_summary(message)


def _nothing(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """A fresh start."""
    count = len(given.history)
    return SummarisedRange(0, count, Split(0, count, 0))


def _newest_tokens(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """The newest messages, back to the one that fills the tokens; the cut is never before a result."""
    count = len(given.history)
    sums = suffix_sums(given.history, given.count)
    wish = f"newest {rule.tokens:,} tokens"
    asked = next((at for at in range(count, -1, -1) if sums[at] >= rule.tokens), 0)
    if asked == 0:
        return _tail_is_all(given, wish)
    reference = next((at for at in range(asked, count) if not _of_tool(given.history[at])), asked)
    return _tail(given, wish, asked, reference, _BY_RESULT)


def _newest_exchanges(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """The newest messages within the tokens, at least one, and before them all back to what a person
    typed. Where that is everything, only the newest exchange; where there is only one, nothing."""
    history = given.history
    sums = suffix_sums(history, given.count)
    asked = next((at for at in range(len(history) - 1) if sums[at] <= rule.tokens), len(history) - 1)
    typed = [at for at, message in enumerate(history) if is_typed(message)]
    reference = next((at for at in reversed(typed) if at <= asked), 0)
    if reference == 0:
        reference = next(reversed(typed), 0) or len(history)
    return _tail(
        given, f"newest {rule.tokens:,} tokens, from a message of the person", asked, reference, _BY_PERSON
    )


def _newest_share(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """The newest share of the characters of the messages' JSON; the cut is only before what comes from
    the person: at the first such message past the older share, else after the last answer, else at the
    last such message."""
    history = given.history
    sizes = [len(json.dumps(entry_from(message), default=str)) for message in history]
    older, wanted = [0, *accumulate(sizes)], sum(sizes) * (1 - rule.share)
    asked = next((at for at, size in enumerate(older) if size >= wanted), len(history))
    starts = [at for at, message in enumerate(history) if _of_person(message)]
    otherwise = len(history) if _is_finished(history) else next(reversed(starts), 0)
    reference = next((at for at in starts if older[at] >= wanted), otherwise)
    wish = f"newest {rule.share:.0%} of the characters, from a message of the person"
    return _tail(given, wish, asked, reference, _BY_PERSON)


def _newest_messages(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """A number of newest messages, and with results the calls that they answer."""
    asked = max(0, len(given.history) - rule.messages)
    reference = next(at for at in range(asked, -1, -1) if given.pairs.valid[at])
    return _tail(given, f"newest {rule.messages} messages", asked, reference, _BY_CALL)


def _first_and_newest(rule: SplitRule, given: SplitInput) -> SummarisedRange | NoOp:
    """The first messages and the newest, so that half remain with the summary counted as one."""
    count = len(given.history)
    first = min(rule.first, count)
    rest = max(first, count - max(0, count // 2 - first - 1))
    half = f"half of {count} messages remain"
    top = _snapped(given, CutRequest("top", first, f"first {rule.first} messages", first, False, _EVERYWHERE))
    bottom = _snapped(given, CutRequest("bottom", rest, half, rest, True, _EVERYWHERE))
    gone = bottom.index - top.index
    if gone < max(1.0, rule.progress * count):
        between = "lies 1 message" if gone == 1 else f"lie {max(0, gone)} messages"
        reason = (
            f"Between the first {rule.first} messages and the newest {between}; "
            f"less than {rule.progress:.0%} of {count} is not worth a summary."
        )
        return NoOp(NoOpCode.TOO_FEW, reason)
    split = Split(top.index, gone, count - bottom.index, (top, bottom))
    kept = f"Among the first {rule.first} messages or the newest, of which half remain."
    return SummarisedRange(top.index, bottom.index, split, kept)


_RULES: Mapping[KeptBesideSummary, Callable[[SplitRule, SplitInput], SummarisedRange | NoOp]] = {
    KeptBesideSummary.NOTHING: _nothing,
    KeptBesideSummary.NEWEST_TOKENS: _newest_tokens,
    KeptBesideSummary.NEWEST_EXCHANGES: _newest_exchanges,
    KeptBesideSummary.NEWEST_SHARE: _newest_share,
    KeptBesideSummary.NEWEST_MESSAGES: _newest_messages,
    KeptBesideSummary.FIRST_AND_NEWEST: _first_and_newest,
}


def _of_person(message: Message) -> bool:
    return message.speaker is Speaker.HUMAN and not any(tool_responses(message))


def _of_tool(message: Message) -> bool:
    return message.speaker is Speaker.TOOL or any(tool_responses(message))


def _is_finished(history: Sequence[Message]) -> bool:
    """True where the last word is the model's and waits for no tool."""
    return bool(history) and history[-1].speaker is Speaker.AI and not any(tool_calls(history[-1]))


def _tail(given: SplitInput, wish: str, asked: int, reference: int, moved: str) -> SummarisedRange | NoOp:
    """Everything before one cut."""
    cut = _snapped(given, CutRequest("cut", asked, wish, reference, True, _EVERYWHERE, moved))
    if cut.index == 0:
        return _tail_is_all(given, wish)
    count = len(given.history)
    return SummarisedRange(
        0, cut.index, Split(0, cut.index, count - cut.index, (cut,)), f"In the tail: {wish}."
    )


def _tail_is_all(given: SplitInput, wish: str) -> NoOp:
    count = len(given.history)
    whole = f"{count} message{'' if count == 1 else 's'} and {given.count(given.history):,} tokens"
    return NoOp(NoOpCode.TAIL_COVERS_ALL, f"What stays ({wish}) is the whole history of {whole}.")


def _snapped(given: SplitInput, wish: CutRequest) -> Cut:
    """The cut at the agent's own index, or at the valid boundary nearest to it that leaves a message where
    the agent leaves one."""
    allowed = (0, max(wish.reference, len(given.history) - 1))
    cut = snap_cut(
        replace(wish, allowed=allowed, rule="Its own rule"), given.pairs, safe=True, place=given.place
    )
    if cut is None:  # pragma: no cover - 0 is always valid
        raise AssertionError("no valid boundary")
    return cut
