"""Reader for Inspect logs: ``.eval`` (a zip), JSON, and single samples. Each sample is a conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.archives import read_member
from core.formats.common.document import DocumentContainer, OpenedDocument, note_problems
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, nested, sum_of
from core.formats.common.json_parsing import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    parse_bytes,
    parse_json_document,
)
from core.formats.common.message_lists import check_number
from core.formats.common.open_document import read_range
from core.formats.common.tool_linking import link_calls
from core.formats.inspect_ai.messages import (
    event_compactions,
    is_leading_system,
    offered_tools,
    read_message,
    reported_usage,
    resolve_attachments,
    sample_events,
)
from core.transcript.model import Conversation, ListedConversation, SourceDocument, SystemPart, Text

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
    listed: tuple[ListedConversation, ...]
    model: str = ""


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the files of the zip, by ``eval`` beside ``samples``, or by the fields of a sample."""
    if opened.container is DocumentContainer.ARCHIVE:
        samples = _sample_names(opened)
        headers = sum(1 for member in opened.members if member.name in _HEADERS)
        return (0.98, f"a zip with {len(samples):,} samples of an eval log") if headers else (0.0, "")
    value = opened.objects[0] if opened.container is DocumentContainer.OBJECT else {}
    if isinstance(value.get("eval"), dict) and ("samples" in value or "plan" in value):
        return 0.98, "an eval beside its samples"
    if _is_sample(value):
        return 0.98, "one sample: epoch and messages"
    return 0.0, ""


