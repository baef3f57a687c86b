"""Events of a history store and of a session, and the callbacks that receive them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.common.number_format import context_compacted, context_share, size_change
from core.transcript.compaction import DensityCounters, NoOp
from core.transcript.model import Message


class AddOutcome(StrEnum):
    """How a store took a message."""

    ADDED = "in"
    QUEUED = "queued"  # reference mode, while a compaction runs
    REFUSED = "refused"  # reference mode: a speaker that it does not know


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """``add`` was called, whatever the store did with the message."""

    message: Message
    outcome: AddOutcome


@dataclass(frozen=True, slots=True)
class HistoryCleared:
    """The store was emptied, or will be when the compaction ends."""


@dataclass(frozen=True, slots=True)
class HistoryReplaced:
    """The content changed otherwise than by adding; it has ``count`` messages now."""

    count: int


@dataclass(frozen=True, slots=True)
class TokensUpdated:
    """The total in tokens, base offset included, and by how much it changed."""

    total: int
    delta: int


StoreChange: TypeAlias = MessageAdded | HistoryCleared | HistoryReplaced | TokensUpdated
StoreWatcher: TypeAlias = Callable[[StoreChange], None]


class CompressionCause(StrEnum):
    THRESHOLD = "threshold"
    MANUAL = "manual"
    EMERGENCY = "emergency"


@dataclass(frozen=True, slots=True)
class ContextWarning:
    """The history has grown beyond the warning threshold; reported once until it is below again.
    Tokens."""

    tokens: int
    limit: int

    @property
    def fraction(self) -> float:
        return self.tokens / self.limit


@dataclass(frozen=True, slots=True)
class DensityStarted:
    """The density step of a strategy is about to look at the history."""

    strategy: str


@dataclass(frozen=True, slots=True)
class DensityApplied:
    """A density result was applied; totals in tokens."""

    before: int
    after: int
    counters: DensityCounters


@dataclass(frozen=True, slots=True)
class CompressionStarted:
    """A strategy begins."""

    strategy: str
    cause: CompressionCause


@dataclass(frozen=True, slots=True)
class CompressionEnded:
    """A strategy is done. ``failed``: it raised; ``no_op``: why nothing was applied."""

    strategy: str
    failed: bool = False
    no_op: NoOp | None = None


@dataclass(frozen=True, slots=True)
class SummaryRequested:
    """A summariser is asked for a summary."""

    profile: str
    model: str


@dataclass(frozen=True, slots=True)
class ProviderUsage:
    """The tokens of a summary; None if not reported."""

    profile: str
    model: str
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class CompactionStatus:
    """A compaction was applied: totals in tokens before and after, and what set it off."""

    before: int
    after: int
    cause: CompressionCause


EngineEvent: TypeAlias = (
    ContextWarning
    | DensityStarted
    | DensityApplied
    | CompressionStarted
    | CompressionEnded
    | SummaryRequested
    | ProviderUsage
    | CompactionStatus
)
EventListener: TypeAlias = Callable[[EngineEvent], None]


def no_listener(event: EngineEvent) -> None:
    """Ignore the event."""


def event_notice(event: EngineEvent) -> str:
    """Return the text for the user, "" for events without one."""
    match event:
        case ContextWarning():
            return context_share(event.tokens, event.limit)
        case CompactionStatus():
            return context_compacted(size_change(event.before, event.after))
        case _:
            return ""
