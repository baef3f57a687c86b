"""One-line replacements of tool results in safe mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.facts.file_accesses import key_argument
from core.strategies.density.recency_pruning import POINTER
from core.transcript.boundaries import TokenCount, last_responses
from core.transcript.model import Block, Message, ToolCall, ToolResponse, with_blocks, with_result
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import Pairs, find_pairs


@dataclass(frozen=True, slots=True)
class PairedHistory:
    """A history, its pairs, the call (message, block) of each response, and the last response of each id."""

    history: tuple[Message, ...]
    pairs: Pairs
    calls: Mapping[tuple[int, int], tuple[int, int]]
    last_response_by_id: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShortenedMessage:
    """A message with ``lines`` results as one line each; ``message`` is None where that is no shorter."""

    message: Message | None
    lines: int


def pair_history(history: tuple[Message, ...]) -> PairedHistory:
    pairs = find_pairs(history)
    calls = {(pair.response, pair.response_block): (pair.call, pair.call_block) for pair in pairs.pairs}
    return PairedHistory(history, pairs, calls, last_responses(history))


def shorten_results(
    paired_history: PairedHistory, index: int, estimate: TokenCount
) -> ShortenedMessage | None:
    """Return the message at an index with one-line results; None where it has no result."""
    calls = _answered_calls(paired_history, index)
    return _shortened(paired_history.history[index], calls, estimate) if calls else None


def _answered_calls(paired_history: PairedHistory, index: int) -> tuple[Block | None, ...]:
    """Return the calls that the results of a message answer, in order; None for a result without one."""
    history, calls = paired_history.history, []
    for place, block in enumerate(history[index].blocks):
        if isinstance(block, ToolResponse):
            call = paired_history.calls.get((index, place))
            calls.append(None if call is None else history[call[0]].blocks[call[1]])
    return tuple(calls)


def _shortened(message: Message, calls: Sequence[Block | None], estimate: TokenCount) -> ShortenedMessage:
    """Replace each result that gets shorter; pointers and lines of an earlier run stay."""
    lines: dict[int, Block] = {}
    new, remaining_calls = message, iter(calls)
    for place, block in enumerate(message.blocks):
        if not isinstance(block, ToolResponse):
            continue
        call = next(remaining_calls)
        if _is_line(block.result):
            continue
        line = with_result(block, _safe_line(block, call))
        single_block_message = with_blocks(message, (line,))
        if estimate((single_block_message,)) < _tokens(message, block, estimate):
            lines[place], new = line, single_block_message
    if lines and len(message.blocks) > 1:
        new = with_blocks(
            message, tuple(lines.get(place, original) for place, original in enumerate(message.blocks))
        )
    return ShortenedMessage(new if lines else None, len(lines))


def _tokens(message: Message, block: Block, estimate: TokenCount) -> int:
    """Return the tokens of one block; a message that is this block alone was already counted."""
    is_only_block = len(message.blocks) == 1 and message.blocks[0] is block
    return estimate((message if is_only_block else with_blocks(message, (block,)),))


def _safe_line(block: ToolResponse, call: Block | None) -> str:
    name, argument = block.name, None
    if isinstance(call, ToolCall):
        name, argument = call.name or name, key_argument(call.arguments)
    return one_line(name, argument, is_failed_result(block))


def one_line(name: str, argument: str | None, failed: bool) -> str:
    """Return the line for a result: the tool, its key argument, and its outcome."""
    outcome = "error" if failed else "success"
    return f"[{name} {argument}: {outcome}]" if argument else f"[{name}: {outcome}]"


def _is_line(result: Json) -> bool:
    """Return whether the result is a pointer or a line from an earlier run."""
    if not isinstance(result, str) or len(result) > 400 or "\n" in result:
        return False
    return result == POINTER or (result.startswith("[") and result.endswith((": success]", ": error]")))
