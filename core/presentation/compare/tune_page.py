"""Makes the outputs of a search of settings: the page of the tab, its CSV, and the settings file
that says how the settings were found."""

from __future__ import annotations

from collections.abc import Iterator

import tomlkit

from core.analysis.intervals import Interval
from core.common import number_format
from core.common.csv_text import Cell, csv_bytes
from core.common.excerpts import one_line_text
from core.common.number_format import percent
from core.common.paths import installed_version
from core.presentation.compare.pages import strategy_choices
from core.presentation.compare.tune_table import TunePage, TuneRow, interval_text
from core.settings.schema import STRATEGY, SettingValue, setting_text
from core.settings_store.layers import find_setting
from core.trials.past import POINTS
from core.trials.tune_evaluation import settings_of
from core.trials.tune_values import (
    BudgetUnit,
    Figures,
    TunedStrategy,
    TuneRequest,
    TuneResult,
    Tuning,
)

# What a search found, in words and as a settings file.


def settings_toml(result: TuneResult, tuned: TunedStrategy) -> bytes:
    """Return a TOML file of settings with comments on sessions, points, split, figures and version,
    and that nothing better was shown, where it was not."""
    document = tomlkit.document()
    for line in _comments(result, tuned):
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    for key, value in settings_of(result, tuned).items():
        _set(document, key, value)
    return tomlkit.dumps(document).encode()


def _set(document: tomlkit.TOMLDocument, key: str, value: SettingValue) -> None:
    *tables, name = key.split(".")
    table: tomlkit.TOMLDocument | tomlkit.items.Table = document
    for part in tables:
        if part not in table:
            table[part] = tomlkit.table(is_super_table=False)
        table = table[part]
    table[name] = value


def _comments(result: TuneResult, tuned: TunedStrategy) -> Iterator[str]:
    request = result.request
    yield f"Found by foldline tune, Foldline {installed_version()}."
    yield (
        f"{sessions_text(result)} (split by name, seed {request.seed}); {POINTS} points of each, at 40 to "
        "80 % of its tokens."
    )
    yield f"Budget: {budget_text(request)}. Settings tried: {tuned.runs:,}."
    for what, figures in (
        ("These settings", tuned.figures),
        ("The defaults", tuned.default),
    ):
        if text := figures_text(figures, len(result.reporting)):
            yield f"{what}, on the reporting sessions: {text}."
    yield gain_text(tuned, result)
    if not result.is_proven_better(tuned):
        yield f"Written although it was not shown to be better. {nothing_better(result, tuned)}"


def sessions_text(result: TuneResult) -> str:
    """Return "12 sessions chose, 11 others report"; for one session: "12 sessions and agent.jsonl,
    by half, chose, …"."""
    own = result.request.for_session
    choosing = number_format.plural(
        sum(name != own for name in result.choosing), "session"
    )
    if own:
        and_own = f" and, by half, {one_line_text(own.rsplit('/', 1)[-1])}"
    else:
        and_own = ""
    count = len(result.reporting)
    return (
        f"{choosing}{and_own} chose, {number_format.plural(count, 'other')} "
        f"report{'s' if count == 1 else ''}"
    )


def budget_text(request: TuneRequest) -> str:
    match request.unit:
        case BudgetUnit.SHARE:
            return f"{number_format.percent(request.budget, 0)} of the tokens left"
        case BudgetUnit.TOKENS:
            return f"{number_format.count(round(request.budget))} tokens left"
        case BudgetUnit.DOLLARS:
            return f"{number_format.dollar_text(request.budget)} a session"


def figures_text(figures: Figures, sessions: int) -> str:
    """Return needed, tokens and cost in words, "" where a run failed."""
    if figures.share is None or figures.tokens_left is None:
        return ""
    if figures.interval is not None:
        interval = f" ({interval_text(figures.interval)})"
    else:
        interval = ""
    left = f"{number_format.percent(figures.tokens_left, 0)} of the tokens left"
    if figures.cost is None:
        cost = ""
    else:
        cost = f", ≈ {number_format.dollar_text(figures.cost)} a session"
    if 0 < figures.priced < sessions:
        known = f" on {figures.priced} of {sessions}"
    else:
        known = ""
    return (
        f"{number_format.percent(figures.share, 0)}{interval} of what was needed later, "
        f"{left}{cost}{known}"
    )


