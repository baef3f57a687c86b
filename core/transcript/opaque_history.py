"""Blocks that stand for earlier history and that only the provider can read. No run loses them:
they stay at their place in its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.transcript.compaction import Compaction, Fate, FateKind, FateStep
from core.transcript.model import Block, Message, MessageFlag, Opaque, ServerTool, Speaker, Text

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
        if block.kind in COMPACTION_ITEMS:
            return True
        is_encrypted = isinstance(block.raw, dict) and bool(block.raw.get("encrypted_content"))
        return (
            is_encrypted
            and "compaction" in block.kind.lower()
            and not isinstance(block, ServerTool)
        )
    if isinstance(block, Text):
        return block.extra.get("type") == "compaction" and bool(
            block.extra.get("encrypted_content")
        )
    return False


def holds_history(message: Message) -> bool:
    """Return whether a message has such a block; cheap where nothing in it is opaque."""
    is_marked = message.flags is not MessageFlag.NONE or message.speaker is Speaker.AI
    return is_marked and any(map(stands_for_history, message.blocks))


def keep_opaque_history(raw: Sequence[Message], run: Compaction) -> Compaction:
    """Return the run with every block of ``raw`` that stands for history at its place: its message
    comes before the first result message with later sources. Of a message that went, only these
    blocks stay."""
    lost = [
        (index, kept)
        for index, message in enumerate(raw)
        if holds_history(message)
        for kept in (tuple(filter(stands_for_history, message.blocks)),)
        if not _has_all(run, index, kept)
    ]
    for index, kept in lost:
        run = _put_back(raw[index], index, kept, run)
    return run


def _has_all(run: Compaction, index: int, blocks: Sequence[Block]) -> bool:
    source_blocks = [
        block
        for message, sources in zip(run.messages, run.origins, strict=True)
        if sources == (index,)
        for block in message.blocks
    ]
    return all(block in source_blocks for block in blocks)


def _put_back(message: Message, index: int, kept: tuple[Block, ...], run: Compaction) -> Compaction:
    origins = [tuple(one for one in sources if one != index) for sources in run.origins]
    emptied = {
        result_index
        for result_index, sources in enumerate(run.origins)
        if sources == (index,) and result_index not in run.inserted
    }
    result_index = next(
        (at for at, one in enumerate(origins) if one and one[-1] > index), len(origins)
    )
    is_whole = len(kept) == len(message.blocks)
    entry = message if is_whole else replace(message, blocks=kept)
    order = [at for at in range(result_index) if at not in emptied]
    rest = [at for at in range(result_index, len(origins)) if at not in emptied]
    new_index = {at: number for number, at in enumerate(order)}
    new_index |= {at: number + len(order) + 1 for number, at in enumerate(rest)}
    fates = list(run.fates)
    fates[index] = _KEPT if is_whole else _reduced(fates[index])
    return replace(
        run,
        messages=(*(run.messages[at] for at in order), entry, *(run.messages[at] for at in rest)),
        origins=(*(origins[at] for at in order), (index,), *(origins[at] for at in rest)),
        fates=tuple(fates),
        metadata=replace(run.metadata, compressed_message_count=len(order) + len(rest) + 1),
        inserted=frozenset(new_index[at] for at in run.inserted if at in new_index),
        budgets={new_index[at]: size for at, size in run.budgets.items() if at in new_index},
    )


def _reduced(fate: Fate) -> Fate:
    reason = _REDUCED if fate.kind is FateKind.SUMMARISED else _REMAINED
    return Fate((*fate.steps, FateStep(RULE, FateKind.EDITED, reason)))
