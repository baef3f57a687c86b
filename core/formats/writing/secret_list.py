"""Lists found secrets by kind, with the messages and fields that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.common.redaction.redact import find_secrets_in_json
from core.common.redaction.secret_rules import PREFIXES
from core.transcript.model import Block, Message, Text, Thinking, ToolCall, ToolResponse

_SHOWN_PREFIXES = {start: start[:4] for one in PREFIXES for start in one.starts}
_MAX_SHOWN = 12  # messages named for one kind; the rest is counted
_LABELS = {
    "mail": "mail address",
    "token": "web token",
    "secret": "named secret",
    "authorization": "authorization header",
    "aws-key": "AWS key",
    "api-key": "API key",
    "github-token": "GitHub token",
    "gitlab-token": "GitLab token",
    "pypi-token": "PyPI token",
    "npm-token": "npm token",
    "openrouter-key": "OpenRouter key",
    "sendgrid-key": "SendGrid key",
}


@dataclass(frozen=True, slots=True)
class SecretLocation:
    """One secret: its kind, the public prefix of such keys, its message and field. ``message_number`` is the
    message's number as it is shown; 0 if it is in no message of the transcript."""

    kind: str
    prefix: str
    message_number: int
    field: str


def secret_locations_in(messages: Iterable[tuple[int, Message]]) -> tuple[SecretLocation, ...]:
    return tuple(
        location
        for number, message in messages
        for block in message.blocks
        for location in _locations_in_block(number, block)
    )


def _locations_in_block(number: int, block: Block) -> Iterator[SecretLocation]:
    for field, value in _fields(block):
        for match in find_secrets_in_json(value):
            name = f"{field} {match.key}" if isinstance(match.key, str) else field
            for secret in match.whole:
                prefix = _public_prefix(match.text[secret.start : secret.end])
                yield SecretLocation(secret.kind, prefix, number, name)


def _fields(block: Block) -> Iterator[tuple[str, Json]]:
    match block:
        case Text():
            yield "text", block.text
        case Thinking():
            yield "thinking", block.text
        case ToolCall():
            yield f"call {block.name}", block.arguments
        case ToolResponse():
            yield "result", block.result
            yield "error", block.error


def _public_prefix(secret: str) -> str:
    """Return at most four characters of a key's public prefix; "" if it has none."""
    return next((prefix for start, prefix in _SHOWN_PREFIXES.items() if secret.startswith(start)), "")


def secret_label(kind: str) -> str:
    """Return a kind in words: "GitHub token"."""
    return _LABELS.get(kind) or kind[:1].upper() + kind[1:].replace("-", " ")


def secret_lines(locations: Sequence[SecretLocation]) -> tuple[str, ...]:
    """Return a line for each kind and prefix: "2 × GitHub token ghp_…: #12 result, #40 text"."""
    groups: dict[tuple[str, str], list[SecretLocation]] = {}
    for location in locations:
        groups.setdefault((location.kind, location.prefix), []).append(location)
    return tuple(
        f"{len(group):,} × {secret_label(kind)}{f' {start}…' if start else ''}: "
        f"{_first_words_text(f'{_message_label(location)} {location.field}' for location in group)}"
        for (kind, start), group in groups.items()
    )


def secrets_summary(locations: Sequence[SecretLocation]) -> str:
    """Return the kinds with their messages: "GitHub token (#12, #40), password (#7)"."""
    groups: dict[str, list[SecretLocation]] = {}
    for location in locations:
        groups.setdefault(location.kind, []).append(location)
    return ", ".join(
        f"{secret_label(kind)} ({_first_words_text(map(_message_label, group))})"
        for kind, group in groups.items()
    )


def _message_label(location: SecretLocation) -> str:
    return f"#{location.message_number}" if location.message_number else "added text"


def _first_words_text(words: Iterable[str]) -> str:
    """Return the first few distinct words, and how many more there are."""
    distinct_words = list(dict.fromkeys(words))
    remainder = f" and {len(distinct_words) - _MAX_SHOWN:,} more" if len(distinct_words) > _MAX_SHOWN else ""
    return f"{', '.join(distinct_words[:_MAX_SHOWN])}{remainder}"
