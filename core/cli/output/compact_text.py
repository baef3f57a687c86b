"""The report of ``foldline compact`` as text."""

from __future__ import annotations

from collections import Counter

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.summary_check.preview_summaries import summary_findings
from core.cli.opened_conversation import OpenedConversation
from core.cli.output.costs import cost_lines
from core.cli.output.fidelity import fidelity_lines
from core.cli.output.inspect_text import cut_detail, cut_title
from core.cli.output.summary_check import check_lines
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.lint.lint import lint_verdict
from core.presentation.fidelity.page import lost_facts
from core.presentation.ruler.ruler_lines import saved_text
from core.preview.options import Preview
from core.settings.schema import Mode
from core.transcript.compaction import FateKind

_COUNTERS = (
    ("read-write pairs pruned", "read_write_pairs_pruned"),
    ("file inclusions removed", "file_deduplications_pruned"),
    ("results made pointers", "recency_pruned"),
)


_STATS = (
    ("tool results compressed", "tool_results_compressed"),
    ("human messages compressed", "user_messages_compressed"),
    ("ai messages compressed", "assistant_messages_compressed"),
    ("display-only messages dropped", "display_data_deleted"),
    ("messages protected", "messages_protected"),
)


def compact_report(opened: OpenedConversation, preview: Preview) -> list[str]:
    name = one_line_text(opened.conversation.document.name, 60)
    mode = ", reference mode" if preview.mode is Mode.REFERENCE else ""
    text = [f"{name} · {preview.strategy.name}{mode}"]
    text += _sizes(preview)
    text += titled_section("Fates", _fates(preview))
    text += titled_section("Cuts", _cuts(preview))
    text += titled_section("Tiers", _tiers(preview))
    text += titled_section("Single messages", _stats(preview))
    text += titled_section("Density", _density(preview))
    text += titled_section("Summary", aligned_table(_summary(preview)))
    fidelity = fidelity_of(preview, opened.stages)
    text += check_lines(summary_findings(preview, opened.stages), len(lost_facts(fidelity)))
    text += fidelity_lines(preview, fidelity)
    text += cost_lines(preview)
    text += titled_section("Lint", _lint(preview))
    text += titled_section(
        "Fixes that changed this run",
        aligned_table([(", ".join(preview.compaction.fixes),)] if preview.compaction.fixes else []),
    )
    return text


def _sizes(preview: Preview) -> list[str]:
    mark = preview.count_method.mark
    compaction = preview.compaction
    rows = [
        (
            "before",
            number_format.count(len(preview.messages)),
            number_format.count(preview.before_tokens),
            "",
        ),
        (
            "after",
            number_format.count(len(compaction.messages)),
            number_format.count(preview.after_tokens),
            saved_text(preview) or "unchanged",
        ),
    ]
    if preview.after_density is not None and compaction.no_op is None:
        rows.insert(1, ("after density", "", number_format.count(preview.after_density), ""))
    if compaction.target is not None:
        rows.append(("target", "", number_format.count(compaction.target), ""))
    return aligned_table(rows, (1, 2), head=("", "messages", f"{mark} tokens", ""))


def _fates(preview: Preview) -> list[str]:
    counts: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {}
    for fate, count in zip(preview.compaction.fates, preview.counts, strict=True):
        kind = fate.kind.value
        counts[kind] += 1
        tokens[kind] += count
        rules.setdefault(kind, Counter())[fate.last.rule] += 1
    rows = [
        (
            kind.value,
            number_format.count(counts[kind]),
            number_format.count(tokens[kind]),
            _rules(rules[kind]),
        )
        for kind in FateKind
        if counts[kind]
    ]
    inserted = sorted(preview.compaction.inserted)
    if inserted:
        size = sum(preview.after_counts[index] for index in inserted)
        rows.append(("inserted", number_format.count(len(inserted)), number_format.count(size), ""))
    return (
        aligned_table(
            rows, (1, 2), head=("fate", "messages", f"{preview.count_method.mark} tokens", "by rule")
        )
        if rows
        else []
    )


def _rules(rules: Counter[str]) -> str:
    return ", ".join(f"{rule} {number_format.count(count)}" for rule, count in rules.most_common())


def _cuts(preview: Preview) -> list[str]:
    split = preview.compaction.split
    if split is None or preview.compaction.no_op is not None:
        return []
    rows = [(cut_title(cut), cut_detail(cut)) for cut in split.cuts]
    for cut in split.cuts:
        if cut.reference_orphans and preview.mode is Mode.SAFE and (name := preview.strategy.reference):
            ids = ", ".join(one_line_text(id_, 40) for id_ in cut.reference_orphans[:3])
            more_text = ", …" if len(cut.reference_orphans) > 3 else ""
            location = number_format.message_number(cut.reference)
            text = f"{name} would cut before {location} and orphan the result of {ids}{more_text}"
            rows.append((cut_title(cut), text))
    return aligned_table(rows)


def _tiers(preview: Preview) -> list[str]:
    """Return what each tier changed, the size after it, and why it did nothing."""
    rows = [
        (
            f"{tier.number} {tier.name}",
            number_format.count(len(tier.messages)),
            number_format.count(tier.tokens),
            tier.note
            or (
                "target met"
                if tier.tokens + max(0, preview.sizing.hidden) <= (preview.compaction.target or 0)
                else ""
            ),
        )
        for tier in preview.compaction.tiers
    ]
    return (
        aligned_table(rows, (1, 2), head=("tier", "changed", f"{preview.count_method.mark} tokens", ""))
        if rows
        else []
    )


def _stats(preview: Preview) -> list[str]:
    stats = preview.compaction.stats
    if stats is None:
        return []
    rows = [(label, number_format.count(getattr(stats, name))) for label, name in _STATS]
    return aligned_table([*rows, ("tokens left", number_format.percent(stats.compression_ratio))], (1,))


def _density(preview: Preview) -> list[str]:
    density = preview.compaction.density
    if density is None:
        return []
    return aligned_table(
        [(label, number_format.count(getattr(density, name))) for label, name in _COUNTERS], (1,)
    )


def _summary(preview: Preview) -> list[tuple[str, str]]:
    summary = preview.compaction.summary
    if summary is None:
        return []
    result_index = min(preview.compaction.inserted, default=None)
    size = (
        number_format.UNKNOWN
        if result_index is None
        else number_format.tokens(preview.count_method.mark, preview.after_counts[result_index])
    )
    rows = [("written by", f"{summary.profile} ({summary.model})"), ("tokens", size)]
    rows += [("model", preview.model_reason)] if preview.model_reason else []
    return [*rows, ("sections", ", ".join(summary.sections))] if summary.sections else rows


def _lint(preview: Preview) -> list[str]:
    rows = [
        (lint.provider, lint_verdict(lint.before, lint.provider), lint_verdict(lint.after, lint.provider))
        for lint in preview.lint
    ]
    return aligned_table(rows, head=("", "before", "after"))
