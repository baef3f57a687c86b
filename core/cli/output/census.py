"""Statistics of a history: messages and tokens by speaker and by kind of block, calls, lint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lint.findings import LintFinding
from core.lint.lint import PROVIDERS, lint_messages
from core.preview.context import preview_request_tokens
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
    """Statistics of one history. ``context`` are the tokens of the next request."""

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


def block_kind(block: Block) -> str:
    """Return the name of a block's kind: text, tool_call, tool_response, thinking, media, code, opaque."""
    return next((name for kind, name in _KINDS if isinstance(block, kind)), OPAQUE)


def history_statistics(preview: Preview, stages: StageCache) -> HistoryStatistics:
    """Count the history of a preview; ``stages`` has the counter that the preview used."""
    model = preview.window.model
    cached = stages.results.get(("counter", model))
    raw = cached if isinstance(cached, TokenCounter) else counter_for(model)
    counter = preview.sizing.counter(raw)
    speakers, speaker_tokens = Counter[str](), Counter[str]()
    blocks, block_tokens = Counter[str](), Counter[str]()
    for message, tokens in zip(preview.messages, preview.counts, strict=True):
        speakers[message.speaker.value] += 1
        speaker_tokens[message.speaker.value] += tokens
        inner_blocks = [inner_block for block in message.blocks for inner_block in _inner_blocks(block)]
        sizes = [counter.block(block) for block in inner_blocks] if len(inner_blocks) > 1 else [1]
        for block, part in zip(inner_blocks, proportional_shares(tokens, sizes), strict=False):
            blocks[block_kind(block)] += 1
            block_tokens[block_kind(block)] += part
    return HistoryStatistics(
        speakers,
        speaker_tokens,
        blocks,
        block_tokens,
        blocks["tool_call"],
        blocks["tool_response"],
        preview_request_tokens(preview, raw, stages),
        tuple((provider.name, lint_messages(preview.messages, provider.name)) for provider in PROVIDERS),
        measure_compactions(preview.conversation, counter),
        _server_pairs(preview.messages),
    )


def proportional_shares(target_sum: int, parts: Sequence[int]) -> list[int]:
    """Return whole numbers in proportion to ``parts`` whose sum is ``target_sum``, by largest remainders."""
    total = sum(parts)
    if not total:
        return list(parts)
    shares = [target_sum * part // total for part in parts]
    indices = sorted(range(len(parts)), key=lambda index: (-(target_sum * parts[index] % total), index))
    for index in indices[: target_sum - sum(shares)]:
        shares[index] += 1
    return shares


def _inner_blocks(block: Block) -> tuple[Block, ...]:
    """Return call and answer of a provider's tool; any other block as it is."""
    return block.description if isinstance(block, ServerTool) else (block,)


def _server_pairs(messages: Sequence[Message]) -> int:
    """Return how many calls of the provider's tools have an answer; both are in one message."""
    server = (block for message in messages for block in message.blocks if isinstance(block, ServerTool))
    inner_blocks = [inner_block for block in server for inner_block in block.description]
    calls = Counter(block.id for block in inner_blocks if isinstance(block, ToolCall))
    answers = Counter(block.call_id for block in inner_blocks if isinstance(block, ToolResponse))
    return (calls & answers).total()
