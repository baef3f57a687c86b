"""Compares presets with the recorded compactions of the agents that they emulate, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.common import number_format
from core.common.errors import FoldlineError
from core.facts.model import FactKind
from core.losses.evidence import EvidenceStatus
from core.losses.losses_of import losses_of
from core.preview.options import Preview
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind
from core.transcript.model import Conversation, RecordedCompaction
from core.transcript.scopes import BEFORE, replaces_messages
from core.trials.run import file_preview, trial_preview
from core.trials.side_by_side import (
    has_unreadable_part,
    obstacle_of,
    recorded_preview,
)
from core.trials.trial import RecordedComparison, Trial

AGENT_PROGRAMS: Mapping[str, str] = {
    "claude_code": "Claude Code",
    "codex_rollout": "Codex CLI",
    "cline_session": "Cline SDK",
}
"""Program by format, named as in ``Strategy.emulates``."""

_MAX_SPANS = 6  # runs of messages that a sentence names


def recorded_preset_pairs(
    conversation: Conversation,
) -> tuple[tuple[int, Strategy], ...]:
    """Return each recorded compaction, by its number from 1, with each preset of its agent."""
    return tuple(
        (number, strategy)
        for number, recorded in enumerate(conversation.recorded, 1)
        for strategy in emulating_presets(conversation, recorded)
    )


def compare_presets_with_file(
    source: AnalysisInput, other: Conversation
) -> Iterator[RecordedComparison]:
    """Yield presets against a context that the agent stored in a separate file (Cline)."""
    if other.recorded:
        recorded = other.recorded[-1]
    else:
        recorded = None
    for strategy in emulating_presets(source.conversation, recorded):
        source.options.progress(0.0, f"{strategy.name} against {other.document.name}")
        yield _compare(
            source, 1, strategy, file_preview(source, other), source.options.scope
        )


def emulating_presets(
    conversation: Conversation, recorded: RecordedCompaction | None
) -> tuple[Strategy, ...]:
    """Return the agent's presets: those with a summary if it summarised, else those without."""
    program = AGENT_PROGRAMS.get(conversation.format)
    presets = [
        strategy
        for strategy in STRATEGIES
        if strategy.emulates is not None and strategy.emulates.label == program
    ]
    replaces_context = recorded is None or replaces_messages(recorded)
    matching = [
        strategy for strategy in presets if strategy.requires_llm is replaces_context
    ]
    return tuple(matching or presets)


def compare_preset_with_recorded(
    source: AnalysisInput, number: int, strategy: Strategy
) -> RecordedComparison:
    """Compare a preset with a recorded compaction. Cancelled propagates."""
    source.options.progress(0.0, f"{strategy.name} against recorded {number}")
    scope = f"{BEFORE}{number}"
    if obstacle := obstacle_of(
        source.conversation.recorded[number - 1], baseline_preview(source, scope)
    ):
        return RecordedComparison(
            number=number, preset=strategy.name, sentences=(obstacle,)
        )
    return _compare(source, number, strategy, recorded_preview(source, number), scope)


def _compare(
    source: AnalysisInput,
    number: int,
    strategy: Strategy,
    agent_preview: Preview,
    scope: str,
) -> RecordedComparison:
    scoped = replace(source, options=replace(source.options, scope=scope))
    try:
        preset = trial_preview(scoped, Trial(strategy.name))
    except FoldlineError as error:
        return RecordedComparison(
            number=number,
            preset=strategy.name,
            sentences=(f"{strategy.name} did not run: {error}",),
        )
    agent = agent_preview
    is_unreadable = has_unreadable_part(agent)
    if is_unreadable:
        tokens = None
    else:
        tokens = agent.sizes.after_tokens
    agent_kept = _kept_messages(agent)
    preset_kept = _kept_messages(preset)
    messages = (
        tuple(sorted(preset_kept & agent_kept)),
        tuple(sorted(agent_kept - preset_kept)),
        tuple(sorted(preset_kept - agent_kept)),
    )
    inserted_tokens = (
        None if is_unreadable else _inserted_tokens(agent),
        _inserted_tokens(preset),
    )
    if is_unreadable:
        agent_said = None
    else:
        agent_said = _said(agent, source)
    said = agent_said, _said(preset, source)
    sizes = tokens, preset.sizes.after_tokens
    comparison = RecordedComparison(
        number=number,
        preset=preset.strategy.name,
        sentences=(),
        tokens=sizes,
        messages=messages,
        summary_tokens=inserted_tokens,
        messages_word_for_word=said,
    )
    return replace(comparison, sentences=tuple(_sentences(comparison, preset, agent)))


