"""What stands of single sentences in texts: word for word, nearest, or gone (LOSS-2.3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from core.facts.sentences import sentences

NEAR_SHARE = 0.5
"""Share of the words of a sentence that one sentence of a result has if it is near."""
_NEAR_WORDS = 2
"""Words that it has at least: one word of a short sentence stands in many that mean another thing."""
MAX_NEAREST = 400  # characters

_MARKUP = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_ENDS = " .!?:;,…\"'“”’)"
_LABELS = (
    "Asked|Last request|Focus asked for|Rule|Instruction|Task|Command|Your message"
)
"""What the summaries without a model and the hooks write before the words of a person."""
_STARTS = re.compile(
    rf"(?i)(?:^|\n|[.!?;…][\"'”)\]]*[ \n])[ \n]*(?:[-+•>#]+ *|\d{{1,3}}[.)] *|\[[ \w]+\] *)*"
    rf"(?:(?:{_LABELS}): *)?[\"'“(]*$"
)
"""What stands before a sentence that is none's part; the first group of blanks may be the end of a
line."""
_STOPS = re.compile(
    r"[\"'”)\]]*(?:[.!?;:…]+[\"'”)\]]*)?(?: *\n| *$|</[\w-]+>|(?<=[.!?;:…\"'”)\]]) )"
)
_WRAPPED_WIDTH = 60  # characters; shorter lines are not wrapped by hand
_BULLET = re.compile(r"[-+•>#|]|\d{1,3}[.)] ")
_BEFORE, _AFTER = 60, 12  # characters around a sentence that are looked at
_WORD_SPAN = re.compile(r"[\w](?:[\w'’./:@-]*\w)?")


def is_near(share: float, count: int) -> bool:
    """Return whether a sentence is near that has this share of the ``count`` words of another."""
    return share >= NEAR_SHARE and round(share * count) >= _NEAR_WORDS


class SentenceStatus(StrEnum):
    STANDS = "stands"  # word for word; case counts, white space, markup and line breaks do not
    NEAREST = "nearest"  # one sentence of the result has some of its names or words
    GONE = "gone"


class WordSpan(NamedTuple):
    """A word, and where it starts in its sentence, in characters."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class WordDifferences:
    """The words of a sentence that its nearest one lacks, and those that only that one has."""

    missing: tuple[WordSpan, ...] = ()
    added: tuple[WordSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceEvidence:
    """What stands of a sentence in a result. ``result_index`` is the message that holds it, or its
    ``nearest`` sentence, "" where it stands or is gone; -1 for none."""

    text: str
    status: SentenceStatus
    result_index: int = -1
    nearest: str = ""

    @property
    def differs(self) -> WordDifferences:
        """The words in which the sentence and its nearest one differ."""
        if self.nearest:
            return word_differences(self.text, self.nearest)
        return WordDifferences()


@lru_cache(maxsize=2_000)
def said_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text of a person, each once; the text itself where it has none."""
    return tuple(dict.fromkeys(sentences(text))) or (" ".join(text.split()),)


def folded(text: str) -> str:
    """Return a text without markup, its white space folded; case and ends of lines stay."""
    lines = (" ".join(line.split()) for line in _MARKUP.sub("", text).splitlines())
    return "\n".join(filter(None, lines))


@lru_cache(maxsize=5_000)
def sentence_core(text: str) -> str:
    """Return a sentence folded to one line, without marks at its ends."""
    return folded(text).replace("\n", " ").strip(_ENDS) or text.strip()


class Standing(NamedTuple):
    """Whether a text holds a sentence as one of its own, or at least inside a longer one."""

    alone: bool
    inside: bool


def standing_in(core: str, plain: str, *, may_be_part: bool = False) -> Standing:
    """Look for the core of a sentence in a folded text. ``may_be_part``: it is no sentence, so that
    no words around it can turn it round."""
    is_inside = False
    for match in _core_pattern(core).finditer(plain):
        if may_be_part or _stands_alone(plain, match.start(), match.end()):
            return Standing(alone=True, inside=True)
        is_inside = True
    return Standing(alone=False, inside=is_inside)


@lru_cache(maxsize=5_000)
def _core_pattern(core: str) -> re.Pattern[str]:
    return re.compile(re.escape(core).replace(r"\ ", "[ \n]"))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of a text is a sentence and no part of a longer one that quotes
    it."""
    before = text[max(0, start - _BEFORE) : start]
    if not _STARTS.search(before if start > _BEFORE else f"\n{before}"):
        return False
    stop = _STOPS.match(text[end : end + _AFTER])
    line_start = text.rfind("\n", 0, start) + 1
    wraps_before = start == line_start and _is_wrapped(text, line_start - 1)
    wraps_after = (
        stop is not None and stop[0].strip(" ") == "\n" and _is_wrapped(text, end)
    )
    return stop is not None and not wraps_before and not wraps_after


def _is_wrapped(text: str, line_end: int) -> bool:
    """Return whether a long line ends within a sentence that goes on in the next one."""
    if line_end <= 0 or _BULLET.match(text, line_end + 1):
        return False
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    return len(line) >= _WRAPPED_WIDTH and (line[-1].isalnum() or line[-1] == ",")


def word_differences(sentence: str, nearest: str) -> WordDifferences:
    """Return the words in which two sentences differ; case and punctuation count only where nothing
    else differs."""
    first, second = list(_word_spans(sentence)), list(_word_spans(nearest))
    found = _differences(
        first,
        second,
        [one.text.lower() for one in first],
        [one.text.lower() for one in second],
    )
    if found.missing or found.added:
        return found
    return _differences(
        first, second, [one.text for one in first], [one.text for one in second]
    )


def _word_spans(text: str) -> Iterator[WordSpan]:
    return (WordSpan(match[0], match.start()) for match in _WORD_SPAN.finditer(text))


def _differences(
    first: Sequence[WordSpan],
    second: Sequence[WordSpan],
    first_words: Sequence[str],
    second_words: Sequence[str],
) -> WordDifferences:
    missing, added = list[WordSpan](), list[WordSpan]()
    matcher = SequenceMatcher(None, first_words, second_words, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag != "equal":
            missing += first[start:end]
            added += second[other_start:other_end]
    return WordDifferences(tuple(missing), tuple(added))
