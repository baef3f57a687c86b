"""What a target of an export cannot hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class ExportLosses:
    """Counts what a target cannot hold, and says so in one sentence each for what was left out or changed."""

    target: str
    _left_out: Counter[str] = field(default_factory=Counter)
    _changed: Counter[str] = field(default_factory=Counter)

    def count_left_out(self, kind: str, count: int = 1) -> None:
        """Count something that the target has no place for ("thinking")."""
        self._left_out[kind] += count

    def count_changed(self, kind: str) -> None:
        """Count something that is written differently ("system message as user")."""
        self._changed[kind] += 1

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings, in the order in which the losses were first counted."""
        warnings: list[str] = []
        if self._left_out:
            warnings.append(
                f"Left out because {self.target} has no place for it: {_counts_text(self._left_out)}."
            )
        if self._changed:
            warnings.append(f"Written differently for {self.target}: {_counts_text(self._changed)}.")
        return tuple(warnings)


def _counts_text(counter: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count:,})" if count > 1 else kind for kind, count in counter.items())
