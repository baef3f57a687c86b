"""Tier 2 in safe mode: old outputs become a line, oldest first, until the target is met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.facts.file_accesses import key_argument
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import single_fate
from core.strategies.tiered.ion_texts import FIRST_LINE, REMOVED, lines_of
from core.strategies.tiered.tool_outputs import OutputSizes, output_text, with_blocks, with_content
from core.strategies.tiered.truncate_outputs import first_unseen, true_lines
from core.transcript.compaction import Fate, FateKind, FateStep, TierOutcome
from core.transcript.model import Block, Message, ToolCall, ToolResponse, tool_responses
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import Pairs

RULE = "remove"

_LONGEST_NAME = 160  # characters of a path or command in a note

_ERROR = single_fate(FateKind.KEPT, RULE, "An error stays: it says what not to do again.", fix="TI-08")
_SHORT = single_fate(FateKind.KEPT, RULE, "The note would not be shorter than the output.", fix="TI-07")
_MET = single_fate(
    FateKind.KEPT, RULE, "The target was met before the turn came to this output.", fix="TI-09"
)
_UNREAD = single_fate(FateKind.KEPT, RULE, "The model has not read this output yet.", fix="TI-03")


@dataclass(slots=True)
class _RemovalState:
    """What is left above the target, and what was done on the way; lives inside ``remove_outputs`` only."""

    over: int
    changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    stay: dict[int, Fate] = field(default_factory=dict)


def remove_outputs(
    context: StrategyContext, draft: HistoryDraft, end: int, target: int, pairs: Pairs
) -> tuple[HistoryDraft, TierOutcome, Mapping[int, Fate]]:
    """The draft with outputs before ``end`` removed, what the tier did, and why some outputs stayed."""
    sizes = OutputSizes(context.estimate_tokens)
    calls = {(one.response, one.response_block): (one.call, one.call_block) for one in pairs.pairs}
    walk = _RemovalState(context.estimate_tokens(draft.messages) - target)
    unseen = first_unseen(context.history)
    for place in range(end):
        message = draft.entries[place].message
        if not any(tool_responses(message)):
            continue
        if walk.over <= 0:
            walk.stay[place] = _MET
        elif place >= unseen:
            walk.stay[place] = _UNREAD
        else:
            _take(context, walk, place, message, calls, sizes)
    draft = with_edited(draft, walk.changes)
    note = "" if walk.changes else _nothing(end)
    tier = TierOutcome(2, RULE, context.estimate_tokens(draft.messages), tuple(walk.changes), note)
    return draft, tier, walk.stay


def _nothing(end: int) -> str:
    return (
        "No output before the cut can get shorter." if end else "No message lies before the protected ones."
    )


def _take(
    context: StrategyContext,
    walk: _RemovalState,
    place: int,
    message: Message,
    calls: Mapping[tuple[int, int], tuple[int, int]],
    sizes: OutputSizes,
) -> None:
    """Put notes in the place of the outputs of one message, as long as the target is missed."""
    notes: dict[int, Block] = {}
    lines: list[int] = []
    why = _SHORT
    for number, block in enumerate(message.blocks):
        if not isinstance(block, ToolResponse) or walk.over <= 0 or output_text(block).startswith(REMOVED):
            continue
        if is_failed_result(block):
            why = _ERROR
            continue
        source = context.history[place].blocks[number]
        assert isinstance(source, ToolResponse)
        at = calls.get((place, number))
        call = context.history[at[0]].blocks[at[1]] if at is not None else None
        made = with_content(block, _note(source, call))
        saved = sizes.block(message, block) - sizes.block(message, made)
        if saved > 0:
            notes[number] = made
            lines.append(true_lines(output_text(source)))
            walk.over -= saved
    if notes:
        walk.changes[place] = (with_blocks(message, notes), _step(lines))
    else:
        walk.stay[place] = why


def _note(source: ToolResponse, call: Block | None) -> str:
    """What stands for an output: whose it was, how long, and how it began."""
    text = output_text(source)
    name, argument = source.name, None
    if isinstance(call, ToolCall):
        name, argument = call.name or name, key_argument(call.arguments)
    who = " ".join(filter(None, (name, (argument or "")[:_LONGEST_NAME])))
    count = true_lines(text)
    lines = f"{count:,} line{'' if count == 1 else 's'}"
    first = next((line.strip() for line in lines_of(text) if line.strip()), "")[:FIRST_LINE].strip()
    begins = f", starting with: {first}..." if first else ""
    return f"{REMOVED}: {', '.join(filter(None, (who, lines)))}{begins}]"


def _step(lines: list[int]) -> FateStep:
    what = "An output" if len(lines) == 1 else f"{len(lines)} outputs"
    count = sum(lines)
    text = (
        f"{what} before the protected messages; a note stands for {count:,} line{'' if count == 1 else 's'}."
    )
    return FateStep(RULE, FateKind.EDITED, text, fix="TI-10")
