"""Excerpts of a history: their units (sentences of the person, lines of all else), the choice of
those that add most, and texts that meet a room to the token."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from core.common.excerpts import one_line_text
from core.facts.extract import open_facts
from core.facts.model import Fact, FactKind
from core.facts.name_patterns import names_of
from core.facts.sentences import (
    authored_prose,
    authored_text,
    block_texts,
    clean_text,
    has_modal_word,
    plain_text,
    searchable_text,
    sentences,
    tool_row,
)
from core.llm.protocol import human_text
from core.transcript.compaction import Compaction
from core.transcript.model import Message, MessageFlag, Progress, Speaker, no_progress

HEADING = "Excerpts: history, no orders."
"""First line of the message; a heading of 120 characters costs ten points of the planted
statements at a tenth of the size."""
GAP = "…"
MAX_LINE = 300
"""Characters of a line; the rest of a longer one is mostly data."""
_WHOLE_PARAGRAPH = 120
"""Characters of a paragraph of the person that stays whole, the reason with its rule; with 300
five points of planted statements less."""
_TALK_FROM, _WORK_BELOW = 0.9, 0.5  # shares of what person and model say
_LEAST_WRAPPED, _SENTENCE_ENDS = 40, ".!?:;"
"""Characters from which a line may be a part of a wrapped sentence, and what ends one."""
_DIGITS = re.compile(r"\d+")
_SAYS_SOMETHING = re.compile(r"\w{3}")
_NOT_TYPED = MessageFlag.META | MessageFlag.CONTEXT
_LABEL_LINE = re.compile(r"#\d+ (input|pasted|model|other)")
_FORMER_INPUT = "pasted"
"""The label of input in excerpts of earlier versions."""
_SHARED = re.compile(r"(?:[A-Z][A-Z]+ ?){1,3}:")


class UnitKind(StrEnum):
    """Who wrote a unit."""

    PERSON = "person"
    INPUT = "input"  # code, logs and quotations in a message of the person
    MODEL = "model"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ExcerptUnit:
    """A sentence or line of the message ``index``."""

    index: int
    kind: UnitKind
    text: str


def kind_of(speaker: Speaker) -> UnitKind:
    """Return what a line of a message is that no person typed."""
    return UnitKind.MODEL if speaker is Speaker.AI else UnitKind.OTHER


def units_of(index: int, message: Message) -> Iterator[ExcerptUnit]:
    """Yield the units of a message; those of an earlier run's excerpts stay what they were."""
    if message.flags & MessageFlag.API_ERROR:
        return
    texts = list(block_texts(message))
    if message.speaker is not Speaker.HUMAN:
        for text in texts:
            yield from _lines(index, kind_of(message.speaker), text)
    elif texts and texts[0].startswith(HEADING):
        yield from _units_of_excerpts(index, texts[0])
    else:
        yield from _human_units(index, message)


def _human_units(index: int, message: Message) -> Iterator[ExcerptUnit]:
    is_typed = not message.flags & _NOT_TYPED and not tool_row(message)[0]
    if is_typed:
        said = authored_text(message)
    else:
        said = ""
    if not said:
        yield from _lines(index, UnitKind.OTHER, "\n".join(block_texts(message)))
        return
    lines = [line.strip() for line in authored_prose(said).splitlines()]
    paragraphs = dict.fromkeys(_unwrapped(lines))
    for paragraph in filter(_SAYS_SOMETHING.search, paragraphs):
        is_short = len(paragraph) <= _WHOLE_PARAGRAPH
        for part in (paragraph,) if is_short else sentences(paragraph):
            yield ExcerptUnit(index, UnitKind.PERSON, part)
    typed = set(lines)
    for unit in _lines(index, UnitKind.INPUT, clean_text(plain_text(message))):
        if unit.text.strip() not in typed:
            yield unit


