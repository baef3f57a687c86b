"""What is said of a context's size and of a compaction, in one line each (product.md sections 3.4 and 4).

These are the words of seed 003, put once for window, report, replay and agents. The reference of tiered
says some of them otherwise: ``core.strategies.tiered.ion_texts``.
"""

from __future__ import annotations

from core.common.rounding import half_up
from core.engine.events import CompactionStatus, ContextWarning, EngineEvent

UNKNOWN_SHARE = "[ctx: –]"
"""Where no limit is known."""


def context_share(tokens: int, limit: int | None) -> str:
    """How much of the window is used, for a status bar: "[ctx: 45%]"."""
    return UNKNOWN_SHARE if not limit else f"[ctx: {half_up(tokens / limit * 100)}%]"


def context_compacted(sizes: str = "") -> str:
    """The line where a compaction happened; ``size_change`` as ``size_change`` writes them, "" where not
    known."""
    return f"— context compacted ({sizes} tokens) —" if sizes else "— context compacted —"


def size_change(before: int, after: int) -> str:
    """Tokens before and after: "150k → 105k"."""
    return f"{short_tokens(before)} → {short_tokens(after)}"


def short_tokens(tokens: int) -> str:
    """950, 6.3k, 147k, 1.2M; never more than there are, as the seed writes 105,900 as 105k."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            whole, tenth = divmod(tokens * 10 // unit, 10)
            return f"{whole}.{tenth}{name}" if tenth and whole < 10 else f"{whole:,}{name}"
    return str(tokens)


def event_notice(event: EngineEvent) -> str:
    """What a person is told of an event of a session; "" for those that say nothing to them."""
    match event:
        case ContextWarning():
            return context_share(event.tokens, event.limit)
        case CompactionStatus():
            return context_compacted(size_change(event.before, event.after))
        case _:
            return ""
