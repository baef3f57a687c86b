"""Where opencode and Kilo keep sessions: databases of version 1 and 2, and the folder of JSON files
before.

Each becomes the object that ``opencode export`` writes, ``{info, messages: [{info, parts}]}``. A
database of version 2 repeats the rows of version 1 that it has taken over, so that only one of them
is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import OpenedDocument
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import ImportNotes
from core.formats.common.stored_sessions import SessionStore, StoredSession, stored_document

_SESSION_NAMES = "id parent_id directory title version revert time_created time_updated"
_FOLDER_FIELDS = ("id", "projectID", "directory")


def _sessions(table: str, database: Database) -> Iterator[StoredSession]:
    for row in database.rows(table, "id title parent_id", "ORDER BY time_updated DESC, id DESC"):
        yield StoredSession(row["id"], row["title"] or "", row["parent_id"] or "")


def _fields(table: str, database: Database, session: str) -> Mapping[str, Json]:
    row = database.row(table, _SESSION_NAMES, "WHERE id = ?", session)
    names = {
        "parent_id": "parentID",
        "directory": "directory",
        "title": "title",
        "version": "version",
    }
    info = {"id": session, **{name: row[column] for column, name in names.items() if row[column]}}
    if isinstance(revert := json_of(row["revert"]), dict):
        info["revert"] = revert
    return {
        "info": {**info, "time": {"created": row["time_created"], "updated": row["time_updated"]}}
    }


def _records(database: Database, session: str) -> Iterator[Json]:
    """Yield the messages with their parts."""
    parts: dict[str, list[Json]] = {}
    bad_count = 0
    for row in database.rows(
        "part", "id message_id data", "WHERE session_id = ? ORDER BY id", session
    ):
        if isinstance(part := json_of(row["data"]), dict):
            ids = {"id": row["id"], "sessionID": session, "messageID": row["message_id"]}
            parts.setdefault(row["message_id"], []).append(ids | part)
        else:
            bad_count += 1
    condition = "WHERE session_id = ? ORDER BY time_created, id"
    for row in database.rows("message", "id data", condition, session):
        info = json_of(row["data"])
        own_parts, ids = parts.pop(row["id"], []), {"id": row["id"], "sessionID": session}
        yield {"info": ids | info, "parts": own_parts} if isinstance(info, dict) else MISSING
    yield from [MISSING] * bad_count


def _new_records(database: Database, session: str) -> Iterator[Json]:
    condition = "WHERE session_id = ? ORDER BY seq, time_created, id"
    for row in database.rows("session_message", "id type time_created data", condition, session):
        if not isinstance(data := json_of(row["data"]), dict):
            yield MISSING
            continue
        time = data.get("time") or {"created": row["time_created"]}
        yield from _old_records(row["id"], row["type"], {**data, "time": time})


def _old_records(id_: str, kind: str, data: Mapping[str, Json]) -> Iterator[Json]:
    """Yield a message of version 2 as version 1 has it."""
    info: dict[str, Json] = {"id": id_, "role": "user", "time": data["time"]}
    text = {"type": "text", "text": string_of(data.get("text"))}
    if kind == "user":
        files = [
            {"type": "file", "url": nested(file, "uri"), **fields_of(file)}
            for file in list_of(data.get("files"))
        ]
        yield {"info": info, "parts": [text, *files]}
    elif kind == "assistant":
        answer = {
            "role": "assistant",
            "modelID": nested(data, "model", "id"),
            "providerID": nested(data, "model", "providerID"),
        }
        info |= {**answer, "tokens": data.get("tokens"), "error": _error(data.get("error"))}
        yield {"info": info, "parts": [*map(_old_part, list_of(data.get("content")))]}
    elif kind == "system":
        yield {"info": {**info, "role": "system"}, "parts": [text]}
    elif kind == "shell":
        output = f"$ {string_of(data.get('command'))}\n{string_of(data.get('output'))}"
        yield {"info": info, "parts": [{"type": "text", "text": output, "synthetic": True}]}
    elif kind == "compaction":
        is_done = data.get("status", "completed") == "completed"
        texts = [data[name] for name in ("summary", "recent") if data.get(name)]
        yield {
            "info": info,
            "parts": [{"type": "compaction", "auto": data.get("reason") == "auto"}],
        }
        summary = {"id": f"{id_}-summary", "role": "assistant", "summary": True, "parentID": id_}
        summary |= {"time": data["time"], **({"finish": "stop"} if is_done else {})}
        yield {"info": summary, "parts": [{"type": "text", "text": text} for text in texts]}
    elif kind in ("synthetic", "skill"):
        yield {"info": info, "parts": [{**text, "synthetic": True}]}
    else:
        yield {"info": info, "parts": [{"type": kind}]}


def _error(error: Json) -> Json:
    """Return an error with its words where version 1 has them."""
    fields = fields_of(error)
    return (
        {"name": fields.get("type", fields.get("name")), "data": {"message": fields.get("message")}}
        if fields
        else None
    )


def _old_part(part: Json) -> Json:
    fields = fields_of(part)
    if fields.get("type") != "tool":
        return part
    state = dict(fields_of(fields.get("state")))
    if "content" in state:
        state["output"] = state.pop("content")
    return {"type": "tool", "callID": fields.get("id"), "tool": fields.get("name"), "state": state}


def child_calls(session: Json) -> Mapping[str, str]:
    calls: dict[str, str] = {}
    for message in list_of(nested(session, "messages")):
        for part in list_of(nested(message, "parts")):
            metadata = fields_of(nested(part, "state", "metadata"))
            child, call = (
                metadata.get("sessionId", metadata.get("sessionID")),
                nested(part, "callID"),
            )
            if isinstance(child, str) and isinstance(call, str):
                calls[child] = call
    return calls


_OLD_DATABASE = SessionStore(
    "session.directory message.data part.message_id",
    "messages",
    lambda database: _sessions("session", database),
    lambda database, session: (_fields("session", database, session), _records(database, session)),
    child_calls,
)
_NEW_DATABASE = SessionStore(
    "session_v2.directory session_message.seq",
    "messages",
    lambda database: _sessions("session_v2", database),
    lambda database, session: (
        _fields("session_v2", database, session),
        _new_records(database, session),
    ),
    child_calls,
    filled_table="session_message",
)


DATABASES = (_NEW_DATABASE, _OLD_DATABASE)


def is_session_file(file: OpenedDocument) -> bool:
    """Return whether a file is the session in a folder of JSON files, apart from its messages."""
    fields = fields_of(file.json.value) if file.json else {}
    return all(name in fields for name in _FOLDER_FIELDS) and "info" not in fields


def folder_session(file: OpenedDocument) -> tuple[OpenedDocument, int]:
    """Return the session of such a file with its messages, and how many files of it are not
    JSON."""
    info = fields_of(file.json.value) if file.json else {}
    path, session = file.document.path, Path(string_of(info.get("id"))).name
    folders = path.absolute().parents if path and session else ()
    records = _folder_records(folders[2], session) if len(folders) > 2 else ()
    return stored_document(file.document, {"info": info}, "messages", records)


def _folder_records(storage: Path, session: str) -> Sequence[Json]:
    found = [_json_file(path) for path in _json_paths(storage / "message" / session)]
    messages = [message for message in found if isinstance(message, dict)]
    messages.sort(
        key=lambda message: (nested(message, "time", "created") or 0, string_of(message.get("id")))
    )
    records: list[Json] = [MISSING] * (len(found) - len(messages))
    flat = [_json_file(path) for path in _json_paths(storage / "part")]  # of early versions
    for message in messages:
        id_ = string_of(message.get("id"))
        parts = [_json_file(path) for path in _json_paths(storage / "part" / Path(id_).name)]
        parts += [part for part in flat if nested(part, "messageID") == id_]
        records += [{"info": message, "parts": [part for part in parts if part is not MISSING]}]
        records += [part for part in parts if part is MISSING]
    return records


def _json_paths(folder: Path) -> list[Path]:
    """Return the JSON files of a folder. Raises InputError where no folder can have such a name, as
    with an id of thousands of characters."""
    try:
        return sorted(folder.glob("*.json"))
    except (OSError, ValueError) as error:
        shown = folder.name[:40]
        text = f"The files of the id {shown!r}… ({len(folder.name):,} characters) cannot be read"
        reason = getattr(error, "strerror", "") or str(error)
        raise InputError(f"{text}: {reason}.", "Name a session that opencode wrote.") from error


def _json_file(path: Path) -> Json:
    try:
        return json_of(path.read_bytes())
    except OSError:
        return MISSING


def without_reverted(
    records: Sequence[JsonRecord], revert: Mapping[str, Json], notes: ImportNotes
) -> Sequence[JsonRecord]:
    """Return the records up to the message, or the part of it, to which the user took the session
    back."""
    ids = [nested(record.value, "info", "id") for record in records]
    message, part = revert.get("messageID"), revert.get("partID")
    if not message or message not in ids:
        return records
    index = ids.index(message)
    sent = list(records[:index])
    parts = list_of(nested(records[index].value, "parts"))
    kept = list(takewhile(lambda one: nested(one, "id") != part, parts)) if part else []
    if kept:
        own = records[index]
        sent.append(JsonRecord(own.line, own.start, own.end, {**own.value, "parts": kept}))
    notes.skip("taken back", len(records) - len(sent), line=records[-1].line)
    return sent
