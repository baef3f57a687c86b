"""Runs hybrid over messages with a scripted summariser and a cheap token count."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.strategies import hybrid
from core.strategies.base import StrategyContext
from core.strategies.hybrid import ASSISTANT_PROMPT, USER_PROMPT
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Text, ToolResponse
from core.transcript.tool_pairs import response_content
from tests.core.strategies.strategy_running import ScriptedSummariser, context, values
from tests.support.builders import ai, human

PROMPTS = {USER_PROMPT: "Human, {max_tokens}.", ASSISTANT_PROMPT: "AI, {max_tokens}."}
END = tuple((ai if place % 2 else human)(f"last words {place}") for place in range(5))
"""Five protected messages, the last by the user."""


def tokens(messages: Sequence[Message]) -> int:
    """Return a quarter of the bytes of texts and results, and of the words of calls."""
    return sum(
        sum(len(_words(block).encode()) for block in message.blocks) // 4 + 1
        for message in messages
    )


def _words(block: object) -> str:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, ToolResponse):
        return str(response_content(block))
    return str(getattr(block, "arguments", ""))


def hybrid_context(
    messages: Sequence[Message],
    writer: ScriptedSummariser | None = None,
    *,
    limit: int = 1,
    **settings: Any,
) -> StrategyContext:
    """Return the context; a limit of 1 makes the target 0, which nothing meets."""
    effective = values(**{f"hybrid__{name}": value for name, value in settings.items()})
    result = context(messages, effective, limit=limit)
    choose = (writer or ScriptedSummariser("short")).choose
    return replace(result, estimate_tokens=tokens, summariser=choose, prompts=PROMPTS)


def run(
    messages: Sequence[Message],
    writer: ScriptedSummariser | None = None,
    *,
    limit: int = 1,
    **settings: Any,
) -> Compaction:
    return hybrid.compress(hybrid_context(messages, writer, limit=limit, **settings))


def message_texts(compaction: Compaction) -> list[str]:
    return [
        "".join(block.text for block in message.blocks if isinstance(block, Text))
        for message in compaction.messages
    ]


def changed_indexes(compaction: Compaction) -> list[int]:
    """Return the source messages that were not kept."""
    return [
        index
        for index, fate in enumerate(compaction.fates)
        if fate.kind.value != "kept"
    ]
