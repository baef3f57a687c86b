"""Finds the source messages of each sentence of a summary by what both name, and by its words."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from core.analysis.losses.source_texts import similar_messages
from core.analysis.losses.summary_evidence import absent_names
from core.analysis.losses.texts import (
    WORD,
    TextIndex,
    contains_needle,
    content_words,
    flat_text,
    split_sentences,
)
from core.analysis.summary_check.summary_sentences import SummaryPart, sentences_in
from core.facts.name_patterns import NameKind, names_in
from core.facts.sentences import plain_text
from core.transcript.model import Message, Speaker

_MAX_FROM_EACH_END = 100  # messages with a common word that are searched
MAX_LINKS = 5
"""Most sources per sentence."""
QUOTED_WORDS, MOST_WORDS = "word for word", "most of its words"
"""Shared facts of a sentence quoted in full or nearly."""

_MIN_SHARE = 0.6  # of the content words of a sentence
_MIN_WORDS = 4  # content words needed to search for a sentence
_MAX_CHARACTERS = 20_000  # characters of a message to split into sentences
_UNCOVERED_WEIGHT = 0.5  # weight of messages that the summary does not cover
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,300})[\"”]")
_ERROR = re.compile(r"\b(?:TS\d{3,5}|E\d{3,4}|[A-Z][A-Za-z]+(?:Error|Exception|Warning)|exit code \d+)\b")
_STATUS = re.compile(r"^\[[\w ]{2,20}\]\s+")
_LEAD = re.compile(r"^(?:(?:[A-Z][\w ]{2,30}|resolved|open):\s+[\"“]?)+")
_PIECES = re.compile(r"`:\s+| · ")
_CODE_OR_PATH = re.compile(r"`[^`\n]*`|\S*/\S*")
_MIN_SCORE_SHARE = 0.3  # of the best score; weaker sources are left out
_QUOTE_CHARACTERS = " \"“”'*.;"
_SPEAKER_WEIGHTS = {Speaker.HUMAN: 1.4, Speaker.SYSTEM: 1.2, Speaker.AI: 1.15}
"""Weights by speaker: a statement counts more than a tool result that includes it."""


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A source message (from 0) and the facts it shares with a sentence, the most significant first."""

    message: int
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence of a summary, at ``start`` of its text. ``links`` are its sources, best first, empty for "no
    source found"; ``nowhere`` are its names and numbers that stand nowhere in the source."""

    start: int
    text: str
    links: tuple[SourceLink, ...]
    nowhere: tuple[str, ...] = ()


def summary_links(
    part: SummaryPart, messages: Sequence[Message], source: TextIndex
) -> tuple[LinkedSentence, ...]:
    """Return every sentence of a summary with its sources. Deterministic. ``source`` is indexed by the
    summary's words. Linear in the messages that share a rare word with a sentence."""
    context = _LinkInput(messages, source, frozenset(part.origins))
    return tuple(
        LinkedSentence(
            sentence.start,
            sentence.text,
            context.links(sentence.text),
            tuple(dict.fromkeys(name.text for name in absent_names(sentence.text, source))),
        )
        for sentence in sentences_in(part.text)
    )


