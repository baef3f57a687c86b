"""Writes sessions of Gemini CLI: surviving records unchanged, with new records for new messages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import read_whole
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document
from core.formats.gemini.part_writer import FAMILY
from core.formats.gemini_cli.record_writer import (
    NO_TIME,
    GeminiRecordContext,
    GeminiToolResponse,
    answers_of,
    fresh_id,
    model_record,
    user_record,
)
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    export_messages_from_user,
    is_whole,
    joined_pieces,
    split_records,
)
from core.formats.writing.raw_json import dump_json, dump_lines, rebuild_container, record_json
from core.formats.writing.reported_sizes import still_reported, without_usage
from core.formats.writing.unsupported_content import ExtraContent, in_answers, leave_out_extra
from core.transcript.model import Message, Speaker, ToolCall

NAME = "gemini_cli"
_SHOWN_ONLY = ("info", "warning", "error")
_REWRITES = ("$rewindTo", "$patch")
_Group = tuple[ExportMessage, ...]


@dataclass(slots=True)
class _GeminiOutput:
    """The records written so far. ``shown_rows`` are rows that were only shown, by the record before them."""

    context: GeminiRecordContext
    losses: ExportLosses
    shown_rows: Mapping[int, Sequence[Json]] = field(default_factory=dict)
    records: list[Json] = field(default_factory=list)


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the session in the source's container; from another format a new session as one object.

    A log is written without rewinds and rewrites, with their results instead.
    """
    losses = ExportLosses("Gemini CLI")
    conversation = given.conversation
    if not given.comes_from(NAME):
        return _new_session(given, losses)
    is_log = conversation.layout.get("container") != "object"
    shape = OutputShape.LINES if conversation.layout.get("container") == "jsonl" else OutputShape.JSON
    if given.is_whole_source and conversation.branch == 1:
        return ExporterOutput(read_document(conversation.document), shape)
    rows = _log_rows(given) if is_log else _object_rows(given)
    records = _records(given, losses, _shown_rows(given, rows))
    if is_log:
        every = [*_session_lines(rows), *records]
        data = dump_json(every, pretty=True) + b"\n" if shape is OutputShape.JSON else dump_lines(every)
        return ExporterOutput(data, shape, losses.sentences())
    return ExporterOutput(rebuild_container(conversation, records)[0], shape, losses.sentences())


