"""Where each sentence of a summary comes from: the source messages that share its facts (product.md 3.5)."""

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
"""Sources of a sentence that are named, the best first."""
ITS_WORDS, MOST_WORDS = "word for word", "most of its words"
"""Shared facts of a sentence that is told as it was said, or nearly."""

_ENOUGH = 0.6  # of the content words of a sentence
_FEWEST = 4  # content words by which a sentence is looked for
_COMMON = 300  # messages with a word, beyond which it is not looked for
_TRIED = 8  # messages whose sentences are compared with one of the summary
_LONGEST = 20_000  # characters of a message that are read for sentences
_BESIDE = 0.5  # what a message counts that the summary does not stand for
_FILE = re.compile(r"(?<![\w/.@-])[\w@][\w.@-]*\.[A-Za-z]\w{0,7}\b(?!\()")
_TICKED = re.compile(r"`([^`\n]{3,160})`")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,300})[\"”]")
_ERROR = re.compile(r"\b(?:TS\d{3,5}|E\d{3,4}|[A-Z][A-Za-z]+(?:Error|Exception|Warning)|exit code \d+)\b")
_BARE = re.compile(r"(?<![\w.,:/-])\d{3,}(?:[.,]\d+)*(?![\w/:-])")
_STATUS = re.compile(r"^\[[\w ]{2,20}\]\s+")
_LEAD = re.compile(r"^(?:(?:[A-Z][\w ]{2,30}|resolved|open):\s+[\"“]?)+")
_PIECES = re.compile(r"`:\s+| · ")
_SPELLED = re.compile(r"`[^`\n]*`|\S*/\S*")
_WORTH = 0.3  # of what the best source counts; less is left out
_AROUND = " \"“”'*.;"
_SAYS = {Speaker.HUMAN: 1.4, Speaker.SYSTEM: 1.2, Speaker.AI: 1.15}
"""Who says a thing in the first place counts more than a result that shows it among much else."""


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A source message (from 0) and what a sentence shares with it, the most telling first."""

    message: int
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence of a summary, at ``start`` of its text; its sources, the best first, none for "no source
    found"; and what of it is invented: in no source at all."""

    start: int
    text: str
    links: tuple[SourceLink, ...]
    invented: tuple[str, ...] = ()


def summary_links(
    part: SummaryPart, messages: Sequence[Message], source: SourceIndex
) -> tuple[LinkedSentence, ...]:
    """Every sentence of a summary with its sources; ``source`` is indexed by the summary's words.

    Deterministic. Linear in the text of the messages that share a rare word with a sentence.
    """
    bench = _LinkContext(messages, source, frozenset(part.origins))
    made_up = tuple(invented_facts([(part.place, part.text)], source))
    found = []
    for one in sentences_in(part.text):
        of_it = tuple(what.text for what in made_up if _names(one.text, what))
        found.append(LinkedSentence(one.start, one.text, bench.links(one.text), of_it))
    return tuple(found)


def _names(sentence: str, what: InventedFact) -> bool:
    """True where a sentence says something invented; values are told as "key = value"."""
    return all(part in sentence for part in what.text.split(" = "))