def _unwrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the person; those into which an editor wrapped a sentence are one again."""
    paragraph, last = "", ""
    for line in lines:
        goes_on = len(last) >= _LEAST_WRAPPED and last[-1] not in _SENTENCE_ENDS
        if goes_on and line[:1].islower():
            paragraph += f" {line}"
        else:
            if paragraph:
                yield paragraph
            paragraph = line
        last = line
    if paragraph:
        yield paragraph


def _lines(index: int, kind: UnitKind, text: str) -> Iterator[ExcerptUnit]:
    for line in text.splitlines():
        if _SAYS_SOMETHING.search(line):
            yield ExcerptUnit(index, kind, line[:MAX_LINE].rstrip())


def _units_of_excerpts(index: int, text: str) -> Iterator[ExcerptUnit]:
    kind, shared = UnitKind.PERSON, ""
    for line in text.splitlines()[1:]:
        is_said = kind is UnitKind.PERSON
        if match := _LABEL_LINE.fullmatch(line):
            is_former = match[1] == _FORMER_INPUT
            kind = UnitKind.INPUT if is_former else UnitKind(match[1])
        elif is_said and _SHARED.fullmatch(line):
            shared = line
        elif line != GAP:
            yield ExcerptUnit(
                index, kind, f"{shared}{line}" if is_said and line[0] == " " else line
            )


def share_of_work(history: Sequence[Message], units: Iterable[ExcerptUnit]) -> float:
    """Return 0 for talk, 1 for work, by how much of the characters person and model said."""
    total = said = 0
    for unit in units:
        if history[unit.index].speaker is not Speaker.SYSTEM:
            total += len(unit.text)
            said += len(unit.text) if unit.kind is not UnitKind.OTHER else 0
    if total:
        share = said / total
    else:
        share = 1.0
    return min(1.0, max(0.0, (_TALK_FROM - share) / (_TALK_FROM - _WORK_BELOW)))


def last_of_each(units: Sequence[ExcerptUnit]) -> list[ExcerptUnit]:
    """Return the units without those that a later one repeats; of the person's, numbers aside:
    what was said again with another number is what holds."""
    last = {_key(unit): unit_index for unit_index, unit in enumerate(units)}
    return [units[unit_index] for unit_index in sorted(last.values())]


def _key(unit: ExcerptUnit) -> tuple[bool, str]:
    is_said = unit.kind is UnitKind.PERSON
    return is_said, _DIGITS.sub("0", unit.text) if is_said else unit.text


def excerpts_text(
    units: Sequence[ExcerptUnit], unit_indices: Sequence[int], numbers: Sequence[int]
) -> str:
    """Return the chosen units as one text: the person's words, then lines by message.
    ``unit_indices`` ascend; ``numbers`` are those of the messages, from 1."""
    said = [
        units[unit_index].text
        for unit_index in unit_indices
        if units[unit_index].kind is UnitKind.PERSON
    ]
    lines = [HEADING, *_with_shared_labels(said)]
    label, last = "", -1
    for unit_index in unit_indices:
        unit = units[unit_index]
        if unit.kind is UnitKind.PERSON:
            continue
        own = f"#{numbers[unit.index]} {unit.kind}"
        if own != label:
            lines.append(own)
        elif unit_index != last + 1:
            lines.append(GAP)
        lines.append(unit.text)
        label, last = own, unit_index
    return "\n".join(lines)


def _with_shared_labels(said: Sequence[str]) -> Iterator[str]:
    """Yield the sentences; those with one label ("RULE: …") stand under it, after a blank. Eight
    points of planted statements at 20 %."""
    by_label: dict[str, list[str]] = {}
    for text in said:
        match = _SHARED.match(text)
        by_label.setdefault(match[0] if match else "", []).append(text)
    for label, texts in by_label.items():
        if not label or len(texts) == 1:
            yield from texts
            continue
        yield label
        yield from (text.removeprefix(label) for text in texts)


# Chooses units by what each adds: greedy choice for budgeted maximum coverage (Lin and Bilmes
# 2011), evaluated lazily (Minoux 1978). Points in comments are means of 10, 20 and 30 % of the
# size on the half of the corpus that rules are chosen on, or of planted statements at 20 %.


_SAID, _DEMANDED = 4.0, 6.0
"""Of the person's sentences, and those with a modal word; no point on the corpus, two of planted
statements."""
_NAME = {UnitKind.INPUT: 3.0, UnitKind.MODEL: 3.0, UnitKind.OTHER: 1.0}
"""Of names; with 1 for all two to eight points less."""
_LINE = {UnitKind.INPUT: 3.0, UnitKind.MODEL: 3.0, UnitKind.OTHER: 0.3}
"""Of a line without new names; with 0.3 for all two points more of needed names, and one to two
less of lines written again and of surroundings; with 0 for others two less of needed names."""
_WORD, _MARKED_WORD = 0.3, 2.0
"""The person's words, those with a digit or an inner capital; alike, no point on the corpus, five
of planted statements."""
_SAMPLE_LABEL = "#1000 model"
_LABEL_SIZE = 18
"""Characters that such a label above the first line of a message is worth, as digits are dear;
without it two points less of lines written again."""
_EACH = 20
"""Characters that any line costs; with 5 two points less of names. A sentence of the person costs
its length alone: with this above, three to ten points less of statements said in passing."""
_SMALLEST = 6  # tokens; no line that says something has less
_MOST_TOO_LARGE = 100  # units in a round; below it the time is linear
_WORDS = re.compile(r"\w{2,}")
_NO_WORDS = frozenset[str]()


class Chosen(NamedTuple):
    """A chosen unit by its index, the names that it states first, and what it adds in all,
    without end for what comes first."""

    unit_index: int
    names: tuple[str, ...]
    gain: float


class Chooser:
    """Units, and the names and the person's words that stand already or are chosen. ``spread``
    says in how many messages of the person a word stands, ``count`` counts the tokens of a line;
    ``said_room`` is what the person's sentences may take before all else is there. Nothing is
    chosen that stands in ``text``, which has one blank between its words."""

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
        self._label = count(_SAMPLE_LABEL)
        self._gap = count(GAP)
        self._spread = spread
        # Of a million lines tuples take a quarter of the memory of sets.
        self._names = [tuple(names_of(unit.text)) for unit in units]
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

    def first(self, unit_indices: Iterable[int], room: float) -> Iterator[Chosen]:
        """Yield units in this order, as far as there is room in tokens."""
        for unit_index in unit_indices:
            cost = self._tokens(unit_index)
            if cost <= room:
                room -= cost
                yield self._take(unit_index)._replace(gain=math.inf)

    def best(self, room: float) -> Iterator[Chosen]:
        """Yield the unit that adds most by its length, and again, until no room is left."""
        if not self._heap:
            self._heap = [
                (-self._value(unit_index), unit_index)
                for unit_index in range(len(self._units))
            ]
            heapq.heapify(self._heap)
        too_large: list[int] = []
        while room >= _SMALLEST and len(too_large) < _MOST_TOO_LARGE:
            unit_index = self._next()
            if unit_index is None:
                break
            cost = self._tokens(unit_index)
            if cost > room:
                too_large.append(unit_index)
                continue
            room -= cost
            yield self._take(unit_index)
        for unit_index in too_large:  # there may be more room once the text is counted
            heapq.heappush(self._heap, (-self._value(unit_index), unit_index))

    def _next(self) -> int | None:
        """Return the index of the unit that adds most; None where nothing adds anything."""
        while self._heap:
            _, unit_index = heapq.heappop(self._heap)
            if unit_index in self._taken:
                value = 0.0
            else:
                value = self._value(unit_index)
            if value <= 0:
                continue
            if self._heap and value < -self._heap[0][0]:
                heapq.heappush(self._heap, (-value, unit_index))
            elif self._is_held_back(unit_index):
                self._held_back.append(unit_index)
            elif not self._text or not self._stands(unit_index):
                return unit_index
        if self._held_back:
            return self._held_back.pop(0)
        return None

    def _stands(self, unit_index: int) -> bool:
        return _spaced_once(self._units[unit_index].text) in self._text

    def _is_held_back(self, unit_index: int) -> bool:
        """Return whether a sentence waits; never one that is all that a message says, which no
        pasted plan is: no point on the corpus, 65 of our planted statements at 10 %."""
        unit = self._units[unit_index]
        if unit.kind is not UnitKind.PERSON or self._said[unit.index] == 1:
            return False
        return self._tokens(unit_index) > self._said_room

    def _take(self, unit_index: int) -> Chosen:
        unit = self._units[unit_index]
        new_names = self._new_names(unit_index)
        gain = self._gain(unit_index)
        if unit.kind is UnitKind.PERSON and self._said[unit.index] > 1:
            self._said_room -= self._tokens(unit_index)
        self._taken.add(unit_index)
        self._labelled.add((unit.index, unit.kind))
        self._covered.update(new_names)
        self._covered_words |= self._words[unit_index]
        return Chosen(unit_index, tuple(sorted(new_names)), gain)

    def _tokens(self, unit_index: int) -> int:
        """Return the tokens of a unit with the line above it: the label of its message, or a
        gap."""
        unit = self._units[unit_index]
        if unit.kind is UnitKind.PERSON:
            return self._count(unit.text)
        is_labelled = (unit.index, unit.kind) in self._labelled
        return self._count(unit.text) + (self._gap if is_labelled else self._label)

    def _value(self, unit_index: int) -> float:
        """Return what a unit adds by its length."""
        unit = self._units[unit_index]
        if unit.kind is UnitKind.PERSON:
            return self._gain(unit_index) / len(unit.text)
        is_labelled = (unit.index, unit.kind) in self._labelled
        length = _EACH + len(unit.text) + (0 if is_labelled else _LABEL_SIZE)
        return self._gain(unit_index) / length

    def _new_names(self, unit_index: int) -> list[str]:
        """Return the names of a unit that do not stand yet."""
        return [one for one in self._names[unit_index] if one not in self._covered]

    def _gain(self, unit_index: int) -> float:
        """Return what a unit adds, however long it is."""
        unit = self._units[unit_index]
        new_names = len(self._new_names(unit_index))
        if unit.kind is not UnitKind.PERSON:
            return _NAME[unit.kind] * new_names + _LINE[unit.kind]
        weight = _DEMANDED if has_modal_word(unit.text) else _SAID
        new_words = self._words[unit_index] - self._covered_words
        words = sum(_word_weight(word) / self._spread[word] for word in new_words)
        return weight * (new_names + words)


def word_spread(units: Iterable[ExcerptUnit]) -> Mapping[str, int]:
    """Return in how many messages of the person each word stands."""
    uses = {(unit.index, word) for unit in units for word in _words_of(unit)}
    return Counter(word for _, word in uses)


def _words_of(unit: ExcerptUnit) -> frozenset[str]:
    """Return the words of a sentence of the person; none of a line."""
    if unit.kind is not UnitKind.PERSON:
        return _NO_WORDS  # a large session has a million lines, and each empty set takes memory
    return frozenset(_WORDS.findall(unit.text))


def _word_weight(word: str) -> float:
    has_mark = word[1:] != word[1:].lower() or any(map(str.isdigit, word))
    return _MARKED_WORD if has_mark else _WORD


# Fills a room with excerpts of a history, counted as they are written, so that it is met to the
# token.


_FIRST_SHARE = 0.10  # of the size, for what comes first
_SAID_SHARE = 0.15
"""Of the size, for the person's sentences in work; with 30 % a session whose person pasted a plan
keeps 15 points less at a tenth of the size, with 100 % two points less over all."""
_ROUNDS = 4
"""Lines count less in a text than each for itself: what is left is filled again."""
_FILLED = 0.99  # of the room; what is left then is not worth another count
_OPEN_KINDS = (FactKind.RUNNING, FactKind.OPEN_ERROR, FactKind.TODO)
_FOCUS_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class ReadHistory:
    """All units of a history, those that come first with what no message has as it is, the words
    of the focus, and the share of work from 0 to 1."""

    units: Sequence[ExcerptUnit]
    first: Sequence[ExcerptUnit]
    focus: frozenset[str]
    work: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FillRequest:
    """A history, the messages that stand beside its excerpts, and the room in tokens; shares are
    taken of ``size``. ``count`` counts a message, ``numbers`` are those of the messages, from 1.
    Nothing is taken of the messages ``left_out``; with ``within_lines`` nothing either that stands
    inside a longer line, which takes a search of all texts for each."""

    read: ReadHistory
    standing: Sequence[Message]
    room: int
    size: int
    count: Callable[[Message], int]
    numbers: Sequence[int]
    left_out: frozenset[int] = frozenset()
    within_lines: bool = False
    max_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The excerpt message, and the units that it holds with the names that each states first;
    ``order`` has the most useful units first. No message where nothing fits."""

    message: Message | None = None
    lines: Sequence[tuple[ExcerptUnit, tuple[str, ...]]] = ()
    order: Sequence[ExcerptUnit] = ()


