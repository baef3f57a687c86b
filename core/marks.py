"""What a person noted about single messages: kept in the state folder, by the content of the messages.

Nothing is written beside a transcript. A conversation is known by its first messages and a message by its
own content, so that notes outlive renaming, growth and another format of the same session.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from core.analysis.identity import canonical
from core.conversation import Message
from core.files import write_atomic
from core.paths import state_dir
from core.tomlfile import locked

MARKS = "marks"
"""The section of the marks; their values are empty texts. Other sections have their owners."""

_FOLDER = "messages"
_FIRST = 2  # messages by which a conversation is known
_DIGITS = 24
_Note: TypeAlias = tuple[int, str, str]
"""The place that a message had, its digest, and what was noted."""


def load(section: str, messages: Sequence[Message], folder: Path | None = None) -> dict[int, str]:
    """What a section holds of these messages: value by place. What is not there any more is left out.

    A message that moved is found again by its content, of several equal ones the nearest. A file that
    cannot be read is the same as none.
    """
    noted = _read(_place(messages, folder)).get(section, [])
    found: dict[int, str] = {}
    moved: list[_Note] = []
    for place, digest, value in noted:
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


def save(
    section: str, messages: Sequence[Message], values: Mapping[int, str], folder: Path | None = None
) -> None:
    """Write a section anew; the others of the conversation stay. InputError where nothing can be written."""
    if not messages:
        return
    file = _place(messages, folder)
    if not values and not file.exists():
        return
    with locked(file.parent):  # beside the folder, in which only notes lie
        sections = _read(file)
        sections[section] = [(place, _digest(messages[place]), values[place]) for place in sorted(values)]
        left = {name: noted for name, noted in sections.items() if noted}
        if left:
            with suppress(OSError):  # write_atomic says what is wrong
                file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(file, json.dumps(left, ensure_ascii=False).encode(), overwrite=True)
        else:
            with suppress(OSError):
                file.unlink(missing_ok=True)


def _place(messages: Sequence[Message], folder: Path | None) -> Path:
    digest = hashlib.sha256("".join(map(_digest, messages[:_FIRST])).encode()).hexdigest()
    return (folder or state_dir() / _FOLDER) / f"{digest[:_DIGITS]}.json"


def _digest(message: Message) -> str:
    whole = hashlib.sha256()
    for piece in canonical(message):
        whole.update(len(piece).to_bytes(8, "big") + piece)
    return whole.hexdigest()[:_DIGITS]


def _read(file: Path) -> dict[str, list[_Note]]:
    with suppress(OSError, ValueError, RecursionError):
        found: Any = json.loads(file.read_text("utf-8"))
        if isinstance(found, dict):
            return {str(name): _entries(noted) for name, noted in found.items() if isinstance(noted, list)}
    return {}


def _entries(noted: list[Any]) -> list[_Note]:
    types = [int, str, str]
    return [
        (one[0], one[1], one[2])
        for one in noted
        if isinstance(one, list) and [type(part) for part in one] == types
    ]
