"""Which of two things a sentence puts first: chosen over rejected, new over old, earlier before later; and in
which order it lists steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from core.analysis.fidelity.fact_texts import stems
from core.analysis.fidelity.statements import LIGHT, plain_words

_LEFT_FIRST = (
    r"instead of|rather than|in place of|(?:won )?over|in preference to|before|ahead of|prior to|"
    r"replac(?:es|ed|ing)|"
    r"supersedes?|beats?|(?:was|is|were|are) (?:chosen|picked|preferred|taken|used) (?:over|to|instead of)|"
    r",? (?:and )?not|anstatt|statt|an ?stelle von|plutôt que|au lieu de|remplace(?:nt)?|à la place de|"
    r"en lugar de|en vez de|antes de|vor|avant"
)
_CHOSEN_LAST = (
    r"(?:replaced?|replacing|switched|moved|migrated|swapped|converted|remplacer|remplacé|sustituir|ersetzt?)"
)
_RELATIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (  # the first that fits; a comes first
        rf"^(?:[\w ']+ )?(?:{_CHOSEN_LAST}(?: from)?)\s+(?P<b>.*?)(?:,| with| by| to| for| →| par| por|"
        rf" durch)\s+(?P<a>.*)$",
        r"^(?P<b>.*?)\s(?:(?:was|were|is|are|has been) )?(?:replaced|superseded) (?:by|with)\s+(?P<a>.*)$",
        r"^(?:instead of|rather than|in place of|statt|anstatt|au lieu de|plutôt que de?|"
        r"en lugar de)\s+(?P<b>[^,]*),\s*"
        r"(?P<a>.*)$",
        r"^(?:.*\bprefer (?P<a>.*?)|(?P<a2>.*?)\s(?:is|are|was|were) preferred)\s(?:to|over)\s+(?P<b>.*)$",
        r"^.*\b(?:rather|sooner) (?P<a>.*?)\sthan\s+(?P<b>.*)$",
        r"^(?:anstatt|statt|anstelle von)\s+(?P<b>.*?)\s(?:wird|werden|wurden?|soll\w*|nehm\w+|kommt|"
        r"benutz\w+)\s(?P<a>.*)$",
        rf"^(?P<a>.*?),?\s(?:{_LEFT_FIRST})\s+(?P<b>.*)$",
        r"^(?:first|after|erst|nach|après|después de)\s+(?P<a>.*?)(?:,|\s+then)\s+(?:then\s+)?(?P<b>.*)$",
        r"^(?P<b>.*?)\s(?:after|following|nach|après)\s+(?P<a>.*)$",
    )
)
_GROUND = re.compile(
    r",?\s+(?:because|since|as|due to|so that|in order to|which|weil|da|parce que|car|porque)\b|\s\(|,\s+to\s"
)
_STEP = re.compile(
    r",\s+(?:and )?(?:then |finally |afterwards |before that )?|;\s+|\s+(?:and )?then\s+|\s→\s|\s+and\s+"
)
_NUMBER = re.compile(r"\d+")
_MIN_STEPS = 3
Order: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""The words chosen and those rejected, or the earlier and the later ones."""


@lru_cache(maxsize=4_000)
def order_of(sentence: str) -> Order | None:
    """Return the order that a sentence states; None without one."""
    for part in re.split(r";\s+|(?<=[.!?])\s+", sentence):
        plain = without_ground(part).strip().rstrip(".!")
        for pattern in _RELATIONS:
            if match := pattern.match(plain):
                groups = match.groupdict()
                first = _things(groups.get("a") or groups.get("a2") or "")
                second = _things(groups["b"])
                if first - second and second - first:
                    return first - second, second - first
    return None


def _things(text: str) -> frozenset[str]:
    return (stems(text) - LIGHT) | frozenset(_NUMBER.findall(text))


def without_ground(sentence: str) -> str:
    """Return a sentence up to "because", "since" and the like."""
    return _GROUND.split(sentence)[0] or sentence


def is_reversed(one: Order | None, other: Order | None) -> bool:
    """Return whether two sentences put the same things in opposite order."""
    if one is None or other is None:
        return False
    first, second = one[0] & other[1], one[1] & other[0]
    if not (first and second):
        return False
    are_most = 2 * len(first) >= min(len(one[0]), len(other[1])) and 2 * len(second) >= min(
        len(one[1]), len(other[0])
    )
    return are_most and len(first) + len(second) > len(one[0] & other[0]) + len(one[1] & other[1])


@lru_cache(maxsize=4_000)
def steps_of(sentence: str) -> tuple[frozenset[str], ...]:
    """Return the words of the steps that a sentence lists."""
    steps = tuple(filter(None, map(plain_words, _STEP.split(sentence))))
    return steps if len(steps) >= _MIN_STEPS else ()


def lists_backwards(steps: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> bool:
    """Return whether three of the steps or more are in mostly opposite order among the others."""
    if not steps or not others:
        return False
    places = [place for step in steps if (place := _most_alike(step, others)) >= 0]
    if len(set(places)) < _MIN_STEPS:
        return False
    pairs = [(one, other) for one, other in combinations(places, 2) if one != other]
    return sum(one > other for one, other in pairs) > 0.6 * len(pairs)


def _most_alike(step: frozenset[str], others: Sequence[frozenset[str]]) -> int:
    shared = [len(step & other) for other in others]
    best = max(shared)
    return shared.index(best) if best and shared.count(best) == 1 else -1
