"""What an exporter declares, is given and gives back; and the pieces that a result is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Message, Source, Speaker, Text
from core.transcript.scopes import History

_REMOVED = "[Earlier messages were removed.]"


@dataclass(frozen=True, slots=True)
class ExportInput:
    """What is written: a history as it is, or the compaction of it. Tokens of the history, if known.

    ``why`` says why the source was read as its format.
    """

    conversation: Conversation
    history: History
    compaction: Compaction | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    why: str = ""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that the export holds."""
        return self.history.messages if self.compaction is None else self.compaction.messages

    def comes_from(self, format_name: str) -> bool:
        """True where the source is a file of this format, whose records can be read again."""
        document = self.conversation.document
        readable = document.path is not None or document.data is not None
        return readable and self.conversation.format == format_name

    @property
    def is_whole_source(self) -> bool:
        """True where the export is the source, message for message."""
        every = self.conversation.messages
        return len(self.messages) == len(every) and all(
            here is there or here == there for here, there in zip(self.messages, every, strict=True)
        )

    def each(self, change: Callable[[Message], Message]) -> ExportInput:
        """The same with every message as ``change`` makes it; what was one message in two lists stays one."""
        known: dict[int, Message] = {}

        def changed(messages: Sequence[Message]) -> tuple[Message, ...]:
            for message in messages:
                if id(message) not in known:
                    known[id(message)] = change(message)
            return tuple(known[id(message)] for message in messages)

        talk, past, result = self.conversation, self.history, self.compaction
        return replace(
            self,
            conversation=replace(talk, messages=changed(talk.messages)),
            history=replace(past, messages=changed(past.messages)),
            compaction=result and replace(result, messages=changed(result.messages)),
        )


