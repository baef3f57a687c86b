"""What a conversation holds as it is: facts that a compaction may lose, what an API would refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.app.services.analysis import AnalysisService

if TYPE_CHECKING:
    from core.analysis.fidelity.fact_rows import FactRow
    from core.lint.common_rules import LintFinding
    from core.transcript.scopes import History


@dataclass(frozen=True, slots=True)
class TranscriptFindings:
    """What the API of a provider would refuse of ``messages`` messages."""

    provider: str
    messages: int
    findings: tuple[LintFinding, ...]

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)


class TranscriptService(AnalysisService):
    """Answers about the messages of the scope."""

    def facts(self) -> tuple[FactRow, ...]:
        """Return the facts that the Losses tab looks for, by category, then by first mention."""
        from core.analysis.fidelity.fact_rows import fact_rows

        return fact_rows(self._history().messages, self._session.analysis_input().options.progress)

    def lint(self, provider: str = "") -> TranscriptFindings:
        """Check the messages by the rules of a provider, by default of the API of format and model."""
        from core.lint.lint import default_provider, lint_history

        conversation, history = self._session.analysis_input().conversation, self._history()
        provider = provider or default_provider(conversation.format, conversation.model)
        found = lint_history(conversation, history, provider)
        return TranscriptFindings(provider, len(history.messages), found)

    def _history(self) -> History:
        from core.transcript.scopes import history_of_scope

        source = self._session.analysis_input()
        return history_of_scope(source.conversation, source.options.scope)
