"""Keep what a person typed and the last words of the model; older work goes until the target is met.

Cline's strategy without a model (field.md section 1a): calls and results go together, and a notice in
each gap says what the tools did.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from core.common.rounding import share_of
from core.facts.sentences import plain_text
from core.strategies.base import StrategyContext
from core.strategies.draft import DraftEntry, HistoryDraft, with_edited, with_removed
from core.strategies.helpers import hidden_above, known_limit
from core.strategies.presets.activity_notice import activity_notice
from core.strategies.presets.preset import PassResult
from core.transcript.boundaries import TokenCount
from core.transcript.compaction import FateKind, FateStep, NoOp, NoOpCode
from core.transcript.model import Code, Media, Message, MessageFlag, Speaker, Text, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pairs, find_pairs

RULE = "typed messages stay"
_HARNESS = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR
_NOTHING = "Nothing may go: what a person typed, the last words of the model, and unanswered calls stay."


@dataclass(frozen=True, slots=True)
class DropOldestWork:
    """Drops work of the model and its tools, oldest first, until ``target`` (a share of the limit) is met.

    What a person typed stays, and of the newest ``keep_texts`` messages of the model with text the text.
    The last turn stays while its calls are not answered.
    """

    target: float
    keep_texts: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        """The draft with a notice in place of each run of messages that went."""
        limit = known_limit(context, "A target that is a share of the limit")
        target, messages, estimate = self._tokens(limit), draft.messages, context.estimate_tokens
        if nothing := hidden_above(context, RULE, target):
            assert nothing.no_op is not None
            return PassResult(draft, note=nothing.no_op.reason, code=nothing.no_op.code, target=target)
        others = context.current_token_count - estimate(context.history)
        plan = self.plan(estimate, messages, range(len(messages)), others + estimate(messages), limit)
        if isinstance(plan, NoOp):
            return PassResult(draft, note=plan.reason, code=plan.code, target=target)
        made = self._without(draft, plan, plan.enough(estimate), target)
        over = others + estimate(made.messages) - target
        missed = f"The target of {target:,} tokens is missed by {over:,}: nothing else may go."
        kept = self._kept(draft, plan, target)
        return PassResult(made, kept, target=target, warnings=(missed,) if over > 0 else ())

    def plan(
        self, estimate: TokenCount, messages: Sequence[Message], places: Sequence[int], total: int, limit: int
    ) -> DropPlan | NoOp:
        """What may go of a context of ``total`` tokens, oldest first, or why nothing does.

        ``messages`` are those that ``is_droppable`` names, at their ``places`` in the history; others may be
        among them.
        """
        target = self._tokens(limit)
        if total <= target:
            note = f"Already under the target: {total:,} of {target:,} tokens."
            return NoOp(NoOpCode.UNDER_TARGET, note)
        plan = self._plan(estimate, messages, places, total - target)
        return plan if plan.units else NoOp(NoOpCode.NOTHING_TO_PRUNE, _NOTHING)

    def _tokens(self, limit: int) -> int:
        return share_of(limit, self.target)

    def _plan(
        self, estimate: TokenCount, messages: Sequence[Message], places: Sequence[int], need: int
    ) -> DropPlan:
        """Groups of calls and results together."""
        pairs = find_pairs(messages)
        end = _open_turn(messages, pairs)
        said = [i for i, one in enumerate(messages) if one.speaker is Speaker.AI and plain_text(one).strip()]
        texts = frozenset(said[len(said) - self.keep_texts :] if self.keep_texts < len(said) else said)
        words = {index: _only_words(messages[index]) for index in texts}
        units: list[tuple[int, ...]] = []
        saves: list[int] = []
        for group in _groups(messages, pairs):
            if group[-1] < end and all(at in texts or _may_go(messages[at], places[at]) for at in group):
                gone = tuple(index for index in group if words.get(index) != messages[index])
                new = [words[index] for index in gone if index in texts]
                if gone:
                    units.append(gone)
                    old = [messages[index] for index in gone]
                    saves.append(estimate(old) - estimate(new))
        notice = cache(lambda run: activity_notice(messages[i] for i in run))
        return DropPlan(tuple(units), tuple(accumulate(saves)), words, notice, places, need)

    def _without(self, draft: HistoryDraft, plan: DropPlan, count: int, target: int) -> HistoryDraft:
        """The draft without so many of the oldest groups."""
        why = f"Oldest first until under {target:,} tokens, calls with their results"
        step = FateStep(RULE, FateKind.DROPPED, f"{why}; a notice says what the tools did.")
        bare = FateStep(
            RULE, FateKind.EDITED, f"{why}; of the newest {self.keep_texts} texts the words stay."
        )
        bared = [index for unit in plan.units[:count] for index in unit if index in plan.words]
        changed = with_edited(draft, {index: (plan.words[index], bare) for index in bared})
        runs = plan.runs(count)
        left = with_removed(changed, {index: step for run in runs for index in run})
        return replace(
            left, entries=_woven(changed.entries, {run[0]: (run, plan.notice(run)) for run in runs})
        )

    def _kept(self, draft: HistoryDraft, plan: DropPlan, target: int) -> dict[int, FateStep]:
        """Why messages stay, by source place; those that were dropped have a step of their own."""
        typed = FateStep(RULE, FateKind.KEPT, "Typed by a person: it always stays.")
        text = FateStep(RULE, FateKind.KEPT, f"Among the newest {self.keep_texts} texts of the model.")
        newer = FateStep(
            RULE, FateKind.KEPT, f"Newer than what had to go for the target of {target:,} tokens."
        )
        kept: dict[int, FateStep] = {}
        for index, entry in enumerate(draft.entries):
            step = typed if _is_typed(entry.message) else text if index in plan.words else newer
            for origin in entry.origins:
                kept[origin] = step
        return kept


@dataclass(frozen=True, slots=True)
class DropPlan:
    """Groups of messages that may go, oldest first, and what they save up to each of them, in tokens; for
    messages of which the words stay what is left of them; the notice for a run of messages; their places in
    the history; and the tokens that have to go."""

    units: tuple[tuple[int, ...], ...]
    saved: tuple[int, ...]
    words: Mapping[int, Message]
    notice: Callable[[tuple[int, ...]], Message | None]
    places: Sequence[int]
    need: int

    def enough(self, estimate: TokenCount) -> int:
        """How many of the oldest groups save what has to go and their notices; all if need be."""
        count = self._least(self.need)
        while True:
            notices = [notice for run in self.runs(count) if (notice := self.notice(run)) is not None]
            more = self._least(self.need + estimate(notices))
            if more <= count:
                return count
            count = more

    def _least(self, need: int) -> int:
        return min(bisect_left(self.saved, need) + 1, len(self.units))

    def runs(self, count: int) -> list[tuple[int, ...]]:
        """The messages that go whole with so many groups, in runs without gaps."""
        gone = sorted(i for unit in self.units[:count] for i in unit if i not in self.words)
        found: list[list[int]] = []
        for index in gone:
            if found and self.places[found[-1][-1]] == self.places[index] - 1:
                found[-1].append(index)
            else:
                found.append([index])
        return [tuple(run) for run in found]

    def edits(self, count: int) -> dict[int, Message | None]:
        """What comes in the place of the messages of so many groups; None for those that go."""
        made: dict[int, Message | None] = {}
        for index in (index for unit in self.units[:count] for index in unit):
            made[index] = self.words.get(index)
        return made | {run[0]: self.notice(run) for run in self.runs(count)}


def is_droppable(message: Message) -> bool:
    """True for what may go, or belongs to what may; for nothing else the rule has to look at a message."""
    if message.flags is not MessageFlag.NONE or message.speaker in (Speaker.AI, Speaker.TOOL):
        return True
    return any(isinstance(block, ToolCall | ToolResponse) for block in message.blocks)


def _open_turn(messages: Sequence[Message], pairs: Pairs) -> int:
    """Where the last message of the model begins a turn whose calls wait for answers, else the end."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].speaker is Speaker.AI), -1)
    return last if any(index == last for index, _ in pairs.unanswered) else len(messages)


