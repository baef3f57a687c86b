"""What a strategy is given of a history, and its run seen from the whole history again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.preview.pipeline import StageResults, compose_compaction, unchanged_compaction
from core.settings.schema import Mode
from core.strategies.curated_history import curated_indices
from core.strategies.helpers import single_fate
from core.transcript.compaction import Compaction, CompactionMetadata, FateKind, NoOpCode
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse, tool_calls
from core.transcript.tool_pairs import find_pairs

WAITING = "waiting for an answer"
"""Rule of messages that stay because a call among them has no answer yet."""


@dataclass(frozen=True, slots=True)
class StrategyInput:
    """A history, the raw indices that a strategy sees, and the first message that waits for an answer."""

    raw: tuple[Message, ...]
    inputs: tuple[int, ...]
    held: int

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages that the strategy sees."""
        return tuple(self.raw[index] for index in self.inputs)


def strategy_input(raw: tuple[Message, ...], mode: Mode, own: Mode) -> StrategyInput:
    """The history curated as a strategy runs (``own``); where the engine is in safe mode without the last
    turn while its calls wait for answers."""
    held = first_waiting(raw) if mode is Mode.SAFE else len(raw)
    return StrategyInput(raw, curated_indices(raw[:held], own), held)


def first_waiting(raw: Sequence[Message]) -> int:
    """Where the last turn with calls begins if some of them have no answer yet, else the end.

    Their answers will be added behind it, so a strategy must not take the calls away (fix EN-08).
    A message of the person, or another turn with calls, says that nobody waits any more.
    """
    start = len(raw)
    while start and raw[start - 1].speaker is not Speaker.HUMAN and not any(tool_calls(raw[start - 1])):
        start -= 1
    while start and raw[start - 1].speaker is Speaker.AI:
        start -= 1
    if _is_answered(raw[start:]):
        return len(raw)
    pairs = find_pairs(raw)
    held = min((index for index, _ in pairs.unanswered if index >= start), default=len(raw))
    while not pairs.valid[held]:
        held -= 1
    return held


def _is_answered(messages: Sequence[Message]) -> bool:
    """True where every call of the newest messages surely has its answer among them: then nobody has to
    look at the whole history. An id that comes twice is for those who do."""
    seen: set[str] = set()
    waiting: set[str] = set()
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                if block.id in seen:
                    return False
                seen.add(block.id)
                waiting.add(block.id)
            elif isinstance(block, ToolResponse):
                waiting.discard(block.call_id)
    return not waiting


def in_raw_terms(part: StrategyInput, run: Compaction, mode: Mode, reference: str) -> Compaction:
    """The run over what the strategy saw as a run over the whole history; ``reference``: its strategy's."""
    if run.no_op is not None and mode is Mode.SAFE:
        return unchanged_compaction(StageResults(part.raw, None, part.inputs), run)
    stages = StageResults(part.raw[: part.held], None, part.inputs, reference)
    composed = replace(compose_compaction(stages, replace(run, no_op=None)), no_op=run.no_op)
    count = len(part.raw) - part.held
    if not count:
        return composed
    kept = single_fate(
        FateKind.KEPT, WAITING, "A call of this turn has no answer yet; the turn stays.", fix="EN-08"
    )
    return replace(
        composed,
        messages=composed.messages + part.raw[part.held :],
        origins=composed.origins + tuple((index,) for index in range(part.held, len(part.raw))),
        fates=composed.fates + (kept,) * count,
        metadata=_counted(composed.metadata, count),
    )


def _counted(metadata: CompactionMetadata, more: int) -> CompactionMetadata:
    bottom = metadata.bottom_preserved
    return replace(
        metadata,
        original_message_count=metadata.original_message_count + more,
        compressed_message_count=metadata.compressed_message_count + more,
        bottom_preserved=None if bottom is None else bottom + more,
    )


def refused_compaction(part: StrategyInput, run: Compaction, code: NoOpCode, reason: str) -> Compaction:
    """The history as it was, and why the run was not applied."""
    return unchanged_compaction(StageResults(part.raw, None, part.inputs), run, code, reason)


def separates_pair(before: Sequence[Message], after: Sequence[Message], late: Sequence[Message]) -> bool:
    """True where a late message would lose its other half to the compression of what was before."""
    if not late:
        return False
    return bool(_loose((*after, *late)) - _loose((*before, *late)))


def _loose(messages: Sequence[Message]) -> Counter[str]:
    pairs = find_pairs(messages)
    calls = (f"call {id_}" for _, id_ in pairs.unanswered)
    return Counter(calls) + Counter(f"response {id_}" for _, id_ in pairs.orphans)
