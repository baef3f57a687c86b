"""Reader for Inspect logs: ``.eval`` (a zip), JSON, and single samples. Each sample is a
conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.archives import read_member
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    note_problems,
)
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    parse_bytes,
    parse_json_document,
    string_of,
    sum_of,
    written_number,
)
from core.formats.common.message_lists import check_number, inner_document, numbered
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    UsageReports,
    link_calls,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    SourceDocument,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
)

_ATTACHMENT_REFERENCE = re.compile(r"attachment://([0-9a-f]+)")
_ROLES = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_MEDIA = ("image", "audio", "video", "document")


def resolve_attachments(value: Json, attachments: Mapping[str, str]) -> Json:
    """Return a value with every reference to an attachment replaced; missing ones stay."""
    if isinstance(value, str):
        return _ATTACHMENT_REFERENCE.sub(
            lambda match: attachments.get(match[1], match[0]), value
        )
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {
            key: resolve_attachments(item, attachments) for key, item in value.items()
        }
    return value


def is_system(value: Json) -> bool:
    return isinstance(value, dict) and value.get("role") == "system"


def read_message(record: JsonRecord, notes: ImportNotes) -> Message:
    value = record.value
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    speaker = speaker_of(value.get("role"), _ROLES, notes, record.line)
    blocks: tuple[Block, ...]
    if speaker is Speaker.TOOL:
        blocks = (_response(value),)
        own_fields = ["tool_call_id", "function", "error"]
    else:
        calls = (
            shaped_block(
                call,
                _CALL,
                ("type",) if nested(call, "type") == "function" else (),
                "tool_call",
            )
            for call in list_of(value.get("tool_calls"))
        )
        blocks = (*_content(value.get("content")), *calls)
        own_fields = ["tool_calls"]
    # Long texts are moved into attachments; a copied log may lack them.
    if "attachment://" in str(value.get("content")):
        notes.warn(
            record.line, "an attachment that the message names is not in the file"
        )
    id_ = coerce_text(value.get("id"))
    extra = other_fields(value, ["role", "content", "id", *own_fields])
    return record_messages(record.source(), [(speaker, blocks)], id=id_, extra=extra)[0]


def _content(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    if isinstance(content, str):
        return (Text(content),)
    if isinstance(content, list):
        return tuple(map(_part, content))
    return (Opaque("content", content),)


_PARTS: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "reasoning": BlockShape(Thinking, ("reasoning",), required=("reasoning",)),
}
_CALL = {
    "tool_call": BlockShape(ToolCall, ("id", "function"), ("arguments",), default=None)
}


def _part(part: Json) -> Block:
    kind = nested(part, "type")
    if isinstance(part, str):
        return Text(part)
    # Nobody but the provider can read redacted reasoning, so its size is not that of a text.
    if kind == "reasoning" and part.get("redacted") is True:
        return Opaque("redacted_thinking", part)
    if kind in _MEDIA and isinstance(part.get(kind), str):
        return _media(part, kind)
    return shaped_block(part, _PARTS)


def _media(part: Mapping[str, Json], kind: str) -> Media:
    data = part[kind]
    mime = string_of(part.get("mime_type"))
    if data.startswith("data:"):
        mime = data[5:100].split(";", 1)[0].split(",", 1)[0]
    mime = mime or f"{kind}/{coerce_text(part.get('format')) or '*'}"
    extra = other_fields(part, ("type", kind, "filename"))
    return Media(mime, data, coerce_text(part.get("filename")), extra)


def _response(value: Mapping[str, Json]) -> ToolResponse:
    """Return the result, and the error if there was one: its message or the whole object."""
    error = value.get("error")
    content = value.get("content", "")
    failure: Json = MISSING
    if error is not None:
        if isinstance(error, dict):
            text = error.get("message")
        else:
            text = error
        if isinstance(text, str):
            failure = text
        else:
            failure = plain_text(error)
    return ToolResponse(
        coerce_text(value.get("tool_call_id")),
        coerce_text(value.get("function")),
        "" if content is None else content,
        failure,
        {"error": error} if isinstance(error, dict) else NO_EXTRA,
    )


_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


class InspectEvents:
    """The events of a sample with the messages of its conversation; ``values`` are the raw values
    of ``messages``."""

    def __init__(
        self,
        events: Sequence[Mapping[str, Json]],
        messages: Sequence[Message],
        values: Sequence[Json],
    ) -> None:
        self._events, self._messages, self._values = events, messages, values
        # Messages of old logs have no ids, so their content stands in.
        self._indices = {
            _message_key(value): index for index, value in enumerate(values)
        }

    def usage(self) -> tuple[ReportedUsage, ...]:
        """Return the reports of requests whose answers are among the messages, in their order."""
        reports = UsageReports()
        for event in self._events:
            if event.get("event") == "model":
                index = self._answer_index(event)
            else:
                index = -1
            output = fields_of(event.get("output"))
            if index >= 0:
                usage = _usage(output.get("usage"))
                model = coerce_text(output.get("model"))
                reports.add(self._messages[index].sources[0], *usage, model)
        return reports.reported_usage(self._messages)

    def compactions(
        self, pool: Sequence[Json], notes: ImportNotes
    ) -> Iterator[RecordedCompaction]:
        """Yield each compaction event, with the input of the next request as its result. ``pool``
        are the messages that ``input_refs`` refer to; compactions of other agents in the sample are
        counted."""
        for number, event in enumerate(self._events):
            if event.get("event") != "compaction":
                continue
            request = next(
                (e for e in self._events[number:] if e.get("event") == "model"), None
            )
            if request:
                boundary = self._answer_index(request)
            else:
                boundary = len(self._messages)
            if boundary < 0:
                # A sample may hold several agents; only one of them has these messages.
                notes.skip("compaction of another agent")
                continue
            context_after = tuple(
                self._context(_request_input(request or {}, pool), boundary)
            )
            kind = _KINDS.get(coerce_text(event.get("type")), "replace")
            new_messages = tuple(
                message for message in context_after if isinstance(message, Message)
            )
            before = number_of(event.get("tokens_before"))
            after = number_of(event.get("tokens_after"))
            summary = new_messages if kind == "summary" else ()
            yield RecordedCompaction(
                kind=kind,
                boundary=boundary,
                trigger="auto",
                tokens_before=before,
                tokens_after=after,
                summary=summary,
                context_after=context_after,
            )

    def _answer_index(self, event: Mapping[str, Json]) -> int:
        choices = list_of(nested(event.get("output"), "choices"))
        return self._indices.get(
            _message_key(nested(choices[0], "message") if choices else None), -1
        )

    def _context(
        self, input_values: Sequence[Json], boundary: int
    ) -> Iterator[int | Message]:
        is_start = True
        for value in input_values:
            index = self._indices.get(_message_key(value), -1)
            # An edit keeps the id of a message and changes its content.
            if 0 <= index < boundary and _content_key(value) == _content_key(
                self._values[index]
            ):
                yield index
            elif not (is_start and is_system(value)):
                message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
                if index < 0:
                    # A message that no answer had before is what the compaction wrote.
                    flags = MessageFlag.RECORDED_SUMMARY
                else:
                    flags = self._messages[index].flags
                yield replace(message, sources=(), flags=flags)
            is_start = is_start and is_system(value)


def sample_events(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    events = sample.get("events") or nested(sample, "transcript", "events")
    return [event for event in list_of(events) if isinstance(event, dict)]


def offered_tools(events: Sequence[Mapping[str, Json]]) -> Sequence[Json]:
    return list_of(
        next(
            (event.get("tools") for event in events if event.get("event") == "model"),
            None,
        )
    )


def _request_input(event: Mapping[str, Json], pool: Sequence[Json]) -> Sequence[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    full_input = event.get("input")
    ranges = event.get("input_refs")
    if full_input or not isinstance(ranges, list):
        return list_of(full_input)
    messages: list[Json] = []
    for pair in ranges:
        if not isinstance(pair, list) or len(pair) != 2:
            continue
        start, end = pair
        if isinstance(start, int) and isinstance(end, int):
            messages += pool[start:end]
    return messages


def _message_key(value: Json) -> str:
    return string_of(nested(value, "id")) or _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)


def _usage(value: Json) -> tuple[int | None, int | None]:
    """Return tokens of request and answer. Cached tokens are reported inside or beside the input,
    depending on the provider; the total decides."""
    usage = fields_of(value)
    total = number_of(usage.get("total_tokens"))
    output = number_of(usage.get("output_tokens"))
    # Only the total tells whether a provider counts cached tokens inside of its input.
    if total is not None and output is not None:
        return total - output, output
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    return sum_of(*map(usage.get, names)), output


_SAMPLE_FOLDER = "samples/"
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE_SIGNS = ("events", "transcript", "scores", "attachments", "target")
_INPUT_TOKENS = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class _Sample:
    """One sample: its value, and the records of its messages with their place."""

    value: Mapping[str, Json]
    records: Sequence[JsonRecord]
    document: SourceDocument
    layout: Mapping[str, Json]
    listed: tuple[ListedConversation, ...] = ()
    model: str = ""


def _archive_score(file: OpenedDocument) -> FormatScore:
    is_log = any(member.name in _HEADERS for member in file.members)
    if is_log:
        return 0.98, f"a zip with {len(_sample_names(file)):,} samples of an eval log"
    return 0.0, ""


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the files of the zip, by ``eval`` beside ``samples``, or by the fields of a
    sample."""
    if file.container is DocumentContainer.ARCHIVE:
        return _archive_score(file)
    if file.container is not DocumentContainer.OBJECT:
        return 0.0, ""
    value = file.objects[0]
    has_content = "samples" in value or "plan" in value
    if has_content and isinstance(value.get("eval"), dict):
        return 0.98, "an eval beside its samples"
    has_messages = isinstance(value.get("messages"), list)
    is_epoch = "id" in value and "epoch" in value
    if has_messages and is_epoch and any(name in value for name in _SAMPLE_SIGNS):
        return 0.98, "one sample: epoch and messages"
    return 0.0, ""