def _said(preview: Preview, source: AnalysisInput) -> int:
    """Return how many messages of the person stand word for word in a result."""
    items = losses_of(preview, source.stages, parsed=source.parsed).items
    kept = (one for one in items if one.status is EvidenceStatus.WORD_FOR_WORD)
    return sum(one.fact.kind is FactKind.YOUR_MESSAGE for one in kept)


def _kept_messages(preview: Preview) -> frozenset[int]:
    return frozenset(
        index
        for index, fate in enumerate(preview.result.compaction.fates)
        if fate.kind is FateKind.KEPT
    )


def _inserted_tokens(preview: Preview) -> int | None:
    """Return the tokens of inserted messages, None without any."""
    indices = preview.result.compaction.inserted
    if indices:
        return sum(preview.result.after_counts[index] for index in indices)
    return None


def _sentences(
    comparison: RecordedComparison, preset: Preview, agent: Preview
) -> Iterator[str]:
    name, mark = comparison.preset, preset.sizes.count_method.mark
    if preset.result.compaction.no_op is not None:
        yield f"{name} would have done nothing: {preset.result.compaction.no_op.reason}"
    yield _sizes(comparison, preset, mark)
    yield _messages(comparison, len(agent.messages))
    yield _summaries(comparison, mark)
    agent_said, preset_said = comparison.messages_word_for_word
    if agent_said is not None and preset_said is not None:
        said = number_format.plural(agent_said, "message")
        yield (
            f"The agent's result holds {said} of yours word for word, that of {name} "
            f"{preset_said:,}."
        )


def _sizes(comparison: RecordedComparison, preset: Preview, mark: str) -> str:
    agent_tokens, preset_tokens = comparison.tokens
    before = number_format.tokens(mark, preset.sizes.before_tokens)
    preset_text = number_format.tokens(mark, preset_tokens)
    if agent_tokens is None or preset_tokens is None:
        return (
            f"Of {before} tokens {comparison.preset} leaves {preset_text}; what the agent left "
            f"is encrypted."
        )
    agent_text = number_format.tokens(mark, agent_tokens)
    difference = _difference(preset_tokens, agent_tokens)
    return (
        f"Of {before} tokens the agent left {agent_text}, "
        f"{comparison.preset} leaves {preset_text}{difference}."
    )


def _difference(preset: int, recorded: int) -> str:
    """Return the difference of two sizes: ", 3 % more", ", 13.9 times as many"."""
    if not recorded:
        return ""
    if preset >= 2 * recorded:
        return f", {preset / recorded:.1f} times as many"
    share = abs(preset / recorded - 1)
    if share < 0.005:  # it would be shown as 0 %
        return ", as many"
    direction = "more" if preset > recorded else "fewer"
    return f", {number_format.percent(share, 0)} {direction}"


def _messages(comparison: RecordedComparison, count: int) -> str:
    kept_by_both, agent_only, preset_only = comparison.messages
    agent_count = len(kept_by_both) + len(agent_only)
    preset_count = len(kept_by_both) + len(preset_only)
    kept = (
        f"{_count_text(agent_count)} as they were, {comparison.preset} keeps "
        f"{_count_text(preset_count)}"
    )
    opening = f"Of {count:,} messages the agent kept {kept}"
    if kept_by_both:
        parts = [f"{len(kept_by_both):,} of them the same"]
    else:
        parts = []
    parts += [f"only the agent {_spans(agent_only)}"] if agent_only else []
    parts += [f"only {comparison.preset} {_spans(preset_only)}"] if preset_only else []
    if parts:
        return f"{opening}: {'; '.join(parts)}."
    return f"{opening}."


def _count_text(count: int) -> str:
    if count:
        return number_format.count(count)
    return "none"


def _summaries(comparison: RecordedComparison, mark: str) -> str:
    agent, preset = comparison.summary_tokens
    if agent is not None:
        agent_text = f"{number_format.tokens(mark, agent)} tokens"
    else:
        agent_text = "none that can be read"
    if preset is not None:
        preset_text = f"{number_format.tokens(mark, preset)} (written offline)"
    else:
        preset_text = "none"
    return f"New text: of the agent {agent_text}; of {comparison.preset} {preset_text}."


def _spans(indices: Sequence[int]) -> str:
    """Return messages as runs: "#3–#5, #9"."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and runs[-1][1] == index:
            runs[-1][1] = index + 1
        else:
            runs.append([index, index + 1])
    listed_runs = ", ".join(
        number_format.span(start, end) for start, end in runs[:_MAX_SPANS]
    )
    unlisted_count = sum(end - start for start, end in runs[_MAX_SPANS:])
    if unlisted_count:
        return f"{listed_runs} and {unlisted_count:,} more"
    return listed_runs
