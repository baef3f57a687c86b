"""Checks the summaries of a preview and finds the source messages of their sentences, once for
each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.losses.model import SummaryEvidence
from core.losses.sentence_sources import LinkedSentence, summary_links
from core.losses.source_texts import source_index
from core.losses.summary_check import (
    SummaryFinding,
    has_section,
    summary_check,
)
from core.losses.summary_evidence import summary_evidence
from core.losses.summary_sentences import SummaryPart, find_summaries
from core.losses.texts import TextIndex
from core.preview.options import Preview, StageCache
from core.settings.prompts.prompt_sections import required_sections
from core.transcript.compaction import Compaction
from core.transcript.model import Progress, no_progress

_T = TypeVar("_T")


def summary_findings(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SummaryFinding, ...] | None:
    """Return the findings about a result's summaries; None if it has none or they are not written
    yet."""
    parts = summary_parts(preview)
    if not parts:
        return None

    def check() -> tuple[SummaryFinding, ...]:
        sizes = {
            part.index: (
                _source_tokens(preview, part),
                preview.result.after_counts[part.index],
            )
            for part in parts
        }
        evidence = summary_evidence_of(preview, stages, progress)
        return summary_check(
            parts, evidence, _required_sections(preview, parts[0].text), sizes
        )

    return _cached(preview, stages, "summary check", -1, check)


def summary_evidence_of(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> SummaryEvidence:
    """Return what the summaries of a result name that no message has."""
    parts = summary_parts(preview)

    def look() -> SummaryEvidence:
        return summary_evidence(
            parts, preview.messages, _summary_source_index(preview, parts, progress)
        )

    if parts:
        return _cached(preview, stages, "summary names", -1, look)
    return SummaryEvidence()


def prompt_sections(preview: Preview) -> tuple[tuple[str, bool], ...]:
    """Return the sections that the prompt asks the first summary for, and whether it has each."""
    text = next((part.text for part in summary_parts(preview)), "")
    return tuple(
        (name, has_section(text, name)) for name in _required_sections(preview, text)
    )


def linked_summary(
    preview: Preview,
    result_index: int,
    stages: StageCache,
    progress: Progress = no_progress,
) -> tuple[LinkedSentence, ...]:
    """Return the sentences of the summary at ``result_index`` with their sources; none for other
    messages."""
    part = next(
        (
            candidate
            for candidate in summary_parts(preview)
            if candidate.index == result_index
        ),
        None,
    )
    if part is None:
        return ()

    def link() -> tuple[LinkedSentence, ...]:
        return summary_links(
            part, preview.messages, _summary_source_index(preview, (part,), progress)
        )

    return _cached(preview, stages, "summary links", result_index, link)


def summary_parts(preview: Preview) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result; none while they are not written."""
    if preview.summary.unwritten or preview.summary.provisional:
        return ()
    return find_summaries(preview.result.compaction)


def _cached(
    preview: Preview,
    stages: StageCache,
    name: str,
    result_index: int,
    compute: Callable[[], _T],
) -> _T:
    """Cache by the id of the compaction, which is unique while the stage holds it."""
    compaction = preview.result.compaction

    def compute_entry() -> tuple[Compaction, _T]:
        return compaction, compute()

    return stages.get_or_compute(name, (id(compaction), result_index), compute_entry)[1]


def _summary_source_index(
    preview: Preview, parts: tuple[SummaryPart, ...], progress: Progress
) -> TextIndex:
    known_texts = preview.source.conversation.names
    return source_index(
        preview.messages, (part.text for part in parts), known_texts, progress
    )


def _source_tokens(preview: Preview, part: SummaryPart) -> int:
    return sum(preview.source.counts[index] for index in part.origins)


def _required_sections(preview: Preview, text: str) -> tuple[str, ...]:
    """Return the required sections of the first prompt that the text answers. A strategy of two
    prompts may have sent only the second."""
    if preview.result.result_source or preview.result.compaction.summary is None:
        return ()
    sections_by_prompt = [
        required_sections(prompt) for prompt in preview.context.prompts.values()
    ]
    answered_sections = (
        sections
        for sections in sections_by_prompt
        if any(has_section(text, name) for name in sections)
    )
    return next(answered_sections, sections_by_prompt[0] if sections_by_prompt else ())
