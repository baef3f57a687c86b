"""The groups of the tuning panel: what the active strategy listens to, and nothing else open."""

from __future__ import annotations

from dataclasses import replace

from core.common import number_format
from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers
from core.configuration.strategy_settings import HYBRID, PINNED, TIERED
from core.presentation import savings
from core.presentation.model import ControlGroup, SettingControl
from core.presentation.preview_columns import PreviewColumns
from core.presentation.ruler.ruler_lines import kept_together
from core.presentation.settings.effective_values import most_tokens
from core.presentation.tuning import staged_panels
from core.presentation.tuning.controls import fact_control, setting_control
from core.preview.options import MarginalEffect, Preview
from core.settings.keys import (
    DENSITY_SWITCHES,
    HEADROOM,
    HYBRID_TARGET,
    OPTIMIZE_THRESHOLD,
    PINNED_PROSE,
    PRESERVE,
    RECENCY,
    RETENTION,
    RETRIES,
    STRATEGY,
    SUMMARY_TOKENS,
    TARGET,
    THRESHOLD,
    TOP_PRESERVE,
)
from core.strategies.base import asks_model
from core.strategies.registry import STRATEGIES

_NEWEST = "Kept per tool"
"""The label of the retention, right below the switch that it belongs to."""
_TRIGGER_HINT = "Replay and engine only."


def control_groups(shown: PreviewColumns, layers: SettingLayers) -> tuple[ControlGroup, ...]:
    """The groups from top to bottom; every setting is in one of them or in the toolbar."""
    preview = shown.preview
    if preview.strategy.optimize is not None:
        found = [_density_every_turn(shown, layers), _at_the_trigger(shown, layers)]
        found += [savings.origin_group(shown)] if preview.after_tokens != preview.before_tokens else []
    else:
        found = [*staged_panels.of_strategy(shown, layers), _split(shown, layers), _summary(shown, layers)]
        found = [group for group in found if group.controls]
        found += [_trigger(shown, layers), _density_without_effect(shown, layers)]
    return (*found, _more(shown, layers, found))


