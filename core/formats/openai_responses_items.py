"""Reads items of OpenAI's Responses API as blocks and messages; Codex rollouts hold the same items.

**One answer of the model is one message.** The API writes reasoning, text and every call as
separate items; consecutive ones without input to the model between them are one answer and become
one ai message with a source for each. Parallel calls are thus one message, and reasoning stays with
the item after it. A text of phase ``final_answer`` ends an answer. Every other item is a message by
itself, also a tool's output.

Calls of the provider's own tools (web search, file search, code interpreter, image generation, MCP)
have no output item: call and answer are one ServerTool block.

Messages have no ``extra``: their items are read again from the sources
(core.formats.common.open_document).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import (
    coerce_text,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.messages import ImportNotes, opaque_flag
from core.formats.openai_chat_messages import read_arguments
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ServerTool,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.opaque_history import COMPACTION_ITEMS

FINAL_PHASE = "final_answer"
"""The phase of a text that ends an answer of the model."""

_ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
# A custom tool takes raw text, a function takes JSON in a text.
_CALL_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
_SERVER_ARGUMENTS = ("arguments", "action", "code", "queries", "revised_prompt")
_SERVER_ANSWERS = ("output", "outputs", "results", "status")
_TEXT_TYPES = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
_OTHER_SPEAKERS: Mapping[str, Speaker] = {
    # Probably the provider's summary stands in the place of user messages.
    **dict.fromkeys(COMPACTION_ITEMS, Speaker.HUMAN),
    "compaction_trigger": Speaker.HUMAN,
    # Another agent's words come in like those of a user.
    "agent_message": Speaker.HUMAN,
    "additional_tools": Speaker.SYSTEM,
    "mcp_list_tools": Speaker.AI,
    "mcp_approval_request": Speaker.AI,
    "mcp_approval_response": Speaker.HUMAN,
}
_HARNESS_STARTS = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions for ",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
)
"""Beginnings of texts that Codex writes in the user's name."""


def is_harness_text(text: str) -> bool:
    return text.lstrip().startswith(_HARNESS_STARTS)


@dataclass(frozen=True, slots=True)
class ResponseItem:
    """The content of an item: its blocks (one for each content part), speaker and id.
    ``ends_answer`` is true if the item is marked as the last of an answer."""

    speaker: Speaker
    blocks: tuple[Block, ...]
    flags: MessageFlag = MessageFlag.NONE
    id: str = ""
    ends_answer: bool = False


def item_type(item: Json) -> str:
    """Return the type of an item; "message" if it has only a role, as the API allows; "" for
    others."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if isinstance(kind, str) and kind:
        return kind
    # The API takes a message without a type, so a role is enough.
    return "message" if "role" in item and kind is None else ""


def is_known(kind: str) -> bool:
    """Return whether the API or Codex has this type of item."""
    if kind in ("message", "reasoning", "item_reference") or kind in _OTHER_SPEAKERS:
        return True
    # A call of Chat Completions has this type; it is no item.
    return kind != "tool_call" and kind.endswith(
        ("_call", "_call_output", "_search_output")
    )


def read_item(item: Json, notes: ImportNotes, line: int) -> ResponseItem:
    """Read one item; an unknown one becomes Opaque, with a warning."""
    kind = item_type(item)
    id_ = string_of(nested(item, "id"))
    if kind == "message":
        return _message(item, notes, line)
    if kind == "agent_message":
        blocks = _parts(item.get("content"), notes, line)
        # Another agent wrote it, so it is nobody's prompt.
        return ResponseItem(
            Speaker.HUMAN, blocks, MessageFlag.META | opaque_flag(blocks), id_
        )
    if kind == "reasoning":
        return ResponseItem(Speaker.AI, (_thinking(item),))
    # Outputs of a local shell call have an id and no call_id.
    if kind.endswith("_output") and ("call_id" in item or "id" in item):
        return ResponseItem(Speaker.TOOL, (_response(item, kind),))
    if kind.endswith("_call") and _has_output_item(item, kind):
        return ResponseItem(Speaker.AI, (_call(item, kind),))
    if kind.endswith("_call") and kind not in _OTHER_SPEAKERS:
        return ResponseItem(
            Speaker.AI, (_server_tool(item, kind),), MessageFlag.NONE, id_
        )
    return _other_item(item, kind, id_, notes, line)


def _other_item(
    item: Json, kind: str, id_: str, notes: ImportNotes, line: int
) -> ResponseItem:
    speaker = _OTHER_SPEAKERS.get(kind, Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        description = f'an item of type "{kind}"' if kind else "an item without a type"
        notes.warn(line, f"{description} is not known; kept as it is")
    flags = MessageFlag.OPAQUE
    if kind in COMPACTION_ITEMS:
        flags |= MessageFlag.RECORDED_SUMMARY
    return ResponseItem(speaker, (Opaque(kind or "item", item),), flags, id_)


@dataclass(slots=True)
class ResponseItemHistory:
    """A history that grows item by item. An answer of many items is joined once: until it is
    closed, by ``close`` or its last item, the last message holds only the first of them."""

    messages: list[Message] = field(default_factory=list)
    _pending: list[tuple[ResponseItem, Source]] = field(default_factory=list)
    _has_ended: bool = False

    def add(self, item: ResponseItem, source: Source, timestamp: str = "") -> None:
        """Add an item to the current answer, or as a new message."""
        continues = (
            item.speaker is Speaker.AI
            and self.messages
            and self.messages[-1].speaker is Speaker.AI
        )
        # The phase is known from its item only, so the next one decides whether the answer goes
        # on.
        if continues and not self._has_ended:
            self._pending.append((item, source))
        else:
            self.close()
            message = Message(
                speaker=item.speaker,
                blocks=item.blocks,
                sources=(source,),
                flags=item.flags,
                id=item.id,
                timestamp=timestamp,
            )
            self.messages.append(message)
        self._has_ended = item.ends_answer

    def close(self) -> None:
        """End and join the last answer."""
        self._has_ended = True
        if not self._pending:
            return
        last = self.messages[-1]
        blocks = [*last.blocks]
        sources = [*last.sources]
        flags = last.flags
        id_ = last.id
        for item, source in self._pending:
            blocks += item.blocks
            sources.append(source)
            if item.flags is not MessageFlag.NONE:
                flags |= item.flags
            id_ = id_ or item.id
        self.messages[-1] = Message(
            speaker=last.speaker,
            blocks=tuple(blocks),
            sources=tuple(sources),
            flags=flags,
            id=id_,
            timestamp=last.timestamp,
            extra=last.extra,
        )
        self._pending.clear()


def item_compactions(
    messages: Sequence[Message],
) -> list[tuple[int, RecordedCompaction]]:
    """Return the compaction items of a history, each with the index of its message. The item stays
    a message, at ``boundary``; the provider drops everything before it. If a list begins with only
    the user's messages, a compaction kept these."""
    inputs = (Speaker.HUMAN, Speaker.SYSTEM)
    first = next(
        (i for i, message in enumerate(messages) if message.speaker not in inputs),
        len(messages),
    )
    items: list[tuple[int, RecordedCompaction]] = []
    for index, message in enumerate(messages):
        if any(
            isinstance(block, Opaque) and block.kind in COMPACTION_ITEMS
            for block in message.blocks
        ):
            if index < first:
                kept = tuple(range(index))
            else:
                kept = ()
            items.append(
                (
                    index,
                    RecordedCompaction(
                        kind="opaque",
                        boundary=index,
                        kept=kept,
                        source=message.sources[0],
                    ),
                )
            )
    return items