def _new_session(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = given.conversation
    family = conversation.format in FAMILY
    leave_out_extra(
        given, losses, *in_answers(given), ExtraContent.TIMES, ExtraContent.CALL_IDS, family=family
    )
    records = _records(given, losses, {})
    place = (conversation.cwd or conversation.document.name).encode("utf-8", "replace")
    times = [record["timestamp"] for record in records]
    session = {
        "sessionId": _session_id(given),
        "projectHash": hashlib.sha256(place).hexdigest(),
        "startTime": times[0] if times else NO_TIME,
        "lastUpdated": times[-1] if times else NO_TIME,
        "messages": records,
    }
    return ExporterOutput(dump_json(session, pretty=True) + b"\n", OutputShape.JSON, losses.sentences())


def _session_id(given: ExportInput) -> str:
    return given.conversation.session_id or fresh_id("", 0, given.conversation.document.name)


def _records(given: ExportInput, losses: ExportLosses, along: Mapping[int, Sequence[Json]]) -> list[Json]:
    out = _GeminiOutput(GeminiRecordContext(_session_id(given), given.conversation.model), losses, along)
    same = given.comes_from(NAME)
    split = split_records(given.conversation)
    data = read_document(given.conversation.document) if same else b""
    name = given.conversation.document.name
    groups = list(joined_pieces(export_messages_from_user(given, losses), with_answers=True))
    taken: set[int] = set()
    reported = still_reported(given)
    out.records.extend(along.get(-1, ()))
    for index, group in enumerate(groups):
        place, first = group[0].record if same else None, len(out.records)
        if place and is_whole(group, split) and not _is_patched(group):
            out.records.append(record_json(data, *place, name))
            out.records.extend(along.get(place[0], ()))
        elif group[0].message.speaker is Speaker.AI:
            _add_answer(out, given, groups[index:], taken)
        else:
            _add_user(out, given, group, taken)
        if not (place and place[0] in reported):
            out.records[first:] = [without_usage(record, NAME) for record in out.records[first:]]
        time = group[0].message.timestamp
        out.context = replace(out.context, time=time or out.context.time)
    return out.records


def _is_patched(group: _Group) -> bool:
    """Return whether later lines changed the record, so that its own line is outdated."""
    return any(piece.origin is not None and len(piece.origin.sources) > 1 for piece in group)


def _add_answer(out: _GeminiOutput, given: ExportInput, groups: Sequence[_Group], taken: set[int]) -> None:
    """Add an answer with the results of its calls: those of its own record, else those that follow."""
    head = groups[0][0]
    same = head.origin is not None and given.comes_from(NAME)
    shaped = head.origin is not None and given.conversation.format in FAMILY
    ids = {block.id for block in head.message.blocks if isinstance(block, ToolCall)}
    answers: dict[str, GeminiToolResponse] = {}
    for piece in _following_answers(groups[:1] if same else groups):
        origin = piece.origin.blocks if piece.origin is not None else ()
        for id_, answer in answers_of(piece.message, origin).items():
            if id_ in ids and id_ not in answers:
                answers[id_] = answer
                taken.update(map(id, (answer.response, *answer.other_blocks)))
    place = len(out.records)
    record = model_record(
        head.message, answers, out.context, place, same=same, shaped=shaped, losses=out.losses
    )
    out.records.append(record)
    for piece in groups[0][1:]:
        _add_user(out, given, (piece,), taken)


def _following_answers(groups: Sequence[_Group]) -> Iterator[ExportMessage]:
    for index, group in enumerate(groups):
        for number, piece in enumerate(group):
            if piece.message.speaker is Speaker.AI and (index, number) != (0, 0):
                return
            if piece.message.speaker is Speaker.TOOL:
                yield piece


def _add_user(out: _GeminiOutput, given: ExportInput, group: _Group, taken: set[int]) -> None:
    """Add the user's words, and results that no answer before them took."""
    rest = [message for message in (_without_taken(piece.message, taken) for piece in group) if message]
    if not rest:
        return
    own = group[0].origin is not None
    same = own and given.comes_from(NAME) and not _is_in_call_record(group)
    shaped = own and given.conversation.format in FAMILY
    place = len(out.records)
    record = user_record(rest, out.context, place, same=same, shaped=shaped, losses=out.losses)
    if record is not None:
        out.records.append(record)


def _is_in_call_record(group: _Group) -> bool:
    """Return whether the results were in the record of their calls, whose fields are not theirs."""
    messages = [piece.message for piece in group]
    return all(m.speaker is Speaker.TOOL and any(s.part for s in m.sources) for m in messages)


def _without_taken(message: Message, taken: set[int]) -> Message | None:
    blocks = tuple(block for block in message.blocks if id(block) not in taken)
    if len(blocks) == len(message.blocks):
        return message
    return replace(message, blocks=blocks) if blocks else None


_Rows = Sequence[tuple[int, dict[str, Json]]]


def _object_rows(given: ExportInput) -> _Rows:
    whole = read_whole(read_document(given.conversation.document))
    records = whole.arrays.get("messages", ())
    return [(record.start, record.value) for record in records if isinstance(record.value, dict)]


def _log_rows(given: ExportInput) -> _Rows:
    document = given.conversation.document
    if given.conversation.layout.get("container") == "array":
        records = read_whole(read_document(document)).records or ()
        return [(record.start, record.value) for record in records if isinstance(record.value, dict)]
    parsed = ((line.start, parse_bytes(line.data).value) for line in document_lines(document))
    return [(start, value) for start, value in parsed if isinstance(value, dict)]


def _session_lines(rows: _Rows) -> Iterator[Json]:
    for _, value in rows:
        fields = value.get("$set")
        if isinstance(fields, dict):
            own_fields = {key: item for key, item in fields.items() if key != "messages"}
            if own_fields:
                yield {**value, "$set": own_fields}
        elif "type" not in value and "id" not in value and not any(name in value for name in _REWRITES):
            yield {key: item for key, item in value.items() if key != "messages"}


def _shown_rows(given: ExportInput, rows: _Rows) -> Mapping[int, Sequence[Json]]:
    """Return rows that were only shown, by the record of a message before them (-1: before all)."""
    starts = {message.sources[0].start for message in given.conversation.messages if message.sources}
    rows_after: dict[int, list[Json]] = {}
    last = -1
    for start, value in rows:
        if start in starts:
            last = start
        elif value.get("type") in _SHOWN_ONLY:
            rows_after.setdefault(last, []).append(value)
    return rows_after


EXPORTER = Exporter(
    NAME,
    (),
    "Gemini CLI",
    ".json",
    "A session of Gemini CLI: the surviving records as they were, with records for what is new.",
    write,
)
