"""Questions about a history, the answers of a model, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.analysis.fidelity.model import SourceFact


class ProbeKind(StrEnum):
    """What a question asks for. The answer to a negative one is not in the history."""

    CONSTRAINT = "constraint"
    ARTIFACT = "artifact"
    RECALL = "recall"
    CONTINUATION = "continuation"
    DECISION = "decision"
    NEGATIVE = "negative"


class GradeDimension(StrEnum):
    """What a judge grades a free answer by, from 0 to 5 each (field.md section 4.3)."""

    ACCURACY = "accuracy"
    CONTEXT = "context awareness"
    ARTIFACTS = "artifact trail"
    COMPLETENESS = "completeness"
    CONTINUITY = "continuity"
    INSTRUCTIONS = "instruction following"


BEST = 5
"""The best grade of a dimension."""


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """One question and its answer. ``facts`` are what string match looks for; a free question, which a
    model wrote, has none and is graded against ``expected`` by a judge."""

    kind: ProbeKind
    text: str
    expected: str
    facts: tuple[SourceFact, ...] = ()
    free: bool = False

    @property
    def messages(self) -> tuple[int, ...]:
        """Places in the history that say the answer, ascending."""
        return tuple(sorted({place for fact in self.facts for place in fact.messages}))


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """What became of a question. ``score`` from 0 to 1; None where no answer came, which ``failure`` says
    in a part of a sentence. ``whole``: asked over the uncompacted history. ``grades`` are those of a
    judge, in the order of Dimension; ``cost`` in US dollars, None where not known."""

    question: ProbeQuestion
    answer: str = ""
    score: float | None = None
    failure: str = ""
    whole: bool = False
    grades: tuple[int, ...] = ()
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class ProbeEstimate:
    """A mean over ``n`` answers and its bootstrap interval of 95 %; None where there are too few."""

    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ProbeKindScore:
    """The score of one kind (None: of all), over the compacted context and over the uncompacted history.

    ``asked`` questions; of those only the answered ones count."""

    kind: ProbeKind | None
    asked: int
    compacted: ProbeEstimate
    whole: ProbeEstimate
