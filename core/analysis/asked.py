"""What was asked about a result on demand, kept beside it: its backtest, and what a model said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.analysis.backtest.backtest import Backtest
from core.analysis.judge.asking import JudgeProgress
from core.preview.options import Preview, StageCache


@dataclass(frozen=True, slots=True)
class Asked:
    """None is what nobody asked for."""

    backtest: Backtest | None = None
    judged: JudgeProgress | None = None


NOTHING_ASKED = Asked()


def asked_of(preview: Preview, stages: StageCache) -> Asked:
    """Return what was asked about a preview's result."""
    known = stages.results.get(_key(preview))
    return known[1] if isinstance(known, tuple) else NOTHING_ASKED


def remember_backtest(preview: Preview, found: Backtest, stages: StageCache) -> None:
    _remember(preview, replace(asked_of(preview, stages), backtest=found), stages)


def remember_judged(found: JudgeProgress, stages: StageCache) -> None:
    """Keep judgements with the result that they are about."""
    _remember(found.preview, replace(asked_of(found.preview, stages), judged=found), stages)


def _remember(preview: Preview, asked: Asked, stages: StageCache) -> None:
    stages.results.pop(_key(preview), None)
    stages.get_or_compute(*_key(preview), lambda: (preview.result.compaction, asked))


def _key(preview: Preview) -> tuple[str, int]:
    return "asked", id(preview.result.compaction)  # unique while the stage holds the compaction
