"""Values about the opened file: links of its title, and the import report."""

from __future__ import annotations

from dataclasses import dataclass

CONVERSATIONS, BRANCHES, FORMAT, REPORT = "conversations", "branches", "format", "import-report"
"""Actions of the title's links."""
NOTHING_REPORTED = "Nothing was skipped, repaired or warned of."


@dataclass(frozen=True, slots=True)
class ImportSection:
    """A titled list of (place or count, text)."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The import report; ``copy_text`` is its redacted text, ``copied_message`` the message after copying."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[ImportSection, ...] = ()
    copy_text: str = ""
    copied_message: str = ""


NO_REPORT = ImportPage("")
