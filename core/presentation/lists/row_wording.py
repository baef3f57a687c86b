"""Short texts of list rows, collapsed runs, chips and changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.common import number_format
from core.presentation.model import FATES, INSERTED, SPEAKERS, UNREPORTED, FateRun, MessageRows

_KEPT = FATES.index("kept")


def _before_start(run: FateRun) -> int:
    return run.before[0]


def _after_start(run: FateRun) -> int:
    return run.after[0]


def span_of(run: FateRun, side: str) -> tuple[int, int]:
    """Return the messages [start, end) of a run on ``side`` "before" or "after"."""
    return run.before if side == "before" else run.after


def run_at(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Return the index of the run that holds a message of a side, -1 if none."""
    key = _before_start if side == "before" else _after_start
    index = bisect_right(runs, message, key=key) - 1
    while index >= 0:
        start, end = span_of(runs[index], side)
        if start <= message < end:
            return index
        if end > start:
            return -1
        index -= 1
    return -1


def counterpart_message(runs: Sequence[FateRun], side: str, message: int) -> int:
    """Return the message on the other side, -1 for none. Runs of equal length map one to one,
    others to their first message."""
    index = run_at(runs, side, message)
    if index < 0:
        return -1
    start, end = span_of(runs[index], side)
    goal_start, goal_end = span_of(runs[index], "after" if side == "before" else "before")
    if goal_end == goal_start:
        return -1
    return goal_start + (message - start if goal_end - goal_start == end - start else 0)


def merged_runs(runs: Sequence[FateRun]) -> tuple[FateRun, ...]:
    """Join runs that became one result, over a removed run between them."""
    merged: list[FateRun] = []
    for run in runs:
        first = len(merged) - 1
        if first > 0 and merged[first].after[0] == merged[first].after[1]:
            first -= 1
        before = merged[first] if first >= 0 and run.results else None
        if before is not None and (before.fate, before.after) == (run.fate, run.after):
            merged[first:] = [before._replace(before=(before.before[0], run.before[1]))]
        else:
            merged.append(run)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """A run with a fate other than kept, the ``number``-th (from 1) of ``total``."""

    run: FateRun
    number: int
    total: int


def adjacent_change(
    runs: Sequence[FateRun], side: str, message: int, step: int
) -> ChangedRun | None:
    """Return the next (``step`` 1) or previous (-1) change from a message, or None. Inside a
    change, its own start counts as the previous one."""
    changed = [run for run in runs if run.fate != _KEPT]
    key = _before_start if side == "before" else _after_start
    if step > 0:
        index = bisect_right(changed, message, key=key)
    else:
        index = bisect_left(changed, message, key=key) - 1
    return (
        ChangedRun(changed[index], index + 1, len(changed)) if 0 <= index < len(changed) else None
    )


LARGE_MESSAGE_TOKENS = 2000
"""Tokens from which a message's figure is bold."""

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


def collapsed_text(
    start: int, end: int, fates: bytes, tokens: Sequence[int], *, has_more: bool
) -> str:
    """Return "229 more summarised · #96–#324 · 75,727 tokens", with several fates "70 more ·
    #49–#118 · 64 edited, 6 pruned · …". ``tokens`` are those of the messages [start, end); the sum
    is left out if one is unknown."""
    counts = Counter(fates).most_common()
    one_fate = fate_word(counts[0][0]) if len(counts) == 1 else ""
    words = ", ".join(f"{number_format.count(number)} {fate_word(code)}" for code, number in counts)
    head = (number_format.count(end - start), "more" if has_more else "", one_fate)
    total = number_format.plural(sum(tokens), "token") if tokens and min(tokens) >= 0 else ""
    parts = (
        " ".join(filter(None, head)),
        number_format.span(start, end),
        "" if one_fate else words,
        total,
    )
    return " · ".join(filter(None, parts))


def chip_words(fate: int, count: int) -> tuple[str, str]:
    """Return (figure, word) of a fate chip: ("245", "summarised")."""
    return number_format.count(count), fate_word(fate)


def run_text(run: FateRun) -> str:
    """Return a run in words: "#84–#328 · 245 summarised → #84–#85"."""
    start, end = run.before
    text = fate_word(run.fate)
    if end > start:
        text = collapsed_text(start, end, bytes((run.fate,)), (), has_more=False)
    return f"{text} → {number_format.span(*run.after)}" if run.after[1] > run.after[0] else text


def change_words(change: ChangedRun) -> str:
    """Return "#84–#328 · 245 summarised → #84–#85 · change 3 of 17"."""
    number, total = number_format.count(change.number), number_format.count(change.total)
    return f"{run_text(change.run)} · change {number} of {total}"


def stretch_words(rows: MessageRows, first: int, end: int) -> str:
    """Return "20,439 tokens · 2 of yours · 1 error" of the messages [first, end)."""
    tokens = sum(max(0, count) for count in rows.tokens[first:end])
    yours = rows.speakers[first:end].count(_HUMAN)
    errors = sum(map(bool, rows.errors[first:end]))
    parts = [f"{number_format.count(tokens)} tokens"]
    if yours:
        parts.append(f"{number_format.count(yours)} of yours")
    if errors:
        parts.append(number_format.plural(errors, "error"))
    return " · ".join(parts)


def stretch_query(query: str, first: int, end: int) -> str:
    """Return a query for the messages [first, end) of the source alone."""
    place = f"#{first + 1}-{end}"
    return " OR ".join(f"{place} {one}".strip() for one in query.split(" OR "))


def matches_words(before: bytes, after: bytes, needle: str = "") -> str:
    """Return "12 of 412 before, 5 of 169 after"; of a text "12 hold “retry”"."""
    if needle:
        count = before.count(1)
        verb = "holds" if count == 1 else "hold"
        return f"{number_format.count(count)} {verb} “{needle}”"
    return (
        f"{number_format.count(before.count(1))} of {number_format.count(len(before))} before, "
        f"{number_format.count(after.count(1))} of {number_format.count(len(after))} after"
    )


_HUMAN = SPEAKERS.index("human")
COUNTING = "counting"
"""Shown until a total is known."""


def rows_so_far(rows: MessageRows) -> str:
    """Return "1,204 messages so far"."""
    return f"{number_format.plural(len(rows), 'message')} so far"


def expected_tokens(rows: MessageRows, tokens: int) -> int:
    """Extrapolate the total from the counted rows, which have ``tokens``."""
    counted_rows = len(rows) - rows.tokens.count(-1)
    return tokens * len(rows) // counted_rows if counted_rows else 0