def gain_text(tuned: TunedStrategy, result: TuneResult) -> str:
    """Return what is shown against the defaults at the same tokens, in one sentence."""
    count = number_format.plural(len(result.reporting), "session")
    gain = tuned.gain
    if not tuned.best.settings:
        return (
            f"Its defaults are the best that was found in "
            f"{number_format.plural(tuned.runs, 'run')}."
        )
    if gain is None:
        return f"Too few sessions report to compare it with the defaults: {count}."
    points = points_text(gain)
    if not gain.shows_a_difference:
        return f"No better than the default of the same size is shown on {count}: {points}."
    word = "more" if gain.mean > 0 else "less"
    return f"It keeps {word} than the default of the same size on {count}: {points}."


def nothing_better(result: TuneResult, tuned: TunedStrategy) -> str:
    """Return why settings are not shown to be better, in one sentence."""
    if tuned is result.strategies[0]:
        rival = result.rival
    else:
        rival = tuned.best.strategy
    head = f"Nothing better than the defaults of {rival} is shown"
    count = number_format.plural(len(result.reporting), "session")
    if not result.fits(tuned):
        return f"{head} within {budget_text(result.request)}."
    gain = result.over_rival if tuned is result.strategies[0] else tuned.gain
    if gain is None:
        return f"{head}: too few sessions report, {count}."
    return f"{head} at the same tokens on {count}: {points_text(gain)}."


def points_text(gain: Interval) -> str:
    mean, low, high = (
        f"{100 * one:+.1f}".replace("-", number_format.MINUS)
        for one in (gain.mean, gain.low, gain.high)
    )
    return f"{mean} points, 95 % interval {low} to {high}"


def tune_row(result: TuneResult, tuned: TunedStrategy) -> TuneRow:
    settings = settings_of(result, tuned)
    return TuneRow(
        tuned=tuned,
        sessions=len(result.reporting),
        changes=tuple(settings.items()),
        lines=tuple(_line(key, value) for key, value in settings.items()),
        note=_note(result, tuned),
        verdict=_verdict(tuned, result) if result.is_over and result.reporting else "",
        is_proven_better=result.is_proven_better(tuned),
    )


def _verdict(tuned: TunedStrategy, result: TuneResult) -> str:
    said = gain_text(tuned, result)
    if result.is_proven_better(tuned):
        return said
    return f"{said} {nothing_better(result, tuned)}"


def _note(result: TuneResult, tuned: TunedStrategy) -> str:
    if not tuned.fits:
        return "above the budget on the sessions that chose"
    size = result.request.size(tuned.figures)
    if size is None or size <= result.request.budget:
        return ""
    return "above the budget on the sessions that report"


def _line(key: str, value: SettingValue) -> str:
    """Return a setting with its value, and the default where that differs."""
    setting = find_setting(key)
    text = f"{key} = {setting_text(setting.kind, value)}"
    is_default = key == STRATEGY or value == setting.default or setting.default is None
    if is_default:
        return text
    return f"{text} (default {setting_text(setting.kind, setting.default)})"


def verdicts(result: TuneResult) -> Iterator[str]:
    """Yield what is shown of the best strategy against its defaults, those of the best other one,
    and the best preset."""
    first = result.strategies[0]
    yield f"{first.best.strategy}: {gain_text(first, result)}"
    if not result.is_proven_better(first):
        yield nothing_better(result, first)
    yield from _preset_verdict(result)


def _preset_verdict(result: TuneResult) -> Iterator[str]:
    if result.over_preset is not None:
        first = result.strategies[0].best.strategy
        points = points_text(result.over_preset)
        yield f"{first} against {result.preset}, the best preset: {points}."


def stage_text(state: TuneResult) -> str:
    """Return what is done and what is left of a stage, and how much was tried."""
    if state.tried:
        tried = f", {number_format.plural(state.tried, 'setting')} tried"
    else:
        tried = ""
    return f"{state.stage}: {state.done:,} of {number_format.plural(state.planned, 'session')}{tried}"


_OUTDATED = "Settings have changed since: these figures are of the earlier ones."
_MAX_NAMED = 3
"""Sessions that were left out and are named with the reason; others are counted."""


