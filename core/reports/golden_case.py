"""A golden case: a history, what a strategy is given, and what it does, in the reference's words.

Counted as those cases are (characters of the blocks' JSON in UTF-16, by four) and run without files,
tokenizer and model, so that it means the same everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.errors import StrategyError
from core.common.json_value import Json
from core.llm.chat_messages import request_messages
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.preview.pipeline import density_input
from core.settings.keys import HEADROOM, PRESERVE, PROFILE, THRESHOLD, TOP_PRESERVE
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import DensityConfig, DensityResult, Strategy, StrategyContext
from core.strategies.curated_history import curated_indices
from core.transcript.compaction import Compaction
from core.transcript.llxprt_content import entry_from, entry_of, message_from
from core.transcript.model import Message
from core.transcript.todos import active_todos

Case = dict[str, Json]

VARIANT = "hd"
LIMIT = 128_000
"""Tokens, where no limit is known; what the reference assumes."""

_COUNTS = ("original_message_count", "compressed_message_count", "strategy_used", "llm_call_made")
_PARTS = ("top_preserved", "bottom_preserved", "middle_compressed")
_SETTINGS = {
    "compressionThreshold": THRESHOLD,
    "preserveThreshold": PRESERVE,
    "topPreserveThreshold": TOP_PRESERVE,
    "densityCompressHeadroom": HEADROOM,
}


@dataclass(frozen=True, slots=True)
class GoldenCaseInput:
    """What a case is made of. ``history`` are entries, ``summary`` the answer of the summariser."""

    id: str
    history: list[Json]
    strategy: Strategy
    values: Values
    mode: Mode
    config: DensityConfig
    limit: int | None
    summary: str


@dataclass(slots=True)
class _ScriptedSummariser:
    """A summariser that answers what it was told to, and remembers what it was asked."""

    answer: str
    profile: str = "golden"
    model: str = "oracle"
    asked: list[SummaryRequest] = field(default_factory=list)
    profiles: list[str | None] = field(default_factory=list)

    def resolve(self, profile: str | None) -> _ScriptedSummariser:
        self.profiles.append(profile)
        return self

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.asked.append(request)
        return SummaryResponse(self.answer)


def tokens_of(messages: Sequence[Message]) -> int:
    """Tokens as golden cases count them."""
    total = 0
    for message in messages:
        text = json.dumps([entry_of(b) for b in message.blocks], ensure_ascii=False, separators=(",", ":"))
        total += -(-(len(text.encode("utf-16-le", "surrogatepass")) // 2) // 4)
    return total


def golden_file(given: GoldenCaseInput) -> Case:
    """The file: the history, a case for the density passes where the strategy has them, and its own."""
    history = tuple(map(message_from, given.history))
    cases: list[Case] = []
    density = None
    if given.strategy.optimize is not None:
        density = given.strategy.optimize(history, given.config)
        cases.append(_density_case(given, density))
    left = density_input(history, density)
    kept = curated_indices([message for _, message in left], given.strategy.mode(given.mode))
    messages = tuple(left[index][1] for index in kept)
    cases.append(_compress_case(given, history, messages))
    for number, case in enumerate(cases):
        case["name"] = f"{given.id}#{number}"
    return {"id": given.id, "category": "foldline", "history": given.history, "cases": cases}


def _density_case(given: GoldenCaseInput, result: DensityResult) -> Case:
    config = given.config
    told = {
        "readWritePruning": config.read_write_pruning,
        "fileDedupe": config.file_dedupe,
        "recencyPruning": config.recency_pruning,
        "recencyRetention": config.recency_retention,
        "workspaceRoot": config.workspace_root,
    }
    asked = {"variant": VARIANT, "mode": given.mode.value, "strategy": "optimize"}
    return {"name": "", "input": asked, "output": {"config": told, **density_output(result)}}


def _compress_case(given: GoldenCaseInput, history: Sequence[Message], messages: tuple[Message, ...]) -> Case:
    settings = {name: given.values.get(key) for name, key in _SETTINGS.items()}
    settings = {name: value for name, value in settings.items() if value is not None}
    todos = active_todos(messages) if given.strategy.requires_llm else ""
    told = {**settings, "activeTodos": todos}
    if profile := given.values.get(PROFILE):
        told["compressionProfile"] = profile
    asked: Case = {
        "variant": VARIANT,
        "mode": given.mode.value,
        "strategy": given.strategy.name,
        "settings": told,
        "contextLimit": given.limit or LIMIT,
        "llmResponse": given.summary,
    }
    if messages != tuple(history):
        asked["history"] = [entry_from(message) for message in messages]
    effective = {**settings, "currentTokenCount": tokens_of(messages), "contextLimit": asked["contextLimit"]}
    return {
        "name": "",
        "input": asked,
        "output": {"effectiveSettings": effective, **_compressed(given, messages, todos)},
    }


def _compressed(given: GoldenCaseInput, messages: tuple[Message, ...], todos: str) -> Case:
    told = _ScriptedSummariser(given.summary)
    context = StrategyContext(
        messages,
        given.values,
        tokens_of,
        tokens_of(messages),
        given.limit or LIMIT,
        told.resolve,
        "prompt",
        given.mode,
        VARIANT,
        todos,
    )
    try:
        output = compress_output(messages, given.strategy.compress(context))
    except StrategyError as error:
        output = {"error": {"name": "CompressionExecutionError", "code": error.code}}
    if told.asked:
        output["llmRequest"] = {"toolsPassed": False, "contents": request_contents(told.asked[0])}
        output["resolvedProfiles"] = told.profiles
    return output


def compress_output(history: Sequence[Message], result: Compaction) -> Case:
    """What a strategy made of a history; messages that stayed are named by their index."""
    metadata = {_camel(name): getattr(result.metadata, name) for name in _COUNTS}
    counted = {_camel(name): getattr(result.metadata, name) for name in _PARTS}
    identity = {id(message): index for index, message in reversed(list(enumerate(history)))}
    return {
        "newHistory": [entry_from(message) for message in result.messages],
        "metadata": metadata | {name: count for name, count in counted.items() if count is not None},
        "sameObjects": [identity.get(id(message), -1) for message in result.messages],
        "tokensAfter": tokens_of(result.messages),
    }


def density_output(result: DensityResult) -> Case:
    """What the density passes would change."""
    counters = result.counters
    return {
        "removals": list(result.removals),
        "replacements": [[index, entry_from(new)] for index, new in result.replacements.items()],
        "metadata": {
            "readWritePairsPruned": counters.read_write_pairs_pruned,
            "fileDeduplicationsPruned": counters.file_deduplications_pruned,
            "recencyPruned": counters.recency_pruned,
        },
    }


def request_contents(request: SummaryRequest) -> list[Mapping[str, Json]]:
    """What was asked, by structure."""
    return [
        {"kind": "history", "index": part.index}
        if part.kind == "history"
        else {"kind": part.kind, "speaker": part.message.speaker.value}
        for part in request_messages(request)
    ]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
