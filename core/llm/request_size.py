"""How large requests of a conversation are: its counts, calibrated on what its file reports."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.llm.catalog import choose_model
from core.tokens.calibrated_counter import CalibratedTokenCounter, message_size
from core.tokens.calibration import Calibration, CalibrationFit, ReportedRequest, calibrate
from core.tokens.counter import CountMethod, TokenCounter
from core.tokens.family_factors import family_factor, family_of
from core.tokens.recorded_compactions import RecordedContext
from core.transcript.model import Conversation, Message, MessageFlag, RecordedCompaction
from core.transcript.scopes import ALL, BEFORE, CURRENT, history_of_scope

_NOTHING = Calibration(CalibrationFit(1.0))


@dataclass(frozen=True, slots=True)
class RequestSizing:
    """What makes figures of the counts of one view. ``hidden``: tokens of the next request that neither its
    messages nor the shown system prompt account for; below 0 where the agent dropped more than it hides, 0
    where nothing is known of it. ``kept_from`` is the model that reported, where figures are for another."""

    factor: float = 1.0
    hidden: int = 0
    calibration: Calibration = _NOTHING
    method: CountMethod | None = None
    kept_from: str = ""

    @property
    def is_reported(self) -> bool:
        """True where the figures are calibrated on reports, False where they are a plain estimate."""
        return self.calibration.source == "reports"

    def sizes(self, messages: Sequence[Message], counts: array[int]) -> array[int]:
        """The figures of messages that were counted."""
        if self.method is None:
            return counts
        pairs = zip(messages, counts, strict=True)
        return array("q", (message_size(message, count, self.factor) for message, count in pairs))

    def counter(self, raw: TokenCounter) -> TokenCounter:
        """The counter that gives figures."""
        return raw if self.method is None else CalibratedTokenCounter(raw, self.factor, self.method)


PLAIN = RequestSizing()
"""Counts as they are."""


def sizing_of(conversation: Conversation, raw: TokenCounter, scope: str, model: str) -> RequestSizing:
    """The sizing of a view of a conversation: by the requests up to the view's end only.

    ``raw`` counts for ``model``; where that is another than the conversation's, its family's factor counts,
    and the hidden tokens are kept.
    """
    own = choose_model(conversation)
    end, _ = _seen(conversation, scope)
    requests = [one for one in requests_of(conversation, raw) if one.number < end]
    made = calibrate(requests, family_factor(own))
    factor = made.fit.factor
    hidden = _hidden(conversation, raw, scope, made, requests)
    if model != own:
        return _for_other(raw, model, own, hidden, made)
    if not requests and factor == 1.0:
        return PLAIN
    return RequestSizing(factor, hidden or 0, made, _method(raw.method, model, made, hidden))


def next_size(conversation: Conversation, raw: TokenCounter, sizing: RequestSizing) -> int:
    """Tokens of the request that comes next, by the sizing of the current scope: what is current of the
    conversation, the shown system prompt and tools, and what is hidden."""
    counter = sizing.counter(raw)
    shown = counter.messages(history_of_scope(conversation, CURRENT).messages)
    return shown + counter.system(conversation.system) + sizing.hidden


def requests_of(conversation: Conversation, raw: TokenCounter) -> Iterator[ReportedRequest]:
    """The reported requests in order, each with our count of what it held of the file."""
    if not conversation.usage:
        return
    context = RecordedContext(conversation, _SentCounter(raw))
    waiting, system = list(conversation.recorded), raw.system(conversation.system)
    for usage in sorted(conversation.usage, key=lambda usage: usage.answer):
        begins = False
        while waiting and waiting[0].position <= usage.answer:
            one = waiting.pop(0)
            context.go_to(one.position)
            context.compact(one)
            begins = True
        context.go_to(usage.answer)
        yield ReportedRequest(context.tokens + system, usage.context, usage.model, begins, usage.answer)


class _SentCounter(TokenCounter):
    """Counts what is sent: an error of the provider is only shown to the person."""

    def __init__(self, raw: TokenCounter) -> None:
        super().__init__(raw.method)
        self._raw = raw

    def message(self, message: Message) -> int:
        """Tokens of a message, 0 for one that is never sent."""
        return 0 if message.flags & MessageFlag.API_ERROR else self._raw.message(message)


def _seen(conversation: Conversation, scope: str) -> tuple[int, Sequence[RecordedCompaction]]:
    """The message before which a view ends, and the compactions that lie before that."""
    if not scope.startswith(BEFORE):
        return len(conversation.messages), conversation.recorded
    number = int(scope.removeprefix(BEFORE))
    return conversation.recorded[number - 1].position, conversation.recorded[: number - 1]


def _hidden(
    conversation: Conversation,
    raw: TokenCounter,
    scope: str,
    made: Calibration,
    requests: Sequence[ReportedRequest],
) -> int | None:
    """The next request without what is shown of it; None where neither a fit nor a report tells."""
    past = history_of_scope(conversation, CURRENT if scope == ALL else scope)
    figures = CalibratedTokenCounter(raw, made.fit.factor, raw.method)
    shown = figures.messages(past.messages) + figures.system(conversation.system)
    last, (_, recorded) = requests[-1] if requests else None, _seen(conversation, scope)
    if last is not None and not any(one.position > last.number for one in recorded):
        new = (
            message
            for place, message in zip(past.positions, past.messages, strict=True)
            if place >= last.number and not message.flags & MessageFlag.API_ERROR
        )
        hidden = last.reported + figures.messages(new) - shown
        return hidden if hidden >= 0 or made.source == "reports" else None
    unsent = figures.messages(one for one in past.messages if one.flags & MessageFlag.API_ERROR)
    return None if made.fit.hidden is None else made.fit.hidden - unsent


def _for_other(
    raw: TokenCounter, model: str, own: str, hidden: int | None, made: Calibration
) -> RequestSizing:
    factor = family_factor(model)
    kept = Calibration(CalibrationFit(factor, hidden), made.segments)
    if factor == 1.0 and not hidden:
        return PLAIN
    told = f"{raw.method.label} × {factor:.2f} for {model}"
    with_hidden = f"{told} + {hidden:,} hidden, as {own or 'its model'} had them" if hidden else told
    return RequestSizing(factor, hidden or 0, kept, CountMethod("≈", with_hidden, raw.method.encoding), own)


def _method(raw: CountMethod, model: str, made: Calibration, hidden: int | None) -> CountMethod:
    """How a figure came about, in words."""
    fit, name = made.fit, raw.encoding or "4 characters per token"
    if made.source == "reports" and fit.error is not None:
        told = (
            f"{name} × {fit.factor:.2f} + {max(0, hidden or 0):,} hidden, from {fit.requests} requests; "
            f"typical error {fit.error * 100:.1f} %"
        )
        return CountMethod("≈", told, raw.encoding)
    family = family_of(model)
    if family is None:
        return CountMethod(raw.mark if hidden is None else "≈", raw.label, raw.encoding)
    return CountMethod(
        "≈", f"{name} × {fit.factor:.2f}, as measured for {family.name}; hidden tokens unknown", raw.encoding
    )
