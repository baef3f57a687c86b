"""What is left of the facts of a history: statuses, scores, later needs (field.md section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """The twelve categories that fidelity is told by."""

    CONSTRAINT = "constraint"
    FILE = "file modified"
    ERROR = "error"
    PATH = "path"
    TODO = "todo"
    DECISION = "decision"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    URL = "url"
    COMMAND = "command"
    USER_MESSAGE = "user message"
    CODE = "code"


WEIGHTS: Mapping[FactKind, float] = {
    FactKind.CONSTRAINT: 4.0,
    FactKind.FILE: 3.0,
    FactKind.ERROR: 3.0,
    FactKind.PATH: 2.0,
    FactKind.TODO: 3.0,
    FactKind.DECISION: 2.0,
    FactKind.IDENTIFIER: 1.0,
    FactKind.NUMBER: 1.5,
    FactKind.URL: 2.0,
    FactKind.COMMAND: 1.0,
    FactKind.USER_MESSAGE: 3.0,
    FactKind.CODE: 0.5,
}
"""How much a fact of a category counts (field.md section 4.2)."""


class Status(StrEnum):
    """How a fact of the source stands in the result."""

    VERBATIM = "verbatim"
    SUMMARISED = "summarised"
    PARTIAL = "partial"
    RECOVERABLE = "recoverable"
    LOST = "lost"


WORTH: Mapping[Status, float] = {
    Status.VERBATIM: 1.0,
    Status.SUMMARISED: 0.9,
    Status.PARTIAL: 0.5,
    Status.RECOVERABLE: 0.4,
    Status.LOST: 0.0,
}
"""What a status counts of a fact's weight."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A fact of a history. ``messages`` are the places that mention it, ascending; ``needles`` what the
    match rule of its category looks for. ``resolved``: an error that later work took away."""

    kind: FactKind
    key: str
    text: str
    messages: tuple[int, ...]
    needles: tuple[str, ...] = ()
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact and where it stands in the result: ``places`` of result messages. ``flipped``: the words
    of a constraint survive with the opposite sense, an error of the summary."""

    fact: SourceFact
    status: Status
    places: tuple[int, ...] = ()
    flipped: bool = False


@dataclass(frozen=True, slots=True)
class Invented:
    """Something in a summary that no source has: its category, its text, the result message."""

    kind: FactKind
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Score:
    """How many facts of a category have which status; ``recall`` is Σ worth / facts, None without any."""

    kind: FactKind
    facts: int
    by_status: Mapping[Status, int]
    recall: float | None


@dataclass(frozen=True, slots=True)
class Demand:
    """Facts seen before a cut that the model used again after it (field.md section 2).

    ``needed`` of them, ``kept`` in the result; the same weighted by the number of later uses. None of
    both where the transcript ends at the cut.
    """

    needed: int
    kept: int
    uses: int
    kept_uses: int
    lost: tuple[JudgedFact, ...] = ()

    @property
    def recall(self) -> float | None:
        """Share of the needed facts that the result still has."""
        return self.kept / self.needed if self.needed else None


@dataclass(frozen=True, slots=True)
class Fidelity:
    """The judgement of a result. ``weighted`` from 0 to 1, None without any fact; ``curve`` is the recall
    by tenth of the source (by tokens), None for a tenth without facts."""

    facts: tuple[JudgedFact, ...]
    scores: tuple[Score, ...]
    weighted: float | None
    invented: tuple[Invented, ...] = ()
    curve: tuple[float | None, ...] = ()
    demand: Demand | None = None
