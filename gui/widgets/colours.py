"""Colours computed from others."""

from __future__ import annotations

from PySide6.QtGui import QColor

_LUMINANCE_WEIGHTS = 0.2126, 0.7152, 0.0722
"""Weights of red, green and blue in the luminance of a colour."""


def blend_colours(colour: QColor, background: QColor, opacity: float) -> QColor:
    """Blend a colour onto a ground with opacity ``opacity``."""
    parts = (
        (colour.redF(), background.redF()),
        (colour.greenF(), background.greenF()),
        (colour.blueF(), background.blueF()),
    )
    return QColor.fromRgbF(
        *(opacity * foreground + (1 - opacity) * backdrop for foreground, backdrop in parts)
    )


def readable_text_colour(background: QColor) -> QColor:
    """Return white or black, whichever has more contrast (WCAG 2.2, relative luminance)."""
    parts = map(_linear, (background.redF(), background.greenF(), background.blueF()))
    luminance = sum(weight * part for weight, part in zip(_LUMINANCE_WEIGHTS, parts, strict=True))
    return QColor("white") if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else QColor("black")


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
