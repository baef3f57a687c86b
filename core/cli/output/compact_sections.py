"""Parts of ``foldline compact`` that are computed beside the preview, as JSON and as sections of its report:
cost, fidelity, summary check, repeated compaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from core.analysis.context import AnalysisInput
from core.analysis.cost.compaction_cost import compaction_cost
from core.analysis.cost.model import CompactionCost
from core.analysis.cost.summary_price import is_model_call, paid_dollars
from core.analysis.fidelity.decay import DecayRound, iterate_rounds
from core.analysis.fidelity.model import CategoryScore, FactStatus, Fidelity, ForwardDemand, JudgedFact
from core.analysis.summary_check.check import SummaryFinding
from core.cli.output.console import ConsoleProgress
from core.cli.output.json_output import rounded
from core.cli.output.table import aligned_table, more_line, titled_section
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.common.number_format import count, dollar_text
from core.presentation.fidelity.decay_model import DECAY_NOTE
from core.presentation.fidelity.fact_wording import LABELS, fact_note
from core.presentation.fidelity.page import by_weight, facts_not_lost, later_needs, lost_facts
from core.presentation.summary_check.wording import summary_verdict
from core.preview.options import Preview, PreviewOptions

if TYPE_CHECKING:
    from core.cli.opened_transcript import OpenedConversation

MAX_LOST = 100
"""Lost facts in the JSON."""
MAX_ROUNDS = 50
"""Most compactions of ``--decay``; long before, nothing is left to compact."""
_MAX_FACTS, _MAX_FACT_LENGTH, _MAX_FINDING_LENGTH = 10, 80, 200


def cost_json(preview: Preview) -> Json:
    """Return dollars, null where no price is known; ``break_even`` is null where it never pays back."""
    cost = compaction_cost(preview)
    names = ("prefix", "first_changed", "rewritten", "first_before", "first_after", "later_before")
    return {
        "model": cost.rates.model if cost.rates else None,
        "summary_cost": paid_dollars(preview.compaction.calls),
        **{name: getattr(cost, name) for name in (*names, "later_after", "break_even")},
        "unpaid": {"sent": cost.unpaid.sent, "received": cost.unpaid.received},
    }


def cost_lines(preview: Preview) -> list[str]:
    calls = sum(map(is_model_call, preview.compaction.calls))
    paid_text = _dollars(paid_dollars(preview.compaction.calls))
    rows = [("model calls", f"{calls}, {paid_text}" if calls else "none")]
    return titled_section("Cost", aligned_table([*rows, *_savings(preview, compaction_cost(preview))]))


def _savings(preview: Preview, cost: CompactionCost) -> list[tuple[str, str]]:
    if preview.compaction.no_op is not None:
        return []
    if cost.first_before is None or cost.later_before is None:
        return [("later calls", "no price is known for the model (--model NAME)")]
    calls = None if cost.break_even is None else max(1, round(cost.break_even))
    return [
        ("next call", f"{_dollars(cost.first_after)} instead of {_dollars(cost.first_before)}"),
        ("each later call", f"{_dollars(cost.later_after)} instead of {_dollars(cost.later_before)}"),
        ("paid back after", "never" if calls is None else number_format.plural(calls, "call")),
    ]


def _dollars(value: float | None) -> str:
    return number_format.UNKNOWN if value is None else dollar_text(value)


def fidelity_json(fidelity: Fidelity) -> Json:
    """Return the key ``fidelity`` of ``compact --json``; messages are indices from 0."""
    return {
        "weighted": rounded(fidelity.weighted),
        "by_category": {item.kind.value: _score(item) for item in fidelity.scores},
        "invented": [
            {"category": item.kind, "text": item.text, "message": item.place} for item in fidelity.invented
        ],
        "demand": _demand(fidelity.demand),
        "curve": list(map(rounded, fidelity.curve)),
        "lost": [_fact(item) for item in lost_facts(fidelity)[:MAX_LOST]],
    }


def _score(score: CategoryScore) -> Json:
    counts = {status.value: score.by_status.get(status, 0) for status in FactStatus}
    return {"facts": score.facts, **counts, "recall": rounded(score.recall)}


def _demand(demand: ForwardDemand | None) -> Json:
    if demand is None:
        return None
    values = {name: value for name, value in asdict(demand).items() if name != "lost"}
    return values | {"recall": rounded(demand.recall)}


def _fact(judged: JudgedFact) -> Json:
    fact = judged.fact
    names = {"category": fact.kind, "text": fact.text, "messages": fact.messages}
    return names | {"flipped": judged.is_negated}


def fidelity_lines(preview: Preview, fidelity: Fidelity) -> list[str]:
    """Return the sections Fidelity and Lost of the report; empty where the source has no facts."""
    scores = [item for item in fidelity.scores if item.facts]
    if not scores:
        return []
    not_lost, facts = sum(map(facts_not_lost, scores)), sum(item.facts for item in scores)
    facts_text = f"{not_lost:,} of {number_format.plural(facts, 'fact')} still there"
    needs = (span for span in later_needs(fidelity.demand, preview) if not span.link.startswith("scope"))
    later_use = "".join(span.text for span in needs).removesuffix(" .").strip()
    head = [f"  {number_format.score(fidelity.weighted)} weighted, {facts_text}", f"  {later_use}"]
    lost = lost_facts(fidelity)
    lost_rows = [
        (LABELS[judged.fact.kind], fact_note(judged), one_line_text(judged.fact.text, _MAX_FACT_LENGTH))
        for judged in lost[:_MAX_FACTS]
    ]
    more = more_line(len(lost) - _MAX_FACTS, f"--json lists {MAX_LOST}")
    invented = [
        (LABELS[item.kind], one_line_text(item.text, _MAX_FACT_LENGTH))
        for item in fidelity.invented[:_MAX_FACTS]
    ]
    return [
        *titled_section("Fidelity", [*head, *_scores(fidelity)]),
        *titled_section("Lost, worst first", [*aligned_table(lost_rows), *more]),
        *titled_section("In the summary, but nowhere in the source", aligned_table(invented)),
    ]


def _scores(fidelity: Fidelity) -> list[str]:
    rows = [
        (
            LABELS[score.kind],
            *(count(score.by_status.get(status, 0)) for status in FactStatus),
            number_format.UNKNOWN if score.recall is None else f"{score.recall:.2f}",
        )
        for score in by_weight(fidelity.scores)
    ]
    head = ("", *(status.value for status in FactStatus), "recall")
    return aligned_table(rows, range(1, len(head)), head=head)


def check_json(findings: Sequence[SummaryFinding] | None) -> Json:
    """Return the key ``summary_check`` of ``compact --json``; null where there is no summary."""
    names = ("severity", "rule", "text", "messages")
    return findings and [
        {name: getattr(finding, name) for name in names} | {"result": finding.index} for finding in findings
    ]


def check_lines(findings: Sequence[SummaryFinding] | None, lost: int) -> list[str]:
    """Return the section Summary check, with ``lost`` facts; empty where there is no summary."""
    if findings is None:
        return []
    rows = [
        (finding.severity, _place(finding), one_line_text(finding.text, _MAX_FINDING_LENGTH))
        for finding in findings
    ]
    return titled_section("Summary check", aligned_table(rows or [(summary_verdict(findings, lost),)]))


def check_notes(findings: Sequence[SummaryFinding] | None) -> list[str]:
    """Return the findings as sentences for standard error."""
    if findings is None:
        return []
    notes = [f"summary check: {finding.severity}: {finding.text}" for finding in findings]
    return notes or [summary_verdict(findings)]


def _place(finding: SummaryFinding) -> str:
    if finding.messages:
        return number_format.message_number(finding.messages[0])
    return f"result {number_format.message_number(finding.index)}"


def decay_count(text: str) -> int:
    """Return the number of ``--decay``; InputError for anything but a whole number from 1 to MAX_ROUNDS."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_ROUNDS):
        raise InputError(f"--decay {text} is no number from 1 to {MAX_ROUNDS}.", "Write it as in: --decay 5.")
    return int(text)


