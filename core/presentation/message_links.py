"""Sentences with links: every #84 that names a message leads to it."""

from __future__ import annotations

import re

from core.presentation.model import Span

_NUMBER = re.compile(r"#(\d[\d,]*)")


def linked(text: str, length: int, side: str = "before") -> tuple[Span, ...]:
    """The text as spans; numbers beyond the ``length`` messages of a side stay plain."""
    spans: list[Span] = []
    done = 0
    for found in _NUMBER.finditer(text):
        digits = found.group(1).rstrip(",")
        index = int(digits.replace(",", "")) - 1
        if not 0 <= index < length:
            continue
        if found.start() > done:
            spans.append(Span(text[done : found.start()]))
        done = found.start() + 1 + len(digits)
        spans.append(Span(text[found.start() : done], f"{side}:{index}"))
    if done < len(text):
        spans.append(Span(text[done:]))
    return tuple(spans)


def sentence(*parts: str | Span) -> tuple[Span, ...]:
    """Plain texts and links, joined."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts if part)


def link(side: str, index: int) -> Span:
    """The name of a message as a link to it."""
    return Span(f"#{index + 1}", f"{side}:{index}")