def read_history(
    history: Sequence[Message],
    progress: Progress = no_progress,
    focus: str = "",
    musts: Sequence[str] = (),
) -> ReadHistory:
    units: list[ExcerptUnit] = []
    for index, message in enumerate(history):
        progress(index / len(history), "Looking for lines")
        units += units_of(index, message)
    first = [unit for text in musts if (unit := _must_unit(history, text))]
    first += map(_open_unit, open_facts(history, progress))
    words = frozenset(word.lower() for word in _FOCUS_WORD.findall(focus))
    return ReadHistory(units, first, words, share_of_work(history, units))


def _must_unit(history: Sequence[Message], text: str) -> ExcerptUnit | None:
    """Return a text as a unit of the last message that has it word for word; None for none."""
    for index in range(len(history) - 1, -1, -1):
        if text in searchable_text(history[index]):
            return ExcerptUnit(
                index, kind_of(history[index].speaker), " ".join(text.split())
            )
    return None


def _open_unit(fact: Fact) -> ExcerptUnit:
    if fact.kind is FactKind.RUNNING:
        about = f" ({fact.detail})"
    else:
        about = ""
    text = one_line_text(f"{fact.kind}: {fact.text}{about}", MAX_LINE)
    return ExcerptUnit(max(0, fact.last), UnitKind.OTHER, text)


