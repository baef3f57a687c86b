"""Formats the Losses tab."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.analysis.fidelity.decay import DecayRound
from core.analysis.fidelity.model import (
    CATEGORY_WEIGHTS,
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
from core.presentation.inspector_model import (
    DECAY_ROUNDS,
    FLIPPED,
    INVENTED,
    LABELS,
    NEEDED,
    REMOVED,
    STATUSES,
    DecayBar,
    DecayPage,
    FidelityBar,
    FidelityFactRow,
    FidelityPage,
    TextSpan,
    fact_note,
)
from core.presentation.lists.row_texts import row_text
from core.presentation.preview_columns import result_index_of
from core.presentation.why import pin_strategy_link
from core.preview.options import Preview
from core.transcript.compaction import FateKind
from core.transcript.pins import PinKind
from core.transcript.scopes import ALL, BEFORE

_MAX_REMOVED, _MIN_REMOVED = 8, 100  # messages listed for the text they lost, and their least tokens
MAX_FACT_ROWS = 2_000
"""Most facts listed; the rest is counted."""
_RANKS = (
    FLIPPED,
    FactStatus.LOST,
    FactStatus.UNCLEAR,
    FactStatus.RECOVERABLE,
    FactStatus.PARTIAL,
    FactStatus.SUMMARISED,
    FactStatus.VERBATIM,
)


_TIP = (
    "The share of what a later turn may need that the result still holds, weighted by kind: "
    "in the text word for word 1, in a summary 0.9, in part 0.5, named so that it can be read again 0.4; "
    "what cannot be told does not count. It is a figure about Foldline's own list, not a rank of strategies. "
    "Being in the text is not the same as being used."
)
_OFFLINE = (
    " The offline summary is filled from the same kinds of fact, so its figure is a best case; "
    "what later turns needed is the fairer test."
)
_UNWRITTEN = "The summary is not written yet; what it will say does not count."
_ONLY_SOME = "Foldline recognises only some of the facts in it."
_UNCHANGED = "Nothing was compacted, so every fact stands."


def fidelity_page(preview: Preview, fidelity: Fidelity) -> FidelityPage:
    unresolved = [judged for judged in fidelity.facts if not judged.fact.is_resolved]
    lost, rows = fidelity.lost_now, list(_rows(fidelity, preview.conversation.cwd))
    removed, no_op = max(0, preview.before_tokens - preview.after_tokens), preview.compaction.no_op
    is_offline = bool(preview.compaction.calls) and preview.writer.is_offline
    indices, words = lost_facts_by_message(worst_first(lost))
    return FidelityPage(
        figure=number_format.score(fidelity.weighted),
        tip=_TIP + (_OFFLINE if is_offline else ""),
        note=_UNCHANGED if no_op is not None else _UNWRITTEN if preview.unwritten else "",
        needed=later_needs(fidelity.demand, preview),
        bars=tuple(map(_bar, by_weight(fidelity.scores))),
        rows=(*rows[:MAX_FACT_ROWS], *_removed(preview)),
        lost=len(lost),
        curve=fidelity.curve,
        lost_indices=indices,
        unlisted=max(0, len(rows) - MAX_FACT_ROWS),
        lost_words=words,
        pins=_pins(preview, unresolved),
        can_fold=no_op is None and not preview.result_source,
        untold=sum(judged.status is FactStatus.UNCLEAR for judged in unresolved),
        heading=losses_heading(fidelity),
        scope=f"{number_format.plural(removed, 'token')} of text removed. {_ONLY_SOME}",
    )


def losses_heading(fidelity: Fidelity) -> str:
    """Return "10 of 111 known facts lost, 6 cannot be told, 1 turned round"."""
    facts = [judged for judged in fidelity.facts if judged.is_known and not judged.fact.is_resolved]
    statuses = Counter(judged.status for judged in facts)
    lost = number_format.count(statuses[FactStatus.LOST])
    parts = [f"{lost} of {number_format.plural(len(facts), 'known fact')} lost"]
    if unclear := statuses[FactStatus.UNCLEAR]:
        parts.append(f"{number_format.count(unclear)} cannot be told")
    if reversed_count := sum(judged.is_negated for judged in fidelity.facts):
        parts.append(f"{number_format.count(reversed_count)} turned round")
    return ", ".join(parts)


def _removed(preview: Preview) -> Iterator[FidelityFactRow]:
    run = preview.compaction
    sizes = {
        index: preview.counts[index]
        - sum(preview.after_counts[at] for at in [result_index_of(run, index)] if at >= 0)
        for index, fate in enumerate(run.fates)
        if fate.kind in (FateKind.EDITED, FateKind.PRUNED) and preview.counts[index] >= _MIN_REMOVED
    }
    for index in sorted(sizes, key=lambda index: -sizes[index])[:_MAX_REMOVED]:
        lead, text, _, _ = row_text(preview.messages[index], preview.conversation.cwd)
        note = f"{number_format.message_number(index)} · {number_format.signed(-sizes[index])} tokens"
        words = " ".join(filter(None, (lead, text)))
        yield FidelityFactRow(REMOVED, "", f"text {run.fates[index].kind.value}", words, note, index)


def _pins(preview: Preview, facts: Iterable[JudgedFact]) -> tuple[TextSpan, ...]:
    """Return a link that pins the unpinned constraints, and whether pins have an effect."""
    rules = [judged.fact for judged in facts if judged.fact.kind is FidelityCategory.CONSTRAINT]
    pins = {index for index, pin in preview.pins.items() if pin.kind is not PinKind.NOTE}
    unpinned = sum(rule.messages[0] not in pins for rule in rules)
    pin_link = (TextSpan(_pin_all(unpinned, len(rules)), "pin-all:"),) if unpinned else ()
    if preview.strategy.obeys_pins or not (rules or pins):
        return pin_link
    note = " · no effect, " if pin_link else f"Pins have no effect with {preview.strategy.name}, "
    return (*pin_link, TextSpan(note), pin_strategy_link())


def _pin_all(unpinned: int, rules: int) -> str:
    count = number_format.count(unpinned)
    if unpinned < rules:
        return f"Pin the other {count} rules" if unpinned > 1 else "Pin the other rule"
    return f"Pin all {count} rules" if unpinned > 1 else "Pin the rule"


def by_weight(scores: Iterable[CategoryScore]) -> list[CategoryScore]:
    return sorted((score for score in scores if score.facts), key=lambda score: -CATEGORY_WEIGHTS[score.kind])


def lost_facts(fidelity: Fidelity) -> list[JudgedFact]:
    return worst_first(
        judged
        for judged in fidelity.facts
        if judged.is_negated or (not judged.fact.is_resolved and judged.status is FactStatus.LOST)
    )


def _bar(score: CategoryScore) -> FidelityBar:
    counts = tuple(score.by_status.get(status, 0) for status in STATUSES)
    missing = number_format.signed(score.not_lost - score.facts) if score.not_lost < score.facts else ""
    label = f"{number_format.count(score.not_lost)} of {number_format.count(score.facts)}"
    return FidelityBar(score.kind.value, LABELS[score.kind], counts, label, missing)


def later_needs(demand: ForwardDemand | None, preview: Preview) -> tuple[TextSpan, ...]:
    """Return later needs, or a link to a scope that has some."""
    if demand is None:
        ends = TextSpan("Needed by later turns: – (the transcript ends here).")
        recorded = preview.conversation.recorded
        if preview.history.scope != ALL or not recorded:
            return (ends,)
        link_text = f"Look before {number_format.message_number(recorded[0].position)}"
        return (ends, TextSpan(" "), TextSpan(link_text, f"scope:{BEFORE}1"), TextSpan("."))
    if not demand.needed:
        return (TextSpan("Needed by later turns: nothing that was said before."),)
    share = number_format.percent(demand.recall or 0.0, 0)
    uses_text = number_format.percent(demand.kept_uses / max(1, demand.uses), 0)
    kept_text = f"{number_format.count(demand.kept)} of {number_format.count(demand.needed)}"
    return (
        TextSpan(f"Needed by later turns: {kept_text} still there, {share}; {uses_text} by number of uses."),
    )


def worst_first(judged: Iterable[JudgedFact]) -> list[JudgedFact]:
    """Sort facts by status, worst first, then by weight and first mention."""
    return sorted(
        judged,
        key=lambda one: (_RANKS.index(_status(one)), -CATEGORY_WEIGHTS[one.fact.kind], one.fact.messages[0]),
    )


def _status(judged: JudgedFact) -> str:
    return FLIPPED if judged.is_negated else judged.status


def _rows(fidelity: Fidelity, folder: str) -> Iterator[FidelityFactRow]:
    """Yield what was needed later, then the other facts worst first, then what no source has."""

    def row(status: str, fact: SourceFact, note: str, result_index: int = -1) -> FidelityFactRow:
        is_inside = bool(folder) and fact.kind in (FidelityCategory.FILE, FidelityCategory.PATH)
        text = fact.text.removeprefix(f"{folder.rstrip('/')}/") if is_inside else fact.text
        names = fact.kind.value, LABELS[fact.kind]
        return FidelityFactRow(status, *names, one_line_text(text), note, fact.messages[0], result_index)

    for need in fidelity.demand.lost if fidelity.demand is not None else ():
        place = number_format.message_number(need.fact.messages[0])
        yield row(NEEDED, need.fact, f"{place} · used again later")
    for one in worst_first(one for one in fidelity.facts if one.is_negated or not one.fact.is_resolved):
        yield row(_status(one), one.fact, fact_note(one), one.place)
    for item in fidelity.invented:
        note = f"result {number_format.message_number(item.place)} · nowhere in the source"
        names = item.kind.value, LABELS[item.kind], one_line_text(item.text)
        yield FidelityFactRow(INVENTED, *names, note, result_index=item.place)


_MAX_FACTS = 3  # facts listed; the others are counted
_TEXT = 60  # characters of one


def lost_facts_by_message(lost: Iterable[JudgedFact]) -> tuple[array[int], tuple[str, ...]]:
    """Return the messages that held lost facts, ascending, and their texts, worst first."""
    by_message: defaultdict[int, list[JudgedFact]] = defaultdict(list)
    for judged in lost:
        for index in judged.fact.messages:
            by_message[index].append(judged)
    indices = array("l", sorted(by_message))
    return indices, tuple(_facts_text(by_message[index]) for index in indices)


def _facts_text(lost: Sequence[JudgedFact]) -> str:
    fact_lines = [
        f"{LABELS[judged.fact.kind]}: {one_line_text(judged.fact.text, _TEXT)}"
        for judged in lost[:_MAX_FACTS]
    ]
    more_lines = [f"and {len(lost) - _MAX_FACTS:,} more"] if len(lost) > _MAX_FACTS else []
    return "\n".join((*fact_lines, *more_lines))


def decay_pages(rounds: Iterator[DecayRound], mark: str) -> Iterator[DecayPage]:
    bars: tuple[DecayBar, ...] = ()
    for number, decay_round in enumerate(islice(rounds, DECAY_ROUNDS), 1):
        bars = (*bars, _decay_bar(number, decay_round, mark))
        yield DecayPage(bars)


def _decay_bar(number: int, result: DecayRound, mark: str) -> DecayBar:
    label = number_format.score(result.weighted)
    after = f"After {number_format.plural(number, 'compaction')}"
    messages = number_format.plural(result.messages, "message")
    size_text = f"{number_format.tokens(mark, result.tokens)} tokens in {messages}"
    tip = " ".join(filter(None, (f"{after}: {label}, {size_text}.", result.no_op)))
    return DecayBar(result.weighted, label, tip)
