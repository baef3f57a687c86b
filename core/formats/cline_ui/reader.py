"""Reader for ``ui_messages.json`` of Cline, Roo and Kilo: what the agent's panel showed, row by row.

It is a display log: results of most tools are only in ``api_conversation_history.json`` beside it. Each text
of the user and each shown result is a message; the model's text, thinking and calls after one request are
one message. Requests, checkpoints and questions of the panel are counted as skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.cline_ui.tool_rows import (
    ERRORS,
    RESULTS,
    ClineUsage,
    cline_row_text,
    read_call,
    read_result,
    read_usage,
    user_images,
)
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import (
    fields_of,
    iso_timestamp,
    list_of,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_USER_KINDS = ("task", "user_feedback", "user_feedback_diff")
_MODEL_KINDS = ("text", "completion_result", "followup", "plan_mode_respond", "plan_mode_response")
_FAILURE_KINDS = ("api_req_failed",)
_KNOWN_FIELDS = ("ts", "type", "text")


@dataclass(slots=True)
class _ClineLog:
    """``open_calls`` maps the family of a tool to its open call, ``answer_indices`` to the message with
    its result; ``is_in_answer`` while the last message is the answer to the last request."""

    notes: ImportNotes = field(default_factory=ImportNotes)
    messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    open_calls: dict[str, ToolCall] = field(default_factory=dict)
    answer_indices: dict[str, int] = field(default_factory=dict)
    is_in_answer: bool = False
    usage: ClineUsage = field(default_factory=ClineUsage)
    deleted_range: tuple[int, int] | None = None


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the share of rows of type ``say`` or ``ask`` with a kind."""
    rows = sum(1 for value in opened.objects if _row_kind(value))
    if not rows or (opened.json is not None and opened.json.records is None):
        return 0.0, ""
    total = len(opened.head)
    return 0.98 * rows / total, f"ts and say or ask in {rows} of {total} rows"


def _row_kind(row: Mapping[str, Json]) -> str:
    row_type = row.get("type")
    return string_of(row.get(row_type)) if row_type in ("say", "ask") and "ts" in row else ""


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a log. ``reported_context`` is the size of the last request that has one."""
    check_number(opened.document.name, request.conversation, 1)
    log = _ClineLog()
    for record in iterate_records(opened, log.notes, request.progress, request.stop):
        log.notes.records += 1
        if isinstance(record.value, dict) and _row_kind(record.value):
            _read_row(log, record, _row_kind(record.value))
        else:
            log.notes.warn(record.line, "the record is not a row of a log; it was skipped")
            log.notes.skip("not a row")
    return Conversation(
        "cline_ui",
        opened.document,
        link_calls(log.messages),
        recorded=tuple(log.recorded),
        report=log.notes.report(),
        model=log.usage.model,
        cwd=log.usage.cwd,
        reported_context=log.usage.tokens,
        layout={"container": opened.container.value, "path": []},
    )


def _read_row(log: _ClineLog, record: JsonRecord, kind: str) -> None:
    row = record.value
    _add_truncation(log, row)
    if row.get("partial") is True and kind != "reasoning":
        log.notes.warn(record.line, f"the row was never finished: {row['type']} {kind}")
    if kind == "api_req_started":
        read_usage(log.usage, row)
        log.is_in_answer = False
        log.notes.skip(f"{row['type']} {kind}")
    elif kind in ("condense_context", "sliding_window_truncation"):
        _add_compaction(log, record, kind)
    elif kind in RESULTS or kind in ERRORS:
        _add_result(log, record, kind)
    elif call := read_call(row, kind, f"{log.notes.records}"):
        _add_block(log, record, call.call)
        log.answer_indices.pop(call.family, None)
        if call.result is None:
            log.open_calls[call.family] = call.call
        else:
            response = ToolResponse(call.call.id, call.call.name, call.result)
            _add_message(log, record, Speaker.TOOL, (response,), part=1)
    else:
        _read_text(log, record, kind)


def _read_text(log: _ClineLog, record: JsonRecord, kind: str) -> None:
    row = record.value
    text = cline_row_text(row, kind)
    is_task = kind == "text" and not log.messages
    if not text and not row.get("images"):
        log.notes.skip(f"{row['type']} {kind}{', empty' if kind in _MODEL_KINDS else ''}")
    elif kind == "reasoning":
        _add_block(log, record, Thinking(text))
    elif kind in _USER_KINDS or is_task:
        texts: tuple[Block, ...] = (Text(text),) if text else ()
        _add_message(log, record, Speaker.HUMAN, (*texts, *user_images(list_of(row.get("images")))))
    elif kind in _MODEL_KINDS:
        _add_block(log, record, Text(text))
    elif kind in _FAILURE_KINDS:
        _add_message(log, record, Speaker.AI, (Text(text),), flags=MessageFlag.API_ERROR)
    else:
        log.notes.skip(f"{row['type']} {kind}")


def _add_block(log: _ClineLog, record: JsonRecord, block: Block) -> None:
    """Add a block to the model's message, or begin one."""
    if not log.is_in_answer:
        _add_message(log, record, Speaker.AI, (block,))
        log.is_in_answer = True
        return
    message = log.messages[-1]
    source = record.source()
    log.messages[-1] = replace(message, blocks=(*message.blocks, block), sources=(*message.sources, source))


