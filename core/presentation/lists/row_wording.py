"""Short texts of list rows, folds, chips and ribbons, also for screen readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.common import number_format
from core.presentation.lists.list_links import ChangedRun
from core.presentation.model import FATES, INSERTED, SPEAKERS, UNREPORTED, FateRun, MessageRows

LARGE_MESSAGE_TOKENS = 2000
"""Tokens from which a message's figure is bold (ui.md section 2)."""

MARKS = ("≈", "=", number_format.UNKNOWN)


def fate_word(code: int) -> str:
    """Return the word of a fate code or of inserted."""
    return FATES[code] if code < len(FATES) else INSERTED


def token_figure(tokens: int) -> str:
    """Return tokens with thousands commas, a dash if unreported, nothing if uncounted."""
    if tokens >= 0:
        return number_format.count(tokens)
    return number_format.UNKNOWN if tokens == UNREPORTED else ""


def speaker_word(code: int) -> str:
    """Return "human", "AI", "tool" …"""
    return SPEAKERS[code].replace("ai", "AI")


def speaker_letter(code: int) -> str:
    """Return H, A, T, S or U, for narrow lists."""
    return SPEAKERS[code][0].upper()


def total_mark(total: str) -> str:
    """Return the mark of a total (one of MARKS), or nothing."""
    return total[0] if total[:1] in MARKS else ""


def origin_text(origin: int, index: int) -> str:
    """Return the source number of result message ``index``, "#329"; empty if none or equal."""
    return number_format.message_number(origin) if origin >= 0 and origin != index else ""


def fold_text(start: int, end: int, fates: bytes, tokens: Sequence[int], *, has_more: bool) -> str:
    """Return "229 more summarised · #96–#324 · 75,727 tokens", with several fates "70 more · #49–#118 ·
    64 edited, 6 pruned · …". ``tokens`` are those of the messages [start, end); the sum is left out if one is
    unknown."""
    counts = Counter(fates).most_common()
    more, one_fate = "more" if has_more else "", fate_word(counts[0][0]) if len(counts) == 1 else ""
    words = [f"{number_format.count(number)} {fate_word(code)}" for code, number in counts]
    parts = [
        " ".join(filter(None, (number_format.count(end - start), more, one_fate))),
        number_format.span(start, end),
        "" if one_fate else ", ".join(words),
        number_format.plural(sum(tokens), "token") if tokens and min(tokens) >= 0 else "",
    ]
    return " · ".join(filter(None, parts))


def chip_words(fate: int, count: int) -> tuple[str, str]:
    """Return (figure, word) of a fate chip: ("245", "summarised")."""
    return number_format.count(count), fate_word(fate)


def ribbon_badge(run: FateRun) -> tuple[str, str]:
    """Return the two lines of a ribbon's badge: source and result counts."""
    before, after = run.before[1] - run.before[0], run.after[1] - run.after[0]
    return number_format.count(before), f"→ {number_format.count(after)}"


def run_text(run: FateRun) -> str:
    """Return a ribbon's text: "#84–#328 · 245 summarised → #84–#85"."""
    start, end = run.before
    has_source = end > start
    text = (
        fold_text(start, end, bytes((run.fate,)), (), has_more=False) if has_source else fate_word(run.fate)
    )
    return (
        " → ".join(filter(None, (text, number_format.span(*run.after))))
        if run.after[1] > run.after[0]
        else text
    )


def row_speech(rows: MessageRows, index: int, fate: int, origin: int, line: str) -> str:
    """Return a row for a screen reader; ``fate`` is -1 without a preview, ``line`` its text."""
    parts: list[str] = [f"{number_format.message_number(index)} {SPEAKERS[rows.speakers[index]]}"]
    if fate >= 0:
        parts.append(fate_word(fate))
    if origin_number := origin_text(origin, index):
        parts.append(f"was {origin_number}")
    if rows.tokens[index] >= 0:
        parts.append(number_format.plural(rows.tokens[index], "token"))
    elif rows.tokens[index] == UNREPORTED:
        parts.append("tokens not reported")
    if rows.errors[index]:
        parts.append("error")
    return ", ".join(filter(None, (*parts, line)))


def change_words(change: ChangedRun) -> str:
    """Return "#84–#328 · 245 summarised → #84–#85 · change 3 of 17"."""
    number, total = number_format.count(change.number), number_format.count(change.total)
    position_text = f"change {number} of {total}"
    return " · ".join(filter(None, (run_text(change.run), position_text)))


def matches_words(before: bytes, after: bytes) -> str:
    """Return "12 of 412 before, 5 of 169 after"."""
    return (
        f"{number_format.count(before.count(1))} of {number_format.count(len(before))} before, "
        f"{number_format.count(after.count(1))} of {number_format.count(len(after))} after"
    )
