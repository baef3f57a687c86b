"""Two lists of messages as before and after of each other: what one result has and another has not."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace

from core.analysis.compare.side_by_side import align_side_by_side, preview_of
from core.preview.options import Preview
from core.tokens.counter import TokenCounter
from core.transcript.model import Message
from core.transcript.scopes import History
from core.transcript.tool_pairs import find_pairs

SCOPE = "beside:"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """Messages and what they are called: "one-shot", "middle-out at turn 117"."""

    name: str
    messages: tuple[Message, ...]


def side_by_side(
    made: Preview, before: ComparedSide, after: ComparedSide, counter: TokenCounter, number: int
) -> Preview:
    """A preview whose history is ``before`` and whose result is ``after``, aligned by message identity.

    Settings, window and system prompt are those of ``made``. Its scope is one that no file has, made of
    ``number``, so that nothing that is remembered of a scope is mistaken for it.
    """
    past = History(f"{SCOPE}{number}", before.messages, (-1,) * len(before.messages))
    counts = array("q", map(counter.message, before.messages))
    source = replace(
        made, history=past, counts=counts, before_tokens=sum(counts), pairs=find_pairs(before.messages)
    )
    return preview_of(source, align_side_by_side(past, after.messages, after.name), counter)
