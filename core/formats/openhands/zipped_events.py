"""Conversations of OpenHands 1 in a zip with a file for each event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.archives import ArchiveMember, open_member, read_members
from core.formats.common.conversation_list import check_number
from core.formats.common.document import OpenedDocument, open_text
from core.formats.common.format import ReadRequest
from core.formats.common.json_parsing import parse_bytes
from core.transcript.model import ListedConversation, SourceDocument

_EVENT_FILE = re.compile(r"(?:^|/)event[-_](\d+)[^/]*\.json$")
_STATE_FILE = "base_state.json"


def event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    """Return the event files of each folder, in the order of their numbers."""
    folders: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        match = _EVENT_FILE.search(member.name)
        if match:
            folder = member.name.rpartition("/")[0]
            folders.setdefault(folder, []).append((int(match[1]), member.name))
    return {folder: [name for _, name in sorted(names)] for folder, names in folders.items()}


def first_event(opened: OpenedDocument) -> Json:
    names = next(iter(event_folders(opened.members).values()), [])
    try:
        return parse_bytes(_member_bytes(opened.document, names[0])).value if names else None
    except InputError:
        return None


def joined_events(
    opened: OpenedDocument, request: ReadRequest
) -> tuple[OpenedDocument, tuple[ListedConversation, ...], str]:
    """Return the folder's events as one list, all folders, and the model that the folder names.

    Raises InputError for an unknown number or an unreadable event.
    """
    folders = event_folders(opened.members)
    check_number(opened.document.name, request.conversation, len(folders))
    folder = list(folders)[request.conversation - 1]
    parts: list[bytes] = []
    for part in read_members(opened.document, folders[folder]):
        parts.append(part)
        request.progress(len(parts) / len(folders[folder]), f"reading event {len(parts):,}")
        if request.stop():
            break
    data = b"[" + b",\n".join(part.strip() for part in parts) + b"]"
    name = f"{opened.document.name}/{folder}" if folder else opened.document.name
    document = replace(opened.document, name=name, data=data)
    listed = [
        ListedConversation(n, folder_name or "events", None, "file")
        for n, folder_name in enumerate(folders, 1)
    ]
    return open_text(document), tuple(listed) if len(listed) > 1 else (), _model(opened, folder)


def _model(opened: OpenedDocument, folder: str) -> str:
    state_files = {
        f"{folder}/{_STATE_FILE}".lstrip("/"),
        f"{folder.rpartition('/')[0]}/{_STATE_FILE}".lstrip("/"),
    }
    name = next((member.name for member in opened.members if member.name in state_files), "")
    value = parse_bytes(_member_bytes(opened.document, name)).value if name else None
    for key in ("agent", "llm", "model"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _member_bytes(document: SourceDocument, name: str) -> bytes:
    return open_member(document, name).data or b""
