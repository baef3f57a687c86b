"""What the ruler shows around its two bars of tokens: parts, cuts that can be moved, and totals."""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A named range of messages [start, end); ``details`` from longest to shortest: "12"."""

    start: int
    end: int
    fate: int  # tint: index in FATES
    name: str
    details: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The name with each of the details: "Middle · 12"."""
        return tuple(f"{self.name} · {detail}" for detail in self.details)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutHandle:
    """A cut and its possible boundaries.

    ``stops`` are valid boundaries, ascending. ``values[i]`` is the setting's value for
    ``stops[i]``. ``non_input`` are the messages, of ``length``, that are not input of the strategy.
    ``locked`` is why it cannot move, ``setting`` the value of the setting now.
    """

    name: str
    key: str
    index: int
    requested: int
    stops: array[int]
    values: array[float]
    length: int
    non_input: array[int]
    locked: str = ""
    setting: float = 0.0


@dataclass(frozen=True, slots=True)
class CutMove:
    """A cut while it is dragged: the boundary where the drag began and where it is now, and what
    its row says."""

    name: str
    origin: int
    boundary: int
    text: str  # "Top ends after #46"
    detail: str  # "was #32 · keeps 46 · 34,288 tokens"


@dataclass(frozen=True, slots=True)
class RulerMust:
    """A text that must survive, at the first message that says it; ``rank`` is 0 for the worst.
    ``glyph`` and ``tone`` are those of its status, ``words`` say it."""

    message: int
    rank: int
    glyph: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerTotals:
    """Lines and totals of the ruler, in tokens of the next request; None for a missing line."""

    limit: int | None = None
    trigger: int | None = None
    target: int | None = None
    limit_labels: tuple[str, ...] = ()
    trigger_labels: tuple[str, ...] = ()
    target_label: str = ""
    before_total: str = ""  # "≈148,203"
    after_total: str = ""
    before_distance: str = ""  # "21,797 to the trigger"; the HTML report shows it
    after_saved: str = ""  # "−84,445 tokens · −57.0 %"
    sentence: str = ""  # "Top ends after #32, not #30: Edit keeps its result"
    hidden: int = 0  # tokens of every request in no message
    hidden_name: str = ""  # "system prompt and tools"
    hidden_labels: tuple[str, ...] = ()  # from longest to shortest
