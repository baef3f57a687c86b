"""Readers for Cline: sessions of its SDK, and ``ui_messages.json``, which Roo and Kilo write, too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import read_content
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    fields_of,
    iso_timestamp,
    json_or_text,
    list_of,
    nested,
    number_of,
    other_fields,
    request_tokens,
    string_of,
)
from core.formats.common.message_lists import (
    check_number,
    conversation_records,
    detection_sample,
)
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    record_messages,
    reported_cache,
    speaker_of,
    split_by_speaker,
    unreadable_message,
)
from core.formats.common.session_log import SessionLog
from core.transcript.model import (
    NO_CACHE,
    NO_EXTRA,
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedCache,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_responses,
)

# Reader for sessions of the Cline SDK: ``{version, agent, sessionId, messages, system_prompt}``.
#
# ``<id>.messages.json`` is the whole session. ``<id>.compaction.json`` beside it has the same
# shape and holds the context after a compaction: kept messages, and either one summary of the
# model before them (``metadata.kind`` ``compaction_summary``) or, from the strategy without a
# model (``compaction``), ``<SYSTEM_NOTICE>`` blocks beside the user's prompts. Both texts are
# recorded summaries, not messages of the session. The compaction follows the messages that it
# kept. ``usageBefore`` sums the requests of the removed messages; it is not the size of a context
# and is ignored.


_KEYS = ("messages",)
_SESSION_FIELDS = ("sessionId", "agent", "system_prompt", "updated_at")
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SESSION_CWD = re.compile(r"^[ \d.]*Working Directory: (.+?)\s*$", re.MULTILINE)
_FILE_TEMPLATE = '<file_content path="{}">\n{}\n</file_content>'
_SUMMARY, _NOTICE_COMPACTION = "compaction_summary", "compaction"
_NOTICE, _NOTICE_WORDS = "<SYSTEM_NOTICE>", "context was compacted"


def score_session(file: OpenedDocument) -> FormatScore:
    """Judge by the fields beside the messages and by their roles."""
    sample = detection_sample(file, _KEYS)
    found_fields = [name for name in _SESSION_FIELDS if name in sample.fields]
    # A session of another agent may have one or two of these fields as well.
    if "sessionId" not in found_fields or len(found_fields) < 3:
        return 0.0, ""
    roles = sum(
        string_of(fields_of(value).get("role")) in _SPEAKERS for value in sample.records
    )
    if sample.records:
        share = sample.share(roles)
    else:
        share = 1.0
    return (
        0.99 * share,
        f"{', '.join(found_fields)} beside {len(sample.records)} {sample.unit}",
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A message and its record."""

    message: Message
    record: Mapping[str, Json]

    @property
    def is_summary(self) -> bool:
        return bool(self.message.flags & MessageFlag.RECORDED_SUMMARY)

    @property
    def metadata(self) -> Mapping[str, Json]:
        return fields_of(self.record.get("metadata"))

    @property
    def is_marked(self) -> bool:
        return self.metadata.get("kind") in (_SUMMARY, _NOTICE_COMPACTION)


