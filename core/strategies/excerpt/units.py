"""The units that excerpts are made of: sentences of the person, lines of all else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.facts.name_patterns import names_of
from core.facts.sentences import (
    authored_prose,
    authored_text,
    block_texts,
    clean_text,
    plain_text,
    sentences,
    tool_row,
)
from core.transcript.model import Message, MessageFlag, Speaker

MAX_LINE = 300
"""Characters of a line; the rest of a longer one is mostly data."""
WHOLE_PARAGRAPH = 120
"""Characters of a paragraph of the person that stays whole: the reason stays with its rule."""
_TALK_FROM, _WORK_BELOW = 0.9, 0.5  # shares of prose in what was said and done
_SAID_SHARE = 0.15
"""Of the room in work; with 30 % a session whose person pasted a plan keeps 15 points less at a
tenth of the size, with 100 % two points less over all."""
_PROSE_SHARE = 0.7  # of letters and blanks in a line of prose
_WORD = re.compile(r"\w{2,}")
_DIGITS = re.compile(r"\d+")
_SAYS_SOMETHING = re.compile(r"\w{3}")
_NOT_TYPED = MessageFlag.META | MessageFlag.CONTEXT

HEADING = "Excerpts: history, no orders."
"""First line of the message; a heading of 120 characters costs ten points of the planted
statements at a tenth of the size."""
GAP = "…"
_LABEL = re.compile(r"#\d+ (pasted|model|other)")
_SHARED = re.compile(r"(?:[A-Z][A-Z]+ ?){1,3}:")


class UnitKind(IntEnum):
    """Who wrote a unit."""

    PERSON = 0
    PASTED = 1
    MODEL = 2
    OTHER = 3


@dataclass(frozen=True, slots=True)
class ExcerptUnit:
    """A sentence or line of the message ``index``; ``label`` is the number and the speaker that an
    earlier run gave it, "" for a message of this history."""

    index: int
    kind: UnitKind
    text: str
    label: str = ""

    @property
    def is_prose(self) -> bool:
        letters = sum(map(str.isalpha, self.text)) + self.text.count(" ")
        return letters >= _PROSE_SHARE * len(self.text)

    @property
    def names(self) -> frozenset[str]:
        """The names in it, as they are compared."""
        return names_of(self.text)

    @property
    def words(self) -> frozenset[str]:
        """The words of a sentence of the person; none of a line."""
        is_said = self.kind is UnitKind.PERSON
        return frozenset(_WORD.findall(self.text)) if is_said else frozenset()


def units_of(index: int, message: Message) -> Iterator[ExcerptUnit]:
    """Yield the units of a message; those of an earlier run's excerpts stay what they were."""
    if message.flags & MessageFlag.API_ERROR:
        return
    texts = list(block_texts(message))
    if message.speaker is Speaker.HUMAN:
        is_excerpt = bool(texts) and texts[0].startswith(HEADING)
        yield from (_read_excerpts if is_excerpt else _human_units)(index, message)
        return
    kind = UnitKind.MODEL if message.speaker is Speaker.AI else UnitKind.OTHER
    for text in texts:
        yield from _lines(index, kind, text)


def _human_units(index: int, message: Message) -> Iterator[ExcerptUnit]:
    is_typed = not message.flags & _NOT_TYPED and not tool_row(message)[0]
    said = authored_text(message) if is_typed else ""
    if not said:
        yield from _lines(index, UnitKind.OTHER, "\n".join(block_texts(message)))
        return
    own_lines = set()
    for line in authored_prose(said).splitlines():
        paragraph = line.strip()
        own_lines.add(paragraph)
        if not _SAYS_SOMETHING.search(paragraph):
            continue
        parts = (paragraph,) if len(paragraph) <= WHOLE_PARAGRAPH else sentences(paragraph)
        for part in parts:
            yield ExcerptUnit(index, UnitKind.PERSON, part)
    for unit in _lines(index, UnitKind.PASTED, clean_text(plain_text(message))):
        if unit.text.strip() not in own_lines:
            yield unit


def _lines(index: int, kind: UnitKind, text: str) -> Iterator[ExcerptUnit]:
    for line in text.splitlines():
        if _SAYS_SOMETHING.search(line):
            yield ExcerptUnit(index, kind, line[:MAX_LINE].rstrip())


def share_of_work(history: Sequence[Message], units: Sequence[ExcerptUnit]) -> float:
    """Return 0 for talk, 1 for work, by how much of the characters is prose of person or model."""
    said_and_done = [unit for unit in units if history[unit.index].speaker is not Speaker.SYSTEM]
    total = sum(len(unit.text) for unit in said_and_done)
    prose = sum(len(unit.text) for unit in said_and_done if _is_prose_of_talk(unit))
    share = prose / total if total else 1.0
    return min(1.0, max(0.0, (_TALK_FROM - share) / (_TALK_FROM - _WORK_BELOW)))


def _is_prose_of_talk(unit: ExcerptUnit) -> bool:
    return unit.kind is not UnitKind.OTHER and unit.is_prose


def said_share(work: float) -> float:
    """Return the share of the room that the person's sentences may take before all else is
    there."""
    return _SAID_SHARE + (1 - _SAID_SHARE) * (1 - work)


def last_of_each(units: Sequence[ExcerptUnit]) -> list[ExcerptUnit]:
    """Return the units without those that a later one repeats; of the person's, numbers aside:
    what was said again with another number is what holds."""
    last = {_key(unit): place for place, unit in enumerate(units)}
    return [units[place] for place in sorted(last.values())]


def _key(unit: ExcerptUnit) -> tuple[bool, str]:
    is_said = unit.kind is UnitKind.PERSON
    return is_said, _DIGITS.sub("0", unit.text) if is_said else unit.text


def excerpts_text(
    units: Sequence[ExcerptUnit], places: Sequence[int], numbers: Sequence[int]
) -> str:
    """Return the chosen units as one text: the person's words, then lines by message. ``places``
    are positions in ``units``, ascending; ``numbers`` are those of the messages, from 1."""
    said = [units[place].text for place in places if units[place].kind is UnitKind.PERSON]
    lines = [HEADING, *_with_shared_labels(said)]
    label, last = "", -1
    for place in places:
        unit = units[place]
        if unit.kind is UnitKind.PERSON:
            continue
        own = unit.label or f"#{numbers[unit.index]} {unit.kind.name.lower()}"
        if own != label:
            lines.append(own)
        elif place != last + 1:
            lines.append(GAP)
        lines.append(unit.text)
        label, last = own, place
    return "\n".join(lines)


def _with_shared_labels(said: Sequence[str]) -> Iterator[str]:
    """Yield the sentences; those with one label ("RULE: …") stand under it, after a blank."""
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


def _read_excerpts(index: int, message: Message) -> Iterator[ExcerptUnit]:
    kind, label, shared = UnitKind.PERSON, "", ""
    for line in plain_text(message).splitlines()[1:]:
        if match := _LABEL.fullmatch(line):
            kind, label = UnitKind[match[1].upper()], line
        elif kind is not UnitKind.PERSON:
            if line != GAP:
                yield ExcerptUnit(index, kind, line, label)
        elif _SHARED.fullmatch(line):
            shared = line
        else:
            shared = shared if line.startswith(" ") else ""
            yield ExcerptUnit(index, kind, f"{shared}{line}")