class OutputShape(StrEnum):
    """How the written bytes are read again: one JSON value, a JSON value a line, or plain text."""

    JSON = "json"
    LINES = "lines"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ExporterOutput:
    """What an exporter wrote. Warnings name what the target could not hold, one sentence each.

    ``secrets`` is how many it found in the texts that it wrote, and wrote over where that was asked;
    None: it did not look, so the data itself is searched.
    """

    data: bytes
    shape: OutputShape
    warnings: tuple[str, ...] = ()
    secrets: int | None = None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the person asked for beside the format."""

    append_boundary: bool = False
    redact: bool = False


class ExportGroup(StrEnum):
    """Which kind of file: a transcript that others read, or a report on what was done to it."""

    TRANSCRIPT = "Transcript"
    REPORT = "Reports"


@dataclass(frozen=True, slots=True)
class Exporter:
    """One export format. ``suffix`` begins with a dot; ``short_names`` are accepted beside ``name``.

    ``has_boundary`` says that a compaction can be recorded at the end of its files, ``has_provenance``
    that its messages can carry what they were before it (core.transcript.provenance). Reports need a
    preview and name their files by ``word``; ``asks_no_model`` says that no summary has to be written
    for one. ``redacts``: secrets are written over unless somebody asks for them (product.md section 3.7).
    """

    name: str
    short_names: tuple[str, ...]
    label: str
    suffix: str
    about: str
    write: Callable[[ExportInput, ExportOptions], ExporterOutput]
    has_boundary: bool = False
    has_provenance: bool = False
    group: ExportGroup = ExportGroup.TRANSCRIPT
    redacts: bool = False
    asks_no_model: bool = False
    word: str = ""

    @property
    def is_report(self) -> bool:
        """True where it is made of a preview."""
        return self.group is ExportGroup.REPORT


@dataclass(slots=True)
class ExportLosses:
    """Counts what a target cannot hold, for one sentence each about what was left out or changed."""

    target: str
    _left_out: Counter[str] = field(default_factory=Counter)
    _changed: Counter[str] = field(default_factory=Counter)

    def leave_out(self, what: str, count: int = 1) -> None:
        """Note something that the target has no place for ("thinking")."""
        self._left_out[what] += count

    def change(self, what: str) -> None:
        """Note something that is written differently ("system message as user")."""
        self._changed[what] += 1

    def sentences(self) -> tuple[str, ...]:
        """The warnings, in the order of the first meeting."""
        found: list[str] = []
        if self._left_out:
            found.append(f"Left out, {self.target} has no place for it: {_listed(self._left_out)}.")
        if self._changed:
            found.append(f"Written differently for {self.target}: {_listed(self._changed)}.")
        return tuple(found)


def _listed(counter: Counter[str]) -> str:
    return ", ".join(f"{what} ({count:,})" if count > 1 else what for what, count in counter.items())


@dataclass(frozen=True, slots=True)
class ExportMessage:
    """A message to write. ``origin`` is the source message it was, None for a new one.

    ``unchanged`` says that it is its origin, so that the source's own bytes may stand for it.
    """

    message: Message
    origin: Message | None
    unchanged: bool

    @property
    def record(self) -> tuple[int, int] | None:
        """The byte range of the first record that the message was read from."""
        if self.origin is None or not self.origin.sources:
            return None
        return self.origin.sources[0].start, self.origin.sources[0].end


def export_messages(given: ExportInput) -> tuple[ExportMessage, ...]:
    """All messages to write, each with the source message that it came from."""
    source = source_messages(given)
    if given.compaction is None:
        return tuple(
            ExportMessage(message, origin, message is origin)
            for message, origin in zip(given.history.messages, source, strict=True)
        )
    inserted = given.compaction.inserted
    found: list[ExportMessage] = []
    for index, (message, origins) in enumerate(
        zip(given.compaction.messages, given.compaction.origins, strict=True)
    ):
        origin = source[origins[0]] if origins and index not in inserted else None
        if origin is not None and origin.speaker is not message.speaker:
            origin = None
        same = origin is not None and len(origins) == 1 and (message is origin or message == origin)
        found.append(ExportMessage(message, origin, same))
    return tuple(found)


def export_messages_from_user(given: ExportInput, losses: ExportLosses) -> tuple[ExportMessage, ...]:
    """``export_messages``, for targets whose conversations begin with the user, as those of Anthropic and
    Gemini.

    Where a compaction left an answer as the first message, a few words of the user stand before it.
    """
    found = export_messages(given)
    first = given.conversation.messages[0] if given.conversation.messages else None
    starts_so = first is not None and first.speaker is Speaker.AI
    if given.compaction is None or starts_so or not found or found[0].message.speaker is not Speaker.AI:
        return found
    losses.change("answer as the first message: a few words of the user stand before it")
    return (ExportMessage(Message(Speaker.HUMAN, (Text(_REMOVED),)), None, False), *found)


def source_messages(given: ExportInput) -> list[Message]:
    """The messages of the history as the file has them: results cleared later are still there."""
    own, past = given.conversation.messages, given.history
    return [
        own[position] if position >= 0 else message
        for position, message in zip(past.positions, past.messages, strict=True)
    ]


def joined_pieces(
    parts: Iterable[ExportMessage], *, with_answers: bool = False
) -> Iterator[tuple[ExportMessage, ...]]:
    """Put neighbouring pieces of one source record together again (a tool and a human message).

    ``with_answers``: an answer of the model, too, with the results that stood in its record.
    """
    group: list[ExportMessage] = []
    for piece in parts:
        if group and not _belongs(piece, group[-1], with_answers):
            yield tuple(group)
            group = []
        group.append(piece)
    if group:
        yield tuple(group)


def _belongs(piece: ExportMessage, last: ExportMessage, with_answers: bool) -> bool:
    """True where a piece is of the record of the piece before it, and of the same role."""
    if last.record is None or last.record != piece.record:
        return False
    if with_answers and last.message.speaker is Speaker.AI:
        return piece.message.speaker is Speaker.TOOL
    spoken = (last.message.speaker is Speaker.AI, piece.message.speaker is Speaker.AI)
    return spoken[0] is spoken[1]


def following_records(given: ExportInput, format_name: str) -> Mapping[tuple[int, int], tuple[int, int]]:
    """Which record came right after which in the source, by byte range; nothing of another format."""
    if not given.comes_from(format_name):
        return {}
    messages = given.conversation.messages
    return dict(pairwise((source.start, source.end) for message in messages for source in message.sources))


def split_records(conversation: Conversation) -> frozenset[tuple[int, int]]:
    """The byte ranges of records that became two messages."""
    sources: Iterator[Source] = (s for message in conversation.messages for s in message.sources)
    return frozenset((source.start, source.end) for source in sources if source.part)


def is_whole(group: Sequence[ExportMessage], split: frozenset[tuple[int, int]]) -> bool:
    """True where a group is its record, unchanged and complete."""
    return all(piece.unchanged for piece in group) and (group[0].record not in split or len(group) > 1)
