"""The fidelity of a preview: judged when it is asked for, once per compaction."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.fidelity.fact_texts import ParsedTexts
from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.later_use import forward_demand_of, needs_of
from core.analysis.fidelity.model import Fidelity, FidelityCategory, ForwardDemand, SourceFact
from core.analysis.fidelity.source_facts import facts_of
from core.preview.options import Preview, StageCache
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress, no_progress
from core.transcript.scopes import BEFORE

_STAGE = "fidelity"


def fidelity_of(
    made: Preview, stages: StageCache, progress: Progress = no_progress, read: ParsedTexts | None = None
) -> Fidelity:
    """What a preview's result holds of its source's facts, and of what the session needed later.

    ``stages`` are those of the conversation: facts are looked for once per scope, a compaction is
    judged once. Cancelled comes out of ``progress``; ``read`` are the texts of other results of the source.
    """
    facts = source_facts(made, stages, progress)

    def judged() -> tuple[Compaction, Fidelity]:
        known = made.conversation.names
        found = judge_fidelity(made.messages, made.judged, made.counts, facts, progress, known, read)
        return made.compaction, replace(found, demand=forward_demand_of_preview(made, stages, read))

    return stages.once(_STAGE, _key(made), judged)[1]


def standing_constraints(
    made: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """The rules of the person in a preview's source that stand."""
    facts = source_facts(made, stages, progress)
    return tuple(fact for fact in facts if fact.kind is FidelityCategory.CONSTRAINT)


def source_facts(
    made: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """The facts of a preview's history; looked for once per scope."""
    return stages.once("facts", made.history.scope, lambda: facts_of(made.messages, progress))


def known_fidelity(made: Preview, stages: StageCache) -> Fidelity | None:
    """What was judged before of a preview's result; None where it was not yet."""
    known = stages.results.get((_STAGE, _key(made)))
    return known[1] if isinstance(known, tuple) else None


def _key(made: Preview) -> tuple[int, str]:
    """A compaction by its identity, which is its own as long as the stage holds it, and its format."""
    return id(made.compaction), made.to


def forward_demand_of_preview(
    made: Preview, stages: StageCache, read: ParsedTexts | None = None
) -> ForwardDemand | None:
    """What the session needed after the scope ``before:N``; None where the transcript ends with the scope.
    ``read`` are the texts of other results of the source."""
    key = made.history.scope
    needs = stages.once("needs", key, lambda: needs_of(made.messages, later_messages(made)))
    return None if needs is None else forward_demand_of(needs, made.judged.messages, read)


def later_messages(made: Preview) -> tuple[Message, ...]:
    """What the session went on to say after the scope of a preview; nothing but for ``before:N``."""
    scope, conversation = made.history.scope, made.conversation
    if not scope.startswith(BEFORE):
        return ()
    recorded = conversation.recorded[int(scope.removeprefix(BEFORE)) - 1]
    return conversation.messages[recorded.position :]
