"""Opens transcripts, and reads one again when it has grown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.common.errors import Cancelled

if TYPE_CHECKING:
    from core.app.events import OpenRequest
    from core.app.session import Session


class OpenService(Service):
    """Opens files; the former one stays until the next was read and counted."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._request: OpenRequest | None = None

    @remote(latest=True, opens_file=True)
    def open(self, request: OpenRequest) -> None:
        """Read and count a transcript: the session sends progress, rows, and the first screen."""
        from core.app.document import OpenFile
        from core.app.loading import load_counted
        from core.app.pins import load_pins
        from core.presentation.opened_file import import_notice
        from core.transcript.scopes import ALL

        session, reporter = self._session, self._session.reporter()
        session.refresh(tells=False)
        session.generation += 1
        counted = load_counted(request, reporter, session.generation, session.view.model)
        conversation = counted.conversation
        session.undo_stack.clear()
        session.redo_stack.clear()
        session.runs.clear()
        pins, scope = load_pins(conversation), request.scope or ALL
        session.view = replace(session.view, scope=scope, focus="", runs=(), restored=frozenset(), pins=pins)
        self._request = request
        session.send_problems()
        opened = session.opened_event(conversation, counted.format, counted.format_reason, request.path)
        file = session.file = OpenFile.of(counted, opened.title)
        session.emit(opened)
        if (notice := import_notice(conversation)) is not None:
            session.emit(notice)
        try:
            session.show_first(file)
        except Cancelled:
            session.file = None
            raise

    @remote(of_file=True)
    def reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is unchanged."""
        from core.app.loading import read_again
        from core.app.pins import load_pins

        session, request = self._session, self._request
        former = session.opened_file()
        if request is None or not former.has_changed():
            return
        conversation, reader, why = read_again(request, session.reporter())
        opened = session.opened_event(conversation, reader, why, request.path)
        file = session.file = former.grown(conversation, opened.title, why)
        session.emit(replace(opened, has_grown=True))
        pins = load_pins(conversation)
        if pins != session.view.pins:  # messages moved: earlier pins would be on others
            session.view = replace(session.view, pins=pins)
            for stack in (session.undo_stack, session.redo_stack):
                stack[:] = [replace(view, pins=pins) for view in stack]
        session.show(file, session.preview(file, session.view))
