"""Token counter: counts offline, each distinct content once."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ReferenceType

import orjson

from core.common.excerpts import with_whole_characters
from core.common.json_value import MISSING, Json
from core.tokens.few_texts import FewTexts
from core.transcript.images import (
    BY_AREA,
    ImageFormula,
    image_detail,
    image_formula,
    is_plain_text,
    media_data,
    media_tokens,
)
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Media,
    Message,
    Opaque,
    Progress,
    ServerTool,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    no_progress,
)
from core.transcript.provenance import reported_block_tokens
from core.transcript.tool_pairs import response_content

if TYPE_CHECKING:
    import tiktoken

RELEASE = "0.3.0"
"""The release whose counts the tests compare with tiktoken's."""
_NO_LIMIT = 1 << 40  # tokens: more than any text has


def _toktok() -> Any:
    """Return the library; ImportError where no wheel of it is installed."""
    import toktok

    return toktok


def has_toktok() -> bool:
    """Return True if it is installed in the release known to count like tiktoken.

    It has no wheels for a few machines, where tiktoken counts.
    """
    try:
        release = _toktok().__version__
    except ImportError:
        return False
    # Another release may count differently, and sums would no longer be exact.
    return bool(release == RELEASE)


def count_text(text: str, encoding: str) -> int:
    """Return the tokens of one text, faster than a batch of one."""
    truncate = _toktok().truncate
    try:
        tokens: int = truncate(text, _NO_LIMIT, encoding)[1]
    # Half of a surrogate pair cannot be written in UTF-8.
    except UnicodeEncodeError:
        tokens = truncate(with_whole_characters(text), _NO_LIMIT, encoding)[1]
    return tokens


def count_texts(texts: Sequence[str], encoding: str) -> list[int]:
    """Return the tokens of each text; counts without the interpreter lock."""
    # A batch takes milliseconds: starting threads for it would cost more than they save.
    batch_count = partial(_toktok().batch_count, encoding=encoding, threads=1)
    try:
        counts: list[int] = batch_count(texts)
    except UnicodeEncodeError:
        counts = batch_count(map(with_whole_characters, texts))
    return counts


DEFAULT = "o200k_base"

BLANK_RUN = 100_000
"""Characters: tiktoken fails on about a million blanks in a row, so such runs are cut here."""

# A look at half a thousand characters on each side tells a run of blanks from words.
_BLANK_PROBE = 500
_PIECE = (
    400_000  # characters counted at once, so that counting a huge text can be cancelled
)
_SEAM = re.compile(
    r"[a-z](?=[ (\[{<,;:.=/])|[0-9](?=[A-Za-z])"
)  # no token of any encoding spans it
_SEAM_PROBE = 10_000

# Name and SHA-256 of the file in tiktoken's cache folder. With any other content tiktoken would
# delete it
# and download it again, so both are checked here first.
_O200K = (
    "fb374d419588a4632f3f557e76b4b70aebbca790",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)
_FILES = {
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}

_FOLDER_VARIABLE = "TIKTOKEN_CACHE_DIR"
_OTHER_MAKERS = ("claude", "gemini", "anthropic/", "google/")


def litellm_folder() -> Path | None:
    """Return litellm's folder without importing it; None if it is not installed."""
    spec = importlib.util.find_spec("litellm")
    if spec and spec.origin:
        return Path(spec.origin).parent
    return None


@cache
def encoding_folder(encoding: str) -> Path | None:
    """Return the folder with the intact table of an encoding, or None."""
    if encoding not in _FILES:
        return None
    name, digest = _FILES[encoding]
    for folder in _folders():
        try:
            data = (folder / name).read_bytes()
        except OSError:
            # tiktoken would download a table that differs, and Foldline opens no connection here.
            continue
        if hashlib.sha256(data).hexdigest() == digest:
            return folder
    return None


def has_encoding(encoding: str) -> bool:
    """Return whether texts can be counted with an encoding: toktok brings its own tables."""
    return encoding in _FILES and (
        has_toktok() or encoding_folder(encoding) is not None
    )


def _tiktoken() -> Any:
    """Return the library, which takes long to load."""
    import tiktoken

    return tiktoken


