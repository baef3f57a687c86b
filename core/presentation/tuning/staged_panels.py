"""Panel groups of staged strategies and presets: settings and results."""

from __future__ import annotations

from core.common import number_format
from core.configuration.layers import SettingLayers
from core.presentation.model import ControlGroup, LabelledFigure
from core.presentation.preview_columns import PreviewColumns
from core.presentation.run_page import RUN_LINK
from core.presentation.trigger_wording import check_point_text, trigger_words
from core.presentation.tuning.controls import fact_control, setting_control
from core.settings.keys import (
    HYBRID_ASSISTANT,
    HYBRID_BATCH,
    HYBRID_FAILURE,
    HYBRID_MIN,
    HYBRID_MODE,
    HYBRID_OTHER,
    HYBRID_PROTECTED,
    HYBRID_TARGET,
    HYBRID_USER,
    KEEP_OUTPUT,
    MAX_OUTPUT,
    OUTPUT_RESERVE,
    PROTECTED,
    SUMMARY_ROLE,
    TARGET,
)
from core.strategies.base import EmulatedProgram, TriggerMode
from core.strategies.trigger import usable_window
from core.transcript.compaction import TierOutcome

LINK_ACTION = "link"
"""Key of a group's action that opens a page."""

_RUN_PAGE_ACTION = ("Compaction log", LINK_ACTION, RUN_LINK)
_TIERS = (TARGET, PROTECTED, MAX_OUTPUT, KEEP_OUTPUT, SUMMARY_ROLE, OUTPUT_RESERVE)
_HYBRID = {
    HYBRID_MODE: "Mode",
    HYBRID_TARGET: "Target",
    HYBRID_PROTECTED: "Protected",
    HYBRID_USER: "Human",
    HYBRID_ASSISTANT: "AI",
    HYBRID_OTHER: "Others",
    HYBRID_FAILURE: "Failed",
    HYBRID_MIN: "At least",
    HYBRID_BATCH: "In batches",
}
"""Settings of hybrid with their labels, in the order of the panel."""
_AGENT_TRIGGER_NOTE = "An agent compacts then. A compact by hand does not wait for it."
_NO_TRIGGER_NOTE = "No agent compacts by it; a compact by hand changes nothing."


def strategy_groups(columns: PreviewColumns, layers: SettingLayers) -> list[ControlGroup]:
    """Return the groups that only the active strategy has."""
    options = columns.preview.strategy.options
    groups = []
    if TARGET in options:
        groups.append(_tiers(columns, layers))
    if HYBRID_TARGET in options:
        groups.append(_hybrid(columns, layers))
    emulated = columns.preview.strategy.emulates
    return [*groups, _preset(columns, emulated)] if emulated is not None else groups


def own_trigger_group(columns: PreviewColumns) -> ControlGroup:
    """Return a preset's own trigger, which no setting changes."""
    trigger = columns.preview.strategy.trigger
    words = trigger_words(trigger)
    size = columns.preview.trigger_tokens
    text = f"{words[:1].upper()}{words[1:]}"
    by_itself = _NO_TRIGGER_NOTE if trigger.mode is TriggerMode.NEVER else _AGENT_TRIGGER_NOTE
    hint = " ".join(filter(None, (check_point_text(trigger), by_itself)))
    facts = [fact_control("At", text, hint)]
    if size is not None and not trigger.tokens:
        facts.append(fact_control("Here", number_format.plural(size, "token")))
    target = columns.compaction.target
    if target is not None:
        facts.append(fact_control("Target", number_format.count(target), target_met_text(columns, target)))
    return ControlGroup("Trigger", tuple(facts), note="the preset's own")


