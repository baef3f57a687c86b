"""Finds the source messages of each sentence of a summary by shared facts (product.md 3.5)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from core.analysis.fidelity.fact_texts import content_words, sentences_of
from core.analysis.fidelity.model import InventedFact
from core.analysis.fidelity.source_index import SourceIndex
from core.analysis.summary_check.invented_names import PATH, invented_facts
from core.analysis.summary_check.summary_sentences import SummaryPart, sentences_in
from core.facts import prose_facts
from core.facts.sentences import plain_text
from core.transcript.model import Message, Speaker

MOST_LINKS = 5
"""Most sources per sentence."""
ITS_WORDS, MOST_WORDS = "word for word", "most of its words"
"""Shared facts of a sentence quoted in full or nearly."""

_ENOUGH = 0.6  # of the content words of a sentence
_FEWEST = 4  # content words needed to search for a sentence
_COMMON = 300  # words in more messages are not searched
_TRIED = 8  # messages compared by sentence
_LONGEST = 20_000  # characters of a message to split into sentences
_UNCOVERED = 0.5  # weight of messages that the summary does not cover
_FILE = re.compile(r"(?<![\w/.@-])[\w@][\w.@-]*\.[A-Za-z]\w{0,7}\b(?!\()")
_TICKED = re.compile(r"`([^`\n]{3,160})`")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,300})[\"”]")
_ERROR = re.compile(r"\b(?:TS\d{3,5}|E\d{3,4}|[A-Z][A-Za-z]+(?:Error|Exception|Warning)|exit code \d+)\b")
_BARE = re.compile(r"(?<![\w.,:/-])\d{3,}(?:[.,]\d+)*(?![\w/:-])")
_STATUS = re.compile(r"^\[[\w ]{2,20}\]\s+")
_LEAD = re.compile(r"^(?:(?:[A-Z][\w ]{2,30}|resolved|open):\s+[\"“]?)+")
_PIECES = re.compile(r"`:\s+| · ")
_SPELLED = re.compile(r"`[^`\n]*`|\S*/\S*")
_LEAST_SHARE = 0.3  # of the best score; weaker sources are left out
_AROUND = " \"“”'*.;"
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
    source found"; ``invented`` are its names and values without a source."""

    start: int
    text: str
    links: tuple[SourceLink, ...]
    invented: tuple[str, ...] = ()


def summary_links(
    part: SummaryPart, messages: Sequence[Message], source: SourceIndex
) -> tuple[LinkedSentence, ...]:
    """Return every sentence of a summary with its sources. Deterministic. ``source`` is indexed by the
    summary's words. Linear in the messages that share a rare word with a sentence."""
    context = _LinkContext(messages, source, frozenset(part.origins))
    all_invented = tuple(invented_facts([(part.place, part.text)], source))
    linked = []
    for sentence in sentences_in(part.text):
        invented = tuple(fact.text for fact in all_invented if _names_fact(sentence.text, fact))
        linked.append(LinkedSentence(sentence.start, sentence.text, context.links(sentence.text), invented))
    return tuple(linked)


def _names_fact(sentence: str, fact: InventedFact) -> bool:
    """Return whether a sentence has an invented fact; values are "key = value"."""
    return all(part in sentence for part in fact.text.split(" = "))


