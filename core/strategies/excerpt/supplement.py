"""The supplement: what a summary lacks of the messages that it stands for, as excerpts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.facts.sentences import block_texts, plain_text
from core.llm.chat_messages import human_text
from core.strategies.excerpt.filling import (
    FillRequest,
    fill_with_excerpts,
    read_history,
)
from core.strategies.excerpt.units import ExcerptUnit, excerpts_text
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress, no_progress

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
    standing = "\n".join(text for message in context for text in block_texts(message))
    missing = [unit for unit in lines if unit.text.strip() not in standing]
    if not missing:
        return Supplement()
    missing.sort(key=lambda unit: unit.index)
    numbers = range(1, len(messages) + 1)
    message = human_text(excerpts_text(missing, range(len(missing)), numbers))
    return Supplement(message, count(message), tuple(missing))


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
