"""Edited messages whose rows are the same on both sides: their lines from where they first
differ."""

from __future__ import annotations

from collections.abc import Sequence

from core.common import excerpts
from core.presentation.lists.aligned_model import EditedLines
from core.presentation.lists.line_difference import LEAD
from core.presentation.message_body import MAX_BLOCK_LENGTH, body_blocks
from core.presentation.model import FATES, MessageRows
from core.transcript.model import Message

MAX_EDITS = 2_000
"""The most messages whose difference is looked for."""
_EDITED = FATES.index("edited")


def edited_lines(
    fates: bytes,
    results: Sequence[int],
    messages: tuple[Sequence[Message], Sequence[Message]],
    rows: tuple[MessageRows, MessageRows],
) -> dict[int, EditedLines]:
    """Return, by message of the result, both lines of edited messages that have the same row on
    both sides; nothing of those that differ in no text of the first MAX_BLOCK_LENGTH characters.
    ``results`` says where each source message is in the result, -1 for nowhere; ``messages`` and
    ``rows`` are of both sides."""
    found: dict[int, EditedLines] = {}
    before, after = rows
    source, looked_at = fates.find(_EDITED), 0
    while source >= 0 and looked_at < MAX_EDITS:
        result = results[source]
        row = before.lead[source], before.text[source]
        if result >= 0 and row == (after.lead[result], after.text[result]):
            looked_at += 1
            lines = _from_difference(_text(messages[0][source]), _text(messages[1][result]))
            if lines is not None:
                found[result] = lines
        source = fates.find(_EDITED, source + 1)
    return found


def _text(message: Message) -> str:
    return "\n".join(block.text for block in body_blocks(message, MAX_BLOCK_LENGTH))


def _from_difference(old: str, new: str) -> EditedLines | None:
    first = first_difference(old, new)
    if first == max(len(old), len(new)):
        return None
    start = max(0, first - LEAD)
    head = "… " if start else ""
    return EditedLines(*(head + excerpts.one_line_text(text[start:]) for text in (old, new)))


def first_difference(old: str, new: str) -> int:
    """Return the first character at which two texts differ, the length of the shorter one if it is
    the start of the other."""
    same, end = 0, min(len(old), len(new))
    while same < end:  # halves by slices: a loop over characters takes a hundred times as long
        middle = (same + end + 1) // 2
        if old[same:middle] == new[same:middle]:
            same = middle
        else:
            end = middle - 1
    return same
