"""What a preview is computed from, and the compactions that were run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.common.errors import InputError
from core.losses.must_keep import TypedMusts
from core.presentation.model import PickerChoice
from core.presentation.preview_wording import marked_tokens
from core.preview.options import Preview
from core.preview.preview import with_excerpts, with_restored
from core.preview.strategy_input import strategy_prompts
from core.settings.profile import OFFLINE, Profile
from core.settings.schema import MODE, PROFILE, STRATEGY, Mode, aim_size
from core.settings_store.layers import SettingLayers
from core.strategies.registry import find_strategy
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import ALL, CURRENT, opening_scope

if TYPE_CHECKING:
    from core.strategies.excerpt_units import ExcerptUnit
    from core.transcript.model import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewState:
    """All that a preview is computed from; Undo returns to an earlier one.

    ``musts`` are the texts that must survive; they judge a preview and change none. ``restored``
    are the messages of the source that are restored in the result, ``lines`` its lines that are put
    back one by one; ``adds_excerpts``: the most useful ones that it lacks are, instead. ``pins`` are
    those of the open transcript, by index in the conversation. ``aim`` is the size that the person
    aims for, a share of the limit up to 1, tokens above it; it judges, too.
    """

    layers: SettingLayers = field(default_factory=SettingLayers)
    scope: str = ALL
    model: str = ""
    focus: str = ""
    runs: tuple[PickerChoice, ...] = ()
    profile: str = OFFLINE
    restored: frozenset[int] = frozenset()
    lines: tuple[ExcerptUnit, ...] = ()
    adds_excerpts: bool = False
    pins: Mapping[int, MessagePin] = field(default_factory=dict)
    every_turn: bool = False
    musts: TypedMusts = field(default_factory=TypedMusts)
    aim: float = 0.0

    @property
    def summary_profile_name(self) -> str:
        """The profile that receives the requests of a summary: that of the setting, else the active
        one."""
        return str(self.layers.resolve().get(PROFILE) or self.profile)

    def of_grown(self, former: Conversation, conversation: Conversation) -> ViewState:
        """Return the view of a file that was read again: the scope in which it opens follows the
        file, and messages are restored only where they are the same."""
        if self.scope == opening_scope(former):
            scope = opening_scope(conversation)
        else:
            scope = self.scope
        is_same = scope != CURRENT or len(former.recorded) == len(conversation.recorded)
        if scope == self.scope and is_same:
            restored = self.restored
        else:
            restored = frozenset[int]()
        lines = self.lines if scope == self.scope and is_same else ()
        return replace(self, scope=scope, restored=restored, lines=lines)

    def summary_key(self, summary_profile: Profile) -> Hashable:
        """Return what a summary written for it depends on: one of another key is stale."""
        values = self.layers.resolve()
        strategy = find_strategy(values.text(STRATEGY))
        prompts = tuple(
            strategy_prompts(strategy, summary_profile, Mode(values.text(MODE))).items()
        )
        pins = (
            (at, pin.kind)
            for at, pin in self.pins.items()
            if pin.kind is not PinKind.NOTE
        )
        settings = tuple((key, one.value) for key, one in values.by_key.items())
        view = (
            settings,
            self.scope,
            self.model,
            self.profile,
            self.focus,
            self.every_turn,
        )
        obeyed = frozenset(pins if strategy.obeys_pins else ())
        return view, summary_profile.writer_key, prompts, obeyed

    def key(self, summary_profile: Profile) -> Hashable:
        """Return all that a result depends on: a summary is not written anew for a restored
        message."""
        back = self.restored, self.lines, self.adds_excerpts
        return self.summary_key(summary_profile), back


def with_put_back(preview: Preview, view: ViewState) -> Preview:
    """Return a preview with the messages and lines that a view puts back, and with its aim."""
    preview = _with_aim(with_restored(preview, view.restored), view.aim)
    if view.adds_excerpts:
        return with_excerpts(preview)
    if view.lines:
        return with_excerpts(preview, view.lines)
    return preview


def _with_aim(preview: Preview, aim: float) -> Preview:
    size = aim_size(aim, preview.sizes.model_limit.tokens)
    return replace(preview, sizes=replace(preview.sizes, aim=size or None))


class CompactionRuns:
    def __init__(self) -> None:
        self._states: dict[str, ViewState] = {}
        self._keys: dict[str, Hashable] = {}

    def clear(self) -> None:
        self._states.clear()
        self._keys.clear()

    def add(self, view: ViewState, preview: Preview) -> tuple[int, ViewState]:
        """Add a compaction; returns its number, and the state with it among its runs."""
        number = len(view.runs) + 1
        size = marked_tokens(preview, preview.sizes.after_tokens)
        label = f"run {number} · {preview.run_name} · {size}"
        self._states[str(number)], self._keys[str(number)] = (
            view,
            _run_key(view, preview),
        )
        return number, replace(
            view, runs=(*view.runs, PickerChoice(str(number), label, view.focus))
        )

    def run_state(self, number: str, now: ViewState) -> ViewState:
        """Return a run's state with what was saved, run and pinned since; InputError if unknown."""
        run = self._states.get(number)
        if run is None:
            raise InputError(
                f"There is no run {number}.", f"Runs: {len(self._states)}."
            )
        return replace(
            run,
            layers=run.layers.with_saved(now.layers.saved),
            runs=now.runs,
            pins=now.pins,
        )

    def with_run_named(self, number: str, name: str, now: ViewState) -> ViewState:
        """Return the present state with a run renamed; InputError for an empty name."""
        self.run_state(number, now)
        if not name.strip():
            raise InputError("A run needs a name to be kept under.", "Write one.")
        runs = tuple(
            replace(run, label=name.strip()) if run.value == number else run
            for run in now.runs
        )
        return replace(now, runs=runs)

    def displayed_run(self, view: ViewState, preview: Preview) -> str:
        """Return the newest run of which this is the result, "" where there is none or it was
        undone."""
        key = _run_key(view, preview)
        names = [choice.value for choice in reversed(view.runs)]
        return next((name for name in names if self._keys.get(name) == key), "")


def _run_key(view: ViewState, preview: Preview) -> Hashable:
    """Return all that a run's result depends on, the file as it was read included."""
    document = preview.source.conversation.document
    return (
        view.key(preview.summary.profile),
        document.size,
        document.mtime_ns,
        len(preview.source.conversation.messages),
    )
