"""Token counter: counts offline, each distinct content once."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.tokens.counted_texts import BLANK_RUN, compact_json_texts, text_pieces
from core.tokens.counting_batches import CountingBatch, TextKey
from core.tokens.counting_process import CountingProcess
from core.tokens.encodings import (
    DEFAULT,
    encoding_folder,
    model_encoding,
    token_counter_function,
)
from core.transcript.image_tokens import is_plain_text, media_data, media_tokens
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    ServerTool,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_outcomes import response_content

COUNTER_VERSION = 4
"""Increases whenever the rules of this module change a count; older sidecars are then recounted."""

_KEY_LIMIT = 256  # longer texts are cached by hash, so that no second copy is held
_AHEAD = 2  # batches that wait for the process; more would only hold their texts
_TEXTS_LIMIT = 5_000  # cached texts beside a process, which recounts most of them fast
_MEMO_LIMIT = 500_000  # cached messages; previews create new ones all the time


@dataclass(frozen=True, slots=True)
class CountMethod:
    """A counting method: ``mark`` is "=" or "≈", ``encoding`` the tiktoken encoding.

    ``label`` names the method for the user ("o200k_base estimate").
    """

    mark: str
    label: str
    encoding: str


def is_unreported(message: Message) -> bool:
    """Return True for a message with only opaque content without reported tokens."""
    blocks = message.blocks
    return bool(blocks) and all(type(block) is Opaque and block.tokens is None for block in blocks)


def count_unreported(messages: Sequence[Message], counts: Sequence[int]) -> int:
    """Return how many messages the sum of these counts lacks because their tokens are unknown."""
    return sum(not count and is_unreported(messages[index]) for index, count in enumerate(counts))


class TokenCounter:
    """Counts tokens by one method, in ``process`` if given, and caches every text and message.

    Rules (product.md section 3.3): text, code and thinking count as text; a call as its name and compact
    arguments; a response as its text; media by size; ids, signatures and envelopes nothing. ``pause`` is
    called between the pieces of a long text; an exception from it ends the counting.
    """

    def __init__(self, method: CountMethod, process: CountingProcess | None = None) -> None:
        self.method = method
        self._process = process if method.encoding else None
        self._collected: list[tuple[TextKey, str]] | None = None  # texts collected for a batch
        self.pause: Callable[[], None] = no_pause
        self._encode: Callable[[str], int] | None = None
        self._texts: dict[TextKey, int] = {}
        self._counts: dict[int, int] = {}
        self._cached_messages: list[Message] = []  # holding a message keeps its id from being reused

    def text(self, text: str) -> int:
        """Return the tokens of a text; loads the tokenizer at the first new text."""
        if not text:
            return 0
        # Python's cached hash costs a fifth of a digest; 64 bits and the length suffice
        key = text if len(text) <= _KEY_LIMIT else hash(text) + (len(text) << 64)
        count = self._texts.get(key)
        if count is None:
            if self._collected is not None:
                self._collected.append((key, text))
                return 0
            count = self._texts[key] = self._count(text)
        return count

    def block(self, block: Block) -> int:
        """Return the tokens of a block; 0 for opaque content without reported tokens."""
        if isinstance(block, ToolResponse):  # most long content
            return self._result_tokens(response_content(block))
        match block:
            case Text() | Thinking():
                return self.text(block.text)
            case Code():
                return self.text(block.code)
            case ToolCall():
                return self.text(block.name) + self._json(block.arguments)
            case Media():
                return (self.text if is_plain_text(block) else media_tokens)(block.data) + self.text(
                    block.caption
                )
            case ServerTool():
                return sum(map(self.block, block.description))
        return block.tokens or 0

    def message(self, message: Message) -> int:
        """Return the tokens of a message, cached by identity."""
        known = self._counts.get(id(message))
        if known is not None:
            return known
        count = self._uncached_count(message)
        self.cache_count(message, count)
        return count

    def _uncached_count(self, message: Message) -> int:
        return sum(map(self.block, message.blocks))

    def messages(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))

    def count_each(self, messages: Iterable[Message], *, use_cache: bool = True) -> Iterator[int]:
        """Yield the tokens of each message; the process counts some while others are prepared.

        Without ``use_cache`` neither counts nor messages are cached.
        """
        if self._process is None:
            yield from map(self.message if use_cache else self._uncached_count, messages)
            return
        pending: deque[CountingBatch] = deque()
        for batch in self._sent_batches(messages, self._process):
            pending.append(batch)
            if len(pending) > _AHEAD:
                yield from self._finished(pending.popleft(), use_cache)
        for batch in pending:
            yield from self._finished(batch, use_cache)

    def begin(self, messages: Iterable[Message]) -> CountingBatch:
        """Start counting messages in the process, which is required, without waiting."""
        assert self._process is not None, "counting in the background needs a process"
        batch = CountingBatch(self._process, self.method.encoding)
        for message in messages:
            self._add(batch, message, None)
        batch.ask(None)
        return batch

    def finish(self, batch: CountingBatch) -> list[int]:
        """Wait for a batch of ``begin``; return the tokens of its messages in order, not cached."""
        if len(self._texts) > _TEXTS_LIMIT:
            self._texts.clear()  # a batch counts all texts it needs
        return batch.counts(self._texts, self.pause)

    def system(self, system: SystemPart) -> int:
        """Return the tokens of system prompt and tool definitions, which no history contains."""
        return sum(map(self.text, system.texts)) + sum(map(self._json, system.tools))

    def cached_counts(self, messages: Sequence[Message]) -> array[int] | None:
        """Return the counts of messages that were all counted before, else None."""
        counts = [self._counts.get(id(message)) for message in messages]
        return None if None in counts else array("q", [count for count in counts if count is not None])

    def cache_count(self, message: Message, count: int) -> None:
        """Cache a count made before by the same method."""
        if len(self._cached_messages) >= _MEMO_LIMIT:
            self._counts.clear()
            self._cached_messages.clear()
        self._counts[id(message)] = count
        self._cached_messages.append(message)

    def _sent_batches(self, messages: Iterable[Message], process: CountingProcess) -> Iterator[CountingBatch]:
        """Yield the messages in batches that were sent to the process."""
        batch = CountingBatch(process, self.method.encoding)
        for message in messages:
            known = self._counts.get(id(message))
            if known is None:
                self._add(batch, message, self.pause)
            else:
                batch.add(message, known, ())
            if batch.is_full:
                batch.ask(self.pause)
                yield batch
                batch = CountingBatch(process, self.method.encoding)
        batch.ask(self.pause)
        yield batch

    def _add(self, batch: CountingBatch, message: Message, pause: Callable[[], None] | None) -> None:
        """Add a message to a batch: its cached tokens and its uncounted texts."""
        collected: list[tuple[TextKey, str]] = []
        self._collected = collected
        try:
            known = self._uncached_count(message)
        finally:
            self._collected = None
        batch.add(message, known, [key for key, _ in collected])
        for key, text in collected:
            batch.want(key, text, pause)

    def _finished(self, batch: CountingBatch, use_cache: bool) -> Iterator[int]:
        for message, count in zip(batch.messages, self.finish(batch), strict=True):
            if use_cache and id(message) not in self._counts:
                self.cache_count(message, count)
            yield count

    def _count(self, text: str) -> int:
        if self._encode is None and self._process is not None:
            batch = self._process.ask(self.method.encoding, list(text_pieces(text)), self.pause)
            return sum(self._process.wait(batch, self.pause))
        if self._encode is None:
            self._encode = token_counter_function(self.method.encoding)
        if len(text) < BLANK_RUN:
            return self._encode(text)
        count = 0
        for piece in text_pieces(text):
            count += self._encode(piece)
            self.pause()
        return count

    def _json(self, value: Json) -> int:
        if value is None or value is MISSING:
            return 0
        return self.text(value) if isinstance(value, str) else sum(map(self.text, compact_json_texts(value)))

    def _result_tokens(self, result: Json) -> int:
        if isinstance(result, str):
            return self.text(result)
        if isinstance(result, Sequence):
            return sum(map(self._part_tokens, result))
        if isinstance(result, Mapping) and isinstance(result.get("content"), list):
            rest = {key: value for key, value in result.items() if key != "content"}
            return self._result_tokens(result["content"]) + (self._json(rest) if rest else 0)
        return self._part_tokens(result)

    def _part_tokens(self, part: Json) -> int:
        data = media_data(part)
        if data is not None:
            return media_tokens(data)
        text = part.get("text", part.get("value")) if isinstance(part, Mapping) else None
        if isinstance(text, str) and _is_text_part(part):
            return self.text(text)
        return self._json(part)


def _is_text_part(part: Mapping[str, Json]) -> bool:
    """Return True for a text part, which has a type or nothing else; LLaMA-Factory's have ``value``."""
    if "text" in part:
        return "type" in part or len(part) == 1
    return part.get("type") == "text"


def counter_for(model: str, process: CountingProcess | None = None) -> TokenCounter:
    """Return a counter for a model: exact for OpenAI models with a table on this disk, else an estimate."""
    return TokenCounter(method_for(model), process)


def method_for(model: str) -> CountMethod:
    """Return the counting method of a model; an empty name means any model."""
    encoding = model_encoding(model) if model else None
    if encoding is not None and encoding_folder(encoding) is not None:
        return CountMethod("=", encoding, encoding)
    if encoding_folder(DEFAULT) is not None:
        return CountMethod("≈", f"{DEFAULT} estimate", DEFAULT)
    return CountMethod("≈", "estimate of 4 characters per token", "")


def no_pause() -> None:
    """Do nothing: the ``pause`` of callers that cannot be cancelled."""