def model_encoding(model: str) -> str | None:
    """Return the encoding of an OpenAI model (provider prefixes allowed), None for all others."""
    # Their tokenizers are not those of tiktoken, so its table need not be loaded.
    if model.startswith(_OTHER_MAKERS):
        return None
    try:
        # Names come with the provider in front, which tiktoken does not know.
        name: str = _tiktoken().encoding_name_for_model(
            model.rpartition("/")[2].lower()
        )
        return name
    except KeyError:
        return None


def load_encoding(encoding: str) -> tiktoken.Encoding:
    """Load an encoding that has an ``encoding_folder``; takes about 0.3 s the first time.

    Raises LookupError if the table is not on this disk.
    """
    folder = encoding_folder(encoding)
    if folder is None:
        raise LookupError(encoding)
    before = os.environ.get(_FOLDER_VARIABLE)
    # tiktoken takes the folder from the environment alone.
    os.environ[_FOLDER_VARIABLE] = str(folder)
    try:
        table: tiktoken.Encoding = _tiktoken().get_encoding(encoding)
        table._mergeable_ranks.clear()  # 26 MB that counting does not need
        return table
    finally:
        # The variable belongs to the user and is left as it was.
        if before is None:
            del os.environ[_FOLDER_VARIABLE]
        else:
            os.environ[_FOLDER_VARIABLE] = before


def _folders() -> Iterator[Path]:
    """Yield the folder that the user set for tiktoken, then the tables that litellm ships."""
    if user_folder := os.environ.get(_FOLDER_VARIABLE):
        yield Path(user_folder)
    # litellm ships the tables, so that nothing has to be downloaded.
    if (litellm := litellm_folder()) is not None:
        yield litellm / "litellm_core_utils" / "tokenizers"


def text_pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces.

    It is cut inside long runs of blanks, which costs at most one token each, and sometimes between
    two tokens, which costs none.
    """
    start = 0
    for place in range(BLANK_RUN, len(text), BLANK_RUN):
        # tiktoken fails on about a million blanks in a row.
        if text[place - _BLANK_PROBE : place + _BLANK_PROBE].isspace():
            yield text[start:place]
            start = place
        elif place - start >= _PIECE and (
            seam := _SEAM.search(text, place, place + _SEAM_PROBE)
        ):
            yield text[start : seam.end()]
            start = seam.end()
    yield text[start:] if start else text


@cache
def _few_texts(encoding: str) -> FewTexts | None:
    """Return what counts the first texts of a process; None where the table that it reads is not
    on this disk."""
    folder = encoding_folder(encoding) if encoding == DEFAULT else None
    if folder is None:
        return None
    return FewTexts((folder / _FILES[encoding][0]).read_bytes)


@cache
def text_counter(encoding: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text; without an encoding a quarter of its
    characters.

    Loading toktok's table stops all threads for half a second.
    """
    if not encoding:
        return _quarter
    # toktok counts like tiktoken, ten times faster and without the lock of the interpreter.
    if has_toktok():
        few = _few_texts(encoding)

        def count_one(text: str) -> int:
            # The first few texts do not pay for loading the table, which takes half a second.
            counts = few.count((text,)) if few else None
            if counts is None:
                return count_text(text, encoding)
            return counts[0]

        return count_one
    tokenizer = load_encoding(encoding)

    def count(text: str) -> int:
        try:
            return len(tokenizer.encode_ordinary(text))
        except BaseException as error:
            # A panic of the tokenizer's Rust code is no Exception; all else is not ours to catch.
            if type(error).__name__ != "PanicException":
                raise
            return _quarter(text)

    return count


@cache
def batch_counter(encoding: str) -> Callable[[Sequence[str]], list[int]]:
    """Return a function that counts each of some texts, with toktok without the interpreter
    lock."""
    if encoding and has_toktok():
        few = _few_texts(encoding)

        def count_batch(texts: Sequence[str]) -> list[int]:
            counts = few.count(texts) if few else None
            if counts is None:
                return count_texts(texts, encoding)
            return counts

        return count_batch
    count = text_counter(encoding)
    return lambda texts: [count(text) for text in texts]


def _quarter(text: str) -> int:
    return (len(text) + 3) // 4


