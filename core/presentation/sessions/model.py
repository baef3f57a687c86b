"""The values of the session browser, ready to paint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session. Texts that are not known yet are empty; those that cannot be known a dash.

    ``ctx`` is the share of the model's window that the next request would fill, -1 where unknown;
    ``tone`` colours it. ``keys`` are what the columns are sorted by: prompt, project, agent, changed,
    size, messages, tokens, recorded, ctx.
    """

    path: str
    prompt: str
    project: str
    agent: str
    changed: str
    size: str
    messages: str
    tokens: str
    recorded: str
    ctx: float
    ctx_text: str
    tone: str
    about: str  # folder and name, for the pane below
    stands: str  # how far its next request is from the trigger; "" where that is not known
    keys: tuple[str, str, str, float, int, int, int, int, float]
    problem: str = ""

    @property
    def has_recorded(self) -> bool:
        """True where a compaction was found in it."""
        return self.keys[7] > 0


@dataclass(frozen=True, slots=True)
class SessionRowsEvent:
    """Rows of the browser from ``start`` on; ``total`` sessions were found.

    ``foot`` says how many folders were looked at and what could not be read; ``is_over`` once all
    is known that is read unasked.
    """

    generation: int
    start: int
    total: int
    rows: tuple[SessionRow, ...]
    foot: str = ""
    problems: tuple[str, ...] = ()
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class LastMessageEvent:
    """What was said last in the session at ``path``, as the pane below the table says it."""

    path: str
    text: str
