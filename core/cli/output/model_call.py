"""A real model on the command line: its price first, then the call, with each retry told."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.analysis.cost.run_cost import RunCostEstimate, run_cost, run_requests
from core.app.model_run import configured_retries, secret_locations
from core.cli.arguments import CommonOptions
from core.cli.opened_conversation import OpenedConversation
from core.cli.output.console import ask_yes_no, can_ask, print_detail, print_note
from core.common import number_format
from core.common.errors import InputError
from core.common.number_format import dollar_text
from core.llm.call_events import CallFinished, CallRetrying, ModelEvent, RequestLightened, ToolUsed
from core.llm.credentials import find_key
from core.llm.pricing import is_paid
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import compute_preview
from core.preview.run_requests import RunRequests
from core.summarize.model_summarizer import model_factories
from core.tokens.counter import counter_for

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate
    from core.formats.writing.secret_list import SecretLocation

if TYPE_CHECKING:
    from core.cli.opened_conversation import OpenedConversation


def call_preview(opened: OpenedConversation, ask: PreviewOptions) -> Preview:
    """A preview whose summary the profile's model writes; nothing is called where it is not needed.

    Asks on a terminal before a paid call and needs ``--yes`` elsewhere. Raises InputError without
    it and where the key is missing, CompactionFailed where the model fails.
    """
    made = compute_preview(opened.conversation, opened.values, replace(ask, writes=False), opened.stages)
    if not made.unwritten or made.compaction.no_op is not None:
        return made
    asks = run_requests(made, ask.writer, made.sizing.counter(counter_for(made.window.model)), ask.focus)
    if asks.is_empty:
        return made
    bill = run_cost(asks, ask.writer)
    paid = is_paid(ask.writer)
    price = bill.words if paid else "nothing to pay"
    what = f"{ask.writer.name} ({ask.writer.model}): {_sent(asks, bill)}, {price}"
    note_secrets(opened.options, secret_locations(asks, made.inputs))
    must_ask = paid and not opened.options.yes
    if must_ask and not opened.options.asks:
        raise InputError(f"A paid call needs a yes: {what}.", 'Pass "pay": true, or the profile offline.')
    if must_ask and not can_ask():
        raise InputError(f"A paid call needs a yes: {what}.", "Add --yes, or use --profile offline.")
    key = find_key(ask.writer)
    if not must_ask:
        print_note(opened.options, what)
    elif not ask_yes_no(f"{what}. Call it?"):
        raise InputError("Nothing was called.", "Use --profile offline for a summary without a model.")
    return _call(opened, ask, made, key)


def _sent(asks: RunRequests, bill: RunCostEstimate) -> str:
    """How much goes out, and in how many requests."""
    tokens = f"≈{number_format.count(bill.sent)} tokens to send"
    if asks.agent is not None:
        return f"up to {bill.calls} rounds with tools, at most {tokens} in all"
    return tokens if bill.calls == 1 else f"{tokens} in {bill.calls} requests"


def _call(opened: OpenedConversation, ask: PreviewOptions, made: Preview, key: str) -> Preview:
    stopped = CancelOnInterrupt()
    watch = partial(report_event, opened.options)
    choose, agent = model_factories(ask.writer, key, configured_retries(made), watch, stopped)
    with stopped:
        asked = replace(ask, choose=choose, agent=agent)
        return compute_preview(opened.conversation, opened.values, asked, opened.stages)


def report_event(options: CommonOptions, event: ModelEvent) -> None:
    """What happens during a call, on standard error."""
    match event:
        case CallRetrying():
            print_note(options, f"try {event.attempt} in {event.wait:.0f} s: {event.cause}")
        case RequestLightened():
            print_note(options, event.text)
        case ToolUsed():
            print_note(options, f"round {event.step.round}, {event.step.tool}: {event.step.effect}")
        case CallFinished():
            spent = "cost unknown" if event.cost is None else dollar_text(event.cost)
            print_detail(options, f"model: {event.seconds:.1f} s, {spent}")
        case _:
            pass


class CancelOnInterrupt:
    """Ctrl C while a model writes: the call ends within a moment, and the program with it."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        return self._asked

    def __enter__(self) -> None:
        self._former = signal.signal(signal.SIGINT, self._on_interrupt)

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._former)

    def _on_interrupt(self, number: int, frame: object) -> None:
        self._asked = True


def note_secrets(options: CommonOptions, found: Sequence[SecretLocation]) -> None:
    """Name the secrets in what a model is about to be sent."""
    from core.formats.writing.secret_list import secrets_in_words  # late: only those who call a model need it

    if found:
        print_note(
            options,
            (
                f"warning: {number_format.plural(len(found), 'secret')} in "
                f"what is sent: {secrets_in_words(found)}."
            ),
        )
