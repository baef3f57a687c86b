"""Reader for Inspect logs: ``.eval`` (a zip), JSON, and single samples. Each sample is a
conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.archives import read_member
from core.formats.common.document import DocumentContainer, OpenedDocument, note_problems
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    sum_of,
    written_number,
)
from core.formats.common.json_parsing import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    parse_bytes,
    parse_json_document,
)
from core.formats.common.message_lists import check_number, inner_document, numbered
from core.formats.common.messages import ImportNotes, link_calls
from core.formats.inspect_ai.messages import (
    InspectEvents,
    is_system,
    offered_tools,
    read_message,
    resolve_attachments,
    sample_events,
)
from core.transcript.model import (
    Conversation,
    ListedConversation,
    SourceDocument,
    SystemPart,
    joined_text,
)

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


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the files of the zip, by ``eval`` beside ``samples``, or by the fields of a
    sample."""
    if file.container is DocumentContainer.ARCHIVE:
        samples = _sample_names(file)
        is_log = any(member.name in _HEADERS for member in file.members)
        return (
            (0.98, f"a zip with {len(samples):,} samples of an eval log") if is_log else (0.0, "")
        )
    value = file.objects[0] if file.container is DocumentContainer.OBJECT else {}
    if isinstance(value.get("eval"), dict) and ("samples" in value or "plan" in value):
        return 0.98, "an eval beside its samples"
    has_messages = "id" in value and "epoch" in value and isinstance(value.get("messages"), list)
    if has_messages and any(name in value for name in _SAMPLE_SIGNS):
        return 0.98, "one sample: epoch and messages"
    return 0.0, ""


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one sample; InputError for a log without samples or an unknown number."""
    notes = ImportNotes()
    sample = _chosen_sample(file, request, notes)
    notes.records = len(sample.records)
    value = sample.value
    # before October 2024 attachments were in ``transcript.content``
    texts = fields_of(value.get("attachments") or nested(value, "transcript", "content"))
    attachments = {id_: text for id_, text in texts.items() if isinstance(text, str)}
    records = [r._replace(value=resolve_attachments(r.value, attachments)) for r in sample.records]
    system_records = list(takewhile(lambda record: is_system(record.value), records))
    records = records[len(system_records) :]
    messages = link_calls([read_message(record, notes) for record in records], notes)
    events = sample_events(value)
    if any(event.get("event") == "compaction" for event in events):
        events = resolve_attachments(events, attachments)
    pool = list_of(value.get("message_pool") or nested(value, "events_data", "messages"))
    indexed_events = InspectEvents(events, messages, [record.value for record in records])
    output = fields_of(value.get("output"))
    conversation = Conversation(
        format="inspect_ai",
        document=sample.document,
        messages=messages,
        system=SystemPart(
            tuple(joined_text(read_message(record, notes)) for record in system_records),
            tuple(resolve_attachments(offered_tools(events), attachments)),
        ),
        recorded=tuple(indexed_events.compactions(resolve_attachments(pool, attachments), notes)),
        report=notes.report(),
        model=sample.model or coerce_text(output.get("model")),
        session_id=coerce_text(value.get("uuid")),
        reported_context=sum_of(*map(fields_of(output.get("usage")).get, _INPUT_TOKENS)),
        usage=indexed_events.usage(),
        title=_title(value.get("id"), value.get("epoch")),
        layout={**sample.layout, "system": [[r.line, r.start, r.end] for r in system_records]},
    )
    return numbered(conversation, request.conversation, sample.listed)


def _chosen_sample(file: OpenedDocument, request: ReadRequest, notes: ImportNotes) -> _Sample:
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
        return _Sample(file.json.value, file.json.arrays["messages"], file.document, layout)
    return _sample_from_log(file, file.json, request.conversation)


def _sample_from_log(file: OpenedDocument, log: JsonDocument, number: int) -> _Sample:
    samples = log.arrays.get("samples", ())
    _check_number(file, number, len(samples))
    inner = inner_document(file, samples[number - 1])
    listed: list[ListedConversation] = []
    for list_number, value in enumerate((fields_of(record.value) for record in samples), 1):
        count = sum(1 for _ in dropwhile(is_system, list_of(value.get("messages"))))
        title = _title(value.get("id"), value.get("epoch"))
        listed.append(ListedConversation(list_number, title, count, "sample"))
    layout = {"container": "object", "path": ["samples", number - 1, "messages"]}
    model = coerce_text(nested(log.value, "eval", "model"))
    records = inner.arrays.get("messages", ())
    return _Sample(fields_of(inner.value), records, file.document, layout, tuple(listed), model)


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
    names, header = _sample_names(file), _header(file)
    completed = nested(header, "results", "completed_samples")
    if names and isinstance(completed, int) and completed > len(names):
        notes.warn(0, f"the log counts {completed:,} samples that ended, but holds {len(names):,}")
    _check_number(file, number, len(names))
    document = read_member(file.document, names[number - 1])
    try:
        parsed = parse_json_document(document.data or b"")
    except InvalidJsonError as error:
        raise InputError(
            f"{document.name} is not JSON: line {error.line}: {error.reason}.",
            "Copy the log again.",
        ) from error
    if "messages" not in parsed.arrays:
        raise InputError(
            f"{document.name} has no messages.", "Choose another sample with --conversation."
        )
    titles = enumerate((_title(*_id_and_epoch(name)) for name in names), 1)
    listed = tuple(
        ListedConversation(list_number, title, None, "sample") for list_number, title in titles
    )
    layout = {"container": "object", "path": ["messages"], "member": names[number - 1]}
    model = coerce_text(nested(header, "eval", "model"))
    return _Sample(
        fields_of(parsed.value), parsed.arrays["messages"], document, layout, listed, model
    )


def _header(file: OpenedDocument) -> Json:
    members = {member.name for member in file.members}
    name = next((name for name in _HEADERS if name in members), "")
    try:
        return parse_bytes(read_member(file.document, name).data or b"").value if name else None
    except InputError:
        return None


def _sample_names(file: OpenedDocument) -> list[str]:
    """Return the samples of a zip by epoch, then by id; the zip has them in order of completion."""
    names = [member.name for member in file.members if member.name.startswith(_SAMPLE_FOLDER)]
    return sorted((name for name in names if name.endswith(".json")), key=_sample_order)


def _sample_order(name: str) -> tuple[int, list[tuple[int, str]]]:
    id_, epoch = _id_and_epoch(name)
    parts = [part for part in _DIGITS.split(id_) if part]
    numbers = ((written_number(part), part) for part in parts)
    order = [(-1, part) if number is None else (number, "") for number, part in numbers]
    return written_number(epoch) or 0, order


def _id_and_epoch(name: str) -> tuple[str, str]:
    id_, _, epoch = name.removeprefix(_SAMPLE_FOLDER).removesuffix(".json").rpartition("_epoch_")
    return (id_, epoch) if epoch.isdecimal() and epoch.isascii() else (f"{id_}{epoch}", "")


def _title(id_: Json, epoch: Json) -> str:
    title = coerce_text(id_) or "sample"
    title = f"sample {title}" if title.isdecimal() else title
    return f"{title}, epoch {epoch}" if epoch not in (None, "") else title


INSPECT_AI = Format(
    name="inspect_ai",
    label="Inspect",
    about="Logs of Inspect AI: .eval and JSON, with every sample and epoch as a conversation; single samples;"
    " no real file with a compaction was seen.",
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)
