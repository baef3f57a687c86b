"""Analyses of a result that the user asked for, kept with it: its backtest, and what a model said
of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.preview.options import Preview, StageCache

if TYPE_CHECKING:
    from core.losses.judge import JudgeProgress
    from core.trials.trial import Backtest


@dataclass(frozen=True, slots=True)
class RequestedAnalyses:
    """Analyses of a result that run on demand, None if not asked for."""

    backtest: Backtest | None = None
    judged: JudgeProgress | None = None


NONE_REQUESTED = RequestedAnalyses()


def requested_analyses(preview: Preview, stages: StageCache) -> RequestedAnalyses:
    """Return the analyses of a preview's result."""
    known = stages.results.get(_key(preview))
    return known[1] if isinstance(known, tuple) else NONE_REQUESTED


def remember_backtest(preview: Preview, backtest: Backtest, stages: StageCache) -> None:
    _remember(
        preview, replace(requested_analyses(preview, stages), backtest=backtest), stages
    )


def remember_judged(judged: JudgeProgress, stages: StageCache) -> None:
    """Keep judgements with the result that they are about."""
    _remember(
        judged.preview,
        replace(requested_analyses(judged.preview, stages), judged=judged),
        stages,
    )


def _remember(
    preview: Preview, analyses: RequestedAnalyses, stages: StageCache
) -> None:
    stages.results.pop(_key(preview), None)
    stages.get_or_compute(*_key(preview), lambda: (preview.result.compaction, analyses))


def _key(preview: Preview) -> tuple[str, int]:
    return "asked", id(
        preview.result.compaction
    )  # unique while the stage holds the compaction