_MESSAGE_FIELDS = (
    "type",
    "role",
    "id",
    "status",
    "phase",
    "model",
    "created_at",
    "timestamp",
)


def _message(item: Mapping[str, Json], notes: ImportNotes, line: int) -> ResponseItem:
    speaker = _ROLES.get(string_of(item.get("role")), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        notes.warn(line, "the role of a message is not known; kept as unknown")
    blocks = _parts(item.get("content"), notes, line)
    # An item without content that has other fields is from a newer API; it must not vanish.
    if "content" not in item and (others := other_fields(item, _MESSAGE_FIELDS)):
        notes.warn(
            line, f"a message has no content, but {', '.join(others)}; kept as it is"
        )
        blocks = (Opaque("message", item),)
    flags = opaque_flag(blocks)
    texts = [block.text for block in blocks if isinstance(block, Text)]
    # Codex sends its own words in the name of the user, so their beginnings are all there is.
    if speaker is Speaker.HUMAN and texts and all(map(is_harness_text, texts)):
        flags |= MessageFlag.META
    ends_answer = item.get("phase") == FINAL_PHASE
    return ResponseItem(speaker, blocks, flags, string_of(item.get("id")), ends_answer)


def _parts(content: Json, notes: ImportNotes, line: int) -> tuple[Block, ...]:
    if isinstance(content, list):
        return tuple(_part(part) for part in content)
    if isinstance(content, str):
        return (Text(content),)
    if content is None:
        return ()
    notes.warn(line, "content is neither text nor a list; kept as it is")
    return (Opaque("content", content),)


def _part(part: Json) -> Block:
    if isinstance(part, str):
        return Text(part, {"$string": True})
    if not isinstance(part, dict):
        return Opaque("unknown", part)
    kind = part.get("type")
    if kind in _TEXT_TYPES and isinstance(part.get("text"), str):
        return Text(
            # Nearly all parts have just these two fields; a shared empty value saves memory.
            part["text"],
            NO_EXTRA if len(part) == 2 else other_fields(part, ("type", "text")),
        )
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return Text(
            part["refusal"],
            {**other_fields(part, ("type", "refusal")), "$field": "refusal"},
        )
    return _media(part) or Opaque(string_of(kind) or "unknown", part)


def _media(part: Mapping[str, Json]) -> Media | None:
    kind = part.get("type")
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        url = part["image_url"]
        # The type is named in the data URL alone.
        if url.startswith("data:"):
            mime = url[5:].split(";", 1)[0].split(",", 1)[0]
        else:
            mime = ""
        return Media(
            mime,
            url,
            "",
            {**other_fields(part, ("type", "image_url")), "$source": kind},
        )
    if kind == "input_file":
        name = part.get("filename")
        caption = string_of(name)
        for field in ("file_data", "file_url"):
            if isinstance(part.get(field), str):
                extra = {
                    **other_fields(part, ("type", field, "filename")),
                    "$source": kind,
                    "$field": field,
                }
                # Probably a PDF: the field names no type.
                return Media("application/pdf", part[field], caption, extra)
    audio = part.get("input_audio")
    if (
        kind == "input_audio"
        and isinstance(audio, dict)
        and isinstance(audio.get("data"), str)
    ):
        return Media(
            f"audio/{coerce_text(audio.get('format'))}",
            audio["data"],
            "",
            {"$source": kind},
        )
    return None


def _thinking(item: Mapping[str, Json]) -> Thinking:
    """Read reasoning: the summary, else the reasoning itself; the encrypted part is in
    ``extra``."""
    # A summary is what the API gives; open models give their reasoning itself.
    for name in ("summary", "content"):
        texts = [string_of(nested(part, "text")) for part in list_of(item.get(name))]
        if any(texts):
            return Thinking(
                "\n\n".join(texts),
                {**other_fields(item, ("type", name)), "$field": name},
            )
    return Thinking("", other_fields(item, ("type",)))


def _has_output_item(item: Mapping[str, Json], kind: str) -> bool:
    """Return whether the call's output is an item of its own, which Codex or another client
    writes."""
    if kind in (
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "tool_search_call",
    ):
        return True
    # The API's own tools answer inside their item and have no call_id.
    return isinstance(item.get("call_id"), str)


def _server_tool(item: Mapping[str, Json], kind: str) -> ServerTool:
    """Read call and answer of a provider's tool; the answer may be only its status."""
    id_ = string_of(item.get("id"))
    tool_name = string_of(item.get("name")) or kind.removesuffix("_call")
    arguments: Json = next(
        (item[field] for field in _SERVER_ARGUMENTS if item.get(field)), {}
    )
    # MCP arguments come as JSON in a text, those of the other tools as an object.
    if kind == "mcp_call":
        arguments = read_arguments(arguments)[0]
    answer = next((item[field] for field in _SERVER_ANSWERS if item.get(field)), "")
    error = item.get("error") or MISSING
    blocks = (
        ToolCall(id_, tool_name, arguments),
        ToolResponse(id_, tool_name, answer, error),
    )
    return ServerTool(kind, item, None, blocks)


def _call(item: Mapping[str, Json], kind: str) -> ToolCall:
    id_ = item.get("call_id")
    name = item.get("name")
    field = argument_field(kind, item)
    known = {"type", field}
    known |= {"call_id"} if isinstance(id_, str) else set()
    known |= {"name"} if isinstance(name, str) else set()
    if id_ is None:  # a local shell call, and what other servers than OpenAI's write
        id_ = item.get("id")
    arguments: Json = item.get(field)
    extra: Mapping[str, Json] = {"$item": kind}
    if kind == "function_call":
        arguments, extra = read_arguments(arguments)
    tool_name = string_of(name) or kind.removesuffix("_call")
    return ToolCall(
        coerce_text(id_), tool_name, arguments, {**extra, **other_fields(item, known)}
    )


def argument_field(kind: str, item: Mapping[str, Json]) -> str:
    if kind in _CALL_ARGUMENTS:
        return _CALL_ARGUMENTS[kind]
    return next(
        (
            name
            for name in ("arguments", "action", "operation", "input")
            if name in item
        ),
        "action",
    )


def _response(item: Mapping[str, Json], kind: str) -> ToolResponse:
    id_ = item.get("call_id", MISSING)
    if isinstance(id_, str):
        known = {"type", "call_id"}
    else:
        known = {"type"}
    # Outputs of a local shell call are linked by the id of the item.
    if not isinstance(id_, str) and kind == "local_shell_call_output":
        id_ = item.get("id")
    field = output_field(kind)
    extra = dict(other_fields(item, known | {field}))
    if kind != "function_call_output":
        extra["$item"] = kind
    return ToolResponse(coerce_text(id_), "", item.get(field, ""), MISSING, extra)


def output_field(kind: str) -> str:
    # A search for tools answers with definitions of tools, not with an output.
    return "tools" if kind == "tool_search_output" else "output"


def replacement_item(payload: Mapping[str, Json], number: int) -> Json:
    """Return the item of that number in a ``compacted`` payload; None where it only refers to one.
    Older versions put the summary in the place of the history, beside the person's messages."""
    items = payload.get("replacement_history")
    entries = payload.get("replacement_history_entries")
    if isinstance(items, list):
        if number < len(items):
            return items[number]
        return None
    if isinstance(entries, list):
        if number < len(entries):
            return nested(entries[number], "item")
        return None
    return summary_item(payload)


def summary_item(payload: Mapping[str, Json]) -> Json:
    content = [{"type": "input_text", "text": payload_text(payload)}]
    return {"type": "message", "role": "user", "content": content}


def payload_text(payload: Mapping[str, Json]) -> str:
    return string_of(payload.get("message"))
