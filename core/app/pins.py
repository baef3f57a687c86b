"""Pins: kept in the state folder, set for one message or for all constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.analysis.fidelity.model import SourceFact
from core.app import message_marks
from core.app.services.runs import ViewState
from core.common import number_format
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from core.transcript.model import Conversation
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import history_of_scope

PINS = "pins"
"""The section of pins in core.app.message_marks; a value is the kind, a blank and the note."""

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
    pins: Pins
    notice: Notice


def load_pins(conversation: Conversation) -> dict[int, MessagePin]:
    """Return the saved pins of a conversation; those of another version are ignored."""
    return _parse_pins(message_marks.load_section(PINS, conversation.messages))


def keep_pins(
    conversation: Conversation, view: ViewState, former: ViewState, undo: Sequence[ViewState]
) -> tuple[ViewState, list[ViewState]]:
    """Save the differences between the pins of two states. InputError where they cannot be saved.

    What another window pinned meanwhile stays; the state, and those of Undo, are returned with it.
    """
    noted = message_marks.save_section(
        PINS, conversation.messages, _texts(view.pins), former=_texts(former.pins)
    )
    saved = _parse_pins(noted)
    return replace(view, pins=saved), [
        replace(one, pins=message_marks.merge_changes(one.pins, view.pins, saved)) for one in undo
    ]


def _texts(pins: Pins) -> dict[int, str]:
    return {at: f"{pin.kind} {pin.note}".rstrip() for at, pin in pins.items()}


def _parse_pins(noted: Mapping[int, str]) -> dict[int, MessagePin]:
    return {at: pin for at, text in noted.items() if (pin := _parse_pin(text)) is not None}


def in_scope(pins: Pins, conversation: Conversation, scope: str) -> dict[int, MessagePin]:
    if not pins:
        return {}
    positions = history_of_scope(conversation, scope).positions
    return {place: pins[at] for place, at in enumerate(positions) if at in pins}


def pinned_once(pins: Pins, position: int, kind: str, note: str, name: str) -> PinUpdate:
    """Pin a message, or remove the same pin; a note stays."""
    old = pins.get(position)
    new = _pin_after(old, kind, note)
    others = {at: pin for at, pin in pins.items() if at != position}
    found = others if new is None else {**others, position: new}
    if kind == PinKind.NOTE:
        words = f"Noted {name}." if note else f"The note on {name} is gone."
    else:
        words = _WORDS[None if new is None else new.kind].format(name)
    return PinUpdate(found, Notice("info", words, "", (UNDO,), topic="pin"))


def pinned_rules(pins: Pins, rules: Sequence[SourceFact], preview: Preview) -> PinUpdate:
    """Pin the messages of these constraints to be kept; one pinned to be dropped stays so."""
    places = sorted({preview.history.positions[rule.messages[0]] for rule in rules})
    new = [at for at in places if at >= 0 and not _is_pinned(pins.get(at))]
    found = dict(pins)
    for at in new:
        note = pins[at].note if at in pins else ""
        found[at] = MessagePin(PinKind.KEEP, note)
    if not rules:
        return PinUpdate(found, _NONE)
    constraints = number_format.plural(len(rules), "constraint")
    if not new:
        hint = "It is pinned already." if len(rules) == 1 else "They are pinned already."
        return PinUpdate(found, Notice("info", f"Nothing to pin: {constraints} found.", hint, topic="pin"))
    words = f"Pinned {number_format.plural(len(new), 'message')} for {constraints}."
    return PinUpdate(found, Notice("info", words, "", (UNDO,), topic="pin"))


def _is_pinned(pin: MessagePin | None) -> bool:
    return pin is not None and pin.kind is not PinKind.NOTE


def _pin_after(old: MessagePin | None, kind: str, note: str) -> MessagePin | None:
    """Return the changed pin: the same kind again removes it, an empty note removes the note."""
    if kind == PinKind.NOTE:
        if old is None or old.kind is PinKind.NOTE:
            return MessagePin(PinKind.NOTE, note) if note else None
        return replace(old, note=note)
    old_note = old.note if old is not None else ""
    if old is not None and old.kind == kind:
        return MessagePin(PinKind.NOTE, old_note) if old_note else None
    return MessagePin(PinKind(kind), old_note)


def _parse_pin(text: str) -> MessagePin | None:
    """Return a saved pin; None for what another version wrote."""
    kind, _, note = text.partition(" ")
    return MessagePin(PinKind(kind), note) if kind in set(PinKind) else None
