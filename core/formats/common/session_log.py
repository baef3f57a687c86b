"""Collects a session from its records, for readers whose records follow one another in time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import FormatScore, ReadRequest
from core.formats.common.joined_answers import joined_answers
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    iso_timestamp,
    number_of,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import (
    ConversationRecords,
    check_number,
    conversation_records,
    first_words,
)
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    opaque_flag,
    record_messages,
    split_by_speaker,
)
from core.formats.common.refused_files import format_shapes
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    SystemPart,
    Text,
)

_MAX_SIDE_FILE_SIZE = 10_000_000


@dataclass(slots=True, kw_only=True)
class SessionLog:
    """What a reader has collected so far; ``model`` and ``cwd`` are the last known ones.
    ``answers_are_records``: the agent writes an answer as one record, so that none are joined."""

    answers_are_records: bool = False

    notes: ImportNotes = field(default_factory=ImportNotes)
    messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    reports: UsageReports = field(default_factory=UsageReports)
    system: list[str] = field(default_factory=list)
    system_places: list[Json] = field(default_factory=list)
    tools: Sequence[Json] = ()
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    title: str = ""
    reported_context: int | None = None
    reported_limit: int | None = None
    loaded: ConversationRecords | None = None  # of a list of records inside an object

    def add(
        self,
        record: JsonRecord,
        speaker: Speaker,
        blocks: Sequence[Block],
        *,
        id: str = "",
        time: Json = None,
        flags: MessageFlag = MessageFlag.NONE,
        extra: Mapping[str, Json] = NO_EXTRA,
    ) -> None:
        """Add what a record says; the results in a user's record become a message of their own."""
        blocks = tuple(blocks)
        split = (
            split_by_speaker(blocks)
            if speaker is Speaker.HUMAN and blocks
            else ((speaker, blocks),)
        )
        for own_speaker, own in split:
            last = self.messages[-1].sources[0] if self.messages else None
            part = (
                last.part + 1
                if last and (last.line, last.start) == (record.line, record.start)
                else 0
            )
            source, parts = record.source(part), [(own_speaker, own)]
            self.messages += record_messages(source, parts, flags, id, iso_timestamp(time), extra)

    def extend(
        self, record: JsonRecord, speaker: Speaker, blocks: Sequence[Block], **fields: Any
    ) -> None:
        """Add blocks to the last message if it is of that speaker, else as a new message."""
        if not self.messages or self.messages[-1].speaker is not speaker:
            self.add(record, speaker, blocks, **fields)
        else:
            self.extend_at(-1, record, blocks)

    def extend_at(self, index: int, record: JsonRecord, blocks: Sequence[Block]) -> None:
        """Add blocks to the message at an index."""
        message = self.messages[index]
        self.messages[index] = replace(
            message,
            blocks=(*message.blocks, *blocks),
            sources=tuple(dict.fromkeys((*message.sources, record.source()))),
            flags=message.flags | opaque_flag(blocks),
        )

    def report(self, context: Json, output: Json, model: str | None = None) -> None:
        """Note the tokens of the request that the last message answers, if they are reported."""
        model = self.model if model is None else model
        self.reports.add(self.messages[-1].sources[0], number_of(context), number_of(output), model)

    @property
    def fields(self) -> Mapping[str, Json]:
        """The fields beside the list of records."""
        return self.loaded.fields if self.loaded else NO_EXTRA

    @property
    def records(self) -> Iterator[JsonRecord]:
        for record in self.loaded.records if self.loaded else ():
            if isinstance(record.value, dict):
                yield record
            else:
                self.notes.skip("not an object", line=record.line)

    def add_system(self, record: JsonRecord, *texts: str) -> None:
        self.system += texts
        self.system_places.append([record.line, record.start, record.end])

    def compact(
        self,
        record: JsonRecord,
        *texts: str,
        trigger: str = "",
        before: int | None = None,
        after: int | None = None,
        kept: Sequence[int] = (),
        context_after: Sequence[int | Message] = (),
    ) -> None:
        """Note a compaction after the messages so far."""
        source = record.source()
        blocks = tuple(Text(text) for text in texts if text)
        message = Message(
            speaker=Speaker.HUMAN,
            blocks=blocks,
            sources=(source,),
            flags=MessageFlag.RECORDED_SUMMARY,
        )
        summary = (message,) if blocks else ()
        self.recorded.append(
            RecordedCompaction(
                kind="summary",
                boundary=len(self.messages),
                trigger=trigger,
                tokens_before=before,
                tokens_after=after,
                summary=summary,
                kept=tuple(kept),
                source=source,
                context_after=tuple(context_after),
            )
        )

    def clear(self, record: JsonRecord) -> bool:
        """Note that the person cleared the context; return False where nothing was in it."""
        last = self.recorded[-1] if self.recorded else None
        is_left = last is not None and bool(last.summary or last.kept or last.context_after)
        start = last.boundary if last else 0
        if len(self.messages) == start and not is_left:
            return False
        self.recorded.append(
            RecordedCompaction(
                kind="truncate",
                boundary=len(self.messages),
                trigger="manual",
                source=record.source(),
            )
        )
        return True

    def conversation(self, format: str, file: OpenedDocument) -> Conversation:
        messages, recorded = link_calls(self.messages, self.notes), tuple(self.recorded)
        if not self.answers_are_records:
            messages, recorded = joined_answers(messages, recorded)
        usage = self.reports.reported_usage(messages)
        system = {"system": self.system_places} if self.system_places else {}
        own = self.loaded
        return Conversation(
            format=format,
            document=file.document,
            messages=messages,
            system=SystemPart(tuple(self.system), tuple(self.tools)),
            recorded=recorded,
            report=self.notes.report(),
            model=self.model or next((one.model for one in reversed(usage) if one.model), ""),
            cwd=self.cwd,
            session_id=self.session_id,
            reported_context=self.reported_context or (usage[-1].context if usage else None),
            reported_limit=self.reported_limit,
            usage=usage,
            title=first_words(self.title),
            number=own.number if own else 1,
            siblings=own.siblings if own else 1,
            listed=own.listed if own else (),
            layout={
                **(own.layout if own else {"container": file.container.value, "path": []}),
                **system,
            },
        )


