"""Tiers 1 and 2 in safe mode: long outputs are cut to their beginning and end, then old ones become
one line, oldest first, until the target is met. No output gets longer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.facts.file_accesses import key_argument
from core.facts.sentences import value_text
from core.settings.schema import KEEP_OUTPUT, MAX_OUTPUT
from core.strategies.base import StrategyContext
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.helpers import single_fate
from core.transcript.compaction import Fate, FateKind, FateStep, TierOutcome
from core.transcript.images import media_data
from core.transcript.model import (
    Block,
    Message,
    Speaker,
    ToolCall,
    ToolResponse,
    tool_responses,
)
from core.transcript.tool_pairs import (
    Pairs,
    TokenCount,
    is_failed_result,
    response_content,
)

REMOVED = "[Output removed"  # start of the placeholder of a removed output
LINE_TOKENS = 10  # tokens assumed per line of an output
MIN_LINES = 5  # lines kept at each end of a truncated output, at least
FIRST_LINE = 100  # characters of an output's first line in its placeholder
OPENING, CLOSING = "<context-summary>", "</context-summary>"
_NEVER_CUT_LINES = 10  # an output of so many lines is not cut, however long they are
# Python's separators are none in ion.
_BLANK_ENDS = re.compile(
    # Python takes four control characters for white space that ion leaves in the text.
    r"\A[^\S\x1c-\x1f]+|[^\S\x1c-\x1f]+\Z"
)
_MAX_DEPTH = 20  # levels of a JSON result searched for long texts


def split_lines(text: str) -> list[str]:
    """Split at line feeds, with or without a carriage return; a final line end adds no empty
    line."""
    *lines, last = text.split("\n")
    stripped = [line.removesuffix("\r") for line in lines]
    if last:
        return [*stripped, last]
    return stripped


def truncated_output(text: str, keep_tokens: int) -> str:
    """Return head and tail of an output; up to ten lines stay as they are, and the text may get
    longer."""
    lines = split_lines(text)
    if len(lines) <= _NEVER_CUT_LINES:
        return text
    # At most half of the lines goes to each side, so that no line is said twice.
    keep = min(max(keep_tokens // LINE_TOKENS, MIN_LINES), len(lines) // 2)
    head = "\n".join(lines[:keep])
    tail = "\n".join(lines[-keep:])
    return f"{head}{truncation_marker(len(lines) - 2 * keep, 'lines')}{tail}"


def truncation_marker(count: int, unit: str) -> str:
    return f"\n\n... [{count} {unit} truncated] ...\n\n"


def removed_placeholder(text: str) -> str:
    """Return the placeholder of an output: its number of lines and the clipped start of the
    first."""
    lines = split_lines(text)
    if lines:
        first = _BLANK_ENDS.sub("", lines[0][:FIRST_LINE])
    else:
        first = ""
    return f"{REMOVED}: {len(lines)} lines, starting with: {first}...]"


def wrapped_summary(summary: str) -> str:
    """Return the text with which the reference replaces the old part."""
    return (
        f"{OPENING}\n{summary}\n{CLOSING}\n\nThe above is a summary of the earlier "
        "conversation. Continue from where we left off without re-asking the user."
    )


def output_text(response: ToolResponse) -> str:
    """Return a tool's answer as text, without media."""
    value = response_content(response)
    # True and false are no words that a model could read again.
    if value is MISSING or isinstance(value, bool):
        return ""
    return value_text(value)


def with_content(response: ToolResponse, value: Json) -> ToolResponse:
    """Replace the answer; a failed response still counts as failed."""
    # Some readers have the text of a failure in the error alone.
    no_result = response.result in (None, "", MISSING)
    in_error = no_result and response.error not in (MISSING, None, "", True, False)
    if in_error:
        return replace(response, error=value)
    return replace(response, result=value)


