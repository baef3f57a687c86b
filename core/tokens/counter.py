"""Counting tokens, offline, once per distinct content."""

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
from core.transcript.image_tokens import is_words, media_data, media_tokens
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
from core.transcript.tool_outcomes import answer_of

COUNTER_VERSION = 4
"""Goes up whenever the rules of this module give another number; old sidecars are then recounted."""

_KEY_LIMIT = 256  # longer texts are remembered by hash, so that the memory holds no second copy
_AHEAD = 2  # portions that wait for a tally's answers; more would only hold their texts
_TEXTS_LIMIT = 5_000  # texts remembered beside a tally, which counts most of them again in no time
_MEMO_LIMIT = 500_000  # messages remembered; previews make new ones all the time


@dataclass(frozen=True, slots=True)
class CountMethod:
    """How tokens were counted: ``mark`` is "=" or "≈", ``label`` names the method for people
    ("o200k_base estimate"), ``encoding`` the tiktoken encoding."""

    mark: str
    label: str
    encoding: str


def is_unreported(message: Message) -> bool:
    """True where a message holds opaque content alone, of which nobody reported the tokens."""
    blocks = message.blocks
    return bool(blocks) and all(type(one) is Opaque and one.tokens is None for one in blocks)


def count_unreported(messages: Sequence[Message], counts: Sequence[int]) -> int:
    """How many messages are missing in the sum of these counts, because their tokens are not known."""
    return sum(not count and is_unreported(messages[place]) for place, count in enumerate(counts))


