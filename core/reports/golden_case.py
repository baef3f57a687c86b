"""Builds a golden case: history, input and outcome of a strategy, in the reference's terms. Tokens
are counted as in the reference cases (UTF-16 characters of the blocks' JSON, divided by four);
files, tokenizer and model are not needed."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from core.common.errors import InputError, StrategyError
from core.common.json_value import Json
from core.common.redaction import count_secrets_in_json, redact_json
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.plain_text import dump_json, fields_without_notes
from core.formats.writing.redacted_output import (
    find_with_named_secrets,
    named_secrets_in,
)
from core.llm.protocol import SummaryRequest, request_messages
from core.preview.options import Preview
from core.preview.preview import RequestRecorder
from core.preview.strategy_input import density_input, strategy_context
from core.reports.report_data import report_input
from core.settings.schema import HEADROOM, PRESERVE, PROFILE, THRESHOLD, TOP_PRESERVE
from core.strategies.base import DensityResult, DensitySettings, density_settings
from core.strategies.draft import curated_indices
from core.summarize.summariser_choice import FixedSummariser
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Opaque
from core.transcript.provenance import block_entry, message_entry, message_from_entry
from core.transcript.todos import active_todos

Case = dict[str, Json]

VARIANT = "hd"
LIMIT = 128_000
"""Tokens; the reference's default limit."""

_COUNTS = (
    "original_message_count",
    "compressed_message_count",
    "strategy_used",
    "llm_call_made",
)
_PART_COUNTS = ("top_preserved", "bottom_preserved", "middle_compressed")
_SETTINGS = {
    "compressionThreshold": THRESHOLD,
    "preserveThreshold": PRESERVE,
    "topPreserveThreshold": TOP_PRESERVE,
    "densityCompressHeadroom": HEADROOM,
}