def _is_sample(value: Mapping[str, Json]) -> bool:
    has_id = "id" in value and "epoch" in value and isinstance(value.get("messages"), list)
    return has_id and any(name in value for name in _SAMPLE_SIGNS)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one sample; InputError for a log without samples or an unknown number."""
    notes = ImportNotes()
    sample = _chosen_sample(opened, request, notes)
    notes.records = len(sample.records)
    attachments = _attachments(sample.value)
    records = [
        record._replace(value=resolve_attachments(record.value, attachments)) for record in sample.records
    ]
    first_message = next(
        (i for i, entry in enumerate(records) if not is_leading_system(entry.value)), len(records)
    )
    messages = link_calls([read_message(record, notes) for record in records[first_message:]], notes)
    events = sample_events(sample.value)
    if any(event.get("event") == "compaction" for event in events):
        events = resolve_attachments(events, attachments)
    values = [record.value for record in records[first_message:]]
    return Conversation(
        "inspect_ai",
        sample.document,
        messages,
        SystemPart(
            tuple(_system_text(record, notes) for record in records[:first_message]),
            tuple(resolve_attachments(list(offered_tools(events)), attachments)),
        ),
        recorded=event_compactions(
            events, resolve_attachments(_message_pool(sample.value), attachments), messages, values, notes
        ),
        report=notes.report(),
        model=sample.model or coerce_text(nested(sample.value, "output", "model")),
        session_id=coerce_text(sample.value.get("uuid")),
        reported_context=sum_of(*map(fields_of(nested(sample.value, "output", "usage")).get, _INPUT_TOKENS)),
        usage=tuple(reported_usage(events, messages, values)),
        number=request.conversation,
        siblings=max(1, len(sample.listed)),
        listed=sample.listed if len(sample.listed) > 1 else (),
        title=_title(sample.value.get("id"), sample.value.get("epoch")),
        layout={
            **sample.layout,
            "system": [[entry.line, entry.start, entry.end] for entry in records[:first_message]],
        },
    )


def _chosen_sample(opened: OpenedDocument, request: ReadRequest, notes: ImportNotes) -> _Sample:
    if opened.container is DocumentContainer.ARCHIVE:
        return _sample_from_zip(opened, request, notes)
    if opened.json is None or opened.container is not DocumentContainer.OBJECT:
        raise InputError(
            f"{opened.document.name} is not an eval log: it is not one JSON object.",
            "Choose a log of Inspect AI, or leave the format out.",
        )
    note_problems(opened.json, notes)
    value = opened.json.value
    if isinstance(value.get("messages"), list):
        check_number(opened.document.name, request.conversation, 1)
        records = opened.json.arrays["messages"]
        return _Sample(value, records, opened.document, {"container": "object", "path": ["messages"]}, ())
    return _sample_from_log(opened, opened.json, request)


def _sample_from_log(opened: OpenedDocument, log: JsonDocument, request: ReadRequest) -> _Sample:
    samples = log.arrays.get("samples", ())
    if not samples:
        raise _no_samples(opened)
    check_number(opened.document.name, request.conversation, len(samples))
    record = samples[request.conversation - 1]
    data = read_range(opened.document, record.start, record.end)
    inner = parse_json_document(data, line=record.line, start=record.start)
    path: list[Json] = ["samples", request.conversation - 1, "messages"]
    value = inner.value if isinstance(inner.value, dict) else {}
    return _Sample(
        value,
        inner.arrays.get("messages", ()),
        opened.document,
        {"container": "object", "path": path},
        tuple(_list_entry(number, sample.value) for number, sample in enumerate(samples, 1)),
        coerce_text(nested(log.value, "eval", "model")),
    )


def _sample_from_zip(opened: OpenedDocument, request: ReadRequest, notes: ImportNotes) -> _Sample:
    names = _sample_names(opened)
    if not names:
        raise _no_samples(opened)
    header = _header(opened)
    completed = nested(header, "results", "completed_samples")
    if isinstance(completed, int) and completed > len(names):
        notes.warn(0, f"the log counts {completed:,} samples that ended, but holds {len(names):,}")
    check_number(opened.document.name, request.conversation, len(names))
    name = names[request.conversation - 1]
    document = read_member(opened.document, name)
    try:
        parsed = parse_json_document(document.data or b"")
    except InvalidJsonError as error:
        raise InputError(
            f"{document.name} is not JSON: line {error.line}: {error.reason}.", "Copy the log again."
        ) from error
    value = parsed.value if isinstance(parsed.value, dict) else {}
    if "messages" not in parsed.arrays:
        raise InputError(f"{document.name} has no messages.", "Choose another sample with --conversation.")
    titles = (_title(*_id_and_epoch(sample_name)) for sample_name in names)
    listed = tuple(
        ListedConversation(number, title, None, "sample") for number, title in enumerate(titles, 1)
    )
    layout = {"container": "object", "path": ["messages"], "member": name}
    model = coerce_text(nested(header, "eval", "model"))
    return _Sample(value, parsed.arrays["messages"], document, layout, listed, model)


def _header(opened: OpenedDocument) -> Json:
    members = {member.name for member in opened.members}
    name = next((name for name in _HEADERS if name in members), "")
    try:
        return parse_bytes(read_member(opened.document, name).data or b"").value if name else None
    except InputError:
        return None


def _sample_names(opened: OpenedDocument) -> list[str]:
    """Return the samples of a zip by epoch, then by id; the zip has them in order of completion."""
    names = [member.name for member in opened.members if member.name.startswith(_SAMPLE_FOLDER)]
    return sorted((name for name in names if name.endswith(".json")), key=_sample_order)


def _sample_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    id_, epoch = _id_and_epoch(name)
    parts = [part for part in _DIGITS.split(id_) if part]
    return int(epoch or 0), [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _id_and_epoch(name: str) -> tuple[str, str]:
    id_, _, epoch = name.removeprefix(_SAMPLE_FOLDER).removesuffix(".json").rpartition("_epoch_")
    return (id_, epoch) if epoch.isdecimal() and epoch.isascii() else (f"{id_}{epoch}", "")


def _no_samples(opened: OpenedDocument) -> InputError:
    return InputError(
        f"{opened.document.name} is an eval log without samples: the run ended before it wrote one.",
        "Choose the log of a run that finished a sample.",
    )


def _list_entry(number: int, sample: Json) -> ListedConversation:
    value = fields_of(sample)
    messages = value.get("messages")
    records = list_of(messages)
    system_count = next(
        (i for i, record in enumerate(records) if not is_leading_system(record)), len(records)
    )
    return ListedConversation(
        number, _title(value.get("id"), value.get("epoch")), len(records) - system_count, "sample"
    )


def _title(id_: Json, epoch: Json) -> str:
    title = coerce_text(id_) or "sample"
    title = f"sample {title}" if title.isdecimal() else title
    return f"{title}, epoch {epoch}" if epoch not in (None, "") else title


def _attachments(sample: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the attachments; before October 2024 they were in ``transcript.content``."""
    attachments = sample.get("attachments") or nested(sample, "transcript", "content")
    return fields_of(attachments)


def _message_pool(sample: Mapping[str, Json]) -> Sequence[Json]:
    pool = sample.get("message_pool") or nested(sample, "events_data", "messages")
    return list_of(pool)


def _system_text(record: JsonRecord, notes: ImportNotes) -> str:
    return "\n".join(block.text for block in read_message(record, notes).blocks if isinstance(block, Text))


INSPECT_AI = Format(
    "inspect_ai",
    "Inspect",
    "Logs of Inspect AI: .eval and JSON, with every sample and epoch as a conversation; single samples;"
    " no real file with a compaction was seen.",
    score,
    read,
)
