"""Marks and pins of messages, kept in the state folder by the content of the messages.

Nothing is written beside a transcript. A conversation is identified by its first messages and a
message by its own content, so that marks survive renaming, growth and another format of the same
session.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from core.app.view_state import ViewState
from core.common import number_format
from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.paths import state_dir
from core.common.toml_file import file_lock
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from core.transcript.alignment import message_digest, session_file
from core.transcript.model import Conversation, Message
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import history_of_scope

if TYPE_CHECKING:
    from core.facts.model import Fact


MARKS, PINS = "marks", "pins"
"""The sections of a file: the value of a mark is empty, that of a pin its kind, a blank and the
note."""

_FOLDER = "messages"
_T = TypeVar("_T")
_Note: TypeAlias = tuple[int, str, str]
"""The former index of a message, its digest, and the value."""

Pins: TypeAlias = Mapping[int, MessagePin]
"""Pins by index in the conversation."""


def load_section(
    section: str, messages: Sequence[Message], folder: Path | None = None
) -> dict[int, str]:
    """Return a section's values for these messages, by index; those of missing messages are left
    out.

    A message that moved is found by its content, of several equal ones the nearest. A file that
    cannot be read counts as missing.
    """
    return _found(
        _read(session_file(messages, folder or state_dir() / _FOLDER)).get(section, []),
        messages,
    )


def _found(entries: Sequence[_Note], messages: Sequence[Message]) -> dict[int, str]:
    found: dict[int, str] = {}
    moved: list[_Note] = []
    for index, digest, value in entries:
        if 0 <= index < len(messages) and message_digest(messages[index]) == digest:
            found[index] = value
        else:
            moved.append((index, digest, value))
    indices: dict[str, list[int]] = defaultdict(list)
    for index, message in enumerate(messages if moved else ()):
        indices[message_digest(message)].append(index)
    for former, digest, value in moved:
        free = [index for index in indices.get(digest, ()) if index not in found]
        if free:
            found[min(free, key=lambda index: abs(index - former))] = value
    return found


def save_section(
    section: str,
    messages: Sequence[Message],
    values: Mapping[int, str],
    folder: Path | None = None,
    *,
    former: Mapping[int, str] | None = None,
) -> dict[int, str]:
    """Replace a section; the others of the conversation stay. InputError where nothing can be
    written.

    With ``former``, what the caller had before, only the differences are written: what another
    window wrote meanwhile stays. Returns the values that are saved now.
    """
    file = session_file(messages, folder or state_dir() / _FOLDER)
    if not messages or (not values and not file.exists()):
        return dict(values)
    with file_lock(
        file.parent
    ):  # the lock is beside the folder, which holds marks only
        sections = _read(file)
        if former is None:
            found = {}
        else:
            found = _found(sections.get(section, []), messages)
        now = _merged(found, former or {}, values)
        sections[section] = [
            (index, message_digest(messages[index]), now[index])
            for index in sorted(now)
        ]
        if written := {name: entries for name, entries in sections.items() if entries}:
            create_parent_folder(file)
            write_atomic(
                file, json.dumps(written, ensure_ascii=False).encode(), overwrite=True
            )
        else:
            with suppress(OSError):
                file.unlink(missing_ok=True)
    return now


def _merged(
    found: Mapping[int, _T], former: Mapping[int, _T], values: Mapping[int, _T]
) -> dict[int, _T]:
    """Apply the changes from ``former`` to ``values`` to what was found, by index."""
    gone = former.keys() - values.keys()
    new = {
        index: value for index, value in values.items() if former.get(index) != value
    }
    return {
        index: value for index, value in {**found, **new}.items() if index not in gone
    }


def _read(file: Path) -> dict[str, list[_Note]]:
    with suppress(OSError, ValueError, RecursionError):
        sections: Any = json.loads(file.read_text("utf-8"))
        if isinstance(sections, dict):
            return {
                name: _entries(one)
                for name, one in sections.items()
                if isinstance(one, list)
            }
    return {}


def _entries(entries: list[Any]) -> list[_Note]:
    types = [int, str, str]
    return [
        (entry[0], entry[1], entry[2])
        for entry in entries
        if isinstance(entry, list) and [type(part) for part in entry] == types
    ]


def load_pins(conversation: Conversation) -> dict[int, MessagePin]:
    return _parse_pins(load_section(PINS, conversation.messages))


def keep_pins(
    conversation: Conversation,
    view: ViewState,
    former: ViewState,
    stacks: Iterable[list[ViewState]],
) -> ViewState:
    """Save the differences between the pins of two states. InputError where they cannot be saved.

    What another window pinned meanwhile stays, in the returned state and in those of Undo and Redo.
    """
    saved = _parse_pins(
        save_section(
            PINS, conversation.messages, _texts(view.pins), former=_texts(former.pins)
        )
    )
    for stack in stacks:
        stack[:] = [
            replace(one, pins=_merged(one.pins, view.pins, saved)) for one in stack
        ]
    return replace(view, pins=saved)


def _texts(pins: Pins) -> dict[int, str]:
    return {at: f"{pin.kind} {pin.note}".rstrip() for at, pin in pins.items()}


def _parse_pins(noted: Mapping[int, str]) -> dict[int, MessagePin]:
    """Return saved pins; kinds that another version wrote are left out."""
    parts = [(at, *text.partition(" ")) for at, text in noted.items()]
    return {
        at: MessagePin(PinKind(kind), note)
        for at, kind, _, note in parts
        if kind in set(PinKind)
    }


def in_scope(
    pins: Pins, conversation: Conversation, scope: str
) -> dict[int, MessagePin]:
    if not pins:
        return {}
    indices = history_of_scope(conversation, scope).indices
    return {index: pins[at] for index, at in enumerate(indices) if at in pins}


_NO_PIN = MessagePin(PinKind.NOTE, "")


@dataclass(frozen=True, slots=True)
class PinUpdate:
    pins: Pins
    notice: Notice


def _update(
    pins: Pins, words: str, hint: str = "", *, can_undo: bool = True
) -> PinUpdate:
    actions = (NoticeAction("Undo", "undo"),) if can_undo else ()
    return PinUpdate(pins, Notice("info", words, hint, actions, topic="pin"))


def pinned_once(pins: Pins, index: int, kind: str, note: str, name: str) -> PinUpdate:
    """Pin a message, or remove the same pin; a note stays, an empty one removes the note."""
    old = pins.get(index, _NO_PIN)
    if kind == PinKind.NOTE:
        new = MessagePin(old.kind, note)
        if note:
            words = f"Noted {name}."
        else:
            words = f"The note on {name} is gone."
    else:
        new = MessagePin(PinKind.NOTE if old.kind == kind else PinKind(kind), old.note)
        verb = "Unpinned" if new.kind is PinKind.NOTE else "Pinned"
        words = f"{verb} {name}{' to be dropped' if new.kind is PinKind.DROP else ''}."
    others = {at: pin for at, pin in pins.items() if at != index}
    return _update(others if new == _NO_PIN else {**others, index: new}, words)


def pinned_messages(pins: Pins, facts: Sequence[Fact], preview: Preview) -> PinUpdate:
    """Pin the messages of these facts to be kept; one pinned to be dropped stays so."""
    if not facts:
        return _update(
            pins,
            "No message of yours was found.",
            "There is nothing to pin.",
            can_undo=False,
        )
    indices = {preview.source.history.indices[fact.first] for fact in facts}
    notes = {at: pins.get(at, _NO_PIN) for at in sorted(indices) if at >= 0}
    new = {
        at: MessagePin(PinKind.KEEP, pin.note)
        for at, pin in notes.items()
        if pin.kind is PinKind.NOTE
    }
    if new:
        words = f"Pinned {number_format.plural(len(new), 'message')} of yours."
        return _update({**pins, **new}, words)
    if len(facts) == 1:
        hint = "It is pinned already."
    else:
        hint = "They are pinned already."
    return _update(pins, "Nothing to pin.", hint, can_undo=False)
