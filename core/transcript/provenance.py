"""Provenance in an export: the source of each result message, so that it can be restored later.
Every message holds under ``foldline`` its places in the source, the source messages as llxprt
entries if it differs from them, and those removed before it. Restoring needs no other file
(LH-71)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import (
    REASONING_TOKENS,
    Block,
    CarriedSizes,
    Code,
    Conversation,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    with_blocks,
)
from core.transcript.pins import restore_messages
from core.transcript.tool_pairs import find_pairs

_SPEAKERS = {speaker.value: speaker for speaker in Speaker}


def message_from_entry(entry: Mapping[str, Json]) -> Message:
    """Convert an IContent entry; an unknown speaker keeps its name in ``extra``."""
    name = entry.get("speaker")
    if isinstance(name, str):
        speaker = _SPEAKERS.get(name, Speaker.UNKNOWN)
    else:
        speaker = Speaker.UNKNOWN
    blocks = entry.get("blocks", MISSING)
    if speaker is Speaker.UNKNOWN:
        known = []
    else:
        known = ["speaker"]
    extra = _fields_except(
        entry, (*known, "blocks") if isinstance(blocks, list) else known
    )
    if speaker is Speaker.UNKNOWN:
        extra.setdefault("speaker", MISSING)
    if blocks is MISSING:
        extra["blocks"] = MISSING
    if isinstance(blocks, list):
        found = tuple(map(block_from_entry, blocks))
    else:
        found = ()
    return Message(speaker=speaker, blocks=found, extra=extra)


def message_entry(message: Message) -> dict[str, Json]:
    fields = {
        "speaker": message.speaker.value,
        "blocks": [block_entry(block) for block in message.blocks],
    }
    return _present({**fields, **message.extra})


def _fields_except(entry: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    return {key: value for key, value in entry.items() if key not in known}


def _text(extra: dict[str, Json], key: str) -> str:
    """Remove and return a text field of ``extra``; another type stays, an absent field is marked
    there."""
    if not isinstance(extra.setdefault(key, MISSING), str):
        return ""
    return str(extra.pop(key))


def _optional_text(extra: dict[str, Json], key: str) -> str:
    """Remove and return an optional text field of ``extra`` if it is not empty."""
    value = extra.get(key)
    if isinstance(value, str) and value:
        return str(extra.pop(key))
    return ""


def _id(extra: dict[str, Json], key: str) -> str:
    """Remove and return an id of ``extra``; one that is not a text stays there and is paired by its
    JSON."""
    value = extra.get(key)
    if key not in extra or value is None or isinstance(value, str):
        return _text(extra, key)
    return json.dumps(value, ensure_ascii=False)


def block_from_entry(entry: Json) -> Block:
    """Convert an IContent block; an unknown type or shape becomes opaque."""
    if not isinstance(entry, dict):
        return Opaque("not an object", entry)
    extra = _fields_except(entry, ("type",))
    match entry.get("type"):
        case "text":
            return Text(_text(extra, "text"), extra)
        case "tool_call":
            id_ = _id(extra, "id")
            name = _text(extra, "name")
            return ToolCall(id_, name, extra.pop("parameters", MISSING), extra)
        case "tool_response":
            id_ = _id(extra, "callId")
            name = _text(extra, "toolName")
            return ToolResponse(
                id_,
                name,
                extra.pop("result", MISSING),
                extra.pop("error", MISSING),
                extra,
            )
        case "thinking":
            return Thinking(_text(extra, "thought"), extra)
        case "media":
            mime = _text(extra, "mimeType")
            data = _text(extra, "data")
            return Media(mime, data, _optional_text(extra, "caption"), extra)
        case "code":
            return Code(_text(extra, "code"), _optional_text(extra, "language"), extra)
        case kind:
            return Opaque(str(kind), entry)


def block_entry(block: Block) -> Json:
    """Convert a block to IContent; missing fields stay missing."""
    fields: dict[str, Json]
    match block:
        case Text():
            fields = {"type": "text", "text": block.text}
        case ToolCall():
            fields = {
                "type": "tool_call",
                "id": block.id,
                "name": block.name,
                "parameters": block.arguments,
            }
        case ToolResponse():
            fields = {
                "type": "tool_response",
                "callId": block.call_id,
                "toolName": block.name,
            }
            fields |= {"result": block.result, "error": block.error}
        case Thinking():
            fields = {"type": "thinking", "thought": block.text}
        case Media():
            fields = {"type": "media", "mimeType": block.mime, "data": block.data}
            fields |= {"caption": block.caption} if block.caption else {}
        case Code():
            fields = {"type": "code", "code": block.code}
            fields |= {"language": block.language} if block.language else {}
        case Opaque():
            return block.raw
    return _present({**fields, **block.extra})


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in fields.items() if value is not MISSING}


FIELD = (
    "foldline"  # key of a message's provenance, in its record and in ``Message.extra``
)
_RULE = "exported"
_FATES = tuple(kind.value for kind in FateKind)


def with_provenance(run: Compaction, source: Sequence[Message]) -> Compaction:
    """Return the run with the provenance of each message in its ``extra``."""
    removed = _removed_by_result_index(run)
    messages = []
    for result_index, message in enumerate(run.messages):
        origins = run.origins[result_index]
        note: dict[str, Json] = {"sources": list(origins)}
        if result_index in run.inserted:
            note["inserted"] = True
        is_changed = any(
            run.fates[index].kind is not FateKind.KEPT for index in origins
        )
        if result_index in run.inserted or is_changed:
            note["originals"] = _originals_of(run, source, origins)
        if result_index in removed:
            note["removed"] = _originals_of(run, source, removed[result_index])
        messages.append(replace(message, extra={**message.extra, FIELD: note}))
    behind = removed.get(len(run.messages))
    if messages and behind is not None:
        last = messages[-1].extra[FIELD]
        last["removed_after"] = _originals_of(run, source, behind)
    return replace(run, messages=tuple(messages))


def _originals_of(
    run: Compaction, source: Sequence[Message], indices: Iterable[int]
) -> list[Json]:
    return [_original(run, source, index) for index in indices]


def _removed_by_result_index(run: Compaction) -> dict[int, list[int]]:
    """Return the removed source messages, by the index of the result message that they preceded."""
    result_indices = {
        source: result_index
        for result_index, sources in enumerate(run.origins)
        for source in sources
    }
    found: dict[int, list[int]] = {}
    result_index = len(run.messages)
    for index in range(len(run.fates) - 1, -1, -1):
        if index in result_indices:
            result_index = result_indices[index]
        else:
            found.setdefault(result_index, []).insert(0, index)
    return found


def _original(
    run: Compaction, source: Sequence[Message], index: int
) -> dict[str, Json]:
    step = run.fates[index].last
    return {
        "index": index,
        "fate": step.kind.value,
        "rule": step.rule,
        "entry": message_entry(source[index]),
    }


@dataclass(frozen=True, slots=True)
class MessageProvenance:
    """Fates of messages of the former source, by their indices: of those that a message replaces,
    and of those ``removed`` before and after it."""

    fates: Mapping[int, FateKind]
    removed: Mapping[int, FateKind]


def message_provenance(message: Message) -> MessageProvenance | None:
    note = _note(message)
    if note is None:
        return None
    removed = (*_originals(note.get("removed")), *_originals(note.get("removed_after")))
    return MessageProvenance(
        {index: step.kind for index, (_, step) in _originals(note.get("originals"))},
        {index: step.kind for index, (_, step) in removed},
    )


def restorable_indices(conversation: Conversation) -> tuple[int, ...]:
    """Return the indices in the former source that can be restored; raises as ``expand_messages``
    does."""
    return tuple(sorted(_provenance_data(conversation).originals))


def expand_messages(
    conversation: Conversation, indices: Iterable[int] | None
) -> tuple[Message, ...]:
    """Return the messages of an export with source messages restored, by their indices; None: all.
    Places of kept or missing messages have no effect. Raises InputError if there is no
    provenance."""
    data = _provenance_data(conversation)
    raw = data.source(conversation.messages)
    run = data.run(conversation.messages, len(raw))
    wanted = data.originals.keys() if indices is None else indices
    restored = restore_messages(run, raw, find_pairs(raw), wanted)
    notes = {
        exported_message.sources: _note(exported_message)
        for exported_message in conversation.messages
    }
    return tuple(
        # with its source, an export would copy the old record and hold the restored messages twice
        message
        if notes.get(message.sources) == _note(message)
        else replace(message, sources=())
        for message in with_provenance(restored, raw).messages
    )


@dataclass(frozen=True, slots=True)
class _ProvenanceData:
    """The provenance of all messages: origins by index, inserted indices, originals by index."""

    origins: tuple[tuple[int, ...], ...]
    inserted: frozenset[int]
    originals: Mapping[int, tuple[Message, FateStep]]

    def source(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the former source; kept messages are taken from ``messages``."""
        kept = {
            index: messages[result_index]
            for result_index, sources in enumerate(self.origins)
            for index in sources
        }
        known = {
            **kept,
            **{index: message for index, (message, _) in self.originals.items()},
        }
        return tuple(
            _without_provenance(known[index])
            for index in range(max(known, default=-1) + 1)
        )

    def run(self, messages: Sequence[Message], count: int) -> Compaction:
        kept = Fate((FateStep(_RULE, FateKind.KEPT, "Kept."),))
        steps = {index: Fate((step,)) for index, (_, step) in self.originals.items()}
        fates = tuple(steps.get(index, kept) for index in range(count))
        metadata = CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(messages),
            strategy_used=_RULE,
            llm_call_made=False,
        )
        plain = tuple(map(_without_provenance, messages))
        return Compaction(
            messages=plain,
            origins=self.origins,
            fates=fates,
            metadata=metadata,
            inserted=self.inserted,
        )


