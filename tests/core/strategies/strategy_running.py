"""Runs a strategy over messages as ``preview`` does, without tokenizer, settings file or model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.common.errors import CompactionFailed
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.preview.strategy_input import StageResults, compose_compaction, density_input
from core.settings.prompts import built_in
from core.settings.schema import Mode, SettingValue, Values
from core.settings_store.layers import SETTINGS, SettingLayers
from core.strategies.base import DensityResult, DensitySettings, StrategyContext
from core.strategies.draft import curated_indices
from core.strategies.registry import find_strategy
from core.summarize.summariser_choice import FixedSummariser
from core.transcript.compaction import Compaction
from core.transcript.model import Message, tool_responses
from core.transcript.provenance import block_entry

_KEYS = frozenset(name for one in SETTINGS for name in (one.key, *one.aliases))


class ScriptedSummariser:
    """A summariser that gives or raises its answers in order, repeating the last one; None: out of
    reach."""

    def __init__(
        self, *answers: str | SummaryResponse | Exception | None, profile: str = "cheap"
    ) -> None:
        self.answers = list(answers)
        self.profile, self.model = profile, "small-1"
        self.requests: list[SummaryRequest] = []
        self.profiles: list[str | None] = []

    def choose(self, profile: str | None) -> ScriptedSummariser:
        self.profiles.append(profile)
        return self

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise CompactionFailed("The model is out of reach.")
        if isinstance(answer, Exception):
            raise answer
        return (
            SummaryResponse(text=answer, unjudged=True)
            if isinstance(answer, str)
            else answer
        )


def tokens(messages: Sequence[Message]) -> int:
    return sum(
        sum(len(str(block_entry(block))) for block in message.blocks) // 4 + 1
        for message in messages
    )


def cached_tokens() -> Callable[[Sequence[Message]], int]:
    """Return a count like ``tokens`` that looks at each message once."""
    known: dict[
        int, tuple[Message, int]
    ] = {}  # the message too, so that its id is not given to another

    def count(messages: Sequence[Message]) -> int:
        for message in messages:
            if id(message) not in known:
                known[id(message)] = (message, tokens((message,)))
        return sum(known[id(message)][1] for message in messages)

    return count


def values(**settings: SettingValue) -> Values:
    layers = SettingLayers()
    for name, value in settings.items():
        key = name.replace("__", ".")
        layers = layers.with_session(
            key if key in _KEYS else key.replace("_", "-"), value
        )
    return layers.resolve()


def density_settings(mode: Mode = Mode.SAFE, **switches: bool) -> DensitySettings:
    """Return a config with all passes on by default, one newest result per tool."""
    on = {
        "read_write_pruning": True,
        "file_dedupe": True,
        "recency_pruning": True,
    } | switches
    return DensitySettings(**on, recency_retention=1, workspace_root="/repo", mode=mode)


def context(
    messages: Sequence[Message],
    effective: Values | None = None,
    *,
    mode: Mode = Mode.SAFE,
    limit: int | None = 1000,
    summary: str = "S",
    todos: str = "",
    inputs: Sequence[int] = (),
) -> StrategyContext:
    count = cached_tokens()
    return StrategyContext(
        history=tuple(messages),
        values=effective or values(),
        estimate_tokens=count,
        current_token_count=count(messages),
        limit=limit,
        summariser=lambda profile: FixedSummariser(summary, unjudged=True),
        prompt="prompt",
        mode=mode,
        todos=todos,
        sources=inputs,
    )


def run(
    name: str,
    messages: Sequence[Message],
    effective: Values | None = None,
    *,
    mode: Mode = Mode.SAFE,
    limit: int = 1000,
    config: DensitySettings | None = None,
) -> Compaction:
    """Run density where the strategy has it, curation and compress."""
    strategy = find_strategy(name)
    density: DensityResult | None = None
    if strategy.optimize is not None:
        density = strategy.optimize(messages, config or density_settings(mode))
    left = density_input(messages, density)
    kept = curated_indices([message for _, message in left], mode)
    inputs = tuple(left[index][0] for index in kept)
    given = context(
        [left[index][1] for index in kept],
        effective,
        mode=mode,
        limit=limit,
        inputs=inputs,
    )
    stages = StageResults(tuple(messages), density, inputs, strategy.reference)
    return compose_compaction(stages, strategy.compress(given))


def result_texts(compaction: Compaction) -> list[str]:
    return [
        str(tool_response.result)
        for message in compaction.messages
        for tool_response in tool_responses(message)
    ]


def compact(
    name: str,
    messages: Sequence[Message],
    recorder: ScriptedSummariser | None = None,
    *,
    limit: int | None = 200_000,
    todos: str = "",
    effective: Values | None = None,
) -> Compaction:
    """Run a preset with its built-in prompts."""
    strategy, writer = find_strategy(name), recorder or ScriptedSummariser("S")
    prompts = {
        prompt_name: built_in(prompt_name).text for prompt_name in strategy.prompts
    }
    base = context(messages, effective, limit=limit, todos=todos)
    first = next(iter(prompts.values()), "")
    return strategy.compress(
        replace(base, summariser=lambda profile: writer, prompt=first, prompts=prompts)
    )
