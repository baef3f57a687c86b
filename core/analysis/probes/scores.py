"""Means of scores with a bootstrap interval, by kind and by dimension; the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from core.analysis.probes.model import GradeDimension, ProbeAnswer, ProbeEstimate, ProbeKind, ProbeKindScore

_RESAMPLES = 2000
_SEED = 43
_TAIL = 0.025  # at each end: an interval of 95 %


def mean_estimate(values: Sequence[float]) -> ProbeEstimate:
    """The mean and the interval in which 95 % of the means of resamples lie; none of fewer than two."""
    count = len(values)
    if not count:
        return ProbeEstimate(0)
    mean = sum(values) / count
    if count < 2:
        return ProbeEstimate(count, mean)
    random = Random(_SEED)
    means = sorted(sum(random.choices(values, k=count)) / count for _ in range(_RESAMPLES))
    cut = int(_TAIL * _RESAMPLES)
    return ProbeEstimate(count, mean, means[cut], means[-cut - 1])


def kind_scores(given: Sequence[ProbeAnswer]) -> tuple[ProbeKindScore, ...]:
    """The scores of the templated questions by kind, then those of all; nothing without any."""
    own = [one for one in given if not one.question.free]
    kinds = [kind for kind in ProbeKind if any(one.question.kind is kind for one in own)]
    found = [_score(kind, [one for one in own if one.question.kind is kind]) for kind in kinds]
    return (*found, _score(None, own)) if own else ()


def _score(kind: ProbeKind | None, given: Sequence[ProbeAnswer]) -> ProbeKindScore:
    asked = sum(not one.whole for one in given)
    return ProbeKindScore(kind, asked, _of(given, whole=False), _of(given, whole=True))


def _of(given: Sequence[ProbeAnswer], *, whole: bool) -> ProbeEstimate:
    return mean_estimate([one.score for one in given if one.whole is whole and one.score is not None])


def score_difference(given: Sequence[ProbeAnswer]) -> ProbeEstimate:
    """The score over the compacted context less that over the uncompacted history, question by question:
    only those that were answered over both."""
    whole = {one.question: one.score for one in given if one.whole and one.score is not None}
    pairs = [
        one.score - whole[one.question]
        for one in given
        if not one.whole and one.score is not None and one.question in whole
    ]
    return mean_estimate(pairs)


def dimension_scores(given: Sequence[ProbeAnswer]) -> tuple[tuple[GradeDimension, ProbeEstimate], ...]:
    """The mean grade of each dimension, from 0 to 5; nothing where no answer was judged."""
    judged = [one.grades for one in given if one.grades]
    if not judged:
        return ()
    return tuple(
        (one, mean_estimate([grades[at] for grades in judged])) for at, one in enumerate(GradeDimension)
    )
