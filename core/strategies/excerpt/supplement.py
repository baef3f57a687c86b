"""The supplement: what a summary lacks of the messages that it stands for, as excerpts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.facts.sentences import block_texts, plain_text, sentences
from core.llm.chat_messages import human_text
from core.strategies.excerpt.choice import Coverage
from core.strategies.excerpt.filling import FillRequest, fill_with_excerpts
from core.strategies.excerpt.first import FIRST_SHARE, first_units
from core.strategies.excerpt.units import (
    ExcerptUnit,
    UnitKind,
    excerpts_text,
    said_share,
    share_of_work,
    units_of,
)
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress, no_progress

TOKENS = 1_500
"""Size of a supplement; with 1,500 tokens beside it, a recorded summary held 60 % of what came next
in place of 37 %."""


@dataclass(frozen=True, slots=True)
class Supplement:
    """A message of excerpts, its tokens and its lines, the most useful first; no message where
    nothing is missing."""

    message: Message | None = None
    tokens: int = 0
    lines: tuple[ExcerptUnit, ...] = ()

    @property
    def text(self) -> str:
        return "" if self.message is None else plain_text(self.message)


PUT_BACK_LINES = 40
"""Lines that are offered to be put back into a result."""


def with_supplement(run: Compaction, found: Supplement) -> Compaction:
    """Return the run with the excerpts behind its summary, or in front without one."""
    if found.message is None:
        return run
    place = max(run.inserted, default=-1) + 1
    return replace(
        run,
        messages=(*run.messages[:place], found.message, *run.messages[place:]),
        origins=(*run.origins[:place], (), *run.origins[place:]),
        inserted=frozenset((*run.inserted, place)),
        metadata=replace(run.metadata, compressed_message_count=len(run.messages) + 1),
    )


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
    units: list[ExcerptUnit] = []
    covered = Coverage()
    standing = "\n".join(text for message in context for text in block_texts(message))
    covered.add(standing)
    for index, message in enumerate(messages):
        progress(index / len(messages), "Looking for lines")
        units += units_of(index, message)
    first = first_units(messages, progress=progress)
    added = [unit for unit in first.added if not _stands(unit, standing)]
    missing = list(filter(None, (_missing(unit, standing) for unit in (*units, *added))))
    work = share_of_work(messages, units)
    found = fill_with_excerpts(
        FillRequest(
            units=missing,
            covered=covered,
            room=max_tokens,
            count=count,
            numbers=range(1, len(messages) + 1),
            said_room=said_share(work) * max_tokens,
            first_room=FIRST_SHARE * max_tokens,
            comes_first=first.rank,
            max_units=max_lines,
        )
    )
    if found.message is None:
        return Supplement()
    lines = tuple(found.units[one.place] for one in found.order)
    return Supplement(found.message, count(found.message), lines)


def chosen_lines(
    lines: Sequence[ExcerptUnit],
    messages: Sequence[Message],
    context: Sequence[Message],
    count: Callable[[Message], int],
) -> Supplement:
    """Return these lines of ``messages``, without those that stand in ``context``."""
    standing = "\n".join(text for message in context for text in block_texts(message))
    missing = [unit for unit in lines if unit.text.strip() not in standing]
    if not missing:
        return Supplement()
    missing.sort(key=lambda unit: unit.index)
    numbers = range(1, len(messages) + 1)
    message = human_text(excerpts_text(missing, range(len(missing)), numbers))
    return Supplement(message, count(message), tuple(missing))


def _stands(added: ExcerptUnit, standing: str) -> bool:
    """Return whether what an added unit names ("to-do: …") stands in its own words."""
    _, _, words = added.text.partition(": ")
    return words.rstrip("…") in standing


def _missing(unit: ExcerptUnit, standing: str) -> ExcerptUnit | None:
    """Return the unit, of the person's only the sentences that do not stand; None where all do."""
    if unit.text.strip() in standing:
        return None
    if unit.kind is not UnitKind.PERSON:
        return unit
    parts = [part for part in sentences(unit.text) if part not in standing]
    return replace(unit, text=" ".join(parts)) if parts else None
