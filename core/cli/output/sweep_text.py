"""The report of ``foldline sweep`` as text."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.sweep.model import SweepPoint, SweepResult
from core.cli.output.compare_text import written_by
from core.cli.output.notes import SweepOutput
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.configuration.layers import find_setting
from core.settings.schema import setting_text
from core.transcript.compaction import FateKind

_FRONT = "* no other point keeps more of the facts in fewer tokens"


def sweep_report(made: SweepOutput) -> Iterator[str]:
    """All lines of the report."""
    found = made.sweep
    tokens, messages = found.before
    name = one_line_text(made.opened.conversation.document.name, 60)
    by = written_by(made.summaries, made.price)
    size = f"{number_format.plural(messages, 'message')}, {number_format.tokens(found.mark, tokens)} tokens"
    yield f"{name} · scope {found.scope} · {size} · {found.strategy} · {by}"
    yield ""
    head = (*(axis.key for axis in found.axes), f"{found.mark} tokens", "saved", "messages", "fidelity")
    rows = [_row(found, point) for point in found.points]
    head = (*head, *FateKind, "≈ cost")
    yield from aligned_table(rows, range(len(head)), head=head, indent="")
    if any(point.on_front for point in found.points):
        yield _FRONT
    yield from titled_section("Notes", aligned_table(list(_notes(found))))


def _at(found: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    """The values of a point as settings read."""
    pairs = zip(found.axes, point.at, strict=True)
    return tuple(setting_text(find_setting(axis.key).kind, value) for axis, value in pairs)


def _row(found: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    at = _at(found, point)
    if point.error:
        return (*at, *[number_format.UNKNOWN] * (5 + len(FateKind)))
    tokens = found.before[0]
    fates = point.fates or {}
    return (
        *at,
        f"{'* ' if point.on_front else ''}{number_format.count(point.tokens)}",
        number_format.percent(1 - point.tokens / tokens) if tokens else number_format.UNKNOWN,
        number_format.count(point.messages),
        number_format.score(point.fidelity),
        *(number_format.count(fates.get(kind, 0)) for kind in FateKind),
        number_format.UNKNOWN if point.cost is None else dollar_text(point.cost),
    )


def _notes(found: SweepResult) -> Iterator[tuple[str, str]]:
    for point in found.points:
        if text := point.error or point.no_op:
            yield ", ".join(_at(found, point)), text