class TokenCounter:
    """Counts tokens by one method and remembers every text and message it has seen.

    Rules (product.md section 3.3): text, code and thinking as text; a call as its name and compact
    arguments; a response as its text; media by size; ids, signatures and envelopes free.
    ``pause`` is called between the pieces of a long text; what it raises ends the counting. Where there
    is a ``tally``, its process counts.
    """

    def __init__(self, method: CountMethod, tally: CountingProcess | None = None) -> None:
        self.method = method
        self._tally = tally if method.encoding else None
        self._later: list[tuple[TextKey, str]] | None = None  # texts met while their counting is put off
        self.pause: Callable[[], None] = go_on
        self._encode: Callable[[str], int] | None = None
        self._texts: dict[TextKey, int] = {}
        self._counts: dict[int, int] = {}
        self._held: list[Message] = []  # holding a message keeps its id from being reused

    def text(self, text: str) -> int:
        """Tokens of a text; loads the tokenizer at the first text not seen before."""
        if not text:
            return 0
        # the hash that a text keeps with itself costs a fifth of a digest; 64 bits and the length suffice
        key = text if len(text) <= _KEY_LIMIT else hash(text) + (len(text) << 64)
        count = self._texts.get(key)
        if count is None:
            if self._later is not None:
                self._later.append((key, text))
                return 0
            count = self._texts[key] = self._count(text)
        return count

    def block(self, block: Block) -> int:
        """Tokens of one block; 0 for opaque content whose size nobody reported."""
        if isinstance(block, ToolResponse):  # most of what is long
            return self._answer(answer_of(block))
        match block:
            case Text() | Thinking():
                return self.text(block.text)
            case Code():
                return self.text(block.code)
            case ToolCall():
                return self.text(block.name) + self._json(block.arguments)
            case Media():
                return (self.text if is_words(block) else media_tokens)(block.data) + self.text(block.caption)
            case ServerTool():
                return sum(map(self.block, block.said))
        return block.tokens or 0

    def message(self, message: Message) -> int:
        """Tokens of a message: the sum of its blocks. Remembered by identity."""
        known = self._counts.get(id(message))
        if known is not None:
            return known
        count = self._fresh(message)
        self.learn(message, count)
        return count

    def _fresh(self, message: Message) -> int:
        return sum(map(self.block, message.blocks))

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of a history: the sum of its messages."""
        return sum(map(self.message, messages))

    def each(self, messages: Iterable[Message], *, keeps: bool = True) -> Iterator[int]:
        """Tokens of each message, in order. A tally counts some while the next are looked at. Without
        ``keeps`` they are not remembered, nor the messages held for it."""
        if self._tally is None:
            yield from map(self.message if keeps else self._fresh, messages)
            return
        waiting: deque[CountingBatch] = deque()
        for portion in self._asked(messages, self._tally):
            waiting.append(portion)
            if len(waiting) > _AHEAD:
                yield from self._settled(waiting.popleft(), keeps)
        for portion in waiting:
            yield from self._settled(portion, keeps)

    def begin(self, messages: Iterable[Message]) -> CountingBatch:
        """Ask the tally, which there must be, for what messages hold, without waiting for anything."""
        assert self._tally is not None, "only a tally counts meanwhile"
        portion = CountingBatch(self._tally, self.method.encoding)
        for message in messages:
            self._add(portion, message, None)
        portion.ask(None)
        return portion

    def finish(self, portion: CountingBatch) -> list[int]:
        """Wait for what ``begin`` asked: the tokens of each of its messages, in order; not remembered."""
        if len(self._texts) > _TEXTS_LIMIT:
            self._texts.clear()  # a portion asks for all that it needs
        return portion.counts(self._texts, self.pause)

    def system(self, system: SystemPart) -> int:
        """Tokens of system prompt and tool definitions, which no history contains."""
        return sum(map(self.text, system.texts)) + sum(map(self._json, system.tools))

    def known(self, messages: Sequence[Message]) -> array[int] | None:
        """The counts of messages that were all counted before; None where one was not."""
        found = [self._counts.get(id(message)) for message in messages]
        return None if None in found else array("q", [count for count in found if count is not None])

    def learn(self, message: Message, count: int) -> None:
        """Take over a count that was made before by the same method."""
        if len(self._held) >= _MEMO_LIMIT:
            self._counts.clear()
            self._held.clear()
        self._counts[id(message)] = count
        self._held.append(message)

    def _asked(self, messages: Iterable[Message], tally: CountingProcess) -> Iterator[CountingBatch]:
        """The messages in portions, of which the tally was asked each."""
        portion = CountingBatch(tally, self.method.encoding)
        for message in messages:
            known = self._counts.get(id(message))
            if known is None:
                self._add(portion, message, self.pause)
            else:
                portion.add(message, known, ())
            if portion.is_full:
                portion.ask(self.pause)
                yield portion
                portion = CountingBatch(tally, self.method.encoding)
        portion.ask(self.pause)
        yield portion

    def _add(self, portion: CountingBatch, message: Message, pause: Callable[[], None] | None) -> None:
        """Put a message into a portion: the tokens of what is known of it, and its other texts."""
        later: list[tuple[TextKey, str]] = []
        self._later = later
        try:
            known = self._fresh(message)
        finally:
            self._later = None
        portion.add(message, known, [key for key, _ in later])
        for key, text in later:
            portion.want(key, text, pause)

    def _settled(self, portion: CountingBatch, keeps: bool) -> Iterator[int]:
        for message, count in zip(portion.messages, self.finish(portion), strict=True):
            if keeps and id(message) not in self._counts:
                self.learn(message, count)
            yield count

    def _count(self, text: str) -> int:
        if self._encode is None and self._tally is not None:
            batch = self._tally.ask(self.method.encoding, list(text_pieces(text)), self.pause)
            return sum(self._tally.wait(batch, self.pause))
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

    def _answer(self, result: Json) -> int:
        if isinstance(result, str):
            return self.text(result)
        if isinstance(result, Sequence):
            return sum(map(self._part, result))
        if isinstance(result, Mapping) and isinstance(result.get("content"), list):
            rest = {key: value for key, value in result.items() if key != "content"}
            return self._answer(result["content"]) + (self._json(rest) if rest else 0)
        return self._part(result)

    def _part(self, part: Json) -> int:
        data = media_data(part)
        if data is not None:
            return media_tokens(data)
        words = part.get("text", part.get("value")) if isinstance(part, Mapping) else None
        if isinstance(words, str) and _is_text_part(part):
            return self.text(words)
        return self._json(part)


def _is_text_part(part: Mapping[str, Json]) -> bool:
    """True for a part that says it is text, or holds nothing else; LLaMA-Factory's hold it as value."""
    if "text" in part:
        return "type" in part or len(part) == 1
    return part.get("type") == "text"


def counter_for(model: str, tally: CountingProcess | None = None) -> TokenCounter:
    """A counter for a model: exact for OpenAI models whose table is on this disk, else an estimate."""
    return TokenCounter(method_for(model), tally)


def method_for(model: str) -> CountMethod:
    """How the tokens of a model will be counted here; an empty name means any model."""
    own = model_encoding(model) if model else None
    if own is not None and encoding_folder(own) is not None:
        return CountMethod("=", own, own)
    if encoding_folder(DEFAULT) is not None:
        return CountMethod("≈", f"{DEFAULT} estimate", DEFAULT)
    return CountMethod("≈", "estimate of 4 characters per token", "")


def go_on() -> None:
    """The pause of those who count to the end."""