def _attachments(value: Mapping[str, Json]) -> dict[str, str]:
    # before October 2024 attachments were in ``transcript.content``
    texts = fields_of(
        value.get("attachments") or nested(value, "transcript", "content")
    )
    return {id_: text for id_, text in texts.items() if isinstance(text, str)}


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one sample; InputError for a log without samples or an unknown number."""
    notes = ImportNotes()
    sample = _chosen_sample(file, request, notes)
    notes.records = len(sample.records)
    value = sample.value
    attachments = _attachments(value)
    records = [
        r._replace(value=resolve_attachments(r.value, attachments))
        for r in sample.records
    ]
    # The system prompt is sent as the first messages.
    system_records = list(takewhile(lambda record: is_system(record.value), records))
    records = records[len(system_records) :]
    messages = link_calls([read_message(record, notes) for record in records], notes)
    events = sample_events(value)
    # Resolving copies every event, which is worth it only for a compaction.
    if any(event.get("event") == "compaction" for event in events):
        events = resolve_attachments(events, attachments)
    pool = list_of(
        value.get("message_pool") or nested(value, "events_data", "messages")
    )
    indexed_events = InspectEvents(
        events, messages, [record.value for record in records]
    )
    output = fields_of(value.get("output"))
    conversation = Conversation(
        format="inspect_ai",
        document=sample.document,
        messages=messages,
        system=SystemPart(
            tuple(
                joined_text(read_message(record, notes)) for record in system_records
            ),
            tuple(resolve_attachments(offered_tools(events), attachments)),
        ),
        recorded=tuple(
            indexed_events.compactions(resolve_attachments(pool, attachments), notes)
        ),
        report=notes.report(),
        model=sample.model or coerce_text(output.get("model")),
        session_id=coerce_text(value.get("uuid")),
        reported_context=sum_of(
            *map(fields_of(output.get("usage")).get, _INPUT_TOKENS)
        ),
        usage=indexed_events.usage(),
        title=_title(value.get("id"), value.get("epoch")),
        layout={
            **sample.layout,
            "system": [[r.line, r.start, r.end] for r in system_records],
        },
    )
    return numbered(conversation, request.conversation, sample.listed)


def _chosen_sample(
    file: OpenedDocument, request: ReadRequest, notes: ImportNotes
) -> _Sample:
    if file.container is DocumentContainer.ARCHIVE:
        return _sample_from_zip(file, request.conversation, notes)
    if file.json is None or file.container is not DocumentContainer.OBJECT:
        raise InputError(
            f"{file.document.name} is not an eval log: it is not one JSON object.",
            "Choose a log of Inspect AI, or leave the format out.",
        )
    note_problems(file.json, notes)
    if "messages" in file.json.arrays:
        check_number(file.document.name, request.conversation, 1)
        layout = {"container": "object", "path": ["messages"]}
        return _Sample(
            file.json.value, file.json.arrays["messages"], file.document, layout
        )
    return _sample_from_log(file, file.json, request.conversation)


def _sample_from_log(file: OpenedDocument, log: JsonDocument, number: int) -> _Sample:
    samples = log.arrays.get("samples", ())
    _check_number(file, number, len(samples))
    inner = inner_document(file, samples[number - 1])
    listed: list[ListedConversation] = []
    for list_number, value in enumerate(
        (fields_of(record.value) for record in samples), 1
    ):
        count = sum(1 for _ in dropwhile(is_system, list_of(value.get("messages"))))
        title = _title(value.get("id"), value.get("epoch"))
        listed.append(ListedConversation(list_number, title, count, "sample"))
    layout = {"container": "object", "path": ["samples", number - 1, "messages"]}
    model = coerce_text(nested(log.value, "eval", "model"))
    records = inner.arrays.get("messages", ())
    return _Sample(
        fields_of(inner.value), records, file.document, layout, tuple(listed), model
    )


def _check_number(file: OpenedDocument, number: int, count: int) -> None:
    if not count:
        raise InputError(
            (
                f"{file.document.name} is an eval log without samples: the run ended before it "
                f"wrote one."
            ),
            "Choose the log of a run that finished a sample.",
        )
    check_number(file.document.name, number, count)


def _sample_from_zip(file: OpenedDocument, number: int, notes: ImportNotes) -> _Sample:
    names = _sample_names(file)
    header = _header(file)
    completed = nested(header, "results", "completed_samples")
    # A run that was cut off has counted samples that it never wrote.
    if names and isinstance(completed, int) and completed > len(names):
        notes.warn(
            0,
            f"the log counts {completed:,} samples that ended, but holds {len(names):,}",
        )
    _check_number(file, number, len(names))
    document = read_member(file.document, names[number - 1])
    try:
        parsed = parse_json_document(document.data or b"")
    except InvalidJsonError as error:
        raise InputError(
            f"{document.name} is not JSON: in line {error.line}, {error.reason}.",
            "Copy the log again.",
        ) from error
    if "messages" not in parsed.arrays:
        raise InputError(
            f"{document.name} has no messages.",
            "Choose another sample with --conversation.",
        )
    titles = enumerate((_title(*_id_and_epoch(name)) for name in names), 1)
    listed = tuple(
        ListedConversation(list_number, title, None, "sample")
        for list_number, title in titles
    )
    layout = {"container": "object", "path": ["messages"], "member": names[number - 1]}
    model = coerce_text(nested(header, "eval", "model"))
    return _Sample(
        fields_of(parsed.value),
        parsed.arrays["messages"],
        document,
        layout,
        listed,
        model,
    )


def _header(file: OpenedDocument) -> Json:
    members = {member.name for member in file.members}
    name = next((name for name in _HEADERS if name in members), "")
    try:
        if name:
            return parse_bytes(read_member(file.document, name).data or b"").value
        return None
    except InputError:
        return None


def _sample_names(file: OpenedDocument) -> list[str]:
    """Return the samples of a zip by epoch, then by id; the zip has them in order of completion."""
    names = [
        member.name for member in file.members if member.name.startswith(_SAMPLE_FOLDER)
    ]
    return sorted((name for name in names if name.endswith(".json")), key=_sample_order)


def _sample_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    id_, epoch = _id_and_epoch(name)
    # By number: as text sample 10 comes before sample 2.
    parts = [part for part in _DIGITS.split(id_) if part]
    numbers = ((written_number(part), part) for part in parts)
    order = [(-1, part) if number is None else (number, "") for number, part in numbers]
    return written_number(epoch) or 0, order


def _id_and_epoch(name: str) -> tuple[str, str]:
    id_, _, epoch = (
        name.removeprefix(_SAMPLE_FOLDER).removesuffix(".json").rpartition("_epoch_")
    )
    # An id may hold the word itself, so only a number behind it is an epoch.
    if epoch.isdecimal() and epoch.isascii():
        return (id_, epoch)
    return (f"{id_}{epoch}", "")


def _title(id_: Json, epoch: Json) -> str:
    title = coerce_text(id_) or "sample"
    if title.isdecimal():
        title = f"sample {title}"
    if epoch not in (None, ""):
        return f"{title}, epoch {epoch}"
    return title


INSPECT_AI = Format(
    name="inspect_ai",
    label="Inspect",
    about="Logs of Inspect AI: .eval and JSON, with every sample and epoch as a conversation; single samples;"
    " no real file with a compaction was seen.",
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)
