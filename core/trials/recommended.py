"""What the recommended strategy would have kept at the points of a backtest, at the same sizes."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput
from core.strategies.names import EXCERPT
from core.trials.past import past_of, past_trial
from core.trials.run import run_trial
from core.trials.trial import Backtest, Depth

MIN_LEAD = 0.10
"""Share of the needed names that the recommended strategy has to keep more to be offered."""
_TARGET = 0.40  # share of the limit that excerpt aims for


def recommended_backtest(source: AnalysisInput, found: Backtest) -> Backtest | None:
    """Return the backtest of excerpt at the judged points, with what ``found`` left as its target;
    None where that has no figure, or is excerpt's own, or a run fails."""
    if found.share is None or found.name == EXCERPT:
        return None
    source = source.offline
    points = []
    past = past_of(source, found.planned)
    for part, judged in zip(past.parts, found.points, strict=False):
        if not judged.is_judged:
            continue
        limit = max(1, int(judged.sizes.tokens / _TARGET))
        result = run_trial(source, past_trial(EXCERPT, part, limit), Depth.NEEDED, part)
        if result.error:
            return None
        points.append(result)
    return replace(found, name=EXCERPT, points=tuple(points), planned=len(points))


def is_far_ahead(better: Backtest | None, found: Backtest) -> bool:
    """Return whether it keeps at least ten points more, at no larger size."""
    if better is None or better.share is None or found.share is None:
        return False
    return better.share - found.share >= MIN_LEAD
