"""The report of ``foldline sweep`` as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis.sweep.model import SweepPoint, SweepResult
from core.cli.output.compare_text import written_by
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.configuration.layers import find_setting
from core.settings.schema import setting_text
from core.transcript.compaction import FateKind

if TYPE_CHECKING:
    from core.analysis.cost.summary_price import PricingModel
    from core.cli.opened_transcript import OpenedConversation

_FRONT_NOTE = "* no other point keeps more of the facts in fewer tokens"


@dataclass(frozen=True, slots=True)
class SweepOutput:
    """A sweep; ``summaries`` and ``pricing`` as in CompareOutput."""

    opened: OpenedConversation
    sweep: SweepResult
    summaries: str
    pricing: PricingModel


def sweep_report(output: SweepOutput) -> Iterator[str]:
    result = output.sweep
    tokens, messages = result.before
    name = one_line_text(output.opened.conversation.document.name, 60)
    writer = written_by(output.summaries, output.pricing)
    size = f"{number_format.plural(messages, 'message')}, {number_format.tokens(result.mark, tokens)} tokens"
    yield f"{name} · scope {result.scope} · {size} · {result.strategy} · {writer}"
    yield ""
    head = (*(axis.key for axis in result.axes), f"{result.mark} tokens", "saved", "messages", "fidelity")
    rows = [_row(result, point) for point in result.points]
    head = (*head, *FateKind, "≈ cost")
    yield from aligned_table(rows, range(len(head)), head=head, indent="")
    if any(point.on_front for point in result.points):
        yield _FRONT_NOTE
    yield from titled_section("Notes", aligned_table(list(_notes(result))))


def _values(result: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    pairs = zip(result.axes, point.axis_values, strict=True)
    return tuple(setting_text(find_setting(axis.key).kind, value) for axis, value in pairs)


def _row(result: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    values = _values(result, point)
    if point.error:
        return (*values, *[number_format.UNKNOWN] * (5 + len(FateKind)))
    tokens = result.before[0]
    fates = point.fates or {}
    return (
        *values,
        f"{'* ' if point.on_front else ''}{number_format.count(point.tokens)}",
        number_format.percent(1 - point.tokens / tokens) if tokens else number_format.UNKNOWN,
        number_format.count(point.messages),
        number_format.score(point.fidelity),
        *(number_format.count(fates.get(kind, 0)) for kind in FateKind),
        number_format.UNKNOWN if point.cost is None else dollar_text(point.cost),
    )


def _notes(result: SweepResult) -> Iterator[tuple[str, str]]:
    for point in result.points:
        if text := point.error or point.no_op:
            yield ", ".join(_values(result, point)), text
