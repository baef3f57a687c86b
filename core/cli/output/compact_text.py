"""The report of ``foldline compact`` as text, and the repeated compaction of ``--decay``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from core.analysis.costs import (
    compaction_cost,
    is_model_call,
    paid_dollars,
)
from core.analysis.model import CompactionCost
from core.cli.output.console import ConsoleProgress
from core.cli.output.inspect_text import cut_row
from core.cli.output.tables import (
    aligned_table,
    more_line,
    paragraph,
    titled_section,
    titled_table,
)
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import count, dollar_text
from core.facts.model import FactKind
from core.lint.lint import lint_count
from core.losses.evidence import Losses
from core.losses.losses_of import DecayRound, preview_rounds
from core.losses.must_keep import MustEvidence
from core.losses.summary_check import SummaryFinding, summary_findings
from core.presentation.compare.columns import PAYS_AFTER
from core.presentation.inspector_model import DECAY_NOTE
from core.presentation.losses_page import decay_text
from core.presentation.losses_words import (
    KIND_NAMES,
    STATUS_WORDS,
    fact_note,
    gone_names_sentence,
    losses_head,
    losses_sentences,
    missed_musts,
    missed_sentence,
    missing_text,
    must_head,
    must_lines,
)
from core.presentation.paid_words import (
    UNPRICED_MODEL,
    cost_source,
    summary_by_model,
)
from core.presentation.preview_wording import (
    marked_tokens,
    reduction_text,
    result_size_text,
)
from core.presentation.summary_page import single_message_counts, summary_verdict
from core.preview.options import Preview
from core.settings.schema import Mode
from core.transcript.compaction import FateKind
from core.trials.requested_analyses import RequestedAnalyses, requested_analyses

if TYPE_CHECKING:
    from core.cli.arguments import CommonOptions
    from core.cli.opened_transcript import OpenedConversation

_MAX_FACTS, _MAX_FACT_LENGTH, _MAX_FINDING_LENGTH = 10, 160, 200
_COUNTERS = (
    ("read-write pairs pruned", "read_write_pairs_pruned"),
    ("file inclusions removed", "file_deduplications_pruned"),
    ("results made pointers", "recency_pruned"),
)


def compact_report(transcript: OpenedConversation, preview: Preview) -> list[str]:
    compaction = preview.result.compaction
    stats = compaction.figures.stats
    name = one_line_text(transcript.conversation.document.name, 60)
    mode = ", reference mode" if preview.mode is Mode.REFERENCE else ""
    losses = transcript.losses(preview)
    fixes = f"{', '.join(compaction.fixes)}: the page modes of the help explains them"
    verdicts = [
        (
            lint.provider,
            lint_count(lint.before),
            lint_count(lint.after),
        )
        for lint in preview.checks.lint
    ]
    single: list[tuple[str, str | int]] = []
    if stats:
        share = number_format.percent(stats.compression_ratio)
        single = [*single_message_counts(stats), ("tokens of messages left", share)]
    tokens = f"{preview.sizes.count_method.mark} tokens after"
    tier_head = ("tier", "messages changed", tokens, "")
    return [
        f"{name} · {preview.run_name}{mode}",
        *transcript.scope_lines,
        *_sizes(preview),
        *_fates(preview),
        *titled_table("Cuts", _cuts(preview)),
        *titled_table("Tiers", _tiers(preview), (1, 2), tier_head),
        *titled_table("Single messages", single, (1,)),
        *titled_table("Density", _counters(compaction.figures.density), (1,)),
        *titled_table("Summary", _summary(preview)),
        *_check_lines(summary_findings(preview, transcript.stages), losses),
        *_losses_lines(preview, losses, requested_analyses(preview, transcript.stages)),
        *titled_table("Cost", _cost(preview)),
        *titled_table("Lint", verdicts, head=("", "before", "after")),
        *titled_table(
            "Fixes that changed this run", [(fixes,)] if compaction.fixes else []
        ),
    ]


def _sizes(preview: Preview) -> list[str]:
    compaction = preview.result.compaction
    rows: list[tuple[str | int, ...]] = [
        ("before", len(preview.messages), preview.sizes.before_tokens)
    ]
    if preview.result.after_density is not None and compaction.no_op is None:
        density = preview.result.after_density + preview.sizes.result_overhead_tokens
        rows.append(("after density", "", density))
    if reduction_text(preview):
        change = result_size_text(preview)
    else:
        change = "unchanged"
    rows.append(("after", len(compaction.messages), preview.sizes.after_tokens, change))
    if compaction.target is not None:
        rows.append(("target", "", compaction.target, "what the strategy aims for"))
    if overhead := preview.sizes.result_overhead_tokens:
        name = preview.sizes.overhead_name
        rows.append((name, "", overhead, "in both, and in no message"))
    return aligned_table(
        rows,
        (1, 2),
        head=("", "messages", f"{preview.sizes.count_method.mark} tokens", ""),
    )


def _fates(preview: Preview) -> list[str]:
    compaction = preview.result.compaction
    before = Counter[FateKind]()
    rules = dict[FateKind, Counter[str]]()
    for fate, size in zip(compaction.fates, preview.source.counts, strict=True):
        before[fate.kind] += size
        rules.setdefault(fate.kind, Counter())[fate.last.rule] += 1
    after = _tokens_left(preview)
    rows: list[tuple[str | int, ...]] = [
        (
            kind.value,
            rules[kind].total(),
            before[kind],
            after[kind],
            ", ".join(
                f"{rule} {count(times)}" for rule, times in rules[kind].most_common()
            ),
        )
        for kind in FateKind
        if kind in rules
    ]
    if compaction.inserted:
        rows.append(("inserted", len(compaction.inserted), 0, after[None]))
    mark = preview.sizes.count_method.mark
    sizes = f"{mark} tokens before", f"{mark} after"
    head = ("fate", "messages", *sizes, "by rule")
    return titled_table("Fates", rows, (1, 2, 3), head)


def _tokens_left(preview: Preview) -> Counter[FateKind | None]:
    """Return the tokens of the result by the fate of what they come from; None: inserted."""
    compaction = preview.result.compaction
    left = Counter[FateKind | None]()
    sizes = zip(compaction.origins, preview.result.after_counts, strict=True)
    for index, (origins, tokens) in enumerate(sizes):
        is_own = origins and index not in compaction.inserted
        left[compaction.fates[origins[0]].kind if is_own else None] += tokens
    return left


def _cuts(preview: Preview) -> list[tuple[str, str]]:
    split, name = preview.result.compaction.split, preview.strategy.reference
    if split is None or preview.result.compaction.no_op is not None:
        return []
    rows = list[tuple[str, str]]()
    for cut in split.cuts:
        rows.append(cut_row(cut, len(preview.messages)))
        if cut.reference_orphans and preview.mode is Mode.SAFE and name:
            ids = ", ".join(one_line_text(id_, 40) for id_ in cut.reference_orphans[:3])
            more_text = ", …" if len(cut.reference_orphans) > 3 else ""
            location = number_format.message_number(cut.reference)
            text = f"{name} would cut before {location} and orphan the result of {ids}{more_text}"
            rows.append(("", text))
    return rows


def _tiers(preview: Preview) -> list[tuple[str, int, int, str]]:
    """Return what each tier changed, the size after it, and why it did nothing."""
    overhead = preview.sizes.result_overhead_tokens
    target = preview.result.compaction.target or 0
    rows = []
    for tier in preview.result.compaction.figures.tiers:
        tokens = tier.tokens + overhead
        met = "target met" if tokens <= target else ""
        rows.append(
            (f"{tier.number} {tier.name}", len(tier.messages), tokens, tier.note or met)
        )
    return rows


def _counters(counts: object) -> list[tuple[str, str | int]]:
    """Return the fields of ``counts`` by their labels; empty for None."""
    if counts is not None:
        return [(label, getattr(counts, name)) for label, name in _COUNTERS]
    return []


def _summary(preview: Preview) -> list[tuple[str, str]]:
    summary = preview.result.compaction.summary
    if summary is None:
        return []
    result_index = min(preview.result.compaction.inserted, default=None)
    if result_index is None:
        tokens = None
    else:
        tokens = preview.result.after_counts[result_index]
    rows = [
        ("written by", f"{summary.profile} ({summary.model})"),
        ("tokens", marked_tokens(preview, tokens)),
        ("model", preview.summary.model_reason),
        ("sections", ", ".join(summary.sections)),
    ]
    return [row for row in rows if row[1]]


def _check_lines(
    findings: Sequence[SummaryFinding] | None, losses: Losses
) -> list[str]:
    """Return the section Summary check; empty where there is no summary."""
    if findings is None:
        return []
    rows = [
        (
            finding.severity,
            number_format.message_number(finding.messages[0])
            if finding.messages
            else f"result {number_format.message_number(finding.index)}",
            one_line_text(finding.text, _MAX_FINDING_LENGTH),
        )
        for finding in findings
    ]
    return titled_table(
        "Summary check", rows or [(summary_verdict(findings, losses_head(losses)[0]),)]
    )


def check_notes(findings: Sequence[SummaryFinding], losses: Losses) -> list[str]:
    notes = [
        f"summary check: {finding.severity}: {finding.text}" for finding in findings
    ]
    verdict = summary_verdict(findings, losses_head(losses)[0])
    return notes or [f"summary check: {verdict}"]


def _losses_lines(
    preview: Preview, losses: Losses, analyses: RequestedAnalyses
) -> list[str]:
    """Return the section Losses: the sentences, the counts by kind, what is gone or reworded, worst
    first."""
    if preview.result.compaction.no_op is not None or not losses.items:
        return []
    head = ("", *STATUS_WORDS, "in all")
    said = [*losses_sentences(losses, analyses)]
    if losses.is_written:
        said += filter(None, [gone_names_sentence(losses)])
    sentences = [line for text in said for line in paragraph(text, "  ", "  ")]
    lines = titled_section("Losses", sentences)
    if not losses.is_written:
        return lines
    changed = [
        one
        for one in losses.worst_first
        if one.fact.kind is not FactKind.NAME or one.needed
    ]
    rows = [
        (
            KIND_NAMES[one.fact.kind][0],
            fact_note(one),
            one_line_text(missing_text(one), _MAX_FACT_LENGTH),
        )
        for one in changed[:_MAX_FACTS]
    ]
    more = more_line(len(changed) - _MAX_FACTS)
    return [
        *lines,
        *aligned_table(list(_standing_rows(losses)), range(1, len(head)), head=head),
        *titled_table("Gone or reworded, worst first", rows, more=more),
    ]


def _standing_rows(losses: Losses) -> Iterator[tuple[str | int, ...]]:
    """Yield the counts of each kind; your messages are counted once more by their sentences."""
    for one in losses.kinds:
        figures = one.word_for_word, one.reworded, one.gone, one.total
        yield KIND_NAMES[one.kind][1], *figures
        if one.kind is FactKind.YOUR_MESSAGE:
            own = losses.your_sentences
            figures = own.word_for_word, own.reworded, own.gone, own.total
            yield "  their sentences", *figures


def _cost(preview: Preview) -> list[tuple[str, str]]:
    calls = sum(map(is_model_call, preview.result.compaction.calls))
    paid_text = dollar_text(paid_dollars(preview.result.compaction.calls))
    rows = [("model calls", f"{calls}, {paid_text}" if calls else "none")]
    if preview.result.compaction.no_op is not None:
        return rows
    cost = compaction_cost(preview)
    if cost.first_before is None or cost.later_before is None:
        return [
            *rows,
            ("later calls", f"{UNPRICED_MODEL} --model NAME names another."),
        ]
    return [
        *rows,
        ("next call", _instead(cost.first_before, cost.first_after)),
        ("each later call", _instead(cost.later_before, cost.later_after)),
        (PAYS_AFTER, _payback(cost)),
        ("based on", cost_source(cost)),
    ]


def _instead(before: float | None, after: float | None) -> str:
    """Return what a call costs after a compaction, and before it."""
    texts = number_format.dollar_pair(before, after)
    return f"{texts[1]} instead of {texts[0]}"


def _payback(cost: CompactionCost) -> str:
    """Return when it pays, and when it would with a summary that a model writes, as in Compare."""
    found = summary_by_model(cost)
    if found is None:
        return cost.break_even_text
    model, priced = found
    written = f"{priced.break_even_text} if {model} wrote the summary"
    return f"{cost.break_even_text} (offline summary), {written}"


def must_report(musts: Sequence[MustEvidence]) -> list[str]:
    """Return the table of the texts that must survive; nothing without any."""
    if not musts:
        return []
    lines = [f"  {line}" for line in must_lines(musts)]
    return titled_section(f"Must keep  {must_head(musts)}", lines)


def must_notes(musts: Sequence[MustEvidence]) -> Iterator[str]:
    """Yield what is said of the texts that must survive where the result is written: a warning for
    each that is not whole."""
    if not musts:
        return
    yield f"must keep: {must_head(musts)}"
    missed = missed_musts(musts, allows_part=False)
    yield from (f"warning: {missed_sentence(one)}" for one in missed)
    others = [one for one in musts if one not in missed]
    yield from must_lines(others)


def decay_of_preview(
    options: CommonOptions, preview: Preview, rounds: int
) -> tuple[DecayRound, ...]:
    """Compact the result again and again."""
    done = list[DecayRound]()
    with ConsoleProgress(options) as progress:
        for decay_round in islice(preview_rounds(preview, progress), rounds):
            done.append(decay_round)
            progress(len(done) / rounds, f"Compaction {len(done)} of {rounds}")
    return tuple(done)


def decay_lines(preview: Preview, rounds: Sequence[DecayRound]) -> list[str]:
    rows = [
        (number, decay_text(one), one.messages, one.tokens, one.no_op)
        for number, one in enumerate(rounds, 1)
    ]
    head = (
        "after",
        "your messages",
        "messages",
        f"{preview.sizes.count_method.mark} tokens",
        "",
    )
    return titled_table("Compacted again", rows, range(4), head, [f"  {DECAY_NOTE}"])
