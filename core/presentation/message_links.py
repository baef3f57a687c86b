"""Turns message numbers such as #84 in sentences into links."""

from __future__ import annotations

import re

from core.presentation.model import TextSpan

_NUMBER = re.compile(r"#(\d[\d,]*)")


def linked_spans(text: str, length: int, side: str = "before") -> tuple[TextSpan, ...]:
    """Split a text into spans; numbers beyond ``length`` messages are no links."""
    spans: list[TextSpan] = []
    position = 0
    for match in _NUMBER.finditer(text):
        digits = match.group(1).rstrip(",")
        index = int(digits.replace(",", "")) - 1
        if not 0 <= index < length:
            continue
        if match.start() > position:
            spans.append(TextSpan(text[position : match.start()]))
        position = match.start() + 1 + len(digits)
        spans.append(TextSpan(text[match.start() : position], f"{side}:{index}"))
    if position < len(text):
        spans.append(TextSpan(text[position:]))
    return tuple(spans)


def sentence_spans(*parts: str | TextSpan) -> tuple[TextSpan, ...]:
    """Join texts and links, without empty ones."""
    return tuple(part if isinstance(part, TextSpan) else TextSpan(part) for part in parts if part)


def message_link(side: str, index: int) -> TextSpan:
    return TextSpan(f"#{index + 1}", f"{side}:{index}")
