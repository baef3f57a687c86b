"""Models whose calls are told to the listener of a session, each with what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.engine.events import EventListener, ProviderUsage, SummaryRequested
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse, ToolModel, ToolTurn
from core.transcript.compaction import AgentStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class ObservedSummariser:
    """A summariser; one SummaryRequested and one ProviderUsage for each summary."""

    inner: Summariser
    listen: EventListener

    @property
    def profile(self) -> str:
        """Name of the profile that makes the call."""
        return self.inner.profile

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.inner.model

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Write the summary; errors pass through."""
        self.listen(SummaryRequested(self.profile, self.model))
        answer = self.inner.summarise(request)
        self.listen(ProviderUsage(self.profile, self.model, answer.input_tokens, answer.output_tokens))
        return answer


@dataclass(frozen=True, slots=True)
class ObservedToolModel:
    """A model that works with tools; one SummaryRequested and one ProviderUsage for each of its turns."""

    inner: ToolModel
    listen: EventListener

    @property
    def profile(self) -> str:
        """Name of the profile that makes the calls."""
        return self.inner.profile

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.inner.model

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """The next turn; errors pass through."""
        self.listen(SummaryRequested(self.profile, self.model))
        reply = self.inner.converse(system, messages, tools)
        self.listen(ProviderUsage(self.profile, self.model, reply.input_tokens, reply.output_tokens))
        return reply

    def note(self, step: AgentStep) -> None:
        """Pass on what became of a call."""
        self.inner.note(step)