def log_records(
    file: OpenedDocument, request: ReadRequest, log: SessionLog
) -> Sequence[JsonRecord]:
    """Return the records that are objects; others are counted. Raises InputError for a second
    session."""
    check_number(file.document.name, request.conversation, 1)
    records: list[JsonRecord] = []
    for record in iterate_records(file, log.notes, request.progress, request.stop):
        log.notes.records += 1
        if isinstance(record.value, dict):
            records.append(record)
        else:
            log.notes.skip("not an object", line=record.line)
    return records


def object_log(
    file: OpenedDocument,
    request: ReadRequest,
    key: str,
    *,
    title: str = "title",
    session_id: str = "id",
) -> SessionLog:
    """Return a log for the records under ``key`` of an object, or of one of several objects, with
    what its fields ``title`` and ``session_id`` say."""
    loaded = conversation_records(file, (key,), request)
    loaded.notes.records = len(loaded.records)
    log = SessionLog(notes=loaded.notes, loaded=loaded)
    log.title = string_of(log.fields.get(title))
    log.session_id = coerce_text(log.fields.get(session_id))
    return log


def shape_score(file: OpenedDocument, format: str, sign: str) -> FormatScore:
    """Judge by the share of records with the format's shapes; ``sign`` names what they have."""
    values = file.objects
    if not values:
        return 0.0, ""
    count = sum(map(format_shapes(format).match, values))
    unit = "line" if file.container is DocumentContainer.LINES else "record"
    return 0.98 * count / len(
        values
    ), f"{sign} in {count} of {len(values)} {unit}{'s'[: len(values) > 1]}"


def without_element(element: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what an element, its first group, holds of a prompt, and what the harness wrote around
    it."""
    if not (found := element.search(text)):
        return text, ""
    around = (text[: found.start()].strip(), text[found.end() :].strip())
    return found[1], "\n".join(filter(None, around))


def side_file(file: OpenedDocument, name: str) -> Mapping[str, Json]:
    """Return the fields of a JSON file beside the session, nothing if it cannot be read."""
    if file.document.path is None:
        return NO_EXTRA
    path = file.document.path.absolute().parent / name
    try:
        return (
            fields_of(orjson.loads(path.read_bytes()))
            if path.stat().st_size < _MAX_SIDE_FILE_SIZE
            else NO_EXTRA
        )
    except (OSError, ValueError):
        return NO_EXTRA
