"""Estimates the most that a run with a model can cost, before it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from core.common.number_format import dollar_text
from core.llm.pricing import NO_PRICE, CallPrice, max_output, maximum_price, model_name, request_tokens
from core.llm.tool_client import MAX_TURN_OUTPUT, chat_messages
from core.preview.options import Preview
from core.preview.preview import strategy_prompt, strategy_prompts
from core.preview.run_requests import AgentRoundRequest, RunRequests, model_requests
from core.settings.keys import SUMMARY_TOKENS
from core.settings.profile import Profile
from core.strategies.hybrid.agent_mode import (
    MAX_ROUNDS,
    PROMPT,
    estimate_first_round,
    is_agent,
    max_round_tokens,
)
from core.summarize.summary_request import summary_budget
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import FateKind


@dataclass(frozen=True, slots=True)
class RunCostEstimate:
    """Upper bounds of a run's calls, tokens and price."""

    calls: int
    sent: int
    received: int
    price: CallPrice

    @property
    def text(self) -> str:
        return f"at most {dollar_text(self.price.total)}" if self.price.known else "price unknown"


def run_requests(
    preview: Preview,
    profile: Profile,
    counter: TokenCounter,
    focus: str,
    prompt_overrides: Mapping[str, str] | None = None,
) -> RunRequests:
    """Return all requests of a run, with the prompts in ``prompt_overrides`` replaced."""
    return model_requests(
        preview, strategy_prompts(preview.strategy, profile, preview.mode, prompt_overrides), counter, focus
    )


def run_cost(request_list: RunRequests, profile: Profile) -> RunCostEstimate:
    """Return the most that a run can cost, without retries."""
    if request_list.agent is not None:
        return agent_run_cost(_round_tokens(request_list.agent, profile), profile)
    requests = request_list.requests
    sizes = [
        (
            request_tokens(request, profile.model),
            min(
                max_output(profile, request.max_output_tokens),
                request.max_output_tokens or request.max_tokens,
            ),
        )
        for request in requests
    ]
    sent, received = (sum(part) for part in zip(*sizes, strict=True)) if sizes else (0, 0)
    price = sum(
        (maximum_price(*size, model_name(profile)) for size in sizes),
        maximum_price(0, 0, model_name(profile)),
    )
    return RunCostEstimate(len(requests), sent, received, price)


def _round_tokens(agent_round: AgentRoundRequest, profile: Profile) -> int:
    """Count the tokens of a round as sent: texts, calls and definitions."""
    messages = chat_messages(agent_round.system, agent_round.messages)
    return counter_for(profile.model).text(json.dumps([*messages, *agent_round.tools], ensure_ascii=False))


def agent_run_cost(first_tokens: int, profile: Profile) -> RunCostEstimate:
    """Return the most that an agent run can cost if its first round sends ``first_tokens`` tokens."""
    output_tokens = max_output(profile, MAX_TURN_OUTPUT)
    rounds = max_round_tokens(first_tokens, output_tokens)
    price = sum((maximum_price(sent, output_tokens, model_name(profile)) for sent in rounds), NO_PRICE)
    return RunCostEstimate(MAX_ROUNDS, sum(rounds), MAX_ROUNDS * output_tokens, price)


def rough_compaction_price(preview: Preview, counter: TokenCounter) -> CallPrice:
    """Estimate the most that a compaction can cost from known counts, without building requests."""
    profile = preview.writer
    if is_agent(preview.strategy, preview.values):
        prompt_tokens = counter.text(strategy_prompts(preview.strategy, profile, preview.mode)[PROMPT])
        return agent_run_cost(estimate_first_round(len(preview.messages), prompt_tokens), profile).price
    summarised_tokens = sum(
        count
        for count, fate in zip(preview.counts, preview.compaction.fates, strict=True)
        if fate.kind is FateKind.SUMMARISED
    )
    calls = max(1, len(preview.compaction.budgets))
    prompt_tokens = calls * counter.text(strategy_prompt(preview.strategy, profile, preview.mode))
    budget = sum(preview.compaction.budgets.values()) or summary_budget(
        preview.values.integer(SUMMARY_TOKENS), summarised_tokens
    )
    call_price = maximum_price(
        -(-(summarised_tokens + prompt_tokens) // calls),
        min(max_output(profile), -(-budget // calls)),
        model_name(profile),
    )
    return sum((call_price for _ in range(calls)), NO_PRICE)
