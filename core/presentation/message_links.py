"""Sentences with links: every #84 that names a message leads to it."""

from __future__ import annotations

import re

from core.presentation.model import TextSpan

_NUMBER = re.compile(r"#(\d[\d,]*)")


def linked_spans(text: str, length: int, side: str = "before") -> tuple[TextSpan, ...]:
    """The text as spans; numbers beyond the ``length`` messages of a side stay plain."""
    spans: list[TextSpan] = []
    done = 0
    for found in _NUMBER.finditer(text):
        digits = found.group(1).rstrip(",")
        index = int(digits.replace(",", "")) - 1
        if not 0 <= index < length:
            continue
        if found.start() > done:
            spans.append(TextSpan(text[done : found.start()]))
        done = found.start() + 1 + len(digits)
        spans.append(TextSpan(text[found.start() : done], f"{side}:{index}"))
    if done < len(text):
        spans.append(TextSpan(text[done:]))
    return tuple(spans)


def sentence_spans(*parts: str | TextSpan) -> tuple[TextSpan, ...]:
    """Plain texts and links, joined."""
    return tuple(part if isinstance(part, TextSpan) else TextSpan(part) for part in parts if part)


def message_link(side: str, index: int) -> TextSpan:
    """The name of a message as a link to it."""
    return TextSpan(f"#{index + 1}", f"{side}:{index}")
