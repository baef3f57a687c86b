"""Writes Pi sessions: surviving entries unchanged but linked again, and new entries for new
messages.

A compaction at the end is recorded as Pi does: it keeps the entries from a first kept one on, after
the summary. So it can keep the end of a session only.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.json_value import MISSING, Json
from core.common.number_format import plural, to_milliseconds
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    string_of,
)
from core.formats.common.message_lists import source_records
from core.formats.common.messages import ImportNotes
from core.formats.pi import (
    HEADER_TYPE,
    PiNode,
    branch_ends,
    build_tree,
    is_message,
    path_to,
)
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
    export_messages,
    export_messages_beginning_with_user,
    results_after_calls,
)
from core.formats.writing.plain_text import (
    as_text,
    code_as_text,
    count_error_losses,
    dump_json,
    dump_lines,
    fields_without_notes,
    object_arguments,
    opaque_json,
    provider_of_model,
    split_data_url,
)
from core.formats.writing.raw_json import (
    deterministic_uuid,
    json_file,
    source_shape,
    transcript_exporter,
)
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    append_records,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    summary_text,
    valid_usage_starts,
    without_usage,
)
from core.transcript.compaction import Compaction
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_parts

NO_TIME = "1970-01-01T00:00:00.000Z"
_SIGNATURES = ("thinkingSignature", "signature", "thoughtSignature")
_APIS = {
    "anthropic": "anthropic-messages",
    "google": "google-generative-ai",
    "openai": "openai-completions",
}
"""The API that Pi uses for the models of a provider."""


@dataclass(frozen=True, slots=True)
class PiEntryInput:
    """Values for new entries: model, and time of the entry before."""

    api: str
    provider: str
    model: str
    time: str = NO_TIME


def new_entry_input(model: str) -> PiEntryInput:
    provider = provider_of_model(model)
    return PiEntryInput(_APIS[provider], provider, model)


def new_messages(
    message: Message, inputs: PiEntryInput, losses: ExportLosses
) -> Iterator[dict[str, Json]]:
    """Yield Pi's messages for a message: one for each response, one for the rest."""
    time = to_milliseconds(message.timestamp or inputs.time)
    responses = [block for block in message.blocks if isinstance(block, ToolResponse)]
    others = [block for block in message.blocks if not isinstance(block, ToolResponse)]
    is_empty = not responses
    if message.speaker is Speaker.AI:
        if content := pi_content(others, same_format=False, losses=losses):
            yield _assistant(content, inputs, time)
            is_empty = False
        others = []
    if responses:
        images = [block for block in others if isinstance(block, Media)]
        others = [block for block in others if not isinstance(block, Media)]
        yield from _results(responses, images, time, losses)
    if message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
        losses.count_changed(f"{message.speaker.value} message as user")
    if content := pi_content(others, same_format=False, losses=losses):
        yield _user_or_summary(message, content, time)
    elif is_empty:
        losses.count_left_out("message without content")


def _results(
    responses: Sequence[ToolResponse],
    images: Sequence[Block],
    time: int | None,
    losses: ExportLosses,
) -> Iterator[dict[str, Json]]:
    """Yield a message for each response; the last one has the images beside them."""
    for number, response in enumerate(responses, 1):
        shown = images if number == len(responses) else []
        content = result_content(response, shown, same_format=False, losses=losses)
        yield {
            "role": "toolResult",
            "toolCallId": response.call_id,
            "toolName": response.name,
            "content": content,
            "isError": response.error is not MISSING,
            "timestamp": time,
        }


def _user_or_summary(
    message: Message, content: list[Json], time: int | None
) -> dict[str, Json]:
    if message.flags & MessageFlag.RECORDED_SUMMARY:
        summary = as_text(content)
        return {
            "role": "compactionSummary",
            "summary": summary,
            # Probably Pi requires the number, and nothing is known of the size before.
            "tokensBefore": 0,
            "timestamp": time,
        }
    return {"role": "user", "content": content, "timestamp": time}


def _assistant(
    content: list[Json], inputs: PiEntryInput, time: int | None
) -> dict[str, Json]:
    has_calls = any(
        isinstance(part, dict) and part.get("type") == "toolCall" for part in content
    )
    # Probably Pi adds these numbers up without asking whether they are there.
    no_cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    return {
        "role": "assistant",
        "content": content,
        "api": inputs.api,
        "provider": inputs.provider,
        "model": inputs.model,
        "usage": {**no_cost, "totalTokens": 0, "cost": {**no_cost, "total": 0}},
        "stopReason": "toolUse" if has_calls else "stop",
        "timestamp": time,
    }


def pi_content(
    blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses
) -> list[Json]:
    """Return the content of a message; ``same_format``: its blocks came from a Pi message."""
    parts = (
        _block(block, same_format, losses) for block in code_as_text(blocks, losses)
    )
    return [part for part in parts if part is not None]


