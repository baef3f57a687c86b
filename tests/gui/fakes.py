"""Made-up screens with realistic rows, to build and picture widgets without core."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from core.presentation.model import CutRow, FateRun, Screen
from core.presentation.ruler.model import ContextGauge, CutHandle, RulerBand, RulerMarks
from tests.gui.fake_panel import fake_body, fake_opened, fake_why
from tests.gui.fake_rows import FakeRow, lines, partners, rows, valid

__all__ = ["fake_body", "fake_opened", "fake_screen", "fake_why"]

KEPT, EDITED, PRUNED, SUMMARISED, DROPPED, INSERTED = range(6)
LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class _After:
    """The result side while it is built."""

    items: list[FakeRow]
    fates: list[int]
    origin: list[int]


def _tokens(items: list[FakeRow]) -> int:
    return sum(line.tokens for line in items)


def _boundary(allowed: bytes, wanted: int) -> int:
    return next(i for i in range(wanted, -1, -1) if allowed[i])


def _after(before: list[FakeRow], fates: bytes) -> _After:
    result = _After([], [], [])
    for index, (line, fate) in enumerate(zip(before, fates, strict=True)):
        if fate in (PRUNED, DROPPED):
            continue
        if fate == SUMMARISED:
            if index == 0 or fates[index - 1] != SUMMARISED:
                result.items.append(
                    FakeRow("summary", "<state_snapshot> Make the retry test reliable", 3_912)
                )
                result.items.append(FakeRow("ai", "Understood. Continuing with: add a test", 26))
                result.fates.extend((INSERTED, INSERTED))
                result.origin.extend((-1, -1))
            continue
        shorter = FakeRow(line.kind, "[bash: success]", min(14, line.tokens), error=line.error)
        result.items.append(shorter if fate == EDITED else line)
        result.fates.append(fate)
        result.origin.append(index)
    return result


def _runs(fates: bytes, after: _After) -> tuple[FateRun, ...]:
    place = {source: i for i, source in enumerate(after.origin) if source >= 0}
    result: list[FateRun] = []
    start = spot = 0
    for fate, group in groupby(fates):
        end = start + len(list(group))
        goal = [place[i] for i in range(start, end) if i in place]
        if fate == SUMMARISED:
            goal = [spot, spot + 1]
        low, high = (goal[0], goal[-1] + 1) if goal else (spot, spot)
        result.append(FateRun(fate, (start, end), (low, high)))
        start, spot = end, high
    return tuple(result)


def _handle(
    name: str, index: int, requested: int, allowed: bytes, sums: list[int], locked: str = ""
) -> CutHandle:
    count = len(allowed) - 1
    stops = array("l", (i for i, good in enumerate(allowed) if good))
    top = name == "top"
    values = array("d", (max(0.0, ((i if top else count - i) - 0.5) / max(1, count)) for i in stops))
    tokens = array("q", (sums[i] if top else sums[-1] - sums[i] for i in stops))
    key = "compression-top-preserve-threshold" if top else "compression-preserve-threshold"
    return CutHandle(name, key, index, requested, stops, values, tokens, count, array("q"), "≈", locked, 0.2)


def _middle_out(
    before: list[FakeRow], allowed: bytes, sums: list[int]
) -> tuple[bytes, tuple[RulerBand, ...], list[CutHandle]]:
    count = len(before)
    top, requested = _boundary(allowed, count // 5), count - count // 5
    bottom = _boundary(allowed, requested)
    fates = bytes([KEPT] * top + [SUMMARISED] * (bottom - top) + [KEPT] * (count - bottom))
    bands = []
    for name, start, end, verb, fate in (
        ("top", 0, top, "kept", KEPT),
        ("middle", top, bottom, "summarised", SUMMARISED),
        ("bottom", bottom, count, "kept", KEPT),
    ):
        total = sums[end] - sums[start]
        labels = (f"{name} · {end - start} {verb} · {total:,}", f"{name} {end - start}")
        bands.append(RulerBand(start, end, fate, labels))
    handles = [_handle("top", top, top, allowed, sums), _handle("bottom", bottom, requested, allowed, sums)]
    return fates, tuple(bands), handles


def _dense(
    before: list[FakeRow], allowed: bytes, sums: list[int]
) -> tuple[bytes, tuple[RulerBand, ...], list[CutHandle]]:
    count = len(before)
    tail = _boundary(allowed, count - count // 5)
    fates = bytearray(count)
    for index, line in enumerate(before[:tail]):
        if line.kind == "tool":
            pruned = line.tokens > 1_700 and index % 3
            fates[index] = PRUNED if pruned else EDITED
            if pruned:
                fates[index - 1] = PRUNED
    head = f"head · tool results to one line · {tail} messages"
    bands = (
        RulerBand(0, tail, EDITED, (head, f"head {tail}")),
        RulerBand(tail, count, KEPT, (f"protected tail · {count - tail} kept", f"tail {count - tail}")),
    )
    return bytes(fates), bands, [_handle("tail", tail, tail, allowed, sums)]


def _marks(before: int, after: int, *, limit: int | None, target: int | None, sentence: str) -> RulerMarks:
    trigger = None if limit is None else int(limit * 0.85)
    saved = after - before
    free = "" if trigger is None else f"{trigger - before:,} to the trigger"
    return RulerMarks(
        limit,
        trigger,
        target,
        () if limit is None else (f"limit {limit:,}", f"limit {limit // 1000}k"),
        () if trigger is None else (f"trigger 85 % · {trigger:,}", f"trigger {trigger // 1000}k"),
        "" if target is None else f"target {target:,}",
        f"≈{before:,}",
        f"≈{after:,}",
        free,
        f"{saved:,} tokens · {100 * saved / max(1, before):.1f} %".replace("-", "−"),
        sentence,
        (("88 of 150 messages", "strong"), (" become one summary: ", ""), ("80k → 41k tokens", "strong")),
        gauge=ContextGauge(before, after, 0, limit, trigger, target, "now 80k · 40 %", "after 41k · 21 %"),
    )


def _cuts(handles: list[CutHandle], after: _After) -> tuple[tuple[CutRow, ...], tuple[CutRow, ...]]:
    before = tuple(
        CutRow(one.index, f"cut {i} · before #{one.index + 1}", one.name) for i, one in enumerate(handles, 1)
    )
    inserted = [i for i, fate in enumerate(after.fates) if fate == INSERTED]
    text = "— context compacted (148k → 64k tokens) —"
    return before, tuple(CutRow(i, text, "", is_compaction=True) for i in inserted[:1])


def fake_screen(
    strategy: str = "middle-out",
    *,
    messages: int = 412,
    limit: int | None = LIMIT,
    seed: int = 24,
    locked: str = "",
) -> Screen:
    """A preview of a made-up conversation, under "middle-out" or "high-density"."""
    before = lines(messages, seed)
    allowed, sums = valid(before), list(accumulate((line.tokens for line in before), initial=0))
    fates, bands, handles = (_middle_out if strategy == "middle-out" else _dense)(before, allowed, sums)
    after = _after(before, fates)
    target = int(limit * 0.85 * 0.6) if limit and strategy != "middle-out" else None
    last = handles[-1]
    moved = (
        f"Cut 2 asked for #{last.requested + 1} and moved to #{last.index + 1}: a call stays with its result"
    )
    sentence = moved if last.requested != last.index else ""
    if strategy != "middle-out":
        sentence = f"Tail: the newest 20 % of {messages} messages = #{handles[0].index + 1}–#{messages}"
    before_cuts, after_cuts = _cuts(handles, after)
    return Screen(
        generation=1,
        strategy=strategy,
        draft=False,
        before=rows(before),
        after=rows(after.items),
        fates=fates,
        after_fates=bytes(after.fates),
        origin=array("l", after.origin),
        partners=partners(before),
        runs=_runs(fates, after),
        bands=bands,
        handles=tuple(replace(one, locked=locked) for one in handles),
        valid=allowed,
        marks=_marks(sums[-1], _tokens(after.items), limit=limit, target=target, sentence=sentence),
        after_heading=f"{len(after.items)} messages · live preview",
        before_cuts=before_cuts,
        after_cuts=after_cuts,
        recorded=(),
        model="claude-sonnet-4-5",
        can_undo=True,
    )
