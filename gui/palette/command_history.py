"""The history of lines and searches in the command bar, as in a shell."""

from __future__ import annotations

MOST = 100


class CommandHistory:
    """Browses older lines; the text being typed follows the newest."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._place = 0
        self._typed = ""

    @property
    def is_browsing(self) -> bool:
        return self._place < len(self._lines)

    def add(self, line: str) -> None:
        """Add an entered line as the newest."""
        self._lines = [*(known for known in self._lines if known != line), line][-MOST:]
        self.leave()

    def leave(self) -> None:
        self._place = len(self._lines)

    def back(self, typed: str) -> str | None:
        """Return the previous line; None at the oldest."""
        if not self.is_browsing:
            self._typed = typed
        if self._place == 0:
            return None
        self._place -= 1
        return self._lines[self._place]

    def on(self) -> str | None:
        """Return the next line, finally the typed text; None if nothing is browsed."""
        if not self.is_browsing:
            return None
        self._place += 1
        return self._lines[self._place] if self.is_browsing else self._typed