def read_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session or the result of its compaction; InputError for a file without messages."""
    loaded = conversation_records(file, _KEYS, request)
    parts = [part for record in loaded.records for part in _parts(record, loaded.notes)]
    messages, recorded = _split_compactions(parts, loaded.notes)
    prompt = string_of(loaded.fields.get("system_prompt"))
    loaded.system_texts += [prompt] if prompt else []
    cwd = _SESSION_CWD.search(prompt)
    values = [fields_of(record.value) for record in reversed(loaded.records)]
    models = (string_of(nested(value, "modelInfo", "id")) for value in values)
    linked = link_calls(messages, loaded.notes)
    reports = UsageReports()
    for record in loaded.records:
        _add_report(reports, record)
    usage = reports.reported_usage(linked)
    return replace(
        loaded.conversation("cline_session", linked),
        usage=usage,
        recorded=recorded,
        model=next(filter(None, models), ""),
        cwd=cwd[1] if cwd else "",
        session_id=string_of(loaded.fields.get("sessionId")),
        reported_context=usage[-1].context if usage else None,
    )


def _add_report(reports: UsageReports, record: JsonRecord) -> None:
    """Note what an answer reports of its request."""
    value = fields_of(record.value)
    metrics = fields_of(value.get("metrics"))
    read = metrics.get("cacheReadTokens")
    written = metrics.get("cacheWriteTokens")
    context = request_tokens(metrics.get("inputTokens"), read, written)
    output = number_of(metrics.get("outputTokens"))
    model = string_of(nested(value, "modelInfo", "id"))
    cache = reported_cache(read, written, metrics.get("cost"))
    reports.add(record.source(), context, output, model, cache)


def _parts(record: JsonRecord, notes: ImportNotes) -> list[_Part]:
    value = record.value
    if not isinstance(value, dict):
        return [_Part(unreadable_message(record, notes), {})]
    speaker = speaker_of(value.get("role"), _SPEAKERS, notes, record.line)
    read_blocks, content = read_content(value, notes, record.line)
    # The model gets the file as text, so its size is that of the text.
    blocks = tuple(map(_file_as_text, read_blocks))
    own_names = [name for name in ("id", "role") if isinstance(value.get(name), str)]
    extra = {**other_fields(value, {"content", *own_names}), **content} or NO_EXTRA
    is_summary = nested(value, "metadata", "kind") == _SUMMARY
    # Notices stand beside the words of the person in one record.
    notices: tuple[Block, ...] = ()
    if not is_summary:
        notices = tuple(filter(_is_notice, blocks))
    others = tuple(block for block in blocks if block not in notices)
    parts: list[tuple[Speaker, tuple[Block, ...]]] = []
    if others or not notices:
        parts += split_by_speaker(others, speaker)
    if notices:
        parts.append((speaker, notices))
    id_ = string_of(value.get("id"))
    time = iso_timestamp(value.get("ts"))
    messages = record_messages(record.source(), parts, id=id_, time=time, extra=extra)
    if is_summary or notices:
        last = messages[-1]
        flags = last.flags | MessageFlag.RECORDED_SUMMARY
        own_extra = extra if is_summary else NO_EXTRA
        messages[-1] = replace(last, flags=flags, extra=own_extra)
    return [_Part(message, value) for message in messages]


def _is_notice(block: Block) -> bool:
    return (
        isinstance(block, Text)
        and block.text.startswith(_NOTICE)
        and _NOTICE_WORDS in block.text[:200]
    )


def _file_as_text(block: Block) -> Block:
    """Convert a ``file`` block, which the user attached, to the text that the model gets."""
    if isinstance(block, Opaque) and block.kind == "file":
        value = fields_of(block.raw)
    else:
        value = {}
    path = value.get("path")
    content = value.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return block
    extra = {**other_fields(value, ("type", "content")), "$field": "file"}
    return Text(_FILE_TEMPLATE.format(path, content), extra)


def _split_compactions(
    parts: Sequence[_Part], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    messages = [part.message for part in parts if not part.is_summary]
    summaries = [part.message for part in parts if part.is_summary]
    marked = next((part for part in parts if part.is_marked), None)
    if marked is None and not summaries:
        return messages, ()
    metadata = marked.metadata if marked else {}
    context_after: list[int | Message] = []
    count = 0
    # Messages that came later stand in the same file.
    for part in parts[: _compaction_end(parts, number_of(metadata.get("generatedAt")))]:
        if part.is_summary:
            context_after.append(part.message)
        else:
            context_after.append(count)
            count += 1
    if removed := number_of(metadata.get("messagesRemoved")):
        notes.warn(
            0,
            f"messages that the compaction removed and this file does not have: {removed:,}",
        )
    # Cline writes "manual_compaction" where others write "manual".
    reason = string_of(metadata.get("reason"))
    trigger = next((word for word in ("manual", "auto") if word in reason), reason)
    recorded = RecordedCompaction(
        kind="summary",
        boundary=count,
        trigger=trigger,
        tokens_before=number_of(metadata.get("tokensBefore")),
        summary=tuple(summaries),
        source=marked.message.sources[0] if marked else None,
        context_after=tuple(context_after),
        is_source_lost=True,
    )
    return messages, (recorded,)


def _compaction_end(parts: Sequence[_Part], generated_at: int | None) -> int:
    """Return how many parts the compaction wrote: those up to its time, else up to the last that it
    kept."""
    if generated_at is None:
        written = [place for place, part in enumerate(parts, 1) if _is_written(part)]
        return max(written, default=len(parts))
    for place, part in enumerate(parts):
        # A message behind the time of the summary is no part of what the compaction wrote.
        if (number_of(part.record.get("ts")) or 0) > generated_at:
            return place
    return len(parts)


def _is_written(part: _Part) -> bool:
    """Return whether a compaction marked a part as its own or as kept."""
    if part.is_summary or part.metadata.get("compaction") == "preserved":
        return True
    return part.metadata.get("kind") == _NOTICE_COMPACTION


CLINE_SESSION = Format(
    name="cline_session",
    label="Cline",
    about=(
        "Sessions of the Cline SDK (messages.json), and what a compaction left of one "
        "(compaction.json)."
    ),
    score=score_session,
    read=read_session,
)


# Reader for ``ui_messages.json`` of Cline, Roo and Kilo: what the agent's panel showed, row by
# row.
#
# It is a display log: results of most tools are only in ``api_conversation_history.json`` beside
# it. Each text of the user and each shown result is a message; the model's text, thinking and
# calls after one request are one message. Requests, checkpoints and questions of the panel are
# counted as skipped.


_CWD = re.compile(r"Current (?:Workspace|Working) Directory \(([^()\n]+)\)")
_MODEL = re.compile(r"<model>([^<\n]+)</model>")
_TOOL, _COMMAND, _MCP, _BROWSER = "tool", "command", "mcp", "browser"

_RESULTS: Mapping[str, str] = {
    "command_output": _COMMAND,
    "mcp_server_response": _MCP,
    "codebase_search_result": _TOOL,
    "browser_action_result": _BROWSER,
    "subtask_result": _TOOL,
}
"""Kinds of rows with a result, and the family of the call that they answer."""

# These have no family of their own: they belong to the call that is open.
_ERRORS = ("error", "diff_error", "rooignore_error", "clineignore_error")
"""Kinds of rows with the error of the open call."""

# Rows of these tools show the result instead of asking for it.
_TOOLS_WITH_RESULT = (
    *("listFilesTopLevel", "listFilesRecursive", "listCodeDefinitionNames"),
    *("searchFiles", "webFetch"),
)
_JSON_TEXT_FIELDS = {
    "followup": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}


@dataclass(frozen=True, slots=True)
class _Call:
    """A call in a row; ``result`` if the row shows that, too."""

    call: ToolCall
    family: str
    result: str | None = None


def _read_call(row: Mapping[str, Json], kind: str, number: str) -> _Call | None:
    """Return the call of a row, None for other rows; its id is made from the number of the row."""
    text = string_of(row.get("text"))
    fields = fields_of(json_or_text(text))
    if kind == "tool" and isinstance(fields.get("tool"), str):
        return _tool_call(fields, number)
    if kind == "command":
        call = _made_call(number, "execute_command", {"command": text})
        return _Call(call, _COMMAND)
    if kind == "use_mcp_server" and fields:
        return _Call(_mcp_call(fields, number), _MCP)
    if kind in ("browser_action", "browser_action_launch"):
        # A launch is written as the address alone.
        arguments = dict(fields) or {"action": "launch", "url": text}
        return _Call(_made_call(number, "browser_action", arguments), _BROWSER)
    return None


def _made_call(
    number: str, name: str, arguments: Json, extra: Mapping[str, Json] = NO_EXTRA
) -> ToolCall:
    # The panel shows calls without ids.
    return ToolCall(f"row-{number}", name, arguments, {"$made_id": True, **extra})


def _tool_call(fields: Mapping[str, Json], number: str) -> _Call:
    """Return a call of a tool of Cline's own; what some of them found stands in their row."""
    known_fields: tuple[str, ...] = ("tool",)
    result: str | None = None
    listing = fields.get("content")
    if fields["tool"] in _TOOLS_WITH_RESULT and isinstance(listing, str):
        known_fields = ("tool", "content")
        result = listing
    arguments = dict(other_fields(fields, known_fields))
    return _Call(_made_call(number, fields["tool"], arguments), _TOOL, result)


