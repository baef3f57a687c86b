"""Normalizes and indexes texts by word and by sentence, for the match rules."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import TypeAlias

from core.common.json_value import MISSING
from core.facts.sentences import value_text
from core.transcript.model import Block, Code, Message, Progress, Text, ToolCall, ToolResponse, no_progress
from core.transcript.tool_pairs import answer_text

_ENDING = re.compile(
    r"(?:(?<=.{3})(?:ations?|at(?:e|es|ed|ing)|ments?|ness|ical|ically|ic|ally|al|ity|ities)|"
    r"ions?|ies|ings?|edly|ed|es|s|ly|y|e)$"
)
_PLURAL = re.compile(r"(?<=[^s])s$")
WORD = re.compile(r"\w+")
_LONGER_WORD = re.compile(r"\w{2,}")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOPWORDS = """
a an and are as at be but by for from has have i in is it its of on or our so that the their then there this
to was we were will with you your he she they me my us do does did not no
"""
_STOP = frozenset(_STOPWORDS.split())
_MAX_SENTENCE = 2000  # characters of a sentence


def searchable_text(message: Message) -> str:
    """Return the text of a message with calls and results, without thinking and media."""
    return "\n".join(filter(None, map(_block_text, message.blocks)))


def _block_text(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Code():
            return block.code
        case ToolCall():
            return f"{block.name} {_arguments_text(block)}"
        case ToolResponse():
            error = "" if block.error in (MISSING, None, "", False, True) else value_text(block.error)
            return "\n".join(filter(None, (error, answer_text(block))))
        case _:
            return ""


def _arguments_text(call: ToolCall) -> str:
    """Return the arguments as text; strings are not escaped, so that needles match."""
    if isinstance(call.arguments, Mapping):
        return " ".join(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            for value in call.arguments.values()
        )
    return call.arguments if isinstance(call.arguments, str) else ""


def flat_text(text: str) -> str:
    """Lowercase a text and fold its whitespace into single blanks, for comparison."""
    return " ".join(text.lower().split())


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text without stop words."""
    return frozenset(_LONGER_WORD.findall(text.lower())) - _STOP


@lru_cache(maxsize=10_000)
def stems(text: str) -> frozenset[str]:
    """Return the content words of a text without their endings, so that forms of one word are equal."""
    return frozenset(map(_stem, content_words(text)))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    word = _SAME_WORD.get(word, _PLURAL.sub("", word) if len(word) == 5 else word)
    if len(word) > 4 and word.isalpha():
        word = _ENDING.sub("", re.sub("(?<=.{4})ssions?$", "t", word))
        word = (
            word[:-1]
            if len(word) > 3 and ((word[-1] in ("e", word[-2]) and word[-1] != "s") or word.endswith("ct"))
            else word
        )
    return _SAME_STEM.get(word, word)


_SYNONYMS = """
secret password credential passphrase|sit seat seated|guest person people somebody|quote quotation quoted|
leave vacation|deal handle|suggest propose proposal suggestion|agree consent|spell spelling|stop halt|
customer client buyer|expense cost price|trip journey travel|email mail e-mail|picture image photo|
everywhere throughout|begin start|restrict confine limit|hardcode hardcoded hard-code|manual handwritten hand|
change alter modify edit touch amend adapt adjust|delete remove erase drop|stay remain retain preserve|
pick choose chose chosen select opt|reboot restart|verify validate|fix repair correct|
use employ utilise utilize|approve approval consent approved|release deploy publish rollout|
write wrote written|send sent|build built|make made|take took taken|find found|run ran|hold held|say said|
keep kept|begin began begun start|leave left|give gave given|configuration config|documentation docs|
dependency dependencies deps dependencie|repository repo|database db|directory folder|environment env|
maximum max|parameter param|application app|require need|each every|complete finish|log logged logging
"""
_SAME_WORD = {
    word: group.split()[0] for group in _SYNONYMS.replace("\n", " ").split("|") for word in group.split()
}
"""The first word of each group stands for all, also in their other forms."""
_SAME_STEM: dict[str, str] = {}
for _word, _first in _SAME_WORD.items():
    _SAME_STEM[_ENDING.sub("", _word) if len(_word) > 4 else _word] = (
        _ENDING.sub("", _first) if len(_first) > 4 else _first
    )


