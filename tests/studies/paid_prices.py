"""What was paid for sessions that record their own cost, beside what the model table gives:
``python -m tests.studies.paid_prices FILE...``."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.analysis.paid import PaidRequest, paid
from core.common.number_format import dollar_text
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, ReportedCache
from tests.support.markdown import markdown

HEAD = ("session", "requests", "reported", "by the table", "share", "fresh as written")


@dataclass(frozen=True, slots=True)
class PriceRow:
    """Sums in US dollars over the requests that report their cost and have a price; ``written``
    prices what was neither read from the cache nor written to it as if it were written."""

    name: str
    requests: int
    reported: float
    ours: float
    written: float


def price_row(conversation: Conversation) -> PriceRow | None:
    """Return the sums of a session; None where no request reports its cost."""
    reported = _costs(paid(conversation).requests)
    ours = _costs(paid(_without_costs(conversation)).requests)
    written = _costs(paid(_all_written(conversation)).requests)
    known = [
        index for index in reported if index in ours and _reports(conversation, index)
    ]
    if not known:
        return None
    sums = [sum(costs[index] for index in known) for costs in (reported, ours, written)]
    return PriceRow(conversation.format, len(known), *sums)


def _costs(requests: Sequence[PaidRequest]) -> dict[int, float]:
    costs = ((one.usage.message_index, one.cost) for one in requests)
    return {index: cost for index, cost in costs if cost is not None}


def _reports(conversation: Conversation, index: int) -> bool:
    return any(
        one.message_index == index and one.cache.cost is not None
        for one in conversation.usage
    )


def _without_costs(conversation: Conversation) -> Conversation:
    usage = (
        replace(one, cache=replace(one.cache, cost=None)) for one in conversation.usage
    )
    return replace(conversation, usage=tuple(usage))


def _all_written(conversation: Conversation) -> Conversation:
    usage = (
        replace(
            one,
            cache=ReportedCache(one.cache.read, one.context - (one.cache.read or 0)),
        )
        for one in conversation.usage
    )
    return replace(conversation, usage=tuple(usage))


def cells(row: PriceRow) -> Iterator[str]:
    yield row.name
    yield f"{row.requests:,}"
    yield dollar_text(row.reported)
    yield dollar_text(row.ours)
    yield f"{row.ours / row.reported:.2f}"
    yield f"{row.written / row.reported:.2f}"


def main() -> None:
    rows = []
    for path in map(Path, sys.argv[1:]):
        row = price_row(load_conversation(path))
        if row is not None:
            rows.append(tuple(cells(replace(row, name=path.stem))))
    sys.stdout.write(markdown(HEAD, rows) + "\n")


if __name__ == "__main__":
    main()
