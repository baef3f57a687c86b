"""What a model is asked about reworded sentences, and what it said."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum


class JudgeVerdict(StrEnum):
    SAME = "says the same"
    CHANGED = "changed"
    OPPOSITE = "opposite"
    MISSING = "missing"
    UNKNOWN = "cannot tell"
    FOUND = "found"
    PARTLY_FOUND = "partly found"
    NOT_FOUND = "not found"


SENSE_VERDICTS = (
    JudgeVerdict.SAME,
    JudgeVerdict.CHANGED,
    JudgeVerdict.OPPOSITE,
    JudgeVerdict.MISSING,
    JudgeVerdict.UNKNOWN,
)
"""What a model says of a statement; whether an answer has its points, strings say."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A statement, and the text that says it or does not. ``message`` is the index in the source of
    the message that the statement is from; for a sentence of the summary, of the one that it is
    compared with. With ``points`` it is a question that is answered from the text, and these are
    what its answer has to have."""

    statement: str
    text: str
    kind: str = ""
    message: int = -1
    is_summary: bool = False
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """``quote`` stands in the question's text, letter by letter but for white space; without one, a
    verdict that needs one is "cannot tell". ``reason`` says why there is no verdict; ``is_known``:
    it was asked before. ``cost`` is its share of the call in US dollars, None if unknown. Of a
    question with points, ``quote`` is the answer, and ``missing`` are the points that it lacks."""

    question: JudgeQuestion
    verdict: JudgeVerdict
    quote: str = ""
    reason: str = ""
    _: KW_ONLY
    is_known: bool = False
    cost: float | None = 0.0
    missing: tuple[str, ...] = ()


_LEAST_TOLD_APART, _MOST_WRONG, _BAR_OF = 24, 3, 30
"""Of 30 false statements so many are to be told apart, of 30 faithful ones so many may be called
wrong."""


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """How a model did on the shipped pairs of statements and texts, as many that say it as that do
    not. ``told_apart`` are the false ones that it called so, ``faithful_wrong`` the others that it
    did."""

    pairs: int
    told_apart: int
    faithful_wrong: int
    unanswered: int

    @property
    def is_enough(self) -> bool:
        """Return whether its verdicts are worth to be shown."""
        return (
            self.told_apart * _BAR_OF >= _LEAST_TOLD_APART * self.pairs
            and self.faithful_wrong * _BAR_OF <= _MOST_WRONG * self.pairs
        )

    @property
    def text(self) -> str:
        wrong = f"{self.faithful_wrong} of {self.pairs} faithful ones called wrong"
        if self.unanswered:
            missing = f"; {self.unanswered} not answered"
        else:
            missing = ""
        return f"{self.told_apart} of {self.pairs} told apart, {wrong}{missing}"
