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
    from core.app.view_state import ViewState
    from core.app.workspace import Workspace
    from core.presentation.dialog_model import FileChoices


class PreviewService(Service):
    """Changes what the preview is computed from, and shows it again: the workspace sends the screen."""

    @remote(latest=True, interrupts=True)
    def change(self, values: SettingChanges = (), draft: bool = False) -> None:
        """Change session settings.

        ``draft``: show at once cuts, fates and sums, without writing the summary; it cannot be undone.
        """
        self._workspace.refresh()
        self._show_change(self._workspace.changed_view(values), values, draft=draft)

    @remote()
    def set_scope(self, scope: str) -> None:
        """Set the part of the transcript that is compacted: "all", "current" or "before:N"."""
        self._workspace.refresh()
        self._show_change(self._workspace.changed_view((), scope=scope))

    @remote()
    def set_model(self, model: str) -> None:
        """Set the model whose limit and prices apply."""
        self._workspace.refresh()
        self._show_change(self._workspace.changed_view((), model=model))

    def _show_change(self, view: ViewState, values: SettingChanges = (), *, draft: bool = False) -> None:
        from core.presentation.tuning_panel import last_change

        workspace = self._workspace
        file = workspace.file
        if file is None:
            workspace.view = view
            return
        before, previous = workspace.view, file.last_full_preview
        try:
            preview = workspace.preview(file, view, draft=draft, yields=bool(values))
        except FoldlineError as error:
            workspace.refuse(file, error)
            return
        change = last_change(previous, preview, tuple(key for key, _ in values)) or file.change
        if draft:
            workspace.show(file, preview, change=change, layers=view.layers)
            return
        if view != before:
            workspace.remember(before)
            file.change = change
        workspace.view = view
        workspace.show(file, preview)

    @remote(of_file=True)
    def set_focus(self, focus: str) -> None:
        """Set what the summary should keep above all, "" for nothing."""
        workspace = self._workspace
        if focus != workspace.view.focus:
            self._show_state(workspace.opened_file(), replace(workspace.view, focus=focus))

    @remote(of_file=True)
    def set_every_turn(self, every_turn: bool) -> None:
        """Show what the strategy does on every turn, or what it does when it compacts."""
        workspace = self._workspace
        if every_turn != workspace.view.every_turn:
            self._show_state(workspace.opened_file(), replace(workspace.view, every_turn=every_turn))

    @remote(of_file=True)
    def undo(self) -> None:
        """Undo the last change of settings, focus, pins, restored messages or the kind of run."""
        self._step(self._workspace.undo_stack, self._workspace.redo_stack)

    @remote(of_file=True)
    def redo(self) -> None:
        self._step(self._workspace.redo_stack, self._workspace.undo_stack)

    def _step(self, source: list[ViewState], target: list[ViewState]) -> None:
        """Show the last state of one stack, and put the present one on the other."""
        workspace = self._workspace
        workspace.refresh()
        if (file := workspace.file) is None or not source:
            return
        former = source.pop()
        # later changes of the settings file stay
        view = replace(former, layers=former.layers.with_saved(workspace.view.layers.saved))
        preview = workspace.preview(file, view)
        target.append(workspace.view)
        if view.pins != workspace.view.pins:
            view = workspace.keep_pins(file, view)
            preview = workspace.preview(file, view)  # with pins of another window
        workspace.view, file.change = view, None
        workspace.show(file, preview)

    @remote(of_file=True)
    def restore_message(self, index: int, back: bool = True) -> None:
        """Restore a message of the source (from 0) in the result; without ``back``, undo that."""
        workspace = self._workspace
        file = workspace.opened_file()
        restored = workspace.view.restored | {index} if back else workspace.view.restored - {index}
        view = replace(workspace.view, restored=restored)
        if view == workspace.view:
            title = f"#{index + 1} is unchanged in the result."
            workspace.emit(Notice("info", title, "Nothing to put back.", topic="result"))
        else:
            self._show_state(file, view)

    @remote(of_file=True)
    def restore_run(self, number: str) -> None:
        """Show a run, named by the value of its choice, again; its settings become those in force."""
        workspace = self._workspace
        self._show_state(workspace.opened_file(), workspace.runs.run_state(number, workspace.view))

    def _show_state(self, file: OpenFile, view: ViewState) -> None:
        workspace = self._workspace
        preview = workspace.preview(file, view)
        workspace.remember(workspace.view)
        workspace.view, file.change = view, None
        workspace.show(file, preview)

    @remote(of_file=True)
    def compact(self, request: CompactionRequest) -> None:
        """Turn the preview into a run; with a real profile its model writes, once the user has agreed to pay.

        With ``offline`` the offline profile becomes the writer, so that the next run is free as well.
        """
        from core.presentation.preview_status import run_notice
        from core.preview.preview import with_restored

        workspace = self._workspace
        workspace.refresh()
        file = workspace.opened_file()
        view = replace(workspace.view, focus=request.focus or workspace.view.focus)
        view = _offline(view) if request.offline else view
        preview = workspace.model_runs.compacted(
            file, workspace.preview(file, view), request, workspace.preview_options(view), view.summary_key
        )
        if preview is None:
            return
        preview = with_restored(preview, view.restored)
        workspace.remember(workspace.view)
        number, workspace.view = workspace.runs.add(view, preview)
        workspace.show(file, preview, run_notice(number, preview))


