"""Finds the source messages of each sentence of a summary by what both name, and by its words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter

from core.facts.name_patterns import NameKind, names_in
from core.facts.sentences import plain_text
from core.losses.source_texts import similar_messages
from core.losses.summary_evidence import absent_names
from core.losses.summary_sentences import SummaryPart, sentences_in
from core.losses.texts import (
    WORD,
    TextIndex,
    contains_needle,
    content_words,
    flat_text,
    split_sentences,
)
from core.transcript.model import Message, Speaker

_MAX_FROM_EACH_END = 100  # messages with a common word that are searched
MAX_LINKS = 5
"""Most sources per sentence."""
QUOTED_WORDS, MOST_WORDS = "word for word", "most of its words"
"""What is shared of a sentence that is quoted in full or nearly."""

_MIN_SHARE = 0.6  # of the content words of a sentence
_MIN_WORDS = 4  # content words needed to search for a sentence
_MAX_CHARACTERS = 20_000  # characters of a message to split into sentences
_MIN_OF_BEST = 0.3  # of what the best source shares; weaker ones are left out
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,300})[\"”]")
_LABELS = re.compile(
    r"^(?:\[[\w ]{2,20}\]\s+)?(?:(?:[A-Z][\w ]{2,30}|resolved|open):\s+[\"“]?)*"
)
"""What a summary writes before the words of somebody."""
_CODE_OR_PATH = re.compile(r"`[^`\n]*`|\S*/\S*")
_QUOTE_CHARACTERS = " \"“”'*.;"


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A source message (from 0) and the facts it shares with a sentence, the most significant
    first."""

    message: int
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence of a summary, at ``start`` of its text. ``links`` are its sources, best first,
    empty for "no source found"; ``nowhere`` are its names and numbers that stand nowhere in the
    source."""

    start: int
    text: str
    links: tuple[SourceLink, ...]
    nowhere: tuple[str, ...] = ()


def summary_links(
    part: SummaryPart, messages: Sequence[Message], source: TextIndex
) -> tuple[LinkedSentence, ...]:
    """Return every sentence of a summary with its sources. Deterministic. ``source`` is indexed by
    the summary's words. Linear in the messages that share a rare word with a sentence."""
    context = _LinkInput(messages, source, frozenset(part.origins))
    return tuple(
        LinkedSentence(
            sentence.start,
            sentence.text,
            context.links(sentence.text),
            tuple(
                dict.fromkeys(name.text for name in absent_names(sentence.text, source))
            ),
        )
        for sentence in sentences_in(part.text)
    )


@dataclass(frozen=True, slots=True)
class _LinkInput:
    """Shared by the sentences of one summary; caches the messages of names and sentence words."""

    messages: Sequence[Message]
    source: TextIndex
    origins: frozenset[int]
    _indices: dict[tuple[str, bool], Sequence[int]] = field(default_factory=dict)
    _sentence_words: dict[int, Sequence[frozenset[str]]] = field(default_factory=dict)

    def links(self, sentence: str) -> tuple[SourceLink, ...]:
        """Return the messages that share most with a sentence: what few messages have counts most.
        Of equal ones those of the person come first, and those that the summary replaces."""
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for text, indices in self._shared(sentence):
            for index in indices:
                scores[index] += 1 / len(indices)
                shared[index].append((len(indices), text))
        least = _MIN_OF_BEST * max(scores.values(), default=0.0)
        best = sorted(
            (index for index in scores if scores[index] >= least),
            key=lambda index: (
                -scores[index],
                *self._speaks(index),
                index not in self.origins,
                index,
            ),
        )
        return tuple(
            SourceLink(index, _rarest_first(shared[index]))
            for index in best[:MAX_LINKS]
        )

    def _speaks(self, index: int) -> tuple[bool, bool]:
        """Return a key: the person first, the output of tools last."""
        speaker = self.messages[index].speaker
        return speaker is Speaker.TOOL, speaker is not Speaker.HUMAN

    def _shared(self, sentence: str) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield what a sentence shares with messages, and these: its words, quotations and
        names."""
        yield from self._messages_by_wording(
            _LABELS.sub("", sentence).strip(_QUOTE_CHARACTERS)
        )
        for text, is_exact in _names(sentence):
            if indices := self._find_messages(text, exact=is_exact):
                yield text, indices

    def _messages_by_wording(self, wording: str) -> Iterator[tuple[str, Sequence[int]]]:
        wanted_words = content_words(_CODE_OR_PATH.sub(" ", wording))
        if len(wanted_words) > 1:
            quoting = self._find_messages(wording, exact=False)
        else:
            quoting = ()
        if quoting:
            yield QUOTED_WORDS, quoting
        if quoting or len(wanted_words) < _MIN_WORDS:
            return
        alike = [
            index
            for index in similar_messages(
                wanted_words, self.messages, self.source, self.origins
            )
            if self._has_sentence(index, wanted_words)
        ]
        if alike:
            yield MOST_WORDS, sorted(alike)

    def _has_sentence(self, index: int, wanted_words: frozenset[str]) -> bool:
        if index not in self._sentence_words:
            text = plain_text(self.messages[index])[:_MAX_CHARACTERS]
            sentence_words = [
                *map(content_words, split_sentences(text)),
                frozenset[str](),
            ]
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
        """Return messages that mention a needle, ascending, the first and last if there are very
        many. A single word matches in any case."""
        search_text, source = needle if exact else flat_text(needle), self.source
        indices = [
            index
            for index in source.candidates(search_text)
            if index < len(self.messages)
        ]
        if len(indices) > 2 * _MAX_FROM_EACH_END:
            indices = [*indices[:_MAX_FROM_EACH_END], *indices[-_MAX_FROM_EACH_END:]]
        if WORD.fullmatch(search_text):
            return indices
        text_at = source.raw.__getitem__ if exact else source.plain
        return [
            index
            for index in indices
            if contains_needle(search_text, text_at(index), False)
        ]


def _names(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield quotations and names of a sentence, once each, and whether their case counts."""
    found: dict[str, bool] = dict.fromkeys(_QUOTED.findall(sentence), False)
    for name in names_in(sentence):
        found.setdefault(
            name.text.removesuffix("()"),
            name.kind is not NameKind.CODE or " " not in name.text,
        )
    for text, is_exact in found.items():
        if not any(text != other and text in other for other in found):
            yield text, is_exact


def _rarest_first(shared: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(text for _, text in sorted(shared, key=itemgetter(0)))
