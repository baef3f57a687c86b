"""What a conversation holds as it is: facts that a compaction may lose, what an API would
refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.app.services.service import AnalysisService
from core.facts.extract import extract_facts
from core.lint.lint import default_provider, find_thrash, lint_history
from core.preview.preview_input import cached_request_sizing
from core.transcript.scopes import CURRENT, history_of_scope

if TYPE_CHECKING:
    from core.facts.model import Fact
    from core.lint.common_rules import LintFinding
    from core.llm.request_size import RequestSizing
    from core.tokens.counter import TokenCounter
    from core.transcript.model import Message
    from core.transcript.scopes import History


@dataclass(frozen=True, slots=True)
class TranscriptFindings:
    """What the API of a provider would refuse of ``messages`` messages."""

    provider: str
    messages: int
    findings: tuple[LintFinding, ...]

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)


class TranscriptService(AnalysisService):
    """Answers about the messages of the scope."""

    def facts(self) -> tuple[tuple[Fact, tuple[int, int]], ...]:
        """Return the facts that the Losses tab looks for, by kind, then by first mention, each with
        the lines of its first and last message in the file, from 1 (0 where the message has
        none)."""
        messages = self._history().messages
        facts = extract_facts(
            messages, self._workspace.analysis_input().options.progress
        ).all
        return tuple(
            (fact, (_line(messages[fact.first]), _line(messages[fact.last])))
            for fact in facts
        )

    def lint(self, provider: str = "") -> TranscriptFindings:
        """Check the messages by the rules of a provider, by default of the API of format and
        model."""
        source = self._workspace.analysis_input()
        conversation = source.conversation
        history = self._history()
        provider = provider or default_provider(conversation.format, conversation.model)
        found = lint_history(
            conversation, history, provider, self._hidden(), tokens=self._text_tokens
        )
        return TranscriptFindings(provider, len(history.messages), found)

    def _hidden(self) -> int:
        """Return the hidden tokens of the next request, which only what is said of thrash needs."""
        if find_thrash(self._workspace.analysis_input().conversation) is None:
            return 0
        return self._sizing()[0].reported_hidden

    def _text_tokens(self, text: str) -> int:
        sizing, counter = self._sizing()
        return sizing.counter(counter).text(text)

    def _sizing(self) -> tuple[RequestSizing, TokenCounter]:

        source = self._workspace.analysis_input()
        counter = source.counter(source.model)
        sizing = cached_request_sizing(
            source.conversation, counter, CURRENT, source.model, source.stages
        )
        return sizing, counter

    def _history(self) -> History:

        source = self._workspace.analysis_input()
        return history_of_scope(source.conversation, source.options.scope)


def _line(message: Message) -> int:
    if message.sources:
        return message.sources[0].line
    return 0