def result_content(
    response: ToolResponse,
    other_blocks: Iterable[Block],
    *,
    same_format: bool,
    losses: ExportLosses,
) -> list[Json]:
    others = pi_content(other_blocks, same_format=same_format, losses=losses)
    if same_format and isinstance(response.result, list):
        return [*response.result, *others]
    if not same_format:
        count_error_losses(response, losses, counts_mark=False)
    parts = answer_parts(response)
    texts = [part.text for part in parts if isinstance(part, Text)]
    media = pi_content(
        [part for part in parts if isinstance(part, Media)],
        same_format=False,
        losses=losses,
    )
    text: list[Json] = (
        [{"type": "text", "text": "\n".join(texts)}] if texts or not media else []
    )
    return [*text, *media, *others]


def _block(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    value: dict[str, Json]
    match block:
        case Text():
            # The APIs that Pi sends it to refuse an empty text.
            if not same_format and not block.text.strip():
                return None
            value = {"type": "text", "text": block.text}
        case Thinking():
            return _thinking(block, same_format)
        case ToolCall():
            value = _call(block, same_format, losses)
        case Media():
            mime, data = split_data_url(block.mime, block.data)
            if not same_format and not _has_place(mime, data):
                return _line_instead(block, mime, losses)
            value = {"type": "image", "data": data, "mimeType": mime or "image/png"}
        case _:
            assert isinstance(block, Opaque), "code became text"
            return opaque_json(block, same_format, losses)
    if same_format:
        return {**value, **fields_without_notes(block.extra)}
    return value


def _call(block: ToolCall, same_format: bool, losses: ExportLosses) -> dict[str, Json]:
    arguments = {} if block.arguments in (None, MISSING) else block.arguments
    # A file of Pi's own is written back as it was, whatever its arguments are.
    if arguments and not same_format:
        arguments = object_arguments(block, losses)
    return {
        "type": "toolCall",
        "id": block.id,
        "name": block.name,
        "arguments": arguments,
    }


def _has_place(mime: str, data: str) -> bool:
    """Return whether Pi has a block for media: for images only, and only with their data."""
    is_image = mime.startswith("image/") or not mime
    return is_image and not data.startswith("http")


def _line_instead(block: Media, mime: str, losses: ExportLosses) -> Json:
    losses.count_left_out(f"{mime} data" if mime else "linked image")
    caption = f": {block.caption}" if block.caption else ""
    return {"type": "text", "text": f"[{mime or 'image'}{caption}]"}


def _thinking(block: Thinking, same_format: bool) -> Json:
    """Return thinking with Pi's one name for the signatures of all APIs."""
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    signature = next(
        (block.extra[name] for name in _SIGNATURES if block.extra.get(name)), None
    )
    if signature is not None:
        value["thinkingSignature"] = signature
    others = {
        key: item
        for key, item in fields_without_notes(block.extra).items()
        if key not in _SIGNATURES
    }
    if same_format:
        return {**value, **others}
    return value


def unused_id(value: Json, ids: Collection[Json], number: int = 0) -> str:
    """Return eight reproducible hexadecimal digits that no entry has; ``number`` is the first to
    try."""
    while (id_ := hashlib.sha256(dump_json([number, value])).hexdigest()[:8]) in ids:
        number += 1
    return id_


NAME = "pi_agent"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:pi_agent")
# From the third version on entries have ids and parents.
_VERSION = 3
_TimedMessage: TypeAlias = tuple[str, dict[str, Json]]


@dataclass(slots=True)
class _PiOutput:
    """The lines written so far. ``is_tree``: entries have ids and parents; ``ids`` are those in
    use."""

    inputs: PiEntryInput
    losses: ExportLosses
    is_tree: bool = True
    ids: set[str] = field(default_factory=set)
    lines: list[Json] = field(default_factory=list)

    def add_entry(self, value: Mapping[str, Json]) -> None:
        """Write an entry; in a tree it has an id."""
        id_ = value.get("id")
        if self.is_tree and (not isinstance(id_, str) or not id_):
            id_ = unused_id(value, self.ids, len(self.lines))
            self.ids.add(id_)
            value = {**value, "id": id_}
        self.lines.append(value)

    def chained_lines(self) -> list[Json]:
        """Return the entries without labels of others that are gone; in a tree the entry before is
        the parent."""
        ids = {coerce_text(line.get("id")) for line in self.lines}
        lines = [
            line
            for line in self.lines
            if line.get("type") != "label" or coerce_text(line.get("targetId")) in ids
        ]
        if not self.is_tree:
            return lines
        parents = [None, *(line["id"] for line in lines)]
        chained: list[Json] = []
        for line, parent in zip(lines, parents, strict=False):
            kind = {"type": line.get("type"), "id": line["id"], "parentId": parent}
            chained.append(
                {**kind, **{key: item for key, item in line.items() if key not in kind}}
            )
        return chained


def _edited_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    shape = source_shape(export_input, NAME)
    lines = _surviving_lines(export_input, losses)
    if shape is OutputShape.JSON:
        return json_file(lines)
    return ExporterOutput(dump_lines(lines), shape)


def _new_session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    out = _PiOutput(new_entry_input(conversation.model), losses)
    messages: list[_TimedMessage] = []
    for piece in export_messages_beginning_with_user(export_input, losses):
        time = piece.message.timestamp or out.inputs.time
        out.inputs = replace(out.inputs, time=time)
        messages += [
            (time, message)
            for message in new_messages(piece.message, out.inputs, losses)
        ]
    for time, message in results_after_calls(messages, _speaker, _call_ids):
        out.add_entry({"type": "message", "timestamp": time, "message": message})
    header = {
        "type": HEADER_TYPE,
        "version": _VERSION,
        "id": conversation.session_id
        or str(deterministic_uuid(_NAMESPACE, conversation.document.name)),
        "timestamp": messages[0][0] if messages else NO_TIME,
        "cwd": conversation.cwd,
    }
    return ExporterOutput(dump_lines((header, *out.chained_lines())), OutputShape.LINES)


def _speaker(timed: _TimedMessage) -> Speaker:
    return {"assistant": Speaker.AI, "toolResult": Speaker.TOOL}.get(
        timed[1]["role"], Speaker.HUMAN
    )


def _call_ids(timed: _TimedMessage) -> Collection[str]:
    _, message = timed
    if message["role"] == "toolResult":
        return (message["toolCallId"],)
    return [
        part["id"]
        for part in list_of(message.get("content"))
        if part.get("type") == "toolCall"
    ]


def _read_objects(conversation: Conversation) -> list[JsonRecord]:
    return [
        record
        for record in source_records(conversation)
        if isinstance(record.value, dict)
    ]


def _branch_path(
    conversation: Conversation, records: Sequence[JsonRecord]
) -> list[PiNode]:
    leaves = branch_ends(build_tree(records, ImportNotes()))
    if leaves:
        return path_to(leaves[conversation.branch - 1])
    return []


def _value_of(node: PiNode, reported: Collection[int]) -> Json:
    """Return an entry, without its token counts where these no longer hold."""
    record = node.record
    return (
        record.value if record.start in reported else without_usage(record.value, NAME)
    )


def _surviving_lines(export_input: ExportInput, losses: ExportLosses) -> list[Json]:
    records = _read_objects(export_input.conversation)
    path = _branch_path(export_input.conversation, records)
    path_indices = {node.record.start: index for index, node in enumerate(path)}
    is_tree = not path or any("parentId" in node.record.value for node in path)
    out = _PiOutput(
        _entry_input(path, export_input.conversation.model), losses, is_tree
    )
    out.ids = {str(node.record.value.get("id")) for node in path}
    next_position = 0
    reported = valid_usage_starts(export_input)
    for piece in export_messages_beginning_with_user(export_input, losses):
        boundary = path_indices.get(piece.record[0], -1) if piece.record else -1
        if boundary >= next_position:
            _add_settings(out, path[next_position:boundary])
            next_position = boundary + 1
        value = _value_of(path[boundary], reported) if boundary >= 0 else None
        _add_message(out, piece, value)
    _add_settings(out, path[next_position:])
    headers = [
        record.value for record in records if record.value.get("type") == HEADER_TYPE
    ]
    return [*headers[:1], *out.chained_lines()]


def _entry_input(path: Sequence[PiNode], model: str) -> PiEntryInput:
    for node in reversed(path):
        message = fields_of(node.record.value.get("message"))
        if message.get("role") == "assistant":
            names = ("api", "provider", "model")
            return PiEntryInput(*(string_of(message.get(name)) for name in names))
    return new_entry_input(model)


def _add_settings(out: _PiOutput, nodes: Iterable[PiNode]) -> None:
    """Add settings, names and labels; compactions are left out, as their messages may be gone."""
    for node in nodes:
        value = node.record.value
        if value.get("type") != "compaction" and not is_message(value):
            out.add_entry(value)


def _add_message(
    out: _PiOutput, piece: ExportMessage, value: Mapping[str, Json] | None
) -> None:
    if value is not None and is_message(value):
        out.inputs = replace(
            out.inputs, time=string_of(value.get("timestamp")) or out.inputs.time
        )
        entry = (
            value
            if piece.is_unchanged
            else _edited_entry(value, piece.message, out.losses)
        )
        if entry is not None:
            out.add_entry(entry)
            return
    for message in new_messages(piece.message, out.inputs, out.losses):
        time = piece.message.timestamp or out.inputs.time
        out.add_entry({"type": "message", "timestamp": time, "message": message})


def _edited_entry(
    value: Mapping[str, Json], message: Message, losses: ExportLosses
) -> Mapping[str, Json] | None:
    has_inner = value.get("type") == "message"
    if has_inner:
        inner = fields_of(value.get("message"))
        role = inner.get("role")
    else:
        inner = value
        role = value.get("type")
    if role == "toolResult":
        return {**value, "message": _edited_result(inner, message, losses)}
    if role not in ("user", "assistant", "custom", "hookMessage", "custom_message"):
        return None
    content: Json = pi_content(message.blocks, same_format=True, losses=losses)
    if len(message.blocks) == 1:
        single_block = message.blocks[0]
    else:
        single_block = None
    if isinstance(inner.get("content"), str) and isinstance(single_block, Text):
        content = single_block.text
    edited = {**inner, "content": content}
    if has_inner:
        return {**value, "message": edited}
    return edited


def _edited_result(
    inner: Mapping[str, Json], message: Message, losses: ExportLosses
) -> dict[str, Json]:
    """Return an edited result; ``details`` is dropped, because it holds the removed content."""
    response = next(
        (block for block in message.blocks if isinstance(block, ToolResponse)), None
    )
    others = [block for block in message.blocks if block is not response]
    if response is None:
        content = pi_content(others, same_format=True, losses=losses)
    else:
        inner = {**inner, "toolCallId": response.call_id}
        content = result_content(response, others, same_format=True, losses=losses)
    return {
        **{key: item for key, item in inner.items() if key != "details"},
        "content": content,
    }


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Write the source byte for byte, then the compaction; InputError for another format."""
    if (
        not export_input.is_from_format(NAME)
        or export_input.conversation.layout.get("container") == "array"
    ):
        raise cannot_append_error(export_input, "a Pi session of lines")
    return append_records(export_input, "compaction", _compaction_records)


def _compaction_records(
    export_input: ExportInput, compaction: Compaction
) -> tuple[Sequence[Json], Sequence[str]]:
    """Return the entry: in a tree with id and parent, in the first version with the number of an
    entry. If nothing stays it names itself."""
    records = _read_objects(export_input.conversation)
    path = _branch_path(export_input.conversation, records)
    tail = _kept_tail(path, kept_record_starts(export_input))
    times = (string_of(node.record.value.get("timestamp")) for node in reversed(path))
    fields: dict[str, Json] = {
        "timestamp": next(filter(None, times), NO_TIME),
        "summary": summary_text(compaction) or NO_SUMMARY,
        "tokensBefore": export_input.tokens_before or 0,
    }
    if path:
        last_id = string_of(path[-1].record.value.get("id"))
    else:
        last_id = ""
    if last_id:
        id_ = unused_id(fields, [record.value.get("id") for record in records])
        # Pi keeps from the named entry on; its own name keeps nothing before it.
        if tail:
            first_kept = tail[0].record.value.get("id")
        else:
            first_kept = id_
        links = {"id": id_, "parentId": last_id}
        entry = {
            "type": "compaction",
            **links,
            **fields,
            "firstKeptEntryId": first_kept,
        }
    else:
        if tail:
            number = tail[0].number
        else:
            number = len(records)
        entry = {"type": "compaction", **fields, "firstKeptEntryIndex": number}
    return (entry,), (
        *boundary_warnings(export_input),
        *_drop_warnings(export_input, tail),
    )


def _kept_tail(path: Sequence[PiNode], kept: frozenset[int]) -> list[PiNode]:
    tail: list[PiNode] = []
    for node in reversed(path):
        if is_message(node.record.value):
            if node.record.start not in kept:
                break
            tail.append(node)
    return tail[::-1]


def _drop_warnings(
    export_input: ExportInput, tail: Sequence[PiNode]
) -> tuple[str, ...]:
    in_tail = {node.record.start for node in tail}
    origins = [
        piece.origin
        for piece in export_messages(export_input)
        if piece.origin is not None
    ]
    count = sum(
        all(source.start not in in_tail for source in message.sources)
        for message in origins
    )
    if not count:
        return ()
    kept = plural(count, "kept message is", "kept messages are")
    return (
        f"{kept} before others; Pi keeps only the end of a session, so it will drop them.",
    )


EXPORTER = transcript_exporter(
    (NAME, "pi"),
    "Pi",
    ".jsonl",
    (
        "A session of Pi: the surviving entries as they were, chained anew, with entries for "
        "what is new."
    ),
    new=_new_session,
    edited=_edited_session,
    append=_with_boundary,
    carries_sizes=True,
)
