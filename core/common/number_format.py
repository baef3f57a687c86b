"""Formats numbers for display: tokens, differences, percent, sizes, times, message ranges."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from math import ceil, copysign

_EXACT_DECIMALS = 6  # further decimals of a product of floats are noise


def share_of(total: int, fraction: float) -> int:
    """Return the fraction of a whole, rounded down; 0.375 of 84,000 is 31,500, though floats are
    below it."""
    return int(round(total * fraction, _EXACT_DECIMALS))


def half_up(number: float, decimals: int = 0) -> str:
    """Return the number with ``decimals`` decimals, halves rounded away from zero."""
    units = round(abs(number) * 10 ** (decimals + _EXACT_DECIMALS))
    integer, fraction = divmod(
        (units + 10**_EXACT_DECIMALS // 2) // 10**_EXACT_DECIMALS, 10**decimals
    )
    sign = "-" if number < 0 and (integer or fraction) else ""
    if decimals:
        return f"{sign}{integer}.{fraction:0{decimals}d}"
    return f"{sign}{integer}"


MINUS = "\u2212"
UNKNOWN = "–"


def count(number: int) -> str:
    """Return a whole number with thousands commas and a true minus: 148,203."""
    return f"{number:,}".replace("-", MINUS)


def tokens(mark: str, number: int | None) -> str:
    """Return tokens with the mark of their counting method, or a dash if unknown: ≈148,203."""
    if number is None:
        return UNKNOWN
    return f"{mark}{count(number)}"


def at_least(text: str, missing: int) -> str:
    """Return the text of a sum, with a plus if some of its parts are unknown: =222+."""
    if missing:
        return f"{text}+"
    return text


def abbreviated(number: int | None) -> str:
    """Return a number in short form: 950, 6.3k, 148k, 1.2M."""
    if number is None:
        return UNKNOWN
    for bound, unit, name in ((999_500, 1_000_000, "M"), (999.5, 1_000, "k")):
        if abs(number) >= bound:
            value = number / unit
            if abs(value) < 9.95:
                text = f"{value:.1f}"
            else:
                text = f"{value:.0f}"
            return text.removesuffix(".0").replace("-", MINUS) + name
    return count(number)


def signed(number: int) -> str:
    """Return a difference with its sign: −84,445, +1,204, 0."""
    if number > 0:
        return f"+{count(number)}"
    return count(number)


def percent(fraction: float | None, decimals: int = 1) -> str:
    """Return a fraction as percent, with the space before the sign: 57.0 %; a dash if unknown. A
    part is never rounded up to the whole."""
    if fraction is None:
        return UNKNOWN
    return f"{_percent_of(fraction, decimals)} %".replace("-", MINUS)


def reduction_percent(reduction: float) -> str:
    """Return a reduction, as a share, in the form of a change of size: −48 %, +3 %, 0 %. One result
    has one such figure wherever it is shown."""
    text = percent(-reduction if reduction else 0.0, 0)
    if reduction < 0 and text[0] != "0":
        return f"+{text}"
    return text


def percent_below(fraction: float, bar: float) -> str:
    """Return a fraction below ``bar`` with as many decimals as tell the two apart: 56.6 %."""
    for decimals in range(_EXACT_DECIMALS):
        text = percent(fraction, decimals)
        if float(half_up(fraction * 100, decimals)) < float(
            half_up(bar * 100, _EXACT_DECIMALS)
        ):
            return text
    return percent(fraction, _EXACT_DECIMALS)


def _percent_of(fraction: float, decimals: int = 0) -> str:
    text = half_up(fraction * 100, decimals)
    if abs(fraction) < 1 and abs(float(text)) == 100:
        return half_up(copysign(100 - 10**-decimals, fraction), decimals)
    return text


def percent_range(low: float, high: float) -> str:
    """Return two shares as one range: "61 to 78 %"."""
    return f"{half_up(low * 100, 0)} to {percent(high, 0)}".replace("-", MINUS)


def setting_percent(fraction: float) -> str:
    """Return a setting's fraction as percent, rounded to what a user would set: 20 %, 37.5 %, 0.5
    %."""
    value = fraction * 100
    # Otherwise it comes from a dragged handle.
    is_set = abs(value - round(value, 1)) < 1e-9
    return half_up(value, int(is_set or 0 < value < 0.5)).removesuffix(".0") + " %"


def message_number(index: int) -> str:
    """Return the displayed name of a message, counted from 1: #84."""
    return f"#{index + 1}"


def span(start: int, end: int) -> str:
    """Return the range from start to before end: #83–#412, one: #83, none: –."""
    if end <= start:
        return UNKNOWN
    if end - start == 1:
        return message_number(start)
    return f"{message_number(start)}–{message_number(end - 1)}"


