"""Tokens in the context: the provider's last count, moved with what was added and removed since."""

from __future__ import annotations

from core.engine.context_limits import unsent_thinking
from core.engine.history_store import HistoryStore
from core.engine.setup import ResentThinking, SessionEnvironment
from core.settings.schema import Mode


class ContextSize:
    """Counts the tokens of a store's next request, without pending message and answer."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._reported: tuple[int, int] | None = None  # prompt tokens, and the store's total at that time

    def report(self, prompt_tokens: int | None) -> None:
        """Record the provider's count of the last request; None or below 1: not reported."""
        reported = prompt_tokens or 0
        self._reported = (reported, self._store.total) if reported > 0 else None

    def used(self, environment: SessionEnvironment) -> int:
        """Return the last reported count if there is one. In safe mode it moves with what was added and
        pruned since (fix EN-02); the reference keeps it unchanged."""
        if self._reported is None:
            return self._estimated(environment)
        prompt, total = self._reported
        store = self._store
        return prompt if store.mode is Mode.REFERENCE else max(0, prompt + store.total - total)

    def needed(self, environment: SessionEnvironment) -> int:
        """Return the tokens for the emergency path; the reference ignores the reported count there."""
        return self._estimated(environment) if self._store.mode is Mode.REFERENCE else self.used(environment)

    def _estimated(self, environment: SessionEnvironment) -> int:
        store, policy = self._store, environment.reasoning
        if policy is ResentThinking.SENT:
            return store.total  # called several times a turn, and the history may be long
        return max(0, store.total - unsent_thinking(store.curated, policy, environment.count))
