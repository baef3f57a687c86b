"""The Strategy protocol: what a strategy declares, the context it runs in, and its triggers. No
strategy knows a file, a setting's layer, a window or a model library (REQ-CS-001.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from core.settings.schema import (
    FILE_DEDUPE,
    PROFILE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    Mode,
    Values,
)
from core.transcript.compaction import (
    Compaction,
    DensityCounters,
    Fate,
    ModelCall,
    NoOp,
)
from core.transcript.model import Message, Progress, no_progress
from core.transcript.pins import MessagePin
from core.transcript.tool_pairs import Pairs, find_pairs

if TYPE_CHECKING:
    from core.llm.protocol import Summariser, ToolModel


@dataclass(frozen=True, slots=True)
class HistoryEdits:
    """Replacement messages by index in the history, None removing a message, and the calls of
    models behind them; ``no_op`` says why there are none."""

    messages: Mapping[int, Message | None]
    no_op: NoOp | None = None
    calls: tuple[ModelCall, ...] = ()


class IncrementalCompactor(Protocol):
    """Computes the result of ``compress`` without rereading the whole history."""

    def add(self, index: int, message: Message) -> None:
        """Add the message at an index; indices ascend, and skipped ones need no compaction."""

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the edits ``compress`` would make now, or its no-op. None: not known; the caller
        runs ``compress`` and makes a new incremental compactor. The history of the context is
        empty."""

    def apply(self, edits: HistoryEdits) -> None:
        """Note that the edits of the last look were applied."""


CompactorFactory = Callable[[Callable[[Message], int]], IncrementalCompactor]
"""Makes a compactor for an empty history from a function that counts the tokens of a message."""


class TriggerMode(StrEnum):
    """When a strategy runs; CONTINUOUS is THRESHOLD with a density pass on every turn."""

    THRESHOLD = "threshold"
    CONTINUOUS = "continuous"
    ALWAYS = "every turn"
    NEVER = "never"


