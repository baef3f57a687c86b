"""Trials of one strategy at many values of one or two settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod

from core.analysis.analysis_input import AnalysisInput
from core.common.csv_text import Cell, csv_bytes
from core.common.errors import InputError
from core.losses.evidence import MustStatus
from core.settings.schema import (
    FILE_DEDUPE,
    LIMIT,
    MODE,
    PROFILE,
    READ_WRITE,
    RECENCY,
    RETENTION,
    STRATEGY,
    Setting,
    SettingKind,
    SettingValue,
    aim_value,
)
from core.settings_store.layers import expected_text, find_setting, parse_value
from core.strategies.base import Strategy
from core.transcript.compaction import FateKind
from core.trials.run import run_trial
from core.trials.trial import Depth, Trial, TrialResult

MAX_POINTS = 400
"""Most runs of one sweep."""
MAX_AXES = 2
_MAX_DIGITS = 20  # on either side of the point: sums of such numbers are exact

_DENSITY = (READ_WRITE, FILE_DEDUPE, RECENCY, RETENTION)
_SYNTAX_HINT = "Write KEY=FROM:TO:STEP or KEY=A,B."


def parse_axes(texts: Sequence[str], strategy: Strategy) -> tuple[SettingAxis, ...]:
    """Return the axes of a sweep; raise InputError for a setting that cannot be varied."""
    if not 1 <= len(texts) <= MAX_AXES:
        raise InputError(
            f"A sweep varies one setting or two, not {len(texts)}.",
            f"{_SYNTAX_HINT} as --vary.",
        )
    axes = tuple(parse_axis(text, strategy) for text in texts)
    if len({axis.key for axis in axes}) < len(axes):
        raise InputError(
            f"{axes[0].key} is varied twice.",
            "Name two settings, or give one all its values.",
        )
    count = prod(len(axis.values) for axis in axes)
    if count > MAX_POINTS:
        raise InputError(
            f"That would be {count:,} runs; a sweep has at most {MAX_POINTS:,}.",
            "Take a larger step.",
        )
    return axes


def parse_axis(text: str, strategy: Strategy) -> SettingAxis:
    """Return one axis. A range includes its ends; fractions may be written as percent."""
    key, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise InputError(f"{text} has no values.", _SYNTAX_HINT)
    setting = find_setting(key.strip())
    _check_setting(setting, strategy)
    is_range = ":" in values and setting.kind in (
        SettingKind.FRACTION,
        SettingKind.WHOLE,
    )
    if is_range:
        texts = list(_parse_range(setting, values))
    else:
        texts = [part.strip() for part in values.split(",")]
    parsed_values = tuple(dict.fromkeys(parse_value(setting, part) for part in texts))
    if len(parsed_values) < 2:
        raise InputError(f"{text} has only one value.", _SYNTAX_HINT)
    return SettingAxis(setting.key, parsed_values)


def variable_keys(strategy: Strategy) -> tuple[str, ...]:
    """Return the settings that can be varied: those that affect a manual run. The profile is not
    among them: the user agrees to it once for all points."""
    density = _DENSITY if strategy.optimize is not None else ()
    keys = (*strategy.options, *density, LIMIT, MODE)
    return tuple(dict.fromkeys(key for key in keys if key != PROFILE))


def _check_setting(setting: Setting, strategy: Strategy) -> None:
    if setting.key == STRATEGY:
        raise InputError(
            "A sweep runs a single strategy.", "Use foldline compare for several."
        )
    known = variable_keys(strategy)
    if setting.key not in known:
        hint = f"It reads: {', '.join(known)}."
        raise InputError(f"{setting.key} changes nothing under {strategy.name}.", hint)


def _parse_range(setting: Setting, text: str) -> Iterator[str]:
    """Yield the values from first to last, both included if the step meets them."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != 3:
        raise InputError(f"{setting.key}={text} is not a range.", _SYNTAX_HINT)
    first, last, step = (_parse_number(setting, part) for part in parts)
    if step <= 0:
        raise InputError(
            f"The step of {setting.key}={text} must be above 0.", _SYNTAX_HINT
        )
    if first > last:
        raise InputError(
            f"{setting.key}={text} runs backwards.", "Write the smaller value first."
        )
    if (last - first) / step >= MAX_POINTS:
        raise InputError(
            f"{setting.key}={text} has more than {MAX_POINTS:,} values.",
            "Take a larger step.",
        )
    while first <= last:
        yield format(first, "f")
        first += step


