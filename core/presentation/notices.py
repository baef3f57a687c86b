"""Notices of a preview: no effect, not smaller, invalid for an API; each with actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.common import number_format
from core.common.errors import FoldlineError
from core.configuration.layers import find_setting, parse_value
from core.lint.lint import find_provider
from core.presentation.model import Notice, NoticeAction
from core.presentation.status_bar import count_findings
from core.presentation.why import pin_strategy
from core.preview.options import Preview
from core.settings.keys import LIMIT
from core.settings.schema import setting_text
from core.strategies.registry import find_strategy
from core.transcript.compaction import NoOp, NoOpCode
from core.transcript.pins import ignored_pins_note
from core.transcript.scopes import incomplete_reason

SET_ACTION = "set"
"""Action: set the session value "KEY=VALUE"; for "KEY=" the bar shows a field."""
STRATEGY_ACTION = "strategy"
"""Action: choose the strategy of that name; open the picker without one."""
LINT_ACTION = "lint"
"""Action: show the inspector's lint tab."""

LIMIT_TOPIC = "limit"
"""Topic: the context limit is missing; the bar shows a field for it."""

_UNCHANGED = "The conversation is unchanged."


def preview_notices(preview: Preview, provider: str) -> tuple[Notice, ...]:
    """Return the notices of a preview; none if all went as expected."""
    notices: list[Notice] = []
    no_op = preview.compaction.no_op
    if no_op is not None:
        notices.append(_over_limit(preview, no_op_notice(no_op)))
    part = incomplete_reason(preview.conversation, preview.history.scope)
    if part:
        title, _, why = part.partition(": ")
        notices.append(Notice("warning", f"{title}:", why, topic="scope"))
    pinned = "" if preview.strategy.obeys_pins else ignored_pins_note(preview.pins, preview.strategy.name)
    texts = dict.fromkeys((*preview.compaction.warnings, *preview.warnings))
    warnings = sorted((text for text in texts if text != part), key=lambda text: text != pinned)
    if warnings:
        notices.append(_warning(warnings, pin_strategy() if warnings[0] == pinned else ""))
    errors = _new_errors(preview, provider)
    if errors:
        notices.append(errors)
    return tuple(notices)


def stale_notices() -> tuple[Notice, ...]:
    """Return the notice that a model's summary was written for other settings."""
    actions = (NoticeAction("Compact again", "compact"), NoticeAction("Put it back", "undo"))
    text = "Settings changed after it was written. Totals are estimates (≈) at its budget."
    return (Notice("warning", "The summary is out of date.", text, actions, topic="stale"),)


def no_op_notice(no_op: NoOp) -> Notice:
    """Return why nothing was done, with a change that helps."""
    if no_op.code is NoOpCode.NOT_SMALLER:
        title = "Not applied: the result is not smaller."
        text = no_op.reason.removeprefix("The result is not smaller: ")
    else:
        title, text = "Nothing to compact.", no_op.reason
    other_strategies = NoticeAction("Other strategies", STRATEGY_ACTION)
    actions = (*_way_out(no_op.suggestion), other_strategies)
    if no_op.code is not NoOpCode.EMPTY_HISTORY:
        text = f"{text} {_UNCHANGED}"
    return Notice("info", title, text, actions, topic="result")


def _over_limit(preview: Preview, notice: Notice) -> Notice:
    """Turn the notice of a no-op into a warning if the history exceeds the limit."""
    limit = preview.window.limit
    excess_tokens = preview.before_tokens + preview.system_tokens - limit if limit is not None else 0
    if excess_tokens <= 0:
        return notice
    title = (
        f"The history is {number_format.count(excess_tokens)} tokens over the "
        f"limit, and this strategy changes nothing."
    )
    return replace(notice, severity="warning", title=title)


def run_notice(number: int, preview: Preview) -> Notice:
    mark = preview.count_method.mark
    tokens = (
        f"{number_format.tokens(mark, preview.before_tokens)} → "
        f"{number_format.tokens(mark, preview.after_tokens)} tokens"
    )
    before, after = number_format.count(len(preview.counts)), number_format.count(len(preview.after_counts))
    title = f"Compacted: run {number} with {preview.strategy.name}."
    return Notice(
        "info", title, f"{before} → {after} messages, {tokens}. The file is as it was.", topic="result"
    )


def _way_out(way_out: str) -> tuple[NoticeAction, ...]:
    """Return a link that applies "KEY=VALUE"."""
    key, equals, value = way_out.partition("=")
    if not equals:
        return ()
    setting = find_setting(key)
    value_text = setting_text(setting.kind, parse_value(setting, value))
    return (NoticeAction(f"{setting.label} {value_text}", SET_ACTION, way_out),)


def _warning(warnings: Sequence[str], strategy: str) -> Notice:
    """Return the first warning with the others as details; ``strategy``: a strategy without it."""
    more_text = f" {len(warnings) - 1} more in the details." if len(warnings) > 1 else ""
    details = "\n".join(warnings) if len(warnings) > 1 else ""
    actions = (NoticeAction(f"Use {strategy}", STRATEGY_ACTION, strategy),) if strategy else ()
    return Notice(
        "warning", warnings[0], more_text.strip() or "The result is kept.", actions, details, topic="warning"
    )


def _new_errors(preview: Preview, provider: str) -> Notice | None:
    """Return errors of the result that its source does not have."""
    for lint in preview.lint:
        before = sum(finding.severity == "error" for finding in lint.before)
        after = count_findings(lint, "error")
        if lint.provider == provider and after > before:
            title = (
                f"The result has {number_format.plural(after, 'error')} for {find_provider(provider).label}"
            )
            text = f"that the API would refuse; the source has {number_format.count(before)}."
            return Notice("error", title, text, (NoticeAction("Show them", LINT_ACTION),), topic="lint")
    return None


def limit_notice(strategy: str, model: str) -> Notice:
    """Ask for a context limit where none is known."""
    reason = f"and none is known for “{model}”." if model else "and the file names no model."
    actions = (
        NoticeAction("Set for this session", SET_ACTION, f"{LIMIT}="),
        NoticeAction("Other strategies", STRATEGY_ACTION),
    )
    return Notice("warning", f"{strategy} needs a context limit", reason, actions, topic=LIMIT_TOPIC)


def refusal_notice(error: FoldlineError, strategy: str, model: str, limit: int | None) -> Notice:
    """Explain a preview that failed; offer a field if only the limit is missing."""
    if strategy and limit is None and find_strategy(strategy).needs_limit:
        return limit_notice(strategy, model)
    return Notice("error", error.message, error.hint)
