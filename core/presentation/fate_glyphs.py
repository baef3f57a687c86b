"""The glyphs of the fates on a 12 × 12 grid, for the window's painter and the report's SVG. A glyph is paths
with line widths, 0 for filled: ``M x y``, ``L x y``, ``O x y r`` (a circle), ``Z``."""

from __future__ import annotations

from collections.abc import Mapping

FATE_SHAPES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "kept": (("O 6 6 1.5", 0.0),),
    "edited": (("M 2 10 L 2.6 7.5 L 8.1 2 L 10 3.9 L 4.5 9.4 Z M 6.8 3.3 L 8.7 5.2", 1.2),),
    "pruned": (("O 3.2 9.1 1.6 O 8.8 9.1 1.6", 1.2), ("M 4 7.8 L 8.8 1.6 M 8 7.8 L 3.2 1.6", 1.3)),
    "summarised": (("M 9.3 3.6 L 9.3 1.9 L 2.7 1.9 L 6.4 6 L 2.7 10.1 L 9.3 10.1 L 9.3 8.4", 1.5),),
    "dropped": (("M 2.8 2.8 L 9.2 9.2 M 9.2 2.8 L 2.8 9.2", 1.7),),
    "inserted": (("M 6 1.6 L 6 10.4 M 1.6 6 L 10.4 6", 1.7),),
}
