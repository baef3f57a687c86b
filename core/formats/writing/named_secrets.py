"""Secrets that only their name gives away (``api_key: …``), found again where they stand without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.common.json_value import Json
from core.common.redaction.redact import Secret, find_secrets, secrets_in_json, without_overlaps
from core.transcript.model import Block, Message, Text, Thinking, ToolCall, ToolResponse

_LEAST = 12
"""Characters: anything shorter, or without a digit, may be a word that stands in other places, too."""
_MOST = 300
"""Secrets that are looked for without their names, so that a file of nothing but such takes no hour."""
_KIND = "secret"


def known_in(messages: Iterable[Message]) -> tuple[str, ...]:
    """Those of these messages, the longest first."""
    values = (value for message in messages for block in message.blocks for value in _values(block))
    told = dict.fromkeys(text for value in values for text in secrets_in_json(value))
    alone = islice((text for text in told if _is_no_word(text) and not find_secrets(text)), _MOST)
    return tuple(sorted(alone, key=len, reverse=True))


def _is_no_word(text: str) -> bool:
    return len(text) >= _LEAST and any(map(str.isdigit, text))


def find_known(text: str, known: Sequence[str]) -> Sequence[Secret]:
    """The secrets of a text, with those that are known from elsewhere."""
    found = find_secrets(text)
    more = [secret for value in known if value in text for secret in _each(text, value)]
    return without_overlaps([*found, *more]) if more else found


def _each(text: str, value: str) -> Iterator[Secret]:
    start = text.find(value)
    while start >= 0:
        yield Secret(start, start + len(value), _KIND)
        start = text.find(value, start + len(value))


def _values(block: Block) -> Iterator[Json]:
    match block:
        case Text() | Thinking():
            yield block.text
        case ToolCall():
            yield block.arguments
        case ToolResponse():
            yield block.result