def with_shortened_texts(
    value: Json, shorten: Callable[[str], str], depth: int = 0
) -> Json:
    """Shorten every text in a result; its shape and media stay."""
    if isinstance(value, str):
        return shorten(value)
    # A shortened image would be no image.
    if depth >= _MAX_DEPTH or media_data(value) is not None:
        return value
    if isinstance(value, list):
        return [with_shortened_texts(item, shorten, depth + 1) for item in value]
    if isinstance(value, dict):
        return {
            key: with_shortened_texts(item, shorten, depth + 1)
            for key, item in value.items()
        }
    return value


def with_changed_blocks(message: Message, new: Mapping[int, Block]) -> Message:
    return replace(
        message,
        blocks=tuple(
            new.get(block_index, block)
            for block_index, block in enumerate(message.blocks)
        ),
    )


class OutputSizes:
    """Tokens of outputs and texts, without the overhead that a counter adds for a message."""

    def __init__(self, count: TokenCount) -> None:
        self._count = count
        self._overhead = count((Message(speaker=Speaker.TOOL, blocks=()),))

    def block_tokens(self, message: Message, block: Block) -> int:
        """Return the tokens of one block; a message that is this block alone was already
        counted."""
        # A message that is this block alone has been counted, and its count is cached.
        is_only_block = len(message.blocks) == 1 and message.blocks[0] is block
        return (
            self._count(
                (
                    message
                    if is_only_block
                    else Message(speaker=Speaker.TOOL, blocks=(block,)),
                )
            )
            - self._overhead
        )

    def text_tokens(self, text: str) -> int:
        return (
            self._count(
                (Message(speaker=Speaker.TOOL, blocks=(ToolResponse("", "", text),)),)
            )
            - self._overhead
        )


def message_starts(history: Sequence[Message]) -> tuple[int, ...]:
    """Return where messages begin as tiered counts them: a run of tool messages is one (ION-10)."""
    return tuple(
        # ion has one message for parallel results, where the reader has several.
        index
        for index, message in enumerate(history)
        if message.speaker is not Speaker.TOOL
        or not index
        or history[index - 1].speaker is not Speaker.TOOL
    )


def protected_start(history: Sequence[Message], protected: int) -> int:
    """Return the index of the first of the newest ``protected`` messages; 0 where there are no
    more."""
    starts = message_starts(history)
    if len(starts) <= protected:
        return 0
    if protected:
        return starts[len(starts) - protected]
    return len(history)


def first_unread(history: Sequence[Message]) -> int:
    """Return the index of the first message that the model has not read yet."""
    return next(
        (
            i + 1
            for i in range(len(history) - 1, -1, -1)
            if history[i].speaker is Speaker.AI
        ),
        0,
    )


TRUNCATE, REMOVE = "truncate", "remove"
_CHARACTERS_PER_TOKEN = 4  # where lines are too long to count by
_MAX_ARGUMENT = 160  # characters of a path or command in a note
_MARKER = re.compile(r"\n\n\.\.\. \[(\d+) (lines|characters) truncated\] \.\.\.\n\n")


def _kept(rule: str, reason: str, fix: str) -> Fate:
    return single_fate(FateKind.KEPT, rule, reason, fix=fix)


_LARGE_UNREAD = _kept(
    TRUNCATE, "Longer than tier 1 allows, but the model has not read it yet.", "TI-03"
)
_NOT_CUT = _kept(TRUNCATE, "Cut to its ends it would not be shorter.", "TI-04")
_ERROR = _kept(REMOVE, "An error stays: it says what not to do again.", "TI-08")
_SHORT = _kept(REMOVE, "The note would not be shorter than the output.", "TI-07")
_TARGET_MET = _kept(
    REMOVE, "The target was met before the turn came to this output.", "TI-09"
)
_UNREAD = _kept(REMOVE, "The model has not read this output yet.", "TI-03")

_Changes = dict[int, tuple[Message, FateStep]]
TierResult = tuple[HistoryDraft, TierOutcome, Mapping[int, Fate]]
"""The draft after a tier, its outcome, and why some outputs stayed."""


