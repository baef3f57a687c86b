"""What settings amount to in the conversation that is shown: "here #1–#83", "200,000, …"."""

from __future__ import annotations

from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.preview_columns import SUMMARISED, fate_codes
from core.preview.options import Preview
from core.settings.keys import LIMIT, PRESERVE, SUMMARY_TOKENS, TOP_PRESERVE
from core.summarize.summary_request import summary_budget


def settings_notes(preview: Preview | None) -> dict[str, str]:
    """A text by key, for settings that the preview can tell something of; of LIMIT what it is while unset."""
    if preview is None:
        return {}
    known = set(preview.strategy.options)
    found = {LIMIT: _limit(preview), **_spans(preview)}
    if (most := most_tokens(preview, fate_codes(preview.compaction))) is not None:
        found[SUMMARY_TOKENS] = f"here at most {number_format.count(most)}"
    return {key: text for key, text in found.items() if text and (key == LIMIT or key in known)}


def most_tokens(preview: Preview, fates: bytes) -> int | None:
    """Most tokens that the summary may have; None where nothing is summarised and nothing is set."""
    configured = preview.values.whole(SUMMARY_TOKENS)
    replaced = sum(count for count, fate in zip(preview.counts, fates, strict=True) if fate == SUMMARISED)
    return summary_budget(configured, replaced) if configured or replaced else None


def _limit(preview: Preview) -> str:
    """Where the limit comes from while it is not set; "" where it is."""
    window = preview.window
    if preview.values.get(LIMIT) is not None:
        return ""
    if window.limit is None:
        return one_line_text(window.source)
    return f"{number_format.count(window.limit)}, {window.source}"


def _spans(preview: Preview) -> dict[str, str]:
    """The messages that stay at the top and at the bottom."""
    split = preview.compaction.split
    found: dict[str, str] = {}
    for cut in split.cuts if split is not None else ():
        is_top = cut.name == "top"
        span = (
            number_format.span(0, cut.index) if is_top else number_format.span(cut.index, len(preview.counts))
        )
        found[TOP_PRESERVE if is_top else PRESERVE] = f"here {span}"
    return found
