"""The status bar: context, tokens, validity, warnings."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.cost.model import CompactionCost
from core.analysis.cost.summary_price import compaction_cost
from core.common import number_format
from core.common.number_format import UNKNOWN_SHARE, context_share, dollar_text
from core.lint.common_rules import LintFinding
from core.lint.lint import find_provider
from core.presentation.model import LintReport, LintRow, StatusPart
from core.presentation.preview_wording import limit_text, size_page
from core.preview.options import LintResult, Preview
from core.settings.keys import WARNING
from core.settings.schema import Mode
from core.strategies.helpers import usable_window

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
        labels_by_count.setdefault(count_findings(lint, "error"), []).append(
            find_provider(lint.provider).label
        )
    counted = labels_by_count.items()
    parts = [f"{number_format.plural(count, 'error')} for {', '.join(names)}" for count, names in counted]
    return StatusPart(" · ".join(filter(None, parts)), "error", tip)


_TIP = "By the prices of {model} with a warm prompt cache; {summary}."
_NO_SUMMARY_COST = "a summary by a model would come on top, Compare prices it"


def next_call(preview: Preview) -> tuple[StatusPart, ...]:
    """Return the right parts of the status bar; a dash where pending or without a price."""
    if preview.result_source:
        return ()
    if preview.draft or not preview.lint:  # part of the checks
        return (StatusPart(f"next call {number_format.UNKNOWN}", side="right"),)
    cost = compaction_cost(preview)
    if cost.rates is None:
        tip = "The model has no price in the table."
        return (StatusPart(f"price {number_format.UNKNOWN}", "", tip, "right"),)
    summary_note = f"the {dollar_text(cost.summary)} of the summary is in it" if cost.summary else ""
    tip = _TIP.format(model=cost.rates.model, summary=summary_note or _NO_SUMMARY_COST)
    return (StatusPart(" · ".join(filter(None, _texts(cost))), "", tip, "right"),)


def _texts(cost: CompactionCost) -> list[str]:
    before, after, later = (
        dollar_text(cost_value or 0.0)
        for cost_value in (cost.first_before, cost.first_after, cost.later_after)
    )
    if cost.first_changed is None:
        return [f"next call ≈ {before}"]
    text = f"next call ≈ {before} → {after} once, then {later}"
    if cost.break_even is None:
        return [text, "never pays for itself"]
    return [text, f"pays for itself {payback_text(cost.break_even)}"]


def payback_text(calls: float | None) -> str:
    """Return "never", "at once", "after 5 calls"."""
    if calls is None:
        return "never"
    whole_calls = -int(-calls // 1)
    return f"after {number_format.plural(whole_calls, 'call')}" if whole_calls else "at once"


def status_parts(preview: Preview, context_tokens: int, provider: str) -> tuple[StatusPart, ...]:
    """Return all parts; ``context_tokens`` is the next request: current scope and system part."""
    parts = [
        context_part(preview, context_tokens),
        _tokens(preview, context_tokens),
        validity_status(preview),
        _warnings(preview, provider) if preview.lint else None,
        _mode(preview),
    ]
    return (*(part for part in parts if part is not None), *next_call(preview))


def context_part(preview: Preview, context_tokens: int) -> StatusPart:
    """Return "[ctx: 74%]"; amber from the warning threshold, red from the trigger."""
    limit, trigger = preview.window.limit, preview.trigger_tokens
    if limit is None:
        return StatusPart(UNKNOWN_SHARE, "", f"Limit {limit_text(preview.window)}.")
    warning = preview.values.number(WARNING) * usable_window(preview.strategy.trigger, preview.values, limit)
    tone = "warn" if context_tokens >= warning else ""
    if trigger is not None and context_tokens >= trigger:
        tone = "error"
    mark = preview.count_method.mark
    tip = f"{number_format.tokens(mark, context_tokens)} of {limit_text(preview.window)}"
    if preview.system_tokens:
        system = number_format.count(preview.system_tokens)
        tip = f"{tip}, {system} of them system prompt and tools"
    return StatusPart(context_share(context_tokens, limit), tone, tip)


def _tokens(preview: Preview, context_tokens: int) -> StatusPart:
    """Return the tokens of ``[ctx]``; all other sizes are in its popup."""
    limit = (
        number_format.UNKNOWN if preview.window.limit is None else number_format.count(preview.window.limit)
    )
    text = f"{number_format.tokens(preview.count_method.mark, context_tokens)} of {limit} tokens ▴"
    page = size_page(preview.sizing, _sizes(preview, context_tokens))
    return StatusPart(text, "", f"Limit {limit_text(preview.window)}.", sizes=page)


def _sizes(preview: Preview, context_tokens: int) -> tuple[tuple[str, str], ...]:
    """Return the sizes of conversation, requests and limit, and how they were counted."""
    mark, limit = preview.count_method.mark, preview.window.limit
    overhead = preview.system_tokens + max(0, preview.sizing.hidden)
    sizes = [
        ("This conversation", number_format.tokens(mark, preview.before_tokens)),
        (
            "System prompt and tools",
            number_format.tokens(mark, overhead) if overhead else "– not in the file",
        ),
        ("Next request without a compaction", number_format.tokens(mark, context_tokens)),
    ]
    if (reported := preview.conversation.reported_context) is not None:
        sizes.append(("Last request, as the provider counted it", number_format.tokens("=", reported)))
    if preview.lint and (cost := compaction_cost(preview)).first_changed is not None:
        sizes.append(("Start that stays cached", number_format.tokens(mark, cost.prefix)))
    known = number_format.UNKNOWN if limit is None else number_format.count(limit)
    sizes += [(f"Limit, {preview.window.source}", known), ("Counted with", preview.count_method.label)]
    return tuple(sizes)


def _warnings(preview: Preview, provider: str) -> StatusPart | None:
    texts = list(preview.warnings) + list(preview.compaction.warnings)
    for lint in preview.lint:
        if lint.provider == provider and count_findings(lint, "warning"):
            texts += [finding.text for finding in lint.after if finding.severity == "warning"]
    texts = list(dict.fromkeys(texts))
    if not texts:
        return None
    tip = "\n".join(texts[:10]) + ("\n…" if len(texts) > 10 else "")
    return StatusPart(number_format.plural(len(texts), "warning"), "warn", tip)


def _mode(preview: Preview) -> StatusPart | None:
    if preview.mode is Mode.SAFE:
        return None
    tip = "Cuts and prunes exactly as llxprt does, faults included; pairs may be separated."
    return StatusPart("reference mode", "warn", tip, "right")