def decay_of_preview(opened: OpenedConversation, preview: Preview, count: int) -> tuple[DecayRound, ...]:
    options, rounds = opened.options, list[DecayRound]()
    with ConsoleProgress(options) as progress:
        preview_options = PreviewOptions(
            options.scope, options.model, focus=options.focus, progress=progress, pins=preview.pins
        )
        all_rounds = iterate_rounds(AnalysisInput(opened.conversation, opened.values, preview_options))
        for decay_round in islice(all_rounds, count):
            rounds.append(decay_round)
            progress(len(rounds) / count, f"Compaction {len(rounds)} of {count}")
    return tuple(rounds)


def decay_json(rounds: Sequence[DecayRound]) -> Json:
    """Return the key ``decay`` of ``compact --json``; null without ``--decay``."""
    return [
        {
            "weighted": rounded(decay_round.weighted),
            "tokens": decay_round.tokens,
            "messages": decay_round.messages,
            "no_op": decay_round.no_op or None,
        }
        for decay_round in rounds
    ] or None


def decay_lines(preview: Preview, rounds: Sequence[DecayRound]) -> list[str]:
    if not rounds:
        return []
    rows = [
        (count(number), number_format.score(one.weighted), count(one.messages), count(one.tokens), one.no_op)
        for number, one in enumerate(rounds, 1)
    ]
    head = ("after", "fidelity", "messages", f"{preview.count_method.mark} tokens", "")
    return titled_section("Folded again", [*aligned_table(rows, range(4), head=head), f"  {DECAY_NOTE}"])