def _provenance_data(conversation: Conversation) -> _ProvenanceData:
    name = conversation.document.name
    notes = list(map(_note, conversation.messages))
    if all(note is None for note in notes):
        raise InputError(
            f"{name} has no provenance, so that nothing can be put back.",
            "Export with --provenance, or put messages back while the source is open.",
        )
    origins: list[tuple[int, ...]] = []
    inserted: set[int] = set()
    originals: dict[int, tuple[Message, FateStep]] = {}
    for result_index, note in enumerate(notes):
        fields = note or {}
        origins.append(_sources(fields))
        if note is None or fields.get("inserted"):
            inserted.add(result_index)
        for key in ("originals", "removed", "removed_after"):
            originals.update(_originals(fields.get(key)))
    known = {index for sources in origins for index in sources} | originals.keys()
    if known != set(range(len(known))):
        raise InputError(
            f"The provenance in {name} is incomplete.", "Export the session again."
        )
    return _ProvenanceData(tuple(origins), frozenset(inserted), originals)


def _note(message: Message) -> Mapping[str, Json] | None:
    note = message.extra.get(FIELD)
    return note if isinstance(note, dict) else None


def _sources(note: Mapping[str, Json]) -> tuple[int, ...]:
    indices = note.get("sources")
    if isinstance(indices, list):
        return tuple(index for index in indices if type(index) is int)
    return ()


