"""The state of a history that an agent compresses: the draft, protected messages, and sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.strategies.draft import HistoryDraft, begin_draft
from core.strategies.tool_work import BlockPlace, ToolWork, find_tool_work
from core.strategies.tracker import FileTracker
from core.transcript.model import Message, MessageFlag, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pairs, find_pairs

DISPLAY_ONLY = "display_only_data"  # the role of messages that are displayed and never sent
_ROLES = {
    Speaker.HUMAN: "user",
    Speaker.AI: "assistant",
    Speaker.TOOL: "tool",
    Speaker.SYSTEM: "system",
}


@dataclass(frozen=True, slots=True)
class HybridAgentState:
    """The state that the four tools work on; positions are indices of the draft.

    ``count`` returns the tokens of messages; ``target``, ``limit`` and ``trigger`` are tokens.
    ``protected`` are source messages that no tool may change; ``newest_count`` is the number of newest
    human and ai messages among them, for refusals. ``sources[i]`` is the displayed place of source
    message i. ``history`` is the original history, ``tool_work`` the work behind its tool results.
    """

    history: tuple[Message, ...]
    tool_work: Mapping[BlockPlace, ToolWork]
    draft: HistoryDraft
    tracker: FileTracker
    count: Callable[[Sequence[Message]], int]
    target: int
    limit: int
    trigger: int
    protected: frozenset[int] = frozenset()
    newest_count: int = 5
    sources: Sequence[int] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.draft.messages

    @property
    def tokens(self) -> int:
        return self.count(self.messages)

    @property
    def pairs(self) -> Pairs:
        return find_pairs(self.messages)

    def with_draft(self, draft: HistoryDraft) -> HybridAgentState:
        return replace(self, draft=draft)

    def is_protected(self, position: int) -> bool:
        return not self.protected.isdisjoint(self.draft.entries[position].origins)

    @property
    def prompt_count(self) -> int:
        """The number of leading system messages: the system prompt and its additions."""
        entries = self.draft.entries
        other_places = (
            place for place, entry in enumerate(entries) if entry.message.speaker is not Speaker.SYSTEM
        )
        return next(other_places, len(entries))

    def work_at(self, position: int) -> Mapping[int, ToolWork]:
        """Return the work behind the tool results of an unchanged message, by block."""
        origins = self.draft.entries[position].origins
        if len(origins) != 1:
            return {}
        blocks = range(len(self.messages[position].blocks))
        places = ((number, (origins[0], number)) for number in blocks)
        return {number: self.tool_work[place] for number, place in places if place in self.tool_work}

    def span(self, start: int, end: int) -> str:
        """Return positions [start, end) as numbered in the source: "#84–#328"."""
        origins = [index for entry in self.draft.entries[start:end] for index in entry.origins]
        if not origins:
            return "an inserted message"
        first, last = (self._source_place(index) + 1 for index in (min(origins), max(origins)))
        return f"#{first}" if first == last else f"#{first}–#{last}"

    def _source_place(self, index: int) -> int:
        return self.sources[index] if self.sources else index


def api_role(message: Message) -> str:
    """Return the role of a message in chat APIs."""
    return _ROLES.get(message.speaker) or str(message.extra.get("role") or "unknown")


def initial_state(
    history: Sequence[Message],
    tracker: FileTracker,
    count: Callable[[Sequence[Message]], int],
    *,
    target: int,
    limit: int,
    trigger: int,
    protected: frozenset[int] = frozenset(),
    newest_count: int = 5,
    sources: Sequence[int] = (),
) -> HybridAgentState:
    messages = tuple(history)
    return HybridAgentState(
        messages,
        find_tool_work(messages),
        begin_draft(messages),
        tracker,
        count,
        target,
        limit,
        trigger,
        protected,
        newest_count,
        sources,
    )


def is_display_only(message: Message) -> bool:
    """Return whether a message was displayed and never sent to a model (LH-21)."""
    has_role = message.speaker is Speaker.UNKNOWN and message.extra.get("role") == DISPLAY_ONLY
    # the flag last: checking it is the slowest part
    if not has_role and (message.flags is MessageFlag.NONE or not message.flags & MessageFlag.API_ERROR):
        return False
    return not any(isinstance(block, ToolCall | ToolResponse) for block in message.blocks)


def has_response(message: Message) -> bool:
    return any(isinstance(block, ToolResponse) for block in message.blocks)


def clip_bytes(text: str, limit: int) -> str:
    """Return the first ``limit`` bytes of UTF-8 without half a character, with dots where cut."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore") + "..."
