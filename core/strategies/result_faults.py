"""Detects results that an API would refuse although it accepted the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.transcript.model import Message, Speaker
from core.transcript.tool_pairs import find_pairs


def result_fault(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Return the fault of a result that its source does not have; "" where there is none."""
    if not after:
        return "Nothing would be left."
    model = (Speaker.AI, Speaker.TOOL)
    if after[0].speaker in model and before[0].speaker not in model:
        return "The result would begin with a message of the model, which APIs refuse."
    if unpaired_ids(after) - unpaired_ids(before):
        return "A call would be separated from its result."
    return ""


def unpaired_ids(messages: Sequence[Message]) -> Counter[tuple[str, str]]:
    """Count calls without a result and results without a call."""
    pairs = find_pairs(messages)
    calls = (("call", id_) for _, id_ in pairs.unanswered)
    return Counter(calls) + Counter(("result", id_) for _, id_ in pairs.orphans)
