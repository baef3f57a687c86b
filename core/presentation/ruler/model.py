"""Values of the ruler beside its bars: bands, movable cuts, lines."""

from __future__ import annotations

from array import array
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A named range of messages [start, end); ``labels`` from longest to shortest, the name first."""

    start: int
    end: int
    fate: int  # tint: index in FATES
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutHandle:
    """A cut and its possible positions.

    ``stops`` are valid boundaries, ascending. ``values[i]`` is the setting's value for ``stops[i]``.
    ``non_input`` are the messages, of ``length``, that are not input of the strategy. ``locked`` is why it
    cannot move, ``setting`` the value of the setting now.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextGauge:
    """Tokens of the next request: ``now`` and ``after`` include ``overhead``, which is in no message. Labels
    are empty without what they name."""

    now: int
    after: int
    overhead: int
    limit: int | None = None
    trigger: int | None = None
    target: int | None = None
    now_label: str = ""  # "now 80k · 40 %"
    after_label: str = ""  # "after 41k · 21 %"
    joined_label: str = ""  # "now 93k (9 %) → after 16k (2 %)"
    trigger_label: str = ""
    limit_label: str = ""
    target_label: str = ""
    after_tone: str = "ok"  # how the result stands: "ok", "warn" or "error"


SentencePart = tuple[str, str]
"""Text and its style: "", "strong", "error"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerMarks:
    """Lines and sentences of the ruler, in tokens without the system prompt; None for a missing line."""

    limit: int | None = None
    trigger: int | None = None
    target: int | None = None
    limit_labels: tuple[str, ...] = ()
    trigger_labels: tuple[str, ...] = ()
    target_label: str = ""
    before_total: str = ""  # "≈148,203"
    after_total: str = ""
    before_distance: str = ""  # "21,797 to the trigger"
    after_saved: str = ""  # "−84,445 tokens · −57.0 %"
    sentence: str = ""  # "Top ends after #32, not #30: Edit keeps its result"
    effect: tuple[SentencePart, ...] = ()  # "88 of 150 messages become one summary: …"
    hidden: int = 0  # tokens of every request in no message
    hidden_labels: tuple[str, ...] = ()  # from longest to shortest
    gauge: ContextGauge = ContextGauge(now=0, after=0, overhead=0)
