"""Tier 1 in safe mode: long outputs keep their beginning and end, and never get longer by it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.settings.keys import KEEP_OUTPUT, MAX_OUTPUT
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import single_fate
from core.strategies.tiered.ion_texts import (
    FEWEST_LINES,
    LINE_TOKENS,
    lines_marker,
    lines_of,
    truncated_output,
)
from core.strategies.tiered.tool_outputs import OutputSizes, with_blocks, with_content, with_shortened_texts
from core.transcript.compaction import Fate, FateKind, FateStep, TierOutcome
from core.transcript.model import Block, Message, Speaker, ToolResponse, tool_responses
from core.transcript.tool_outcomes import answer_of

RULE = "truncate"

_CHARACTERS = 4  # of a token, where lines are too long to go by them
_MARKER = re.compile(r"\n\n\.\.\. \[(\d+) (lines|characters) truncated\] \.\.\.\n\n")


def first_unseen(history: Sequence[Message]) -> int:
    """The first message after the model's last one: what lies there it has not read yet."""
    return next(
        (place + 1 for place in range(len(history) - 1, -1, -1) if history[place].speaker is Speaker.AI), 0
    )


def truncate_outputs(
    context: StrategyContext, draft: HistoryDraft
) -> tuple[HistoryDraft, TierOutcome, Mapping[int, Fate]]:
    """The draft with long outputs cut, what the tier did, and why some long outputs stayed as they are."""
    most, keep = context.values.whole(MAX_OUTPUT), context.values.whole(KEEP_OUTPUT)
    sizes = OutputSizes(context.estimate_tokens)
    unseen = first_unseen(context.history)
    changes: dict[int, tuple[Message, FateStep]] = {}
    stay: dict[int, Fate] = {}
    for place, entry in enumerate(draft.entries):
        large = _large(entry.message, most, sizes)
        if large and place >= unseen:
            stay[place] = single_fate(
                FateKind.KEPT,
                RULE,
                "Longer than tier 1 allows, but the model has not read it yet.",
                fix="TI-03",
            )
        elif large:
            made = with_blocks(
                entry.message, {at: _cut(block, keep, most, sizes) for at, block in large.items()}
            )
            if context.estimate_tokens((made,)) < context.estimate_tokens((entry.message,)):
                changes[place] = (made, _step(most, tuple(large.values()), made))
            else:
                stay[place] = single_fate(
                    FateKind.KEPT, RULE, "Cut to its ends it would not be shorter.", fix="TI-04"
                )
    draft = with_edited(draft, changes)
    note = "" if changes else _nothing(most, stay)
    tier = TierOutcome(1, RULE, context.estimate_tokens(draft.messages), tuple(changes), note)
    return draft, tier, stay


def _nothing(most: int, stay: Mapping[int, Fate]) -> str:
    if not stay:
        return f"No output has more than {most:,} tokens."
    return f"Of {len(stay)} outputs with more than {most:,} tokens none could be cut."


def _large(message: Message, most: int, sizes: OutputSizes) -> dict[int, ToolResponse]:
    if not any(tool_responses(message)):
        return {}
    return {
        place: block
        for place, block in enumerate(message.blocks)
        if isinstance(block, ToolResponse) and sizes.block(message, block) > most
    }


def _cut(block: ToolResponse, keep: int, most: int, sizes: OutputSizes) -> Block:
    def shorten(text: str) -> str:
        return cut_down(text, keep, most, sizes) if sizes.text(text) > most else text

    return with_content(block, with_shortened_texts(answer_of(block), shorten))


def _step(most: int, outputs: Sequence[ToolResponse], made: Message) -> FateStep:
    what = "An output" if len(outputs) == 1 else f"{len(outputs)} outputs"
    texts = " ".join(str(answer_of(block)) for block in tool_responses(made))
    by_characters = " characters truncated] ..." in texts
    reason = f"{what} of more than {most:,} tokens: beginning and end stay."
    return FateStep(RULE, FateKind.EDITED, reason, fix="TI-06" if by_characters else "")


def cut_down(text: str, keep: int, most: int, sizes: OutputSizes) -> str:
    """A long text by its first and last lines, or by characters where its lines are too long for that.

    ``keep`` and ``most`` in tokens. What was cut before is cut on in its own unit and its count carried
    along; a text that would not get shorter stays as it is.
    """
    if (found := _MARKER.search(text)) is not None:
        made = _cut_again(text, found, keep)
    else:
        made = truncated_evenly(text, keep)
        if sizes.text(made) > most:
            by_characters = _by_characters(text, keep)
            made = by_characters if sizes.text(by_characters) < sizes.text(made) else made
    return made if sizes.text(made) < sizes.text(text) else text


def truncated_evenly(text: str, keep: int) -> str:
    """The reference's cut where it takes any lines out, else the text."""
    lines = max(keep // LINE_TOKENS, FEWEST_LINES)
    return truncated_output(text, keep) if len(lines_of(text)) > 2 * lines else text


def _by_characters(text: str, keep: int) -> str:
    size = keep * _CHARACTERS
    if len(text) <= 2 * size:
        return text
    return f"{text[:size]}{_characters_marker(len(text) - 2 * size)}{text[-size:]}"


def _characters_marker(count: int) -> str:
    return f"\n\n... [{count} characters truncated] ...\n\n"


def _cut_again(text: str, found: re.Match[str], keep: int) -> str:
    """A text that was cut before, with less of it; the marker goes on counting from where it stood."""
    head, tail, gone = text[: found.start()], text[found.end() :], int(found[1])
    if found[2] == "characters":
        size = keep * _CHARACTERS
        more = max(0, len(head) - size) + max(0, len(tail) - size)
        return f"{head[:size]}{_characters_marker(gone + more)}{tail[-size:]}"
    size = max(keep // LINE_TOKENS, FEWEST_LINES)
    above, below = head.split("\n"), tail.split("\n")
    more = max(0, len(above) - size) + max(0, len(below) - size)
    return "\n".join(above[:size]) + lines_marker(gone + more) + "\n".join(below[-size:])


def true_lines(text: str) -> int:
    """Lines of an output before any of them was cut out."""
    lines = len(lines_of(text))
    for found in _MARKER.finditer(text):
        if found[2] == "lines":
            lines += int(found[1]) - 3  # the marker and the blank lines around it
    return lines