def _mcp_call(fields: Mapping[str, Json], number: str) -> ToolCall:
    names = (string_of(fields.get("toolName")), string_of(fields.get("type")))
    name = next(filter(None, names), "use_mcp_server")
    # Arguments of MCP are JSON in a text inside of JSON.
    arguments = json_or_text(fields.get("arguments"))
    if not isinstance(arguments, dict):
        arguments = dict(other_fields(fields, ("type", "toolName", "serverName")))
    extra = {key: fields[key] for key in ("serverName", "type") if key in fields}
    return _made_call(number, name, arguments, extra)


def _read_result(row: Mapping[str, Json], kind: str) -> Json:
    text = string_of(row.get("text"))
    is_search = kind == "codebase_search_result"
    if is_search:
        return fields_of(json_or_text(text)).get("content", text)
    return text


def _row_text(row: Mapping[str, Json], kind: str) -> str:
    text = string_of(row.get("text"))
    if kind in _JSON_TEXT_FIELDS:
        inner_text = nested(json_or_text(text), _JSON_TEXT_FIELDS[kind])
    else:
        inner_text = None
    return inner_text if isinstance(inner_text, str) else text


def _user_images(values: Sequence[Json]) -> list[Media]:
    urls = [url for url in values if isinstance(url, str)]
    return [
        Media(url[5:].split(";", 1)[0] if url.startswith("data:") else "", url)
        for url in urls
    ]


