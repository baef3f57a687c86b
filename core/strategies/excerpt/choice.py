"""Chooses units by what each adds: greedy choice for budgeted maximum coverage (Lin and Bilmes
2011), evaluated lazily (Minoux 1978). Points in comments are means of 10, 20 and 30 % of the size
on the half of the corpus that rules are chosen on, or of planted statements at 20 %."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.facts.instructions import has_modal_word
from core.facts.name_patterns import names_of
from core.strategies.excerpt.units import ExcerptUnit, UnitKind

_SAID, _DEMANDED = 4.0, 6.0
"""Of the person's sentences, and those with a modal word; no point on the corpus, two of planted
statements."""
_WRITTEN = 3.0
"""Of names that the model wrote or the person pasted; with 1 two to eight points less."""
_MODEL_LINE, _OTHER_LINE = 3.0, 0.3
"""Of a line without new names; with 0.3 for both two points more of needed names, and one to two
less of lines written again and of surroundings; with 0 for others two less of needed names."""
_MOST_CHARACTERS = 5.0  # of a token, in what may come next
_WORD, _MARKED_WORD = 0.3, 2.0
"""The person's words, those with a digit or an inner capital; alike, no point on the corpus, five
of planted statements."""


@dataclass(slots=True)
class Coverage:
    """The names and the person's words that the result has already."""

    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        self.names |= names_of(text)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A chosen unit by its place, its estimated tokens, and the names that it states first."""

    place: int
    cost: float
    names: tuple[str, ...]


def word_spread(units: Sequence[ExcerptUnit]) -> Mapping[str, int]:
    """Return in how many messages of the person each word stands."""
    uses = {(unit.index, word) for unit in units for word in unit.words}
    return Counter(word for _, word in uses)


@dataclass(slots=True, kw_only=True)
class Chooser:
    """Units, what is covered before them, and their estimated tokens; ``label_cost`` are those of
    the line above the first chosen line of a message."""

    units: Sequence[ExcerptUnit]
    count: Callable[[str], int]
    spread: Mapping[str, int]
    covered: Coverage
    label_cost: float
    _names: list[frozenset[str]] = field(init=False)
    _words: list[frozenset[str]] = field(init=False)
    _said: Counter[int] = field(init=False)
    _costs: list[float | None] = field(init=False)
    _labelled: set[tuple[int, str, UnitKind]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._names = [unit.names for unit in self.units]
        self._words = [unit.words for unit in self.units]
        self._said = Counter(one.index for one in self.units if one.kind is UnitKind.PERSON)
        self._costs = [None] * len(self.units)

    def choose(
        self, first: Sequence[int], first_room: float, room: float, said_room: float
    ) -> Iterator[Chosen]:
        """Yield units until ``room`` tokens are taken: those of ``first`` within their room, then
        the one that adds most per token; the person's sentences above ``said_room`` come last,
        but for one that is all that a message says: no pasted plan is that short."""
        taken: set[int] = set()
        waiting: list[int] = []
        for place in first:
            if place not in taken and self._cost(place) <= first_room:
                chosen = self._take(place, taken)
                first_room -= chosen.cost
                room -= chosen.cost
                yield chosen
        heap = [(-self._value_at_most(place), place) for place in range(len(self.units))]
        heapq.heapify(heap)
        while heap and room > 0:
            _, place = heapq.heappop(heap)
            value = 0.0 if place in taken else self._value(place)
            if value <= 0:
                continue
            if heap and value < -heap[0][0]:
                heapq.heappush(heap, (-value, place))
                continue
            is_said = self.units[place].kind is UnitKind.PERSON and not self._is_alone(place)
            if is_said and self._cost(place) > said_room:
                waiting.append(place)
                continue
            chosen = self._take(place, taken)
            said_room -= chosen.cost if is_said else 0
            room -= chosen.cost
            yield chosen
        for place in waiting:
            if room > 0:
                chosen = self._take(place, taken)
                room -= chosen.cost
                yield chosen

    def _is_alone(self, place: int) -> bool:
        """Return whether a sentence is all that a message of the person says."""
        return self._said[self.units[place].index] == 1

    def _take(self, place: int, taken: set[int]) -> Chosen:
        taken.add(place)
        cost, unit = self._cost(place), self.units[place]
        new_names = self._names[place] - self.covered.names
        self.covered.names |= new_names
        self.covered.words |= self._words[place]
        self._labelled.add((unit.index, unit.label, unit.kind))
        return Chosen(place, cost, tuple(sorted(new_names)))

    def _value_at_most(self, place: int) -> float:
        """Return a value that no count of the unit exceeds by much; most are never counted."""
        return self._gain(place) / (1 + len(self.units[place].text) / _MOST_CHARACTERS)

    def _value(self, place: int) -> float:
        """Return what a unit adds per token."""
        return self._gain(place) / self._cost(place)

    def _gain(self, place: int) -> float:
        unit = self.units[place]
        new_names = len(self._names[place] - self.covered.names)
        if unit.kind is UnitKind.PERSON:
            new_words = self._words[place] - self.covered.words
            words = sum(_word_weight(word) / self.spread[word] for word in new_words)
            return (_DEMANDED if has_modal_word(unit.text) else _SAID) * (new_names + words)
        if unit.kind is UnitKind.MODEL:
            return _WRITTEN * new_names + _MODEL_LINE
        if unit.kind is UnitKind.PASTED:
            return _WRITTEN * new_names + _OTHER_LINE
        return new_names + _OTHER_LINE

    def _cost(self, place: int) -> float:
        unit = self.units[place]
        is_labelled = (unit.index, unit.label, unit.kind) in self._labelled
        needs_label = unit.kind is not UnitKind.PERSON and not is_labelled
        cost = self._costs[place]
        if cost is None:
            cost = self._costs[place] = max(1, self.count(unit.text))
        return cost + (self.label_cost if needs_label else 0)


def _word_weight(word: str) -> float:
    has_mark = word[1:] != word[1:].lower() or any(map(str.isdigit, word))
    return _MARKED_WORD if has_mark else _WORD