def _may_go(message: Message, place: int) -> bool:
    """True for work of the model, results, and rows of the harness; what comes first stays if human."""
    flags = message.flags
    if (
        flags is not MessageFlag.NONE and flags & MessageFlag.RECORDED_SUMMARY
    ):  # to ask a flag takes longer than all else
        return False
    if message.speaker is Speaker.HUMAN:
        return place > 0 and bool(flags & _HARNESS)
    return message.speaker in (Speaker.AI, Speaker.TOOL)


def _groups(messages: Sequence[Message], pairs: Pairs) -> Iterable[tuple[int, ...]]:
    """Messages that share pairs, directly or through others, in order of their first ones; those apart that
    a person typed, of which nothing may go."""
    seen = bytearray(len(messages))
    for start, message in enumerate(messages):
        if seen[start] or (message.speaker is Speaker.HUMAN and message.flags is MessageFlag.NONE):
            continue
        seen[start] = 1
        group, at = [start], 0
        while at < len(group):
            for other in pairs.partners.get(group[at], ()):
                if not seen[other]:
                    seen[other] = 1
                    group.append(other)
            at += 1
        yield tuple(sorted(group))


def _is_typed(message: Message) -> bool:
    """True for what no harness wrote in the person's name."""
    flags = message.flags
    return message.speaker is Speaker.HUMAN and (flags is MessageFlag.NONE or not flags & _HARNESS)


def _only_words(message: Message) -> Message:
    """The message without calls and thinking; itself where it has none."""
    blocks = tuple(block for block in message.blocks if isinstance(block, Text | Code | Media))
    return message if len(blocks) == len(message.blocks) else replace(message, blocks=blocks)


def _woven(
    entries: Sequence[DraftEntry], runs: Mapping[int, tuple[tuple[int, ...], Message | None]]
) -> tuple[DraftEntry, ...]:
    """The entries that stay, with the notice of each run, by its first place, instead of its messages."""
    found: list[DraftEntry] = []
    index = 0
    while index < len(entries):
        if index not in runs:
            found.append(entries[index])
            index += 1
            continue
        run, notice = runs[index]
        found += [DraftEntry(notice, (), True)] if notice is not None else []
        index += len(run)
    return tuple(found)