def _parse_number(setting: Setting, text: str) -> Decimal:
    if setting.bounds.takes_tokens and (aim := aim_value(text)) is not None:
        return Decimal(str(aim))
    digits = text.replace(",", "").replace("_", "")
    is_percent = digits.endswith("%") and setting.kind is SettingKind.FRACTION
    try:
        number = Decimal(digits[:-1] if is_percent else digits)
    except InvalidOperation:
        raise InputError(
            f"{setting.key}: {text!r} is not a number.", expected_text(setting)
        ) from None
    is_in_range = number.is_finite() and abs(number.adjusted()) <= _MAX_DIGITS
    if not is_in_range or (
        setting.kind is SettingKind.WHOLE and number != number.to_integral_value()
    ):
        raise InputError(f"{setting.key} cannot be {text!r}.", expected_text(setting))
    if setting.kind is SettingKind.WHOLE:
        return number.quantize(Decimal(1))
    if is_percent:
        return number / 100
    return number


@dataclass(frozen=True, slots=True)
class SettingAxis:
    """A setting and the values to try, in order."""

    key: str
    values: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The results so far of ``strategy`` at the values of ``axes``, the last one varying fastest,
    priced, the best marked; the runs took ``seconds``. ``before`` is the history of ``scope`` as it
    is. ``problem`` says what is wrong with ``vary``."""

    source: AnalysisInput
    strategy: str
    axes: tuple[SettingAxis, ...]
    before: TrialResult
    results: tuple[TrialResult, ...] = ()
    vary: tuple[str, ...] = ()
    seconds: float = 0.0
    problem: str = ""

    @property
    def planned(self) -> int:
        return len(axis_trials(self.strategy, self.axes))


def axis_trials(strategy: str, axes: Sequence[SettingAxis]) -> tuple[Trial, ...]:
    """Return a trial for every combination of values, the last axis varying fastest; none without
    an axis."""
    if not axes:
        return ()
    keys = [axis.key for axis in axes]
    combinations = product(*(axis.values for axis in axes))
    return tuple(
        Trial(strategy, tuple(zip(keys, one, strict=True))) for one in combinations
    )


def run_trials(source: AnalysisInput, trials: Sequence[Trial]) -> Iterator[TrialResult]:
    """Yield the results of the trials. Runs are manual, as in the preview."""
    for index, trial in enumerate(trials):
        part = source.part(
            index, len(trials), f"point {index + 1:,} of {len(trials):,}"
        )
        yield run_trial(part, trial, Depth.LOSSES)
    source.options.progress(1.0, "Swept.")


COLUMNS = (
    "tokens",
    "messages",
    "gone",
    "said_word_for_word",
    "needed_share",
    "musts_word_for_word",
    "musts_in_part",
    "musts_gone",
    *FateKind,
    "calls",
    "cost",
    "best",
    "no_op",
    "error",
)
"""Columns after those of the varied settings."""


_MUST_COLUMNS = (MustStatus.WORD_FOR_WORD, MustStatus.IN_PART, MustStatus.GONE)


def sweep_csv(sweep: Sweep) -> bytes:
    """Return the CSV: values under the keys of their settings, then ``COLUMNS``; a run that failed
    has only its error."""
    keys = tuple(axis.key for axis in sweep.axes)
    return csv_bytes((*keys, *COLUMNS), map(_csv_row, sweep.results))


def _csv_row(result: TrialResult) -> tuple[Cell, ...]:
    values = tuple(
        str(value).lower() if isinstance(value, bool) else value
        for value in result.trial.setting_values
    )
    if result.error:
        return (*values, *(None,) * (len(COLUMNS) - 1), result.error)
    counts = (result.fate_count(kind) for kind in FateKind)
    if result.said:
        said = result.said[0]
    else:
        said = None
    kept = result.kept.gone, said, result.needed_share
    musts: tuple[Cell, ...] = (None,) * len(_MUST_COLUMNS)
    if result.kept.musts:
        musts = tuple(result.kept.count_musts(one) for one in _MUST_COLUMNS)
    sizes = result.sizes.tokens, result.sizes.messages
    ends = result.calls, result.summary_cost, int(result.on_front), result.no_op, None
    return (*values, *sizes, *kept, *musts, *counts, *ends)
