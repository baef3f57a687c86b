"""Parses the lists' filter language: ``tool:bash tokens>2000 fate:dropped "text" -error #12-40 OR
marked``."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.presentation.model import FATES, INSERTED, KINDS
from core.transcript.model import Speaker
from core.transcript.pins import PinKind

MAX_NUMBER = sys.maxsize
"""No upper bound."""
TEXT, TOKENS, NUMBER, TOOL, ID = "text", "tokens", "number", "tool", "id"
PIN, NOTE, ANY = "pin", "note", "any"
ERROR, MARKED = "error", "marked"
FLAG_WORDS = (ERROR, MARKED)
"""One-word conditions: a failed result, the user's mark."""
VALUES: Mapping[str, tuple[str, ...]] = {
    "speaker": tuple(speaker.value for speaker in Speaker),
    "fate": (*FATES, INSERTED),
    "kind": KINDS,
    "block": ("text", "call", "response", "thinking", "media", "code", "opaque"),
    PIN: (PinKind.KEEP.value, PinKind.DROP.value, ANY),
}
"""Keys with a fixed set of values."""
KEYS = (TOOL, *VALUES, ID, NOTE)
"""Keys that take a value after a colon."""
USER_MARK_KEYS = (MARKED, PIN, NOTE)
"""Conditions on the user's marks, pins and notes, which change without a new preview."""
OR = "OR"
_HINTS: Mapping[str, str] = {
    **{key: f"Values: {', '.join(values)}." for key, values in VALUES.items()},
    TOOL: "Write as in: tool:bash or tool:read*.",
    ID: "Write the beginning of an id.",
    NOTE: 'Write as in: note:any or note:"ask again".',
    NUMBER: "Write as in: #12, #12-40 or #12-.",
    TOKENS: "Write as in: tokens>2000 or tokens<=2k.",
    OR: 'Write as in: error OR "refused".',
}

