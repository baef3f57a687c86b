"""Counts content beside the words of messages that a target cannot hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from core.formats.writing.base import ExportInput, ExportLosses
from core.formats.writing.plain_text import fields_without_notes
from core.transcript.model import Opaque, Speaker, tool_calls

_HANDLED_FIELDS = (
    *("signature", "thoughtSignature", "thinkingSignature", "encrypted_content", "thought"),
    *("sourceField", "is_error", "isError", "type"),
)
"""Fields that exporters handle themselves, or that are written in other words."""

_MAX_NAMED_FIELDS = 4


class ExtraContent(StrEnum):
    SYSTEM = "system prompt"
    TOOLS = "tool definition"
    MODEL = "name of the model"
    TIMES = "time of a message"
    CALL_IDS = "id of a tool call"


def content_in_answers(export_input: ExportInput) -> tuple[ExtraContent, ...]:
    """Return the model's name as held content, for targets that write it into answers, if there are any."""
    has_answers = any(message.speaker is Speaker.AI and message.blocks for message in export_input.messages)
    return (ExtraContent.MODEL,) if has_answers else ()


def count_extra_losses(
    export_input: ExportInput,
    losses: ExportLosses,
    *supported: ExtraContent,
    family: bool = False,
    fields: Sequence[str] = (),
) -> None:
    """Count what a new file loses of its source; ``supported`` and ``fields`` are what the target has a
    place for. ``family``: the source is of the same family, so that the extra fields of its blocks are
    kept."""
    counts = _content_counts(export_input)
    for content, count in counts.items():
        if count and content not in supported:
            losses.count_left_out(content.value, count)
    if export_input.conversation.recorded:
        losses.count_left_out("mark of a recorded compaction", len(export_input.conversation.recorded))
    names = [name for name in _extra_field_names(export_input, blocks=not family) if name not in fields]
    if names:
        losses.count_left_out(f"further fields ({first_names(names)})")


def first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMED_FIELDS]) + (", …" if len(names) > _MAX_NAMED_FIELDS else "")


def _content_counts(export_input: ExportInput) -> dict[ExtraContent, int]:
    system = export_input.conversation.system
    calls = (call for message in export_input.messages for call in tool_calls(message))
    return {
        ExtraContent.SYSTEM: min(1, len(system.texts)),
        ExtraContent.TOOLS: len(system.tools),
        ExtraContent.MODEL: min(1, len(export_input.conversation.model)),
        ExtraContent.TIMES: sum(bool(message.timestamp) for message in export_input.messages),
        ExtraContent.CALL_IDS: sum("$made_id" not in call.extra for call in calls),
    }


def _extra_field_names(export_input: ExportInput, *, blocks: bool) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for message in export_input.messages:
        counts.update(fields_without_notes(message.extra).keys())
        for block in message.blocks if blocks else ():
            if not isinstance(block, Opaque):
                counts.update(fields_without_notes(block.extra).keys())
    yield from (name for name, _ in counts.most_common() if name not in _HANDLED_FIELDS)
