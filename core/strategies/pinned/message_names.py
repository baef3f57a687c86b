"""Names that a history uses again and again, or used last: paths, addresses, identifiers and numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.facts import prose_facts
from core.transcript.model import Block, Code, Message, Text, ToolCall, ToolResponse
from core.transcript.tool_pairs import answer_text, json_text

MAX_NAMES = 800  # of a history
_MAX_SEARCHED = 20_000  # characters of one message
_MIN_MESSAGES = 3  # that use a name, or one of the newest
_NEWEST_SHARE = 0.1  # of the messages
_MAX_LENGTH = 120  # characters
_NAME = re.compile(
    r"(?<![\w/<:])(?:[\w.@-]*/)?(?:[\w.@-]+/)+[\w.@-]*\w|\b[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+)+\b|"
    r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|"
    r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])"
)


def names_in(text: str) -> Iterator[str]:
    """Yield names as code, addresses and file systems spell them."""
    searched_text = text[:_MAX_SEARCHED]
    yield from prose_facts.urls(searched_text)
    yield from (name.rstrip(".-") for name in _NAME.findall(searched_text) if 3 < len(name) <= _MAX_LENGTH)


def recurring_names(messages: Sequence[Message]) -> list[str]:
    """Return the names that several messages use, or that the newest use, most used and newest first."""
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for index, message in enumerate(messages):
        for name in set(names_in(all_text(message))):
            counts[name] += 1
            last[name] = index
    newest = len(messages) * (1 - _NEWEST_SHARE)
    chosen = (name for name, count in counts.items() if count >= _MIN_MESSAGES or last[name] >= newest)
    return sorted(chosen, key=lambda name: (-counts[name] * (0.3 + last[name] / len(messages)), name))


def all_text(message: Message) -> str:
    """Return all text of a message: texts, names and arguments of calls, results."""
    return "\n".join(_block_text(block) for block in message.blocks)


def _block_text(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Code():
            return block.code
        case ToolCall():
            values = block.arguments.values() if isinstance(block.arguments, dict) else (block.arguments,)
            return "\n".join((block.name, *map(json_text, values)))
        case ToolResponse():
            return answer_text(block)
        case _:
            return ""