_PLAIN = frozenset((str, int, bool, type(None)))


def compact_json_texts(value: Json) -> Iterator[str]:
    """Yield compact JSON as one text, or only the strings of a value nested too deep."""
    try:
        # orjson is much faster, but writes floats in another form than the counted one.
        if _is_plain(value):
            yield orjson.dumps(value).decode()
            return
    except TypeError:  # only json writes lone surrogates and long integers
        pass
    try:
        yield json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except RecursionError:
        yield from _strings(value)


def _is_plain(value: Json) -> bool:
    """Return True if orjson's output, if any, equals json's: floats differ."""
    stack = [value]
    for found in stack:
        kind = type(found)
        if kind is dict:
            stack.extend(found.values())
        elif kind is list:
            stack.extend(found)
        elif kind not in _PLAIN:
            return False
    return True


def _strings(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, Mapping):
            stack.extend(found)
            stack.extend(found.values())
        elif isinstance(found, Sequence):
            stack.extend(found)


COUNTER_VERSION = 6
"""Increases whenever the rules of this module change a count; cached sizes are then computed
again."""

_TextKey: TypeAlias = str | int
_KEY_LIMIT = 256  # longer texts are cached by hash, so that no second copy is held
_TEXTS_LIMIT = 100_000  # cached texts
# A batch is a pause in which work can be cancelled.
_BATCH_MESSAGES = 256
_BATCH_CHARACTERS = (
    500_000  # about 10 ms of counting, after which work can be cancelled
)


@dataclass(frozen=True, slots=True)
class CountMethod:
    """A counting method: ``mark`` is "=" or "≈", ``encoding`` the tiktoken encoding.

    ``label`` names the method for the user ("o200k_base estimate").
    """

    mark: str
    label: str
    encoding: str


def no_pause() -> None:
    """Do nothing: the ``pause`` of callers that cannot be cancelled."""


def is_unreported(message: Message) -> bool:
    """Return True for a message with only opaque content without reported tokens."""
    blocks = message.blocks
    return bool(blocks) and all(
        type(block) is Opaque and block.tokens is None for block in blocks
    )


def count_unreported(messages: Sequence[Message], counts: Sequence[int]) -> int:
    """Return how many messages the sum of these counts lacks because their tokens are unknown."""
    # Only a message without tokens can be unreported, and most lists have none.
    if 0 not in counts:
        return 0
    return sum(
        is_unreported(messages[index])
        for index, count in enumerate(counts)
        if not count
    )


def reported_tokens(block: Block) -> int:
    """Return the tokens of content that cannot be read, as the provider reported them; 0 for
    none."""
    return reported_block_tokens(block) or 0


class _CountedMessage(ReferenceType[Message]):
    """A message whose count is cached, by its id."""

    __slots__ = ("id",)
    id: int


