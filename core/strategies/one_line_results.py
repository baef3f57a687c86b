"""Lines that stand for tool results in safe mode, and what stays known of them from run to run."""

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

_MOST = 200_000
"""Messages remembered; a density pass makes new ones all the time."""
_HISTORIES = 2
"""Histories whose pairs are remembered: those of a switch that is thrown forth and back."""


@dataclass(frozen=True, slots=True)
class PairedHistory:
    """A history, its pairs, the call (message, block) of each response, and where ids are answered last."""

    history: tuple[Message, ...]
    pairs: Pairs
    calls: Mapping[tuple[int, int], tuple[int, int]]
    last: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShortenedMessage:
    """A message with results, made out of these calls; ``message`` has ``lines`` of them as lines, and is
    None where that would be no shorter."""

    source: Message
    calls: tuple[Block | None, ...]
    message: Message | None
    lines: int


class OneLineShortener:
    """Shortens the results of one conversation again and again, as its settings change.

    What is remembered goes by the messages themselves: one that is the same object, answering the same
    calls, gets the same line. The estimate has to be the same each time.
    """

    def __init__(self) -> None:
        self._joined: list[PairedHistory] = []
        self._known: dict[int, ShortenedMessage] = {}

    def joined(self, history: tuple[Message, ...]) -> PairedHistory:
        """The pairs of a history."""
        known = next((one for one in self._joined if one.history == history), None)
        if known is not None:
            return known
        pairs = find_pairs(history)
        calls = {(one.response, one.response_block): (one.call, one.call_block) for one in pairs.pairs}
        made = PairedHistory(history, pairs, calls, last_responses(history))
        self._joined = [made, *self._joined][:_HISTORIES]
        return made

    def shortened(self, joined: PairedHistory, index: int, estimate: TokenCount) -> ShortenedMessage | None:
        """The message at an index with its results as lines; None where it has no result."""
        message = joined.history[index]
        calls = _calls(joined, index)
        if not calls:
            return None
        known = self._known.get(id(message))
        if known is not None and len(known.calls) == len(calls) and all(map(_is, known.calls, calls)):
            return known
        if len(self._known) >= _MOST:  # most of them are of histories that are not looked at any more
            self._known.clear()
        made = self._known[id(message)] = _shortened(message, calls, estimate)
        return made


def _is(one: object, other: object) -> bool:
    return one is other


def _calls(joined: PairedHistory, index: int) -> tuple[Block | None, ...]:
    """The calls that the results of a message answer, in order; None for one without."""
    history, found = joined.history, []
    for place, block in enumerate(history[index].blocks):
        if isinstance(block, ToolResponse):
            call = joined.calls.get((index, place))
            found.append(None if call is None else history[call[0]].blocks[call[1]])
    return tuple(found)


def _shortened(message: Message, calls: Sequence[Block | None], estimate: TokenCount) -> ShortenedMessage:
    """One line per result where that is shorter; pointers and lines of an earlier run stay."""
    lines: dict[int, Block] = {}
    new, waiting = message, iter(calls)
    for place, block in enumerate(message.blocks):
        if not isinstance(block, ToolResponse):
            continue
        call = next(waiting)
        if _is_line(block.result):
            continue
        line = with_result(block, _safe_line(block, call))
        alone = with_blocks(message, (line,))
        if estimate((alone,)) < _tokens(message, block, estimate):
            lines[place], new = line, alone
    if lines and len(message.blocks) > 1:
        new = with_blocks(message, tuple(lines.get(place, one) for place, one in enumerate(message.blocks)))
    return ShortenedMessage(message, tuple(calls), new if lines else None, len(lines))


def _tokens(message: Message, block: Block, estimate: TokenCount) -> int:
    """Tokens of one block of a message; a message of that block alone was counted before."""
    alone = len(message.blocks) == 1 and message.blocks[0] is block
    return estimate((message if alone else with_blocks(message, (block,)),))


def _safe_line(block: ToolResponse, call: Block | None) -> str:
    name, argument = block.name, None
    if isinstance(call, ToolCall):
        name, argument = call.name or name, key_argument(call.arguments)
    return one_line(name, argument, is_failed_result(block))


def one_line(name: str, argument: str | None, wrong: bool) -> str:
    """What stands for a result: the tool, what it was called for, and how that ended."""
    outcome = "error" if wrong else "success"
    return f"[{name} {argument}: {outcome}]" if argument else f"[{name}: {outcome}]"


def _is_line(result: Json) -> bool:
    """True for a pointer or a line that an earlier run put in a result's place."""
    if not isinstance(result, str) or len(result) > 400 or "\n" in result:
        return False
    return result == POINTER or (result.startswith("[") and result.endswith((": success]", ": error]")))
