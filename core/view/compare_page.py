"""A comparison in words, figures and places of a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.analysis.call_price import price_as, priced_row
from core.analysis.compare import contenders, ranked, recorded_number
from core.analysis.compare_rows import BASELINE
from core.analysis.compare_values import Against, AgainstRecorded, CompareRow, LostFact
from core.analysis.cost_values import Cost
from core.analysis.fidelity_values import FactKind, Score, Status
from core.conversation import Conversation
from core.model_picture import dollars
from core.strategies.registry import find_strategy
from core.view import numbers
from core.view.compare_values import (
    BEATEN,
    COLUMNS,
    COST,
    DONE,
    FAILED,
    FRONT,
    RECORDED,
    TOKENS,
    WAITING,
    AgentTold,
    CompareCell,
    CompareLine,
    ComparePage,
    ComparePoint,
    PairPage,
    PairRow,
)
from core.view.excerpts import clean
from core.view.fact_words import LABELS
from core.view.numbers import UNKNOWN
from core.view.opening import PRESETS
from core.view.phrases import joined, phrase
from core.view.plots import Axis, axis, step
from core.view.prices import price_pick, written_words
from core.view.scope_words import scope_label
from core.view.values import Choice

_MONO = (FactKind.FILE, FactKind.ERROR, FactKind.PATH, FactKind.IDENTIFIER, FactKind.COMMAND, FactKind.CODE)
_POOR = 0.6
"""Below this share of a category's facts its cell is red."""
_KINDS = (FactKind.CONSTRAINT, FactKind.FILE, FactKind.ERROR)
_EMPTY = CompareCell("")
_TAG = 24
"""Characters of a note that still goes beside a name."""
_OF_CACHE = phrase("The price of the recorded call is not in the file; its pay-back counts the cache only.")
_ELSEWHERE = phrase(
    "Recorded rows speak of the messages before their compaction: choose that scope to set them beside."
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison as far as it got: what was asked, the rows by name, of which source, how long it took,
    and as which model's the summaries are priced ("": the session's ``model``). ``told`` is what the presets
    of this agent would have done in its place, all of it once ``is_told``."""

    generation: int
    conversation: Conversation
    names: tuple[str, ...]
    rows: Mapping[str, CompareRow]
    scope: str
    mark: str
    model: str
    seconds: float = 0.0
    price: str = ""
    told: tuple[AgainstRecorded, ...] = ()
    is_told: bool = True


def first_names(conversation: Conversation, agent: str = "") -> tuple[str, ...]:
    """What is compared at first: the baseline, what was recorded, our strategies, and the preset of
    the ``agent`` (a program's name) that wrote the file."""
    chosen = []
    for name in contenders(conversation):
        if (
            name == BASELINE
            or recorded_number(name) is not None
            or (like := find_strategy(name).emulates) is None
            or (agent and like.program.startswith(agent))
        ):
            chosen.append(name)
    return tuple(chosen)


def compare_page(found: Comparison) -> ComparePage:
    """The page of a comparison."""
    price = price_as(found.price, found.model)
    priced = [priced_row(row, price) for row in found.rows.values()]
    rows = {row.name: row for row in ranked(priced, found.scope)}
    here = [row for row in rows.values() if row.scope == found.scope]
    points = tuple(filter(None, map(_point, here)))
    front = sorted(
        (place for place, point in enumerate(points) if rows[point.name].on_front),
        key=lambda place: points[place].tokens,
    )
    done, total = len(rows), len(found.names)
    return ComparePage(
        found.generation,
        numbers.plural(done, "result"),
        _about(found, here),
        tuple(_line(name, rows.get(name), found) for name in found.names),
        tuple(_title(place, name, found.mark) for place, name in enumerate(COLUMNS)),
        points,
        tuple(front),
        _across(points, found.mark),
        _upward(points),
        found.names,
        _choices(found.conversation),
        phrase("{done} of {total} done in {seconds}", done=done, total=total, seconds=seconds(found.seconds))
        if done
        else phrase("0 of {total} done", total=total),
        _foot(found),
        found.scope,
        done == total and found.is_told,
        price_pick(found.conversation, found.price, found.model),
        tuple(
            AgentTold(
                phrase("recorded {number} and {preset}", number=one.number, preset=one.preset), one.sentences
            )
            for one in found.told
        ),
    )


def _title(place: int, name: str, mark: str) -> str:
    said = phrase(name)
    return (
        joined(" ", (mark, said)) if place == TOKENS else joined(" ", ("≈", said)) if place == COST else said
    )


def seconds(value: float) -> str:
    """A time as "88 ms" or "1.2 s"."""
    return f"{value * 1000:.0f} ms" if value < 0.9995 else f"{value:.1f} s"


def _about(found: Comparison, rows: Sequence[CompareRow]) -> str:
    where = (
        phrase("the whole session")
        if found.scope == "all"
        else phrase("the messages {scope}", scope=scope_label(found.scope))
    )
    if "current" in found.scope:
        where = phrase("the current context")
    by = written_words(price_as(found.price, found.model))
    if not rows:
        return phrase("over {where} · {by}; nothing is sent", where=where, by=by)
    size = numbers.tokens(found.mark, rows[0].before_tokens)
    count = numbers.plural(rows[0].before_messages, "message")
    return phrase(
        "over {where} · {count} · {size} tokens · {by}; nothing was sent",
        where=where,
        count=count,
        size=size,
        by=by,
    )


def _foot(found: Comparison) -> str:
    """What has to be known of the recorded rows."""
    recorded = [row for row in found.rows.values() if row.kind == "recorded"]
    if not recorded:
        return ""
    parts = [_OF_CACHE] if any(row.cost is not None for row in recorded) else []
    parts += [
        f"{row.name}: {note}." for row in recorded for note in row.note.split("; ") if len(note) > _TAG
    ][:2]
    if any(row.scope != found.scope for row in recorded):
        parts.append(_ELSEWHERE)
    return "* " + " ".join(parts) if parts else ""


def _choices(conversation: Conversation) -> tuple[Choice, ...]:
    """All that can be compared, by group: recorded, our own, presets."""
    found = []
    for name in contenders(conversation):
        if recorded_number(name) is not None:
            found.append(Choice(name, name, phrase("What the agent itself made of it."), "recorded"))
        elif name != BASELINE:
            strategy = find_strategy(name)
            found.append(Choice(name, name, strategy.about, PRESETS if strategy.emulates else "strategies"))
    return tuple(found)


def _rank(name: str) -> int:
    return 0 if name == BASELINE else 1 if recorded_number(name) is not None else 2


def _line(name: str, row: CompareRow | None, found: Comparison) -> CompareLine:
    number = recorded_number(name) or 0
    if row is None:
        cells = (CompareCell(name), *(_EMPTY for _ in COLUMNS[1:]))
        return CompareLine(name, _rank(name), WAITING, cells, number=number)
    if row.error:
        cells = (CompareCell(name), *(_EMPTY for _ in COLUMNS[1:]))
        return CompareLine(name, _rank(name), FAILED, cells, _tags(row, found.scope), None, row.error, number)
    return CompareLine(
        name,
        _rank(name),
        DONE,
        _cells(row, found),
        _tags(row, found.scope),
        row.fidelity,
        row.no_op,
        number,
        row.scope == found.scope,
    )


def _tags(row: CompareRow, scope: str) -> tuple[str, ...]:
    if row.name == BASELINE:
        return (phrase("as it is"),)
    parts = ["preset"] if row.kind == "preset" else []
    if row.scope != scope:
        parts.append(phrase("of {short} before it", short=numbers.short(row.before_tokens)))
    parts += [note for note in row.note.split("; ") if note and len(note) <= _TAG]
    parts += [phrase("nothing to compact")] if row.no_op else []
    return (", ".join(parts),) if parts else ()


def _cells(row: CompareRow, found: Comparison) -> tuple[CompareCell, ...]:
    is_base = row.name == BASELINE
    saved = (row.tokens - row.before_tokens) / row.before_tokens if row.before_tokens else 0.0
    scores = {score.kind: score for score in row.scores}
    return (
        CompareCell(row.name),
        CompareCell(numbers.count(row.tokens), row.tokens),
        _EMPTY if is_base else CompareCell(numbers.percent(saved), saved),
        CompareCell(numbers.count(row.messages), row.messages),
        CompareCell(numbers.score(row.fidelity), row.fidelity, tip=_fidelity_tip(row)),
        *(_kept(scores.get(kind)) for kind in _KINDS),
        _needs(row),
        _prefix(row.cost),
        CompareCell(numbers.count(row.calls), row.calls),
        _price(row),
        _pays_back(row, is_base),
        _lint(row.lint),
        _EMPTY if is_base or row.kind == "recorded" else CompareCell(seconds(row.seconds), row.seconds),
    )


def _fidelity_tip(row: CompareRow) -> str:
    lines = [
        phrase(
            "{LABELS}: {facts} of {facts2}",
            LABELS=LABELS[score.kind],
            facts=score.facts - score.by_status.get(Status.LOST, 0),
            facts2=score.facts,
        )
        for score in row.scores
        if score.facts
    ]
    if row.invented:
        lines.append(
            phrase("{facts} in the summary that no source has", facts=numbers.plural(row.invented, "fact"))
        )
    return "\n".join(lines)


def _kept(score: Score | None) -> CompareCell:
    if score is None or not score.facts:
        return CompareCell(UNKNOWN)
    kept = score.facts - score.by_status.get(Status.LOST, 0)
    share = kept / score.facts
    tone = "error" if share < _POOR else ""
    return CompareCell(
        phrase("{count} of {total}", count=numbers.count(kept), total=numbers.count(score.facts)),
        share,
        tone,
    )


def _needs(row: CompareRow) -> CompareCell:
    """What later turns needed and the result has; unknown where the transcript ends with the scope."""
    demand = row.demand
    if demand is None or demand.recall is None:
        return CompareCell(UNKNOWN, tip=phrase("The transcript ends here: nobody knows what comes."))
    tip = phrase(
        "{count} of {count2} facts that were used again",
        count=numbers.count(demand.kept),
        count2=numbers.count(demand.needed),
    )
    return CompareCell(numbers.percent(demand.recall, 0), demand.recall, tip=tip)


def _prefix(cost: Cost | None) -> CompareCell:
    if cost is None:
        return CompareCell(UNKNOWN)
    if cost.first_changed is None:
        return CompareCell("all", float("inf"))
    return CompareCell(numbers.count(cost.prefix), cost.prefix)


def _price(row: CompareRow) -> CompareCell:
    if row.cost is None or row.cost.summary is None or row.kind == "recorded":
        return CompareCell(UNKNOWN)
    return CompareCell(dollars(row.cost.summary), row.cost.summary)


def _pays_back(row: CompareRow, is_base: bool) -> CompareCell:
    """Calls until it has paid back with a warm cache, what it rewrites and saves in one figure."""
    cost = row.cost
    if is_base or row.no_op:
        return _EMPTY
    if cost is None or (cost.rates is None and cost.break_even is None):
        return CompareCell(UNKNOWN, tip=phrase("The model has no price in the table."))
    if cost.break_even is None:
        return CompareCell("never", float("inf"), "warn")
    calls = -int(-cost.break_even // 1)
    star = " *" if row.kind == "recorded" else ""
    return CompareCell(
        joined("", (phrase("at once") if not calls else numbers.plural(calls, "call"), star)), cost.break_even
    )


def _lint(found: tuple[int, int]) -> CompareCell:
    errors, warnings = found
    if errors:
        return CompareCell(numbers.plural(errors, "error"), errors * 1000 + warnings, "error")
    if warnings:
        return CompareCell(numbers.plural(warnings, "warning"), warnings, "warn")
    return CompareCell("ok", 0.0, "ok")


def _point(row: CompareRow) -> ComparePoint | None:
    if row.fidelity is None or row.error:
        return None
    shape = RECORDED if row.kind == "recorded" else FRONT if row.on_front else BEATEN
    return ComparePoint(row.name, row.tokens, row.fidelity, shape)


def _across(points: Sequence[ComparePoint], mark: str) -> Axis:
    most = max((point.tokens for point in points), default=1000)
    title = phrase("{mark} tokens after (fewer is better)", mark=mark)
    return axis(0, most, _short, 9, title=title, whole=True)


def _short(value: float) -> str:
    return numbers.short(round(value))


def _upward(points: Sequence[ComparePoint]) -> Axis:
    least = min((point.fidelity for point in points), default=0.0)
    return fidelity_axis(least, 6, title=phrase("weighted fidelity (more is better)"))


def fidelity_axis(least: float, most: int, *, title: str = "") -> Axis:
    """A scale of fidelity up to 1 that holds ``least``, its labels with as many places as they need."""
    low = min(0.9, max(0.0, least - 0.02))
    apart = round(step((1.0 - low) / most) * 1000)  # in thousandths
    places = 1 if apart % 100 == 0 else 2 if apart % 10 == 0 else 3
    return axis(low, 1.0, lambda value: f"{value:.{places}f}", most, title=title)


def pair_page(found: Against, scope: str) -> PairPage:
    """What each of two results lost that the other one has."""
    rows = [_pair_row("a", one) for one in found.lost_in_a]
    rows += [_pair_row("b", one) for one in found.lost_in_b]
    counts: dict[FactKind, int] = {}
    for one in (*found.lost_in_a, *found.lost_in_b):
        counts[one.fact.kind] = counts.get(one.fact.kind, 0) + 1
    kinds = " · ".join(f"{LABELS[kind]} {count}" for kind, count in counts.items())
    return PairPage(found.a, found.b, len(found.lost_in_a), len(found.lost_in_b), kinds, tuple(rows), scope)


def _pair_row(side: str, one: LostFact) -> PairRow:
    fact = one.fact
    more = len(fact.messages) - 1
    others = phrase("{more} more", more=more) if more else ""
    is_open = fact.kind is FactKind.ERROR and not fact.resolved
    where = joined(", ", (numbers.message(fact.messages[0]), others, phrase("open") if is_open else ""))
    return PairRow(side, fact.kind.value, clean(fact.text), where, fact.messages[0], fact.kind in _MONO)