class TokenCounter:
    """Counts tokens by one method, and caches every text and message.

    Rules: text, code and thinking count as text; a call as its name and compact
    arguments; a response as its text; media by size, with the formula of the model's provider; ids,
    signatures and envelopes nothing.
    """

    def __init__(self, method: CountMethod, images: ImageFormula = BY_AREA) -> None:
        self.method = method
        self.images = images
        self._collected: list[tuple[_TextKey, str]] | None = (
            None  # uncounted texts, for a batch
        )
        self._texts: dict[_TextKey, int] = {}
        self._counts: dict[int, int] = {}
        self._counted: dict[int, _CountedMessage] = {}
        self._on_gone = self._forget  # one for all messages

    def for_method_of(self, other: TokenCounter) -> TokenCounter:
        """Return a counter by the method of ``other``: this one, with its counts, for the same
        encoding."""
        # The counts of another method are worth nothing, those of another label are the same.
        if (self.method.encoding, self.images) != (other.method.encoding, other.images):
            return other
        self.method = other.method
        return self

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
            count = sum(map(text_counter(self.method.encoding), text_pieces(text)))
            self._cache_text(key, count)
        return count

    def block(self, block: Block) -> int:
        """Return the tokens of a block; 0 for opaque content without reported tokens."""
        if isinstance(block, ToolResponse):  # most long content
            return self._result_tokens(response_content(block))
        match block:
            case Text():
                return self.text(block.text)
            case Thinking():
                # Encrypted reasoning has a size that only the provider knows.
                return reported_tokens(block) or self.text(block.text)
            case Code():
                return self.text(block.code)
            case ToolCall():
                return self.text(block.name) + self._json(block.arguments)
            case Media():
                is_text = is_plain_text(block)
                detail = image_detail(block)
                if is_text:
                    tokens = self.text(block.data)
                else:
                    tokens = self._media(block.data, detail)
                return tokens + self.text(block.caption)
            case ServerTool():
                # A tool of the provider is billed by its call and its answer.
                return sum(map(self.block, block.description))
        return block.tokens or 0

    def message(self, message: Message) -> int:
        """Return the tokens of a message, cached by identity."""
        count = self._counts.get(id(message))
        if count is None:
            count = self._uncached_count(message)
            self._cache_message(message, count)
        return count

    def _uncached_count(self, message: Message) -> int:
        return sum(map(self.block, message.blocks))

    def messages(self, messages: Iterable[Message]) -> int:
        return sum(self._counts_of(list(messages)))

    def _counts_of(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of each message; most are known: a preview sums whole histories several
        times."""
        # Sums of whole histories are taken several times a preview, and nearly all are known.
        known = list(map(self._counts.get, map(id, messages)))
        pairs = zip(known, messages, strict=True)
        return [
            self.message(message) if count is None else count
            for count, message in pairs
        ]

    def count_each(
        self,
        messages: Iterable[Message],
        pause: Callable[[], None] = no_pause,
        *,
        use_cache: bool = True,
    ) -> Iterator[int]:
        """Yield the tokens of each message; texts are counted in batches.

        ``pause`` is called between batches; an exception from it ends the counting. Without
        ``use_cache`` messages and their counts are not cached.
        """
        remaining = iter(messages)
        while batch := list(islice(remaining, _BATCH_MESSAGES)):
            counts = self._count_batch(batch, pause)
            if use_cache:
                for message, count in zip(batch, counts, strict=True):
                    if id(message) not in self._counts:
                        self._cache_message(message, count)
            yield from counts

    def system(self, system: SystemPart) -> int:
        """Return the tokens of system prompt and tool definitions, which no history contains."""
        return sum(map(self.text, system.texts)) + sum(map(self._json, system.tools))

    def _count_batch(
        self, messages: Iterable[Message], pause: Callable[[], None]
    ) -> list[int]:
        """Return the tokens of some messages; only their texts are cached."""
        counts: list[int] = []
        uncounted: list[list[tuple[_TextKey, str]]] = []
        try:
            for message in messages:
                self._collected = []
                count = self._counts.get(id(message))
                counts.append(self._uncached_count(message) if count is None else count)
                # Collected first, so that all texts of a batch are counted at once.
                uncounted.append(self._collected)
        finally:
            self._collected = None
        sums = self._count_texts(dict(chain.from_iterable(uncounted)), pause)
        pairs = zip(counts, uncounted, strict=True)
        return [count + sum([sums[key] for key, _ in texts]) for count, texts in pairs]

    def _count_texts(
        self, texts: Mapping[_TextKey, str], pause: Callable[[], None]
    ) -> dict[_TextKey, int]:
        """Count and cache some texts."""
        keys: list[_TextKey] = []
        pieces: list[str] = []
        sums = dict.fromkeys(texts, 0)
        size = 0

        def count() -> None:
            # Cancelling raises here, between two batches.
            pause()
            for key, tokens in zip(
                keys, batch_counter(self.method.encoding)(pieces), strict=True
            ):
                sums[key] += tokens
            keys.clear()
            pieces.clear()

        for key, text in texts.items():
            for piece in text_pieces(text):
                keys.append(key)
                pieces.append(piece)
                size += len(piece)
                if size >= _BATCH_CHARACTERS:
                    count()
                    size = 0
        count()
        for key, tokens in sums.items():
            self._cache_text(key, tokens)
        return sums

    def _cache_message(self, message: Message, count: int) -> None:
        # A count goes with its message, whose id may be that of another one then.
        counted = _CountedMessage(message, self._on_gone)
        counted.id = id(message)
        self._counts[counted.id] = count
        self._counted[counted.id] = counted

    def _forget(self, counted: ReferenceType[Message]) -> None:
        assert isinstance(counted, _CountedMessage)
        del self._counts[counted.id]
        del self._counted[counted.id]

    def _cache_text(self, key: _TextKey, count: int) -> None:
        if len(self._texts) >= _TEXTS_LIMIT:
            self._texts.clear()
        self._texts[key] = count

    def _media(self, data: str, detail: Json = None) -> int:
        return media_tokens(data, self.images, detail)

    def _json(self, value: Json) -> int:
        if value is None or value is MISSING:
            # An absent value is not sent.
            return 0
        if isinstance(value, str):
            return self.text(value)
        return sum(map(self.text, compact_json_texts(value)))

    def _result_tokens(self, result: Json) -> int:
        if isinstance(result, str):
            return self.text(result)
        if isinstance(result, Sequence):
            return sum(map(self._part_tokens, result))
        # Results of MCP have their parts below content.
        if isinstance(result, Mapping) and isinstance(result.get("content"), list):
            rest = {key: value for key, value in result.items() if key != "content"}
            return self._result_tokens(result["content"]) + (
                self._json(rest) if rest else 0
            )
        return self._part_tokens(result)

    def _part_tokens(self, part: Json) -> int:
        data = media_data(part)
        if data is not None:
            # Measured before its text: base64 would count as hundreds of thousands of tokens.
            return self._media(data)
        if isinstance(part, Mapping):
            text = part.get("text", part.get("value"))
        else:
            text = None
        if isinstance(text, str) and _is_text_part(part):
            return self.text(text)
        return self._json(part)


def _is_text_part(part: Mapping[str, Json]) -> bool:
    """Return True for a text part, which has a type or nothing else; LLaMA-Factory's have
    ``value``."""
    if "text" in part:
        return "type" in part or len(part) == 1
    return part.get("type") == "text"


def counter_for(model: str) -> TokenCounter:
    """Return a counter for a model: exact for OpenAI models with a table on this disk, else an
    estimate."""
    return TokenCounter(method_for(model), image_formula(model))


def method_for(model: str) -> CountMethod:
    """Return the counting method of a model; an empty name means any model."""
    if model:
        encoding = model_encoding(model)
    else:
        encoding = None
    if encoding is not None and has_encoding(encoding):
        return CountMethod("=", encoding, encoding)
    if has_encoding(DEFAULT):
        return CountMethod("≈", f"{DEFAULT} estimate", DEFAULT)
    return CountMethod("≈", "estimate of 4 characters per token", "")


def load_table() -> None:
    """Load the table by which most files are counted, so that no file waits half a second for
    it."""
    encoding = method_for("").encoding
    if encoding and has_toktok():
        # A counter would not load it yet: the first texts of a process are counted without it.
        count_text("", encoding)
        if few := _few_texts(encoding):
            few.end()
    else:
        text_counter(encoding)


OnBatch: TypeAlias = Callable[[int, "array[int]"], None]
"""Receives the index of a batch's first message and the tokens of its messages, in order."""

_BATCH_SECONDS = 0.05  # frequent enough for a list that fills visibly


def no_batches(first: int, counts: array[int]) -> None: ...


def count_messages(
    conversation: Conversation,
    counter: TokenCounter,
    progress: Progress = no_progress,
    on_batch: OnBatch = no_batches,
) -> array[int]:
    """Count each message, in order; the counter knows all of them afterwards. Cancelled passes
    through."""
    messages = conversation.messages
    counts = array("q")
    sent = 0
    last = time.monotonic()

    def report() -> None:
        words = f"Counting tokens: message {len(counts):,} of {len(messages):,}"
        progress(len(counts) / len(messages), words)

    for tokens in counter.count_each(messages, report):
        counts.append(tokens)
        # A list that fills visibly needs a batch every twentieth of a second.
        if time.monotonic() - last >= _BATCH_SECONDS:
            on_batch(sent, counts[sent:])
            sent = len(counts)
            report()
            last = time.monotonic()
    if sent < len(counts):
        on_batch(sent, counts[sent:])
    return counts
