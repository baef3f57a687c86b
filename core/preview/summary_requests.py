"""The requests that a real run of a preview's strategy would send, as far as they can be foreseen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.llm.tools import ToolCallRequest, ToolTurn
from core.preview.options import Preview
from core.preview.pipeline import density_input
from core.strategies.base import StrategyContext
from core.summarize.summarizer_choice import PlaceholderSummariser
from core.tokens.counter import TokenCounter
from core.transcript.model import Message
from core.transcript.pins import pins_for_input
from core.transcript.run_details import AgentStep
from core.transcript.todos import active_todos


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

    @property
    def is_empty(self) -> bool:
        return not self.requests and self.agent is None


@dataclass(frozen=True, slots=True)
class RequestRecorder:
    """A summariser that records its requests."""

    answer: Callable[[SummaryRequest], SummaryResponse] = PlaceholderSummariser().summarise
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

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        from core.strategies.hybrid.agent_tools import METADATA  # late: only for agents

        self.rounds.append(AgentRoundRequest(system, tuple(messages), tuple(tools)))
        first_call = ToolCallRequest("look", METADATA, '{"include_details": true}')
        return ToolTurn("", (first_call,) if len(self.rounds) == 1 else ())

    def report_step(self, step: AgentStep) -> None:
        """Ignore the step."""


def first_summary_request(
    preview: Preview, prompt: str, counter: TokenCounter, focus: str = ""
) -> SummaryRequest | None:
    return next(iter(summary_requests(preview, prompt, counter, focus)), None)


def summary_requests(
    preview: Preview, prompt: str, counter: TokenCounter, focus: str = ""
) -> tuple[SummaryRequest, ...]:
    """Return the requests of the preview's strategy with this prompt, as far as they can be foreseen.

    Raises what the strategy raises. ``counter`` is that of the preview.
    """
    recorder = RequestRecorder()
    preview.strategy.compress(replace(_strategy_context(preview, counter, focus, recorder), prompt=prompt))
    return tuple(recorder.requests)


def model_requests(
    preview: Preview, prompts: Mapping[str, str], counter: TokenCounter, focus: str = ""
) -> RunRequests:
    """Return the requests of a real run of the preview's strategy, as far as they can be foreseen.

    ``prompts`` are the texts by name, the one for the summary first. Raises what the strategy raises.
    """
    recorder, tool_recorder = RequestRecorder(), _ToolRequestRecorder()
    context = _strategy_context(preview, counter, focus, recorder)
    first_prompt = next(iter(prompts.values()), "")
    preview.strategy.compress(
        replace(context, prompt=first_prompt, prompts=prompts, agent=lambda name: tool_recorder)
    )
    rounds = tool_recorder.rounds
    return RunRequests(tuple(recorder.requests), rounds[-1] if rounds else None)


def _strategy_context(
    preview: Preview, counter: TokenCounter, focus: str, recorder: RequestRecorder
) -> StrategyContext:
    remaining = dict(density_input(preview.messages, preview.density))
    messages = tuple(remaining[index] for index in preview.inputs)
    return StrategyContext(
        messages,
        preview.values,
        counter.messages,
        counter.messages(messages) + preview.system_tokens + preview.sizing.hidden,
        preview.window.limit,
        lambda profile: recorder,
        "",
        preview.mode,
        todos=active_todos(messages) if preview.strategy.requires_llm else "",
        transcript=preview.conversation.document.absolute_path,
        focus=focus,
        sources=preview.inputs,
        pins=pins_for_input(preview.pins, preview.inputs),
        hidden=max(0, preview.sizing.hidden),
    )