@dataclass(frozen=True, slots=True)
class _WeightedFact:
    """A search text, and its weight for a source that shares it."""

    text: str
    weight: float
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _LinkContext:
    """Shared by the sentences of one summary; caches places of facts and sentence words."""

    messages: Sequence[Message]
    source: SourceIndex
    origins: frozenset[int]
    _places: dict[tuple[str, bool], Sequence[int]] = field(default_factory=dict)
    _sentence_words: dict[int, Sequence[frozenset[str]]] = field(default_factory=dict)

    def links(self, sentence: str) -> tuple[SourceLink, ...]:
        """Return the messages that share most with a sentence, weighted by rarity."""
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
        for text, weight, places in self._shared(sentence):
            share = weight / (1 + math.log2(max(1, len(places))))
            for place in places:
                scores[place] += share
                shared[place].append((share, text))
        trusted = {place: score * self._weight(place) for place, score in scores.items()}
        least = _LEAST_SHARE * max(trusted.values(), default=0.0)
        best = sorted(
            (index for index in trusted if trusted[index] >= least),
            key=lambda index: (-trusted[index], index),
        )
        return tuple(SourceLink(place, _unique_facts(shared[place])) for place in best[:MOST_LINKS])

    def _weight(self, place: int) -> float:
        own = 1.0 if place in self.origins else _UNCOVERED
        return own * _SPEAKER_WEIGHTS.get(self.messages[place].speaker, 1.0)

    def _shared(self, sentence: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Yield each fact of a sentence with the messages that share it."""
        plain = _STATUS.sub("", sentence)
        for fact in _facts(plain):
            places = self._find(fact.text, exact=fact.exact)
            if places:
                yield fact.text, fact.weight, places
        for key, value in prose_facts.numbers(plain):
            both = sorted({*self._find(key, exact=False)} & {*self._find(value, exact=False)})
            if both:
                yield f"{key} = {value}", 2.5, both
        yield from self._by_wording(_LEAD.sub("", plain).strip(_AROUND))
        for piece in _PIECES.split(plain)[1:]:
            same = self._find(piece.strip(_AROUND), exact=False) if len(piece.split()) > 1 else ()
            if same:
                yield ITS_WORDS, 3.0, same

    def _by_wording(self, words: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Yield messages that quote a sentence or share most of its words."""
        wanted = content_words(_SPELLED.sub(" ", words))
        same = self._find(words, exact=False) if len(wanted) > 1 else ()
        if same:
            yield ITS_WORDS, 4.0, same
        if len(wanted) < _FEWEST:
            return
        near = [
            place
            for place in self._candidates(wanted)
            if place not in same and self._has_sentence(place, wanted)
        ]
        if near:
            yield MOST_WORDS, 2.0, sorted(near)

    def _candidates(self, wanted: frozenset[str]) -> list[int]:
        """Return the messages with most of the rarer words."""
        hits: Counter[int] = Counter()
        for word in wanted:
            places = self.source.words.get(word, ())
            if len(places) <= _COMMON:
                hits.update(place for place in places if place < self.source.messages)
        order = sorted(hits, key=lambda place: (-hits[place] * self._weight(place), place))
        return [place for place in order if self.messages[place].speaker is not Speaker.TOOL][:_TRIED]

    def _has_sentence(self, place: int, wanted: frozenset[str]) -> bool:
        if place not in self._sentence_words:
            text = plain_text(self.messages[place])[:_LONGEST]
            said = [*map(content_words, sentences_of(text)), frozenset[str]()]
            self._sentence_words[place] = tuple(one | after for one, after in pairwise(said))
        return any(len(wanted & words) >= _ENOUGH * len(wanted) for words in self._sentence_words[place])

    def _find(self, needle: str, *, exact: bool) -> Sequence[int]:
        key = (needle, exact)
        if key not in self._places:
            self._places[key] = self.source.mentions(needle, exact=exact)
        return self._places[key]


def _facts(sentence: str) -> Iterator[_WeightedFact]:
    """Yield what a sentence names, once each."""
    found: dict[str, _WeightedFact] = {}
    for fact in (*_named(sentence), *_code_names(sentence)):
        name = fact.text.strip(" .,;:")
        if len(name) > 2 and not any(name in other for other in found):
            found[name] = _WeightedFact(name, fact.weight, fact.exact)
    yield from found.values()


def _named(sentence: str) -> Iterator[_WeightedFact]:
    for quoted in _QUOTED.findall(sentence):
        yield _WeightedFact(quoted, 3.0, exact=False)
    for url in prose_facts.urls(sentence):
        yield _WeightedFact(url, 3.0)
    for ticked in _TICKED.findall(sentence):
        is_command = " " in ticked
        yield _WeightedFact(ticked, 3.0 if is_command or "/" in ticked else 2.0, exact=not is_command)


def _code_names(sentence: str) -> Iterator[_WeightedFact]:
    for path in (*PATH.findall(sentence), *_FILE.findall(sentence)):
        yield _WeightedFact(path, 3.0)
    for error in _ERROR.findall(sentence):
        yield _WeightedFact(error, 3.0)
    for name in prose_facts.identifiers(sentence):
        yield _WeightedFact(name.removesuffix("()"), 2.0)
    for number in _BARE.findall(sentence):
        yield _WeightedFact(number, 1.0)


def _unique_facts(shared: list[tuple[float, str]]) -> tuple[str, ...]:
    """Return the shared facts without duplicates, the heaviest first."""
    return tuple(dict.fromkeys(text for _, text in sorted(shared, key=lambda one: -one[0])))
