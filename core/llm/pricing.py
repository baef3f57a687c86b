"""Prices of model calls: estimated before, from tokens and the model table; computed after, from
usage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.catalog import find_model, token_rates
from core.llm.destination import destination_of
from core.llm.protocol import SummaryRequest, TokenUsage, flatten_request
from core.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from core.settings.profile import Profile

MAX_OUTPUT_TOKENS = (
    8000  # output limit where the profile sets none (compression.summary-tokens)
)
MESSAGE_TOKENS = 4  # tokens added per message by the provider
_FREE = {
    *(
        "offline",
        "embedded",
        "ollama",
        "ollama_chat",
        "lm_studio",
        "llamafile",
        "hosted_vllm",
        "vllm",
    ),
    *("xinference", "oobabooga", "docker_model_runner"),
}
"""Providers of servers that users run themselves; litellm's table says that they cost nothing."""


@dataclass(frozen=True, slots=True)
class CallPrice:
    """US dollars for a call at most; ``is_known`` is False without a price in the table (all are
    0)."""

    input: float
    output: float
    total: float
    is_known: bool

    def __add__(self, other: CallPrice) -> CallPrice:
        # A sum with an unknown part is unknown: a figure would be too low.
        if not (self.is_known and other.is_known):
            return UNKNOWN_PRICE
        return CallPrice(
            self.input + other.input,
            self.output + other.output,
            self.total + other.total,
            True,
        )


UNKNOWN_PRICE = CallPrice(0.0, 0.0, 0.0, False)
NO_PRICE = CallPrice(0.0, 0.0, 0.0, True)  # the price of making no call


def model_name(profile: Profile) -> str:
    """Return the model's name in litellm and the table, with its provider in front."""
    if profile.provider:
        return f"{profile.provider}/{profile.model}"
    return profile.model


def priced_model(profile: Profile) -> str:
    """Return the name under which the table has the price of a call that needs consent, "" where it
    has none: nobody knows what a server that is not on this machine charges for a model that users
    run themselves."""
    info = find_model(model_name(profile))
    # A server of one's own may sell a model that users run themselves elsewhere.
    is_free = runs_locally(profile.provider) or (
        info is not None and runs_locally(info.provider)
    )
    if is_free:
        return ""
    return model_name(profile)


def max_output(profile: Profile, requested: int | None = None) -> int:
    """Return the most output tokens, by profile or model, no more than ``requested``."""
    limit = _profile_max_output(profile)
    if requested is None:
        return limit
    return min(limit, requested)


def _profile_max_output(profile: Profile) -> int:
    # A parameter of the profile is the person's word and wins over the table.
    for name in ("max_tokens", "max_completion_tokens"):
        if isinstance(profile.parameters.get(name), int):
            return int(profile.parameters[name])
    info = find_model(model_name(profile))
    limit = info.max_output_tokens if info is not None else None
    return min(MAX_OUTPUT_TOKENS, limit or MAX_OUTPUT_TOKENS)


def request_tokens(request: SummaryRequest, counter: TokenCounter) -> int:
    """Estimate the tokens of a request, the earlier answers that it will hold included."""
    count = counter.text
    chat = flatten_request(request)
    return (
        sum(count(message["content"]) + MESSAGE_TOKENS for message in chat)
        + request.awaited_tokens
    )


def maximum_price(input_tokens: int, max_output_tokens: int, model: str) -> CallPrice:
    """Return the highest price of a call, with nothing read from the prompt cache."""
    rates = token_rates(model)
    if rates is None:
        return UNKNOWN_PRICE
    input_price, output_price = rates.uncached_prices(input_tokens, max_output_tokens)
    return CallPrice(input_price, output_price, input_price + output_price, True)


def no_price_text(model: str) -> str:
    return f"The model table has no price for {model}."


def needs_consent(profile: Profile) -> bool:
    """Return whether the user must agree to a call: always, except where the destination is the
    loopback address and costs nothing. It costs something where the provider sells a model of that
    very name: a gateway on the machine."""
    if not destination_of(profile).is_loopback:
        return True
    if runs_locally(profile.provider):
        info = None
    else:
        info = find_model(model_name(profile))
    # A gateway on this machine may pass the call on to a provider that asks money.
    if info is None or info.provider != profile.provider or not info.input_price:
        return False
    return info.name in (profile.model, model_name(profile))


def runs_locally(provider: str) -> bool:
    return provider in _FREE


def call_cost(profile: Profile, usage: TokenUsage) -> float | None:
    """Return US dollars of a finished call; None where price or usage is unknown."""
    if not needs_consent(profile):
        return 0.0
    rates = token_rates(priced_model(profile))
    # A guess of the usage would be a price that nobody was asked.
    if rates is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    prices = rates.at(usage.input_tokens)
    # Input tokens include those of the cache, which cost less or more.
    uncached_tokens = max(0, usage.input_tokens - usage.cache_read - usage.cache_write)
    # Writes for an hour are part of all writes and cost more.
    short_cache_writes = max(0, usage.cache_write - usage.cache_write_hour)
    input_cost = (
        uncached_tokens * prices.input
        + usage.cache_read * prices.read
        + short_cache_writes * prices.write
    )
    return (
        input_cost
        + usage.cache_write_hour * prices.write_hour
        + usage.output_tokens * prices.output
    )


@dataclass(frozen=True, slots=True)
class RunCostEstimate:
    """Upper bounds of calls, tokens and price; without ``needs_consent`` the calls cost nothing."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    price: CallPrice = NO_PRICE
    needs_consent: bool = False

    def __add__(self, other: RunCostEstimate) -> RunCostEstimate:
        # Calls that cost nothing must not make the price unknown.
        price = sum(
            (part.price for part in (self, other) if part.needs_consent), NO_PRICE
        )
        asks = self.needs_consent or other.needs_consent
        calls = self.calls + other.calls
        sent = self.sent + other.sent
        return RunCostEstimate(calls, sent, self.received + other.received, price, asks)

    @property
    def text(self) -> str:
        """The price: "at most $0.40", "nothing to pay" or "price unknown"."""
        if not self.needs_consent or (self.price.is_known and not self.price.total):
            return "nothing to pay"
        if self.price.is_known:
            return f"at most {dollar_text(self.price.total)}"
        return "price unknown"

    def total_text(self, *, rough: bool = False) -> str:
        """Return "12 calls, ≈148,000 tokens to send, at most $0.40"; ``rough``: "about …" of
        both."""
        if rough:
            cost = self.text.replace("at most", "about")
        else:
            cost = self.text
        calls = f"{'about ' if rough else ''}{number_format.plural(self.calls, 'call')}"
        return f"{calls}, ≈{number_format.count(self.sent)} tokens to send, {cost}"


def total_cost(estimates: Iterable[RunCostEstimate]) -> RunCostEstimate:
    return sum(estimates, RunCostEstimate())


def cost_of_calls(
    sizes: Sequence[tuple[int, int]], profile: Profile
) -> RunCostEstimate:
    """Return the cost of calls of these (sent, received) tokens."""
    model = priced_model(profile)
    price = sum(
        (maximum_price(*size, model) for size in sizes), maximum_price(0, 0, model)
    )
    sent = sum(sent for sent, _ in sizes)
    received = sum(received for _, received in sizes)
    return RunCostEstimate(len(sizes), sent, received, price, needs_consent(profile))
