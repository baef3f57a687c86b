"""A compaction that is recorded at the end of its source: what every agent's record of one needs."""

from __future__ import annotations

from core.compaction import Compaction, FateKind
from core.conversation import Message, Speaker, Text
from core.errors import InputError
from core.export.base import ExportInput, pieces

NO_SUMMARY = "The earlier part of this session was shortened without a summary."


def no_place(given: ExportInput, what: str) -> InputError:
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
    """Where the records of those messages begin that stay, edited or not."""
    stays = (piece.origin for piece in pieces(given) if piece.origin is not None)
    return frozenset(source.start for message in stays for source in message.sources)


def warnings(compaction: Compaction) -> tuple[str, ...]:
    """What a record that only names messages cannot say of a compaction."""
    kinds = (FateKind.EDITED, FateKind.SUMMARISED)
    changed = sum(
        len(origins) == 1 and index not in compaction.inserted and compaction.fates[origins[0]].kind in kinds
        for index, origins in enumerate(compaction.origins)
    )
    found: list[str] = []
    if changed:
        what = "message is" if changed == 1 else "messages are"
        found.append(f"{changed:,} edited {what} kept whole behind the boundary, which only names them.")
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
