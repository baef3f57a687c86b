"""The desk's part of pins: keeps them in the state folder, gives them to previews, tells the lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core import marks
from core.desk_rows import SetPin
from core.open_file import OpenFile
from core.pins import Pin, PinKind
from core.preview_values import Preview
from core.scopes import history
from core.view.list_values import Pinned

PINS = "pins"
"""The section of pins among what is noted of messages; a value is the kind, and the note behind a blank."""


class PinDesk:
    """Holds the pins of the open transcript, by place in the conversation."""

    def __init__(self, emit: Callable[[Pinned], None]) -> None:
        self._emit = emit
        self._file: OpenFile | None = None
        self._pins: dict[int, Pin] = {}
        self._told = Pinned()

    def of(self, file: OpenFile, scope: str) -> dict[int, Pin]:
        """The pins of a transcript by place in the history of a scope."""
        self._load(file)
        if not self._pins:
            return {}
        positions = history(file.conversation, scope).positions
        return {place: self._pins[at] for place, at in enumerate(positions) if at in self._pins}

    def shown(self, file: OpenFile, made: Preview) -> None:
        """Say which of the messages that are seen now carry pins, where that is new."""
        self._load(file)
        known = enumerate(made.history.positions)
        pins = [(place, self._pins[at]) for place, at in known if at in self._pins]
        told = Pinned(
            tuple(place for place, pin in pins if pin.kind is PinKind.KEEP),
            tuple(place for place, pin in pins if pin.kind is PinKind.DROP),
            tuple((place, pin.note) for place, pin in pins if pin.note),
        )
        if told != self._told:
            self._told = told
            self._emit(told)

    def set(self, position: int, command: SetPin, file: OpenFile, made: Preview) -> None:
        """Pin a message, or take off the pin that it has already; a note stays beside either."""
        self._load(file)
        new = _changed(self._pins.get(position), command)
        pins = {at: pin for at, pin in self._pins.items() if at != position}
        self._pins = pins if new is None else {**pins, position: new}
        self.shown(file, made)
        texts = {at: f"{pin.kind} {pin.note}".rstrip() for at, pin in self._pins.items()}
        marks.save(PINS, file.conversation.messages, texts)

    def _load(self, file: OpenFile) -> None:
        if self._file is not file:
            self._file = file
            noted = marks.load(PINS, file.conversation.messages)
            self._pins = {at: pin for at, text in noted.items() if (pin := _pin(text)) is not None}


def _changed(old: Pin | None, command: SetPin) -> Pin | None:
    """The pin after a command: the same kind again takes it off, a note of no words takes the note off."""
    if command.kind == PinKind.NOTE:
        if old is None or old.kind is PinKind.NOTE:
            return Pin(PinKind.NOTE, command.note) if command.note else None
        return replace(old, note=command.note)
    kind, note = PinKind(command.kind), old.note if old is not None else ""
    if old is not None and old.kind is kind:
        return Pin(PinKind.NOTE, note) if note else None
    return Pin(kind, note)


def _pin(text: str) -> Pin | None:
    """A pin as it was kept; None for what another version wrote."""
    kind, _, note = text.partition(" ")
    return Pin(PinKind(kind), note) if kind in set(PinKind) else None
