"""What the ruler draws beside the bars: named stretches, cuts that can be moved, lines."""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A named stretch of the ruler, in messages [start, end). ``labels`` from longest to shortest."""

    start: int
    end: int
    fate: int  # tint: index in FATES
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutHandle:
    """A cut that can be moved. ``stops`` are the valid boundaries it may snap to, ascending.

    ``values[i]`` is the setting's value that puts the cut at ``stops[i]``, ``tokens[i]`` what then
    stays on its side of a history of ``length`` messages, of which the strategy is not given those
    at ``unseen``, ascending; ``core.presentation.ruler.cut_tips`` makes the sentence.
    ``locked`` is the reason it cannot move.
    """

    name: str
    key: str
    index: int
    asked: int
    stops: array[int]
    values: array[float]
    tokens: array[int]
    length: int
    unseen: array[int]
    mark: str
    locked: str = ""


@dataclass(frozen=True, slots=True)
class RulerMarks:
    """Lines and sentences of the ruler. Tokens; None where there is no such line."""

    limit: int | None
    trigger: int | None
    target: int | None
    limit_labels: tuple[str, ...]
    trigger_labels: tuple[str, ...]
    target_label: str
    before_total: str  # "≈148,203"
    after_total: str
    before_free: str  # "21,797 to the trigger"
    after_saved: str  # "−84,445 tokens · −57.0 %"
    sentence: str  # "Cut 2 asked for #330 and moved to #329: …"
    hidden: int = 0  # tokens of every request that no message accounts for; they follow both bars
    hidden_labels: tuple[str, ...] = ()  # from longest to shortest
