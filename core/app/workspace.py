"""The workspace of a window: its open file, settings, runs and undo. It computes previews and sends
their screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from core.analysis.analysis_input import AnalysisInput
from core.app.display_state import DisplayState, display_screen
from core.app.events import Event, ViewStateEvent
from core.app.loading import ProgressReporter
from core.app.model_progress import ModelRunHandler
from core.app.open_file import OpenFile
from core.app.pins import in_scope, keep_pins
from core.app.settings_files import SettingsFiles
from core.app.view_state import CompactionRuns, ViewState, with_put_back
from core.common.errors import Cancelled, FoldlineError, InputError, NoFileError
from core.formats.common.format import Format
from core.lint.lint import default_provider
from core.losses.must_keep import must_files
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import RUN_TOPIC, Notice
from core.presentation.opened_file import file_opened_event
from core.presentation.tuning_panel import SettingsChange, last_change
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.preview.preview import lines_to_put_back
from core.settings.profile import Profile
from core.settings.schema import SettingChanges
from core.settings_store.layers import SettingLayers
from core.transcript.model import Conversation, Progress
from core.transcript.scopes import ALL, CURRENT

if TYPE_CHECKING:
    from core.losses.must_keep import MustFile
    from core.strategies.excerpt_units import Supplement

_T = TypeVar("_T")


def _serve_nothing() -> None: ...


class Workspace:
    """The open file and the view state, which services read and change."""

    def __init__(
        self, emit: Callable[[Event], None], interrupted: Callable[[], str]
    ) -> None:
        self.emit = emit
        self.interrupted = interrupted
        self.serve_reading: Callable[[], None] = _serve_nothing
        self.display = DisplayState()
        self.undo_stack: list[ViewState] = []
        self.redo_stack: list[ViewState] = []
        self.runs = CompactionRuns()
        self.settings_files = SettingsFiles()
        self.price_as = (
            ""  # the model that prices summaries in analyses, "" for the session's
        )

    @cached_property
    def model_runs(self) -> ModelRunHandler:

        return ModelRunHandler(self.emit, self.is_cancelled)

    @property
    def view(self) -> ViewState:
        """What the next change starts from."""
        return self.display.settled.view

    @property
    def layers(self) -> SettingLayers:
        return self.view.layers

    @property
    def profile(self) -> str:
        return self.view.profile

    @property
    def summary_profile_name(self) -> str:
        return self.view.summary_profile_name

    def reporter(self, *, stops_for_newer: bool = False) -> ProgressReporter:
        return ProgressReporter(self.emit, self.interrupted, stops_for_newer)

    def yielding_progress(self) -> Progress:
        """Return a progress that ends work where a newer setting waits, after which the window asks
        again."""
        return self.reporter(stops_for_newer=True).working

    def check(self) -> None:
        """Raise Cancelled where the user cancelled or something newer waits."""
        self.reporter(stops_for_newer=True).check()

    def is_cancelled(self) -> bool:
        """Return whether a wait should end, as for a model; calls that only read run meanwhile."""
        self.serve_reading()
        return self.interrupted() == "cancel"

    @property
    def active_profile(self) -> Profile:
        """The profile that writes summaries, which is asked questions as well."""
        return self.settings_files.profiles.summary_profile(
            self.view.layers.resolve(), self.view.profile
        )

    def changed_view(
        self,
        values: SettingChanges,
        *,
        scope: str | None = None,
        model: str | None = None,
    ) -> ViewState:
        """Return the view state with changes."""
        layers = self.view.layers
        for key, value in values:
            layers = layers.with_session(key, value)
        if scope is None:
            scope = self.view.scope
        if model is None:
            model = self.view.model
        view = replace(self.view, layers=layers, scope=scope, model=model)
        if scope != self.view.scope:  # what was put back is of another history
            view = replace(view, restored=frozenset(), lines=())
        return view

    def remember(self, former: ViewState) -> None:
        """Let Undo return to a state; there is nothing to redo any more."""
        self.undo_stack.append(former)
        self.redo_stack.clear()

    def replace_display(
        self, display: DisplayState, *, is_seen: bool = True
    ) -> DisplayState:
        """Replace what is shown, by a newer generation where the window can see it. Nothing else
        does."""
        self.display = replace(display, generation=self.display.generation + is_seen)
        return self.display

    def replace_view(self, view: ViewState) -> DisplayState:
        """Take over a view state, which the next preview is computed from; the preview stays."""
        return self.replace_display(self.display.with_view(view))

    def keep_pins(self, file: OpenFile, view: ViewState) -> ViewState:
        """Save the pins of a state, and return it with those that another window saved
        meanwhile."""
        return keep_pins(
            file.conversation, view, self.view, (self.undo_stack, self.redo_stack)
        )

    def refresh(self, *, tells: bool = True) -> None:
        """Take in a settings file that another program changed; with ``tells`` show its preview and
        report its new problems."""
        settings_files, former = self.settings_files, self.view
        known = settings_files.problems
        view = replace(former, layers=settings_files.refreshed(former.layers))
        if view != former:
            display = self.replace_view(view).settled
            if tells and display.file is not None:
                try:
                    self.show(
                        replace(
                            display,
                            preview=self.preview(display.file, view),
                            notices=(),
                        )
                    )
                except FoldlineError as error:
                    self.refuse(error)
        if tells and settings_files.problems != known:
            self.send_problems()

    def change_settings(
        self, layers: SettingLayers, profile: str, keys: tuple[str, ...]
    ) -> None:
        """Take over settings and active profile, and preview again; ``keys`` changed."""
        if (
            layers.saved != self.view.layers.saved
        ):  # even if no preview is possible with it
            self.replace_view(
                replace(self.view, layers=self.view.layers.with_saved(layers.saved))
            )
        self.change(replace(self.view, layers=layers, profile=profile), keys)

    def change(
        self,
        view: ViewState,
        keys: Sequence[str] | None = None,
        *,
        provisional: bool = False,
        yields: bool = False,
    ) -> None:
        """Take over a view state and show its preview, which Undo takes back; where none is
        possible, nothing changes. ``keys`` are the settings that changed, None where the change is
        not one of settings.

        ``provisional``: show it over what stays. ``yields``: it ends for a newer setting.
        """
        former = self.display.settled
        if former.file is None:
            self.replace_view(view)
            return
        preview = self.preview(
            former.file, view, provisional=provisional, yields=yields
        )
        if keys is None:
            change = None
        else:
            change = last_change(former.preview, preview, keys) or former.change
        if provisional:
            self.show(
                replace(
                    former,
                    view=view,
                    preview=preview,
                    change=change,
                    notices=(),
                    over=former,
                )
            )
        else:
            self.settle(
                former, view, preview, change if view != former.view else former.change
            )

    def settle(
        self,
        former: DisplayState,
        view: ViewState,
        preview: Preview,
        change: SettingsChange | None = None,
        notice: Notice | None = None,
    ) -> DisplayState:
        """Show a preview in place of ``former``, to which Undo returns if the state is another
        one."""
        self.check_current(former)
        if view != former.view:
            self.remember(former.view)
        notices = () if notice is None else (notice,)
        return self.show(
            replace(former, view=view, preview=preview, change=change, notices=notices)
        )

    def refuse(self, error: FoldlineError) -> None:
        """Show the former state again with the reason, so that every control has its value."""
        notice = Notice("error", error.message, error.hint)
        former = self.display.settled
        if former.preview is None:
            self.emit(notice)
        else:
            self.show(replace(former, notices=(notice,)))

    def send_problems(self) -> None:
        for problem in self.settings_files.problems:
            self.emit(Notice("warning", problem, ""))

    def preview(
        self,
        file: OpenFile,
        view: ViewState,
        *,
        provisional: bool = False,
        yields: bool = False,
    ) -> Preview:
        """Return the preview of a view state; a summary that a model wrote for the same state is
        shown again.

        With ``yields`` it is cancelled for a newer setting, whose command then includes this one.
        """
        options = self.preview_options(
            file, view, provisional=provisional, yields=yields
        )
        may_be_known = bool(file.written) and not provisional
        if may_be_known:
            written = file.written.get(view.summary_key(options.summary.profile))
        else:
            written = None
        preview = written or file.preview(view.layers.resolve(), options)
        return with_put_back(preview, view)

    def offered_lines(self) -> Supplement:
        """Return the most useful lines that the shown result lacks; they are looked for once."""
        preview = self.displayed_preview()
        progress = self.yielding_progress()
        return self.opened_file().stages.get_or_compute_of(
            preview.result.compaction,
            "lines to put back",
            lambda: lines_to_put_back(preview, progress),
        )

    def analysis_input(self) -> AnalysisInput:
        """Return the input of analyses, offline, which a change of settings cancels."""
        view = self.view
        file = self.opened_file()
        progress = self.yielding_progress()
        options = PreviewOptions(scope=view.scope, model=view.model, progress=progress)
        values = view.layers.resolve()
        stages = file.stages
        return AnalysisInput(
            conversation=file.conversation,
            values=values,
            options=options,
            stages=stages,
            written=file.compared,
            price_as=self.price_as,
        )

    def must_files(self) -> list[MustFile]:
        """Return the files of texts that must survive; one that cannot be read is said and left
        out."""
        try:
            return must_files(self.opened_file().conversation)
        except InputError as error:
            self.emit(Notice("warning", error.message, error.hint, topic="must"))
            return []

    def must_texts(self) -> tuple[str, ...]:
        return self.view.musts.joined(self.must_files())

    def whole_input(self) -> AnalysisInput:
        """Return the same over the whole session where the current context is shown: a replay goes
        through its turns from the first."""
        source = self.analysis_input()
        if source.options.scope != CURRENT:
            return source
        return replace(source, options=replace(source.options, scope=ALL))

    def preview_options(
        self,
        file: OpenFile,
        view: ViewState,
        *,
        provisional: bool = False,
        yields: bool = False,
    ) -> PreviewOptions:
        reporter = self.reporter(stops_for_newer=yields)
        conversation = file.conversation
        summary_profile = self.settings_files.summary_profile(
            view.layers.resolve(), view.profile
        )
        return PreviewOptions(
            scope=view.scope,
            model=view.model,
            focus=view.focus,
            provisional=provisional,
            progress=reporter.working,
            checks=False,  # the panels and exports ask for them
            waits_for_limit=True,
            pins=in_scope(view.pins, conversation, view.scope),
            every_turn=view.every_turn,
            summary=SummaryOptions(
                text=None,
                profile=summary_profile.profile,
                is_written=summary_profile.profile.is_offline,
                model_reason=summary_profile.reason,
            ),
        )

    def check_current(self, display: DisplayState) -> None:
        """Raise Cancelled for a step that comes back after another file or anything newer was
        shown."""
        if (
            display.file is not self.display.file
            or display.generation != self.display.generation
        ):
            raise Cancelled

    def while_displayed(
        self, display: DisplayState, steps: Iterator[_T]
    ) -> Iterator[_T]:
        """Yield the steps of work on what is shown; raise Cancelled once something else is."""
        for value in steps:
            yield value
            self.check_current(display)

    def show(self, display: DisplayState) -> DisplayState:
        """Replace what is shown, from which ``display`` was made, and send its screen. What was said
        of another writer goes. Raises Cancelled where it was made from something older."""
        self.check_current(display)
        assert display.preview is not None
        former, summary = self.display.preview, display.preview.summary
        if former is not None and former.summary.profile != summary.profile:
            self.emit(Notice("info", "", "", topic=RUN_TOPIC))
        is_own = not summary.provisional and not display.preview.result.result_source
        if is_own:
            run = self.runs.displayed_run(display.view, display.preview)
        else:
            run = ""
        newer = replace(display, run=run, generation=display.generation + 1)
        screen = display_screen(newer, self.price(display.preview))
        screen = replace(
            screen,
            history=replace(
                screen.history,
                can_undo=bool(self.undo_stack),
                can_redo=bool(self.redo_stack),
            ),
        )
        self.replace_display(replace(newer, screen=screen))
        if display.over is None:
            self.emit(ViewStateEvent(display.view))
        self.emit(screen)
        return self.display

    def keep_checks(self, display: DisplayState, preview: Preview) -> None:
        """Keep the preview with its checks, unless something else is shown by now; the screen is
        the same."""
        if self.display is display:
            self.replace_display(replace(display, preview=preview), is_seen=False)

    def price(self, preview: Preview) -> str:
        """Return what a compact would cost at most, "" where no model writes."""
        if not preview.summary.unwritten or preview.summary.provisional:
            return ""
        return self.model_runs.price(preview)

    @property
    def provider(self) -> str:
        conversation = self.opened_file().conversation
        return default_provider(conversation.format, conversation.model)

    def with_checks(self, file: OpenFile, preview: Preview) -> Preview:
        """Return the preview with its checks, for those who write them down."""
        if preview.checks.lint:
            return preview
        return file.checked(preview, self.reporter().working)

    def opened_event(
        self, conversation: Conversation, reader: Format, why: str, path: str
    ) -> FileOpenedEvent:
        return file_opened_event(
            conversation, reader, why, path, self.settings_files.profiles.names()
        )

    def opened_file(self) -> OpenFile:
        if self.display.file is None:
            raise NoFileError
        return self.display.file

    def displayed_preview(self) -> Preview:
        if self.display.preview is None:
            raise NoFileError
        return self.display.preview
