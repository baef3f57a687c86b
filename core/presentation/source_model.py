"""What the window says of the file that was opened: what its title opens, and the import report."""

from __future__ import annotations

from dataclasses import dataclass

CONVERSATIONS, BRANCHES, FORMAT, REPORT = "conversations", "branches", "format", "import-report"
"""What a click on a part of the title opens: an action's name, or the menu of formats."""
NOTHING = "Nothing was skipped, repaired or warned of."


@dataclass(frozen=True, slots=True)
class ImportSection:
    """Lines of one kind: (place or count, text)."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ImportPage:
    """What a reader saw. ``copy`` is all of it as text, secrets written over; ``copied`` says so."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[ImportSection, ...] = ()
    copy: str = ""
    copied: str = ""


NO_REPORT = ImportPage("")
