"""What a conversation holds as it is: facts that a compaction may lose, what an API would
refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.facts.extract import extract_facts
from core.lint.lint import default_provider, find_thrash, lint_history
from core.preview.preview_input import cached_request_sizing
from core.transcript.scopes import CURRENT, history_of_scope

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput
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


def listed_facts(
    source: AnalysisInput,
) -> tuple[tuple[Fact, tuple[int, int]], ...]:
    """Return the facts that the Losses tab looks for, by kind, then by first mention, each with
    the lines of its first and last message in the file, from 1 (0 where the message has none)."""
    messages = _history(source).messages
    facts = extract_facts(messages, source.options.progress).all
    return tuple(
        (fact, (_line(messages[fact.first]), _line(messages[fact.last])))
        for fact in facts
    )


def transcript_findings(
    source: AnalysisInput, provider: str = ""
) -> TranscriptFindings:
    """Check the messages by the rules of a provider, by default of the API of format and model."""
    conversation = source.conversation
    history = _history(source)
    provider = provider or default_provider(conversation.format, conversation.model)

    def text_tokens(text: str) -> int:
        sizing, counter = _sizing(source)
        return sizing.counter(counter).text(text)

    hidden = 0
    # Only what is said of thrash needs the hidden tokens of the next request.
    if find_thrash(conversation) is not None:
        hidden = _sizing(source)[0].reported_hidden
    found = lint_history(conversation, history, provider, hidden, tokens=text_tokens)
    return TranscriptFindings(provider, len(history.messages), found)


def _sizing(source: AnalysisInput) -> tuple[RequestSizing, TokenCounter]:
    counter = source.counter(source.model)
    sizing = cached_request_sizing(
        source.conversation, counter, CURRENT, source.model, source.stages
    )
    return sizing, counter


def _history(source: AnalysisInput) -> History:
    return history_of_scope(source.conversation, source.options.scope)


def _line(message: Message) -> int:
    if message.sources:
        return message.sources[0].line
    return 0
