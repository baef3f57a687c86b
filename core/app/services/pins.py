"""Pins and notes: set one, or pin every message with a constraint. Undo takes them back."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.app.services.lists import MessageListService
from core.common import number_format
from core.presentation.lists.model import UserMarks

if TYPE_CHECKING:
    from core.app.pins import PinUpdate
    from core.app.session import Session


class PinService:
    """Each method yields the new marks, then shows the preview."""

    def __init__(self, session: Session, lists: MessageListService) -> None:
        self._session, self._lists = session, lists

    @remote(of_file=True)
    def set_pin(self, side: str, index: int, kind: str, note: str = "") -> Generator[UserMarks, None, None]:
        """Pin a message ("keep" or "drop"; again: unpin), or give it a "note"."""
        from core.app.pins import pinned_once

        position = self._lists.source_position(side, index)
        place = self._session.shown_preview().history.positions.index(position)
        name = number_format.message_number(place)
        yield from self._apply(pinned_once(self._session.view.pins, position, kind, note, name))

    @remote(of_file=True)
    def pin_constraints(self) -> Generator[UserMarks, None, None]:
        """Pin every message with a constraint."""
        from core.analysis.fidelity.evaluate import active_constraints
        from core.app.pins import pinned_rules

        session, preview = self._session, self._session.shown_preview()
        progress = session.reporter(stops_for_newer=True).working
        rules = active_constraints(preview, session.opened_file().stages, progress)
        yield from self._apply(pinned_rules(session.view.pins, rules, preview))

    def _apply(self, update: PinUpdate) -> Generator[UserMarks, None, None]:
        from core.app.pins import keep_pins

        session, file, former = self._session, self._session.opened_file(), self._session.view
        if update.pins != former.pins:
            session.undo_stack.append(former)
            view, file.change = replace(former, pins=update.pins), None
            session.view, session.undo_stack = keep_pins(file.conversation, view, former, session.undo_stack)
        yield self._lists.marks()
        session.show(file, session.preview(file, session.view), update.notice)
