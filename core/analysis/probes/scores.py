"""Deterministic means of scores with a bootstrap interval, by kind and by dimension."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from core.analysis.probes.model import GradeDimension, ProbeAnswer, ProbeEstimate, ProbeKind, ProbeKindScore

_RESAMPLES = 2000
_SEED = 43
_TAIL = 0.025  # at each end: an interval of 95 %


def mean_estimate(values: Sequence[float]) -> ProbeEstimate:
    """Return the mean and its 95 % bootstrap interval, which needs two values."""
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


def kind_scores(answers: Sequence[ProbeAnswer]) -> tuple[ProbeKindScore, ...]:
    """Return the scores of template questions by kind, then of all; empty without any."""
    graded = [answer for answer in answers if not answer.question.free]
    kinds = [kind for kind in ProbeKind if any(answer.question.kind is kind for answer in graded)]
    scores = [_score(kind, [one for one in graded if one.question.kind is kind]) for kind in kinds]
    return (*scores, _score(None, graded)) if graded else ()


def _score(kind: ProbeKind | None, answers: Sequence[ProbeAnswer]) -> ProbeKindScore:
    asked = sum(not one.whole for one in answers)
    return ProbeKindScore(kind, asked, _estimate(answers, whole=False), _estimate(answers, whole=True))


def _estimate(answers: Sequence[ProbeAnswer], *, whole: bool) -> ProbeEstimate:
    return mean_estimate([one.score for one in answers if one.whole is whole and one.score is not None])


def score_difference(answers: Sequence[ProbeAnswer]) -> ProbeEstimate:
    """Return the score over the compacted context minus that over the whole history, question by question."""
    whole = {answer.question: answer.score for answer in answers if answer.whole and answer.score is not None}
    differences = [
        answer.score - whole[answer.question]
        for answer in answers
        if not answer.whole and answer.score is not None and answer.question in whole
    ]
    return mean_estimate(differences)


def dimension_scores(answers: Sequence[ProbeAnswer]) -> tuple[tuple[GradeDimension, ProbeEstimate], ...]:
    """Return the mean grade of each dimension, 0 to 5; empty if no answer was judged."""
    judged = [dimension.grades for dimension in answers if dimension.grades]
    if not judged:
        return ()
    return tuple(
        (dimension, mean_estimate([grades[position] for grades in judged]))
        for position, dimension in enumerate(GradeDimension)
    )
