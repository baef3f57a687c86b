"""Which facts of a history its compaction still holds, and how (field.md section 4.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from core.analysis.fidelity.fact_matching import NOTHING, FactMatch, FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import ParsedTexts, index_sentences, text_index, text_of
from core.analysis.fidelity.model import (
    WEIGHTS,
    WORTH,
    CategoryScore,
    FactStatus,
    Fidelity,
    FidelityCategory,
    InventedFact,
    JudgedFact,
    SourceFact,
)
from core.analysis.fidelity.source_facts import facts_of
from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.invented_names import invented_facts
from core.facts.file_accesses import path_argument
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Progress, no_progress, tool_calls, tool_responses

_TENTHS = 10


def judge_fidelity(
    messages: Sequence[Message],
    run: Compaction,
    counts: Sequence[int] = (),
    facts: Sequence[SourceFact] | None = None,
    progress: Progress = no_progress,
    known: Sequence[str] = (),
    read: ParsedTexts | None = None,
) -> Fidelity:
    """The fidelity of a run over its source. ``facts`` where they were looked for already; ``counts`` are
    the tokens of the source's messages, by which the position curve is divided (else by messages);
    ``known`` are texts that a summary may repeat though no message says them; ``read`` are texts that other
    runs over the same source had to do with."""
    found = facts_of(messages, progress) if facts is None else facts
    bench = _ResultIndex(messages, run, progress, read or ParsedTexts())
    judged = tuple(_judged(bench, found, progress))
    return Fidelity(
        judged,
        category_scores(judged),
        weighted_fidelity(judged),
        tuple(_invented(messages, run, known, progress)),
        recall_curve(judged, counts or [1] * len(messages)),
    )


def _judged(bench: _ResultIndex, facts: Sequence[SourceFact], progress: Progress) -> Iterable[JudgedFact]:
    for number, fact in enumerate(facts):
        progress(number / len(facts), "Looking for facts in the result")
        yield bench.judge(fact)


def fact_weight(one: JudgedFact) -> float:
    """What a fact counts, from 0 to 1: by its status, nothing where its sense was turned round."""
    return 0.0 if one.flipped else WORTH[one.status]


def category_scores(judged: Iterable[JudgedFact]) -> tuple[CategoryScore, ...]:
    """One score per category, in the order of the categories; resolved errors do not count."""
    found: defaultdict[FidelityCategory, list[JudgedFact]] = defaultdict(list)
    for one in judged:
        if not one.fact.resolved:
            found[one.fact.kind].append(one)
    return tuple(_score(kind, found[kind]) for kind in FidelityCategory)


def _score(kind: FidelityCategory, judged: Sequence[JudgedFact]) -> CategoryScore:
    total = len(judged)
    recall = sum(map(fact_weight, judged)) / total if total else None
    return CategoryScore(kind, total, Counter(one.status for one in judged), recall)


def weighted_fidelity(judged: Iterable[JudgedFact]) -> float | None:
    """Σ weight · worth / Σ weight over all facts; None without any."""
    total = kept = 0.0
    for one in judged:
        if not one.fact.resolved:
            total += WEIGHTS[one.fact.kind]
            kept += WEIGHTS[one.fact.kind] * fact_weight(one)
    return kept / total if total else None


def recall_curve(judged: Iterable[JudgedFact], counts: Sequence[int]) -> tuple[float | None, ...]:
    """The weighted recall of the facts first met in each tenth of the source, by tokens."""
    sums = list(accumulate(counts, initial=0))
    whole = max(1, sums[-1])
    bounds = [whole * tenth / _TENTHS for tenth in range(1, _TENTHS)]
    parts: list[list[JudgedFact]] = [[] for _ in range(_TENTHS)]
    for one in judged:
        parts[bisect_right(bounds, sums[one.fact.messages[0]])].append(one)
    return tuple(map(weighted_fidelity, parts))


class _ResultIndex:
    """A result, prepared for looking up facts: kept messages by identity, the rest by text."""

    def __init__(
        self, messages: Sequence[Message], run: Compaction, progress: Progress, read: ParsedTexts
    ) -> None:
        self._messages, self._run = messages, run
        self._place = {source: place for place, sources in enumerate(run.origins) for source in sources}
        texts = [text_of(message) for message in run.messages]
        own = [place for place in range(len(texts)) if place not in run.inserted]
        self._own = _shelf(texts, own, progress, read)
        self._new = _shelf(texts, sorted(run.inserted), progress, read)
        self._paths = _paths(messages)

    def judge(self, fact: SourceFact) -> JudgedFact:
        """The status of one fact: where it was said, else in other words of the source, else in new ones."""
        if kept := self._kept(fact):
            return JudgedFact(fact, FactStatus.VERBATIM, kept)
        own, new = find_fact(fact, self._own), find_fact(fact, self._new)
        if own.whole and not own.reworded:
            return JudgedFact(fact, FactStatus.VERBATIM, own.places)
        if new.whole or own.whole:
            return JudgedFact(fact, FactStatus.SUMMARISED, new.places if new.whole else own.places)
        part = _best(own, new)
        if part.places:
            return JudgedFact(fact, FactStatus.PARTIAL, part.places, part.flipped)
        return self._recoverable(fact)

    def _kept(self, fact: SourceFact) -> tuple[int, ...]:
        """Result places of the messages that mention it and stayed as they were.

        A todo needs all of them: one that says what it is, one how far it is.
        """
        fates = self._run.fates
        stayed = [index for index in fact.messages if fates[index].kind is FateKind.KEPT]
        if fact.kind is FidelityCategory.TODO and len(stayed) < len(fact.messages):
            return ()
        return tuple(self._place[index] for index in stayed if index in self._place)

    def _recoverable(self, fact: SourceFact) -> JudgedFact:
        """A fact out of a file is not lost for good while the result names the file."""
        for index in fact.messages:
            path = self._paths.get(index, "")
            named = self._named(path) if path else ()
            if named:
                return JudgedFact(fact, FactStatus.RECOVERABLE, named[:1])
        return JudgedFact(fact, FactStatus.LOST)

    def _named(self, path: str) -> tuple[int, ...]:
        one = SourceFact(FidelityCategory.PATH, path, path, (0,), (path,))
        return find_fact(one, self._own).places or find_fact(one, self._new).places


def _best(own: FactMatch, new: FactMatch) -> FactMatch:
    """Of two partial matches the one that is not flipped, the source's own first."""
    found = [one for one in (own, new) if one.places]
    upright = [one for one in found if not one.flipped]
    return next(iter((*upright, *found)), NOTHING)


def _shelf(
    texts: Sequence[str], places: Sequence[int], progress: Progress, read: ParsedTexts
) -> FactSearchIndex:
    """The texts at some places; the others are blank, so that places stay what they are."""
    wanted = frozenset(places)
    only = [text if place in wanted else "" for place, text in enumerate(texts)]
    return FactSearchIndex(
        text_index(only, progress, read), index_sentences(((place, texts[place]) for place in places), read)
    )


def _paths(messages: Sequence[Message]) -> dict[int, str]:
    """The file that the result in a message was read from, by the message's place."""
    calls: dict[str, str] = {}
    found: dict[int, str] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            path = path_argument(call.arguments)
            if path:
                calls[call.id] = path
        for response in tool_responses(message):
            if response.call_id in calls:
                found[index] = calls[response.call_id]
    return found


def _invented(
    messages: Sequence[Message], run: Compaction, known: Sequence[str], progress: Progress
) -> Iterable[InventedFact]:
    """What summaries say that no source has."""
    if not run.inserted:
        return ()
    said = [(place, text_of(run.messages[place])) for place in sorted(run.inserted)]
    return invented_facts(said, source_index(messages, (text for _, text in said), known, progress))
