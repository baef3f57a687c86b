"""A recorded compaction in full: what it had, what it left, reported and counted, and what it cost later."""

from __future__ import annotations

from core.common import excerpts, number_format
from core.common.errors import InputError
from core.presentation import message_links
from core.presentation.model import LabelledFigure, TextSpan, WhyPage, WhySection
from core.presentation.recorded.recorded_rows import hidden_text, summary_text
from core.presentation.scope_wording import scope_left
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import RecordedCompaction
from core.transcript.scopes import BEFORE, messages_left_by, replaces_messages

_CUT = -1
_KINDS = {"opaque": "encrypted"}
_NOT_REPORTED, _NOT_HERE, _ENCRYPTED = "not reported", "not in this file", "encrypted"
_KEPT = 24
_SUMMARY = 20_000
SCOPE = "scope:"
"""Begins a link that chooses a scope."""
_NOTE = "Reported figures hold system prompt and tools, too; ours are of the messages alone."


def recorded_page(preview: Preview, measured: tuple[MeasuredCompaction, ...], number: int) -> WhyPage:
    """The page of recorded compaction ``number`` (from 1); InputError where there is none."""
    recorded = preview.conversation.recorded
    if not 1 <= number <= len(recorded):
        raise InputError(f"There is no recorded compaction {number}.", f"There are {len(recorded)}.")
    found, own = recorded[number - 1], measured[number - 1]
    sections = (
        _scopes(preview, number),
        _tokens(preview, found, own),
        _kept(preview, found),
        WhySection("Read again", message_links.sentence_spans(_tax(own))),
        _summary(found),
    )
    return WhyPage(
        f"Recorded {number} of {len(recorded)}",
        " · ".join(part for part in (_KINDS.get(found.kind, found.kind), found.trigger) if part),
        _CUT,
        message_links.sentence_spans(_sentence(preview, found, own)),
        (),
        tuple(section for section in sections if section is not None),
    )


def _sentence(preview: Preview, found: RecordedCompaction, own: MeasuredCompaction) -> str:
    where = f"Before {number_format.message(found.position)} of the session the agent compacted its context"
    if own.messages_before is None:
        left = number_format.plural(own.messages_after, "message")
        return f"{where}: {left} stayed or were written; what it removed is not in this file."
    became = (
        f"{number_format.plural(own.messages_before, 'message')} became "
        f"{number_format.count(own.messages_after)}"
    )
    if not replaces_messages(found):
        became = f"{number_format.plural(len(found.cleared), 'result was', 'results were')} cleared in place"
    grew = context_growth(found, own)
    if grew is None:
        return f"{where}: {became}."
    if grew >= 0:
        by = f"grew by {number_format.plural(grew, 'token')}" if grew else "is as large as before"
        return f"{where}: {became}, but the context {by}."
    mark = "" if found.tokens_before is not None and found.tokens_after is not None else preview.method.mark
    return f"{where}: {became}; the context is {number_format.tokens(mark, -grew)} tokens smaller."


def _scopes(preview: Preview, number: int) -> WhySection:
    before = TextSpan("the context before it", f"{SCOPE}{BEFORE}{number}")
    left = TextSpan("what it left", f"{SCOPE}{scope_left(preview.conversation, number)}")
    beside = TextSpan("both side by side", f"beside:{number}")
    return WhySection(
        "In the lists", message_links.sentence_spans("Show ", before, ", ", left, " or ", beside, ".")
    )


def _tokens(preview: Preview, found: RecordedCompaction, own: MeasuredCompaction) -> WhySection:
    mark, grew = preview.method.mark, context_growth(found, own)
    facts = [
        LabelledFigure("before, reported", _figure("=", found.tokens_before, _NOT_REPORTED)),
        LabelledFigure("left, reported", _figure("=", found.tokens_after, _NOT_REPORTED)),
        LabelledFigure("before, by our count", _figure(mark, own.tokens_before, _NOT_HERE)),
        LabelledFigure("left, by our count", _figure(mark, own.tokens_after, _ENCRYPTED)),
        LabelledFigure("messages before", _figure("", own.messages_before, _NOT_HERE)),
        LabelledFigure("messages left", number_format.count(own.messages_after)),
    ]
    if found.cleared:
        facts.append(LabelledFigure("results cleared in place", number_format.count(len(found.cleared))))
    if grew is not None:
        facts.append(LabelledFigure("change", number_format.signed(grew), "ok" if grew < 0 else "error"))
    return WhySection("Tokens", message_links.sentence_spans(_NOTE), tuple(facts))


def _figure(mark: str, number: int | None, unknown: str) -> str:
    """A figure, or why there is none."""
    return unknown if number is None else number_format.tokens(mark, number)


def _kept(preview: Preview, found: RecordedCompaction) -> WhySection | None:
    kept = [index for index in messages_left_by(found) if isinstance(index, int)]
    if not kept:
        return None
    here = {position: index for index, position in enumerate(preview.history.positions) if position >= 0}
    parts: list[str | TextSpan] = []
    for number, index in enumerate(kept[:_KEPT]):
        name = number_format.message(index)
        parts += [", " if number else "", TextSpan(name, f"before:{here[index]}") if index in here else name]
    more = f" and {len(kept) - _KEPT} more" if len(kept) > _KEPT else ""
    title = f"{number_format.plural(len(kept), 'message')} kept"
    return WhySection(title, message_links.sentence_spans("In the whole session: ", *parts, more, "."))


def _tax(own: MeasuredCompaction) -> str:
    if own.tax is None:
        return "No file was read between it and the next recorded compaction or the end."
    share = number_format.percent(own.tax, 0)
    reads = number_format.plural(own.reads, "later file read")
    return f"{own.again} of {reads} ({share}) read a file again that had been read before it."


def _summary(found: RecordedCompaction) -> WhySection | None:
    if found.kind == "opaque":
        return WhySection("What it wrote", message_links.sentence_spans(f"It is {hidden_text(found)}."))
    text = summary_text(found)
    return WhySection("Its summary", mono=excerpts.ellipsize(text, _SUMMARY)) if text else None
