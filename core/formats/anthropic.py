"""Reader and exporter for Anthropic messages: a list or ``{system, messages, tools, model}``; Roo
and Cline too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic_blocks import content_json, read_content, writes_hour_cache
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    iso_timestamp,
    list_of,
    nested,
    other_fields,
    string_of,
    sum_of,
)
from core.formats.common.message_lists import (
    DetectionSample,
    conversation_records,
    detection_sample,
)
from core.formats.common.messages import (
    INPUT_TOKEN_FIELDS,
    ImportNotes,
    link_calls,
    record_messages,
    speaker_of,
    split_by_speaker,
    unreadable_message,
)
from core.formats.writing.api_requests import (
    ApiMessageFormat,
    anthropic_tools,
    api_message_records,
    merged_records,
)
from core.formats.writing.exporter import (
    ANTHROPIC_FAMILY,
    ExportInput,
    ExportLosses,
)
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)

_KEYS = ("messages",)
_ROLES = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SPECIFIC_BLOCK_TYPES = (
    *(
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "compaction",
    ),
    *("mcp_tool_use", "search_result", "container_upload"),
)
_COMMON_BLOCK_TYPES = ("text", "image", "document")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by roles, and by what only this format has: its blocks, ``system``,
    ``input_schema``."""
    sample = detection_sample(file, _KEYS)
    objects = [value for value in sample.records if isinstance(value, dict)]
    has_system = "system" in sample.fields
    if not sample.has_records or not objects:
        return (
            (0.6, "an empty list of messages beside system")
            if has_system
            else (0.0, "")
        )
    # A system role inside the list is no part of the API, so without system beside it is foreign.
    roles = ("user", "assistant", "system") if has_system else ("user", "assistant")
    messages = [
        value
        # Messages of llxprt have blocks and a role, too.
        for value in objects
        if value.get("role") in roles and "blocks" not in value
    ]
    share = sample.share(len(messages))
    reason = f"role in {sample.counted(len(messages))}"
    specific = sum(map(_has_specific_block, messages))
    if specific:
        return (
            0.97 * share,
            (
                f"tool_use, thinking or other blocks of its own in {specific} of "
                f"{len(messages)} {sample.unit}"
            ),
        )
    if sign := _sign_around(sample, messages):
        return 0.96 * share, f"{reason}, {sign}"
    has_foreign_blocks = any(map(_has_foreign_block, messages))
    # Roles alone fit several formats; any other with a sign of its own must win.
    return (0.2 if has_foreign_blocks else 0.4) * share, reason


def _sign_around(
    sample: DetectionSample, messages: Sequence[Mapping[str, Json]]
) -> str:
    """Return what of this format is around plain messages; "" for nothing."""
    if any(
        "input_schema" in fields_of(tool)
        for tool in list_of(sample.fields.get("tools"))
    ):
        return "tools with input_schema"
    if "system" in sample.fields:
        return "system beside them"
    # Roo and Cline write a time into each message.
    if messages and all("ts" in value for value in messages):
        return "each with ts"
    return ""


def _has_specific_block(message: Mapping[str, Json]) -> bool:
    return any(map(_is_specific_block, list_of(message.get("content"))))


def _has_foreign_block(message: Mapping[str, Json]) -> bool:
    blocks = [
        block for block in list_of(message.get("content")) if isinstance(block, dict)
    ]
    return any(block.get("type") not in _COMMON_BLOCK_TYPES for block in blocks)


