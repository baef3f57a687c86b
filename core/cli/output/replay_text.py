"""The report of ``foldline replay`` as text."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.cost.summary_price import PricingModel
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.cli.output.compare_text import written_by
from core.cli.output.notes import ReplayOutput
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.engine.notices import size_change

_HEAD = ("", "compactions", "calls", "tokens sent", "rewritten", "over limit", "≈ cost", "at the end")
_MOST = 12
"""Compactions of a track that are named; the rest is counted."""


def replay_report(made: ReplayOutput) -> Iterator[str]:
    """All lines of the report."""
    found, ground = made.replay, made.ground
    name = one_line_text(made.opened.conversation.document.name, 60)
    limit = number_format.tokens("", found.limit)
    yield f"{name} · scope {found.scope} · {number_format.plural(len(found.turns), 'turn')}"
    yield (
        f"limit {limit} ({ground.window.source}) · system and tools {_system(found)} · "
        f"{_hidden(found)}{ground.method.label}"
    )
    is_own = ground.rates is not None and ground.rates.model == made.price.model
    yield f"{written_by(made.summaries, PricingModel('') if is_own else made.price)} · {_prices(made)}"
    yield ""
    rows = [_row(track) for track in found.tracks]
    yield from aligned_table(rows, range(1, len(_HEAD)), head=_HEAD, indent="")
    yield from titled_section(
        "Compactions", aligned_table([_runs(one) for one in found.tracks if one.compactions])
    )
    yield from titled_section("Notes", aligned_table([(track.name, text) for track, text in _notes(found)]))


def _system(found: ReplayResult) -> str:
    return (
        number_format.tokens(found.mark, found.system)
        if found.system
        else f"{number_format.UNKNOWN} (not in the file)"
    )


def _hidden(found: ReplayResult) -> str:
    """What every size has besides, as far as it was known before the last request."""
    return (
        f"{number_format.tokens(found.mark, found.hidden)} hidden in the last request · "
        if found.hidden
        else ""
    )


def _prices(made: ReplayOutput) -> str:
    rates = made.ground.rates
    return f"prices of {rates.model}" if rates is not None else "no prices: the model is not in the table"


def _row(track: ReplayTrack) -> tuple[str, ...]:
    done = sum(not run.error for run in track.compactions)
    return (
        track.name,
        number_format.count(done),
        number_format.count(track.calls),
        number_format.count(track.sent),
        number_format.count(track.rewritten),
        number_format.count(track.over),
        dollar_text(track.cost) if track.cost is not None else number_format.UNKNOWN,
        number_format.count(track.sizes[-1]) if track.sizes else number_format.UNKNOWN,
    )


def _runs(track: ReplayTrack) -> tuple[str, str]:
    named = [
        f"turn {run.turn:,} {'failed' if run.error else size_change(run.before, run.after)}"
        for run in track.compactions[:_MOST]
    ]
    named = [text.replace(" ", "\u00a0") for text in named]  # a line breaks between them alone
    rest = len(track.compactions) - _MOST
    return track.name, ", ".join((*named, f"and {rest:,} more") if rest > 0 else named)


def _notes(found: ReplayResult) -> Iterator[tuple[ReplayTrack, str]]:
    for track in found.tracks:
        for text in (track.error, track.note):
            if text:
                yield track, text
