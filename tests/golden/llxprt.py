"""The llxprt cases: each kind run in ``reference`` mode, answered in the oracle's own words."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.common.errors import StrategyError, UnknownStrategyError
from core.llm.litellm_adapter import join_chunks
from core.reports.golden_case import (
    compress_output,
    density_output,
    reference_tokens,
    request_contents,
)
from core.settings import prompts
from core.settings.prompts import FOLDER, PromptLevel
from core.settings.schema import Mode, Values
from core.settings_store.layers import SettingLayers
from core.strategies.base import DensityResult, DensitySettings, StrategyContext
from core.strategies.density.optimize import apply_density, optimize_history
from core.strategies.draft import curated_indices
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.summarize.summary_request import reference_continuation
from core.transcript import tool_pairs
from core.transcript.model import Message
from core.transcript.provenance import (
    block_from_entry,
    message_entry,
    message_from_entry,
)
from tests.core.strategies.strategy_running import ScriptedSummariser

Case = dict[str, Any]
ACCEPTED = ("human", "ai", "tool")
CS_STRATEGIES = COMPACTION_STRATEGIES[:2]


def _history(entries: list[Any]) -> tuple[Message, ...]:
    return tuple(map(message_from_entry, entries))


def answer_of(given: Case) -> str | StrategyError:
    if "llmError" in given:
        return StrategyError(
            str(given["llmError"].get("message")), code="EXECUTION_FAILED"
        )
    return (
        _joined(given["llmChunks"])
        if "llmChunks" in given
        else given.get("llmResponse", "")
    )


def _joined(chunks: list[Any]) -> str:
    known = (chunk.get("blocks") or () for chunk in chunks if isinstance(chunk, dict))
    return join_chunks(tuple(map(block_from_entry, blocks)) for blocks in known)


def _values(effective: Case, settings: Case) -> Values:
    given = {
        "compression.threshold": effective.get("compressionThreshold"),
        "compression.preserve-threshold": effective.get("preserveThreshold"),
        "compression.top-preserve-threshold": effective.get("topPreserveThreshold"),
        "compression.density.compress-headroom": effective.get(
            "densityCompressHeadroom"
        ),
        "compression.profile": settings.get("compressionProfile") or None,
    }
    # Taken as they are, unchecked: the oracle was also asked with values outside the range.
    return SettingLayers(
        {key: value for key, value in given.items() if value is not None}
    ).resolve()


def compress(entries: list[Any], given: Case, output: Case) -> Case:
    if given["variant"] == "cs" and given["strategy"] not in CS_STRATEGIES:
        return unknown_strategy(entries, given | {"strategy": "not in cs"}, output)
    history = _history(entries)
    oracle = ScriptedSummariser(answer_of(given))
    effective = output.get("effectiveSettings", {})
    settings = given.get("settings", {})
    context = StrategyContext(
        history=history,
        values=_values(effective, settings),
        estimate_tokens=reference_tokens,
        current_token_count=effective.get(
            "currentTokenCount", reference_tokens(history)
        ),
        limit=effective.get("contextLimit", 128000),
        summariser=oracle.choose,
        prompt="prompt",
        mode=_mode(given),
        variant=given["variant"],
        todos=settings.get("activeTodos") or "",
        transcript=settings.get("transcriptPath") or "",
    )
    try:
        result = find_strategy(given["strategy"]).compress(context)
    except StrategyError as error:
        answer = _error("CompressionExecutionError", error, output)
    else:
        answer = compress_output(history, result)
    if "llmRequest" in output:
        answer["llmRequest"] = {
            "toolsPassed": False,
            "contents": request_contents(oracle.requests[0]),
        }
        answer["resolvedProfiles"] = oracle.profiles
    return answer


def _error(name: str, error: StrategyError, output: Case) -> Case:
    """An error in the oracle's form; its sentence is not compared, so the expectation loses it."""
    if isinstance(output.get("error"), dict):
        output["error"].pop("message", None)
    return {"error": {"name": name, "code": error.code}}


def _mode(given: Case) -> Mode:
    """A case says so where it was not made by the reference."""
    return Mode(given.get("mode", Mode.REFERENCE))


def _config(given: Case, output: Case) -> DensitySettings:
    config = output["config"]
    return DensitySettings(
        config["readWritePruning"],
        config["fileDedupe"],
        config["recencyPruning"],
        float("nan")
        if config["recencyRetention"] is None
        else config["recencyRetention"],
        config["workspaceRoot"],
        _mode(given),
    )


def _density(result: DensityResult) -> Case:
    """In an order of its own: removals and replacements are compared as sets."""
    output = density_output(result)
    output["removals"].sort()
    output["replacements"] = {str(index): new for index, new in output["replacements"]}
    return output


