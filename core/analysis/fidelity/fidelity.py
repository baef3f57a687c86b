"""Judges which facts of a history its compaction still holds (field.md section 4.2)."""

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
    parsed: ParsedTexts | None = None,
) -> Fidelity:
    """Return the fidelity of a run over its source.

    ``facts``: those of the source if already extracted. ``counts``: tokens of the source messages, for the
    position curve (default: by messages). ``known``: texts that a summary may repeat though no message
    contains them. ``parsed`` caches texts of other runs over the source.
    """
    source_facts = facts_of(messages, progress) if facts is None else facts
    index = _ResultIndex(messages, run, progress, parsed or ParsedTexts())
    judged = tuple(_judge_each(index, source_facts, progress))
    return Fidelity(
        judged,
        category_scores(judged),
        weighted_fidelity(judged),
        tuple(_invented(messages, run, known, progress)),
        recall_curve(judged, counts or [1] * len(messages)),
    )


def _judge_each(index: _ResultIndex, facts: Sequence[SourceFact], progress: Progress) -> Iterable[JudgedFact]:
    for position, fact in enumerate(facts):
        progress(position / len(facts), "Looking for facts in the result")
        yield index.judge(fact)


def fact_weight(fact: JudgedFact) -> float:
    """Return the worth of a fact's status from 0 to 1; 0 if its sense was reversed."""
    return 0.0 if fact.is_negated else WORTH[fact.status]


def category_scores(judged: Iterable[JudgedFact]) -> tuple[CategoryScore, ...]:
    """Return one score per category, in order; resolved errors do not count."""
    by_category: defaultdict[FidelityCategory, list[JudgedFact]] = defaultdict(list)
    for fact in judged:
        if not fact.fact.resolved:
            by_category[fact.fact.kind].append(fact)
    return tuple(_score(kind, by_category[kind]) for kind in FidelityCategory)


def _score(kind: FidelityCategory, judged: Sequence[JudgedFact]) -> CategoryScore:
    total = len(judged)
    recall = sum(map(fact_weight, judged)) / total if total else None
    return CategoryScore(kind, total, Counter(one.status for one in judged), recall)


def weighted_fidelity(judged: Iterable[JudgedFact]) -> float | None:
    """Return Σ weight · worth / Σ weight over all facts; None without any."""
    total = kept = 0.0
    for fact in judged:
        if not fact.fact.resolved:
            total += WEIGHTS[fact.fact.kind]
            kept += WEIGHTS[fact.fact.kind] * fact_weight(fact)
    return kept / total if total else None


def recall_curve(judged: Iterable[JudgedFact], counts: Sequence[int]) -> tuple[float | None, ...]:
    """Return the weighted recall of facts by the tenth of the source, in tokens, of their first mention."""
    sums = list(accumulate(counts, initial=0))
    total = max(1, sums[-1])
    bounds = [total * tenth / _TENTHS for tenth in range(1, _TENTHS)]
    parts: list[list[JudgedFact]] = [[] for _ in range(_TENTHS)]
    for fact in judged:
        parts[bisect_right(bounds, sums[fact.fact.messages[0]])].append(fact)
    return tuple(map(weighted_fidelity, parts))


class _ResultIndex:
    """A result prepared for finding facts: kept messages by identity, the rest by text."""

    def __init__(
        self, messages: Sequence[Message], run: Compaction, progress: Progress, parsed: ParsedTexts
    ) -> None:
        self._messages, self._run = messages, run
        self._place = {source: place for place, sources in enumerate(run.origins) for source in sources}
        texts = [text_of(message) for message in run.messages]
        copied = [place for place in range(len(texts)) if place not in run.inserted]
        self._own = _index_of(texts, copied, progress, parsed)
        self._new = _index_of(texts, sorted(run.inserted), progress, parsed)
        self._read_paths = _read_paths(messages)

    def judge(self, fact: SourceFact) -> JudgedFact:
        """Return a fact's status: in a kept message, in other source text, or in new text."""
        if kept := self._kept(fact):
            return JudgedFact(fact, FactStatus.VERBATIM, kept)
        copied, written = find_fact(fact, self._own), find_fact(fact, self._new)
        if copied.is_whole and not copied.reworded:
            return JudgedFact(fact, FactStatus.VERBATIM, copied.places)
        if written.is_whole or copied.is_whole:
            return JudgedFact(
                fact, FactStatus.SUMMARISED, written.places if written.is_whole else copied.places
            )
        partial = _best(copied, written)
        if partial.places:
            return JudgedFact(fact, FactStatus.PARTIAL, partial.places, partial.is_negated)
        return self._recoverable(fact)

    def _kept(self, fact: SourceFact) -> tuple[int, ...]:
        """Return the result places of kept messages that mention a fact. A todo needs all of its messages:
        one holds its text, another its state."""
        fates = self._run.fates
        kept = [index for index in fact.messages if fates[index].kind is FateKind.KEPT]
        if fact.kind is FidelityCategory.TODO and len(kept) < len(fact.messages):
            return ()
        return tuple(self._place[index] for index in kept if index in self._place)

    def _recoverable(self, fact: SourceFact) -> JudgedFact:
        """Return a fact as recoverable if the result still names the file that it came from."""
        for index in fact.messages:
            path = self._read_paths.get(index, "")
            named = self._naming(path) if path else ()
            if named:
                return JudgedFact(fact, FactStatus.RECOVERABLE, named[:1])
        return JudgedFact(fact, FactStatus.LOST)

    def _naming(self, path: str) -> tuple[int, ...]:
        fact = SourceFact(FidelityCategory.PATH, path, path, (0,), (path,))
        return find_fact(fact, self._own).places or find_fact(fact, self._new).places


def _best(copied: FactMatch, written: FactMatch) -> FactMatch:
    """Return the partial match that is not flipped, the source's own first."""
    found = [match for match in (copied, written) if match.places]
    upright = [match for match in found if not match.is_negated]
    return next(iter((*upright, *found)), NOTHING)


def _index_of(
    texts: Sequence[str], places: Sequence[int], progress: Progress, parsed: ParsedTexts
) -> FactSearchIndex:
    """Index the texts at some places; others are blank so that indices stay valid."""
    wanted = frozenset(places)
    selected = [text if place in wanted else "" for place, text in enumerate(texts)]
    return FactSearchIndex(
        text_index(selected, progress, parsed),
        index_sentences(((place, texts[place]) for place in places), parsed),
    )


def _read_paths(messages: Sequence[Message]) -> dict[int, str]:
    """Return, by message index, the path of the file that a tool result was read from."""
    calls: dict[str, str] = {}
    paths: dict[int, str] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            path = path_argument(call.arguments)
            if path:
                calls[call.id] = path
        for response in tool_responses(message):
            if response.call_id in calls:
                paths[index] = calls[response.call_id]
    return paths


def _invented(
    messages: Sequence[Message], run: Compaction, known: Sequence[str], progress: Progress
) -> Iterable[InventedFact]:
    """Return names and values in summaries that no source contains."""
    if not run.inserted:
        return ()
    summaries = [(place, text_of(run.messages[place])) for place in sorted(run.inserted)]
    return invented_facts(summaries, source_index(messages, (text for _, text in summaries), known, progress))
