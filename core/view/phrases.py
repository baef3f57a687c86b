"""English texts that a window may show in another language.

``phrase("{count} of {total}", count=3, total=9)`` is the text "3 of 9" to everybody, and to one who
translates it also its template and its values. What core composes by other means is found out by the window
(``gui.composed``), except in words that are ``Quoted``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Phrase(str):
    """A text that remembers what it was made from. ``values`` are by the names in ``template``."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __reduce__(self) -> tuple[object, ...]:
        return _phrase, (self.template, self.values)


class Quoted(str):
    """Words of a transcript or a file where a sentence of ours could stand; nobody translates them."""

    __slots__ = ()


def phrase(template: str, **values: object) -> str:
    """``template`` with its ``{names}`` filled in, as it stands without values.

    A name without a value is a KeyError.
    """
    return _phrase(template, values)


def joined(separator: str, parts: Iterable[str]) -> str:
    """``separator.join(parts)``, with each part still a phrase; empty parts stay out."""
    values = {f"part{number}": part for number, part in enumerate(filter(None, parts))}
    return _phrase(separator.join(f"{{{name}}}" for name in values), values)


def _phrase(template: str, values: Mapping[str, object]) -> Phrase:
    result = Phrase(template.format(**values) if values else template)
    result.template, result.values = template, values
    return result
