"""The losses of a preview, computed on demand and once per compaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind
from core.losses.evidence import Evidence, EvidenceStatus, Losses, find_evidence
from core.losses.needed_later import (
    LaterNeeds,
    NeededLater,
    find_needs,
    needed_later,
)
from core.losses.summary_check import summary_evidence_of
from core.losses.texts import ParsedTexts
from core.preview.options import Preview, StageCache
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Progress, Text, no_progress
from core.transcript.scopes import BEFORE


def losses_of(
    preview: Preview,
    stages: StageCache,
    progress: Progress = no_progress,
    parsed: ParsedTexts | None = None,
) -> Losses:
    """Return what a result lost of its source. Facts are extracted once per scope in ``stages``, a
    compaction is looked at once. ``progress`` may raise Cancelled; ``parsed`` holds texts of other
    results."""

    def compute() -> tuple[Compaction, Losses]:
        return preview.result.compaction, _losses(preview, stages, progress, parsed)

    key = (
        id(preview.result.compaction),
        preview.result.target_format,
    )  # the id is unique while the stage holds it
    return stages.get_or_compute("losses", key, compute)[1]


def _losses(
    preview: Preview, stages: StageCache, progress: Progress, parsed: ParsedTexts | None
) -> Losses:
    compaction = evidence_compaction(preview)
    facts = source_facts(preview, stages, progress)
    if preview.summary.unwritten:
        needed = None
    else:
        needed = preview_needed(preview, stages)
    changed = sum(fate.kind is not FateKind.KEPT for fate in compaction.fates)
    found = list(find_evidence(compaction, facts, progress, parsed))
    return Losses(
        removed_tokens=max(
            0, preview.sizes.message_tokens_before - preview.sizes.message_tokens_after
        ),
        removed_messages=changed,
        items=tuple(with_needs(found, needed)),
        summary=summary_evidence_of(preview, stages, progress),
        needed=needed,
        is_written=not preview.summary.unwritten,
        summary_profile=preview.summary.profile.name,
    )


def evidence_compaction(preview: Preview) -> Compaction:
    """Return a result as it would be exported; what is not written yet says nothing."""
    compaction = preview.written_compaction
    if preview.summary.unwritten:
        return _without_summaries(compaction)
    return compaction


def _without_summaries(compaction: Compaction) -> Compaction:
    """Return a compaction whose inserted messages say nothing: they stand for what is not written
    yet."""
    messages = tuple(
        replace(message, blocks=(Text(""),))
        if index in compaction.inserted
        else message
        for index, message in enumerate(compaction.messages)
    )
    return replace(compaction, messages=messages)


def with_needs(
    items: Sequence[Evidence], needed: NeededLater | None
) -> Sequence[Evidence]:
    """Return the evidence; names and files that the result lacks have the number of their later
    uses."""
    if needed is not None:
        uses = {name.text: name.uses for name in needed.gone}
    else:
        uses = {}
    if not uses:
        return items
    return [
        replace(one, needed=uses[one.fact.text])
        if one.fact.text in uses and one.status is not EvidenceStatus.WORD_FOR_WORD
        else one
        for one in items
    ]


def source_facts(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[Fact, ...]:
    """Return the facts of a preview's history, extracted once per scope."""
    return facts_of_scope(
        preview.messages, preview.source.history.scope, stages, progress
    )


def facts_of_scope(
    messages: Sequence[Message],
    scope: str,
    stages: StageCache,
    progress: Progress = no_progress,
) -> tuple[Fact, ...]:
    """Return the facts of the ``messages`` of a scope, extracted once."""
    return stages.get_or_compute(
        "facts", scope, lambda: extract_facts(messages, progress).all
    )


def messages_and_instructions(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[Fact, ...]:
    """Return what the person said and what files instruct."""
    kinds = FactKind.YOUR_MESSAGE, FactKind.INSTRUCTION
    return tuple(
        fact for fact in source_facts(preview, stages, progress) if fact.kind in kinds
    )


def preview_needed(preview: Preview, stages: StageCache) -> NeededLater | None:
    """Return what stands of what the session needed after scope ``before:N``; None if it ended
    there."""
    needs = preview_needs(preview, stages)
    if needs is None:
        return None
    return needed_later(needs, preview.written_compaction.messages)


def preview_needs(preview: Preview, stages: StageCache) -> LaterNeeds | None:
    """Return what the session needed after scope ``before:N``; None if it ended there."""

    def find() -> LaterNeeds | None:
        return find_needs(preview.messages, later_messages(preview))

    return stages.get_or_compute("needs", preview.source.history.scope, find)


def later_messages(preview: Preview) -> tuple[Message, ...]:
    """Return the messages after scope ``before:N``; none for other scopes."""
    scope, conversation = preview.source.history.scope, preview.source.conversation
    if not scope.startswith(BEFORE):
        return ()
    recorded = conversation.recorded[int(scope.removeprefix(BEFORE)) - 1]
    return conversation.messages[recorded.boundary :]