@dataclass(frozen=True, slots=True)
class _WeightedFact:
    """A search text, and its weight for a source that shares it."""

    text: str
    weight: float
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _LinkInput:
    """Shared by the sentences of one summary; caches places of facts and sentence words."""

    messages: Sequence[Message]
    source: TextIndex
    origins: frozenset[int]
    _indices: dict[tuple[str, bool], Sequence[int]] = field(default_factory=dict)
    _sentence_words: dict[int, Sequence[frozenset[str]]] = field(default_factory=dict)

    def links(self, sentence: str) -> tuple[SourceLink, ...]:
        """Return the messages that share most with a sentence, weighted by rarity."""
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
        for text, weight, indices in self._shared_facts(sentence):
            fact_score = weight / (1 + math.log2(max(1, len(indices))))
            for index in indices:
                scores[index] += fact_score
                shared[index].append((fact_score, text))
        weighted_scores = {index: score * self._weight(index) for index, score in scores.items()}
        min_score = _MIN_SCORE_SHARE * max(weighted_scores.values(), default=0.0)
        best_messages = sorted(
            (index for index in weighted_scores if weighted_scores[index] >= min_score),
            key=lambda index: (-weighted_scores[index], index),
        )
        return tuple(SourceLink(index, _unique_facts(shared[index])) for index in best_messages[:MAX_LINKS])

    def _weight(self, index: int) -> float:
        coverage_weight = 1.0 if index in self.origins else _UNCOVERED_WEIGHT
        return coverage_weight * _SPEAKER_WEIGHTS.get(self.messages[index].speaker, 1.0)

    def _shared_facts(self, sentence: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Yield each fact of a sentence with the messages that share it."""
        statement = _STATUS.sub("", sentence)
        for fact in _sentence_facts(statement):
            indices = self._find_messages(fact.text, exact=fact.exact)
            if indices:
                yield fact.text, fact.weight, indices
        yield from self._messages_by_wording(_LEAD.sub("", statement).strip(_QUOTE_CHARACTERS))
        for piece in _PIECES.split(statement)[1:]:
            quoting_messages = (
                self._find_messages(piece.strip(_QUOTE_CHARACTERS), exact=False)
                if len(piece.split()) > 1
                else ()
            )
            if quoting_messages:
                yield QUOTED_WORDS, 3.0, quoting_messages

    def _messages_by_wording(self, wording: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        wanted_words = content_words(_CODE_OR_PATH.sub(" ", wording))
        quoting_messages = self._find_messages(wording, exact=False) if len(wanted_words) > 1 else ()
        if quoting_messages:
            yield QUOTED_WORDS, 4.0, quoting_messages
        if len(wanted_words) < _MIN_WORDS:
            return
        alike = [
            index
            for index in similar_messages(wanted_words, self.messages, self.source, self.origins)
            if index not in quoting_messages and self._has_sentence(index, wanted_words)
        ]
        if alike:
            yield MOST_WORDS, 2.0, sorted(alike)

    def _has_sentence(self, index: int, wanted_words: frozenset[str]) -> bool:
        if index not in self._sentence_words:
            text = plain_text(self.messages[index])[:_MAX_CHARACTERS]
            sentence_words = [*map(content_words, split_sentences(text)), frozenset[str]()]
            self._sentence_words[index] = tuple(
                current | following for current, following in pairwise(sentence_words)
            )
        return any(
            len(wanted_words & words) >= _MIN_SHARE * len(wanted_words)
            for words in self._sentence_words[index]
        )

    def _find_messages(self, needle: str, *, exact: bool) -> Sequence[int]:
        key = (needle, exact)
        if key not in self._indices:
            self._indices[key] = self._messages_with(needle, exact=exact)
        return self._indices[key]

    def _messages_with(self, needle: str, *, exact: bool) -> Sequence[int]:
        """Return messages that mention a needle, ascending, the first and last if there are very many. A
        single word matches in any case."""
        search_text, source = needle if exact else flat_text(needle), self.source
        indices = [index for index in source.candidates(search_text) if index < len(self.messages)]
        if len(indices) > 2 * _MAX_FROM_EACH_END:
            indices = [*indices[:_MAX_FROM_EACH_END], *indices[-_MAX_FROM_EACH_END:]]
        if WORD.fullmatch(search_text):
            return indices
        text_at = source.raw.__getitem__ if exact else source.plain
        return [index for index in indices if contains_needle(search_text, text_at(index), False)]


def _sentence_facts(sentence: str) -> Iterator[_WeightedFact]:
    """Yield what a sentence names, once each."""
    facts_by_name: dict[str, _WeightedFact] = {}
    for fact in _named_facts(sentence):
        name = fact.text.strip(" .,;:")
        if len(name) > 2 and not any(name in known_name for known_name in facts_by_name):
            facts_by_name[name] = _WeightedFact(name, fact.weight, fact.exact)
    yield from facts_by_name.values()


_WEIGHTS = {NameKind.IDENTIFIER: 2.0, NameKind.CODE: 2.0, NameKind.NUMBER: 1.0}
"""Weights of names; all others count 3."""


def _named_facts(sentence: str) -> Iterator[_WeightedFact]:
    for quoted in _QUOTED.findall(sentence):
        yield _WeightedFact(quoted, 3.0, exact=False)
    for name in names_in(sentence):
        is_command = name.kind is NameKind.CODE and " " in name.text
        weight = 3.0 if is_command else _WEIGHTS.get(name.kind, 3.0)
        yield _WeightedFact(name.text.removesuffix("()"), weight, exact=not is_command)
    for error in _ERROR.findall(sentence):
        yield _WeightedFact(error, 3.0)


def _unique_facts(shared: list[tuple[float, str]]) -> tuple[str, ...]:
    """Return the shared facts without duplicates, the heaviest first."""
    return tuple(
        dict.fromkeys(text for _, text in sorted(shared, key=lambda weighted_text: -weighted_text[0]))
    )
