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

MAX_LOST = 100
"""Lost facts in the JSON."""
_MAX_FACTS = 10
_MAX_TEXT = 80


def fidelity_json(fidelity: Fidelity) -> Json:
    """Return the key ``fidelity`` of ``compact --json``; messages are indices from 0."""
    return {
        "weighted": _round(fidelity.weighted),
        "by_category": {item.kind.value: _score(item) for item in fidelity.scores},
        "invented": [
            {"category": item.kind.value, "text": item.text, "message": item.place}
            for item in fidelity.invented
        ],
        "demand": _demand(fidelity.demand),
        "curve": [_round(value) for value in fidelity.curve],
        "lost": [_fact(item) for item in lost_facts(fidelity)[:MAX_LOST]],
    }


def _score(score: CategoryScore) -> Json:
    counts = {status.value: score.by_status.get(status, 0) for status in FactStatus}
    return {"facts": score.facts, **counts, "recall": _round(score.recall)}


def _demand(demand: ForwardDemand | None) -> Json:
    if demand is None:
        return None
    values = {name: value for name, value in asdict(demand).items() if name != "lost"}
    return values | {"recall": _round(demand.recall)}


def _fact(judged: JudgedFact) -> Json:
    fact = judged.fact
    return {
        "category": fact.kind.value,
        "text": fact.text,
        "messages": list(fact.messages),
        "flipped": judged.is_negated,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def fidelity_lines(preview: Preview, fidelity: Fidelity) -> list[str]:
    """Return the sections Fidelity and Lost of the report; empty where the source has no facts."""
    scores = [item for item in fidelity.scores if item.facts]
    if not scores:
        return []
    not_lost, facts = sum(map(facts_not_lost, scores)), sum(item.facts for item in scores)
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
    rows = [
        (LABELS[item.kind], one_line_text(item.text, _MAX_TEXT)) for item in fidelity.invented[:_MAX_FACTS]
    ]
    return lines + titled_section("In the summary, but nowhere in the source", aligned_table(rows))


def _scores(fidelity: Fidelity) -> list[str]:
    rows = [
        (
            LABELS[score.kind],
            *(number_format.count(score.by_status.get(status, 0)) for status in FactStatus),
            number_format.UNKNOWN if score.recall is None else f"{score.recall:.2f}",
        )
        for score in by_weight(fidelity.scores)
    ]
    return aligned_table(
        rows, range(1, len(FactStatus) + 2), head=("", *(status.value for status in FactStatus), "recall")
    )


def _lost(lost: list[JudgedFact]) -> list[str]:
    rows = [
        (LABELS[judged.fact.kind], fact_note(judged), one_line_text(judged.fact.text, _MAX_TEXT))
        for judged in lost[:_MAX_FACTS]
    ]
    more_lines = (
        [f"  and {len(lost) - _MAX_FACTS:,} more; --json lists {MAX_LOST}"] if len(lost) > _MAX_FACTS else []
    )
    return [*aligned_table(rows), *more_lines]
