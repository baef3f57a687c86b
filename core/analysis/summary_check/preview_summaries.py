"""The summaries of a preview's result, checked and linked to their sources: once per compaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.analysis.fidelity.source_index import SourceIndex, source_index
from core.analysis.summary_check.check import SummaryCheckInput, SummaryFinding, has_section, summary_check
from core.analysis.summary_check.sentence_sources import LinkedSentence, summary_links
from core.analysis.summary_check.summary_sentences import SummaryPart, find_summaries
from core.preview.options import Preview, StageCache
from core.preview.preview import prompts_of
from core.settings.prompts import required_sections
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Progress, no_progress

_T = TypeVar("_T")


def check_of(
    made: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SummaryFinding, ...] | None:
    """What the summaries of a preview's result lack; None where it has none, or it is not written yet."""
    parts = summary_parts(made)
    if not parts:
        return None

    def checked() -> tuple[SummaryFinding, ...]:
        run = made.compaction
        kept = frozenset(at for at, fate in enumerate(run.fates) if fate.kind is FateKind.KEPT)
        sizes = {part.place: (_tokens(made, part), made.after_counts[part.place]) for part in parts}
        source = _index(made, parts, progress)
        return summary_check(
            SummaryCheckInput(made.messages, parts, source, kept, _sections(made, parts[0].text), sizes)
        )

    return _once(made, stages, "summary check", -1, checked)


def summary_links_of(
    made: Preview, place: int, stages: StageCache, progress: Progress = no_progress
) -> tuple[LinkedSentence, ...]:
    """The sentences of the summary at a place of the result, with their sources; none for other messages."""
    part = next((one for one in summary_parts(made) if one.place == place), None)
    if part is None:
        return ()

    def linked() -> tuple[LinkedSentence, ...]:
        return summary_links(part, made.messages, _index(made, (part,), progress))

    return _once(made, stages, "summary links", place, linked)


def summary_parts(made: Preview) -> tuple[SummaryPart, ...]:
    """The summaries of a preview's result; none while they are not written."""
    return () if made.unwritten or made.draft else find_summaries(made.compaction)


def _once(made: Preview, stages: StageCache, name: str, place: int, make: Callable[[], _T]) -> _T:
    """By the identity of the compaction, which is its own as long as the stage holds it."""
    run = made.compaction

    def held() -> tuple[Compaction, _T]:
        return run, make()

    return stages.once(name, (id(run), place), held)[1]


def _index(made: Preview, parts: tuple[SummaryPart, ...], progress: Progress) -> SourceIndex:
    known = made.conversation.names
    return source_index(made.messages, (part.text for part in parts), known, progress)


def _tokens(made: Preview, part: SummaryPart) -> int:
    """Of the messages that a summary stands for."""
    return sum(made.counts[index] for index in part.origins)


def _sections(made: Preview, text: str) -> tuple[str, ...]:
    """The sections that the prompt asked the summary for.

    A strategy of two prompts may have sent the second one alone; then the text has none of the first's.
    """
    if made.beside or made.compaction.summary is None:
        return ()
    prompts = prompts_of(made.strategy, made.writer, made.mode).values()
    asked = [required_sections(prompt) for prompt in prompts]
    answered = (one for one in asked if any(has_section(text, name) for name in one))
    return next(answered, asked[0] if asked else ())
