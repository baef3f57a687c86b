"""What must hold for every transcript that can be read: strategies keep pairs, conversions add no errors."""

from __future__ import annotations

from pathlib import Path

from core.common.errors import CompactionFailed
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.lint.lint import lint_messages
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.transcript.model import Conversation, Message
from core.transcript.scopes import history_of_scope, scopes
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import unchanged_export
from tests.core.strategies.strategy_running import run, tokens, values

_PROVIDERS = {"openai_chat": "openai", "anthropic_messages": "anthropic"}


def assert_pairs_hold(conversation: Conversation) -> None:
    """No strategy separates a call from its response, in any scope."""
    for scope in scopes(conversation):
        messages = history_of_scope(conversation, scope).messages
        if not messages:
            continue
        limit = max(200, tokens(messages) // 2)
        for name in COMPRESSION_STRATEGIES:
            try:
                result = run(name, messages, values(), limit=limit).messages
            except CompactionFailed:
                continue  # some presets refuse a request that has no room in the window
            before, after = find_pairs(messages), find_pairs(result)
            assert len(after.orphans) <= len(before.orphans), (scope, name)
            assert len(after.unanswered) <= len(before.unanswered), (scope, name)


def assert_conversions_add_no_errors(conversation: Conversation, folder: Path) -> None:
    """Written for another API, the transcript breaks no rule of it that it did not break before."""
    for to, provider in _PROVIDERS.items():
        path = folder / f"{to}.json"
        path.write_bytes(export_history(unchanged_export(conversation), to).data)
        written = load_conversation(path)
        assert written.format == to
        assert _errors(written.messages, provider) <= _errors(conversation.messages, provider), to


def _errors(messages: tuple[Message, ...], provider: str) -> int:
    return sum(finding.severity == "error" for finding in lint_messages(messages, provider))
