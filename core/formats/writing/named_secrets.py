"""Finds secrets known by their name (``api_key: …``) where they appear without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.common.json_value import Json
from core.common.redaction.redact import Secret, find_secrets, secret_texts_in_json, without_overlaps
from core.transcript.model import Block, Message, Text, Thinking, ToolCall, ToolResponse

_MIN_LENGTH = 12  # characters: anything shorter, or without a digit, may be a common word
_MAX_SECRETS = 300  # limits how many secrets are searched for without their names, to bound the time
_KIND = "secret"


def named_secrets_in(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the named secrets of these messages, longest first."""
    values = (value for message in messages for block in message.blocks for value in _values(block))
    secrets = dict.fromkeys(text for value in values for text in secret_texts_in_json(value))
    distinctive = (text for text in secrets if _is_distinctive(text) and not find_secrets(text))
    return tuple(sorted(islice(distinctive, _MAX_SECRETS), key=len, reverse=True))


def _is_distinctive(text: str) -> bool:
    return len(text) >= _MIN_LENGTH and any(map(str.isdigit, text))


def find_with_named_secrets(text: str, known_secrets: Sequence[str]) -> Sequence[Secret]:
    """Return the secrets of a text, with those that are known from elsewhere."""
    found = find_secrets(text)
    repeated = [secret for value in known_secrets if value in text for secret in _occurrences(text, value)]
    return without_overlaps([*found, *repeated]) if repeated else found


def _occurrences(text: str, value: str) -> Iterator[Secret]:
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
