"""The status bar: context, tokens, validity, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.common import number_format
from core.common.errors import UNCHANGED
from core.common.number_format import UNKNOWN_SHARE, context_share
from core.lint.lint import find_provider
from core.presentation import late
from core.presentation.checks_page import fault_rows
from core.presentation.losses_words import LOSSES
from core.presentation.model import (
    RECOMMENDED_TOPIC,
    ChangeEffect,
    Notice,
    NoticeAction,
    StatusPart,
)
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_wording import (
    limit_text,
    marked_tokens,
    preview_warnings,
    request_sizes_text,
    scope_label,
)
from core.presentation.verdict import made_words
from core.preview.options import LintResult, Preview
from core.settings.profile import Profile
from core.settings.schema import LIMIT, WARNING, Mode, setting_text
from core.settings_store.layers import find_setting, parse_value
from core.strategies.helpers import usable_limit
from core.strategies.names import EXCERPT
from core.transcript.compaction import NoOp, NoOpCode
from core.transcript.pins import ignored_pins_note
from core.transcript.scopes import CURRENT, PART_LEAD, incomplete_reason, missing_part

if TYPE_CHECKING:
    from core.trials.trial import Backtest


def count_errors(lint: LintResult) -> int:
    return sum(finding.severity == "error" for finding in lint.after)


def validity_status(preview: Preview) -> StatusPart:
    """Return "in order for Anthropic, OpenAI", else the faults of each as Checks counts them, or
    "–" while unknown."""
    tip = (
        "Order, ids and content of what the exporter would write, checked against the rules of "
        "each API."
    )
    if not preview.checks.lint:
        return StatusPart(f"checks {number_format.UNKNOWN}", "", tip)
    labels_by_count: dict[int, list[str]] = {}
    for lint in preview.checks.lint:
        label = find_provider(lint.provider).label
        if count_errors(lint):
            faults = len(fault_rows(preview, lint.before, lint.after))
        else:
            faults = 0
        labels_by_count.setdefault(faults, []).append(label)
    in_order = labels_by_count.pop(0, [])
    if not labels_by_count:
        return StatusPart(f"in order for {', '.join(in_order)}", "ok", tip)
    counted = labels_by_count.items()
    parts = [
        f"{number_format.plural(count, 'fault')} for {', '.join(names)}"
        for count, names in counted
    ]
    return StatusPart(" · ".join(parts), "error", tip)


def status_parts(
    preview: Preview, context_tokens: int, provider: str
) -> tuple[StatusPart, ...]:
    """Return all parts; ``context_tokens`` is the next request: current scope and system part."""
    parts = [
        context_part(preview, context_tokens),
        _size_part(preview, context_tokens),
        validity_status(preview),
        _warnings(preview, provider) if preview.checks.lint else None,
    ]
    if preview.mode is not Mode.SAFE:
        program = preview.strategy.reference
        tip = (
            f"Does exactly what {program} does, faults included: a call may be separated from "
            "its result."
        )
        if not program:
            tip = (
                f"{preview.strategy.name} repeats no other program; reference mode only changes "
                "how its sizes are counted."
            )
        parts.append(StatusPart("reference mode", "warn", tip, "right"))
    return tuple(part for part in parts if part is not None)


def context_part(preview: Preview, context_tokens: int) -> StatusPart:
    """Return "now [ctx: 74%]"; amber from the warning threshold, red from the trigger."""
    limit, trigger = preview.sizes.model_limit.tokens, preview.sizes.trigger_tokens
    if limit is None:
        tip = f"Limit {limit_text(preview.sizes.model_limit)}."
        return StatusPart(f"now {UNKNOWN_SHARE}", "", tip, is_share=True)
    warning = preview.source.values.number(WARNING) * usable_limit(
        preview.strategy.trigger, preview.source.values, limit
    )
    tone = "warn" if context_tokens >= warning else "ok"
    if trigger is not None and context_tokens >= trigger:
        tone = "error"
    size = marked_tokens(preview, context_tokens)
    tip = f"{size} of {limit_text(preview.sizes.model_limit)}"
    if preview.sizes.system_tokens:
        tip += f", {number_format.count(preview.sizes.system_tokens)} of them system prompt and tools"
    share = context_share(context_tokens, limit)
    return StatusPart(f"now {share}", tone, tip, is_share=True)


def _size_part(preview: Preview, context_tokens: int) -> StatusPart:
    """Return the size of ``[ctx]`` where it is not the verdict's, else the parts of the size, else
    how it was counted."""
    mark = preview.sizes.count_method.mark
    tip = f"Counted with {preview.sizes.count_method.label}."
    if context_tokens != preview.sizes.before_tokens:
        size = number_format.tokens(mark, context_tokens)
        return StatusPart(f"{scope_label(CURRENT)} {size}", "", tip)
    if overhead := preview.sizes.overhead_tokens:
        total = number_format.tokens(mark, preview.sizes.before_tokens)
        parts = (
            f"{number_format.count(overhead)} {preview.sizes.overhead_name} + "
            f"{number_format.count(preview.sizes.message_tokens_before)}"
        )
        return StatusPart(f"{total} = {parts} in messages", "", tip)
    return StatusPart(
        f"{mark} counted with {preview.sizes.count_method.label}".strip(), "", tip
    )


def _warnings(preview: Preview, provider: str) -> StatusPart | None:
    texts = [*preview_warnings(preview)]
    for lint in preview.checks.lint:
        if lint.provider == provider:
            texts += [
                finding.text for finding in lint.after if finding.severity == "warning"
            ]
    texts = list(dict.fromkeys(texts))
    if not texts:
        return None
    tip = "\n".join(texts[:10]) + ("\n…" if len(texts) > 10 else "")
    return StatusPart(number_format.plural(len(texts), "warning"), "warn", tip)


SET_ACTION = "set"
"""Action: set the session value "KEY=VALUE"; for "KEY=" the bar shows a field."""
STRATEGY_ACTION = "strategy"
"""Action: choose the strategy of that name; open the picker without one."""
SIZED_STRATEGY_ACTION = "sized-strategy"
"""Action: choose a strategy with the settings that reach a size: "20000:excerpt"."""
LINT_ACTION = "lint"
"""Action: show the inspector's lint tab."""
LIMIT_TOPIC = "limit"
"""Topic: the context limit is missing; the bar shows a field for it."""
_OTHER_STRATEGIES = NoticeAction("Other strategies", STRATEGY_ACTION)


