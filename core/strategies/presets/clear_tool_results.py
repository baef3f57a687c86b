"""Clears old tool results: replaces them by a placeholder, which may keep both ends of the text.
One rule for all agents that mask tool output. An old, exempt or cleared result stays so while
messages are only added, so a turn costs only the few results that the newest messages affect."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.common import number_format
from core.common.number_format import share_of
from core.strategies.base import HistoryEdits, StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import require_limit, within_target
from core.strategies.presets.preset import PassResult
from core.strategies.presets.split import (
    ToolClass,
    ToolResultPlace,
    find_results,
    is_typed,
    matches_tool,
    result_at,
    result_blocks,
    result_text_at,
    tool_class,
    with_text,
    without_input,
)
from core.strategies.stubs import STUB_START, with_stubs
from core.transcript.compaction import FateKind, FateStep, NoOp, NoOpCode
from core.transcript.model import Message, MessageFlag, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import ToolPairJoiner, is_marked_failed

ResultPlace: TypeAlias = tuple[int, int]  # message and block index
RULE = "old results"
INPUT_RULE = "old inputs"
NOT_SHORTER = "The placeholder would not be shorter."
_CLEARED = "Cleared before."
_MAX_TOOLS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearToolResults:
    """Replaces old tool results by a ``placeholder``. The ``keep`` newest results and the newest
    ``keep_tokens`` tokens of results stay (the result that crosses that number does not), as do
    those in the user's newest ``keep_turns`` turns and, with ``keep_last_turn``, those after the
    model's last message. Only results of ``classes`` and ``tools`` count, where either is given,
    and none of ``except_tools``. Nothing is cleared where that would remove less than ``minimum``
    tokens. ``stop_at_summary``: nothing before the newest recorded summary is cleared. In the
    placeholder ``{preview}`` becomes the first ``head`` and the last ``tail`` characters,
    ``{lines}`` the number of lines, ``{number}`` that of the message. ``clear_inputs``: the
    arguments of the calls are cleared as well."""

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
        """Return whether the rule applies to results of a tool."""
        if matches_tool(tool, self.except_tools):
            return False
        if not self.classes and not self.tools:
            return True
        return tool_class(tool) in self.classes or matches_tool(tool, self.tools)

    def placeholder_text(self, text: str, number: int) -> str:
        """Return the placeholder for a result with this text in the message of that number."""
        placeholder = self.placeholder.replace("{lines}", f"{len(text.splitlines()):,}")
        return placeholder.replace("{number}", f"{number}").replace(
            "{preview}", self._preview(text)
        )

    def _preview(self, text: str) -> str:
        omitted = len(text) - self.head - self.tail
        if omitted <= 0:
            return text
        return (
            f"{text[: self.head]}\n[… {omitted:,} characters left out "
            f"…]\n{text[self.head + omitted :]}"
        )

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        def number(index: int) -> int:
            origins = draft.entries[index].origins
            # An inserted entry has no number in the source.
            if origins:
                return context.source_index(origins[0]) + 1
            return 0

        clearable = ClearableResults(
            self, lambda message: context.estimate_tokens((message,)), number
        )
        for index, entry in enumerate(draft.entries):
            clearable.add(index, entry.message)
        decision = clearable.decide()
        kept_reasons = clearable.kept_reasons()
        if decision.placeholders:
            draft = with_edited(draft, self._changes(draft, clearable, decision))
        else:
            # Below the minimum nothing goes, and each old result is told why.
            # Below the minimum.
            kept_reasons |= dict.fromkeys(clearable.old, decision.note)
        steps = {
            reason: FateStep(RULE, FateKind.KEPT, reason)
            for reason in kept_reasons.values()
        }
        kept_steps = {
            origin: steps[reason]
            for result, reason in kept_reasons.items()
            for origin in draft.entries[result.message].origins
        }
        return PassResult(draft, kept_steps, decision.note)

    def _changes(
        self,
        draft: HistoryDraft,
        clearable: ClearableResults,
        decision: ClearingDecision,
    ) -> dict[int, tuple[Message, FateStep]]:
        """Return the messages with placeholders, without the call arguments if those are cleared
        too."""
        new = clearable.with_placeholders(decision.placeholders)
        tools: dict[int, list[str]] = defaultdict(list)
        for result in decision.placeholders:
            tools[result.message].append(result.tool)
            if self.clear_inputs and result.call:
                at, block = result.call
                message = new.get(at, draft.entries[at].message)
                # Not all calls have arguments that are worth clearing.
                shorter = without_input(message, block)
                if shorter is not message:
                    new[at] = shorter
        inputs_step = FateStep(
            INPUT_RULE,
            FateKind.EDITED,
            "The arguments of its calls went with their results.",
        )
        steps = {index: self._step(names) for index, names in tools.items()}
        return {
            index: (message, steps.get(index, inputs_step))
            for index, message in new.items()
        }

    def _step(self, tools: Sequence[str]) -> FateStep:
        if self.keep:
            protected = [f"the {self.keep} newest results"]
        else:
            protected = []
        protected += (
            [f"the newest {self.keep_tokens:,} tokens of tool output"]
            if self.keep_tokens
            else []
        )
        if protected:
            scope = f"Beyond {' and '.join(protected)}"
        else:
            scope = "Old"
        outcome = f"{len(tools)} results became placeholders"
        if len(tools) == 1:
            if tools[0]:
                subject = f"the result of {tools[0]}"
            else:
                subject = "it"
            outcome = f"{subject} became a placeholder"
        return FateStep(RULE, FateKind.EDITED, f"{scope}: {outcome}.")


def _tools_of(index: int, message: Message) -> dict[tuple[int, int], str]:
    """Return the names of the tools that a message calls, by the place of the call."""
    calls = enumerate(message.blocks)
    return {
        (index, place): call.name for place, call in calls if isinstance(call, ToolCall)
    }


def _never_cleared(tools: Sequence[str]) -> str:
    names = [tool or "a tool without a name" for tool in tools[:_MAX_TOOLS]]
    if len(tools) > _MAX_TOOLS:
        names.append(number_format.plural(len(tools) - _MAX_TOOLS, "more tool"))
    *front, last = names
    listed = f"{', '.join(front)} and {last}" if front else last
    return f"Results of {listed} are never cleared."


def _has_part_of_pair(message: Message) -> bool:
    return any(isinstance(block, ToolCall | ToolResponse) for block in message.blocks)


@dataclass(frozen=True, slots=True)
class ClearingDecision:
    """The placeholders by result, oldest first; ``note`` says why there is none."""

    placeholders: Mapping[ToolResultPlace, str]
    note: str = ""


class ClearableResults:
    """The tool results of one history, classified by a rule; an ``IncrementalCompactor``."""

    def __init__(
        self,
        rule: ClearToolResults,
        count: Callable[[Message], int],
        number: Callable[[int], int],
    ) -> None:
        self._rule, self._count, self._number = rule, count, number
        self._joiner, self._joined = ToolPairJoiner(), 0  # pairs that were looked at
        self._calls: dict[ResultPlace, ResultPlace] = {}  # the call of each response
        self._tools: dict[ResultPlace, str] = {}  # the tool of each call
        self._messages: dict[int, Message] = {}  # only those with results
        # Results in protected turns.
        self._in_protected_turns: deque[tuple[int, Sequence[int]]] = deque()
        # Reasons of exempt results.
        self._exempt_reasons: dict[ToolResultPlace, str] = {}
        self._newest: deque[ToolResultPlace] = deque()  # protected results
        # Their placeholder may be shorter, oldest first.
        self.old: list[ToolResultPlace] = []
        # Old, but a placeholder would not be shorter.
        self._not_shorter: list[ToolResultPlace] = []
        self._in_protected_turns_count = 0  # results
        turns = rule.keep_turns
        if turns:
            self._protected_turns_reason = f"It is in the newest {turns} turns."
        else:
            self._protected_turns_reason = "It is in the last turn."
        self._protected_tokens = self._old_tokens = 0
        # Of exempt results: count and newest.
        self._exempt_counts: dict[str, tuple[int, ResultPlace]] = {}
        self._exempt_tools: dict[str, None] = {}  # whose results are never cleared
        self._classified_end = 0  # messages before this index are classified
        self._last_ai, self._summary_index = -1, 0
        self._typed_indices: deque[int] = deque(maxlen=rule.keep_turns)
        self._has_messages = self.needs_restart = False
        """Set when a new message may change earlier decisions; all messages must then be added
        again."""

    def add(self, index: int, message: Message) -> None:
        """Add the message at an index of the history."""
        rule, oldest, self._has_messages = self._rule, index, True
        self._tools |= _tools_of(index, message)
        # The joiner may pair an older result with a call that only now is known.
        self._joiner.add(((index, message),))
        for pair in self._joiner.pairs[self._joined :]:
            self._calls[pair.response, pair.response_block] = pair.call, pair.call_block
            oldest = min(oldest, pair.response)  # of the responses whose call is new
        self._joined = len(self._joiner.pairs)
        if message.speaker is Speaker.AI:
            self._last_ai = index
        if rule.keep_turns and is_typed(message):
            self._typed_indices.append(index)
        # A summary moves the border for all that came before it.
        if rule.stop_at_summary and message.flags & MessageFlag.RECORDED_SUMMARY:
            self._summary_index, oldest = index, 0
        self.needs_restart = self.needs_restart or oldest < self._classified_end
        if blocks := result_blocks(message):
            if blocks[0] < 0 and _has_part_of_pair(message):
                # Clearing the observation would remove half of a pair.
                self.needs_restart = (
                    True  # clearing the observation would remove half of a pair
                )
            self._messages[index] = message
            self._in_protected_turns.append((index, blocks))
            self._in_protected_turns_count += len(blocks)

    def decide(self) -> ClearingDecision:
        """Return the current decision for all results."""
        self._classify()
        minimum = self._rule.minimum
        if (self.old or self._not_shorter) and self._old_tokens < minimum:
            return ClearingDecision(
                {},
                f"{self._old_tokens:,} tokens of results are old; it acts from {minimum:,} on.",
            )
        placeholders: dict[ToolResultPlace, str] = {}
        for result in self.old:
            text = self._rule.placeholder_text(
                self.result_text(result), self._number(result.message)
            )
            message = self._messages[result.message]
            # Compared by the whole message, as the counter adds an overhead for each.
            if self._count(with_text(message, result.block, text)) < self._count(
                message
            ):
                placeholders[result] = text
            else:
                self._not_shorter.append(result)
        self.old = [*placeholders]
        return ClearingDecision(
            placeholders, "" if placeholders else self._nothing_cleared_reason()
        )

    def with_placeholders(
        self, placeholders: Mapping[ToolResultPlace, str]
    ) -> dict[int, Message]:
        new: dict[int, Message] = {}
        for result, text in placeholders.items():
            message = new.get(result.message, self._messages[result.message])
            new[result.message] = with_text(message, result.block, text)
        return new

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the result of ``compress``, which does not depend on the sizes."""
        if self.needs_restart or not self._has_messages:
            return None
        decision = self.decide()
        count = self._count
        if not decision.placeholders:
            return HistoryEdits({}, NoOp(NoOpCode.NOTHING_TO_PRUNE, decision.note))
        new = self.with_placeholders(decision.placeholders)
        change = sum(
            count(message) - count(self._messages[index])
            for index, message in new.items()
        )
        # A change that does not save is worth no cache that it breaks.
        if change < 0:
            return HistoryEdits(new)
        return None

    def apply(self, edits: HistoryEdits) -> None:
        """Accept the messages rewritten by the last decision as part of the history."""
        self._messages |= {
            index: message
            for index, message in edits.messages.items()
            if message is not None
        }
        for result in self.old:
            self._old_tokens -= result.tokens
            if not self._is_cleared_text(result):
                self.needs_restart = (
                    True  # an empty placeholder no longer counts as a result
                )
            self._exempt(result, _CLEARED)
        self.old = []
        self._protect_again()

    def result_text(self, result: ToolResultPlace) -> str:
        return result_text_at(self._messages[result.message], result.block)

    def kept_reasons(self) -> dict[ToolResultPlace, str]:
        """Return why results stay: those that are not old, newest first, then those not made
        shorter."""
        in_turns = {
            self._result(index, block): self._protected_turns_reason
            for index, blocks in self._in_protected_turns
            for block in blocks
        }
        newest = len(self._newest) - self._rule.keep
        protected = {
            result: self._protected_reason(number >= newest)
            for number, result in enumerate(self._newest)
        }
        reasons = self._exempt_reasons | protected | in_turns
        ordered = sorted(
            reasons, key=lambda result: (result.message, result.block), reverse=True
        )
        return {result: reasons[result] for result in ordered} | dict.fromkeys(
            self._not_shorter, NOT_SHORTER
        )

    def _protected_reason(self, is_newest: bool) -> str:
        if is_newest:
            return f"It is among the {self._rule.keep} newest results."
        tokens = f"{self._rule.keep_tokens:,} tokens"
        return f"The newest {tokens} of tool output are protected."

    def _protected_turns_start(self, end: int) -> int:
        """Return where the protected turns begin; ``end`` is the end of the history."""
        rule = self._rule
        if rule.keep_last_turn:
            end = self._last_ai + 1
        if rule.keep_turns:
            end = min(
                end,
                self._typed_indices[0]
                if len(self._typed_indices) == rule.keep_turns
                else 0,
            )
        return end

    def _classify(self) -> None:
        """Classify results that left the protected turns or the protected newest results."""
        in_protected_turns, newest = self._in_protected_turns, self._newest
        if in_protected_turns:
            end = self._protected_turns_start(in_protected_turns[-1][0] + 1)
        else:
            end = 0
        while in_protected_turns and in_protected_turns[0][0] < end:
            index, blocks = in_protected_turns.popleft()
            self._in_protected_turns_count -= len(blocks)
            self._classified_end = index + 1
            for block in blocks:
                self._add_result(self._result(index, block))
        while newest and not self._is_protected(len(newest), 0):
            result = newest.popleft()
            self._protected_tokens -= result.tokens
            self._old_tokens += result.tokens
            self.old.append(result)

    def _protect_again(self) -> None:
        """Protect kept results again that are among the newest now that cleared ones do not
        count."""
        while self._not_shorter and self._is_protected(
            len(self._newest) + 1, self._not_shorter[-1].tokens
        ):
            result = self._not_shorter.pop()
            self._old_tokens -= result.tokens
            self._protected_tokens += result.tokens
            self._newest.appendleft(result)

    def _is_protected(self, count: int, tokens: int) -> bool:
        """Return whether the oldest of ``count`` results stays, ``tokens`` being its tokens if not
        added."""
        return (
            count <= self._rule.keep
            or self._protected_tokens + tokens <= self._rule.keep_tokens
        )

    def _add_result(self, result: ToolResultPlace) -> None:
        """Classify a result outside the protected turns: exempt for good, or among the newest for
        now."""
        if result.message < self._summary_index:
            self._exempt(
                result, "It stands before the summary of an earlier compaction."
            )
        elif not self._rule.is_cleared(result.tool):
            self._exempt(result, _never_cleared((result.tool,)))
            self._exempt_tools[result.tool] = None
        elif self._is_cleared_text(result):
            self._exempt(result, _CLEARED)
        else:
            self._newest.append(result)
            self._protected_tokens += result.tokens

    def _exempt(self, result: ToolResultPlace, reason: str) -> None:
        self._exempt_reasons[result] = reason
        count, newest = self._exempt_counts.get(reason, (0, (-1, -1)))
        self._exempt_counts[reason] = (
            count + 1,
            max(newest, (result.message, result.block)),
        )

    def _result(self, index: int, block: int) -> ToolResultPlace:
        call = self._calls.get((index, block))
        if call is not None:
            tool = self._tools[call]
        else:
            tool = ""
        return result_at(index, self._messages[index], block, call, tool, self._count)

    def _is_cleared_text(self, result: ToolResultPlace) -> bool:
        return self.result_text(result).startswith(
            self._rule.placeholder.partition("{")[0]
        )

    def _nothing_cleared_reason(self) -> str:
        """Return the most frequent reason, of equal ones that of the newest result."""
        reasons = self._exempt_of_all_tools()
        if self._in_protected_turns_count:
            reasons[self._protected_turns_reason] = (
                self._in_protected_turns_count,
                (self._in_protected_turns[-1][0], self._in_protected_turns[-1][1][-1]),
            )
        newest = self._newest
        keep = min(len(self._newest), self._rule.keep)
        if keep:
            reasons[self._protected_reason(True)] = (
                keep,
                (newest[-1].message, newest[-1].block),
            )
        if len(newest) > keep:
            result = newest[-keep - 1]
            reasons[self._protected_reason(False)] = (
                len(newest) - keep,
                (result.message, result.block),
            )
        by_newest = sorted(reasons.items(), key=lambda item: item[1][1], reverse=True)
        counts = Counter({reason: count for reason, (count, _) in by_newest})
        if self._not_shorter:
            counts[NOT_SHORTER] = len(self._not_shorter)
        if not counts:
            return "No message holds the result of a tool."
        total, [(reason, times)] = counts.total(), counts.most_common(1)
        if total == 1:
            subject = "The one result stays"
        elif times == total:
            subject = f"None of the {total:,} results goes"
        else:
            subject = f"None of the {total:,} results goes, {times:,} for this reason"
        return f"{subject}: {reason[0].lower()}{reason[1:]}"

    def _exempt_of_all_tools(self) -> dict[str, tuple[int, ResultPlace]]:
        """Return the reasons of exempt results; those of single tools are one reason here."""
        reasons = dict(self._exempt_counts)
        single = [_never_cleared((tool,)) for tool in self._exempt_tools]
        if len(single) > 1:
            counts, places = zip(*map(reasons.pop, single), strict=True)
            reason = _never_cleared(tuple(self._exempt_tools))
            reasons[reason] = (sum(counts), max(places))
        return reasons


