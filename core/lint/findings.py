"""A finding of a linter, on one message or on the whole conversation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LintFinding:
    """``severity`` is "error", "warning" or "info"; ``index`` a message of the list, -1 for the whole.

    ``rule`` is a stable id ("anthropic.orphan-result"); ``text`` one sentence that names the message as #n.
    """

    severity: str
    rule: str
    text: str
    index: int
