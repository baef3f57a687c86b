"""The state of a history that an agent compacts: the draft, protected messages, and sizes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.common.number_format import half_up
from core.facts.file_accesses import key_argument
from core.strategies.draft import HistoryDraft, begin_draft
from core.strategies.tracker import (
    FileModification,
    FileTracker,
    ReadFile,
    ToolWork,
    find_tool_work,
)
from core.transcript.model import (
    Code,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import (
    BlockPlace,
    Pairs,
    find_pairs,
    response_content,
    result_text,
)

DISPLAY_ONLY = (
    "display_only_data"  # the role of messages that are displayed and never sent
)
_ROLES = {
    Speaker.HUMAN: "user",
    Speaker.AI: "assistant",
    Speaker.TOOL: "tool",
    Speaker.SYSTEM: "system",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridAgentState:
    """The state that the four tools work on; indices are those of the draft. ``count`` returns the
    tokens of messages; ``target``, ``limit`` and ``trigger`` are tokens. ``protected`` are source
    messages that no tool may change; ``newest_count`` is the number of newest human and ai messages
    among them, for refusals. ``sources[i]`` is the displayed index of source message i. ``history``
    is the original history, ``tool_work`` the work behind its tool results."""

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

    def is_protected(self, index: int) -> bool:
        return not self.protected.isdisjoint(self.draft.entries[index].origins)

    @property
    def prompt_count(self) -> int:
        """The number of leading system messages: the system prompt and its additions."""
        messages = self.messages
        others = (
            index
            for index, message in enumerate(messages)
            if message.speaker is not Speaker.SYSTEM
        )
        return next(others, len(messages))

    def work_at(self, index: int) -> Mapping[int, ToolWork]:
        """Return the work behind the tool results of an unchanged message, by block."""
        origins = self.draft.entries[index].origins
        # A summary of several messages has no work of its own.
        if len(origins) != 1:
            return {}
        blocks = range(len(self.messages[index].blocks))
        places = ((number, (origins[0], number)) for number in blocks)
        return {
            number: self.tool_work[place]
            for number, place in places
            if place in self.tool_work
        }

    def span(self, start: int, end: int) -> str:
        """Return the entries [start, end) as numbered in the source: "#84–#328"."""
        origins = [
            index for entry in self.draft.entries[start:end] for index in entry.origins
        ]
        if not origins:
            return "an inserted message"
        ends = [
            self.sources[index] if self.sources else index
            for index in (min(origins), max(origins))
        ]
        first, last = (one + 1 for one in ends)
        if first == last:
            return f"#{first}"
        return f"#{first}–#{last}"


def api_role(message: Message) -> str:
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
    return HybridAgentState(
        history=tuple(history),
        tool_work=find_tool_work(history),
        draft=begin_draft(history),
        tracker=tracker,
        count=count,
        target=target,
        limit=limit,
        trigger=trigger,
        protected=protected,
        newest_count=newest_count,
        sources=sources,
    )


def is_display_only(message: Message) -> bool:
    """Return whether a message was displayed and never sent to a model (LH-21)."""
    has_role = (
        message.speaker is Speaker.UNKNOWN and message.extra.get("role") == DISPLAY_ONLY
    )
    # the flag last: checking it is the slowest part
    if not has_role and (
        message.flags is MessageFlag.NONE or not message.flags & MessageFlag.API_ERROR
    ):
        return False
    return not any(
        isinstance(block, ToolCall | ToolResponse) for block in message.blocks
    )


def has_response(message: Message) -> bool:
    return any(isinstance(block, ToolResponse) for block in message.blocks)


def clip_bytes(text: str, limit: int) -> str:
    """Return the first ``limit`` bytes of UTF-8 without half a character, with dots where cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    # Cut in the middle of a character, its rest is left out.
    return data[:limit].decode("utf-8", "ignore") + "..."


_SUMMARY_BYTES = 200
_CHANGE_BYTES = 100
DETAIL_CHARACTERS = (
    60_000  # characters of text shared by all messages in a detailed report
)
_MAX_CHARACTERS, _MIN_CHARACTERS = 2000, 80
_RESULT_CHARACTERS = 200

FAR_FROM_TARGET, NEAR_TARGET = 5000, 1000
"""Tokens over the target above which the recommendation says that much or some work is left."""


def metadata_json(state: HybridAgentState, *, details: bool) -> str:
    """Return the answer of get_compression_metadata as JSON text (LH-73), a line per message."""
    tracker = state.tracker
    report = {
        "files_read": [
            _file_entry(entry, details) for entry in tracker.read_files.values()
        ],
        "recent_modifications": [
            _change_entry(entry, details) for entry in tracker.modifications
        ],
        "todo_context": {
            "active_todo": tracker.active_todo or None,
            "files_touched": list(tracker.files_touched),
        },
        "message_statistics": _statistics(state),
    }
    rows = ",\n".join(
        f"    {json.dumps(row, ensure_ascii=False)}" for row in _rows(state, details)
    )
    return f'{_json(report)[:-2]},\n  "messages": [\n{rows}\n  ]\n}}'


