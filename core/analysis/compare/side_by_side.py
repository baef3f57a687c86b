"""Something that really happened on the after side: what an agent's own compaction left, or another
file of the same session, as a Compaction with fates, so that every view can show it."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.lint.lint import PROVIDERS, lint_messages
from core.preview.options import LintResult, Preview
from core.tokens.counter import TokenCounter
from core.transcript.alignment import Alignment, AlignmentStatus, align_histories
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Conversation, Message, MessageFlag, Opaque
from core.transcript.scopes import BEFORE, CURRENT, History, history_of_scope

RECORDED, OTHER = "recorded", "other file"
"""Rules of the steps that are made here."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A history and what stands beside it, with a name for the after side."""

    history: History
    compaction: Compaction
    name: str
    alignment: Alignment


def of_recorded(conversation: Conversation, number: int) -> SideBySide:
    """What recorded compaction ``number`` (from 1) had before it, and what it left.

    Raises InputError for a number that is not there.
    """
    before = history_of_scope(conversation, f"{BEFORE}{number}")
    found = conversation.recorded[number - 1]
    after = _left(conversation, number)
    alignment = align_histories(before.messages, after)
    opaque = any(isinstance(block, Opaque) for message in found.summary for block in message.blocks)
    lost = FateKind.SUMMARISED if found.summary and not opaque else FateKind.DROPPED
    words = {
        FateKind.KEPT: "Kept: the agent's compaction left it as it was.",
        FateKind.EDITED: "The agent's compaction left it with other content.",
        FateKind.SUMMARISED: "Gone: the agent's summary stands for it.",
        FateKind.DROPPED: "Gone: the agent's compaction left it out."
        if not opaque
        else "Gone: what stands for it is encrypted and cannot be read.",
    }
    compaction = _compaction(before.messages, after, alignment, lost, words, RECORDED)
    if lost is FateKind.SUMMARISED:
        compaction = _with_summary(compaction, after)
    return SideBySide(before, compaction, f"recorded {number}", alignment)


def of_file(shown: History, other: Conversation) -> SideBySide:
    """A history and another file of the session, aligned by the identity of their messages."""
    return align_side_by_side(shown, other.messages, other.document.name)


def align_side_by_side(shown: History, other: Sequence[Message], name: str) -> SideBySide:
    """A history and other messages with a name, aligned by the identity of their messages."""
    alignment = align_histories(shown.messages, other)
    words = {
        FateKind.KEPT: f"The same message is in {name}.",
        FateKind.EDITED: f"In {name} it has other content.",
        FateKind.DROPPED: f"It is not in {name}.",
    }
    compaction = _compaction(shown.messages, other, alignment, FateKind.DROPPED, words, OTHER)
    return SideBySide(shown, compaction, name, alignment)


def preview_of(made: Preview, beside: SideBySide, counter: TokenCounter) -> Preview:
    """A preview that shows this instead of a strategy's result; everything else is as in ``made``."""
    compaction, messages = beside.compaction, beside.history.messages
    if beside.history is not made.history and beside.history.messages != made.history.messages:
        raise InputError("The history changed meanwhile.", "Show it again.")
    counts = array("q", (counter.message(message) for message in compaction.messages))
    findings = tuple(
        LintResult(
            one.name,
            tuple(lint_messages(messages, one.name)),
            tuple(lint_messages(compaction.messages, one.name)),
        )
        for one in PROVIDERS
    )
    return replace(
        made,
        compaction=compaction,
        after_counts=counts,
        after_tokens=sum(counts),
        lint=findings,
        density=None,
        after_density=None,
        inputs=tuple(range(len(messages))),
        warnings=(),
        draft=False,
        beside=beside.name,
        unwritten=False,
        written=(),
    )


def _left(conversation: Conversation, number: int) -> tuple[Message, ...]:
    """The context right after a recorded compaction, in order."""
    recorded = conversation.recorded[:number]
    until = conversation.messages[: recorded[-1].position]
    return history_of_scope(replace(conversation, messages=until, recorded=recorded), CURRENT).messages


def _compaction(
    source: Sequence[Message],
    result: Sequence[Message],
    alignment: Alignment,
    lost: FateKind,
    words: dict[FateKind, str],
    rule: str,
) -> Compaction:
    """The result as a compaction of the source. A message that became several is told of the first."""
    fates = {kind: Fate((FateStep(rule, kind, text),)) for kind, text in words.items()}
    origins: dict[int, list[int]] = defaultdict(list)
    kinds: list[FateKind] = []
    for index, match in enumerate(alignment.first):
        there = alignment.there[index]
        if match is AlignmentStatus.ALONE or there < 0:
            kinds.append(lost)
            continue
        kinds.append(FateKind.KEPT if match is AlignmentStatus.SAME else FateKind.EDITED)
        origins[there].append(index)
    found = tuple(tuple(origins.get(place, ())) for place in range(len(result)))
    return Compaction(
        tuple(result),
        found,
        tuple(fates[kind] for kind in kinds),
        CompactionMetadata(len(source), len(result), rule, llm_call_made=False),
        frozenset(place for place, sources in enumerate(found) if not sources),
    )


def _with_summary(compaction: Compaction, after: Sequence[Message]) -> Compaction:
    """The source messages that are gone are the origins of the recorded summary."""
    place = next((at for at, one in enumerate(after) if one.flags & MessageFlag.RECORDED_SUMMARY), -1)
    if place < 0 or compaction.origins[place]:
        return compaction
    gone = tuple(index for index, fate in enumerate(compaction.fates) if fate.kind is FateKind.SUMMARISED)
    origins = list(compaction.origins)
    origins[place] = gone
    return replace(compaction, origins=tuple(origins))
