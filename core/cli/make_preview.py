"""Previews the opened transcript of a command line."""

from __future__ import annotations

import time
from dataclasses import replace

from core.cli.arguments import message_indices
from core.cli.opened_transcript import OpenedConversation
from core.cli.output.console import ConsoleProgress, print_detail
from core.common import number_format
from core.common.errors import InputError
from core.configuration.profile_store import ProfileStore
from core.presentation.preview_wording import saved_text
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import compute_preview
from core.settings.keys import PROFILE, STRATEGY
from core.strategies.base import calls_model
from core.strategies.model_choice import choose_summary_model as choose_model
from core.strategies.registry import find_strategy
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import history_of_scope


def make_preview(
    opened: OpenedConversation, *, draft: bool = False, calls: bool = True, to: str = ""
) -> Preview:
    """Run the strategy; ``draft`` leaves the summary unwritten, ``calls=False`` one that a model writes.
    ``to`` is the format that the result will be written in."""
    started = time.monotonic()
    with ConsoleProgress(opened.options) as progress:
        preview_options = _preview_options(opened, progress, draft=draft)
        is_called = not preview_options.writer.is_offline and preview_options.summary is None and not draft
        preview_options = replace(preview_options, writes_summary=calls or not is_called, target_format=to)
        if is_called and calls:
            from core.cli.output.model_call import call_preview  # late: only needed with a model

            preview = call_preview(opened, preview_options)
        else:
            preview = compute_preview(opened.conversation, opened.values, preview_options, opened.stages)
    if not draft:
        _print_details(opened, preview, time.monotonic() - started)
    return preview


def _preview_options(opened: OpenedConversation, progress: ConsoleProgress, *, draft: bool) -> PreviewOptions:
    """Return the preview options of a command line, with the profile that would write the summary."""
    options = opened.options
    profile = ProfileStore().load(str(opened.values.get(PROFILE) or opened.profile.name))
    chosen = choose_model(profile, opened.values, find_strategy(opened.values.text(STRATEGY)))
    return PreviewOptions(
        options.scope,
        options.model,
        None if draft else opened.summary,
        draft=draft,
        progress=progress,
        writer=chosen.profile,
        model_reason=chosen.reason,
        focus=options.focus,
        pins=_pins(opened),
    )


def _pins(opened: OpenedConversation) -> dict[int, MessagePin]:
    """Return the pins of ``--pin`` and ``--drop-pin``; InputError for a wrong number, or one in both."""
    options = opened.options
    if not options.pins and not options.drop_pins:
        return {}
    count = len(history_of_scope(opened.conversation, options.scope).messages)
    kept = dict.fromkeys(message_indices(options.pins, count, "--pin"), MessagePin(PinKind.KEEP))
    dropped = dict.fromkeys(message_indices(options.drop_pins, count, "--drop-pin"), MessagePin(PinKind.DROP))
    if conflicting := sorted(kept.keys() & dropped.keys()):
        text = f"Message {conflicting[0] + 1} is in --pin and in --drop-pin."
        raise InputError(text, "Remove it from one of them.")
    return kept | dropped


def _print_details(opened: OpenedConversation, preview: Preview, seconds: float) -> None:
    options, compaction, mark = opened.options, preview.compaction, preview.count_method.mark
    print_detail(options, _trigger_text(preview))
    if calls_model(preview.strategy, preview.values):
        print_detail(options, f"summary: by the profile {preview.writer.name}")
    before, after = (
        number_format.tokens(mark, size) for size in (preview.before_tokens, preview.after_tokens)
    )
    messages = f"{len(preview.messages):,} → {len(compaction.messages):,} messages"
    change = saved_text(preview) or "unchanged"
    print_detail(options, f"statistics: {before} → {after} tokens, {messages}, {change}, {seconds:.2f} s")
    if (stats := compaction.stats) is not None:
        humans, answers = stats.user_messages_compressed, stats.assistant_messages_compressed
        print_detail(
            options,
            f"compressed: {stats.tool_results_compressed:,} tool results, "
            f"{humans:,} human and {answers:,} ai messages; "
            f"{stats.display_data_deleted:,} display-only dropped, {stats.messages_protected:,} protected",
        )


def _trigger_text(preview: Preview) -> str:
    trigger, limit, size = preview.trigger_tokens, preview.window.limit, preview.request_tokens
    if trigger is None or not limit:
        return f"trigger: {number_format.UNKNOWN}, limit {preview.window.source}"
    reached = "reached" if size >= trigger else "not reached"
    share = number_format.setting_percent(trigger / limit)
    size_text = number_format.tokens(preview.count_method.mark, size)
    sizes = f"{share} of {number_format.count(limit)} = {number_format.count(trigger)}"
    return f"trigger: {sizes}, {reached} at {size_text}; a run by hand does not wait for it"
