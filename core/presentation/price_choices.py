"""Choices and wording of the model that prices summaries which no model wrote."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.cost.summary_price import PricingModel, price_as
from core.common.errors import InputError
from core.common.number_format import dollar_text
from core.llm.catalog import known_models, suggested_models
from core.llm.prices import TokenRates
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.opened_file import short_model
from core.settings.profile import OFFLINE
from core.transcript.model import Conversation

_MILLION = 1_000_000


def price_pick(conversation: Conversation, value: str, model: str) -> PriceChoice:
    """Return the session's ``model``, then models with a price, last offline."""
    session_price = price_as("", model)
    label = short_model(model) or "no model"
    hint = _prices(session_price) if session_price.is_known else f"The model table has no price of {label}."
    other_models = [name for name in suggested_models(conversation) if name != model]
    return _pick(PickerChoice("", label, hint), other_models, value)


def named_pick(value: str) -> PriceChoice:
    """The same for many sessions, each with its own model."""
    first = PickerChoice("", "each session's model", "The model that is named in the file.")
    return _pick(first, known_models(), value)


def _pick(first: PickerChoice, models: Sequence[str], value: str) -> PriceChoice:
    named = [*models, *([value] if value not in ("", OFFLINE, *models) else [])]
    priced = [
        PickerChoice(one, short_model(one), _prices(price))
        for one in named
        if (price := _price_or_none(one)) is not None
    ]
    return PriceChoice(
        value, (first, *priced, PickerChoice(OFFLINE, OFFLINE, "Offline summaries cost nothing."))
    )


def written_words(price: PricingModel) -> str:
    """Return who wrote the summaries of a view, and their price."""
    is_free = price.model == OFFLINE or not price.is_known
    return (
        "all summaries offline" if is_free else f"all summaries offline, priced as {short_model(price.model)}"
    )


def _price_or_none(name: str) -> PricingModel | None:
    try:
        return price_as(name, "")
    except InputError:
        return None


def _prices(price: PricingModel) -> str:
    assert price.rates is not None
    return f"{price_words(price.rates)}."


def price_words(rates: TokenRates) -> str:
    """Return prices of input and output, with the tiers for large requests."""
    sent, written = price_per_million(rates.input), price_per_million(rates.output)
    text = f"{sent} for a million tokens of input, {written} for a million of output"
    tiers = (
        (
            f"; {price_per_million(one.input)} and {price_per_million(one.output)} "
            f"in requests above {above:,} tokens"
        )
        for above, one in rates.tiers
    )
    return "".join((text, *tiers))


def price_per_million(dollars_each: float) -> str:
    return dollar_text(dollars_each * _MILLION)
