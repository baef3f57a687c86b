"""Counts secrets in the texts of a report, and replaces them on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.formats.writing.redacted_output import find_with_named_secrets, named_secrets_in
from core.transcript.model import Message

_LOOKAHEAD = 4_096  # characters read after a cut, so that a secret on the cut is found whole
_MAX_CUT_WORD = 120  # most characters of a word cut by an ellipsis


@dataclass(slots=True)
class ReportRedactor:
    """Redacts every text of a report. ``count`` is the number of secrets found; ``known`` are secrets that
    the transcript names elsewhere (``named_secrets``)."""

    redact: bool
    known: tuple[str, ...] = ()
    count: int = 0

    def text(self, text: str, max_length: int | None = None) -> str:
        """Return a text or its first ``max_length`` characters; a secret on the cut is replaced as a
        whole."""
        end = len(text) if max_length is None else min(max_length, len(text))
        secrets = [
            hit for hit in find_with_named_secrets(text[: end + _LOOKAHEAD], self.known) if hit.start < end
        ]
        self.count += len(secrets)
        if not secrets or not self.redact:
            return text[:end]
        parts: list[str] = []
        position = 0
        for secret in secrets:
            parts += (text[position : secret.start], f"[redacted:{secret.kind}]")
            position = secret.end
        return "".join([*parts, text[position:end]])

    def excerpt(self, text: str) -> str:
        """Redact a text that may end in an ellipsis; its cut last word may be half a key and is dropped."""
        if self.redact and text.endswith("…"):
            text = text[: max(text.rfind(" ") + 1, len(text) - _MAX_CUT_WORD)].rstrip() + " …"
        return self.text(text)


def redactor_for(messages: Sequence[Message], *, redact: bool) -> ReportRedactor:
    return ReportRedactor(redact, named_secrets_in(messages) if redact else ())
