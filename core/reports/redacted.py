"""Texts on their way into a report: secrets counted, and written over where that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.formats.writing.named_secrets import find_known, known_in
from core.transcript.model import Message

_REACH = 4_096  # characters behind a cut that are looked at, so that a secret on the cut is found whole
_WORD = 120  # characters of a word that an ellipsis ends, at most


@dataclass(slots=True)
class ReportRedactor:
    """Sees every text of one report. ``count`` is how many secrets stood in what was written; ``known``
    are those that the transcript gives away elsewhere (core.formats.writing.named_secrets)."""

    redact: bool
    known: tuple[str, ...] = ()
    count: int = 0

    def text(self, text: str, most: int | None = None) -> str:
        """A text, or its first ``most`` characters; a secret that the cut runs through goes whole."""
        end = len(text) if most is None else min(most, len(text))
        found = [one for one in find_known(text[: end + _REACH], self.known) if one.start < end]
        self.count += len(found)
        if not found or not self.redact:
            return text[:end]
        parts: list[str] = []
        position = 0
        for secret in found:
            parts += (text[position : secret.start], f"[redacted:{secret.kind}]")
            position = secret.end
        return "".join([*parts, text[position:end]])

    def excerpt(self, text: str) -> str:
        """A text that may end in an ellipsis; the word it ends in is left out, for it may be half a key."""
        if self.redact and text.endswith("…"):
            text = text[: max(text.rfind(" ") + 1, len(text) - _WORD)].rstrip() + " …"
        return self.text(text)


def redactor_for(messages: Sequence[Message], *, redact: bool) -> ReportRedactor:
    """The cover of a report on these messages."""
    return ReportRedactor(redact, known_in(messages) if redact else ())