def split_sentences(text: str) -> Iterator[str]:
    """Split a text into lines and sentences, each cut at ``_MAX_SENTENCE`` characters."""
    for part in _SENTENCE_BREAK.split(text):
        if part.strip():
            yield part[:_MAX_SENTENCE]


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Texts with a word index; ``plain`` holds them flattened, by place."""

    raw: Sequence[str]
    plain: Mapping[int, str]
    words: Mapping[str, Sequence[int]]
    _cache: dict[tuple[str, bool, bool], tuple[int, ...]] = field(default_factory=dict)

    def places(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> tuple[int, ...]:
        """Return the indices of texts that hold a needle as whole words, ascending; cached. ``exact``:
        case-sensitive; ``is_cut``: the needle may end within a word."""
        search_text = needle if exact else flat_text(needle)
        cached = self._cache.get((search_text, exact, is_cut))
        if cached is None:
            cached = tuple(self._matches(search_text, exact, is_cut))
            self._cache[search_text, exact, is_cut] = cached
        return cached

    def contains(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> bool:
        """Return whether any text holds a needle, as in ``places``."""
        return any(True for _ in self._matches(needle if exact else flat_text(needle), exact, is_cut))

    def _matches(self, search_text: str, exact: bool, is_cut: bool) -> Iterator[int]:
        for place in self.candidates(search_text, is_cut):
            text = self.raw[place] if exact else self.plain[place]
            if contains_needle(search_text, text, is_cut):
                yield place

    def candidates(self, needle: str, is_cut: bool = False) -> Sequence[int]:
        """Return the texts with the rarest word of a needle."""
        words_in_needle = WORD.findall(needle.lower())
        words_in_needle = words_in_needle[:-1] if is_cut and len(words_in_needle) > 1 else words_in_needle
        if not words_in_needle or (is_cut and len(words_in_needle) == 1):
            return range(len(self.raw))
        return min((self.words.get(word, ()) for word in words_in_needle), key=len)


def contains_needle(needle: str, text: str, is_cut: bool) -> bool:
    """Return whether a needle occurs at word boundaries; ``is_cut``: it may end within a word."""
    start = text.find(needle)
    while needle and start >= 0:
        end = start + len(needle)
        starts_word = not (needle[0].isalnum() and start and _is_word_part(text[start - 1]))
        ends_word = is_cut or not (needle[-1].isalnum() and _is_word_part(text[end : end + 1]))
        if starts_word and ends_word:
            return True
        start = text.find(needle, start + 1)
    return False


def _is_word_part(character: str) -> bool:
    return character.isalnum() or character == "_"


_Sentence: TypeAlias = tuple[str, tuple[str, ...]]
"""A sentence and its content words, sorted."""


class ParsedTexts:
    """Caches parsed texts: the rows of a comparison share most messages."""

    def __init__(self) -> None:
        self._plain: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._sentences: dict[str, tuple[_Sentence, ...]] = {}
        self._words: dict[str, str] = {}

    def plain(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the flattened text and its distinct words."""
        cached = self._plain.get(text)
        if cached is None:
            cached = self._plain[text] = flat_text(text), self._interned(set(WORD.findall(text.lower())))
        return cached

    def sentences(self, text: str) -> tuple[_Sentence, ...]:
        """Return the sentences of a text with their content words."""
        cached = self._sentences.get(text)
        if cached is None:
            parsed_sentences = (
                (sentence, self._interned(sorted(stems(sentence)))) for sentence in split_sentences(text)
            )
            cached = self._sentences[text] = tuple(parsed_sentences)
        return cached

    def _interned(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words with equal strings shared."""
        return tuple([self._words.setdefault(word, word) for word in words])


def text_index(
    texts: Sequence[str], progress: Progress = no_progress, parsed: ParsedTexts | None = None
) -> TextIndex:
    """Index texts by their words, in linear time; ``parsed`` caches known texts."""
    parsed_texts = parsed or ParsedTexts()
    words: defaultdict[str, list[int]] = defaultdict(list)
    plain: dict[int, str] = {}
    for place, text in enumerate(texts):
        progress(place / len(texts), "Indexing texts")
        plain[place], distinct_words = parsed_texts.plain(text)
        for word in distinct_words:
            words[word].append(place)
    return TextIndex(texts, plain, words)


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """Sentences indexed by content words; of sentences with equal words only the first is stored."""

    texts: Sequence[str]
    places: Sequence[int]
    words: Mapping[str, Sequence[int]]

    def best_match(self, wanted_words: frozenset[str], min_share: float = 0.0) -> tuple[float, int]:
        """Return the largest share of wanted words in one sentence, and its number; (0, -1) if it is below
        ``min_share``."""
        by_rarity = sorted((self.words[word] for word in wanted_words if word in self.words), key=len)
        needed = max(1, ceil(min_share * len(wanted_words)))
        hits = Counter[int]()
        for place, numbers in enumerate(by_rarity if len(by_rarity) >= needed else ()):
            words_left = len(by_rarity) - place
            if words_left >= needed:
                hits.update(numbers)
                needed = max(needed, max(map(hits.__getitem__, numbers), default=0))
            else:  # a sentence without a hit can have too few by now; others drop out as well
                hits = Counter({one: count for one, count in hits.items() if count + words_left >= needed})
                hits.update(_among(hits, numbers))
                needed = max(needed, max(hits.values(), default=0))
        best = [number for number, count in hits.items() if count == needed]
        return (needed / len(wanted_words), min(best)) if best else (0.0, -1)


def _among(hits: Mapping[int, int], numbers: Sequence[int]) -> Iterable[int]:
    """Return the keys of ``hits`` that are among ascending ``numbers``."""
    if len(hits) * 20 > len(numbers):
        return hits.keys() & numbers
    places = ((number, bisect_left(numbers, number)) for number in hits)
    return [number for number, place in places if place < len(numbers) and numbers[place] == number]


def index_sentences(texts: Iterable[tuple[int, str]], parsed: ParsedTexts | None = None) -> SentenceIndex:
    """Index the sentences of texts, each with its place; ``parsed`` caches known texts."""
    parsed_texts = parsed or ParsedTexts()
    words: defaultdict[str, list[int]] = defaultdict(list)
    sentences: list[str] = []
    places: list[int] = []
    seen: set[tuple[str, ...]] = set()
    for place, text in texts:
        for sentence, sentence_words in parsed_texts.sentences(text):
            if sentence_words in seen:
                continue
            seen.add(sentence_words)
            for word in sentence_words:
                words[word].append(len(sentences))
            sentences.append(sentence)
            places.append(place)
    return SentenceIndex(sentences, places, words)
