"""The lines and searches of the command bar that were entered before, as a shell has them."""

from __future__ import annotations

MOST = 100


class CommandHistory:
    """Goes back and forth; what was being typed is at the end again."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._place = 0
        self._typed = ""

    @property
    def is_browsing(self) -> bool:
        """True while an older line is shown."""
        return self._place < len(self._lines)

    def add(self, line: str) -> None:
        """A line was entered; it is the newest now."""
        self._lines = [*(one for one in self._lines if one != line), line][-MOST:]
        self.leave()

    def leave(self) -> None:
        """Back to what is typed."""
        self._place = len(self._lines)

    def back(self, typed: str) -> str | None:
        """The line before; None at the oldest."""
        if not self.is_browsing:
            self._typed = typed
        if self._place == 0:
            return None
        self._place -= 1
        return self._lines[self._place]

    def on(self) -> str | None:
        """The line after, at last what was being typed; None where nothing is browsed."""
        if not self.is_browsing:
            return None
        self._place += 1
        return self._lines[self._place] if self.is_browsing else self._typed
