"""The filter of the lists: parses its language, and finds the messages that it keeps.

For example ``tool:bash tokens>2000 fate:dropped "text" -error #12-40 OR marked``.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TypeAlias

from core.common.errors import InputError, near_names
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.model import FATES, INSERTED, KINDS, SPEAKERS, MessageRows
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Progress,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    no_progress,
)
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
                raise _syntax_error(
                    position, f"{OR} needs a condition before it", _HINTS[OR]
                )
            alternatives.append([])
            position += len(OR)
        else:
            negated = text[position] == "-" and bool(
                text[position + 1 : position + 2].strip()
            )
            term, position = _term(text, position + negated)
            alternatives[-1].append(replace(term, negated=negated))
    if len(alternatives) > 1 and not alternatives[-1]:
        raise _syntax_error(len(text), f"{OR} needs a condition after it", _HINTS[OR])
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
    return FilterTerm(value) if value in FLAG_WORDS else FilterTerm(
        TEXT, value
    ), word.end()


def _quoted_text(text: str, position: int) -> tuple[str, int]:
    end = text.find('"', position + 1)
    if end < 0:
        raise _syntax_error(
            position, "the quote is not closed", 'Put a " after the text.'
        )
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
    if len(digits) < 20:
        return min(MAX_NUMBER, int(digits))
    return MAX_NUMBER


def _tokens_term(match: re.Match[str]) -> FilterTerm:
    sign = match[1]
    figure = _FIGURE.fullmatch(match[2])
    if figure is None:
        raise _syntax_error(
            match.start(2), f"{TOKENS}{sign} needs a number", _HINTS[TOKENS]
        )
    integer_digits, _, decimal_digits = figure[1].replace(",", "").partition(".")
    thousands = _bounded_int(integer_digits) * 1000 + int((decimal_digits + "000")[:3])
    value = min(MAX_NUMBER, thousands if figure[2] else thousands // 1000)
    if sign[0] == ">":
        return FilterTerm(TOKENS, low=min(MAX_NUMBER, value + (sign == ">")))
    return FilterTerm(
        TOKENS, low=0 if sign[0] == "<" else value, high=value - (sign == "<")
    )


def _key_term(text: str, match: re.Match[str]) -> tuple[FilterTerm, int]:
    key = match[1].casefold()
    if key not in KEYS:
        suggestion = "".join(f"; {nearest} is one" for nearest in near_names(key, KEYS))
        hint = f"Keys: {', '.join(KEYS)}, tokens. Text with a colon goes in quotes."
        raise _syntax_error(
            match.start(), f"there is no key {match[1]}{suggestion}", hint
        )
    if match[2]:
        value, end = _quoted_text(text, match.end() - 1)
    else:
        word = _WORD.match(text, match.end())
        if word is None:
            raise _syntax_error(match.end(), f"{key}: needs a value", _HINTS[key])
        value = word[0].casefold()
        end = word.end()
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


def complete_filter(
    text: str, cursor: int, tools: tuple[str, ...] = ()
) -> FilterCompletions:
    """Return keys and words at the cursor, or values after a colon; ``tools`` are called tools."""
    start = max(text.rfind(" ", 0, cursor), text.rfind("\t", 0, cursor)) + 1
    start += text[start:cursor].startswith("-")
    key, colon, typed = text[start:cursor].partition(":")
    if colon:
        values = {**VALUES, TOOL: tools, NOTE: (ANY,)}.get(key.casefold(), ())
        fitting = (
            value for value in values if value.casefold().startswith(typed.casefold())
        )
        texts = tuple(f"{key}:{_quoted_value(value)} " for value in fitting)
    else:
        words = (
            *(f"{one}:" for one in KEYS),
            f"{TOKENS}>",
            *(f"{one} " for one in FLAG_WORDS),
        )
        texts = tuple(word for word in words if key and word.startswith(key.casefold()))
    return FilterCompletions(start, cursor, texts)


def _quoted_value(value: str) -> str:
    if _SPACE.search(value):
        return f'"{value}"'
    return value


def tool_term(name: str) -> str:
    """Return the condition for calls and results of a tool."""
    return f"{TOOL}:{_quoted_value(name)}"


@dataclass(frozen=True, slots=True)
class UserMarks:
    """Indices of the source messages that are marked or pinned, ascending, and of those with a
    note."""

    marked: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()
    drop: tuple[int, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FilterMatches:
    """The matches of a query: one byte per message and side, 1 for shown; the called tools by
    frequency. ``needle`` is the text that is looked for, case-folded, "" where it is not one text;
    ``begins`` are the texts of the first matching messages from their match on, by side."""

    before: bytes
    after: bytes
    tools: tuple[str, ...] = ()
    needle: str = ""
    begins: Mapping[str, Mapping[int, str]] = field(default_factory=dict)


Mask: TypeAlias = bytes
"""One byte per message: 1 where it matches, 0 where it does not."""
MessageTest: TypeAlias = Callable[[Message], bool]
_NO_MARKS = UserMarks()
_FLIP = bytes((1, 0)) + bytes(254)
_CALL = KINDS.index("call")
_PROGRESS_INTERVAL = 2_000  # messages between progress reports
_MAX_CACHED_MASKS = 24
_BLOCKS: Mapping[type, str] = {
    Text: "text",
    ToolCall: "call",
    ToolResponse: "response",
    Thinking: "thinking",
    Media: "media",
    Code: "code",
    Opaque: "opaque",
    ServerTool: "call",
}


@dataclass(frozen=True, slots=True)
class FilterTable:
    """One side of a preview in columns. ``origin[i]`` is the source message of row i, -1 for none;
    None for the source itself. ``evaluate`` evaluates terms beyond the columns."""

    rows: MessageRows
    fates: bytes
    evaluate: Callable[[FilterTerm], Mask]
    origin: array[int] | None = None
    marks: UserMarks = _NO_MARKS


def matching_mask(query: FilterQuery, table: FilterTable) -> Mask:
    """Return a mask over the rows; all ones for an empty query."""
    size = len(table.rows)
    if not query:
        return b"\x01" * size
    masks = (
        all_mask((_mask(term, table) for term in terms), size)
        for terms in query.alternatives
    )
    return any_mask(masks, size)


def _mask(term: FilterTerm, table: FilterTable) -> Mask:
    mask = _column_mask(term, table)
    if term.negated:
        return mask.translate(_FLIP)
    return mask


def _column_mask(term: FilterTerm, table: FilterTable) -> Mask:
    sources = range(len(table.rows)) if table.origin is None else table.origin
    codes = {
        "speaker": (table.rows.speakers, SPEAKERS),
        "kind": (table.rows.kinds, KINDS),
        "fate": (table.fates, (*FATES, INSERTED)),
    }
    if term.key in codes:
        column, words = codes[term.key]
        return _code_mask(column, words.index(term.value))
    if term.key == ERROR:
        return table.rows.errors.translate(bytes(1) + b"\x01" * 255)
    in_range = range(term.low, term.high + 1)
    if term.key == TOKENS:
        return _contained(in_range, table.rows.tokens)
    if term.key == NUMBER:
        return _contained(in_range, sources)
    if term.key in (MARKED, PIN, NOTE):
        return _contained(frozenset(_chosen_by_marks(term, table.marks)), sources)
    return table.evaluate(term)


def _chosen_by_marks(term: FilterTerm, marks: UserMarks) -> Iterable[int]:
    """Return the source messages that a person marked, pinned or noted as the term says."""
    if term.key == MARKED:
        return marks.marked
    is_any = term.value == ANY
    if term.key == NOTE:
        noted = [(index, note.casefold()) for index, note in marks.notes]
        return [index for index, note in noted if is_any or term.value in note]
    if term.value == PinKind.KEEP:
        return marks.keep
    if term.value == PinKind.DROP:
        return marks.drop
    return (*marks.keep, *marks.drop) if is_any else ()


def _contained(values: Container[int], column: Iterable[int]) -> Mask:
    return bytes(map(values.__contains__, column))


def _code_mask(column: bytes, code: int) -> Mask:
    return column.translate(bytes(code) + b"\x01" + bytes(255 - code))


def all_mask(masks: Iterable[Mask], size: int) -> Mask:
    """Return 1 where all masks have 1."""
    bits = int.from_bytes(b"\x01" * size, "little")  # whole masks as one integer each
    for mask in masks:
        bits &= int.from_bytes(mask, "little")
    return bits.to_bytes(size, "little")


def any_mask(masks: Iterable[Mask], size: int) -> Mask:
    """Return 1 where any mask has 1."""
    bits = 0
    for mask in masks:
        bits |= int.from_bytes(mask, "little")
    return bits.to_bytes(size, "little")


def carried_mask(mask: Mask, origin: Sequence[int]) -> Mask:
    """Map a source mask to the result's rows; rows without a source get 0."""
    padded = mask + b"\0"  # index -1, no source, reads this byte
    return bytes(map(padded.__getitem__, origin))


