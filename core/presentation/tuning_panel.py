"""Builds the tuning panel: the controls of the active strategy, and what they lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.common import number_format
from core.presentation.model import (
    DOES_COMPACTING,
    DOES_EVERY_TURN,
    DROPPED,
    EVERY_TURN_KEY,
    FATES,
    FOCUS_KEY,
    ChangeEffect,
    ControlGroup,
    ControlNote,
    LabelledFigure,
    SettingControl,
)
from core.presentation.preview_columns import PreviewColumns, fate_codes
from core.presentation.preview_wording import (
    PROMPT_LEVELS,
    check_point_text,
    how_known,
    marked_tokens,
    scope_label,
    target_outcome,
    trigger_words,
)
from core.presentation.settings_page import max_summary_tokens, setting_control
from core.preview.options import Preview
from core.settings import schema as keys
from core.settings.prompts import PromptLevel
from core.settings.schema import THRESHOLD, setting_text
from core.settings_store.layers import SETTINGS, SettingLayers, find_setting
from core.strategies.base import calls_model
from core.strategies.helpers import usable_limit

LINK_ACTION = "link"
"""Key of a group's action that opens a page."""
_KIND_OF_RUN = "What it does"
_LOG_ACTION = ("Compaction log", LINK_ACTION, "run:")
_CUTS = (keys.TOP_PRESERVE, keys.PRESERVE)
_TIERS = (keys.TARGET, keys.PROTECTED, keys.MAX_OUTPUT)
_HYBRID = (keys.HYBRID_TARGET, keys.HYBRID_PROTECTED, keys.HYBRID_MIN, keys.HYBRID_MODE)
_STUBS = (keys.STUB_TOKENS, keys.STUB_KEEP)
_SUMMARY = (keys.SUMMARY_TOKENS, keys.EXCERPT_SUMMARY)
_TARGETS = (keys.TARGET, keys.HYBRID_TARGET, keys.EXCERPT_TARGET, keys.HEADROOM)
_LABELS: Mapping[str, str] = {
    keys.TOP_PRESERVE: "Keep Top",
    keys.PRESERVE: "Keep Bottom",
    keys.SUMMARY_TOKENS: "Summary at most",
    keys.TARGET: "Target",
    keys.HYBRID_TARGET: "Target",
    keys.HEADROOM: "Target",
    keys.PROTECTED: "Newest messages untouched",
    keys.HYBRID_PROTECTED: "Newest messages untouched",
    keys.HYBRID_MIN: "Skip below",
    keys.MAX_OUTPUT: "Trim tool output above",
    keys.READ_WRITE: "Remove stale reads",
    keys.FILE_DEDUPE: "Remove repeated files",
    keys.RECENCY: "Keep only the newest results",
    keys.RETENTION: "Results kept per tool",
}
_SWITCH_MEANINGS: Mapping[str, str] = {
    keys.READ_WRITE: "file was written again later",
    keys.FILE_DEDUPE: "the newest copy stays",
    keys.RECENCY: "per tool",
}

_OWN_KEYS = frozenset(setting.key for setting in SETTINGS)


def control_groups(
    columns: PreviewColumns, layers: SettingLayers
) -> tuple[ControlGroup, ...]:
    """Return the controls of the active strategy in groups; all other settings are in the
    dialog."""
    options = columns.preview.strategy.options
    if columns.preview.strategy.optimize is not None:
        groups = _density(columns, layers)
    else:
        tiers = replace(
            _group(columns, layers, _TIERS),
            facts=_tier_facts(columns),
            action=_LOG_ACTION,
        )
        hybrid = replace(
            _group(columns, layers, _HYBRID),
            facts=_hybrid_facts(columns),
            action=_LOG_ACTION,
        )
        groups = [
            *([tiers] if keys.TARGET in options else []),
            *([hybrid] if keys.HYBRID_TARGET in options else []),
            _group(columns, layers, _CUTS),
            _group(columns, layers, (keys.EXCERPT_TARGET,)),
            _group(columns, layers, _STUBS),
        ]
    of_plugin = tuple(key for key in options if key not in _OWN_KEYS)
    groups += [_group(columns, layers, of_plugin)]
    groups += [_summary(columns, layers), _own_target(columns), _emulated(columns)]
    return tuple(group for group in groups if group.controls or group.facts)


def _group(
    columns: PreviewColumns, layers: SettingLayers, wanted: tuple[str, ...]
) -> ControlGroup:
    options = columns.preview.strategy.options
    return ControlGroup(
        "", tuple(_control(columns, layers, key) for key in wanted if key in options)
    )