def _offline(view: ViewState) -> ViewState:
    """Return the state with the offline profile as the writer; the active profile and its values stay."""
    from core.settings.keys import PROFILE
    from core.settings.profile import OFFLINE

    return replace(view, layers=view.layers.with_session(PROFILE, OFFLINE))


class OpenService(Service):
    """Opens files; the former one stays until the next was read and counted."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._request: OpenRequest | None = None

    @remote(latest=True, opens_file=True)
    def open(self, request: OpenRequest) -> None:
        """Read and count a transcript: the workspace sends progress, rows, and the first screen."""
        from core.app.document import OpenFile
        from core.app.loading import load_counted
        from core.app.pins import load_pins
        from core.presentation.opened_file import import_notice
        from core.transcript.scopes import ALL

        workspace, reporter = self._workspace, self._workspace.reporter()
        workspace.refresh(tells=False)
        workspace.generation += 1
        counted = load_counted(request, reporter, workspace.generation, workspace.view.model)
        conversation = counted.conversation
        workspace.undo_stack.clear()
        workspace.redo_stack.clear()
        workspace.runs.clear()
        pins, scope = load_pins(conversation), request.scope or ALL
        workspace.view = replace(
            workspace.view, scope=scope, focus="", runs=(), restored=frozenset(), pins=pins, every_turn=False
        )
        self._request = request
        workspace.send_problems()
        opened = workspace.opened_event(conversation, counted.format, counted.format_reason, request.path)
        file = workspace.file = OpenFile.of(counted, opened.title)
        workspace.emit(opened)
        if (notice := import_notice(conversation)) is not None:
            workspace.emit(notice)
        try:
            workspace.show_first(file)
        except Cancelled:
            workspace.file = None
            raise

    @remote(latest=True, of_file=True)
    def choices(self) -> FileChoices:
        """Return what the pickers offer; it loads modules that the first preview does not need."""
        from core.export.export import EXPORTERS
        from core.presentation.opened_file import file_choices

        return file_choices(self._workspace.opened_file().conversation.format, EXPORTERS)

    @remote(of_file=True)
    def reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is unchanged. InputError where it is
        gone."""
        from core.app.loading import read_again
        from core.app.pins import load_pins
        from core.presentation.opened_file import missing_file_text

        workspace, request = self._workspace, self._request
        former = workspace.opened_file()
        if former.is_missing():
            raise InputError(*missing_file_text(former.conversation.document.absolute_path))
        if request is None or not former.has_changed():
            return
        conversation, reader, why = read_again(request, workspace.reporter())
        opened = workspace.opened_event(conversation, reader, why, request.path)
        file = workspace.file = former.grown(conversation, opened.title, why)
        workspace.emit(replace(opened, has_grown=True))
        pins = load_pins(conversation)
        if pins != workspace.view.pins:  # messages moved: earlier pins would be on others
            workspace.view = replace(workspace.view, pins=pins)
            for stack in (workspace.undo_stack, workspace.redo_stack):
                stack[:] = [replace(view, pins=pins) for view in stack]
        workspace.show(file, workspace.preview(file, workspace.view))
