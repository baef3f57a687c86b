"""Glyphs of the fates as SVG symbols, never font characters (ui.md section 3)."""

from __future__ import annotations

import re

from core.presentation.lists.row_wording import fate_word
from core.presentation.palette import FATE_SHAPES

_CIRCLE = re.compile(r"O ([\d.]+) ([\d.]+) ([\d.]+) ?")


def glyph_symbols() -> str:
    """Return the definitions that ``glyph_use`` refers to."""
    symbols = "".join(
        f'<symbol id="g-{name}" viewBox="0 0 12 12">{"".join(_shape(*shape) for shape in shapes)}</symbol>'
        for name, shapes in FATE_SHAPES.items()
    )
    return f'<svg class="defs" aria-hidden="true">{symbols}</svg>'


def _shape(path: str, width: float) -> str:
    attributes = f'stroke-width="{width:g}"' if width else 'fill="currentColor" stroke="none"'
    circles = (f'<circle cx="{x}" cy="{y}" r="{r}" {attributes}/>' for x, y, r in _CIRCLE.findall(path))
    lines = _CIRCLE.sub("", path)
    return "".join(circles) + (f'<path d="{lines}" {attributes}/>' if lines else "")


def glyph_use(fate: int) -> str:
    """Return the glyph of a fate code; the caller adds a word or label."""
    return f'<svg class="g" aria-hidden="true"><use href="#g-{fate_word(fate)}"/></svg>'
