"""Builds a golden case: history, input and outcome of a strategy, in the reference's terms. Tokens are
counted as in the reference cases (UTF-16 characters of the blocks' JSON, divided by four); files, tokenizer
and model are not needed."""

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
"""Tokens; the reference's default limit."""

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
    """``history`` are entries, ``summary`` is the summariser's answer."""

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
    """Returns a fixed answer and records the requests."""

    answer: str
    profile: str = "golden"
    model: str = "oracle"
    requests: list[SummaryRequest] = field(default_factory=list)
    profiles: list[str | None] = field(default_factory=list)

    def resolve(self, profile: str | None) -> _ScriptedSummariser:
        self.profiles.append(profile)
        return self

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        self.requests.append(request)
        return SummaryResponse(self.answer)


def tokens_of(messages: Sequence[Message]) -> int:
    """Count tokens as golden cases do."""
    total = 0
    for message in messages:
        text = json.dumps([entry_of(b) for b in message.blocks], ensure_ascii=False, separators=(",", ":"))
        total += -(-(len(text.encode("utf-16-le", "surrogatepass")) // 2) // 4)
    return total


def golden_file(source: GoldenCaseInput) -> Case:
    """Return the file: the history, a case for the density passes if any, and the strategy's case."""
    history = tuple(map(message_from, source.history))
    cases: list[Case] = []
    density = None
    if source.strategy.optimize is not None:
        density = source.strategy.optimize(history, source.config)
        cases.append(_density_case(source, density))
    remaining = density_input(history, density)
    curated = curated_indices([message for _, message in remaining], source.strategy.mode(source.mode))
    messages = tuple(remaining[index][1] for index in curated)
    cases.append(_compress_case(source, history, messages))
    for number, case in enumerate(cases):
        case["name"] = f"{source.id}#{number}"
    return {"id": source.id, "category": "foldline", "history": source.history, "cases": cases}


def _density_case(source: GoldenCaseInput, result: DensityResult) -> Case:
    config = source.config
    settings = {
        "readWritePruning": config.read_write_pruning,
        "fileDedupe": config.file_dedupe,
        "recencyPruning": config.recency_pruning,
        "recencyRetention": config.recency_retention,
        "workspaceRoot": config.workspace_root,
    }
    request = {"variant": VARIANT, "mode": source.mode.value, "strategy": "optimize"}
    return {"name": "", "input": request, "output": {"config": settings, **density_output(result)}}


def _compress_case(
    source: GoldenCaseInput, history: Sequence[Message], messages: tuple[Message, ...]
) -> Case:
    settings = {name: source.values.get(key) for name, key in _SETTINGS.items()}
    settings = {name: value for name, value in settings.items() if value is not None}
    todos = active_todos(messages) if source.strategy.requires_llm else ""
    sent_settings = {**settings, "activeTodos": todos}
    if profile := source.values.get(PROFILE):
        sent_settings["compressionProfile"] = profile
    request: Case = {
        "variant": VARIANT,
        "mode": source.mode.value,
        "strategy": source.strategy.name,
        "settings": sent_settings,
        "contextLimit": source.limit or LIMIT,
        "llmResponse": source.summary,
    }
    if messages != tuple(history):
        request["history"] = [entry_from(message) for message in messages]
    limits = {"currentTokenCount": tokens_of(messages), "contextLimit": request["contextLimit"]}
    return {
        "name": "",
        "input": request,
        "output": {"effectiveSettings": {**settings, **limits}, **_compressed(source, messages, todos)},
    }


def _compressed(source: GoldenCaseInput, messages: tuple[Message, ...], todos: str) -> Case:
    summariser = _ScriptedSummariser(source.summary)
    context = StrategyContext(
        messages,
        source.values,
        tokens_of,
        tokens_of(messages),
        source.limit or LIMIT,
        summariser.resolve,
        "prompt",
        source.mode,
        VARIANT,
        todos,
    )
    try:
        output = compress_output(messages, source.strategy.compress(context))
    except StrategyError as error:
        output = {"error": {"name": "CompressionExecutionError", "code": error.code}}
    if summariser.requests:
        output["llmRequest"] = {"toolsPassed": False, "contents": request_contents(summariser.requests[0])}
        output["resolvedProfiles"] = summariser.profiles
    return output


def compress_output(history: Sequence[Message], result: Compaction) -> Case:
    """Return a strategy's result; unchanged messages are named by their index."""
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
    """Return the structure of the request."""
    return [
        {"kind": "history", "index": part.index}
        if part.kind == "history"
        else {"kind": part.kind, "speaker": part.message.speaker.value}
        for part in request_messages(request)
    ]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