def fill_with_excerpts(request: FillRequest) -> Excerpts:
    """Return the excerpts of what does not stand, as many as the room holds."""
    read, size, room = request.read, request.size, request.room
    texts = [text for message in request.standing for text in block_texts(message)]
    units = last_of_each(list(_missing(request, texts)))
    empty = request.count(human_text(""))
    chooser = Chooser(
        units,
        texts,
        spread=word_spread(read.units),
        count=lambda line: request.count(human_text(line)) - empty + 1,
        said_room=(_SAID_SHARE + (1 - _SAID_SHARE) * (1 - read.work)) * size,
        text=_spaced_once("\n".join(texts)) if request.within_lines else "",
    )

    def written(chosen: Sequence[Chosen]) -> Message:
        unit_indices = sorted(one.unit_index for one in chosen)
        return human_text(excerpts_text(units, unit_indices, request.numbers))

    used = request.count(written(()))
    chosen = list(
        chooser.first(
            _first_unit_indices(read, units), min(room - used, _FIRST_SHARE * size)
        )
    )
    for _ in range(_ROUNDS):
        if request.max_lines is None:
            lines_left = None
        else:
            lines_left = request.max_lines - len(chosen)
        chosen += islice(chooser.best(room - used), lines_left)
        used = request.count(written(chosen))
        while chosen and used > room:
            del chosen[int(len(chosen) * room / used) :]
            used = request.count(written(chosen))
        if used >= _FILLED * room:
            break
    if not chosen:
        return Excerpts()
    lines = [(units[one.unit_index], one.names) for one in sorted(chosen)]
    most_useful = sorted(chosen, key=lambda one: _use(one, units), reverse=True)
    return Excerpts(
        written(chosen), lines, [units[one.unit_index] for one in most_useful]
    )


