"""What the window shows of a transcript before any preview, as values."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import PickerChoice
from core.presentation.source_model import NO_REPORT, ImportPage


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """A format to write. ``group`` heads it in the picker, ``suffix`` begins with a dot.

    ``word`` is what a report's file is called by; empty for a transcript, which is one of two sides.
    ``redacts``: secrets are written over unless the person says otherwise. ``appends``: the compaction can
    be recorded at the end of the source. ``provenance``: messages can carry what they were before it.
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
    """A transcript was read: all that the window shows of it before any preview."""

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
    conversations: tuple[PickerChoice, ...] = ()  # those of the file, where it holds several
    conversation: int = 1
    branches: tuple[PickerChoice, ...] = ()  # ways through the session, where it forks
    branch: int = 1
    formats: tuple[PickerChoice, ...] = ()  # those that can be forced; "" is by content
    forced: str = ""  # the format that a person forced
    corner: tuple[
        PickerChoice, ...
    ] = ()  # the title part by part; the value is what a click does, if anything
    report: ImportPage = NO_REPORT
    has_grown: bool = False  # the file that was open, read again
