"""Turns that were taken back in a Codex rollout (``thread_rolled_back``).

The newest turns of the person go, with the context that was written for them and the compactions in
them, as when Codex resumes. What went is a branch: the session as it was when they were taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_access import number_of
from core.formats.common.message_lists import first_words
from core.formats.openai_responses.items import is_harness_text
from core.transcript.model import (
    ConversationBranch,
    Message,
    MessageFlag,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    Text,
    joined_text,
)

ROLLBACK = "thread_rolled_back"
_SHELL = "<user_shell_command>"


@dataclass(frozen=True, slots=True)
class CodexBranch:
    """A session as it was when turns of it were taken back. ``cut`` is the index of the first
    message of these; ``withdrawn`` are the bytes from which to which lines are not on this
    branch."""

    cut: int
    messages: tuple[Message, ...] = ()
    recorded: tuple[RecordedCompaction, ...] = ()
    usage: tuple[ReportedUsage, ...] = ()
    request_tokens: int = 0
    withdrawn: tuple[tuple[int, int], ...] = ()


def rollback_cut(messages: Sequence[Message], payload: Mapping[str, Json]) -> int:
    """Return the index of the first message that an event takes back; the number of messages if
    none."""
    turns = number_of(payload.get("num_turns")) or 0
    starts = [index for index, message in enumerate(messages) if _begins_turn(message)]
    if turns <= 0 or not starts:
        return len(messages)
    cut = starts[max(0, len(starts) - turns)]
    while cut > starts[0] and _is_context(messages[cut - 1]):
        cut -= 1
    return cut


def _begins_turn(message: Message) -> bool:
    """Return whether the person or another agent began a turn with a message."""
    if message.speaker is not Speaker.HUMAN or _is_summary(message):
        return False
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    return not texts or not all(is_harness_text(text) or text.startswith(_SHELL) for text in texts)


def _is_context(message: Message) -> bool:
    """Return whether Codex wrote a message for the turn that follows it."""
    return message.speaker is Speaker.SYSTEM or (
        message.speaker is Speaker.HUMAN and not _begins_turn(message) and not _is_summary(message)
    )


def _is_summary(message: Message) -> bool:
    return bool(message.flags & MessageFlag.RECORDED_SUMMARY)


def listed_branches(
    branches: Sequence[CodexBranch], messages: Sequence[Message]
) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker: the history as it is, then what was taken back, in file
    order."""
    if not branches:
        return ()
    listed = [_listed(1, messages, branches[-1].cut)]
    for number, branch in enumerate(branches, 2):
        listed.append(_listed(number, branch.messages, branch.cut))
    return tuple(listed)


def _listed(number: int, messages: Sequence[Message], cut: int) -> ConversationBranch:
    turns = [one for one in messages if _begins_turn(one)]
    shown = next((one for one in messages[cut:] if _begins_turn(one)), turns[-1] if turns else None)
    title = first_words(joined_text(shown)) if shown else ""
    line = shown.sources[0].line if shown and shown.sources else 0
    return ConversationBranch(number, title, len(messages), line)


def lines_elsewhere(branches: Sequence[CodexBranch], chosen: CodexBranch) -> set[int]:
    """Return the lines of messages and compactions that are not on the chosen branch."""
    if len(branches) == 1:
        return set()
    return {line for branch in branches for line in _lines(branch)} - {*_lines(chosen)}


def _lines(branch: CodexBranch) -> Iterator[int]:
    for message in branch.messages:
        for source in message.sources:
            yield source.line
    for compaction in branch.recorded:
        if compaction.source is not None:
            yield compaction.source.line
