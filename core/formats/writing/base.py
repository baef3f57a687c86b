"""The protocol of exporters: options, output, declaration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from core.formats.writing.export_messages import ExportInput


class OutputShape(StrEnum):
    """How the written bytes are read again: as one JSON value, one JSON value per line, or plain
    text."""

    JSON = "json"
    LINES = "lines"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ExporterOutput:
    """What an exporter wrote. Each warning is one sentence on what the target could not hold.
    ``secrets`` is how many secrets it found in its texts (and redacted if asked for); None means
    that it did not look, so that the data itself is searched."""

    data: bytes
    shape: OutputShape
    warnings: tuple[str, ...] = ()
    secrets: int | None = None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    append_boundary: bool = False
    redact: bool = False


class ExportGroup(StrEnum):
    TRANSCRIPT = "Transcript"
    REPORT = "Reports"


@dataclass(frozen=True, slots=True)
class Exporter:
    """One export format. ``suffix`` begins with a dot; ``short_names`` are accepted beside
    ``name``.

    ``has_boundary``: a compaction can be recorded at the end of its files. ``has_provenance``: its
    messages can carry their provenance (core.transcript.provenance). ``carries_sizes``: its files
    say how their sizes were calibrated (core.transcript.carried_sizes). Reports need a preview and
    name their files by ``file_label``; ``needs_no_model`` is true for one that needs no summary;
    ``is_of_run`` for one that tells of a run of the strategy, whatever other result is shown.
    ``redacts_by_default``: secrets are redacted by default. ``package`` is the plugin that declares
    it, "" for Foldline itself.
    """

    name: str
    short_names: tuple[str, ...]
    label: str
    suffix: str
    about: str
    write: Callable[[ExportInput, ExportOptions], ExporterOutput]
    _: KW_ONLY
    has_boundary: bool = False
    has_provenance: bool = False
    carries_sizes: bool = False
    group: ExportGroup = ExportGroup.TRANSCRIPT
    redacts_by_default: bool = False
    needs_no_model: bool = False
    is_of_run: bool = False
    file_label: str = ""
    package: str = ""

    @property
    def is_report(self) -> bool:
        return self.group is ExportGroup.REPORT