@dataclass(frozen=True, slots=True)
class _WeightedFact:
    """What is looked for: what it says, and what a source that shares it counts."""

    text: str
    weight: float
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _LinkContext:
    """What the sentences of one summary share: places of facts, words of the messages' sentences, each
    with those of the next."""

    messages: Sequence[Message]
    source: SourceIndex
    origins: frozenset[int]
    _places: dict[tuple[str, bool], Sequence[int]] = field(default_factory=dict)
    _said: dict[int, Sequence[frozenset[str]]] = field(default_factory=dict)

    def links(self, sentence: str) -> tuple[SourceLink, ...]:
        """The messages that share most with a sentence, weighed by how rare that is."""
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
        for text, weight, places in self._shared(sentence):
            worth = weight / (1 + math.log2(max(1, len(places))))
            for place in places:
                scores[place] += worth
                shared[place].append((worth, text))
        trusted = {place: score * self._trust(place) for place, score in scores.items()}
        least = _WORTH * max(trusted.values(), default=0.0)
        best = sorted((one for one in trusted if trusted[one] >= least), key=lambda one: (-trusted[one], one))
        return tuple(SourceLink(place, _told(shared[place])) for place in best[:MOST_LINKS])

    def _trust(self, place: int) -> float:
        own = 1.0 if place in self.origins else _BESIDE
        return own * _SAYS.get(self.messages[place].speaker, 1.0)

    def _shared(self, sentence: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Each fact of a sentence that some message has, with all of them."""
        plain = _STATUS.sub("", sentence)
        for fact in _facts(plain):
            places = self._find(fact.text, exact=fact.exact)
            if places:
                yield fact.text, fact.weight, places
        for key, value in prose_facts.numbers(plain):
            both = sorted({*self._find(key, exact=False)} & {*self._find(value, exact=False)})
            if both:
                yield f"{key} = {value}", 2.5, both
        yield from self._worded(_LEAD.sub("", plain).strip(_AROUND))
        for piece in _PIECES.split(plain)[1:]:
            same = self._find(piece.strip(_AROUND), exact=False) if len(piece.split()) > 1 else ()
            if same:
                yield ITS_WORDS, 3.0, same

    def _worded(self, words: str) -> Iterator[tuple[str, float, Sequence[int]]]:
        """Messages with the very words of a sentence, or with a sentence of most of its words."""
        wanted = content_words(_SPELLED.sub(" ", words))
        same = self._find(words, exact=False) if len(wanted) > 1 else ()
        if same:
            yield ITS_WORDS, 4.0, same
        if len(wanted) < _FEWEST:
            return
        near = [
            place for place in self._candidates(wanted) if place not in same and self._says(place, wanted)
        ]
        if near:
            yield MOST_WORDS, 2.0, sorted(near)

    def _candidates(self, wanted: frozenset[str]) -> list[int]:
        """Messages with most of the rarer words."""
        hits: Counter[int] = Counter()
        for word in wanted:
            places = self.source.words.get(word, ())
            if len(places) <= _COMMON:
                hits.update(place for place in places if place < self.source.messages)
        order = sorted(hits, key=lambda place: (-hits[place] * self._trust(place), place))
        return [place for place in order if self.messages[place].speaker is not Speaker.TOOL][:_TRIED]

    def _says(self, place: int, wanted: frozenset[str]) -> bool:
        if place not in self._said:
            text = plain_text(self.messages[place])[:_LONGEST]
            said = [*map(content_words, sentences_of(text)), frozenset[str]()]
            self._said[place] = tuple(one | after for one, after in pairwise(said))
        return any(len(wanted & words) >= _ENOUGH * len(wanted) for words in self._said[place])

    def _find(self, needle: str, *, exact: bool) -> Sequence[int]:
        key = (needle, exact)
        if key not in self._places:
            self._places[key] = self.source.mentions(needle, exact=exact)
        return self._places[key]


def _facts(sentence: str) -> Iterator[_WeightedFact]:
    """What a sentence names, each once: files, addresses, errors, commands, names, numbers, quotations."""
    found: dict[str, _WeightedFact] = {}
    for fact in (*_named(sentence), *_spelled(sentence)):
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


def _spelled(sentence: str) -> Iterator[_WeightedFact]:
    for path in (*PATH.findall(sentence), *_FILE.findall(sentence)):
        yield _WeightedFact(path, 3.0)
    for error in _ERROR.findall(sentence):
        yield _WeightedFact(error, 3.0)
    for name in prose_facts.identifiers(sentence):
        yield _WeightedFact(name.removesuffix("()"), 2.0)
    for number in _BARE.findall(sentence):
        yield _WeightedFact(number, 1.0)


def _told(shared: list[tuple[float, str]]) -> tuple[str, ...]:
    """What is shared, each once, the most telling first."""
    return tuple(dict.fromkeys(text for _, text in sorted(shared, key=lambda one: -one[0])))