def _originals(entries: Json) -> Iterator[tuple[int, tuple[Message, FateStep]]]:
    """Yield index, message and last step of each valid entry; ``_read`` reports missing ones."""
    for entry in entries if isinstance(entries, list) else ():
        known = isinstance(entry, dict) and isinstance(entry.get("entry"), dict)
        if known and type(entry.get("index")) is int and entry.get("fate") in _FATES:
            step = FateStep(
                str(entry.get("rule", _RULE)), FateKind(entry["fate"]), "As exported."
            )
            yield entry["index"], (message_from_entry(entry["entry"]), step)


def _without_provenance(message: Message) -> Message:
    extra = {key: value for key, value in message.extra.items() if key != FIELD}
    return replace(message, extra=extra)


# The calibration that an export carries, so that the file says the size that it was shown with.


SIZES_FIELD = "foldline_sizes"
"""Key of the calibration, in the first record of a file or in the object that is the file."""
_MAX_FACTOR = 3.0
_MAX_TOKENS = 2**53


def reported_block_tokens(block: Block) -> int | None:
    """Return the tokens that the provider reported for content that cannot be read."""
    if isinstance(block, Opaque):
        return block.tokens
    if isinstance(block, Thinking) and block.extra:
        tokens = block.extra.get(REASONING_TOKENS)
    else:
        tokens = None
    return tokens if isinstance(tokens, int) else None


