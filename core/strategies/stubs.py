"""What stands for a large tool result in the context: its beginning and end, or a stub whose handle
gives the original back."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.facts.tool_outcome import tool_outcome
from core.strategies.base import StrategyContext
from core.strategies.presets.split import (
    ToolResultPlace,
    result_blocks,
    result_text_at,
    with_text,
)
from core.transcript.compaction import Compaction, FateKind, FateStep
from core.transcript.images import images_of
from core.transcript.model import Message, ToolCall, ToolResponse

RULE = "stub"
"""The rule in the fate of a message whose results became stubs."""
STUB_START = "[Stored as "
_BEGIN = 120  # characters of a result that its stub shows
_FRAME = 60  # characters of the line where a text is clipped
_MIN_CLIP = 150  # tokens; a shorter clip is useless


def clip_text(text: str, size: int, max_size: int) -> str:
    """Return the beginning and the end of a text, about ``max_size`` of its ``size`` tokens or
    characters."""
    max_characters = max(0, int(len(text) * max_size / max(1, size)) - _FRAME)
    head = text[: max_characters * 2 // 3]
    tail = text[len(text) - max_characters // 3 :]
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n… [{omitted:,} characters left out] …\n{tail}"


def with_stubs(
    context: StrategyContext,
    messages: Sequence[Message],
    results: Sequence[ToolResultPlace],
    needed_tokens: float = math.inf,
    begin: int = _BEGIN,
) -> dict[int, tuple[Message, FateStep]]:
    """Return by index the messages with stubs in place of these results, in their order until so
    many tokens are saved; a result that its stub would not shorten stays. ``begin``: characters
    that a stub shows."""
    edited: dict[int, Message] = {}
    handles: dict[int, list[str]] = defaultdict(list)
    for result in results:
        if needed_tokens <= 0:
            break
        message = edited.get(result.message, messages[result.message])
        text = result_text_at(message, result.block)
        error = _error_of(messages, result)
        shorter = with_text(message, result.block, stub_text(text, begin, error))
        saved = context.estimate_tokens((message,)) - context.estimate_tokens(
            (shorter,)
        )
        # The stub of a short result is longer than the result.
        if saved > 0:
            edited[result.message] = shorter
            handles[result.message].append(result_handle(text))
            needed_tokens -= saved
    steps = {
        at: FateStep(
            RULE, FateKind.EDITED, f"Large; expand gives it back: {', '.join(stored)}."
        )
        for at, stored in handles.items()
    }
    return {at: (message, steps[at]) for at, message in edited.items()}


def _error_of(messages: Sequence[Message], result: ToolResultPlace) -> str:
    if result.block >= 0:
        block = messages[result.message].blocks[result.block]
    else:
        block = None
    if not isinstance(block, ToolResponse):
        return ""
    if result.call is not None:
        call = messages[result.call[0]].blocks[result.call[1]]
    else:
        call = None
    return tool_outcome(call if isinstance(call, ToolCall) else None, block).error


def result_handle(text: str) -> str:
    """Return the handle of a result, which is the same wherever its text is."""
    # Cut JSON leaves halves of characters in results, and these need a handle, too.
    return "r-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def stub_text(text: str, begin: int = _BEGIN, error: str = "") -> str:
    """Return the stub of a result; ``error`` is the line of it that names an error."""
    size = f"{len(text):,} characters, {len(text.splitlines()):,} lines"
    handle = result_handle(text)
    preview = one_line_text(text, begin)
    # An agent that does not see the error would take the call for done.
    if error and error not in preview:
        said = f" It reports: {error}"
    else:
        said = ""
    return (
        f'{STUB_START}{handle}: {size}. expand("{handle}") returns it. {preview}{said}]'
    )


def stored_results(messages: Sequence[Message]) -> dict[str, str]:
    """Return the texts of all tool results by handle."""
    texts = (
        result_text_at(message, block)
        for message in messages
        for block in result_blocks(message)
    )
    return {result_handle(text): text for text in texts}


def stubbed_results(messages: Sequence[Message], run: Compaction) -> dict[str, str]:
    """Return by handle the results of messages that a run replaced by stubs."""
    if run.no_op is not None:
        return {}
    return stored_results(
        [
            message
            for message, fate in zip(messages, run.fates, strict=True)
            if fate.last.rule == RULE
        ]
    )


def expand_result(stored: Mapping[str, str], handle: str) -> str:
    """Return the original of a stub. Raises InputError for an unknown handle."""
    if handle not in stored:
        raise InputError(
            f"There is no stored result {handle!r}.",
            'Copy the handle from a stub: "Stored as r-…".',
        )
    return stored[handle]


def trimmed_results(
    messages: Sequence[Message],
    room: int,
    estimate_tokens: Callable[[Sequence[Message]], int],
) -> list[Message]:
    """Return messages of results that together fit ``room`` tokens: the smaller ones whole, the
    larger ones with an equal share each, of at least ``_MIN_CLIP`` tokens."""
    sizes = {
        (at, block): estimate_tokens(
            (replace(message, blocks=(message.blocks[block],)),)
        )
        for at, message in enumerate(messages)
        for block, one in enumerate(message.blocks)
        if isinstance(one, ToolResponse)
    }
    share = room
    left = room
    count = len(sizes)
    # What a small result leaves of its share goes to the larger ones.
    for size in sorted(sizes.values()):
        share = left // max(1, count)
        if size > share:
            break
        left = left - size
        count = count - 1
    share = max(share, _MIN_CLIP)
    trimmed = list(messages)
    for (at, block), size in sizes.items():
        if size > share and not any(images_of(messages[at])):
            text = clip_text(result_text_at(messages[at], block), size, share)
            trimmed[at] = with_text(trimmed[at], block, text)
    return trimmed