def tool_at(rows: MessageRows, indices: Iterable[int]) -> str:
    """Return the tool that the first call among these rows calls, of several the first; else ""."""
    for index in indices:
        if rows.kinds[index] == _CALL:
            lead = rows.lead[index]
            if lead.endswith(":"):
                return rows.text[index].partition(",")[0].partition(" ×")[0]
            return lead
    return ""


class FilterEvaluator:
    """Evaluates terms over a source and its results, with a cache of masks."""

    def __init__(
        self, messages: Sequence[Message], progress: Progress = no_progress
    ) -> None:
        self.messages, self.progress = messages, progress
        self._calls = [
            block
            for message in messages
            for block in message.blocks
            if type(block) is ToolCall
        ]
        self._names = {call.id: call.name for call in self._calls if call.id}
        self._masks: dict[FilterTerm, Mask] = {}

    def called_tools(self) -> tuple[str, ...]:
        return tuple(
            name
            for name, _ in Counter(call.name for call in self._calls).most_common()
            if name
        )

    def source_mask(self, term: FilterTerm) -> Mask:
        """Return the mask of a term over the source. Cancelled propagates."""
        key = FilterTerm(term.key, term.value)
        if key not in self._masks:
            if len(self._masks) >= _MAX_CACHED_MASKS:
                self._masks.clear()
            self._masks[key] = self._search(key)
        return self._masks[key]

    def result_mask(
        self, term: FilterTerm, messages: Sequence[Message], origin: Sequence[int]
    ) -> Mask:
        """Return the mask over a result; unchanged messages are not searched again."""
        source_mask = self.source_mask(term)
        test = self._test(term)
        return bytes(
            source_mask[source_index]
            if source_index >= 0 and self.messages[source_index] is message
            else test(message)
            for message, source_index in zip(messages, origin, strict=True)
        )

    def _search(self, term: FilterTerm) -> Mask:
        test = self._test(term)
        mask = bytearray()
        total = len(self.messages)
        for start in range(0, total, _PROGRESS_INTERVAL):
            self.progress(
                start / total,
                f"Looking for “{term.value}”: message {start:,} of {total:,}",
            )
            mask += bytes(map(test, self.messages[start : start + _PROGRESS_INTERVAL]))
        return bytes(mask)

    def _test(self, term: FilterTerm) -> MessageTest:
        value = term.value
        if term.key == TEXT:
            return lambda message: any(
                value in text.casefold() for text in message_texts(message)
            )
        if term.key == TOOL:
            pattern = value.replace("[", "[[]").replace("?", "[?]")  # only * is special
            return lambda message: any(
                fnmatchcase(name, pattern) for name in self._tools_of(message)
            )
        if term.key == ID:
            return lambda message: any(
                text.casefold().startswith(value) for text in message_ids(message)
            )
        return lambda message: any(
            _BLOCKS[type(block)] == value for block in message.blocks
        )

    def _tools_of(self, message: Message) -> Iterator[str]:
        for block in message.blocks:
            if type(block) is ToolCall:
                yield block.name.casefold()
            elif type(block) is ToolResponse:
                yield (self._names.get(block.call_id) or block.name).casefold()


