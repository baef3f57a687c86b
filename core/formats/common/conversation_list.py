"""Lists the conversations of one file for a picker, and checks a requested number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_access import fields_of, list_of
from core.transcript.model import ListedConversation

_ID_FIELDS = ("id", "instance_id", "task_id", "session_id", "conversation_id", "name", "title")
_ROLE_FIELDS = ("role", "from", "speaker", "type", "source")
_USERS = ("user", "human", "HumanMessage")
_SYSTEM = ("system", "developer")
_MESSAGE_FIELDS = (
    "data",
    "kwargs",
    "llm_message",
    "args",
)  # fields in which LangChain and OpenHands hold a message
_CONTENT = ("content", "value", "parts", "blocks")
_PART_FIELDS = ("parts", "call_id")  # fields of records that may be several messages, or part of one
_RESULT = "tool_result"
_MAX_TITLE_LENGTH = 80


def check_number(name: str, number: int, count: int) -> None:
    """Raise InputError for a conversation number that the document does not have."""
    if 1 <= number <= count:
        return
    raise InputError(
        f"{name} holds {count} conversation{'' if count == 1 else 's'}, not {number}.",
        f"Choose a number from 1 to {count}." if count > 1 else "Leave the number out.",
    )


def check_branch(name: str, branch: int, count: int) -> None:
    """Raise InputError for a branch that the conversation does not have."""
    if not 1 <= branch <= max(1, count):
        raise InputError(
            f"{name} has {count} branch{'' if count == 1 else 'es'}, not {branch}.",
            f"Choose a number from 1 to {count}." if count > 1 else "Leave the branch out.",
        )


def listed_conversation(
    number: int, fields: Mapping[str, Json], records: Sequence[Json]
) -> ListedConversation:
    """Return one conversation, titled by its id (and trial), else by the user's first words. Its messages are
    counted as readers count them; None for records of other kinds."""
    return ListedConversation(number, _id_title(fields) or _first_prompt(records), _message_count(records))


def first_words(text: str) -> str:
    """Return the beginning of a text on one line, short enough for a list."""
    line = " ".join(text[: 4 * _MAX_TITLE_LENGTH].split())
    return line if len(line) <= _MAX_TITLE_LENGTH else f"{line[: _MAX_TITLE_LENGTH - 1].rstrip()}…"


def _id_title(fields: Mapping[str, Json]) -> str:
    for name in _ID_FIELDS:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            trial = fields.get("trial")
            title = f"{name.removesuffix('_id')} {value}" if str(value).isdecimal() else str(value)
            return first_words(title) + (f", trial {trial}" if isinstance(trial, int) else "")
    return ""


def _message_count(records: Sequence[Json]) -> int | None:
    """Count records without leading system messages (product.md section 2); a user's record with a tool
    result beside other content counts as two."""
    count = 0
    for record in records:
        fields = fields_of(record)
        role = fields.get("role", fields.get("from", fields.get("speaker")))
        if not isinstance(role, str) or "type" in fields or any(name in fields for name in _PART_FIELDS):
            return None
        if count or role not in _SYSTEM:
            content = fields.get("content")
            parts = content if role == "user" and isinstance(content, list) else ()
            is_result_kinds = {part.get("type") == _RESULT for part in parts if isinstance(part, dict)}
            count += max(1, len(is_result_kinds))
    return count


def _first_prompt(records: Sequence[Json]) -> str:
    """Return the user's first words, wherever a format keeps them."""
    for record in map(fields_of, records):
        if _is_user_record(record):
            message = next(
                (record[name] for name in _MESSAGE_FIELDS if isinstance(record.get(name), dict)), record
            )
            words = first_words(_text(next((message[name] for name in _CONTENT if name in message), None)))
            if words:
                return words
    return ""


def _is_user_record(record: Mapping[str, Json]) -> bool:
    kind = list_of(record.get("id"))  # in LangChain's constructors the path of a class
    return any(name in _USERS for name in (*kind[-1:], *map(record.get, _ROLE_FIELDS)))


def _text(content: Json) -> str:
    if isinstance(content, list):
        parts = (fields_of(part).get("text") for part in content)
        return " ".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
