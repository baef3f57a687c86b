"""Runs a preset with a summariser that records its requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.prompts.prompt_files import built_in
from core.settings.schema import Values
from core.strategies.base import StrategyContext
from core.strategies.registry import find_strategy
from core.transcript.compaction import Compaction
from core.transcript.model import Message
from tests.core.strategies.strategy_running import context, values


@dataclass
class RecordingSummariser:
    """A summariser that gives its answers in turn, repeating the last one."""

    answers: Sequence[str] = ("S",)
    unwritten: bool = False
    profile: str = "work"
    model: str = "m"
    requests: list[SummaryRequest] = field(default_factory=list)

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        text = self.answers[min(len(self.requests), len(self.answers)) - 1]
        return SummaryResponse(text, unwritten=self.unwritten, sections=("Goal",))


def preset_context(
    name: str,
    messages: Sequence[Message],
    recorder: RecordingSummariser,
    *,
    limit: int | None = 200_000,
    todos: str = "",
    effective: Values | None = None,
) -> StrategyContext:
    """Return the context of a preset, with the built-in prompts."""
    prompts = {prompt_name: built_in(prompt_name).text for prompt_name in find_strategy(name).prompts}
    base = context(messages, effective or values(), limit=limit, todos=todos)
    first = next(iter(prompts.values()), "")
    return replace(base, summariser=lambda profile: recorder, prompt=first, prompts=prompts)


def compact(
    name: str,
    messages: Sequence[Message],
    recorder: RecordingSummariser | None = None,
    *,
    limit: int | None = 200_000,
    todos: str = "",
    effective: Values | None = None,
) -> Compaction:
    recorder = recorder or RecordingSummariser()
    return find_strategy(name).compress(
        preset_context(name, messages, recorder, limit=limit, todos=todos, effective=effective)
    )
