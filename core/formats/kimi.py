"""Reader for Kimi Code (wire.jsonl) and for the older kimi-cli (context.jsonl, wire.jsonl).

The parts of one answer are events of their own. Ids of calls recur in later steps, so that a
recurring one gets the number of its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.document import OpenedDocument, open_transcript
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    content_parts,
    fields_of,
    list_of,
    nested,
    number_of,
    parse_bytes,
    string_of,
    sum_of,
)
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.session_log import (
    SessionLog,
    log_records,
    shape_score,
    side_file,
)
from core.formats.openai_chat_messages import function_call, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    Speaker,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
    tool_calls,
)

_CONTEXT = "context.jsonl"
_SUB_AGENT = re.compile(r"context_sub_(\d+)\.jsonl")
# The prompt is among the first rows; a list of names is not worth reading more.
_HEAD_ROWS = 20
# The harness speaks in the name of the user, between these tags.
_BY_HARNESS = re.compile(r"\s*<(system|system-reminder)>.*</\1>\s*", re.DOTALL)
_SUMMARY = "<system>Previous context has been compacted."
_CONTEXT_ROLES = ("_system_prompt", "_checkpoint", "_usage")
_INPUT_FIELDS = ("inputOther", "inputCacheRead", "inputCacheCreation")
_OLD_INPUT_FIELDS = ("input_other", "input_cache_read", "input_cache_creation")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the records of its wire; a context also has messages like those of OpenAI."""
    if any(value.get("role") in _CONTEXT_ROLES for value in file.objects):
        return 0.99, "roles of its context"
    return shape_score(file, "kimi", "records of its wire")