def target_hint(columns: PreviewColumns, wanted_share: float) -> str:
    """Return "82,800 = 60 % × (200,000 − 16,000), met"."""
    preview, target = columns.preview, columns.compaction.target
    if target is None or preview.window.limit is None:
        return ""
    limit, trigger = preview.window.limit, preview.strategy.trigger
    available = usable_window(trigger, preview.values, limit)
    base_text = number_format.count(limit)
    if available != limit:
        base_text = f"({base_text} {number_format.MINUS} {number_format.count(limit - available)})"
    share = number_format.setting_percent(target / available if available else wanted_share)
    return f"target {number_format.count(target)} = {share} × {base_text}, {target_met_text(columns, target)}"


def target_met_text(columns: PreviewColumns, target: int) -> str:
    """Return "met", or by how much the target is missed."""
    excess_tokens = columns.preview.after_tokens + max(0, columns.preview.sizing.hidden) - target
    return f"missed by {number_format.count(excess_tokens)}" if excess_tokens > 0 else "met"


def _tiers(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = columns.preview
    hints = {TARGET: target_hint(columns, preview.values.number(TARGET)), PROTECTED: _protected(columns)}
    return ControlGroup(
        "Tiers",
        tuple(setting_control(preview, layers, key, hint=hints.get(key, "")) for key in _TIERS),
        note="stops where the target is met",
        short_note="until the target",
        action=_RUN_PAGE_ACTION,
        facts=_tier_facts(columns),
    )


def _protected(columns: PreviewColumns) -> str:
    """Return the messages that tiers 2 and 3 do not change."""
    cut = next(iter(columns.cuts), None)
    if cut is None or cut.index >= columns.length:
        return ""
    span = number_format.span(cut.index, columns.length)
    return f"{span} · {columns.marked_tokens(columns.tokens(cut.index, columns.length))}"


def _tier_facts(columns: PreviewColumns) -> tuple[LabelledFigure, ...]:
    """Return a bar for the source and for the result of each tier."""
    before = max(1, columns.preview.before_tokens)
    if not columns.compaction.tiers:
        return ()
    source = LabelledFigure("source", columns.marked_tokens(columns.preview.before_tokens), "", 1.0)
    return (source, *(_tier_fact(columns, tier, before) for tier in columns.compaction.tiers))


def _tier_fact(columns: PreviewColumns, tier: TierOutcome, before: int) -> LabelledFigure:
    label = f"{tier.number} {tier.name} ({number_format.count(len(tier.messages))})"
    tone = "warn" if tier.note and not tier.messages else ""
    return LabelledFigure(label, columns.marked_tokens(tier.tokens), tone, min(1.0, tier.tokens / before))


def _hybrid(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview, stats = columns.preview, columns.compaction.stats
    hints = {HYBRID_TARGET: target_hint(columns, preview.values.number(HYBRID_TARGET))}
    facts: tuple[LabelledFigure, ...] = ()
    if stats is not None:
        facts = (
            LabelledFigure("tool results", number_format.count(stats.tool_results_compressed)),
            LabelledFigure("human messages", number_format.count(stats.user_messages_compressed)),
            LabelledFigure("ai messages", number_format.count(stats.assistant_messages_compressed)),
            LabelledFigure("display-only, deleted", number_format.count(stats.display_data_deleted)),
            LabelledFigure("protected", number_format.count(stats.messages_protected)),
        )
    return ControlGroup(
        "Hybrid",
        tuple(
            setting_control(preview, layers, key, label=label, hint=hints.get(key, ""))
            for key, label in _HYBRID.items()
        ),
        action=_RUN_PAGE_ACTION,
        facts=facts,
    )


def _preset(columns: PreviewColumns, emulated: EmulatedProgram) -> ControlGroup:
    program, _, feature = emulated.program.partition(", ")
    facts = [
        fact_control("Does as", program, feature),
        fact_control("As of", emulated.as_of),
        fact_control(
            "Source",
            "reverse engineering" if emulated.reverse_engineered else "its own",
            emulated.source,
        ),
    ]
    return ControlGroup("Preset", tuple(facts), note=columns.preview.strategy.name, action=_RUN_PAGE_ACTION)
