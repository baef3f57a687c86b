"""The page of a recorded compaction: context before and after, tokens, later cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from core.common import excerpts, number_format
from core.common.errors import InputError
from core.common.number_format import abbreviated, context_compacted
from core.formats.discovery.find_sessions import SESSION_FOLDERS
from core.formats.registry import FORMATS
from core.losses.needed_later import NeededLater
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection
from core.presentation.lists.row_plan import ENCRYPTED, opaque_text
from core.presentation.model import LabelledFigure, Notice, NoticeAction, RecordedRow
from core.presentation.preview_wording import (
    again_text,
    current_context_text,
    scope_left,
)
from core.presentation.why import sentence_spans
from core.preview.options import Preview
from core.tokens.recorded_compactions import TURNS, MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Opaque, RecordedCompaction, Text
from core.transcript.scopes import (
    ALL,
    BEFORE,
    CURRENT,
    History,
    context_after_compaction,
    history_of_scope,
    replaces_messages,
    scopes,
)
from core.trials.side_by_side import ExplainedCompaction

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
    last_number = len(recorded)
    end = len(conversation.messages)
    earlier = recorded
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
    is_opaque = compaction.kind == "opaque"
    if is_opaque:
        description = [hidden_text(compaction)]
        tone = "opaque"
    else:
        kind = "" if compaction.kind == "summary" else compaction.kind
        location = f"before {number_format.message_number(compaction.boundary)}"
        description, tone = [kind, compaction.trigger, location], ""
    again = again_text(measured) or tax_text(measured)
    parts = [f"recorded {number}", *description, again]
    growth = context_growth(compaction, measured)
    if growth is not None and growth >= 0:
        parts.insert(0, _growth_text(growth))
        tone = "error"
    text = context_compacted(recorded_size(compaction, measured))
    detail = " · ".join(filter(None, parts))
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


def _growth_text(growth: int) -> str:
    if growth:
        return f"grew by {number_format.abbreviated(growth)}"
    return "saved nothing"


def recorded_size(
    compaction: RecordedCompaction, measured: MeasuredCompaction | None
) -> str:
    """Return "168k → 38k" as reported, else marked as our own count. What is reported is a request,
    what is counted are messages alone: the two do not stand on both sides."""
    reported = compaction.tokens_before, compaction.tokens_after
    if measured is None:
        return " → ".join(map(abbreviated, reported))
    if reported[1] is None:
        reported = reported[0], measured.next_request
    counted = measured.tokens_before, measured.tokens_after
    if None not in reported or (None in counted and any(reported)):
        return " → ".join(map(abbreviated, reported))
    return " → ".join(map(_counted_size, counted))


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
_NOT_REPORTED = "not reported"
_NOT_IN_FILE = "not in this file"
_ENCRYPTED = "encrypted"
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
    compaction = recorded[number - 1]
    counted = measured[number - 1]
    is_opaque = compaction.kind == "opaque"
    sections = [
        _in_the_lists(number, scope_left(preview.source.conversation, number)),
        _tokens(preview, compaction, counted),
    ]
    if not compaction.is_source_lost:
        sections.append(_in_a_file(number))
    sections += _kept(preview, compaction)
    sections.append(WhySection("Read again", sentence_spans(_tax(counted))))
    text = summary_text(compaction)
    if is_opaque:
        hidden = sentence_spans(f"It is {hidden_text(compaction)}.")
        sections.append(WhySection("What it wrote", hidden))
    elif text:
        shortened = excerpts.ellipsize(text, _MAX_SUMMARY)
        sections.append(WhySection("Its summary", mono=shortened))
    kind = "encrypted" if is_opaque else compaction.kind
    note = " · ".join(filter(None, (kind, compaction.trigger)))
    title = f"Recorded {number} of {len(recorded)}"
    sentence = sentence_spans(_sentence(preview, compaction, counted))
    return WhyPage(title, note, _CUT_FATE, sentence, (), tuple(sections))


def _in_the_lists(number: int, scope_after: str) -> WhySection:
    before = TextSpan("the context before it", f"{SCOPE_LINK}{BEFORE}{number}")
    after = TextSpan("what it left", f"{SCOPE_LINK}{scope_after}")
    both = TextSpan("both side by side", f"beside:{number}")
    parts = ("Show ", before, ", ", after, " or ", both, ".")
    return WhySection("In the lists", sentence_spans(*parts))


def _in_a_file(number: int) -> WhySection:
    undo = TextSpan("Undo this compaction…", f"undo:{number}")
    what = " writes the session as it was before it to a file of its own."
    return WhySection("In a file", sentence_spans(undo, what))


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
    mark = preview.sizes.count_method.mark
    growth = context_growth(compaction, measured)
    figures = (
        ("before, reported", "=", compaction.tokens_before, _NOT_REPORTED),
        ("left, reported", "=", compaction.tokens_after, _NOT_REPORTED),
        ("next request, reported", "=", measured.next_request, ""),
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
        sizes = compaction.tokens_before, compaction.tokens_after
        label = "change, by our count" if None in sizes else "change, reported"
        tone = "" if growth < 0 else "error"
        facts.append(LabelledFigure(label, number_format.signed(growth), tone))
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
        return f"{said} In the {TURNS} turns after it, of what it removed, {again}."
    return said


# What the newest one left, in one line of the window (REPAIR-8).

_TOPIC = "recorded"
_COUNTING = "counting what it left…"


def explained_notice(
    conversation: Conversation, scope: str, explained: ExplainedCompaction | None = None
) -> Notice:
    """Return one line on the newest recorded compaction, without ``explained`` that it is looked
    at: what the current context is where that is the ``scope`` that is shown, else where the
    compaction was."""
    see = NoticeAction("See it", "recorded", str(len(conversation.recorded)))
    if scope == CURRENT:
        context = current_context_text(
            conversation, history_of_scope(conversation, CURRENT)
        )
        title = _as_sentence(context)
        words = _summary(explained)
        short_words = _summary_in_short(explained)
        short = ("", "")
        if short_words:
            short = (f"{title.replace(' messages + ', ' + ')}.", short_words)
        return Notice(
            "info",
            f"{title}.",
            _as_sentence(words),
            (NoticeAction("Whole session", "scope", ALL), see),
            topic=_TOPIC,
            short=short,
        )
    recorded = conversation.recorded
    agent = _agent(conversation)
    number = number_format.message_number(recorded[-1].boundary)
    if len(recorded) > 1:
        times = f" {len(recorded):,} times, the last time"
    else:
        times = ""
    head = f"Compacted{times} before {number}{f' by {agent}' if agent else ''}"
    return Notice("info", "", f"{head}: {_summary(explained)}", (see,), topic=_TOPIC)


def _as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _agent(conversation: Conversation) -> str:
    """Return the agent whose format it is, "" for one that several programs write."""
    agents = {one.agent for one in SESSION_FOLDERS}
    for one in FORMATS:
        if one.name == conversation.format and one.label in agents:
            return one.label
    return ""


def _summary(explained: ExplainedCompaction | None) -> str:
    """Return "9 of your 14 messages left word for word, later turns missed 12 names."."""
    if explained is None:
        return _COUNTING
    if explained.losses is None:
        return f"{explained.obstacle[0].lower()}{explained.obstacle[1:]}"
    parts = [_needed_text(explained.losses.needed)]
    if explained.losses.messages_word_for_word is not None:
        parts.insert(0, _said_text(*explained.losses.messages_word_for_word))
    return f"{', '.join(parts)}."


def _said_text(left: int, said: int) -> str:
    if said != 1:
        return f"{left:,} of your {said:,} messages left word for word"
    if left:
        return "your message was left word for word"
    return "your message was not left word for word"


def _needed_text(needed: NeededLater | None) -> str:
    if needed is None:
        return "the session ends there"
    if needed.gone:
        names = number_format.plural(len(needed.gone), "name")
        return f"later turns missed {names}"
    if needed.used:
        names = number_format.plural(needed.used, "name")
        return f"later turns used {names}, none is gone"
    return "later turns used no name that was said before"


def _summary_in_short(explained: ExplainedCompaction | None) -> str:
    """Return "9 of your 14 messages word for word, 12 names missed", "" where that says less."""
    losses = None if explained is None else explained.losses
    if losses is None or losses.messages_word_for_word is None:
        return ""
    stand, total = losses.messages_word_for_word
    if total == 1:
        return ""
    own = f"{stand:,} of your {total:,} messages word for word"
    if losses.needed is None:
        gone = 0
    else:
        gone = len(losses.needed.gone)
    if gone:
        return f"{own}, {number_format.plural(gone, 'name')} missed"
    return own
