"""The words of ours in a row's text, in the window's language; those of a transcript stay as they are.

Rows hold plain text. What a message did not say itself is known by its form: "2 calls:" as the lead of a row,
"empty result" as the whole of one.
"""

from __future__ import annotations

import re

from core.view.phrases import phrase
from core.view.values import Rows
from gui.language import tr

_WHOLE = frozenset((phrase("empty"), phrase("empty result"), phrase("thinking: encrypted")))
_CALLS = re.compile(r"([\d,]+) calls:")
_RESULTS = re.compile(r"([\d,]+) results: ")
_IMAGE = re.compile(r"image ([\d,]+) × ([\d,]+)")
_HIDDEN = re.compile(r"encrypted, ([\d.,]+ (?:B|kB|MB))")
_THINKING = "thinking: "


def lead_text(lead: str) -> str:
    """The bold beginning of a row: the name of a tool, or how many calls there are."""
    found = _CALLS.fullmatch(lead)
    return tr("{count} calls:").format(count=found[1]) if found else lead


def line_text(text: str) -> str:
    """The text of a row."""
    if text in _WHOLE:
        return tr(text)
    if text.startswith(_THINKING):
        return tr("thinking: {text}").format(text=text.removeprefix(_THINKING))
    if found := _RESULTS.match(text):
        return tr("{count} results: {text}").format(count=found[1], text=text[found.end() :])
    if found := _IMAGE.fullmatch(text):
        return tr("image {count} × {count2}").format(count=found[1], count2=found[2])
    found = _HIDDEN.fullmatch(text)
    return tr("encrypted, {size}").format(size=found[1]) if found else text


def whole_text(rows: Rows, index: int) -> str:
    """Lead and text of a row."""
    return f"{lead_text(rows.lead[index])} {line_text(rows.text[index])}".strip()
