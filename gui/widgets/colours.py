"""Colours made of others."""

from __future__ import annotations

from PySide6.QtGui import QColor

_SHARES = 0.2126, 0.7152, 0.0722
"""What red, green and blue add to the luminance of a colour."""


def blend_colours(colour: QColor, ground: QColor, share: float) -> QColor:
    """``share`` of a colour on a ground."""
    parts = (
        (colour.redF(), ground.redF()),
        (colour.greenF(), ground.greenF()),
        (colour.blueF(), ground.blueF()),
    )
    return QColor.fromRgbF(*(share * one + (1 - share) * other for one, other in parts))


def readable_on(ground: QColor) -> QColor:
    """White or black, whichever has more contrast (WCAG 2.2, relative luminance)."""
    parts = map(_linear, (ground.redF(), ground.greenF(), ground.blueF()))
    light = sum(share * part for share, part in zip(_SHARES, parts, strict=True))
    return QColor("white") if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else QColor("black")


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
