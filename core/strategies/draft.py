"""The history that a strategy works on: without empty messages of the model, and as an immutable
draft between the stages of one run. Every function of the draft returns a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.common.excerpts import trim
from core.common.json_value import MISSING, Json
from core.settings.schema import Mode
from core.strategies.base import StrategyContext
from core.strategies.helpers import single_fate
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import find_pairs

_NEVER_EMPTY = (ToolCall, ToolResponse, Opaque)
DROPPED: Fate = single_fate(
    FateKind.DROPPED, "empty message", "An ai message without content; it says nothing."
)


def curated_indices(messages: Sequence[Message], mode: Mode) -> tuple[int, ...]:
    """Return the indices of all but empty ai messages."""
    return tuple(
        [index for index, message in enumerate(messages) if not is_empty(message, mode)]
    )


def has_empty_message(messages: Iterable[Message]) -> bool:
    """Return whether the reference would have left out one of the inputs of ``compress``."""
    return any(
        message.speaker is Speaker.AI and is_empty(message, Mode.REFERENCE)
        for message in messages
    )


def is_empty(message: Message, mode: Mode) -> bool:
    """Return whether this is an ai message without content in the given mode."""
    if message.speaker is not Speaker.AI:
        return False
    # A plain loop: this runs for every message on every turn.
    for block in message.blocks:
        if (mode is Mode.SAFE and isinstance(block, _NEVER_EMPTY)) or _has_content(
            block
        ):
            return False
    return True


def _is_true_in_javascript(value: Json) -> bool:
    """Return JavaScript's truth of a value: empty lists and objects are true."""
    return value is not MISSING and (isinstance(value, dict | list) or bool(value))


def _has_words(text: str) -> bool:
    # The latter reads all of a long text.
    return "!" <= text[:1] <= "~" or bool(trim(text))


def _has_content(block: Block) -> bool:
    # The most common block, so it is asked for first: this runs for every block on every turn.
    if isinstance(block, ToolCall):
        return bool(block.name) and _is_true_in_javascript(block.arguments)
    match block:
        case Text(text=text) | Code(code=text):
            return _has_words(text)
        case ToolResponse():
            return bool(block.call_id) and block.result is not MISSING
        case Media():
            return bool(block.mime and block.data)
        case Thinking():
            return _has_thinking(block)
        case Opaque():
            return _has_opaque_code(block)


def _has_opaque_code(block: Opaque) -> bool:
    # The reference treats unknown block types as code.
    code = block.raw.get("code") if isinstance(block.raw, dict) else None
    return isinstance(code, str) and _has_words(code)


def _has_thinking(block: Thinking) -> bool:
    if block.extra.get("sourceField") == "thinking":
        return bool(trim(block.text)) and bool(block.extra.get("signature"))
    encrypted = block.extra.get("encryptedContent")
    return bool(trim(block.text)) or (
        isinstance(encrypted, str) and bool(trim(encrypted))
    )


# The draft between the stages of a run. Entry indices count entries; source indices count the
# original history.


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """One message of the draft and the ascending source indices that it represents."""

    message: Message
    origins: tuple[int, ...]
    inserted: bool = False


@dataclass(frozen=True, slots=True)
class HistoryDraft:
    """The state between two stages. ``steps`` are the steps of touched messages by source index."""

    entries: tuple[DraftEntry, ...]
    count: int  # source messages
    steps: Mapping[int, tuple[FateStep, ...]]

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(entry.message for entry in self.entries)


def begin_draft(history: Sequence[Message]) -> HistoryDraft:
    return HistoryDraft(
        tuple(DraftEntry(message, (index,)) for index, message in enumerate(history)),
        len(history),
        {},
    )


def with_edited(
    draft: HistoryDraft, changes: Mapping[int, tuple[Message, FateStep]]
) -> HistoryDraft:
    """Replace the entries at these indices: kind EDITED or SUMMARISED, as the step says. A
    summarised entry counts as inserted from then on."""
    entries = list(draft.entries)
    for entry_index, (message, step) in changes.items():
        inserted = entries[entry_index].inserted or step.kind is FateKind.SUMMARISED
        entries[entry_index] = DraftEntry(
            message, entries[entry_index].origins, inserted
        )
    new_steps = {entry_index: step for entry_index, (_, step) in changes.items()}
    return HistoryDraft(tuple(entries), draft.count, with_steps(draft, new_steps))


def with_removed(draft: HistoryDraft, steps: Mapping[int, FateStep]) -> HistoryDraft:
    """Remove the entries at these indices: kind PRUNED or DROPPED, as their steps say."""
    remaining = tuple(
        entry
        for entry_index, entry in enumerate(draft.entries)
        if entry_index not in steps
    )
    return HistoryDraft(remaining, draft.count, with_steps(draft, steps))


def with_replaced(
    draft: HistoryDraft,
    start: int,
    end: int,
    messages: Sequence[Message],
    step: FateStep,
) -> HistoryDraft:
    """Replace the entries [start, end) by ``messages``; the first one represents all of them."""
    replaced = draft.entries[start:end]
    origins = tuple(sorted(index for entry in replaced for index in entry.origins))
    sources = origins if step.kind is FateKind.SUMMARISED else ()
    new = [
        DraftEntry(message, sources if number == 0 else (), True)
        for number, message in enumerate(messages)
    ]
    entries = (*draft.entries[:start], *new, *draft.entries[end:])
    return HistoryDraft(
        entries, draft.count, with_steps(draft, dict.fromkeys(range(start, end), step))
    )


def finish_compaction(
    context: StrategyContext,
    draft: HistoryDraft,
    strategy: str,
    kept_fates: Mapping[int, Fate],
    default_fate: Fate,
    *,
    llm_call_made: bool,
) -> Compaction:
    """Return the draft as a compaction; ``kept_fates``, else ``default_fate``, is the fate of
    untouched messages. Callers add split, summary, calls and the rest with
    ``dataclasses.replace``."""
    fates = {index: Fate(steps) for index, steps in draft.steps.items()}
    count = len(context.history)
    return Compaction(
        messages=draft.messages,
        origins=tuple(entry.origins for entry in draft.entries),
        fates=tuple(
            fates.get(index) or kept_fates.get(index, default_fate)
            for index in range(count)
        ),
        metadata=CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(draft.entries),
            strategy_used=strategy,
            llm_call_made=llm_call_made,
        ),
        inserted=frozenset(
            result_index
            for result_index, entry in enumerate(draft.entries)
            if entry.inserted
        ),
    )


def with_steps(
    draft: HistoryDraft, new_steps: Mapping[int, FateStep]
) -> dict[int, tuple[FateStep, ...]]:
    """Return the steps of the draft with new ones by entry index."""
    steps = dict(draft.steps)
    for entry_index, step in new_steps.items():
        for index in draft.entries[entry_index].origins:
            steps[index] = (*steps.get(index, ()), step)
    return steps


def result_fault(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Return the fault of a result that its source does not have; "" where there is none."""
    if not after:
        return "Nothing would be left."
    model = (Speaker.AI, Speaker.TOOL)
    if after[0].speaker in model and before[0].speaker not in model:
        return "The result would begin with a message of the model, which APIs refuse."
    if unpaired_ids(after) - unpaired_ids(before):
        return "A call would be separated from its result."
    return ""


def unpaired_ids(messages: Sequence[Message]) -> Counter[tuple[str, str]]:
    """Count calls without a result and results without a call."""
    pairs = find_pairs(messages)
    calls = (("call", id_) for _, id_ in pairs.unanswered)
    return Counter(calls) + Counter(("result", id_) for _, id_ in pairs.orphans)
