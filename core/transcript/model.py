"""The model of a transcript: conversations, messages, blocks, sources; frozen values without
behaviour. A message's identity is its index in its history. Blocks keep the fields that Foldline
does not interpret in ``extra``, so that a message can be written back unchanged. ``Json`` values
are shared, never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import IntFlag, StrEnum
from pathlib import Path
from typing import TypeAlias

from core.common.json_value import MISSING, Json

NO_EXTRA: Mapping[str, Json] = {}
REASONING_TOKENS = "$tokens"
"""Note of a Thinking whose text is encrypted: the tokens that the provider reported for it."""


def no_extra() -> Mapping[str, Json]:
    """Return the shared empty mapping: a default factory for dataclasses."""
    return NO_EXTRA


class Speaker(StrEnum):
    """The role of a message."""

    HUMAN = "human"
    AI = "ai"
    TOOL = "tool"
    SYSTEM = "system"
    UNKNOWN = "unknown"


class MessageFlag(IntFlag):
    NONE = 0
    META = 1  # written by the agent's harness, not by the user (Claude Code isMeta)
    COMMAND = 2  # a slash command or its output
    API_ERROR = 4  # the provider's error, shown to the user, never sent again
    RECORDED_SUMMARY = 8  # the summary written by the agent's own compaction
    OPAQUE = 16  # has content that could not be read; kept unchanged
    CONTEXT = 32  # words of a memory, file, hook or reminder that the harness put into the context


NO_MODEL = "<synthetic>"
"""Claude Code's model of messages that no model wrote."""
NOT_TYPED = (
    MessageFlag.META
    | MessageFlag.COMMAND
    | MessageFlag.API_ERROR
    | MessageFlag.RECORDED_SUMMARY
)
"""A message of the user with one of these is no request that a person typed."""


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool; ``arguments`` is the parsed JSON of any type."""

    id: str
    name: str
    arguments: Json
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """The answer of a tool: ``result`` is text or JSON, ``error`` is text, JSON or MISSING. A
    result that is a list of blocks in its file (text and images) stays that list."""

    call_id: str
    name: str
    result: Json
    error: Json = MISSING
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning text; signature and encrypted parts are in ``extra``."""

    text: str
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Media:
    """An image, sound or document; ``data`` is base64 or a URL and is never counted as text."""

    mime: str
    data: str
    caption: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Code:
    """A code block that its format separates from text."""

    code: str
    language: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Encrypted, unreadable or unknown content; ``raw`` is the JSON, ``tokens`` its size if
    reported."""

    kind: str
    raw: Json
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ServerTool(Opaque):
    """A tool call that the provider answered itself, its answer, or both; ``description`` holds
    their parsed form. It is exported as ``raw``, in its message; no strategy changes or splits
    it."""

    description: tuple[ToolCall | ToolResponse, ...] = ()


Block: TypeAlias = Text | ToolCall | ToolResponse | Thinking | Media | Code | Opaque


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a message: line from 1, byte range in the document, part of a split record.
    ``part`` numbers from 0 the messages of one record (an Anthropic user message with tool results
    and text becomes two)."""

    line: int
    start: int
    end: int
    part: int = 0


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Message:
    """One entry of a history; ``extra`` holds the record's other fields."""

    speaker: Speaker
    blocks: tuple[Block, ...]
    sources: tuple[Source, ...] = ()
    _: KW_ONLY
    flags: MessageFlag = MessageFlag.NONE
    id: str = ""
    timestamp: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class SystemPart:
    """System prompt and tool definitions; counted separately, never part of a history."""

    texts: tuple[str, ...] = ()
    tools: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCompaction:
    """A compaction by the agent itself, found in the file; tokens as the file reports them. It
    happened before the message ``boundary``. ``kept`` are indices of earlier messages that stayed.
    ``context_after`` is the context right after it if the file has it: an int is the index of a
    message that stayed, a Message is new or changed; empty if the context was the summary and the
    kept messages. ``cleared`` are ids of calls whose results were cleared in place.
    ``is_source_lost``: the file lacks messages that it removed. A summary that is the message at
    ``boundary`` is not in ``summary``."""

    kind: str  # "summary", "opaque", "microcompact" (results cleared), "truncate", "replace"
    boundary: int
    trigger: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary: tuple[Message, ...] = ()
    kept: tuple[int, ...] = ()
    source: Source | None = None
    context_after: Sequence[int | Message] = ()
    cleared: tuple[str, ...] = ()
    is_source_lost: bool = False


@dataclass(frozen=True, slots=True)
class ReportedCache:
    """Tokens of a request that were read from the prompt cache and written to it, None where not
    reported; ``cost`` in US dollars, where the agent wrote it down."""

    read: int | None = None
    written: int | None = None
    cost: float | None = None


NO_CACHE = ReportedCache()


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """Tokens of one request as its provider reported them; ``model`` may be empty. ``context`` is
    the whole input, cached or not; ``output`` is None if not reported. The request ends before the
    message ``message_index``, which holds the first item of the answer."""

    message_index: int
    context: int
    output: int | None = None
    model: str = ""
    cache: ReportedCache = NO_CACHE


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedSizes:
    """How sizes followed from counts when the file was exported. ``overhead`` are the tokens of a
    request beside the messages: system prompt and hidden ones; None if unknown. ``requests`` and
    ``error`` are those of the fit. ``messages`` is how many were exported; reports after them are
    the agent's own. ``unreadable`` are the reported tokens of each opaque block and thought, in
    order."""

    factor: float
    overhead: int | None = None
    requests: int = 0
    error: float | None = None
    model: str = ""
    messages: int = 0
    unreadable: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """One conversation of a file, as a picker shows it. ``title`` is its id or the first words of
    its task; ``messages`` is None until it is opened if they were not counted; ``call_id`` is the
    call of the first conversation that started it."""

    number: int
    title: str
    messages: int | None = None
    kind: str = ""  # "sub-agent", "sample", "file", "" for any other
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ConversationBranch:
    """A branch of a forked session; 1 is the default. ``line`` is where it leaves the others."""

    number: int
    title: str  # first words of the prompt that leads into it
    messages: int
    line: int


