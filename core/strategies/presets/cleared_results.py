"""Which results of tools a rule clears, kept up to date while messages come.

A result that is old, exempt or cleared stays so as long as messages are only added: a turn looks at the
few that the newest messages moved.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.strategies.presets.split import is_typed
from core.strategies.presets.tool_results import (
    ToolClass,
    ToolResultPlace,
    is_named,
    places_of,
    result_at,
    text_of,
    tool_class,
    with_text,
)
from core.transcript.model import Message, MessageFlag, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import ToolPairJoiner

ResultPlace: TypeAlias = tuple[int, int]
"""Message and block."""

NOT_SHORTER = "The placeholder would not be shorter."
_CLEARED = "Cleared before."


@dataclass(frozen=True, slots=True)
class ClearingRule:
    """Which results of tools are cleared, and what takes their place: ``placeholder``.

    ``keep`` newest results and ``keep_tokens`` newest tokens of results stay (the result that crosses
    the latter does not); so do those in the newest ``keep_turns`` turns of the person, and with
    ``keep_last_turn`` those after the last word of the model. Only results of ``classes`` and ``tools``
    count, where either is given, and none of ``except_tools``. Nothing happens below ``minimum`` tokens
    of results that would go. ``stop_at_summary``: nothing before the newest recorded summary is touched.
    In the placeholder ``{preview}`` stands for the first ``head`` and the last ``tail`` characters,
    ``{lines}`` for the count of lines, ``{number}`` for that of the message. ``clear_inputs``: the
    arguments of the calls go as well.
    """

    placeholder: str
    keep: int = 0
    keep_tokens: int = 0
    keep_turns: int = 0
    keep_last_turn: bool = False
    minimum: int = 0
    classes: tuple[ToolClass, ...] = ()
    tools: tuple[str, ...] = ()
    except_tools: tuple[str, ...] = ()
    stop_at_summary: bool = False
    head: int = 0
    tail: int = 0
    clear_inputs: bool = False

    def is_cleared(self, tool: str) -> bool:
        """True where the rule is about the results of a tool."""
        if is_named(tool, self.except_tools):
            return False
        if not self.classes and not self.tools:
            return True
        return tool_class(tool) in self.classes or is_named(tool, self.tools)

    def text(self, text: str, number: int) -> str:
        """What stands in place of a result that says ``text`` in the message of that number."""
        made = self.placeholder.replace("{lines}", f"{len(text.splitlines()):,}")
        return made.replace("{number}", f"{number}").replace("{preview}", self._preview(text))

    def _preview(self, text: str) -> str:
        left = len(text) - self.head - self.tail
        if left <= 0:
            return text
        return f"{text[: self.head]}\n[… {left:,} characters left out …]\n{text[self.head + left :]}"


@dataclass(frozen=True, slots=True)
class ClearingDecision:
    """The placeholders by result, oldest first; ``note`` says why there is none."""

    texts: Mapping[ToolResultPlace, str]
    note: str = ""


@dataclass(slots=True)
class _ResultPairing:
    """Which call each response answers, and the tools of the calls."""

    joiner: ToolPairJoiner = field(default_factory=ToolPairJoiner)
    calls: dict[ResultPlace, ResultPlace] = field(default_factory=dict)
    tools: dict[ResultPlace, str] = field(default_factory=dict)
    _known: int = 0

    def add(self, place: int, message: Message) -> int:
        """The next message; the place of the oldest response that found its call only now."""
        for block, one in enumerate(message.blocks):
            if isinstance(one, ToolCall):
                self.tools[place, block] = one.name
        self.joiner.add(((place, message),))
        oldest = place
        for pair in self.joiner.pairs[self._known :]:
            self.calls[pair.response, pair.response_block] = pair.call, pair.call_block
            oldest = min(oldest, pair.response)
        self._known = len(self.joiner.pairs)
        return oldest


class ClearableResults:
    """The results of one history, sorted by a rule. ``count``: tokens of a message; ``number`` of a place:
    by which people know its message."""

    def __init__(
        self, rule: ClearingRule, count: Callable[[Message], int], number: Callable[[int], int]
    ) -> None:
        self._rule, self._count, self._number = rule, count, number
        self._pairing = _ResultPairing()
        self._messages: dict[int, Message] = {}  # those with results
        self._ahead: deque[tuple[int, Sequence[int]]] = deque()  # results in turns that are left alone
        self._said: dict[ToolResultPlace, str] = {}  # why results are exempt
        self._newest: deque[ToolResultPlace] = deque()  # protected
        self._old: list[ToolResultPlace] = []
        self._stuck: list[ToolResultPlace] = []  # old, and a placeholder would not be shorter
        self._waiting = self._protected = self._gain = 0  # results ahead; tokens
        self._reasons: dict[str, tuple[int, ResultPlace]] = {}  # of the exempt: how many, and the newest
        self._sorted = 0  # messages before this place are sorted
        self._last_ai, self._summary = -1, 0
        self._typed: deque[int] = deque(maxlen=rule.keep_turns)
        self._are_cleared: dict[str, bool] = {}
        self.is_lost = False
        """True where what came may change what was sorted before: all has to be sorted anew."""

    def add(self, place: int, message: Message) -> None:
        """The next message, at its place in the history."""
        rule = self._rule
        oldest = self._pairing.add(place, message)
        if message.speaker is Speaker.AI:
            self._last_ai = place
        if rule.keep_turns and is_typed(message):
            self._typed.append(place)
        if rule.stop_at_summary and message.flags & MessageFlag.RECORDED_SUMMARY:
            self._summary, oldest = place, 0
        self.is_lost = self.is_lost or oldest < self._sorted
        if blocks := places_of(message):
            if blocks[0] < 0 and any(isinstance(one, ToolCall | ToolResponse) for one in message.blocks):
                self.is_lost = True  # to clear the observation would take half of a pair away
            self._messages[place] = message
            self._ahead.append((place, blocks))
            self._waiting += len(blocks)

    def verdict(self) -> ClearingDecision:
        """What becomes of the results now."""
        self._sort()
        minimum = self._rule.minimum
        if (self._old or self._stuck) and self._gain < minimum:
            return ClearingDecision(
                {}, f"{self._gain:,} tokens of results are old; it acts from {minimum:,} on."
            )
        texts: dict[ToolResultPlace, str] = {}
        for one in self._old:
            text = self._rule.text(self.text(one), self._number(one.message))
            if self._is_shorter(one, text):
                texts[one] = text
            else:
                self._stuck.append(one)
        self._old = [*texts]
        return ClearingDecision(texts, "" if texts else self._nothing())

    def rewritten(self, texts: Mapping[ToolResultPlace, str]) -> dict[int, Message]:
        """The messages with these placeholders, by place."""
        new: dict[int, Message] = {}
        for one, text in texts.items():
            new[one.message] = with_text(new.get(one.message, self._messages[one.message]), one.block, text)
        return new

    def took(self, new: Mapping[int, Message]) -> None:
        """These messages, rewritten by the last verdict, stand in the history now."""
        self._messages |= new
        for one in self._old:
            self._gain -= one.tokens
            if not self._is_cleared_text(one):
                self.is_lost = True  # an empty placeholder: it is no result any more
            self._exempt(one, _CLEARED)
        self._old = []
        self._protect_again()

    def tokens(self, new: Mapping[int, Message]) -> int:
        """Tokens that these messages have more than those in their places."""
        count = self._count
        return sum(count(message) - count(self._messages[place]) for place, message in new.items())

    def text(self, one: ToolResultPlace) -> str:
        """What a result says."""
        return text_of(self._messages[one.message], one.block)

    def stays(self) -> dict[ToolResultPlace, str]:
        """Why results stay that are not old, newest first, and those whose placeholder is no shorter."""
        ahead = {self._result(place, block): self._alone for place, found in self._ahead for block in found}
        newest = len(self._newest) - self._rule.keep
        protected = {one: self._why(at >= newest) for at, one in enumerate(self._newest)}
        every = self._said | protected | ahead
        ordered = sorted(every, key=lambda one: (one.message, one.block), reverse=True)
        return {one: every[one] for one in ordered} | dict.fromkeys(self._stuck, NOT_SHORTER)

    @property
    def old(self) -> Sequence[ToolResultPlace]:
        """The old results whose placeholder may be shorter, oldest first."""
        return self._old

    @property
    def _alone(self) -> str:
        turns = self._rule.keep_turns
        return f"In the newest {turns} turns." if turns else "In the last turn."

    def _why(self, is_newest: bool) -> str:
        """Why a protected result stays."""
        rule = self._rule
        if is_newest:
            return f"Among the {rule.keep} newest results."
        return f"Protected: the newest {rule.keep_tokens:,} tokens of tool output."

    def _end(self, end: int) -> int:
        """Results from here on lie in the turns that are left alone; ``end``: behind all messages."""
        rule = self._rule
        if rule.keep_last_turn:
            end = self._last_ai + 1
        if rule.keep_turns:
            end = min(end, self._typed[0] if len(self._typed) == rule.keep_turns else 0)
        return end

    def _sort(self) -> None:
        """Sort the results that are not left alone any more, and those that are not protected any more."""
        ahead, newest = self._ahead, self._newest
        end = self._end(ahead[-1][0] + 1) if ahead else 0
        while ahead and ahead[0][0] < end:
            place, blocks = ahead.popleft()
            self._waiting -= len(blocks)
            self._sorted = place + 1
            for block in blocks:
                self._put(self._result(place, block))
        while newest and not self._is_protected(len(newest), 0):
            one = newest.popleft()
            self._protected -= one.tokens
            self._gain += one.tokens
            self._old.append(one)

    def _protect_again(self) -> None:
        """Those that stayed behind cleared ones may be among the newest now that these do not count."""
        while self._stuck and self._is_protected(len(self._newest) + 1, self._stuck[-1].tokens):
            one = self._stuck.pop()
            self._gain -= one.tokens
            self._protected += one.tokens
            self._newest.appendleft(one)

    def _is_protected(self, count: int, more: int) -> bool:
        """True where the oldest of so many newest results stays; ``more``: its tokens, if not counted yet."""
        return count <= self._rule.keep or self._protected + more <= self._rule.keep_tokens

    def _put(self, one: ToolResultPlace) -> None:
        """One result that is not left alone: exempt for good, or among the newest for now."""
        if one.message < self._summary:
            self._exempt(one, "Before the summary of an earlier compaction.")
        elif not self._is_cleared(one.tool):
            self._exempt(one, f"Results of {one.tool or 'a tool without a name'} are never cleared.")
        elif self._is_cleared_text(one):
            self._exempt(one, _CLEARED)
        else:
            self._newest.append(one)
            self._protected += one.tokens

    def _exempt(self, one: ToolResultPlace, why: str) -> None:
        self._said[one] = why
        count, newest = self._reasons.get(why, (0, (-1, -1)))
        self._reasons[why] = count + 1, max(newest, (one.message, one.block))

    def _result(self, place: int, block: int) -> ToolResultPlace:
        call = self._pairing.calls.get((place, block))
        tool = self._pairing.tools[call] if call is not None else ""
        return result_at(place, self._messages[place], block, call, tool, self._count)

    def _is_cleared(self, tool: str) -> bool:
        if tool not in self._are_cleared:
            self._are_cleared[tool] = self._rule.is_cleared(tool)
        return self._are_cleared[tool]

    def _is_cleared_text(self, one: ToolResultPlace) -> bool:
        return self.text(one).startswith(self._rule.placeholder.partition("{")[0])

    def _is_shorter(self, one: ToolResultPlace, text: str) -> bool:
        message = self._messages[one.message]
        return self._count(with_text(message, one.block, text)) < self._count(message)

    def _nothing(self) -> str:
        """Why nothing was cleared: the reason of most results, of as many that of the newest."""
        reasons = dict(self._reasons)
        if self._waiting:
            reasons[self._alone] = self._waiting, (self._ahead[-1][0], self._ahead[-1][1][-1])
        newest, keep = self._newest, min(len(self._newest), self._rule.keep)
        if keep:
            reasons[self._why(True)] = keep, (newest[-1].message, newest[-1].block)
        if len(newest) > keep:
            one = newest[-keep - 1]
            reasons[self._why(False)] = len(newest) - keep, (one.message, one.block)
        by_newest = sorted(reasons.items(), key=lambda item: item[1][1], reverse=True)
        ordered = Counter({why: count for why, (count, _) in by_newest})
        if self._stuck:
            ordered[NOT_SHORTER] = len(self._stuck)
        return _said_of(ordered)


def _said_of(reasons: Counter[str]) -> str:
    if not reasons:
        return "No message holds the result of a tool."
    count = reasons.total()
    [(reason, _)] = reasons.most_common(1)
    many = f"None of the {count:,} results goes" if count > 1 else "The one result stays"
    return f"{many}: {reason[0].lower()}{reason[1:]}"
