"""What a result holds of the facts of its source, as strings prove it (LOSS-2.3.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.facts.model import Fact, FactKind, name_weight
from core.facts.name_patterns import NameKind
from core.losses.needed_later import NeededLater
from core.losses.sentence_evidence import (
    SentenceEvidence,
    SentenceStatus,
)
from core.transcript.todos import COMPLETED


class EvidenceStatus(StrEnum):
    WORD_FOR_WORD = "word for word"  # the whole sentence or name stands there
    REWORDED = "not word for word"  # some of its names or words stand there
    GONE = "gone"


SENTENCE_STATUS = {
    SentenceStatus.STANDS: EvidenceStatus.WORD_FOR_WORD,
    SentenceStatus.NEAREST: EvidenceStatus.REWORDED,
    SentenceStatus.GONE: EvidenceStatus.GONE,
}
COUNTED_KINDS = (
    FactKind.YOUR_MESSAGE,
    FactKind.ATTACHMENT,
    FactKind.INSTRUCTION,
    FactKind.RUNNING,
    FactKind.OPEN_ERROR,
)
"""The kinds whose losses are counted beside the names that later turns used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What stands of a fact in a result.

    ``result_index`` is the first message of the result that holds it, or that of ``nearest``, its
    nearest sentence there; -1 for none. ``sentences`` are those of a message, an instruction, an
    error or a to-do; ``needed`` is the number of later uses of a name that is gone."""

    fact: Fact
    status: EvidenceStatus
    result_index: int = -1
    nearest: str = ""
    sentences: tuple[SentenceEvidence, ...] = ()
    needed: int = 0

    @property
    def not_standing(self) -> list[SentenceEvidence]:
        """The sentences that do not stand word for word: those that are gone first."""
        missing = (
            one for one in self.sentences if one.status is not SentenceStatus.STANDS
        )
        return sorted(missing, key=lambda one: one.status is SentenceStatus.NEAREST)


class MustStatus(StrEnum):
    """What a result holds of a must, in the order of the list: worst first."""

    GONE = "gone"
    IN_PART = "in part"
    NOT_WRITTEN = "not written"  # it depends on what the model writes
    WORD_FOR_WORD = "word for word"
    NOT_SAID = "not said in this session"


@dataclass(frozen=True, slots=True)
class MustMark:
    """A must and what a result holds of it; ``message`` is the first of the source that holds it,
    -1 for none."""

    text: str
    status: MustStatus
    message: int = -1


@dataclass(frozen=True, slots=True)
class KindCount:
    kind: FactKind
    total: int
    word_for_word: int
    reworded: int
    gone: int


@dataclass(frozen=True, slots=True)
class NowhereName:
    """A name, path, URL or number of a summary's ``sentence`` that stands nowhere in the source.
    ``result_index`` is the message of the result; ``nearest`` the nearest sentence of the source,
    in ``nearest_message`` (-1: no sentence is near)."""

    kind: NameKind
    text: str
    sentence: str
    result_index: int
    nearest: str = ""
    nearest_message: int = -1


@dataclass(frozen=True, slots=True)
class UnsaidWords:
    """Words that a summary gives to the person and that stand in none of the person's messages.
    ``is_quoted``: the summary gives them word for word. ``nearest`` is the nearest sentence of the
    source, in ``nearest_message`` (-1: none is near)."""

    text: str
    result_index: int
    is_quoted: bool = True
    nearest: str = ""
    nearest_message: int = -1


@dataclass(frozen=True, slots=True)
class SummaryEvidence:
    """Number of sentences of the summaries, what in them stands nowhere in the source, and what
    they give to the person who said it nowhere."""

    sentences: int = 0
    nowhere: tuple[NowhereName, ...] = ()
    unsaid: tuple[UnsaidWords, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What a result lost. ``removed_tokens`` of text in ``removed_messages`` are removed. ``items``
    are in the order of the facts of the source. ``is_written``: every summary is; else what is not
    word for word depends on what ``summary_profile`` writes. ``needed``: None where the session
    ends with the source."""

    removed_tokens: int
    removed_messages: int
    items: tuple[Evidence, ...]
    summary: SummaryEvidence
    needed: NeededLater | None = None
    is_written: bool = True
    summary_profile: str = ""

    @property
    def kinds(self) -> tuple[KindCount, ...]:
        """The counts of each kind that the source has."""
        counts = (_kind_count(kind, self.items) for kind in FactKind)
        return tuple(count for count in counts if count.total)

    @property
    def your_sentences(self) -> KindCount:
        """The counts of the sentences of the person's messages."""
        own = (one for one in self.items if one.fact.kind is FactKind.YOUR_MESSAGE)
        statuses = [
            SENTENCE_STATUS[found.status] for one in own for found in one.sentences
        ]
        counts = (statuses.count(status) for status in EvidenceStatus)
        return KindCount(FactKind.YOUR_MESSAGE, len(statuses), *counts)

    @property
    def said(self) -> tuple[int, int] | None:
        return said_of(self.kinds)

    @property
    def worst_first(self) -> list[Evidence]:
        """What is gone or reworded, by kind in their order: of each what later turns used, then
        what is gone, the newest first."""
        changed = [
            one for one in self.items if one.status is not EvidenceStatus.WORD_FOR_WORD
        ]
        latest = max((one.fact.last for one in self.items), default=0)
        return sorted(changed, key=lambda one: _order(one, latest))

    @property
    def gone_count(self) -> int:
        """Number of needed names, messages of the person, instructions and open errors that are
        gone."""
        gone = sum(
            one.fact.kind in COUNTED_KINDS
            for one in self.items
            if one.status is EvidenceStatus.GONE
        )
        return gone + (len(self.needed.gone) if self.needed is not None else 0)


def said_of(kinds: Iterable[KindCount]) -> tuple[int, int] | None:
    """Return the messages of the person that stand word for word in a result, and all; None without
    any."""
    found = (one for one in kinds if one.kind is FactKind.YOUR_MESSAGE)
    return next(((one.word_for_word, one.total) for one in found), None)


_KIND_ORDER = tuple(FactKind)


def _order(one: Evidence, latest: int) -> tuple[float, ...]:
    fact = one.fact
    is_gone, kind = one.status is EvidenceStatus.GONE, _KIND_ORDER.index(fact.kind)
    if fact.kind is FactKind.NAME:
        return kind, -one.needed, not is_gone, -name_weight(fact, latest)
    return kind, -one.needed, not is_gone, is_done(fact), -fact.last


def is_done(fact: Fact) -> bool:
    """Return whether a to-do is completed."""
    return fact.kind is FactKind.TODO and fact.detail == COMPLETED


def _kind_count(kind: FactKind, items: Iterable[Evidence]) -> KindCount:
    statuses = [one.status for one in items if one.fact.kind is kind]
    counts = (statuses.count(status) for status in EvidenceStatus)
    return KindCount(kind, len(statuses), *counts)
