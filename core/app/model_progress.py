"""Progress of a model's run for the after pane: text, rounds, calls of tools, cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.cost.run_cost import RunCostEstimate, run_cost
from core.common import number_format
from core.common.number_format import dollar_text
from core.common.redaction.redact import find_secrets
from core.formats.writing.secret_list import SecretLocation, secret_lines, secret_locations_in
from core.llm.chat_messages import flatten_request, request_messages
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    CallStarted,
    ModelEvent,
    RequestLightened,
    TextReceived,
    ToolUsed,
)
from core.llm.tool_client import chat_messages
from core.presentation.model import LabelledFigure
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.preview.options import Preview
from core.preview.run_requests import RunRequests
from core.settings.keys import RETRIES
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.strategies.hybrid.agent_mode import MAX_ROUNDS
from core.transcript.model import Message, Thinking

_SHOWN = 40_000
"""Characters of a growing text that are sent to the window: its end."""

_EVERY = 0.1
"""Seconds between two updates of a growing text."""


@dataclass(slots=True)
class ModelRunProgress:
    """Progress of a run, kept up to date by its events.

    ``budget`` are the tokens that all its answers together may have, ``calls`` how many answers are expected;
    ``rounds`` says that they are the rounds of an agent.
    """

    profile: Profile
    budget: int
    emit: Callable[[SummaryProgress], None]
    calls: int = 1
    rounds: bool = False
    started: float = field(default_factory=time.monotonic)
    _call: int = 0
    _sent: int = 0
    _before: int = 0  # tokens received in the calls before this one
    _received: int = 0
    _text: str = ""
    _log: list[str] = field(default_factory=list)
    _news: str = ""
    _paid: float | None = 0.0
    _last: float = 0.0

    def handle(self, event: ModelEvent) -> None:
        """Take in an event. At most ten updates a second are sent for text, other events at once."""
        match event:
            case CallStarted():
                self._start(event)
            case TextReceived():
                self._text, self._received = event.text, event.tokens
            case CallRetrying():
                self._news = f"Try {event.attempt}: the one before ended with {event.cause}"
            case RequestLightened():
                self._news = event.text
            case CallFinished():
                self._finish(event)
            case ToolUsed():
                self._log.append(f"Round {event.step.round} · {event.step.tool}: {event.step.effect}")
        if not isinstance(event, TextReceived) or time.monotonic() - self._last >= _EVERY:
            self.show()

    def _start(self, event: CallStarted) -> None:
        self._sent += event.tokens
        if event.attempt == 1 or not self._call:
            self._call += 1
            self._before, self._received = self._before + self._received, 0
            self._text = "" if self._call > 1 else self._text

    def _finish(self, event: CallFinished) -> None:
        is_known = self._paid is not None and event.cost is not None
        self._paid = (self._paid or 0.0) + (event.cost or 0.0) if is_known else None
        until = "so far" if self._call < self.calls else "in all"
        self._news = "" if self._paid is None else f"{dollar_text(self._paid)} {until}"
        if self.rounds and self._text:
            self._log.append(self._text)
            self._text = ""

    def tick(self) -> None:
        """Send an update where there was none for a second, so that the elapsed time moves."""
        if time.monotonic() - self._last >= 1:
            self.show()

    def show(self, *, over: bool = False) -> None:
        self._last = time.monotonic()
        seconds = f"{self._last - self.started:.0f} s"
        received = self._before + self._received
        tokens = (
            f"≈{number_format.count(self._sent)} tokens sent · "
            f"≈{number_format.count(received)} of at most {number_format.count(self.budget)} received"
        )
        facts = (tokens, self._news) if self._news else (tokens,)
        text = "\n".join((*self._log, *filter(None, (self._text,))))[-_SHOWN:]
        self.emit(SummaryProgress(self._title(), seconds, facts, text, self._fraction(received), over))

    def _title(self) -> str:
        name, number = self.profile.name, max(1, self._call)
        if self.rounds:
            return f"{name} works with tools, round {number} of at most {self.calls}"
        if self.calls > 1:
            return f"{name} writes summary {number} of {max(number, self.calls)}"
        return f"{name} writes the summary"

    def _fraction(self, received: int) -> float:
        """Return the share of tokens for one answer, of finished answers for several."""
        if self.calls > 1:
            return min(1.0, max(0, self._call - 1) / self.calls)
        return min(1.0, received / max(1, self.budget))


def confirmation_question(requests: RunRequests, profile: Profile, inputs: Sequence[int]) -> CallQuestion:
    """Return the question before the first call of a paid profile; ``inputs`` are the source messages."""
    bill, address = run_cost(requests, profile), profile.base_url or profile.provider
    cost = bill.price
    known = f"≈ {dollar_text(cost.input)} + at most {dollar_text(cost.output)}"
    if requests.agent is not None:
        known = f"at most {dollar_text(cost.total)} in {MAX_ROUNDS} rounds"
    secrets = sum(len(find_secrets(text)) for text in _texts(requests))
    found = LabelledFigure(
        "Secrets found in the text", str(secrets) if secrets else "none", "warn" if secrets else "ok"
    )
    return CallQuestion(
        f"Call {profile.name} for the first time?",
        f"{_sent_words(requests, bill)} to {address} as {profile.model}. "
        f"At most {number_format.count(bill.received)} tokens come back. Asked once per profile.",
        (LabelledFigure("Price", known if cost.known else "– (model not in the table)"), found),
        f"Call {profile.name}",
        "Use offline",
        secrets=secret_lines(secret_locations(requests, inputs)) if secrets else (),
    )


def secret_locations(requests: RunRequests, inputs: Sequence[int]) -> tuple[SecretLocation, ...]:
    """Return the secrets that are sent, with their message; 0 for text that is not from the source."""
    if requests.agent is not None:
        return secret_locations_in((0, message) for message in requests.agent.messages)
    return secret_locations_in(
        (inputs[part.index] + 1 if part.kind == "history" else 0, _without_thinking(part.message))
        for request in requests.requests
        for part in request_messages(request)
    )


def _without_thinking(message: Message) -> Message:
    return replace(message, blocks=tuple(one for one in message.blocks if not isinstance(one, Thinking)))


def _sent_words(requests: RunRequests, bill: RunCostEstimate) -> str:
    """Return what leaves the machine, as the beginning of a sentence."""
    sent = number_format.count(bill.sent)
    if requests.agent is not None:
        return (
            "The model works with four tools, in up to "
            f"{MAX_ROUNDS} rounds: messages, their sizes and beginnings (at most ≈{sent} tokens in all) go"
        )
    count = number_format.plural(sum(len(one.messages) for one in requests.requests), "message")
    calls = f" in {bill.calls} requests" if bill.calls > 1 else ""
    return f"{count} (≈{sent} tokens) go{calls}"


def _texts(requests: RunRequests) -> list[str]:
    if requests.agent is not None:
        return [
            message["content"] or ""
            for message in chat_messages(requests.agent.system, requests.agent.messages)
        ]
    return [message["content"] for request in requests.requests for message in flatten_request(request)]


def picture_of(
    requests: RunRequests, profile: Profile, emit: Callable[[SummaryProgress], None]
) -> ModelRunProgress:
    bill = run_cost(requests, profile)
    most = bill.received if requests.agent else sum(one.max_tokens for one in requests.requests)
    return ModelRunProgress(profile, most, emit, calls=max(1, bill.calls), rounds=requests.agent is not None)


def configured_retries(made: Preview) -> int:
    """Return how often a failed call is repeated; the reference never repeats one."""
    return made.values.integer(RETRIES) if made.mode is Mode.SAFE else 0
