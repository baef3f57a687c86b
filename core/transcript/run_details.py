"""What only some strategies record about a run: steps of an agent, tiers, counters of a hybrid
run."""

from __future__ import annotations

from dataclasses import dataclass


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
