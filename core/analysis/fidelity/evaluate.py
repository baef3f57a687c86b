"""Evaluates the fidelity of a preview on demand, once per compaction."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.fidelity.fact_texts import ParsedTexts
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.later_use import demand_on_result, find_later_uses
from core.analysis.fidelity.model import Fidelity, FidelityCategory, ForwardDemand, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from core.preview.options import Preview, StageCache
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress, no_progress
from core.transcript.scopes import BEFORE

_STAGE = "fidelity"


def fidelity_of(
    preview: Preview, stages: StageCache, progress: Progress = no_progress, parsed: ParsedTexts | None = None
) -> Fidelity:
    """Return what a result keeps of its source's facts and of what the session needed later. Facts are
    extracted once per scope in ``stages``, a compaction is judged once. ``progress`` may raise Cancelled;
    ``parsed`` holds texts of other results of the source."""
    facts = source_facts(preview, stages, progress)

    def evaluate() -> tuple[Compaction, Fidelity]:
        known_texts = preview.conversation.names
        counts, demand = preview.counts, preview_demand(preview, stages, parsed)
        fidelity = judge_fidelity(
            preview.messages, preview.written_compaction, counts, facts, progress, known_texts, parsed
        )
        return preview.compaction, replace(fidelity, demand=demand)

    return stages.get_or_compute(_STAGE, _cache_key(preview), evaluate)[1]


def active_constraints(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """Return the user's rules in the source that still apply."""
    facts = source_facts(preview, stages, progress)
    return tuple(fact for fact in facts if fact.kind is FidelityCategory.CONSTRAINT)


def source_facts(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """Return the facts of a preview's history, extracted once per scope."""
    return stages.get_or_compute(
        "facts", preview.history.scope, lambda: extract_source_facts(preview.messages, progress)
    )


def _cache_key(preview: Preview) -> tuple[int, str]:
    """Identify a compaction by ``id``, unique while the stage holds it, and its format."""
    return id(preview.compaction), preview.target_format


def preview_demand(
    preview: Preview, stages: StageCache, parsed: ParsedTexts | None = None
) -> ForwardDemand | None:
    """Return what the session needed after scope ``before:N``; None if it ended there."""
    key = preview.history.scope
    later_uses = stages.get_or_compute(
        "needs", key, lambda: find_later_uses(preview.messages, later_messages(preview))
    )
    return (
        None
        if later_uses is None
        else demand_on_result(later_uses, preview.written_compaction.messages, parsed)
    )


def later_messages(preview: Preview) -> tuple[Message, ...]:
    """Return the messages after scope ``before:N``; none for other scopes."""
    scope, conversation = preview.history.scope, preview.conversation
    if not scope.startswith(BEFORE):
        return ()
    recorded = conversation.recorded[int(scope.removeprefix(BEFORE)) - 1]
    return conversation.messages[recorded.position :]
