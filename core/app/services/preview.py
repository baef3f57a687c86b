"""The preview of the open transcript: settings, undo, runs and restored messages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.common.errors import Cancelled, FoldlineError, InputError
from core.presentation.model import Notice
from core.settings.schema import SettingChanges

if TYPE_CHECKING:
    from core.app.document import OpenFile
    from core.app.events import CompactionRequest, OpenRequest
    from core.app.session import Session
    from core.app.view_state import ViewState
    from core.presentation.dialog_model import FileChoices


class PreviewService(Service):
    """Changes what the preview is computed from, and shows it again: the session sends the screen."""

    @remote(latest=True, interrupts=True)
    def change(self, values: SettingChanges = (), draft: bool = False) -> None:
        """Change session settings.

        ``draft``: show at once cuts, fates and sums, without writing the summary; it cannot be undone.
        """
        self._session.refresh()
        self._show_change(self._session.changed_view(values), values, draft=draft)

    @remote()
    def set_scope(self, scope: str) -> None:
        """Set the part of the transcript that is compacted: "all", "current" or "before:N"."""
        self._session.refresh()
        self._show_change(self._session.changed_view((), scope=scope))

    @remote()
    def set_model(self, model: str) -> None:
        """Set the model whose limit and prices apply."""
        self._session.refresh()
        self._show_change(self._session.changed_view((), model=model))

    def _show_change(self, view: ViewState, values: SettingChanges = (), *, draft: bool = False) -> None:
        from core.presentation.tuning_panel import last_change

        session = self._session
        file = session.file
        if file is None:
            session.view = view
            return
        before, previous = session.view, file.last_full_preview
        try:
            preview = session.preview(file, view, draft=draft, yields=bool(values))
        except FoldlineError as error:
            session.refuse(file, error)
            return
        change = last_change(previous, preview, tuple(key for key, _ in values)) or file.change
        if draft:
            session.show(file, preview, change=change, layers=view.layers)
            return
        if view != before:
            session.remember(before)
            file.change = change
        session.view = view
        session.show(file, preview)

    @remote(of_file=True)
    def set_focus(self, focus: str) -> None:
        """Set what the summary should keep above all, "" for nothing."""
        session = self._session
        if focus != session.view.focus:
            self._show_state(session.opened_file(), replace(session.view, focus=focus))

    @remote(of_file=True)
    def set_every_turn(self, every_turn: bool) -> None:
        """Show what the strategy does on every turn, or what it does when it compacts."""
        session = self._session
        if every_turn != session.view.every_turn:
            self._show_state(session.opened_file(), replace(session.view, every_turn=every_turn))

    @remote(of_file=True)
    def undo(self) -> None:
        """Undo the last change of settings, focus, pins, restored messages or the kind of run."""
        self._step(self._session.undo_stack, self._session.redo_stack)

    @remote(of_file=True)
    def redo(self) -> None:
        self._step(self._session.redo_stack, self._session.undo_stack)

    def _step(self, source: list[ViewState], target: list[ViewState]) -> None:
        """Show the last state of one stack, and put the present one on the other."""
        session = self._session
        session.refresh()
        if (file := session.file) is None or not source:
            return
        former = source.pop()
        # later changes of the settings file stay
        view = replace(former, layers=former.layers.with_saved(session.view.layers.saved))
        preview = session.preview(file, view)
        target.append(session.view)
        if view.pins != session.view.pins:
            view = session.keep_pins(file, view)
            preview = session.preview(file, view)  # with pins of another window
        session.view, file.change = view, None
        session.show(file, preview)

    @remote(of_file=True)
    def restore_message(self, index: int, back: bool = True) -> None:
        """Restore a message of the source (from 0) in the result; without ``back``, undo that."""
        session = self._session
        file = session.opened_file()
        restored = session.view.restored | {index} if back else session.view.restored - {index}
        view = replace(session.view, restored=restored)
        if view == session.view:
            title = f"#{index + 1} is unchanged in the result."
            session.emit(Notice("info", title, "Nothing to put back.", topic="result"))
        else:
            self._show_state(file, view)

    @remote(of_file=True)
    def restore_run(self, number: str) -> None:
        """Show a run, named by the value of its choice, again; its settings become those of the session."""
        session = self._session
        self._show_state(session.opened_file(), session.runs.run_state(number, session.view))

    def _show_state(self, file: OpenFile, view: ViewState) -> None:
        session = self._session
        preview = session.preview(file, view)
        session.remember(session.view)
        session.view, file.change = view, None
        session.show(file, preview)

    @remote(of_file=True)
    def compact(self, request: CompactionRequest) -> None:
        """Turn the preview into a run; with a real profile its model writes, once the user has agreed to pay.

        With ``offline`` the offline profile becomes the writer, so that the next run is free as well.
        """
        from core.presentation.preview_status import run_notice
        from core.preview.preview import with_restored

        session = self._session
        session.refresh()
        file = session.opened_file()
        view = replace(session.view, focus=request.focus or session.view.focus)
        view = _offline(view) if request.offline else view
        preview = session.model_runs.compacted(
            file, session.preview(file, view), request, session.preview_options(view), view.summary_key
        )
        if preview is None:
            return
        preview = with_restored(preview, view.restored)
        session.remember(session.view)
        number, session.view = session.runs.add(view, preview)
        session.show(file, preview, run_notice(number, preview))


def _offline(view: ViewState) -> ViewState:
    """Return the state with the offline profile as the writer; the active profile and its values stay."""
    from core.settings.keys import PROFILE
    from core.settings.profile import OFFLINE

    return replace(view, layers=view.layers.with_session(PROFILE, OFFLINE))


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
        session.view = replace(
            session.view, scope=scope, focus="", runs=(), restored=frozenset(), pins=pins, every_turn=False
        )
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

    @remote(latest=True, of_file=True)
    def choices(self) -> FileChoices:
        """Return what the pickers offer; it loads modules that the first preview does not need."""
        from core.export.export import EXPORTERS
        from core.presentation.opened_file import file_choices

        return file_choices(self._session.opened_file().conversation.format, EXPORTERS)

    @remote(of_file=True)
    def reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is unchanged. InputError where it is
        gone."""
        from core.app.loading import read_again
        from core.app.pins import load_pins
        from core.presentation.opened_file import missing_file_text

        session, request = self._session, self._request
        former = session.opened_file()
        if former.is_missing():
            raise InputError(*missing_file_text(former.conversation.document.absolute_path))
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