def _control(
    columns: PreviewColumns, layers: SettingLayers, key: str
) -> SettingControl:
    preview = columns.preview
    setting = find_setting(key)
    hint, short, link = "", "", None
    if key in (*_CUTS, keys.PROTECTED):
        hint, short, link = _cut_hint(columns, key)
    elif key in _TARGETS:
        hint = _target_hint(columns)
    control = setting_control(setting, preview.source.values.by_key[key], layers)
    note = replace(control.note, text=hint, short=short, link=link)
    if key in _TARGETS:
        bounds = replace(control.bounds, whole=_whole_of_target(columns, key))
        control = replace(control, bounds=bounds)
    return replace(control, label=_LABELS.get(key, setting.label), note=note)


def _whole_of_target(columns: PreviewColumns, key: str) -> int:
    """Return the tokens of which a target is a share; 0 where no limit is known."""
    preview = columns.preview
    limit = preview.sizes.model_limit.tokens
    if limit is None:
        return 0
    if key == keys.HEADROOM:
        return preview.sizes.trigger_tokens or 0
    return usable_limit(preview.strategy.trigger, preview.source.values, limit)


def _fact(label: str, value: str, hint: str = "", key: str = "") -> SettingControl:
    """Return a read-only value; ``key`` "prompt" adds a link to the prompt editor."""
    return SettingControl(
        key=key,
        label=label,
        kind="fact",
        value=None,
        value_text=value,
        layer="",
        layers=(),
        help="",
        note=ControlNote(text=hint),
    )


def _cut_hint(
    columns: PreviewColumns, key: str
) -> tuple[str, str, tuple[str, str] | None]:
    """Return what a cut keeps, "#329–#412 · 30,702 tokens", and where the cut moved the same in
    short, and "moved by 1" with a link to the reason."""
    for cut in columns.cuts:
        if (cut.name == "top") != (key == keys.TOP_PRESERVE):
            continue
        start, end = (
            (0, cut.index) if cut.name == "top" else (cut.index, columns.length)
        )
        if end > start:
            kept = number_format.span(start, end)
            tokens = columns.tokens(start, end)
            short = f"{kept} · {number_format.count(tokens)}"
            hint = f"{kept} · {number_format.plural(tokens, 'token')}"
        else:
            hint = short = "nothing is kept"
        moved = abs(cut.index - cut.requested)
        if moved and key != keys.PROTECTED:
            return hint, short, (f"moved\u00a0by\u00a0{moved}", f"cut:{cut.name}")
        return hint, "", None
    no_op = columns.compaction.no_op
    return "" if no_op is None else no_op.reason, "", None


def _target_hint(columns: PreviewColumns) -> str:
    """Return "met · 82,800 = 60 % × (200,000 − 16,000)"."""
    preview, target = columns.preview, columns.compaction.target
    if target is None or preview.sizes.model_limit.tokens is None:
        return ""
    base = limit = preview.sizes.model_limit.tokens
    text = number_format.count(limit)
    if preview.strategy.optimize is not None:
        return f"{target_outcome(preview)} · {number_format.plural(target, 'token')}"
    if (
        base := usable_limit(preview.strategy.trigger, preview.source.values, limit)
    ) != limit:
        text = f"({text} {number_format.MINUS} {number_format.count(limit - base)})"
    share_text = number_format.setting_percent(target / max(1, base))
    return f"{target_outcome(preview)} · {number_format.count(target)} = {share_text} × {text}"


def _density(columns: PreviewColumns, layers: SettingLayers) -> list[ControlGroup]:
    """Return the kind of run, the switches with what they save, the controls of a compaction, and
    the sum."""
    preview = columns.preview
    switches = [_switch(columns, layers, key) for key in keys.DENSITY_SWITCHES]
    if preview.source.values.flag(keys.RECENCY):
        switches.append(_control(columns, layers, keys.RETENTION))
    if preview.result.after_density is None:
        dense = preview.sizes.message_tokens_before
    else:
        dense = preview.result.after_density
    removes = DROPPED in columns.fates
    shortened = replace(
        _fact(
            _SHORTENS_AND_REMOVES if removes else "Shorten old tool results",
            number_format.signed(preview.sizes.message_tokens_after - dense),
        ),
        note=ControlNote(
            text="to one line each, outside the Bottom",
            tone="strong" if preview.sizes.message_tokens_after < dense else "",
        ),
    )
    cuts = _group(columns, layers, (keys.PRESERVE, keys.HEADROOM)).controls
    saved = number_format.signed(
        preview.sizes.after_tokens - preview.sizes.before_tokens
    )
    if preview.every_turn:
        compacting = []
    else:
        compacting = [ControlGroup("When it compacts", (shortened, *cuts))]
    return [
        ControlGroup(_KIND_OF_RUN, (_kind_of_run(preview),)),
        ControlGroup("Every turn", tuple(switches), note="tokens, vs off"),
        *compacting,
        ControlGroup(
            "", (), facts=(LabelledFigure("Saved together", saved, "strong"),)
        ),
    ]


