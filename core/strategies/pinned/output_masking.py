"""Old tool output as one line each, oldest first and only as much as the target needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.facts.sentences import plain_text, tool_row
from core.facts.tool_failures import is_declined, user_answers, user_said
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.pinned.context import LAST, PinnedContext
from core.strategies.pinned.placeholder_lines import clip_text, is_marked, masked_line, observation_line
from core.strategies.presets.tool_results import ToolResultPlace, results_of, text_of, with_text
from core.strategies.tool_work import ToolWorkIndex
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Message, Speaker, Text, ToolCall, tool_responses

MASKED = "masked output"
SHORT = "short arguments"
PROTECT = 0.25
"""Share of the target that the newest output may take and still stay as it is."""

MINIMUM = 0.02
"""Share of the history that masking has to save, or it is not worth a broken cache."""

REQUEST = 0.5
"""Share of the target from which on the last request keeps only its beginning and its end."""

LONG_REQUEST = "long request"
_REQUEST = "The last request, which alone would take most of the target: its beginning and its end."
_LEAST_CLIP = 150  # tokens; less of an output says nothing
_MASKED = "Old output of a tool as one line: the same call would give it again."
_CLIPPED = "A large output, of which the beginning and the end stay."
_LONG = 600  # characters of one argument that stay
_CUT = "… [{count:,} characters left out]"


def mask_outputs(bench: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Output beyond the newest, masked until the target is met; nothing below the minimum gain."""
    return _until(bench, draft, _masks(bench.memory.works, draft.messages, _shares(bench, draft)), MASKED)


def shorten_arguments(bench: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Long texts in the arguments of old calls, cut to their beginning, until the target is met."""
    protected = _protected_from(bench, draft)
    found = (
        (position, _shortened(entry.message), "The long arguments of an old call, cut to their beginning.")
        for position, entry in enumerate(draft.entries[:protected])
    )
    return _until(bench, draft, found, SHORT)


def _shares(bench: PinnedContext, draft: HistoryDraft) -> list[tuple[ToolResultPlace, int]]:
    """The results that do not stay as they are, oldest first, with the tokens that each may keep.

    The newest share the protected tokens; one that is too large for that keeps its beginning and its end.
    """
    left = int(bench.target * PROTECT)
    most = left // 2
    found: list[tuple[ToolResultPlace, int]] = []
    for one in sorted(_outputs(bench, draft), key=_place, reverse=True):
        share = min(left, most if one.tokens > most else one.tokens)
        if share < one.tokens:
            share = share if share >= _LEAST_CLIP else 0
            found.append((one, share))
        left -= share
    return found[::-1]


def _place(one: ToolResultPlace) -> tuple[int, int]:
    return one.message, one.block


def _outputs(bench: PinnedContext, draft: HistoryDraft) -> list[ToolResultPlace]:
    """All output of tools that no earlier run marked and in which the person does not speak."""
    messages = draft.messages
    told = [
        ToolResultPlace(at, -1, None, tool, bench.tokens(message))
        for at, message in enumerate(messages)
        if message.speaker is Speaker.HUMAN and (tool := tool_row(message)[0])
    ]
    found = [*results_of(bench.context, messages), *told]
    texts = ((one, text_of(messages[one.message], one.block)) for one in found)
    return [one for one, text in texts if not is_marked(text) and not _is_of_person(text)]


def _is_of_person(text: str) -> bool:
    """True where a tool brings the person's own words: why a call was refused, what was chosen."""
    return (is_declined(text) and bool(user_said(text))) or bool(user_answers(text))


def _protected_from(bench: PinnedContext, draft: HistoryDraft) -> int:
    """The position from which on the newest messages take the protected tokens."""
    left = int(bench.target * PROTECT)
    for position in range(len(draft.entries) - 1, -1, -1):
        left -= bench.tokens(draft.entries[position].message)
        if left < 0:
            return position
    return 0


def _masks(
    works: ToolWorkIndex, messages: Sequence[Message], shares: Sequence[tuple[ToolResultPlace, int]]
) -> Iterator[tuple[int, Message, str]]:
    work = works.of(messages)
    now: dict[int, Message] = {}
    for one, share in shares:
        old = messages[one.message]
        if share:
            text, reason = clip_text(text_of(old, one.block), one.tokens, share), _CLIPPED
        else:
            text = observation_line(old) if one.block < 0 else masked_line(messages, work[_place(one)])
            reason = _MASKED
        now[one.message] = with_text(now.get(one.message, old), one.block, text)
        yield one.message, now[one.message], reason


def _until(
    bench: PinnedContext, draft: HistoryDraft, found: Iterator[tuple[int, Message, str]], rule: str
) -> HistoryDraft:
    """The draft with these changes, in their order, as long as the target is not met."""
    total = bench.total(draft)
    start = total
    changes: dict[int, tuple[Message, FateStep]] = {}
    for position, new, reason in found:
        if total <= bench.target:
            break
        entry = draft.entries[position]
        now = changes[position][0] if position in changes else entry.message
        gain = bench.tokens(now) - bench.tokens(new)
        if gain > 0 and bench.is_free(entry.origins[0]):
            changes[position] = new, FateStep(rule, FateKind.EDITED, reason)
            total -= gain
    return with_edited(draft, changes) if start - total >= MINIMUM * start else draft


def _shortened(message: Message) -> Message:
    return replace(message, blocks=tuple(map(_short, message.blocks)))


def _short(block: Block) -> Block:
    if not isinstance(block, ToolCall) or not isinstance(block.arguments, dict):
        return block
    new = {key: _cut(value) for key, value in block.arguments.items()}
    return block if new == block.arguments else replace(block, arguments=new)


def _cut(value: object) -> object:
    if not isinstance(value, str) or len(value) <= 2 * _LONG:
        return value
    return value[:_LONG] + _CUT.format(count=len(value) - _LONG)


def clip_request(bench: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """The last request where it alone would take most of the target: its beginning and its end."""
    most = int(bench.target * REQUEST)
    for position, entry in enumerate(draft.entries):
        index, tokens = entry.origins[0], bench.tokens(entry.message)
        if bench.whole.get(index) == LAST and tokens > most and not any(tool_responses(entry.message)):
            text = clip_text(plain_text(entry.message), tokens, most)
            new = replace(entry.message, blocks=(Text(text),))
            return with_edited(draft, {position: (new, FateStep(LONG_REQUEST, FateKind.EDITED, _REQUEST))})
    return draft
