"""The page of a recorded compaction: context before and after, tokens, later cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from core.common import excerpts, number_format
from core.common.errors import InputError
from core.common.number_format import abbreviated, context_compacted
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection
from core.presentation.model import LabelledFigure, RecordedRow
from core.presentation.preview_wording import (
    ENCRYPTED,
    again_text,
    opaque_text,
    scope_left,
)
from core.presentation.why import sentence_spans
from core.preview.options import Preview
from core.tokens.brought_back_value import TURNS
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Opaque, RecordedCompaction, Text
from core.transcript.scopes import (
    ALL,
    BEFORE,
    History,
    context_after_compaction,
    replaces_messages,
    scopes,
)

_SUMMARY_TEXT = 4_000
COUNTED_MARK = "≈"
"""Mark of our own counts beside reported ones."""


def recorded_rows(
    conversation: Conversation,
    history: History,
    measured: Sequence[MeasuredCompaction] = (),
) -> tuple[RecordedRow, ...]:
    """Return rows of a history's recorded compactions, numbered over the whole session. The one
    that begins a scope is first, the one that ends ``before:N`` last."""
    if history.scope not in scopes(conversation):  # a result shown as a history
        return ()
    recorded = conversation.recorded
    is_all = history.scope == ALL
    last_number, end, earlier = len(recorded), len(conversation.messages), recorded
    if history.scope.startswith(BEFORE):
        last_number = int(history.scope.removeprefix(BEFORE))
        end = recorded[last_number - 1].boundary
        earlier = recorded[: last_number - 1]
    starts = [number for number, one in enumerate(earlier, 1) if replaces_messages(one)]
    if is_all:
        first_number = 1
    else:
        first_number = max(starts, default=1)
    rows: list[RecordedRow] = []
    for number in range(first_number, last_number + 1):
        compaction = recorded[number - 1]
        is_scope_start = not is_all and number == first_number and number in starts
        if is_scope_start:
            boundary = 0
        else:
            boundary = len(history.messages) - (end - compaction.boundary)
        row = _row(
            compaction, measured[number - 1] if measured else None, number, boundary
        )
        scope = f"{BEFORE}{number}"
        rows.append(row if scope == history.scope else replace(row, scope=scope))
    return tuple(rows)


def _row(
    compaction: RecordedCompaction,
    measured: MeasuredCompaction | None,
    number: int,
    boundary: int,
) -> RecordedRow:
    is_opaque, growth = (
        compaction.kind == "opaque",
        context_growth(compaction, measured),
    )
    kind = "" if compaction.kind == "summary" else compaction.kind
    location = f"before {number_format.message_number(compaction.boundary)}"
    if is_opaque:
        description = [hidden_text(compaction)]
    else:
        description = [kind, compaction.trigger, location]
    parts, tone = (
        [
            f"recorded {number}",
            *description,
            again_text(measured) or tax_text(measured),
        ],
        "opaque" if is_opaque else "",
    )
    if growth is not None and growth >= 0:
        parts.insert(
            0,
            f"grew by {number_format.abbreviated(growth)}"
            if growth
            else "saved nothing",
        )
        tone = "error"
    text, detail = (
        context_compacted(recorded_size(compaction, measured)),
        " · ".join(filter(None, parts)),
    )
    summary = excerpts.ellipsize(summary_text(compaction), _SUMMARY_TEXT)
    return RecordedRow(
        boundary=boundary,
        number=number,
        text=text,
        detail=detail,
        tone=tone,
        summary=summary,
        is_hidden=is_opaque,
    )


def recorded_size(
    compaction: RecordedCompaction, measured: MeasuredCompaction | None
) -> str:
    """Return "168k → 38k" as reported, else marked as our own count. What is reported is a request,
    what is counted are messages alone: the two do not stand on both sides."""
    reported = compaction.tokens_before, compaction.tokens_after
    if measured is None:
        return " → ".join(map(_reported_size, reported))
    if reported[1] is None:
        reported = reported[0], measured.next_request
    counted = measured.tokens_before, measured.tokens_after
    if None not in reported or (None in counted and any(reported)):
        return " → ".join(map(_reported_size, reported))
    return " → ".join(map(_counted_size, counted))


def _reported_size(size: int | None) -> str:
    if size is None:
        return number_format.UNKNOWN
    return abbreviated(size)


def _counted_size(size: int | None) -> str:
    if size is None:
        return number_format.UNKNOWN
    return COUNTED_MARK + abbreviated(size)


def tax_text(measured: MeasuredCompaction | None) -> str:
    """Return "6 of 7 later reads read again", or nothing without reads."""
    if measured is None or not measured.reads:
        return ""
    return (
        f"{measured.repeated_reads} of {number_format.plural(measured.reads, 'later read')} "
        f"read again"
    )


def hidden_text(compaction: RecordedCompaction) -> str:
    """Return "encrypted by the provider, 41 kB, not inspectable"."""
    blocks = chain.from_iterable(message.blocks for message in compaction.summary)
    opaque = next((block for block in blocks if isinstance(block, Opaque)), None)
    encrypted = f"{ENCRYPTED} by the provider"
    if opaque:
        description = opaque_text(opaque, encrypted)
    else:
        description = encrypted
    return f"{description}, not inspectable"


def summary_text(compaction: RecordedCompaction) -> str:
    blocks = chain.from_iterable(message.blocks for message in compaction.summary)
    return "\n\n".join(block.text for block in blocks if isinstance(block, Text))


_CUT_FATE = -1
_NOT_REPORTED, _NOT_IN_FILE, _ENCRYPTED = (
    "not reported",
    "not in this file",
    "encrypted",
)
_MAX_KEPT = 24
_MAX_SUMMARY = 20_000
SCOPE_LINK = "scope:"
"""Prefix of links that choose a scope."""
_NOTE = "Reported figures hold system prompt and tools, too; ours are of the messages alone."


def recorded_page(
    preview: Preview, measured: tuple[MeasuredCompaction, ...], number: int
) -> WhyPage:
    """Return the page of recorded compaction ``number`` (from 1); raise InputError for an unknown
    one."""
    recorded = preview.source.conversation.recorded
    if not 1 <= number <= len(recorded):
        raise InputError(
            f"There is no recorded compaction {number}.", f"There are {len(recorded)}."
        )
    compaction, counted = recorded[number - 1], measured[number - 1]
    is_opaque, text = compaction.kind == "opaque", summary_text(compaction)
    lists = (
        *(
            "Show ",
            TextSpan("the context before it", f"{SCOPE_LINK}{BEFORE}{number}"),
            ", ",
        ),
        TextSpan(
            "what it left",
            f"{SCOPE_LINK}{scope_left(preview.source.conversation, number)}",
        ),
        *(" or ", TextSpan("both side by side", f"beside:{number}"), "."),
    )
    undo = (
        TextSpan("Undo this compaction…", f"undo:{number}"),
        " writes the session as it was before it to a file of its own.",
    )
    sections = [
        WhySection("In the lists", sentence_spans(*lists)),
        _tokens(preview, compaction, counted),
        *(
            []
            if compaction.is_source_lost
            else [WhySection("In a file", sentence_spans(*undo))]
        ),
        *_kept(preview, compaction),
        WhySection("Read again", sentence_spans(_tax(counted))),
    ]
    if is_opaque:
        sections.append(
            WhySection(
                "What it wrote", sentence_spans(f"It is {hidden_text(compaction)}.")
            )
        )
    elif text:
        sections.append(
            WhySection("Its summary", mono=excerpts.ellipsize(text, _MAX_SUMMARY))
        )
    kinds = ("encrypted" if is_opaque else compaction.kind, compaction.trigger)
    sentence = sentence_spans(_sentence(preview, compaction, counted))
    title, note = (
        f"Recorded {number} of {len(recorded)}",
        " · ".join(filter(None, kinds)),
    )
    return WhyPage(title, note, _CUT_FATE, sentence, (), tuple(sections))


def _sentence(
    preview: Preview, compaction: RecordedCompaction, measured: MeasuredCompaction
) -> str:
    number = number_format.message_number(compaction.boundary)
    location = f"Before {number} of the session the agent compacted its context"
    if measured.messages_before is None:
        left_messages = number_format.plural(measured.messages_after, "message")
        return (
            f"{location}: {left_messages} stayed or were written; what it removed is not in "
            f"this file."
        )
    if replaces_messages(compaction):
        before = number_format.plural(measured.messages_before, "message")
        change_text = f"{before} became {number_format.count(measured.messages_after)}"
    else:
        cleared = number_format.plural(
            len(compaction.cleared), "result was", "results were"
        )
        change_text = f"{cleared} cleared in place"
    growth = context_growth(compaction, measured)
    if growth is None:
        return f"{location}: {change_text}."
    if growth >= 0:
        if growth:
            larger = f"grew by {number_format.plural(growth, 'token')}"
        else:
            larger = "is as large as before"
        return f"{location}: {change_text}, but the context {larger}."
    is_reported = (
        compaction.tokens_before is not None and compaction.tokens_after is not None
    )
    if is_reported:
        mark = ""
    else:
        mark = preview.sizes.count_method.mark
    return (
        f"{location}: {change_text}; the context is {number_format.tokens(mark, -growth)} "
        f"tokens smaller."
    )


def _tokens(
    preview: Preview, compaction: RecordedCompaction, measured: MeasuredCompaction
) -> WhySection:
    mark, growth = preview.sizes.count_method.mark, context_growth(compaction, measured)
    figures = (
        ("before, reported", "=", compaction.tokens_before, _NOT_REPORTED),
        ("left, reported", "=", compaction.tokens_after, _NOT_REPORTED),
        ("before, by our count", mark, measured.tokens_before, _NOT_IN_FILE),
        ("left, by our count", mark, measured.tokens_after, _ENCRYPTED),
        ("messages before", "", measured.messages_before, _NOT_IN_FILE),
        ("messages left", "", measured.messages_after, ""),
        ("results cleared in place", "", len(compaction.cleared) or None, ""),
    )
    facts = [
        LabelledFigure(
            label, unknown if number is None else number_format.tokens(sign, number)
        )
        for label, sign, number, unknown in figures
        if number is not None or unknown
    ]
    if growth is not None:
        facts.append(
            LabelledFigure(
                "change", number_format.signed(growth), "" if growth < 0 else "error"
            )
        )
    return WhySection("Tokens", sentence_spans(_NOTE), tuple(facts))


def _kept(preview: Preview, compaction: RecordedCompaction) -> Iterator[WhySection]:
    """Yield the messages that stayed, with links to those of the shown scope; nothing where none
    did."""
    kept_indices = [
        index
        for index in context_after_compaction(compaction)
        if isinstance(index, int)
    ]
    indices = {
        source_index: index
        for index, source_index in enumerate(preview.source.history.indices)
        if source_index >= 0
    }
    parts: list[str | TextSpan] = []
    for index in kept_indices[:_MAX_KEPT]:
        name = number_format.message_number(index)
        parts += [
            ", ",
            TextSpan(name, f"before:{indices[index]}") if index in indices else name,
        ]
    if kept_indices:
        if len(kept_indices) > _MAX_KEPT:
            more_text = f" and {len(kept_indices) - _MAX_KEPT} more"
        else:
            more_text = ""
        title = f"{number_format.plural(len(kept_indices), 'message')} kept"
        yield WhySection(
            title, sentence_spans("In the whole session: ", *parts[1:], more_text, ".")
        )


def _tax(measured: MeasuredCompaction) -> str:
    if measured.reread_share is None:
        return (
            "No file was read between it and the next recorded compaction or the end."
        )
    share = number_format.percent(measured.reread_share, 0)
    reads = number_format.plural(measured.reads, "later file read")
    said = (
        f"{measured.repeated_reads} of {reads} ({share}) read a file again that had been read "
        f"before it."
    )
    again = again_text(measured)
    if again:
        return f"{said} In the {TURNS} turns behind it, of what it removed, {again}."
    return said
