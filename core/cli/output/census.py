"""What a history is made of: messages and tokens by speaker and by kind of block, calls, lint."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lint.findings import LintFinding
from core.lint.lint import PROVIDERS, lint_messages
from core.preview.context import next_request
from core.preview.options import Preview, StageCache
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.recorded_compactions import MeasuredCompaction, measure_compactions
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    ServerTool,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KINDS: tuple[tuple[type, str], ...] = (
    (Text, "text"),
    (ToolCall, "tool_call"),
    (ToolResponse, "tool_response"),
    (Thinking, "thinking"),
    (Media, "media"),
    (Code, "code"),
)
OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class HistoryStatistics:
    """Figures about one history. ``context`` is what the next request would hold, in tokens."""

    messages_by_speaker: Mapping[str, int]
    tokens_by_speaker: Mapping[str, int]
    blocks_by_kind: Mapping[str, int]
    tokens_by_block: Mapping[str, int]
    calls: int
    responses: int
    context: int
    lint: tuple[tuple[str, tuple[LintFinding, ...]], ...]
    recorded: tuple[MeasuredCompaction, ...] = ()
    server_pairs: int = 0


def kind_of(block: Block) -> str:
    """The name of a block's kind: text, tool_call, tool_response, thinking, media, code, opaque."""
    return next((name for kind, name in _KINDS if isinstance(block, kind)), OPAQUE)


def history_statistics(made: Preview, stages: StageCache) -> HistoryStatistics:
    """Count the history of a preview; ``stages`` lends the counter that the preview used."""
    model = made.window.model
    known = stages.results.get(("counter", model))
    raw = known if isinstance(known, TokenCounter) else counter_for(model)
    counter = made.sizing.counter(raw)
    speakers, weights = Tally[str](), Tally[str]()
    blocks, sizes = Tally[str](), Tally[str]()
    for message, tokens in zip(made.messages, made.counts, strict=True):
        speakers[message.speaker.value] += 1
        weights[message.speaker.value] += tokens
        _add_blocks(message, tokens, counter, blocks, sizes)
    return HistoryStatistics(
        dict(speakers),
        dict(weights),
        dict(blocks),
        dict(sizes),
        blocks["tool_call"],
        blocks["tool_response"],
        next_request(made, raw, stages),
        tuple((one.name, lint_messages(made.messages, one.name)) for one in PROVIDERS),
        measure_compactions(made.conversation, counter),
        _server_pairs(made.messages),
    )


def proportional_shares(whole: int, parts: Sequence[int]) -> list[int]:
    """Whole numbers in proportion to ``parts`` whose sum is ``whole``, by the largest remainders."""
    total = sum(parts)
    if not total:
        return list(parts)
    found = [whole * part // total for part in parts]
    rest = sorted(range(len(parts)), key=lambda place: (-(whole * parts[place] % total), place))
    for place in rest[: whole - sum(found)]:
        found[place] += 1
    return found


def _add_blocks(
    message: Message, tokens: int, counter: TokenCounter, blocks: Tally[str], sizes: Tally[str]
) -> None:
    said = [one for block in message.blocks for one in _said(block)]
    if len(said) == 1:
        kind = kind_of(said[0])
        blocks[kind] += 1
        sizes[kind] += tokens
        return
    parts = proportional_shares(tokens, [counter.block(block) for block in said])
    for block, part in zip(said, parts, strict=True):
        kind = kind_of(block)
        blocks[kind] += 1
        sizes[kind] += part


def _said(block: Block) -> tuple[Block, ...]:
    """The call and the answer of a tool of the provider; any other block as it is."""
    return block.said if isinstance(block, ServerTool) else (block,)


def _server_pairs(messages: Sequence[Message]) -> int:
    """Calls of tools of the provider that have an answer; both are in one message."""
    server = (block for message in messages for block in message.blocks if isinstance(block, ServerTool))
    said = [one for block in server for one in block.said]
    calls = Tally(one.id for one in said if isinstance(one, ToolCall))
    return (calls & Tally(one.call_id for one in said if isinstance(one, ToolResponse))).total()
