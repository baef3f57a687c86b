"""What an export writes, and the secrets in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """Write the result ("after") or the source ("before") to ``path``.

    ``append``: the source, then the compaction as its agent records one. ``provenance``: each message with
    its source, so that it can be restored later. ``force``: even if the file would not open again as what was
    to be written.
    """

    path: str
    format: str
    side: str = "after"
    overwrite: bool = False
    redact: bool = False
    append: bool = False
    provenance: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class SecretsCount:
    """How many secrets an export would hold, as sentences with redaction off and on.

    ``refused`` says why the file could not be written; ``finding_lines`` are lines on the secrets and their
    places.
    """

    count: int
    unredacted_text: str
    redacted_text: str
    refused: str = ""
    finding_lines: tuple[str, ...] = ()
