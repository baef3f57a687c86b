"""The messages of a conversation as the JSON that an API would be sent, and what its schema says
of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import jsonschema_rs
import orjson

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.open_document import read_document
from core.formats.gemini_parts import camel_case
from core.formats.openai_responses import source_records
from core.formats.openai_responses_item_writer import has_source_items
from core.formats.writing.api_requests import (
    anthropic_tools,
    gemini_tools,
    openai_tools,
    responses_tools,
)
from core.formats.writing.exporter import (
    ANTHROPIC_FAMILY,
    GEMINI_FAMILY,
    RESPONSES_FAMILY,
    ExportLosses,
    is_readable,
)
from core.formats.writing.raw_json import record_json
from core.transcript.model import Conversation, Message
from core.transcript.scopes import context_after_compaction

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MESSAGE, TOOL = "message", "tool"
"""What a schema describes: a record of the list of messages, and a definition of a tool."""

MISSING_FIELD, WRONG_TYPE, SHAPE = "missing-field", "wrong-type", "shape"
"""Rules of all APIs, for parts of a schema that name none."""
_FOLDER = Path(__file__).with_name("schemas")
_TYPES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "null": "null",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
}
_MAX_SHOWN = 60
_MAX_ERRORS = 50
"""Errors of one record that are read: of more, the first of each rule stand for the rest."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What an API would refuse of a record: the rule, and the end of a sentence about the
    message."""

    rule: str
    text: str


@cache
def schema_of(provider: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = orjson.loads(
        (_FOLDER / f"{provider}.json").read_bytes()
    )
    return schema


@cache
def _validator(provider: str, kind: str) -> Validator:
    schema = {**schema_of(provider), "$ref": f"#/$defs/{kind}"}
    options = jsonschema_rs.RegexOptions()  # patterns in linear time
    return jsonschema_rs.Draft202012Validator(schema, pattern_options=options)


def schema_faults(
    provider: str, record: Json, kind: str = MESSAGE
) -> tuple[SchemaFault, ...]:
    """Return what the API of a provider refuses of a record, one fault a rule."""
    validator = _validator(provider, kind)
    try:
        # Asking for validity alone is fast, and nearly all records are valid.
        if validator.is_valid(record):
            return ()
        return tuple(_faults(provider, validator.iter_errors(record)))
    except (
        ValueError
    ):  # of texts that are more than texts, as those of images left in the file
        pass
    try:
        plain = orjson.loads(orjson.dumps(record, default=str))
        return tuple(_faults(provider, validator.iter_errors(plain)))
    except (
        TypeError,
        ValueError,
    ) as error:  # too deep, or half a surrogate pair, which is no text
        return (SchemaFault(SHAPE, f"cannot be written: {str(error)[:_MAX_SHOWN]}."),)


def _faults(provider: str, errors: Iterator[ValidationError]) -> Iterator[SchemaFault]:
    seen: set[str] = set()
    # A huge broken record has thousands of errors of few kinds.
    for _, error in zip(range(_MAX_ERRORS), errors, strict=False):
        rule = _rule_of(provider, error.schema_path) or _general_rule(error)
        if rule not in seen:
            seen.add(rule)
            yield SchemaFault(
                rule, f"{_words(provider, rule, error)} ({_place(error)})."
            )


def _rule_of(provider: str, path: Sequence[str | int]) -> str:
    """Return the rule that the part of the schema with the failing keyword names, "" for none."""
    part: Any = schema_of(provider)
    # The last step is the keyword, the part before it names the rule.
    for key in path[:-1]:
        part = part[key]
    if isinstance(part, dict):
        rule = part.get("rule", "")
    else:
        rule = ""
    return str(rule)


def _general_rule(error: ValidationError) -> str:
    return {"required": MISSING_FIELD, "type": WRONG_TYPE}.get(error.kind.name, SHAPE)


def _words(provider: str, rule: str, error: ValidationError) -> str:
    if rule == MISSING_FIELD:
        return f"has no {error.kind.as_dict()['property']}, which the API needs"
    if rule == WRONG_TYPE:
        wanted = [_TYPES.get(name, name) for name in error.kind.as_dict()["types"]]
        return f"has another type of value where the API takes {' or '.join(wanted)}"
    if rule == SHAPE:
        return "has a value that the API does not take"
    return str(schema_of(provider)["rules"][rule]["text"])


def _place(error: ValidationError) -> str:
    """Return "content[2].id: 'a|b'": the place in the written message and what stands there."""
    place = "".join(
        f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.instance_path
    ).removeprefix(".")
    value = error.instance
    if isinstance(value, dict | list) and value:
        return place or "the message"
    if isinstance(value, str):
        shown = repr(value)
    else:
        shown = json.dumps(value)
    if len(shown) > _MAX_SHOWN:
        shown = f"{shown[:_MAX_SHOWN]}…"
    if place:
        return f"{place}: {shown}"
    return shown


REQUEST_FORMATS: Mapping[str, str] = {
    "anthropic": "anthropic_messages",
    "openai": "openai_chat",
    "responses": "openai_responses",
    "gemini": "gemini",
}
"""The format of an API's requests."""
_WRITERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "anthropic": ("..formats.anthropic", ANTHROPIC_FAMILY),
    "openai": ("..formats.openai_chat", ("openai_chat",)),
    "responses": ("..formats.openai_responses", RESPONSES_FAMILY),
    "gemini": ("..formats.gemini", GEMINI_FAMILY),
}
_TOOLS: Mapping[str, Callable[[Sequence[Json], ExportLosses], list[Json]]] = {
    "anthropic": anthropic_tools,
    "openai": openai_tools,
    "responses": responses_tools,
    "gemini": gemini_tools,
}
_WriteRecords: TypeAlias = Callable[[Message, bool], list[Json]]
SchemaMemo: TypeAlias = dict[str, dict[int, tuple[SchemaFault, ...]]]
"""The faults of a conversation's own messages, by provider, then ``id()``, so that of each result
only the changed messages are written and checked again."""


