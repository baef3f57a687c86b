"""Judges which facts of a history its compaction still holds (field.md section 4.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from core.analysis.fidelity.contradictions import Contradiction, contradictions, is_quoted
from core.analysis.fidelity.fact_matching import find_fact
from core.analysis.fidelity.fact_texts import (
    ParsedTexts,
    TextIndex,
    flat_text,
    index_sentences,
    searchable_text,
    text_index,
)
from core.analysis.fidelity.model import (
    CATEGORY_WEIGHTS,
    STATUS_WEIGHTS,
    CategoryScore,
    FactStatus,
    Fidelity,
    FidelityCategory,
    JudgedFact,
    SourceFact,
)
from core.analysis.fidelity.sentence_matching import FactSearchIndex, split_text
from core.analysis.fidelity.source_facts import extract_source_facts
from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.summary_sentences import invented_facts
from core.facts.file_accesses import path_argument
from core.strategies.stubs import RULE
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Progress, no_progress, tool_calls, tool_responses
from core.transcript.todos import last_todos

_TENTHS = 10


def judge_fidelity(
    messages: Sequence[Message],
    compaction: Compaction,
    counts: Sequence[int] = (),
    facts: Sequence[SourceFact] | None = None,
    progress: Progress = no_progress,
    known_texts: Sequence[str] = (),
    parsed: ParsedTexts | None = None,
) -> Fidelity:
    """Return the fidelity of a run over its source.

    ``facts``: those of the source if already extracted. ``counts``: tokens of the source messages, for the
    position curve (default: by messages). ``known_texts``: texts that a summary may repeat though no message
    contains them. ``parsed`` caches texts of other runs over the source.
    """
    source_facts = extract_source_facts(messages, progress) if facts is None else facts
    summaries = _summaries(compaction)
    source = source_index(messages, (text for _, text in summaries), known_texts, progress)
    found = tuple(contradictions(messages, summaries, source, _failures(source_facts)))
    index = _ResultIndex(messages, compaction, progress, parsed, source, source_facts)
    judged = tuple(_with_contradictions(_judge_each(index, source_facts, progress), found))
    known = tuple(fact for fact in judged if fact.is_known)
    return Fidelity(
        judged,
        category_scores(known),
        weighted_fidelity(known),
        tuple(invented_facts(summaries, source)),
        recall_curve(known, counts or [1] * len(messages)),
    )


def _judge_each(index: _ResultIndex, facts: Sequence[SourceFact], progress: Progress) -> Iterable[JudgedFact]:
    for position, fact in enumerate(facts):
        progress(position / len(facts), "Looking for facts in the result")
        yield index.judge(fact)


def _failures(facts: Iterable[SourceFact]) -> dict[int, bool]:
    """Return the messages with a failure of a tool, and whether all of it was resolved. No command says
    whether one that a person reported was."""
    resolved: dict[int, bool] = {}
    for fact in facts:
        if fact.kind is FidelityCategory.ERROR and not fact.by_user:
            for message in fact.messages:
                resolved[message] = resolved.get(message, True) and fact.is_resolved
    return resolved


def status_weight(judged_fact: JudgedFact) -> float:
    """Return the worth of a fact's status from 0 to 1; 0 if its sense was reversed."""
    return 0.0 if judged_fact.is_negated else STATUS_WEIGHTS[judged_fact.status]


def category_scores(judged: Iterable[JudgedFact]) -> tuple[CategoryScore, ...]:
    """Return one score per category, in order; resolved errors do not count."""
    by_category: defaultdict[FidelityCategory, list[JudgedFact]] = defaultdict(list)
    for judged_fact in judged:
        if not judged_fact.fact.is_resolved:
            by_category[judged_fact.fact.kind].append(judged_fact)
    return tuple(_category_score(kind, by_category[kind]) for kind in FidelityCategory)


def _category_score(kind: FidelityCategory, judged: Sequence[JudgedFact]) -> CategoryScore:
    told = [judged_fact for judged_fact in judged if judged_fact.status is not FactStatus.UNCLEAR]
    recall = sum(map(status_weight, told)) / len(told) if told else None
    return CategoryScore(kind, len(judged), Counter(judged_fact.status for judged_fact in judged), recall)