def _use(chosen: Chosen, units: Sequence[ExcerptUnit]) -> tuple[float, int]:
    """Return how useful a chosen line is to a reader: what it adds, then how much it says."""
    return chosen.gain, len(units[chosen.unit_index].text)


def _missing(request: FillRequest, texts: Sequence[str]) -> Iterator[ExcerptUnit]:
    """Yield the units that do not stand, of the person's only the sentences that do not."""
    whole = "\n".join(texts)
    lines = {line[:MAX_LINE].strip() for line in whole.splitlines()}
    words = _spaced_once(whole)
    added = [unit for unit in request.read.first if not _stands(unit, whole)]
    for unit in (*request.read.units, *added):
        if unit.index in request.left_out or unit.text.strip() in lines:
            continue
        is_divided = unit.kind is UnitKind.PERSON and request.within_lines
        if not is_divided:
            yield unit
            continue
        parts = list(sentences(unit.text))
        missing = [part for part in parts if _spaced_once(part) not in words]
        # A unit that is missing whole keeps its line breaks.
        if missing == parts:
            yield unit
        elif missing:
            yield replace(unit, text=" ".join(missing))


def _spaced_once(text: str) -> str:
    """Return a text with one blank between its words: a unit of the person is unwrapped, and what
    it was taken from may be wrapped and aligned."""
    return " ".join(text.split())


