"""Escapes text for HTML, makes invisible characters visible, and links sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from markupsafe import Markup

from core.common.invisible_characters import INVISIBLE, character_label, character_title
from core.presentation.message_model import (
    TextSpan,
)


def escaped_text(value: str) -> Markup:
    """Escape for content and attributes; invisible characters become readable marks."""
    return Markup(INVISIBLE.sub(_character_mark, escape(value)))


def attribute_text(value: str) -> Markup:
    """The same for title and attributes, which hold no elements."""
    return Markup(INVISIBLE.sub(lambda match: character_label(match.group()), escape(value)))


def _character_mark(match: re.Match[str]) -> str:
    mark = character_label(match.group())
    if not mark.strip():
        return mark
    code = ord(match.group())
    return f'<span class="c" title="{character_title(code)}">{mark}</span>'


def isolated_text(value: str) -> Markup:
    """Escape a text of the transcript and isolate its writing direction."""
    return Markup(f"<bdi>{escaped_text(value)}</bdi>")


def linked_sentence(spans: Iterable[TextSpan], listed: frozenset[int]) -> Markup:
    """Return a sentence with links to the listed messages."""
    return Markup("".join(_span_html(span, listed) for span in spans))


def _span_html(span: TextSpan, listed: frozenset[int]) -> str:
    side, _, index = span.link.partition(":")
    if side == "before" and int(index) in listed:
        return f'<a href="#m{int(index) + 1}">{escaped_text(span.text)}</a>'
    return isolated_text(span.text)
