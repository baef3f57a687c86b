"""Marks and pins of messages, kept in the state folder by the content of the messages.

Nothing is written beside a transcript. A conversation is identified by its first messages and a message by
its own content, so that marks survive renaming, growth and another format of the same session.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.paths import state_dir
from core.common.toml_file import file_lock
from core.transcript.alignment import canonical_parts
from core.transcript.model import Message

MARKS = "marks"
"""The section of marks; their values are empty texts."""

_FOLDER = "messages"
_FIRST = 2  # messages that identify a conversation
_DIGITS = 24
_T = TypeVar("_T")
_Note: TypeAlias = tuple[int, str, str]
"""The former place of a message, its digest, and the value."""


def load_section(section: str, messages: Sequence[Message], folder: Path | None = None) -> dict[int, str]:
    """Return a section's values for these messages, by place; those of missing messages are left out.

    A message that moved is found by its content, of several equal ones the nearest. A file that cannot be
    read counts as missing.
    """
    return _found(_read(_place(messages, folder)).get(section, []), messages)


def _found(entries: Sequence[_Note], messages: Sequence[Message]) -> dict[int, str]:
    found: dict[int, str] = {}
    moved: list[_Note] = []
    for place, digest, value in entries:
        if 0 <= place < len(messages) and _digest(messages[place]) == digest:
            found[place] = value
        else:
            moved.append((place, digest, value))
    if moved:
        _find_again(moved, messages, found)
    return found


def _find_again(moved: list[_Note], messages: Sequence[Message], found: dict[int, str]) -> None:
    places: dict[str, list[int]] = defaultdict(list)
    for place, message in enumerate(messages):
        places[_digest(message)].append(place)
    for former, digest, value in moved:
        free = [place for place in places.get(digest, ()) if place not in found]
        if free:
            found[min(free, key=lambda place: abs(place - former))] = value


def save_section(
    section: str,
    messages: Sequence[Message],
    values: Mapping[int, str],
    folder: Path | None = None,
    *,
    former: Mapping[int, str] | None = None,
) -> dict[int, str]:
    """Replace a section; the others of the conversation stay. InputError where nothing can be written.

    With ``former``, what the caller had before, only the differences are written: what another window wrote
    meanwhile stays. Returns the values that are saved now.
    """
    file = _place(messages, folder)
    if not messages or (not values and not file.exists()):
        return dict(values)
    with file_lock(file.parent):  # the lock is beside the folder, which holds marks only
        sections = _read(file)
        found = {} if former is None else _found(sections.get(section, []), messages)
        now = merge_changes(found, former or {}, values)
        sections[section] = [(place, _digest(messages[place]), now[place]) for place in sorted(now)]
        _write(file, {name: entries for name, entries in sections.items() if entries})
    return now


def merge_changes(
    found: Mapping[int, _T], former: Mapping[int, _T], values: Mapping[int, _T]
) -> dict[int, _T]:
    """Apply the changes from ``former`` to ``values`` to what was found, by place."""
    gone = former.keys() - values.keys()
    new = {place: value for place, value in values.items() if former.get(place) != value}
    return {place: value for place, value in {**found, **new}.items() if place not in gone}


def _write(file: Path, sections: Mapping[str, Sequence[_Note]]) -> None:
    if not sections:
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return
    create_parent_folder(file)
    write_atomic(file, json.dumps(sections, ensure_ascii=False).encode(), overwrite=True)


def _place(messages: Sequence[Message], folder: Path | None) -> Path:
    digest = hashlib.sha256("".join(map(_digest, messages[:_FIRST])).encode()).hexdigest()
    return (folder or state_dir() / _FOLDER) / f"{digest[:_DIGITS]}.json"


def _digest(message: Message) -> str:
    whole = hashlib.sha256()
    for piece in canonical_parts(message):
        whole.update(len(piece).to_bytes(8, "big") + piece)
    return whole.hexdigest()[:_DIGITS]


def _read(file: Path) -> dict[str, list[_Note]]:
    with suppress(OSError, ValueError, RecursionError):
        found: Any = json.loads(file.read_text("utf-8"))
        if isinstance(found, dict):
            return {
                str(name): _entries(entries) for name, entries in found.items() if isinstance(entries, list)
            }
    return {}


def _entries(entries: list[Any]) -> list[_Note]:
    types = [int, str, str]
    return [
        (entry[0], entry[1], entry[2])
        for entry in entries
        if isinstance(entry, list) and [type(part) for part in entry] == types
    ]
