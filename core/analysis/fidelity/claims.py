"""Whether two sentences say opposite things of the same subject: another value, values or deeds that changed
places, options in the other order, a word and its opposite. What shares too little is no claim about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from core.analysis.fidelity.fact_texts import stems

_LIGHT_WORDS = """
a an the to of in on for with by and or is are was were it its we i they you be been this that there not no
use used using set due happen start now may can must should shall will need have has only also
most least more than max maximum total so far as at from new please always never everything everyone too
"""
_LIGHT = frozenset(_LIGHT_WORDS.split()) | stems(_LIGHT_WORDS)
_PARTS = re.compile(
    r"[;,]\s+|:\s+(?![\d$€£])|(?<=[.!?])\s+|\s+(?:and|but|while|whereas|although)\s+|\s[–—-]\s", re.IGNORECASE
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_VALUE = re.compile(
    rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}\.? {_MONTH}|{_MONTH} \d{{1,2}})\b|"
    r"(?<![\w.#/-])(?P<money>[$€£])?(?P<value>\d+(?:[.,]\d+)*)(?![\w/-]*[a-z]\d|\.\d)"
    r"\s?(?P<unit>%|(?:ms|sec\w*|s|min\w*|h|hours?|days?|weeks?|[kmgt]i?b|px|tokens?|percent)\b)?",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:\b(?:line|pr|issue|step|phase|part|chapter|version|section|row|page|option|task|item|bug|no|"
    r"ticket|round|level|node|python|layer|python)|#)\s?$",
    re.IGNORECASE,
)
_STRANGE = 1  # words of a part that is about two others though neither has them
_PASTED = 1500  # characters; longer texts are not a person's own words
_WORD = re.compile(r"[\w./-]*\w")

_LEFT_FIRST = (
    r"instead of|rather than|in place of|over|before|ahead of|prior to|replac(?:es|ed|ing)|supersedes?|"
    r"beats?|,? not|,? and not"
)
_RELATIONS = (  # the first that fits
    re.compile(r"^(?:[\w ]+ )?(?:replaced?|(?:switched|moved|migrated) from|swapped|instead of)\s+(?P<b>.*?)"
               r"(?:,| with| by| to| for| →)\s+(?P<a>.*)$", re.IGNORECASE),
    re.compile(r"^(?P<b>.*?)\s(?:(?:was|were|is|are) )?(?:replaced|superseded) (?:by|with)\s+(?P<a>.*)$",
               re.IGNORECASE),
    re.compile(r"^(?:.*\bprefer (?P<a>.*?)|(?P<a2>.*?)\s(?:is|are|was|were) preferred)\s(?:to|over)\s+"
               r"(?P<b>.*)$", re.IGNORECASE),
    re.compile(rf"^(?P<a>.*?)\s(?:{_LEFT_FIRST})\s+(?P<b>.*)$", re.IGNORECASE),
    re.compile(r"^(?:first|after)\s+(?P<a>.*?),?\s+(?:then\s+)?(?P<b>.*)$", re.IGNORECASE),
    re.compile(r"^(?P<b>.*?)\s(?:after|following)\s+(?P<a>.*)$", re.IGNORECASE),
)  # fmt: skip
_GROUND = re.compile(r",?\s+(?:because|since|as|due to|so that|which)\b|\s\(|,\s+to\s")
_OPPOSITES = """
enabled disabled|enable disable|increase decrease|raise lower|up down|open closed|public private|
first last|upper lower|minimum maximum|include exclude|accept reject|start stop|sync async|true false|allow
forbid|above below|left right|internal external|required optional|synchronous asynchronous|metric imperial|
american british|ascending descending|add remove|all none|more fewer|early late|lock unlock|on off
"""
_OPPOSITE = {
    stem: other
    for pair in _OPPOSITES.replace("\n", " ").split("|")
    for word, opposite in (pair.split(), reversed(pair.split()))
    for stem, other in ((next(iter(stems(word)), word), next(iter(stems(opposite)), opposite)),)
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a sentence: its content words and names, and its one value with its kind, if any."""

    words: frozenset[str]
    value: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    """The parts of a sentence, and which things it puts before which others."""

    parts: tuple[Claim, ...]
    order: tuple[frozenset[str], frozenset[str]] | None
    words: frozenset[str]


@lru_cache(maxsize=20_000)
def claims(sentence: str) -> Claims:
    """Return what a sentence says of what."""
    parts = tuple(claim for claim in map(_claim, _PARTS.split(sentence)) if claim.words)
    words = frozenset[str]().union(*(claim.words for claim in parts))
    return Claims(parts, order_of(sentence), words)


