"""Converts tool results for targets that hold less than the source, and counts the losses."""

from __future__ import annotations

from core.common.json_value import MISSING
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import plain_result
from core.transcript.model import Media, ToolResponse
from core.transcript.tool_result_content import answer_parts, answer_text


def note_error(block: ToolResponse, losses: ExportLosses, *, mark: bool) -> None:
    """Count what an error loses: its words if the result differs; with ``mark`` also the error mark."""
    error = block.error
    if error is MISSING or error is None or error is False:
        return
    if mark:
        losses.leave_out("error mark of a tool result")
    if isinstance(error, str) and error.strip() not in plain_result(block):
        losses.leave_out("words of an error beside its result")


def text_result(block: ToolResponse, losses: ExportLosses) -> str:
    """Return the result for a target that takes only text and does not mark errors."""
    note_error(block, losses, mark=True)
    parts = answer_parts(block)
    media = sum(isinstance(part, Media) for part in parts)
    if media:
        losses.leave_out("media in a tool result", media)
    return words_of_result(block)


def words_of_result(block: ToolResponse) -> str:
    """Return the texts of the result, or one word per image."""
    return answer_text(block) or plain_result(block)


def result_media(block: ToolResponse) -> tuple[Media, ...]:
    return tuple(part for part in answer_parts(block) if isinstance(part, Media))
