"""The settings that a search found, as a file that every part of Foldline reads, and how they were found."""

from __future__ import annotations

from collections.abc import Iterator

import tomlkit

from core.analysis.tune.tune import TunedStrategy, TuneResult
from core.common import number_format
from core.common.paths import installed_version
from core.settings.keys import STRATEGY
from core.settings.schema import SettingValue


def settings_toml(result: TuneResult, tuned: TunedStrategy) -> bytes:
    """Return a TOML file of settings with comments on sessions, points, split, figures and version."""
    document = tomlkit.document()
    for line in _comments(result, tuned):
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    for key, value in ((STRATEGY, tuned.best.strategy), *tuned.best.vector):
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
    choosing, reporting = len(result.choosing), len(result.reporting)
    yield (
        f"{choosing} sessions chose, {reporting} others report (split by name, seed {request.seed}); "
        "five points of each."
    )
    yield f"Budget: {budget_text(result)} left. Settings tried: {tuned.runs:,}."
    if tuned.share is not None and tuned.default_share is not None:
        best, default = (number_format.percent(one, 0) for one in (tuned.share, tuned.default_share))
        yield f"Needed later and kept, on the reporting sessions: {best}, with the defaults {default}."
    yield gain_text(tuned, result)


def budget_text(result: TuneResult) -> str:
    request = result.request
    if request.is_share:
        return number_format.percent(request.budget, 0)
    return f"{number_format.count(round(request.budget))} tokens"


def gain_text(tuned: TunedStrategy, result: TuneResult) -> str:
    """Return what is shown against the defaults, in one sentence, and whether these keep to the budget."""
    count, gain = number_format.plural(len(result.reporting), "session"), tuned.gain
    if gain is None:
        return f"Nothing is shown against the defaults: {count} to report on."
    points = f"{100 * gain.mean:+.1f} points, 95 % interval {100 * gain.low:+.1f} to {100 * gain.high:+.1f}"
    above = tuned.default_size is not None and tuned.default_size > result.request.budget
    note = " The defaults leave more than the budget." if above else ""
    if not gain.shows_a_difference:
        return f"No better than the default is shown on {count}: {points}.{note}"
    word = "more" if gain.mean > 0 else "less"
    return f"It keeps {word} than the default on {count}: {points}.{note}"
