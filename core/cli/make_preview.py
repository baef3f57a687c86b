"""Previews the opened transcript of a command line."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from core.cli import late
from core.cli.opened_transcript import OpenedConversation
from core.cli.output.console import ConsoleProgress, print_detail
from core.common import number_format
from core.presentation.preview_wording import reduction_text
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.settings.schema import STRATEGY
from core.settings_store.profile_store import ProfileStore
from core.strategies.base import calls_model
from core.strategies.registry import find_strategy


def make_preview(
    transcript: OpenedConversation,
    *,
    provisional: bool = False,
    calls: bool = True,
    to: str = "",
    takes_any_summary: bool = False,
    checks: bool = True,
) -> Preview:
    """Run the strategy; ``provisional`` leaves the summary unwritten, ``calls=False`` one that a
    model writes. ``to`` is the format that the result will be written in. ``takes_any_summary``:
    the text of ``--summary-file`` is not judged. ``checks``: with lint findings and what each
    switch saves."""
    started = time.monotonic()
    with ConsoleProgress(transcript.options) as progress:
        options = _preview_options(transcript, progress, provisional=provisional)
        is_called = (
            not options.summary.profile.is_offline
            and options.summary.text is None
            and not provisional
        )
        options = replace(
            options,
            target_format=to,
            checks=checks,
            summary=replace(
                options.summary,
                is_written=calls or not is_called,
                takes_any=takes_any_summary,
            ),
        )
        if is_called and calls:
            from core.cli.output.model_call import call_preview  # few runs call a model

            preview = call_preview(transcript, options)
        else:
            preview = transcript.preview(transcript.values, options)
    if transcript.options.verbose and not provisional:
        for text in _details(preview, time.monotonic() - started):
            print_detail(transcript.options, text)
    return preview


def _preview_options(
    transcript: OpenedConversation, progress: ConsoleProgress, *, provisional: bool
) -> PreviewOptions:
    """Return the preview options of a command line, with the profile that would write the
    summary."""
    options, values = transcript.options, transcript.values
    profile = ProfileStore().summary_profile(values, transcript.profile.name)
    reason = ""
    if not profile.is_offline:
        chosen = late.choose_summary_model(
            profile, values, find_strategy(values.text(STRATEGY))
        )
        profile, reason = chosen.profile, chosen.reason
    return PreviewOptions(
        scope=transcript.scope,
        model=options.model,
        provisional=provisional,
        progress=progress,
        focus=options.focus,
        pins=transcript.pins,
        musts=transcript.musts,
        every_turn=options.every_turn,
        summary=SummaryOptions(
            text=None if provisional else transcript.summary,
            profile=profile,
            model_reason=reason,
        ),
    )


def _details(preview: Preview, seconds: float) -> Iterable[str]:
    compaction, mark = preview.result.compaction, preview.sizes.count_method.mark
    trigger, limit = preview.sizes.trigger_tokens, preview.sizes.model_limit.tokens
    if trigger is None or not limit:
        yield f"trigger: {number_format.UNKNOWN}, limit {preview.sizes.model_limit.source}"
    else:
        reached = "reached" if preview.sizes.before_tokens >= trigger else "not reached"
        share = number_format.setting_percent(trigger / limit)
        sizes = (
            f"{share} of {number_format.count(limit)} = {number_format.count(trigger)}"
        )
        size_text = number_format.tokens(mark, preview.sizes.before_tokens)
        yield f"trigger: {sizes}, {reached} at {size_text}; a run by hand does not wait for it"
    if calls_model(preview.strategy, preview.source.values):
        yield f"summary: by the profile {preview.summary.profile.name}"
    before, after = (
        number_format.tokens(mark, size)
        for size in (preview.sizes.before_tokens, preview.sizes.after_tokens)
    )
    messages = f"{len(preview.messages):,} → {len(compaction.messages):,} messages"
    change = reduction_text(preview) or "unchanged"
    yield f"statistics: {before} → {after} tokens, {messages}, {change}, {seconds:.2f} s"
    if (stats := compaction.figures.stats) is not None:
        humans = stats.user_messages_compressed
        answers = stats.assistant_messages_compressed
        yield (
            f"compressed: {stats.tool_results_compressed:,} tool results, "
            f"{humans:,} human and {answers:,} ai messages; "
            f"{stats.display_data_deleted:,} display-only dropped, {stats.messages_protected:,} protected"
        )
