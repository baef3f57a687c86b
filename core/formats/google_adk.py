"""Reader for sessions of Google's Agent Development Kit (ADK): an object with its events, or a list
or lines of events, with the names of JSON or of Python.

An event holds a content like those of the Gemini API. A compaction is an event whose summary stands
for the events between two times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import (
    Format,
    FormatScore,
    ReaderEvidence,
    ReadOnly,
    ReadRequest,
)
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.session_log import SessionLog
from core.formats.gemini_parts import camel_case, link_responses_by_name, read_parts
from core.transcript.model import Conversation, Speaker, ToolResponse

_KEY = "events"


@dataclass(slots=True, kw_only=True)
class _AdkLog(SessionLog):
    """``times`` and ``invocations`` are those of the messages."""

    times: list[float] = field(default_factory=list)
    invocations: list[str] = field(default_factory=list)

    def take_back(self, invocation: str) -> None:
        """Remove the messages of an invocation and all after it."""
        if invocation not in self.invocations:
            return
        start = self.invocations.index(invocation)
        self.notes.skip("taken back by a rewind", len(self.messages) - start)
        del self.messages[start:], self.times[start:], self.invocations[start:]
        # A compaction behind the rewind never happened for what goes on.
        self.recorded = [one for one in self.recorded if one.boundary <= start]


def _value(fields: Json, name: str) -> Json:
    """Return a field by its name in JSON, else by that in Python."""
    # Events are written with names of JSON or of Python, by who stores them.
    snake = "".join(
        f"_{letter.lower()}" if letter.isupper() else letter for letter in name
    )
    value = nested(fields, name)
    if value is None:
        return nested(fields, snake)
    return value


def _seconds(value: Json) -> float:
    # In Python, True is a number.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and number_of(value) is not None:
        return float(value)
    return 0.0


def _is_event(value: Json) -> bool:
    fields = fields_of(value)
    has_content = isinstance(fields.get("content"), dict) or isinstance(
        fields.get("actions"), dict
    )
    return (
        "author" in fields
        and has_content
        and _value(fields, "invocationId") is not None
    )


def score(file: OpenedDocument) -> FormatScore:
    """Judge by events with author, invocation and content."""
    sample = detection_sample(file, (_KEY,))
    count = sum(map(_is_event, sample.records))
    if not count:
        return 0.0, ""
    return 0.98 * sample.share(
        count
    ), f"author and invocation of events in {sample.counted(count)}"


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    loaded = conversation_records(file, (_KEY,), request)
    loaded.notes.records = len(loaded.records)
    log = _AdkLog(notes=loaded.notes, loaded=loaded, answers_are_records=True)
    log.session_id = coerce_text(log.fields.get("id"))
    log.title = string_of(_value(log.fields, "appName"))
    for record in log.records:
        _add_event(record, log)
    # Presumably older events have no ids of calls, as Gemini had none.
    log.messages = link_responses_by_name(log.messages)
    return log.conversation("google_adk", file)


def _add_event(record: JsonRecord, log: _AdkLog) -> None:
    event = record.value
    actions = fields_of(record.value.get("actions"))
    compaction = _value(actions, "compaction")
    # A rewind deletes nothing: it says from where on all before it counts no more.
    if rewound := string_of(_value(actions, "rewindBeforeInvocationId")):
        log.take_back(rewound)
    if isinstance(compaction, dict):
        _compact(record, compaction, log)
    # Pieces of a streamed answer are repeated whole in the event behind them.
    elif event.get("partial") is True:
        log.notes.skip("piece of an answer", line=record.line)
    elif nested(event.get("content"), "parts"):
        _add_content(record, log)
    else:
        log.notes.skip("event without content", line=record.line)


def _add_content(record: JsonRecord, log: _AdkLog) -> None:
    event = record.value
    count = len(log.messages)
    content = fields_of(camel_case(_without_nulls(event["content"])))
    blocks = read_parts(content.get("parts"), log.notes, record.line)
    speaker = Speaker.HUMAN if event.get("author") == "user" else Speaker.AI
    if content.get("role") == "user" and any(
        isinstance(one, ToolResponse) for one in blocks
    ):
        speaker = Speaker.HUMAN  # results of tools, which ``add`` gives to the tools
    log.add(
        record,
        speaker,
        blocks,
        id=coerce_text(event.get("id")),
        time=event.get("timestamp"),
    )
    added = len(log.messages) - count
    log.times += [_seconds(event.get("timestamp"))] * added
    log.invocations += [coerce_text(_value(event, "invocationId"))] * added
    log.model = string_of(_value(event, "modelVersion")) or log.model
    usage = _value(event, "usageMetadata")
    if added and isinstance(usage, dict):
        log.report(
            _value(usage, "promptTokenCount"), _value(usage, "candidatesTokenCount")
        )


def _without_nulls(content: Json) -> Json:
    """Return the content without the fields that a part does not use, which Python writes as
    null."""
    parts = [
        {name: value for name, value in part.items() if value is not None}
        if isinstance(part, dict)
        else part
        for part in list_of(content["parts"])
    ]
    return {**content, "parts": parts}


def _compact(record: JsonRecord, compaction: Mapping[str, Json], log: _AdkLog) -> None:
    """Note a compaction; messages outside of its times stay."""
    start, end = (
        _value(compaction, name) for name in ("startTimestamp", "endTimestamp")
    )
    summary = fields_of(camel_case(_value(compaction, "compactedContent")))
    parts = read_parts(summary.get("parts"), log.notes, record.line)
    texts = [text for block in parts if (text := string_of(getattr(block, "text", "")))]
    first = _seconds(start)
    last = _seconds(end)
    # A compaction names no events, only the time of the first and of the last.
    kept = [index for index, time in enumerate(log.times) if not first <= time <= last]
    log.compact(record, *texts, kept=kept)


GOOGLE_ADK = Format(
    name="google_adk",
    label="Google ADK",
    about="Sessions of Google's Agent Development Kit, and lists of its events.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.RECORD,
)
