"""Many runs with one model: the whole price once, then the summariser of each strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from core.analysis.compare.row_computation import OptionsFactory
from core.analysis.cost.summary_price import PricingModel, pricing_model
from core.cli.arguments import CommonOptions
from core.cli.opened_conversation import OpenedConversation
from core.cli.output.console import ask_yes_no, can_ask, print_note
from core.cli.output.model_call import note_secrets
from core.common.errors import InputError
from core.configuration.profile_store import ProfileStore
from core.llm.pricing import is_paid
from core.preview.options import PreviewOptions
from core.settings.keys import PROFILE
from core.settings.profile import Profile
from core.settings.values import Values

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate

CostsByProfile = Callable[[Profile], "Iterable[tuple[RunCostEstimate, bool]]"]
"""The costs of all runs with a profile, each with whether it is paid."""


def summary_writers(
    opened: OpenedConversation,
    preview_options: PreviewOptions,
    costs_of: CostsByProfile,
    *,
    rough: bool = False,
) -> tuple[OptionsFactory | None, str]:
    """Return the summarisers by strategy, and the writer's name: offline, unless ``--profile`` names a model.

    Prints the whole price before the first call, ``rough`` where it is an estimate, and asks where it is
    paid. Raises InputError without a yes and where a key is missing.
    """
    profile = writing_profile(opened.options, opened.values, opened.profile)
    check_price_as(opened.options, profile)
    if preview_options.summary is not None:
        return None, "the text that was given"
    if profile.is_offline:
        return None, profile.name
    from core.analysis.compare.paid_compare import model_options, total_cost
    from core.cli.output.model_call import (  # late: only needed with a model
        CancelOnInterrupt,
        report_event,
    )
    from core.formats.writing.secret_list import secret_locations_in

    costs = list(costs_of(profile))
    if not costs:
        return None, profile.name
    note_secrets(opened.options, secret_locations_in(enumerate(opened.conversation.messages, 1)))
    total = total_cost(costs)
    confirm_price(opened.options, profile, total.rough_text if rough else total.text, total.paid)
    watch = partial(report_event, opened.options)
    return model_options(profile, opened.values, watch, CancelOnInterrupt()), profile.name


def writing_profile(options: CommonOptions, values: Values, active: Profile) -> Profile:
    """Return the profile that writes; a saved setting alone calls nothing (product.md section 5)."""
    if not options.profile:
        return active
    return ProfileStore().load(str(values.get(PROFILE) or active.name))


def check_price_as(options: CommonOptions, profile: Profile) -> None:
    """Raise InputError for ``--price-as`` where the model of a profile writes, at its own price."""
    if options.price_as and not profile.is_offline:
        text = f"--price-as is for summaries that no model writes, and {profile.name} calls one."
        raise InputError(text, "Leave one of the two out.")


def price_for(opened: OpenedConversation, ask_for: OptionsFactory | None, model: str) -> PricingModel:
    """Return the price of summaries that no model writes; empty where a profile's model writes."""
    return PricingModel("") if ask_for else pricing_model(opened.options.price_as, model)


def confirm_price(
    options: CommonOptions, profile: Profile, price: str, paid: bool, alternative: str = "leave --profile out"
) -> None:
    """Print the whole price, and ask where it is paid; InputError, with ``alternative``, without a yes."""
    text = f"{profile.name} ({profile.model}): {price}"
    if not (paid and is_paid(profile)) or options.yes:
        print_note(options, text)
    elif not can_ask():
        raise InputError(f"Paid calls need a yes: {text}.", f"Add --yes, or {alternative}.")
    elif not ask_yes_no(f"{text}. Call it?"):
        raise InputError("Nothing was called.", f"{alternative[:1].upper()}{alternative[1:]}.")
