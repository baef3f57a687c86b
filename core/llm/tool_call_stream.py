"""The calls of tools in a model's answer, and the signed thoughts before them, out of pieces of a stream."""

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
    """Collects calls as litellm hands them on, from a whole message or from the deltas of a stream.

    ``thoughts`` are blocks that the provider signed and wants back with the results of the calls.
    """

    thoughts: list[dict[str, Json]] = field(default_factory=list)
    _found: list[_PartialToolCall] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def take(self, message: Json) -> None:
        """Add what a message or delta has of calls. Pieces of one call share its index; some servers
        give every call index 0, and then another id begins another call."""
        for place, call in enumerate(getattr(message, "tool_calls", None) or ()):
            index = getattr(call, "index", None)
            pieces = self._at(place if index is None else index, call.id or "")
            pieces.name = pieces.name or call.function.name or ""
            pieces.arguments += call.function.arguments or ""
        for block in getattr(message, "thinking_blocks", None) or ():
            self._think(block)

    def _think(self, block: Json) -> None:
        """Add a piece of a thought; a signature ends it."""
        if block.get("type") != "thinking":
            self.thoughts.append(dict(block))
            return
        if not self.thoughts or self.thoughts[-1].get("signature", "whole"):
            self.thoughts.append({"type": "thinking", "thinking": "", "signature": ""})
        thought = self.thoughts[-1]
        thought["thinking"] += block.get("thinking") or ""
        thought["signature"] = block.get("signature") or ""

    def _at(self, index: int, id: str) -> _PartialToolCall:
        known = self._found[self._places[index]] if index in self._places else None
        if known is not None and (not id or id == known.id):
            return known
        self._places[index] = len(self._found)
        self._found.append(_PartialToolCall(id))
        return self._found[-1]

    @property
    def whole(self) -> tuple[ToolCallRequest, ...]:
        """The calls, in order; one without an id gets its number."""
        return tuple(
            ToolCallRequest(one.id or f"call_{number}", one.name, one.arguments)
            for number, one in enumerate(self._found, 1)
        )