def _stands(first: ExcerptUnit, whole: str) -> bool:
    """Return whether what comes first ("to-do: …") stands in its own words."""
    label, _, words = first.text.partition(": ")
    return label in _OPEN_KINDS and words.rstrip("…") in whole


def _first_unit_indices(read: ReadHistory, units: Sequence[ExcerptUnit]) -> list[int]:
    """Return the units that come first, in their order, then those that the focus names."""
    unit_indices = {unit.text: unit_index for unit_index, unit in enumerate(units)}
    first = [
        unit_indices[unit.text] for unit in read.first if unit.text in unit_indices
    ]
    for unit_index, unit in enumerate(units if read.focus else ()):
        text = unit.text.lower()
        if any(word in text for word in read.focus):
            first.append(unit_index)
    return list(dict.fromkeys(first))


# The supplement: what a summary lacks of the messages that it stands for, as excerpts.


TOKENS = 1_500
"""Size of a supplement; with 1,500 tokens beside it, a recorded summary held 60 % of what came next
in place of 37 %."""
PUT_BACK_LINES = 40
"""Lines that are offered to be put back into a result."""


@dataclass(frozen=True, slots=True)
class Supplement:
    """A message of excerpts, its tokens and its lines, the most useful first; no message where
    nothing is missing."""

    message: Message | None = None
    tokens: int = 0
    lines: tuple[ExcerptUnit, ...] = ()

    @property
    def text(self) -> str:
        if self.message is None:
            return ""
        return plain_text(self.message)


def supplement(
    messages: Sequence[Message],
    context: Sequence[Message],
    count: Callable[[Message], int],
    *,
    max_tokens: int = TOKENS,
    max_lines: int | None = None,
    progress: Progress = no_progress,
) -> Supplement:
    """Return what ``context`` lacks of ``messages``, in at most so many tokens and lines."""
    found = fill_with_excerpts(
        FillRequest(
            read=read_history(messages, progress),
            standing=context,
            room=max_tokens,
            size=max_tokens,
            count=count,
            numbers=range(1, len(messages) + 1),
            within_lines=True,
            max_lines=max_lines,
        )
    )
    if found.message is None:
        return Supplement()
    return Supplement(found.message, count(found.message), tuple(found.order))


def chosen_lines(
    lines: Sequence[ExcerptUnit],
    messages: Sequence[Message],
    context: Sequence[Message],
    count: Callable[[Message], int],
) -> Supplement:
    """Return these lines of ``messages``, without those that stand in ``context``."""
    texts = (text for message in context for text in block_texts(message))
    standing = _spaced_once("\n".join(texts))
    missing = [unit for unit in lines if _spaced_once(unit.text) not in standing]
    if not missing:
        return Supplement()
    missing.sort(key=lambda unit: unit.index)
    numbers = range(1, len(messages) + 1)
    message = human_text(excerpts_text(missing, range(len(missing)), numbers))
    return Supplement(message, count(message), tuple(missing))


def with_supplement(run: Compaction, supplement: Supplement) -> Compaction:
    """Return the run with the excerpts behind its summary, or in front without one."""
    if supplement.message is None:
        return run
    index = max(run.inserted, default=-1) + 1
    return replace(
        run,
        messages=(
            *run.messages[:index],
            supplement.message,
            *run.messages[index:],
        ),
        origins=(*run.origins[:index], (), *run.origins[index:]),
        inserted=frozenset((*run.inserted, index)),
        metadata=replace(run.metadata, compressed_message_count=len(run.messages) + 1),
    )
