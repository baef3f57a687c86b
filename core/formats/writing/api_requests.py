"""Builds and merges messages for APIs in which the roles alternate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import string_of
from core.formats.common.open_document import read_document
from core.formats.writing.exporter import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages_beginning_with_user,
    group_by_record,
    is_unchanged_record,
    next_records,
    split_records,
)
from core.formats.writing.plain_text import fields_without_notes, single_text
from core.formats.writing.raw_json import record_json
from core.transcript.model import Message, Speaker

ByteRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """One message to write. ``source_record`` is the source's record if it is written unchanged.
    ``first_record`` and ``last_record`` are the byte ranges of the source records at its ends:
    records that were neighbours in the source are never merged, new neighbours of one role are."""

    role: str
    content: Json
    fields: Mapping[str, Json] = field(default_factory=dict)
    source_record: Json = MISSING
    first_record: ByteRange | None = None
    last_record: ByteRange | None = None


def _count_changed_role(
    speaker: Speaker, losses: ExportLosses, *, keeps_role: bool
) -> None:
    if speaker is Speaker.SYSTEM:
        losses.count_changed("system message as user")
    elif speaker is Speaker.UNKNOWN and not keeps_role:
        losses.count_changed("message of an unknown role as user")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiMessageFormat:
    """How an API writes messages: the ``key`` of the content, the role of its ``model``,
    ``content`` to make the parts of a message (with whether its blocks are of the ``family``),
    ``is_result`` for tool results (which come first), ``text_part`` to make a part of plain
    text, ``keeps_results_apart`` where no other part may stand beside a result."""

    name: str
    family: Sequence[str]
    key: str
    model: str
    content: Callable[[Message, bool, ExportLosses], Sequence[Json]]
    is_result: Callable[[Json], bool]
    text_part: Callable[[str], Json]
    keeps_results_apart: bool = False

    def role(self, message: Message) -> str:
        return self.model if message.speaker is Speaker.AI else "user"

    def build(
        self, group: Sequence[ExportMessage], source_format: str, losses: ExportLosses
    ) -> ApiMessage:
        """Return the message of a group, with the further fields of its record in a file of this
        format."""
        first = group[0].message
        is_source_record = group[0].origin is not None and source_format == self.name
        content: list[Json] = []
        for piece in group:
            same_family = piece.origin is not None and source_format in self.family
            content += self.content(piece.message, same_family, losses)
        keeps_role = is_source_record and "role" in first.extra
        _count_changed_role(first.speaker, losses, keeps_role=keeps_role)
        if not is_source_record:
            return ApiMessage(self.role(first), content)
        fields = fields_without_notes(first.extra)
        if first.id:
            fields.setdefault("id", first.id)
        # A content that was one text in the source becomes one text again.
        was_text = first.extra.get("$content") == "string"
        text = single_text(content) if was_text else None
        record = group[0].record
        return ApiMessage(
            self.role(first),
            content if text is None else text,
            fields,
            first_record=record,
            last_record=record,
        )

    def message_json(self, message: ApiMessage) -> Json:
        if message.source_record is not MISSING:
            return message.source_record
        return {"role": message.role, self.key: message.content, **message.fields}

    def parts(self, message: ApiMessage) -> list[Json] | None:
        """Return the content as a list of parts; None if it cannot be merged with another."""
        value = self.message_json(message)
        if isinstance(value, dict):
            content = value.get(self.key)
        else:
            content = False
        match content:
            case None | "":
                return []
            case str():
                return [self.text_part(content)]
            case dict():
                return [content]
        return content if isinstance(content, list) else None

    def merge(self, earlier: ApiMessage, later: ApiMessage) -> ApiMessage:
        """Merge two messages: results first, as APIs require, then the rest in order."""
        parts = [*(self.parts(earlier) or ()), *(self.parts(later) or ())]
        # Anthropic refuses text in front of results.
        results = [part for part in parts if self.is_result(part)]
        others = [part for part in parts if not self.is_result(part)]
        value = self.message_json(earlier)
        pairs = value.items() if isinstance(value, dict) else ()
        fields = {key: item for key, item in pairs if key not in ("role", self.key)}
        return ApiMessage(
            earlier.role,
            results + others,
            fields,
            first_record=earlier.first_record,
            last_record=later.last_record,
        )

    def apart(self, message: ApiMessage) -> list[ApiMessage]:
        """Return a message as one, or its results and its other parts where both have to stand
        alone; a record of the source stays as it is."""
        parts = message.content
        is_new = message.source_record is MISSING and isinstance(parts, list)
        if not self.keeps_results_apart or not is_new:
            return [message]
        results = [part for part in parts if self.is_result(part)]
        others = [part for part in parts if not self.is_result(part)]
        if not results or not others:
            return [message]
        return [replace(message, content=results), ApiMessage(message.role, others)]


def _api_messages(
    export_input: ExportInput, api_format: ApiMessageFormat, losses: ExportLosses
) -> Iterable[ApiMessage]:
    """Yield the messages of a history; unchanged ones of this format as they are in the file."""
    is_same_format = export_input.is_from_format(api_format.name)
    split_ranges = split_records(export_input.conversation)
    if is_same_format:
        data = read_document(export_input.conversation.document)
    else:
        data = b""
    for group in group_by_record(
        export_messages_beginning_with_user(export_input, losses)
    ):
        if is_same_format:
            record_range = group[0].record
        else:
            record_range = None
        if record_range and is_unchanged_record(group, split_ranges):
            raw_record = record_json(
                data, *record_range, export_input.conversation.document.name
            )
            yield ApiMessage(
                api_format.role(group[0].message),
                None,
                source_record=raw_record,
                first_record=record_range,
                last_record=record_range,
            )
            continue
        message = api_format.build(group, export_input.conversation.format, losses)
        # An empty message of another format would be refused.
        if message.content or is_same_format:
            yield message
        else:
            losses.count_left_out("message without content")


def api_message_records(
    message: Message, api_format: ApiMessageFormat, same_family: bool
) -> list[Json]:
    """Return the record of a message alone, not merged with its neighbours; none where it would
    be empty."""
    content = list(api_format.content(message, same_family, ExportLosses("")))
    if content:
        return [{"role": api_format.role(message), api_format.key: content}]
    return []


def merged_records(
    export_input: ExportInput, api_format: ApiMessageFormat, losses: ExportLosses
) -> list[Json]:
    """Return the records, merged so that roles alternate; this also puts results right behind their
    calls."""
    merged: list[ApiMessage] = []
    next_ranges = next_records(export_input, api_format.name)
    for message in _api_messages(export_input, api_format, losses):
        if merged:
            previous = merged[-1]
        else:
            previous = None
        is_neighbour = (
            previous
            and previous.last_record
            # Neighbours of one role that the API took once are taken again.
            and message.first_record == next_ranges.get(previous.last_record, ())
        )
        if (
            previous is None
            or is_neighbour  # in the source
            or previous.role != message.role
            or api_format.parts(previous) is None
            or api_format.parts(message) is None
        ):
            merged.append(message)
        else:
            merged[-1] = api_format.merge(previous, message)
    return [
        api_format.message_json(one)
        for message in merged
        for one in api_format.apart(message)
    ]


_SCHEMA_NAMES = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
_EMPTY_SCHEMA = {"type": "object", "properties": {}}


def openai_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(
        tools,
        losses,
        lambda named, schema: {
            "type": "function",
            "function": {"name": named.pop("name"), "parameters": schema, **named},
        },
        is_own=lambda tool: isinstance(tool.get("function"), dict),
    )


def anthropic_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(
        tools, losses, lambda named, schema: {**named, "input_schema": schema}
    )


def responses_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for OpenAI's Responses API; the provider's own tools stay unchanged."""

    def is_own(tool: dict[str, Json]) -> bool:
        has_type = isinstance(tool.get("type"), str) and "function" not in tool
        return (
            has_type
            and (tool["type"] != "function" or "parameters" in tool)
            and "input_schema" not in tool
        )

    plain_tools: list[Json] = []
    for tool in tools:
        # Presumably Codex groups the tools of an MCP server under one name.
        is_namespace = isinstance(tool, dict) and tool.get("type") == "namespace"
        if is_namespace:
            members = tool.get("tools")
        else:
            members = None
        plain_tools += members if isinstance(members, list) else [tool]
    return _converted(
        plain_tools,
        losses,
        lambda named, schema: {"type": "function", **named, "parameters": schema},
        is_own=is_own,
    )


