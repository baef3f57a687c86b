"""Formats the Sweep view."""

from __future__ import annotations

from dataclasses import dataclass

from core.analysis.cost.summary_price import priced_point, pricing_model
from core.analysis.sweep.axes import variable_keys
from core.analysis.sweep.model import SettingAxis as Varied
from core.analysis.sweep.model import SweepPoint as Run
from core.common import number_format
from core.common.number_format import dollar_text, seconds
from core.configuration.layers import find_setting
from core.presentation.compare.model import NO_PRICE
from core.presentation.model import PriceChoice
from core.presentation.plots import fidelity_axis, plot_axis, round_step, short_labels
from core.presentation.price_choices import summary_price_text
from core.presentation.sweep.model import SweepAxis, SweepKey, SweepPage, SweepPointRow
from core.settings.schema import Setting, SettingKind, SettingValue, Values, setting_text
from core.strategies.base import Strategy
from core.transcript.compaction import FateKind

COLUMNS = (
    "tokens after",
    "saved",
    "messages",
    "fidelity",
    "kept",
    "summarised",
    "gone",
    "≈ cost",
)
"""Column titles after the swept settings."""
_REMOVED_FATES = (FateKind.PRUNED, FateKind.DROPPED)
_SHARES, _STEPS = 9, 8


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """A sweep so far: ``runs`` in order, of ``total``; ``before`` tokens of the source; ``prices`` names the
    model that prices summaries, "" for the session's ``model``."""

    strategy: Strategy
    values: Values
    vary: tuple[str, ...]
    axes: tuple[Varied, ...]
    runs: tuple[Run, ...]
    total: int
    before: int
    mark: str
    seconds: float = 0.0
    problem: str = ""
    model: str = ""
    prices: PriceChoice = NO_PRICE


def sweep_keys(strategy: Strategy, values: Values) -> tuple[SweepKey, ...]:
    """Return the settings that can be swept, with first values."""
    return tuple(
        SweepKey(setting.key, setting.label, setting.help, _first_values(setting, values.get(setting.key)))
        for setting in map(find_setting, variable_keys(strategy))
        if setting.kind is not SettingKind.TEXT
    )


def _first_values(setting: Setting, current_value: SettingValue | None) -> str:
    """Return a few values over a setting's range, or around its value."""
    if setting.kind is SettingKind.FLAG:
        return "true,false"
    if setting.kind is SettingKind.CHOICE:
        return ",".join(setting.choices)
    if setting.kind is SettingKind.FRACTION:
        low = 0.1 if setting.low_open or not setting.low else setting.low
        high = 0.9 if setting.high is None or setting.high >= 1 else setting.high
        return f"{low:g}:{high:g}:{max(0.05, round_step((high - low) / _SHARES)):g}"
    middle = int(current_value) if isinstance(current_value, int | float) and current_value > 0 else 8_000
    low, high = max(int(setting.low or 1), middle // 4), middle * 2
    if setting.high is not None:
        high = min(high, int(setting.high))
    return f"{low}:{max(high, low + 1)}:{max(1, int(round_step((high - low) / _STEPS, integers_only=True)))}"


def first_vary(strategy: Strategy, values: Values) -> tuple[str, ...]:
    """Return the strategy's first setting with its first values, if any."""
    keys = [key for key in sweep_keys(strategy, values) if key.key in strategy.options]
    return (f"{keys[0].key}={keys[0].values}",) if keys else ()


def sweep_page(progress: SweepProgress) -> SweepPage:
    tokens = [axis.tokens for axis in progress.runs if not axis.error]
    shares = [axis.fidelity for axis in progress.runs if axis.fidelity is not None]
    done, price = len(progress.runs), pricing_model(progress.prices.value, progress.model)
    runs = [priced_point(axis, price) for axis in progress.runs]
    name, size = progress.strategy.name, number_format.tokens(progress.mark, progress.before)
    return SweepPage(
        name,
        f"{name} · {size} tokens before · {summary_price_text(price)}",
        sweep_keys(progress.strategy, progress.values),
        progress.vary,
        tuple(_axis(axis, progress.values) for axis in progress.axes),
        tuple(_point(axis, progress) for axis in runs),
        plot_axis(0, max(tokens, default=progress.before or 1), short_labels, 5, integers_only=True),
        fidelity_axis(min(shares, default=0.0), 5),
        (
            *(find_setting(axis.key).label for axis in progress.axes),
            " ".join(filter(None, (progress.mark, COLUMNS[0]))),
            *COLUMNS[1:],
        ),
        f"{done} of {progress.total} done in {seconds(progress.seconds)}" if progress.total else "",
        done == progress.total,
        progress.problem,
        progress.prices,
    )


def _axis(axis: Varied, values: Values) -> SweepAxis:
    setting = find_setting(axis.key)
    current_value = values.get(axis.key)
    index = axis.values.index(current_value) if current_value in axis.values else -1
    return SweepAxis(axis.key, setting.label, tuple(_text(setting, value) for value in axis.values), index)


def _text(setting: Setting, value: SettingValue) -> str:
    return setting_text(setting.kind, value)


def _point(run: Run, progress: SweepProgress) -> SweepPointRow:
    axis_indices = tuple(
        axis.values.index(value) for axis, value in zip(progress.axes, run.axis_values, strict=True)
    )
    settings = tuple((axis.key, value) for axis, value in zip(progress.axes, run.axis_values, strict=True))
    texts = [_text(find_setting(key), value) for key, value in settings]
    title = " · ".join(
        f"{find_setting(key).label} {text}" for (key, _), text in zip(settings, texts, strict=True)
    )
    trouble = run.error or run.no_op
    if run.error:
        cells = (*texts, *("" for _ in COLUMNS))
        return SweepPointRow(axis_indices, settings, None, None, title, run.error, cells, trouble)
    saved = (
        number_format.percent((run.tokens - progress.before) / progress.before)
        if progress.before
        else number_format.UNKNOWN
    )
    fates = run.fates or {}
    figures = (
        number_format.count(run.tokens),
        saved,
        number_format.count(run.messages),
        number_format.score(run.fidelity),
        number_format.count(fates.get(FateKind.KEPT, 0) + fates.get(FateKind.EDITED, 0)),
        number_format.count(fates.get(FateKind.SUMMARISED, 0)),
        number_format.count(sum(fates.get(kind, 0) for kind in _REMOVED_FATES)),
        number_format.UNKNOWN if run.cost is None else dollar_text(run.cost),
    )
    description = f"{number_format.tokens(progress.mark, run.tokens)} tokens, {saved}, fidelity {figures[3]}"
    return SweepPointRow(
        axis_indices, settings, run.tokens, run.fidelity, title, description, (*texts, *figures), trouble
    )
