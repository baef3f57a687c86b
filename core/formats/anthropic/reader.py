"""Reader for Anthropic messages: a list or ``{system, messages, tools, model}``; Roo and Cline too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content, split_by_speaker, writes_hour_cache
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag, unreadable_message
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    iso_timestamp,
    list_of,
    nested,
    other_fields,
    string_of,
    sum_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import DetectionSample, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import INPUT_TOKEN_FIELDS
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    SystemPart,
    Text,
)

_KEYS = ("messages",)
_ROLES = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SPECIFIC_BLOCK_TYPES = (
    *("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction"),
    *("mcp_tool_use", "search_result", "container_upload"),
)
_COMMON_BLOCK_TYPES = ("text", "image", "document")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by roles, and by what only this format has: its blocks, ``system``, ``input_schema``."""
    sample = detection_sample(opened, _KEYS)
    objects = [value for value in sample.records if isinstance(value, dict)]
    if not sample.has_records or not objects:
        return (0.6, "an empty list of messages beside system") if "system" in sample.fields else (0.0, "")
    roles = [
        value for value in objects if value.get("role") in ("user", "assistant") and "blocks" not in value
    ]
    share = len(roles) / len(sample.records)
    blocks = sum(1 for value in roles if _has_specific_block(value))
    if blocks:
        return (
            0.97 * share,
            f"tool_use, thinking or other blocks of its own in {blocks} of {len(roles)} {sample.unit}",
        )
    specific_fields = _specific_fields(sample, roles)
    if specific_fields:
        return 0.96 * share, f"role in {len(roles)} of {len(sample.records)} {sample.unit}, {specific_fields}"
    if any(_has_foreign_block(value) for value in roles):
        return 0.2 * share, f"role in {len(roles)} of {len(sample.records)} {sample.unit}"
    return 0.4 * share, f"role in {len(roles)} of {len(sample.records)} {sample.unit}"


def _specific_fields(sample: DetectionSample, roles: list[dict[str, Json]]) -> str:
    if any("input_schema" in fields_of(tool) for tool in list_of(sample.fields.get("tools"))):
        return "tools with input_schema"
    if "system" in sample.fields:
        return "system beside them"
    if roles and all("ts" in value for value in roles):
        return "each with ts"
    return ""


def _has_foreign_block(value: Mapping[str, Json]) -> bool:
    blocks = list_of(value.get("content"))
    return any(isinstance(block, dict) and block.get("type") not in _COMMON_BLOCK_TYPES for block in blocks)


def _has_specific_block(value: Mapping[str, Json]) -> bool:
    return any(map(_is_specific_block, list_of(value.get("content"))))


