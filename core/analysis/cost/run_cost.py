"""Estimates the most that a run with a model can cost, before it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from core.common.number_format import dollar_text
from core.llm.pricing import NO_PRICE, CallPrice, max_output, maximum_price, model_name, request_tokens
from core.llm.tool_client import MOST_OUTPUT, chat_messages
from core.preview.options import Preview
from core.preview.preview import prompt_of, prompts_of
from core.preview.run_requests import AgentRoundRequest, RunRequests, requests_of_run
from core.settings.keys import SUMMARY_TOKENS
from core.settings.profile import Profile
from core.strategies.hybrid.agent_mode import PROMPT, ROUNDS, is_agent, most_sent, rough_first
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
    tried: Mapping[str, str] | None = None,
) -> RunRequests:
    """Return all requests of a run, with the prompts in ``tried`` replaced."""
    return requests_of_run(
        preview, prompts_of(preview.strategy, profile, preview.mode, tried), counter, focus
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


def agent_run_cost(first: int, profile: Profile) -> RunCostEstimate:
    """Return the most that an agent run can cost if its first round sends ``first`` tokens."""
    output = max_output(profile, MOST_OUTPUT)
    rounds = most_sent(first, output)
    price = sum((maximum_price(sent, output, model_name(profile)) for sent in rounds), NO_PRICE)
    return RunCostEstimate(ROUNDS, sum(rounds), ROUNDS * output, price)


def rough_price(preview: Preview, counter: TokenCounter) -> CallPrice:
    """Estimate the most that a compaction can cost from known counts, without building requests."""
    profile = preview.writer
    if is_agent(preview.strategy, preview.values):
        prompt = counter.text(prompts_of(preview.strategy, profile, preview.mode)[PROMPT])
        return agent_run_cost(rough_first(len(preview.messages), prompt), profile).price
    removed = sum(
        count
        for count, fate in zip(preview.counts, preview.compaction.fates, strict=True)
        if fate.kind is FateKind.SUMMARISED
    )
    calls = max(1, len(preview.compaction.budgets))
    prompt = calls * counter.text(prompt_of(preview.strategy, profile, preview.mode))
    budget = sum(preview.compaction.budgets.values()) or summary_budget(
        preview.values.whole(SUMMARY_TOKENS), removed
    )
    share = maximum_price(
        -(-(removed + prompt) // calls), min(max_output(profile), -(-budget // calls)), model_name(profile)
    )
    return sum((share for _ in range(calls)), NO_PRICE)
