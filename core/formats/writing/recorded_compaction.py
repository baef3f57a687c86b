"""Shared by exporters that record a compaction at the end of its source."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.errors import InputError
from core.formats.writing.base import ExportInput, export_messages, source_messages
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Speaker, Text
from core.transcript.tool_pairs import find_pairs

NO_SUMMARY = "The earlier part of this session was shortened without a summary."


def no_place_error(given: ExportInput, what: str) -> InputError:
    """Return the error for a source that is not ``what`` ("a Pi session")."""
    name = given.conversation.document.name
    return InputError(f"{name} is not {what}; no compaction can be appended.", "Leave --append-boundary out.")


def run_of(given: ExportInput) -> Compaction | None:
    """Return the compaction to record; None if nothing was compacted."""
    compaction = given.compaction
    return None if compaction is None or compaction.no_op is not None else compaction


def summary_place(compaction: Compaction) -> int:
    """Return the index of the summary in the result: the first inserted text not by the model; -1 if none."""
    for index in sorted(compaction.inserted):
        message = compaction.messages[index]
        if message.speaker is not Speaker.AI and _text(message):
            return index
    return -1


def summary_text(compaction: Compaction) -> str:
    """Return the text of the summary, "" if there is none."""
    place = summary_place(compaction)
    if place >= 0:
        return _text(compaction.messages[place])
    return compaction.summary.text if compaction.summary else ""


def _text(message: Message) -> str:
    return "\n\n".join(block.text for block in message.blocks if isinstance(block, Text))


def kept_starts(given: ExportInput) -> frozenset[int]:
    """Return the start offsets of records that stay: those of kept or edited messages, and of their pairs."""
    messages = source_messages(given)
    indices = _with_partners(messages, _kept_indices(given))
    return frozenset(source.start for index in indices for source in messages[index].sources)


def _kept_indices(given: ExportInput) -> frozenset[int]:
    """Return which messages of the history the compaction keeps."""
    kept = {id(piece.origin) for piece in export_messages(given) if piece.origin is not None}
    return frozenset(index for index, message in enumerate(source_messages(given)) if id(message) in kept)


def _with_partners(messages: Sequence[Message], kept: frozenset[int]) -> frozenset[int]:
    """Add the other halves of tool pairs: a record keeps an edited message whole, with its calls."""
    partners = find_pairs(messages).partners
    complete, waiting = set(kept), list(kept)
    while waiting:
        new = [partner for partner in partners.get(waiting.pop(), ()) if partner not in complete]
        complete.update(new)
        waiting += new
    return frozenset(complete)


def kept_summaries(given: ExportInput) -> frozenset[int]:
    """Return the start offsets of records of earlier summaries that stay."""
    own = {source.start for message in given.conversation.messages for source in message.sources}
    return kept_starts(given) - own


def lost_summary_warning(agent: str) -> str:
    return f"The file loses the earlier summary that the result keeps: {agent} has one summary at a time."


def boundary_warnings(given: ExportInput) -> tuple[str, ...]:
    """Return warnings about what a record that only names messages cannot hold."""
    compaction = run_of(given)
    if compaction is None:
        return ()
    kinds = (FateKind.EDITED, FateKind.SUMMARISED)
    changed = sum(
        len(origins) == 1 and index not in compaction.inserted and compaction.fates[origins[0]].kind in kinds
        for index, origins in enumerate(compaction.origins)
    )
    warnings: list[str] = []
    if changed:
        what = "message is" if changed == 1 else "messages are"
        warnings.append(f"{changed:,} edited {what} kept whole behind the boundary, which only names them.")
    kept = _kept_indices(given)
    if added := len(_with_partners(source_messages(given), kept) - kept):
        what = "message is" if added == 1 else "messages are"
        warnings.append(f"{added:,} more {what} kept, so that no result is without its call.")
    if not compaction.inserted:
        warnings.append("There is no summary; the line after the boundary only says so.")
    if missing := _count_left_out(compaction):
        what = "message has" if missing == 1 else "messages have"
        warnings.append(f"{missing:,} more inserted {what} no place in the record and will be missing.")
    return tuple(warnings)


def _count_left_out(compaction: Compaction) -> int:
    """Count inserted messages other than the summary and the short answer to it."""
    summary = summary_place(compaction)
    return sum(
        index != summary and (bool(compaction.origins[index]) or message.speaker is not Speaker.AI)
        for index, message in enumerate(compaction.messages)
        if index in compaction.inserted
    )
