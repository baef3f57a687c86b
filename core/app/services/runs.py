"""What is asked of the preview, and the runs: compactions that were kept, each with what was asked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from core.common import number_format
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.presentation.model import PickerChoice
from core.presentation.screen_key import ScreenKey
from core.preview.options import Preview
from core.preview.preview import prompt_of
from core.settings.keys import MODE, STRATEGY
from core.settings.profile import OFFLINE, Profile
from core.settings.schema import Mode
from core.strategies.registry import find_strategy
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import ALL


@dataclass(frozen=True, slots=True)
class ViewState:
    """What is asked of the preview; Undo goes back to an earlier one.

    ``put_back`` are the messages of the source that stand in the result again as they were; ``pins``
    those of the open transcript, by place in the conversation.
    """

    layers: SettingLayers = field(default_factory=SettingLayers)
    scope: str = ALL
    model: str = ""
    focus: str = ""
    runs: tuple[PickerChoice, ...] = ()
    profile: str = OFFLINE
    put_back: frozenset[int] = frozenset()
    pins: Mapping[int, MessagePin] = field(default_factory=dict)

    @property
    def said(self) -> Hashable:
        """All that it says of the run of the strategy, but for its focus."""
        values = tuple((key, one.value) for key, one in self.layers.resolve().by_key.items())
        return values, self.scope, self.model, self.profile

    def asked(self, source: tuple[int, ...]) -> ScreenKey:
        """What a screen of it answers to; ``source`` tells the transcript and what was written of it."""
        layers, pins = self.layers, sorted(self.pins.items())
        below = (sorted(layers.saved.items()), sorted(layers.profile.items()), layers.profile_name)
        said = (self.scope, self.model, self.focus, self.runs, self.profile, sorted(self.put_back))
        rest = repr((source, said, below, pins)).encode("utf-8", "surrogatepass")
        values = {key: one.value for key, one in layers.resolve().by_key.items()}
        return ScreenKey(values, blake2b(rest, digest_size=16).hexdigest())

    def key(self, writer: Profile) -> Hashable:
        """What a summary written for it depends on: one of another key is stale."""
        values = self.layers.resolve()
        strategy = find_strategy(values.text(STRATEGY))
        prompt = prompt_of(strategy, writer, Mode(values.text(MODE)))
        caller = (writer.provider, writer.model, writer.base_url, repr(writer.parameters))
        asked = ((at, pin.kind) for at, pin in self.pins.items() if pin.kind is not PinKind.NOTE)
        return self.said, self.focus, caller, prompt, frozenset(asked if strategy.obeys_pins else ())


class CompactionRuns:
    """The runs of the open transcript, by number."""

    def __init__(self) -> None:
        self._wishes: dict[str, ViewState] = {}

    def clear(self) -> None:
        """Another transcript has none yet."""
        self._wishes.clear()

    def keep(self, wish: ViewState, made: Preview) -> tuple[int, ViewState]:
        """Keep a compaction; its number, and the wish with it among its runs."""
        number = len(wish.runs) + 1
        size = number_format.tokens(made.method.mark, made.after_tokens)
        label = f"run {number} · {made.strategy.name} · {size}"
        self._wishes[str(number)] = wish
        return number, replace(wish, runs=(*wish.runs, PickerChoice(str(number), label, wish.focus)))

    def recalled(self, number: str, now: ViewState) -> ViewState:
        """The wish of a run, with what was saved, run and pinned since; InputError for one that is not."""
        run = self._wishes.get(number)
        if run is None:
            raise InputError(f"There is no run {number}.", f"Runs: {len(self._wishes)}.")
        return replace(run, layers=run.layers.with_saved(now.layers.saved), runs=now.runs, pins=now.pins)

    def named(self, number: str, name: str, now: ViewState) -> ViewState:
        """The present wish with a run called otherwise; InputError for an empty name."""
        self.recalled(number, now)
        if not name.strip():
            raise InputError("A run needs a name to be kept under.", "Write one.")
        found = tuple(replace(run, label=name.strip()) if run.value == number else run for run in now.runs)
        return replace(now, runs=found)

    def shown(self, wish: ViewState) -> str:
        """The newest run that asked for the same, "" where there is none."""
        said = (wish.said, wish.put_back)
        runs = reversed(self._wishes.items())
        return next((name for name, run in runs if (run.said, run.put_back) == said), "")
