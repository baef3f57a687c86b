"""The report of ``foldline replay`` as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.cost.summary_price import PricingModel
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.cli.output.compare_text import written_by
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.engine.notices import size_change

if TYPE_CHECKING:
    from core.analysis.replay.run import ReplayContext
    from core.cli.opened_transcript import OpenedConversation

_COLUMNS = ("", "compactions", "calls", "tokens sent", "rewritten", "over limit", "≈ cost", "at the end")
_MAX_COMPACTIONS = 12
"""Compactions of a track that are listed; others are counted."""


@dataclass(frozen=True, slots=True)
class ReplayOutput:
    """A replay; ``summaries`` and ``pricing`` as in CompareOutput."""

    opened: OpenedConversation
    context: ReplayContext
    replay: ReplayResult
    summaries: str
    pricing: PricingModel


def replay_report(output: ReplayOutput) -> Iterator[str]:
    result, context = output.replay, output.context
    name = one_line_text(output.opened.conversation.document.name, 60)
    limit = number_format.tokens("", result.limit)
    yield f"{name} · scope {result.scope} · {number_format.plural(len(result.turns), 'turn')}"
    yield (
        f"limit {limit} ({context.window.source}) · system and tools {_system(result)} · "
        f"{_hidden(result)}{context.method.label}"
    )
    is_own = context.rates is not None and context.rates.model == output.pricing.model
    pricing = PricingModel("") if is_own else output.pricing
    yield f"{written_by(output.summaries, pricing)} · {_prices(output)}"
    yield ""
    rows = [_row(track) for track in result.tracks]
    yield from aligned_table(rows, range(1, len(_COLUMNS)), head=_COLUMNS, indent="")
    runs = [_runs(track) for track in result.tracks if track.compactions]
    yield from titled_section("Compactions", aligned_table(runs))
    yield from titled_section("Notes", aligned_table([(track.name, text) for track, text in _notes(result)]))


def _system(result: ReplayResult) -> str:
    if not result.system:
        return f"{number_format.UNKNOWN} (not in the file)"
    return number_format.tokens(result.mark, result.system)


def _hidden(result: ReplayResult) -> str:
    hidden = number_format.tokens(result.mark, result.hidden)
    return f"{hidden} hidden in the last request · " if result.hidden else ""


def _prices(output: ReplayOutput) -> str:
    rates = output.context.rates
    return f"prices of {rates.model}" if rates is not None else "no prices: the model is not in the table"


def _row(track: ReplayTrack) -> tuple[str, ...]:
    done = sum(not run.error for run in track.compactions)
    return (
        track.name,
        number_format.count(done),
        number_format.count(track.calls),
        number_format.count(track.sent),
        number_format.count(track.rewritten),
        number_format.count(track.over_limit_count),
        dollar_text(track.cost) if track.cost is not None else number_format.UNKNOWN,
        number_format.count(track.sizes[-1]) if track.sizes else number_format.UNKNOWN,
    )


def _runs(track: ReplayTrack) -> tuple[str, str]:
    run_texts = [
        f"turn {run.turn:,} {'failed' if run.error else size_change(run.before, run.after)}"
        for run in track.compactions[:_MAX_COMPACTIONS]
    ]
    run_texts = [text.replace(" ", "\u00a0") for text in run_texts]  # lines break between entries only
    unlisted_count = len(track.compactions) - _MAX_COMPACTIONS
    run_texts += [f"and {unlisted_count:,} more"] if unlisted_count > 0 else []
    return track.name, ", ".join(run_texts)


def _notes(result: ReplayResult) -> Iterator[tuple[ReplayTrack, str]]:
    for track in result.tracks:
        for text in (track.error, track.note):
            if text:
                yield track, text
