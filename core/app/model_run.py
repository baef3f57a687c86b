"""A model works on a history: what it can cost, what is asked before, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.analysis.cost.run_cost import RunCostEstimate, run_cost
from core.app.model_progress import ModelRunProgress
from core.common import number_format
from core.common.number_format import dollar_text
from core.common.redaction.redact import find_secrets
from core.formats.writing.secret_list import SecretLocation, secret_lines, secret_locations_in
from core.llm.chat_messages import flatten_request, request_messages
from core.llm.tool_client import chat_messages
from core.presentation.model import LabelledFigure
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.preview.options import Preview
from core.preview.run_requests import RunRequests
from core.settings.keys import RETRIES
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.strategies.hybrid.agent_mode import ROUNDS
from core.transcript.model import Message, Thinking


def confirmation_question(asks: RunRequests, profile: Profile, inputs: Sequence[int]) -> CallQuestion:
    """What a person is asked before the first call of a paid profile; ``inputs`` are the source messages that
    the strategy was given."""
    bill, where = run_cost(asks, profile), profile.base_url or profile.provider
    cost = bill.price
    known = f"≈ {dollar_text(cost.input)} + at most {dollar_text(cost.output)}"
    if asks.agent is not None:
        known = f"at most {dollar_text(cost.total)} in {ROUNDS} rounds"
    secrets = sum(len(find_secrets(text)) for text in _texts(asks))
    found = LabelledFigure(
        "Secrets found in the text", str(secrets) if secrets else "none", "warn" if secrets else "ok"
    )
    return CallQuestion(
        f"Call {profile.name} for the first time?",
        f"{_goes(asks, bill)} to {where} as {profile.model}. "
        f"At most {number_format.count(bill.received)} tokens come back. Asked once per profile.",
        (LabelledFigure("Price", known if cost.known else "– (model not in the table)"), found),
        f"Call {profile.name}",
        "Use offline",
        found=secret_lines(secret_locations(asks, inputs)) if secrets else (),
    )


def secret_locations(asks: RunRequests, inputs: Sequence[int]) -> tuple[SecretLocation, ...]:
    """The secrets that go out, and where they stand in the source; what is not from it has no number."""
    if asks.agent is not None:
        return secret_locations_in((0, message) for message in asks.agent.messages)
    return secret_locations_in(
        (inputs[part.index] + 1 if part.kind == "history" else 0, _without_thinking(part.message))
        for request in asks.requests
        for part in request_messages(request)
    )


def _without_thinking(message: Message) -> Message:
    """A message as it goes to a model."""
    return replace(message, blocks=tuple(one for one in message.blocks if not isinstance(one, Thinking)))


def _goes(asks: RunRequests, bill: RunCostEstimate) -> str:
    """What leaves the machine, as the beginning of a sentence."""
    sent = number_format.count(bill.sent)
    if asks.agent is not None:
        return (
            "The model works with four tools, in up to "
            f"{ROUNDS} rounds: messages, their sizes and beginnings (at most ≈{sent} tokens in all) go"
        )
    count = number_format.plural(sum(len(one.messages) for one in asks.requests), "message")
    requests = f" in {bill.calls} requests" if bill.calls > 1 else ""
    return f"{count} (≈{sent} tokens) go{requests}"


def _texts(asks: RunRequests) -> list[str]:
    """Every text that goes out, as it goes out."""
    if asks.agent is not None:
        return [message["content"] or "" for message in chat_messages(asks.agent.system, asks.agent.messages)]
    return [message["content"] for request in asks.requests for message in flatten_request(request)]


def picture_of(
    asks: RunRequests, profile: Profile, emit: Callable[[SummaryProgress], None]
) -> ModelRunProgress:
    """The picture of a run that is about to begin."""
    bill = run_cost(asks, profile)
    most = bill.received if asks.agent else sum(one.max_tokens for one in asks.requests)
    return ModelRunProgress(profile, most, emit, calls=max(1, bill.calls), rounds=asks.agent is not None)


def configured_retries(made: Preview) -> int:
    """How often a failed call is repeated; the reference never repeats one."""
    return made.values.whole(RETRIES) if made.mode is Mode.SAFE else 0
