"""Lint findings for the inspector, and a verdict for the status bar."""

from __future__ import annotations

from collections.abc import Sequence

from core.common import number_format
from core.lint.common_rules import LintFinding
from core.lint.lint import find_provider
from core.presentation.model import LintReport, LintRow, StatusPart
from core.preview.options import LintResult, Preview

_ORDER = ("error", "warning", "info")


def lint_reports(preview: Preview) -> tuple[LintReport, ...]:
    """Return a report per API; its tone is that of the result."""
    return tuple(_report(lint) for lint in preview.lint)


def _report(lint: LintResult) -> LintReport:
    rows = (*_rows(lint.after, "after"), *_rows(lint.before, "before"))
    rows = tuple(sorted(rows, key=lambda row: _ORDER.index(row.severity)))
    label = find_provider(lint.provider).label
    verdict = f"Result: {_findings_text(lint.after)} · source: {_findings_text(lint.before)}"
    return LintReport(lint.provider, label, rows, verdict, verdict_tone(lint.after))


def _findings_text(findings: Sequence[LintFinding]) -> str:
    """Return "valid", "2 warnings", or only the errors: they decide."""
    for severity in _ORDER[:2]:
        if count := sum(finding.severity == severity for finding in findings):
            return number_format.plural(count, severity)
    return "valid"


def _rows(findings: Sequence[LintFinding], side: str) -> list[LintRow]:
    return [
        LintRow(finding.severity, finding.rule, finding.text, side, finding.index) for finding in findings
    ]


def verdict_tone(findings: Sequence[LintFinding]) -> str:
    """Return "error", "warn" or "ok"."""
    severities = {finding.severity for finding in findings}
    return "error" if "error" in severities else "warn" if "warning" in severities else "ok"


def count_findings(lint: LintResult, severity: str) -> int:
    return sum(finding.severity == severity for finding in lint.after)


def validity_status(preview: Preview) -> StatusPart:
    """Return "valid for Anthropic, OpenAI", else the errors of each, or "–" while unknown."""
    tip = "What the exporter would write, checked against the rules of each API."
    if not preview.lint:
        return StatusPart(f"validity {number_format.UNKNOWN}", "", tip)
    invalid = [lint for lint in preview.lint if count_findings(lint, "error")]
    if not invalid:
        labels = ", ".join(find_provider(lint.provider).label for lint in preview.lint)
        return StatusPart(f"valid for {labels}", "ok", tip)
    labels_by_count: dict[int, list[str]] = {}
    for lint in invalid:
        labels_by_count.setdefault(count_findings(lint, "error"), []).append(_label(lint))
    counted = labels_by_count.items()
    parts = [f"{number_format.plural(count, 'error')} for {', '.join(names)}" for count, names in counted]
    return StatusPart(" · ".join(filter(None, parts)), "error", tip)


def _label(lint: LintResult) -> str:
    return find_provider(lint.provider).label
