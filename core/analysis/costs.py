"""What compactions cost: the most that a run can cost before it starts, what a result costs and
saves, and what an agent's provider reported."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby, pairwise

from core.analysis.model import (
    NO_UNPAID_REQUESTS,
    CompactionCost,
    ReplayTrack,
    UnpaidRequests,
)
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
from core.tokens.recorded_compactions import (
    LOOP_REQUESTS,
    SELDOM,
    is_in_vain,
    reported_sizes,
)
from core.transcript.compaction import Compaction, FateKind, ModelCall
from core.transcript.model import Conversation, ReportedUsage, Speaker


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


# What an agent's provider reported that its requests took: cost, cache, and what compactions
# cost.


_LIFE = 5 * 60
_LONG_LIFE = 60 * 60
"""Seconds that a prompt cache lives."""
_LOST = 0.5
"""A request that reads less than this share of what the one before left in the cache wrote its
beginning again."""


class RewriteCause(StrEnum):
    """Why a request wrote its beginning to the cache again, as far as the file shows it."""

    COMPACTION = "compaction"
    MODEL = "another model"
    PAUSE = "pause"
    UNKNOWN = "not recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidRequest:
    """A request as reported, and its price in US dollars; None where no price is known.
    ``rewrite`` is why it wrote its beginning again, None where it did not."""

    usage: ReportedUsage
    cost: float | None
    is_cost_reported: bool
    rewrite: RewriteCause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCompaction:
    """What recorded compaction ``number`` (from 1) cost and saved, in US dollars, None where
    unknown. ``cost`` is that of writing again what the first request after it did not read from the
    cache; ``savings`` is what the requests up to the next compaction would have paid for what it took
    out, read from the cache. ``requests`` are those requests. ``is_loop``: it came few
    requests after another. ``is_in_vain``: it freed next to nothing."""

    number: int
    freed: int | None
    requests: int
    cost: float | None
    savings: float | None
    is_loop: bool
    is_in_vain: bool


@dataclass(frozen=True, slots=True)
class Paid:
    """What was paid for a session; ``requests`` are those whose size was reported."""

    requests: tuple[PaidRequest, ...]
    compactions: tuple[PaidCompaction, ...]

    @property
    def cost(self) -> float | None:
        """The sum of what is known; None where no request has a price."""
        known = [one.cost for one in self.requests if one.cost is not None]
        if known:
            return sum(known)
        return None

    @property
    def priced(self) -> int:
        return sum(one.cost is not None for one in self.requests)

    @property
    def is_cost_reported(self) -> bool:
        """Whether every request with a price has that of the agent; False where none has one."""
        priced = [one for one in self.requests if one.cost is not None]
        return bool(priced) and all(one.is_cost_reported for one in priced)

    @property
    def cache_share(self) -> float | None:
        """The share of all input that was read from the cache; None where that is not reported."""
        told = [one.usage for one in self.requests if one.usage.cache.read is not None]
        sent = sum(usage.context for usage in told)
        if sent:
            return sum(usage.cache.read or 0 for usage in told) / sent
        return None

    @property
    def rewrites(self) -> tuple[PaidRequest, ...]:
        return tuple(one for one in self.requests if one.rewrite is not None)

    @property
    def loops(self) -> tuple[PaidCompaction, ...]:
        return tuple(one for one in self.compactions if one.is_loop or one.is_in_vain)


NOTHING_PAID = Paid((), ())
"""The file reports no request."""


def paid(conversation: Conversation) -> Paid:
    """Return what the file reports of its requests; without requests where it reports none."""
    requests = tuple(_requests(conversation))
    if conversation.recorded:
        compactions = tuple(_compactions(conversation, requests))
    else:
        compactions = ()
    return Paid(requests, compactions)


LEAST_PAIRS = 3
"""Pairs of requests from which a share of the cache is taken."""


def cache_kept(conversation: Conversation, model: str) -> float | None:
    """Return what share of the tokens sent before the requests to a model read from the cache again,
    as the file reports it; None where it reports too little. A request right after a compaction
    does not count: it has another beginning."""
    pairs = [
        (before, usage)
        for before, usage in pairwise(conversation.usage)
        if _is_followed(conversation, before, usage, model)
    ]
    if len(pairs) < LEAST_PAIRS:
        return None
    sent = [min(before.context, usage.context) for before, usage in pairs]
    read = [
        min(size, usage.cache.read or 0)
        for size, (_, usage) in zip(sent, pairs, strict=True)
    ]
    return sum(read) / sum(sent)


def _is_followed(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage, model: str
) -> bool:
    """Return whether the second request sends what the first one sent, and more."""
    is_reported = usage.cache.read is not None and before.context >= MIN_CACHED_PREFIX
    is_of_model = (before.model or model) == (usage.model or model) == model
    if not is_reported or not is_of_model:
        return False
    return not _compacted_between(conversation, before, usage)


def recorded_costs(conversation: Conversation) -> dict[int, float | None]:
    """Return what was paid for the reported requests as US dollars, None without a price, by the
    index of the first message of their answer."""
    return {one.usage.message_index: one.cost for one in _requests(conversation)}


def _requests(conversation: Conversation) -> Iterator[PaidRequest]:
    before: ReportedUsage | None = None
    for usage in conversation.usage:
        rates = _rates(conversation, usage)
        reported = usage.cache.cost
        yield PaidRequest(
            usage=usage,
            cost=_price(usage, rates) if reported is None else reported,
            is_cost_reported=reported is not None,
            rewrite=_rewrite(conversation, before, usage),
        )
        before = usage


def _rates(conversation: Conversation, usage: ReportedUsage) -> TokenRates | None:
    return token_rates(usage.model or conversation.model, conversation.hour_cache)


def _price(usage: ReportedUsage, rates: TokenRates | None) -> float | None:
    """Return the price of a request; None without prices, or where the cache is not reported."""
    if rates is None or usage.cache.read is None:
        return None
    prices = rates.at(usage.context)
    read = usage.cache.read
    written = usage.cache.written or 0
    fresh = max(0, usage.context - read - written)
    sent = fresh * prices.input + read * prices.read + written * prices.write
    return sent + (usage.output or 0) * prices.output


def _rewrite(
    conversation: Conversation, before: ReportedUsage | None, usage: ReportedUsage
) -> RewriteCause | None:
    if before is None or usage.cache.read is None or before.cache.read is None:
        return None
    left = before.cache.read + (before.cache.written or 0)
    is_read = usage.cache.read >= _LOST * left
    if left < MIN_CACHED_PREFIX or is_read:
        return None
    if _compacted_between(conversation, before, usage):
        return RewriteCause.COMPACTION
    if before.model != usage.model:
        return RewriteCause.MODEL
    pause = _pause(conversation, before, usage)
    life = _LONG_LIFE if conversation.hour_cache else _LIFE
    return (
        RewriteCause.PAUSE
        if pause is not None and pause > life
        else RewriteCause.UNKNOWN
    )


def _compacted_between(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage
) -> bool:
    return any(
        before.message_index < one.boundary <= usage.message_index
        for one in conversation.recorded
    )


def _pause(
    conversation: Conversation, before: ReportedUsage, usage: ReportedUsage
) -> float | None:
    """Return the seconds between two answers; None where their times are not recorded."""
    times = [
        _time(conversation.messages[one.message_index].timestamp)
        for one in (before, usage)
    ]
    if times[0] is None or times[1] is None:
        return None
    return (times[1] - times[0]).total_seconds()


def _time(timestamp: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return time.replace(tzinfo=None)


def _compactions(
    conversation: Conversation, requests: Sequence[PaidRequest]
) -> Iterator[PaidCompaction]:
    indices = [one.usage.message_index for one in requests]
    seldom = [one for one in conversation.recorded if one.kind in SELDOM]
    sizes = reported_sizes(conversation)
    previous: int | None = None  # the boundary of the one before
    for number, (one, (before, after)) in enumerate(
        zip(conversation.recorded, sizes, strict=True), 1
    ):
        if one.kind not in SELDOM:
            continue
        start = bisect_left(indices, one.boundary)
        later = [other.boundary for other in seldom if other.boundary > one.boundary]
        if later:
            end = bisect_left(indices, later[0])
        else:
            end = len(indices)
        if before is None or after is None:
            freed = None
        else:
            freed = before - after
        yield PaidCompaction(
            number=number,
            freed=freed,
            requests=end - start,
            cost=_written_again(conversation, requests[start:end]),
            savings=_savings(conversation, freed, requests[start:end]),
            is_loop=previous is not None
            and _is_loop(conversation, previous, one.boundary),
            is_in_vain=is_in_vain(before, after),
        )
        previous = one.boundary


def _is_loop(conversation: Conversation, previous: int, boundary: int) -> bool:
    """Return whether few requests, but at least one, lie between two compactions; consecutive
    messages of the model are one answer. None lies between two records of one compaction."""
    speakers = [message.speaker for message in conversation.messages[previous:boundary]]
    answers = sum(speaker is Speaker.AI for speaker, _ in groupby(speakers))
    return 1 <= answers <= LOOP_REQUESTS


def _written_again(
    conversation: Conversation, requests: Sequence[PaidRequest]
) -> float | None:
    """Return what the first request paid above reading all of it from the cache."""
    if not requests:
        return None
    usage = requests[0].usage
    rates = _rates(conversation, usage)
    if rates is None or usage.cache.read is None:
        return None
    prices = rates.at(usage.context)
    written = usage.cache.written or 0
    fresh = max(0, usage.context - usage.cache.read - written)
    return written * (prices.write - prices.read) + fresh * (prices.input - prices.read)


def _savings(
    conversation: Conversation, freed: int | None, requests: Sequence[PaidRequest]
) -> float | None:
    if freed is None or not requests:
        return None
    savings = 0.0
    for one in requests:
        rates = _rates(conversation, one.usage)
        if rates is None:
            return None
        savings += freed * rates.at(one.usage.context + max(0, freed)).read
    return savings
