"""A context engine for Hermes; a plugin of it calls ``register``."""

from __future__ import annotations

from typing import Any

from agent.context_engine import ContextEngine

from core.api import trigger_size
from core.integrations.hosts.history_compactor import HistoryCompactor, MessageDict
from core.strategies.names import EXCERPT

__all__ = ["FoldlineEngine", "register"]


class FoldlineEngine(ContextEngine):  # type: ignore[misc]
    """Compacts a session of Hermes; for ``options`` see HistoryCompactor. The host says the window.

    Without a ``strategy`` it is the recommended one.
    """

    name = "foldline"

    def __init__(self, strategy: str = EXCERPT, **options: Any) -> None:
        self._strategy = strategy
        self._options = options
        self._compactors = dict[tuple[int, str], HistoryCompactor[MessageDict]]()
        self.update_model(
            str(options.get("model") or ""), int(options.get("limit") or 0)
        )

    def update_model(self, model: str, context_length: int, **_: Any) -> None:
        self.context_length = context_length
        settings = self._options.get("settings")
        size = trigger_size(
            strategy=self._strategy, settings=settings, limit=context_length or None
        )
        self.threshold_tokens = size or 0
        if context_length:
            self._compactor("")  # options that cannot be used raise here

    def update_from_response(self, usage: dict[str, Any]) -> None:
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)
        self.last_completion_tokens = usage.get("completion_tokens", 0)
        self.last_total_tokens = usage.get("total_tokens", 0)

    def should_compress(self, prompt_tokens: int | None = None) -> bool:
        return 0 < self.threshold_tokens <= (prompt_tokens or self.last_prompt_tokens)

    def compress(
        self,
        messages: list[MessageDict],
        current_tokens: int | None = None,
        focus_topic: str | None = None,
        force: bool = False,
        memory_context: str = "",
    ) -> list[MessageDict]:
        target = 0 if force else self.threshold_tokens
        compactor = self._compactor(focus_topic or "")
        shorter = compactor.compacted(
            messages, lambda message: [message], lambda item: item, target=target
        )
        if shorter is None:
            return messages
        self.compression_count += 1
        return shorter

    def _compactor(self, focus: str) -> HistoryCompactor[MessageDict]:
        key = self.context_length, focus
        if key not in self._compactors:
            options = self._options | {"limit": self.context_length, "focus": focus}
            self._compactors = {key: HistoryCompactor(self._strategy, **options)}
        return self._compactors[key]


def register(context: Any) -> None:
    """Register the engine with its defaults."""
    context.register_context_engine(FoldlineEngine())