@dataclass(slots=True, kw_only=True)
class _KimiLog(SessionLog):
    """``call_ids`` are the unique ids by those of the file; ``answer`` is where the current one
    begins, ``step_answer`` its index if the log writes where steps begin. ``waiting`` are messages
    that follow the results of ``open_calls``."""

    call_ids: dict[str, str] = field(default_factory=dict)
    answer: Source | None = None
    step_answer: int | None = None
    has_steps: bool = False
    prompt: Json = None
    open_calls: set[str] = field(default_factory=set)
    waiting: list[partial[None]] = field(default_factory=list)

    def call(self, record: JsonRecord, id_: str) -> str:
        # Ids recur, probably because the model counts its calls anew in every step.
        self.call_ids[id_] = f"{id_}@{record.line}" if id_ in self.call_ids else id_
        self.open_calls.add(id_)
        return self.call_ids[id_]

    def add_user(
        self,
        record: JsonRecord,
        blocks: Sequence[Block],
        time: Json,
        flags: MessageFlag,
    ) -> None:
        """Add what the user or the harness said; the agent sends it after the results of open
        calls."""
        self.waiting.append(
            partial(self.add, record, Speaker.HUMAN, blocks, time=time, flags=flags)
        )
        if not self.open_calls:
            self.add_waiting()

    def add_waiting(self) -> None:
        """Add the messages that waited for results."""
        waiting, self.waiting = self.waiting, []
        for add in waiting:
            add()

    def undo(self, count: int) -> None:
        """Take back the last prompts, up to a compaction, with all that followed them."""
        if self.recorded:
            first = self.recorded[-1].boundary
        else:
            first = 0
        own = range(first, len(self.messages))
        # What was said before a compaction cannot be taken back.
        prompts = [
            n
            for n in own
            if self.messages[n].speaker is Speaker.HUMAN and not self.messages[n].flags
        ]
        if count > 0:
            if count <= len(prompts):
                start = prompts[-count]
            else:
                start = first
            self.notes.skip("taken back", len(self.messages) - start)
            del self.messages[start:]
        self.answer = None

    def answer_call(
        self, record: JsonRecord, id_: str, result: Mapping[str, Json], time: Json
    ) -> None:
        output = result.get("output", result.get("message", ""))
        if note := string_of(result.get("note")):  # told to the model, not shown
            is_text = isinstance(output, str)
            if is_text:
                output = f"{output}\n{note}"
            else:
                # A tool's note is for the model; the person sees the output alone.
                output = [*list_of(output), {"type": "text", "text": note}]
        is_error = result.get("isError", result.get("is_error")) is True
        error = plain_text(output) if is_error else MISSING
        response = ToolResponse(self.call_ids.get(id_, id_), "", output, error)
        self.extend(record, Speaker.TOOL, [response], time=time)
        self.open_calls.discard(id_)
        if not self.open_calls:
            self.add_waiting()

    def say(self, record: JsonRecord, *blocks: Block, time: Json = None) -> None:
        """Add to the answer of the current step; a call of it may come behind a first result."""
        if self.answer is None:
            self.answer = record.source()
            self.add(record, Speaker.AI, blocks, time=time)
            # Older logs do not say where a step begins, so a result ends an answer.
            if self.has_steps:
                self.step_answer = len(self.messages) - 1
            else:
                self.step_answer = None
        elif self.step_answer is not None:
            self.extend_at(self.step_answer, record, blocks)
        else:
            self.extend(record, Speaker.AI, blocks, time=time)

    def begin_step(self) -> None:
        self.has_steps, self.answer = True, None
        # A call without a result before the next step was broken off.
        self.open_calls.clear()
        self.add_waiting()

    def report_usage(self, usage: Json, names: Sequence[str]) -> None:
        if self.answer is not None:
            values = fields_of(usage)
            size = sum_of(*map(values.get, names))
            output = number_of(values.get("output"))
            self.reports.add(self.answer, size, output, self.model)


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a wire, or a context with its sub-agents in files beside it as further conversations."""
    paths = _sub_agents(file)
    number = request.conversation
    check_number(file.document.name, number, 1 + len(paths))
    if number > 1:
        own = open_transcript(paths[number - 2])
    else:
        own = file
    conversation = _read_one(own, replace(request, conversation=1))
    if not paths:
        return conversation
    if number == 1:
        main = conversation
    else:
        # The calls of the main conversation name the tasks by which sub-agents are found.
        main = _read_one(file, replace(request, conversation=1))
    entries = [ListedConversation(1, _task(main), len(main.messages))]
    calls = _starting_calls(main)
    for at, path in enumerate(paths, 2):
        task = _first_prompt(path)
        entries.append(
            ListedConversation(
                at, first_words(task), None, "sub-agent", calls.get(task, "")
            )
        )
    entries[number - 1] = replace(
        entries[number - 1], messages=len(conversation.messages)
    )
    return numbered(conversation, number, entries)


def _sub_agents(file: OpenedDocument) -> list[Path]:
    """Return the files of the sub-agents of a context, in their order."""
    path = file.document.path
    if path is None or path.name != _CONTEXT:
        return []
    found = (
        (int(match[1]), one)
        for one in path.absolute().parent.glob("context_sub_*.jsonl")
        # In the order of their numbers: as text 10 comes before 2.
        if (match := _SUB_AGENT.fullmatch(one.name)) and one.is_file()
    )
    return [one for _, one in sorted(found)]


def _first_prompt(path: Path) -> str:
    """Return the first words of the user in a context, which are among its first rows; "" where
    there are none."""
    try:
        with path.open("rb") as stream:
            rows = [
                fields_of(parse_bytes(line).value)
                for line in islice(stream, _HEAD_ROWS)
            ]
    except OSError:
        return ""
    prompts = (
        plain_text(row.get("content")) for row in rows if row.get("role") == "user"
    )
    return next(prompts, "").strip()


def _task(conversation: Conversation) -> str:
    prompts = (one for one in conversation.messages if one.speaker is Speaker.HUMAN)
    if first := next(prompts, None):
        return first_words(joined_text(first))
    return ""


def _starting_calls(conversation: Conversation) -> dict[str, str]:
    """Return the calls that start sub-agents, by the task that they give."""
    calls = (call for message in conversation.messages for call in tool_calls(message))
    return {
        string_of(nested(call.arguments, "prompt")).strip(): call.id for call in calls
    }


def _note_replaced(path: Path, log: _KimiLog) -> None:
    """Name the files beside it that hold what stood in the context before."""
    # Files of sub-agents look like rotated ones.
    rotated = sorted(path.absolute().parent.glob("context_*.jsonl"))
    names = ", ".join(one.name for one in rotated if not _SUB_AGENT.fullmatch(one.name))
    if names:
        log.notes.warn(
            0, f"what was there before a compaction or a step back is in {names}"
        )


def _read_one(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = _KimiLog()
    is_context = any("role" in value for value in file.objects)
    # Rows of a context look like messages of OpenAI, which a filter would leave out.
    for record in log_records(
        replace(file, format="") if is_context else file,
        request,
        log,
    ):
        if "role" in record.value:
            _add_context(record, log)
        elif "type" in fields_of(record.value.get("message")):
            _add_wire(record, log)
        else:
            _add_event(record, log)
    log.add_waiting()
    # The state lies beside an older session and two folders above a newer one.
    state = side_file(file, "../../state.json") or side_file(file, "state.json")
    log.title = string_of(state.get("title"))
    if is_context and file.document.path and file.document.name == _CONTEXT:
        _note_replaced(file.document.path, log)
    log.cwd = log.cwd or string_of(state.get("workDir"))
    return log.conversation("kimi", file)


# Kimi Code


def _add_event(record: JsonRecord, log: _KimiLog) -> None:
    value = record.value
    kind = string_of(value.get("type"))
    time = value.get("time")
    if kind in ("turn.prompt", "turn.steer"):
        log.prompt = value.get("input")
        log.answer = None
        blocks = _parts(log.prompt, log, record.line)
        log.add_user(record, blocks, time, MessageFlag.NONE)
    elif kind == "context.append_message":
        _add_context_message(record, log)
    elif kind == "context.append_loop_event":
        _add_loop_event(record, fields_of(value.get("event")), log)
    elif kind == "context.apply_compaction":
        _add_compaction(record, log)
    elif kind == "context.clear":
        if not log.clear(record):
            log.notes.skip(kind, line=record.line)
    else:
        if kind == "context.undo":
            log.undo(number_of(value.get("count")) or 0)
        _note_settings(value, log)
        log.notes.skip(kind or "without a type", line=record.line)


def _add_context_message(record: JsonRecord, log: _KimiLog) -> None:
    message = fields_of(record.value.get("message"))
    # A prompt is written twice: when it is typed, and when it is put into the context.
    if message.get("role") != "user" or message.get("content") == log.prompt:
        log.prompt = None
        log.notes.skip("repeated prompt", line=record.line)
        return
    # Reminders of the harness come in the same record as the words of the person.
    is_typed = nested(message, "origin", "kind") in (None, "user")
    flags = MessageFlag.NONE if is_typed else MessageFlag.META
    blocks = _parts(message.get("content"), log, record.line)
    log.add_user(record, blocks, record.value.get("time"), flags)


def _add_compaction(record: JsonRecord, log: _KimiLog) -> None:
    value = record.value
    prompts = [
        index
        for index, one in enumerate(log.messages)
        if one.speaker is Speaker.HUMAN and not one.flags
    ]
    count = number_of(value.get("keptUserMessageCount")) or 0
    # The record counts the kept prompts and does not name them; the last ones stay.
    kept = prompts[len(prompts) - count :] if count else ()
    summary = string_of(value.get("contextSummary")) or string_of(value.get("summary"))
    before = number_of(value.get("tokensBefore"))
    after = number_of(value.get("tokensAfter"))
    log.compact(record, summary, before=before, after=after, kept=kept)


def _note_settings(value: Mapping[str, Json], log: _KimiLog) -> None:
    is_request = value.get("type") == "llm.request"
    log.model = (
        string_of(value.get("model" if is_request else "modelAlias")) or log.model
    )
    log.cwd = string_of(value.get("cwd")) or log.cwd
    # A later request repeats the prompt, or has a new one that replaces it.
    if prompt := string_of(value.get("systemPrompt")):
        log.system[:] = [prompt]


def _add_loop_event(
    record: JsonRecord, event: Mapping[str, Json], log: _KimiLog
) -> None:
    kind = event.get("type")
    time = record.value.get("time")
    part = event.get("part")
    id_ = coerce_text(event.get("toolCallId"))
    if kind == "content.part":
        log.say(record, *_parts([part], log, record.line), time=time)
    elif kind == "tool.call":
        call = ToolCall(
            log.call(record, id_), coerce_text(event.get("name")), event.get("args", {})
        )
        log.say(record, call, time=time)
    elif kind == "tool.result":
        log.answer_call(record, id_, fields_of(event.get("result")), time)
    else:
        if kind == "step.begin":
            log.begin_step()
        elif kind == "step.end":
            log.report_usage(event.get("usage"), _INPUT_FIELDS)
        log.notes.skip(coerce_text(kind), line=record.line)


def _parts(content: Json, log: _KimiLog, line: int) -> list[Block]:
    return [
        Thinking(string_of(part.get("think")))
        if isinstance(part, dict) and part.get("type") == "think"
        else read_part(part, log.notes, line)
        for part in content_parts(content)
    ]


# kimi-cli


def _add_context(record: JsonRecord, log: _KimiLog) -> None:
    """Add a row of the context, which is like a message of OpenAI."""
    value = record.value
    role = string_of(record.value.get("role"))
    blocks = _parts(value.get("content"), log, record.line)
    if role in ("_system_prompt", "system"):
        log.add_system(record, plain_text(value.get("content")))
    elif role == "user":
        _add_context_user(record, blocks, log)
    elif role == "assistant":
        calls = [
            read_call(call, log.notes, record.line)
            for call in list_of(value.get("tool_calls"))
        ]
        log.answer = record.source()
        log.add(record, Speaker.AI, [*blocks, *calls])
    elif role == "tool":
        response = ToolResponse(
            coerce_text(value.get("tool_call_id")), "", value.get("content", "")
        )
        log.add(record, Speaker.TOOL, [response])
    else:
        if role == "_usage":
            log.reported_context = number_of(value.get("token_count"))
        log.notes.skip(role or "without a role", line=record.line)


def _add_context_user(
    record: JsonRecord, blocks: Sequence[Block], log: _KimiLog
) -> None:
    """Add what the person said, a summary of the agent, or a row that is marked as the system's."""
    text = joined_text(Message(speaker=Speaker.HUMAN, blocks=tuple(blocks)))
    if text.lstrip().startswith(_SUMMARY):
        boundary = len(log.messages)
        # The file is rotated: what the summary replaced stands in another one.
        kept = tuple(range(boundary))
        log.recorded.append(
            RecordedCompaction(
                kind="summary",
                boundary=boundary,
                kept=kept,
                source=record.source(),
                is_source_lost=True,
            )
        )
        log.add(record, Speaker.HUMAN, blocks, flags=MessageFlag.RECORDED_SUMMARY)
        return
    flags = MessageFlag.META if _BY_HARNESS.fullmatch(text) else MessageFlag.NONE
    log.add(record, Speaker.HUMAN, blocks, flags=flags)


