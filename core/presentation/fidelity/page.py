"""The Fidelity tab of a preview that was judged, in words and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.analysis.fidelity.model import (
    WEIGHTS,
    CategoryScore,
    FactStatus,
    Fidelity,
    FidelityCategory,
    ForwardDemand,
    JudgedFact,
    SourceFact,
)
from core.common import number_format
from core.common.excerpts import one_line_text
from core.presentation.fidelity.fact_wording import LABELS, fact_note
from core.presentation.fidelity.model import (
    FLIPPED,
    INVENTED,
    NEEDED,
    STATUSES,
    FidelityBar,
    FidelityFactRow,
    FidelityPage,
)
from core.presentation.model import ChangeEffect, TextSpan
from core.presentation.pin_wording import use_obeying
from core.presentation.ruler.lost_facts import lost_at
from core.preview.options import Preview
from core.transcript.pins import PinKind
from core.transcript.scopes import ALL, BEFORE

GONE = (FactStatus.LOST,)
MOST_ROWS = 2_000
"""Facts that are listed; the rest is counted."""
_RANKS = (
    FLIPPED,
    FactStatus.LOST,
    FactStatus.RECOVERABLE,
    FactStatus.PARTIAL,
    FactStatus.SUMMARISED,
    FactStatus.VERBATIM,
)


_TIP = (
    "The share of what a later turn may need that the result still holds, weighted by kind: "
    "in the text word for word 1, in a summary 0.9, in part 0.5, named so that it can be read again 0.4. "
    "Being in the text is not the same as being used."
)
_OFFLINE = (
    " The offline summary is filled from the same kinds of fact, so its figure is a best case; "
    "what later turns needed is the fairer test."
)
_UNWRITTEN = "The summary is not written yet; what it will say does not count."
_UNCHANGED = "Nothing was compacted, so every fact stands."


def fidelity_page(made: Preview, found: Fidelity, effect: ChangeEffect | None = None) -> FidelityPage:
    """The page of a judged preview."""
    counted = [one for one in found.facts if not one.fact.resolved]
    lost = [one for one in counted if one.status in GONE]
    folder = made.conversation.cwd
    rows = [*_needed_rows(found.demand, folder), *_rows(counted, folder), *_invented(found)]
    calls = made.compaction.calls
    is_offline = bool(calls) and made.writer.is_offline
    places, words = lost_at(worst_first(lost))
    return FidelityPage(
        number_format.score(found.weighted),
        f"{number_format.count(len(counted) - len(lost))} of {number_format.plural(len(counted), 'fact')}",
        _TIP + (_OFFLINE if is_offline else ""),
        _note(made),
        later_needs(found.demand, made),
        tuple(map(_bar, by_weight(found.scores))),
        tuple(rows[:MOST_ROWS]),
        len(lost),
        found.curve,
        places,
        max(0, len(rows) - MOST_ROWS),
        effect,
        words,
        _pins(made, counted),
        made.compaction.no_op is None and not made.beside,
    )


def _pins(made: Preview, facts: Iterable[JudgedFact]) -> tuple[TextSpan, ...]:
    """A link that pins the constraints that are not pinned, and whether pins count at all."""
    rules = [one.fact for one in facts if one.fact.kind is FidelityCategory.CONSTRAINT]
    pins = {place for place, pin in made.pins.items() if pin.kind is not PinKind.NOTE}
    free = sum(rule.messages[0] not in pins for rule in rules)
    offer = (TextSpan(_pin_all(free, len(rules)), "pin-all:"),) if free else ()
    if made.strategy.obeys_pins or not (rules or pins):
        return offer
    says = " · no effect, " if offer else f"Pins have no effect with {made.strategy.name}, "
    return (*offer, TextSpan(says), use_obeying())


def _pin_all(free: int, rules: int) -> str:
    """What a click pins: ``free`` of the rules."""
    count = number_format.count(free)
    if free < rules:
        many = f"Pin the other {count} constraints"
        return many if free > 1 else "Pin the other constraint"
    return f"Pin all {count} constraints" if free > 1 else "Pin the constraint"


def by_weight(scores: Iterable[CategoryScore]) -> list[CategoryScore]:
    """The categories that have facts, the heaviest first."""
    return sorted((one for one in scores if one.facts), key=lambda one: -WEIGHTS[one.kind])


def facts_not_lost(score: CategoryScore) -> int:
    """Facts of a category that are not lost."""
    return score.facts - score.by_status.get(FactStatus.LOST, 0)


def lost_facts(found: Fidelity) -> list[JudgedFact]:
    """Facts that are lost or turned round, the worst first."""
    return worst_first(
        one for one in found.facts if not one.fact.resolved and (one.status in GONE or one.flipped)
    )


def _bar(score: CategoryScore) -> FidelityBar:
    counts = tuple(score.by_status.get(status, 0) for status in STATUSES)
    kept = facts_not_lost(score)
    missing = number_format.signed(kept - score.facts) if kept < score.facts else ""
    label = f"{number_format.count(kept)} of {number_format.count(score.facts)}"
    return FidelityBar(score.kind.value, LABELS[score.kind], counts, label, missing)


def _note(made: Preview) -> str:
    if made.compaction.no_op is not None:
        return _UNCHANGED
    return _UNWRITTEN if made.unwritten else ""


def later_needs(demand: ForwardDemand | None, made: Preview) -> tuple[TextSpan, ...]:
    """What later turns needed, or that there are none, with the way to a scope that has some."""
    if demand is None:
        ends = TextSpan("Needed by later turns: – (the transcript ends here).")
        recorded = made.conversation.recorded
        if made.history.scope != ALL or not recorded:
            return (ends,)
        where = f"Look before {number_format.message(recorded[0].position)}"
        return (ends, TextSpan(" "), TextSpan(where, f"scope:{BEFORE}1"), TextSpan("."))
    if not demand.needed:
        return (TextSpan("Needed by later turns: nothing that was said before."),)
    share = number_format.percent(demand.recall or 0.0, 0)
    uses = number_format.percent(demand.kept_uses / max(1, demand.uses), 0)
    kept = f"{number_format.count(demand.kept)} of {number_format.count(demand.needed)}"
    return (TextSpan(f"Needed by later turns: {kept} still there, {share}; {uses} by number of uses."),)


def worst_first(judged: Iterable[JudgedFact]) -> list[JudgedFact]:
    """Facts by how badly they came through, then by weight, then as they were first said."""
    return sorted(judged, key=_rank)


def _rank(one: JudgedFact) -> tuple[int, float, int]:
    return _RANKS.index(_word(one)), -WEIGHTS[one.fact.kind], one.fact.messages[0]


def _word(one: JudgedFact) -> str:
    return FLIPPED if one.flipped else one.status


def _rows(judged: Sequence[JudgedFact], folder: str) -> Iterator[FidelityFactRow]:
    for one in worst_first(judged):
        place = one.places[0] if one.places else -1
        fact = one.fact
        yield FidelityFactRow(
            _word(one),
            fact.kind.value,
            LABELS[fact.kind],
            _said(fact, folder),
            fact_note(one),
            fact.messages[0],
            place,
        )


def _needed_rows(demand: ForwardDemand | None, folder: str) -> Iterator[FidelityFactRow]:
    for one in demand.lost if demand is not None else ():
        fact, words = (
            one.fact,
            f"{number_format.message(one.fact.messages[0])} · used again later",
        )
        yield FidelityFactRow(
            NEEDED, fact.kind.value, LABELS[fact.kind], _said(fact, folder), words, fact.messages[0]
        )


def _said(fact: SourceFact, folder: str) -> str:
    """What a fact says on one line; a path in the session's folder without it."""
    is_inside = bool(folder) and fact.kind in (FidelityCategory.FILE, FidelityCategory.PATH)
    return one_line_text(fact.text.removeprefix(f"{folder.rstrip('/')}/") if is_inside else fact.text)


def _invented(found: Fidelity) -> Iterator[FidelityFactRow]:
    for one in found.invented:
        words = f"result {number_format.message(one.place)} · nowhere in the source"
        yield FidelityFactRow(
            INVENTED, one.kind.value, LABELS[one.kind], one_line_text(one.text), words, place=one.place
        )
