"""Compactions that a trajectory records, also those that hand the task over to a fresh agent.

Terminus 2 lets sub-agents write a summary, questions about it and their answers. The next agent
gets the first prompt, the summary with its questions, and the answers as the user step after the
boundary. With linear history a file of its own begins with these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from core.common.json_value import Json
from core.formats.atif.steps import SPEAKERS, message_blocks, observation_results, sub_agent_refs
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import ConversationRecords
from core.formats.common.session_log import side_file
from core.transcript.model import (
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    Text,
    joined_text,
    tool_responses,
)

SUB_TRAJECTORIES = "subagent_trajectories"
_SUMMARISERS = "-summarization-"
"""In the session id of a sub-agent of Terminus 2 that helps to hand over."""
_HANDOFF = "context summarization and handoff"
"""In what Terminus 2 says as the system when it hands over, also where no helper is named."""
_CONTINUES = "-cont-"
_ANNOUNCED = "next user message carries the compaction summary"
"""In a boundary of Vibe, which begins a session with its summary."""


def is_boundary(step: Json) -> bool:
    """Return whether a step replaces the context before it, which ATIF before version 1.7 does not
    mark."""
    mark = _mark(step)
    is_marked = mark.get("boundary") == "replace" or mark.get("type") == "compaction"
    return is_marked or _hands_over(step)


def handing_over(step: Json) -> str:
    """Return what a boundary says if the user step after it is the summary, no words of the
    person."""
    words = string_of(nested(step, "message"))
    return words if _hands_over(step) or _ANNOUNCED in words else ""


def as_summary(messages: Sequence[Message], boundary: str = "") -> list[Message]:
    """Return the messages, those in the user's name as a summary; beside it, what its boundary
    says."""
    beside = {"$boundary": boundary} if boundary else {}
    return [
        replace(one, flags=one.flags | MessageFlag.RECORDED_SUMMARY, extra={**one.extra, **beside})
        if one.speaker is Speaker.HUMAN
        else one
        for one in messages
    ]


def compaction_of(
    record: JsonRecord,
    own: Sequence[Message],
    before: Sequence[Message],
    loaded: ConversationRecords,
) -> RecordedCompaction:
    """Return the compaction of all messages before a step; its observation is the summary."""
    helpers = _helpers(record.value)
    results = (response.result for message in own for response in tool_responses(message))
    commentary = (joined_text(message) for message in own if message.flags & MessageFlag.META)
    texts = tuple(
        Text(result) for result in (*results, *commentary) if isinstance(result, str) and result
    )
    summary = replace(
        own[0], speaker=Speaker.SYSTEM, blocks=texts, flags=MessageFlag.RECORDED_SUMMARY
    )
    kept = (0,) if _hands_over(record.value) and before else ()
    questions = _questions(helpers, record, loaded)
    return RecordedCompaction(
        kind="summary",
        boundary=len(before),
        trigger=coerce_text(_mark(record.value).get("trigger")),
        summary=(summary,) if texts else (),
        kept=kept,
        source=record.source(),
        context_after=(*kept, *questions) if questions else (),
    )


def with_earlier_part(
    fields: Mapping[str, Json], messages: Sequence[Message]
) -> tuple[list[Message], list[RecordedCompaction]]:
    """Return the messages of a file that continues another, with the compaction that began it, if
    it does."""
    count = len(messages)
    copied = next(
        (
            index
            for index, one in enumerate(messages)
            if one.extra.get("is_copied_context") is not True
        ),
        count,
    )
    if copied < 2 or _CONTINUES not in coerce_text(fields.get("session_id")):
        return [*messages], []
    end = next(
        (at for at in range(copied, count) if messages[at].speaker is not Speaker.HUMAN), count
    )
    messages_after = [messages[0], *as_summary(messages[1:end]), *messages[end:]]
    source = messages[1].sources[0]
    return messages_after, [
        RecordedCompaction(
            kind="summary", boundary=1, kept=(0,), source=source, is_source_lost=True
        )
    ]


def _mark(step: Json) -> Mapping[str, Json]:
    return fields_of(nested(step, "extra", "context_management"))


def _hands_over(step: Json) -> bool:
    """Return whether Terminus 2 hands over at a step: it names its helpers, or says so."""
    if nested(step, "source") != "system":
        return False
    return bool(_helpers(step)) or _HANDOFF in string_of(nested(step, "message"))


def _helpers(step: Json) -> list[Mapping[str, Json]]:
    """Return the references to the sub-agents that helped to hand over."""
    refs = (ref for result in observation_results(step) for ref in sub_agent_refs(result))
    return [ref for ref in refs if _SUMMARISERS in coerce_text(ref.get("session_id"))]


def _questions(
    helpers: Sequence[Mapping[str, Json]], record: JsonRecord, loaded: ConversationRecords
) -> tuple[Message, ...]:
    """Return the summary with the next agent's questions, of a trajectory inside the file or beside
    it."""
    for ref in helpers:
        id_ = coerce_text(ref.get("session_id"))
        if not id_.endswith("-questions"):
            continue
        inside = (fields_of(one) for one in list_of(loaded.fields.get(SUB_TRAJECTORIES)))
        beside = PurePath(coerce_text(ref.get("trajectory_path"))).name
        found = next((one for one in inside if one.get("session_id") == id_), None)
        steps = list_of((found or side_file(loaded.file, beside)).get("steps"))
        return tuple(
            Message(
                speaker=SPEAKERS.get(string_of(step.get("source")), Speaker.UNKNOWN),
                blocks=tuple(message_blocks(step)),
                sources=(record.source(),),
                flags=MessageFlag.RECORDED_SUMMARY,
            )
            for step in map(fields_of, steps)
        )
    return ()
