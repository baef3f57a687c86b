"""The words of a result: what a strategy did to a history, message by message, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.transcript.model import Message


class FateKind(StrEnum):
    """What became of a source message (product.md section 2)."""

    KEPT = "kept"
    EDITED = "edited"
    PRUNED = "pruned"
    SUMMARISED = "summarised"
    DROPPED = "dropped"


SURVIVING = frozenset({FateKind.KEPT, FateKind.EDITED, FateKind.SUMMARISED})
"""Messages of these fates appear in the origins of exactly one result message."""


@dataclass(frozen=True, slots=True)
class FateStep:
    """One stage that touched a message. ``links`` are source indices (from 0) that the reason names.

    ``reason`` is a sentence for people; messages are written as #n, counted from 1. ``fix`` is the
    id of the entry of the fix table without which the reference does otherwise.
    """

    rule: str
    kind: FateKind
    reason: str
    links: tuple[int, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of one source message: the last step that changed it wins, ``steps`` lists all.

    One Fate object may stand for many messages of a run; the index is the position in the tuple.
    """

    steps: tuple[FateStep, ...]

    @property
    def last(self) -> FateStep:
        """The step that decided."""
        return self.steps[-1]

    @property
    def kind(self) -> FateKind:
        """What became of the message."""
        return self.steps[-1].kind


class NoOpCode(StrEnum):
    """Why nothing was done."""

    EMPTY_HISTORY = "empty-history"
    TOO_FEW = "too-few-messages"
    UNDER_TARGET = "already-under-target"
    TAIL_COVERS_ALL = "tail-covers-all"
    NOTHING_TO_PRUNE = "nothing-to-prune"
    NO_VALID_BOUNDARY = "no-valid-boundary"
    NOT_SMALLER = "not-smaller"
    HISTORY_CHANGED = "history-changed"
    SUMMARY_FAILED = "summary-failed"
    CACHE_DEARER = "cache-dearer"


@dataclass(frozen=True, slots=True)
class NoOp:
    """A run that changes nothing: why, in one sentence with its numbers, and a way out."""

    code: NoOpCode
    reason: str
    way_out: str = ""


@dataclass(frozen=True, slots=True)
class CompactionMetadata:
    """Facts about a run (REQ-CS-001.4). Messages, not tokens; None where a strategy has no such part."""

    original_message_count: int
    compressed_message_count: int
    strategy_used: str
    llm_call_made: bool
    top_preserved: int | None = None
    bottom_preserved: int | None = None
    middle_compressed: int | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of how a cut was found. ``valid`` is None where validity was not the question."""

    title: str
    detail: str
    index: int | None = None
    valid: bool | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """One boundary of a split: ``asked`` for by the setting, ``index`` where it came to lie.

    ``reference`` is where the reference implementation cuts, and ``reference_orphans`` the ids of
    the calls and responses that it separates there; ``safe`` is where safe mode cuts, -1 where it finds no
    boundary. Indices are positions between messages.
    """

    name: str  # "top", "bottom", "cut", "tail"
    asked: int
    index: int
    reference: int
    reference_orphans: tuple[str, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    safe: int = -1


@dataclass(frozen=True, slots=True)
class Split:
    """Where a history is divided. ``cuts`` in ascending order of index; messages counted."""

    top: int
    middle: int
    bottom: int
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that stands for compressed messages, and by whom it was written."""

    text: str
    profile: str
    model: str
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One call of a tool that a model made while it compressed a history by itself (LH).

    ``round`` counts the model's answers from 1, ``arguments`` is what it wrote, ``effect`` a sentence
    for people; ``tokens`` of the history after it.
    """

    round: int
    tool: str
    arguments: str
    effect: str
    refused: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a summariser, for the record; tokens None where not reported.

    ``steps`` say each retry and each part taken out of the request, ``ladder`` the latter alone;
    ``cost`` in US dollars, None where not known. ``purpose`` says what it was asked for where a run
    makes several calls; ``agent_steps`` are the tools that the answer called. ``asked`` and ``written``
    are the tokens of request and answer as they stand here, whoever answered: an estimate.
    """

    profile: str
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int = 0
    steps: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0.0
    ladder: tuple[str, ...] = ()
    purpose: str = ""
    agent_steps: tuple[AgentStep, ...] = ()
    asked: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class TierOutcome:
    """What one tier of a strategy in tiers did, whether or not the next one had to follow.

    ``messages`` are the source messages that it changed, ``tokens`` the size of the history after it;
    ``note`` says why it did nothing or failed, empty where it did its work.
    """

    number: int  # from 1
    name: str  # "truncate", "remove", "summarise"
    tokens: int
    messages: tuple[int, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class HybridStats:
    """What a run of hybrid did, in the counters of its seed; tokens, and messages where not said."""

    original_tokens: int
    compressed_tokens: int
    compression_ratio: float
    tool_results_compressed: int = 0
    user_messages_compressed: int = 0
    assistant_messages_compressed: int = 0
    display_data_deleted: int = 0
    messages_protected: int = 0


@dataclass(frozen=True, slots=True)
class DensityCounters:
    """What the density passes did (REQ-HD-001.8), in responses, inclusions and results."""

    read_write_pairs_pruned: int = 0
    file_deduplications_pruned: int = 0
    recency_pruned: int = 0


@dataclass(frozen=True, slots=True)
class Compaction:
    """One run of a strategy over a history.

    ``messages`` is the result; ``origins[i]`` holds the source indices of ``messages[i]`` (empty
    for an inserted message without a source). ``fates[i]`` belongs to source message i.
    ``inserted`` are the positions in ``messages`` of those that no source message is. ``budgets``
    gives for positions with a summary the most tokens it may have, which count while it is not written;
    ``protected`` are the source messages that a strategy spares, where it has such.
    """

    messages: tuple[Message, ...]
    origins: tuple[tuple[int, ...], ...]
    fates: tuple[Fate, ...]
    metadata: CompactionMetadata
    inserted: frozenset[int] = frozenset()
    split: Split | None = None
    summary: Summary | None = None
    density: DensityCounters | None = None
    target: int | None = None  # tokens aimed for, where the strategy has a target
    no_op: NoOp | None = None
    calls: tuple[ModelCall, ...] = ()
    fixes: tuple[str, ...] = ()  # ids of the fix table that changed this run
    warnings: tuple[str, ...] = ()
    budgets: Mapping[int, int] = field(default_factory=dict)
    tiers: tuple[TierOutcome, ...] = ()
    stats: HybridStats | None = None
    protected: tuple[int, ...] = ()
