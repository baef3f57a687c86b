"""The filter language of the lists: ``tool:bash tokens>2000 fate:dropped "text" -error #12-40 OR marked``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from core.common.errors import InputError
from core.presentation.model import FATES, INSERTED, KINDS
from core.transcript.model import Speaker
from core.transcript.pins import PinKind

MOST = sys.maxsize
"""Stands for no upper bound."""

TEXT, TOKENS, NUMBER, TOOL, ID = "text", "tokens", "number", "tool", "id"
PIN, NOTE, ANY = "pin", "note", "any"
ERROR, MARKED = "error", "marked"
WORDS = (ERROR, MARKED)
"""Conditions that are one word: a failed result, a mark of the person."""
VALUES: Mapping[str, tuple[str, ...]] = {
    "speaker": tuple(speaker.value for speaker in Speaker),
    "fate": (*FATES, INSERTED),
    "kind": KINDS,
    "block": ("text", "call", "response", "thinking", "media", "code", "opaque"),
    PIN: (PinKind.KEEP.value, PinKind.DROP.value, ANY),
}
"""Keys of which all values are known."""
KEYS = (TOOL, *VALUES, ID, NOTE)
"""Keys that take a value behind a colon."""
NOTED = (MARKED, PIN, NOTE)
"""Conditions on what the person noted of messages, which changes without another preview."""
OR = "OR"

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"#(\d+)(?:(-)#?(\d*))?(?=\s|$)")
_TOKENS = re.compile(r"tokens(<=|>=|<|>|=|:)(\S*)")
_COMPARED = re.compile(r"([A-Za-z]+)(?:<=|>=|<|>)\d")
_FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?)(k?)")
_KEYED = re.compile(r'([A-Za-z]+):("?)')
_WORD = re.compile(r'[^\s"]+')


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """One condition on a message.

    ``key`` is one of KEYS or WORDS, TEXT, TOKENS or NUMBER. ``value`` is folded (``str.casefold``);
    ``low`` to ``high``, both included, are tokens, or numbers of source messages from 0.
    """

    key: str
    value: str = ""
    low: int = 0
    high: int = MOST
    negated: bool = False


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """Alternatives, each a tuple of terms that all have to hold; without any, everything matches."""

    alternatives: tuple[tuple[FilterTerm, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.alternatives)

    @property
    def terms(self) -> tuple[FilterTerm, ...]:
        """Every term, in order."""
        return tuple(term for terms in self.alternatives for term in terms)


def parse_filter(text: str) -> FilterQuery:
    """The query that a text says; InputError names the place (characters count from 1) and a way out."""
    found: list[list[FilterTerm]] = [[]]
    place = 0
    while place < len(text):
        if blank := _SPACE.match(text, place):
            place = blank.end()
        elif re.compile(rf"{OR}(?=\s|$)").match(text, place):
            if not found[-1]:
                raise _wrong(place, f"{OR} needs a condition before it", 'Write as in: error OR "refused".')
            found.append([])
            place += len(OR)
        else:
            term, place = _term(text, place)
            found[-1].append(term)
    if len(found) > 1 and not found[-1]:
        raise _wrong(len(text), f"{OR} needs a condition behind it", 'Write as in: error OR "refused".')
    return FilterQuery(tuple(tuple(terms) for terms in found if terms))


def _term(text: str, start: int) -> tuple[FilterTerm, int]:
    """The term that begins at a place, and where it ends."""
    negated = text[start] == "-" and len(text) > start + 1 and not text[start + 1].isspace()
    place = start + negated
    if text[place] == '"':
        value, end = _quoted(text, place)
        return FilterTerm(TEXT, value, negated=negated), end
    if text[place] == "#":
        return _numbered(text, place, negated)
    if compared := _TOKENS.match(text, place):
        return _compared(compared, negated), compared.end()
    if keyed := _KEYED.match(text, place):
        return _keyed(text, keyed, negated)
    if other := _COMPARED.match(text, place):
        raise _wrong(
            place, f"only {TOKENS} can be compared, not {other[1]}", "Text with a < or > goes in quotes."
        )
    word = _WORD.match(text, place)
    assert word is not None  # neither a blank nor a quote stands here
    value = word[0].casefold()
    term = FilterTerm(value, negated=negated) if value in WORDS else FilterTerm(TEXT, value, negated=negated)
    return term, word.end()


def _quoted(text: str, place: int) -> tuple[str, int]:
    end = text.find('"', place + 1)
    if end < 0:
        raise _wrong(place, "the quote is not closed", 'Put a " behind the text.')
    if end == place + 1:
        raise _wrong(place, "the quotes hold no text", "Write what to look for between them.")
    return text[place + 1 : end].casefold(), end + 1


def _numbered(text: str, place: int, negated: bool) -> tuple[FilterTerm, int]:
    found = _NUMBER.match(text, place)
    if found is None:
        raise _wrong(place, "a message is named by a number", "Write as in: #12, #12-40 or #12-.")
    first, last = _whole(found[1]), _whole(found[3]) if found[3] else MOST if found[2] else _whole(found[1])
    if first < 1 or last < first:
        raise _wrong(place, f"{found[0]} holds no message", "Numbers begin with 1 and grow.")
    return FilterTerm(NUMBER, low=first - 1, high=last - 1, negated=negated), found.end()


def _whole(digits: str) -> int:
    """A number of any length, at most MOST."""
    return min(MOST, int(digits)) if len(digits) < 20 else MOST


def _compared(found: re.Match[str], negated: bool) -> FilterTerm:
    sign, figure = found[1], _FIGURE.fullmatch(found[2])
    if figure is None:
        raise _wrong(
            found.start(2), f"{TOKENS}{sign} needs a number", "Write as in: tokens>2000 or tokens<=2k."
        )
    whole, _, rest = figure[1].replace(",", "").partition(".")
    thousands = _whole(whole) * 1000 + int((rest + "000")[:3])
    value = min(MOST, thousands if figure[2] else thousands // 1000)
    match sign:
        case ">" | ">=":
            return FilterTerm(TOKENS, low=min(MOST, value + (sign == ">")), negated=negated)
        case "<" | "<=":
            return FilterTerm(TOKENS, low=0, high=value - (sign == "<"), negated=negated)
    return FilterTerm(TOKENS, low=value, high=value, negated=negated)


def _keyed(text: str, found: re.Match[str], negated: bool) -> tuple[FilterTerm, int]:
    key = found[1].casefold()
    if key not in KEYS:
        near = f"; {nearest} is one" if (nearest := _nearest(key, KEYS)) else ""
        hint = f"Keys: {', '.join(KEYS)}, tokens. Text with a colon goes in quotes."
        raise _wrong(found.start(), f"there is no key {found[1]}{near}", hint)
    if found[2]:
        value, end = _quoted(text, found.end() - 1)
    else:
        word = _WORD.match(text, found.end())
        if word is None:
            raise _wrong(found.end(), f"{key}: needs a value", _values_hint(key))
        value, end = word[0].casefold(), word.end()
    if key in VALUES and value not in VALUES[key]:
        raise _wrong(found.end(), f"there is no {key} {value}", _values_hint(key))
    return FilterTerm(key, value, negated=negated), end


def _values_hint(key: str) -> str:
    if key in VALUES:
        return f"Values: {', '.join(VALUES[key])}."
    return _HINTS[key]


_HINTS: Mapping[str, str] = {
    TOOL: "Write as in: tool:bash or tool:read*.",
    ID: "Write the beginning of an id.",
    NOTE: 'Write as in: note:any or note:"ask again".',
}


def _nearest(word: str, words: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # late: only for what is misspelt

    return next(iter(get_close_matches(word, words, 1)), "")


def _wrong(place: int, what: str, hint: str) -> InputError:
    return InputError(f"Character {place + 1}: {what}.", hint)


@dataclass(frozen=True, slots=True)
class FilterCompletions:
    """What may stand in the place of the characters [start, end)."""

    start: int
    end: int
    texts: tuple[str, ...]


def complete_filter(text: str, cursor: int, tools: tuple[str, ...] = ()) -> FilterCompletions:
    """What may stand at the cursor: keys and words, behind a colon the values; ``tools`` are names seen."""
    start = max(text.rfind(" ", 0, cursor), text.rfind("\t", 0, cursor)) + 1
    start += text[start:cursor].startswith("-")
    key, colon, typed = text[start:cursor].partition(":")
    if colon:
        known = {**VALUES, TOOL: tools, NOTE: (ANY,)}.get(key.casefold(), ())
        texts = (f"{key}:{_safe(value)} " for value in known if value.casefold().startswith(typed.casefold()))
        return FilterCompletions(start, cursor, tuple(texts))
    words = (*(f"{one}:" for one in KEYS), f"{TOKENS}>", *(f"{one} " for one in WORDS))
    offered = tuple(one for one in words if key and one.startswith(key.casefold()))
    return FilterCompletions(start, cursor, offered)


def _safe(value: str) -> str:
    """A value as it is typed: in quotes where it holds blanks."""
    return f'"{value}"' if _SPACE.search(value) else value


def tool_term(name: str) -> str:
    """The condition that asks for the calls and results of a tool."""
    return f"{TOOL}:{_safe(name)}"


@dataclass(frozen=True, slots=True)
class PinsChangedEvent:
    """The messages of the source that carry a pin, ascending, and those with a note and its words."""

    keep: tuple[int, ...] = ()
    drop: tuple[int, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()
