"""How full a window is: what the provider counted last, moved with what came and went since."""

from __future__ import annotations

from core.engine.context_limits import unsent_thinking
from core.engine.history_store import HistoryStore
from core.engine.setup import ResentThinking, SessionEnvironment
from core.settings.schema import Mode


class ContextGauge:
    """Tokens that the next request of one store takes, pending message and answer apart."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._reported: tuple[int, int] | None = None  # prompt tokens, and the store's total at that time

    def report(self, prompt_tokens: int | None) -> None:
        """Take over what the provider counted for the last request; None or less than 1: it said nothing."""
        known = prompt_tokens or 0
        self._reported = (known, self._store.total) if known > 0 else None

    def used(self, around: SessionEnvironment) -> int:
        """By the last reported count where there is one. In safe mode it moves with what was added and
        pruned since (fix EN-02); the reference keeps it as it was."""
        if self._reported is None:
            return self._estimated(around)
        prompt, total = self._reported
        store = self._store
        return prompt if store.mode is Mode.REFERENCE else max(0, prompt + store.total - total)

    def needed(self, around: SessionEnvironment) -> int:
        """What the emergency path reckons with: the reference never looks at the reported count there."""
        return self._estimated(around) if self._store.mode is Mode.REFERENCE else self.used(around)

    def _estimated(self, around: SessionEnvironment) -> int:
        store, policy = self._store, around.reasoning
        if policy is ResentThinking.SENT:
            return store.total  # asked several times a turn, and the history may be long
        return max(0, store.total - unsent_thinking(store.curated, policy, around.count))
