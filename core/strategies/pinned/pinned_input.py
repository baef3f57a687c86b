"""The context of a pinned-hybrid run: target, protected messages, pins, and token sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.facts.sentences import authored_text, tool_row
from core.llm.chat_messages import human_text
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft
from core.strategies.presets.split import is_typed
from core.strategies.tool_work import ToolWork
from core.transcript.model import Message
from core.transcript.pins import PinKind, pinned_indices
from core.transcript.tool_pairs import BlockPlace, Pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedInput:
    """The context of one run. ``unchangeable`` are the source messages that no stage may change,
    with the reason; ``dropped`` those that are dropped first; ``refused_pins`` sentences about pins
    that cannot be obeyed."""

    context: StrategyContext
    target: int
    pairs: Pairs
    unchangeable: Mapping[int, str]
    dropped: frozenset[int]
    refused_pins: tuple[str, ...] = ()
    recurring: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Names that the history uses again and again, best first, with the messages that use them."""
    work: Mapping[BlockPlace, ToolWork] = field(default_factory=dict)
    """The work behind each tool result of the draft in which the stages begin."""
    sizes: dict[int, tuple[Message, int]] = field(default_factory=dict)
    """Messages with their tokens by identity; holding the messages keeps their ids valid."""

    def tokens(self, message: Message) -> int:
        known = self.sizes.get(id(message))
        if known is None:
            known = self.sizes[id(message)] = message, self.context.estimate_tokens((message,))
        return known[1]

    def total(self, draft: HistoryDraft) -> int:
        return sum(self.tokens(entry.message) for entry in draft.entries)

    def text_tokens(self, text: str) -> int:
        return self.context.estimate_tokens((human_text(text),))


PIN_REASON = "A pin keeps it whole."
PARTNER_REASON = "A pin keeps the message that it forms a pair with."
LAST_REQUEST_REASON = "The last request of the person always stays."


def pinned_input(context: StrategyContext, target: int) -> PinnedInput:
    """Return the context of a run; pins extend to messages that share a pair with pinned ones."""
    history, pairs = context.history, context.pairs
    pinned, drops = (
        pinned_indices(context.pins, PinKind.KEEP),
        pinned_indices(context.pins, PinKind.DROP),
    )
    requests = (index for index in range(len(history) - 1, -1, -1) if is_request(history[index]))
    last_request = set(islice(requests, 1))
    unchangeable = (
        dict.fromkeys(_with_linked_messages(last_request, pairs), LAST_REQUEST_REASON)
        | dict.fromkeys(_with_linked_messages(pinned, pairs), PARTNER_REASON)
        | dict.fromkeys(sorted(pinned), PIN_REASON)
    )
    dropped: set[int] = set()
    refused: list[str] = []
    for index in sorted(drops):
        linked = _with_linked_messages({index}, pairs)
        reasons = [
            unchangeable[member] for member in (index, *sorted(linked)) if member in unchangeable
        ]
        if reasons:
            reason = reasons[0][0].lower() + reasons[0][1:]
            refused.append(f"{context.span(index, index + 1)} is not dropped: {reason}")
        else:
            dropped |= linked
    return PinnedInput(
        context=context,
        target=target,
        pairs=pairs,
        unchangeable=unchangeable,
        dropped=frozenset(dropped),
        refused_pins=tuple(refused),
    )


def is_request(message: Message) -> bool:
    """Return whether the user typed the message; a tool result sent in their name does not
    count."""
    return is_typed(message) and (not tool_row(message)[0] or bool(authored_text(message)))


def _with_linked_messages(indices: Iterable[int], pairs: Pairs) -> set[int]:
    """Return messages with all that share pairs with them, directly or through others."""
    linked: set[int] = set()
    waiting = list(indices)
    while waiting:
        index = waiting.pop()
        if index not in linked:
            linked.add(index)
            waiting += pairs.partners.get(index, ())
    return linked