_LATE_RESULT = SchemaFault(
    "result-order", "holds a result after other content; results have to come first."
)
"""github.com/apify/tester-mcp-client/issues/12: "Did not find 1 tool_result block(s) at the beginning
of this message" (2025-03)."""


def _has_late_result(record: Json) -> bool:
    """Return whether a result stands behind another block of its message, which no schema can
    say."""
    if isinstance(record, dict):
        content = record.get("content")
    else:
        content = None
    if not isinstance(content, list):
        return False
    kinds = [
        block.get("type") if isinstance(block, dict) else None for block in content
    ]
    are_results = [kind == "tool_result" for kind in kinds]
    return are_results != sorted(are_results, reverse=True)


def _messages_of_compactions(conversation: Conversation) -> Iterator[Message]:
    """Yield the messages that only records of compactions hold."""
    for compaction in conversation.recorded:
        for entry in context_after_compaction(compaction):
            if isinstance(entry, Message):
                yield entry


class RequestRecords:
    """What a request to a provider holds for each message of a conversation: the record of its own
    file where that is such a request and the message is unchanged, else what the export writes."""

    def __init__(
        self, conversation: Conversation, provider: str, memo: SchemaMemo | None = None
    ) -> None:
        self._conversation, self._provider = conversation, provider
        self._memo = {} if memo is None else memo.setdefault(provider, {})
        module, family = _WRITERS[provider]
        # late: of most processes one API is asked for
        self._write: _WriteRecords = import_module(module, __package__).message_records
        self._is_family = conversation.format in family
        self._own = {id(message) for message in conversation.messages}
        self.is_request = conversation.format == REQUEST_FORMATS[provider]
        self._is_own = self.is_request and is_readable(conversation.document)
        if provider == "responses":  # Codex keeps the same items in its records
            self._is_own = has_source_items(conversation)
            self._own |= set(map(id, _messages_of_compactions(conversation)))
        self._data: bytes | None = None

    def is_verbatim(self, message: Message) -> bool:
        """Return whether a message is written as it is in the file."""
        return self._is_own and id(message) in self._own

    def item_ids(self, message: Message) -> list[str]:
        """Return the ids of the items that a message is in the file of a request; none where it is
        written anew."""
        is_sent = self.is_request and self.is_verbatim(message)
        records = self._source_records(message) if is_sent else None
        ids = [one.get("id") for one in records or () if isinstance(one, dict)]
        return [id_ for id_ in ids if isinstance(id_, str) and id_]

    def faults(self, message: Message) -> tuple[SchemaFault, ...]:
        """Return what the schema says of a message."""
        # Changed messages are new objects each time, so remembering them would only fill the
        # memory.
        if id(message) not in self._own:
            return self._faults(message)
        known = self._memo.get(id(message))
        if known is None:
            known = self._memo[id(message)] = self._faults(message)
        return known

    def _faults(self, message: Message) -> tuple[SchemaFault, ...]:
        by_rule: dict[str, SchemaFault] = {}
        for record in self._records(message):
            for fault in schema_faults(self._provider, record):
                by_rule.setdefault(fault.rule, fault)
            # A schema cannot tell the order of parts.
            if self._provider == "anthropic" and _has_late_result(record):
                by_rule[_LATE_RESULT.rule] = _LATE_RESULT
        return tuple(by_rule.values())

    def _records(self, message: Message) -> Sequence[Json]:
        if (
            self.is_verbatim(message)
            and (records := self._source_records(message)) is not None
        ):
            return records
        records = self._write(message, self._is_family and bool(message.sources))
        # Gemini takes two spellings; the schema has one of them.
        if self._provider == "gemini":
            return list(map(camel_case, records))
        return records

    def _source_records(self, message: Message) -> list[Json] | None:
        """Return the records of the file; None where the file has gone since it was read. Those of
        a record with several messages are the first one's."""
        document = self._conversation.document
        try:
            if self._data is None:
                self._data = read_document(document)
            if self._provider == "responses":
                return source_records(self._data, message, self._conversation)
            # Parts of one record share its range, and the first one stands for it.
            ranges = ((one.start, one.end) for one in message.sources if not one.part)
            records = [record_json(self._data, *one, document.name) for one in ranges]
        except InputError:
            return None
        if self._provider == "gemini":
            return list(map(camel_case, records))
        return records

    def tool_faults(self) -> Iterator[SchemaFault]:
        """Yield what the schema says of the definitions of tools, one fault a rule."""
        tools = self._conversation.system.tools
        if tools:
            written = _TOOLS[self._provider](tools, ExportLosses(""))
        else:
            written = []
        by_rule: dict[str, SchemaFault] = {}
        for tool in written:
            for fault in schema_faults(self._provider, tool, TOOL):
                by_rule.setdefault(fault.rule, fault)
        yield from by_rule.values()