def reference_tokens(messages: Sequence[Message]) -> int:
    total = 0
    for message in messages:
        text = json.dumps(
            [block_entry(b) for b in message.blocks],
            ensure_ascii=False,
            separators=(",", ":"),
        )
        total += -(-(len(text.encode("utf-16-le", "surrogatepass")) // 2) // 4)
    return total


def golden_file(
    preview: Preview, entries: list[Json], summary: str, name: str, root: str
) -> Case:
    """Return the file: the history, a case for the density passes if any, and the strategy's if it
    compacts. ``summary`` is the summariser's answer, ``root`` the folder of relative paths."""
    strategy, mode = preview.strategy, preview.mode
    history = tuple(map(message_from_entry, entries))
    cases: list[Case] = []
    density = None
    if strategy.optimize is not None:
        config = density_settings(preview.source.values, root, mode)
        density = strategy.optimize(history, config)
        cases.append(_density_case(config, density))
    remaining_messages = density_input(history, density)
    curated = curated_indices(
        [message for _, message in remaining_messages], strategy.effective_mode(mode)
    )
    messages = tuple(remaining_messages[index][1] for index in curated)
    if not preview.every_turn:
        cases.append(_compress_case(preview, summary, history, messages))
    for number, case in enumerate(cases):
        case["name"] = f"{name}#{number}"
    return {"id": name, "category": "foldline", "history": entries, "cases": cases}


def _density_case(config: DensitySettings, result: DensityResult) -> Case:
    settings = {
        "readWritePruning": config.read_write_pruning,
        "fileDedupe": config.file_dedupe,
        "recencyPruning": config.recency_pruning,
        "recencyRetention": config.recency_retention,
        "workspaceRoot": config.workspace_root,
    }
    request = {"variant": VARIANT, "mode": config.mode.value, "strategy": "optimize"}
    return {
        "name": "",
        "input": request,
        "output": {"config": settings, **density_output(result)},
    }


def _compress_case(
    preview: Preview,
    summary: str,
    history: Sequence[Message],
    messages: tuple[Message, ...],
) -> Case:
    settings = {name: preview.source.values.get(key) for name, key in _SETTINGS.items()}
    settings = {name: value for name, value in settings.items() if value is not None}
    if preview.strategy.requires_llm:
        todos = active_todos(messages)
    else:
        todos = ""
    sent_settings = {**settings, "activeTodos": todos}
    if profile := preview.source.values.get(PROFILE):
        sent_settings["compressionProfile"] = profile
    request: Case = {
        "variant": VARIANT,
        "mode": preview.mode.value,
        "strategy": preview.strategy.name,
        "settings": sent_settings,
        "contextLimit": preview.sizes.model_limit.tokens or LIMIT,
        "llmResponse": summary,
    }
    if messages != tuple(history):
        request["history"] = [message_entry(message) for message in messages]
    limits = {
        "currentTokenCount": reference_tokens(messages),
        "contextLimit": request["contextLimit"],
    }
    return {
        "name": "",
        "input": request,
        "output": {
            "effectiveSettings": {**settings, **limits},
            **_compress_outcome(preview, summary, messages, todos),
        },
    }


def _compress_outcome(
    preview: Preview, summary: str, messages: tuple[Message, ...], todos: str
) -> Case:
    recorder = RequestRecorder(
        FixedSummariser(summary, unjudged=True).summarise, "golden", "oracle"
    )
    profiles: list[str | None] = []

    def resolve(profile: str | None) -> RequestRecorder:
        profiles.append(profile)
        return recorder

    context = strategy_context(
        preview.strategy,
        messages,
        preview.source.values,
        preview.mode,
        count=reference_tokens,
        request_tokens=reference_tokens(messages),
        limit=preview.sizes.model_limit.tokens or LIMIT,
        hidden=0,
        summariser=resolve,
        agent=None,
        prompts=dict.fromkeys(preview.strategy.prompts, "prompt"),
        todos=todos,
        transcript="",
        focus="",
        sources=(),
        pins={},
        variant=VARIANT,
    )
    try:
        output = compress_output(messages, preview.strategy.compress(context))
    except StrategyError as error:
        output = {"error": {"name": "CompressionExecutionError", "code": error.code}}
    if recorder.requests:
        output["llmRequest"] = {
            "toolsPassed": False,
            "contents": request_contents(recorder.requests[0]),
        }
        output["resolvedProfiles"] = profiles
    return output


def compress_output(history: Sequence[Message], result: Compaction) -> Case:
    """Return a strategy's result; unchanged messages are named by their index."""
    metadata = {_camel_case(name): getattr(result.metadata, name) for name in _COUNTS}
    counted = {
        _camel_case(name): getattr(result.metadata, name) for name in _PART_COUNTS
    }
    identity = {
        id(message): index for index, message in reversed(list(enumerate(history)))
    }
    return {
        "newHistory": [message_entry(message) for message in result.messages],
        "metadata": metadata
        | {name: count for name, count in counted.items() if count is not None},
        "sameObjects": [identity.get(id(message), -1) for message in result.messages],
        "tokensAfter": reference_tokens(result.messages),
    }


def density_output(result: DensityResult) -> Case:
    counters = result.counters
    return {
        "removals": list(result.removals),
        "replacements": [
            [index, message_entry(message)]
            for index, message in result.replacements.items()
        ],
        "metadata": {
            "readWritePairsPruned": counters.read_write_pairs_pruned,
            "fileDeduplicationsPruned": counters.file_deduplications_pruned,
            "recencyPruned": counters.recency_pruned,
        },
    }


def request_contents(request: SummaryRequest) -> list[Mapping[str, Json]]:
    return [
        {"kind": "history", "index": part.index}
        if part.kind == "history"
        else {"kind": part.kind, "speaker": part.message.speaker.value}
        for part in request_messages(request)
    ]


def _camel_case(name: str) -> str:
    first, *other_words = name.split("_")
    return first + "".join(part.title() for part in other_words)


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return history, settings and outcome. Redacts before the strategy runs, so that the outcome
    fits. Raises InputError while a summary is not written."""
    preview = report_input(export_input).preview
    if preview.summary.unwritten and preview.result.compaction.summary is not None:
        raise InputError(
            "The summary of this golden case is not written yet.",
            "Compact first, or use the profile offline.",
        )
    summary = preview.result.compaction.summary
    name = Path(preview.source.conversation.document.name).stem
    root = preview.source.conversation.cwd or "/"
    history = [_golden_entry(message) for message in preview.messages]
    parts: list[Json] = [history, summary.text if summary else "", name, root]
    if options.redact:
        parts = copy.deepcopy(parts)  # the entries share values with the messages
        secrets = redact_json(
            parts,
            partial(
                find_with_named_secrets,
                named_secrets=named_secrets_in(preview.messages),
            ),
        )
    else:
        secrets = count_secrets_in_json(parts)
    return ExporterOutput(
        dump_json(golden_file(preview, *parts), pretty=True) + b"\n",
        OutputShape.JSON,
        secrets=secrets,
    )


def _golden_entry(message: Message) -> dict[str, Json]:
    """Return a message as a golden entry, without the readers' notes."""
    blocks = [
        block.raw
        if isinstance(block, Opaque)
        else fields_without_notes(block_entry(block))
        for block in message.blocks
    ]
    return {**fields_without_notes(message_entry(message)), "blocks": blocks}


EXPORTER = Exporter(
    name="golden",
    short_names=(),
    label="Golden case",
    suffix=".json",
    about="History, settings and outcome of a strategy, for a test that runs it again.",
    write=write,
    group=ExportGroup.REPORT,
    file_label="golden",
    redacts_by_default=True,
    is_of_run=True,
)
