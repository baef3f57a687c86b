"""Shows a run stage by stage: tiers, statistics of hybrid, model calls, agent tools."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby

from core.analysis.summary_check.check import SummaryFinding
from core.common import number_format
from core.presentation.inspector_model import WhyPage, WhySection, WhyStep
from core.presentation.model import LabelledFigure
from core.presentation.preview_columns import result_index_of
from core.presentation.summary_page import check_section
from core.presentation.why import linked_spans, sentence_spans
from core.preview.options import Preview
from core.transcript.compaction import AgentStep, FateKind, HybridStats, ModelCall, TierOutcome

RUN_LINK = "run:"
"""Prefix of links to this page."""

_RUN_FATE = -1
_MAX_RANGES = 60  # messages or ranges per section; the rest is counted
_MAX_CALLS = 40
_MAX_ARGUMENTS = 300  # characters of a tool call's arguments


def run_page(
    preview: Preview, findings: Sequence[SummaryFinding] | None = None, lost: int | None = None
) -> WhyPage:
    """Return the page of the previewed or finished run; never empty. ``findings`` are those of its summary
    check, None without one; ``lost`` counts facts."""
    run = preview.compaction
    sections = [*map(lambda tier: _tier(preview, tier), run.tiers)]
    if any(call.agent_steps for call in run.calls):
        sections += _agent(preview, run.calls)
    if run.stats is not None:
        sections.append(_stats(preview, run.stats))
    if run.calls:
        sections.append(_calls(run.calls))
    check = check_section(findings, lost)
    sections += [check] if check is not None else []
    if run.warnings:
        sections.append(WhySection("Warnings", sentence_spans("\n".join(run.warnings))))
    return WhyPage(
        "Compaction log",
        preview.strategy.name,
        _RUN_FATE,
        sentence_spans(_sentence(preview)),
        _steps(preview),
        tuple(sections),
    )


def _sentence(preview: Preview) -> str:
    run = preview.compaction
    if run.no_op is not None:
        return run.no_op.reason
    sizes = f"{_tokens(preview, preview.before_tokens)} → {_tokens(preview, preview.after_tokens)} tokens"
    text = (
        f"{number_format.plural(len(preview.messages), 'message')} became "
        f"{number_format.count(len(run.messages))}"
    )
    text = f"{text}, {sizes}"
    if run.target is None:
        return f"{text}."
    excess_tokens = preview.after_tokens + max(0, preview.sizing.hidden) - run.target
    target = f"the target of {number_format.count(run.target)} tokens"
    return (
        f"{text}; {target} is "
        f"{f'missed by {number_format.count(excess_tokens)}' if excess_tokens > 0 else 'met'}."
    )


def _steps(preview: Preview) -> tuple[WhyStep, ...]:
    """Return a step per tier, else per fate that occurs."""
    run = preview.compaction
    if run.tiers:
        steps = [_tier_step(preview, tier) for tier in run.tiers]
        last_step = steps[-1]
        return (*steps[:-1], WhyStep(last_step.title, last_step.detail, last_step.tone or "end"))
    if run.no_op is not None:
        return ()
    sizes: dict[FateKind, list[int]] = {kind: [] for kind in FateKind}
    for fate, count in zip(run.fates, preview.counts, strict=True):
        sizes[fate.kind].append(count)
    return tuple(
        WhyStep(
            sentence_spans(f"{number_format.plural(len(counts), 'message')} {kind.value}"),
            sentence_spans(f"{_tokens(preview, sum(counts))} tokens in the source"),
        )
        for kind, counts in sizes.items()
        if counts
    )


def _tier_step(preview: Preview, tier: TierOutcome) -> WhyStep:
    count = len(tier.messages)
    done = f"{number_format.plural(count, 'message')} changed" if count else "nothing changed"
    detail = f"{_tokens(preview, tier.tokens)} tokens after it" + (f" · {tier.note}" if tier.note else "")
    tone = "ok" if tier.messages else "warn" if tier.note else ""
    title = f"Tier {tier.number}, {tier.name}: {done}"
    return WhyStep(sentence_spans(title), sentence_spans(detail), tone)


def _tier(preview: Preview, tier: TierOutcome) -> WhySection:
    facts = (LabelledFigure("tokens after it", _tokens(preview, tier.tokens)),)
    later = {
        index for other in preview.compaction.tiers if other.number > tier.number for index in other.messages
    }
    text = _ranges_text(preview, tier.messages, later)
    return WhySection(f"Tier {tier.number}: {tier.name}", linked_spans(text, len(preview.messages)), facts)


def _ranges_text(preview: Preview, indices: Sequence[int], later: Set[int]) -> str:
    """Return messages with their sizes, or ranges where sizes are unknown or belong to a later tier."""
    if not indices:
        return "It changed no message."
    ranges: list[tuple[int, int, str]] = []
    for index in indices:
        size = "" if index in later else _size(preview, index)
        first, last, before = ranges[-1] if ranges else (-1, -1, "-")
        if not size and not before and last == index - 1:
            ranges[-1] = (first, index, "")
        else:
            ranges.append((index, index, size))
    unlisted = sum(last - first + 1 for first, last, _ in ranges[_MAX_RANGES:])
    names = ", ".join(_range_name(*one) for one in ranges[:_MAX_RANGES])
    return f"{names}{f' and {number_format.count(unlisted)} more' if unlisted else ''}."


def _range_name(first: int, last: int, size: str) -> str:
    end = "" if last == first else f"{'–' if last > first + 1 else ', '}#{last + 1}"
    return f"#{first + 1}{end}{size}"


def _size(preview: Preview, index: int) -> str:
    """Return " 4,100 → 510", or "" if the message shares its place in the result."""
    result_index = result_index_of(preview.compaction, index)
    if result_index < 0 or len(preview.compaction.origins[result_index]) > 1:
        return ""
    return (
        f" {number_format.count(preview.counts[index])} → "
        f"{number_format.count(preview.after_counts[result_index])}"
    )


def _stats(preview: Preview, stats: HybridStats) -> WhySection:
    return WhySection(
        "Statistics",
        facts=(
            LabelledFigure("tokens before", _tokens(preview, stats.original_tokens)),
            LabelledFigure("tokens after", _tokens(preview, stats.compressed_tokens), "strong"),
            LabelledFigure("share that is left", number_format.percent(stats.compression_ratio, 0)),
            LabelledFigure("tool results compressed", number_format.count(stats.tool_results_compressed)),
            LabelledFigure("human compressed", number_format.count(stats.user_messages_compressed)),
            LabelledFigure("ai compressed", number_format.count(stats.assistant_messages_compressed)),
            LabelledFigure("display-only deleted", number_format.count(stats.display_data_deleted)),
            LabelledFigure("messages protected", number_format.count(stats.messages_protected)),
        ),
    )


def _agent(preview: Preview, calls: Sequence[ModelCall]) -> tuple[WhySection, ...]:
    """Return a section per round of tool calls."""
    steps = [step for call in calls for step in call.agent_steps]
    rounds = number_format.plural(steps[-1].round, "round")
    summary = f"{number_format.plural(len(steps), 'call')} in {rounds} by {calls[0].model}."
    summary_section = WhySection("What the agent did", sentence_spans(summary))
    steps_by_round = groupby(steps, lambda step: step.round)
    return (
        summary_section,
        *(_round(preview, number, [*round_steps]) for number, round_steps in steps_by_round),
    )


def _round(preview: Preview, number: int, steps: Sequence[AgentStep]) -> WhySection:
    lines = [f"{step.tool} {_shortened(step.arguments)}\n→ {_outcome(step)}" for step in steps]
    facts = (LabelledFigure("tokens after it", _tokens(preview, steps[-1].tokens)),)
    return WhySection(f"Round {number}", linked_spans("\n".join(lines), len(preview.messages)), facts)


def _outcome(step: AgentStep) -> str:
    """Return a call's effect, prefixed if it was refused."""
    if step.refused and not step.effect.lower().startswith("refused"):
        return f"refused: {step.effect}"
    return step.effect


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_ARGUMENTS else f"{text[:_MAX_ARGUMENTS]}…"


def _calls(calls: Sequence[ModelCall]) -> WhySection:
    facts = [LabelledFigure(call.purpose or call.profile, _call(call)) for call in calls[:_MAX_CALLS]]
    unlisted_count = len(calls) - _MAX_CALLS
    if unlisted_count > 0:
        facts.append(LabelledFigure("further calls", number_format.count(unlisted_count)))
    title = number_format.plural(len(calls), "call of a summariser", "calls of a summariser")
    return WhySection(title, facts=tuple(facts))


def _call(call: ModelCall) -> str:
    sizes = " → ".join(
        number_format.UNKNOWN if tokens is None else number_format.count(tokens)
        for tokens in (call.input_tokens, call.output_tokens)
    )
    retries_text = f" · {number_format.plural(call.retries, 'retry', 'retries')}" if call.retries else ""
    return f"{call.model} · {sizes}{retries_text}"


def _tokens(preview: Preview, count: int) -> str:
    return number_format.tokens(preview.count_method.mark, count)
