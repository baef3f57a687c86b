"""Text on its way into HTML: escaped, what cannot be seen made visible, links only to places in the page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from core.common.invisible_characters import UNSEEN, character_label, character_title
from core.presentation.model import TextSpan


def escaped_text(value: str) -> str:
    """Escaped for content and attributes; controls and invisible characters as marks that can be read."""
    return UNSEEN.sub(_mark, escape(value))


def attribute_text(value: str) -> str:
    """The same for places that hold no elements: title and attributes."""
    return UNSEEN.sub(lambda found: character_label(found.group()), escape(value))


def _mark(found: re.Match[str]) -> str:
    mark = character_label(found.group())
    if not mark.strip():
        return mark
    code = ord(found.group())
    return f'<span class="c" title="{character_title(code)}">{mark}</span>'


def isolated_text(value: str) -> str:
    """A text of the transcript inside a sentence, so that its direction stays its own."""
    return f"<bdi>{escaped_text(value)}</bdi>"


def linked_sentence(spans: Iterable[TextSpan], listed: frozenset[int]) -> str:
    """A sentence with links to the messages that the page lists."""
    return "".join(_span(span, listed) for span in spans)


def _span(span: TextSpan, listed: frozenset[int]) -> str:
    side, _, index = span.link.partition(":")
    if side == "before" and int(index) in listed:
        return f'<a href="#m{int(index) + 1}">{escaped_text(span.text)}</a>'
    return isolated_text(span.text)


def html_table(
    head: Iterable[str], rows: Iterable[Iterable[str]], *, figures: frozenset[int] = frozenset()
) -> str:
    """A table of cells that are HTML already; columns in ``figures`` are aligned to the right."""

    def cell(tag: str, place: int, value: str) -> str:
        css = ' class="n"' if place in figures else ""
        return f"<{tag}{css}>{value}</{tag}>"

    titles = "".join(cell("th", place, value) for place, value in enumerate(head))
    lines = "".join(
        f"<tr>{''.join(cell('td', place, value) for place, value in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>'


def labelled_values(pairs: Iterable[tuple[str, str]]) -> str:
    """Labels with their values, which are HTML already."""
    return (
        "<dl>"
        + "".join(f"<div><dt>{escaped_text(name)}</dt><dd>{value}</dd></div>" for name, value in pairs)
        + "</dl>"
    )


def report_section(anchor: str, title: str, body: str, note: str = "") -> str:
    """A card of the page; none where there is nothing in it."""
    if not body:
        return ""
    beside = f'<p class="note">{note}</p>' if note else ""
    return f'<section id="{anchor}"><header><h2>{title}</h2>{beside}</header>{body}</section>'
