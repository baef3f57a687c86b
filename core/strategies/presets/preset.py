"""What a preset is: another agent's compaction as data, one TOML file each (product.md section 3.1).

A preset is run in this order: passes, which change a history in place; then, where it has them, split,
summary and reinjection. The rules are values; ``core.strategies.presets.preset_files`` makes them of a TOML
file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.strategies.base import EmulatedProgram, StrategyContext, Trigger
from core.strategies.draft import HistoryDraft
from core.strategies.presets.preset_summary import SummaryRule
from core.strategies.presets.reinjection import ReinjectRule
from core.strategies.presets.split import SplitRule
from core.transcript.compaction import FateStep, ModelCall, NoOp, NoOpCode, Split, Summary


@dataclass(frozen=True, slots=True)
class PassResult:
    """What a pass left. ``kept`` says by source place (of ``context.history``) why an untouched message
    stayed; ``note`` in one sentence why the pass changed nothing, empty where it changed something.

    ``target`` are the tokens that it aimed for, None where it has no target.
    """

    draft: HistoryDraft
    kept: Mapping[int, FateStep] = field(default_factory=dict)
    note: str = ""
    code: NoOpCode = NoOpCode.NOTHING_TO_PRUNE
    target: int | None = None
    warnings: tuple[str, ...] = ()


class PresetPass(Protocol):
    """A mechanical rule: a frozen dataclass whose fields are the keys of its table in the TOML file."""

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        """The draft as the rule leaves it; pairs stay whole."""


@dataclass(frozen=True, slots=True)
class PresetSummaryResult:
    """What split, summary and reinjection left; ``kept`` as in ``PassResult``.

    ``budgets`` gives the most tokens of a summary by its position in the draft. With a ``no_op`` the
    draft is the one that was given.
    """

    draft: HistoryDraft
    kept: Mapping[int, FateStep] = field(default_factory=dict)
    split: Split | None = None
    summary: Summary | None = None
    calls: tuple[ModelCall, ...] = ()
    budgets: Mapping[int, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    target: int | None = None
    no_op: NoOp | None = None


@dataclass(frozen=True, slots=True)
class Preset:
    """Another agent's compaction. ``order`` is its place in every list; ``trigger`` is its own.

    ``needs_limit``: a share of the model's window is among its numbers.
    """

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
