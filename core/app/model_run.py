"""A model works on a history: what it can cost, what is asked before, and how it is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.app.model_progress import ModelRunProgress, dollars
from core.common import number_format
from core.common.redaction.redact import find_secrets
from core.formats.writing.secret_list import SecretLocation, lines, places
from core.llm.client import IsCancelled, Watch
from core.llm.pricing import NO_PRICE, CallPrice, max_output, model_name, price, request_tokens
from core.llm.tool_client import MOST_OUTPUT, LLMToolModel, chat
from core.presentation.model import LabelledFigure
from core.presentation.prompts.request import AgentRoundRequest, RunRequests, run_asks
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.preview.options import Preview
from core.preview.preview import prompt_of, prompts_of
from core.settings.keys import RETRIES, SUMMARY_TOKENS
from core.settings.profiles import Profile
from core.strategies.base import Mode, Summariser, ToolModel
from core.strategies.hybrid.agent_mode import PROMPT, ROUNDS, is_agent, most_sent, rough_first
from core.summarize.chat_messages import flatten
from core.summarize.model_summarizer import LLMSummariser
from core.summarize.summarizer_choice import Choose
from core.summarize.summary_request import budget, parts
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import FateKind
from core.transcript.model import Message, Thinking

ChooseAgent = Callable[[str | None], ToolModel]
"""Gives the model with tools of a profile; None means the active one."""


@dataclass(frozen=True, slots=True)
class RunCostEstimate:
    """What a run can be at most: answers, tokens sent and received, and their price."""

    calls: int
    sent: int
    received: int
    price: CallPrice

    @property
    def words(self) -> str:
        """The most it can cost, for a line of text."""
        return f"at most {dollars(self.price.total)}" if self.price.known else "price unknown"


def asks_of(
    made: Preview,
    profile: Profile,
    counter: TokenCounter,
    focus: str,
    tried: Mapping[str, str] | None = None,
) -> RunRequests:
    """All that a run of a preview with a profile would ask its model, with prompts that are ``tried``."""
    return run_asks(made, prompts_of(made.strategy, profile, made.mode, tried), counter, focus)


def bill_of(asks: RunRequests, profile: Profile) -> RunCostEstimate:
    """The most that a run can cost, with every retry left out."""
    if asks.agent is not None:
        return agent_bill(_talk_tokens(asks.agent, profile), profile)
    requests = asks.requests
    sizes = [
        (
            request_tokens(one, profile.model),
            min(max_output(profile, one.most_output), one.most_output or one.max_tokens),
        )
        for one in requests
    ]
    sent, received = (sum(part) for part in zip(*sizes, strict=True)) if sizes else (0, 0)
    whole = sum((price(*size, model_name(profile)) for size in sizes), price(0, 0, model_name(profile)))
    return RunCostEstimate(len(requests), sent, received, whole)


def _talk_tokens(talk: AgentRoundRequest, profile: Profile) -> int:
    """Tokens of a round as it goes out: texts, calls and definitions."""
    sent = chat(talk.system, talk.messages)
    return counter_for(profile.model).text(json.dumps([*sent, *talk.tools], ensure_ascii=False))


def agent_bill(first: int, profile: Profile) -> RunCostEstimate:
    """The most that one run of an agent can cost, whose ``first`` round sends so many tokens."""
    output = max_output(profile, MOST_OUTPUT)
    rounds = most_sent(first, output)
    whole = sum((price(sent, output, model_name(profile)) for sent in rounds), NO_PRICE)
    return RunCostEstimate(ROUNDS, sum(rounds), ROUNDS * output, whole)


def rough_price(made: Preview, counter: TokenCounter) -> CallPrice:
    """The most that a compact can cost, from the counts at hand; the requests themselves are not made."""
    profile = made.writer
    if is_agent(made.strategy, made.values):
        prompt = counter.text(prompts_of(made.strategy, profile, made.mode)[PROMPT])
        return agent_bill(rough_first(len(made.messages), prompt), profile).price
    goes = sum(
        count
        for count, fate in zip(made.counts, made.compaction.fates, strict=True)
        if fate.kind is FateKind.SUMMARISED
    )
    calls = max(1, len(made.compaction.budgets))
    prompt = calls * counter.text(prompt_of(made.strategy, profile, made.mode))
    most = sum(made.compaction.budgets.values()) or budget(made.values.whole(SUMMARY_TOKENS), goes)
    share = price(
        -(-(goes + prompt) // calls), min(max_output(profile), -(-most // calls)), model_name(profile)
    )
    return sum((share for _ in range(calls)), NO_PRICE)


def question(asks: RunRequests, profile: Profile, inputs: Sequence[int]) -> CallQuestion:
    """What a person is asked before the first call of a paid profile; ``inputs`` are the source messages that
    the strategy was given."""
    bill, where = bill_of(asks, profile), profile.base_url or profile.provider
    cost = bill.price
    known = f"≈ {dollars(cost.input)} + at most {dollars(cost.output)}"
    if asks.agent is not None:
        known = f"at most {dollars(cost.total)} in {ROUNDS} rounds"
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
        found=lines(places_of(asks, inputs)) if secrets else (),
    )


def places_of(asks: RunRequests, inputs: Sequence[int]) -> tuple[SecretLocation, ...]:
    """The secrets that go out, and where they stand in the source; what is not from it has no number."""
    if asks.agent is not None:
        return places((0, message) for message in asks.agent.messages)
    return places(
        (inputs[part.index] + 1 if part.kind == "history" else 0, _without_thinking(part.message))
        for request in asks.requests
        for part in parts(request)
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
        return [message["content"] or "" for message in chat(asks.agent.system, asks.agent.messages)]
    return [message["content"] for request in asks.requests for message in flatten(request)]


def picture_of(
    asks: RunRequests, profile: Profile, emit: Callable[[SummaryProgress], None]
) -> ModelRunProgress:
    """The picture of a run that is about to begin."""
    bill = bill_of(asks, profile)
    most = bill.received if asks.agent else sum(one.max_tokens for one in asks.requests)
    return ModelRunProgress(profile, most, emit, calls=max(1, bill.calls), rounds=asks.agent is not None)


def caller(
    profile: Profile, key: str, retries: int, watch: Watch, cancelled: IsCancelled
) -> tuple[Choose, ChooseAgent]:
    """Gives the summariser and the model with tools that call the profile's model with a key."""

    def choose(name: str | None) -> Summariser:
        return LLMSummariser(profile, key, retries=retries, watch=watch, cancelled=cancelled)

    def agent(name: str | None) -> ToolModel:
        return LLMToolModel(profile, key, retries=retries, watch=watch, cancelled=cancelled)

    return choose, agent


def retries_of(made: Preview) -> int:
    """How often a failed call is repeated; the reference never repeats one."""
    return made.values.whole(RETRIES) if made.mode is Mode.SAFE else 0
