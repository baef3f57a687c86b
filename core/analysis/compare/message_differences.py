"""Shows two lists of messages as the before and after of a preview."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace

from core.analysis.compare.side_by_side import align_side_by_side, side_by_side_preview
from core.preview.options import Preview
from core.tokens.counter import TokenCounter
from core.transcript.model import Message
from core.transcript.scopes import History
from core.transcript.tool_pairs import find_pairs

DIFFERENCES_SCOPE = "beside:"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """Messages with a label: "one-shot", "middle-out at turn 117"."""

    name: str
    messages: tuple[Message, ...]


def differences_preview(
    base: Preview, before: ComparedSide, after: ComparedSide, counter: TokenCounter, number: int
) -> Preview:
    """Return a preview from ``before`` to ``after``, aligned by message identity. Settings, window and system
    prompt are those of ``base``. ``number`` makes its scope unique, so that no cache confuses it with
    another."""
    history = History(f"{DIFFERENCES_SCOPE}{number}", before.messages, (-1,) * len(before.messages))
    counts = array("q", map(counter.message, before.messages))
    source = replace(
        base, history=history, counts=counts, before_tokens=sum(counts), pairs=find_pairs(before.messages)
    )
    return side_by_side_preview(source, align_side_by_side(history, after.messages, after.name), counter)