def codex_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(
        tools,
        losses,
        lambda named, schema: {
            "name": "",
            "description": "",
            **named,
            "inputSchema": schema,
        },
    )


def gemini_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for Gemini's API: functions in one declaration, its own tools
    unchanged."""
    own_tools = [
        tool
        for tool in tools
        # Tools of Google, such as search, are a field without a name.
        if isinstance(tool, dict) and "type" not in tool and _definition(tool) is None
    ]
    others = [
        tool for tool in tools if not any(tool is own_tool for own_tool in own_tools)
    ]
    functions = _converted(
        others, losses, lambda named, schema: {**named, "parametersJsonSchema": schema}
    )
    return [*([{"functionDeclarations": functions}] if functions else []), *own_tools]


def _converted(
    tools: Sequence[Json],
    losses: ExportLosses,
    convert: Callable[[dict[str, Json], Json], Json],
    is_own: Callable[[dict[str, Json]], bool] = lambda tool: False,
) -> list[Json]:
    """Return definitions made of name, description (if there is one) and schema; those of the
    target's own shape stay, and unknown shapes are counted as losses."""
    definitions: list[Json] = []
    for tool in tools:
        if isinstance(tool, dict) and is_own(tool):
            definitions.append(tool)
        elif (definition := _definition(tool)) is not None:
            schemas = (
                definition[name]
                for name in _SCHEMA_NAMES
                if isinstance(definition.get(name), dict)
            )
            description = string_of(definition.get("description"))
            named = {
                "name": definition["name"],
                **({"description": description} if description else {}),
            }
            definitions.append(
                # Anthropic refuses a tool without a schema.
                convert(named, next(schemas, None) or dict(_EMPTY_SCHEMA))
            )
        else:
            losses.count_left_out("tool definition")
    return definitions


def _definition(tool: Json) -> dict[str, Json] | None:
    """Return the object with the name of a tool; None for an unknown shape."""
    if isinstance(tool, dict):
        definition = tool.get("function", tool)
    else:
        definition = None
    return (
        definition
        if isinstance(definition, dict) and isinstance(definition.get("name"), str)
        else None
    )