class CheckPoint(StrEnum):
    """Point in the agent's loop where the trigger is checked."""

    BEFORE_SEND = "before send"
    AFTER_TOOLS = "after tool results"
    AFTER_USER = "after the user message"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A strategy's declared trigger; ``threshold`` is a fraction of the limit (REQ-HD-001.1).
    ``reserve`` is the key of the setting whose tokens are subtracted from the limit first. With
    ``is_fixed`` (presets) no setting replaces the trigger: ``margin`` tokens below the limit (with
    ``margin_above`` only above that limit, in place of the share), ``tokens`` whatever the limit,
    more than ``messages`` messages, or a pause of ``idle_minutes``."""

    mode: TriggerMode
    threshold: float
    _: KW_ONLY
    check: CheckPoint = CheckPoint.BEFORE_SEND
    reserve: str = ""
    is_fixed: bool = False
    margin: int = 0
    margin_above: int = 0
    tokens: int = 0
    messages: int = 0
    idle_minutes: int = 0


@dataclass(frozen=True, slots=True)
class DensitySettings:
    """Settings of the density passes (REQ-HD-001.9)."""

    read_write_pruning: bool
    file_dedupe: bool
    recency_pruning: bool
    recency_retention: float
    workspace_root: str
    mode: Mode = Mode.SAFE


def density_settings(values: Values, root: str, mode: Mode) -> DensitySettings:
    """Return the density settings; relative paths are resolved against ``root``."""
    return DensitySettings(
        values.flag(READ_WRITE),
        values.flag(FILE_DEDUPE),
        values.flag(RECENCY),
        values.number(RETENTION),
        root,
        mode,
    )


@dataclass(frozen=True, slots=True)
class DensityResult:
    """Removed indices, replaced messages by index, counters, and the fates of the touched
    messages."""

    removals: tuple[int, ...]
    replacements: Mapping[int, Message]
    counters: DensityCounters
    fates: Mapping[int, Fate]

    @property
    def is_empty(self) -> bool:
        """REQ-HD-002.5."""
        return not self.removals and not self.replacements


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyContext:
    """The input of a strategy; it never holds a history store (REQ-CS-001.6). ``estimate_tokens``
    is additive: the tokens of a list are the sum over its messages, and estimating one message is
    cheap. ``current_token_count`` may include the system prompt and includes ``hidden``: tokens of
    a request that belong to no message, system prompt and tools included, which no strategy can
    remove. ``limit`` is the model's
    window in tokens, None if unknown. ``summariser`` takes a profile name, None meaning the active
    one (REQ-CS-002.5, .6). ``sources[i]`` is the index of message i in the source, needed where an
    earlier stage removed messages: reasons number messages by it. ``prompt`` is the first of the
    strategy's prompts, ``prompts`` all by name. ``agent`` returns the tool-calling model of a
    profile; None for the offline profile, which has none. ``pins`` are the user's pins by index in
    ``history``; ``musts`` texts that shall stand word for word.
    ``known_pairs`` are
    the pairs of ``history`` where the caller has them. ``variant`` is the version of the reference
    program that reference mode repeats: "cs", "hd" or "todo". ``progress`` is called where much is
    read without an estimate, so that a run ends at once when it is cancelled."""

    history: tuple[Message, ...]
    values: Values
    estimate_tokens: Callable[[Sequence[Message]], int]
    current_token_count: int
    limit: int | None
    summariser: Callable[[str | None], Summariser]
    prompt: str
    mode: Mode = Mode.SAFE
    variant: str = "hd"
    todos: str = ""
    transcript: str = ""
    focus: str = ""
    sources: Sequence[int] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    agent: Callable[[str | None], ToolModel] | None = None
    pins: Mapping[int, MessagePin] = field(default_factory=dict)
    musts: tuple[str, ...] = ()
    hidden: int = 0
    known_pairs: Pairs | None = None
    progress: Progress = no_progress

    @property
    def pairs(self) -> Pairs:
        """The tool pairs of ``history``; without ``known_pairs`` each access finds them anew."""
        if self.known_pairs is None:
            return find_pairs(self.history)
        return self.known_pairs

    @property
    def outside_tokens(self) -> int:
        """Tokens of the request that are in no message; what the agent dropped from messages is not
        taken off."""
        outside = self.current_token_count - self.estimate_tokens(self.history)
        return max(self.hidden, outside)

    @property
    def prompt_name(self) -> str:
        """The name of ``prompt``."""
        return next(iter(self.prompts), "")

    @property
    def profile(self) -> str | None:
        """The profile set for summaries; None: the active one."""
        name = self.values.get(PROFILE)
        if name is None:
            return None
        return str(name)

    def source_index(self, index: int) -> int:
        """Return the source index of a message, or of the end for an index after the last."""
        if not self.sources:
            return index
        if index < len(self.sources):
            return self.sources[index]
        return self.sources[-1] + 1

    def span(self, start: int, end: int) -> str:
        """Return messages [start, end) as numbered in the source: "#84–#328"."""
        first = self.source_index(start) + 1
        last = self.source_index(end - 1) + 1
        if end - start <= 1:
            return f"#{first}"
        return f"#{first}–#{last}"


@dataclass(frozen=True, slots=True)
class EmulatedProgram:
    """The program a preset emulates, its feature or "", as of an ISO date, and the source of its
    rules.
    ``reverse_engineered``: the source is not the program's own text or documentation.
    ``sessions`` is the format of the program's sessions whose trigger the preset has, "" for
    none."""

    program: str
    as_of: str
    source: str
    reverse_engineered: bool = False
    sessions: str = ""
    feature: str = ""

    @property
    def label(self) -> str:
        """The program with its feature: "Anthropic API, compact_20260112"."""
        return ", ".join(filter(None, (self.program, self.feature)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A registered strategy (REQ-CS-001.1, REQ-HD-001.1, .2). ``options`` are the keys of the
    settings it reads; ``needs_limit``: it cannot run without a context limit. ``optimize`` is None
    where there is no density step. ``prompts`` are the names of its prompts, the summary prompt
    first; ``emulates`` is set for presets. ``obeys_pins``: it reads the pins of the context.
    ``llm_switch`` is the key of the setting that lets a strategy without ``requires_llm`` call a
    model; ``reference`` names the program that reference mode repeats, "" where both modes are
    alike. ``incremental`` makes an incremental compactor for a growing history, for strategies that
    edit single messages on nearly every turn. ``package`` is the plugin that declares it, "" for
    Foldline itself."""

    name: str
    about: str
    requires_llm: bool
    trigger: Trigger
    options: tuple[str, ...]
    compress: Callable[[StrategyContext], Compaction]
    optimize: Callable[[Sequence[Message], DensitySettings], DensityResult] | None = (
        None
    )
    needs_limit: bool = False
    prompts: tuple[str, ...] = ()
    emulates: EmulatedProgram | None = None
    obeys_pins: bool = False
    llm_switch: str = ""
    reference: str = ""
    incremental: CompactorFactory | None = None
    package: str = ""

    def effective_mode(self, requested: Mode) -> Mode:
        """Return the mode in which it runs: safe unless it has a reference."""
        return requested if self.reference else Mode.SAFE


def calls_model(strategy: Strategy, values: Values) -> bool:
    """Return whether a run under these settings calls a model, if the profile has one."""
    return strategy.requires_llm or (
        bool(strategy.llm_switch) and values.flag(strategy.llm_switch)
    )