_SHORTENS_AND_REMOVES = "Shorten old tool results, remove the oldest messages"


def _kind_of_run(preview: Preview) -> SettingControl:
    value = DOES_EVERY_TURN if preview.every_turn else DOES_COMPACTING
    control = _fact(_KIND_OF_RUN, value, key=EVERY_TURN_KEY)
    help = "On every turn only the density pass runs; at its trigger the strategy compacts as well."
    return replace(
        control,
        kind="choice",
        value=value,
        choices=(DOES_COMPACTING, DOES_EVERY_TURN),
        help=help,
    )


def _switch(columns: PreviewColumns, layers: SettingLayers, key: str) -> SettingControl:
    control = _control(columns, layers, key)
    marginal = next(
        (one for one in columns.preview.checks.marginals if one.key == key), None
    )
    if marginal is None:
        if columns.preview.checks.lint:
            return control
        return replace(
            control, note=replace(control.note, effect=number_format.UNKNOWN)
        )
    meaning = _SWITCH_MEANINGS[key]
    if marginal.active:
        effect = number_format.signed(-marginal.tokens)
        tone = "strong" if marginal.tokens else ""
        return replace(
            control, note=replace(control.note, text=meaning, effect=effect, tone=tone)
        )
    verb = "add" if marginal.tokens < 0 else "save"
    effect = f"would {verb} {number_format.count(abs(marginal.tokens))}"
    return replace(control, note=replace(control.note, text=meaning, effect=effect))


def _summary(columns: PreviewColumns, layers: SettingLayers) -> ControlGroup:
    preview = columns.preview
    group = _group(columns, layers, _SUMMARY)
    if not calls_model(preview.strategy, preview.source.values):
        return replace(
            group,
            controls=tuple(
                one for one in group.controls if one.key == keys.EXCERPT_SUMMARY
            ),
        )
    controls = [
        _with_size(columns, one) if one.key == keys.SUMMARY_TOKENS else one
        for one in group.controls
    ]
    if preview.summary.model_reason or not preview.summary.profile.is_offline:
        summary_profile = " · ".join(
            filter(None, (preview.summary.profile.name, preview.summary.profile.model))
        )
        controls.append(
            _fact("Summary by", summary_profile, preview.summary.model_reason)
        )
    level = (
        preview.summary.prompt_level
        and PROMPT_LEVELS[PromptLevel(preview.summary.prompt_level)].lower()
    )
    controls.append(_fact("Prompt", level, key="prompt"))
    focus = _fact("Focus", "Focus on … (optional)", key=FOCUS_KEY)
    help = "What the summary keeps above all."
    controls.append(replace(focus, kind="text", value=preview.source.focus, help=help))
    return replace(group, controls=tuple(controls))


def _with_size(columns: PreviewColumns, control: SettingControl) -> SettingControl:
    """Return the control with the size of the summary here."""
    preview, inserted = columns.preview, columns.compaction.inserted
    # Without the answer.
    summaries = [
        preview.result.after_counts[at] for at in inserted if at - 1 not in inserted
    ]
    is_of_run = not preview.result.result_source
    if is_of_run and summaries and not preview.summary.unwritten:
        used = f"{number_format.count(sum(summaries))} used"
    else:
        used = ""
    if not control.value:
        most = max_summary_tokens(preview, columns.fates)
    else:
        most = None
    if most is not None:
        limit = f"auto at most {number_format.count(most)}"
    else:
        limit = ""
    hint = " · ".join(filter(None, (used, limit)))
    return replace(
        control,
        value_text=control.value_text if control.value else "auto",
        note=replace(control.note, text=hint),
    )


def _own_target(columns: PreviewColumns) -> ControlGroup:
    """Return the target of a strategy that has none as a setting."""
    preview, target = columns.preview, columns.compaction.target
    if target is None or set(_TARGETS) & set(preview.strategy.options):
        return ControlGroup("", ())
    hint = target_outcome(preview)
    if (
        preview.sizes.trigger_tokens is not None
        and not preview.strategy.trigger.is_fixed
    ):
        factor = target / max(1, preview.sizes.trigger_tokens)
        hint = f"{number_format.count(preview.sizes.trigger_tokens)} × {factor:.2f}, {hint}"
    return ControlGroup("", (_fact("Target", number_format.count(target), hint),))


