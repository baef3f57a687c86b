"""Colours computed from others."""

from __future__ import annotations

from PySide6.QtGui import QColor

_SHARES = 0.2126, 0.7152, 0.0722
"""Weights of red, green and blue in the luminance of a colour."""


def blend_colours(colour: QColor, ground: QColor, share: float) -> QColor:
    """Blend a colour onto a ground with opacity ``share``."""
    parts = (
        (colour.redF(), ground.redF()),
        (colour.greenF(), ground.greenF()),
        (colour.blueF(), ground.blueF()),
    )
    return QColor.fromRgbF(*(share * above + (1 - share) * below for above, below in parts))


def readable_on(ground: QColor) -> QColor:
    """Return white or black, whichever has more contrast (WCAG 2.2, relative luminance)."""
    parts = map(_linear, (ground.redF(), ground.greenF(), ground.blueF()))
    light = sum(share * part for share, part in zip(_SHARES, parts, strict=True))
    return QColor("white") if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else QColor("black")


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
