"""The words of a transcript: conversation, message, block, source. Frozen values, no behaviour.

A message's identity is its index in the history that holds it. Blocks keep the fields that
Foldline does not interpret in ``extra``, so that a message can be written back as it was.
Values inside ``Json`` fields are shared, never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag, StrEnum
from pathlib import Path
from typing import TypeAlias

from core.common.json_value import MISSING, Json

NO_EXTRA: Mapping[str, Json] = {}


def no_extra() -> Mapping[str, Json]:
    """The shared empty mapping; dataclasses take no dict as a default."""
    return NO_EXTRA


class Speaker(StrEnum):
    """Who speaks in a message (product.md section 2)."""

    HUMAN = "human"
    AI = "ai"
    TOOL = "tool"
    SYSTEM = "system"
    UNKNOWN = "unknown"


class MessageFlag(IntFlag):
    """What else is known of a message; several may hold."""

    NONE = 0
    META = 1  # written by the agent's harness, not by the person (Claude Code isMeta)
    COMMAND = 2  # a slash command or its output
    API_ERROR = 4  # the provider's error, shown to the person, never sent again
    RECORDED_SUMMARY = 8  # the summary that the agent's own compaction wrote
    OPAQUE = 16  # holds content that could not be read; kept as it was


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. ``arguments`` is the parsed JSON, whatever it is."""

    id: str
    name: str
    arguments: Json
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """What a tool answered. ``result`` is text or JSON; ``error`` text, JSON or MISSING.

    A result that is a list of blocks in its file (text and images) is kept as that list.
    """

    call_id: str
    name: str
    result: Json
    error: Json = MISSING
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning text; signature and encrypted parts stay in ``extra``."""

    text: str
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Media:
    """An image, sound or document. ``data`` is base64 or a URL; its tokens never count the text."""

    mime: str
    data: str
    caption: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Code:
    """A code block that its format keeps apart from text."""

    code: str
    language: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Encrypted, unreadable or unknown content, kept as ``raw``. ``tokens`` as reported, if at all."""

    kind: str
    raw: Json
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ServerTool(Opaque):
    """A call that the provider answered by itself, its answer, or both, as ``said`` says in words.

    It is written as ``raw``, in the message where it stands: no pass changes it or takes it apart.
    """

    said: tuple[ToolCall | ToolResponse, ...] = ()


Block: TypeAlias = Text | ToolCall | ToolResponse | Thinking | Media | Code | Opaque


@dataclass(frozen=True, slots=True)
class Source:
    """Where a message came from: line from 1, byte range in the document, part of a split record.

    ``part`` counts the messages that one record became (an Anthropic user message with tool
    results and text is two): 0, 1, …
    """

    line: int
    start: int
    end: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a history. ``extra`` holds the record's other fields where a format keeps them."""

    speaker: Speaker
    blocks: tuple[Block, ...]
    sources: tuple[Source, ...] = ()
    flags: MessageFlag = MessageFlag.NONE
    id: str = ""
    timestamp: str = ""
    extra: Mapping[str, Json] = field(default_factory=no_extra)


