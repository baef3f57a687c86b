"""All that a run would ask a model, found without asking any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.llm.protocol import SummaryRequest, SummaryResponse, ToolCallRequest, ToolTurn
from core.preview.options import Preview
from core.preview.pipeline import density_input
from core.strategies.base import StrategyContext
from core.strategies.hybrid.agent_tools import METADATA
from core.tokens.counter import TokenCounter
from core.transcript.compaction import AgentStep
from core.transcript.model import Message
from core.transcript.pins import given_to
from core.transcript.todos import active_todos


@dataclass(frozen=True, slots=True)
class AgentRoundRequest:
    """What goes out in a round of an agent that has looked at everything once: its largest start."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class RunRequests:
    """All that a run would ask a model: the summaries one by one, or the talk of an agent."""

    requests: tuple[SummaryRequest, ...] = ()
    agent: AgentRoundRequest | None = None

    @property
    def is_empty(self) -> bool:
        """True where no model is needed."""
        return not self.requests and self.agent is None


@dataclass
class _RequestRecorder:
    """A summariser that remembers what it was asked and answers with a stand-in."""

    profile: str = ""
    model: str = ""
    asked: list[SummaryRequest] = field(default_factory=list)

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        """Remember the request."""
        self.asked.append(request)
        return SummaryResponse("…", unwritten=True)


@dataclass
class _ToolRequestRecorder:
    """A model with tools that looks at everything and then stops, and remembers what it was sent."""

    profile: str = ""
    model: str = ""
    talks: list[AgentRoundRequest] = field(default_factory=list)

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """Look, then call nothing."""
        self.talks.append(AgentRoundRequest(system, tuple(messages), tuple(tools)))
        look = ToolCallRequest("look", METADATA, '{"include_details": true}')
        return ToolTurn("", (look,) if len(self.talks) == 1 else ())

    def note(self, step: AgentStep) -> None:
        """Nobody watches."""


def request_of(shown: Preview, prompt: str, counter: TokenCounter, focus: str = "") -> SummaryRequest | None:
    """The first thing that the strategy of a preview would ask with this prompt text; None where it asks
    nothing."""
    return next(iter(requests_of(shown, prompt, counter, focus)), None)


def requests_of(
    shown: Preview, prompt: str, counter: TokenCounter, focus: str = ""
) -> tuple[SummaryRequest, ...]:
    """All that the strategy of a preview would ask with this prompt text, as far as it can be foreseen.

    Raises what the strategy raises, never what a model does. ``counter`` is that of the preview.
    """
    listener = _RequestRecorder()
    shown.strategy.compress(replace(_context(shown, counter, focus, listener), prompt=prompt))
    return tuple(listener.asked)


def requests_of_run(
    shown: Preview, prompts: Mapping[str, str], counter: TokenCounter, focus: str = ""
) -> RunRequests:
    """All that a run of the preview's strategy with a real model would ask, as far as it can be foreseen.

    ``prompts`` are the texts by name, the one for the summary first. Raises what the strategy raises.
    """
    listener, onlooker = _RequestRecorder(), _ToolRequestRecorder()
    context = _context(shown, counter, focus, listener)
    first = next(iter(prompts.values()), "")
    shown.strategy.compress(replace(context, prompt=first, prompts=prompts, agent=lambda name: onlooker))
    return RunRequests(tuple(listener.asked), onlooker.talks[-1] if onlooker.talks else None)


def _context(
    shown: Preview, counter: TokenCounter, focus: str, listener: _RequestRecorder
) -> StrategyContext:
    """What the strategy was given for a preview, with a summariser that only listens."""
    left = dict(density_input(shown.messages, shown.density))
    messages = tuple(left[index] for index in shown.inputs)
    return StrategyContext(
        messages,
        shown.values,
        counter.messages,
        counter.messages(messages) + shown.system_tokens + shown.sizing.hidden,
        shown.window.limit,
        lambda profile: listener,
        "",
        shown.mode,
        todos=active_todos(messages) if shown.strategy.requires_llm else "",
        transcript=shown.conversation.document.place,
        focus=focus,
        sources=shown.inputs,
        pins=given_to(shown.pins, shown.inputs),
        hidden=max(0, shown.sizing.hidden),
    )
