"""Writes sessions of Gemini CLI: surviving records unchanged, with new records for new messages."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.message_lists import source_records
from core.formats.common.open_document import read_document
from core.formats.gemini_cli_records import DISPLAY_ONLY
from core.formats.gemini_parts import part_json, parts_json, response_json
from core.formats.writing.exporter import (
    GEMINI_FAMILY,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
    export_messages_beginning_with_user,
    group_by_record,
    is_unchanged_record,
    split_records,
)
from core.formats.writing.plain_text import dump_json, dump_lines, fields_without_notes
from core.formats.writing.raw_json import (
    deterministic_uuid,
    json_file,
    rebuild_container,
    record_json,
    source_shape,
    transcript_exporter,
)
from core.formats.writing.recorded_compaction import valid_usage_starts, without_usage
from core.transcript.model import (
    Block,
    Message,
    Speaker,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    with_blocks,
)
from core.transcript.tool_pairs import is_failed_result

NO_TIME = "1970-01-01T00:00:00.000Z"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:gemini_cli")
_DISPLAY_FIELD = "resultDisplay"


@dataclass(frozen=True, slots=True)
class GeminiToolResponse:
    """The response to a call, the blocks after it, and whether it is unchanged."""

    response: ToolResponse
    other_blocks: tuple[Block, ...] = ()
    unchanged: bool = False
    time: str = ""


def new_record_id(namespace: str, index: int, value: Json) -> str:
    digest = hashlib.sha256(dump_json(value)).hexdigest()
    return str(deterministic_uuid(_NAMESPACE, f"{namespace}/{index}/{digest}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiRecordBuilder:
    """Builds one record. ``same_format``: its message was such a record; ``from_gemini``: its
    blocks were Gemini's."""

    session_id: str
    model: str
    losses: ExportLosses
    time: str = NO_TIME
    index: int = 0
    same_format: bool = False
    from_gemini: bool = False

    def answer(
        self, message: Message, responses: Mapping[str, GeminiToolResponse]
    ) -> dict[str, Json]:
        content = self._parts(
            b for b in message.blocks if not isinstance(b, Thinking | ToolCall)
        )
        fields: dict[str, Json] = {
            "type": "gemini",
            "content": self._content(message, content, "string"),
        }
        time = message.timestamp or self.time
        thoughts = [
            block.extra.get(
                "$thought",
                {"subject": "", "description": block.text, "timestamp": time},
            )
            for block in message.blocks
            if isinstance(block, Thinking)
        ]
        calls = [
            self._call(call, responses.get(call.id), time)
            for call in tool_calls(message)
        ]
        fields |= {"thoughts": thoughts} if thoughts else {}
        fields |= {"toolCalls": calls} if calls else {}
        if not self.same_format and self.model:
            fields["model"] = self.model
        return self._record(message, fields)

    def user(self, messages: Sequence[Message]) -> dict[str, Json] | None:
        """Return the record of the user's words and of results without a call; None if nothing is
        left."""
        parts = [part for message in messages for part in self._parts(message.blocks)]
        if not parts and not self.same_format:
            self.losses.count_left_out("message without content")
            return None
        first = messages[0]
        if first.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
            self.losses.count_changed(f"{first.speaker.value} message as user")
        return self._record(
            first, {"type": "user", "content": self._content(first, parts, None)}
        )

    def _parts(self, blocks: Iterable[Block]) -> list[Json]:
        return parts_json(blocks, same_format=self.from_gemini, losses=self.losses)

    def _record(self, message: Message, fields: dict[str, Json]) -> dict[str, Json]:
        time = message.timestamp or self.time
        if not self.same_format:
            return {
                "id": new_record_id(self.session_id, self.index, fields),
                "timestamp": time,
                **fields,
            }
        if message.extra.get("$content") == "absent" and not fields["content"]:
            del fields["content"]
        named = {
            key: value
            for key, value in (("id", message.id), ("timestamp", time))
            if value
        }
        return {**named, **fields, **fields_without_notes(message.extra)}

    def _content(
        self, message: Message, parts: list[Json], new_form: str | None
    ) -> Json:
        """Return parts, or a text if the source had one; new answers are text, as the agent writes
        them."""
        if self.same_format:
            form = message.extra.get("$content")
        else:
            form = new_form
        if form == "null" and not parts:
            return None
        texts = [text for text in map(_plain_text, parts) if text is not None]
        is_text = len(texts) == len(parts) and (self.same_format or len(parts) < 2)
        if form is not None and is_text:
            return "".join(texts)
        return parts

    def _call(
        self, call: ToolCall, answer: GeminiToolResponse | None, time: str
    ) -> Json:
        value: dict[str, Json] = {
            "id": call.id,
            "name": call.name,
            "args": call.arguments,
        }
        if answer:
            result = {"result": self._result(answer)}
        else:
            result = {}
        if not self.same_format:
            part = part_json(call, same_format=self.from_gemini, losses=self.losses)[0]
            value["args"] = part["functionCall"]["args"]
            return {
                **value,
                **result,
                "status": _call_status(answer),
                "timestamp": (answer.time if answer else "") or time,
            }
        if call.extra.get("$made_id"):
            del value["id"]
        source_fields = fields_without_notes(call.extra)
        if answer is None or not answer.unchanged:
            source_fields.pop(_DISPLAY_FIELD, None)  # it shows what was removed
        return {**value, **result, **source_fields}

    def _result(self, answer: GeminiToolResponse) -> Json:
        response = answer.response
        others = self._parts(answer.other_blocks)
        form = response.extra.get("$result")
        if not self.same_format:
            return [*self._parts([response]), *others]
        if form is None or not isinstance(response.result, str):
            return [
                {"functionResponse": response_json(response, same_format=True)},
                *others,
            ]
        if form == "string" and not others:
            return response.result
        return [{"text": response.result}, *others]


