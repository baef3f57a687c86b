"""Texts as the match rules see them: a message's words on one line, and which words stand where."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil
from typing import TypeAlias

from core.common.json_value import MISSING
from core.facts.sentences import value_text
from core.transcript.model import Block, Code, Message, Progress, Text, ToolCall, ToolResponse, no_progress
from core.transcript.tool_result_content import answer_text

_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOP_WORDS = """
a an and are as at be but by for from has have i in is it its of on or our so that the their then there this
to was we were will with you your he she they me my us do does did not no
"""
_STOP = frozenset(_STOP_WORDS.split())
_LONGEST = 2000  # characters of one line that are looked at as a sentence


def text_of(message: Message) -> str:
    """All that a message says, calls and results included, thinking and media left out; as it is."""
    return "\n".join(filter(None, map(_block, message.blocks)))


def _block(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Code():
            return block.code
        case ToolCall():
            return f"{block.name} {_arguments(block)}"
        case ToolResponse():
            error = "" if block.error in (MISSING, None, "", False, True) else value_text(block.error)
            return "\n".join(filter(None, (error, answer_text(block))))
        case _:
            return ""


def _arguments(call: ToolCall) -> str:
    """The arguments as text, strings without their escapes, so that they can be found again."""
    if isinstance(call.arguments, Mapping):
        return " ".join(
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            for value in call.arguments.values()
        )
    return call.arguments if isinstance(call.arguments, str) else ""


def flat_text(text: str) -> str:
    """On one line, small, blanks folded: how texts are compared word for word."""
    return " ".join(text.lower().split())


def content_words(text: str) -> frozenset[str]:
    """The words that carry a sentence."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _STOP and len(word) > 1)


def sentences_of(text: str) -> Iterator[str]:
    """Lines and sentences of a text, cut where they never end."""
    for part in _BREAK.split(text):
        if part.strip():
            yield part[:_LONGEST]


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Texts by place, searchable without reading all of them: ``raw`` as they are, ``plain`` flattened."""

    raw: Sequence[str]
    plain: Sequence[str]
    words: Mapping[str, Sequence[int]]
    _found: dict[tuple[str, bool, bool], tuple[int, ...]] = field(default_factory=dict)

    def places(self, needle: str, *, exact: bool = False, is_cut: bool = False) -> tuple[int, ...]:
        """Where a needle stands as words of their own, ascending; ``exact``: upper and lower case count;
        ``is_cut``: it may end within a word. Looked for once: a person says "continue" again and again."""
        wanted = needle if exact else flat_text(needle)
        known = self._found.get((wanted, exact, is_cut))
        if known is None:
            texts = self.raw if exact else self.plain
            near = self._near(wanted, is_cut)
            known = tuple([place for place in near if contains_needle(wanted, texts[place], is_cut)])
            self._found[wanted, exact, is_cut] = known
        return known

    def _near(self, needle: str, is_cut: bool) -> Iterable[int]:
        """The places with the rarest word of a needle."""
        found = _WORD.findall(needle.lower())
        found = found[:-1] if is_cut and len(found) > 1 else found
        if not found or (is_cut and len(found) == 1):
            return range(len(self.raw))
        return min((self.words.get(word, ()) for word in found), key=len)


def contains_needle(needle: str, text: str, is_cut: bool) -> bool:
    """True where a text has a needle that does not begin or, unless it is cut, end within a word."""
    at = text.find(needle)
    while needle and at >= 0:
        end = at + len(needle)
        begins = not (needle[0].isalnum() and at and _goes_on(text[at - 1]))
        ends = is_cut or not (needle[-1].isalnum() and _goes_on(text[end : end + 1]))
        if begins and ends:
            return True
        at = text.find(needle, at + 1)
    return False


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"


_Sentence: TypeAlias = tuple[str, tuple[str, ...]]
"""A sentence and its content words, sorted."""


class ParsedTexts:
    """Texts that were read, each once: the rows of a comparison hold the same messages over and over."""

    def __init__(self) -> None:
        self._plain: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._sentences: dict[str, tuple[_Sentence, ...]] = {}
        self._words: dict[str, str] = {}

    def plain(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text flattened, and its different words."""
        known = self._plain.get(text)
        if known is None:
            known = self._plain[text] = flat_text(text), self._once(set(_WORD.findall(text.lower())))
        return known

    def sentences(self, text: str) -> tuple[_Sentence, ...]:
        """The sentences of a text with their content words."""
        known = self._sentences.get(text)
        if known is None:
            found = ((one, self._once(sorted(content_words(one)))) for one in sentences_of(text))
            known = self._sentences[text] = tuple(found)
        return known

    def _once(self, words: Iterable[str]) -> tuple[str, ...]:
        """The words, of which one that many texts have is held once."""
        return tuple([self._words.setdefault(word, word) for word in words])


def text_index(
    texts: Sequence[str], progress: Progress = no_progress, read: ParsedTexts | None = None
) -> TextIndex:
    """An index of texts by their words; linear in their length. ``read`` are texts known before."""
    known = read or ParsedTexts()
    words: defaultdict[str, list[int]] = defaultdict(list)
    plain = []
    for place, text in enumerate(texts):
        progress(place / len(texts), "Indexing texts")
        flattened, different = known.plain(text)
        plain.append(flattened)
        for word in different:
            words[word].append(place)
    return TextIndex(texts, plain, words)


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """The sentences of some texts by their content words, for rules that compare by overlap.

    Of sentences with the same words the first stands for all: long sessions say the same thing again.
    """

    texts: Sequence[str]
    places: Sequence[int]
    words: Mapping[str, Sequence[int]]

    def best(self, wanted: frozenset[str], at_least: float = 0.0) -> tuple[float, int]:
        """The largest share of the wanted words in one sentence (or two in a row), and its number.

        A share below ``at_least`` may come out as nothing: (0, -1).
        """
        by_rarity = sorted((self.words.get(word, ()) for word in wanted), key=len)
        # a sentence with enough of the words has at least one of these, the rarest
        seeds = len(by_rarity) - max(1, ceil(at_least * len(by_rarity))) + 1
        hits = Counter(chain.from_iterable(by_rarity[:seeds]))
        if not hits or not wanted:
            return 0.0, -1
        for numbers in by_rarity[seeds:]:
            _add(hits, numbers)
        number, most = max(hits.items(), key=lambda item: (item[1], -item[0]))
        return most / len(wanted), number


def _add(hits: Counter[int], numbers: Sequence[int]) -> None:
    """Count what is already there once more where it is among ascending numbers."""
    if len(hits) * 20 > len(numbers):
        for number in numbers:
            if number in hits:
                hits[number] += 1
        return
    for number in hits:
        at = bisect_left(numbers, number)
        hits[number] += at < len(numbers) and numbers[at] == number


def index_sentences(texts: Iterable[tuple[int, str]], read: ParsedTexts | None = None) -> SentenceIndex:
    """Index the sentences of texts, each given with its place; ``read`` are texts known before."""
    known = read or ParsedTexts()
    words: defaultdict[str, list[int]] = defaultdict(list)
    found: list[str] = []
    places: list[int] = []
    seen: set[tuple[str, ...]] = set()
    for place, text in texts:
        for sentence, own in known.sentences(text):
            if own in seen:
                continue
            seen.add(own)
            for word in own:
                words[word].append(len(found))
            found.append(sentence)
            places.append(place)
    return SentenceIndex(found, places, words)
