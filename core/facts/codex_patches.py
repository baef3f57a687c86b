"""The files that a patch in Codex's form touches."""

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
"""First words of a patch's sections. A deleted file's content is as stale as a rewritten one's."""


def patched_files(text: str) -> tuple[tuple[str, FileOperation], ...]:
    """Paths as the patch gives them, and what it does to each; none for a text that is no patch."""
    if _BEGIN not in text:
        return ()
    return tuple(
        (line[len(head) :].strip(), act)
        for line in text.splitlines()
        for head, act in _HEADS.items()
        if line.startswith(head)
    )
