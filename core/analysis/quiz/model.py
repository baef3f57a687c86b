"""Questions about a history, a model's answers, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from core.analysis.judge.model import Judgement, JudgeVerdict


class QuizKind(StrEnum):
    """The subject of a question: changed files, what is to be done, or what a model chose to
    ask."""

    ARTIFACT = "artifact"
    CONTINUATION = "continuation"
    RECALL = "recall"


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question and the ``points`` of its expected answer. ``messages`` are the indices of the
    source that hold them. A question that a model wrote has the ``quote`` of them that its answer
    rests on."""

    kind: QuizKind
    text: str
    points: tuple[str, ...]
    messages: tuple[int, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class QuizAnswer:
    """An answer and what the judge says of each expected point. Without an answer, or without one
    that could be graded, ``failure`` says why, as part of a sentence. ``is_uncompacted``: over the
    uncompacted history; ``cost`` is in US dollars, None if unknown."""

    question: QuizQuestion
    answer: str = ""
    judgements: tuple[Judgement, ...] = ()
    failure: str = ""
    is_uncompacted: bool = False
    cost: float | None = 0.0

    @property
    def score(self) -> float | None:
        """The share of the expected points that the answer says, of those that the judge could
        tell; None where it could tell none."""
        verdicts = [
            one.verdict for one in self.judgements if one.verdict is not JudgeVerdict.UNKNOWN
        ]
        return verdicts.count(JudgeVerdict.SAME) / len(verdicts) if verdicts else None


@dataclass(frozen=True, slots=True)
class QuizEstimate:
    """Mean of ``n`` answers with its 95 % bootstrap interval; None where there are too few."""

    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class QuizKindScore:
    """Scores of one kind (None: all) over the compacted context and over the whole history.
    ``question_count`` counts all questions; only graded answers are scored."""

    kind: QuizKind | None
    question_count: int
    compacted: QuizEstimate
    uncompacted: QuizEstimate


_RESAMPLES = 2000
_SEED = 43
_TAIL_SHARE = 0.025  # at each end: an interval of 95 %


def mean_estimate(values: Sequence[float]) -> QuizEstimate:
    """Return the mean and its 95 % bootstrap interval, which needs two values."""
    count = len(values)
    if not count:
        return QuizEstimate(0)
    mean = sum(values) / count
    if count < 2:
        return QuizEstimate(count, mean)
    random = Random(_SEED)
    means = sorted(sum(random.choices(values, k=count)) / count for _ in range(_RESAMPLES))
    tail_count = int(_TAIL_SHARE * _RESAMPLES)
    return QuizEstimate(count, mean, means[tail_count], means[-tail_count - 1])


def kind_scores(answers: Sequence[QuizAnswer]) -> tuple[QuizKindScore, ...]:
    """Return the scores by kind, then of all; empty without any."""
    by_kind = {
        kind: [answer for answer in answers if answer.question.kind is kind] for kind in QuizKind
    }
    scores = [_kind_score(kind, found) for kind, found in by_kind.items() if found]
    return (*scores, _kind_score(None, answers)) if answers else ()


def _kind_score(kind: QuizKind | None, answers: Sequence[QuizAnswer]) -> QuizKindScore:
    compacted, uncompacted = (
        [answer for answer in answers if answer.is_uncompacted is side] for side in (False, True)
    )
    return QuizKindScore(kind, len(compacted), _estimate(compacted), _estimate(uncompacted))


def _estimate(answers: Sequence[QuizAnswer]) -> QuizEstimate:
    return mean_estimate([answer.score for answer in answers if answer.score is not None])


def score_difference(answers: Sequence[QuizAnswer]) -> QuizEstimate:
    """Return the score over the compacted context minus that over the whole history, question by
    question."""
    uncompacted_scores = {
        answer.question: answer.score
        for answer in answers
        if answer.is_uncompacted and answer.score is not None
    }
    differences = [
        answer.score - uncompacted_scores[answer.question]
        for answer in answers
        if not answer.is_uncompacted
        and answer.score is not None
        and answer.question in uncompacted_scores
    ]
    return mean_estimate(differences)
