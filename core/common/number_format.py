"""How numbers read: tokens with their mark, signed and short figures, percent, message ranges."""

from __future__ import annotations

from core.common.rounding import half_up

MINUS = "\u2212"
UNKNOWN = "–"


def count(number: int) -> str:
    """A whole number with thousands commas and a true minus: 148,203."""
    return f"{number:,}".replace("-", MINUS)


def tokens(mark: str, number: int | None) -> str:
    """Tokens with the mark of how they were counted; a dash where unknown: ≈148,203."""
    return UNKNOWN if number is None else f"{mark}{count(number)}"


def least(text: str, missing: int) -> str:
    """A sum in which so many parts are missing, because they are not known: =222+."""
    return f"{text}+" if missing else text


def short(number: int | None) -> str:
    """A figure that fits into a line: 950, 6.3k, 148k, 1.2M."""
    if number is None:
        return UNKNOWN
    for bound, unit, name in ((999_500, 1_000_000, "M"), (999.5, 1_000, "k")):
        if abs(number) >= bound:
            value = number / unit
            text = f"{value:.1f}" if abs(value) < 9.95 else f"{value:.0f}"
            return text.removesuffix(".0").replace("-", MINUS) + name
    return count(number)


def signed(number: int) -> str:
    """A difference with its sign: −84,445, +1,204, 0."""
    return f"+{count(number)}" if number > 0 else count(number)


def percent(fraction: float, places: int = 1) -> str:
    """A fraction as percent, with the space before the sign: 57.0 %."""
    return f"{half_up(fraction * 100, places)} %".replace("-", MINUS)


def score(weighted: float | None) -> str:
    """A fidelity from 0 to 1: 0.71; a dash where unknown. Never 1.00 where something is missing."""
    if weighted is None:
        return UNKNOWN
    return "0.99" if 0.995 <= weighted < 1 else f"{weighted:.2f}"


def setting_percent(fraction: float) -> str:
    """The percent of a setting, rounded to what a person would set: 20 %, 37.5 %, 0.5 %."""
    value = fraction * 100
    is_set = abs(value - round(value, 1)) < 1e-9  # else it comes from a handle that was dragged
    return half_up(value, int(is_set or 0 < value < 0.5)).removesuffix(".0") + " %"


def message(index: int) -> str:
    """The name of a message for people, counted from 1: #84."""
    return f"#{index + 1}"


def span(start: int, end: int) -> str:
    """The messages from start to before end: #83–#412, one: #83, none: –."""
    if end <= start:
        return UNKNOWN
    return message(start) if end - start == 1 else f"{message(start)}–{message(end - 1)}"


def plural(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 message, 2 messages."""
    noun = one if number == 1 else many or one + "s"
    return f"{count(number)} {noun}"


def size(characters: int) -> str:
    """A size of text or bytes: 940 B, 41 kB, 2.4 MB."""
    for unit, name in ((1_000_000, "MB"), (1_000, "kB")):
        if characters >= unit:
            value = characters / unit
            return f"{value:.1f} {name}" if value < 10 and name == "MB" else f"{value:,.0f} {name}"
    return f"{characters} B"


def seconds(value: float) -> str:
    """A time as "88 ms" or "1.2 s"."""
    return f"{value * 1000:.0f} ms" if value < 0.9995 else f"{value:.1f} s"


def dollar_text(amount: float) -> str:
    """An amount as "$0.11", below a cent as "$0.002"."""
    return f"${amount:.2f}" if amount >= 0.01 or amount == 0 else f"${amount:.3f}"
