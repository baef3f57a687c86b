"""Contrast and colour distance, as WCAG, CIE and Machado et al. (2009) define them."""

import math

from PySide6.QtGui import QColor

Triple = tuple[float, float, float]

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear sRGB.
BLINDNESS: dict[str, tuple[Triple, Triple, Triple]] = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
WHITE: Triple = (0.95047, 1.0, 1.08883)


def linear(colour: QColor) -> Triple:
    red, green, blue = colour.redF(), colour.greenF(), colour.blueF()
    return (_light(red), _light(green), _light(blue))


def _light(value: float) -> float:
    return (
        value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
    )


def _times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    a, b, c = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return (a, b, c)


def contrast(first: QColor, second: QColor) -> float:
    """Return the WCAG contrast of two colours, from 1 to 21."""
    weights = (0.2126, 0.7152, 0.0722)
    light = sorted(
        sum(w * v for w, v in zip(weights, linear(c), strict=True))
        for c in (first, second)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(colour: QColor, blindness: str) -> Triple:
    """Return the CIELAB (D65) values of a colour as seen with ``blindness``."""
    perceived = [
        min(1.0, max(0.0, value))
        for value in _times(BLINDNESS[blindness], linear(colour))
    ]
    to_xyz = (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
    xyz = _times(to_xyz, (perceived[0], perceived[1], perceived[2]))
    x, y, z = (_root(value / white) for value, white in zip(xyz, WHITE, strict=True))
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


def _root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def distance(first: QColor, second: QColor, blindness: str) -> float:
    """Return the ΔE76 of two colours under a kind of colour blindness."""
    return math.dist(lab(first, blindness), lab(second, blindness))
