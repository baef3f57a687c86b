"""The effect of the last change on fates and tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.common import number_format
from core.configuration.layers import find_setting
from core.presentation.model import FATES, ChangeEffect, LabelledFigure
from core.presentation.preview_columns import PreviewColumns, fate_codes
from core.presentation.preview_wording import scope_label
from core.preview.options import Preview
from core.settings.keys import THRESHOLD
from core.settings.schema import SettingValue, setting_text

_MAX_MOVES = 3


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The last change: the preview before it, and the value before and after."""

    previous: Preview
    title: str
    before: str
    after: str


def last_change(previous: Preview | None, preview: Preview, keys: Sequence[str]) -> SettingsChange | None:
    """Return the change between two previews: scope, model, or the last setting of ``keys``."""
    if previous is None:
        return None
    scopes = previous.history.scope, preview.history.scope
    if scopes[0] != scopes[1]:
        return SettingsChange(previous, "Scope", *map(scope_label, scopes))
    if previous.window.model != preview.window.model:
        return SettingsChange(previous, "Model", previous.window.model, preview.window.model)
    return setting_change(previous, preview, keys[-1]) if keys else None


def setting_change(previous: Preview, preview: Preview, key: str) -> SettingsChange:
    setting = find_setting(key)
    texts = [
        setting_text(setting.kind, _effective(compared, setting.key)) for compared in (previous, preview)
    ]
    return SettingsChange(previous, setting.label, *texts)


def _effective(preview: Preview, key: str) -> SettingValue | None:
    """Return the effective value; an unset threshold is the strategy's."""
    value = preview.values.get(key)
    return preview.strategy.trigger.threshold if value is None and key == THRESHOLD else value


def change_effect(
    columns: PreviewColumns,
    change: SettingsChange | None,
    losses: Sequence[int | None] = (None, None),
) -> ChangeEffect | None:
    """Return the effect of a change; fates are compared over the same history only. ``losses`` are
    the known facts lost before and after."""
    if change is None:
        return None
    previous, preview = change.previous, columns.preview
    facts: list[LabelledFigure] = []
    if previous.history.messages is preview.history.messages:
        facts += _moves(fate_codes(previous.compaction), columns.fates)
    difference = preview.after_tokens - previous.after_tokens
    tone = "ok" if difference < 0 else "warn" if difference > 0 else ""
    facts.append(LabelledFigure("tokens after", number_format.signed(difference), tone))
    before, after = losses
    if before is not None and after is not None:
        tone = "error" if after > before else "ok" if after < before else ""
        texts = map(number_format.count, (before, after))
        facts.append(LabelledFigure("known facts lost", " → ".join(texts), tone))
    return ChangeEffect(change.title, " → ".join(filter(None, (change.before, change.after))), tuple(facts))


def _moves(before: bytes, after: bytes) -> list[LabelledFigure]:
    if before == after:
        return [LabelledFigure("fates", "unchanged")]
    moves = Counter(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    return [
        LabelledFigure(
            " → ".join(filter(None, (FATES[old], FATES[new]))), number_format.plural(count, "message")
        )
        for (old, new), count in moves.most_common(_MAX_MOVES)
    ]
