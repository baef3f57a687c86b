"""Evaluates filter terms that need whole messages: texts, tools, blocks, ids."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from core.common.json_value import Json
from core.presentation.filter.query import ID, TEXT, TOOL, FilterTerm
from core.presentation.filter.row_filter import Mask
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Progress,
    ServerTool,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    no_progress,
)

_PROGRESS_INTERVAL = 2_000  # messages between progress reports
_MAX_CACHED_MASKS = 24  # cached masks
_BLOCKS: Mapping[type, str] = {
    Text: "text",
    ToolCall: "call",
    ToolResponse: "response",
    Thinking: "thinking",
    Media: "media",
    Code: "code",
    Opaque: "opaque",
    ServerTool: "call",
}
MessageTest: TypeAlias = Callable[[Message], bool]


class FilterEvaluator:
    """Evaluates terms over a source and its results, with a cache of masks."""

    def __init__(self, messages: Sequence[Message], progress: Progress = no_progress) -> None:
        self.messages = messages
        self.progress = progress
        self._names = _names(messages)
        self._masks: OrderedDict[FilterTerm, Mask] = OrderedDict()

    def called_tools(self) -> tuple[str, ...]:
        """Return the called tools, most frequent first."""
        counts = Counter(
            block.name for message in self.messages for block in message.blocks if type(block) is ToolCall
        )
        return tuple(name for name, _ in counts.most_common() if name)

    def source_mask(self, term: FilterTerm) -> Mask:
        """Return the mask of a term over the source. Cancelled propagates."""
        key = FilterTerm(term.key, term.value)
        if key not in self._masks:
            self._masks[key] = self._search(key)
            if len(self._masks) > _MAX_CACHED_MASKS:
                self._masks.popitem(last=False)
        self._masks.move_to_end(key)
        return self._masks[key]

    def result_mask(self, term: FilterTerm, messages: Sequence[Message], origin: Sequence[int]) -> Mask:
        """Return the mask over a result; unchanged messages are not searched again."""
        source_mask, test = self.source_mask(term), self._test(term)
        return bytes(
            source_mask[source_index]
            if source_index >= 0 and self.messages[source_index] is message
            else test(message)
            for message, source_index in zip(messages, origin, strict=True)
        )

    def _search(self, term: FilterTerm) -> Mask:
        test, mask, total = self._test(term), bytearray(), len(self.messages)
        for start in range(0, total, _PROGRESS_INTERVAL):
            self.progress(start / total, f"Looking for “{term.value}”: message {start:,} of {total:,}")
            mask += bytes(map(test, self.messages[start : start + _PROGRESS_INTERVAL]))
        return bytes(mask)

    def _test(self, term: FilterTerm) -> MessageTest:
        value = term.value
        if term.key == TEXT:
            return lambda message: any(value in text.casefold() for text in message_texts(message))
        if term.key == TOOL:
            return lambda message: any(fnmatchcase(name, _pattern(value)) for name in self._tools_of(message))
        if term.key == ID:
            return lambda message: any(
                message_id.casefold().startswith(value) for message_id in message_ids(message)
            )
        return lambda message: any(_BLOCKS[type(block)] == value for block in message.blocks)

    def _tools_of(self, message: Message) -> Iterator[str]:
        for block in message.blocks:
            if type(block) is ToolCall:
                yield block.name.casefold()
            elif type(block) is ToolResponse:
                yield (self._names.get(block.call_id) or block.name).casefold()


def _names(messages: Sequence[Message]) -> Mapping[str, str]:
    calls = (block for message in messages for block in message.blocks if type(block) is ToolCall)
    return {call.id: call.name for call in calls if call.id}


@lru_cache(maxsize=64)
def _pattern(value: str) -> str:
    """Escape a tool name for fnmatch: only * is special."""
    return value.replace("[", "[[]").replace("?", "[?]")


def message_texts(message: Message) -> Iterator[str]:
    """Yield every text of a message, with arguments and results."""
    for block in message.blocks:
        yield from _texts(block)


def _texts(block: Block) -> Iterator[str]:
    match block:
        case Text() | Thinking():
            yield block.text
        case ToolCall():
            yield block.name
            yield from json_strings(block.arguments)
        case ToolResponse():
            yield from json_strings(block.result)
            yield from json_strings(block.error)
        case Code():
            yield block.code
        case Media():
            yield block.caption
        case ServerTool():
            for inner_block in block.description:
                yield from _texts(inner_block)
        case Opaque():
            yield block.kind


def json_strings(value: Json) -> Iterator[str]:
    """Yield the texts, keys and numbers of a JSON value without recursion."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            yield from (str(key) for key in item)
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield str(item)


def message_ids(message: Message) -> Iterator[str]:
    """Yield the ids of a message, its calls and results."""
    yield message.id
    for block in message.blocks:
        if type(block) is ToolCall:
            yield block.id
        elif type(block) is ToolResponse:
            yield block.call_id
