"""Presents a recorded compaction or another file of the session as a Compaction with fates."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.model import RECORDED
from core.common.errors import InputError
from core.facts.sentences import plain_text
from core.lint.lint import PROVIDERS, lint_scope
from core.llm.protocol import SummaryRequest
from core.losses.evidence import TOLD_BY_SENTENCE, Evidence, Losses
from core.losses.losses_of import losses_of, preview_needs
from core.losses.needed_later import NeededLater, needed_later
from core.preview.options import LintResult, Preview, PreviewResult
from core.settings.schema import MODE
from core.strategies.excerpt_units import TOKENS as SUPPLEMENT_TOKENS
from core.strategies.excerpt_units import supplement
from core.summarize.answer_check import text_fault
from core.tokens.recorded_compactions import (
    MeasuredCompaction,
    measure_compactions,
    summary_at_boundary,
)
from core.transcript.alignment import Alignment, AlignmentStatus, align_histories
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
)
from core.transcript.scopes import BEFORE, CURRENT, History, history_of_scope
from core.transcript.tool_pairs import find_pairs

OTHER_FILE = "other file"
"""Rule of the fate steps, as RECORDED."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    history: History
    compaction: Compaction
    name: str
    alignment: Alignment


def recorded_side_by_side(conversation: Conversation, number: int) -> SideBySide:
    """Align the context before recorded compaction ``number`` (from 1) with the one after it.
    Raises InputError for an unknown number."""
    before = history_of_scope(conversation, f"{BEFORE}{number}")
    recorded = conversation.recorded[number - 1]
    after = _context_after(conversation, number)
    alignment = align_histories(before.messages, after)
    blocks = chain.from_iterable(message.blocks for message in recorded.summary)
    is_opaque = any(isinstance(block, Opaque) for block in blocks)
    removed_kind = FateKind.DROPPED
    if recorded.summary and not is_opaque:
        removed_kind = FateKind.SUMMARISED
    dropped = "Gone: the agent's compaction left it out."
    if is_opaque:
        dropped = "Gone: what stands for it is encrypted and cannot be read."
    reasons = {
        FateKind.KEPT: "TrialLosses: the agent's compaction left it as it was.",
        FateKind.EDITED: "The agent's compaction left it with other content.",
        FateKind.SUMMARISED: "Gone: the agent's summary stands for it.",
        FateKind.DROPPED: dropped,
    }
    compaction = _compaction(
        before.messages, after, alignment, removed_kind, reasons, RECORDED
    )
    if removed_kind is FateKind.SUMMARISED:
        compaction = _with_summary(compaction, after)
    return SideBySide(before, compaction, f"recorded {number}", alignment)


def file_side_by_side(history: History, other: Conversation) -> SideBySide:
    return align_side_by_side(history, other.messages, other.document.name)


def align_side_by_side(
    history: History, other: Sequence[Message], name: str
) -> SideBySide:
    alignment = align_histories(history.messages, other)
    reasons = {
        FateKind.KEPT: f"The same message is in {name}.",
        FateKind.EDITED: f"In {name} it has other content.",
        FateKind.DROPPED: f"It is not in {name}.",
    }
    compaction = _compaction(
        history.messages, other, alignment, FateKind.DROPPED, reasons, OTHER_FILE
    )
    return SideBySide(history, compaction, name, alignment)


def side_by_side_preview(
    base: Preview, side_by_side: SideBySide, *, checks: bool = True
) -> Preview:
    """Return ``base`` with the other side as its result; without ``checks`` nothing is known of its
    rules."""
    compaction, messages = side_by_side.compaction, side_by_side.history.messages
    if (
        side_by_side.history is not base.source.history
        and side_by_side.history.messages != base.source.history.messages
    ):
        raise InputError("The history changed meanwhile.", "Show it again.")
    counts = array("q", map(base.source.counter.message, compaction.messages))
    conversation = base.source.conversation
    count = len(compaction.messages)
    other = History(side_by_side.history.scope, compaction.messages, (-1,) * count)
    findings = tuple(
        LintResult(
            provider.name,
            tuple(lint_scope(conversation, side_by_side.history, provider.name)),
            tuple(lint_scope(conversation, other, provider.name)),
        )
        for provider in (PROVIDERS if checks else ())
    )
    return replace(
        base,
        sizes=replace(
            base.sizes,
            message_tokens_after=sum(counts),
            target=None,
            is_changed=True,
            unwritten_tokens=0,
        ),
        result=PreviewResult(
            compaction=compaction,
            inputs=tuple(range(len(messages))),
            after_density=None,
            after_counts=counts,
            result_source=side_by_side.name,
            target_format=base.result.target_format,
        ),
        summary=replace(base.summary, unwritten=False, provisional=False),
        checks=replace(base.checks, lint=findings, warnings=()),
    )


