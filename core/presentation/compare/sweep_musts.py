"""What the values of one setting keep of the texts that must survive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.common import number_format
from core.losses.evidence import MustStatus
from core.presentation.compare.model import SweepAxis, SweepPage
from core.trials.trial import TrialResult

MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class SweptMust:
    """A must with what each point of a sweep holds of it; None where there is no result."""

    text: str
    statuses: tuple[MustStatus | None, ...]


@dataclass(frozen=True, slots=True)
class KeepingValue:
    """Where all musts stand: a sentence, what the value costs, and the ``place`` of the point that
    can be used, -1 for none."""

    sentence: str
    cost: str = ""
    place: int = -1


def swept_musts(page: SweepPage) -> tuple[SweptMust, ...]:
    """Return the musts that the session says, those that most values lose first."""
    marks = [_marks(point) for point in page.points]
    texts = dict.fromkeys(text for one in marks for text in one)
    rows = [SweptMust(text, tuple(one.get(text) for one in marks)) for text in texts]
    said = [row for row in rows if MustStatus.NOT_SAID not in row.statuses]
    return tuple(sorted(said, key=_loss, reverse=True))


def _marks(point: TrialResult) -> dict[str, MustStatus]:
    return {one.text: one.status for one in point.kept.musts}


def _loss(row: SweptMust) -> tuple[int, int]:
    return row.statuses.count(MustStatus.GONE), row.statuses.count(MustStatus.IN_PART)


def keeping_value(page: SweepPage) -> KeepingValue | None:
    """Return what a finished sweep of one setting says of its musts; None where there are none."""
    rows = swept_musts(page)
    if not rows or len(page.axes) != 1 or not page.is_over:
        return None
    total = len(rows)
    keeping = [_keeps_all(rows, place) for place in range(len(page.points))]
    if total == 1:
        subject = "It stands"
    else:
        subject = f"All {total} stand"
    if all(keeping):
        return KeepingValue(f"{subject} at every value")
    if not any(keeping):
        return KeepingValue(
            "No value keeps it" if total == 1 else f"No value keeps all {total}"
        )
    place = _smallest(page.points, keeping)
    where = _where(page.axes[0], keeping)
    return KeepingValue(f"{subject} {where}", _cost(page, place), place)


def _keeps_all(rows: Sequence[SweptMust], place: int) -> bool:
    return all(row.statuses[place] is MustStatus.WORD_FOR_WORD for row in rows)


def _smallest(points: Sequence[TrialResult], keeping: Sequence[bool]) -> int:
    """Return the place of the smallest result that keeps all."""
    places = [place for place, keeps in enumerate(keeping) if keeps]
    return min(places, key=lambda place: points[place].sizes.tokens)


def _where(axis: SweepAxis, keeping: Sequence[bool]) -> str:
    """Return "from Keep Top 35 %", "up to Keep Bottom 20 %", or the values one by one."""
    first, count = keeping.index(True), sum(keeping)
    last = len(keeping) - 1 - keeping[::-1].index(True)
    is_run = axis.is_range and last - first + 1 == count
    if is_run and last == len(keeping) - 1:
        return f"from {axis.label} {axis.values[first]}"
    if is_run and first == 0:
        return f"up to {axis.label} {axis.values[last]}"
    values = [value for value, keeps in zip(axis.values, keeping, strict=True) if keeps]
    return f"at {axis.label} {', '.join(values)}"


def _cost(page: SweepPage, place: int) -> str:
    """Return "56,700 tokens, 15,318 more than now"."""
    tokens, current = page.points[place].sizes.tokens, page.axes[0].current_index
    text = f"{number_format.tokens(page.mark, tokens)} tokens"
    if current < 0 or page.points[current].error:
        return text
    more = tokens - page.points[current].sizes.tokens
    if not more:
        return f"{text}, as now"
    word = "more" if more > 0 else "fewer"
    return f"{text}, {number_format.count(abs(more))} {word} than now"