def preview_notices(preview: Preview, provider: str) -> tuple[Notice, ...]:
    """Return the notices of a preview: no effect, not smaller, invalid; none if all went as
    expected."""
    notices: list[Notice] = []
    strategy, limit = preview.strategy, preview.sizes.model_limit
    no_op = preview.result.compaction.no_op
    if strategy.needs_limit and limit.tokens is None and not preview.every_turn:
        notices.append(limit_notice(strategy.name, limit.model))
    elif no_op is not None:
        notices.append(_over_limit(preview, no_op_notice(no_op)))

    conversation, scope = preview.source.conversation, preview.source.history.scope
    part = missing_part(conversation, scope)
    if part:
        notices.append(Notice("warning", f"{PART_LEAD}:", part, topic="scope"))

    pinned = ""
    if not strategy.obeys_pins:
        pinned = ignored_pins_note(preview.source.pins, strategy.name)
    shown = incomplete_reason(conversation, scope)
    warnings = [text for text in preview_warnings(preview) if text != shown]
    if warnings:
        notices.append(_warning_notice(warnings, pinned))
    return (*notices, *_new_errors(preview, provider))


def _warning_notice(warnings: Sequence[str], pinned: str) -> Notice:
    """Return all warnings as one notice; ``pinned``, that pins are ignored, is said first."""
    first, *others = sorted(warnings, key=lambda text: text != pinned)
    actions: tuple[NoticeAction, ...] = ()
    if first == pinned:
        actions = (NoticeAction(f"Use {EXCERPT}", STRATEGY_ACTION, EXCERPT),)
    if not others:
        return Notice("warning", first, "The result is kept.", actions, topic="warning")
    more = f"{len(others)} more in the details."
    return Notice(
        "warning", first, more, actions, "\n".join((first, *others)), topic="warning"
    )


def recommendation_notice(better: Backtest, backtest: Backtest, size: int) -> Notice:
    """Return "excerpt would keep 84 % where this keeps 51 % (of 57 names, 5 points)."; ``size`` are
    the tokens at which it would."""
    shares = (
        f"would keep {number_format.percent(better.share or 0, 0)} where this keeps "
        f"{number_format.percent(backtest.share or 0, 0)}"
    )
    basis = (
        f"(of {number_format.plural(backtest.needed, 'name')}, "
        f"{number_format.plural(len(backtest.points), 'point')})"
    )
    actions = (
        NoticeAction("Use", SIZED_STRATEGY_ACTION, f"{size}:{better.name}"),
        NoticeAction("Compare", "compare"),
    )
    return Notice(
        "info", better.name, f"{shares} {basis}.", actions, topic=RECOMMENDED_TOPIC
    )


def stale_notices() -> tuple[Notice, ...]:
    """Return the notice that a model's summary was written for other settings."""
    actions = (
        NoticeAction("Compact again", "compact"),
        NoticeAction("Put it back", "undo"),
    )
    text = (
        "Settings have changed since it was written. Until it is written anew, totals are "
        "estimates (≈)."
    )
    return (
        Notice("warning", "The summary is out of date.", text, actions, topic="stale"),
    )


