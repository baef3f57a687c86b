"""Replaces superseded reads and old tool output by one line each until the target is met, and cuts
long arguments and requests."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.facts.file_accesses import key_argument
from core.facts.sentences import authored_text, plain_text, shorten, tool_row
from core.facts.tool_failures import decline_comment, is_declined, user_answers
from core.facts.tool_outcome import Outcome
from core.strategies.density.read_write_pruning import stale_calls
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.pinned.pinned_input import LAST_REQUEST_REASON, PinnedInput
from core.strategies.presets.tool_results import (
    ToolResultPlace,
    find_results,
    result_text_at,
    with_text,
)
from core.strategies.tool_work import ROOT, ToolWork, response_at
from core.strategies.tracker import read_file
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Message, Speaker, Text, ToolCall, tool_responses
from core.transcript.tool_pairs import BlockPlace, response_content, result_text

MARK = "[left out: "
_HEAD = 160  # characters
_FRAME = 60  # characters


def is_marked(text: str) -> bool:
    """Return whether an earlier run wrote the text."""
    return text.startswith(MARK)


def masked_line(messages: Sequence[Message], work: ToolWork) -> str:
    """Return the line for other output: the tool, its file or command, its length or its error."""
    response = response_at(messages, work.place)
    if work.failed:
        verb = "failed" if work.outcome.kind is Outcome.FAILED else "reported"
        return (
            f"{MARK}{_call_text(messages, work)}; it {verb}: "
            f"{work.outcome.error or 'without a word'}]"
        )
    if work.is_read and len(work.files) == 1:
        about = read_file(messages, work, work.files[0]).summary
        return f"{MARK}{_read_text(messages, work)}{f'; {about}' if about else ''}]"
    return (
        f"{MARK}{_call_text(messages, work)}, "
        f"{_line_count_of(result_text(response_content(response)))}]"
    )


def observation_line(message: Message) -> str:
    """Return the line for output sent as a user message; what the user added stays."""
    text = plain_text(message)
    words = authored_text(message)
    line = (
        f"{MARK}{shorten(text.partition(chr(10))[0].strip('[]: '), _HEAD)}, {_line_count_of(text)}]"
    )
    return f"{line}\n{words}" if words else line


def clip_text(text: str, tokens: int, max_tokens: int) -> str:
    """Return the beginning and the end of a text, about ``max_tokens`` of its tokens."""
    max_characters = max(0, int(len(text) * max_tokens / max(1, tokens)) - _FRAME)
    head, tail = text[: max_characters * 2 // 3], text[len(text) - max_characters // 3 :]
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n… [{omitted:,} characters left out] …\n{tail}"


def _read_text(messages: Sequence[Message], work: ToolWork) -> str:
    """Return path, lines, and a hash that shows whether a new read returns the same."""
    if len(work.files) != 1:
        return f"{work.name or 'tool'} of {', '.join(file.path for file in work.files)}"
    read = read_file(messages, work, work.files[0])
    ranges = ", ".join(f"{low}-{high}" for low, high in read.ranges)
    size = f"lines {ranges}" if ranges else _line_count_text(read.lines)
    return f"{work.name or 'read'} {read.path}, {size}, hash {read.hash:x}"


def _call_text(messages: Sequence[Message], work: ToolWork) -> str:
    call = messages[work.call[0]].blocks[work.call[1]] if work.call is not None else None
    argument = key_argument(call.arguments) if isinstance(call, ToolCall) else None
    name = work.name or "tool"
    return f"{name} {argument}" if argument else name


def _line_count_of(text: str) -> str:
    return _line_count_text(text.count("\n") + 1 if text else 0)


def _line_count_text(lines: int) -> str:
    return f"{lines:,} {'line' if lines == 1 else 'lines'}"


STALE_RULE = "stale read"
COVERED_RULE = "superseded read"
_REASONS = {
    STALE_RULE: "The file was changed since, in #{number}: what it shows is old.",
    COVERED_RULE: "Read again in #{number}, which shows every line of it.",
}
_CAUSES = {STALE_RULE: "the file was changed later", COVERED_RULE: "it was read again later"}
_SIZE_RATIO = 2  # a later read of less than half the size shows something else


_Superseded = tuple[ToolWork, int, str]
"""A useless read, the superseding message (its index in the draft), and the rule."""


def shorten_superseded_reads(run: PinnedInput, draft: HistoryDraft) -> HistoryDraft:
    """Replace reads superseded by a later write, edit or read by one line with path and hash."""
    messages = draft.messages
    changes: dict[int, tuple[Message, FateStep]] = {}
    for read, newer, rule in (
        *_stale_reads(messages, run.work),
        *_covered_reads(messages, run.work),
    ):
        index, block = read.place
        current = changes[index][0] if index in changes else messages[index]
        shortened = with_text(
            current, block, f"{MARK}{_read_text(messages, read)}; {_CAUSES[rule]}]"
        )
        is_changeable = draft.entries[index].origins[0] not in run.unchangeable
        if is_changeable and run.tokens(shortened) < run.tokens(current):
            source = run.context.source_index(draft.entries[newer].origins[0])
            reason = _REASONS[rule].format(number=source + 1)
            changes[index] = shortened, FateStep(rule, FateKind.EDITED, reason, (source,))
    return with_edited(draft, changes) if changes else draft


def _stale_reads(
    messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]
) -> Iterator[_Superseded]:
    calls = stale_calls(messages, ROOT)
    for read in work.values():
        newer = calls.get(read.call) if read.call is not None else None
        if newer is not None and not read.failed and newer > read.place[0]:
            yield read, newer, STALE_RULE


def _covered_reads(
    messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]
) -> Iterator[_Superseded]:
    """Yield reads of lines that a later read shows."""
    later: defaultdict[str, list[tuple[tuple[int, int] | None, int, int]]] = defaultdict(list)
    for read in reversed(tuple(work.values())):
        if read.failed or not read.is_read:
            continue
        size = len(result_text(response_content(response_at(messages, read.place))))
        covers = [_covering_read(later[file.path], file.lines, size) for file in read.files]
        newer = [index for index in covers if index is not None]
        if newer and len(newer) == len(covers):
            yield read, min(newer), COVERED_RULE
        for file in read.files:
            later[file.path].append((file.lines, read.place[0], size // len(read.files)))


def _covering_read(
    later: Sequence[tuple[tuple[int, int] | None, int, int]],
    lines: tuple[int, int] | None,
    size: int,
) -> int | None:
    """Return the message of a later read that shows these lines; a much shorter one does not
    count."""
    for other_lines, message, later_size in later:
        covers_all = other_lines is None or (
            lines is not None and other_lines[0] <= lines[0] and lines[1] <= other_lines[1]
        )
        if covers_all and later_size * _SIZE_RATIO >= size:
            return message
    return None


MASK_RULE = "masked output"
SHORT_ARGUMENTS_RULE = "short arguments"
PROTECTED_SHARE = 0.25  # share of the target in which the newest output stays as it is
MIN_GAIN_SHARE = 0.02  # smallest share of the history to save; less is not worth a broken cache
MAX_REQUEST_SHARE = (
    0.5  # share of the target above which the last request keeps only its beginning and end
)
LONG_REQUEST_RULE = "long request"
_REQUEST = "The last request, which alone would take most of the target: its beginning and its end."
MIN_CLIP = 150  # tokens; a shorter clip is useless
_MASKED = "Old output of a tool as one line: the same call would give it again."
_SHORT_ARGUMENTS = "The long arguments of an old call, cut to their beginning."
CLIPPED = "A large output, of which the beginning and the end stay."
_KEPT_CHARACTERS = 600  # characters kept of one argument
_CUT = "… [{count:,} characters left out]"


def mask_outputs(run: PinnedInput, draft: HistoryDraft) -> HistoryDraft:
    """Mask output beyond the newest until the target is met; nothing below the minimum gain."""
    return _apply_until_target(
        run, draft, _masked_messages(run, draft.messages, _shares(run, draft)), MASK_RULE
    )


def shorten_arguments(run: PinnedInput, draft: HistoryDraft) -> HistoryDraft:
    """Cut long texts in the arguments of calls to their beginning until the target is met; not
    those of the newest calls, which may take a share of the target."""
    tokens_left = int(run.target * PROTECTED_SHARE)
    shortened: list[tuple[int, Message, str]] = []
    for index in range(len(draft.entries) - 1, -1, -1):
        message = draft.entries[index].message
        blocks = tuple(map(_short_block, message.blocks))
        if all(map(operator.is_, blocks, message.blocks)):
            continue
        short = replace(message, blocks=blocks)
        gain = run.tokens(message) - run.tokens(short)
        tokens_left -= gain
        if gain and tokens_left < 0:
            shortened.append((index, short, _SHORT_ARGUMENTS))
    return _apply_until_target(run, draft, reversed(shortened), SHORT_ARGUMENTS_RULE)


def _shares(run: PinnedInput, draft: HistoryDraft) -> list[tuple[ToolResultPlace, int]]:
    """Return the results to mask, oldest first, with the tokens that each may keep. The newest stay
    whole while their share lasts; the one that does not fit keeps what is left, and all older ones
    keep nothing."""
    tokens_left = int(run.target * PROTECTED_SHARE)
    masked: list[tuple[ToolResultPlace, int]] = []
    for result in sorted(_maskable_outputs(run, draft), key=_place_of_result, reverse=True):
        if result.tokens <= tokens_left:
            tokens_left -= result.tokens
            continue
        masked.append((result, tokens_left if tokens_left >= MIN_CLIP else 0))
        tokens_left = 0
    return masked[::-1]


def _place_of_result(result: ToolResultPlace) -> tuple[int, int]:
    return result.message, result.block


def _maskable_outputs(run: PinnedInput, draft: HistoryDraft) -> Iterator[ToolResultPlace]:
    """Yield all tool output that is not yet masked and holds no words of the user: no reason of a
    refusal, no answers."""
    messages = draft.messages
    observations = [
        ToolResultPlace(index, -1, None, tool, run.tokens(message))
        for index, message in enumerate(messages)
        if message.speaker is Speaker.HUMAN and (tool := tool_row(message)[0])
    ]
    for result in (*find_results(run.context, messages), *observations):
        text = result_text_at(messages[result.message], result.block)
        has_user_words = (is_declined(text) and decline_comment(text)) or user_answers(text)
        if not is_marked(text) and not has_user_words:
            yield result


def _masked_messages(
    run: PinnedInput, messages: Sequence[Message], shares: Sequence[tuple[ToolResultPlace, int]]
) -> Iterator[tuple[int, Message, str]]:
    current: dict[int, Message] = {}
    for result, share in shares:
        old = messages[result.message]
        reason = CLIPPED if share else _MASKED
        if share:
            text = clip_text(result_text_at(old, result.block), result.tokens, share)
        elif result.block < 0:
            text = observation_line(old)
        else:
            text = masked_line(messages, run.work[_place_of_result(result)])
        current[result.message] = with_text(current.get(result.message, old), result.block, text)
        yield result.message, current[result.message], reason


def _apply_until_target(
    run: PinnedInput,
    draft: HistoryDraft,
    changed_messages: Iterator[tuple[int, Message, str]],
    rule: str,
) -> HistoryDraft:
    total = run.total(draft)
    total_before = total
    changes: dict[int, tuple[Message, FateStep]] = {}
    for index, new, reason in changed_messages:
        if total <= run.target:
            break
        entry = draft.entries[index]
        current = changes[index][0] if index in changes else entry.message
        gain = run.tokens(current) - run.tokens(new)
        if gain > 0 and entry.origins[0] not in run.unchangeable:
            changes[index] = new, FateStep(rule, FateKind.EDITED, reason)
            total -= gain
    return (
        with_edited(draft, changes)
        if total_before - total >= MIN_GAIN_SHARE * total_before
        else draft
    )


def _short_block(block: Block) -> Block:
    if not isinstance(block, ToolCall) or not isinstance(block.arguments, dict):
        return block
    new = dict(block.arguments)
    for key, value in new.items():
        if isinstance(value, str) and len(value) > 2 * _KEPT_CHARACTERS:
            new[key] = value[:_KEPT_CHARACTERS] + _CUT.format(count=len(value) - _KEPT_CHARACTERS)
    return block if new == block.arguments else replace(block, arguments=new)


def clip_request(run: PinnedInput, draft: HistoryDraft) -> HistoryDraft:
    """Clip the last request to its beginning and end where it alone would take most of the
    target."""
    max_tokens = int(run.target * MAX_REQUEST_SHARE)
    for entry_index, entry in enumerate(draft.entries):
        index, tokens = entry.origins[0], run.tokens(entry.message)
        if (
            run.unchangeable.get(index) == LAST_REQUEST_REASON
            and tokens > max(max_tokens, MIN_CLIP)
            and not any(tool_responses(entry.message))
        ):
            text = clip_text(plain_text(entry.message), tokens, max_tokens)
            new = replace(entry.message, blocks=(Text(text),))
            step = FateStep(LONG_REQUEST_RULE, FateKind.EDITED, _REQUEST)
            return with_edited(draft, {entry_index: (new, step)})
    return draft
