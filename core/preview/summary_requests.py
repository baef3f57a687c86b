"""The requests that a real run of a preview's strategy would send, as far as they can be
foreseen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.llm.protocol import SummaryRequest, SummaryResponse, ToolCallRequest, ToolTurn
from core.preview import late
from core.preview.options import Preview
from core.summarize.summariser_choice import PlaceholderSummariser
from core.transcript.compaction import AgentStep
from core.transcript.model import Message


@dataclass(frozen=True, slots=True)
class AgentRoundRequest:
    """The request of an agent that has looked at everything once: its largest first round."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class RunRequests:
    requests: tuple[SummaryRequest, ...] = ()
    agent: AgentRoundRequest | None = None

    def with_prompt(self, name: str) -> tuple[SummaryRequest, ...]:
        """Return the requests that hold the prompt of this name."""
        return tuple(
            request for request in self.requests if request.prompt_name == name
        )

    @property
    def is_empty(self) -> bool:
        return not self.requests and self.agent is None


@dataclass(frozen=True, slots=True)
class RequestRecorder:
    """A summariser that records its requests."""

    answer: Callable[[SummaryRequest], SummaryResponse] = (
        PlaceholderSummariser().summarise
    )
    profile: str = ""
    model: str = ""
    requests: list[SummaryRequest] = field(default_factory=list)

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        return self.answer(request)


@dataclass
class _ToolRequestRecorder:
    """A model with tools that looks at everything, then stops, and records its requests."""

    profile: str = ""
    model: str = ""
    rounds: list[AgentRoundRequest] = field(default_factory=list)

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:

        self.rounds.append(AgentRoundRequest(system, tuple(messages), tuple(tools)))
        first_call = ToolCallRequest("look", late.METADATA, '{"include_details": true}')
        return ToolTurn(text="", calls=(first_call,) if len(self.rounds) == 1 else ())

    def report_step(self, step: AgentStep) -> None:
        """Ignore the step."""


def requests_of(
    preview: Preview, prompts: Mapping[str, str] | None = None
) -> RunRequests:
    """Return the requests of a run of the preview with its writer, in order, as far as they can be
    foreseen; ``prompts`` replaces texts by name. Raises what the strategy raises."""
    summary_profile, strategy_context = preview.summary.profile, preview.context
    texts = {
        name: (prompts or {}).get(name, text)
        for name, text in strategy_context.prompts.items()
    }
    recorder = RequestRecorder(
        profile=summary_profile.name, model=summary_profile.model
    )
    tools = _ToolRequestRecorder(
        profile=summary_profile.name, model=summary_profile.model
    )
    context = replace(
        strategy_context,
        prompt=next(iter(texts.values()), ""),
        prompts=texts,
        summariser=lambda profile: recorder,
        agent=None if summary_profile.is_offline else lambda profile: tools,
    )
    if not preview.every_turn:
        preview.strategy.compress(context)
    return RunRequests(
        tuple(recorder.requests), tools.rounds[-1] if tools.rounds else None
    )