_SPACE = re.compile(r"\s+")
_OR = re.compile(rf"{OR}(?=\s|$)")
_NUMBER = re.compile(r"#(\d+)(?:(-)#?(\d*))?(?=\s|$)")
_TOKENS = re.compile(r"tokens(<=|>=|<|>|=|:)(\S*)")
_COMPARISON = re.compile(r"([A-Za-z]+)(?:<=|>=|<|>)\d")
_FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?)(k?)")
_KEY_VALUE = re.compile(r'([A-Za-z]+):("?)')
_WORD = re.compile(r'[^\s"]+')


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """A condition on a message. ``key`` is one of KEYS or WORDS, TEXT, TOKENS or NUMBER. ``value``
    is case-folded; ``low`` to ``high``, inclusive, are tokens, or source messages from 0."""

    key: str
    value: str = ""
    low: int = 0
    high: int = MAX_NUMBER
    negated: bool = False


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """Alternatives of terms that must all hold; an empty query matches everything."""

    alternatives: tuple[tuple[FilterTerm, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.alternatives)

    @property
    def terms(self) -> tuple[FilterTerm, ...]:
        return tuple(term for terms in self.alternatives for term in terms)


def parse_filter(text: str) -> FilterQuery:
    """Parse a query; InputError names the character (from 1) and a way out."""
    alternatives: list[list[FilterTerm]] = [[]]
    position = 0
    while position < len(text):
        if space := _SPACE.match(text, position):
            position = space.end()
        elif _OR.match(text, position):
            if not alternatives[-1]:
                raise _syntax_error(position, f"{OR} needs a condition before it", _HINTS[OR])
            alternatives.append([])
            position += len(OR)
        else:
            negated = text[position] == "-" and bool(text[position + 1 : position + 2].strip())
            term, position = _term(text, position + negated)
            alternatives[-1].append(replace(term, negated=negated))
    if len(alternatives) > 1 and not alternatives[-1]:
        raise _syntax_error(len(text), f"{OR} needs a condition behind it", _HINTS[OR])
    return FilterQuery(tuple(tuple(terms) for terms in alternatives if terms))


def _term(text: str, position: int) -> tuple[FilterTerm, int]:
    """Return the term at a position, and its end."""
    if text[position] == '"':
        value, end = _quoted_text(text, position)
        return FilterTerm(TEXT, value), end
    if text[position] == "#":
        return _number_term(text, position)
    if comparison := _TOKENS.match(text, position):
        return _tokens_term(comparison), comparison.end()
    if key_match := _KEY_VALUE.match(text, position):
        return _key_term(text, key_match)
    if invalid := _COMPARISON.match(text, position):
        problem = f"only {TOKENS} can be compared, not {invalid[1]}"
        raise _syntax_error(position, problem, "Text with a < or > goes in quotes.")
    word = _WORD.match(text, position)
    assert word is not None  # neither a blank nor a quote
    value = word[0].casefold()
    return FilterTerm(value) if value in FLAG_WORDS else FilterTerm(TEXT, value), word.end()


def _quoted_text(text: str, position: int) -> tuple[str, int]:
    end = text.find('"', position + 1)
    if end < 0:
        raise _syntax_error(position, "the quote is not closed", 'Put a " behind the text.')
    if end == position + 1:
        raise _syntax_error(
            position, "the quotes hold no text", "Write what to look for between them."
        )
    return text[position + 1 : end].casefold(), end + 1


def _number_term(text: str, position: int) -> tuple[FilterTerm, int]:
    match = _NUMBER.match(text, position)
    if match is None:
        raise _syntax_error(position, "a message is named by a number", _HINTS[NUMBER])
    first = _bounded_int(match[1])
    last = first
    if match[3]:
        last = _bounded_int(match[3])
    elif match[2]:
        last = MAX_NUMBER
    if first < 1 or last < first:
        raise _syntax_error(
            position, f"{match[0]} holds no message", "Numbers begin with 1 and grow."
        )
    return FilterTerm(NUMBER, low=first - 1, high=last - 1), match.end()


def _bounded_int(digits: str) -> int:
    return min(MAX_NUMBER, int(digits)) if len(digits) < 20 else MAX_NUMBER


def _tokens_term(match: re.Match[str]) -> FilterTerm:
    sign, figure = match[1], _FIGURE.fullmatch(match[2])
    if figure is None:
        raise _syntax_error(match.start(2), f"{TOKENS}{sign} needs a number", _HINTS[TOKENS])
    integer_digits, _, decimal_digits = figure[1].replace(",", "").partition(".")
    thousands = _bounded_int(integer_digits) * 1000 + int((decimal_digits + "000")[:3])
    value = min(MAX_NUMBER, thousands if figure[2] else thousands // 1000)
    if sign[0] == ">":
        return FilterTerm(TOKENS, low=min(MAX_NUMBER, value + (sign == ">")))
    return FilterTerm(TOKENS, low=0 if sign[0] == "<" else value, high=value - (sign == "<"))


def _key_term(text: str, match: re.Match[str]) -> tuple[FilterTerm, int]:
    key = match[1].casefold()
    if key not in KEYS:
        from difflib import get_close_matches  # late: only for misspelt keys

        suggestion = "".join(f"; {nearest} is one" for nearest in get_close_matches(key, KEYS, 1))
        hint = f"Keys: {', '.join(KEYS)}, tokens. Text with a colon goes in quotes."
        raise _syntax_error(match.start(), f"there is no key {match[1]}{suggestion}", hint)
    if match[2]:
        value, end = _quoted_text(text, match.end() - 1)
    else:
        word = _WORD.match(text, match.end())
        if word is None:
            raise _syntax_error(match.end(), f"{key}: needs a value", _HINTS[key])
        value, end = word[0].casefold(), word.end()
    if key in VALUES and value not in VALUES[key]:
        raise _syntax_error(match.end(), f"there is no {key} {value}", _HINTS[key])
    return FilterTerm(key, value), end


def _syntax_error(position: int, problem: str, hint: str) -> InputError:
    return InputError(f"Character {position + 1}: {problem}.", hint)


@dataclass(frozen=True, slots=True)
class FilterCompletions:
    """Texts that may replace the characters [start, end)."""

    start: int
    end: int
    texts: tuple[str, ...]


def complete_filter(text: str, cursor: int, tools: tuple[str, ...] = ()) -> FilterCompletions:
    """Return keys and words at the cursor, or values after a colon; ``tools`` are called tools."""
    start = max(text.rfind(" ", 0, cursor), text.rfind("\t", 0, cursor)) + 1
    start += text[start:cursor].startswith("-")
    key, colon, typed = text[start:cursor].partition(":")
    if colon:
        values = {**VALUES, TOOL: tools, NOTE: (ANY,)}.get(key.casefold(), ())
        fitting = (value for value in values if value.casefold().startswith(typed.casefold()))
        texts = tuple(f"{key}:{_quoted_value(value)} " for value in fitting)
    else:
        words = (*(f"{one}:" for one in KEYS), f"{TOKENS}>", *(f"{one} " for one in FLAG_WORDS))
        texts = tuple(word for word in words if key and word.startswith(key.casefold()))
    return FilterCompletions(start, cursor, texts)


def _quoted_value(value: str) -> str:
    return f'"{value}"' if _SPACE.search(value) else value


def tool_term(name: str) -> str:
    """Return the condition for calls and results of a tool."""
    return f"{TOOL}:{_quoted_value(name)}"