def truncate_outputs(context: StrategyContext, draft: HistoryDraft) -> TierResult:
    """Cut long outputs that the model has read."""
    max_tokens = context.values.integer(MAX_OUTPUT)
    keep = context.values.integer(KEEP_OUTPUT)
    sizes = OutputSizes(context.estimate_tokens)
    unread_start = first_unread(context.history)
    changes: _Changes = {}
    kept_fates: dict[int, Fate] = {}

    def shorten(text: str) -> str:
        if sizes.text_tokens(text) > max_tokens:
            return cut_down(text, keep, max_tokens, sizes)
        return text

    for index, message in enumerate(draft.messages):
        large = {
            number: block
            for number, block in enumerate(message.blocks)
            if isinstance(block, ToolResponse)
            and sizes.block_tokens(message, block) > max_tokens
        }
        if not large:
            continue
        # The newest output is why the model called the tool.
        if index >= unread_start:
            kept_fates[index] = _LARGE_UNREAD
            continue
        shortened = with_changed_blocks(
            message,
            {
                number: with_content(
                    block, with_shortened_texts(response_content(block), shorten)
                )
                for number, block in large.items()
            },
        )
        # Two markers can be longer than what they replace.
        if context.estimate_tokens((shortened,)) < context.estimate_tokens((message,)):
            changes[index] = (
                shortened,
                _truncate_step(max_tokens, len(large), shortened),
            )
        else:
            kept_fates[index] = _NOT_CUT
    note = f"No output has more than {max_tokens:,} tokens."
    if kept_fates:
        note = f"Of {len(kept_fates)} outputs with more than {max_tokens:,} tokens none could be cut."
    return _after_tier(context, draft, (1, TRUNCATE), changes, note, kept_fates)


def remove_outputs(
    context: StrategyContext, draft: HistoryDraft, end: int, target: int, pairs: Pairs
) -> TierResult:
    """Replace outputs before ``end`` by notes, as many as the target needs."""
    sizes = OutputSizes(context.estimate_tokens)
    unread_start = first_unread(context.history)
    calls = {
        (pair.response, pair.response_block): context.history[pair.call].blocks[
            pair.call_block
        ]
        for pair in pairs.pairs
    }
    excess_tokens = context.estimate_tokens(draft.messages) - target
    changes: _Changes = {}
    kept_fates: dict[int, Fate] = {}
    for index, message in enumerate(draft.messages[:end]):
        if not any(tool_responses(message)):
            continue
        # The order is by age, and it stops as soon as the target is met.
        if excess_tokens <= 0 or index >= unread_start:
            kept_fates[index] = _TARGET_MET if excess_tokens <= 0 else _UNREAD
            continue
        notes: dict[int, Block] = {}
        lines, kept_fate = 0, _SHORT
        for number, block in enumerate(message.blocks):
            source = context.history[index].blocks[number]
            if not isinstance(block, ToolResponse) or not isinstance(
                source, ToolResponse
            ):
                continue
            # A note of an earlier run has nothing to give.
            if excess_tokens <= 0 or output_text(block).startswith(REMOVED):
                continue
            # An error tells what not to try again.
            if is_failed_result(block):
                kept_fate = _ERROR
                continue
            note = with_content(block, _note(source, calls.get((index, number))))
            saved = sizes.block_tokens(message, block) - sizes.block_tokens(
                message, note
            )
            # A note on a short output would cost more than it saves.
            if saved > 0:
                notes[number] = note
                lines += true_lines(output_text(source))
                excess_tokens -= saved
        if notes:
            outputs = f"{_outputs(len(notes))} before the protected messages"
            step = FateStep(
                REMOVE,
                FateKind.EDITED,
                f"{outputs}; a note stands for {_lines(lines)}.",
                fix="TI-10",
            )
            changes[index] = with_changed_blocks(message, notes), step
        else:
            kept_fates[index] = kept_fate
    note_text = (
        "No output before the cut can get shorter."
        if end
        else "No message lies before the protected ones."
    )
    return _after_tier(context, draft, (2, REMOVE), changes, note_text, kept_fates)


