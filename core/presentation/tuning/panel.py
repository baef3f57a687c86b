"""Builds the groups of the tuning panel for the active strategy."""

from __future__ import annotations

from dataclasses import replace

from core.common import number_format
from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers
from core.configuration.strategy_settings import HYBRID, PINNED, TIERED
from core.presentation import savings
from core.presentation.model import ControlGroup, SettingControl
from core.presentation.preview_columns import PreviewColumns
from core.presentation.ruler.ruler_lines import kept_pair_text
from core.presentation.settings.page import max_summary_tokens
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
from core.strategies.base import calls_model
from core.strategies.registry import STRATEGIES

_RETENTION_LABEL = "Kept per tool"
"""Label of the retention, below its switch."""
_TRIGGER_HINT = "Replay and engine only."


def control_groups(columns: PreviewColumns, layers: SettingLayers) -> tuple[ControlGroup, ...]:
    """Return all groups; every setting is in one of them or in the toolbar."""
    preview = columns.preview
    if preview.strategy.optimize is not None:
        groups = [_density_every_turn(columns, layers), _at_the_trigger(columns, layers)]
        groups += [savings.savings_group(columns)] if preview.after_tokens != preview.before_tokens else []
    else:
        groups = [*staged_panels.strategy_groups(columns, layers)]
        groups += [_split(columns, layers), _summary(columns, layers)]
        groups = [group for group in groups if group.controls]
        groups += [_trigger(columns, layers), _density_without_effect(columns, layers)]
    return (*groups, _more(columns, layers, groups))


