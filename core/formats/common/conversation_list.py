"""The conversations of one file as a picker lists them, and the number that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of
from core.transcript.model import ListedConversation

_IDS = ("id", "instance_id", "task_id", "session_id", "conversation_id", "name", "title")
_WHO = ("role", "from", "speaker", "type", "source")
_PERSONS = ("user", "human", "HumanMessage")
_SYSTEM = ("system", "developer")
_HOLDERS = ("data", "kwargs", "llm_message", "args")
"""Fields in which LangChain and OpenHands hold a message."""
_WORDS = ("content", "value", "parts", "blocks")
_SHARED = ("parts", "call_id")
"""Fields of records that may be several messages, or one together with others."""
_RESULT = "tool_result"
_TITLE = 80


def check_number(name: str, number: int, siblings: int) -> None:
    """Raise InputError for a conversation number that the document of that name does not have."""
    if 1 <= number <= siblings:
        return
    raise InputError(
        f"{name} holds {siblings} conversation{'' if siblings == 1 else 's'}, not {number}.",
        f"Choose a number from 1 to {siblings}." if siblings > 1 else "Leave the number out.",
    )


def listed_conversation(
    number: int, fields: Mapping[str, Json], records: Sequence[Json]
) -> ListedConversation:
    """One conversation, titled by the id that its fields give (and the trial of it), else by the first
    words of a person. Messages are counted as readers make them; None for records of other kinds."""
    return ListedConversation(number, _id_of(fields) or _task(records), _messages(records))


def first_words(text: str) -> str:
    """The beginning of a text on one line, short enough for a list."""
    line = " ".join(text[: 4 * _TITLE].split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rstrip()}…"


def _id_of(fields: Mapping[str, Json]) -> str:
    for name in _IDS:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            trial = fields.get("trial")
            named = f"{name.removesuffix('_id')} {value}" if str(value).isdecimal() else str(value)
            return first_words(named) + (f", trial {trial}" if isinstance(trial, int) else "")
    return ""


def _messages(records: Sequence[Json]) -> int | None:
    """Records without the leading ones of the system, which are no messages (product.md section 2); a
    person's record with a tool's result beside other content becomes two."""
    count = 0
    for record in records:
        fields = fields_of(record)
        role = fields.get("role", fields.get("from", fields.get("speaker")))
        if not isinstance(role, str) or "type" in fields or any(name in fields for name in _SHARED):
            return None
        if count or role not in _SYSTEM:
            content = fields.get("content")
            parts = content if role == "user" and isinstance(content, list) else ()
            kinds = {part.get("type") == _RESULT for part in parts if isinstance(part, dict)}
            count += max(1, len(kinds))
    return count


def _task(records: Sequence[Json]) -> str:
    """The first words of a person, wherever a format keeps them."""
    for record in map(fields_of, records):
        if _is_of_person(record):
            held = next((record[name] for name in _HOLDERS if isinstance(record.get(name), dict)), record)
            words = first_words(_text(next((held[name] for name in _WORDS if name in held), None)))
            if words:
                return words
    return ""


def _is_of_person(record: Mapping[str, Json]) -> bool:
    kind = list_of(record.get("id"))  # of LangChain's constructors the path of a class
    return any(one in _PERSONS for one in (*kind[-1:], *map(record.get, _WHO)))


def _text(content: Json) -> str:
    if isinstance(content, list):
        parts = (fields_of(part).get("text") for part in content)
        return " ".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
