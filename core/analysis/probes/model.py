"""Questions about a history, a model's answers, and their scores."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.analysis.fidelity.model import SourceFact


class ProbeKind(StrEnum):
    """The subject of a question; the answer to a negative one is not in the history."""

    CONSTRAINT = "constraint"
    ARTIFACT = "artifact"
    RECALL = "recall"
    CONTINUATION = "continuation"
    DECISION = "decision"
    NEGATIVE = "negative"


class GradeDimension(StrEnum):
    """The dimensions in which a judge grades a free answer, 0 to 5 each (field.md section 4.3)."""

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
    facts: tuple[SourceFact, ...] = ()
    is_free: bool = False

    @property
    def messages(self) -> tuple[int, ...]:
        """Indices of the messages that hold the answer, ascending."""
        return tuple(sorted({place for fact in self.facts for place in fact.messages}))


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