@dataclass(frozen=True, slots=True)
class ImportNote:
    """One line of the import report; ``line`` 0 means the whole file."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class LostParent:
    """A ``line`` that names as the one before it one that is not in the file. An agent that resumes
    the session gets ``reached`` of its ``total`` rows, the newest ones."""

    line: int
    reached: int
    total: int

    @property
    def text(self) -> str:
        """ "follows one that is not in the file; a resume reaches 12 of 36 rows"."""
        reach = f"a resume reaches {self.reached:,} of {self.total:,} rows"
        return f"follows one that is not in the file; {reach}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Records read, records skipped by kind with their count, repairs and warnings of an import.
    ``skipped_from`` is the line of the first skipped record of a kind, if known. A repair is a
    fault that the reader corrected (an id invented, bytes replaced), a warning one that it could
    not correct."""

    records: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    warnings: tuple[ImportNote, ...] = ()
    repaired: tuple[ImportNote, ...] = ()
    skipped_from: Mapping[str, int] = field(default_factory=dict)
    lost_parents: tuple[LostParent, ...] = ()

    def first_line_note(self, kind: str, before: str = "") -> str:
        """Return ``before`` and the line of the first skipped record of a kind, or "" if it is
        unknown."""
        if kind in self.skipped_from:
            return f"{before}first on line {self.skipped_from[kind]:,}"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """The bytes of a conversation: a file on disk, or ``data`` for standard input. ``size``,
    ``mtime_ns`` and ``ends_digest``, a digest of the first and last bytes, are those at reading
    time; they show a later change, and whether the file only grew. ``packing`` is "gzip" or "zst"
    for compressed bytes, "zip" for the file ``member`` of the zip at ``path``; byte ranges refer to
    unpacked bytes."""

    name: str
    path: Path | None = None
    data: bytes | None = None
    size: int = 0
    mtime_ns: int = 0
    ends_digest: bytes = b""
    packing: str = ""
    member: str = ""

    @property
    def absolute_path(self) -> str:
        if self.path is not None:
            return str(self.path.absolute())
        return ""

    @property
    def file_name(self) -> str:
        """Return its name without the folder, so that summaries have one size in all; "" if it is
        no file."""
        return self.name if self.path is not None else ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as its file holds it; ``messages`` are those of scope ``all``, in file
    order."""

    format: str
    document: SourceDocument
    messages: tuple[Message, ...]
    _: KW_ONLY
    system: SystemPart = SystemPart()
    recorded: tuple[RecordedCompaction, ...] = ()
    report: ImportReport = ImportReport()
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    reported_context: int | None = (
        None  # tokens of the last request, as the provider reported
    )
    reported_limit: int | None = (
        None  # tokens of the model's window, if the file states them
    )
    hour_cache: bool = (
        False  # the last reported write to the prompt cache has a lifetime of an hour
    )
    usage: tuple[ReportedUsage, ...] = ()  # in the order of the answers
    carried: CarriedSizes | None = None  # of an export of Foldline
    number: int = 1  # position among the conversations of the file, from 1
    siblings: int = 1  # number of conversations in the file
    listed: tuple[ListedConversation, ...] = ()  # all of them if there are several
    branches: tuple[ConversationBranch, ...] = ()  # of a forked session
    branch: int = 1
    title: str = ""  # as the session states it
    # Data for the format's writer.
    layout: Mapping[str, Json] = field(default_factory=no_extra)

    @property
    def names(self) -> tuple[str, ...]:
        """Return names that a summary may use for the file and folder though no message contains
        them."""
        return self.document.name, self.document.absolute_path, self.cwd


Progress: TypeAlias = Callable[[float, str], None]
"""Receives a fraction from 0 to 1 and a short sentence; raises Cancelled to stop the work."""


def no_progress(fraction: float, text: str) -> None:
    """Ignore progress."""


def tool_calls(message: Message) -> Iterator[ToolCall]:
    """Return the calls of a message in order, whatever its speaker."""
    return (block for block in message.blocks if isinstance(block, ToolCall))


def tool_responses(message: Message) -> Iterator[ToolResponse]:
    """Return the responses of a message in order, whatever its speaker."""
    return (block for block in message.blocks if isinstance(block, ToolResponse))


def joined_text(message: Message) -> str:
    """Return the texts of a message, one a line."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))


def is_text_only(message: Message) -> bool:
    return all(isinstance(block, Text) for block in message.blocks)


def with_blocks(message: Message, blocks: tuple[Block, ...]) -> Message:
    """Return the message with other blocks, three times as fast as ``replace``."""
    m = message
    return Message(
        speaker=m.speaker,
        blocks=blocks,
        sources=m.sources,
        flags=m.flags,
        id=m.id,
        timestamp=m.timestamp,
        extra=m.extra,
    )


def with_result(response: ToolResponse, result: Json) -> ToolResponse:
    """Return the response with another result, also faster than ``replace``."""
    return ToolResponse(
        response.call_id, response.name, result, response.error, response.extra
    )
