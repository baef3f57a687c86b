"""Lines, totals and sentence of the ruler."""

from __future__ import annotations

from core.common import excerpts, number_format
from core.presentation.preview_columns import PreviewColumns
from core.presentation.preview_wording import saved_text
from core.presentation.ruler.model import RulerMarks
from core.preview.options import Preview
from core.settings.keys import PRESERVE
from core.transcript.compaction import Cut
from core.transcript.model import ToolCall

_SINGLE = {"tail": "The tail"}


def ruler_marks(columns: PreviewColumns) -> RulerMarks:
    """Return all marks. Bars leave out the system prompt, so limit and trigger are drawn that much
    earlier."""
    preview = columns.preview
    limit, trigger = preview.window.limit, preview.trigger_tokens
    target, hidden = columns.compaction.target, max(0, preview.sizing.hidden)
    return RulerMarks(
        _without_system(preview, limit),
        _without_system(preview, trigger),
        target,
        _limit_labels(preview),
        _trigger_labels(preview),
        f"target {number_format.count(target)}" if target is not None else "",
        number_format.at_least(columns.marked_tokens(preview.before_tokens), columns.unknown_counts[0]),
        number_format.at_least(columns.marked_tokens(preview.after_tokens), columns.unknown_counts[1]),
        _distance_text(preview),
        _saved_marks(columns),
        cut_sentence(columns),
        hidden,
        _hidden_labels(hidden),
    )


def _hidden_labels(hidden: int) -> tuple[str, ...]:
    if not hidden:
        return ()
    texts = (
        f"{number_format.count(hidden)} hidden tokens",
        f"{number_format.abbreviated(hidden)} hidden",
    )
    return (*texts, "hidden")


def _without_system(preview: Preview, tokens: int | None) -> int | None:
    return None if tokens is None else max(0, tokens - preview.system_tokens)


def _limit_labels(preview: Preview) -> tuple[str, ...]:
    limit = preview.window.limit
    if limit is None:
        return (
            f"limit {number_format.UNKNOWN}, set",
            f"limit {number_format.UNKNOWN}",
        )
    texts = (
        f"limit {number_format.count(limit)}",
        f"limit {number_format.abbreviated(limit)}",
    )
    return (", ".join(filter(None, (texts[0], _system(preview)))), *texts) if preview.system_tokens else texts


def _trigger_labels(preview: Preview) -> tuple[str, ...]:
    trigger, limit = preview.trigger_tokens, preview.window.limit
    if trigger is None:
        return ()
    if not limit:
        return (
            f"trigger {number_format.count(trigger)}",
            f"trigger {number_format.abbreviated(trigger)}",
        )
    share = number_format.setting_percent(trigger / limit)
    return (
        f"trigger {share} · {number_format.count(trigger)}",
        f"trigger {number_format.abbreviated(trigger)}",
    )


def _system(preview: Preview) -> str:
    return f"{number_format.count(preview.system_tokens)} of it system prompt and tools"


def _distance_text(preview: Preview) -> str:
    used, limit, trigger = preview.request_tokens, preview.window.limit, preview.trigger_tokens
    if trigger is None:
        return ""
    if limit is not None and used > limit:
        return f"{number_format.count(used - limit)} over the limit"
    if used >= trigger:
        return f"{number_format.count(used - trigger)} over the trigger"
    return f"{number_format.count(trigger - used)} to the trigger"


def _saved_marks(columns: PreviewColumns) -> str:
    """Return the change, with the number of encrypted messages left out."""
    text, missing = saved_text(columns.preview), columns.unknown_counts[1]
    hidden = number_format.plural(missing, "encrypted message")
    return f"{text} · {hidden} not counted" if text and missing else text


def cut_sentence(columns: PreviewColumns) -> str:
    """Describe a cut that moved, else the tail; empty if all cuts are as requested."""
    for number, cut in enumerate(columns.cuts, 1):
        if cut.index != cut.requested:
            name = f"Cut {number}" if len(columns.cuts) > 1 else _SINGLE.get(cut.name, "The cut")
            moved = f"{name} asked for {_place(cut, cut.requested)} and moved to {_place(cut, cut.index)}"
            reason = kept_pair_text(columns, cut)
            return ": ".join(filter(None, (moved, reason)))
    if columns.cuts and columns.cuts[0].name == "tail":
        return _tail_sentence(columns)
    return ""


def _place(cut: Cut, index: int) -> str:
    """Name a top by its last message, other cuts by the message after them."""
    return f"after #{index}" if cut.name == "top" else number_format.message_number(index)


def _tail_sentence(columns: PreviewColumns) -> str:
    share = number_format.setting_percent(columns.preview.values.number(PRESERVE))
    span = number_format.span(columns.cuts[0].index, columns.length)
    return (
        f"Tail: the newest {share} of {number_format.plural(len(columns.input_indices), 'message')} = {span}"
    )


def kept_pair_text(columns: PreviewColumns, cut: Cut) -> str:
    """Return the pair that moved a cut: "bash toolu_01F9 stays with its result", or nothing."""
    for boundary in (cut.requested, cut.reference):
        if 0 <= boundary < len(columns.preview.pairs.valid):
            for pair in columns.preview.pairs.pairs_across(boundary):
                name = _call_name(columns.preview, pair.call, pair.call_block)
                return f"{name} {excerpts.one_line_text(pair.id, 18)} stays with its result"
    return ""


def _call_name(preview: Preview, index: int, block: int) -> str:
    call = preview.messages[index].blocks[block]
    return excerpts.one_line_text(call.name, 40) if isinstance(call, ToolCall) else "the call"