def plural(number: int, singular: str, plural_form: str = "") -> str:
    """Return a number with its noun: 1 message, 2 messages."""
    if number == 1:
        noun = singular
    else:
        noun = plural_form or singular + "s"
    return f"{count(number)} {noun}"


def whole_calls(calls: float | None) -> int | None:
    """Return the next whole number of calls, None for none."""
    if calls is None:
        return None
    return ceil(round(calls, _EXACT_DECIMALS))


def payback_text(calls: float | None, *, is_known: bool = True) -> str:
    """Return after how many calls something has paid for itself: "at once", "1 call", "26 calls",
    "never" for None; a dash where that is not known."""
    if not is_known:
        return UNKNOWN
    whole = whole_calls(calls)
    if whole is None:
        return "never"
    if whole:
        return plural(whole, "call")
    return "at once"


def size(characters: int) -> str:
    """Return a size in characters or bytes: 940 B, 41 kB, 2.4 MB."""
    for unit, name in ((1_000_000, "MB"), (1_000, "kB")):
        if characters >= unit:
            value = characters / unit
            if value < 10 and name == "MB":
                return f"{value:.1f} {name}"
            return f"{value:,.0f} {name}"
    return f"{characters} B"


def seconds(value: float) -> str:
    """Return a duration as "88 ms" or "1.2 s"."""
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s"


def dollar_text(amount: float | None) -> str:
    """Return an amount as "$0.11", below a cent as "$0.002"; a dash if unknown."""
    if amount is None:
        return UNKNOWN
    is_below_a_cent = amount != 0 and round(amount, 3) < 0.01
    return _dollars(amount, 3 if is_below_a_cent else 2)


def dollar_pair(before: float | None, after: float | None) -> tuple[str, str]:
    """Return two amounts with as many decimals as show their difference to a quarter: "$0.021",
    "$0.019"; as ``dollar_text`` where they are equal or one is unknown."""
    texts = dollar_text(before), dollar_text(after)
    if before is None or after is None:
        return texts
    difference = abs(before - after)
    for decimals in range(_FEWEST_DECIMALS, _MOST_DECIMALS + 1):
        shown = abs(round(before, decimals) - round(after, decimals))
        if difference and abs(shown - difference) <= difference / 4:
            return _dollars(before, decimals), _dollars(after, decimals)
    return texts


_FEWEST_DECIMALS, _MOST_DECIMALS = 2, 6  # of a dollar


def _dollars(amount: float, decimals: int) -> str:
    return f"${amount:.{decimals}f}"


UNKNOWN_SHARE = "[ctx: –]"  # the share if no limit is known


def context_share(tokens: int, limit: int | None) -> str:
    """Return the used share of the window for a status bar: "[ctx: 45%]"."""
    if not limit:
        return UNKNOWN_SHARE
    return f"[ctx: {_percent_of(tokens / limit)}%]"


def context_compacted(sizes: str = "") -> str:
    """Return the line that marks a compaction; ``sizes`` as by ``size_change``, "" if not known."""
    if sizes:
        return f"— context compacted ({sizes} tokens) —"
    return "— context compacted —"


def size_change(before: int, after: int) -> str:
    """Tokens before and after: "150k → 105k"."""
    return f"{short_tokens(before)} → {short_tokens(after)}"


def short_tokens(tokens: int) -> str:
    """950, 6.3k, 147k, 1.2M; rounded down: 105,900 is 105k."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            integer_part, tenth = divmod(tokens * 10 // unit, 10)
            if tenth and integer_part < 10:
                return f"{integer_part}.{tenth}{name}"
            return f"{integer_part:,}{name}"
    return str(tokens)


_MONTHS = (
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def to_milliseconds(timestamp: str) -> int | None:
    """Return milliseconds since 1970 of an ISO time, UTC if it has no zone; None if it is not
    one."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def file_time(seconds: float, zone: tzinfo | None = None) -> datetime:
    """Convert a file's time in seconds since 1970, local if no zone is given, clamped to 1970 to
    9999.

    A wrong clock may give a file a time outside the calendar's range.
    """
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LATEST), zone)


def day_text(moment: datetime, now: datetime) -> str:
    """Return a short time: today 14:02, yesterday, Nov 19, Nov 19 2024."""
    if moment.date() == now.date():
        return f"today {moment:%H:%M}"
    if moment.date() == (now - timedelta(days=1)).date():
        return "yesterday"
    date = f"{_MONTHS[moment.month - 1]} {moment.day}"
    if moment.year == now.year:
        return date
    return f"{date} {moment.year}"
