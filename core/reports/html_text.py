"""Escapes text for HTML, makes invisible characters visible, and builds tables and sections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from core.common.invisible_characters import INVISIBLE, character_label, character_title
from core.presentation.model import TextSpan


def escaped_text(value: str) -> str:
    """Escape for content and attributes; invisible characters become readable marks."""
    return INVISIBLE.sub(_character_mark, escape(value))


def attribute_text(value: str) -> str:
    """The same for title and attributes, which hold no elements."""
    return INVISIBLE.sub(lambda match: character_label(match.group()), escape(value))


def _character_mark(match: re.Match[str]) -> str:
    mark = character_label(match.group())
    if not mark.strip():
        return mark
    code = ord(match.group())
    return f'<span class="c" title="{character_title(code)}">{mark}</span>'


def isolated_text(value: str) -> str:
    """Escape a text of the transcript and isolate its writing direction."""
    return f"<bdi>{escaped_text(value)}</bdi>"


def linked_sentence(spans: Iterable[TextSpan], listed: frozenset[int]) -> str:
    """Return a sentence with links to the listed messages."""
    return "".join(_span_html(span, listed) for span in spans)


def _span_html(span: TextSpan, listed: frozenset[int]) -> str:
    side, _, index = span.link.partition(":")
    if side == "before" and int(index) in listed:
        return f'<a href="#m{int(index) + 1}">{escaped_text(span.text)}</a>'
    return isolated_text(span.text)


def html_table(
    titles_row: Iterable[str], rows: Iterable[Iterable[str]], *, numeric_columns: frozenset[int] = frozenset()
) -> str:
    """Return a table of HTML cells; columns in ``numeric_columns`` are right-aligned."""

    def cell(tag: str, column: int, value: str) -> str:
        css = ' class="n"' if column in numeric_columns else ""
        return f"<{tag}{css}>{value}</{tag}>"

    titles = "".join(cell("th", column, value) for column, value in enumerate(titles_row))
    lines = "".join(
        f"<tr>{''.join(cell('td', column, value) for column, value in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>'


def labelled_values(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a list of labels with values, which are HTML already."""
    return (
        "<dl>"
        + "".join(f"<div><dt>{escaped_text(name)}</dt><dd>{value}</dd></div>" for name, value in pairs)
        + "</dl>"
    )


def report_section(anchor: str, title: str, body: str, note: str = "") -> str:
    """Return a card of the page, or nothing without a body."""
    if not body:
        return ""
    note_html = f'<p class="note">{note}</p>' if note else ""
    return f'<section id="{anchor}"><header><h2>{title}</h2>{note_html}</header>{body}</section>'
