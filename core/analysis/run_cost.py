"""Estimates the most that a run with a model can cost, before it starts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.client import MAX_TURN_OUTPUT, chat_messages
from core.llm.pricing import (
    NO_PRICE,
    CallPrice,
    max_output,
    maximum_price,
    needs_consent,
    priced_model,
    request_tokens,
)
from core.preview.options import Preview
from core.preview.summary_requests import AgentRoundRequest, RunRequests
from core.settings.keys import SUMMARY_TOKENS
from core.settings.profile import Profile
from core.strategies.hybrid.agent_mode import PROMPT, estimate_first_round, is_agent, max_round_tokens
from core.summarize.summary_request import summary_budget
from core.tokens.counter import counter_for
from core.transcript.compaction import FateKind


@dataclass(frozen=True, slots=True)
class RunCostEstimate:
    """Upper bounds of calls, tokens and price; without ``needs_consent`` the calls cost nothing."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    price: CallPrice = NO_PRICE
    needs_consent: bool = False

    def __add__(self, other: RunCostEstimate) -> RunCostEstimate:
        price = sum((part.price for part in (self, other) if part.needs_consent), NO_PRICE)
        asks = self.needs_consent or other.needs_consent
        calls, sent = self.calls + other.calls, self.sent + other.sent
        return RunCostEstimate(calls, sent, self.received + other.received, price, asks)

    @property
    def text(self) -> str:
        """The price: "at most $0.40", "nothing to pay" or "price unknown"."""
        if not self.needs_consent or (self.price.known and not self.price.total):
            return "nothing to pay"
        return f"at most {dollar_text(self.price.total)}" if self.price.known else "price unknown"

    def total_text(self, *, rough: bool = False) -> str:
        """Return "12 calls, ≈148,000 tokens to send, at most $0.40"; ``rough``: "about …" of both."""
        cost = self.text.replace("at most", "about") if rough else self.text
        calls = f"{'about ' if rough else ''}{number_format.plural(self.calls, 'call')}"
        return f"{calls}, ≈{number_format.count(self.sent)} tokens to send, {cost}"


def total_cost(estimates: Iterable[RunCostEstimate]) -> RunCostEstimate:
    return sum(estimates, RunCostEstimate())


def run_cost(request_list: RunRequests, profile: Profile) -> RunCostEstimate:
    """Return the most that a run can cost, without retries."""
    if request_list.agent is not None:
        return agent_run_cost(_round_tokens(request_list.agent, profile), profile)
    sizes, counter = [], counter_for(profile.model)
    for request in request_list.requests:
        most_output = max_output(profile, request.max_output_tokens)
        received = min(most_output, request.max_output_tokens or request.max_tokens)
        sizes.append((request_tokens(request, counter), received))
    return cost_of_calls(sizes, profile)


def cost_of_calls(sizes: Sequence[tuple[int, int]], profile: Profile) -> RunCostEstimate:
    """Return the cost of calls of these (sent, received) tokens."""
    model = priced_model(profile)
    price = sum((maximum_price(*size, model) for size in sizes), maximum_price(0, 0, model))
    sent, received = sum(sent for sent, _ in sizes), sum(received for _, received in sizes)
    return RunCostEstimate(len(sizes), sent, received, price, needs_consent(profile))


def _round_tokens(agent_round: AgentRoundRequest, profile: Profile) -> int:
    """Count the tokens of a round as sent: texts, calls and definitions."""
    messages = chat_messages(agent_round.system, agent_round.messages)
    return counter_for(profile.model).text(json.dumps([*messages, *agent_round.tools], ensure_ascii=False))


def agent_run_cost(first_tokens: int, profile: Profile) -> RunCostEstimate:
    """Return the most that an agent run can cost if its first round sends ``first_tokens`` tokens."""
    output_tokens = max_output(profile, MAX_TURN_OUTPUT)
    rounds = max_round_tokens(first_tokens, output_tokens)
    return cost_of_calls([(sent, output_tokens) for sent in rounds], profile)


def rough_compaction_price(preview: Preview) -> CallPrice:
    """Estimate the most that a compaction can cost from known counts, without building requests."""
    profile, counter, context = preview.summary.writer, preview.source.counter, preview.context
    if is_agent(preview.strategy, preview.source.values):
        prompt_tokens = counter.text(context.prompts[PROMPT])
        return agent_run_cost(estimate_first_round(len(preview.messages), prompt_tokens), profile).price
    summarised_tokens = sum(
        count
        for count, fate in zip(preview.source.counts, preview.result.compaction.fates, strict=True)
        if fate.kind is FateKind.SUMMARISED
    )
    calls = max(1, len(preview.result.compaction.budgets))
    prompt_tokens = calls * counter.text(context.prompt)
    budget = sum(preview.result.compaction.budgets.values()) or summary_budget(
        preview.source.values.integer(SUMMARY_TOKENS), summarised_tokens
    )
    call_price = maximum_price(
        -(-(summarised_tokens + prompt_tokens) // calls),
        min(max_output(profile), -(-budget // calls)),
        priced_model(profile),
    )
    return sum((call_price for _ in range(calls)), NO_PRICE)