@dataclass(frozen=True, slots=True)
class SystemPart:
    """System prompt and tool definitions; counted apart, never part of a history."""

    texts: tuple[str, ...] = ()
    tools: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextChange:
    """What a recorded compaction made of the context right before it: what of that it took out (the index
    of a message, or one that an earlier compaction had put in), and the messages that it put in."""

    took: tuple[int | Message, ...] = ()
    put: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """A compaction that the agent itself made, found in the file.

    ``position`` is the index in ``Conversation.messages`` before which it happened; ``kept`` are
    indices of messages before it that stayed (preserved segment). Tokens as the file reports them.
    ``left`` is the context right after it, in order, where the file says so: an int is the index
    of a message that stayed, a Message a new or changed one (its summary among them); empty where
    the context was the summary and then the kept messages. ``change`` says the same as ``left`` where that
    is long and many compactions follow each other. ``cleared`` are ids of calls whose
    results were taken out in place. ``lost``: what it removed is not in the file, so that what lies
    before ``position`` is not all that it had. A summary that is itself a message of the session (the
    one at ``position``) is not in ``summary``.
    """

    kind: str  # "summary", "opaque", "microcompact" (results cleared), "truncate", "replace"
    position: int
    trigger: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary: tuple[Message, ...] = ()
    kept: tuple[int, ...] = ()
    source: Source | None = None
    left: Sequence[int | Message] = ()
    change: ContextChange | None = None
    cleared: tuple[str, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """What the provider reported of one request, in tokens: ``context`` is all that went in, cached or not,
    ``output`` the answer, None where the file does not say. ``answer`` is the index of the message that
    holds the first item of the answer; nothing from there on was in the request. ``model`` may be empty."""

    answer: int
    context: int
    output: int | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """One conversation of a file, as a picker shows it.

    ``title`` is its id or the first words of its task; ``messages`` None where they are counted
    only when it is opened; ``call_id`` is the call of the first conversation that started it.
    """

    number: int
    title: str
    messages: int | None = None
    kind: str = ""  # "sub-agent", "sample", "file", "" for any other
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ConversationBranch:
    """One way through a session that forks; 1 is the default. ``line`` is where it leaves."""

    number: int
    title: str  # first words of the prompt that leads into it
    messages: int
    line: int


@dataclass(frozen=True, slots=True)
class ImportNote:
    """One line of the import report; ``line`` is 0 where the whole file is meant."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What the reader saw: records read, records skipped by kind (with count), repairs, warnings.

    ``skipped_from`` is the line of the first record of a kind that was skipped, where it is known.
    A repair is something that was wrong in the file and was set right on the way in (an id made up,
    bytes replaced); a warning something that could not be.
    """

    records: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    warnings: tuple[ImportNote, ...] = ()
    repaired: tuple[ImportNote, ...] = ()
    skipped_from: Mapping[str, int] = field(default_factory=dict)

    def first_of(self, kind: str, before: str = "") -> str:
        """Where the first record of a kind was skipped, for a sentence, behind ``before``; empty where that
        is not known."""
        return f"{before}first on line {self.skipped_from[kind]:,}" if kind in self.skipped_from else ""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """The bytes behind a conversation: a file on disk, or ``data`` for standard input.

    ``size`` and ``mtime_ns`` are those at reading time, so that a later change can be noticed;
    ``ends`` is a digest of its first and last bytes then, so that one that only grew can be told.
    ``packing`` is "gzip" or "zst" for bytes that are packed; byte ranges speak of what is in them.
    It is "zip" where the document is the file ``member`` of the zip at ``path``.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None
    size: int = 0
    mtime_ns: int = 0
    ends: bytes = b""
    packing: str = ""
    member: str = ""

    @property
    def place(self) -> str:
        """The absolute path, however it was given; "" where there is none."""
        return str(self.path.absolute()) if self.path is not None else ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One exchange as its file holds it; ``messages`` are those of scope ``all``, in file order."""

    format: str
    document: SourceDocument
    messages: tuple[Message, ...]
    system: SystemPart = SystemPart()
    recorded: tuple[RecordedCompaction, ...] = ()
    report: ImportReport = ImportReport()
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    reported_context: int | None = None  # tokens of the last request, as the provider reported
    reported_limit: int | None = None  # tokens of the model's window, where the file states it
    hour_cache: bool = False  # the last write to the prompt cache was one for an hour, as was reported
    usage: tuple[ReportedUsage, ...] = ()  # of its requests, in the order of their answers
    number: int = 1  # of the conversations in the file, from 1
    siblings: int = 1  # how many conversations the file holds
    listed: tuple[ListedConversation, ...] = ()  # those, where there are several
    branches: tuple[ConversationBranch, ...] = ()  # ways through the session, where it forks
    branch: int = 1
    title: str = ""  # what the session calls itself
    layout: Mapping[str, Json] = field(default_factory=no_extra)  # what the format's writer needs to know

    @property
    def names(self) -> tuple[str, ...]:
        """How a summary may call the file and the folder of the session, though no message does."""
        return self.document.name, self.document.place, self.cwd


Progress: TypeAlias = Callable[[float, str], None]
"""Called with a fraction from 0 to 1 and a short sentence; raises Cancelled to stop the work."""


def no_progress(fraction: float, text: str) -> None:
    """The progress callback of those who do not watch."""


def tool_calls(message: Message) -> Iterator[ToolCall]:
    """The calls of a message, in order; whoever speaks."""
    return (block for block in message.blocks if isinstance(block, ToolCall))


def tool_responses(message: Message) -> Iterator[ToolResponse]:
    """The responses of a message, in order; whoever speaks."""
    return (block for block in message.blocks if isinstance(block, ToolResponse))


def with_blocks(message: Message, blocks: tuple[Block, ...]) -> Message:
    """The message with other blocks: ``replace`` at a third of its cost, for what changes thousands."""
    m = message
    return Message(m.speaker, blocks, m.sources, m.flags, m.id, m.timestamp, m.extra)


def with_result(response: ToolResponse, result: Json) -> ToolResponse:
    """The response with another result, in the same way."""
    return ToolResponse(response.call_id, response.name, result, response.error, response.extra)
