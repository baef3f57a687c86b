"""The report's style sheet: the window's colours as variables, then ``resources/report.css``."""

from __future__ import annotations

from core.common.paths import RESOURCES
from core.presentation.model import FATES, KINDS
from core.presentation.palette import COLOURS, GROUPS

_LIGHT, _DARK, _CONTRAST = 0, 1, 2
_SHEET = RESOURCES / "report.css"


def report_style() -> str:
    """Return the style sheet: light, dark or high contrast by the reader's choice, light in print."""
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_colour_variables(_DARK)}}}}}"
    contrast = f"@media (prefers-contrast:more){{:root{{{_colour_variables(_CONTRAST)};color-scheme:light}}}}"
    sheet = _SHEET.read_text(encoding="utf-8")
    return f":root{{{_colour_variables(_LIGHT)}}}\n{dark}\n{contrast}\n{_code_classes()}\n{sheet}"


def _colour_variables(column: int) -> str:
    single = [f"--{name.replace('_', '-')}:#{row[column]}" for name, row in COLOURS.items()]
    groups = [
        f"--{name.replace('_', '-')}-{code}:#{colour}"
        for name, row in GROUPS.items()
        for code, colour in enumerate(row[column].split())
    ]
    return ";".join([*single, *groups])


def _code_classes() -> str:
    """Return a class per kind (k0, …) and per fate (f0, …, the last is inserted)."""
    kinds = [f".k{code}{{--fill:var(--kind-{code})}}" for code in range(len(KINDS))]
    fates = [
        f".f{code}{{--fill:var(--fate-fill-{code});--ink:var(--fate-text-{code});--tint:var(--fate-tint-{code})}}"
        for code in range(len(FATES) + 1)
    ]
    return "\n".join([*kinds, *fates])
