"""How much an agent brought back behind a compaction."""

from __future__ import annotations

from dataclasses import dataclass

TURNS = 20
"""Answers of the model behind a compaction in which it is looked for."""


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """Calls that brought back what a compaction had removed, and the ``tokens`` of these calls and
    their results. A file and a command count once: then they are in the context again. A command
    counts where its output is the same as before, so that it told nothing new."""

    files: int = 0
    commands: int = 0
    edits: int = 0  # that failed, of files that had been read
    tokens: int = 0