def _split(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    keys = [key for key in (TOP_PRESERVE, PRESERVE) if key in columns.preview.strategy.options]
    preview = columns.preview
    controls = (setting_control(preview, layers, key, hint=_preserve_hint(columns, key)) for key in keys)
    return ControlGroup("Split", tuple(controls))


def _preserve_hint(columns: PreviewColumns, key: str) -> str:
    """Return the effect of a preserve setting: "#329–#412 · ≈30,702 · moved by 1 to keep a pair"."""
    for cut in columns.cuts:
        if (cut.name == "top") != (key == TOP_PRESERVE):
            continue
        start, end = (0, cut.index) if cut.name == "top" else (cut.index, columns.length)
        parts = [number_format.span(start, end), columns.marked_tokens(columns.tokens(start, end))]
        if cut.index != cut.requested:
            why = " to keep a pair" if kept_pair_text(columns, cut) else ""
            parts.append(f"moved by {abs(cut.index - cut.requested)}{why}")
        return " · ".join(filter(None, parts))
    return columns.compaction.no_op.reason if columns.compaction.no_op else ""


def _written_by(preview: Preview) -> str:
    writer = preview.writer
    if writer.is_offline:
        return f"{writer.name}, no model call"
    return f"{writer.name} · {writer.model}"


def _summary(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = columns.preview
    prose_controls = (
        [setting_control(preview, layers, PINNED_PROSE)] if PINNED_PROSE in preview.strategy.options else []
    )
    if not calls_model(preview.strategy, preview.values):
        return ControlGroup("Summary", tuple(prose_controls))
    max_tokens = max_summary_tokens(preview, columns.fates)
    text = f"≤ {number_format.count(max_tokens)}" if max_tokens is not None else "auto"
    token_controls = [setting_control(preview, layers, SUMMARY_TOKENS, value_text=text)]
    return ControlGroup(
        "Summary",
        (
            *(token_controls if SUMMARY_TOKENS in preview.strategy.options else ()),
            *prose_controls,
            fact_control("Written by", _written_by(preview), preview.model_reason),
            fact_control("Prompt", preview.prompt_level, key="prompt"),
        ),
    )


def _trigger(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = columns.preview
    if preview.strategy.trigger.is_fixed:
        return staged_panels.own_trigger_group(columns)
    parts = [setting_control(preview, layers, THRESHOLD, hint=_TRIGGER_HINT)]
    target = columns.compaction.target
    has_own_target = {TARGET, HYBRID_TARGET} & set(preview.strategy.options)
    if target is not None and preview.trigger_tokens is not None and not has_own_target:
        target_state = staged_panels.target_met_text(columns, target)
        factor = target / max(1, preview.trigger_tokens)
        text = f"{number_format.count(preview.trigger_tokens)} × {factor:.2f}, {target_state}"
        parts.append(fact_control("Target", number_format.count(target), text))
    return ControlGroup("Trigger", tuple(parts))


def _density_every_turn(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    switches = [_switch(columns, layers, key) for key in DENSITY_SWITCHES]
    retention = setting_control(columns.preview, layers, RETENTION, label=_RETENTION_LABEL)
    switches.append(replace(retention, enabled=columns.preview.values.flag(RECENCY)))
    note, short_note = "saves, (would save)", "(would save)"
    return ControlGroup("Density, every turn", tuple(switches), note=note, short_note=short_note)


def _marginal(columns: PreviewColumns, key: str) -> MarginalEffect | None:
    """Return what a switch saves; None while unknown, or if no strategy made the result."""
    return next((marginal for marginal in columns.preview.marginals if marginal.key == key), None)


def _switch(columns: PreviewColumns, layers: SettingLayers, key: str) -> SettingControl:
    control, marginal = setting_control(columns.preview, layers, key), _marginal(columns, key)
    if marginal is None:
        return control if columns.preview.lint else replace(control, effect=number_format.UNKNOWN)
    if marginal.active:
        tone = "ok" if marginal.tokens else ""
        return replace(control, effect=number_format.signed(-marginal.tokens), effect_tone=tone)
    return replace(control, effect=f"({number_format.signed(-marginal.tokens)})")


def _at_the_trigger(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = columns.preview
    return ControlGroup(
        "Compact, at the trigger",
        (
            setting_control(preview, layers, PRESERVE, label="Keep tail", hint=_tail(columns)),
            setting_control(preview, layers, HEADROOM, hint=_target(columns)),
            setting_control(preview, layers, THRESHOLD),
        ),
    )


def _tail(columns: PreviewColumns) -> str:
    if not columns.cuts:
        return columns.compaction.no_op.reason if columns.compaction.no_op else ""
    share = number_format.setting_percent(columns.preview.values.number(PRESERVE))
    span = number_format.span(columns.cuts[-1].index, columns.length)
    return f"{span} · {share} of {number_format.plural(len(columns.input_indices), 'message')}"


def _target(columns: PreviewColumns) -> str:
    """Return "target 102,000 = 85 % × 200,000 × 0.60, met"."""
    preview, target = columns.preview, columns.compaction.target
    if target is None or preview.window.limit is None:
        return ""
    threshold = preview.values.get(THRESHOLD)
    share = preview.strategy.trigger.threshold if threshold is None else float(threshold)
    product = f"{number_format.setting_percent(share)} × {number_format.count(preview.window.limit)}"
    headroom = preview.values.number(HEADROOM)
    return (
        f"target {number_format.count(target)} = {product} × {headroom:.2f}, "
        f"{staged_panels.target_met_text(columns, target)}"
    )


def _density_without_effect(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    """Return the density switches with their savings under another strategy."""
    preview = columns.preview
    strategy_name = next(strategy.name for strategy in STRATEGIES if strategy.optimize is not None)
    controls = [_disabled_switch(columns, layers, key) for key in DENSITY_SWITCHES]
    controls.append(
        replace(setting_control(preview, layers, RETENTION, label=_RETENTION_LABEL), enabled=False)
    )
    return ControlGroup(
        "Density",
        tuple(controls),
        note=f"no effect with {preview.strategy.name}",
        short_note="no effect here",
        collapsed=True,
        footnote=f"would save, under {strategy_name}",
        action=("Try it", STRATEGY, strategy_name),
    )


def _disabled_switch(columns: PreviewColumns, layers: SettingLayers, key: str) -> SettingControl:
    marginal = _marginal(columns, key)
    unknown = "" if columns.preview.lint else number_format.UNKNOWN
    text = unknown if marginal is None else columns.marked_tokens(marginal.tokens)
    return replace(setting_control(columns.preview, layers, key), effect=text, enabled=False)


def _more(columns: PreviewColumns, layers: SettingLayers, others: list[ControlGroup]) -> ControlGroup:
    """Return all other settings, collapsed."""
    used_keys = {control.key for group in others for control in group.controls}
    used_keys |= {STRATEGY, *DENSITY_SWITCHES, RETENTION}
    if not calls_model(columns.preview.strategy, columns.preview.values):
        used_keys.add(RETRIES)
    if columns.preview.strategy.optimize is None:
        used_keys.add(OPTIMIZE_THRESHOLD)
    keys = [setting.key for setting in SETTINGS if setting.key not in used_keys]
    read_keys = [
        key for key in keys if key not in _STRATEGY_SETTINGS or key in columns.preview.strategy.options
    ]
    return ControlGroup(
        "More", tuple(setting_control(columns.preview, layers, key) for key in read_keys), collapsed=True
    )


_STRATEGY_SETTINGS = frozenset(
    {TOP_PRESERVE, PRESERVE, SUMMARY_TOKENS, HEADROOM}
    | {setting.key for setting in (*TIERED, *HYBRID, *PINNED)}
)
"""Settings that apply only to strategies which list them as options."""
