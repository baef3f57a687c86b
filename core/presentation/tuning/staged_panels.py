"""The panel's groups of strategies that work in stages, and of presets: what they are told, what they did."""

from __future__ import annotations

from core.common import number_format
from core.configuration.layers import SettingLayers
from core.presentation.model import ControlGroup, LabelledFigure
from core.presentation.preview_columns import PreviewColumns
from core.presentation.run_page import LINK
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
from core.strategies.trigger import room_of
from core.transcript.compaction import TierOutcome

FOLLOW = "link"
"""The key of a group's action that leads to a page instead of changing a setting."""

_HOW = ("How it went", FOLLOW, LINK)
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
"""The settings of hybrid in the order of the panel, with labels that need no other beside them."""
_BY_ITSELF = "An agent compacts then. A compact by hand does not wait for it."
_NEVER = "No agent compacts by it; a compact by hand changes nothing."


def of_strategy(shown: PreviewColumns, layers: SettingLayers) -> list[ControlGroup]:
    """The groups that only the active strategy has, in the order of the panel."""
    options = shown.preview.strategy.options
    found = []
    if TARGET in options:
        found.append(_tiers(shown, layers))
    if HYBRID_TARGET in options:
        found.append(_hybrid(shown, layers))
    emulated = shown.preview.strategy.emulates
    return [*found, _preset(shown, emulated)] if emulated is not None else found


def own_trigger(shown: PreviewColumns) -> ControlGroup:
    """When a preset acts by itself: nothing that a setting could change."""
    trigger = shown.preview.strategy.trigger
    words = trigger_words(trigger)
    size = shown.preview.trigger_tokens
    text = f"{words[:1].upper()}{words[1:]}"
    by_itself = _NEVER if trigger.mode is TriggerMode.NEVER else _BY_ITSELF
    hint = " ".join(filter(None, (check_point_text(trigger), by_itself)))
    facts = [fact_control("At", text, hint)]
    if size is not None and not trigger.tokens:
        facts.append(fact_control("Here", number_format.plural(size, "token")))
    target = shown.compaction.target
    if target is not None:
        facts.append(fact_control("Target", number_format.count(target), target_met_text(shown, target)))
    return ControlGroup("Trigger", tuple(facts), note="the preset's own")


def target_hint(shown: PreviewColumns, wanted: float) -> str:
    """How a target comes about: "82,800 = 60 % × (200,000 − 16,000), met"."""
    preview, target = shown.preview, shown.compaction.target
    if target is None or preview.window.limit is None:
        return ""
    limit, trigger = preview.window.limit, preview.strategy.trigger
    room = room_of(trigger, preview.values, limit)
    of = number_format.count(limit)
    if room != limit:
        of = f"({of} {number_format.MINUS} {number_format.count(limit - room)})"
    share = number_format.setting_percent(target / room if room else wanted)
    return f"target {number_format.count(target)} = {share} × {of}, {target_met_text(shown, target)}"


def target_met_text(shown: PreviewColumns, target: int) -> str:
    """Whether the result is under its target, and by how much it is not."""
    over = shown.preview.after_tokens + max(0, shown.preview.sizing.hidden) - target
    return f"missed by {number_format.count(over)}" if over > 0 else "met"


def _tiers(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = shown.preview
    hints = {TARGET: target_hint(shown, preview.values.number(TARGET)), PROTECTED: _protected(shown)}
    return ControlGroup(
        "Tiers",
        tuple(setting_control(preview, layers, key, hint=hints.get(key, "")) for key in _TIERS),
        note="stops where the target is met",
        short_note="until the target",
        action=_HOW,
        facts=_tier_facts(shown),
    )


def _protected(shown: PreviewColumns) -> str:
    """Which messages tiers 2 and 3 leave alone."""
    cut = next(iter(shown.cuts), None)
    if cut is None or cut.index >= shown.length:
        return ""
    span = number_format.span(cut.index, shown.length)
    return f"{span} · {shown.marked(shown.tokens(cut.index, shown.length))}"


def _tier_facts(shown: PreviewColumns) -> tuple[LabelledFigure, ...]:
    """A bar for the source and one for what each tier left."""
    before = max(1, shown.preview.before_tokens)
    if not shown.compaction.tiers:
        return ()
    source = LabelledFigure("source", shown.marked(shown.preview.before_tokens), "", 1.0)
    return (source, *(_tier_fact(shown, tier, before) for tier in shown.compaction.tiers))


def _tier_fact(shown: PreviewColumns, tier: TierOutcome, before: int) -> LabelledFigure:
    label = f"{tier.number} {tier.name} ({number_format.count(len(tier.messages))})"
    tone = "warn" if tier.note and not tier.messages else ""
    return LabelledFigure(label, shown.marked(tier.tokens), tone, min(1.0, tier.tokens / before))


def _hybrid(shown: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview, stats = shown.preview, shown.compaction.stats
    hints = {HYBRID_TARGET: target_hint(shown, preview.values.number(HYBRID_TARGET))}
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
        action=_HOW,
        facts=facts,
    )


def _preset(shown: PreviewColumns, emulated: EmulatedProgram) -> ControlGroup:
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
    return ControlGroup("Preset", tuple(facts), note=shown.preview.strategy.name, action=_HOW)
