"""Fidelity for the command line: as JSON and as lines of a report."""

from __future__ import annotations

from dataclasses import asdict

from core.analysis.fidelity.model import CategoryScore, FactStatus, Fidelity, ForwardDemand, JudgedFact
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.fidelity.fact_wording import LABELS, fact_note
from core.presentation.fidelity.page import by_weight, facts_not_lost, later_needs, lost_facts
from core.preview.options import Preview

MOST_LOST = 100
"""Lost facts in the JSON."""
_SHOWN = 10
_TEXT = 80


def fidelity_json(fidelity: Fidelity) -> Json:
    """Return the key ``fidelity`` of ``compact --json``; messages are indices from 0."""
    return {
        "weighted": _round(fidelity.weighted),
        "by_category": {one.kind.value: _score(one) for one in fidelity.scores},
        "invented": [
            {"category": one.kind.value, "text": one.text, "message": one.place} for one in fidelity.invented
        ],
        "demand": _demand(fidelity.demand),
        "curve": [_round(value) for value in fidelity.curve],
        "lost": [_fact(one) for one in lost_facts(fidelity)[:MOST_LOST]],
    }


def _score(score: CategoryScore) -> Json:
    counts = {status.value: score.by_status.get(status, 0) for status in FactStatus}
    return {"facts": score.facts, **counts, "recall": _round(score.recall)}


def _demand(demand: ForwardDemand | None) -> Json:
    if demand is None:
        return None
    values = {name: value for name, value in asdict(demand).items() if name != "lost"}
    return values | {"recall": _round(demand.recall)}


def _fact(one: JudgedFact) -> Json:
    fact = one.fact
    return {
        "category": fact.kind.value,
        "text": fact.text,
        "messages": list(fact.messages),
        "flipped": one.is_negated,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def fidelity_lines(preview: Preview, fidelity: Fidelity) -> list[str]:
    """Return the sections Fidelity and Lost of the report; empty where the source has no facts."""
    counted = [one for one in fidelity.scores if one.facts]
    if not counted:
        return []
    not_lost, facts = sum(map(facts_not_lost, counted)), sum(one.facts for one in counted)
    head = (
        f"{number_format.score(fidelity.weighted)} weighted, {not_lost:,} of "
        f"{number_format.plural(facts, 'fact')} still there"
    )
    later_use = "".join(
        span.text for span in later_needs(fidelity.demand, preview) if not span.link.startswith("scope")
    )
    lines = titled_section(
        "Fidelity", [f"  {head}", f"  {later_use.removesuffix(' .').strip()}", *_scores(fidelity)]
    )
    lost = lost_facts(fidelity)
    lines += titled_section("Lost, worst first", _lost(lost))
    rows = [(LABELS[one.kind], one_line_text(one.text, _TEXT)) for one in fidelity.invented[:_SHOWN]]
    return lines + titled_section("In the summary, but nowhere in the source", aligned_table(rows))


def _scores(fidelity: Fidelity) -> list[str]:
    rows = [
        (
            LABELS[one.kind],
            *(number_format.count(one.by_status.get(status, 0)) for status in FactStatus),
            number_format.UNKNOWN if one.recall is None else f"{one.recall:.2f}",
        )
        for one in by_weight(fidelity.scores)
    ]
    return aligned_table(
        rows, range(1, len(FactStatus) + 2), head=("", *(status.value for status in FactStatus), "recall")
    )


def _lost(lost: list[JudgedFact]) -> list[str]:
    rows = [
        (LABELS[one.fact.kind], fact_note(one), one_line_text(one.fact.text, _TEXT)) for one in lost[:_SHOWN]
    ]
    more = [f"  and {len(lost) - _SHOWN:,} more; --json lists {MOST_LOST}"] if len(lost) > _SHOWN else []
    return [*aligned_table(rows), *more]
