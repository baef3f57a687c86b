"""Builds conversations from the model calls of a trace, each of which repeats the prompt of the one
before.

What is new in a prompt is a message of the conversation; the system prompt is that of the last
call. A prompt that lacks messages of the one before shows a compaction: what is new in it, before
the last message that it kept, is the summary. It shows none if only the last answer is not sent
again, or if a message has grown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from core.common.json_value import Json
from core.formats.anthropic_blocks import read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    content_parts,
    fields_of,
    json_or_text,
    list_of,
    nested,
    string_of,
)
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.messages import ImportNotes, langchain_fields
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import stored_document, with_outer_notes
from core.formats.gemini_parts import read_parts as read_gemini_parts
from core.formats.openai_chat_messages import ROLES, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_LANGCHAIN_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_GEMINI_FIELDS = frozenset(
    (
        "text",
        "functionCall",
        "functionResponse",
        "function_call",
        "function_response",
        "inlineData",
        "inline_data",
    )
)
_ANTHROPIC_BLOCKS = (
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """A call of a model, or of a tool where no call of a model has messages (then only
    ``outputs``). ``group`` is the conversation; ``time`` sorts as text or number of its source."""

    group: str
    time: Json
    inputs: Sequence[Json] = ()
    outputs: Sequence[Json] = ()
    model: str = ""
    context: int | None = None
    output_tokens: int | None = None
    tools: Sequence[Json] = ()
    is_sub_agent: bool = False
    is_tool: bool = False
    is_result: bool = False  # ``outputs`` answer a call that a model has made before


def _listed(
    ordered: Iterable[tuple[str, Sequence[TracedCall]]],
) -> tuple[ListedConversation, ...]:
    listed = []
    for number, (name, own) in enumerate(ordered, 1):
        kind = "sub-agent" if own[0].is_sub_agent else ""
        listed.append(ListedConversation(number, first_words(name), None, kind))
    return tuple(listed)


def read_calls(
    file: OpenedDocument,
    request: ReadRequest,
    format: str,
    calls: Iterable[TracedCall],
    notes: ImportNotes,
) -> Conversation:
    """Return one conversation of a trace; those of sub-agents are listed last."""
    groups: dict[str, list[TracedCall]] = {}
    for call in calls:
        groups.setdefault(call.group, []).append(call)
    ordered = sorted(groups.items(), key=lambda item: item[1][0].is_sub_agent)
    check_number(file.document.name, request.conversation, max(1, len(ordered)))
    group, chosen = ordered[request.conversation - 1] if ordered else ("", [])
    spoken = [
        call for call in chosen if call.inputs or (call.outputs and not call.is_tool)
    ]
    history = PromptHistory(notes)
    records = history.records_of(spoken or chosen)
    tools = next((call.tools for call in reversed(chosen) if call.tools), ())
    inner, _ = stored_document(
        file.document,
        {"id": group, "tools": list(tools), "system": history.system or None},
        "messages",
        records,
    )
    conversation = _read_records(inner, request, format)
    listed = _listed(ordered)
    joined_report = with_outer_notes(conversation.report, notes.report())
    return numbered(
        replace(conversation, report=joined_report), request.conversation, listed
    )


@dataclass(slots=True)
class PromptHistory:
    """Messages with the time and usage of the call that they ended, and compactions. ``_context``
    holds what makes the messages of the last prompt and its answer the same elsewhere, with the
    places of their records; the first ``_sent`` of them are the prompt."""

    notes: ImportNotes
    system: list[Json] = field(default_factory=list)
    records: list[dict[str, Json]] = field(default_factory=list)
    _context: list[tuple[str, int]] = field(default_factory=list)
    _sent: int = 0

    def records_of(self, calls: Iterable[TracedCall]) -> list[Json]:
        """Return the records of all calls, without those that were left out."""
        for call in calls:
            if call.is_result:
                self._add_result(call)
            else:
                self._add_call(call)
        places = [place for place, record in enumerate(self.records) if record]
        indices = {old: new for new, old in enumerate(places)}
        return [_with_indices(self.records[place], indices) for place in places]

    def _add_call(self, call: TracedCall) -> None:
        inputs = [message for value in call.inputs for message in _split(value)]
        system = list(takewhile(_is_system, inputs))
        self.system = system or self.system
        if call.inputs:
            self._take_prompt(call, inputs[len(system) :])
        usage = {
            "context": call.context,
            "output": call.output_tokens,
            "model": call.model,
        }
        for message in (message for value in call.outputs for message in _split(value)):
            self._context.append(
                self._added({"message": message, "time": call.time, "usage": usage})
            )
            usage = {"model": call.model}

    def _added(self, record: dict[str, Json]) -> tuple[str, int]:
        self.records.append(record)
        return _identity(record["message"]), len(self.records) - 1

    def _take_prompt(self, call: TracedCall, messages: Sequence[Json]) -> None:
        """Match the messages of a prompt with those before, and add those that are new."""
        self._take_grown(messages)
        open_indices: dict[str, list[int]] = defaultdict(list)
        for key, index in self._context:
            open_indices[key].append(index)
        known: list[tuple[Json, str, int]] = []
        for message, key in _keyed(messages):
            # The same text may have been said twice: the earlier one is matched first.
            index = open_indices[key].pop(0) if open_indices[key] else -1
            known.append((message, key, index))
        lost = {index for indices in open_indices.values() for index in indices}
        sent_before = {index for _, index in self._context[: self._sent]}
        if lost & sent_before:
            self._take_compaction(call, known)
        else:
            # An answer that was never sent back is no compaction: the agent threw it away.
            self._leave_out(lost)
            self._context = [self._known_or_added(call, *one) for one in known]
        self._sent = len(self._context)

    def _take_compaction(
        self, call: TracedCall, known: Sequence[tuple[Json, str, int]]
    ) -> None:
        """Note that what was sent before is not sent any more. What is new in front of the last
        known message replaces it; what is new behind that one was said since."""
        kept = [index for *_, index in known if index >= 0]
        ends = [place for place, (*_, index) in enumerate(known, 1) if index >= 0]
        end = ends[-1] if ends else len(known)
        new = [message for message, _, index in known[:end] if index < 0]
        record: dict[str, Json] = {"compaction": new, "kept": kept}
        self.records.append({**record, "before": call.context, "time": call.time})
        summary = len(self.records) - 1
        self._context = [
            (key, summary if index < 0 else index) for _, key, index in known[:end]
        ]
        self._context += [
            self._added({"message": message, "time": call.time})
            for message, *_ in known[end:]
        ]

    def _known_or_added(
        self, call: TracedCall, message: Json, key: str, index: int
    ) -> tuple[str, int]:
        if index >= 0:
            return key, index
        return self._added({"message": message, "time": call.time})

    def _take_grown(self, messages: Sequence[Json]) -> None:
        """Replace a message by one at its place that goes on after its words; answers in it are
        left out."""
        for at, ((_, index), message) in enumerate(
            zip(self._context, messages, strict=False)
        ):
            old = _words(self.records[index].get("message"))
            new = _words(message)
            if old and old != new and new.startswith(old):
                self.records[index] = {**self.records[index], "message": message}
                self._context[at] = _identity(message), index
                behind = self._context[max(at + 1, self._sent) :]
                repeated = {
                    index
                    for _, index in behind
                    if _words(self.records[index].get("message")) in new
                }
                self._leave_out(repeated)

    def _leave_out(self, indices: Collection[int]) -> None:
        if indices:
            self.notes.skip("answer that was not sent again", len(indices), line=1)
        for index in indices:
            self.records[index] = {}
        self._context = [one for one in self._context if one[1] not in indices]

    def _add_result(self, call: TracedCall) -> None:
        """Add the result of a tool to the call that it answers, if that is open."""
        message = dict(fields_of(call.outputs[0]))
        said = [
            read_message(self.records[index].get("message"), ImportNotes(), 0)[1]
            for _, index in self._context
        ]
        open_calls = _open_calls([block for own in said for block in own])
        id_ = coerce_text(message.get("tool_call_id"))
        name = coerce_text(message.get("name"))
        if id_ not in open_calls:
            id_ = next((one for one, tool in open_calls.items() if tool == name), "")
        if not id_:
            self.notes.skip(
                "result of a tool whose call is not there, or was answered", line=1
            )
            return
        message["tool_call_id"] = id_
        self._context.append(self._added({"message": message, "time": call.time}))


def _with_indices(record: Json, indices: Mapping[int, int]) -> Json:
    """Return a record that refers to the kept ones by their places in what is written."""
    if "kept" not in record:
        return record
    return record | {"kept": [indices[one] for one in record["kept"] if one in indices]}


def _open_calls(blocks: Sequence[Block]) -> dict[str, str]:
    """Return the tools of calls without a result, by the id of the call."""
    answered = {block.call_id for block in blocks if isinstance(block, ToolResponse)}
    calls = [block for block in blocks if isinstance(block, ToolCall)]
    return {call.id: call.name for call in calls if call.id and call.id not in answered}


def _keyed(messages: Sequence[Json]) -> Iterator[tuple[Json, str]]:
    return ((message, _identity(message)) for message in messages)


def _is_system(message: Json) -> bool:
    return read_message(message, ImportNotes(), 0)[0] is Speaker.SYSTEM


def _words(message: Json) -> str:
    """Return the words of a message without calls and results; "" for any other."""
    if message is not None:
        blocks = read_message(message, ImportNotes(), 0)[1]
    else:
        blocks = ()
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if len(texts) == len(blocks):
        return "\n".join(texts)
    return ""


def _split(value: Json) -> list[Json]:
    """Return a message; of a list of lists, as LangSmith has it, each one."""
    if isinstance(value, list):
        return [message for item in value for message in _split(item)]
    if isinstance(value, dict):
        return [value]
    return [{"role": "user", "content": coerce_text(value)}]


def _identity(message: Json) -> str:
    """Return what makes a message the same in two prompts: its role, words, calls and results."""
    speaker, blocks = read_message(message, ImportNotes(), 0)
    parts = [str(speaker)]
    for block in blocks:
        if isinstance(block, ToolCall):
            parts.append(f"call {block.id} {block.name}")
        elif isinstance(block, ToolResponse):
            parts.append(f"result {block.call_id}")
        elif not isinstance(block, Thinking):
            parts.append(getattr(block, "text", "").strip())
    return "\n".join(filter(None, parts))


def _read_records(
    file: OpenedDocument, request: ReadRequest, format: str
) -> Conversation:
    log = object_log(file, replace(request, conversation=1), "messages")
    log.tools = list_of(log.fields.get("tools"))
    for message in list_of(log.fields.get("system")):
        log.system += (
            b.text
            for b in read_message(message, log.notes, 0)[1]
            if isinstance(b, Text)
        )
    indices: list[list[int]] = []  # for each record its messages
    for record in log.records:
        start = len(log.messages)
        if "compaction" in record.value:
            _add_compaction(record, log, indices)
        elif "message" in record.value:
            _add_message(record, log)
        indices.append([*range(start, len(log.messages))])
    return log.conversation(format, file)


def _add_message(record: JsonRecord, log: SessionLog) -> None:
    speaker, blocks = read_message(record.value.get("message"), log.notes, record.line)
    log.add(record, speaker, blocks, time=record.value.get("time"))
    usage = fields_of(record.value.get("usage"))
    log.model = string_of(usage.get("model")) or log.model
    log.report(usage.get("context"), usage.get("output"), string_of(usage.get("model")))


def _add_compaction(
    record: JsonRecord, log: SessionLog, message_indices: Sequence[Sequence[int]]
) -> None:
    kept = [
        index
        for kept_record in list_of(record.value.get("kept"))
        for index in message_indices[kept_record]
    ]
    log.compact(record, kept=sorted(dict.fromkeys(kept)))
    new = [
        read_message(message, log.notes, record.line)
        for message in list_of(record.value["compaction"])
    ]
    summary = tuple(
        Message(
            speaker=speaker,
            blocks=blocks,
            sources=(record.source(),),
            flags=MessageFlag.RECORDED_SUMMARY,
        )
        for speaker, blocks in new
        if speaker is not Speaker.SYSTEM
    )
    log.recorded[-1] = replace(log.recorded[-1], summary=summary)


def read_message(
    value: Json, notes: ImportNotes, line: int
) -> tuple[Speaker, tuple[Block, ...]]:
    """Read a message of OpenTelemetry (parts), OpenAI, Anthropic or LangChain."""
    fields = fields_of(value)
    if "role" not in fields and (langchain := langchain_fields(value)):
        fields = {**langchain, "role": _LANGCHAIN_ROLES.get(langchain["type"], "user")}
    speaker = _speaker_of_role(string_of(fields.get("role")))
    content = fields.get("parts", fields.get("content", fields.get("contents")))
    # Gemini's parts have no type, so they are known by their fields.
    if any(map(_is_part_of_gemini, list_of(content))):
        read = read_gemini_parts(content, notes, line)
        return (Speaker.TOOL if _are_results(read) else speaker), read
    # Without parts, all of a tool's message is its result.
    if speaker is Speaker.TOOL and "parts" not in fields:
        name = coerce_text(fields.get("name"))
        id_ = coerce_text(fields.get("tool_call_id", fields.get("id")))
        return speaker, (ToolResponse(id_, name, "" if content is None else content),)
    blocks = [_part(part, notes, line) for part in content_parts(content or None)]
    blocks += _calls_beside(fields, notes, line)
    # Anthropic sends results in the name of the user.
    if speaker is Speaker.HUMAN and _are_results(blocks):
        speaker = Speaker.TOOL
    return speaker, tuple(blocks)


def _speaker_of_role(role: str) -> Speaker:
    if role == "model":
        return Speaker.AI
    return ROLES.get(role, Speaker.UNKNOWN)


def _are_results(blocks: Sequence[Block]) -> bool:
    is_result = [isinstance(block, ToolResponse) for block in blocks]
    return bool(is_result) and all(is_result)


def _calls_beside(
    fields: Mapping[str, Json], notes: ImportNotes, line: int
) -> Iterator[Block]:
    """Yield the calls that stand beside the content of a message."""
    # LangChain keeps what a provider sent in a field of its own.
    calls = list_of(fields.get("tool_calls")) or list_of(
        nested(fields, "additional_kwargs", "tool_calls")
    )
    for listed in calls:
        call = fields_of(nested(listed, "tool_call") or listed)
        if "function" in call:
            yield read_call(call, notes, line)
            continue
        arguments = call.get("args", call.get("arguments", {}))
        id_ = coerce_text(call.get("id"))
        name = coerce_text(call.get("name"))
        yield ToolCall(id_, name, json_or_text(arguments))


def _is_part_of_gemini(part: Json) -> bool:
    return (
        isinstance(part, dict)
        and "type" not in part
        and not _GEMINI_FIELDS.isdisjoint(part)
    )


def _part(part: Json, notes: ImportNotes, line: int) -> Block:
    fields = fields_of(nested(part, "message_content") or part)
    kind = string_of(fields.get("type"))
    content = fields.get("content")
    id_ = coerce_text(fields.get("id"))
    if kind in ("text", "reasoning") and isinstance(content, str):
        if kind == "text":
            return Text(content)
        return Thinking(content)
    if kind == "tool_call":
        arguments = fields.get("arguments", fields.get("args", {}))
        return ToolCall(id_, coerce_text(fields.get("name")), json_or_text(arguments))
    if kind == "tool_call_response":
        result = fields.get("response", fields.get("result", ""))
        return ToolResponse(id_, coerce_text(fields.get("name")), result)
    if kind in _ANTHROPIC_BLOCKS:
        return read_block(dict(fields), notes, line)
    if fields:
        return read_part(dict(fields), notes, line)
    return Opaque("part", part)