_USER_KINDS = ("task", "user_feedback", "user_feedback_diff")
_MODEL_KINDS = (
    "text",
    "completion_result",
    "followup",
    "plan_mode_respond",
    "plan_mode_response",
)
_COMPACTIONS = {
    "condense_context": "contextCondense",
    "sliding_window_truncation": "contextTruncation",
}


def score_panel(file: OpenedDocument) -> FormatScore:
    """Judge by the share of rows of type ``say`` or ``ask`` with a kind."""
    rows = sum(1 for value in file.objects if _row_kind(value))
    # One row alone is an object of any kind.
    if not rows or (file.json is not None and file.json.records is None):
        return 0.0, ""
    total = len(file.head)
    return 0.98 * rows / total, f"ts and say or ask in {rows} of {total} rows"


def _row_kind(row: Mapping[str, Json]) -> str:
    row_type = row.get("type")
    if row_type in ("say", "ask") and "ts" in row:
        return string_of(row.get(row_type))
    return ""


def read_panel(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a log. ``reported_context`` is the size of the last request that has one."""
    check_number(file.document.name, request.conversation, 1)
    log = _ClineLog()
    for record in iterate_records(file, log.notes, request.progress, request.stop):
        log.notes.records += 1
        if isinstance(record.value, dict) and (kind := _row_kind(record.value)):
            log.add_row(record, kind)
        else:
            log.notes.warn(
                record.line, "the record is not a row of a log; it was skipped"
            )
            log.notes.skip("not a row")
    return log.conversation("cline_ui", file)


@dataclass(slots=True, kw_only=True)
class _ClineLog(SessionLog):
    """``open_calls`` maps the family of a tool to its open call, ``answer_indices`` to the message
    with its result; ``is_in_answer`` while the last message is the answer to the last ``request``,
    of which tokens, those of the answer and the cache were reported."""

    open_calls: dict[str, ToolCall] = field(default_factory=dict)
    answer_indices: dict[str, int] = field(default_factory=dict)
    is_in_answer: bool = False
    request: tuple[int | None, int | None, ReportedCache] = (None, None, NO_CACHE)
    deleted_range: list[int] = field(default_factory=list)

    def add_row(self, record: JsonRecord, kind: str) -> None:
        row = record.value
        name = f"{row['type']} {kind}"
        self._add_deletion(row)
        # Probably reasoning stays partial in finished rows, too.
        if row.get("partial") is True and kind != "reasoning":
            self.notes.warn(record.line, f"the row was never finished: {name}")
        if kind == "api_req_started":
            self._read_request(row)
            self.is_in_answer = False
            self.notes.skip(name)
        elif kind in _COMPACTIONS:
            self._add_compaction(record, kind, name)
        elif kind in _RESULTS or kind in _ERRORS:
            self._add_result(record, kind, name)
        elif call := _read_call(row, kind, f"{self.notes.records}"):
            self._add_block(record, call.call)
            # Output behind a new call of this kind belongs to that.
            self.answer_indices.pop(call.family, None)
            if call.result is None:
                self.open_calls[call.family] = call.call
            else:
                response = ToolResponse(call.call.id, call.call.name, call.result)
                self._add_message(record, Speaker.TOOL, (response,), part=1)
        else:
            self._add_text(record, kind, name)

    def _read_request(self, row: Mapping[str, Json]) -> None:
        """Read an ``api_req_started`` row; an unanswered one has no counts."""
        fields = fields_of(json_or_text(string_of(row.get("text"))))
        read = fields.get("cacheReads")
        written = fields.get("cacheWrites")
        tokens = request_tokens(fields.get("tokensIn"), read, written)
        cache = reported_cache(read, written, fields.get("cost"))
        self.request = tokens, number_of(fields.get("tokensOut")), cache
        self.reported_context = self.reported_context if tokens is None else tokens
        request = string_of(fields.get("request"))
        models = _MODEL.findall(request)
        self.model = string_of(nested(row, "modelInfo", "modelId")) or (
            models[-1] if models else self.model
        )
        # The first request tells the folder; later ones may tell of another workspace.
        if not self.cwd and (folder := _CWD.search(request)):
            self.cwd = folder[1]

    def _add_text(self, record: JsonRecord, kind: str, name: str) -> None:
        row = record.value
        text = _row_text(record.value, kind)
        # The first text is the task; it has no kind of its own.
        is_task = kind == "text" and not self.messages
        if not text and not row.get("images"):
            self.notes.skip(f"{name}, empty" if kind in _MODEL_KINDS else name)
        elif kind == "reasoning":
            self._add_block(record, Thinking(text))
        elif kind in _USER_KINDS or is_task:
            texts = (Text(text),) if text else ()
            self._add_message(
                record,
                Speaker.HUMAN,
                (*texts, *_user_images(list_of(row.get("images")))),
            )
        elif kind in _MODEL_KINDS:
            self._add_block(record, Text(text))
        elif kind == "api_req_failed":
            self._add_message(
                record, Speaker.AI, (Text(text),), flags=MessageFlag.API_ERROR
            )
        else:
            self.notes.skip(name)

    def _add_block(self, record: JsonRecord, block: Block) -> None:
        if self.is_in_answer:
            self.extend(record, Speaker.AI, (block,))
        else:
            self._add_message(record, Speaker.AI, (block,))
            self.is_in_answer = True
            tokens, output, cache = self.request
            self.reports.add(record.source(), tokens, output, self.model, cache)
            # Counts belong to the first row of an answer; later rows of it have none of their
            # own.
            self.request = None, None, NO_CACHE

    def _add_message(
        self,
        record: JsonRecord,
        speaker: Speaker,
        blocks: tuple[Block, ...],
        *,
        part: int = 0,
        flags: MessageFlag = MessageFlag.NONE,
    ) -> None:
        time = iso_timestamp(record.value.get("ts"))
        extra = other_fields(record.value, ("ts", "type", "text"))
        self.is_in_answer = False
        self.messages.append(
            Message(
                speaker=speaker,
                blocks=blocks,
                sources=(record.source(part),),
                flags=flags,
                timestamp=time,
                extra=extra,
            )
        )

    def _add_result(self, record: JsonRecord, kind: str, name: str) -> None:
        """Add a shown result to the open call of its family, or extend the answer it has."""
        family = _RESULTS.get(kind) or self._last_called_family()
        result = _read_result(record.value, kind)
        call = self.open_calls.pop(family, None)
        if call is not None:
            error = result if kind in _ERRORS else MISSING
            self.answer_indices[family] = len(self.messages)
            self._add_message(
                record, Speaker.TOOL, (ToolResponse(call.id, call.name, result, error),)
            )
        elif family in self.answer_indices:
            self._extend_result(self.answer_indices[family], record, result)
        else:
            self.notes.skip(f"{name} without a call")

    def _last_called_family(self) -> str:
        if self.messages:
            last_blocks = self.messages[-1].blocks[-1:]
        else:
            last_blocks = ()
        return next(
            (
                family
                for family, call in self.open_calls.items()
                if (call,) == last_blocks
            ),
            "",
        )

    def _extend_result(
        self, index: int, record: JsonRecord, further_result: Json
    ) -> None:
        message = self.messages[index]
        (response,) = tool_responses(message)
        # Output of a command comes in pieces, each a row of its own.
        if isinstance(response.result, str) and isinstance(further_result, str):
            extended = replace(response, result=f"{response.result}\n{further_result}")
            sources = (*message.sources, record.source())
            self.messages[index] = replace(message, blocks=(extended,), sources=sources)

    def _add_compaction(self, record: JsonRecord, kind: str, name: str) -> None:
        row = record.value
        position = len(self.messages)
        source = record.source()
        details = fields_of(row.get(_COMPACTIONS[kind]))
        if not details:
            self.notes.skip(f"{name} without figures")
            return
        before, after = (
            number_of(details.get(size))
            for size in ("prevContextTokens", "newContextTokens")
        )
        if kind != "condense_context":
            self.notes.warn(
                record.line, "the log does not say which messages the truncation kept"
            )
            compaction = RecordedCompaction(
                kind="truncate",
                boundary=position,
                tokens_before=before,
                tokens_after=after,
                source=source,
            )
        else:
            text = string_of(details.get("summary"))
            summary = Message(
                speaker=Speaker.HUMAN,
                blocks=(Text(text),),
                sources=(source,),
                flags=MessageFlag.RECORDED_SUMMARY,
                timestamp=iso_timestamp(row.get("ts")),
            )
            compaction = RecordedCompaction(
                kind="summary",
                boundary=position,
                tokens_before=before,
                tokens_after=after,
                summary=(summary,) if text else (),
                source=source,
            )
        self.recorded.append(compaction)

    def _add_deletion(self, row: Mapping[str, Json]) -> None:
        """Record a truncation when the left-out range of API messages, which Cline repeats on every
        row, changes.

        ``conversationHistoryIndex`` of a row is the number of the last API message before it, so
        the row is part of the next one; rows without it count as kept.
        """
        ends = [
            number_of(end)
            for end in list_of(row.get("conversationHistoryDeletedRange"))
        ]
        numbers = [end for end in ends if end is not None]
        if len(numbers) != 2 or numbers == self.deleted_range:
            return
        self.deleted_range = numbers
        kept = tuple(
            index
            for index, message in enumerate(self.messages)
            # A row before the range has no number in older versions, so it counts as kept.
            if (number := number_of(message.extra.get("conversationHistoryIndex")))
            is None
            or not numbers[0] <= number + 1 <= numbers[1]
        )
        self.recorded.append(
            RecordedCompaction(kind="truncate", boundary=len(self.messages), kept=kept)
        )


CLINE_UI = Format(
    name="cline_ui",
    label="Cline, Roo (display log)",
    about="What the panel of Cline, Roo or Kilo showed (ui_messages.json). A display log: the requests are in"
    " api_conversation_history.json beside it, read as Anthropic messages.",
    score=score_panel,
    read=read_panel,
    read_only=ReadOnly.RECORD,
)
