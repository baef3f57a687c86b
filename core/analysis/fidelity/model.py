"""Facts of a history and their statuses, scores and later use (field.md section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class FidelityCategory(StrEnum):
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


CATEGORY_WEIGHTS: Mapping[FidelityCategory, float] = {
    FidelityCategory.CONSTRAINT: 4.0,
    FidelityCategory.FILE: 3.0,
    FidelityCategory.ERROR: 3.0,
    FidelityCategory.PATH: 2.0,
    FidelityCategory.TODO: 3.0,
    FidelityCategory.DECISION: 2.0,
    FidelityCategory.IDENTIFIER: 1.0,
    FidelityCategory.NUMBER: 1.5,
    FidelityCategory.URL: 2.0,
    FidelityCategory.COMMAND: 1.0,
    FidelityCategory.USER_MESSAGE: 3.0,
    FidelityCategory.CODE: 0.5,
}
"""Weight of a fact by category (field.md section 4.2)."""


class FactStatus(StrEnum):
    VERBATIM = "verbatim"
    SUMMARISED = "summarised"
    PARTIAL = "partial"
    RECOVERABLE = "recoverable"
    UNCLEAR = "cannot tell"  # its subject is there, its sense cannot be told; neither a hit nor an error
    LOST = "lost"


STATUS_WEIGHTS: Mapping[FactStatus, float] = {
    FactStatus.VERBATIM: 1.0,
    FactStatus.SUMMARISED: 0.9,
    FactStatus.PARTIAL: 0.5,
    FactStatus.RECOVERABLE: 0.4,
    FactStatus.LOST: 0.0,
}
"""Share of a fact's weight that each status earns; what cannot be told does not count."""


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A fact of a history. ``messages`` are the indices that mention it, ascending; ``needles`` the strings
    that its category's match rule searches for. ``is_resolved``: an error that later work removed.
    ``by_user``: the person said it; ``is_read``: a file that a tool read; ``is_failing_test``: an
    error of a test run, and none passed later."""

    kind: FidelityCategory
    key: str
    text: str
    messages: tuple[int, ...]
    needles: tuple[str, ...] = ()
    is_resolved: bool = False
    by_user: bool = False
    is_read: bool = False
    is_failing_test: bool = False


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact with its status in the result, and the first message of the result that holds it, -1 for none.
    ``is_negated``: the summary says the opposite, an error. A contradicted sentence of the source that is no
    known fact is not ``is_known``, and not in the scores."""

    fact: SourceFact
    status: FactStatus
    place: int = -1
    is_negated: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class InventedFact:
    """An item of a summary that no source contains; ``place`` is the index of the result message."""

    kind: FidelityCategory
    text: str
    place: int


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """Counts of a category's facts by status; ``recall`` is Σ worth / facts, None without facts."""

    kind: FidelityCategory
    facts: int
    by_status: Mapping[FactStatus, int]
    recall: float | None

    @property
    def not_lost(self) -> int:
        return self.facts - self.by_status.get(FactStatus.LOST, 0)


def lost_count(scores: Iterable[CategoryScore]) -> int:
    """Return the number of facts that are lost."""
    return sum(score.facts - score.not_lost for score in scores)


@dataclass(frozen=True, slots=True)
class ForwardDemand:
    """Facts from before a cut that the model used again after it (field.md section 2). ``needed`` counts
    them, ``kept`` those still in the result; ``uses`` and ``kept_uses`` weight them by the number of later
    uses. Both recalls are None where the transcript ends at the cut."""

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
    """``weighted`` is from 0 to 1, None without any fact; ``curve`` is the recall by tenth of the source (by
    tokens), None for a tenth without facts."""

    facts: tuple[JudgedFact, ...]
    scores: tuple[CategoryScore, ...]
    weighted: float | None
    invented: tuple[InventedFact, ...] = ()
    curve: tuple[float | None, ...] = ()
    demand: ForwardDemand | None = None

    @property
    def lost_now(self) -> list[JudgedFact]:
        """The lost facts that no later work has removed."""
        return [one for one in self.facts if one.status is FactStatus.LOST and not one.fact.is_resolved]
