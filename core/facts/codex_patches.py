"""Parser for the files that a Codex patch changes."""

from __future__ import annotations

from collections.abc import Mapping

from core.transcript.tool_kinds import FileOperation

_BEGIN = "*** Begin Patch"
_HEADS: Mapping[str, FileOperation] = {
    "*** Add File: ": FileOperation.WRITE,
    "*** Update File: ": FileOperation.EDIT,
    "*** Delete File: ": FileOperation.WRITE,
    "*** Move to: ": FileOperation.EDIT,
}
"""Prefixes of a patch's sections. A deleted file's content is as stale as a rewritten one's."""


def patched_files(text: str) -> tuple[tuple[str, FileOperation], ...]:
    """Return paths as written in the patch, and the operation on each; empty if the text is not a patch."""
    if _BEGIN not in text:
        return ()
    return tuple(
        (line[len(prefix) :].strip(), operation)
        for line in text.splitlines()
        for prefix, operation in _HEADS.items()
        if line.startswith(prefix)
    )