def carried_sizes_json(
    sizes: CarriedSizes, messages: Sequence[Message]
) -> dict[str, Json]:
    """Return what a file of these messages carries."""
    unreadable = [reported_block_tokens(block) for block in _opaque_blocks(messages)]
    return {
        "factor": sizes.factor,
        "overhead": sizes.overhead,
        "requests": sizes.requests,
        "error": sizes.error,
        "model": sizes.model,
        "messages": len(messages),
        **({"unreadable": unreadable} if any(unreadable) else {}),
    }


def carried_sizes(value: Json) -> CarriedSizes | None:
    """Return what a record carries; None if there is nothing, or nothing usable."""
    note = value.get(SIZES_FIELD) if isinstance(value, dict) else None
    if not isinstance(note, dict):
        return None
    factor = note.get("factor")
    error = note.get("error")
    unreadable = note.get("unreadable")
    if not isinstance(factor, int | float) or not 0 < factor <= _MAX_FACTOR:
        return None
    tokens = list(map(_count, unreadable)) if isinstance(unreadable, list) else []
    return CarriedSizes(
        factor=float(factor),
        overhead=_tokens(note.get("overhead")),
        requests=_count(note.get("requests")) or 0,
        error=float(error)
        if isinstance(error, int | float) and 0 <= error < 1
        else None,
        model=str(note.get("model") or ""),
        messages=_count(note.get("messages")) or 0,
        unreadable=tuple(tokens),
    )


def _tokens(value: Json) -> int | None:
    return value if type(value) is int and abs(value) <= _MAX_TOKENS else None


def _count(value: Json) -> int | None:
    number = _tokens(value)
    if number is None:
        return None
    return max(0, number)


def _opaque_blocks(messages: Iterable[Message]) -> Iterator[Block]:
    return (
        block
        for message in messages
        for block in message.blocks
        if isinstance(block, Opaque | Thinking)
    )


def with_carried_sizes(conversation: Conversation, first_record: Json) -> Conversation:
    """Return a conversation with the calibration that the first record of its file carries, if
    any."""
    sizes = carried_sizes(first_record)
    if sizes is None or conversation.number != 1:
        return conversation
    # a summary may have become a recorded compaction
    sizes = replace(sizes, messages=min(sizes.messages, len(conversation.messages)))
    messages = _restored_messages(conversation.messages, sizes)
    return replace(
        conversation,
        messages=messages,
        carried=sizes,
        model=conversation.model or sizes.model,
    )


def _restored_messages(
    messages: Sequence[Message], sizes: CarriedSizes
) -> tuple[Message, ...]:
    """Return the messages of a file that carries sizes: unreadable content has its reported tokens
    again, and no message has the carried field."""
    exported = messages[: sizes.messages]
    # Sizes are given in order: with a block more or less they would be those of others.
    is_same = sum(1 for _ in _opaque_blocks(exported)) == len(sizes.unreadable)
    tokens = iter(sizes.unreadable if is_same else ())
    restored = []
    for message in exported:
        is_unreadable = [isinstance(one, Opaque | Thinking) for one in message.blocks]
        if is_same and any(is_unreadable):
            blocks = tuple(_with_tokens(block, tokens) for block in message.blocks)
            message = with_blocks(message, blocks)
        if SIZES_FIELD in message.extra:
            message = replace(message, extra=_without_field(message.extra))
        restored.append(message)
    # What the agent wrote behind the export has no carried sizes.
    return (*restored, *messages[sizes.messages :])


def _without_field(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in extra.items() if key != SIZES_FIELD}


def _with_tokens(block: Block, tokens: Iterator[int | None]) -> Block:
    if not isinstance(block, Opaque | Thinking):
        return block
    reported = next(tokens)
    if reported is None or reported_block_tokens(block) is not None:
        return block
    if isinstance(block, Opaque):
        return replace(block, tokens=reported)
    return replace(block, extra={**block.extra, REASONING_TOKENS: reported})
