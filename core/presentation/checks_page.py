"""What the Checks tab shows: what each API would refuse, and how much of its limits a request
uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common import number_format
from core.lint.common_rules import LintFinding, LintProvider
from core.lint.lint import find_provider
from core.lint.provider_limits import (
    MediaUse,
    ProviderLimit,
    is_certain_limit,
    media_use,
    megabytes,
    request_limits,
    request_model,
)
from core.presentation.faults import NO_REPAIR, RepairOutlook, fault_page, fault_rows
from core.presentation.model import LabelledFigure, LintReport, LintRow
from core.presentation.preview_status import verdict_tone
from core.preview.options import Preview
from core.transcript.model import Message, Speaker
from core.transcript.scopes import ALL, CURRENT, history_of_scope, replaces_messages

NO_OUTLOOKS: Mapping[str, RepairOutlook] = {}
_ORDER = ("error", "warning", "info")


def lint_reports(
    preview: Preview, outlooks: Mapping[str, RepairOutlook] = NO_OUTLOOKS
) -> tuple[LintReport, ...]:
    """Return a report per API; its tone is that of the result. ``outlooks`` are what a repair
    would do, by API."""
    reports = []
    for lint in preview.checks.lint:
        sides = (("after", lint.after), ("before", lint.before))
        rows = [
            LintRow(one.severity, one.rule, one.text, side, one.index)
            for side, found in sides
            for one in found
        ]
        rows.sort(key=lambda row: _ORDER.index(row.severity))
        label = find_provider(lint.provider).label
        verdict = f"Result: {_findings_text(lint.after)} · source: {_findings_text(lint.before)}"
        outlook = outlooks.get(lint.provider, NO_REPAIR)
        faults = fault_rows(preview, lint.before, lint.after, outlook)
        reports.append(
            LintReport(
                lint.provider,
                label,
                tuple(rows),
                verdict,
                verdict_tone(lint.after),
                faults=fault_page(faults, outlook, label),
            )
        )
    return tuple(reports)


def _findings_text(findings: Sequence[LintFinding]) -> str:
    """Return "in order", "2 warnings", or only the errors: they decide."""
    for severity in _ORDER[:2]:
        if count := sum(finding.severity == severity for finding in findings):
            return number_format.plural(count, severity)
    return "in order"


def with_limits(preview: Preview, reports: Sequence[LintReport]) -> tuple[LintReport, ...]:
    """Return the reports with the figures of a request, before → after of the limit of each API.
    Before is what the agent sends: the current context of a session that it compacted."""
    conversation, before = preview.source.conversation, preview.messages
    counts: Sequence[int] = preview.source.counts
    if preview.source.history.scope == ALL and any(map(replaces_messages, conversation.recorded)):
        before, counts = history_of_scope(conversation, CURRENT).messages, ()
    after = preview.result.compaction.messages
    uses, model = (media_use(before), media_use(after)), request_model(conversation)

    common = []
    tools = len(conversation.system.tools)
    if tools:
        common.append(LabelledFigure("tool definitions", number_format.count(tools)))
    longest_before = _longest_result(before, counts)
    longest_after = _longest_result(after, preview.result.after_counts)
    if longest_before is not None and longest_after is not None:
        sizes = f"{number_format.count(longest_before)} → {number_format.count(longest_after)}"
        common.append(LabelledFigure("longest tool result", f"{sizes} tokens"))

    result = []
    for report in reports:
        api = find_provider(report.provider)
        rows = [
            row for row in request_limits(api, model) if row.per == "request" and not row.service
        ]
        certain = [row for row in rows if is_certain_limit(row, model)]
        result.append(replace(report, limits=(*_media_figures(api, uses, rows, certain), *common)))
    return tuple(result)


def _longest_result(messages: Sequence[Message], counts: Sequence[int]) -> int | None:
    """Return the tokens of the longest message of a tool, None without any or where sizes are not
    known."""
    sizes = [
        count
        for message, count in zip(messages, counts, strict=False)
        if message.speaker is Speaker.TOOL and count >= 0
    ]
    return max(sizes, default=None)


def _media_figures(
    api: LintProvider,
    uses: tuple[MediaUse, MediaUse],
    rows: Sequence[ProviderLimit],
    certain: Sequence[ProviderLimit],
) -> list[LabelledFigure]:
    """Return images and bytes: beyond a limit that holds in red, beyond one that may hold as a
    warning."""
    figures = []
    for rule, label in (
        ("media-count", "images"),
        ("media-bytes", "size of images"),
        ("request-bytes", "request"),
    ):
        limits = sorted(row.most for row in rows if row.rule == rule)
        values = [_used(rule, use) for use in uses]
        if not any(values) or (rule == "media-bytes" and not limits):
            continue
        known = min((row.most for row in certain if row.rule == rule), default=None)
        write = number_format.count if rule == "media-count" else megabytes
        now, later = map(write, values)
        text = f"{now.removesuffix(' MB')} → {later}"
        if limits:
            told = limits[:1] if known == limits[0] else limits
            text = f"{text.removesuffix(' MB')} of {' or '.join(map(write, told))}"
        if rule == "request-bytes":
            text = f"≥ {text}"  # what is not in the file comes on top
        fraction = min(1.0, values[1] / limits[0]) if limits else None
        tone = _limit_tone(values[1], limits, known)
        figures.append(LabelledFigure(label, text, tone, fraction))
    return figures


def _limit_tone(used: int, limits: Sequence[int], known: int | None) -> str:
    if known is not None and used > known:
        return "error"
    return "warn" if limits and used > limits[0] else ""


def _used(rule: str, use: MediaUse) -> int:
    return {"media-count": len(use.images), "media-bytes": use.image_bytes}.get(
        rule, use.request_bytes
    )