def weighted_fidelity(judged: Iterable[JudgedFact]) -> float | None:
    """Return Σ weight · worth / Σ weight over all facts; None without any."""
    total_weight = retained_weight = 0.0
    for judged_fact in judged:
        if not judged_fact.fact.is_resolved and judged_fact.status is not FactStatus.UNCLEAR:
            total_weight += CATEGORY_WEIGHTS[judged_fact.fact.kind]
            retained_weight += CATEGORY_WEIGHTS[judged_fact.fact.kind] * status_weight(judged_fact)
    return retained_weight / total_weight if total_weight else None


def recall_curve(judged: Iterable[JudgedFact], counts: Sequence[int]) -> tuple[float | None, ...]:
    """Return the weighted recall of facts by the tenth of the source, in tokens, of their first mention."""
    sums = list(accumulate(counts, initial=0))
    total = max(1, sums[-1])
    bounds = [total * tenth / _TENTHS for tenth in range(1, _TENTHS)]
    facts_by_tenth: list[list[JudgedFact]] = [[] for _ in range(_TENTHS)]
    for judged_fact in judged:
        facts_by_tenth[bisect_right(bounds, sums[judged_fact.fact.messages[0]])].append(judged_fact)
    return tuple(map(weighted_fidelity, facts_by_tenth))


class _ResultIndex:
    """A result prepared for finding facts: kept messages by identity, the rest by text."""

    def __init__(
        self,
        messages: Sequence[Message],
        compaction: Compaction,
        progress: Progress,
        parsed: ParsedTexts | None,
        source: TextIndex,
        facts: Sequence[SourceFact],
    ) -> None:
        self._messages, self._compaction, self._source = messages, compaction, source
        self._result_place = {
            source: place for place, sources in enumerate(compaction.origins) for source in sources
        }
        self._read_paths = _read_paths(messages)
        searched = [fact for fact in facts if not self._kept_places(fact)]
        needles = [*self._read_paths.values(), *_needles_of(searched)]
        self._texts = texts = [
            source.raw[origins[0]]
            if origins and messages[origins[0]] is message
            else searchable_text(message)
            for message, origins in zip(compaction.messages, compaction.origins, strict=True)
        ]
        copied_places = [place for place in range(len(texts)) if place not in compaction.inserted]
        self._copied_index = replace(
            _search_index(texts, copied_places, progress, parsed, needles), is_written=False
        )
        written_places = sorted(compaction.inserted)
        self._written_index = _search_index(texts, written_places, progress, parsed)
        # only of these the source says later that they are done
        self._listed = {todo.content for todo in last_todos(messages)}

    def judge(self, fact: SourceFact) -> JudgedFact:
        """Return a fact's status: in a kept message, in other source text, or in new text."""
        if kept_places := self._kept_places(fact):
            return JudgedFact(fact, FactStatus.VERBATIM, kept_places[0])
        copied_match = find_fact(fact, self._copied_index)
        if copied_match.is_complete and not copied_match.is_reworded:
            return JudgedFact(fact, FactStatus.VERBATIM, copied_match.places[0])
        written_match = find_fact(fact, self._written_index)
        for match in (written_match, copied_match):
            if match.is_complete:
                return JudgedFact(fact, FactStatus.SUMMARISED, match.places[0])
        is_plan = fact.kind is FidelityCategory.TODO and fact.text not in self._listed
        if written_match.is_negated and (is_plan or not find_fact(fact, self._own_index).is_negated):
            written_match = replace(written_match, is_negated=False, is_unclear=True)
        is_later_known = self._compaction.fates[fact.messages[-1]].kind is FateKind.KEPT
        if written_match.is_negated and not is_later_known:
            return JudgedFact(fact, FactStatus.PARTIAL, written_match.places[0], is_negated=True)
        matches = [match for match in (copied_match, written_match) if match.places]
        matches = [replace(match, is_unclear=match.is_unclear or match.is_negated) for match in matches]
        if partial_match := next((match for match in matches if not match.is_unclear), None):
            return JudgedFact(fact, FactStatus.PARTIAL, partial_match.places[0])
        recoverable = self._recoverable_fact(fact)
        if matches and recoverable.status is FactStatus.LOST:
            return JudgedFact(fact, FactStatus.UNCLEAR, matches[0].places[0])
        return recoverable

    @cached_property
    def _own_index(self) -> FactSearchIndex:
        """The summaries without what they quote, which contradicts nothing."""
        places = sorted(self._compaction.inserted)
        texts = [
            _without_quotations(text, self._source) if place in places else ""
            for place, text in enumerate(self._texts)
        ]
        return _search_index(texts, places, no_progress)

    def _kept_places(self, fact: SourceFact) -> tuple[int, ...]:
        """Return the result places of kept messages that mention a fact. A todo needs all of its messages:
        one holds its text, another its state."""
        fates = self._compaction.fates
        kept_messages = [index for index in fact.messages if fates[index].kind is FateKind.KEPT]
        if fact.kind is FidelityCategory.TODO and len(kept_messages) < len(fact.messages):
            return ()
        return tuple(self._result_place[index] for index in kept_messages if index in self._result_place)

    def _recoverable_fact(self, fact: SourceFact) -> JudgedFact:
        """Return a fact as recoverable if a stub stands for it or the result names the file it came from."""
        for index in fact.messages:
            if self._compaction.fates[index].last.rule == RULE:
                return JudgedFact(fact, FactStatus.RECOVERABLE, self._result_place[index])
            path = self._read_paths.get(index, "")
            naming_places = self._places_naming(path) if path else ()
            if naming_places:
                return JudgedFact(fact, FactStatus.RECOVERABLE, naming_places[0])
        return JudgedFact(fact, FactStatus.LOST)

    def _places_naming(self, path: str) -> tuple[int, ...]:
        fact = SourceFact(FidelityCategory.PATH, path, path, (0,), (path,))
        return find_fact(fact, self._copied_index).places or find_fact(fact, self._written_index).places


