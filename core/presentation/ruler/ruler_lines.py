"""Lines, totals, gauge and sentence of the ruler."""

from __future__ import annotations

from core.common import excerpts, number_format
from core.common.number_format import abbreviated, count
from core.presentation.preview_columns import DROPPED, EDITED, PRUNED, SUMMARISED, PreviewColumns
from core.presentation.preview_wording import cut_moved_text, saved_text
from core.presentation.ruler.model import ContextGauge, RulerMarks, SentencePart
from core.preview.options import Preview
from core.transcript.compaction import Cut
from core.transcript.model import ToolCall

_MIN_SHARE = 0.1  # share of the changed messages from which an effect is named in the sentence


def ruler_marks(columns: PreviewColumns) -> RulerMarks:
    """Return all marks. Bars leave out the system prompt, so limit and trigger are drawn that much
    earlier."""
    preview = columns.preview
    limit, trigger = preview.window.limit, preview.trigger_tokens
    target, hidden = columns.compaction.target, max(0, preview.sizing.hidden)
    saved, missing = saved_text(preview), columns.unknown_counts[1]
    if saved and missing:
        saved += f" · {number_format.plural(missing, 'encrypted message')} not counted"
    return RulerMarks(
        _without_system(preview, limit),
        _without_system(preview, trigger),
        target,
        _limit_labels(preview),
        _trigger_labels(preview),
        f"target {count(target)}" if target is not None else "",
        number_format.at_least(columns.marked_tokens(preview.before_tokens), columns.unknown_counts[0]),
        number_format.at_least(columns.marked_tokens(preview.after_tokens), missing),
        _distance_text(preview),
        saved,
        moved_cut_text(columns),
        effect_sentence(columns),
        hidden,
        (f"{count(hidden)} hidden tokens", f"{abbreviated(hidden)} hidden", "hidden") if hidden else (),
        context_gauge(columns),
    )


def _without_system(preview: Preview, tokens: int | None) -> int | None:
    return None if tokens is None else max(0, tokens - preview.system_tokens)


def _limit_labels(preview: Preview) -> tuple[str, ...]:
    limit = preview.window.limit
    if limit is None:
        return (f"limit {number_format.UNKNOWN}, set", f"limit {number_format.UNKNOWN}")
    texts = (f"limit {count(limit)}", f"limit {abbreviated(limit)}")
    system = f"{count(preview.system_tokens)} of it system prompt and tools"
    return (f"{texts[0]}, {system}", *texts) if preview.system_tokens else texts


def _trigger_labels(preview: Preview) -> tuple[str, ...]:
    trigger, limit = preview.trigger_tokens, preview.window.limit
    if trigger is None:
        return ()
    share = f"{number_format.setting_percent(trigger / limit)} · " if limit else ""
    return (f"trigger {share}{count(trigger)}", f"trigger {abbreviated(trigger)}")


def _distance_text(preview: Preview) -> str:
    used, limit, trigger = preview.request_tokens, preview.window.limit, preview.trigger_tokens
    if trigger is None:
        return ""
    if limit is not None and used > limit:
        return f"{count(used - limit)} over the limit"
    if used >= trigger:
        return f"{count(used - trigger)} over the trigger"
    return f"{count(trigger - used)} to the trigger"


def context_gauge(columns: PreviewColumns) -> ContextGauge:
    """Return the sizes of the next request before and after the compaction, with their labels."""
    preview = columns.preview
    now, limit, trigger = preview.request_tokens, preview.window.limit, preview.trigger_tokens
    overhead = now - preview.before_tokens
    after, target = overhead + preview.after_tokens, columns.compaction.target

    def share(tokens: int, form: str) -> str:
        return form.format(number_format.percent(tokens / limit, 0)) if limit else ""

    now_label = f"now {abbreviated(now)}{share(now, ' · {}')}"
    limit_label = f"limit {abbreviated(limit)}" if limit else ""
    if limit and now > limit:
        limit_label += f" · now {abbreviated(now)}, {abbreviated(now - limit)} over"
        now_label = ""
    elif trigger is not None and now >= trigger:
        now_label = f"now {abbreviated(now)} · {abbreviated(now - trigger)} over the trigger"
    after_label = f"after {abbreviated(after)}{share(after, ' · {}')}" if after != now else ""
    joined = (
        f"now {abbreviated(now)}{share(now, ' ({})')} → after {abbreviated(after)}{share(after, ' ({})')}"
    )
    return ContextGauge(
        now,
        after,
        max(0, overhead),  # fewer tokens are reported than counted in a session without a system prompt
        limit,
        trigger,
        target,
        now_label,
        after_label,
        joined if after_label else now_label,
        f"trigger {abbreviated(trigger)}" if trigger is not None else "",
        limit_label,
        f"target {abbreviated(target)}" if target is not None else "",
    )


def effect_sentence(columns: PreviewColumns) -> tuple[SentencePart, ...]:
    """Say how many messages became what, and what the conversation's size was and is."""
    preview, fates = columns.preview, columns.fates
    if preview.compaction.no_op is not None:
        return ((preview.compaction.no_op.reason, ""),)
    numbers = (
        (fates.count(SUMMARISED), ("becomes a summary", "become one summary", "become summaries")),
        (fates.count(EDITED), ("is shortened", "are shortened", "are shortened")),
        (fates.count(PRUNED) + fates.count(DROPPED), ("is removed", "are removed", "are removed")),
    )
    changed = sum(number for number, _ in numbers)
    parts: list[SentencePart] = []
    for number, (single, one_result, several) in numbers:
        if number and number >= _MIN_SHARE * changed:
            verb = (
                single if number == 1 else one_result if preview.compaction.summary is not None else several
            )
            subject = f"{count(number)} of {number_format.plural(columns.length, 'message')}"
            parts += [(" and ", ""), (count(number) if parts else subject, "strong"), (f" {verb}", "")]
    if not parts:
        return (("Nothing is removed.", ""),)
    sizes = f"{abbreviated(preview.before_tokens)} → {abbreviated(preview.after_tokens)} tokens"
    change = preview.after_tokens - preview.before_tokens
    share = number_format.percent(abs(change) / max(1, preview.before_tokens), 0)
    sign = number_format.MINUS if change < 0 else "+"
    return (*parts[1:], (": ", ""), (sizes, "strong"), (f" ({sign}{share}).", ""))


def moved_cut_text(columns: PreviewColumns) -> str:
    """Return "Top ends after #32, not #30: Edit keeps its result" of the first cut that moved, or nothing."""
    for cut in columns.cuts:
        if cut.index != cut.requested:
            text = cut_moved_text(cut, columns.length)
            return ": ".join(filter(None, (text, kept_pair_text(columns, cut))))
    return ""


def kept_pair_text(columns: PreviewColumns, cut: Cut) -> str:
    """Return the call that moved a cut: "Edit keeps its result", or nothing."""
    for boundary in (cut.requested, cut.reference):
        if 0 <= boundary < len(columns.preview.pairs.valid):
            for pair in columns.preview.pairs.pairs_across(boundary):
                call = columns.preview.messages[pair.call].blocks[pair.call_block]
                name = excerpts.one_line_text(call.name, 40) if isinstance(call, ToolCall) else "the call"
                return f"{name} keeps its result"
    return ""
