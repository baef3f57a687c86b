"""Clauses of sentences with the words that carry their subject, and the clauses of a source by word."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from core.analysis.fidelity.fact_texts import number_array, stems
from core.analysis.fidelity.sentence_sense import Stance, is_negated, keeps, stance
from core.facts.sentences import authored_text, response_text, sentences
from core.transcript.model import Message, Speaker, tool_responses

_LIGHT_WORDS = """
a an the to of in on for with by and or is are was were it its we i they you be been this that there not no
use used using set due happen start now may can must should shall will need have has only also per one ones
so as at from new please always never everything everyone too user agent assistant person he she his her
most least more than less max maximum total far would could want like whole session all way out up but if then
dr mr mrs ms prof frau herr mme
der die das den dem des ein eine einen einer einem eines und oder benutzt verwendet entschieden
ist sind war wird werden wurde wurden für von mit zu im auf
le la les un une des de du et ou est sont été pour par sur dans avec que qui ne pas
el los las uno una y es son para con por
"""
LIGHT = frozenset(_LIGHT_WORDS.split()) | stems(_LIGHT_WORDS)
_SPLIT = re.compile(
    r";\s+|,\s+|(?<=\w)[\]\"'`)*]*:\s+(?![\d$€£])|(?<=[.!?])(?<!\d\.)(?<!Prof\.)(?<!Dr\.)(?<!\b[A-Z]\.)\s+|\s[–—-]\s|\s→\s|"
    r"\s(?:and|but|while|whereas|although|though|because|since|so that|und|aber|während|sondern|weil|et|"
    r"mais|alors que|tandis que|parce que|y|pero|porque)\s",
    re.IGNORECASE,
)
_EVEN = re.compile(r"(?:not even|même|nicht einmal|auch|ni siquiera)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\s\(([^()]*)\)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w.]*\w)")
_WORD = re.compile(r"[^\W_]+")
_START = 5  # characters of a word that its forms share
_MAX_RESULT = 600  # characters of a result that is read whole
_LAST_LINES = 3  # of a longer result, which sum it up
_MAX_LINE = 400  # characters; longer lines are data
_MIN_SHARED = 2  # words of a summary that a sentence of the model or a result must have
_POSITION = re.compile(r"\blines?:? \d+|\.\w{1,5}:\d+|^\s*(?:at |\d+[:|→\t])|[{}<>|]|\]\s|=\S+ \w+=")
"""Marks code, its places and frames of a stack, whose numbers say nothing."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence; ``words`` are the stems and numbers that carry its subject."""

    text: str
    words: frozenset[str]
    follows_ban: bool = False

    @cached_property
    def _stance(self) -> Stance:
        return stance(self.text)

    @cached_property
    def is_negative(self) -> bool:
        is_denied = self.follows_ban or is_negated(self.text)
        return is_denied or self._stance in (Stance.FORBIDS, Stance.LIFTED)

    @cached_property
    def is_restricted(self) -> bool:
        return self.is_negative or self._stance is Stance.ON_CONDITION or keeps(self.text)


def plain_words(text: str) -> frozenset[str]:
    """Return the stems of a text that carry its subject; names of code count with their parts."""
    split = _CAMEL.sub(" ", text)
    return stems(text if split == text else f"{text} {split}") - LIGHT


@lru_cache(maxsize=4_000)
def parse(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence in order."""
    found: list[Clause] = []
    for text in _parts(sentence.replace("’", "'").replace("`", "")):
        words = plain_words(text) | frozenset(_NUMBER.findall(text))
        follows_ban = bool(found) and bool(_EVEN.match(text)) and found[-1].is_negative
        if words:
            found.append(Clause(text, words, follows_ban))
    return tuple(found)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts; one that is a mere value belongs to the part before it."""
    held = ""
    whole = ";  ".join((_ASIDE.sub("", text), *_ASIDE.findall(text)))
    for part in filter(None, map(str.strip, _SPLIT.split(whole))):
        if held and plain_words(_NUMBER.sub(" ", part)):
            yield held
            held = part
        else:
            held = f"{held}, {part}" if held else part
    if held:
        yield held


class SourceSentence(NamedTuple):
    """A sentence, and who says it in which message."""

    text: str
    message: int
    speaker: Speaker


class SourceClause(NamedTuple):
    """A clause, and the number of its sentence."""

    clause: Clause
    sentence: int


@dataclass(frozen=True, slots=True)
class SourceStatements:
    """``by_word`` has the numbers of the sentences, ascending. Their clauses are parsed when asked for: those
    of a long history would take more memory than it."""

    sentences: Sequence[SourceSentence]
    by_word: Mapping[str, Sequence[int]]

    def alike(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of the sentences that share two of the words or one that no other sentence has,
        in order."""
        found = [numbers for word in words if (numbers := self.by_word.get(word))]
        alone = {numbers[0] for numbers in found if len(numbers) == 1}
        shared = Counter(chain.from_iterable(found))
        return sorted(number for number, count in shared.items() if count > 1 or number in alone)

    def clauses_with(self, word: str, *, is_rule: bool = False) -> Iterator[SourceClause]:
        """Yield the clauses with a word, in order; ``is_rule``: those of the person and the system alone."""
        for number in self.by_word.get(word, ()):
            text, _, speaker = self.sentences[number]
            if not is_rule or speaker in (Speaker.HUMAN, Speaker.SYSTEM):
                yield from (SourceClause(part, number) for part in parse(text) if word in part.words)


def source_statements(messages: Sequence[Message], vocabulary: frozenset[str]) -> SourceStatements:
    """Index what the messages say with a word that starts as one of ``vocabulary``."""
    found: list[SourceSentence] = []
    by_word: defaultdict[str, array[int]] = defaultdict(number_array)
    seen: set[tuple[str, Speaker]] = set()
    for place, message in enumerate(messages):
        for text, is_own in _texts(message):
            needed = 1 if is_own else _MIN_SHARED
            if len(vocabulary & _starts(text)) < needed or (text, message.speaker) in seen:
                continue
            seen.add((text, message.speaker))
            for word in frozenset[str]().union(*(part.words for part in parse(text))):
                by_word[word].append(len(found))
            found.append(SourceSentence(text, place, message.speaker))
    return SourceStatements(found, by_word)


def _texts(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a message, and whether one shared word is enough: a person's and a short
    result."""
    if message.speaker is not Speaker.TOOL:
        is_said = message.speaker is not Speaker.AI
        yield from (
            (text, is_said) for text in sentences(authored_text(message)) if len(text) <= 2 * _MAX_LINE
        )
    for response in tool_responses(message):
        text = response_text(response)
        is_short = len(text) <= _MAX_RESULT
        for line in text.splitlines()[-_LAST_LINES if not is_short else None :]:
            if 2 < len(line) <= _MAX_LINE and not _POSITION.search(line):
                yield " ".join(line.split()), is_short


def vocabulary_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the starts of the words of texts, without the commonest, by which a source is searched."""
    words = {word for text in texts for word in _WORD.findall(text.lower())}
    return frozenset(word[:_START] for word in words if word.isdigit() or plain_words(word))


def _starts(text: str) -> set[str]:
    return {word[:_START] for word in _WORD.findall(text.lower())}
