"""The units that excerpts are made of: sentences of the person, lines of all else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
_DIGITS = re.compile(r"\d+")
_SAYS_SOMETHING = re.compile(r"\w{3}")
_NOT_TYPED = MessageFlag.META | MessageFlag.CONTEXT
_LABEL = re.compile(r"#\d+ (pasted|model|other)")
_SHARED = re.compile(r"(?:[A-Z][A-Z]+ ?){1,3}:")


class UnitKind(StrEnum):
    """Who wrote a unit."""

    PERSON = "person"
    PASTED = "pasted"
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
    paragraphs = {line.strip(): None for line in authored_prose(said).splitlines()}
    for paragraph in filter(_SAYS_SOMETHING.search, paragraphs):
        is_short = len(paragraph) <= _WHOLE_PARAGRAPH
        for part in (paragraph,) if is_short else sentences(paragraph):
            yield ExcerptUnit(index, UnitKind.PERSON, part)
    for unit in _lines(index, UnitKind.PASTED, clean_text(plain_text(message))):
        if unit.text.strip() not in paragraphs:
            yield unit


def _lines(index: int, kind: UnitKind, text: str) -> Iterator[ExcerptUnit]:
    for line in text.splitlines():
        if _SAYS_SOMETHING.search(line):
            yield ExcerptUnit(index, kind, line[:MAX_LINE].rstrip())


def _units_of_excerpts(index: int, text: str) -> Iterator[ExcerptUnit]:
    kind, shared = UnitKind.PERSON, ""
    for line in text.splitlines()[1:]:
        is_said = kind is UnitKind.PERSON
        if match := _LABEL.fullmatch(line):
            kind = UnitKind(match[1])
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
    said = [
        units[place].text for place in places if units[place].kind is UnitKind.PERSON
    ]
    lines = [HEADING, *_with_shared_labels(said)]
    label, last = "", -1
    for place in places:
        unit = units[place]
        if unit.kind is UnitKind.PERSON:
            continue
        own = f"#{numbers[unit.index]} {unit.kind}"
        if own != label:
            lines.append(own)
        elif place != last + 1:
            lines.append(GAP)
        lines.append(unit.text)
        label, last = own, place
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
