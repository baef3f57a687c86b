"""Counts content beside the words of messages that a target cannot hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from core.formats.writing.base import ExportInput, ExportLosses
from core.formats.writing.plain_text import own_fields
from core.transcript.model import Opaque, Speaker, tool_calls

_CARRIED = frozenset(
    {
        "signature",
        "thoughtSignature",
        "thinkingSignature",
        "encrypted_content",
        "thought",
        "sourceField",
        "is_error",
        "isError",
        "type",
    }
)
"""Fields that exporters handle themselves, or that are written in other words."""

_NAMED = 4


class ExtraContent(StrEnum):
    SYSTEM = "system prompt"
    TOOLS = "tool definition"
    MODEL = "name of the model"
    TIMES = "time of a message"
    CALL_IDS = "id of a tool call"


def in_answers(given: ExportInput) -> tuple[ExtraContent, ...]:
    """Return the model's name as held content, for targets that write it into answers, if there are any."""
    answered = any(message.speaker is Speaker.AI and message.blocks for message in given.messages)
    return (ExtraContent.MODEL,) if answered else ()


def leave_out_extra(
    given: ExportInput,
    losses: ExportLosses,
    *held: ExtraContent,
    family: bool = False,
    fields: Sequence[str] = (),
) -> None:
    """Count what a new file loses of its source; ``held`` and ``fields`` are what the target has a place for.
    ``family``: the source is of the same family, so that the extra fields of its blocks are kept."""
    counts = _counts(given)
    for what, count in counts.items():
        if count and what not in held:
            losses.leave_out(what.value, count)
    if given.conversation.recorded:
        losses.leave_out("mark of a recorded compaction", len(given.conversation.recorded))
    names = [name for name in _extra_names(given, blocks=not family) if name not in fields]
    if names:
        losses.leave_out(f"further fields ({first_names_of(names)})")


def first_names_of(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _counts(given: ExportInput) -> dict[ExtraContent, int]:
    system = given.conversation.system
    calls = (call for message in given.messages for call in tool_calls(message))
    return {
        ExtraContent.SYSTEM: min(1, len(system.texts)),
        ExtraContent.TOOLS: len(system.tools),
        ExtraContent.MODEL: min(1, len(given.conversation.model)),
        ExtraContent.TIMES: sum(bool(message.timestamp) for message in given.messages),
        ExtraContent.CALL_IDS: sum("$made_id" not in call.extra for call in calls),
    }


def _extra_names(given: ExportInput, *, blocks: bool) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for message in given.messages:
        counts.update(own_fields(message.extra).keys())
        for block in message.blocks if blocks else ():
            if not isinstance(block, Opaque):
                counts.update(own_fields(block.extra).keys())
    yield from (name for name, _ in counts.most_common() if name not in _CARRIED)