def needle_of(query: FilterQuery) -> str:
    """Return the text that a query looks for, "" where it looks for none or for several."""
    texts = {
        term.value for term in query.terms if term.key == TEXT and not term.negated
    }
    if len(texts) == 1:
        return texts.pop()
    return ""


_MAX_BEGINS = 5_000  # messages of a side whose text is shown from its match on
_BEFORE_MATCH, _SHOWN_TEXT = 12, 400  # characters before a match, and in all


def texts_from_match(
    needle: str, messages: Sequence[Message], mask: Mask, shown: Sequence[str]
) -> dict[int, str]:
    """Return the texts of matching messages from shortly before their match on; ``shown`` are the
    rows, those that show the match anyway stay as they are."""
    found: dict[int, str] = {}
    for index, message in enumerate(messages):
        if len(found) == _MAX_BEGINS:
            break
        if mask[index] and needle not in shown[index][:_BEFORE_MATCH].casefold():
            text = _from_match(needle, message)
            if text:
                found[index] = text
    return found


def _from_match(needle: str, message: Message) -> str:
    for text in message_texts(message):
        place = text.casefold().find(needle)
        if place >= 0:
            start = max(0, place - _BEFORE_MATCH)
            piece = one_line_text(text[start : start + _SHOWN_TEXT], _SHOWN_TEXT)
            if start:
                return f"… {piece}"
            return piece
    return ""


def message_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        yield from _texts(block)


def _texts(block: Block) -> Iterator[str]:
    match block:
        case Text() | Thinking():
            yield block.text
        case ToolCall():
            yield block.name
            yield from json_strings(block.arguments)
        case ToolResponse():
            yield from json_strings(block.result)
            yield from json_strings(block.error)
        case Code():
            yield block.code
        case Media():
            yield block.caption
        case ServerTool():
            for inner_block in block.description:
                yield from _texts(inner_block)
        case Opaque():
            yield block.kind


def json_strings(value: Json) -> Iterator[str]:
    """Yield the texts, keys and numbers of a JSON value without recursion."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            yield from (str(key) for key in item)
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield str(item)


def message_ids(message: Message) -> Iterator[str]:
    yield message.id
    for block in message.blocks:
        if type(block) is ToolCall:
            yield block.id
        elif type(block) is ToolResponse:
            yield block.call_id
