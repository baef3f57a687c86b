"""The desk's part of pins: keeps them in the state folder, changes them, tells the lists and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.analysis.fidelity.model import SourceFact
from core.app import message_marks
from core.app.services.list_commands import SetPinCommand
from core.app.services.runs import ViewState
from core.common import number_format
from core.presentation.filter.query import PinsChangedEvent
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from core.transcript.model import Conversation
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import history_of_scope

PINS = "pins"
"""The section of pins among what is noted of messages; a value is the kind, and the note behind a blank."""

Pins: TypeAlias = Mapping[int, MessagePin]
"""Pins by place in the conversation."""

UNDO = NoticeAction("Undo", "undo")
_NONE = Notice("info", "No rule of the person was found.", "There is nothing to pin.", topic="pin")
_WORDS: Mapping[PinKind | None, str] = {
    PinKind.KEEP: "Pinned {}.",
    PinKind.DROP: "Pinned {} to be dropped.",
    PinKind.NOTE: "Unpinned {}.",
    None: "Unpinned {}.",
}


@dataclass(frozen=True, slots=True)
class PinUpdate:
    """Pins after a command, and what to say of it."""

    pins: Pins
    notice: Notice


def load_pins(conversation: Conversation) -> dict[int, MessagePin]:
    """The pins that were kept of a conversation; those of another version are none."""
    return _pins(message_marks.load_section(PINS, conversation.messages))


def keep_pins(
    conversation: Conversation, wish: ViewState, former: ViewState, undo: Sequence[ViewState]
) -> tuple[ViewState, list[ViewState]]:
    """Write how the pins of a wish differ from those of the former one. InputError where that cannot be.

    What another window pinned meanwhile stays; the wish, and those that Undo leads to, come back with it.
    """
    noted = message_marks.save_section(
        PINS, conversation.messages, _texts(wish.pins), former=_texts(former.pins)
    )
    now = _pins(noted)
    return replace(wish, pins=now), [
        replace(one, pins=message_marks.merge_changes(one.pins, wish.pins, now)) for one in undo
    ]


def _texts(pins: Pins) -> dict[int, str]:
    return {at: f"{pin.kind} {pin.note}".rstrip() for at, pin in pins.items()}


def _pins(noted: Mapping[int, str]) -> dict[int, MessagePin]:
    return {at: pin for at, text in noted.items() if (pin := _pin(text)) is not None}


def in_scope(pins: Pins, conversation: Conversation, scope: str) -> dict[int, MessagePin]:
    """The pins by place in the history of a scope."""
    if not pins:
        return {}
    positions = history_of_scope(conversation, scope).positions
    return {place: pins[at] for place, at in enumerate(positions) if at in pins}


def pinned_once(pins: Pins, position: int, command: SetPinCommand, name: str) -> PinUpdate:
    """A message pinned, or the pin that it has already taken off; a note stays beside either."""
    old = pins.get(position)
    new = _changed(old, command)
    others = {at: pin for at, pin in pins.items() if at != position}
    found = others if new is None else {**others, position: new}
    if command.kind == PinKind.NOTE:
        words = f"Noted {name}." if command.note else f"The note on {name} is gone."
    else:
        words = _WORDS[None if new is None else new.kind].format(name)
    return PinUpdate(found, Notice("info", words, "", (UNDO,), topic="pin"))


def pinned_rules(pins: Pins, rules: Sequence[SourceFact], made: Preview) -> PinUpdate:
    """The messages of these constraints pinned to be kept; one that is pinned to be dropped stays so."""
    places = sorted({made.history.positions[rule.messages[0]] for rule in rules})
    new = [at for at in places if at >= 0 and not _is_pinned(pins.get(at))]
    found = dict(pins)
    for at in new:
        note = pins[at].note if at in pins else ""
        found[at] = MessagePin(PinKind.KEEP, note)
    if not rules:
        return PinUpdate(found, _NONE)
    said = number_format.plural(len(rules), "constraint")
    if not new:
        stands = "It is pinned already." if len(rules) == 1 else "They are pinned already."
        return PinUpdate(found, Notice("info", f"Nothing to pin: {said} found.", stands, topic="pin"))
    words = f"Pinned {number_format.plural(len(new), 'message')} for {said}."
    return PinUpdate(found, Notice("info", words, "", (UNDO,), topic="pin"))


def _is_pinned(pin: MessagePin | None) -> bool:
    return pin is not None and pin.kind is not PinKind.NOTE


class PinCommandHandler:
    """Tells the lists which messages carry pins."""

    def __init__(self, emit: Callable[[PinsChangedEvent], None]) -> None:
        self._emit = emit
        self.told = PinsChangedEvent()

    def shown(self, made: Preview, pins: Pins) -> None:
        """Say which of the messages that are seen now carry pins, where that is new."""
        known = enumerate(made.history.positions)
        here = [(place, pins[at]) for place, at in known if at in pins] if pins else []
        told = PinsChangedEvent(
            tuple(place for place, pin in here if pin.kind is PinKind.KEEP),
            tuple(place for place, pin in here if pin.kind is PinKind.DROP),
            tuple((place, pin.note) for place, pin in here if pin.note),
        )
        if told != self.told:
            self.told = told
            self._emit(told)


def _changed(old: MessagePin | None, command: SetPinCommand) -> MessagePin | None:
    """The pin after a command: the same kind again takes it off, a note of no words takes the note off."""
    if command.kind == PinKind.NOTE:
        if old is None or old.kind is PinKind.NOTE:
            return MessagePin(PinKind.NOTE, command.note) if command.note else None
        return replace(old, note=command.note)
    kind, note = PinKind(command.kind), old.note if old is not None else ""
    if old is not None and old.kind is kind:
        return MessagePin(PinKind.NOTE, note) if note else None
    return MessagePin(kind, note)


def _pin(text: str) -> MessagePin | None:
    """A pin as it was kept; None for what another version wrote."""
    kind, _, note = text.partition(" ")
    return MessagePin(PinKind(kind), note) if kind in set(PinKind) else None