# Offloads old tool results: stubs take their place, oldest first, until the target is met.


OFFLOAD_RULE = "results stay"
_NOTHING = "No result may go: the last ones stay, as do small ones, errors and stubs."


@dataclass(frozen=True, slots=True)
class OffloadResults:
    """Puts a stub with the first ``head`` characters in place of each result of more than
    ``larger_than`` tokens, oldest first, until the context has ``target`` (a share of the limit).
    Results of the newest ``keep_steps`` steps (a message of the model and the results after it) and
    of failed calls stay."""

    target: float
    larger_than: int
    keep_steps: int
    head: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        target = share_of(
            require_limit(context, "A target that is a share of the limit"), self.target
        )
        messages, estimate = draft.messages, context.estimate_tokens
        total = context.outside_tokens + estimate(messages)
        if total <= target:
            note = within_target(total, target)
            return PassResult(
                draft, note=note, code=NoOpCode.UNDER_TARGET, target=target
            )
        results = find_results(context, messages)
        reasons = self._kept_reasons(messages, results)
        large = [place for place in results if place not in reasons]
        changes = with_stubs(context, messages, large, total - target, self.head)
        result = with_edited(draft, changes)
        newer = f"It is newer than what had to go for the target of {target:,} tokens."
        steps = {
            reason: FateStep(OFFLOAD_RULE, FateKind.KEPT, reason)
            for reason in (newer, *reasons.values())
        }
        kept_steps = {
            origin: steps[reasons.get(place, newer)]
            for place in results
            for origin in draft.entries[place.message].origins
        }
        return PassResult(
            result, kept_steps, "" if changes else _NOTHING, target=target
        )

    def _kept_reasons(
        self, messages: Sequence[Message], results: Sequence[ToolResultPlace]
    ) -> dict[ToolResultPlace, str]:
        """Return why results stay whatever the target is."""
        ai = [
            at for at, message in enumerate(messages) if message.speaker is Speaker.AI
        ]
        step_of = {place: bisect_left(ai, place.message) for place in results}
        newest = sorted(set(step_of.values()))[-self.keep_steps :]
        reasons: dict[ToolResultPlace, str] = {}
        for place in results:
            block = messages[place.message].blocks[place.block]
            if step_of[place] in newest:
                reasons[place] = "It is in the last step with results."
            elif isinstance(block, ToolResponse) and is_marked_failed(block):
                reasons[place] = "Its call failed, and errors stay."
            elif place.tokens <= self.larger_than:
                reasons[place] = f"It has no more than {self.larger_than:,} tokens."
            elif result_text_at(messages[place.message], place.block).startswith(
                STUB_START
            ):
                reasons[place] = "It is a stub already."
        return reasons