def _after_tier(
    context: StrategyContext,
    draft: HistoryDraft,
    tier: tuple[int, str],
    changes: _Changes,
    no_change_note: str,
    kept_fates: Mapping[int, Fate],
) -> TierResult:
    draft = with_edited(draft, changes)
    note = "" if changes else no_change_note
    outcome = TierOutcome(
        *tier, context.estimate_tokens(draft.messages), tuple(changes), note
    )
    return draft, outcome, kept_fates


def _outputs(count: int) -> str:
    if count == 1:
        return "An output"
    return f"{count} outputs"


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


def _truncate_step(max_tokens: int, outputs: int, shortened: Message) -> FateStep:
    texts = " ".join(
        str(response_content(block)) for block in tool_responses(shortened)
    )
    reason = f"{_outputs(outputs)} of more than {max_tokens:,} tokens: beginning and end stay."
    fix = "TI-06" if " characters truncated] ..." in texts else ""
    return FateStep(TRUNCATE, FateKind.EDITED, reason, fix=fix)


def _note(source: ToolResponse, call: Block | None) -> str:
    """Return the note for an output: its tool, its length, and its beginning."""
    text = output_text(source)
    name, argument = source.name, None
    # The name of the call is surer than that of the result, which some formats lack.
    if isinstance(call, ToolCall):
        name = call.name or name
        argument = key_argument(call.arguments)
    tool = " ".join(filter(None, (name, (argument or "")[:_MAX_ARGUMENT])))
    first = next((line.strip() for line in split_lines(text) if line.strip()), "")[
        :FIRST_LINE
    ].strip()
    if first:
        beginning = f", starting with: {first}..."
    else:
        beginning = ""
    return f"{REMOVED}: {', '.join(filter(None, (tool, _lines(true_lines(text)))))}{beginning}]"


def cut_down(text: str, keep: int, most: int, sizes: OutputSizes) -> str:
    """Shorten a text to its first and last lines, or by characters where its lines are too long."""
    # A marker of an earlier run must not be counted as a line of the output.
    if (marker := _MARKER.search(text)) is not None:
        shortened = _cut_again(text, marker, keep)
    else:
        kept_lines = max(keep // LINE_TOKENS, MIN_LINES)
        if len(split_lines(text)) > 2 * kept_lines:
            shortened = truncated_output(text, keep)
        else:
            shortened = text
        if sizes.text_tokens(shortened) > most:
            # A single line may be longer than the whole limit, which lines cannot cut.
            shortened = min(
                shortened, _by_characters(text, keep), key=sizes.text_tokens
            )
    return min(text, shortened, key=sizes.text_tokens)


def _by_characters(text: str, keep: int) -> str:
    size = keep * _CHARACTERS_PER_TOKEN
    if len(text) <= 2 * size:
        return text
    return f"{text[:size]}{truncation_marker(len(text) - 2 * size, 'characters')}{text[-size:]}"


def _cut_again(text: str, marker: re.Match[str], keep: int) -> str:
    """Shorten a text that was cut before; the count in the marker continues."""
    head = text[: marker.start()]
    tail = text[marker.end() :]
    already_cut = int(marker[1])
    unit = marker[2]
    if unit == "characters":
        size = keep * _CHARACTERS_PER_TOKEN
        more = max(0, len(head) - size) + max(0, len(tail) - size)
        return (
            f"{head[:size]}{truncation_marker(already_cut + more, unit)}{tail[-size:]}"
        )
    size = max(keep // LINE_TOKENS, MIN_LINES)
    above = head.split("\n")
    below = tail.split("\n")
    more = max(0, len(above) - size) + max(0, len(below) - size)
    return (
        "\n".join(above[:size])
        + truncation_marker(already_cut + more, unit)
        + "\n".join(below[-size:])
    )


def true_lines(text: str) -> int:
    """Return the number of lines that an output had before any cut; a marker takes three of its
    own."""
    cut = sum(
        int(marker[1]) - 3 for marker in _MARKER.finditer(text) if marker[2] == "lines"
    )
    return len(split_lines(text)) + cut