def change_notice(effect: ChangeEffect | None) -> Notice | None:
    """Say what the last change did: "Keep Bottom 25 % → 20 %: 8 kept → summarised · −3,681 tokens";
    in a narrow row without the messages that it moved."""
    if effect is None:
        return None
    moved = [f"{number_format.count(count)} {move}" for move, count in effect.moves]
    if effect.tokens:
        figures = [f"{number_format.signed(effect.tokens)} tokens"]
    else:
        figures = []
    if effect.losses is not None and effect.losses[0] != effect.losses[1]:
        figures.append(
            f"{LOSSES} {' → '.join(map(number_format.count, effect.losses))}"
        )
    change = f"{effect.title} {effect.change}"
    text = f"{change}: {' · '.join((*moved, *figures)) or 'nothing changes'}"
    if moved and figures:
        short = ("Last change", f"{change}: {' · '.join(figures)}")
    else:
        short = ("", "")
    return Notice(
        "info", "Last change", text, (NoticeAction("Undo", "undo"),), short=short
    )


def no_op_notice(no_op: NoOp) -> Notice:
    """Return why nothing was done, with a change that helps."""
    if no_op.code is NoOpCode.NOT_SMALLER:
        title, text = "Not applied: the result is not smaller.", no_op.detail
    else:
        title, text = "Nothing to compact.", no_op.reason
    short = title, text
    if no_op.code is not NoOpCode.EMPTY_HISTORY:
        text = f"{text} {UNCHANGED}"
    actions = (*_way_out(no_op.suggestion), _OTHER_STRATEGIES)
    return Notice("info", title, text, actions, topic="result", short=short)


def _over_limit(preview: Preview, notice: Notice) -> Notice:
    """Turn the notice of a no-op into a warning if the history exceeds the limit."""
    limit = preview.sizes.model_limit.tokens
    if limit is None:
        excess = 0
    else:
        excess = preview.sizes.before_tokens - limit
    if excess <= 0:
        return notice
    over = f"The next request is {number_format.count(excess)} tokens over the limit"
    title = f"{over}, and this strategy changes nothing."
    return replace(
        notice, severity="warning", title=title, short=(title, notice.short[1])
    )


def refusing_api(preview: Preview, provider: str) -> str:
    """Return the label of the provider where its API would refuse the result, "" where it would
    not or nobody has looked."""
    for lint in preview.checks.lint:
        if lint.provider == provider and count_errors(lint):
            return find_provider(provider).label
    return ""


def run_notice(preview: Preview) -> Notice:
    """Say what a compaction made of the messages, and offer to take it back."""
    columns = preview_columns(preview)
    change = preview.sizes.after_tokens - preview.sizes.before_tokens
    if change:
        size = f"{number_format.signed(change)} tokens"
    else:
        size = request_sizes_text(preview)
    title = f"{made_words(columns)} · {size}"
    undo = NoticeAction("Undo", "undo")
    return Notice("info", title, "", (undo,), topic="result")


def _way_out(way_out: str) -> tuple[NoticeAction, ...]:
    """Return a link that applies "KEY=VALUE"."""
    key, equals, value = way_out.partition("=")
    if not equals:
        return ()
    setting = find_setting(key)
    value_text = setting_text(setting.kind, parse_value(setting, value))
    return (NoticeAction(f"{setting.label} {value_text}", SET_ACTION, way_out),)


def _new_errors(preview: Preview, provider: str) -> tuple[Notice, ...]:
    """Return errors of the result that its source does not have."""
    for lint in preview.checks.lint:
        before = sum(finding.severity == "error" for finding in lint.before)
        after = count_errors(lint)
        if lint.provider == provider and after > before:
            errors = number_format.plural(after, "error")
            title = f"The result has {errors} for {find_provider(provider).label}"
            text = f"that the API would refuse; the source has {number_format.count(before)}."
            return (
                Notice(
                    "error",
                    title,
                    text,
                    (NoticeAction("Show them", LINT_ACTION),),
                    topic="lint",
                ),
            )
    return ()


def limit_notice(strategy: str, model: str) -> Notice:
    """Ask for a context limit where none is known."""
    if model:
        reason = f"and none is known for “{model}”."
    else:
        reason = "and the file names no model."
    actions = (
        NoticeAction("Set for this session", SET_ACTION, f"{LIMIT}="),
        _OTHER_STRATEGIES,
    )
    return Notice(
        "warning",
        f"{strategy} needs a context limit",
        reason,
        actions,
        topic=LIMIT_TOPIC,
    )


def sends_to(summary_profile: Profile, price: str) -> str:
    """Return where a compact would send its requests, by whom and at what price, "" where nothing
    is sent."""
    if summary_profile.is_offline:
        return ""

    return late.destination_of(summary_profile).fault or late.call_line(
        summary_profile, price or "free"
    )
