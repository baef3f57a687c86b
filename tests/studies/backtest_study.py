"""Does a session's own past tell which strategy keeps what it will need?

    python -m tests.studies.backtest_study FOLDER [FOLDER ...]

Every strategy is run for the largest result within a fifth of the tokens, at four points of a
session (40 to 70 % of its tokens, each judged by the following tenth) and at 80 %, judged by the
rest. The table is in the results."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from typing import TypeAlias

from core.common.errors import FoldlineError
from core.formats.registry import load_conversation
from core.losses.needed_later import (
    continuation_cut,
    needed_later,
    needs_after,
)
from core.strategies.registry import find_strategy
from core.tokens.counter import counter_for
from core.transcript.model import Conversation
from core.transcript.scopes import ALL, history_of_scope
from tests.studies.behaviour import record
from tests.studies.corpus_tables import RESULTS
from tests.studies.equal_sizing import (
    MIN_TOKENS,
    SplitTranscript,
    cut_to_fit,
    largest_for_budget,
)
from tests.studies.losses_study import share_text
from tests.support.markdown import markdown, with_block

NAMES = (
    "middle-out", "one-shot", "top-down-truncation", "high-density", "tiered", "hybrid", "excerpt",
    "mask-observations", "pi", "gemini-compress",
)  # fmt: skip
PAST, CUT, FOLLOWING, SIZE, CLEAR, MIN_NEEDED = (
    (0.4, 0.5, 0.6, 0.7),
    0.8,
    0.1,
    0.2,
    0.05,
    5,
)

PAGE = RESULTS

Shares: TypeAlias = Mapping[str, tuple[float, float]]
"""By strategy: the share that the past says, and the share that was kept."""


def measured(conversation: Conversation) -> Shares:
    """Return the shares of a session; none of one that is too short, or where a part needed
    nothing."""
    messages, counter = history_of_scope(conversation, ALL).messages, counter_for("")
    sizes = [counter.message(message) for message in messages]
    if sum(sizes) < MIN_TOKENS:
        return {}
    cuts = [continuation_cut(messages, sizes, share) for share in (*PAST, CUT)]
    ends = [continuation_cut(messages, sizes, share + FOLLOWING) for share in PAST]
    spans = list(zip(cuts, (*ends, len(messages)), strict=True))
    needs = [
        one
        for one in needs_after(messages, spans, conversation.system)
        if one is not None
    ]
    if len(needs) < len(spans) or len(needs[-1].names) < MIN_NEEDED:
        return {}
    shares: dict[str, list[tuple[int, int]]] = {name: [] for name in NAMES}
    for needed in needs:
        tokens = sum(sizes[: needed.cut])
        part = SplitTranscript(
            "", messages[: needed.cut], (), conversation.cwd or "/", counter, tokens
        )
        for name in NAMES:
            run = largest_for_budget(find_strategy(name), part, int(SIZE * tokens))
            result = (
                part.before
                if run is None
                else cut_to_fit(run, part, int(SIZE * tokens)).messages
            )
            found = needed_later(needed, result)
            shares[name].append((found.kept, found.used))
    return {
        name: (_pooled(found[:-1]), _pooled(found[-1:]))
        for name, found in shares.items()
    }


def _pooled(found: Sequence[tuple[int, int]]) -> float:
    return sum(kept for kept, _ in found) / max(1, sum(used for _, used in found))


def rows(sessions: Sequence[Shares]) -> Iterator[tuple[str, str]]:
    """Yield what was measured, and its figure."""
    products = [
        (a[0] - b[0]) * (a[1] - b[1])
        for shares in sessions
        for a, b in combinations(shares.values(), 2)
        if abs(a[0] - b[0]) > CLEAR
    ]
    agreeing, opposed = (
        sum(one > 0 for one in products),
        sum(one < 0 for one in products),
    )
    told = (
        f"{len(products)} pairs of strategies that the past of {len(sessions)} sessions"
    )
    pairs = f"{told} tells apart by more than 5 points"
    yield (
        f"{pairs}: in the same order later, equal ones aside",
        share_text(agreeing, agreeing + opposed),
    )
    best = [max(later for _, later in shares.values()) for shares in sessions]
    chosen = [max(shares.values())[1] for shares in sessions]
    any_one = [mean(later for _, later in shares.values()) for shares in sessions]
    others = list(
        map(_best_elsewhere, [sessions] * len(sessions), range(len(sessions)))
    )
    for label, values in (
        ("its own past", chosen),
        ("the best of the other sessions", others),
        ("any strategy", any_one),
    ):
        lost = 100 * mean(most - one for most, one in zip(best, values, strict=True))
        yield f"points lost against the best in hindsight by {label}", f"{lost:.1f}"
    errors = [
        abs(past - later) for shares in sessions for past, later in shares.values()
    ]
    yield "points by which the level is off, median", f"{100 * median(errors):.0f}"


def _best_elsewhere(sessions: Sequence[Shares], left_out: int) -> float:
    others = [shares for index, shares in enumerate(sessions) if index != left_out]
    best = max(
        NAMES, key=lambda name: mean(shares[name][1] for shares in others or sessions)
    )
    return sessions[left_out][best][1]


def main(folders: Sequence[str]) -> None:
    sessions = []
    for path in sorted(
        path for folder in folders for path in Path(folder).rglob("*") if path.is_file()
    ):
        try:
            shares = measured(load_conversation(path))
        except FoldlineError:
            continue
        if shares:
            sessions.append(shares)
            print(path.name, file=sys.stderr)
    table = markdown(("what", "figure"), list(rows(sessions)))
    print(table)
    text = f"Measured on {date.today():%Y-%m-%d}.\n\n{table}"
    PAGE.write_text(
        with_block(PAGE.read_text("utf-8"), "backtest-study", text), "utf-8"
    )
    record("backtest-study")


if __name__ == "__main__":
    main(sys.argv[1:])
