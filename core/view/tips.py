"""What a cut at a stop of a handle means, in words; made when it is read, for one stop of many."""

from __future__ import annotations

from core.view import numbers
from core.view.phrases import phrase
from core.view.ruler_values import Handle


def tip(handle: Handle, place: int) -> str:
    """The sentence of a handle's stop: "before #329 · keeps 84 · ≈30,702"."""
    boundary, kept = handle.stops[place], handle.kept[place]
    size = numbers.tokens(handle.mark, handle.tokens[place])
    if handle.name == "top":
        where = phrase("after #{boundary}", boundary=boundary) if boundary else phrase("before #1")
        return phrase("{where} · keeps {kept:,} · {size}", where=where, kept=kept, size=size)
    where = (
        phrase("before {message}", message=numbers.message(boundary))
        if kept
        else phrase("after #{boundary}", boundary=boundary)
    )
    return phrase("{where} · keeps {kept:,} · {size}", where=where, kept=kept, size=size)