def tune_page(tuning: Tuning) -> TunePage:
    result, request = tuning.result, tuning.request
    if result is not None:
        rows = tuple(tune_row(result, one) for one in result.strategies)
    else:
        rows = ()
    is_over = result is not None and result.is_over
    total = number_format.plural(tuning.files, "file")
    about = f"{total} in {tuning.folder.name}"
    if result is not None and result.choosing:
        about = f"{sessions_text(result)} · budget {budget_text(request)}"
    planned = 0
    if not is_over:
        planned = max(1, 0 if result is None else result.planned)
    return TunePage(
        about=about,
        status=_status(tuning),
        done=0 if result is None else result.done,
        total=planned,
        names=request.strategies,
        choices=strategy_choices(),
        path=str(tuning.folder),
        question=_question(tuning) if not (tuning.is_running or is_over) else "",
        budget=budget_field(tuning),
        for_session=request.for_session,
        rows=rows,
        sentences=_sentences(result),
        footnote=_footnote(tuning),
        is_idle=not tuning.is_running,
        resumed=tuning.resumed,
    )


def _status(tuning: Tuning) -> str:
    result = tuning.result
    if result is None:
        return ""
    if not result.is_over:
        return stage_text(result)
    return (
        f"{number_format.count(result.tried)} settings tried in "
        f"{number_format.seconds(tuning.seconds)}"
    )


def _question(tuning: Tuning) -> str:
    files = number_format.plural(tuning.files, "file")
    if tuning.resumed:
        return f"{number_format.plural(tuning.resumed, 'run')} on {files} are known and kept."
    return f"{files} to tune on, on all cores. No model is called."


def budget_field(tuning: Tuning) -> str:
    """Return the budget as it is typed."""
    request = tuning.request
    match request.unit:
        case BudgetUnit.SHARE:
            return percent(request.budget, 0)
        case BudgetUnit.TOKENS:
            return number_format.count(round(request.budget))
        case BudgetUnit.DOLLARS:
            return number_format.dollar_text(request.budget)


def _sentences(result: TuneResult | None) -> tuple[str, ...]:
    if result is None:
        return ()
    if not result.is_over:
        return (
            f"{stage_text(result)}. Figures come at the end, from the sessions that do not choose.",
        )
    if not result.reporting:
        return (
            "There are too few sessions: one has to choose the settings, another to measure them.",
        )
    return tuple(_preset_verdict(result))


def _footnote(tuning: Tuning) -> str:
    if tuning.result is not None:
        left_out = tuning.result.left_out
    else:
        left_out = ()
    named = [
        f"{one_line_text(name, 80)}: {one_line_text(reason, 120)}"
        for name, reason in left_out[:_MAX_NAMED]
    ]
    more = len(left_out) - len(named)
    named += [f"And {more:,} more."] if more > 0 else []
    if left_out:
        count = [
            f"{number_format.plural(len(left_out), 'file')} of {tuning.files:,} left out."
        ]
    else:
        count = []
    if tuning.is_outdated and tuning.result is not None:
        outdated = [_OUTDATED]
    else:
        outdated = []
    return " ".join((*outdated, *tuning.problems[:_MAX_NAMED], *count, *named))


CSV_COLUMNS = (
    *("strategy", "settings", "fits", "runs"),
    *("needed", "needed_low", "needed_high", "tokens_left", "tokens_after", "cost"),
    *("musts_kept", "musts"),
    *("default_needed", "default_needed_low", "default_needed_high"),
    *("default_tokens_left", "default_tokens_after", "default_cost"),
    *("default_musts_kept", "default_musts"),
    *("gain", "gain_low", "gain_high"),
)


def tune_csv(tuning: Tuning) -> bytes:
    """Return a line per strategy; shares from 0 to 1, costs in US dollars a session."""
    if tuning.result is not None:
        rows = tuning.result.strategies
    else:
        rows = ()
    return csv_bytes(CSV_COLUMNS, map(_csv_cells, rows))


def _csv_cells(row: TunedStrategy) -> tuple[Cell, ...]:
    settings = " ".join(f"{key}={value}" for key, value in row.best.settings)
    head = row.best.strategy, settings, int(row.fits), row.runs
    return (
        *head,
        *_figure_cells(row.figures),
        *_figure_cells(row.default),
        *_interval_cells(row.gain),
    )


def _figure_cells(figures: Figures) -> tuple[Cell, ...]:
    low, high = _interval_cells(figures.interval)[1:]
    return (
        figures.share,
        low,
        high,
        figures.tokens_left,
        figures.tokens_after,
        figures.cost,
        figures.musts_kept,
        figures.musts,
    )


def _interval_cells(interval: Interval | None) -> tuple[Cell, Cell, Cell]:
    if interval is None:
        return (None, None, None)
    return (interval.mean, interval.low, interval.high)
