"""What the aligned list shows beside messages: texts of summaries, reasons of removals."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

PUT_BACK = "put back by you"
"""What the row of a message says that the user put back."""


@dataclass(frozen=True, slots=True)
class CellText:
    """A message of the result that stands for several of the source. While it is not written,
    ``state`` says so; ``text`` is then empty, or what was written for other settings."""

    title: str  # "88 messages → 1"
    sizes: str  # "40,052 → 1,359 tokens"
    text: str
    note: str  # "offline, no model", "haiku, $0.05, 18 s"
    state: str = ""  # "haiku writes the summary when you press Compact"
    subject: str = ""  # what it stands for: "88 messages"


class EditedLines(NamedTuple):
    """Both lines of an edited message from a little before they first differ, which is further on
    than its row reaches."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class AlignedColumns:
    """``results[i]`` is the message of the result that source message i went to, -1 for none;
    ``reason_codes[i]`` indexes ``reasons``, why it is no longer there, -1 for none, and
    ``reason_links``, the message that the reason names, -1 for none. ``cells`` and ``edits`` are by
    result message. ``put_back`` are source messages that the user put back."""

    results: array[int] = field(default_factory=lambda: array("q"))
    reasons: tuple[str, ...] = ()
    reason_codes: array[int] = field(default_factory=lambda: array("i"))
    cells: Mapping[int, CellText] = field(default_factory=dict)
    edits: Mapping[int, EditedLines] = field(default_factory=dict)
    _: KW_ONLY
    put_back: frozenset[int] = frozenset()
    reason_links: tuple[int, ...] = ()

    def reason(self, source: int) -> str:
        """Return why a message was removed, "superseded by the write in #137"; "" where nothing
        says it."""
        code = self._reason_code(source)
        return self.reasons[code] if code >= 0 else ""

    def reason_link(self, source: int) -> int:
        """Return the source message that the reason names, 136; -1 for none."""
        code = self._reason_code(source)
        return self.reason_links[code] if 0 <= code < len(self.reason_links) else -1

    def _reason_code(self, source: int) -> int:
        return self.reason_codes[source] if source < len(self.reason_codes) else -1
