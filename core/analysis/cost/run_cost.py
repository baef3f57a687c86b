"""The most that a run with a model can cost, before it."""

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
    """What a run can be at most: answers, tokens sent and received, and their price."""

    calls: int
    sent: int
    received: int
    price: CallPrice

    @property
    def words(self) -> str:
        """The most it can cost, for a line of text."""
        return f"at most {dollar_text(self.price.total)}" if self.price.known else "price unknown"


def run_requests(
    made: Preview,
    profile: Profile,
    counter: TokenCounter,
    focus: str,
    tried: Mapping[str, str] | None = None,
) -> RunRequests:
    """All that a run of a preview with a profile would ask its model, with prompts that are ``tried``."""
    return requests_of_run(made, prompts_of(made.strategy, profile, made.mode, tried), counter, focus)


def run_cost(asks: RunRequests, profile: Profile) -> RunCostEstimate:
    """The most that a run can cost, with every retry left out."""
    if asks.agent is not None:
        return agent_run_cost(_talk_tokens(asks.agent, profile), profile)
    requests = asks.requests
    sizes = [
        (
            request_tokens(one, profile.model),
            min(max_output(profile, one.most_output), one.most_output or one.max_tokens),
        )
        for one in requests
    ]
    sent, received = (sum(part) for part in zip(*sizes, strict=True)) if sizes else (0, 0)
    whole = sum(
        (maximum_price(*size, model_name(profile)) for size in sizes),
        maximum_price(0, 0, model_name(profile)),
    )
    return RunCostEstimate(len(requests), sent, received, whole)


def _talk_tokens(talk: AgentRoundRequest, profile: Profile) -> int:
    """Tokens of a round as it goes out: texts, calls and definitions."""
    sent = chat_messages(talk.system, talk.messages)
    return counter_for(profile.model).text(json.dumps([*sent, *talk.tools], ensure_ascii=False))


def agent_run_cost(first: int, profile: Profile) -> RunCostEstimate:
    """The most that one run of an agent can cost, whose ``first`` round sends so many tokens."""
    output = max_output(profile, MOST_OUTPUT)
    rounds = most_sent(first, output)
    whole = sum((maximum_price(sent, output, model_name(profile)) for sent in rounds), NO_PRICE)
    return RunCostEstimate(ROUNDS, sum(rounds), ROUNDS * output, whole)


def rough_price(made: Preview, counter: TokenCounter) -> CallPrice:
    """The most that a compact can cost, from the counts at hand; the requests themselves are not made."""
    profile = made.writer
    if is_agent(made.strategy, made.values):
        prompt = counter.text(prompts_of(made.strategy, profile, made.mode)[PROMPT])
        return agent_run_cost(rough_first(len(made.messages), prompt), profile).price
    goes = sum(
        count
        for count, fate in zip(made.counts, made.compaction.fates, strict=True)
        if fate.kind is FateKind.SUMMARISED
    )
    calls = max(1, len(made.compaction.budgets))
    prompt = calls * counter.text(prompt_of(made.strategy, profile, made.mode))
    most = sum(made.compaction.budgets.values()) or summary_budget(made.values.whole(SUMMARY_TOKENS), goes)
    share = maximum_price(
        -(-(goes + prompt) // calls), min(max_output(profile), -(-most // calls)), model_name(profile)
    )
    return sum((share for _ in range(calls)), NO_PRICE)
