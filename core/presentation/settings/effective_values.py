"""Values of settings in the open conversation: "here #1–#83", "200,000, …"."""

from __future__ import annotations

from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.preview_columns import SUMMARISED, fate_codes
from core.preview.options import Preview
from core.settings.keys import LIMIT, PRESERVE, SUMMARY_TOKENS, TOP_PRESERVE
from core.summarize.summary_request import summary_budget


def settings_notes(preview: Preview | None) -> dict[str, str]:
    """Return a note by key where the preview has one; for LIMIT the value while unset."""
    if preview is None:
        return {}
    setting_keys = set(preview.strategy.options)
    notes = {LIMIT: _limit(preview), **_spans(preview)}
    if (max_tokens := max_summary_tokens(preview, fate_codes(preview.compaction))) is not None:
        notes[SUMMARY_TOKENS] = f"here at most {number_format.count(max_tokens)}"
    return {key: text for key, text in notes.items() if text and (key == LIMIT or key in setting_keys)}


def max_summary_tokens(preview: Preview, fates: bytes) -> int | None:
    """Return the largest summary in tokens; None if nothing is summarised or set."""
    configured = preview.values.integer(SUMMARY_TOKENS)
    replaced = sum(count for count, fate in zip(preview.counts, fates, strict=True) if fate == SUMMARISED)
    return summary_budget(configured, replaced) if configured or replaced else None


def _limit(preview: Preview) -> str:
    """Return the source of the limit while it is not set."""
    window = preview.window
    if preview.values.get(LIMIT) is not None:
        return ""
    if window.limit is None:
        return one_line_text(window.source)
    return f"{number_format.count(window.limit)}, {window.source}"


def _spans(preview: Preview) -> dict[str, str]:
    """Return the kept messages at top and bottom."""
    split = preview.compaction.split
    spans: dict[str, str] = {}
    for cut in split.cuts if split is not None else ():
        is_top = cut.name == "top"
        span = (
            number_format.span(0, cut.index) if is_top else number_format.span(cut.index, len(preview.counts))
        )
        spans[TOP_PRESERVE if is_top else PRESERVE] = f"here {span}"
    return spans
