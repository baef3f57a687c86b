"""The desk in the worker: carries out commands one by one and answers with values for the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.analysis.lint import default_provider
from core.desk import (
    AskSessions,
    AskSettings,
    Command,
    Compact,
    CompareFile,
    CountSecrets,
    Event,
    Export,
    Look,
    LookCut,
    LookFidelity,
    LookRecorded,
    LookRun,
    Open,
    PutBack,
    Recall,
    Reload,
    Set,
    ShowRecorded,
    StopReading,
    Undo,
)
from core.desk_analysis import AnalysisDesk, Asked
from core.desk_beside import beside, notice_of
from core.desk_export import export
from core.desk_insight import INSIGHT, InsightCommand
from core.desk_list import ListDesk
from core.desk_looks import looked
from core.desk_model import ModelDesk
from core.desk_office import OfficeDesk
from core.desk_rows import LISTS, CompareRuns, ListCommand, NameRun, SetPin
from core.desk_runs import Runs, Wish
from core.desk_sessions import SessionsDesk
from core.desk_shelf import label_of, runs_beside
from core.errors import Cancelled, FoldlineError, InputError
from core.models import window
from core.open_file import OpenFile
from core.preview import with_put_back
from core.preview_values import Ask, Preview
from core.reading import Watch, read, read_again
from core.scopes import ALL, BEFORE, check_scope
from core.settings.layers import Layers
from core.settings.schema import SettingValue
from core.strategies.keys import LIMIT, STRATEGY
from core.view import opening
from core.view.effects import Change, last_change
from core.view.notices import refusal, run_notice
from core.view.screen import State, screen
from core.view.values import Notice

_NO_FILE = InputError("No transcript is open.", "Open one first.")


class Desk:
    """Carries out commands. ``interrupted`` tells why work in hand should end (core.reading)."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self._emit = emit
        self._interrupted = interrupted
        self._file: OpenFile | None = None
        self._asked: Open | None = None
        self._wish = Wish()
        self._undo: list[Wish] = []
        self._runs = Runs()
        self._pending: tuple[tuple[str, SettingValue | None], ...] = ()
        self._generation = 0
        self._office = OfficeDesk(self, emit)
        self._sessions = SessionsDesk(emit, interrupted)
        self._model = ModelDesk(emit, self.is_cancelled)
        self._lists = ListDesk(emit)
        self._analysis = AnalysisDesk(emit, self._show)

    @property
    def layers(self) -> Layers:
        """The settings as they are."""
        return self._wish.layers

    @property
    def profile(self) -> str:
        """Name of the active profile."""
        return self._wish.profile

    @property
    def shown(self) -> Preview | None:
        """The preview that is seen."""
        return self._file.shown if self._file is not None else None

    def is_cancelled(self) -> bool:
        """True once the person asked to stop."""
        return self._interrupted() == "cancel"

    def handle(self, command: Command) -> None:
        """Carry out one command. What a person can mend becomes a notice; Cancelled passes through."""
        try:
            is_moved = self._refresh(tells=not isinstance(command, Open))
            self._handle(command)
            if is_moved and isinstance(command, AskSettings):
                self.change(self.layers, self.profile, ())
        except FoldlineError as error:
            self._emit(Notice("error", error.message, error.hint))

    def _refresh(self, *, tells: bool) -> bool:
        """Take in a settings file that changed, True where it did; what is newly wrong with it is told."""
        office, former = self._office.office, self._wish
        known = office.problems
        self._wish = replace(former, layers=office.refreshed(former.layers))
        if tells and office.problems != known:
            self._tell_problems()
        return self._wish != former

    def _handle(self, command: Command) -> None:
        match command:
            case Open():
                self._open(command)
            case Set():
                self._set(command)
            case Recall() | Undo() | Compact() | PutBack():
                self._handle_run(command)
            case Look() | LookCut() | LookRun() | LookFidelity() | LookRecorded():
                watch = Watch(self._emit, self._interrupted, stops_for_newer=True)
                self._emit(looked(command, self._opened(), self._seen(), watch.working))
            case ShowRecorded() | CompareFile():
                self._beside(command)
            case Reload():
                self._reload()
            case Export() | CountSecrets():
                self._export(command)
            case AskSessions():
                self._sessions.handle(command)
            case _ if isinstance(command, INSIGHT):
                self._analyse(command)
            case _ if isinstance(command, LISTS):
                self._handle_lists(command)
            case _ if not isinstance(command, StopReading):  # for which nothing is being read
                self._office.handle(command)

    def _analyse(self, command: InsightCommand) -> None:
        """Compare, Replay and Sweep: all summaries offline, under the settings of the session."""
        file, wish = self._opened(), self._wish
        watch = Watch(self._emit, self._interrupted, stops_for_newer=True)
        self._generation += 1
        ask = Ask(wish.scope, wish.model, progress=watch.working)
        self._analysis.handle(command, Asked(file, wish.layers.resolve(), ask, self._generation))

    def _handle_run(self, command: Recall | Undo | Compact | PutBack) -> None:
        match command:
            case Recall():
                self._recall(command)
            case Undo():
                self._take_back()
            case PutBack():
                self._put_back(command)
            case Compact():
                self.compact(command)

    def _open(self, command: Open) -> None:
        watch = Watch(self._emit, self._interrupted)
        self._generation += 1
        conversation, reader, why = read(command, watch, self._generation)
        scope = command.scope or ALL
        check_scope(conversation, scope)
        self._undo.clear()
        self._runs.clear()
        self._wish, self._asked = (
            replace(self._wish, scope=scope, focus="", runs=(), put_back=frozenset()),
            command,
        )
        self._tell_problems()
        opened = opening.opened(conversation, reader, why, command.path, self._office.office.profiles.names())
        file = self._file = OpenFile(conversation, opened.title, why)
        self._emit(opened)
        notice = opening.import_notice(conversation)
        if notice is not None:
            self._emit(notice)
        try:
            file.count(self._wish.model, watch, self._generation)
            self._first_preview(file)
        except Cancelled:
            self._file = None
            raise

    def _first_preview(self, file: OpenFile) -> None:
        """The first screen; a strategy that cannot run here gives way to the default, said so."""
        try:
            self._show(file, self._preview(file, self._wish))
        except FoldlineError as error:
            chosen = self._wish.layers.session.get(STRATEGY)
            if chosen is None:
                raise
            self._pending = ((STRATEGY, chosen),)
            self._wish = replace(self._wish, layers=self._wish.layers.with_session(STRATEGY, None))
            self._show(file, self._preview(file, self._wish), self._refusal(file, error, str(chosen)))

    def _beside(self, command: ShowRecorded | CompareFile) -> None:
        """Show what really happened in the place of the preview, until anything else is asked."""
        file, watch = self._opened(), Watch(self._emit, self._interrupted)
        scope = f"{BEFORE}{command.number}" if isinstance(command, ShowRecorded) else self._wish.scope
        made = self._preview(file, replace(self._wish, scope=scope), draft=True)
        found, seen = beside(file, made, command, watch)
        self._show(file, seen, notice_of(found, seen))

    def _reload(self) -> None:
        """Take in what was added to the file; nothing happens where it is as it was."""
        former, asked = self._opened(), self._asked
        if asked is None or not former.has_changed():
            return
        conversation, reader, why = read_again(asked, Watch(self._emit, self._interrupted))
        names = self._office.office.profiles.names()
        opened = opening.opened(conversation, reader, why, asked.path, names)
        self._file = file = former.grown(conversation, opened.title, why)
        self._emit(replace(opened, has_grown=True))
        self._show(file, self._preview(file, self._wish))

    def _set(self, command: Set) -> None:
        wish = self._changed(command)
        file = self._file
        if file is None:
            self._wish = wish
            return
        before, previous = self._wish, file.settled
        try:
            made = self._preview(file, wish, draft=command.draft)
        except FoldlineError as error:
            self._refuse(file, command, error)
            return
        keys = tuple(key for key, _ in command.values)
        change = last_change(previous, made, keys) or file.change
        if command.draft:
            self._show(file, made, change=change, layers=wish.layers)
            return
        self._pending = ()
        if wish != before:
            self._undo.append(before)
            file.change = change
        self._wish = wish
        self._show(file, made)

    def _changed(self, command: Set) -> Wish:
        """The present wish with a command's changes; what waited for a limit joins in with it."""
        values = command.values
        if self._pending and any(key == LIMIT for key, _ in values):
            values = (*self._pending, *values)
        layers = self._wish.layers
        for key, value in values:
            layers = layers.with_session(key, value)
        scope = self._wish.scope if command.scope is None else command.scope
        model = self._wish.model if command.model is None else command.model
        kept = self._wish.put_back if scope == self._wish.scope else frozenset[int]()
        return self._moved(replace(self._wish, layers=layers, scope=scope, model=model, put_back=kept))

    def _moved(self, wish: Wish) -> Wish:
        """The wish; a focus goes where anything that counts differs from what it was given for."""
        return wish if wish.said == self._wish.said else replace(wish, focus="")

    def _refuse(self, file: OpenFile, command: Set, error: FoldlineError) -> None:
        """Keep what was; show it again with the reason, so that every control reads as it is."""
        chosen = dict(command.values).get(STRATEGY)
        notice = self._refusal(file, error, str(chosen or ""))
        if notice.topic == "limit":
            self._pending = command.values
        if file.settled is None:
            self._emit(notice)
        else:
            self._show(file, file.settled, notice)

    def _refusal(self, file: OpenFile, error: FoldlineError, strategy: str) -> Notice:
        model = file.model(self._wish.model)
        setting = self._wish.layers.resolve().get(LIMIT)
        limit = window(file.conversation, model, None if setting is None else int(setting)).limit
        return refusal(error, strategy, model, limit)

    def _put_back(self, command: PutBack) -> None:
        """Show the result with a message as it was, or without; Undo takes it back."""
        file, change = self._opened(), {command.index}
        put_back = self._wish.put_back | change if command.back else self._wish.put_back - change
        wish = replace(self._wish, put_back=put_back)
        if wish == self._wish:
            raise InputError(f"#{command.index + 1} stands in the result as it is.", "Nothing to put back.")
        made = self._preview(file, wish)
        self._undo.append(self._wish)
        self._wish, file.change = wish, None
        self._show(file, made)

    def _take_back(self) -> None:
        if self._file is None or not self._undo:
            return
        former = self._undo.pop()
        # what was saved since stays saved
        wish = replace(former, layers=former.layers.with_saved(self._wish.layers.saved))
        made = self._preview(self._file, wish)
        self._wish = wish
        self._file.change = None
        self._show(self._file, made)

    def change(self, layers: Layers, profile: str, keys: tuple[str, ...]) -> None:
        """Take over settings and active profile, and preview anew; ``keys`` changed."""
        wish = self._moved(replace(self._wish, layers=layers, profile=profile))
        file = self._file
        if file is None:
            self._wish = wish
            return
        # the saved layer is that of the file, whether or not a preview can be made with it
        self._wish = replace(self._wish, layers=self._wish.layers.with_saved(layers.saved))
        made = self._preview(file, wish)
        if wish != self._wish:
            self._undo.append(self._wish)
            file.change = last_change(file.settled, made, keys) or file.change
        self._wish = wish
        self._show(file, made)

    def compact(self, command: Compact) -> None:
        """Run the strategy; with a real profile its model writes, once the person agreed to pay."""
        file = self._opened()
        wish = replace(self._wish, focus=command.focus)
        made = self._model.compacted(file, self._preview(file, wish), command, self._ask(wish), wish.key)
        if made is None:
            return
        made = with_put_back(made, wish.put_back, file.counter(made.window.model))
        self._undo.append(self._wish)
        number, self._wish = self._runs.keep(wish, made)
        self._show(file, made, run_notice(number, made))

    def _recall(self, command: Recall) -> None:
        """Show a run again; its settings are those of the session from now on."""
        file, wish = self._opened(), self._runs.recalled(command.number, self._wish)
        made = self._preview(file, wish)
        self._undo.append(self._wish)
        self._wish, file.change = wish, None
        self._show(file, made)

    def _handle_lists(self, command: ListCommand) -> None:
        """Filter, marks, copies; name a run, or show two of them until anything else is asked."""
        file = self._opened()
        if isinstance(command, NameRun):
            self._wish = self._runs.named(command.number, command.name, self._wish)
            self._undo = [self._runs.named(command.number, command.name, one) for one in self._undo]
            self._show(file, self._seen())
        elif isinstance(command, CompareRuns):
            self._show_pair(file, command)
        else:
            watch = Watch(self._emit, self._interrupted, stops_for_newer=True)
            self._lists.handle(command, file, self._seen(), watch)
            if isinstance(command, SetPin):
                self._show(file, self._preview(file, self._wish))

    def _show_pair(self, file: OpenFile, command: CompareRuns) -> None:
        a, b = (self._preview(file, self._runs.recalled(one, self._wish)) for one in (command.a, command.b))
        names = label_of(self._wish.runs, command.a), label_of(self._wish.runs, command.b)
        counter = file.counter(a.window.model)
        seen, notice = runs_beside(a, b, names, counter, self._generation + 1)
        self._show(file, seen, notice)

    def _tell_problems(self) -> None:
        for problem in self._office.office.problems:
            self._emit(Notice("warning", problem, ""))

    def _export(self, command: Export | CountSecrets) -> None:
        file = self._opened()
        export(command, file.exported or self._preview(file, self._wish), file.why, self._emit)

    def _preview(self, file: OpenFile, wish: Wish, *, draft: bool = False) -> Preview:
        """The preview of a wish; a summary that a model wrote for the very same wish is shown again."""
        ask = self._ask(wish, draft=draft)
        may_be_known = bool(file.written) and not draft
        known = file.written.get(wish.key(ask.writer)) if may_be_known else None
        made = known or file.preview(wish.layers, ask)
        return with_put_back(made, wish.put_back, file.counter(made.window.model))

    def _ask(self, wish: Wish, *, draft: bool = False) -> Ask:
        watch = Watch(self._emit, self._interrupted, stops_for_newer=True)
        writer = self._office.office.writer(wish.layers.resolve(), wish.profile)
        return Ask(
            wish.scope,
            wish.model,
            None,
            wish.focus,
            draft,
            watch.working,
            writer.profile,
            writes=writer.profile.is_offline,
            why=writer.why,
            pins={} if self._file is None else self._lists.pins.of(self._file, wish.scope),
        )

    def _show(
        self,
        file: OpenFile,
        made: Preview,
        notice: Notice | None = None,
        change: Change | None = None,
        layers: Layers | None = None,
    ) -> None:
        """Send the screen of a preview."""
        self._generation += 1
        state = State(
            self._generation,
            layers or self._wish.layers,
            file.rows(made),
            file.context_tokens(made),
            file.title,
            default_provider(file.conversation.format, file.conversation.model),
            change or file.change,
            file.settled,
            self._wish.runs,
            bool(self._undo),
            self._wish.profile,
            made.unwritten and not made.draft and bool(file.written),
            self._model.price(made, file.counter(made.window.model)),
            "" if made.draft else self._runs.shown(self._wish),
            file.recorded(made),
        )
        file.show(made)
        shown = screen(made, state)
        self._emit(shown if notice is None else replace(shown, notices=(notice, *shown.notices)))
        self._lists.shown(file, made, shown)

    def _opened(self) -> OpenFile:
        if self._file is None:
            raise _NO_FILE
        return self._file

    def _seen(self) -> Preview:
        shown = self._opened().shown
        if shown is None:
            raise _NO_FILE
        return shown