def _as_sets(output: Case) -> None:
    """Order of removals and replacements is not compared, so the expectation loses it as well."""
    for part in (output, output.get("secondPass") or {}):
        if isinstance(part.get("replacements"), list):
            part["removals"] = sorted(part["removals"])
            part["replacements"] = {
                str(index): new for index, new in part["replacements"]
            }


def run_optimize(entries: list[Any], given: Case, output: Case) -> Case:
    result = optimize_history(_history(entries), _config(given, output))
    _as_sets(output)
    return _density(result)


def optimize_apply(entries: list[Any], given: Case, output: Case) -> Case:
    """The density passes, applied to a store, and run again on what came out."""
    history = _accepted(entries)
    result = optimize_history(history, _config(given, output))
    after = apply_density(history, result)
    _as_sets(output)
    second = _density(optimize_history(after, _config(given, output)))
    return {
        **_density(result),
        "newHistory": [message_entry(message) for message in after],
        "secondPass": {
            key: second[key] for key in output["secondPass"] if key in second
        },
    }


def _accepted(entries: list[Any]) -> tuple[Message, ...]:
    """What the reference's store accepts: entries of its three speakers."""
    return _history([entry for entry in entries if entry.get("speaker") in ACCEPTED])


def run_apply(entries: list[Any], given: Case, output: Case) -> Case:
    wanted = given["densityResult"]
    replacements = {
        index: message_from_entry(entry) for index, entry in wanted["replacements"]
    }
    empty = optimize_history(
        (), DensitySettings(False, False, False, 1, "/", Mode.REFERENCE)
    )
    result = replace(
        empty, removals=tuple(wanted["removals"]), replacements=replacements
    )
    try:
        after = apply_density(_accepted(entries), result)
    except StrategyError as error:
        return _error("CompressionStrategyError", error, output)
    return {"newHistory": [message_entry(message) for message in after]}


def boundary(entries: list[Any], given: Case, output: Case) -> Case:
    history = _history(entries)
    indices = range(len(history) + 1)
    return {
        "adjust": [
            tool_pairs.adjust_for_tool_call_boundary(history, i) for i in indices
        ],
        "forward": [
            tool_pairs.find_forward_valid_split_point(history, i) for i in indices
        ],
        "backward": [
            tool_pairs.find_backward_valid_split_point(history, i) for i in indices
        ],
    }


def run_curated(entries: list[Any], given: Case, output: Case) -> Case:
    accepted = _accepted(entries)
    kept = curated_indices(accepted, Mode.REFERENCE)
    return {
        "rawLength": len(accepted),
        "newHistory": [message_entry(accepted[index]) for index in kept],
    }


def resolve_prompt(entries: list[Any], given: Case, output: Case) -> Case:
    """The prompt file that wins, among files made as the case lists them, each as our file of its
    level."""
    asked, theirs, name = (
        given.get("promptContext") or {},
        given["file"],
        COMPACTION_STRATEGIES[0],
    )
    ours = f"{FOLDER}/{name}.md"
    with TemporaryDirectory() as made:
        base = Path(made, "prompts")
        for file in given.get("files") or ():
            _touch(base, file.replace(theirs, ours))
        names = (asked.get("provider") or "", asked.get("model") or "")
        found = prompts.resolve_prompt(name, *names, base, Mode.REFERENCE)
        if found.level is PromptLevel.BUILT_IN:
            return {"found": False, "path": None, "source": None}
        path = found.path.relative_to(base).as_posix().replace(ours, theirs)
    return {"found": True, "path": path, "source": found.level.value}


def _touch(base: Path, name: str) -> None:
    """Make a file that a case lists; one outside the folder cannot be found and is not made."""
    path = Path(os.path.normpath(f"{base}/{name}"))
    if path.is_relative_to(base):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("prompt")


def unknown_strategy(entries: list[Any], given: Case, output: Case) -> Case:
    try:
        find_strategy(given["strategy"])
    except UnknownStrategyError as error:
        return _error("UnknownStrategyError", error, output)
    raise AssertionError(f"{given['strategy']} is known")


Handler = Callable[[list[Any], Case, Case], Case]

HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(COMPACTION_STRATEGIES, compress),
    "optimize": run_optimize,
    "optimize-apply": optimize_apply,
    "apply-density": run_apply,
    "boundary": boundary,
    "curated": run_curated,
    "continuation": lambda entries, given, output: {
        "text": reference_continuation(given["variant"], given.get("activeTodos") or "")
    },
    "aggregate": lambda entries, given, output: {"text": _joined(given["llmChunks"])},
    "resolve-prompt": resolve_prompt,
}
