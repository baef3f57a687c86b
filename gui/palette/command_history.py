"""The history of lines and searches in the command bar, as in a shell."""

from __future__ import annotations

MAX_LINES = 100


class CommandHistory:
    """Browses older lines; the text being typed follows the newest."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._position = 0
        self._typed = ""

    @property
    def is_browsing(self) -> bool:
        return self._position < len(self._lines)

    def add(self, line: str) -> None:
        """Add an entered line as the newest."""
        self._lines = [*(older for older in self._lines if older != line), line][-MAX_LINES:]
        self.stop_browsing()

    def stop_browsing(self) -> None:
        self._position = len(self._lines)

    def previous_line(self, typed_text: str) -> str | None:
        """Return the previous line; None at the oldest."""
        if not self.is_browsing:
            self._typed = typed_text
        if self._position == 0:
            return None
        self._position -= 1
        return self._lines[self._position]

    def next_line(self) -> str | None:
        """Return the next line, finally the typed text; None if nothing is browsed."""
        if not self.is_browsing:
            return None
        self._position += 1
        return self._lines[self._position] if self.is_browsing else self._typed