def _is_specific_block(block: Json) -> bool:
    kind = nested(block, "type")
    if kind in ("image", "document"):
        return isinstance(block.get("source"), dict)
    return isinstance(kind, str) and (kind in _SPECIFIC_BLOCK_TYPES or kind.endswith("_tool_result"))


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. A summary among the messages stays one, flagged
    (core.formats.anthropic.compactions)."""
    notes = ImportNotes()
    conversation = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(conversation.records)
    messages: list[Message] = []
    system_sources: list[list[int]] = []
    texts: list[str] = list(_system_texts(conversation.fields.get("system")))
    for record in conversation.records:
        if not messages and isinstance(record.value, dict) and record.value.get("role") == "system":
            texts.extend(_system_texts(record.value.get("content")))
            system_sources.append([record.line, record.start, record.end])
        else:
            messages.extend(_messages(record, notes))
    usage = fields_of(conversation.fields.get("usage"))
    return Conversation(
        "anthropic_messages",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(texts), tuple(list_of(conversation.fields.get("tools")))),
        recorded=tuple(recorded_compactions(messages)),
        report=notes.report(),
        model=coerce_text(conversation.fields.get("model")),
        reported_context=sum_of(*map(usage.get, INPUT_TOKEN_FIELDS)),
        hour_cache=writes_hour_cache(usage, False),
        number=conversation.number,
        siblings=conversation.siblings,
        listed=conversation.listed,
        layout={**conversation.layout, "system": system_sources},
    )


def _system_texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for block in list_of(value):
        if isinstance(text := nested(block, "text"), str):
            yield text


def _messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    value = record.value
    if not isinstance(value, dict):
        return [unreadable_message(record, notes)]
    role = value.get("role")
    speaker = _ROLES.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    if speaker is Speaker.UNKNOWN:
        problem = (
            f'the role "{role}" is not known' if isinstance(role, str) else "a message has no readable role"
        )
        notes.warn(record.line, f"{problem}; kept as unknown")
    blocks, content_note = read_content(value, notes, record.line)
    speaker_blocks = split_by_speaker(blocks) if speaker is Speaker.HUMAN else ((speaker, blocks),)
    return [
        _message(record, part, part_speaker, part_blocks, content_note)
        for part, (part_speaker, part_blocks) in enumerate(speaker_blocks)
    ]


def _message(
    record: JsonRecord,
    part: int,
    speaker: Speaker,
    blocks: tuple[Block, ...],
    content_note: Mapping[str, Json],
) -> Message:
    value = record.value
    known = {"content"} | ({"role"} if speaker is not Speaker.UNKNOWN else set())
    if isinstance(value.get("id"), str):
        known.add("id")
    flags = opaque_flag(blocks)
    if value.get("isSummary") is True:
        flags |= MessageFlag.RECORDED_SUMMARY
    extra = {**other_fields(value, known), **content_note} or NO_EXTRA
    source = record.source(part)
    id_ = value["id"] if "id" in known else ""
    return Message(speaker, blocks, (source,), flags, id_, iso_timestamp(value.get("ts")), extra)


ANTHROPIC_MESSAGES = Format(
    "anthropic_messages",
    "Anthropic messages",
    "Messages of the Anthropic API: a JSON list or {system, messages, tools}; Roo and Cline histories.",
    score,
    read,
)


_BLOCK = "compaction"
_CONDENSED, _TRUNCATED = "condenseParent", "truncationParent"
_Tag: TypeAlias = tuple[str, str]  # the field that names what removed a message, and the id there


def recorded_compactions(messages: Sequence[Message]) -> Iterator[RecordedCompaction]:
    context = _Context()
    for position, message in enumerate(messages):
        context.remove_tagged(_removing_tags(message))
        kind = _compaction_kind(message)
        if kind and not _is_second_part(message):
            kept = tuple(context.kept) if _is_roo(message) else ()
            is_source_lost = (
                bool(message.flags & MessageFlag.RECORDED_SUMMARY) and "condenseId" not in message.extra
            )
            yield RecordedCompaction(
                kind, position, kept=kept, source=message.sources[0], is_source_lost=is_source_lost
            )
        context.add(position, _removed_by_tags(message))


@dataclass(slots=True)
class _Context:
    """The messages so far that no summary or marker removed, and all of them by their tags."""

    kept: dict[int, None] = field(default_factory=dict)  # in order
    _removal_tags: set[_Tag] = field(default_factory=set)
    _indices_by_tag: dict[_Tag, list[int]] = field(default_factory=dict)

    def remove_tagged(self, tags: Sequence[_Tag]) -> None:
        self._removal_tags.update(tags)
        for tag in tags:
            for index in self._indices_by_tag.pop(tag, ()):
                self.kept.pop(index, None)

    def add(self, index: int, tags: Sequence[_Tag]) -> None:
        if self._removal_tags.isdisjoint(tags):
            self.kept[index] = None
            for tag in tags:
                self._indices_by_tag.setdefault(tag, []).append(index)


def _compaction_kind(message: Message) -> str:
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        return "summary"
    if message.extra.get("isTruncationMarker") is True:
        return "truncate"
    for block in message.blocks:
        if isinstance(block, Text) and block.extra.get("type") == _BLOCK:
            return "summary"
        if isinstance(block, Opaque) and block.kind == _BLOCK:
            # a block with neither text nor encrypted content is a failed compaction
            return "opaque" if fields_of(block.raw).get("encrypted_content") else ""
    return ""


def _is_roo(message: Message) -> bool:
    """Return whether Roo or Kilo wrote it; the API's own block keeps nothing before it."""
    return (
        bool(message.flags & MessageFlag.RECORDED_SUMMARY) or message.extra.get("isTruncationMarker") is True
    )


def _is_second_part(message: Message) -> bool:
    return bool(message.sources) and message.sources[0].part > 0


def _removing_tags(message: Message) -> list[_Tag]:
    """Return the tags of messages that this summary or marker removed."""
    tags = []
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        tags.append((_CONDENSED, string_of(message.extra.get("condenseId"))))
    if message.extra.get("isTruncationMarker") is True:
        tags.append((_TRUNCATED, string_of(message.extra.get("truncationId"))))
    return [tag for tag in tags if tag[1]]


def _removed_by_tags(message: Message) -> list[_Tag]:
    """Return the tags that say what removed this message."""
    return [(name, id_) for name in (_CONDENSED, _TRUNCATED) if (id_ := string_of(message.extra.get(name)))]
