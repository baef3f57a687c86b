"""The page of a recorded compaction: context before and after, tokens, later cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from core.common import excerpts, number_format
from core.common.errors import InputError
from core.common.number_format import context_compacted, short_tokens
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection
from core.presentation.model import LabelledFigure, RecordedRow
from core.presentation.preview_wording import opaque_text, scope_left
from core.presentation.why import sentence_spans
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Opaque, RecordedCompaction, Text
from core.transcript.scopes import ALL, BEFORE, History, context_after_compaction, replaces_messages, scopes

_SUMMARY_TEXT = 4_000
COUNTED_MARK = "≈"
"""Mark of our own counts beside reported ones."""


def recorded_rows(
    conversation: Conversation, history: History, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[RecordedRow, ...]:
    """Return rows of a history's recorded compactions, numbered over the whole session. The one that begins a
    scope is first, the one that ends ``before:N`` last."""
    if history.scope not in scopes(conversation):  # a result shown as a history
        return ()
    recorded = conversation.recorded
    is_all, is_before = history.scope == ALL, history.scope.startswith(BEFORE)
    last_number = int(history.scope.removeprefix(BEFORE)) if is_before else len(recorded)
    end = recorded[last_number - 1].position if is_before else len(conversation.messages)
    earlier = recorded[: last_number - 1] if is_before else recorded
    first_number = max(
        (
            number
            for number, compaction_before in enumerate(earlier, 1)
            if replaces_messages(compaction_before)
        ),
        default=1,
    )
    rows: list[RecordedRow] = []
    for number in range(1 if is_all else first_number, last_number + 1):
        compaction = recorded[number - 1]
        is_scope_start = (
            not is_all and number == first_number and number <= len(earlier) and replaces_messages(compaction)
        )
        position = 0 if is_scope_start else len(history.messages) - (end - compaction.position)
        rows.append(_row(compaction, measured[number - 1] if measured else None, number, position))
    return tuple(rows)


def _row(
    compaction: RecordedCompaction, measured: MeasuredCompaction | None, number: int, position: int
) -> RecordedRow:
    text = context_compacted(recorded_size(compaction, measured))
    kind = "" if compaction.kind == "summary" else compaction.kind
    location = f"before {number_format.message_number(compaction.position)}"
    description = (
        [hidden_text(compaction)] if compaction.kind == "opaque" else [kind, compaction.trigger, location]
    )
    parts = [f"recorded {number}", *description, tax_text(measured)]
    tone, growth = "opaque" if compaction.kind == "opaque" else "", context_growth(compaction, measured)
    if growth is not None and growth >= 0:
        parts.insert(0, f"grew by {number_format.abbreviated(growth)}" if growth else "saved nothing")
        tone = "error"
    detail = " · ".join(part for part in parts if part)
    summary = excerpts.ellipsize(summary_text(compaction), _SUMMARY_TEXT)
    return RecordedRow(position, number, text, detail, tone, summary, compaction.kind == "opaque")


def recorded_size(compaction: RecordedCompaction, measured: MeasuredCompaction | None) -> str:
    """Return "168k → 38k" as reported, else marked as our own count."""
    before, after = (measured.tokens_before, measured.tokens_after) if measured else (None, None)
    return (
        f"{_short_figure(compaction.tokens_before, before)} → {_short_figure(compaction.tokens_after, after)}"
    )


def _short_figure(reported: int | None, measured: int | None) -> str:
    if reported is not None or measured is None:
        return number_format.UNKNOWN if reported is None else short_tokens(reported)
    return COUNTED_MARK + short_tokens(measured)


def tax_text(measured: MeasuredCompaction | None) -> str:
    """Return "6 of 7 later reads read again", or nothing without reads."""
    if measured is None or not measured.reads:
        return ""
    return f"{measured.repeated_reads} of {number_format.plural(measured.reads, 'later read')} read again"


def hidden_text(compaction: RecordedCompaction) -> str:
    """Return "encrypted by the provider, 41 kB, not inspectable"."""
    blocks = [
        block for message in compaction.summary for block in message.blocks if isinstance(block, Opaque)
    ]
    description = opaque_text(blocks[0]) if blocks else "encrypted"
    return description.replace("encrypted", "encrypted by the provider", 1) + ", not inspectable"


def summary_text(compaction: RecordedCompaction) -> str:
    blocks = chain.from_iterable(message.blocks for message in compaction.summary)
    return "\n\n".join(block.text for block in blocks if isinstance(block, Text))


_CUT_FATE = -1
_KINDS = {"opaque": "encrypted"}
_NOT_REPORTED, _NOT_IN_FILE, _ENCRYPTED = "not reported", "not in this file", "encrypted"
_MAX_KEPT = 24
_MAX_SUMMARY = 20_000
SCOPE_LINK = "scope:"
"""Prefix of links that choose a scope."""
_NOTE = "Reported figures hold system prompt and tools, too; ours are of the messages alone."


def recorded_page(preview: Preview, measured: tuple[MeasuredCompaction, ...], number: int) -> WhyPage:
    """Return the page of recorded compaction ``number`` (from 1); raise InputError for an unknown one."""
    recorded = preview.conversation.recorded
    if not 1 <= number <= len(recorded):
        raise InputError(f"There is no recorded compaction {number}.", f"There are {len(recorded)}.")
    compaction, measured_compaction = recorded[number - 1], measured[number - 1]
    sections = (
        _scopes(preview, number),
        _tokens(preview, compaction, measured_compaction),
        _kept(preview, compaction),
        WhySection("Read again", sentence_spans(_tax(measured_compaction))),
        _summary(compaction),
    )
    return WhyPage(
        f"Recorded {number} of {len(recorded)}",
        " · ".join(
            part for part in (_KINDS.get(compaction.kind, compaction.kind), compaction.trigger) if part
        ),
        _CUT_FATE,
        sentence_spans(_sentence(preview, compaction, measured_compaction)),
        (),
        tuple(section for section in sections if section is not None),
    )


def _sentence(preview: Preview, compaction: RecordedCompaction, measured: MeasuredCompaction) -> str:
    location = (
        f"Before {number_format.message_number(compaction.position)} of the session the "
        f"agent compacted its context"
    )
    if measured.messages_before is None:
        left_messages = number_format.plural(measured.messages_after, "message")
        return f"{location}: {left_messages} stayed or were written; what it removed is not in this file."
    change_text = (
        f"{number_format.plural(measured.messages_before, 'message')} became "
        f"{number_format.count(measured.messages_after)}"
    )
    if not replaces_messages(compaction):
        change_text = (
            f"{number_format.plural(len(compaction.cleared), 'result was', 'results were')} cleared in place"
        )
    growth = context_growth(compaction, measured)
    if growth is None:
        return f"{location}: {change_text}."
    if growth >= 0:
        growth_text = (
            f"grew by {number_format.plural(growth, 'token')}" if growth else "is as large as before"
        )
        return f"{location}: {change_text}, but the context {growth_text}."
    is_reported = compaction.tokens_before is not None and compaction.tokens_after is not None
    mark = "" if is_reported else preview.count_method.mark
    return f"{location}: {change_text}; the context is {number_format.tokens(mark, -growth)} tokens smaller."


def _scopes(preview: Preview, number: int) -> WhySection:
    before_link = TextSpan("the context before it", f"{SCOPE_LINK}{BEFORE}{number}")
    after_link = TextSpan("what it left", f"{SCOPE_LINK}{scope_left(preview.conversation, number)}")
    both_link = TextSpan("both side by side", f"beside:{number}")
    return WhySection(
        "In the lists", sentence_spans("Show ", before_link, ", ", after_link, " or ", both_link, ".")
    )


def _tokens(preview: Preview, compaction: RecordedCompaction, measured: MeasuredCompaction) -> WhySection:
    mark, growth = preview.count_method.mark, context_growth(compaction, measured)
    facts = [
        LabelledFigure("before, reported", _figure("=", compaction.tokens_before, _NOT_REPORTED)),
        LabelledFigure("left, reported", _figure("=", compaction.tokens_after, _NOT_REPORTED)),
        LabelledFigure("before, by our count", _figure(mark, measured.tokens_before, _NOT_IN_FILE)),
        LabelledFigure("left, by our count", _figure(mark, measured.tokens_after, _ENCRYPTED)),
        LabelledFigure("messages before", _figure("", measured.messages_before, _NOT_IN_FILE)),
        LabelledFigure("messages left", number_format.count(measured.messages_after)),
    ]
    if compaction.cleared:
        facts.append(LabelledFigure("results cleared in place", number_format.count(len(compaction.cleared))))
    if growth is not None:
        facts.append(LabelledFigure("change", number_format.signed(growth), "ok" if growth < 0 else "error"))
    return WhySection("Tokens", sentence_spans(_NOTE), tuple(facts))


def _figure(mark: str, number: int | None, unknown: str) -> str:
    """Return a figure, or why there is none."""
    return unknown if number is None else number_format.tokens(mark, number)


def _kept(preview: Preview, compaction: RecordedCompaction) -> WhySection | None:
    kept_indices = [index for index in context_after_compaction(compaction) if isinstance(index, int)]
    if not kept_indices:
        return None
    indices = {position: index for index, position in enumerate(preview.history.positions) if position >= 0}
    parts: list[str | TextSpan] = []
    for number, index in enumerate(kept_indices[:_MAX_KEPT]):
        name = number_format.message_number(index)
        parts += [
            ", " if number else "",
            TextSpan(name, f"before:{indices[index]}") if index in indices else name,
        ]
    more_text = f" and {len(kept_indices) - _MAX_KEPT} more" if len(kept_indices) > _MAX_KEPT else ""
    title = f"{number_format.plural(len(kept_indices), 'message')} kept"
    return WhySection(title, sentence_spans("In the whole session: ", *parts, more_text, "."))


def _tax(measured: MeasuredCompaction) -> str:
    if measured.reread_share is None:
        return "No file was read between it and the next recorded compaction or the end."
    share = number_format.percent(measured.reread_share, 0)
    reads = number_format.plural(measured.reads, "later file read")
    return f"{measured.repeated_reads} of {reads} ({share}) read a file again that had been read before it."


def _summary(compaction: RecordedCompaction) -> WhySection | None:
    if compaction.kind == "opaque":
        return WhySection("What it wrote", sentence_spans(f"It is {hidden_text(compaction)}."))
    text = summary_text(compaction)
    return WhySection("Its summary", mono=excerpts.ellipsize(text, _MAX_SUMMARY)) if text else None
