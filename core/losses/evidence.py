"""Finds what a result still holds of each fact: word for word, reworded, or gone. Strings alone
decide, so that what stands in the result is never called gone (LOSS-2.3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from core.facts.model import FILE_KINDS, Fact, FactKind
from core.facts.name_patterns import canonical, names_in
from core.facts.sentences import searchable_text, shorten
from core.losses.model import SENTENCE_STATUS, Evidence, EvidenceStatus
from core.losses.sentence_evidence import (
    MAX_NEAREST,
    SentenceEvidence,
    SentenceStatus,
    folded,
    is_near,
    said_sentences,
    sentence_core,
    standing_in,
)
from core.losses.texts import (
    ParsedTexts,
    SentenceIndex,
    TextIndex,
    index_sentences,
    near_words,
    split_sentences,
    text_index,
)
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Progress, no_progress

_WORDS, _REWORDED, _GONE = (
    EvidenceStatus.WORD_FOR_WORD,
    EvidenceStatus.REWORDED,
    EvidenceStatus.GONE,
)


def find_evidence(
    compaction: Compaction,
    facts: Sequence[Fact],
    progress: Progress = no_progress,
    parsed: ParsedTexts | None = None,
) -> Iterator[Evidence]:
    """Yield what a result holds of each of the ``facts`` of its source, in order and in linear
    time. ``parsed`` caches texts of other results of the same source."""
    index = _Result(compaction, facts, progress, parsed)
    for number, fact in enumerate(facts):
        progress(number / len(facts), "Looking for facts in the result")
        yield index.evidence(fact)


def _written_indices(compaction: Compaction) -> Iterator[int]:
    """Yield the indices of messages that the run wrote or edited: a kept one says nothing for
    another."""
    for result_index, sources in enumerate(compaction.origins):
        is_kept = all(
            compaction.fates[index].kind is FateKind.KEPT for index in sources
        )
        if result_index in compaction.inserted or not is_kept:
            yield result_index


class _Result:
    """A result, prepared for the search: kept messages by identity, the texts by their words."""

    def __init__(
        self,
        compaction: Compaction,
        facts: Sequence[Fact],
        progress: Progress,
        parsed: ParsedTexts | None,
    ) -> None:
        self._fates = compaction.fates
        self._result_indices = {
            source: index
            for index, sources in enumerate(compaction.origins)
            for source in sources
        }
        searched = [fact.text for fact in facts if self._kept_index(fact) < 0]
        self._texts = [searchable_text(message) for message in compaction.messages]
        self._index: TextIndex = text_index(self._texts, progress, parsed, searched)
        sentences = [
            fact.text
            for fact in facts
            if fact.kind in _SENTENCES and self._kept_index(fact) < 0
        ]
        if sentences:
            texts = {
                index: self._texts[index] for index in _written_indices(compaction)
            }
        else:
            texts = {}
        self._sentences: SentenceIndex = index_sentences(texts, parsed, sentences)
        self._tails = Counter(
            tail
            for fact in facts
            if fact.kind in FILE_KINDS
            for tail in _tails(fact.text)
        )
        self._folded: dict[int, str] = {}

    def evidence(self, fact: Fact) -> Evidence:
        if (index := self._kept_index(fact)) >= 0:
            return Evidence(
                fact=fact,
                status=_WORDS,
                result_index=index,
                sentences=_standing(fact, index),
            )
        if fact.kind is FactKind.ATTACHMENT:
            return self._attachment(fact)
        if fact.kind in (FactKind.NAME, FactKind.RUNNING):
            index = self._index_of(fact.text)
            return Evidence(
                fact=fact, status=_WORDS if index >= 0 else _GONE, result_index=index
            )
        if fact.kind in FILE_KINDS:
            return self._file(fact)
        found = tuple(
            self._sentence(sentence, may_be_part=fact.kind in _PARTS)
            for sentence in _sentences_of(fact)
        )
        first = _worst_told(found)
        return Evidence(
            fact=fact,
            status=_status_of(found),
            result_index=first.result_index,
            nearest=first.nearest,
            sentences=found if fact.kind in TOLD_BY_SENTENCE else (),
        )

    def _kept_index(self, fact: Fact) -> int:
        """Return the index of a kept message that mentions a fact; a message is no mention of its
        answer, and a to-do needs the message with its state."""
        mentions = (
            (fact.last,) if fact.kind is FactKind.TODO else (fact.first, fact.last)
        )
        for index in mentions:
            if (
                0 <= index < len(self._fates)
                and self._fates[index].kind is FateKind.KEPT
            ):
                return self._result_indices.get(index, -1)
        return -1

    def _attachment(self, fact: Fact) -> Evidence:
        """An attachment that is not in its message any more may be named; its type says nothing."""
        if fact.text != fact.detail:
            index = self._index_of(fact.text)
        else:
            index = -1
        return Evidence(
            fact=fact, status=_REWORDED if index >= 0 else _GONE, result_index=index
        )

    def _file(self, fact: Fact) -> Evidence:
        """A file stands there by its path, or by an end of it of two parts and more that no other
        file has; its name alone is a part of it."""
        for tail in (fact.text, *_tails(fact.text)):
            if tail == fact.text or self._tails[tail] == 1:
                index = self._index_of(tail)
            else:
                index = -1
            if index >= 0:
                return Evidence(fact=fact, status=_WORDS, result_index=index)
        name = fact.text.rpartition("/")[2]
        if name and name != fact.text:
            index = self._index_of(name)
        else:
            index = -1
        if index < 0:
            return Evidence(fact=fact, status=_GONE)
        return Evidence(
            fact=fact,
            status=_REWORDED,
            result_index=index,
            nearest=self._sentence_with(name, index),
        )

    def _sentence(self, text: str, *, may_be_part: bool = False) -> SentenceEvidence:
        """Return what stands of a sentence. One that is part of a longer one does not stand word
        for word, unless it ``may_be_part``."""
        core = sentence_core(text)
        if not any(map(str.isalnum, core)):  # nothing but marks
            indices = self._index.messages_with(text)
            if indices:
                return _stands(text, indices[0])
            return _is_gone(text)
        inside = -1
        for index in self._index.candidates(text):
            standing = standing_in(
                core, self._folded_text(index), may_be_part=may_be_part
            )
            if standing.alone:
                return _stands(text, index)
            if standing.inside and inside < 0:
                inside = index
        if (
            inside < 0 and len(core.split()) == 1
        ):  # "Both" is not gone where "both" stands
            inside = next(iter(self._index.messages_with(core)), -1)
        if inside >= 0:
            nearest = self._sentence_with(core, inside)
            return SentenceEvidence(text, SentenceStatus.NEAREST, inside, nearest)
        return self._nearest(text)

    def _nearest(self, text: str) -> SentenceEvidence:
        words = near_words(text)
        share, number = self._sentences.best_match(words) if words else (0.0, -1)
        nearest, index = "", -1
        if number >= 0:
            nearest = shorten(self._sentences.sentence(number), MAX_NEAREST)
            index = self._sentences.text_indices[number]
            if is_near(share, len(words)):
                return SentenceEvidence(text, SentenceStatus.NEAREST, index, nearest)
        for name in dict.fromkeys(found.text for found in names_in(text)):
            named = self._index_of(name)
            if named < 0:
                continue
            if name not in nearest:
                nearest, index = self._sentence_with(name, named), named
            return SentenceEvidence(text, SentenceStatus.NEAREST, index, nearest)
        return _is_gone(text)

    def _index_of(self, name: str) -> int:
        """Return the first message of the result with a name, -1 for none."""
        return self._index.first(canonical(name) if "/" in name else name)

    def _sentence_with(self, words: str, index: int) -> str:
        """Return the sentence of a result's message that holds words."""
        return sentence_with(words, self._texts[index])

    def _folded_text(self, index: int) -> str:
        text = self._folded.get(index)
        if text is None:
            if len(self._folded) >= _MAX_FOLDED:
                self._folded.clear()
            text = self._folded[index] = folded(self._texts[index])
        return text


