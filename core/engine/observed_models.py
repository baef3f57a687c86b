"""Wrappers of models that report each call and its tokens to the listener of a session."""

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
    """Emits one SummaryRequested and one ProviderUsage for each summary."""

    inner: Summariser
    listener: EventListener

    @property
    def profile(self) -> str:
        return self.inner.profile

    @property
    def model(self) -> str:
        return self.inner.model

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.listener(SummaryRequested(self.profile, self.model))
        answer = self.inner.summarise(request)
        self.listener(ProviderUsage(self.profile, self.model, answer.input_tokens, answer.output_tokens))
        return answer


@dataclass(frozen=True, slots=True)
class ObservedToolModel:
    """Emits one SummaryRequested and one ProviderUsage for each turn of a model with tools."""

    inner: ToolModel
    listener: EventListener

    @property
    def profile(self) -> str:
        return self.inner.profile

    @property
    def model(self) -> str:
        return self.inner.model

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        self.listener(SummaryRequested(self.profile, self.model))
        reply = self.inner.converse(system, messages, tools)
        self.listener(ProviderUsage(self.profile, self.model, reply.input_tokens, reply.output_tokens))
        return reply

    def report_step(self, step: AgentStep) -> None:
        self.inner.report_step(step)
