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

from core.compaction import FateKind, NoOpCode, Step
from core.conversation import Code, Flag, Media, Message, Speaker, Text
from core.facts.texts import plain_text
from core.pairs import Pairs, find_pairs
from core.strategies.base import Context
from core.strategies.common import known_limit
from core.strategies.draft import Draft, Entry, edited, removed
from core.strategies.preset.activity import activity_notice
from core.strategies.preset.strategy import Passed

RULE = "typed messages stay"
_HARNESS = Flag.META | Flag.COMMAND | Flag.API_ERROR


@dataclass(frozen=True, slots=True)
class KeepTyped:
    """Drops work of the model and its tools, oldest first, until ``target`` (a share of the limit) is met.

    What a person typed stays, and of the newest ``keep_texts`` messages of the model with text the text.
    The last turn stays while its calls are not answered.
    """

    target: float
    keep_texts: int

    def apply(self, context: Context, draft: Draft) -> Passed:
        """The draft with a notice in place of each run of messages that went."""
        target = int(self.target * known_limit(context, "A target that is a share of the limit"))
        messages = draft.messages
        others = context.current_token_count - context.estimate_tokens(context.history)
        total = others + context.estimate_tokens(messages)
        if total <= target:
            note = f"Already under the target: {total:,} of {target:,} tokens."
            return Passed(draft, note=note, code=NoOpCode.UNDER_TARGET, target=target)
        plan = self._plan(context, messages)
        if not plan.units:
            note = (
                "Nothing may go: what a person typed, the last words of the model, and unanswered calls stay."
            )
            return Passed(draft, note=note, target=target)

        count = plan.enough(context, total - target)
        made = self._without(draft, plan, count, target)
        over = others + context.estimate_tokens(made.messages) - target
        missed = f"The target of {target:,} tokens is missed by {over:,}: nothing else may go."
        kept = self._kept(draft, plan, target)
        return Passed(made, kept, target=target, warnings=(missed,) if over > 0 else ())

    def _plan(self, context: Context, messages: Sequence[Message]) -> _Plan:
        """What may go, oldest first; calls and results together."""
        pairs = find_pairs(messages)
        end = _open_turn(messages, pairs)
        said = [i for i, one in enumerate(messages) if one.speaker is Speaker.AI and plain_text(one).strip()]
        texts = frozenset(said[len(said) - self.keep_texts :] if self.keep_texts < len(said) else said)
        words = {index: _only_words(messages[index]) for index in texts}
        units: list[tuple[int, ...]] = []
        saves: list[int] = []
        for group in _groups(messages, pairs):
            if group[-1] < end and all(index in texts or _may_go(messages, index) for index in group):
                gone = tuple(index for index in group if words.get(index) != messages[index])
                new = [words[index] for index in gone if index in texts]
                if gone:
                    units.append(gone)
                    old = [messages[index] for index in gone]
                    saves.append(context.estimate_tokens(old) - context.estimate_tokens(new))
        notice = cache(lambda run: activity_notice(messages[i] for i in run))
        return _Plan(tuple(units), tuple(accumulate(saves)), words, notice)

    def _without(self, draft: Draft, plan: _Plan, count: int, target: int) -> Draft:
        """The draft without so many of the oldest groups."""
        why = f"Oldest first until under {target:,} tokens, calls with their results"
        step = Step(RULE, FateKind.DROPPED, f"{why}; a notice says what the tools did.")
        bare = Step(RULE, FateKind.EDITED, f"{why}; of the newest {self.keep_texts} texts the words stay.")
        bared = [index for unit in plan.units[:count] for index in unit if index in plan.words]
        changed = edited(draft, {index: (plan.words[index], bare) for index in bared})
        runs = plan.runs(count)
        left = removed(changed, {index: step for run in runs for index in run})
        return replace(
            left, entries=_woven(changed.entries, {run[0]: (run, plan.notice(run)) for run in runs})
        )

    def _kept(self, draft: Draft, plan: _Plan, target: int) -> dict[int, Step]:
        """Why messages stay, by source place; those that were dropped have a step of their own."""
        typed = Step(RULE, FateKind.KEPT, "Typed by a person: it always stays.")
        text = Step(RULE, FateKind.KEPT, f"Among the newest {self.keep_texts} texts of the model.")
        newer = Step(RULE, FateKind.KEPT, f"Newer than what had to go for the target of {target:,} tokens.")
        kept: dict[int, Step] = {}
        for index, entry in enumerate(draft.entries):
            step = typed if _is_typed(entry.message) else text if index in plan.words else newer
            for origin in entry.origins:
                kept[origin] = step
        return kept


@dataclass(frozen=True, slots=True)
class _Plan:
    """Groups of messages that may go, oldest first, and what they save up to each of them, in tokens; for
    messages of which the words stay what is left of them; and the notice for a run of messages."""

    units: tuple[tuple[int, ...], ...]
    saved: tuple[int, ...]
    words: Mapping[int, Message]
    notice: Callable[[tuple[int, ...]], Message | None]

    def enough(self, context: Context, need: int) -> int:
        """How many of the oldest groups save so many tokens and those of their notices; all if need be."""
        count = self._least(need)
        while True:
            notices = [notice for run in self.runs(count) if (notice := self.notice(run)) is not None]
            more = self._least(need + context.estimate_tokens(notices))
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
            if found and found[-1][-1] == index - 1:
                found[-1].append(index)
            else:
                found.append([index])
        return [tuple(run) for run in found]


def _open_turn(messages: Sequence[Message], pairs: Pairs) -> int:
    """Where the last message of the model begins a turn whose calls wait for answers, else the end."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].speaker is Speaker.AI), -1)
    return last if any(index == last for index, _ in pairs.unanswered) else len(messages)


def _may_go(messages: Sequence[Message], index: int) -> bool:
    """True for work of the model, results, and rows of the harness; what comes first stays if human."""
    message, flags = messages[index], messages[index].flags
    if flags is not Flag.NONE and flags & Flag.RECORDED_SUMMARY:  # to ask a flag takes longer than all else
        return False
    if message.speaker is Speaker.HUMAN:
        return index > 0 and bool(flags & _HARNESS)
    return message.speaker in (Speaker.AI, Speaker.TOOL)


def _groups(messages: Sequence[Message], pairs: Pairs) -> Iterable[tuple[int, ...]]:
    """Messages that share pairs, directly or through others, in order of their first ones; those apart that
    a person typed, of which nothing may go."""
    seen = bytearray(len(messages))
    for start, message in enumerate(messages):
        if seen[start] or (message.speaker is Speaker.HUMAN and message.flags is Flag.NONE):
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
    return message.speaker is Speaker.HUMAN and (flags is Flag.NONE or not flags & _HARNESS)


def _only_words(message: Message) -> Message:
    """The message without calls and thinking; itself where it has none."""
    blocks = tuple(block for block in message.blocks if isinstance(block, Text | Code | Media))
    return message if len(blocks) == len(message.blocks) else replace(message, blocks=blocks)


def _woven(
    entries: Sequence[Entry], runs: Mapping[int, tuple[tuple[int, ...], Message | None]]
) -> tuple[Entry, ...]:
    """The entries that stay, with the notice of each run, by its first place, instead of its messages."""
    found: list[Entry] = []
    index = 0
    while index < len(entries):
        if index not in runs:
            found.append(entries[index])
            index += 1
            continue
        run, notice = runs[index]
        found += [Entry(notice, (), True)] if notice is not None else []
        index += len(run)
    return tuple(found)