def _context_after(conversation: Conversation, number: int) -> tuple[Message, ...]:
    """The context right after a recorded compaction, in order."""
    recorded = conversation.recorded[:number]
    earlier_messages = conversation.messages[: recorded[-1].boundary]
    return history_of_scope(
        replace(conversation, messages=earlier_messages, recorded=recorded), CURRENT
    ).messages


def _compaction(
    source: Sequence[Message],
    result: Sequence[Message],
    alignment: Alignment,
    removed_kind: FateKind,
    reasons: dict[FateKind, str],
    rule: str,
) -> Compaction:
    """Return the result as a compaction of the source; a split message maps to its first part."""
    fates = {
        kind: Fate((FateStep(rule, kind, text),)) for kind, text in reasons.items()
    }
    origins: dict[int, list[int]] = defaultdict(list)
    kinds: list[FateKind] = []
    for index, alignment_status in enumerate(alignment.first):
        result_index = alignment.second_index[index]
        if alignment_status is AlignmentStatus.ALONE or result_index < 0:
            kinds.append(removed_kind)
            continue
        kinds.append(
            FateKind.KEPT
            if alignment_status is AlignmentStatus.SAME
            else FateKind.EDITED
        )
        origins[result_index].append(index)
    result_origins = tuple(tuple(origins.get(at, ())) for at in range(len(result)))
    return Compaction(
        messages=tuple(result),
        origins=result_origins,
        fates=tuple(fates[kind] for kind in kinds),
        metadata=CompactionMetadata(
            original_message_count=len(source),
            compressed_message_count=len(result),
            strategy_used=rule,
            llm_call_made=False,
        ),
        inserted=frozenset(
            at for at, sources in enumerate(result_origins) if not sources
        ),
    )


def _with_summary(compaction: Compaction, after: Sequence[Message]) -> Compaction:
    summary_index = next(
        (
            result_index
            for result_index, message in enumerate(after)
            if message.flags & MessageFlag.RECORDED_SUMMARY
        ),
        -1,
    )
    if summary_index < 0 or compaction.origins[summary_index]:
        return compaction
    removed = tuple(
        index
        for index, fate in enumerate(compaction.fates)
        if fate.kind is FateKind.SUMMARISED
    )
    origins = list(compaction.origins)
    origins[summary_index] = removed
    return replace(compaction, origins=tuple(origins))


DIFFERENCES_SCOPE = "beside:"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """Messages with a label: "one-shot", "middle-out at turn 117"."""

    name: str
    messages: tuple[Message, ...]


def differences_preview(
    base: Preview, before: ComparedSide, after: ComparedSide, number: int
) -> Preview:
    """Return a preview from ``before`` to ``after``, aligned by message identity. Settings, window
    and system prompt are those of ``base``. ``number`` makes its scope unique, so that no cache
    confuses it with another."""
    history = History(
        f"{DIFFERENCES_SCOPE}{number}", before.messages, (-1,) * len(before.messages)
    )
    counts = array("q", map(base.source.counter.message, before.messages))
    pairs = find_pairs(before.messages)
    other = replace(
        base,
        source=replace(base.source, history=history, counts=counts, pairs=pairs),
        sizes=replace(base.sizes, message_tokens_before=sum(counts)),
    )
    return side_by_side_preview(
        other, align_side_by_side(history, after.messages, after.name)
    )


# What a compaction that the agent recorded did to the history before it.


SOURCE_LOST = "What it removed is not in the file."
NO_EARLIER_MESSAGES = "The file holds no message before it."
ENCRYPTED_NOTE = (
    "what stands for the rest is encrypted: neither its tokens nor its facts are known"
)
_TOP = 5
_NO_BUDGET = 1_000_000  # tokens: how long a summary was to be at most is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedCompaction:
    """What a recorded compaction left (REPAIR-8). ``supplemented`` is what it would have kept of
    what later turns needed with a supplement of ``SUPPLEMENT_TOKENS`` beside it. ``losses`` are
    None where ``obstacle`` says why they are not known; ``indices[i]`` is the index in the whole
    session of message i before it, -1 for none. ``fault`` is why its summary is none, as the end of
    a sentence about its writer, by the rules for our own answers."""

    number: int
    losses: Losses | None = None
    supplemented: NeededLater | None = None
    obstacle: str = ""
    indices: tuple[int, ...] = ()
    fault: str = ""

    @property
    def worst(self) -> tuple[Evidence, ...]:
        """The first of what is not there word for word of messages, instructions, errors and
        to-dos, with the indices of messages in the whole session."""
        if self.losses:
            changed = [
                one
                for one in self.losses.worst_first
                if one.fact.kind in TOLD_BY_SENTENCE
            ]
        else:
            changed = []
        return tuple(self._in_session(one) for one in changed[:_TOP])

    def _in_session(self, evidence: Evidence) -> Evidence:
        first, last = (
            self.session_index(index)
            for index in (evidence.fact.first, evidence.fact.last)
        )
        return replace(evidence, fact=replace(evidence.fact, first=first, last=last))

    def session_index(self, index: int) -> int:
        """Return the index in the whole session of a message before the compaction, -1 for none."""
        if index >= 0:
            return self.indices[index]
        return -1


