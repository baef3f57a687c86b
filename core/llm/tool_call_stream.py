"""Collects tool calls and signed thinking from the pieces of a streamed answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.common.json_value import Json
from core.llm.protocol import ToolCallRequest


@dataclass(slots=True)
class _PartialToolCall:
    id: str
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class ToolCallCollector:
    """Collects calls from litellm's whole messages or stream deltas. ``thinking`` are signed blocks that the
    provider wants back with the results of the calls."""

    thinking: list[dict[str, Json]] = field(default_factory=list)
    _calls: list[_PartialToolCall] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def add(self, message: Json) -> None:
        """Add the calls of a message or delta. Pieces of one call share its index; some servers give every
        call index 0, and then a new id begins a new call."""
        for place, call in enumerate(getattr(message, "tool_calls", None) or ()):
            index = getattr(call, "index", None)
            pieces = self._call_at(place if index is None else index, call.id or "")
            pieces.name = pieces.name or call.function.name or ""
            pieces.arguments += call.function.arguments or ""
        for block in getattr(message, "thinking_blocks", None) or ():
            self._add_thought(block)

    def _add_thought(self, block: Json) -> None:
        """Add a piece of thinking; a signature ends it."""
        if block.get("type") != "thinking":
            self.thinking.append(dict(block))
            return
        if not self.thinking or self.thinking[-1].get("signature", "whole"):
            self.thinking.append({"type": "thinking", "thinking": "", "signature": ""})
        thought = self.thinking[-1]
        thought["thinking"] += block.get("thinking") or ""
        thought["signature"] = block.get("signature") or ""

    def _call_at(self, index: int, id: str) -> _PartialToolCall:
        known = self._calls[self._places[index]] if index in self._places else None
        if known is not None and (not id or id == known.id):
            return known
        self._places[index] = len(self._calls)
        self._calls.append(_PartialToolCall(id))
        return self._calls[-1]

    @property
    def calls(self) -> tuple[ToolCallRequest, ...]:
        """All calls in order; one without an id gets its number."""
        return tuple(
            ToolCallRequest(call.id or f"call_{number}", call.name, call.arguments)
            for number, call in enumerate(self._calls, 1)
        )
