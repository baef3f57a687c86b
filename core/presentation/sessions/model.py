"""Values of the session browser."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session; unknown texts are empty while pending, else a dash. ``ctx`` is the share of the window that
    the next request would fill, -1 if unknown; ``tone`` colours it. ``sort_keys`` sort the columns: prompt,
    project, agent, changed, size, messages, tokens, recorded, ctx."""

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
    trigger_distance: str  # distance of its next request from the trigger; "" if unknown
    sort_keys: tuple[str, str, str, float, int, int, int, int, float]
    problem: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns, in the order of the sort keys."""
        first = (self.prompt, self.project, self.agent, self.changed, self.size)
        return (*first, self.messages, self.tokens, self.recorded, self.ctx_text)

    @property
    def has_recorded(self) -> bool:
        return self.sort_keys[7] > 0


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Rows from ``start`` on, of ``total`` sessions. ``foot`` names the folders found and counts problems,
    ``searched`` names all that were looked for; ``is_over``: all is read; ``is_new``: of a new search."""

    start: int
    total: int
    rows: tuple[SessionRow, ...]
    foot: str = ""
    searched: str = ""
    problems: tuple[str, ...] = ()
    is_over: bool = False
    is_new: bool = False
