"""What compactions cost: the most that a run can cost before it starts, and what a result costs and
saves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.analysis.model import (
    NO_UNPAID_REQUESTS,
    CompactionCost,
    ReplayTrack,
    UnpaidRequests,
)
from core.analysis.paid import cache_kept
from core.common.errors import InputError
from core.llm import catalog
from core.llm.catalog import (
    MIN_CACHED_PREFIX,
    TokenRates,
    caches_for_an_hour,
    calls_to_pay,
    rewrite_cost,
    token_rates,
)
from core.llm.client import MAX_TURN_OUTPUT, chat_messages
from core.llm.pricing import (
    NO_PRICE,
    CallPrice,
    RunCostEstimate,
    cost_of_calls,
    max_output,
    maximum_price,
    no_price_text,
    priced_model,
    request_tokens,
)
from core.preview import late
from core.preview.options import Preview
from core.preview.preview import AgentRoundRequest, RunRequests
from core.settings.profile import OFFLINE, Profile
from core.settings.schema import CACHE_LIFETIME, SUMMARY_TOKENS
from core.summarize.summariser_choice import GIVEN_TEXT_PROFILE
from core.summarize.summary_request import summary_budget
from core.tokens.counter import counter_for
from core.transcript.compaction import Compaction, FateKind, ModelCall
from core.transcript.model import Conversation


def run_cost(request_list: RunRequests, profile: Profile) -> RunCostEstimate:
    """Return the most that a run can cost, without retries."""
    if request_list.agent is not None:
        return agent_run_cost(_round_tokens(request_list.agent, profile), profile)
    sizes = []
    counter = counter_for(profile.model)
    for request in request_list.requests:
        most_output = max_output(profile, request.max_output_tokens)
        received = min(most_output, request.max_output_tokens or request.max_tokens)
        sizes.append((request_tokens(request, counter), received))
    return cost_of_calls(sizes, profile)


def _round_tokens(agent_round: AgentRoundRequest, profile: Profile) -> int:
    """Count the tokens of a round as sent: texts, calls and definitions."""
    messages = chat_messages(agent_round.system, agent_round.messages)
    return counter_for(profile.model).text(
        json.dumps([*messages, *agent_round.tools], ensure_ascii=False)
    )


def agent_run_cost(first_tokens: int, profile: Profile) -> RunCostEstimate:
    """Return the most that an agent run can cost if its first round sends ``first_tokens``
    tokens."""
    output_tokens = max_output(profile, MAX_TURN_OUTPUT)
    rounds = late.max_round_tokens(first_tokens, output_tokens)
    return cost_of_calls([(sent, output_tokens) for sent in rounds], profile)


def rough_compaction_price(preview: Preview) -> CallPrice:
    """Estimate the most that a compaction can cost from known counts, without building requests."""
    profile = preview.summary.profile
    counter = preview.source.counter
    context = preview.context
    if late.is_agent(preview.strategy, preview.source.values):
        prompt_tokens = counter.text(context.prompts[late.PROMPT])
        return agent_run_cost(
            late.estimate_first_round(len(preview.messages), prompt_tokens), profile
        ).price
    summarised_tokens = sum(
        count
        for count, fate in zip(
            preview.source.counts, preview.result.compaction.fates, strict=True
        )
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


@dataclass(frozen=True, slots=True)
class PricingModel:
    """The ``model`` whose prices apply; ``rates`` None if the table has no price. An empty model:
    the session names none. With ``OFFLINE``, unpaid summaries cost nothing."""

    model: str
    rates: TokenRates | None = None

    @property
    def is_known(self) -> bool:
        return self.rates is not None

    def price(self, unpaid: UnpaidRequests) -> float | None:
        """Return US dollars; 0 for no requests, None without a price."""
        if unpaid == NO_UNPAID_REQUESTS:
            return 0.0
        if self.rates is None:
            return None
        return sum(
            sum(self.rates.uncached_prices(*request)) for request in unpaid.requests
        )


def pricing_model(name: str, model: str) -> PricingModel:
    """Return the prices of the named model, else of the session's ``model``. Raises InputError if
    the named model has no price."""
    if name == OFFLINE:
        return PricingModel(
            OFFLINE,
            TokenRates(model=OFFLINE, input=0.0, output=0.0, read=0.0, write=0.0),
        )
    if (rates := token_rates(name or model)) is not None:
        return PricingModel(name or model, rates)
    if name:
        raise InputError(no_price_text(name), f"Name another model, or {OFFLINE}.")
    return PricingModel(model)


def unpaid_requests(calls: Iterable[ModelCall]) -> UnpaidRequests:
    """Return the calls that no model was paid for: written offline or given as text."""
    return UnpaidRequests(
        tuple(
            (call.request_tokens, call.answer_tokens)
            for call in calls
            if not is_model_call(call)
        )
    )


def paid_dollars(calls: Sequence[ModelCall]) -> float | None:
    """Return the dollars paid for calls of models; None if one is unknown."""
    costs = [call.cost for call in calls if is_model_call(call)]
    if None in costs:
        return None
    return sum((cost for cost in costs if cost is not None), 0.0)


def is_model_call(call: ModelCall) -> bool:
    return call.profile not in (OFFLINE, GIVEN_TEXT_PROFILE)


def priced_cost(cost: CompactionCost, price: PricingModel) -> CompactionCost:
    """Return the cost with unpaid summaries at this price; paid ones are unchanged."""
    unpaid_price = price.price(cost.unpaid)
    if cost.unpaid == NO_UNPAID_REQUESTS or (
        cost.summary is None and cost.rates is not None
    ):
        return cost
    if unpaid_price is None:
        return replace(cost, summary=None, break_even=None)
    summary = (cost.summary or 0.0) + unpaid_price
    if cost.break_even is None or cost.rates is None:
        return replace(cost, summary=summary)
    savings_per_call = (cost.later_before or 0.0) - (cost.later_after or 0.0)
    rewrite_price = rewrite_cost(cost.prefix + cost.rewritten, cost.prefix, cost.rates)
    return replace(
        cost,
        summary=summary,
        break_even=calls_to_pay(summary + rewrite_price, savings_per_call),
    )


def priced_track(track: ReplayTrack, price: PricingModel) -> ReplayTrack:
    runs = tuple(
        replace(run, cost=_total_price(run.cost, price.price(run.unpaid)))
        for run in track.compactions
    )
    return replace(
        track,
        compactions=runs,
        cost=_total_price(track.cost, price.price(track.unpaid)),
    )


def _total_price(paid: float | None, unpaid_price: float | None) -> float | None:
    if paid is None or unpaid_price is None:
        return None
    return paid + unpaid_price


def compaction_cost(
    preview: Preview, session: Conversation | None = None
) -> CompactionCost:
    """Return what a result costs and saves, at what its ``session`` paid: of a part of one, which
    reports nothing itself, the whole."""
    session = session or preview.source.conversation
    unchanged_count = count_unchanged_messages(
        preview.result.compaction, len(preview.messages)
    )
    lifetime = preview.source.values.text(CACHE_LIFETIME)
    is_hour_cache = caches_for_an_hour(session, lifetime)
    model = preview.sizes.model_limit.model
    rates, kept = session_rates(session, model, is_hour_cache)
    overhead = preview.sizes.before_tokens - preview.sizes.message_tokens_before
    prefix = max(0, overhead + sum(preview.source.counts[:unchanged_count]))
    prefix = prefix if rates is None or prefix >= MIN_CACHED_PREFIX else 0
    before, after = preview.sizes.before_tokens, preview.sizes.after_tokens
    first_changed = (
        unchanged_count
        if unchanged_count
        < max(len(preview.messages), len(preview.result.compaction.messages))
        else None
    )
    if first_changed is not None:
        rewritten = after - prefix
    else:
        rewritten = 0
    calls = preview.result.compaction.calls
    if rates is None:
        return CompactionCost(
            prefix=prefix,
            first_changed=first_changed,
            rewritten=rewritten,
            rates=None,
            unpaid=unpaid_requests(calls),
        )
    appended_tokens = catalog.appended_per_call(preview.messages, preview.source.counts)
    summary = paid_dollars(calls)
    if first_changed is None or summary is None:
        break_even = None
    else:
        break_even = catalog.break_even(
            before, after, prefix, rates, summary, appended_tokens
        )
    later_before, later_after = (
        catalog.later_call_price(size, rates, appended_tokens)
        for size in (before, after)
    )
    return CompactionCost(
        prefix=prefix,
        first_changed=first_changed,
        rewritten=rewritten,
        rates=rates,
        summary=summary,
        first_before=later_before,
        first_after=later_after
        + (
            catalog.rewrite_cost(after, prefix, rates)
            if first_changed is not None
            else 0.0
        ),
        later_before=later_before,
        later_after=later_after,
        break_even=break_even,
        unpaid=unpaid_requests(calls),
        cache_kept=kept,
    )


def session_rates(
    conversation: Conversation, model: str, is_hour_cache: bool
) -> tuple[TokenRates | None, float | None]:
    """Return the prices of a model, and the share of what was sent before that the session read
    from the cache again: reading costs as it did there. None where the file does not report it."""
    rates = token_rates(model, is_hour_cache)
    kept = None if rates is None else cache_kept(conversation, model)
    if rates is None or kept is None:
        return rates, None
    return rates.as_read(kept), kept


def with_model_summary(cost: CompactionCost) -> CompactionCost | None:
    """Return the cost as if the session's model had written what no model wrote, as Compare prices
    it; None where that changes nothing."""
    if cost.unpaid == NO_UNPAID_REQUESTS or cost.rates is None:
        return None
    return priced_cost(cost, PricingModel(cost.rates.model, cost.rates))


def count_unchanged_messages(compaction: Compaction, count: int) -> int:
    """Count the leading result messages that are the source's own, in its order."""
    if compaction.no_op is not None:
        return count
    for index, sources in enumerate(compaction.origins):
        is_copied = (
            sources == (index,) and index not in compaction.inserted and index < count
        )
        if is_copied:
            fate = compaction.fates[index]
        else:
            fate = None
        if fate is None or len(fate.steps) != 1 or fate.kind.value != "kept":
            return index
    return len(compaction.origins)
