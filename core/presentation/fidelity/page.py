"""Formats the Fidelity tab."""

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
"""Most facts listed; the rest is counted."""
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


def fidelity_page(preview: Preview, fidelity: Fidelity, effect: ChangeEffect | None = None) -> FidelityPage:
    counted = [one for one in fidelity.facts if not one.fact.resolved]
    lost = [one for one in counted if one.status in GONE]
    folder = preview.conversation.cwd
    rows = [*_needed_rows(fidelity.demand, folder), *_rows(counted, folder), *_invented(fidelity)]
    calls = preview.compaction.calls
    is_offline = bool(calls) and preview.writer.is_offline
    places, words = lost_at(worst_first(lost))
    return FidelityPage(
        number_format.score(fidelity.weighted),
        f"{number_format.count(len(counted) - len(lost))} of {number_format.plural(len(counted), 'fact')}",
        _TIP + (_OFFLINE if is_offline else ""),
        _note(preview),
        later_needs(fidelity.demand, preview),
        tuple(map(_bar, by_weight(fidelity.scores))),
        tuple(rows[:MOST_ROWS]),
        len(lost),
        fidelity.curve,
        places,
        max(0, len(rows) - MOST_ROWS),
        effect,
        words,
        _pins(preview, counted),
        preview.compaction.no_op is None and not preview.beside,
    )


def _pins(preview: Preview, facts: Iterable[JudgedFact]) -> tuple[TextSpan, ...]:
    """Return a link that pins the unpinned constraints, and whether pins have an effect."""
    rules = [one.fact for one in facts if one.fact.kind is FidelityCategory.CONSTRAINT]
    pins = {place for place, pin in preview.pins.items() if pin.kind is not PinKind.NOTE}
    free = sum(rule.messages[0] not in pins for rule in rules)
    offer = (TextSpan(_pin_all(free, len(rules)), "pin-all:"),) if free else ()
    if preview.strategy.obeys_pins or not (rules or pins):
        return offer
    says = " · no effect, " if offer else f"Pins have no effect with {preview.strategy.name}, "
    return (*offer, TextSpan(says), use_obeying())


def _pin_all(free: int, rules: int) -> str:
    """Return the link's text for ``free`` of the rules."""
    count = number_format.count(free)
    if free < rules:
        many = f"Pin the other {count} constraints"
        return many if free > 1 else "Pin the other constraint"
    return f"Pin all {count} constraints" if free > 1 else "Pin the constraint"


def by_weight(scores: Iterable[CategoryScore]) -> list[CategoryScore]:
    """Return the categories that have facts, heaviest first."""
    return sorted((one for one in scores if one.facts), key=lambda one: -WEIGHTS[one.kind])


def facts_not_lost(score: CategoryScore) -> int:
    return score.facts - score.by_status.get(FactStatus.LOST, 0)


def lost_facts(fidelity: Fidelity) -> list[JudgedFact]:
    """Return lost and reversed facts, worst first."""
    return worst_first(
        one for one in fidelity.facts if not one.fact.resolved and (one.status in GONE or one.is_negated)
    )


def _bar(score: CategoryScore) -> FidelityBar:
    counts = tuple(score.by_status.get(status, 0) for status in STATUSES)
    kept = facts_not_lost(score)
    missing = number_format.signed(kept - score.facts) if kept < score.facts else ""
    label = f"{number_format.count(kept)} of {number_format.count(score.facts)}"
    return FidelityBar(score.kind.value, LABELS[score.kind], counts, label, missing)


def _note(preview: Preview) -> str:
    if preview.compaction.no_op is not None:
        return _UNCHANGED
    return _UNWRITTEN if preview.unwritten else ""


def later_needs(demand: ForwardDemand | None, preview: Preview) -> tuple[TextSpan, ...]:
    """Return later needs, or a link to a scope that has some."""
    if demand is None:
        ends = TextSpan("Needed by later turns: – (the transcript ends here).")
        recorded = preview.conversation.recorded
        if preview.history.scope != ALL or not recorded:
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
    """Sort facts by status, worst first, then by weight and first mention."""
    return sorted(judged, key=_rank)


def _rank(one: JudgedFact) -> tuple[int, float, int]:
    return _RANKS.index(_word(one)), -WEIGHTS[one.fact.kind], one.fact.messages[0]


def _word(one: JudgedFact) -> str:
    return FLIPPED if one.is_negated else one.status


def _rows(judged: Sequence[JudgedFact], folder: str) -> Iterator[FidelityFactRow]:
    for one in worst_first(judged):
        place = one.places[0] if one.places else -1
        fact = one.fact
        yield FidelityFactRow(
            _word(one),
            fact.kind.value,
            LABELS[fact.kind],
            _one_line(fact, folder),
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
            NEEDED, fact.kind.value, LABELS[fact.kind], _one_line(fact, folder), words, fact.messages[0]
        )


def _one_line(fact: SourceFact, folder: str) -> str:
    """Return a fact on one line, paths relative to the session's folder."""
    is_inside = bool(folder) and fact.kind in (FidelityCategory.FILE, FidelityCategory.PATH)
    return one_line_text(fact.text.removeprefix(f"{folder.rstrip('/')}/") if is_inside else fact.text)


def _invented(fidelity: Fidelity) -> Iterator[FidelityFactRow]:
    for one in fidelity.invented:
        words = f"result {number_format.message(one.place)} · nowhere in the source"
        yield FidelityFactRow(
            INVENTED, one.kind.value, LABELS[one.kind], one_line_text(one.text), words, place=one.place
        )