def _claim(text: str) -> Claim:
    found = [match for match in _VALUE.finditer(text) if not _LABELLED.search(text[: match.start()])]
    values = {_plain_value(match): _kind(match) for match in found}
    words = stems(_VALUE.sub(" ", text)) - _LIGHT
    if len(values) != 1:
        return Claim(words | frozenset(values))
    ((value, kind),) = values.items()
    return Claim(words | {value}, value, kind)


def _plain_value(match: re.Match[str]) -> str:
    return (match["date"] or match["value"]).lower().replace(",", "").replace(". ", " ")


def _kind(match: re.Match[str]) -> str:
    if match["date"]:
        return "date"
    return match["money"] or (match["unit"] or "").lower()[:2].rstrip("e") or ""


def has_other_value(ours: Claims, theirs: Claims) -> str:
    """Return the value that a sentence gives to a key to which the other gives another, "" if none."""
    stated = {claim.value for claim in theirs.parts}
    for one in ours.parts:
        for other in theirs.parts if one.value and one.value not in stated else ():
            if not other.value or (one.kind != other.kind and (one.kind and other.kind)):
                continue
            key, other_key = one.words - {one.value}, other.words - {other.value}
            shared = len(key & other_key)
            if shared and shared >= 0.6 * len(other_key) and shared >= 0.5 * len(key):
                return other.value
    return ""


def is_crossed(ours: Claims, theirs: tuple[Claim, ...]) -> bool:
    """Return whether what two parts of a sentence say of two things has changed places."""
    for first, second in combinations(ours.parts[:6], 2):
        one, other = first.words - second.words, second.words - first.words
        if min(len(one), len(other)) < 2:
            continue
        about = [claim for claim in theirs if len(claim.words - first.words - second.words) <= _STRANGE]
        touching = [(claim.words & one, claim.words & other) for claim in about]
        if any((len(a) >= 2 and not b) or (len(b) >= 2 and not a) for a, b in touching):
            continue
        mixed = [(a, b) for a, b in touching if a and b]
        if any(not (a & c or b & d) for (a, b), (c, d) in combinations(mixed, 2)):
            return True
    return False


def order_of(sentence: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words chosen and those rejected, or the earlier and the later ones; None without order."""
    for part in re.split(r";\s+|(?<=[.!?])\s+", sentence):
        plain = without_ground(part).strip().rstrip(".!")
        for pattern in _RELATIONS:
            if match := pattern.match(plain):
                groups = match.groupdict()
                first, second = (
                    frozenset(map(_stemmed, _WORD.findall(side.lower()))) - _LIGHT
                    for side in (groups.get("a") or groups.get("a2") or "", groups["b"])
                )
                return first - second, second - first
    return None


def _stemmed(word: str) -> str:
    return next(iter(stems(word)), word) if word.isalpha() else word


def without_ground(sentence: str) -> str:
    """Return a sentence up to "because", "since" and the like."""
    return _GROUND.split(sentence)[0] or sentence


def is_reversed(ours: Claims, theirs: Claims) -> bool:
    """Return whether two sentences put the same things in opposite order."""
    if ours.order is None or theirs.order is None:
        return False
    crossed = [ours.order[0] & theirs.order[1], ours.order[1] & theirs.order[0]]
    straight = [ours.order[0] & theirs.order[0], ours.order[1] & theirs.order[1]]
    pairs = ((0, 1), (1, 0))
    are_most = all(
        len(shared) >= 0.5 * min(len(ours.order[i]), len(theirs.order[j]))
        for shared, (i, j) in zip(crossed, pairs, strict=True)
    )
    return all(crossed) and are_most and sum(map(len, crossed)) > sum(map(len, straight))


def has_opposite_word(ours: Claims, theirs: Claims) -> bool:
    """Return whether a sentence has the opposite of a word where it shares the others."""
    swapped = {
        word
        for word in ours.words - theirs.words
        if _OPPOSITE.get(word) in theirs.words and _OPPOSITE[word] not in ours.words
    }
    shared = len(ours.words & theirs.words)
    return len(swapped) == 1 and shared >= max(2, 0.75 * (len(ours.words) - 1))


def readings(sentence: str) -> Iterator[Claims]:
    """Yield the claims of the sentences of a text that can be contradicted word by word."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", sentence) if len(sentence) <= _PASTED else ()
    for part in parts:
        found = claims(part[:400])
        if (
            found.order
            or len(found.parts) > 1
            or any(claim.value for claim in found.parts)
            or (found.words & _OPPOSITE.keys())
        ):
            yield found