def sentence_with(words: str, text: str) -> str:
    """Return the first sentence of a text that holds words, else its first line with their
    beginning."""
    wanted = sentence_core(words)
    whole = (
        one for one in split_sentences(text) if wanted in folded(one).replace("\n", " ")
    )
    found = next(whole, None)
    if found is None and len(wanted.split()) == 1:  # one word is found in any case
        word = wanted.lower()
        found = next(
            (one for one in split_sentences(text) if word in one.lower()), None
        )
    if found is None:
        lines = (line for line in text.splitlines() if wanted[:40] in folded(line))
        found = next(lines, "")
    return shorten(found, MAX_NEAREST)


def _stands(text: str, index: int) -> SentenceEvidence:
    return SentenceEvidence(text, SentenceStatus.STANDS, index)


def _is_gone(text: str) -> SentenceEvidence:
    return SentenceEvidence(text, SentenceStatus.GONE)


def _sentences_of(fact: Fact) -> tuple[str, ...]:
    """Return the sentences of a fact that are looked for one by one."""
    if fact.kind is FactKind.YOUR_MESSAGE:
        return said_sentences(fact.text)
    return (fact.text,)


def _standing(fact: Fact, index: int) -> tuple[SentenceEvidence, ...]:
    """Return the sentences of a fact in a message that is kept."""
    if fact.kind not in TOLD_BY_SENTENCE:
        return ()
    return tuple(_stands(sentence, index) for sentence in _sentences_of(fact))


def _status_of(found: Sequence[SentenceEvidence]) -> EvidenceStatus:
    """A text stands word for word if all of its sentences do; it is gone if all of them are."""
    statuses = {SENTENCE_STATUS[one.status] for one in found}
    if len(statuses) == 1:
        return statuses.pop()
    return _REWORDED


def _worst_told(found: Sequence[SentenceEvidence]) -> SentenceEvidence:
    """Return the sentence that a line shows: the first that is near, else the first that stands,
    else the first."""
    order = (SentenceStatus.NEAREST, SentenceStatus.STANDS, SentenceStatus.GONE)
    return min(found, key=lambda one: order.index(one.status))


_MAX_FOLDED = 500  # texts in memory; all would double it
_PARTS = (FactKind.OPEN_ERROR, FactKind.TODO, FactKind.COMMAND)
"""No sentences, so that no words around them can turn them round."""
TOLD_BY_SENTENCE = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
)
"""Kinds whose evidence has sentences; the others are names, or a command as it was run."""
_SENTENCES = (*TOLD_BY_SENTENCE, FactKind.COMMAND)


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path with two parts and more, the longest first."""
    parts = path.strip("/").split("/")
    return (
        "/".join(parts[start:])
        for start in range(1 if path[0] != "/" else 0, len(parts) - 1)
    )
