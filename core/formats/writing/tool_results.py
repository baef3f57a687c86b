"""Converts tool results for targets that hold less than the source, and counts the losses."""

from __future__ import annotations

from core.common.json_value import MISSING
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import result_as_text
from core.transcript.model import Media, ToolResponse
from core.transcript.tool_result_content import answer_parts, answer_text


def count_error_losses(block: ToolResponse, losses: ExportLosses, *, counts_mark: bool) -> None:
    """Count what an error loses: its words if the result differs; with ``counts_mark`` also the error
    mark."""
    error = block.error
    if error is MISSING or error is None or error is False:
        return
    if counts_mark:
        losses.count_left_out("error mark of a tool result")
    if isinstance(error, str) and error.strip() not in result_as_text(block):
        losses.count_left_out("words of an error beside its result")


def text_result(block: ToolResponse, losses: ExportLosses) -> str:
    """Return the result for a target that takes only text and does not mark errors."""
    count_error_losses(block, losses, counts_mark=True)
    parts = answer_parts(block)
    media = sum(isinstance(part, Media) for part in parts)
    if media:
        losses.count_left_out("media in a tool result", media)
    return texts_of_result(block)


def texts_of_result(block: ToolResponse) -> str:
    """Return the texts of the result, or one word per image."""
    return answer_text(block) or result_as_text(block)


def result_media(block: ToolResponse) -> tuple[Media, ...]:
    return tuple(part for part in answer_parts(block) if isinstance(part, Media))
