"""What a strategy is: a declaration, a context it is given, and the compaction it returns.

No strategy knows a file, a setting's layer, a window or a model library (REQ-CS-001.6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.llm.prompt_cache import ASSUMED, CacheRates
from core.llm.protocol import Summariser, ToolModel
from core.settings.keys import FILE_DEDUPE, PROFILE, READ_WRITE, RECENCY, RETENTION
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.incremental import CompressorFactory
from core.transcript.compaction import Compaction, DensityCounters, Fate
from core.transcript.model import Message
from core.transcript.pins import MessagePin


class TriggerMode(StrEnum):
    """When a strategy acts: at its threshold only, or a density pass on every turn as well; on every
    turn whatever the size; or never by itself."""

    THRESHOLD = "threshold"
    CONTINUOUS = "continuous"
    ALWAYS = "every turn"
    NEVER = "never"


class CheckPoint(StrEnum):
    """Where in an agent's loop the trigger is checked."""

    BEFORE_SEND = "before send"
    AFTER_TOOLS = "after tool results"
    AFTER_USER = "after the user message"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A strategy's declared trigger; ``threshold`` is a fraction of the limit (REQ-HD-001.1).

    ``reserve`` is the key of the setting with the tokens that are taken off the limit first. Presets
    have triggers of their ``own``, which no setting replaces: ``margin`` tokens below the limit,
    ``tokens`` whatever the limit, more than ``messages`` messages, or a pause of ``idle_minutes``.
    """

    mode: TriggerMode
    threshold: float
    check: CheckPoint = CheckPoint.BEFORE_SEND
    reserve: str = ""
    own: bool = False
    margin: int = 0
    tokens: int = 0
    messages: int = 0
    idle_minutes: int = 0


@dataclass(frozen=True, slots=True)
class DensityConfig:
    """What the density passes are told (REQ-HD-001.9)."""

    read_write_pruning: bool
    file_dedupe: bool
    recency_pruning: bool
    recency_retention: float
    workspace_root: str
    mode: Mode = Mode.SAFE


def density_config(values: Values, root: str, mode: Mode) -> DensityConfig:
    """What the settings tell the density passes; paths that are not absolute begin at ``root``."""
    return DensityConfig(
        values.flag(READ_WRITE),
        values.flag(FILE_DEDUPE),
        values.flag(RECENCY),
        values.number(RETENTION),
        root,
        mode,
    )


@dataclass(frozen=True, slots=True)
class DensityResult:
    """Removed indices, replaced messages by index, counters, and a fate for each of them.

    No index is in both (REQ-HD-001.6). ``fates`` holds only the indices that a pass touched.
    """

    removals: tuple[int, ...]
    replacements: Mapping[int, Message]
    counters: DensityCounters
    fates: Mapping[int, Fate]

    @property
    def is_empty(self) -> bool:
        """True where nothing would change (REQ-HD-002.5)."""
        return not self.removals and not self.replacements


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """All that a strategy is given; it never holds a history store (REQ-CS-001.6).

    ``estimate_tokens`` is additive: the tokens of a list are the sum of those of its messages, and
    asking for one message is cheap. ``current_token_count`` may include the system prompt and holds what is
    ``hidden``: tokens of a request that no message accounts for, which no strategy can take out. ``limit`` is
    the model's window in tokens, None if unknown. ``summariser`` takes a profile name, None meaning
    the active one (REQ-CS-002.5, .6). ``sources[i]`` is the place of message i in the source, where
    an earlier stage took messages away: sentences name messages by it. ``prompt`` is the first of the
    strategy's prompts, ``prompts`` all of them by name. ``agent`` gives the model that works with tools
    as ``summariser`` does, None where there is none: the offline profile has none. ``pins`` are what the
    person wants of single messages, by place in ``history``. ``by_trigger``: the size set the run off and
    nobody asked for it, so that one that does not pay may be refused. ``cache``: what the prompt cache of
    the conversation's model costs.
    """

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
    by_trigger: bool = False
    cache: CacheRates = ASSUMED
    hidden: int = 0

    @property
    def profile(self) -> str | None:
        """The profile that is set for summaries; None: the active one writes them."""
        named = self.values.get(PROFILE)
        return None if named is None else str(named)

    def source_of(self, index: int) -> int:
        """The place in the source of a message, or of the end for a position after the last."""
        if not self.sources:
            return index
        return self.sources[index] if index < len(self.sources) else self.sources[-1] + 1

    def span(self, start: int, end: int) -> str:
        """Messages [start, end) as people number them in the source: "#84–#328"."""
        first, last = self.source_of(start) + 1, self.source_of(end - 1) + 1
        return f"#{first}" if end - start <= 1 else f"#{first}–#{last}"


@dataclass(frozen=True, slots=True)
class EmulatedProgram:
    """Whom a preset emulates: the program, as of when (ISO date), by which source, and whether that
    source is reverse engineering rather than the program's own text or documentation."""

    program: str
    as_of: str
    source: str
    reverse_engineered: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    """A registered strategy (REQ-CS-001.1, REQ-HD-001.1, .2).

    ``options`` are the keys of the settings it reads; ``needs_limit`` says that it cannot run
    without a context limit. ``optimize`` is None where there is no density step. ``prompts`` are the
    names of the prompts it sends, the one for the summary first; ``emulates`` is set for presets.
    ``obeys_pins`` says that it looks at the pins of the context; ``llm_switch`` is the key of the setting
    by which a strategy that needs no model asks one all the same; ``reference`` names the program that
    reference mode repeats, "" where both modes are alike. ``follow`` makes what says of a growing history
    what ``compress`` would, for those that edit single messages on nearly every turn. ``remembering`` makes
    a ``compress`` for one conversation and one estimate that keeps what it found in messages from run to run;
    its results are the same.
    """

    name: str
    about: str
    requires_llm: bool
    trigger: Trigger
    options: tuple[str, ...]
    compress: Callable[[StrategyContext], Compaction]
    optimize: Callable[[Sequence[Message], DensityConfig], DensityResult] | None = None
    needs_limit: bool = False
    prompts: tuple[str, ...] = ()
    emulates: EmulatedProgram | None = None
    obeys_pins: bool = False
    llm_switch: str = ""
    reference: str = ""
    follow: CompressorFactory | None = None
    remembering: Callable[[], Callable[[StrategyContext], Compaction]] | None = None

    def mode(self, wanted: Mode) -> Mode:
        """The mode in which it runs: only those that have a reference repeat it (product.md section 3.1)."""
        return wanted if self.reference else Mode.SAFE


def asks_model(strategy: Strategy, values: Values) -> bool:
    """True where a run of a strategy under these settings has a model write, if the profile has one."""
    return strategy.requires_llm or (bool(strategy.llm_switch) and values.flag(strategy.llm_switch))
