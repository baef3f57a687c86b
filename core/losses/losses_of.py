"""The losses of a preview, computed on demand and once per compaction, and what is left after
several compactions in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind
from core.llm.catalog import choose_model, find_model_limit
from core.llm.request_size import request_sizing
from core.losses.evidence import Evidence, EvidenceStatus, Losses, find_evidence
from core.losses.needed_later import LaterNeeds, NeededLater, find_needs, needed_later
from core.losses.summary_check import summary_evidence_of
from core.losses.texts import ParsedTexts
from core.preview.options import Preview, PreviewOptions, StageCache, SummaryOptions
from core.preview.preview import compute_preview
from core.settings.profile import BUILT_IN
from core.settings.schema import Values, offline_values
from core.tokens.counter import counter_for
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import Conversation, Message, Progress, Text, no_progress
from core.transcript.scopes import ALL, BEFORE, CURRENT, history_of_scope


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

    # The id is unique while the stage holds it.
    key = (
        id(preview.result.compaction),
        preview.result.target_format,
    )
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
    system = preview.source.conversation.system.texts
    found = list(find_evidence(compaction, facts, progress, parsed, system))
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
        # Nobody knows yet what the model will write, so nothing may be said to stand in it.
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
        system = preview.source.conversation.system
        return find_needs(preview.messages, later_messages(preview), system)

    return stages.get_or_compute("needs", preview.source.history.scope, find)


def later_messages(preview: Preview) -> tuple[Message, ...]:
    """Return the messages after scope ``before:N``; none for other scopes."""
    scope, conversation = preview.source.history.scope, preview.source.conversation
    if not scope.startswith(BEFORE):
        return ()
    recorded = conversation.recorded[int(scope.removeprefix(BEFORE)) - 1]
    # Only where the agent went on after a compaction is it known what was needed.
    return conversation.messages[recorded.boundary :]


# What is left after several compactions in a row, each of the previous result.


_CHAIN_RULE = "chain"


@dataclass(frozen=True, slots=True)
class DecayRound:
    """One compaction of the previous result. The first source has ``person_messages`` messages of
    the person, of which ``word_for_word`` stand in it; ``no_op`` says why nothing changed."""

    word_for_word: int
    person_messages: int
    tokens: int
    messages: int
    no_op: str = ""


def preview_rounds(
    preview: Preview, progress: Progress = no_progress
) -> Iterator[DecayRound]:
    """Compact the history of a preview, then each result once more, without end."""
    scope, model = preview.source.history.scope, preview.sizes.model_limit.model
    options = PreviewOptions(
        scope=scope,
        model=model,
        focus=preview.source.focus,
        progress=progress,
        pins=preview.source.pins,
        every_turn=preview.every_turn,
    )
    return iterate_rounds(preview.source.conversation, preview.source.values, options)


def iterate_rounds(
    conversation: Conversation, values: Values, options: PreviewOptions
) -> Iterator[DecayRound]:
    """Compact the previous result, without end. Summaries are offline. A round without effect keeps
    the previous result. Pins stay with their messages. Raises like ``compute_preview``."""
    # Each round would call a model, and nobody has agreed to pay for that.
    values = offline_values(values)
    history = history_of_scope(conversation, options.scope)
    pins = options.pins
    source = history.messages
    facts = extract_facts(source, options.progress).of_kind(FactKind.YOUR_MESSAGE)
    # what a round leaves is no session from which limit and sizes could be known
    scope = CURRENT if options.scope == ALL else options.scope
    model = choose_model(conversation, options.model)
    limit = find_model_limit(conversation, model, None).tokens
    sizing = request_sizing(conversation, counter_for(model), scope, model)
    # Compactions of the agent are in the history that the rounds begin with.
    current = replace(conversation, messages=source, recorded=(), reported_limit=limit)
    options = PreviewOptions(
        scope=ALL,
        model=options.model,
        focus=options.focus,
        progress=options.progress,
        checks=False,
        every_turn=options.every_turn,
        summary=SummaryOptions(profile=BUILT_IN),
    )
    origins: tuple[int, ...] = tuple(range(len(source)))
    while True:
        round_pins = {
            index: pins[first_source]
            for index, first_source in enumerate(origins)
            if first_source in pins
        }
        # A round is measured as the session is, or its sizes could not be compared.
        stages = StageCache(results={("sizing", (CURRENT, model)): sizing})
        preview = compute_preview(
            current, values, replace(options, pins=round_pins), stages
        )
        compaction = preview.result.compaction
        origins = _first_sources(compaction, origins)
        current = replace(current, messages=compaction.messages)
        combined = _combine_rounds(source, compaction.messages, origins)
        found = find_evidence(
            combined, facts, options.progress, system=current.system.texts
        )
        kept = sum(one.status is EvidenceStatus.WORD_FOR_WORD for one in found)
        if compaction.no_op is not None:
            reason = compaction.no_op.reason
        else:
            reason = ""
        yield DecayRound(
            kept,
            len(facts),
            preview.sizes.after_tokens,
            len(compaction.messages),
            reason,
        )


def _first_sources(compaction: Compaction, previous: Sequence[int]) -> tuple[int, ...]:
    """Return the first source of each result message, -1 for text that a round wrote."""
    return tuple(
        previous[sources[0]] if sources and index not in compaction.inserted else -1
        for index, sources in enumerate(compaction.origins)
    )


def _combine_rounds(
    source: Sequence[Message], result: tuple[Message, ...], origins: Sequence[int]
) -> Compaction:
    """Return all rounds as one compaction of the first source."""
    result_indices = {
        index: result_index for result_index, index in enumerate(origins) if index >= 0
    }
    unchanged = {
        index
        for index, result_index in result_indices.items()
        if result[result_index] is source[index]
    }
    steps = {
        kind: Fate((FateStep(_CHAIN_RULE, kind, "All rounds together."),))
        for kind in FateKind
    }
    return Compaction(
        messages=result,
        origins=tuple((index,) if index >= 0 else () for index in origins),
        fates=tuple(
            steps[_fate_kind(index, result_indices, unchanged)]
            for index in range(len(source))
        ),
        metadata=CompactionMetadata(
            original_message_count=len(source),
            compressed_message_count=len(result),
            strategy_used=_CHAIN_RULE,
            llm_call_made=False,
        ),
        inserted=frozenset(
            result_index for result_index, index in enumerate(origins) if index < 0
        ),
    )


def _fate_kind(
    index: int, result_indices: Mapping[int, int], unchanged: Set[int]
) -> FateKind:
    if index in unchanged:
        return FateKind.KEPT
    return FateKind.EDITED if index in result_indices else FateKind.SUMMARISED
