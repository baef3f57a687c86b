"""The sentences of a message beside what comes nearest to each in the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.analysis.losses.model import Evidence, Losses
from core.analysis.losses.sentence_evidence import SentenceEvidence, SentenceStatus, WordSpan
from core.facts.model import FactKind
from core.presentation.inspector_model import SourceSentence, WordPart
from core.presentation.losses_words import KIND_NAMES

SENTENCE_KINDS = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
)
"""Kinds of which a fact is told by its sentences."""
_ORDER = (SentenceStatus.GONE, SentenceStatus.NEAREST, SentenceStatus.STANDS)


def sentence_rows(losses: Losses, index: int) -> tuple[SourceSentence, ...]:
    """Return the sentences of source message ``index``: those that are gone, those that something
    comes near, those that stand. Nothing before the summary is written, as nothing is known."""
    if not losses.is_written:
        return ()
    found = [(one, fact) for fact in _facts_of(losses, index) for one in fact.sentences]
    found.sort(key=lambda pair: _ORDER.index(pair[0].status))
    return tuple(_row(one, fact, number) for number, (one, fact) in enumerate(found))


def missing_sentences(losses: Losses) -> tuple[tuple[int, int], ...]:
    """Return the message and the number of every sentence that does not stand, in order."""
    if not losses.is_written:
        return ()
    indices = {one.fact.first for one in losses.items if one.not_standing and one.fact.first >= 0}
    return tuple(
        (index, row.number)
        for index in sorted(indices)
        for row in sentence_rows(losses, index)
        if row.number >= 0
    )


def _facts_of(losses: Losses, index: int) -> Iterator[Evidence]:
    for one in losses.items:
        if one.fact.first == index and one.fact.kind in SENTENCE_KINDS:
            yield one


def _row(one: SentenceEvidence, fact: Evidence, number: int) -> SourceSentence:
    differs = one.differs
    is_missing = one.status is not SentenceStatus.STANDS
    return SourceSentence(
        status=one.status.value,
        kind=KIND_NAMES[fact.fact.kind][0],
        parts=word_parts(one.text, differs.missing),
        nearest=word_parts(one.nearest, differs.added) if one.nearest else (),
        result_index=one.result_index,
        number=number if is_missing else -1,
    )


def word_parts(text: str, words: Sequence[WordSpan]) -> tuple[WordPart, ...]:
    """Return a text in parts, so that these words of it can be marked."""
    parts: list[WordPart] = []
    at = 0
    for word in words:
        if word.start > at:
            parts.append(WordPart(text[at : word.start]))
        at = word.start + len(word.text)
        parts.append(WordPart(text[word.start : at], differs=True))
    if at < len(text):
        parts.append(WordPart(text[at:]))
    return tuple(parts)
