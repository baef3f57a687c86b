"""Values about the opened file: links of its title, and the import report."""

from __future__ import annotations

from dataclasses import dataclass

CONVERSATIONS, BRANCHES, FORMAT, REPORT = "conversations", "branches", "format", "import-report"
"""Actions of the title's links."""
NOTHING = "Nothing was skipped, repaired or warned of."


@dataclass(frozen=True, slots=True)
class ImportSection:
    """A titled list of (place or count, text)."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The import report; ``copy`` is its redacted text, ``copied`` the message after copying."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[ImportSection, ...] = ()
    copy: str = ""
    copied: str = ""


NO_REPORT = ImportPage("")