def _needles_of(facts: Iterable[SourceFact]) -> Iterator[str]:
    return (text for fact in facts for text in (fact.text, *fact.needles))


def _search_index(
    texts: Sequence[str],
    places: Sequence[int],
    progress: Progress,
    parsed: ParsedTexts | None = None,
    needles: Sequence[str] | None = None,
) -> FactSearchIndex:
    """Index the texts at some places; others are blank so that indices stay valid."""
    selected_places = frozenset(places)
    selected = [text if place in selected_places else "" for place, text in enumerate(texts)]
    return FactSearchIndex(
        text_index(selected, progress, parsed, needles),
        index_sentences({place: texts[place] for place in places}, parsed, needles),
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


def _without_quotations(text: str, source: TextIndex) -> str:
    """Return a summary without the sentences that the source has word for word, which contradict nothing."""
    return "\n".join(
        sentence for sentence in split_text(text) if sentence and not is_quoted(sentence, source)
    )


def _summaries(compaction: Compaction) -> list[tuple[int, str]]:
    return [(place, searchable_text(compaction.messages[place])) for place in sorted(compaction.inserted)]


def _with_contradictions(
    judged: Iterable[JudgedFact], found: Iterable[Contradiction]
) -> Iterator[JudgedFact]:
    """Yield the facts, those that a summary contradicts as turned round; a contradicted sentence that is no
    known fact is added."""
    places = {(one.message, flat_text(one.source)): one.place for one in found}
    for fact in judged:
        hits = [
            key
            for key in places
            if key[0] in fact.fact.messages
            and (key[1] in flat_text(fact.fact.text) or flat_text(fact.fact.text) in key[1])
        ]
        for key in hits[:1]:
            fact = JudgedFact(fact.fact, FactStatus.PARTIAL, places.pop(key), is_negated=True)
        yield fact
    for (message, text), place in places.items():
        source = SourceFact(FidelityCategory.DECISION, text, text, (message,), (text,))
        yield JudgedFact(source, FactStatus.PARTIAL, place, is_negated=True, is_known=False)