def _is_specific_block(block: Json) -> bool:
    kind = nested(block, "type")
    if kind in ("image", "document"):
        # OpenAI has parts with these types as well, but no source in them.
        return isinstance(block.get("source"), dict)
    return isinstance(kind, str) and (
        kind in _SPECIFIC_BLOCK_TYPES or kind.endswith("_tool_result")
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. A summary among the messages stays one, flagged."""
    loaded = conversation_records(file, _KEYS, request)
    fields = loaded.fields
    messages: list[Message] = []
    loaded.system_texts += _system_texts(fields.get("system"))
    for record in loaded.records:
        # Only in front: later the system speaks in the middle of a conversation.
        if not messages and nested(record.value, "role") == "system":
            loaded.add_system(record, *_system_texts(record.value.get("content")))
        else:
            messages += _messages(record, loaded.notes)
    if mode := string_of(nested(fields.get("thinking"), "type")):
        loaded.layout["thinking"] = mode
    usage = fields_of(fields.get("usage"))
    linked_messages = link_calls(messages, loaded.notes)
    return replace(
        loaded.conversation(
            "anthropic_messages", linked_messages, list_of(fields.get("tools"))
        ),
        recorded=tuple(_recorded_compactions(messages)),
        model=coerce_text(fields.get("model")),
        reported_context=sum_of(*map(usage.get, INPUT_TOKEN_FIELDS)),
        hour_cache=writes_hour_cache(usage, False),
    )


def _system_texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [
        text
        for block in list_of(value)
        if isinstance(text := nested(block, "text"), str)
    ]


def _messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    value = record.value
    if not isinstance(value, dict):
        return [unreadable_message(record, notes)]
    speaker = speaker_of(value.get("role"), _ROLES, notes, record.line)
    id_ = value.get("id")
    blocks, content_note = read_content(value, notes, record.line)
    known = (
        ["content"]
        + ["role"] * (speaker is not Speaker.UNKNOWN)
        + ["id"] * isinstance(id_, str)
    )
    extra = {**other_fields(value, known), **content_note} or NO_EXTRA
    flags = (
        MessageFlag.RECORDED_SUMMARY
        if value.get("isSummary") is True
        else MessageFlag.NONE
    )
    parts = split_by_speaker(blocks, speaker)
    time = iso_timestamp(value.get("ts"))
    if not any(map(_is_compaction, blocks)):
        return record_messages(
            record.source(), parts, flags, string_of(id_), time, extra
        )
    parts = _with_compaction(speaker, blocks)
    messages = record_messages(
        record.source(), parts, flags, string_of(id_), time, extra
    )
    messages[0] = replace(
        messages[0],
        flags=messages[0].flags | MessageFlag.RECORDED_SUMMARY,
    )
    return messages


def _is_compaction(block: Block) -> bool:
    """Return whether a block is a compaction of the API that can be read."""
    return isinstance(block, Text) and block.extra.get("type") == "compaction"


def _with_compaction(
    speaker: Speaker, blocks: Sequence[Block]
) -> tuple[tuple[Speaker, tuple[Block, ...]], ...]:
    """Return the summary of a compaction, and the answer behind it, as parts of their own."""
    summary = tuple(block for block in blocks if _is_compaction(block))
    rest = tuple(block for block in blocks if not _is_compaction(block))
    if rest:
        return ((speaker, summary), (speaker, rest))
    return ((speaker, summary),)


def _recorded_compactions(messages: Sequence[Message]) -> Iterator[RecordedCompaction]:
    """Find compactions: the API's ``compaction`` block, and those of Roo and Kilo.

    The summary is in the list of messages and stays one of them: it is written back with the file,
    and where the agent deleted the messages that it replaced, it is the oldest part of the session.
    The message at ``boundary`` is that summary or marker; ``kept`` are those before it that stayed
    in the context.

    Roo's marks: ``isSummary`` on the summary; newer versions delete nothing, they tag what a
    summary (``condenseId``) or a sliding window (``truncationId``, ``isTruncationMarker``) removed
    with ``condenseParent`` and ``truncationParent``. A tag whose summary or marker is gone hides
    nothing. Older versions delete, and move the last messages behind the summary; the file does not
    say which of those were before it. The API's own block keeps nothing before it.
    """
    tag_fields = ("condenseParent", "truncationParent")
    tags = [
        {(name, string_of(message.extra.get(name))) for name in tag_fields}
        for message in messages
    ]
    removing: set[tuple[str, str]] = set()
    for boundary, message in enumerate(messages):
        is_summary = bool(message.flags & MessageFlag.RECORDED_SUMMARY)
        is_cut = message.extra.get("isTruncationMarker") is True
        if is_summary and (id_ := string_of(message.extra.get("condenseId"))):
            removing.add(("condenseParent", id_))
        if is_cut and (id_ := string_of(message.extra.get("truncationId"))):
            removing.add(("truncationParent", id_))
        kind = _compaction_kind(message, is_summary=is_summary, is_cut=is_cut)
        # The answer behind a compaction is part of the same record, but no second compaction.
        if not kind or message.sources[0].part:
            continue
        is_api_block = any(map(_is_compaction, message.blocks))
        kept: Sequence[int] = ()
        if (is_summary or is_cut) and not is_api_block:
            kept = [at for at in range(boundary) if removing.isdisjoint(tags[at])]
        # Roo's older versions deleted what they summarised.
        has_deleted = is_summary and "condenseId" not in message.extra
        yield RecordedCompaction(
            kind=kind,
            boundary=boundary,
            kept=tuple(kept),
            source=message.sources[0],
            is_source_lost=has_deleted and not is_api_block,
        )


def _compaction_kind(message: Message, *, is_summary: bool, is_cut: bool) -> str:
    if is_summary:
        return "summary"
    # A sliding window leaves a marker and no summary.
    if is_cut:
        return "truncate"
    return _compaction_block_kind(message)


def _compaction_block_kind(message: Message) -> str:
    for block in message.blocks:
        if isinstance(block, Opaque) and block.kind == "compaction":
            # a block with neither text nor encrypted content is a failed compaction
            return "opaque" if fields_of(block.raw).get("encrypted_content") else ""
    return ""


ANTHROPIC_MESSAGES = Format(
    name="anthropic_messages",
    label="Anthropic messages",
    about=(
        "Messages of the Anthropic API: a JSON list or {system, messages, tools}; Roo and Cline "
        "histories."
    ),
    score=score,
    read=read,
)


NAME = "anthropic_messages"


def _records(export_input: ExportInput, losses: ExportLosses) -> Sequence[Json]:
    records = merged_records(export_input, _API_FORMAT, losses)
    if export_input.is_from_format(NAME):
        return _with_times(export_input, records)
    return records


def _request(
    export_input: ExportInput, records: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    """Return a request. It always has ``system``, so that it is not mistaken for another API's."""
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    texts = [{"type": "text", "text": text} for text in system.texts]
    # Probably most clients send a single system text as a text.
    value["system"] = system.texts[0] if len(texts) == 1 else texts
    if system.tools:
        value["tools"] = anthropic_tools(system.tools, losses)
    return {**value, "messages": list(records)}


def _content(
    message: Message, same_family: bool, losses: ExportLosses
) -> Sequence[Json]:
    blocks = [block for block in message.blocks if _is_taken(block, losses)]
    content = content_json(blocks, same_family=same_family, losses=losses)
    # The API refuses results from the assistant.
    if message.speaker is Speaker.AI and any(
        isinstance(block, ToolResponse) for block in message.blocks
    ):
        losses.count_changed("tool result of the assistant")
    return content


def _is_taken(block: Block, losses: ExportLosses) -> bool:
    """Return False for what the API refuses, though sessions of its family hold it."""
    if isinstance(block, Text):
        # The API refuses a text block without words.
        return bool(block.text.strip())
    # The API refuses thinking without the signature that it gave.
    if not isinstance(block, Thinking) or block.extra.get("signature"):
        return True
    losses.count_left_out("thinking without a signature")
    return False


def _with_times(export_input: ExportInput, records: Sequence[Json]) -> Sequence[Json]:
    """If the source's messages carry a time (``ts``), give new ones that of the message before."""
    times = [
        message.extra["ts"]
        for message in export_input.conversation.messages
        if "ts" in message.extra
    ]
    # A file in which most messages lack a time has no use for more of them.
    if len(times) * 2 <= len(export_input.conversation.messages):
        return records
    records_with_times: list[Json] = []
    last_time: Json = times[0]
    for record in records:
        if isinstance(record, dict):
            last_time = record.get("ts", last_time)
            record = {**record, "ts": last_time}
        records_with_times.append(record)
    return records_with_times


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    content."""
    return api_message_records(message, _API_FORMAT, same_family)


_API_FORMAT = ApiMessageFormat(
    name=NAME,
    family=ANTHROPIC_FAMILY,
    key="content",
    model="assistant",
    content=_content,
    is_result=lambda part: nested(part, "type") == "tool_result",
    text_part=lambda text: {"type": "text", "text": text},
)

EXPORTER = json_exporter(
    (NAME, "anthropic"),
    "Anthropic messages",
    "Anthropic",
    "A request for Anthropic's messages API: system, tools and messages.",
    records=_records,
    request=_request,
)