def explain_compaction(source: AnalysisInput, number: int) -> ExplainedCompaction:
    """Explain recorded compaction ``number`` (from 1) by what the file holds; Cancelled passes
    through."""
    key = number, source.options.model, source.values.text(MODE)
    return source.stages.get_or_compute(
        "explained", key, lambda: _explain(source.offline, number)
    )


def _explain(source: AnalysisInput, number: int) -> ExplainedCompaction:
    recorded = source.conversation.recorded[number - 1]
    baseline = baseline_preview(source, f"{BEFORE}{number}", checks=False)
    unknown = ExplainedCompaction(number=number)
    if obstacle := obstacle_of(recorded, baseline):
        return replace(unknown, obstacle=obstacle)
    preview = recorded_preview(source, number, checks=False)
    if has_unreadable_part(preview):
        return replace(
            unknown, obstacle=f"{ENCRYPTED_NOTE[0].upper()}{ENCRYPTED_NOTE[1:]}."
        )
    losses = losses_of(preview, source.stages, source.options.progress)
    return replace(
        unknown,
        losses=losses,
        supplemented=_supplemented(preview, source, losses.needed),
        indices=preview.source.history.indices,
        fault=_summary_fault(preview, source.conversation, recorded),
    )


def _summary_fault(
    preview: Preview, conversation: Conversation, recorded: RecordedCompaction
) -> str:
    summary = recorded.summary or summary_at_boundary(conversation, recorded)
    if recorded.kind != "summary" or not summary:
        return ""
    request = SummaryRequest(
        prompt="",
        messages=preview.messages,
        indices=preview.source.history.indices,
        trigger=recorded.trigger,
        max_tokens=_NO_BUDGET,
    )
    text = "\n\n".join(map(plain_text, summary))
    return text_fault(text, request, preview.source.counter.messages)


def _supplemented(
    preview: Preview, source: AnalysisInput, needed: NeededLater | None
) -> NeededLater | None:
    """Return what stands of the needed names with a supplement; None where none was needed."""
    if needed is None or not needed.used:
        needs = None
    else:
        needs = preview_needs(preview, source.stages)
    if needs is None:
        return None
    left = preview.written_compaction.messages
    added = supplement(
        preview.messages,
        left,
        preview.source.counter.message,
        max_tokens=SUPPLEMENT_TOKENS,
        progress=source.options.progress,
    ).message
    return needed_later(needs, (*left, *(() if added is None else (added,))))


def measured_compaction(
    source: AnalysisInput, baseline: Preview, number: int
) -> MeasuredCompaction:
    """Return the measurements of a recorded compaction, counted as ``baseline`` counts."""
    return source.stages.get_or_compute(
        "measured",
        (baseline.sizes.model_limit.model, baseline.mode),
        lambda: measure_compactions(source.conversation, baseline.source.counter),
    )[number - 1]


def obstacle_of(recorded: RecordedCompaction, baseline: Preview) -> str:
    """Return why nothing is known of what a compaction removed; "" where it is in the file."""
    if recorded.is_source_lost:
        return SOURCE_LOST
    if not baseline.messages:
        return NO_EARLIER_MESSAGES
    return ""


def recorded_preview(
    source: AnalysisInput, number: int, *, checks: bool = True
) -> Preview:
    """Return the history before a recorded compaction with what it left as the result."""
    baseline = baseline_preview(source, f"{BEFORE}{number}", checks=checks)
    return side_by_side_preview(
        baseline, recorded_side_by_side(source.conversation, number), checks=checks
    )


def has_unreadable_part(preview: Preview) -> bool:
    inserted = (
        preview.result.compaction.messages[index]
        for index in preview.result.compaction.inserted
    )
    return any(
        isinstance(block, Opaque) for message in inserted for block in message.blocks
    )
