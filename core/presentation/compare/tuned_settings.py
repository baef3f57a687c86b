"""What a search of settings found: in words, and as a settings file with comments on how it was
found."""

from __future__ import annotations

from collections.abc import Iterator

import tomlkit

from core.analysis.intervals import Interval
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.paths import installed_version
from core.presentation.compare.tune_table import interval_text
from core.settings.schema import SettingValue
from core.trials.past import POINTS
from core.trials.tune.evaluation import settings_of
from core.trials.tune.model import (
    BudgetUnit,
    Figures,
    TunedStrategy,
    TuneRequest,
    TuneResult,
)


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
        ("These settings", tuned.found),
        ("The defaults", tuned.default),
    ):
        if text := figures_text(figures, len(result.reporting)):
            yield f"{what}, on the reporting sessions: {text}."
    yield gain_text(tuned, result)
    if not result.is_shown(tuned):
        yield f"Written although it was not shown to be better. {nothing_better(result, tuned)}"


def sessions_text(result: TuneResult) -> str:
    """Return "12 sessions chose, 11 others report"; for one session: "12 sessions and agent.jsonl,
    by half, chose, …"."""
    own = result.request.own
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
    count, gain = number_format.plural(len(result.reporting), "session"), tuned.gain
    if not tuned.best.settings:
        return (
            f"Its defaults are the best that was found in "
            f"{number_format.plural(tuned.runs, 'run')}."
        )
    if gain is None:
        return f"Nothing is shown against the defaults: {count} to report on."
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
        return f"{head}: {count} to report on."
    return f"{head} at the same tokens on {count}: {points_text(gain)}."


def points_text(gain: Interval) -> str:
    mean, low, high = (
        f"{100 * one:+.1f}".replace("-", number_format.MINUS)
        for one in (gain.mean, gain.low, gain.high)
    )
    return f"{mean} points, 95 % interval {low} to {high}"
