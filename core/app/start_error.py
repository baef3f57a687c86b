"""Why a worker process could not start, as it tells the window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StartError:
    """A worker could not load its modules; ``details`` is the traceback."""

    details: str
