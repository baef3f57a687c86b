"""Joins what a log writes as several records though the model said it in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.transcript.model import (
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    tool_calls,
    tool_responses,
)


def joined_answers(
    messages: Sequence[Message], recorded: Sequence[RecordedCompaction]
) -> tuple[tuple[Message, ...], tuple[RecordedCompaction, ...]]:
    """Return the history with parallel calls in one message, and its compactions at their places.

    The model says nothing before it has the results of its calls. So an answer goes on in the next
    record while a call of it waits for a result that comes later; calls that are never answered
    join nothing, because many logs hold no results at all.
    """
    groups = _answers(messages, {compaction.boundary for compaction in recorded})
    if len(groups) == len(messages):
        return tuple(messages), tuple(recorded)
    places = [place for place, group in enumerate(groups) for _ in group]
    places.append(len(groups))  # a compaction may be behind the last message
    moved = tuple(_moved(compaction, places) for compaction in recorded)
    return tuple(map(_joined, groups)), moved


def _answers(messages: Sequence[Message], borders: set[int]) -> list[list[Message]]:
    """Return the messages in groups, those of one answer together; no answer goes on beyond one of
    the ``borders``."""
    answered_at = {
        response.call_id: index
        for index, message in enumerate(messages)
        for response in tool_responses(message)
    }
    groups: list[list[Message]] = []
    last_result = -1  # index of the last result of the current answer
    for index, message in enumerate(messages):
        is_answer = message.speaker is Speaker.AI and not message.flags & MessageFlag.COMMAND
        goes_on = is_answer and last_result > index and index not in borders
        if goes_on:
            groups[-1].append(message)
        else:
            groups.append([message])
            last_result = -1
        if is_answer:
            results = (answered_at.get(call.id, -1) for call in tool_calls(message))
            last_result = max((last_result, *results))
        else:
            last_result = -1
    return groups


def _joined(group: Sequence[Message]) -> Message:
    first = group[0]
    if len(group) == 1:
        return first
    flags, extra = first.flags, dict(first.extra)
    for message in group[1:]:
        flags |= message.flags
        extra = {**message.extra, **extra}
    return replace(
        first,
        blocks=tuple(block for message in group for block in message.blocks),
        sources=tuple(dict.fromkeys(source for message in group for source in message.sources)),
        flags=flags,
        extra=extra,
    )


def _moved(compaction: RecordedCompaction, places: Sequence[int]) -> RecordedCompaction:
    context = [
        places[entry] if isinstance(entry, int) else entry for entry in compaction.context_after
    ]
    kept = dict.fromkeys(places[index] for index in compaction.kept)
    return replace(
        compaction,
        boundary=places[compaction.boundary],
        kept=tuple(kept),
        context_after=_without_repetition(context),
    )


def _without_repetition(context: Sequence[int | Message]) -> tuple[int | Message, ...]:
    """Return the context with each message that stayed once."""
    seen: set[int] = set()
    once: list[int | Message] = []
    for entry in context:
        if isinstance(entry, int):
            if entry in seen:
                continue
            seen.add(entry)
        once.append(entry)
    return tuple(once)
