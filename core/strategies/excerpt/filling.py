"""Fills a room with excerpts of a history, counted as they are written, so that it is met to the
token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.common.excerpts import one_line_text
from core.facts.extract import open_facts
from core.facts.model import Fact, FactKind
from core.facts.sentences import block_texts, searchable_text, sentences
from core.llm.chat_messages import human_text
from core.strategies.excerpt.choice import Chooser, Chosen, word_spread
from core.strategies.excerpt.units import (
    MAX_LINE,
    ExcerptUnit,
    UnitKind,
    excerpts_text,
    kind_of,
    last_of_each,
    share_of_work,
    units_of,
)
from core.transcript.model import Message, Progress, no_progress

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
        text="\n".join(texts) if request.within_lines else "",
    )

    def written(chosen: Sequence[Chosen]) -> Message:
        places = sorted(one.place for one in chosen)
        return human_text(excerpts_text(units, places, request.numbers))

    used = request.count(written(()))
    chosen = list(
        chooser.first(_first_places(read, units), min(room - used, _FIRST_SHARE * size))
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
    lines = [(units[one.place], one.names) for one in sorted(chosen)]
    return Excerpts(written(chosen), lines, [units[one.place] for one in chosen])


def _missing(request: FillRequest, texts: Sequence[str]) -> Iterator[ExcerptUnit]:
    """Yield the units that do not stand, of the person's only the sentences that do not."""
    whole = "\n".join(texts)
    lines = {line[:MAX_LINE].strip() for line in whole.splitlines()}
    added = [unit for unit in request.read.first if not _stands(unit, whole)]
    for unit in (*request.read.units, *added):
        if unit.index in request.left_out or unit.text.strip() in lines:
            continue
        if unit.kind is not UnitKind.PERSON or not request.within_lines:
            yield unit
            continue
        parts = list(sentences(unit.text))
        missing = [part for part in parts if part not in whole]
        if missing == parts:
            yield unit
        elif missing:
            yield replace(unit, text=" ".join(missing))


def _stands(first: ExcerptUnit, whole: str) -> bool:
    """Return whether what comes first ("to-do: …") stands in its own words."""
    label, _, words = first.text.partition(": ")
    return label in _OPEN_KINDS and words.rstrip("…") in whole


def _first_places(read: ReadHistory, units: Sequence[ExcerptUnit]) -> list[int]:
    """Return the places of what comes first, in its order, then of what the focus names."""
    places = {unit.text: place for place, unit in enumerate(units)}
    first = [places[unit.text] for unit in read.first if unit.text in places]
    for place, unit in enumerate(units if read.focus else ()):
        text = unit.text.lower()
        if any(word in text for word in read.focus):
            first.append(place)
    return list(dict.fromkeys(first))
