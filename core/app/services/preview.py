"""The preview of the open transcript: settings, undo, runs and restored messages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.display_state import DisplayState
from core.app.loading import load_counted, read_again
from core.app.open_file import OpenFile
from core.app.pins import load_pins
from core.app.services.service import Service
from core.app.view_state import with_put_back
from core.common.errors import Cancelled, FoldlineError, InputError
from core.export.export import EXPORTERS
from core.losses.must_keep import load_typed_musts, save_typed_musts
from core.presentation.dialog_model import missing_file_text
from core.presentation.model import Notice
from core.presentation.opened_file import file_choices, import_notice
from core.presentation.preview_status import run_notice
from core.settings.profile import OFFLINE
from core.settings.schema import PROFILE, STRATEGY, SettingChanges
from core.strategies.registry import find_strategy
from core.transcript.scopes import opening_scope
from core.trials.by_strategy import summary_switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.app.events import CompactionRequest, OpenRequest
    from core.app.services.compare import CompareService
    from core.app.view_state import ViewState
    from core.app.workspace import Workspace
    from core.presentation.compare.model import StrategyCard
    from core.presentation.dialog_model import FileChoices
    from core.trials.trial import Trial


class PreviewService(Service):
    """Changes what the preview is computed from, and shows it again: the workspace sends the
    screen."""

    def __init__(
        self, workspace: Workspace, compare: Callable[[], CompareService]
    ) -> None:
        super().__init__(workspace)
        self._compare = compare

    def change(
        self, values: SettingChanges = (), provisional: bool = False
    ) -> StrategyCard | None:
        """Change session settings. Where they choose a strategy, it takes those with it that reach
        the person's aim, whose card is returned; a change that has settings of it decides itself.

        ``provisional``: show at once cuts, fates and sums, without writing the summary; it cannot
        be undone.
        """
        aim = 0.0 if provisional else self._workspace.view.aim
        return self._change_with_aim(values, aim, provisional=provisional)

    def use_strategy(self, name: str, aim: float) -> None:
        """Choose a strategy with the settings that reach a size, in tokens."""
        self._change_with_aim(((STRATEGY, name),), aim)

    def _change_with_aim(
        self, values: SettingChanges, aim: float, *, provisional: bool = False
    ) -> StrategyCard | None:
        card = None
        try:
            if aim and self._workspace.display.settled.file is not None:
                card = self._aimed(values, aim)
        except FoldlineError as error:
            self._workspace.refuse(error)
            return None
        if card is not None:
            values = (*values, *card.values)
        keys = tuple(key for key, _ in values)
        self._change(keys, values=values, provisional=provisional)
        return card

    def _aimed(self, values: SettingChanges, aim: float) -> StrategyCard | None:
        """Return the card of the strategy that a change chooses, at an aim; None where it chooses
        none, or comes with settings of it."""
        chosen = {key for key, _ in values}
        if STRATEGY not in chosen:
            return None
        name = self._workspace.changed_view(values).layers.resolve().text(STRATEGY)
        if chosen.intersection(find_strategy(name).options):
            return None
        return self._compare().aimed(aim, name)

    def use_program(self, command: str) -> None:
        """Let a program that the user named be the strategy of the open file; InputError for no
        command."""
        workspace = self._workspace
        workspace.refresh()
        layers = workspace.layers.with_program(command)
        workspace.opened_file().stages.forget_compactions()
        self._take_over(replace(workspace.view, layers=layers), (STRATEGY,))

    def use_trial(self, trial: Trial) -> None:
        """Show a row of Compare whose summary a profile wrote, in its settings, without a call."""
        workspace = self._workspace
        workspace.refresh()
        file = workspace.opened_file()
        layers = workspace.layers
        switches = summary_switches((trial.strategy,), layers.resolve())
        values: SettingChanges = (
            (STRATEGY, trial.strategy),
            (PROFILE, trial.profile),
            *((key, True) for key in switches),
        )
        view = workspace.changed_view(values)
        preview = file.compared.get(trial)
        depends_on_more = view.pins or view.focus or view.every_turn  # Compare has none
        if preview is not None and not depends_on_more:
            file.written[view.summary_key(preview.summary.profile)] = preview
        self._take_over(view, tuple(key for key, _ in values))

    def set_scope(self, scope: str) -> None:
        """Set the part of the transcript that is compacted: "all", "current" or "before:N"."""
        self._change((), scope=scope)

    def set_model(self, model: str) -> None:
        """Set the model whose limit and prices apply."""
        self._change((), model=model)

    def _change(
        self,
        keys: tuple[str, ...],
        *,
        values: SettingChanges = (),
        scope: str | None = None,
        model: str | None = None,
        provisional: bool = False,
    ) -> None:
        workspace = self._workspace
        workspace.refresh()
        view = workspace.changed_view(values, scope=scope, model=model)
        self._take_over(view, keys, provisional=provisional)

    def _take_over(
        self, view: ViewState, keys: tuple[str, ...], *, provisional: bool = False
    ) -> None:
        """Show a view whose settings changed; what is refused leaves all as it is, with the
        reason."""
        workspace = self._workspace
        try:
            workspace.change(view, keys, provisional=provisional, yields=bool(keys))
        except FoldlineError as error:
            workspace.refuse(error)

    def set_focus(self, focus: str) -> None:
        """Set what the summary should keep above all, "" for nothing."""
        self._change_state(replace(self._workspace.view, focus=focus))

    def set_every_turn(self, every_turn: bool) -> None:
        """Show what the strategy does on every turn, or what it does when it compacts."""
        self._change_state(replace(self._workspace.view, every_turn=every_turn))

    def set_aim(self, aim: float) -> None:
        """Judge results by a size, a share of the limit up to 1, tokens above it, 0 for none. It
        changes no result: Undo does not take it back."""
        workspace = self._workspace
        file = workspace.opened_file()
        former = workspace.display.settled
        view = replace(former.view, aim=aim)
        preview = workspace.preview(file, view)
        workspace.show(replace(former, view=view, preview=preview))

    def _change_state(self, view: ViewState) -> None:
        self._workspace.opened_file()
        if view != self._workspace.view:
            self._workspace.change(view)

    def undo(self) -> None:
        """Undo the last change of settings, focus, pins, restored messages or the kind of run."""
        self._step(self._workspace.undo_stack, self._workspace.redo_stack)

    def redo(self) -> None:
        self._step(self._workspace.redo_stack, self._workspace.undo_stack)

    def _step(self, source: list[ViewState], target: list[ViewState]) -> None:
        """Show the last state of one stack, and put the present one on the other."""
        workspace = self._workspace
        workspace.refresh()
        former = workspace.display.settled
        if (file := former.file) is None or not source:
            return
        # later changes of the settings file stay
        layers = source[-1].layers.with_saved(former.view.layers.saved)
        view = replace(source[-1], layers=layers, aim=former.view.aim)
        preview = workspace.preview(file, view)
        source.pop()
        target.append(former.view)
        if view.pins != former.view.pins:
            view = workspace.keep_pins(file, view)
            preview = workspace.preview(file, view)  # with pins of another window
        if view.musts != former.view.musts:
            save_typed_musts(file.conversation, view.musts)
        workspace.show(
            replace(former, view=view, preview=preview, change=None, notices=())
        )

    def restore_message(self, index: int, back: bool = True) -> None:
        """Restore a message of the source (from 0) in the result; without ``back``, undo that."""
        workspace = self._workspace
        workspace.opened_file()
        if back:
            restored = workspace.view.restored | {index}
        else:
            restored = workspace.view.restored - {index}
        view = replace(workspace.view, restored=restored)
        if view == workspace.view:
            title = f"#{index + 1} is unchanged in the result."
            workspace.emit(
                Notice("info", title, "Nothing to put back.", topic="result")
            )
        else:
            workspace.change(view)

    def add_excerpts(self, back: bool = True) -> None:
        """Put the most useful lines that the result lacks back into it; without ``back``, take them
        out."""
        workspace = self._workspace
        workspace.opened_file()
        view = replace(workspace.view, adds_excerpts=back, lines=())
        if view != workspace.view:
            workspace.change(view)

    def add_line(self, index: int, text: str) -> None:
        """Put one of the lines that the result lacks back into it: that of a source message (from
        0) with this text. InputError where it is not offered any more."""
        workspace = self._workspace
        offered = workspace.offered_lines().lines
        found = next(
            (one for one in offered if (one.index, one.text) == (index, text)), None
        )
        if found is None:
            raise InputError(
                "The line stands in the result, or is gone from the list.",
                "Look again.",
            )
        workspace.change(replace(workspace.view, lines=(*workspace.view.lines, found)))

    def restore_run(self, number: str) -> None:
        """Show a run, named by the value of its choice, again; its settings become those of the
        session."""
        workspace = self._workspace
        workspace.opened_file()
        workspace.change(workspace.runs.run_state(number, workspace.view))

    def compact(self, request: CompactionRequest) -> None:
        """Turn the preview into a run; with a real profile its model writes, once the user has
        agreed to pay.

        With ``offline`` the offline profile becomes the writer, so that the next run is free as
        well.
        """
        workspace = self._workspace
        workspace.refresh()
        file = workspace.opened_file()
        former = workspace.display.settled
        view = replace(former.view, focus=request.focus or former.view.focus)
        if request.offline:
            view = _offline(view)
        preview = workspace.model_runs.compacted(
            file,
            workspace.preview(file, view),
            request,
            workspace.preview_options(file, view),
            view.summary_key,
        )
        if preview is None:
            return
        preview = with_put_back(preview, view)
        _, view = workspace.runs.add(view, preview)
        workspace.settle(former, view, preview, former.change, run_notice(preview))


def _offline(view: ViewState) -> ViewState:
    """Return the state with the offline profile as the writer; the active profile and its values
    stay."""
    return replace(view, layers=view.layers.with_session(PROFILE, OFFLINE))


class OpenService(Service):
    """Opens files; the former one stays until the next was read and counted."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._request: OpenRequest | None = None

    def open(self, request: OpenRequest) -> None:
        """Read and count a transcript: the workspace sends progress, rows, and the first screen."""
        workspace = self._workspace
        reporter = self._workspace.reporter()
        workspace.refresh(tells=False)
        display = workspace.replace_view(
            workspace.view
        )  # rows of the file are newer than what is shown
        counted = load_counted(
            request, reporter, display.generation, display.view.model
        )
        conversation = counted.conversation
        workspace.undo_stack.clear()
        workspace.redo_stack.clear()
        workspace.runs.clear()
        pins = load_pins(conversation)
        if request.view is None:
            view = replace(
                workspace.view,
                layers=workspace.layers.without_program(),  # it was named for the former file
                scope=opening_scope(conversation, request.scope),
                focus="",
                runs=(),
                restored=frozenset(),
                lines=(),
                pins=pins,
                aim=0.0,
                every_turn=False,
                musts=load_typed_musts(conversation),
            )
        else:
            # A former worker showed this; its runs ended with it, saved settings may have changed.
            layers = request.view.layers.with_saved(workspace.view.layers.saved)
            view = replace(request.view, layers=layers, runs=(), pins=pins)
        self._request = replace(request, view=None)
        workspace.send_problems()
        event = workspace.opened_event(
            conversation, counted.format, counted.format_reason, request.path
        )
        file = OpenFile.of(counted)
        display = workspace.replace_display(DisplayState(file=file, view=view))
        # The list keeps its place where the same file is opened again.
        workspace.emit(replace(event, has_grown=request.view is not None))
        if (notice := import_notice(conversation)) is not None:
            workspace.emit(notice)
        try:
            workspace.show(replace(display, preview=workspace.preview(file, view)))
        except Cancelled:
            workspace.replace_display(DisplayState(view=view))
            raise

    def choices(self) -> FileChoices:
        """Return what the pickers offer; it loads modules that the first preview does not need."""
        return file_choices(
            self._workspace.opened_file().conversation.format, EXPORTERS
        )

    def reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is unchanged. InputError
        where it is gone."""
        workspace, request = self._workspace, self._request
        former = workspace.opened_file()
        if former.is_missing():
            raise InputError(
                *missing_file_text(former.conversation.document.absolute_path)
            )
        if request is None or not former.has_changed():
            return
        conversation, reader, why = read_again(request, workspace.reporter())
        event = workspace.opened_event(conversation, reader, why, request.path)
        file = former.grown(conversation, why)
        pins = load_pins(conversation)
        read, are_moved = (
            former.conversation,
            pins != workspace.view.pins,
        )  # earlier pins would be on others
        view = replace(workspace.view.of_grown(read, conversation), pins=pins)
        preview = workspace.preview(file, view)
        for stack in (workspace.undo_stack, workspace.redo_stack):
            states = [one.of_grown(read, conversation) for one in stack]
            stack[:] = (
                [replace(one, pins=pins) for one in states] if are_moved else states
            )
        display = workspace.replace_display(DisplayState(file=file, view=view))
        workspace.emit(replace(event, has_grown=True))
        workspace.show(replace(display, preview=preview))
