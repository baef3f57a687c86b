"""Reader for LangChain messages: ``message_to_dict`` and ``dumpd`` lists, and LangGraph states.

A message has one of three shapes: ``{type, data}``, ``{lc, type: constructor, id,
kwargs}``, or the fields alone, as LangGraph's server writes them. One whose ``lc_source`` is
``summarization`` is the summary of a compaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text, read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    conversation_records,
    detection_sample,
    inner_document,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    call_block,
    langchain_fields,
    record_messages,
    unreadable_message,
)
from core.formats.openai_chat_messages import (
    REASONING_FIELDS,
    function_call,
    read_call,
    read_part,
)
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_LANGCHAIN_SPEAKERS: Mapping[str, Speaker] = {
    "human": Speaker.HUMAN,
    "ai": Speaker.AI,
    "system": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
_ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    **_LANGCHAIN_SPEAKERS,
}
_OPENAI_PARTS = ("image_url", "input_audio", "file")
_CALL = BlockShape(ToolCall, ("id", "name"), ("args",), default=None)
_SUMMARY_SOURCE = (
    "summarization"  # what LangChain's middleware calls the source of its summaries
)
_ERROR_SUMMARY = "Error generating summary:"


def _messages(record: JsonRecord, notes: ImportNotes) -> Sequence[Message]:
    fields = langchain_fields(record.value)
    if fields is None:
        return [
            unreadable_message(
                record, notes, "a message has no known shape of LangChain"
            )
        ]
    # It takes a message out of a state, and what it took out is not in the dump.
    if fields["type"] == "remove":
        notes.skip("remove", line=record.line)
        return []
    role = coerce_text(fields.get("role"))
    speaker = _LANGCHAIN_SPEAKERS.get(fields["type"]) or _ROLES.get(role)
    if speaker is None:
        notes.warn(record.line, f"the role {role[:40]!r} is not known; kept as unknown")
    known = {"type", "content"}
    blocks: tuple[Block, ...]
    if speaker is Speaker.TOOL:
        blocks = (_response(fields),)
        known |= {"tool_call_id", "name", "status"}
    else:
        if speaker is Speaker.AI:
            calls = _calls(fields, notes, record.line)
        else:
            calls = ()
        blocks = (
            *_thoughts(fields),
            *_content(fields, calls, notes, record.line),
            *calls,
        )
        known |= {"tool_calls", "invalid_tool_calls"}
    id_ = fields.get("id")
    extra = other_fields(fields, known | ({"id"} if isinstance(id_, str) else set()))
    parts = [(speaker or Speaker.UNKNOWN, blocks)]
    flags = MessageFlag.NONE
    if nested(fields.get("additional_kwargs"), "lc_source") == _SUMMARY_SOURCE:
        flags = MessageFlag.RECORDED_SUMMARY
        if _ERROR_SUMMARY in plain_text(fields.get("content")):
            notes.warn(
                record.line, "the summary of what came before is an error of its model"
            )
    return record_messages(record.source(), parts, flags, string_of(id_), extra=extra)


def _recorded_compactions(messages: Sequence[Message]) -> Iterator[RecordedCompaction]:
    """Yield a compaction for each summary, which stays a message; the state no longer has what it
    stands for."""
    for boundary, message in enumerate(messages):
        if message.flags & MessageFlag.RECORDED_SUMMARY:
            yield RecordedCompaction(
                kind="summary",
                boundary=boundary,
                kept=tuple(range(boundary)),
                source=message.sources[0],
                is_source_lost=True,
            )


def _thoughts(fields: Mapping[str, Json]) -> tuple[Block, ...]:
    additional = fields_of(fields.get("additional_kwargs"))
    # Providers without reasoning in LangChain's classes leave it among the further fields.
    names = (name for name in REASONING_FIELDS if string_of(additional.get(name)))
    return tuple(Thinking(additional[name], {"$field": name}) for name in names)[:1]


def _content(
    fields: Mapping[str, Json], calls: Sequence[Block], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    """Return the content without parts that repeat a call of ``tool_calls``."""
    content = fields.get("content")
    if isinstance(content, str):
        if content:
            return (Text(content),)
        return ()
    if not isinstance(content, list):
        if content is None:
            return ()
        return (Opaque("content", content),)
    # Anthropic's messages hold each call twice: as a part, and parsed.
    ids = {block.id for block in calls if isinstance(block, ToolCall)}
    return tuple(
        _part(part, notes, line)
        for part in content
        if nested(part, "type") not in ("tool_use", "tool_call", "function_call")
        # Items of Responses have an id of their own beside that of the call.
        or (part.get("call_id") or part.get("id")) not in tuple(ids)
    )


def _part(part: Json, notes: ImportNotes, line: int) -> Block:
    kind = nested(part, "type")
    if kind in _OPENAI_PARTS:
        return read_part(part, notes, line)
    if kind != "reasoning":
        return read_block(part, notes, line)
    text = part.get("reasoning")
    summary = part.get("summary")
    if isinstance(text, str):
        return Thinking(text, other_fields(part, ("type", "reasoning")))
    if isinstance(summary, list):
        return Thinking(plain_text(summary), other_fields(part, ("type",)))
    return Opaque("reasoning", part)


def _calls(
    fields: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    """Return the calls that LangChain parsed and those it could not, else the provider's own."""
    parsed = [
        *list_of(fields.get("tool_calls")),
        *list_of(fields.get("invalid_tool_calls")),
    ]
    additional = fields_of(fields.get("additional_kwargs"))
    if parsed:
        return tuple(call_block(call, _CALL, notes, line, "type") for call in parsed)
    if isinstance(calls := additional.get("tool_calls"), list):
        return tuple(read_call(call, notes, line) for call in calls)
    legacy = additional.get("function_call")
    if isinstance(legacy, dict):
        return (function_call(legacy, "", {"$legacy": True}),)
    return ()


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    content = fields.get("content", MISSING)
    result = "" if content is None or content is MISSING else content
    error = (
        plain_text(result) or "error" if fields.get("status") == "error" else MISSING
    )
    name = fields.get("name")
    return ToolResponse(
        coerce_text(fields.get("tool_call_id")), string_of(name), result, error
    )


