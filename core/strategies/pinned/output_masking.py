"""Replaces old tool output by one line each, oldest first, until the target is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.facts.sentences import plain_text, tool_row
from core.facts.tool_failures import decline_comment, is_declined, user_answers
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.pinned.context import LAST_REQUEST_REASON, PinnedContext
from core.strategies.pinned.placeholder_lines import clip_text, is_marked, masked_line, observation_line
from core.strategies.presets.tool_results import ToolResultPlace, find_results, result_text_at, with_text
from core.strategies.tool_work import find_tool_work
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Message, Speaker, Text, ToolCall, tool_responses

MASK_RULE = "masked output"
SHORT_ARGUMENTS_RULE = "short arguments"
PROTECTED_SHARE = 0.25  # share of the target in which the newest output stays as it is
MIN_GAIN_SHARE = 0.02  # smallest share of the history to save; less is not worth a broken cache
MAX_REQUEST_SHARE = 0.5  # share of the target above which the last request keeps only its beginning and end
LONG_REQUEST_RULE = "long request"
_REQUEST = "The last request, which alone would take most of the target: its beginning and its end."
_MIN_CLIP = 150  # tokens; a shorter clip is useless
_MASKED = "Old output of a tool as one line: the same call would give it again."
_CLIPPED = "A large output, of which the beginning and the end stay."
_KEPT_CHARACTERS = 600  # characters kept of one argument
_CUT = "… [{count:,} characters left out]"


def mask_outputs(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Mask output beyond the newest until the target is met; nothing below the minimum gain."""
    return _apply_until_target(run, draft, _masked_messages(draft.messages, _shares(run, draft)), MASK_RULE)


def shorten_arguments(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Cut long texts in the arguments of old calls to their beginning until the target is met."""
    protected = _protected_start(run, draft)
    changed_messages = (
        (position, _shortened(entry.message), "The long arguments of an old call, cut to their beginning.")
        for position, entry in enumerate(draft.entries[:protected])
    )
    return _apply_until_target(run, draft, changed_messages, SHORT_ARGUMENTS_RULE)


def _shares(run: PinnedContext, draft: HistoryDraft) -> list[tuple[ToolResultPlace, int]]:
    """Return the results to mask, oldest first, with the tokens that each may keep. The newest share the
    protected tokens; one too large for that keeps its beginning and end."""
    tokens_left = int(run.target * PROTECTED_SHARE)
    max_share = tokens_left // 2
    masked: list[tuple[ToolResultPlace, int]] = []
    for result in sorted(_maskable_outputs(run, draft), key=_place_of_result, reverse=True):
        share = min(tokens_left, max_share if result.tokens > max_share else result.tokens)
        if share < result.tokens:
            share = share if share >= _MIN_CLIP else 0
            masked.append((result, share))
        tokens_left -= share
    return masked[::-1]


def _place_of_result(result: ToolResultPlace) -> tuple[int, int]:
    return result.message, result.block


def _maskable_outputs(run: PinnedContext, draft: HistoryDraft) -> list[ToolResultPlace]:
    """Return all tool output that is not yet masked and holds no words of the user."""
    messages = draft.messages
    observations = [
        ToolResultPlace(index, -1, None, tool, run.tokens(message))
        for index, message in enumerate(messages)
        if message.speaker is Speaker.HUMAN and (tool := tool_row(message)[0])
    ]
    results = [*find_results(run.context, messages), *observations]
    texts = ((result, result_text_at(messages[result.message], result.block)) for result in results)
    return [result for result, text in texts if not is_marked(text) and not _has_user_words(text)]


def _has_user_words(text: str) -> bool:
    """Return whether the output holds the user's words: the reason of a refusal, or answers."""
    return (is_declined(text) and bool(decline_comment(text))) or bool(user_answers(text))


def _protected_start(run: PinnedContext, draft: HistoryDraft) -> int:
    """Return the position from which the newest messages take the protected tokens."""
    tokens_left = int(run.target * PROTECTED_SHARE)
    for position in range(len(draft.entries) - 1, -1, -1):
        tokens_left -= run.tokens(draft.entries[position].message)
        if tokens_left < 0:
            return position
    return 0


def _masked_messages(
    messages: Sequence[Message], shares: Sequence[tuple[ToolResultPlace, int]]
) -> Iterator[tuple[int, Message, str]]:
    work = find_tool_work(messages)
    current: dict[int, Message] = {}
    for result, share in shares:
        old = messages[result.message]
        if share:
            text, reason = clip_text(result_text_at(old, result.block), result.tokens, share), _CLIPPED
        else:
            text = (
                observation_line(old)
                if result.block < 0
                else masked_line(messages, work[_place_of_result(result)])
            )
            reason = _MASKED
        current[result.message] = with_text(current.get(result.message, old), result.block, text)
        yield result.message, current[result.message], reason


def _apply_until_target(
    run: PinnedContext, draft: HistoryDraft, changed_messages: Iterator[tuple[int, Message, str]], rule: str
) -> HistoryDraft:
    """Apply the changes in order until the target is met."""
    total = run.total(draft)
    total_before = total
    changes: dict[int, tuple[Message, FateStep]] = {}
    for position, new, reason in changed_messages:
        if total <= run.target:
            break
        entry = draft.entries[position]
        current = changes[position][0] if position in changes else entry.message
        gain = run.tokens(current) - run.tokens(new)
        if gain > 0 and run.is_changeable(entry.origins[0]):
            changes[position] = new, FateStep(rule, FateKind.EDITED, reason)
            total -= gain
    return with_edited(draft, changes) if total_before - total >= MIN_GAIN_SHARE * total_before else draft


def _shortened(message: Message) -> Message:
    return replace(message, blocks=tuple(map(_short_block, message.blocks)))


def _short_block(block: Block) -> Block:
    if not isinstance(block, ToolCall) or not isinstance(block.arguments, dict):
        return block
    new = {key: _short_value(value) for key, value in block.arguments.items()}
    return block if new == block.arguments else replace(block, arguments=new)


def _short_value(value: object) -> object:
    if not isinstance(value, str) or len(value) <= 2 * _KEPT_CHARACTERS:
        return value
    return value[:_KEPT_CHARACTERS] + _CUT.format(count=len(value) - _KEPT_CHARACTERS)


def clip_request(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Clip the last request to its beginning and end where it alone would take most of the target."""
    max_tokens = int(run.target * MAX_REQUEST_SHARE)
    for position, entry in enumerate(draft.entries):
        index, tokens = entry.origins[0], run.tokens(entry.message)
        if (
            run.unchangeable.get(index) == LAST_REQUEST_REASON
            and tokens > max_tokens
            and not any(tool_responses(entry.message))
        ):
            text = clip_text(plain_text(entry.message), tokens, max_tokens)
            new = replace(entry.message, blocks=(Text(text),))
            return with_edited(
                draft, {position: (new, FateStep(LONG_REQUEST_RULE, FateKind.EDITED, _REQUEST))}
            )
    return draft
