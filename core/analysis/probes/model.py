"""Questions about a history, a model's answers, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from core.facts.model import Fact


class ProbeKind(StrEnum):
    """The subject of a question."""

    ARTIFACT = "artifact"
    RECALL = "recall"
    CONTINUATION = "continuation"
    DECISION = "decision"


class GradeDimension(StrEnum):
    """The dimensions in which a judge grades a free answer, 0 to 5 each."""

    ACCURACY = "accuracy"
    CONTEXT = "context awareness"
    ARTIFACTS = "artifact trail"
    COMPLETENESS = "completeness"
    CONTINUITY = "continuity"
    INSTRUCTIONS = "instruction following"


MAX_GRADE = 5
"""The best grade of a dimension."""


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """A question and its expected answer. ``facts`` are matched as strings; a ``is_free`` question,
    written by a model, has none and a judge grades it against ``expected``."""

    kind: ProbeKind
    text: str
    expected: str
    facts: tuple[Fact, ...] = ()
    is_free: bool = False

    @property
    def messages(self) -> tuple[int, ...]:
        return tuple(sorted({place for fact in self.facts for place in (fact.first, fact.last)}))


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """An answer and its score. ``score`` is from 0 to 1, None without an answer; ``failure`` then says
    why, as part of a sentence. ``is_uncompacted``: over the uncompacted history. ``grades`` are the
    judge's, in the order of ``GradeDimension``; ``cost`` is in US dollars, None if unknown."""

    question: ProbeQuestion
    answer: str = ""
    score: float | None = None
    failure: str = ""
    is_uncompacted: bool = False
    grades: tuple[int, ...] = ()
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class ProbeEstimate:
    """Mean of ``n`` answers with its 95 % bootstrap interval; None where there are too few."""

    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ProbeKindScore:
    """Scores of one kind (None: all) over the compacted context and over the whole history.
    ``question_count`` counts all questions; only answered ones are scored."""

    kind: ProbeKind | None
    question_count: int
    compacted: ProbeEstimate
    uncompacted: ProbeEstimate


_RESAMPLES = 2000
_SEED = 43
_TAIL_SHARE = 0.025  # at each end: an interval of 95 %


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
    tail_count = int(_TAIL_SHARE * _RESAMPLES)
    return ProbeEstimate(count, mean, means[tail_count], means[-tail_count - 1])


def kind_scores(answers: Sequence[ProbeAnswer]) -> tuple[ProbeKindScore, ...]:
    """Return the scores of template questions by kind, then of all; empty without any."""
    template_answers = [answer for answer in answers if not answer.question.is_free]
    by_kind = {
        kind: [answer for answer in template_answers if answer.question.kind is kind] for kind in ProbeKind
    }
    scores = [_kind_score(kind, found) for kind, found in by_kind.items() if found]
    return (*scores, _kind_score(None, template_answers)) if template_answers else ()


def _kind_score(kind: ProbeKind | None, answers: Sequence[ProbeAnswer]) -> ProbeKindScore:
    compacted, uncompacted = (
        [answer for answer in answers if answer.is_uncompacted is side] for side in (False, True)
    )
    return ProbeKindScore(kind, len(compacted), _estimate(compacted), _estimate(uncompacted))


def _estimate(answers: Sequence[ProbeAnswer]) -> ProbeEstimate:
    return mean_estimate([answer.score for answer in answers if answer.score is not None])


def score_difference(answers: Sequence[ProbeAnswer]) -> ProbeEstimate:
    """Return the score over the compacted context minus that over the whole history, question by question."""
    uncompacted_scores = {
        answer.question: answer.score
        for answer in answers
        if answer.is_uncompacted and answer.score is not None
    }
    differences = [
        answer.score - uncompacted_scores[answer.question]
        for answer in answers
        if not answer.is_uncompacted and answer.score is not None and answer.question in uncompacted_scores
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