def _emulated(columns: PreviewColumns) -> ControlGroup:
    """Return which agent a preset behaves like, and when that agent compacts."""
    preview, emulated = columns.preview, columns.preview.strategy.emulates
    if emulated is None:
        return ControlGroup("", ())
    trigger, size = preview.strategy.trigger, preview.sizes.trigger_tokens
    words = trigger_words(trigger)
    if size and not trigger.tokens:
        here = f"here {number_format.plural(size, 'token')}"
    else:
        here = ""
    facts = (
        ("Behaves like", emulated.program, emulated.feature),
        ("As of", emulated.as_of, f"{how_known(emulated)}: {emulated.source}"),
        (
            "Compacts at",
            f"{words[:1].upper()}{words[1:]}",
            " ".join(filter(None, (check_point_text(trigger), here))),
        ),
    )
    return ControlGroup("", tuple(_fact(*fact) for fact in facts), action=_LOG_ACTION)


def _tier_facts(columns: PreviewColumns) -> tuple[LabelledFigure, ...]:
    sizes, tiers = columns.preview.sizes, columns.compaction.figures.tiers
    before = sizes.before_tokens
    if tiers:
        facts = [
            LabelledFigure("source", marked_tokens(columns.preview, before), "", 1.0)
        ]
    else:
        facts = []
    for tier in tiers:
        label = f"{tier.number} {tier.name} ({number_format.count(len(tier.messages))})"
        tone = "warn" if tier.note and not tier.messages else ""
        tokens = tier.tokens + sizes.result_overhead_tokens
        share = min(1.0, tokens / max(1, before))
        facts.append(
            LabelledFigure(label, marked_tokens(columns.preview, tokens), tone, share)
        )
    return tuple(facts)


def _hybrid_facts(columns: PreviewColumns) -> tuple[LabelledFigure, ...]:
    if (stats := columns.compaction.figures.stats) is None:
        return ()
    counts = (
        ("tool results", stats.tool_results_compressed),
        ("human messages", stats.user_messages_compressed),
        ("AI messages", stats.assistant_messages_compressed),
        ("never sent to the model", stats.display_data_deleted),
        ("untouched", stats.messages_protected),
    )
    return tuple(
        LabelledFigure(label, number_format.count(count)) for label, count in counts
    )


_MAX_MOVES = 3


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The last change: the preview before it, and the value before and after."""

    previous: Preview
    title: str
    before: str
    after: str


def last_change(
    previous: Preview | None, preview: Preview, keys: Sequence[str]
) -> SettingsChange | None:
    """Return the change between two previews: scope, model, or the last setting of ``keys``."""
    if previous is None:
        return None
    scopes = previous.source.history.scope, preview.source.history.scope
    if scopes[0] != scopes[1]:
        return SettingsChange(previous, "Scope", *map(scope_label, scopes))
    if previous.sizes.model_limit.model != preview.sizes.model_limit.model:
        return SettingsChange(
            previous,
            "Model",
            previous.sizes.model_limit.model,
            preview.sizes.model_limit.model,
        )
    if keys:
        return setting_change(previous, preview, keys[-1])
    return None


def setting_change(previous: Preview, preview: Preview, key: str) -> SettingsChange:
    """Return the effective values before and after; an unset threshold is the strategy's."""
    setting = find_setting(key)
    texts = []
    for compared in (previous, preview):
        value = compared.source.values.get(setting.key)
        if value is None and setting.key == THRESHOLD:
            value = compared.strategy.trigger.threshold
        texts.append(setting_text(setting.kind, value))
    return SettingsChange(previous, setting.label, *texts)


def change_effect(
    columns: PreviewColumns,
    change: SettingsChange | None,
    losses: Sequence[int | None] = (None, None),
) -> ChangeEffect | None:
    """Return the effect of a change; fates are compared over the same history only. ``losses``
    count what is gone before and after."""
    if change is None:
        return None
    previous = change.previous
    preview = columns.preview
    moves = Counter[tuple[int, int]]()
    if previous.source.history.messages is preview.source.history.messages:
        pairs = zip(fate_codes(previous.result.compaction), columns.fates, strict=True)
        moves.update(pair for pair in pairs if pair[0] != pair[1])
    before, after = losses
    return ChangeEffect(
        title=change.title,
        change=" → ".join(filter(None, (change.before, change.after))),
        moves=tuple(
            (f"{FATES[old]} → {FATES[new]}", count)
            for (old, new), count in moves.most_common(_MAX_MOVES)
        ),
        tokens=preview.sizes.after_tokens - previous.sizes.after_tokens,
        losses=None if before is None or after is None else (before, after),
    )
