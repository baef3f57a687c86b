"""What a compaction that the agent recorded did to the history before it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.facts.model import FactKind
from core.facts.sentences import plain_text
from core.llm.protocol import SummaryRequest
from core.losses.evidence import Evidence, Losses
from core.losses.losses_of import losses_of, preview_needs
from core.losses.needed_later import NeededLater, needed_later
from core.preview.options import Preview
from core.settings.keys import MODE
from core.strategies.excerpt_units import TOKENS as SUPPLEMENT_TOKENS
from core.strategies.excerpt_units import supplement
from core.summarize.answer_check import text_fault
from core.tokens.recorded_compactions import (
    MeasuredCompaction,
    measure_compactions,
    summary_at_boundary,
)
from core.transcript.model import Conversation, Opaque, RecordedCompaction
from core.transcript.scopes import BEFORE
from core.trials.side_by_side import recorded_side_by_side, side_by_side_preview

SOURCE_LOST = "What it removed is not in the file."
NO_EARLIER_MESSAGES = "The file holds no message before it."
ENCRYPTED_NOTE = (
    "what stands for the rest is encrypted: neither its tokens nor its facts are known"
)
_KINDS = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
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
    recorded: RecordedCompaction
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
                one for one in self.losses.worst_first if one.fact.kind in _KINDS
            ]
        else:
            changed = []
        return tuple(self._in_session(one) for one in changed[:_TOP])

    def _in_session(self, one: Evidence) -> Evidence:
        first, last = (
            self.session_index(index) for index in (one.fact.first, one.fact.last)
        )
        return replace(one, fact=replace(one.fact, first=first, last=last))

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
    unknown = ExplainedCompaction(number=number, recorded=recorded)
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
