"""What must hold for every transcript that can be read: strategies keep pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.common.errors import CompactionFailed
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.transcript.model import Conversation
from core.transcript.scopes import history_of_scope, scopes
from core.transcript.tool_pairs import find_pairs
from tests.core.strategies.strategy_running import run, tokens, values


def strategies_for(path: Path) -> tuple[str, ...]:
    """Return every fourth strategy; each four files of a folder have all of them between them."""
    return tuple(COMPRESSION_STRATEGIES)[sorted(path.parent.iterdir()).index(path) % 4 :: 4]


def assert_pairs_hold(conversation: Conversation, strategies: Sequence[str]) -> None:
    """No strategy separates a call from its response, in any scope."""
    for scope in scopes(conversation):
        messages = history_of_scope(conversation, scope).messages
        if not messages:
            continue
        limit = max(200, tokens(messages) // 2)
        for name in strategies:
            try:
                result = run(name, messages, values(), limit=limit).messages
            except CompactionFailed:
                continue  # some presets refuse a request that has no room in the window
            before, after = find_pairs(messages), find_pairs(result)
            assert len(after.orphans) <= len(before.orphans), (scope, name)
            assert len(after.unanswered) <= len(before.unanswered), (scope, name)
