"""A compaction that is recorded at the end of its source: what every agent's record of one needs."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.errors import InputError
from core.formats.writing.base import ExportInput, export_messages, source_messages
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Speaker, Text
from core.transcript.tool_pairs import find_pairs

NO_SUMMARY = "The earlier part of this session was shortened without a summary."


def no_place_error(given: ExportInput, what: str) -> InputError:
    """The error of a source that is not ``what`` ("a Pi session"), so that nothing can be appended to it."""
    name = given.conversation.document.name
    return InputError(f"{name} is not {what}; no compaction can be appended.", "Leave --append-boundary out.")


def run_of(given: ExportInput) -> Compaction | None:
    """The compaction that is to be recorded; None where nothing was compacted."""
    compaction = given.compaction
    return None if compaction is None or compaction.no_op is not None else compaction


def summary_place(compaction: Compaction) -> int:
    """Where in the result the summary stands: the first inserted words that no model said; -1 without."""
    for index in sorted(compaction.inserted):
        message = compaction.messages[index]
        if message.speaker is not Speaker.AI and _text(message):
            return index
    return -1


def summary_text(compaction: Compaction) -> str:
    """The text of the summary, "" where there is none."""
    place = summary_place(compaction)
    if place >= 0:
        return _text(compaction.messages[place])
    return compaction.summary.text if compaction.summary else ""


def _text(message: Message) -> str:
    return "\n\n".join(block.text for block in message.blocks if isinstance(block, Text))


def kept_starts(given: ExportInput) -> frozenset[int]:
    """Where the records of those messages begin that stay, edited or not, and of those that come along."""
    every = source_messages(given)
    return frozenset(source.start for index in _whole(every, _kept(given)) for source in every[index].sources)


def _kept(given: ExportInput) -> frozenset[int]:
    """Which messages of the history stay by the compaction."""
    stays = {id(piece.origin) for piece in export_messages(given) if piece.origin is not None}
    return frozenset(index for index, message in enumerate(source_messages(given)) if id(message) in stays)


def _whole(every: Sequence[Message], kept: frozenset[int]) -> frozenset[int]:
    """These messages and the other halves of their pairs: a record keeps an edited message whole, and with it
    calls that were taken out of it."""
    partners = find_pairs(every).partners
    found, waiting = set(kept), list(kept)
    while waiting:
        new = [other for other in partners.get(waiting.pop(), ()) if other not in found]
        found.update(new)
        waiting += new
    return frozenset(found)


def kept_summaries(given: ExportInput) -> frozenset[int]:
    """Where the records of earlier summaries begin that stay by the compaction."""
    own = {source.start for message in given.conversation.messages for source in message.sources}
    return kept_starts(given) - own


def lost_summary_warning(agent: str) -> str:
    """The warning that an earlier summary will be missing."""
    return f"The earlier summary goes, though it stays in the result: {agent} has one summary at a time."


def boundary_warnings(given: ExportInput) -> tuple[str, ...]:
    """What a record that only names messages cannot say of the compaction."""
    compaction = run_of(given)
    if compaction is None:
        return ()
    kinds = (FateKind.EDITED, FateKind.SUMMARISED)
    changed = sum(
        len(came) == 1 and index not in compaction.inserted and compaction.fates[came[0]].kind in kinds
        for index, came in enumerate(compaction.origins)
    )
    found: list[str] = []
    if changed:
        what = "message is" if changed == 1 else "messages are"
        found.append(f"{changed:,} edited {what} kept whole behind the boundary, which only names them.")
    kept = _kept(given)
    if along := len(_whole(source_messages(given), kept) - kept):
        what = "message comes" if along == 1 else "messages come"
        found.append(f"{along:,} more {what} along, so that no result stands without its call.")
    if not compaction.inserted:
        found.append("There is no summary; the line after the boundary only says so.")
    if out := _left_out(compaction):
        what = "message has" if out == 1 else "messages have"
        found.append(f"{out:,} more inserted {what} no place in the record and will be missing.")
    return tuple(found)


def _left_out(compaction: Compaction) -> int:
    """Inserted messages beside the summary, without the few words that answer one."""
    summary = summary_place(compaction)
    return sum(
        index != summary and (bool(compaction.origins[index]) or message.speaker is not Speaker.AI)
        for index, message in enumerate(compaction.messages)
        if index in compaction.inserted
    )
