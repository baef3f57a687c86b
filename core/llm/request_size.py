"""Sizes of a conversation's requests: its counts, calibrated on the sizes that its file reports."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.llm.catalog import choose_model
from core.tokens.calibration import (
    CalibratedTokenCounter,
    Calibration,
    CalibrationFit,
    ReportedRequest,
    calibrate,
    family_factor,
    message_size,
    model_family,
    reported_part,
)
from core.tokens.counter import CountMethod, TokenCounter
from core.tokens.recorded_compactions import RecordedHistory
from core.transcript.model import (
    CarriedSizes,
    Conversation,
    Message,
    MessageFlag,
)
from core.transcript.scopes import ALL, CURRENT, History, history_of_scope, scope_end

_NO_CALIBRATION = Calibration(CalibrationFit(1.0))


@dataclass(frozen=True, slots=True)
class RequestSizing:
    """Converts counts of one view into request sizes. ``hidden`` are tokens of the next request
    that neither messages nor the shown system prompt account for; below 0 where the agent dropped
    more than it hides, 0 if unknown. ``reporting_model`` is the reporting model, where sizes are
    for another."""

    factor: float = 1.0
    hidden: int = 0
    calibration: Calibration = _NO_CALIBRATION
    method: CountMethod | None = None
    reporting_model: str = ""

    @property
    def is_reported(self) -> bool:
        """Return whether sizes are calibrated on reports, not plain estimates."""
        return self.calibration.source in ("reports", "export")

    @property
    def reported_hidden(self) -> int:
        """Return the hidden tokens as reports prove them; 0 where they are not known."""
        if self.is_reported:
            return max(0, self.hidden)
        return 0

    def sizes(self, messages: Sequence[Message], counts: array[int]) -> array[int]:
        if self.method is None:
            return counts
        pairs = zip(messages, counts, strict=True)
        return array(
            "q", (message_size(message, count, self.factor) for message, count in pairs)
        )

    def counter(self, raw: TokenCounter) -> TokenCounter:
        if self.method is None:
            return raw
        return CalibratedTokenCounter(raw, self.factor, self.method)


UNCALIBRATED = RequestSizing()  # uncalibrated counts


def _carried_hidden(
    carried: CarriedSizes, counter: CalibratedTokenCounter, conversation: Conversation
) -> int | None:
    if carried.overhead is None:
        return None
    return carried.overhead - counter.system(conversation.system)


def _requests_until(
    end: int, conversation: Conversation, raw: TokenCounter
) -> list[ReportedRequest]:
    return [
        request
        for request in reported_requests(conversation, raw)
        if request.number < end
    ]


def request_sizing(
    conversation: Conversation, raw: TokenCounter, scope: str, model: str
) -> RequestSizing:
    """Return the sizing of a view of a conversation, from the requests up to the view's end.
    ``raw`` counts for ``model``; if that is not the conversation's, its family's factor applies,
    and the hidden tokens are kept."""
    conversation_model = choose_model(conversation)
    end, _ = scope_end(conversation, scope)
    requests = _requests_until(end, conversation, raw)
    carried = _carried_in(conversation, requests, end)
    if carried:
        calibration = _carried_calibration(carried, requests)
    else:
        calibration = calibrate(requests, family_factor(conversation_model))
    factor = calibration.fit.factor
    if carried is None or any(
        request.number >= carried.messages for request in requests
    ):
        hidden = _hidden_tokens(conversation, raw, scope, calibration, requests)
    else:
        hidden = _carried_hidden(
            carried, CalibratedTokenCounter(raw, factor, raw.method), conversation
        )
    if model != conversation_model:
        return _for_other_model(raw, model, conversation_model, hidden, calibration)
    is_uncalibrated = not requests and carried is None and factor == 1.0
    if is_uncalibrated:
        return UNCALIBRATED
    return RequestSizing(
        factor,
        hidden or 0,
        calibration,
        _method(raw.method, model, calibration, hidden),
    )


def _carried_in(
    conversation: Conversation, requests: Sequence[ReportedRequest], end: int
) -> CarriedSizes | None:
    """Return what an export carries, if it is of the model that answers and is all before message
    ``end``."""
    carried = conversation.carried
    if carried is None or carried.messages > end:
        return None
    models = {one.model for one in requests if one.number >= carried.messages} - {
        carried.model,
        "",
    }
    return None if carried.model and models else carried


def _carried_calibration(
    carried: CarriedSizes, requests: Sequence[ReportedRequest]
) -> Calibration:
    """Return what an export carries, until the agent has reported enough requests of its own after
    it."""
    later = [request for request in requests if request.number >= carried.messages]
    earlier = calibrate(requests[: len(requests) - len(later)]).segments
    own = calibrate(later, carried.factor)
    if own.source == "reports":
        return Calibration(own.fit, (*earlier, *own.segments), own.source)
    fit = CalibrationFit(
        carried.factor, carried.overhead, carried.requests, carried.error
    )
    source = "family" if carried.error is None else "export"
    return Calibration(fit, (*earlier, *own.segments), source)


def result_overhead(system_tokens: int, sizing: RequestSizing) -> int:
    """Return the tokens of a request with a result that are in no message. What the agent dropped
    from the messages of the source is never taken off a result: it goes with those messages."""
    return system_tokens + max(0, sizing.hidden)


def exported_sizes(
    sizing: RequestSizing,
    tokens: int,
    system_tokens: int,
    model: str,
    *,
    is_changed: bool,
) -> tuple[CarriedSizes | None, int | None]:
    """Return what an export of messages of ``tokens`` carries, so that the file says the sizes of
    this view, None for uncalibrated counts, and the size of its next request; None for sizes of a
    model that is not the file's. ``is_changed``: a compaction is exported."""
    overhead = system_tokens + sizing.hidden
    if is_changed:
        overhead = result_overhead(system_tokens, sizing)
    if sizing.reporting_model:
        return None, None
    if sizing.method is None:
        return None, tokens + overhead
    fit = sizing.calibration.fit
    carried = CarriedSizes(
        factor=fit.factor,
        overhead=overhead if sizing.is_reported or sizing.hidden else None,
        requests=fit.requests,
        error=fit.error,
        model=model,
    )
    return carried, tokens + overhead


