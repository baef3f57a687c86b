"""What a model's run on a history costs, the question before it, and its progress."""

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
from core.strategies.hybrid.agent_mode import MAX_ROUNDS
from core.transcript.model import Message, Thinking


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
