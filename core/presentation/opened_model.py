"""Values of a transcript before any preview."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import PickerChoice
from core.presentation.source_model import NO_REPORT, ImportPage


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
