"""Values of a transcript before any preview: what the window's title and pickers show, the import report."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import PickerChoice

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


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """A format to write.

    ``group`` is its heading in the picker, ``suffix`` begins with a dot. ``word`` is part of a report's file
    name, empty for a transcript. ``redacts``: redaction is the default. ``appends``: the compaction can be
    recorded at the end of the source. ``provenance``: messages can carry their origin.
    """

    value: str
    label: str
    suffix: str
    group: str
    about: str = ""
    word: str = ""
    redacts: bool = False
    appends: bool = False
    provenance: bool = False


@dataclass(frozen=True, slots=True)
class FileOpenedEvent:
    path: str
    name: str
    format: str
    format_label: str
    why: str  # "uuid and parentUuid in 200 of 200 lines"
    title: str  # "fix-flaky-upload.jsonl · Claude Code · 412 messages · no recorded compaction"
    messages: int
    scopes: tuple[PickerChoice, ...]
    strategies: tuple[PickerChoice, ...]
    models: tuple[PickerChoice, ...]
    profiles: tuple[PickerChoice, ...]
    exports: tuple[ExportChoice, ...]
    conversations: tuple[PickerChoice, ...] = ()  # if the file holds several
    conversation: int = 1
    branches: tuple[PickerChoice, ...] = ()  # if the session forks
    branch: int = 1
    formats: tuple[PickerChoice, ...] = ()  # choices; "" is by content
    forced_format: str = ""  # the format chosen by the user
    title_parts: tuple[PickerChoice, ...] = ()  # parts of the title; the value is the link's action
    report: ImportPage = NO_REPORT
    has_grown: bool = False  # the open file was read again
