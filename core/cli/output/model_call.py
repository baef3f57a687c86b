"""Calls of a real model on the command line: the price first, then the calls, each retry
reported."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.analysis.analysis_input import AnalysisInput
from core.analysis.costs import run_cost
from core.app.model_progress import secret_locations
from core.cli import late
from core.cli.arguments import CommonOptions
from core.cli.output.console import ask_yes_no, can_ask, print_detail, print_note
from core.common import number_format
from core.common.errors import InputError
from core.common.number_format import dollar_text
from core.formats.writing.redacted_output import secret_locations_in, secrets_summary
from core.llm.credentials import find_key
from core.llm.destination import call_line, checked_destination, recipient
from core.llm.pricing import needs_consent, total_cost
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    ModelEvent,
    RequestLightened,
    ToolUsed,
)
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import requests_of
from core.settings.profile import Profile
from core.settings.schema import Values
from core.settings_store.profile_store import ProfileStore

if TYPE_CHECKING:
    from core.cli.opened_transcript import OpenedConversation
    from core.formats.writing.redacted_output import SecretLocation
    from core.llm.pricing import RunCostEstimate
    from core.preview.preview import RunRequests

CostsByProfile = Callable[[AnalysisInput, Profile], "Iterable[RunCostEstimate]"]
"""The costs of all runs with a profile."""


def call_preview(transcript: OpenedConversation, options: PreviewOptions) -> Preview:
    """Return a preview whose summary the profile's model writes; nothing is called where it is not
    needed.

    Asks on a terminal before a call that leaves this machine and needs ``--yes`` elsewhere. Raises
    InputError without it and where the key is missing, CompactionFailed where the model fails.
    """
    preview = transcript.preview(
        transcript.values,
        replace(options, summary=replace(options.summary, is_written=False)),
    )
    if not preview.summary.unwritten or preview.result.compaction.no_op is not None:
        return preview
    summary_profile = options.summary.profile
    requests = requests_of(preview)
    if requests.is_empty:
        return preview
    checked_destination(summary_profile)
    estimate = run_cost(requests, summary_profile)
    size = _size_text(requests, estimate)
    call = (
        f"{call_line(summary_profile, estimate.text)} ({summary_profile.model}, {size})"
    )
    locations = secret_locations(requests, preview.result.inputs)
    _note_secrets(transcript.options, len(locations), _places(locations))
    (key,) = _agreed_keys(
        transcript.options, (summary_profile,), call, _offline_way(transcript.options)
    )
    cancelled = CancelOnInterrupt()
    with cancelled:
        watch = partial(report_event, transcript.options)
        return transcript.written_preview(preview, options, key, watch, cancelled)


def _offline_way(options: CommonOptions) -> str:
    if options.can_ask:
        return "use --profile offline for a summary without a model"
    return "the profile offline"


def _agreed_keys(
    options: CommonOptions, profiles: Sequence[Profile], call: str, alternative: str
) -> list[str]:
    """Print ``call``, or ask where one leaves this machine, and return the keys of the profiles.
    Raises InputError, with ``alternative``, without a yes, and before the question for a key that
    is missing."""
    must_ask = not options.yes and any(map(needs_consent, profiles))
    if must_ask and not (options.can_ask and can_ask()):
        yes = "Agree with --yes" if options.can_ask else 'Pass "pay": true'
        raise InputError(
            f"Nothing was sent yet. This would call a model: {call}.",
            f"{yes}, or {alternative}.",
        )
    keys = [find_key(profile) for profile in profiles]
    if not must_ask:
        print_note(options, call)
    elif not ask_yes_no(f"{call}. Call it?"):
        way_out = f"{alternative[:1].upper()}{alternative[1:]}."
        raise InputError("Nothing was called.", way_out)
    return keys


def _size_text(requests: RunRequests, estimate: RunCostEstimate) -> str:
    tokens = f"≈{number_format.count(estimate.sent)} tokens to send"
    if requests.agent is not None:
        return f"up to {estimate.calls} rounds with tools, at most {tokens} in all"
    if estimate.calls == 1:
        return tokens
    return f"{tokens} in {estimate.calls} requests"


def report_event(options: CommonOptions, event: ModelEvent) -> None:
    match event:
        case CallRetrying():
            print_note(
                options,
                f"try {event.attempt} begins in {event.wait:.0f} s, because {event.cause}",
            )
        case RequestLightened():
            print_note(options, event.text)
        case ToolUsed():
            print_note(
                options,
                f"round {event.step.round}, {event.step.tool}: {event.step.effect}",
            )
        case CallFinished():
            if event.cost is None:
                cost = "cost unknown"
            else:
                cost = dollar_text(event.cost)
            print_detail(options, f"model: {event.seconds:.1f} s, {cost}")
        case _:
            pass


class CancelOnInterrupt:
    """Ctrl C while a model writes: ends the call within a moment, and the program with it."""

    def __init__(self) -> None:
        self._is_interrupted = False

    def __call__(self) -> bool:
        return self._is_interrupted

    def __enter__(self) -> None:
        self._previous_handler = signal.signal(signal.SIGINT, self._on_interrupt)

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._previous_handler)

    def _on_interrupt(self, number: int, frame: object) -> None:
        self._is_interrupted = True


def _places(locations: Sequence[SecretLocation]) -> str:
    """Name secrets and their messages."""
    return f": {secrets_summary(locations)}"


def _note_secrets(options: CommonOptions, count: int, found_in: str) -> None:
    if count:
        print_note(
            options,
            f"warning: {number_format.plural(count, 'secret')} in what is sent{found_in}.",
        )


def choose_summary_profile(
    transcript: OpenedConversation, costs_of: CostsByProfile, *, rough: bool = False
) -> str:
    """Set who writes the summaries of an analysis, and return the name: offline, unless
    ``--profile`` names a model.

    Prints the whole price before the first call, ``rough`` where it is an estimate, and asks where
    a call leaves this machine. Raises InputError without a yes and where a key is missing.
    """
    profile = writing_profile(transcript.options, transcript.values, transcript.profile)
    check_price_as(transcript.options, profile)
    if transcript.summary is not None:
        return "the text that was given"
    if profile.is_offline:
        return profile.name

    checked_destination(profile)
    costs = list(costs_of(transcript.analysis_input(), profile))
    if not costs:
        return profile.name
    locations = secret_locations_in(enumerate(transcript.conversation.messages, 1))
    price = total_cost(costs).total_text(rough=rough)
    confirm_price(
        transcript.options,
        (profile,),
        price,
        len(locations),
        found_in=_places(locations),
    )
    watch = partial(report_event, transcript.options)
    transcript.options_for = late.model_options(
        profile, transcript.values, watch, CancelOnInterrupt()
    )
    return profile.name


def compared_profiles(options: CommonOptions) -> tuple[Profile, ...]:
    """Return the profiles whose summaries are compared; none unless several are named."""
    if len(options.profiles) < 2:
        return ()
    store = ProfileStore()
    return tuple(store.load(name) for name in options.profiles)


def choose_compared_profiles(
    transcript: OpenedConversation,
    profiles: Sequence[Profile],
    costs_of: CostsByProfile,
) -> str:
    """Set that each profile writes its rows, and return their names. Prints the price of each, and
    asks once for all; InputError without a yes and where a key is missing."""
    paid = [profile for profile in profiles if not profile.is_offline]
    for profile in paid:
        checked_destination(profile)
        check_price_as(transcript.options, profile)
    source = transcript.analysis_input()
    costs = [total_cost(costs_of(source, profile)) for profile in paid]
    if total_cost(costs).calls:
        locations = secret_locations_in(enumerate(transcript.conversation.messages, 1))
        confirm_prices(
            transcript.options, paid, costs, len(locations), _places(locations)
        )
    watch = partial(report_event, transcript.options)
    transcript.writers = late.writers_of(
        profiles, transcript.values, watch, CancelOnInterrupt()
    )
    return ", ".join(profile.name for profile in profiles)


def confirm_prices(
    options: CommonOptions,
    profiles: Sequence[Profile],
    costs: Sequence[RunCostEstimate],
    secrets: int,
    found_in: str = "",
) -> None:
    """Print the price of each profile, where there are several, and ask once for all of them."""
    if len(profiles) > 1:
        for profile, cost in zip(profiles, costs, strict=True):
            print_note(options, f"{profile.name}: {cost.total_text()}")
    price = total_cost(costs).total_text()
    confirm_price(options, profiles, price, secrets, found_in=found_in)


def writing_profile(options: CommonOptions, values: Values, active: Profile) -> Profile:
    """Return the profile that writes; a saved setting alone calls nothing."""
    if not options.profile:
        return active
    return ProfileStore().summary_profile(values, active.name)


def check_price_as(options: CommonOptions, profile: Profile) -> None:
    """Raise InputError for ``--price-as`` where the model of a profile writes, at its own price."""
    if options.price_as and not profile.is_offline:
        text = f"--price-as is for offline summaries, and the profile {profile.name} calls a model."
        raise InputError(text, "Leave one of the two out.")


def confirm_price(
    options: CommonOptions,
    profiles: Sequence[Profile],
    price: str,
    secrets: int,
    alternative: str = "leave --profile out",
    found_in: str = "",
) -> None:
    """Say how many ``secrets`` are ``found_in`` what is sent; print who receives the calls and
    their whole price, and ask where one leaves this machine; InputError, with ``alternative``,
    without a yes."""
    _note_secrets(options, secrets, found_in)
    recipients = "; ".join(dict.fromkeys(map(recipient, profiles)))
    models = ", ".join(dict.fromkeys(one.model for one in profiles))
    _agreed_keys(options, profiles, f"{recipients}, {price} ({models})", alternative)
