"""What the person's pins mean for a run: the messages that stay whole, and those that go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.strategies.base import StrategyContext
from core.transcript.pins import PinKind, pinned_indices
from core.transcript.tool_pairs import Pairs

_PIN = "A pin keeps it whole."
_PARTNER = "A pin keeps the message that it forms a pair with."


@dataclass(frozen=True, slots=True)
class PinnedMessages:
    """Messages that stay with the reason, those that go, and sentences about pins that are not
    obeyed."""

    kept: Mapping[int, str]
    dropped: frozenset[int]
    refused: tuple[str, ...]


def pinned_messages(context: StrategyContext, pairs: Pairs) -> PinnedMessages:
    """Return them; pins extend to messages that share a pair with pinned ones."""
    keeps = pinned_indices(context.pins, PinKind.KEEP)
    kept = dict.fromkeys(_with_linked(keeps, pairs), _PARTNER) | dict.fromkeys(
        sorted(keeps), _PIN
    )
    dropped: set[int] = set()
    refused: list[str] = []
    for index in sorted(pinned_indices(context.pins, PinKind.DROP)):
        linked = _with_linked((index,), pairs)
        reason = next(
            (kept[one] for one in (index, *sorted(linked)) if one in kept), ""
        )
        if reason:
            words = reason[0].lower() + reason[1:]
            refused.append(f"{context.span(index, index + 1)} is not dropped: {words}")
        else:
            dropped |= linked
    return PinnedMessages(kept, frozenset(dropped), tuple(refused))


def _with_linked(indices: Iterable[int], pairs: Pairs) -> set[int]:
    """Return messages with all that share pairs with them, directly or through others."""
    linked: set[int] = set()
    waiting = list(indices)
    while waiting:
        index = waiting.pop()
        if index not in linked:
            linked.add(index)
            waiting += pairs.partners.get(index, ())
    return linked
