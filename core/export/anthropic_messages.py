"""Writes Anthropic messages: a request object, or the source's own container with new messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.conversation import Json, Message, Speaker, ToolResponse
from core.export.anthropic_blocks import FAMILY, content_json
from core.export.base import (
    Exporter,
    ExportInput,
    Losses,
    Options,
    Piece,
    Shape,
    Written,
    following,
    is_whole,
    joined,
    pieces_from_user,
    split_records,
)
from core.export.beside import Beside, leave_out_beside
from core.export.plain import only_text, own_fields
from core.export.rawjson import dump, rebuilt, record_json
from core.export.toolspecs import anthropic_tools
from core.formats.raw import read_document

NAME = "anthropic_messages"


@dataclass(slots=True)
class _Record:
    """One message to be written. ``next_to`` is the record that it followed in the source, by range;
    two records that were neighbours there stay apart, new neighbours of one role are joined."""

    role: str
    content: Json
    fields: Mapping[str, Json] = field(default_factory=dict)
    whole: Json = None
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None


def write(given: ExportInput, options: Options) -> Written:
    """The messages with the source's container where it is one of Anthropic's, else a request."""
    losses = Losses("Anthropic")
    same = given.comes_from(NAME)
    if same and given.is_whole_source:
        data = read_document(given.conversation.document)
        return Written(data, _shape(given))
    records = [_json(record) for record in _merged(_records(given, losses), following(given, NAME))]
    if same:
        data, _ = rebuilt(given.conversation, _timed(records))
        return Written(data, _shape(given), losses.sentences())
    value = _request(given, records, losses)
    return Written(dump(value, pretty=True) + b"\n", Shape.JSON, losses.sentences())


def _shape(given: ExportInput) -> Shape:
    return Shape.LINES if given.conversation.layout.get("container") == "jsonl" else Shape.JSON


def _request(given: ExportInput, records: Sequence[Json], losses: Losses) -> dict[str, Json]:
    """A request. It always has ``system``: that tells a few plain words from those of another API."""
    held = (Beside.SYSTEM, Beside.TOOLS, Beside.MODEL, Beside.CALL_IDS)
    leave_out_beside(given, losses, *held, family=given.conversation.format in FAMILY)
    system = given.conversation.system
    value: dict[str, Json] = {}
    if given.conversation.model:
        value["model"] = given.conversation.model
    texts = [{"type": "text", "text": text} for text in system.texts]
    value["system"] = system.texts[0] if len(texts) == 1 else texts
    if system.tools:
        value["tools"] = anthropic_tools(system.tools, losses)
    value["messages"] = list(records)
    return value


def _records(given: ExportInput, losses: Losses) -> Iterable[_Record]:
    same = given.comes_from(NAME)
    split = split_records(given.conversation)
    data = read_document(given.conversation.document) if same else b""
    for group in joined(pieces_from_user(given, losses)):
        place = group[0].record
        if same and place and is_whole(group, split):
            raw = record_json(data, *place, given.conversation.document.name)
            yield _Record(_role(group[0].message), None, whole=raw, first=place, last=place)
        else:
            record = _built(group, given.conversation.format, losses)
            if record.content or same:
                yield record
            else:
                losses.leave_out("message without content")


def _built(group: Sequence[Piece], format_name: str, losses: Losses) -> _Record:
    head = group[0]
    own = head.origin is not None and format_name == NAME
    content: list[Json] = []
    for piece in group:
        shaped = piece.origin is not None and format_name in FAMILY
        content += content_json(piece.message.blocks, same=shaped, losses=losses)
    _note_role(head.message, losses)
    role = _role(head.message)
    fields = own_fields(head.message.extra) if own else {}
    if own and head.message.id:
        fields.setdefault("id", head.message.id)
    place = head.record if own else None
    text = only_text(content) if own and _is_plain(head.message) else None
    if text is not None:
        return _Record(role, text, fields, first=place, last=place)
    return _Record(role, content, fields, first=place, last=place)


def _is_plain(message: Message) -> bool:
    return message.extra.get("$content") == "string"


def _role(message: Message) -> str:
    return "assistant" if message.speaker is Speaker.AI else "user"


def _note_role(message: Message, losses: Losses) -> None:
    if message.speaker is Speaker.SYSTEM:
        losses.change("system message as user")
    elif message.speaker is Speaker.UNKNOWN and "role" not in message.extra:
        losses.change("message of an unknown role as user")
    elif message.speaker is Speaker.AI and any(isinstance(block, ToolResponse) for block in message.blocks):
        losses.change("tool result of the assistant")


def _merged(
    records: Iterable[_Record], following: Mapping[tuple[int, int], tuple[int, int]]
) -> list[_Record]:
    found: list[_Record] = []
    for record in records:
        last = found[-1] if found else None
        if last is None or last.role != record.role or _stay_apart(last, record, following):
            found.append(record)
        else:
            found[-1] = _join(last, record)
    return found


def _stay_apart(last: _Record, record: _Record, following: Mapping[tuple[int, int], tuple[int, int]]) -> bool:
    """True for records that were neighbours in the source, and for those that are no objects."""
    if not isinstance(last.whole or {}, dict) or not isinstance(record.whole or {}, dict):
        return True
    return last.last is not None and record.first is not None and following.get(last.last) == record.first


def _join(one: _Record, other: _Record) -> _Record:
    """One message of two: results first, as the API wants them, then the rest in order."""
    parts = [*_parts(one), *_parts(other)]
    results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
    others = [part for part in parts if not (isinstance(part, dict) and part.get("type") == "tool_result")]
    fields = {key: v for key, v in _json(one).items() if key not in ("role", "content")}
    return _Record(one.role, results + others, fields, first=one.first, last=other.last)


def _timed(records: Sequence[Json]) -> Sequence[Json]:
    """Where the source's messages carry a time (``ts``), new ones get that of the message before."""
    times = [record.get("ts") for record in records if isinstance(record, dict)]
    if sum(time is not None for time in times) * 2 <= len(records):
        return records
    found: list[Json] = []
    last: Json = next(time for time in times if time is not None)
    for record in records:
        if isinstance(record, dict):
            last = record.get("ts", last)
            record = {**record, "ts": last}
        found.append(record)
    return found


def _parts(record: _Record) -> list[Json]:
    content = _json(record).get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []


def _json(record: _Record) -> dict[str, Json]:
    if record.whole is not None:
        value: dict[str, Json] = record.whole if isinstance(record.whole, dict) else {}
        return value
    return {"role": record.role, "content": record.content, **record.fields}


EXPORTER = Exporter(
    NAME,
    ("anthropic",),
    "Anthropic messages",
    ".json",
    "A request for Anthropic's messages API: system, tools and messages.",
    write,
)
