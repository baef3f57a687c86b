"""A history that an agent compresses: where it stands, what it may touch, how large it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.strategies.draft import HistoryDraft, begin_draft
from core.strategies.tool_work import BlockPlace, ToolWork, work_of
from core.strategies.tracker import FileTracker
from core.transcript.model import Message, MessageFlag, Speaker, ToolCall, ToolResponse
from core.transcript.tool_pairs import Pairs, find_pairs

DISPLAY_ONLY = "display_only_data"
"""The role of messages that are shown and never sent."""

_ROLES = {
    Speaker.HUMAN: "user",
    Speaker.AI: "assistant",
    Speaker.TOOL: "tool",
    Speaker.SYSTEM: "system",
}


@dataclass(frozen=True, slots=True)
class HybridAgentState:
    """What the four tools work on. Positions are places in the draft, as the agent names them.

    ``count`` gives the tokens of messages; ``target``, ``limit`` and ``trigger`` are tokens.
    ``protected`` are source messages that no tool may change; ``newest`` says of how many newest
    human and ai messages they are made, for the words of a refusal. ``sources[i]`` is the place of
    source message i as people number it. ``history`` is the history as it was given, and ``work`` tells
    what its tool results are about.
    """

    history: tuple[Message, ...]
    work: Mapping[BlockPlace, ToolWork]
    draft: HistoryDraft
    tracker: FileTracker
    count: Callable[[Sequence[Message]], int]
    target: int
    limit: int
    trigger: int
    protected: frozenset[int] = frozenset()
    newest: int = 5
    sources: Sequence[int] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages as they are now."""
        return self.draft.messages

    @property
    def tokens(self) -> int:
        """Tokens of the messages as they are now."""
        return self.count(self.messages)

    @property
    def pairs(self) -> Pairs:
        """Calls and responses of the messages as they are now."""
        return find_pairs(self.messages)

    def with_draft(self, draft: HistoryDraft) -> HybridAgentState:
        """The same with another draft."""
        return replace(self, draft=draft)

    def is_protected(self, position: int) -> bool:
        """True where a message stands that nothing may change."""
        return not self.protected.isdisjoint(self.draft.entries[position].origins)

    @property
    def prompts(self) -> int:
        """How many system messages the history begins with: the system prompt and what goes with it."""
        entries = self.draft.entries
        others = (place for place, one in enumerate(entries) if one.message.speaker is not Speaker.SYSTEM)
        return next(others, len(entries))

    def work_at(self, position: int) -> Mapping[int, ToolWork]:
        """What the tool results of a message tell, by their block; of source messages only."""
        origins = self.draft.entries[position].origins
        if len(origins) != 1:
            return {}
        blocks = range(len(self.messages[position].blocks))
        places = ((number, (origins[0], number)) for number in blocks)
        return {number: self.work[place] for number, place in places if place in self.work}

    def span(self, start: int, end: int) -> str:
        """Positions [start, end) as people number their source messages: "#84–#328"."""
        origins = [index for entry in self.draft.entries[start:end] for index in entry.origins]
        if not origins:
            return "an inserted message"
        first, last = (self._place(index) + 1 for index in (min(origins), max(origins)))
        return f"#{first}" if first == last else f"#{first}–#{last}"

    def _place(self, index: int) -> int:
        return self.sources[index] if self.sources else index


def api_role(message: Message) -> str:
    """The role of a message as chat APIs name it."""
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
    newest: int = 5,
    sources: Sequence[int] = (),
) -> HybridAgentState:
    """A history that nothing has touched yet."""
    given = tuple(history)
    return HybridAgentState(
        given,
        work_of(given),
        begin_draft(given),
        tracker,
        count,
        target,
        limit,
        trigger,
        protected,
        newest,
        sources,
    )


def is_display_only(message: Message) -> bool:
    """True for what was shown to the person and never sent to a model (LH-21)."""
    shown = message.speaker is Speaker.UNKNOWN and message.extra.get("role") == DISPLAY_ONLY
    # a flag is asked last: that takes longer than all else
    if not shown and (message.flags is MessageFlag.NONE or not message.flags & MessageFlag.API_ERROR):
        return False
    return not any(isinstance(block, ToolCall | ToolResponse) for block in message.blocks)


def has_response(message: Message) -> bool:
    """True for a message that answers a call, whoever speaks."""
    return any(isinstance(block, ToolResponse) for block in message.blocks)


def clip_bytes(text: str, limit: int) -> str:
    """The text, or its first ``limit`` bytes of UTF-8 without half a character, and dots."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[:limit].decode("utf-8", "ignore") + "..."