def verification_json(state: HybridAgentState) -> str:
    """Return the answer of verify_compression_target as JSON text (LH-76); tokens and percent."""
    tokens, target = state.tokens, state.target
    saved = max(0, state.trigger - tokens)
    return _json(
        {
            "current_tokens": tokens,
            "target_tokens": target,
            "max_context_tokens": state.limit,
            "trigger_threshold_tokens": state.trigger,
            "current_usage_percent": percent_of(tokens, state.limit),
            "target_usage_percent": percent_of(target, state.limit),
            "target_achieved": tokens <= target,
            "tokens_over_target": max(0, tokens - target),
            "tokens_saved_from_trigger": saved,
            "compression_progress_percent": percent_of(saved, state.trigger),
            "recommendation": _recommendation(tokens - target),
            "total_messages": len(state.draft.entries),
        }
    )


def _recommendation(excess_tokens: int) -> str:
    if excess_tokens <= 0:
        return "Target achieved! Compression complete."
    if excess_tokens > FAR_FROM_TARGET:
        return (
            "Significant compression still needed. Focus on large tool results first."
        )
    if excess_tokens > NEAR_TARGET:
        return "Close to target. Compress a few more conversation segments."
    return "Very close to target. One more compression should do it."


def percent_of(part: int, total: int) -> float:
    """Return a share in percent with one decimal; 0 where ``total`` is 0."""
    if total:
        return float(half_up(100 * part / total, 1))
    return 0.0


def _file_entry(file: ReadFile, details: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "path": file.path,
        "hash": file.hash,
        "timestamp": file.timestamp,
        "curator_cache_available": bool(file.summary),
    }
    if file.conversation_hash is not None:
        entry["cache_conversation_hash"] = file.conversation_hash
    if file.summary and details:
        entry["summary"] = clip_bytes(file.summary, _SUMMARY_BYTES)
    elif file.summary:
        entry["summary_length"] = len(file.summary.encode("utf-8", "replace"))
    return entry


def _change_entry(change: FileModification, details: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "path": change.path,
        "type": change.kind,
        "timestamp": change.timestamp,
    }
    if details and change.summary:
        entry["summary"] = clip_bytes(change.summary, _CHANGE_BYTES)
    if change.todo:
        entry["related_todo"] = change.todo
    return entry


def _statistics(state: HybridAgentState) -> dict[str, int]:
    roles = Counter(map(api_role, state.messages))
    return {
        "total_messages": len(state.messages),
        "user_messages": roles["user"],
        "assistant_messages": roles["assistant"],
        "tool_messages": roles["tool"],
        "system_messages": roles["system"],
        "display_only_messages": roles[DISPLAY_ONLY],
        "estimated_total_tokens": state.tokens,
    }


def _rows(state: HybridAgentState, details: bool) -> Iterator[dict[str, Json]]:
    # The characters per message depend on the original history, so that no later list is larger.
    share = DETAIL_CHARACTERS // max(1, len(state.history))
    if details:
        text_limit = min(_MAX_CHARACTERS, max(_MIN_CHARACTERS, share))
    else:
        text_limit = 0
    prompts = state.prompt_count
    for index, message in enumerate(state.messages):
        row: dict[str, Json] = {
            "index": index,
            "role": api_role(message),
            "tokens": state.count((message,)),
        }
        is_protected = index < prompts or state.is_protected(index)
        if is_protected:
            row["protected"] = True
        row |= _tools_and_files(state, index)
        if text_limit and not is_protected:
            text = "\n".join(_message_texts(message))
            row["text"] = text if len(text) <= text_limit else text[:text_limit] + "…"
        yield row


def _tools_and_files(state: HybridAgentState, index: int) -> dict[str, Json]:
    """Return the tools of a message's results, their files, and whether one failed."""
    work = state.work_at(index).values()
    tools = [result.name for result in work if result.name]
    paths = list(dict.fromkeys(file.path for result in work for file in result.files))
    entry = {
        "tools": tools,
        "files": paths,
        "failed": any(result.failed for result in work),
    }
    return {name: value for name, value in entry.items() if value}


def _message_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message; of a tool result only the beginning, since the tracker has the
    rest."""
    for block in message.blocks:
        if isinstance(block, Text):
            yield block.text
        elif isinstance(block, Code):
            yield block.code
        elif isinstance(block, ToolCall):
            yield f"[{block.name} {key_argument(block.arguments) or ''}".rstrip() + "]"
        elif isinstance(block, ToolResponse):
            yield result_text(response_content(block))[:_RESULT_CHARACTERS]


def _json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
