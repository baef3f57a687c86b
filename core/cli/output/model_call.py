"""A call of a real model on the command line: its price first, then the call, with each retry reported."""

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


def call_preview(opened: OpenedConversation, options: PreviewOptions) -> Preview:
    """Return a preview whose summary the profile's model writes; nothing is called where it is not needed.

    Asks on a terminal before a paid call and needs ``--yes`` elsewhere. Raises InputError without it and
    where the key is missing, CompactionFailed where the model fails.
    """
    preview = compute_preview(
        opened.conversation, opened.values, replace(options, writes_summary=False), opened.stages
    )
    if not preview.unwritten or preview.compaction.no_op is not None:
        return preview
    requests = run_requests(
        preview, options.writer, preview.sizing.counter(counter_for(preview.window.model)), options.focus
    )
    if requests.is_empty:
        return preview
    estimate = run_cost(requests, options.writer)
    paid = is_paid(options.writer)
    price = estimate.text if paid else "nothing to pay"
    call = f"{options.writer.name} ({options.writer.model}): {_size_text(requests, estimate)}, {price}"
    note_secrets(opened.options, secret_locations(requests, preview.inputs))
    must_ask = paid and not opened.options.yes
    if must_ask and not opened.options.can_ask:
        raise InputError(f"A paid call needs a yes: {call}.", 'Pass "pay": true, or the profile offline.')
    if must_ask and not can_ask():
        raise InputError(f"A paid call needs a yes: {call}.", "Add --yes, or use --profile offline.")
    key = find_key(options.writer)
    if not must_ask:
        print_note(opened.options, call)
    elif not ask_yes_no(f"{call}. Call it?"):
        raise InputError("Nothing was called.", "Use --profile offline for a summary without a model.")
    return _call(opened, options, preview, key)


def _size_text(requests: RunRequests, estimate: RunCostEstimate) -> str:
    tokens = f"≈{number_format.count(estimate.sent)} tokens to send"
    if requests.agent is not None:
        return f"up to {estimate.calls} rounds with tools, at most {tokens} in all"
    return tokens if estimate.calls == 1 else f"{tokens} in {estimate.calls} requests"


def _call(opened: OpenedConversation, options: PreviewOptions, preview: Preview, key: str) -> Preview:
    cancelled = CancelOnInterrupt()
    watch = partial(report_event, opened.options)
    choose, agent = model_factories(options.writer, key, configured_retries(preview), watch, cancelled)
    with cancelled:
        paid_options = replace(options, summariser_factory=choose, agent=agent)
        return compute_preview(opened.conversation, opened.values, paid_options, opened.stages)


def report_event(options: CommonOptions, event: ModelEvent) -> None:
    match event:
        case CallRetrying():
            print_note(options, f"try {event.attempt} in {event.wait:.0f} s: {event.cause}")
        case RequestLightened():
            print_note(options, event.text)
        case ToolUsed():
            print_note(options, f"round {event.step.round}, {event.step.tool}: {event.step.effect}")
        case CallFinished():
            cost = "cost unknown" if event.cost is None else dollar_text(event.cost)
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


def note_secrets(options: CommonOptions, locations: Sequence[SecretLocation]) -> None:
    """Name the secrets in what a model is about to be sent."""
    from core.formats.writing.secret_list import secrets_summary  # late: only those who call a model need it

    if locations:
        print_note(
            options,
            (
                f"warning: {number_format.plural(len(locations), 'secret')} in "
                f"what is sent: {secrets_summary(locations)}."
            ),
        )
