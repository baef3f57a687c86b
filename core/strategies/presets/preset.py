"""A preset: another agent's compaction as data, one TOML file each. A preset runs
its passes, which edit a history, then split, summary and reinjection where it has them.
``core.strategies.presets.engine`` builds the rules from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.strategies.base import EmulatedProgram, StrategyContext, Trigger
from core.strategies.draft import HistoryDraft
from core.strategies.presets.preset_summary import ReinjectRule, SummaryRule
from core.strategies.presets.split import SplitRule
from core.transcript.compaction import (
    FateStep,
    ModelCall,
    NoOp,
    NoOpCode,
    Split,
    Summary,
)


@dataclass(frozen=True, slots=True)
class PassResult:
    """The draft after a pass. ``kept_steps`` says by index in ``context.history`` why an untouched
    message stayed; ``note`` is one sentence on why the pass changed nothing, "" where it did.
    ``target`` is the size aimed for in tokens, None without one."""

    draft: HistoryDraft
    kept_steps: Mapping[int, FateStep] = field(default_factory=dict)
    note: str = ""
    code: NoOpCode = NoOpCode.NOTHING_TO_PRUNE
    target: int | None = None
    warnings: tuple[str, ...] = ()


class PresetPass(Protocol):
    """A mechanical rule: a frozen dataclass whose fields are the keys of its table in the TOML
    file."""

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        """Return the draft after the rule; tool pairs stay whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetSummaryResult:
    """The draft after split, summary and reinjection; ``kept_steps`` as in ``PassResult``."""

    draft: HistoryDraft
    kept_steps: Mapping[int, FateStep] = field(default_factory=dict)
    split: Split | None = None
    summary: Summary | None = None
    calls: tuple[ModelCall, ...] = ()
    budgets: Mapping[int, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    no_op: NoOp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Another agent's compaction."""

    name: str
    order: int
    about: str
    emulates: EmulatedProgram
    trigger: Trigger
    passes: tuple[PresetPass, ...] = ()
    split: SplitRule | None = None
    summary: SummaryRule | None = None
    reinject: ReinjectRule | None = None
    needs_limit: bool = False
