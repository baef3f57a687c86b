"""The report of ``foldline compact`` as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.summary_check.preview_summaries import summary_findings
from core.cli.opened_transcript import OpenedConversation
from core.cli.output.compact_sections import check_lines, cost_lines, fidelity_lines
from core.cli.output.inspect_text import cut_detail, cut_title
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import count
from core.lint.lint import lint_verdict
from core.presentation.fidelity.page import lost_facts
from core.presentation.preview_wording import saved_text
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
    fidelity, fixes = fidelity_of(preview, opened.stages), ", ".join(preview.compaction.fixes)
    verdicts = [
        (lint.provider, lint_verdict(lint.before, lint.provider), lint_verdict(lint.after, lint.provider))
        for lint in preview.lint
    ]
    return [
        f"{name} · {preview.strategy.name}{mode}",
        *_sizes(preview),
        *titled_section("Fates", _fates(preview)),
        *titled_section("Cuts", _cuts(preview)),
        *titled_section("Tiers", _tiers(preview)),
        *titled_section("Single messages", _stats(preview)),
        *titled_section("Density", _counted_lines(preview.compaction.density, _COUNTERS)),
        *titled_section("Summary", aligned_table(_summary(preview))),
        *check_lines(summary_findings(preview, opened.stages), len(lost_facts(fidelity))),
        *fidelity_lines(preview, fidelity),
        *cost_lines(preview),
        *titled_section("Lint", aligned_table(verdicts, head=("", "before", "after"))),
        *titled_section("Fixes that changed this run", aligned_table([(fixes,)] if fixes else [])),
    ]


def _sizes(preview: Preview) -> list[str]:
    compaction = preview.compaction
    rows = [("before", count(len(preview.messages)), count(preview.before_tokens), "")]
    if preview.after_density is not None and compaction.no_op is None:
        rows.append(("after density", "", count(preview.after_density), ""))
    change = saved_text(preview) or "unchanged"
    rows.append(("after", count(len(compaction.messages)), count(preview.after_tokens), change))
    if compaction.target is not None:
        rows.append(("target", "", count(compaction.target), ""))
    return aligned_table(rows, (1, 2), head=("", "messages", f"{preview.count_method.mark} tokens", ""))


def _fates(preview: Preview) -> list[str]:
    tokens = Counter[FateKind]()
    rules: dict[FateKind, Counter[str]] = {}
    for fate, size in zip(preview.compaction.fates, preview.counts, strict=True):
        tokens[fate.kind] += size
        rules.setdefault(fate.kind, Counter())[fate.last.rule] += 1
    rows = [
        (kind.value, count(rules[kind].total()), count(tokens[kind]), _rules(rules[kind]))
        for kind in FateKind
        if kind in rules
    ]
    if inserted := preview.compaction.inserted:
        size = sum(preview.after_counts[index] for index in inserted)
        rows.append(("inserted", count(len(inserted)), count(size), ""))
    head = ("fate", "messages", f"{preview.count_method.mark} tokens", "by rule")
    return aligned_table(rows, (1, 2), head=head) if rows else []


def _rules(rules: Counter[str]) -> str:
    return ", ".join(f"{rule} {count(times)}" for rule, times in rules.most_common())


def _cuts(preview: Preview) -> list[str]:
    split, name = preview.compaction.split, preview.strategy.reference
    if split is None or preview.compaction.no_op is not None:
        return []
    rows = [(cut_title(cut), cut_detail(cut)) for cut in split.cuts]
    for cut in split.cuts:
        if cut.reference_orphans and preview.mode is Mode.SAFE and name:
            ids = ", ".join(one_line_text(id_, 40) for id_ in cut.reference_orphans[:3])
            more_text = ", …" if len(cut.reference_orphans) > 3 else ""
            location = number_format.message_number(cut.reference)
            text = f"{name} would cut before {location} and orphan the result of {ids}{more_text}"
            rows.append((cut_title(cut), text))
    return aligned_table(rows)


def _tiers(preview: Preview) -> list[str]:
    """Return what each tier changed, the size after it, and why it did nothing."""
    rows = []
    for tier in preview.compaction.tiers:
        is_met = tier.tokens + max(0, preview.sizing.hidden) <= (preview.compaction.target or 0)
        note = tier.note or ("target met" if is_met else "")
        rows.append((f"{tier.number} {tier.name}", count(len(tier.messages)), count(tier.tokens), note))
    head = ("tier", "changed", f"{preview.count_method.mark} tokens", "")
    return aligned_table(rows, (1, 2), head=head) if rows else []


def _counted_lines(counts: object, labels: Sequence[tuple[str, str]]) -> list[str]:
    """Return the fields of ``counts`` by their labels; empty for None."""
    rows = [(label, count(getattr(counts, name))) for label, name in labels] if counts is not None else []
    return aligned_table(rows, (1,))


def _stats(preview: Preview) -> list[str]:
    stats = preview.compaction.stats
    if stats is None:
        return []
    rows = [(label, count(getattr(stats, name))) for label, name in _STATS]
    return aligned_table([*rows, ("tokens left", number_format.percent(stats.compression_ratio))], (1,))


def _summary(preview: Preview) -> list[tuple[str, str]]:
    summary = preview.compaction.summary
    if summary is None:
        return []
    result_index = min(preview.compaction.inserted, default=None)
    tokens = None if result_index is None else preview.after_counts[result_index]
    size = number_format.tokens(preview.count_method.mark, tokens)
    rows = [("written by", f"{summary.profile} ({summary.model})"), ("tokens", size)]
    rows += [("model", preview.model_reason)] if preview.model_reason else []
    return [*rows, ("sections", ", ".join(summary.sections))] if summary.sections else rows