def _call_status(answer: GeminiToolResponse | None) -> str:
    # A call without a result was interrupted, for which the CLI has this status.
    if answer is None:
        return "cancelled"
    return "error" if is_failed_result(answer.response) else "success"


def _plain_text(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and len(part) == 1:
        text = part.get("text")
    else:
        text = None
    return text if isinstance(text, str) else None


def responses_by_call(
    message: Message, unchanged: Sequence[Block]
) -> dict[str, GeminiToolResponse]:
    """Return the responses of a tool message by call, each with the media and text after it.
    ``unchanged`` are blocks that equal those of the source."""
    responses: dict[str, GeminiToolResponse] = {}
    last_id = ""
    for block in message.blocks:
        if isinstance(block, ToolResponse):
            last_id = block.call_id
            responses.setdefault(
                last_id,
                GeminiToolResponse(block, (), block in unchanged, message.timestamp),
            )
        elif last_id:
            earlier = responses[last_id]
            responses[last_id] = replace(
                earlier, other_blocks=(*earlier.other_blocks, block)
            )
    return responses


NAME = "gemini_cli"
_REWRITES = ("$rewindTo", "$patch")
_Group: TypeAlias = tuple[ExportMessage, ...]
_Rows: TypeAlias = Sequence[tuple[int, dict[str, Json]]]


@dataclass(slots=True)
class _GeminiOutput:
    """The records written so far; ``written_block_ids`` are results that went into their calls'
    records."""

    export_input: ExportInput
    builder: GeminiRecordBuilder
    records: list[Json] = field(default_factory=list)
    written_block_ids: set[int] = field(default_factory=set)

    def builder_for(self, piece: ExportMessage) -> GeminiRecordBuilder:
        from_source = piece.origin is not None
        return replace(
            self.builder,
            index=len(self.records),
            same_format=from_source and self.export_input.is_from_format(NAME),
            from_gemini=from_source
            and self.export_input.conversation.format in GEMINI_FAMILY,
        )


def _edited_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Write the session in the source's container; a log without rewinds and rewrites, with their
    results."""
    shape = source_shape(export_input, NAME)
    conversation = export_input.conversation
    records = source_records(conversation)
    rows = [
        (record.start, record.value)
        for record in records
        if isinstance(record.value, dict)
    ]
    written = _session_records(
        export_input, losses, _display_only_rows(export_input, rows)
    )
    lines = [*_session_lines(rows), *written]
    if conversation.layout.get("container") == "object":
        return ExporterOutput(rebuild_container(conversation, written), shape)
    if shape is OutputShape.JSON:
        return json_file(lines)
    return ExporterOutput(dump_lines(lines), shape)


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    records = _session_records(export_input, losses, {})
    # The CLI finds the sessions of a folder by the SHA-256 of its path.
    project = (conversation.cwd or conversation.document.name).encode(
        "utf-8", "replace"
    )
    times = [record["timestamp"] for record in records] or [NO_TIME]
    session = {
        "sessionId": _session_id(export_input),
        "projectHash": hashlib.sha256(project).hexdigest(),
        "startTime": times[0],
        "lastUpdated": times[-1],
        "messages": records,
    }
    return json_file(session)


def _session_id(export_input: ExportInput) -> str:
    conversation = export_input.conversation
    return conversation.session_id or new_record_id("", 0, conversation.document.name)


def _session_records(
    export_input: ExportInput,
    losses: ExportLosses,
    display_only_rows: Mapping[int, Sequence[Json]],
) -> list[Json]:
    """Return the records; ``display_only_rows`` are rows that no model was sent, by the record
    before them."""
    conversation = export_input.conversation
    same_format = export_input.is_from_format(NAME)
    out = _GeminiOutput(
        export_input,
        GeminiRecordBuilder(
            session_id=_session_id(export_input),
            model=conversation.model,
            losses=losses,
        ),
    )
    split_ranges = split_records(conversation)
    reported = valid_usage_starts(export_input)
    if same_format:
        data = read_document(conversation.document)
    else:
        data = b""
    groups = list(
        group_by_record(
            export_messages_beginning_with_user(export_input, losses), with_answers=True
        )
    )
    out.records += display_only_rows.get(-1, ())
    for index, group in enumerate(groups):
        record_range = group[0].record if same_format else None
        count_before = len(out.records)
        if record_range and _stays_as_it_is(group, split_ranges):
            out.records.append(
                record_json(data, *record_range, conversation.document.name)
            )
            out.records += display_only_rows.get(record_range[0], ())
        elif group[0].message.speaker is Speaker.AI:
            _add_answer(out, groups[index:])
        else:
            _add_user(out, group)
        # Reported tokens count a request with messages that may be gone.
        if not (record_range and record_range[0] in reported):
            new = [without_usage(record, NAME) for record in out.records[count_before:]]
            out.records[count_before:] = new
        out.builder = replace(
            out.builder, time=group[0].message.timestamp or out.builder.time
        )
    return out.records


def _is_patched(group: _Group) -> bool:
    """Return whether later lines changed the record, so that its own line is outdated."""
    return any(
        piece.origin is not None and len(piece.origin.sources) > 1 for piece in group
    )


def _add_answer(out: _GeminiOutput, groups: Sequence[_Group]) -> None:
    """Add an answer with the results of its calls: those of its own record, else those that
    follow."""
    first = groups[0][0]
    builder = out.builder_for(first)
    ids = {call.id for call in tool_calls(first.message)}
    responses: dict[str, GeminiToolResponse] = {}
    for piece in _following_results(groups[:1] if builder.same_format else groups):
        if piece.origin is not None:
            origin = piece.origin.blocks
        else:
            origin = ()
        for id_, response in responses_by_call(piece.message, origin).items():
            if id_ in ids and id_ not in responses:
                responses[id_] = response
                # By identity: two equal results may belong to two calls.
                out.written_block_ids.update(
                    map(id, (response.response, *response.other_blocks))
                )
    out.records.append(builder.answer(first.message, responses))
    for piece in groups[0][1:]:
        _add_user(out, (piece,))


def _following_results(groups: Sequence[_Group]) -> Iterator[ExportMessage]:
    for piece in islice(chain.from_iterable(groups), 1, None):
        if piece.message.speaker is Speaker.AI:
            return
        if piece.message.speaker is Speaker.TOOL:
            yield piece


def _stays_as_it_is(group: _Group, split_ranges: frozenset[tuple[int, int]]) -> bool:
    return is_unchanged_record(group, split_ranges) and not _is_patched(group)


def _unwritten_messages(out: _GeminiOutput, group: _Group) -> list[Message]:
    """Return the messages without the blocks that an answer took; without these, none is empty."""
    messages: list[Message] = []
    for piece in group:
        blocks = tuple(
            block
            for block in piece.message.blocks
            if id(block) not in out.written_block_ids
        )
        if blocks or not piece.message.blocks:
            messages.append(with_blocks(piece.message, blocks))
    return messages


def _is_part_of_call(message: Message) -> bool:
    """Return whether a result was read from within the record of its call."""
    return message.speaker is Speaker.TOOL and any(
        source.part for source in message.sources
    )


def _add_user(out: _GeminiOutput, group: _Group) -> None:
    """Add the user's words, and results that no answer before them took."""
    messages = _unwritten_messages(out, group)
    if not messages:
        return
    builder = out.builder_for(group[0])
    if all(_is_part_of_call(piece.message) for piece in group):
        # The fields of their record are the call's.
        builder = replace(builder, same_format=False)
    record = builder.user(messages)
    if record is not None:
        out.records.append(record)


def _session_lines(rows: _Rows) -> Iterator[Json]:
    for _, value in rows:
        fields = value.get("$set")
        if isinstance(fields, dict):
            session_fields = {
                key: item for key, item in fields.items() if key != "messages"
            }
            if session_fields:
                yield {**value, "$set": session_fields}
        elif _is_session_line(value):
            yield {key: item for key, item in value.items() if key != "messages"}


def _is_session_line(value: Mapping[str, Json]) -> bool:
    is_record = "type" in value or "id" in value
    return not is_record and not any(name in value for name in _REWRITES)


def _display_only_rows(
    export_input: ExportInput, rows: _Rows
) -> Mapping[int, Sequence[Json]]:
    """Return rows that were only shown, by the record of a message before them (-1: before all)."""
    starts = {
        message.sources[0].start
        for message in export_input.conversation.messages
        if message.sources
    }
    rows_after: dict[int, list[Json]] = {}
    last_start = -1
    for start, value in rows:
        if start in starts:
            last_start = start
        elif value.get("type") in DISPLAY_ONLY:
            rows_after.setdefault(last_start, []).append(value)
    return rows_after


EXPORTER = transcript_exporter(
    (NAME,),
    "Gemini CLI",
    ".json",
    "A session of Gemini CLI: the surviving records as they were, with records for what is new.",
    new=_new_session,
    edited=_edited_session,
    carries_sizes=True,
)
