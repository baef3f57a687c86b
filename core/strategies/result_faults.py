"""What an API would refuse of a result that it did not refuse of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.transcript.model import Message, Speaker
from core.transcript.tool_pairs import find_pairs


def result_fault(before: Sequence[Message], after: Sequence[Message]) -> str:
    """What is wrong with a result that was not wrong with its source; empty where nothing is."""
    if not after:
        return "Nothing would be left."
    model = (Speaker.AI, Speaker.TOOL)
    if after[0].speaker in model and before[0].speaker not in model:
        return "The result would begin with a message of the model, which APIs refuse."
    if _loose(after) - _loose(before):
        return "A call would be separated from its result."
    return ""


def _loose(messages: Sequence[Message]) -> Counter[tuple[str, str]]:
    """Calls without a result and results without a call."""
    pairs = find_pairs(messages)
    calls = (("call", id_) for _, id_ in pairs.unanswered)
    return Counter(calls) + Counter(("result", id_) for _, id_ in pairs.orphans)
