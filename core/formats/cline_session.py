"""Reader for sessions of the Cline SDK: ``{version, agent, sessionId, messages, system_prompt}``.

``<id>.messages.json`` is the whole session. ``<id>.compaction.json`` beside it has the same shape
and holds the context after a compaction: kept messages, and either one summary of the model before
them (``metadata.kind`` ``compaction_summary``) or, from the strategy without a model
(``compaction``), ``<SYSTEM_NOTICE>`` blocks beside the user's prompts. Both texts are recorded
summaries, not messages of the session. The compaction follows the messages that it kept.
``usageBefore`` sums the requests of the removed messages; it is not the size of a context and is
ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    fields_of,
    iso_timestamp,
    nested,
    number_of,
    other_fields,
    request_tokens,
    string_of,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.messages import (
    ImportNotes,
    link_calls,
    record_messages,
    speaker_of,
    split_by_speaker,
    unreadable_message,
)
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
)

_KEYS = ("messages",)
_SESSION_FIELDS = ("sessionId", "agent", "system_prompt", "updated_at")
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_CWD = re.compile(r"^[ \d.]*Working Directory: (.+?)\s*$", re.MULTILINE)
_FILE_TEMPLATE = '<file_content path="{}">\n{}\n</file_content>'
_SUMMARY, _NOTICE_COMPACTION = "compaction_summary", "compaction"
_NOTICE, _NOTICE_WORDS = "<SYSTEM_NOTICE>", "context was compacted"


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the fields beside the messages and by their roles."""
    sample = detection_sample(file, _KEYS)
    found_fields = [name for name in _SESSION_FIELDS if name in sample.fields]
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


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session or the result of its compaction; InputError for a file without messages."""
    loaded = conversation_records(file, _KEYS, request)
    parts = [part for record in loaded.records for part in _parts(record, loaded.notes)]
    messages, recorded = _split_compactions(parts, loaded.notes)
    prompt = string_of(loaded.fields.get("system_prompt"))
    loaded.system_texts += [prompt] if prompt else []
    cwd, values = (
        _CWD.search(prompt),
        [fields_of(record.value) for record in reversed(loaded.records)],
    )
    models = (string_of(nested(value, "modelInfo", "id")) for value in values)
    names = ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
    sizes = (
        request_tokens(*(nested(value, "metrics", name) for name in names))
        for value in values
    )
    return replace(
        loaded.conversation("cline_session", link_calls(messages, loaded.notes)),
        recorded=recorded,
        model=next(filter(None, models), ""),
        cwd=cwd[1] if cwd else "",
        session_id=string_of(loaded.fields.get("sessionId")),
        reported_context=next(filter(None, sizes), None),
    )


def _parts(record: JsonRecord, notes: ImportNotes) -> list[_Part]:
    value = record.value
    if not isinstance(value, dict):
        return [_Part(unreadable_message(record, notes), {})]
    speaker = speaker_of(value.get("role"), _SPEAKERS, notes, record.line)
    read_blocks, content = read_content(value, notes, record.line)
    blocks = tuple(map(_file_as_text, read_blocks))
    known = {"content"} | {
        name for name in ("id", "role") if isinstance(value.get(name), str)
    }
    extra = {**other_fields(value, known), **content} or NO_EXTRA
    is_summary = nested(value, "metadata", "kind") == _SUMMARY
    notices = (
        () if is_summary else tuple(block for block in blocks if _is_notice(block))
    )
    others = tuple(block for block in blocks if block not in notices)
    parts = [] if notices and not others else [*split_by_speaker(others, speaker)]
    if notices:
        parts.append((speaker, notices))
    id_, time = string_of(value.get("id")), iso_timestamp(value.get("ts"))
    messages = record_messages(record.source(), parts, id=id_, time=time, extra=extra)
    if is_summary or notices:
        last = messages[-1]
        flags, own_extra = (
            last.flags | MessageFlag.RECORDED_SUMMARY,
            extra if is_summary else NO_EXTRA,
        )
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
    path, content = value.get("path"), value.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return block
    extra = {**other_fields(value, ("type", "content")), "$field": "file"}
    return Text(_FILE_TEMPLATE.format(path, content), extra)


def _split_compactions(
    parts: Sequence[_Part], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    messages = [part.message for part in parts if not part.is_summary]
    marked = next((part for part in parts if part.is_marked), None)
    if marked is None and not any(part.is_summary for part in parts):
        return messages, ()
    metadata = marked.metadata if marked else {}
    context_after: list[int | Message] = []
    count = 0
    for part in parts[: _compaction_end(parts, number_of(metadata.get("generatedAt")))]:
        context_after.append(part.message if part.is_summary else count)
        count += not part.is_summary
    if removed := number_of(metadata.get("messagesRemoved")):
        notes.warn(
            0,
            f"messages that the compaction removed and this file does not have: {removed:,}",
        )
    reason = string_of(metadata.get("reason"))
    recorded = RecordedCompaction(
        kind="summary",
        boundary=count,
        trigger=next((word for word in ("manual", "auto") if word in reason), reason),
        tokens_before=number_of(metadata.get("tokensBefore")),
        summary=tuple(part.message for part in parts if part.is_summary),
        source=marked.message.sources[0] if marked else None,
        context_after=tuple(context_after),
        is_source_lost=True,
    )
    return messages, (recorded,)


def _compaction_end(parts: Sequence[_Part], generated_at: int | None) -> int:
    """Return how many parts the compaction wrote: those up to its time, else up to the last that it
    kept."""
    for index, part in enumerate(parts if generated_at is not None else ()):
        if (number_of(part.record.get("ts")) or 0) > (generated_at or 0):
            return index
    written = [
        index
        for index, part in enumerate(parts, 1)
        if part.is_summary
        or part.metadata.get("compaction") == "preserved"
        or part.metadata.get("kind") == _NOTICE_COMPACTION
    ]
    if generated_at is not None:
        return len(parts)
    return max(written, default=len(parts))


CLINE_SESSION = Format(
    name="cline_session",
    label="Cline",
    about=(
        "Sessions of the Cline SDK (messages.json), and what a compaction left of one "
        "(compaction.json)."
    ),
    score=score,
    read=read,
)
