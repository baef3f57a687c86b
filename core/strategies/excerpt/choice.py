"""Chooses units by what each adds: greedy choice for budgeted maximum coverage (Lin and Bilmes
2011), evaluated lazily (Minoux 1978). Points in comments are means of 10, 20 and 30 % of the size
on the half of the corpus that rules are chosen on, or of planted statements at 20 %."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.facts.instructions import has_modal_word
from core.facts.name_patterns import names_of
from core.strategies.excerpt.units import GAP, ExcerptUnit, UnitKind

_SAID, _DEMANDED = 4.0, 6.0
"""Of the person's sentences, and those with a modal word; no point on the corpus, two of planted
statements."""
_NAME = {UnitKind.PASTED: 3.0, UnitKind.MODEL: 3.0, UnitKind.OTHER: 1.0}
"""Of names; with 1 for all two to eight points less."""
_LINE = {UnitKind.PASTED: 3.0, UnitKind.MODEL: 3.0, UnitKind.OTHER: 0.3}
"""Of a line without new names; with 0.3 for all two points more of needed names, and one to two
less of lines written again and of surroundings; with 0 for others two less of needed names."""
_WORD, _MARKED_WORD = 0.3, 2.0
"""The person's words, those with a digit or an inner capital; alike, no point on the corpus, five
of planted statements."""
_SAMPLE_LABEL = "#1000 model"
_LABEL = 18
"""Characters that such a label above the first line of a message is worth, as digits are dear;
without it two points less of lines written again."""
_EACH = 20
"""Characters that any line costs; with 5 two points less of names. A sentence of the person costs
its length alone: with this above, three to ten points less of statements said in passing."""
_SMALLEST = 6  # tokens; no line that says something has less
_MOST_TOO_LARGE = 100  # units in a round; below it the time is linear
_WORDS = re.compile(r"\w{2,}")


class Chosen(NamedTuple):
    """A chosen unit by its place, and the names that it states first."""

    place: int
    names: tuple[str, ...]


class Chooser:
    """Units, and the names and the person's words that stand already or are chosen. ``spread``
    says in how many messages of the person a word stands, ``count`` counts the tokens of a line;
    ``said_room`` is what the person's sentences may take before all else is there. Nothing is
    chosen that stands in ``text``."""

    def __init__(
        self,
        units: Sequence[ExcerptUnit],
        standing: Sequence[str],
        *,
        spread: Mapping[str, int],
        count: Callable[[str], int],
        said_room: float,
        text: str = "",
    ) -> None:
        self._units, self._count, self._said_room = units, count, said_room
        self._label, self._gap, self._spread = count(_SAMPLE_LABEL), count(GAP), spread
        self._names = [names_of(unit.text) for unit in units]
        self._words = [_words_of(unit) for unit in units]
        self._said = Counter(
            unit.index for unit in units if unit.kind is UnitKind.PERSON
        )
        self._text = text
        self._covered = set().union(*map(names_of, standing))
        self._covered_words: set[str] = set()
        self._labelled: set[tuple[int, UnitKind]] = set()
        self._taken: set[int] = set()
        self._held_back: list[int] = []
        self._heap: list[tuple[float, int]] = []

    def first(self, places: Iterable[int], room: float) -> Iterator[Chosen]:
        """Yield units in this order, as far as there is room in tokens."""
        for place in places:
            cost = self._tokens(place)
            if cost <= room:
                room -= cost
                yield self._take(place)

    def best(self, room: float) -> Iterator[Chosen]:
        """Yield the unit that adds most by its length, and again, until no room is left."""
        if not self._heap:
            self._heap = [
                (-self._value(place), place) for place in range(len(self._units))
            ]
            heapq.heapify(self._heap)
        too_large: list[int] = []
        while room >= _SMALLEST and len(too_large) < _MOST_TOO_LARGE:
            place = self._next()
            if place is None:
                break
            cost = self._tokens(place)
            if cost > room:
                too_large.append(place)
                continue
            room -= cost
            yield self._take(place)
        for place in too_large:  # there may be more room once the text is counted
            heapq.heappush(self._heap, (-self._value(place), place))

    def _next(self) -> int | None:
        """Return the place of the unit that adds most; None where nothing adds anything."""
        while self._heap:
            _, place = heapq.heappop(self._heap)
            if place in self._taken:
                value = 0.0
            else:
                value = self._value(place)
            if value <= 0:
                continue
            if self._heap and value < -self._heap[0][0]:
                heapq.heappush(self._heap, (-value, place))
            elif self._is_held_back(place):
                self._held_back.append(place)
            elif not self._text or self._units[place].text.strip() not in self._text:
                return place
        if self._held_back:
            return self._held_back.pop(0)
        return None

    def _is_held_back(self, place: int) -> bool:
        """Return whether a sentence waits; never one that is all that a message says, which no
        pasted plan is: no point on the corpus, 65 of our planted statements at 10 %."""
        unit = self._units[place]
        if unit.kind is not UnitKind.PERSON or self._said[unit.index] == 1:
            return False
        return self._tokens(place) > self._said_room

    def _take(self, place: int) -> Chosen:
        unit, new_names = self._units[place], self._names[place] - self._covered
        if unit.kind is UnitKind.PERSON and self._said[unit.index] > 1:
            self._said_room -= self._tokens(place)
        self._taken.add(place)
        self._labelled.add((unit.index, unit.kind))
        self._covered |= new_names
        self._covered_words |= self._words[place]
        return Chosen(place, tuple(sorted(new_names)))

    def _tokens(self, place: int) -> int:
        """Return the tokens of a unit with the line above it: the label of its message, or a
        gap."""
        unit = self._units[place]
        if unit.kind is UnitKind.PERSON:
            return self._count(unit.text)
        is_labelled = (unit.index, unit.kind) in self._labelled
        return self._count(unit.text) + (self._gap if is_labelled else self._label)

    def _value(self, place: int) -> float:
        """Return what a unit adds by its length."""
        unit, new_names = self._units[place], len(self._names[place] - self._covered)
        if unit.kind is UnitKind.PERSON:
            weight = _DEMANDED if has_modal_word(unit.text) else _SAID
            new_words = self._words[place] - self._covered_words
            words = sum(_word_weight(word) / self._spread[word] for word in new_words)
            return weight * (new_names + words) / len(unit.text)
        is_labelled = (unit.index, unit.kind) in self._labelled
        length = _EACH + len(unit.text) + (0 if is_labelled else _LABEL)
        return (_NAME[unit.kind] * new_names + _LINE[unit.kind]) / length


def word_spread(units: Iterable[ExcerptUnit]) -> Mapping[str, int]:
    """Return in how many messages of the person each word stands."""
    uses = {(unit.index, word) for unit in units for word in _words_of(unit)}
    return Counter(word for _, word in uses)


def _words_of(unit: ExcerptUnit) -> frozenset[str]:
    """Return the words of a sentence of the person; none of a line."""
    return frozenset(_WORDS.findall(unit.text) if unit.kind is UnitKind.PERSON else ())


def _word_weight(word: str) -> float:
    has_mark = word[1:] != word[1:].lower() or any(map(str.isdigit, word))
    return _MARKED_WORD if has_mark else _WORD
