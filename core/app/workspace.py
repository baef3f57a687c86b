"""Open file, settings, runs and undo behind a window; computes previews and sends their screens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from core.app.document import OpenFile
from core.app.events import Event
from core.app.loading import ProgressReporter
from core.app.pins import in_scope, keep_pins
from core.app.settings_files import SettingsFiles
from core.app.view_state import CompactionRuns, ViewState
from core.common.errors import Cancelled, FoldlineError, NoFileError
from core.formats.common.format import Format
from core.lint.lint import default_provider
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import Notice, Screen
from core.presentation.opened_file import file_opened_event
from core.presentation.preview_status import sends_to
from core.presentation.screen import preview_screen
from core.presentation.tuning_panel import SettingsChange, last_change
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import with_restored
from core.settings.profile import Profile
from core.settings.schema import SettingChanges
from core.settings_store.layers import SettingLayers
from core.transcript.model import Conversation, Progress

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput
    from core.app.model_progress import ModelRunHandler

_MANY = 500
"""Messages from which on a result is checked only when a panel asks; fewer take half a frame."""


class Workspace:
    """The open file and the view state, which services read and change."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self.emit = emit
        self.interrupted = interrupted
        self.file: OpenFile | None = None
        self.view = ViewState()
        self.undo_stack: list[ViewState] = []
        self.redo_stack: list[ViewState] = []
        self.runs = CompactionRuns()
        self.settings_files = SettingsFiles()
        self.generation = 0
        self.price_as = ""  # the model that prices summaries in analyses, "" for the session's
        self.screen: Screen | None = None  # the last one that was sent
        self.shown_change: SettingsChange | None = None
        self.shown_layers = self.view.layers
        self.shown_notices: tuple[Notice, ...] = ()  # on what led to the shown preview

    @cached_property
    def model_runs(self) -> ModelRunHandler:
        from core.app.model_progress import ModelRunHandler  # late: only needed with a model

        return ModelRunHandler(self.emit, self.is_cancelled)

    @property
    def layers(self) -> SettingLayers:
        return self.view.layers

    @property
    def profile(self) -> str:
        return self.view.profile

    @property
    def writer_name(self) -> str:
        return self.view.writer_name

    @property
    def shown(self) -> Preview | None:
        return self.file.shown if self.file is not None else None

    def reporter(self, *, stops_for_newer: bool = False) -> ProgressReporter:
        return ProgressReporter(self.emit, self.interrupted, stops_for_newer)

    def yielding_progress(self) -> Progress:
        """Return a progress that ends work where a newer setting waits, after which the window asks again."""
        return self.reporter(stops_for_newer=True).working

    def check(self) -> None:
        """Raise Cancelled where the user cancelled or something newer waits."""
        self.reporter(stops_for_newer=True).check()

    def is_cancelled(self) -> bool:
        return self.interrupted() == "cancel"

    @property
    def active_profile(self) -> Profile:
        """The profile that writes summaries, which is asked questions as well."""
        return self.settings_files.profiles.summary_profile(self.view.layers.resolve(), self.view.profile)

    def changed_view(
        self, values: SettingChanges, *, scope: str | None = None, model: str | None = None
    ) -> ViewState:
        """Return the view state with changes."""
        layers = self.view.layers
        for key, value in values:
            layers = layers.with_session(key, value)
        scope = self.view.scope if scope is None else scope
        model = self.view.model if model is None else model
        restored = self.view.restored if scope == self.view.scope else frozenset[int]()
        return replace(self.view, layers=layers, scope=scope, model=model, restored=restored)

    def remember(self, former: ViewState) -> None:
        """Let Undo return to a state; there is nothing to redo any more."""
        self.undo_stack.append(former)
        self.redo_stack.clear()

    def keep_pins(self, file: OpenFile, view: ViewState) -> ViewState:
        """Save the pins of a state, and return it with those that another window saved meanwhile."""
        return keep_pins(file.conversation, view, self.view, (self.undo_stack, self.redo_stack))

    def refresh(self, *, tells: bool = True) -> bool:
        """Take in a changed settings file and report its new problems; returns whether it changed."""
        settings_files, former = self.settings_files, self.view
        known = settings_files.problems
        self.view = replace(former, layers=settings_files.refreshed(former.layers))
        if tells and settings_files.problems != known:
            self.send_problems()
        return self.view != former

    def change(self, layers: SettingLayers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, and preview again; ``keys`` changed."""
        view = replace(self.view, layers=layers, profile=profile)
        file = self.file
        if file is None:
            self.view = view
            return
        # the saved layer is that of the file, even if no preview is possible with it
        self.view = replace(self.view, layers=self.view.layers.with_saved(layers.saved))
        preview = self.preview(file, view)
        if view != self.view:
            self.remember(self.view)
            file.change = last_change(file.last_full_preview, preview, keys) or file.change
        self.view = view
        self.show(file, preview)

    def refuse(self, file: OpenFile, error: FoldlineError) -> None:
        """Keep the former state; show it again with the reason, so that every control has its value."""
        notice = Notice("error", error.message, error.hint)
        if file.last_full_preview is None:
            self.emit(notice)
        else:
            self.show(file, file.last_full_preview, notice)

    def send_problems(self) -> None:
        for problem in self.settings_files.problems:
            self.emit(Notice("warning", problem, ""))

    def preview(
        self, file: OpenFile, view: ViewState, *, draft: bool = False, yields: bool = False
    ) -> Preview:
        """Return the preview of a view state; a summary that a model wrote for the same state is shown again.

        With ``yields`` it is cancelled for a newer setting, whose command then includes this one.
        """
        options = self.preview_options(view, draft=draft, yields=yields)
        may_be_known = bool(file.written) and not draft
        written = file.written.get(view.summary_key(options.writer)) if may_be_known else None
        preview = written or file.preview(view.layers.resolve(), options)
        return with_restored(preview, view.restored)

    def show_first(self, file: OpenFile) -> None:
        """Show the first screen."""
        self.show(file, self.preview(file, self.view))

    def analysis_input(self) -> AnalysisInput:
        """Return the input of analyses, offline, which a change of settings cancels."""
        from core.analysis.analysis_input import AnalysisInput  # late: previews do not need it

        view, file, progress = self.view, self.opened_file(), self.yielding_progress()
        options = PreviewOptions(scope=view.scope, model=view.model, progress=progress)
        values, stages = view.layers.resolve(), file.stages
        return AnalysisInput(
            conversation=file.conversation,
            values=values,
            options=options,
            stages=stages,
            price_as=self.price_as,
        )

    def preview_options(
        self, view: ViewState, *, draft: bool = False, yields: bool = False
    ) -> PreviewOptions:
        reporter = self.reporter(stops_for_newer=yields)
        writer = self.settings_files.writer(view.layers.resolve(), view.profile)
        return PreviewOptions(
            scope=view.scope,
            model=view.model,
            summary=None,
            focus=view.focus,
            draft=draft,
            progress=reporter.working,
            writer=writer.profile,
            writes_summary=writer.profile.is_offline,
            model_reason=writer.reason,
            checks=self.file is None or len(self.file.conversation.messages) < _MANY,
            waits_for_limit=True,
            pins={} if self.file is None else in_scope(view.pins, self.file.conversation, view.scope),
            every_turn=view.every_turn,
        )

    def show(
        self,
        file: OpenFile,
        preview: Preview,
        notice: Notice | None = None,
        change: SettingsChange | None = None,
        layers: SettingLayers | None = None,
    ) -> None:
        """Send the screen of a preview, which a change of settings, in ``layers``, or else led to. What was
        said of another writer goes. Raises Cancelled for a file that was read again or replaced meanwhile."""
        if file is not self.file:
            raise Cancelled
        if file.shown is not None and file.shown.summary.writer != preview.summary.writer:
            self.emit(Notice("info", "", "", topic="run"))
        self.generation += 1
        file.show(preview)
        self.shown_change, self.shown_layers = change or file.change, layers or self.view.layers
        self.shown_notices = () if notice is None else (notice,)
        run = "" if preview.summary.draft else self.runs.shown(self.view, preview)
        price = self.price(file, preview)
        self.screen = replace(
            preview_screen(
                preview, file.rows(preview), file.recorded(preview), run, file.context_tokens(preview), price
            ),
            generation=self.generation,
            run_choices=self.view.runs,
            can_undo=bool(self.undo_stack),
            can_redo=bool(self.redo_stack),
            profile=preview.summary.writer.name,
            sends_to=sends_to(preview.summary.writer, price),
            stale=self.has_stale_summary(preview),
        )
        self.emit(self.screen)

    def price(self, file: OpenFile, preview: Preview) -> str:
        """Return what a compact would cost at most, "" where no model writes."""
        if not preview.summary.unwritten or preview.summary.draft:
            return ""
        return self.model_runs.price(preview)

    def has_stale_summary(self, preview: Preview) -> bool:
        """Return whether a model wrote a summary, but for other settings."""
        return preview.summary.unwritten and not preview.summary.draft and bool(self.opened_file().written)

    @property
    def provider(self) -> str:
        conversation = self.opened_file().conversation
        return default_provider(conversation.format, conversation.model)

    def with_checks(self, file: OpenFile, preview: Preview) -> Preview:
        """Return the preview with its checks, for those who write them down."""
        return preview if preview.checks.lint else file.checked(preview, self.reporter().working)

    def opened_event(
        self, conversation: Conversation, reader: Format, why: str, path: str
    ) -> FileOpenedEvent:
        return file_opened_event(conversation, reader, why, path, self.settings_files.profiles.names())

    def opened_file(self) -> OpenFile:
        if self.file is None:
            raise NoFileError
        return self.file

    def shown_preview(self) -> Preview:
        shown = self.opened_file().shown
        if shown is None:
            raise NoFileError
        return shown
