"""Choices and wording of the model that prices summaries which no model wrote."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.cost.summary_price import PricingModel, pricing_model
from core.common.errors import InputError
from core.common.number_format import dollar_text
from core.llm.catalog import known_models, suggested_models
from core.llm.prompt_cache import TokenRates
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.opened_file import short_model
from core.settings.profile import OFFLINE
from core.transcript.model import Conversation

_MILLION = 1_000_000


def price_choice(conversation: Conversation, value: str, model: str) -> PriceChoice:
    """Return the session's ``model``, then models with a price, last offline."""
    session_price = pricing_model("", model)
    label = short_model(model) or "no model"
    hint = _prices(session_price) if session_price.is_known else f"The model table has no price of {label}."
    other_models = [name for name in suggested_models(conversation) if name != model]
    return _price_choice(PickerChoice("", label, hint), other_models, value)


def per_session_price_choice(value: str) -> PriceChoice:
    """The same for many sessions, each with its own model."""
    session_choice = PickerChoice("", "each session's model", "The model that is named in the file.")
    return _price_choice(session_choice, known_models(), value)


def _price_choice(session_choice: PickerChoice, models: Sequence[str], value: str) -> PriceChoice:
    names = [*models, *([value] if value not in ("", OFFLINE, *models) else [])]
    priced = [
        PickerChoice(name, short_model(name), _prices(price))
        for name in names
        if (price := _price_or_none(name)) is not None
    ]
    return PriceChoice(
        value, (session_choice, *priced, PickerChoice(OFFLINE, OFFLINE, "Offline summaries cost nothing."))
    )


def _price_or_none(name: str) -> PricingModel | None:
    try:
        return pricing_model(name, "")
    except InputError:
        return None


def _prices(price: PricingModel) -> str:
    assert price.rates is not None
    return f"{price_text(price.rates)}."


def price_text(rates: TokenRates) -> str:
    """Return prices of input and output, with the tiers for large requests."""
    input_price, output_price = price_per_million(rates.input), price_per_million(rates.output)
    text = f"{input_price} for a million tokens of input, {output_price} for a million of output"
    tiers = (
        (
            f"; {price_per_million(tier_rates.input)} and {price_per_million(tier_rates.output)} "
            f"in requests above {above:,} tokens"
        )
        for above, tier_rates in rates.tiers
    )
    return "".join((text, *tiers))


def price_per_million(dollars_each: float) -> str:
    return dollar_text(dollars_each * _MILLION)
