"""Values of the ruler beside its bars: bands, movable cuts, lines."""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A named range of messages [start, end); ``labels`` from longest to shortest."""

    start: int
    end: int
    fate: int  # tint: index in FATES
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutHandle:
    """A cut and its possible positions.

    ``stops`` are valid boundaries, ascending. ``values[i]`` is the setting's value for ``stops[i]``,
    ``tokens[i]`` the tokens then kept on its side. ``non_input`` are the messages, of ``length``, that
    are not input of the strategy; ``cut_tips`` makes the tip. ``locked`` is why it cannot move,
    ``setting`` the value of the setting now.
    """

    name: str
    key: str
    index: int
    requested: int
    stops: array[int]
    values: array[float]
    tokens: array[int]
    length: int
    non_input: array[int]
    mark: str
    locked: str = ""
    setting: float = 0.0


@dataclass(frozen=True, slots=True)
class RulerMarks:
    """Lines and sentences of the ruler, in tokens; None for a missing line."""

    limit: int | None
    trigger: int | None
    target: int | None
    limit_labels: tuple[str, ...]
    trigger_labels: tuple[str, ...]
    target_label: str
    before_total: str  # "≈148,203"
    after_total: str
    before_distance: str  # "21,797 to the trigger"
    after_saved: str  # "−84,445 tokens · −57.0 %"
    sentence: str  # "Cut 2 asked for #330 and moved to #329: …"
    hidden: int = 0  # tokens of every request in no message, drawn after both bars
    hidden_labels: tuple[str, ...] = ()  # from longest to shortest
