"""A sweep in words, figures and scales of a plot."""

from __future__ import annotations

from dataclasses import dataclass

from core.analysis.cost.summary_price import price_as, priced_point
from core.analysis.sweep.axes import keys_of
from core.analysis.sweep.model import SettingAxis as Varied
from core.analysis.sweep.model import SweepPoint as Run
from core.common import number_format
from core.common.number_format import dollar_text, seconds
from core.configuration.layers import find_setting
from core.presentation.compare.model import NO_PRICE
from core.presentation.model import PriceChoice
from core.presentation.plots import fidelity_axis, plot_axis, round_step, short_labels
from core.presentation.price_choices import written_words
from core.presentation.sweep.model import SweepAxis, SweepKey, SweepPage, SweepPointRow
from core.settings.schema import Setting, SettingKind, SettingValue, setting_text
from core.settings.values import Values
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
"""Titles of the table behind the settings that are swept."""
_GONE = (FateKind.PRUNED, FateKind.DROPPED)
_SHARES, _STEPS = 9, 8


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """A sweep as far as it got: ``runs`` in order, of ``total``; ``before`` tokens of the source; ``model``
    of the session, whose prices count for summaries unless ``prices`` names another one."""

    generation: int
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
    """What can be swept under a strategy, each with values to begin with."""
    return tuple(
        SweepKey(one.key, one.label, one.help, _first(one, values.get(one.key)))
        for one in map(find_setting, keys_of(strategy))
        if one.kind is not SettingKind.TEXT
    )


def _first(setting: Setting, now: SettingValue | None) -> str:
    """A handful of values over what the setting may be, or around what it is."""
    if setting.kind is SettingKind.FLAG:
        return "true,false"
    if setting.kind is SettingKind.CHOICE:
        return ",".join(setting.choices)
    if setting.kind is SettingKind.FRACTION:
        low = 0.1 if setting.low_open or not setting.low else setting.low
        high = 0.9 if setting.high is None or setting.high >= 1 else setting.high
        return f"{low:g}:{high:g}:{max(0.05, round_step((high - low) / _SHARES)):g}"
    middle = int(now) if isinstance(now, int | float) and now > 0 else 8_000
    low, high = max(int(setting.low or 1), middle // 4), middle * 2
    if setting.high is not None:
        high = min(high, int(setting.high))
    return f"{low}:{max(high, low + 1)}:{max(1, int(round_step((high - low) / _STEPS, whole=True)))}"


def first_vary(strategy: Strategy, values: Values) -> tuple[str, ...]:
    """The first setting of the strategy, at its first values; nothing where there is none."""
    keys = [one for one in sweep_keys(strategy, values) if one.key in strategy.options]
    return (f"{keys[0].key}={keys[0].values}",) if keys else ()


def sweep_page(found: SweepProgress) -> SweepPage:
    """The page of a sweep."""
    tokens = [one.tokens for one in found.runs if not one.error]
    shares = [one.fidelity for one in found.runs if one.fidelity is not None]
    done, price = len(found.runs), price_as(found.prices.value, found.model)
    runs = [priced_point(one, price) for one in found.runs]
    name, size = found.strategy.name, number_format.tokens(found.mark, found.before)
    return SweepPage(
        found.generation,
        name,
        f"{name} · {size} tokens before · {written_words(price)}",
        sweep_keys(found.strategy, found.values),
        found.vary,
        tuple(_axis(one, found.values) for one in found.axes),
        tuple(_point(one, found) for one in runs),
        plot_axis(0, max(tokens, default=found.before or 1), short_labels, 5, whole=True),
        fidelity_axis(min(shares, default=0.0), 5),
        (
            *(find_setting(one.key).label for one in found.axes),
            " ".join(filter(None, (found.mark, COLUMNS[0]))),
            *COLUMNS[1:],
        ),
        f"{done} of {found.total} done in {seconds(found.seconds)}" if found.total else "",
        done == found.total,
        found.problem,
        found.prices,
    )


def _axis(one: Varied, values: Values) -> SweepAxis:
    setting = find_setting(one.key)
    now = values.get(one.key)
    place = one.values.index(now) if now in one.values else -1
    return SweepAxis(one.key, setting.label, tuple(_text(setting, value) for value in one.values), place)


def _text(setting: Setting, value: SettingValue) -> str:
    return setting_text(setting.kind, value)


def _point(run: Run, found: SweepProgress) -> SweepPointRow:
    places = tuple(one.values.index(value) for one, value in zip(found.axes, run.at, strict=True))
    settings = tuple((one.key, value) for one, value in zip(found.axes, run.at, strict=True))
    texts = [_text(find_setting(key), value) for key, value in settings]
    named = " · ".join(
        f"{find_setting(key).label} {text}" for (key, _), text in zip(settings, texts, strict=True)
    )
    trouble = run.error or run.no_op
    if run.error:
        cells = (*texts, *("" for _ in COLUMNS))
        return SweepPointRow(places, settings, None, None, named, run.error, cells, trouble)
    saved = (
        number_format.percent((run.tokens - found.before) / found.before)
        if found.before
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
        number_format.count(sum(fates.get(kind, 0) for kind in _GONE)),
        number_format.UNKNOWN if run.cost is None else dollar_text(run.cost),
    )
    said = f"{number_format.tokens(found.mark, run.tokens)} tokens, {saved}, fidelity {figures[3]}"
    return SweepPointRow(places, settings, run.tokens, run.fidelity, named, said, (*texts, *figures), trouble)
