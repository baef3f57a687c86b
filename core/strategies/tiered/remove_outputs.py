"""Tier 2 in safe mode: replaces old outputs by one line, oldest first, until the target is met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.facts.file_accesses import key_argument
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import single_fate
from core.strategies.tiered.ion_texts import FIRST_LINE, REMOVED, split_lines
from core.strategies.tiered.tool_outputs import OutputSizes, output_text, with_blocks, with_content
from core.strategies.tiered.truncate_outputs import first_unread, true_lines
from core.transcript.compaction import Fate, FateKind, FateStep, TierOutcome
from core.transcript.model import Block, Message, ToolCall, ToolResponse, tool_responses
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import Pairs

RULE = "remove"

_MAX_ARGUMENT = 160  # characters of a path or command in a note

_ERROR = single_fate(FateKind.KEPT, RULE, "An error stays: it says what not to do again.", fix="TI-08")
_SHORT = single_fate(FateKind.KEPT, RULE, "The note would not be shorter than the output.", fix="TI-07")
_TARGET_MET = single_fate(
    FateKind.KEPT, RULE, "The target was met before the turn came to this output.", fix="TI-09"
)
_UNREAD = single_fate(FateKind.KEPT, RULE, "The model has not read this output yet.", fix="TI-03")


@dataclass(slots=True)
class _RemovalState:
    """The tokens above the target, and the changes so far; used inside ``remove_outputs`` only."""

    excess_tokens: int
    changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    kept_fates: dict[int, Fate] = field(default_factory=dict)


def remove_outputs(
    context: StrategyContext, draft: HistoryDraft, end: int, target: int, pairs: Pairs
) -> tuple[HistoryDraft, TierOutcome, Mapping[int, Fate]]:
    """Remove outputs before ``end``; return the draft, the outcome, and why some outputs stayed."""
    sizes = OutputSizes(context.estimate_tokens)
    calls = {(pair.response, pair.response_block): (pair.call, pair.call_block) for pair in pairs.pairs}
    state = _RemovalState(context.estimate_tokens(draft.messages) - target)
    unread_start = first_unread(context.history)
    for place in range(end):
        message = draft.entries[place].message
        if not any(tool_responses(message)):
            continue
        if state.excess_tokens <= 0:
            state.kept_fates[place] = _TARGET_MET
        elif place >= unread_start:
            state.kept_fates[place] = _UNREAD
        else:
            _remove_outputs_of(context, state, place, message, calls, sizes)
    draft = with_edited(draft, state.changes)
    note = "" if state.changes else _no_change_note(end)
    tier = TierOutcome(2, RULE, context.estimate_tokens(draft.messages), tuple(state.changes), note)
    return draft, tier, state.kept_fates


def _no_change_note(end: int) -> str:
    return (
        "No output before the cut can get shorter." if end else "No message lies before the protected ones."
    )


def _remove_outputs_of(
    context: StrategyContext,
    state: _RemovalState,
    place: int,
    message: Message,
    calls: Mapping[tuple[int, int], tuple[int, int]],
    sizes: OutputSizes,
) -> None:
    """Replace the outputs of one message by notes while the target is missed."""
    notes: dict[int, Block] = {}
    lines: list[int] = []
    kept_fate = _SHORT
    for number, block in enumerate(message.blocks):
        if (
            not isinstance(block, ToolResponse)
            or state.excess_tokens <= 0
            or output_text(block).startswith(REMOVED)
        ):
            continue
        if is_failed_result(block):
            kept_fate = _ERROR
            continue
        source = context.history[place].blocks[number]
        assert isinstance(source, ToolResponse)
        call_place = calls.get((place, number))
        call = context.history[call_place[0]].blocks[call_place[1]] if call_place is not None else None
        note = with_content(block, _note(source, call))
        saved = sizes.block_tokens(message, block) - sizes.block_tokens(message, note)
        if saved > 0:
            notes[number] = note
            lines.append(true_lines(output_text(source)))
            state.excess_tokens -= saved
    if notes:
        state.changes[place] = (with_blocks(message, notes), _step(lines))
    else:
        state.kept_fates[place] = kept_fate


def _note(source: ToolResponse, call: Block | None) -> str:
    """Return the note for an output: its tool, its length, and its beginning."""
    text = output_text(source)
    name, argument = source.name, None
    if isinstance(call, ToolCall):
        name, argument = call.name or name, key_argument(call.arguments)
    tool = " ".join(filter(None, (name, (argument or "")[:_MAX_ARGUMENT])))
    count = true_lines(text)
    lines = f"{count:,} line{'' if count == 1 else 's'}"
    first = next((line.strip() for line in split_lines(text) if line.strip()), "")[:FIRST_LINE].strip()
    beginning = f", starting with: {first}..." if first else ""
    return f"{REMOVED}: {', '.join(filter(None, (tool, lines)))}{beginning}]"


def _step(lines: list[int]) -> FateStep:
    subject = "An output" if len(lines) == 1 else f"{len(lines)} outputs"
    line_count = sum(lines)
    lines_text = f"{line_count:,} line{'' if line_count == 1 else 's'}"
    text = f"{subject} before the protected messages; a note stands for {lines_text}."
    return FateStep(RULE, FateKind.EDITED, text, fix="TI-10")
