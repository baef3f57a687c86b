"""The result of a compaction: what a strategy did to each message, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.transcript.model import Message


# What only some strategies record about a run: steps of an agent, tiers, counters of a hybrid
# run.


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One tool call of a model that compacts a history as an agent (LH). ``round`` counts the
    model's answers from 1, ``effect`` is a sentence for the user, ``tokens`` the size of the
    history afterwards."""

    round: int
    tool: str
    arguments: str
    effect: str
    refused: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class TierOutcome:
    """The result of one tier of a tiered strategy. ``messages`` are the source messages that it
    changed, ``tokens`` the size of the history after it; ``note`` says why it did nothing or
    failed, "" if it succeeded."""

    number: int  # from 1
    name: str  # "truncate", "remove", "summarise"
    tokens: int
    messages: tuple[int, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridStats:
    """Counters of a hybrid run, named as in the reference; tokens, or messages where the name says
    so."""

    original_tokens: int
    compressed_tokens: int
    compression_ratio: float
    tool_results_compressed: int = 0
    user_messages_compressed: int = 0
    assistant_messages_compressed: int = 0
    display_data_deleted: int = 0
    messages_protected: int = 0


class FateKind(StrEnum):
    """The fate of a source message."""

    KEPT = "kept"
    EDITED = "edited"
    PRUNED = "pruned"
    SUMMARISED = "summarised"
    EXCERPTED = "excerpted"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class FateStep:
    """A change to a message by one stage. ``links`` are source indices (from 0) that the reason
    names. ``reason`` is a sentence for the user; messages are written as #n, counted from 1.
    ``fix`` is the id of the reference fix that made this differ from the reference."""

    rule: str
    kind: FateKind
    reason: str
    links: tuple[int, ...] = ()
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Fate:
    """The fate of one source message: the last step wins, ``steps`` lists all. One Fate object may
    be shared by many messages of a run; the index is that in the tuple."""

    steps: tuple[FateStep, ...]

    @property
    def last(self) -> FateStep:
        return self.steps[-1]

    @property
    def kind(self) -> FateKind:
        return self.steps[-1].kind


class NoOpCode(StrEnum):
    EMPTY_HISTORY = "empty-history"
    TOO_FEW = "too-few-messages"
    UNDER_TARGET = "already-under-target"
    TAIL_COVERS_ALL = "tail-covers-all"
    NOTHING_TO_PRUNE = "nothing-to-prune"
    NO_VALID_BOUNDARY = "no-valid-boundary"
    NOT_SMALLER = "not-smaller"
    HISTORY_CHANGED = "history-changed"
    SUMMARY_FAILED = "summary-failed"
    LIMIT_UNKNOWN = "limit-unknown"


@dataclass(frozen=True, slots=True)
class NoOp:
    """The reason of a run that changes nothing, with its numbers, and a way out.

    ``lead`` is what the sentence begins with where no title has said it: a window that shows a
    title of its own goes on with ``detail``.
    """

    code: NoOpCode
    detail: str
    suggestion: str = ""
    lead: str = ""

    @property
    def reason(self) -> str:
        """The whole sentence."""
        if not self.lead:
            return self.detail
        return f"{self.lead}: {self.detail}"


@dataclass(frozen=True, slots=True)
class CompactionMetadata:
    """Facts about a run (REQ-CS-001.4), in messages; None if the strategy has no such part."""

    original_message_count: int
    compressed_message_count: int
    strategy_used: str
    llm_call_made: bool
    _: KW_ONLY
    top_preserved: int | None = None
    bottom_preserved: int | None = None
    middle_compressed: int | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step in the search of a cut. ``valid`` is None if the step did not check validity."""

    title: str
    detail: str
    index: int | None = None
    valid: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One boundary of a split, as boundaries between messages: ``requested`` by the setting,
    ``index`` used. ``reference`` is where the reference implementation cuts, ``reference_orphans``
    are the ids of the calls and responses it separates there; ``safe`` is where safe mode cuts, -1
    if there is no boundary."""

    name: str  # "top", "bottom", "cut", "tail"
    requested: int
    index: int
    reference: int
    reference_orphans: tuple[str, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    safe: int = -1


@dataclass(frozen=True, slots=True)
class Split:
    """The division of a history, in messages; ``cuts`` are in ascending order of index."""

    top: int
    middle: int
    bottom: int
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that replaces compressed messages, and its author."""

    text: str
    profile: str
    model: str
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a summariser; tokens and ``cost`` (US dollars) are None if unknown. ``steps``
    describe each retry and each part removed from the request, ``reductions`` only the latter.
    ``purpose`` distinguishes the calls of a run; ``agent_steps`` are the tools that the answer
    called. ``request_tokens`` and ``answer_tokens`` are the estimated tokens of request and
    answer."""

    profile: str
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int = 0
    steps: tuple[str, ...] = ()
    cost: float | None = None
    seconds: float = 0.0
    reductions: tuple[str, ...] = ()
    purpose: str = ""
    agent_steps: tuple[AgentStep, ...] = ()
    request_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True)
class DensityCounters:
    """Counters of the density passes (REQ-HD-001.8): responses, inclusions and results."""

    read_write_pairs_pruned: int = 0
    file_deduplications_pruned: int = 0
    recency_pruned: int = 0


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line of the source message at ``source_index`` that stands in a result, and the names that
    it is the first there to state."""

    source_index: int
    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyFigures:
    """What density passes count, what ``tiered`` and ``hybrid`` say of their work, and the lines
    that ``excerpt`` chose."""

    density: DensityCounters | None = None
    tiers: tuple[TierOutcome, ...] = ()
    stats: HybridStats | None = None
    excerpts: tuple[ExcerptLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Compaction:
    """One run of a strategy over a history. ``messages`` is the result; ``origins[i]`` holds the
    source indices of ``messages[i]`` (empty for an inserted message without a source). ``fates[i]``
    belongs to source message i. ``inserted`` are the indices of messages that are not source
    messages. ``budgets`` gives the most tokens of the summary at an index; they count until it is
    written. ``protected`` are source messages that were spared."""

    messages: tuple[Message, ...]
    origins: tuple[tuple[int, ...], ...]
    fates: tuple[Fate, ...]
    metadata: CompactionMetadata
    _: KW_ONLY
    inserted: frozenset[int] = frozenset()
    split: Split | None = None
    summary: Summary | None = None
    target: int | None = None  # tokens aimed for, if the strategy has a target
    no_op: NoOp | None = None
    calls: tuple[ModelCall, ...] = ()
    fixes: tuple[str, ...] = ()  # ids of the fix table that changed this run
    warnings: tuple[str, ...] = ()
    budgets: Mapping[int, int] = field(default_factory=dict)
    figures: StrategyFigures = StrategyFigures()
    protected: tuple[int, ...] = ()