_KEYS = ("messages",)
_STATE_KEYS = ("values", "channel_values")
_SHAPES: Mapping[str, float] = {
    "type and data": 0.95,
    "lc constructor": 0.98,
    "type and content": 0.6,
}


def _score_langchain(file: OpenedDocument) -> FormatScore:
    """Judge by the shapes of messages; the fields alone count less."""
    sample = detection_sample(_find_state(file)[0], _KEYS)
    shapes = [shape for value in sample.records if (shape := _shape(value))]
    if not shapes:
        return 0.0, ""
    best_shape = max(shapes, key=lambda shape: _SHAPES[shape])
    # Many logs have records with a type and a content.
    if best_shape == "type and content" and not any(map(_is_said, sample.records)):
        return 0.0, ""
    share = _SHAPES[best_shape] * sample.share(len(shapes))
    return share, f"{best_shape} in {sample.counted(len(shapes))}"


def _is_said(value: Json) -> bool:
    """Return whether a record is of the person or the model, by LangChain's words for them."""
    return fields_of(langchain_fields(value)).get("type") in ("human", "ai")


def _shape(value: Json) -> str:
    if langchain_fields(value) is None:
        return ""
    if value.get("lc"):
        return "lc constructor"
    if isinstance(value.get("data"), dict):
        return "type and data"
    # many logs have records with a type and a content; LangChain's result names its call
    if "role" in value or (value["type"] == "tool" and "tool_call_id" not in value):
        return ""
    return "type and content"


def _read_langchain(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    state, path = _find_state(file)
    loaded = conversation_records(state, _KEYS, request)
    # LangGraph keeps the messages one level down, among the values of its state.
    loaded.layout["path"] = [*path, *loaded.layout["path"]]
    messages = loaded.read_messages(_messages)
    last_first = [
        fields_of(langchain_fields(record.value)) for record in reversed(loaded.records)
    ]
    metadata = (fields_of(fields.get("response_metadata")) for fields in last_first)
    models = (
        string_of(item.get("model_name") or item.get("model")) for item in metadata
    )
    sizes = (
        number_of(nested(fields.get("usage_metadata"), "input_tokens"))
        for fields in last_first
    )
    return replace(
        loaded.conversation("langchain", messages),
        document=file.document,
        recorded=tuple(_recorded_compactions(messages)),
        model=next(filter(None, models), ""),
        session_id=coerce_text(loaded.fields.get("thread_id")),
        reported_context=next((size for size in sizes if size is not None), None),
    )


def _find_state(file: OpenedDocument) -> tuple[OpenedDocument, tuple[str, ...]]:
    root = file.json
    if (
        root is None
        or not isinstance(root.value, dict)
        or isinstance(root.value.get("messages"), list)
    ):
        return file, ()
    for key in _STATE_KEYS:
        record = root.objects.get(key)
        if record is not None and isinstance(record.value.get("messages"), list):
            inner = inner_document(file, record)
            return replace(file, head=(inner.value,), json=inner), (key,)
    return file, ()


LANGCHAIN = Format(
    name="langchain",
    label="LangChain",
    about="Message dumps of LangChain and states of LangGraph with a list of messages.",
    score=_score_langchain,
    read=_read_langchain,
)
