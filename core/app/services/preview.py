"""The desk's ground: what is open, what is asked of its preview, and how that is made and shown."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from core.app.document import OpenFile
from core.app.loading import ProgressReporter
from core.app.messages import ChangeSettingsCommand, Event
from core.app.services.lists import ListCommandHandler
from core.app.services.model_calls import ModelRunHandler
from core.app.services.pins import in_scope
from core.app.services.runs import CompactionRuns, ViewState
from core.app.services.settings import SettingsCommandHandler
from core.common.errors import Cancelled, FoldlineError, NoFileError
from core.configuration.layers import SettingLayers
from core.lint.lint import default_provider
from core.llm.catalog import context_window
from core.presentation.model import Notice
from core.presentation.notices import refusal_notice
from core.presentation.screen import ScreenState, columns_of, preview_screen, screen_checks
from core.presentation.screen_key import ScreenKey
from core.presentation.tuning.change_effects import SettingsChange
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import with_put_back
from core.settings.keys import LIMIT, STRATEGY
from core.settings.profile import Profile
from core.settings.schema import SettingValue
from core.transcript.model import no_progress

_MANY = 500
"""Messages from which on the checks of a result come behind its screen; of fewer they take half a frame."""


class PreviewPublisher:
    """The open file and the wish. Whoever carries out commands changes them and shows what comes of it."""

    _office: SettingsCommandHandler

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self._emit = emit
        self._interrupted = interrupted
        self._file: OpenFile | None = None
        self._wish = ViewState()
        self._undo: list[ViewState] = []
        self._runs = CompactionRuns()
        self._pending: tuple[tuple[str, SettingValue | None], ...] = ()
        self._late: ChangeSettingsCommand | None = None  # was given up for a newer one, which takes it along
        self._generation = 0
        self._model = ModelRunHandler(emit, self.is_cancelled)
        self._lists = ListCommandHandler(emit)

    @property
    def layers(self) -> SettingLayers:
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

    @property
    def _active(self) -> Profile:
        return self._office.office.profiles.load(self._wish.profile)

    def _changed(self, command: ChangeSettingsCommand) -> ViewState:
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

    def _moved(self, wish: ViewState) -> ViewState:
        """The wish; a focus goes where anything that counts differs from what it was given for."""
        return wish if wish.said == self._wish.said else replace(wish, focus="")

    def _refusal(self, file: OpenFile, error: FoldlineError, strategy: str) -> Notice:
        model = file.model(self._wish.model)
        setting = self._wish.layers.resolve().get(LIMIT)
        limit = context_window(file.conversation, model, None if setting is None else int(setting)).limit
        return refusal_notice(error, strategy, model, limit)

    def _tell_problems(self) -> None:
        for problem in self._office.office.problems:
            self._emit(Notice("warning", problem, ""))

    def _preview(
        self, file: OpenFile, wish: ViewState, *, draft: bool = False, yields: bool = False
    ) -> Preview:
        """The preview of a wish; a summary that a model wrote for the very same wish is shown again.

        One that ``yields`` is given up (Cancelled) for a newer setting; any other would be lost by that.
        """
        ask = self._ask(wish, draft=draft, yields=yields)
        may_be_known = bool(file.written) and not draft
        known = file.written.get(wish.key(ask.writer)) if may_be_known else None
        made = known or file.preview(wish.layers, ask)
        return with_put_back(made, wish.put_back, file.counter_of(made))

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

    def _ask(self, wish: ViewState, *, draft: bool = False, yields: bool = False) -> PreviewOptions:
        watch = ProgressReporter(self._emit, self._interrupted, stops_for_newer=yields)
        writer = self._office.office.writer(wish.layers.resolve(), wish.profile)
        return PreviewOptions(
            wish.scope,
            wish.model,
            None,
            wish.focus,
            draft,
            watch.working,
            writer.profile,
            writes=writer.profile.is_offline,
            why=writer.why,
            checks=self._file is None or len(self._file.conversation.messages) < _MANY,
            pins={} if self._file is None else in_scope(wish.pins, self._file.conversation, wish.scope),
        )

    def _show(
        self,
        file: OpenFile,
        made: Preview,
        notice: Notice | None = None,
        change: SettingsChange | None = None,
        layers: SettingLayers | None = None,
    ) -> None:
        """Send the screen of a preview, and what its checks found where that is not known already."""
        self._generation += 1
        if not made.lint and not made.draft and file.checks_are_known(made):
            made = file.checked(made, no_progress)
        state = self._state(file, made, change or file.change, layers or self._wish.layers)
        if notice is not None:
            state = replace(state, asked=None)
        state = replace(state, known=file.kept(columns_of(made, state)))
        file.show(made)
        shown = preview_screen(made, state)
        own = () if notice is None else (notice,)
        self._emit(replace(shown, notices=(*own, *shown.notices)))
        self._lists.shown(file, made, shown, self._wish.pins)
        if not made.lint and not made.draft:
            self._check(file, made, state, own)

    def _state(
        self, file: OpenFile, made: Preview, change: SettingsChange | None, layers: SettingLayers
    ) -> ScreenState:
        """What the screen of a preview shows beside it."""
        is_answer = not made.draft and not made.beside
        return ScreenState(
            self._generation,
            layers,
            file.rows(made),
            file.context_tokens(made),
            file.title,
            default_provider(file.conversation.format, file.conversation.model),
            change,
            file.settled,
            self._wish.runs,
            bool(self._undo),
            self._wish.profile,
            made.unwritten and not made.draft and bool(file.written),
            self._model.price(made, file.counter_of(made)),
            "" if made.draft else self._runs.shown(self._wish),
            file.recorded(made),
            file.columns,
            asked=self._asked_of(file) if is_answer else None,
        )

    def _check(self, file: OpenFile, made: Preview, state: ScreenState, own: tuple[Notice, ...]) -> None:
        """Tell what the checks of the screen find; they are given up for whatever is asked meanwhile."""
        watch = ProgressReporter(self._emit, self._interrupted, stops_for_newer=True)
        with suppress(Cancelled):
            whole = file.checked(made, watch.working)
            file.show(whole)
            found = screen_checks(whole, state)
            self._emit(replace(found, notices=(*own, *found.notices)))

    def _whole(self, file: OpenFile, made: Preview) -> Preview:
        """The preview with its checks, for those who write them down."""
        return (
            made if made.lint else file.checked(made, ProgressReporter(self._emit, self._interrupted).working)
        )

    def _asked_of(self, file: OpenFile) -> ScreenKey:
        """What a screen of the present wish answers to."""
        return self._wish.asked((id(file.conversation), len(file.written)))

    def _opened(self) -> OpenFile:
        if self._file is None:
            raise NoFileError
        return self._file

    def _seen(self) -> Preview:
        shown = self._opened().shown
        if shown is None:
            raise NoFileError
        return shown
