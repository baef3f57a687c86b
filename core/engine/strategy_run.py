"""The part of a history that a strategy gets, and its run expressed over the whole history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.preview.pipeline import StageResults, compose_compaction, unchanged_compaction
from core.settings.schema import Mode
from core.strategies.curated_history import curated_indices
from core.strategies.draft import unpaired_ids
from core.strategies.helpers import single_fate
from core.transcript.compaction import Compaction, CompactionMetadata, FateKind, NoOpCode
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse, tool_calls
from core.transcript.tool_pairs import find_pairs

WAITING_RULE = "waiting for an answer"
"""Rule of messages that stay because a call among them has no answer yet."""


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """A history, the raw indices that a strategy sees, and the first message with an unanswered
    call."""

    raw: tuple[Message, ...]
    inputs: tuple[int, ...]
    waiting_turn_start: int

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self.raw[index] for index in self.inputs)


def strategy_input(raw: tuple[Message, ...], mode: Mode, strategy_mode: Mode) -> StrategyInput:
    """Return the history curated for the strategy's mode ``strategy_mode``; if the engine's
    ``mode`` is safe, without a last turn whose calls wait for answers."""
    end = waiting_turn_start(raw) if mode is Mode.SAFE else len(raw)
    return StrategyInput(raw, curated_indices(raw[:end], strategy_mode), end)


def waiting_turn_start(raw: Sequence[Message]) -> int:
    """Return where the last turn with calls begins if some have no answer yet, else the end. Their
    answers will be added after it, so a strategy must not remove the calls (fix EN-08). A message
    of the user, or another turn with calls, ends the waiting."""
    start = len(raw)
    while (
        start
        and raw[start - 1].speaker is not Speaker.HUMAN
        and not any(tool_calls(raw[start - 1]))
    ):
        start -= 1
    while start and raw[start - 1].speaker is Speaker.AI:
        start -= 1
    if _is_answered(raw[start:]):
        return len(raw)
    pairs = find_pairs(raw)
    boundary = min((index for index, _ in pairs.unanswered if index >= start), default=len(raw))
    while not pairs.valid[boundary]:
        boundary -= 1
    return boundary


def _is_answered(messages: Sequence[Message]) -> bool:
    """Return whether every call of the newest messages surely has its answer among them, which
    saves a search of the whole history. False for an id that occurs twice."""
    seen: set[str] = set()
    unanswered: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                if block.id in seen:
                    return False
                seen.add(block.id)
                unanswered.add(block.id)
            elif isinstance(block, ToolResponse):
                unanswered.discard(block.call_id)
    return not unanswered


def map_to_raw_history(
    part: StrategyInput, run: Compaction, mode: Mode, reference: str
) -> Compaction:
    """Return the run expressed over the whole history; ``reference`` is that of the strategy."""
    if run.no_op is not None and mode is Mode.SAFE:
        return unchanged_compaction(StageResults(part.raw, None, part.inputs), run)
    stages = StageResults(part.raw[: part.waiting_turn_start], None, part.inputs, reference)
    compaction = replace(compose_compaction(stages, replace(run, no_op=None)), no_op=run.no_op)
    waiting_count = len(part.raw) - part.waiting_turn_start
    if not waiting_count:
        return compaction
    kept_fate = single_fate(
        FateKind.KEPT,
        WAITING_RULE,
        "A call of this turn has no answer yet; the turn stays.",
        fix="EN-08",
    )
    return replace(
        compaction,
        messages=compaction.messages + part.raw[part.waiting_turn_start :],
        origins=compaction.origins
        + tuple((index,) for index in range(part.waiting_turn_start, len(part.raw))),
        fates=compaction.fates + (kept_fate,) * waiting_count,
        metadata=_with_waiting_count(compaction.metadata, waiting_count),
    )


def _with_waiting_count(metadata: CompactionMetadata, waiting_count: int) -> CompactionMetadata:
    bottom = metadata.bottom_preserved
    return replace(
        metadata,
        original_message_count=metadata.original_message_count + waiting_count,
        compressed_message_count=metadata.compressed_message_count + waiting_count,
        bottom_preserved=None if bottom is None else bottom + waiting_count,
    )


def refused_compaction(
    part: StrategyInput, run: Compaction, code: NoOpCode, reason: str
) -> Compaction:
    return unchanged_compaction(StageResults(part.raw, None, part.inputs), run, code, reason)


def separates_pair(
    before: Sequence[Message], after: Sequence[Message], added: Sequence[Message]
) -> bool:
    """Return whether compacting ``before`` would separate a late message from its call or
    answer."""
    if not added:
        return False
    return bool(unpaired_ids((*after, *added)) - unpaired_ids((*before, *added)))
