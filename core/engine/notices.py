"""One-line texts on a context's size and on a compaction (product.md sections 3.4 and 4).

The words are those of seed 003; for those of the reference of tiered see
``core.strategies.tiered.ion_texts``.
"""

from __future__ import annotations

from core.common.number_format import half_up
from core.engine.events import CompactionStatus, ContextWarning, EngineEvent

UNKNOWN_SHARE = "[ctx: –]"
"""The share if no limit is known."""


def context_share(tokens: int, limit: int | None) -> str:
    """Return the used share of the window for a status bar: "[ctx: 45%]"."""
    return UNKNOWN_SHARE if not limit else f"[ctx: {half_up(tokens / limit * 100)}%]"


def context_compacted(sizes: str = "") -> str:
    """Return the line that marks a compaction; ``sizes`` as by ``size_change``, "" if not known."""
    return f"— context compacted ({sizes} tokens) —" if sizes else "— context compacted —"


def size_change(before: int, after: int) -> str:
    """Tokens before and after: "150k → 105k"."""
    return f"{short_tokens(before)} → {short_tokens(after)}"


def short_tokens(tokens: int) -> str:
    """950, 6.3k, 147k, 1.2M; rounded down, as the seed writes 105,900 as 105k."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            integer_part, tenth = divmod(tokens * 10 // unit, 10)
            return (
                f"{integer_part}.{tenth}{name}" if tenth and integer_part < 10 else f"{integer_part:,}{name}"
            )
    return str(tokens)


def event_notice(event: EngineEvent) -> str:
    """Return the text for the user, "" for events without one."""
    match event:
        case ContextWarning():
            return context_share(event.tokens, event.limit)
        case CompactionStatus():
            return context_compacted(size_change(event.before, event.after))
        case _:
            return ""
