"""Checks and links the summaries of a preview, once per compaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.analysis.fidelity.fact_matching import find_fact
from core.analysis.fidelity.fact_texts import TextIndex, index_sentences, text_index
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_matching import FactSearchIndex
from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.check import SummaryCheckInput, SummaryFinding, has_section, summary_check
from core.analysis.summary_check.sentence_sources import LinkedSentence, summary_links
from core.analysis.summary_check.summary_sentences import SummaryPart, find_summaries
from core.preview.options import Preview, StageCache
from core.preview.preview import strategy_prompts
from core.settings.prompts.prompt_sections import required_sections
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Progress, no_progress

_T = TypeVar("_T")


def summary_findings(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SummaryFinding, ...] | None:
    """Return the findings about a result's summaries; None if it has none or they are not written yet."""
    parts = summary_parts(preview)
    if not parts:
        return None

    def check() -> tuple[SummaryFinding, ...]:
        compaction = preview.compaction
        kept_messages = frozenset(
            index for index, fate in enumerate(compaction.fates) if fate.kind is FateKind.KEPT
        )
        sizes = {
            part.place: (_source_tokens(preview, part), preview.after_counts[part.place]) for part in parts
        }
        source = _summary_source_index(preview, parts, progress)
        return summary_check(
            SummaryCheckInput(
                preview.messages,
                parts,
                source,
                kept_messages,
                _required_sections(preview, parts[0].text),
                sizes,
            )
        )

    return _cached(preview, stages, "summary check", -1, check)


def prompt_sections(preview: Preview) -> tuple[tuple[str, bool], ...]:
    """Return the sections that the prompt asks the first summary for, and whether it has each."""
    text = next((part.text for part in summary_parts(preview)), "")
    return tuple((name, has_section(text, name)) for name in _required_sections(preview, text))


def linked_summary(
    preview: Preview, place: int, stages: StageCache, progress: Progress = no_progress
) -> tuple[LinkedSentence, ...]:
    """Return the sentences of the summary at ``place`` with their sources; none for other messages."""
    part = next((candidate for candidate in summary_parts(preview) if candidate.place == place), None)
    if part is None:
        return ()

    def link() -> tuple[LinkedSentence, ...]:
        return summary_links(part, preview.messages, _summary_source_index(preview, (part,), progress))

    return _cached(preview, stages, "summary links", place, link)


def summary_parts(preview: Preview) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result; none while they are not written."""
    return () if preview.unwritten or preview.draft else find_summaries(preview.compaction)


def _cached(preview: Preview, stages: StageCache, name: str, place: int, compute: Callable[[], _T]) -> _T:
    """Cache by the id of the compaction, which is unique while the stage holds it."""
    compaction = preview.compaction

    def compute_entry() -> tuple[Compaction, _T]:
        return compaction, compute()

    return stages.get_or_compute(name, (id(compaction), place), compute_entry)[1]


def _summary_source_index(preview: Preview, parts: tuple[SummaryPart, ...], progress: Progress) -> TextIndex:
    known_texts = preview.conversation.names
    return source_index(preview.messages, (part.text for part in parts), known_texts, progress)


def _source_tokens(preview: Preview, part: SummaryPart) -> int:
    return sum(preview.counts[index] for index in part.origins)


def _required_sections(preview: Preview, text: str) -> tuple[str, ...]:
    """Return the required sections of the first prompt that the text answers. A strategy of two prompts may
    have sent only the second."""
    if preview.result_source or preview.compaction.summary is None:
        return ()
    prompts = strategy_prompts(preview.strategy, preview.writer, preview.mode).values()
    sections_by_prompt = [required_sections(prompt) for prompt in prompts]
    answered_sections = (
        sections for sections in sections_by_prompt if any(has_section(text, name) for name in sections)
    )
    return next(answered_sections, sections_by_prompt[0] if sections_by_prompt else ())


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Constraints that the summaries hold word for word, and errors that they hold."""

    constraints: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], compaction: Compaction, facts: Sequence[SourceFact]
) -> SummaryRetention:
    """Count the source's ``facts`` that summaries retain, by the match rules of fidelity. Counts only facts
    all of whose messages were summarised."""
    texts = [part.message_text for part in parts]
    texts_index = FactSearchIndex(
        text_index(texts), index_sentences({part.place: part.message_text for part in parts})
    )
    summarised = {index for part in parts for index in part.origins}
    kept_messages = {index for index, fate in enumerate(compaction.fates) if fate.kind is FateKind.KEPT}
    removed_messages = summarised - kept_messages
    summarised_facts = [fact for fact in facts if removed_messages.issuperset(fact.messages)]
    constraints = _proportion_retained(FidelityCategory.CONSTRAINT, summarised_facts, texts_index)
    return SummaryRetention(
        constraints, _proportion_retained(FidelityCategory.ERROR, summarised_facts, texts_index)
    )


def _proportion_retained(
    kind: FidelityCategory, facts: Sequence[SourceFact], index: FactSearchIndex
) -> Proportion:
    matches = [find_fact(one, index) for one in facts if one.kind is kind and not one.is_resolved]
    return Proportion(sum(one.is_complete and not one.is_reworded for one in matches), len(matches))
