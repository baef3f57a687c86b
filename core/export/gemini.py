"""Writes Gemini contents: a request object, or the source's own container with new contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.conversation import MISSING, Json, Message, Missing, Speaker
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
from core.export.gemini_parts import FAMILY, parts_json
from core.export.plain import own_fields
from core.export.rawjson import dump, rebuilt, record_json
from core.export.toolspecs import gemini_tools
from core.formats.raw import read_document

NAME = "gemini"
_Range = tuple[int, int]


@dataclass(slots=True)
class _Content:
    """One content to write. ``first`` and ``last`` are the source records at its ends, by range: two
    that were neighbours there stay apart, new neighbours of one role are joined."""

    role: str
    parts: list[Json]
    fields: Mapping[str, Json] = field(default_factory=dict)
    whole: Json = MISSING
    first: _Range | None = None
    last: _Range | None = None


def write(given: ExportInput, options: Options) -> Written:
    """The contents with the source's container where it is one of Gemini's, else a request."""
    losses = Losses("Gemini")
    same = given.comes_from(NAME)
    lines = same and given.conversation.layout.get("container") == "jsonl"
    shape = Shape.LINES if lines else Shape.JSON
    if same and given.is_whole_source:
        return Written(read_document(given.conversation.document), shape)
    contents = [_json(content) for content in _merged(_contents(given, losses), following(given, NAME))]
    if same:
        return Written(rebuilt(given.conversation, contents)[0], shape, losses.sentences())
    value = _request(given, contents, losses)
    return Written(dump(value, pretty=True) + b"\n", shape, losses.sentences())


def _request(given: ExportInput, contents: Sequence[Json], losses: Losses) -> dict[str, Json]:
    held = (Beside.SYSTEM, Beside.TOOLS, Beside.CALL_IDS)
    leave_out_beside(given, losses, *held, family=given.conversation.format in FAMILY)
    system = given.conversation.system
    value: dict[str, Json] = {}
    if system.texts:
        value["systemInstruction"] = {"parts": [{"text": text} for text in system.texts]}
    value["contents"] = list(contents)
    if system.tools and (tools := gemini_tools(system.tools, losses)):
        value["tools"] = tools
    return value


def _contents(given: ExportInput, losses: Losses) -> Iterable[_Content]:
    same = given.comes_from(NAME)
    split = split_records(given.conversation)
    data = read_document(given.conversation.document) if same else b""
    for group in joined(pieces_from_user(given, losses)):
        place = group[0].record if same else None
        if place and is_whole(group, split):
            raw = record_json(data, *place, given.conversation.document.name)
            yield _Content(_role(group[0].message), [], whole=raw, first=place, last=place)
            continue
        content = _built(group, given.conversation.format, losses)
        if content.parts or same:
            yield content
        else:
            losses.leave_out("message without content")


def _built(group: Sequence[Piece], format_name: str, losses: Losses) -> _Content:
    head = group[0]
    own = head.origin is not None and format_name == NAME
    parts: list[Json] = []
    for piece in group:
        shaped = piece.origin is not None and format_name in FAMILY
        parts += parts_json(piece.message.blocks, same=shaped, losses=losses)
    if head.message.speaker is Speaker.SYSTEM and not own:
        losses.change("system message as user")
    elif head.message.speaker is Speaker.UNKNOWN and not own:
        losses.change("message of an unknown role as user")
    place = head.record if own else None
    fields = own_fields(head.message.extra) if own else {}
    return _Content(_role(head.message), parts, fields, first=place, last=place)


def _role(message: Message) -> str:
    return "model" if message.speaker is Speaker.AI else "user"


def _merged(contents: Iterable[_Content], following: Mapping[_Range, _Range]) -> list[_Content]:
    """Roles by turns, as the API needs them; this also puts results right behind their calls."""
    found: list[_Content] = []
    for content in contents:
        last = found[-1] if found else None
        if last is None or last.role != content.role or _stay_apart(last, content, following):
            found.append(content)
        else:
            found[-1] = _join(last, content)
    return found


def _stay_apart(last: _Content, content: _Content, following: Mapping[_Range, _Range]) -> bool:
    if any(not isinstance(one.whole, dict | Missing) for one in (last, content)):
        return True
    return last.last is not None and content.first is not None and following.get(last.last) == content.first


def _join(one: _Content, other: _Content) -> _Content:
    """One content of two: results first, then the rest in order."""
    parts = [*_parts(one), *_parts(other)]
    results = [part for part in parts if _is_result(part)]
    others = [part for part in parts if not _is_result(part)]
    fields = {key: value for key, value in _json(one).items() if key not in ("role", "parts")}
    return _Content(one.role, results + others, fields, first=one.first, last=other.last)


def _is_result(part: Json) -> bool:
    return isinstance(part, dict) and ("functionResponse" in part or "function_response" in part)


def _parts(content: _Content) -> list[Json]:
    parts = _json(content).get("parts")
    return parts if isinstance(parts, list) else []


def _json(content: _Content) -> Json:
    if content.whole is not MISSING:
        return content.whole
    return {"role": content.role, "parts": content.parts, **content.fields}


EXPORTER = Exporter(
    NAME,
    (),
    "Gemini contents",
    ".json",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    write,
)
