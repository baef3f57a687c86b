"""Tier 1 in safe mode: cuts long outputs to their beginning and end, never making them longer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.settings.keys import KEEP_OUTPUT, MAX_OUTPUT
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import single_fate
from core.strategies.tiered.ion_texts import (
    LINE_TOKENS,
    MIN_LINES,
    lines_marker,
    split_lines,
    truncated_output,
)
from core.strategies.tiered.tool_outputs import OutputSizes, with_blocks, with_content, with_shortened_texts
from core.transcript.compaction import Fate, FateKind, FateStep, TierOutcome
from core.transcript.model import Block, Message, Speaker, ToolResponse, tool_responses
from core.transcript.tool_outcomes import response_content

RULE = "truncate"

_CHARACTERS_PER_TOKEN = 4  # per token, where lines are too long to count by
_MARKER = re.compile(r"\n\n\.\.\. \[(\d+) (lines|characters) truncated\] \.\.\.\n\n")


def first_unread(history: Sequence[Message]) -> int:
    """Return the index of the first message that the model has not read yet."""
    return next(
        (place + 1 for place in range(len(history) - 1, -1, -1) if history[place].speaker is Speaker.AI), 0
    )


def truncate_outputs(
    context: StrategyContext, draft: HistoryDraft
) -> tuple[HistoryDraft, TierOutcome, Mapping[int, Fate]]:
    """Cut long outputs; return the draft, the outcome, and why some long outputs stayed."""
    max_tokens, keep = context.values.integer(MAX_OUTPUT), context.values.integer(KEEP_OUTPUT)
    sizes = OutputSizes(context.estimate_tokens)
    unread_start = first_unread(context.history)
    changes: dict[int, tuple[Message, FateStep]] = {}
    kept_fates: dict[int, Fate] = {}
    for place, entry in enumerate(draft.entries):
        large = _large_outputs(entry.message, max_tokens, sizes)
        if large and place >= unread_start:
            kept_fates[place] = single_fate(
                FateKind.KEPT,
                RULE,
                "Longer than tier 1 allows, but the model has not read it yet.",
                fix="TI-03",
            )
        elif large:
            shortened = with_blocks(
                entry.message,
                {position: _cut_output(block, keep, max_tokens, sizes) for position, block in large.items()},
            )
            if context.estimate_tokens((shortened,)) < context.estimate_tokens((entry.message,)):
                changes[place] = (shortened, _step(max_tokens, tuple(large.values()), shortened))
            else:
                kept_fates[place] = single_fate(
                    FateKind.KEPT, RULE, "Cut to its ends it would not be shorter.", fix="TI-04"
                )
    draft = with_edited(draft, changes)
    note = "" if changes else _no_change_note(max_tokens, kept_fates)
    tier = TierOutcome(1, RULE, context.estimate_tokens(draft.messages), tuple(changes), note)
    return draft, tier, kept_fates


def _no_change_note(max_tokens: int, kept_fates: Mapping[int, Fate]) -> str:
    if not kept_fates:
        return f"No output has more than {max_tokens:,} tokens."
    return f"Of {len(kept_fates)} outputs with more than {max_tokens:,} tokens none could be cut."


def _large_outputs(message: Message, max_tokens: int, sizes: OutputSizes) -> dict[int, ToolResponse]:
    if not any(tool_responses(message)):
        return {}
    return {
        place: block
        for place, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse) and sizes.block_tokens(message, block) > max_tokens
    }


def _cut_output(block: ToolResponse, keep: int, max_tokens: int, sizes: OutputSizes) -> Block:
    def shorten(text: str) -> str:
        return cut_down(text, keep, max_tokens, sizes) if sizes.text_tokens(text) > max_tokens else text

    return with_content(block, with_shortened_texts(response_content(block), shorten))


def _step(max_tokens: int, outputs: Sequence[ToolResponse], shortened: Message) -> FateStep:
    subject = "An output" if len(outputs) == 1 else f"{len(outputs)} outputs"
    texts = " ".join(str(response_content(block)) for block in tool_responses(shortened))
    by_characters = " characters truncated] ..." in texts
    reason = f"{subject} of more than {max_tokens:,} tokens: beginning and end stay."
    return FateStep(RULE, FateKind.EDITED, reason, fix="TI-06" if by_characters else "")


def cut_down(text: str, keep: int, most: int, sizes: OutputSizes) -> str:
    """Shorten a text to its first and last lines, or by characters where its lines are too long. ``keep`` and
    ``most`` are in tokens. An earlier cut is continued in its own unit, with its count; a text that would not
    get shorter stays."""
    if (marker := _MARKER.search(text)) is not None:
        shortened = _cut_characters_again(text, marker, keep)
    else:
        shortened = truncated_evenly(text, keep)
        if sizes.text_tokens(shortened) > most:
            by_characters = _by_characters(text, keep)
            shortened = (
                by_characters
                if sizes.text_tokens(by_characters) < sizes.text_tokens(shortened)
                else shortened
            )
    return shortened if sizes.text_tokens(shortened) < sizes.text_tokens(text) else text


def truncated_evenly(text: str, keep: int) -> str:
    """Return the reference's cut where it removes any lines, else the text."""
    kept_lines = max(keep // LINE_TOKENS, MIN_LINES)
    return truncated_output(text, keep) if len(split_lines(text)) > 2 * kept_lines else text


def _by_characters(text: str, keep: int) -> str:
    size = keep * _CHARACTERS_PER_TOKEN
    if len(text) <= 2 * size:
        return text
    return f"{text[:size]}{_characters_marker(len(text) - 2 * size)}{text[-size:]}"


def _characters_marker(count: int) -> str:
    return f"\n\n... [{count} characters truncated] ...\n\n"


def _cut_characters_again(text: str, marker: re.Match[str], keep: int) -> str:
    """Shorten a text that was cut before; the count in the marker continues."""
    head, tail, already_cut = text[: marker.start()], text[marker.end() :], int(marker[1])
    if marker[2] == "characters":
        size = keep * _CHARACTERS_PER_TOKEN
        more = max(0, len(head) - size) + max(0, len(tail) - size)
        return f"{head[:size]}{_characters_marker(already_cut + more)}{tail[-size:]}"
    size = max(keep // LINE_TOKENS, MIN_LINES)
    above, below = head.split("\n"), tail.split("\n")
    more = max(0, len(above) - size) + max(0, len(below) - size)
    return "\n".join(above[:size]) + lines_marker(already_cut + more) + "\n".join(below[-size:])


def true_lines(text: str) -> int:
    """Return the number of lines that an output had before any cut."""
    lines = len(split_lines(text))
    for marker in _MARKER.finditer(text):
        if marker[2] == "lines":
            lines += int(marker[1]) - 3  # the marker and the blank lines around it
    return lines