def next_request_tokens(
    conversation: Conversation, raw: TokenCounter, sizing: RequestSizing
) -> int:
    """Return the tokens of the next request: current messages, system prompt, tools, hidden
    tokens."""
    counter = sizing.counter(raw)
    message_tokens = counter.messages(history_of_scope(conversation, CURRENT).messages)
    return message_tokens + counter.system(conversation.system) + sizing.hidden


def reported_requests(
    conversation: Conversation, raw: TokenCounter
) -> Iterator[ReportedRequest]:
    """Yield the reported requests in order, each with our count of its part of the file."""
    if not conversation.usage:
        return
    contexts = [
        RecordedHistory(conversation=conversation, counter=counter)
        for counter in (_SentCounter(raw), _ReportedCounter(raw))
    ]
    compactions = list(conversation.recorded)
    system = raw.system(conversation.system)
    for usage in sorted(conversation.usage, key=lambda usage: usage.message_index):
        compacted = False
        while compactions and compactions[0].boundary <= usage.message_index:
            compaction = compactions.pop(0)
            for context in contexts:
                context.advance_to(compaction.boundary)
                context.compact(compaction)
            compacted = True
        for context in contexts:
            context.advance_to(usage.message_index)
        counted = contexts[0].tokens + system
        unscaled = contexts[1].tokens
        yield ReportedRequest(
            counted,
            usage.context,
            usage.model,
            compacted,
            usage.message_index,
            unscaled,
        )


