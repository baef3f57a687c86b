"""The report of ``foldline inspect`` as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.cli.opened_conversation import OpenedConversation
from core.cli.output.census import HistoryStatistics
from core.cli.output.inspect_sections import branch_lines, conversation_lines, recorded_lines, repair_lines
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.lint.lint import lint_verdict
from core.presentation.request_size.wording import calibration_text, clearing_sentences
from core.presentation.scope_wording import scope_label
from core.presentation.status_bar import context_part
from core.preview.options import Preview
from core.transcript.compaction import Cut

_MAX_ID, _MAX_KIND = 40, 120
_MAX_UNPAIRED = 6


def inspect_report(opened: OpenedConversation, preview: Preview, statistics: HistoryStatistics) -> list[str]:
    text = [one_line_text(opened.conversation.document.name, 90)]
    text += aligned_table(_facts(opened, preview, statistics))
    text += titled_section("Tokens", _tokens(preview, statistics))
    text += titled_section("Calls", aligned_table(_pairs(preview, statistics)))
    text += titled_section("Recorded compactions", recorded_lines(preview, statistics.recorded))
    text += titled_section(f"Split under {preview.strategy.name}", _split(preview))
    text += titled_section(
        "Lint", aligned_table([(name, lint_verdict(findings, name)) for name, findings in statistics.lint])
    )
    text += titled_section("Branches", branch_lines(opened.conversation))
    text += titled_section("Conversations", conversation_lines(opened.conversation))
    text += titled_section("Skipped records", aligned_table(_skipped(opened), (1,)))
    text += titled_section("Repaired", repair_lines(opened.conversation))
    return text


def _facts(
    opened: OpenedConversation, preview: Preview, statistics: HistoryStatistics
) -> list[tuple[str, str]]:
    conversation = opened.conversation
    speakers = ", ".join(
        f"{number_format.count(count)} {name}" for name, count in statistics.messages_by_speaker.items()
    )
    system = (
        f", system prompt and tools {number_format.count(preview.system_tokens)}"
        if preview.system_tokens
        else ""
    )
    facts = [
        ("format", f"{opened.reader.label} ({opened.reader.name}): {opened.format_reason}"),
        ("scope", scope_label(preview.history.scope)),
        ("messages", f"{number_format.count(len(preview.messages))}{f': {speakers}' if speakers else ''}"),
        ("tokens", f"{_tokens_text(preview, preview.before_tokens)} ({preview.count_method.label}){system}"),
        ("model", one_line_text(preview.window.model, 60) or number_format.UNKNOWN),
        ("limit", _limit(preview)),
        ("context", _context(opened, preview, statistics)),
    ]
    facts += [("dropped", sentence) for sentence in clearing_sentences(preview.sizing)]
    if conversation.siblings > 1:
        position_text = f"{conversation.number} of {number_format.count(conversation.siblings)}"
        facts.insert(1, ("conversation", f"{position_text}; --conversation N opens another"))
    if conversation.branches:
        position_text = f"{conversation.branch} of {len(conversation.branches)}"
        facts.insert(1, ("branch", f"{position_text}; --branch N reads another"))
    return facts


def _tokens_text(preview: Preview, tokens: int | None) -> str:
    return number_format.tokens(preview.count_method.mark, tokens)


def _limit(preview: Preview) -> str:
    if preview.window.limit is None:
        return f"{number_format.UNKNOWN} ({preview.window.source})"
    trigger = f", trigger {number_format.count(preview.trigger_tokens)}" if preview.trigger_tokens else ""
    limit = number_format.count(preview.window.limit)
    return f"{limit} ({preview.window.source}){trigger}"


def _context(opened: OpenedConversation, preview: Preview, statistics: HistoryStatistics) -> str:
    tokens = _tokens_text(preview, statistics.context)
    text = f"{context_part(preview, statistics.context).text} {tokens} in the next request"
    if calibration := calibration_text(preview.sizing):
        text = f"{text} ({calibration})"
    reported = opened.conversation.reported_context
    return text if reported is None else f"{text}; ={number_format.count(reported)} reported for the last one"


def _tokens(preview: Preview, statistics: HistoryStatistics) -> list[str]:
    total = max(preview.before_tokens, 1)
    mark = preview.count_method.mark
    head = ("by speaker", "messages", f"{mark} tokens", "share")
    rows = _shares(statistics.messages_by_speaker, statistics.tokens_by_speaker, total)
    blocks = _shares(statistics.blocks_by_kind, statistics.tokens_by_block, total)
    if not rows:
        return []
    titles = ("by block", "blocks", f"{mark} tokens", "share")
    return [*aligned_table(rows, (1, 2, 3), head=head), "", *aligned_table(blocks, (1, 2, 3), head=titles)]


def _shares(counts: Mapping[str, int], tokens: Mapping[str, int], total: int) -> list[tuple[str, ...]]:
    order = sorted(counts, key=lambda name: -tokens[name])
    return [
        (
            name.replace("_", " "),
            number_format.count(counts[name]),
            number_format.count(tokens[name]),
            number_format.percent(tokens[name] / total),
        )
        for name in order
    ]


def _pairs(preview: Preview, statistics: HistoryStatistics) -> list[tuple[str, str]]:
    if not statistics.calls and not statistics.responses:
        return []
    pairs = preview.pairs
    rows = [
        ("calls", number_format.count(statistics.calls)),
        ("responses", number_format.count(statistics.responses)),
        ("pairs", number_format.count(len(pairs.pairs) + statistics.server_pairs)),
    ]
    if pairs.unanswered:
        rows.append(("unanswered calls", _places(pairs.unanswered)))
    if pairs.orphans:
        rows.append(("orphan responses", _places(pairs.orphans)))
    return rows


def _places(unpaired: Sequence[tuple[int, str]]) -> str:
    listed_text = ", ".join(
        f"{number_format.message_number(index)} {one_line_text(id_, _MAX_ID) or '(no id)'}"
        for index, id_ in unpaired[:_MAX_UNPAIRED]
    )
    return (
        f"{number_format.count(len(unpaired))}: {listed_text}{', …' if len(unpaired) > _MAX_UNPAIRED else ''}"
    )


def _split(preview: Preview) -> list[str]:
    split, no_op = preview.compaction.split, preview.compaction.no_op
    if no_op is not None:
        return aligned_table([("nothing to compact", no_op.reason)])
    if split is None:
        return []
    bounds = [0, *(cut.index for cut in split.cuts), len(preview.messages)]
    names = ("top", "middle", "bottom") if len(split.cuts) == 2 else ("before the cut", "after the cut")
    rows = [
        (
            name,
            number_format.span(start, end),
            number_format.count(end - start),
            number_format.count(sum(preview.counts[start:end])),
        )
        for name, start, end in zip(names, bounds, bounds[1:], strict=False)
    ]
    text = aligned_table(
        rows, (2, 3), head=("part", "messages", "count", f"{preview.count_method.mark} tokens")
    )
    return text + aligned_table(
        [(cut_title(cut), cut_detail(cut)) for cut in split.cuts if cut.index != cut.requested]
    )


def cut_title(cut: Cut) -> str:
    """Return the name of a cut: "cut", "top cut"."""
    return cut.name if cut.name == "cut" else f"{cut.name} cut"


def cut_detail(cut: Cut) -> str:
    """Return the requested place of a cut, and why it was moved."""
    if cut.index == cut.requested:
        return f"before {number_format.message_number(cut.index)}, as asked"
    why = [step.detail for step in cut.trace[1:-1] if step.detail]
    reason = f": {'; '.join(why)}" if why else ""
    return (
        f"asked before {number_format.message_number(cut.requested)}, lies before "
        f"{number_format.message_number(cut.index)}{reason}"
    )


def _skipped(opened: OpenedConversation) -> list[tuple[str, str, str]]:
    report = opened.conversation.report
    skipped = report.skipped
    return [
        (one_line_text(kind, _MAX_KIND), number_format.count(count), report.first_line_note(kind))
        for kind, count in skipped
    ]
