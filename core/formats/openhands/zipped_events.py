"""Conversations of OpenHands 1 as they lie on disk, a file for each event, inside a zip."""

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

_EVENT = re.compile(r"(?:^|/)event[-_](\d+)[^/]*\.json$")
_STATE = "base_state.json"


def event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    """The event files of each folder that has some, in the order of their numbers."""
    found: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        match = _EVENT.search(member.name)
        if match:
            folder = member.name.rpartition("/")[0]
            found.setdefault(folder, []).append((int(match[1]), member.name))
    return {folder: [name for _, name in sorted(names)] for folder, names in found.items()}


def first_event(opened: OpenedDocument) -> Json:
    """The first event of a zip, None where it has none that can be read."""
    names = next(iter(event_folders(opened.members).values()), [])
    try:
        return parse_bytes(_bytes(opened.document, names[0])).value if names else None
    except InputError:
        return None


def joined_events(
    opened: OpenedDocument, request: ReadRequest
) -> tuple[OpenedDocument, tuple[ListedConversation, ...], str]:
    """The wanted folder's events as one list, all folders, and the model that the folder names.

    Raises InputError for a number above that of the folders, or an event that cannot be read.
    """
    every = event_folders(opened.members)
    check_number(opened.document.name, request.conversation, len(every))
    folder = list(every)[request.conversation - 1]
    parts: list[bytes] = []
    for part in read_members(opened.document, every[folder]):
        parts.append(part)
        request.progress(len(parts) / len(every[folder]), f"reading event {len(parts):,}")
        if request.stop():
            break
    data = b"[" + b",\n".join(part.strip() for part in parts) + b"]"
    name = f"{opened.document.name}/{folder}" if folder else opened.document.name
    document = replace(opened.document, name=name, data=data)
    listed = [ListedConversation(n, one or "events", None, "file") for n, one in enumerate(every, 1)]
    return open_text(document), tuple(listed) if len(listed) > 1 else (), _model(opened, folder)


def _model(opened: OpenedDocument, folder: str) -> str:
    """The model in the state that lies beside the events, or one folder above."""
    places = {f"{folder}/{_STATE}".lstrip("/"), f"{folder.rpartition('/')[0]}/{_STATE}".lstrip("/")}
    name = next((member.name for member in opened.members if member.name in places), "")
    value = parse_bytes(_bytes(opened.document, name)).value if name else None
    for key in ("agent", "llm", "model"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _bytes(document: SourceDocument, name: str) -> bytes:
    return open_member(document, name).data or b""
