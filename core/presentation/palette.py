"""Colours of window and report (light, dark, high contrast), glyphs of the fates."""

from __future__ import annotations

from collections.abc import Mapping

COLOURS: Mapping[str, tuple[str, str, str]] = {
    # token: light, dark, high-contrast
    "window": ("E9ECF1", "12151A", "FFFFFF"),
    "surface": ("FFFFFF", "1A1E25", "FFFFFF"),
    "surface2": ("F6F7F9", "20252D", "FFFFFF"),
    "free": ("F1F3F6", "20252D", "FFFFFF"),
    "text": ("1B2130", "E4E8F0", "000000"),
    "text2": ("4A5468", "B7C0CE", "000000"),
    "text3": ("5F697D", "949EAF", "1A1A1A"),
    "hairline": ("D5DAE3", "363E4B", "000000"),
    "control_border": ("868FA0", "717C8E", "000000"),
    "accent_text": ("3D4FD0", "A6B0FF", "0B1E9E"),
    "accent_fill": ("3D4FD0", "4E5BDC", "0B1E9E"),
    "on_accent": ("FFFFFF", "FFFFFF", "FFFFFF"),
    "selection": ("E9ECFC", "2A3052", "D6DCFF"),
    "ok": ("1A7245", "5FCB8E", "0B5A30"),
    "warn": ("855600", "E3B45C", "6B4400"),
    "error": ("B42318", "FF8D84", "9A130A"),
    "bar_info": ("E9ECFC", "2A3052", "FFFFFF"),
    "bar_warn": ("FBF1DC", "342C1B", "FFFFFF"),
    "repaired": ("E3F2E9", "1E3328", "FFFFFF"),
    "bar_error": ("FDECEA", "3D2124", "FFFFFF"),
}
GROUPS: Mapping[str, tuple[str, str, str]] = {
    # human, ai, call, tool, system, summary
    "kind": (
        "CC6410 2468AE 74A9DE BFC5CE 6B7280 6E1260",
        "EB8C3C 5B9BE0 3A6896 525B68 8A93A3 F2B6E5",
        "CC6410 1A5796 6399CC 8E9399 4A4F58 5A0F4E",
    ),
    # kept, edited, pruned, summarised, excerpted, dropped, inserted
    "fate_text": (
        "6A7384 6B5E00 B23A12 8E2A7B 0B6B5C 57606E 8E2A7B",
        "8A94A5 D6C75A FF9470 E29AD5 5CD6A8 A3ADBB E29AD5",
        "1A1A1A 574C00 8F2C0B 6E1260 004F44 1A1A1A 6E1260",
    ),
    "fate_fill": (
        "868FA0 D9B21A CF4A1E 6E1260 12907C 0E1116 6E1260",
        "8A94A5 F5DB6B E05A24 EBA6DE 28CC88 707C8E EBA6DE",
        "6B7280 B88F00 8F2C0B 7A1A8A 00695C 000000 7A1A8A",
    ),
    "fate_tint": (
        "FFFFFF F5F1CF FCEBE4 F8E9F5 E2F4F1 ECEEF2 F8E9F5",
        "1A1E25 312F1C 3A241C 38233A 1A332A 2B313B 38233A",
        "FFFFFF FFFFFF FFFFFF FFFFFF FFFFFF FFFFFF FFFFFF",
    ),
}

FATE_SHAPES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "kept": (("O 6 6 1.5", 0.0),),
    "edited": (
        ("M 2 10 L 2.6 7.5 L 8.1 2 L 10 3.9 L 4.5 9.4 Z M 6.8 3.3 L 8.7 5.2", 1.2),
    ),
    "pruned": (
        ("O 3.2 9.1 1.6 O 8.8 9.1 1.6", 1.2),
        ("M 4 7.8 L 8.8 1.6 M 8 7.8 L 3.2 1.6", 1.3),
    ),
    "summarised": (
        ("M 9.3 3.6 L 9.3 1.9 L 2.7 1.9 L 6.4 6 L 2.7 10.1 L 9.3 10.1 L 9.3 8.4", 1.5),
    ),
    "excerpted": (("M 2 3 L 10 3 M 2 6 L 7 6 M 2 9 L 9 9", 1.4),),
    "dropped": (("M 2.8 2.8 L 9.2 9.2 M 9.2 2.8 L 2.8 9.2", 1.7),),
    "inserted": (("M 6 1.6 L 6 10.4 M 1.6 6 L 10.4 6", 1.7),),
}
"""Glyphs of the fates on a 12 × 12 grid, as paths with line widths, 0 for filled: ``M x y``, ``L x
y``, ``O x y r`` (a circle), ``Z``."""