def _add_wire(record: JsonRecord, log: _KimiLog) -> None:
    """Add an event of the wire of kimi-cli."""
    kind = string_of(nested(record.value, "message", "type"))
    payload = fields_of(nested(record.value, "message", "payload"))
    time = record.value.get("timestamp")
    if kind == "TurnBegin":
        log.answer = None
        log.add(
            record,
            Speaker.HUMAN,
            _parts(payload.get("user_input"), log, record.line),
            time=time,
        )
    elif kind == "ContentPart":
        log.say(record, *_parts([payload], log, record.line), time=time)
    elif kind == "ToolCall":
        id_ = log.call(record, coerce_text(payload.get("id")))
        log.say(
            record,
            function_call(fields_of(payload.get("function")), id_, {}),
            time=time,
        )
    elif kind == "ToolResult":
        id_ = coerce_text(payload.get("tool_call_id"))
        log.answer_call(record, id_, fields_of(payload.get("return_value")), time)
    elif kind == "CompactionEnd":
        log.compact(record)
    else:
        if kind == "StepBegin":
            log.begin_step()
        elif kind == "StatusUpdate":
            log.report_usage(payload.get("token_usage"), _OLD_INPUT_FIELDS)
        log.notes.skip(kind, line=record.line)


KIMI = Format(
    name="kimi",
    label="Kimi",
    about=(
        "Sessions of Kimi Code (wire.jsonl) and of the older kimi-cli (context.jsonl, wire.jsonl)."
    ),
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
)