def _add_message(
    log: _ClineLog,
    record: JsonRecord,
    speaker: Speaker,
    blocks: tuple[Block, ...],
    *,
    part: int = 0,
    flags: MessageFlag = MessageFlag.NONE,
) -> None:
    row = record.value
    source = record.source(part)
    extra = other_fields(row, _KNOWN_FIELDS)
    log.is_in_answer = False
    log.messages.append(Message(speaker, blocks, (source,), flags, "", iso_timestamp(row.get("ts")), extra))


def _add_result(log: _ClineLog, record: JsonRecord, kind: str) -> None:
    """Add a shown result to the open call of its family, or extend the answer it has."""
    row = record.value
    family = RESULTS.get(kind) or _last_called_family(log)
    result = read_result(row, kind)
    call = log.open_calls.pop(family, None)
    if call is not None:
        error = result if kind in ERRORS else MISSING
        log.answer_indices[family] = len(log.messages)
        _add_message(log, record, Speaker.TOOL, (ToolResponse(call.id, call.name, result, error),))
    elif family in log.answer_indices:
        _extend_result(log, log.answer_indices[family], record, result)
    else:
        log.notes.skip(f"{row['type']} {kind} without a call")


def _last_called_family(log: _ClineLog) -> str:
    """Return the family of the call at the end of the last message, for error rows, which name none."""
    last_blocks = log.messages[-1].blocks[-1:] if log.messages else ()
    return next((family for family, call in log.open_calls.items() if (call,) == last_blocks), "")


def _extend_result(log: _ClineLog, place: int, record: JsonRecord, further_result: Json) -> None:
    message = log.messages[place]
    response = message.blocks[0]
    if (
        isinstance(response, ToolResponse)
        and isinstance(response.result, str)
        and isinstance(further_result, str)
    ):
        extended = replace(response, result=f"{response.result}\n{further_result}")
        source = record.source()
        log.messages[place] = replace(message, blocks=(extended,), sources=(*message.sources, source))


def _add_compaction(log: _ClineLog, record: JsonRecord, kind: str) -> None:
    source = record.source()
    read_row = condensed_compaction if kind == "condense_context" else truncated_compaction
    compaction = read_row(fields_of(record.value), source, len(log.messages))
    if compaction is None:
        log.notes.skip(f"{record.value['type']} {kind} without figures")
        return
    if compaction.kind == "truncate":
        log.notes.warn(record.line, "the log does not say which messages the truncation kept")
    log.recorded.append(compaction)


def _add_truncation(log: _ClineLog, row: Mapping[str, Json]) -> None:
    """Record a truncation when the left-out range, which Cline repeats on every row, changes."""
    truncation = deleted_compaction(row, log.deleted_range, log.messages)
    if truncation is not None:
        log.deleted_range, compaction = truncation
        log.recorded.append(compaction)


def condensed_compaction(row: Mapping[str, Json], source: Source, position: int) -> RecordedCompaction | None:
    """Read a ``condense_context`` row with its summary and sizes; None for an unfinished one."""
    details = fields_of(row.get("contextCondense"))
    if not details:
        return None
    text = string_of(details.get("summary"))
    time = iso_timestamp(row.get("ts"))
    summary = Message(Speaker.HUMAN, (Text(text),), (source,), MessageFlag.RECORDED_SUMMARY, "", time)
    before, after = _sizes(details)
    return RecordedCompaction(
        "summary", position, "", before, after, summary=(summary,) if text else (), source=source
    )


def truncated_compaction(row: Mapping[str, Json], source: Source, position: int) -> RecordedCompaction | None:
    """Read a ``sliding_window_truncation`` row, which has sizes, but not the messages that stayed."""
    details = fields_of(row.get("contextTruncation"))
    if not details:
        return None
    before, after = _sizes(details)
    return RecordedCompaction("truncate", position, "", before, after, source=source)


def deleted_compaction(
    row: Mapping[str, Json], known_range: tuple[int, int] | None, messages: Sequence[Message]
) -> tuple[tuple[int, int], RecordedCompaction] | None:
    """Return a row's left-out range of API messages and its truncation, if it is not the known one.

    ``conversationHistoryIndex`` of a row is the number of the last API message before it, so the row is
    part of the next one; rows without it count as kept.
    """
    ends = [number_of(end) for end in list_of(row.get("conversationHistoryDeletedRange"))]
    numbers = [end for end in ends if end is not None]
    if len(numbers) != 2 or tuple(numbers) == known_range:
        return None
    first, last = numbers
    kept = tuple(
        index
        for index, message in enumerate(messages)
        if (message_number := number_of(message.extra.get("conversationHistoryIndex"))) is None
        or not first <= message_number + 1 <= last
    )
    return (first, last), RecordedCompaction("truncate", len(messages), kept=kept)


def _sizes(details: Mapping[str, Json]) -> tuple[int | None, int | None]:
    return number_of(details.get("prevContextTokens")), number_of(details.get("newContextTokens"))


CLINE_UI = Format(
    "cline_ui",
    "Cline, Roo (display log)",
    "What the panel of Cline, Roo or Kilo showed (ui_messages.json). A display log: the requests are in"
    " api_conversation_history.json beside it, read as Anthropic messages.",
    score,
    read,
)
