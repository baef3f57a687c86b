"""Blocks that stand for earlier history and that only the provider can read. No run loses them:
they stay at their place in its result, in front of what it inserts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.transcript.compaction import Compaction, Fate, FateKind, FateStep
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    is_text_only,
)

_T = TypeVar("_T")
COMPACTION_ITEMS = ("compaction", "compaction_summary", "context_compaction")
"""Types of the items of OpenAI's Responses API and of Codex that hold an encrypted summary."""
RULE = "encrypted history"
_KEPT = Fate(
    (
        FateStep(
            RULE,
            FateKind.KEPT,
            "It stands for earlier history that only the provider can read: it stays.",
        ),
    )
)
_REDUCED = (
    "Its encrypted history, which only the provider can read, stays; the rest went into the "
    "summary."
)
_REMAINED = "Its encrypted history, which only the provider can read, stays; the rest is left out."


def stands_for_history(block: Block) -> bool:
    """Return whether a block is a compaction that cannot be read here."""
    if isinstance(block, Opaque):
        return _is_opaque_compaction(block)
    if isinstance(block, Text):
        is_compaction = block.extra.get("type") == "compaction"
        return is_compaction and bool(block.extra.get("encrypted_content"))
    return False


def _is_opaque_compaction(block: Opaque) -> bool:
    if block.kind in COMPACTION_ITEMS:
        return True
    if isinstance(block, ServerTool) or "compaction" not in block.kind.lower():
        return False
    # Without an encrypted text there is nothing that the provider could read from it.
    return isinstance(block.raw, dict) and bool(block.raw.get("encrypted_content"))


def holds_history(message: Message) -> bool:
    """Return whether a message has such a block; cheap where nothing in it is opaque."""
    is_marked = message.flags is not MessageFlag.NONE or message.speaker is Speaker.AI
    return is_marked and any(map(stands_for_history, message.blocks))


def keep_opaque_history(raw: Sequence[Message], run: Compaction) -> Compaction:
    """Return the run with every block of ``raw`` that stands for history at its place: its message
    comes before the first result message with later sources. Of a message that went, only these
    blocks stay."""
    lost: list[tuple[int, tuple[Block, ...]]] = []
    for index, message in enumerate(raw):
        if holds_history(message):
            kept = tuple(filter(stands_for_history, message.blocks))
            if not _has_all(run, index, kept):
                lost.append((index, kept))
    for index, kept in lost:
        run = _put_back(raw[index], index, kept, run)
    return _with_inserted_behind(run)


def _with_inserted_behind(run: Compaction) -> Compaction:
    """Return the run with summaries and other new words behind the last message of nothing but such
    blocks: the provider drops what stands in front of it, so the model would never see them."""
    last = _last_history(run.messages)
    early = [
        at
        for at in sorted(run.inserted)
        if at < last and is_text_only(run.messages[at])
    ]
    if not early:
        return run
    front = [at for at in range(last + 1) if at not in early]
    return _reordered(run, [*front, *early, *range(last + 1, len(run.messages))])


def _reordered(run: Compaction, order: Sequence[int]) -> Compaction:
    new_index = {at: number for number, at in enumerate(order)}
    return replace(
        run,
        messages=tuple(run.messages[at] for at in order),
        origins=tuple(run.origins[at] for at in order),
        inserted=frozenset(new_index[at] for at in run.inserted),
        budgets={new_index[at]: size for at, size in run.budgets.items()},
    )


def _last_history(messages: Sequence[Message]) -> int:
    """Return the index of the last message of nothing but such blocks, -1 if there is none."""
    for at in reversed(range(len(messages))):
        if holds_history(messages[at]) and all(
            map(stands_for_history, messages[at].blocks)
        ):
            return at
    return -1


def _has_all(run: Compaction, index: int, blocks: Sequence[Block]) -> bool:
    source_blocks = [
        block
        for message, sources in zip(run.messages, run.origins, strict=True)
        if sources == (index,)
        for block in message.blocks
    ]
    return all(block in source_blocks for block in blocks)


def _put_back(
    message: Message, index: int, kept: tuple[Block, ...], run: Compaction
) -> Compaction:
    """Return the run with the ``kept`` blocks of source message ``index`` in a message of their
    own, in front of the first result message that goes on behind it."""
    origins = [_without(sources, index) for sources in run.origins]
    place = _place_of(index, origins)
    # What stood for this message alone is replaced by it.
    stays = [
        at
        for at, sources in enumerate(run.origins)
        if sources != (index,) or at in run.inserted
    ]
    before = [at for at in stays if at < place]
    behind = [at for at in stays if at >= place]

    new_index = {at: number for number, at in enumerate(before)}
    for number, at in enumerate(behind, len(before) + 1):
        new_index[at] = number

    fates = list(run.fates)
    if len(kept) == len(message.blocks):
        entry = message
        fates[index] = _KEPT
    else:
        entry = replace(message, blocks=kept)
        fates[index] = _reduced(fates[index])
    count = len(stays) + 1
    return replace(
        run,
        messages=_between(run.messages, before, entry, behind),
        origins=_between(origins, before, (index,), behind),
        fates=tuple(fates),
        metadata=replace(run.metadata, compressed_message_count=count),
        inserted=frozenset(new_index[at] for at in run.inserted if at in new_index),
        budgets={
            new_index[at]: size for at, size in run.budgets.items() if at in new_index
        },
    )


def _between(
    values: Sequence[_T], before: Iterable[int], new: _T, behind: Iterable[int]
) -> tuple[_T, ...]:
    """Return some of the values with a new one between them."""
    first = [values[at] for at in before]
    last = [values[at] for at in behind]
    return (*first, new, *last)


def _without(sources: tuple[int, ...], index: int) -> tuple[int, ...]:
    return tuple(one for one in sources if one != index)


def _place_of(index: int, origins: Sequence[tuple[int, ...]]) -> int:
    """Return the first result message whose sources reach beyond a source message."""
    for at, sources in enumerate(origins):
        if sources and sources[-1] > index:
            return at
    return len(origins)


def _reduced(fate: Fate) -> Fate:
    reason = _REDUCED if fate.kind is FateKind.SUMMARISED else _REMAINED
    return Fate((*fate.steps, FateStep(RULE, FateKind.EDITED, reason)))