def _split(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    keys = [key for key in (TOP_PRESERVE, PRESERVE) if key in shown.preview.strategy.options]
    return ControlGroup(
        "Split", tuple(setting_control(shown.preview, layers, key, hint=_stays(shown, key)) for key in keys)
    )


def _stays(shown: PreviewColumns, key: str) -> str:
    """What a preserve setting means here: "#329–#412 · ≈30,702 · moved by 1 to keep a pair"."""
    for cut in shown.cuts:
        if (cut.name == "top") != (key == TOP_PRESERVE):
            continue
        start, end = (0, cut.index) if cut.name == "top" else (cut.index, shown.length)
        parts = [number_format.span(start, end), shown.marked(shown.tokens(start, end))]
        if cut.index != cut.asked:
            why = " to keep a pair" if kept_together(shown, cut) else ""
            parts.append(f"moved by {abs(cut.index - cut.asked)}{why}")
        return " · ".join(filter(None, parts))
    return shown.compaction.no_op.reason if shown.compaction.no_op else ""


def _written_by(preview: Preview) -> str:
    writer = preview.writer
    if writer.is_offline:
        return f"{writer.name}, no model call"
    return f"{writer.name} · {writer.model}"


def _summary(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = shown.preview
    prose = (
        [setting_control(preview, layers, PINNED_PROSE)] if PINNED_PROSE in preview.strategy.options else []
    )
    if not asks_model(preview.strategy, preview.values):
        return ControlGroup("Summary", tuple(prose))
    most = most_tokens(preview, shown.fates)
    text = f"≤ {number_format.count(most)}" if most is not None else "auto"
    found = [setting_control(preview, layers, SUMMARY_TOKENS, value_text=text)]
    return ControlGroup(
        "Summary",
        (
            *(found if SUMMARY_TOKENS in preview.strategy.options else ()),
            *prose,
            fact_control("Written by", _written_by(preview), preview.why_model),
            fact_control("Prompt", preview.prompt_level, key="prompt"),
        ),
    )


def _trigger(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = shown.preview
    if preview.strategy.trigger.own:
        return staged_panels.own_trigger(shown)
    parts = [setting_control(preview, layers, THRESHOLD, hint=_TRIGGER_HINT)]
    target = shown.compaction.target
    has_own_target = {TARGET, HYBRID_TARGET} & set(preview.strategy.options)
    if target is not None and preview.trigger_tokens is not None and not has_own_target:
        met = staged_panels.target_met_text(shown, target)
        factor = target / max(1, preview.trigger_tokens)
        text = f"{number_format.count(preview.trigger_tokens)} × {factor:.2f}, {met}"
        parts.append(fact_control("Target", number_format.count(target), text))
    return ControlGroup("Trigger", tuple(parts))


def _density_every_turn(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    switches = [_switch(shown, layers, key) for key in DENSITY_SWITCHES]
    retention = setting_control(shown.preview, layers, RETENTION, label=_NEWEST)
    switches.append(replace(retention, enabled=shown.preview.values.flag(RECENCY)))
    note, short = "saves, (would save)", "(would save)"
    return ControlGroup("Density, every turn", tuple(switches), note=note, short_note=short)


def _marginal(shown: PreviewColumns, key: str) -> MarginalEffect | None:
    """What a switch saves; None where that is not known yet, or where a result is no strategy's."""
    return next((marginal for marginal in shown.preview.marginals if marginal.key == key), None)


def _switch(shown: PreviewColumns, layers: SettingLayers, key: str) -> SettingControl:
    made, marginal = setting_control(shown.preview, layers, key), _marginal(shown, key)
    if marginal is None:
        return made if shown.preview.lint else replace(made, effect=number_format.UNKNOWN)
    if marginal.active:
        tone = "ok" if marginal.tokens else ""
        return replace(made, effect=number_format.signed(-marginal.tokens), effect_tone=tone)
    return replace(made, effect=f"({number_format.signed(-marginal.tokens)})")


def _at_the_trigger(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = shown.preview
    return ControlGroup(
        "Compact, at the trigger",
        (
            setting_control(preview, layers, PRESERVE, label="Keep tail", hint=_tail(shown)),
            setting_control(preview, layers, HEADROOM, hint=_target(shown)),
            setting_control(preview, layers, THRESHOLD),
        ),
    )


def _tail(shown: PreviewColumns) -> str:
    if not shown.cuts:
        return shown.compaction.no_op.reason if shown.compaction.no_op else ""
    share = number_format.setting_percent(shown.preview.values.number(PRESERVE))
    span = number_format.span(shown.cuts[-1].index, shown.length)
    return f"{span} · {share} of {number_format.plural(len(shown.seen), 'message')}"


def _target(shown: PreviewColumns) -> str:
    """How the target comes about: "target 102,000 = 85 % × 200,000 × 0.60, met"."""
    preview, target = shown.preview, shown.compaction.target
    if target is None or preview.window.limit is None:
        return ""
    threshold = preview.values.get(THRESHOLD)
    share = preview.strategy.trigger.threshold if threshold is None else float(threshold)
    product = f"{number_format.setting_percent(share)} × {number_format.count(preview.window.limit)}"
    headroom = preview.values.number(HEADROOM)
    return (
        f"target {number_format.count(target)} = {product} × {headroom:.2f}, "
        f"{staged_panels.target_met_text(shown, target)}"
    )


def _density_without_effect(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    """The density switches under a strategy that does not prune: what they would save elsewhere."""
    preview = shown.preview
    other = next(strategy.name for strategy in STRATEGIES if strategy.optimize is not None)
    controls = [_unheard(shown, layers, key) for key in DENSITY_SWITCHES]
    controls.append(replace(setting_control(preview, layers, RETENTION, label=_NEWEST), enabled=False))
    return ControlGroup(
        "Density",
        tuple(controls),
        note=f"no effect with {preview.strategy.name}",
        short_note="no effect here",
        collapsed=True,
        foot=f"would save, under {other}",
        action=("Try it", STRATEGY, other),
    )


def _unheard(shown: PreviewColumns, layers: SettingLayers, key: str) -> SettingControl:
    marginal = _marginal(shown, key)
    unknown = "" if shown.preview.lint else number_format.UNKNOWN
    text = unknown if marginal is None else shown.marked(marginal.tokens)
    return replace(setting_control(shown.preview, layers, key), effect=text, enabled=False)


def _more(shown: PreviewColumns, layers: SettingLayers, others: list[ControlGroup]) -> ControlGroup:
    """What no other group shows, closed."""
    elsewhere = {made.key for group in others for made in group.controls}
    elsewhere |= {STRATEGY, *DENSITY_SWITCHES, RETENTION}
    if not asks_model(shown.preview.strategy, shown.preview.values):
        elsewhere.add(RETRIES)
    if shown.preview.strategy.optimize is None:
        elsewhere.add(OPTIMIZE_THRESHOLD)
    keys = [setting.key for setting in SETTINGS if setting.key not in elsewhere]
    listened = [key for key in keys if key not in _OF_STRATEGIES or key in shown.preview.strategy.options]
    return ControlGroup(
        "More", tuple(setting_control(shown.preview, layers, key) for key in listened), collapsed=True
    )


_OF_STRATEGIES = frozenset(
    {TOP_PRESERVE, PRESERVE, SUMMARY_TOKENS, HEADROOM}
    | {setting.key for setting in (*TIERED, *HYBRID, *PINNED)}
)
"""Settings that only strategies with them among their options listen to."""