class _SentCounter(TokenCounter):
    """Counts only what is sent: provider errors are shown to the user, but never sent."""

    def __init__(self, raw: TokenCounter) -> None:
        super().__init__(raw.method)
        self._raw = raw

    def message(self, message: Message) -> int:
        if message.flags & MessageFlag.API_ERROR:
            return 0
        return self._raw.message(message)


class _ReportedCounter(TokenCounter):
    """Counts only what the provider reported for content that cannot be read."""

    def __init__(self, raw: TokenCounter) -> None:
        super().__init__(raw.method)

    def message(self, message: Message) -> int:
        if message.flags & MessageFlag.API_ERROR:
            return 0
        return reported_part(message)


def _messages_from(history: History, number: int) -> Iterator[Message]:
    """Yield the messages after a request; errors of the API are not sent again."""
    for index, message in zip(history.indices, history.messages, strict=True):
        if index >= number and not message.flags & MessageFlag.API_ERROR:
            yield message


def _hidden_tokens(
    conversation: Conversation,
    raw: TokenCounter,
    scope: str,
    calibration: Calibration,
    requests: Sequence[ReportedRequest],
) -> int | None:
    """Return the next request without its shown part; None where neither a fit nor a report
    exists."""
    history = history_of_scope(conversation, CURRENT if scope == ALL else scope)
    counter = CalibratedTokenCounter(raw, calibration.fit.factor, raw.method)
    shown_tokens = counter.messages(history.messages) + counter.system(
        conversation.system
    )
    last, (_, recorded) = (
        requests[-1] if requests else None,
        scope_end(conversation, scope),
    )
    if last is not None and not any(entry.boundary > last.number for entry in recorded):
        unsent_messages = _messages_from(history, last.number)
        hidden = last.reported + counter.messages(unsent_messages) - shown_tokens
        return hidden if hidden >= 0 or calibration.source == "reports" else None
    unsent = counter.messages(
        entry for entry in history.messages if entry.flags & MessageFlag.API_ERROR
    )
    if calibration.fit.hidden is None:
        return None
    return calibration.fit.hidden - unsent


def _for_other_model(
    raw: TokenCounter,
    model: str,
    conversation_model: str,
    hidden: int | None,
    calibration: Calibration,
) -> RequestSizing:
    factor = family_factor(model)
    kept_calibration = Calibration(CalibrationFit(factor, hidden), calibration.segments)
    if factor == 1.0 and not hidden:
        return UNCALIBRATED
    label = f"{raw.method.label} × {factor:.2f} for {model}"
    if hidden:
        with_hidden = f"{label} + {hidden:,} hidden, as {conversation_model or 'its model'} had them"
    else:
        with_hidden = label
    return RequestSizing(
        factor,
        hidden or 0,
        kept_calibration,
        CountMethod("≈", with_hidden, raw.method.encoding),
        conversation_model,
    )


def _method(
    raw: CountMethod, model: str, calibration: Calibration, hidden: int | None
) -> CountMethod:
    """Return the counting method with a label that explains it."""
    fit = calibration.fit
    name = raw.encoding or "4 characters per token"
    if calibration.source == "reports" and fit.error is not None:
        label = (
            f"{name} × {fit.factor:.2f} + {max(0, hidden or 0):,} hidden, from {fit.requests} requests; "
            f"typical error {fit.error * 100:.1f} %"
        )
        return CountMethod("≈", label, raw.encoding)
    if calibration.source == "export":
        label = (
            f"{name} × {fit.factor:.2f} + {max(0, hidden or 0):,} hidden, as calibrated before "
            f"the export"
        )
        return CountMethod("≈", label, raw.encoding)
    family = model_family(model)
    if family is None:
        return CountMethod(raw.mark if hidden is None else "≈", raw.label, raw.encoding)
    return CountMethod(
        "≈",
        f"{name} × {fit.factor:.2f}, as measured for {family.name}; hidden tokens unknown",
        raw.encoding,
    )
