"""What an exporter is and gets: its declaration, the input, the messages that it writes, and what a
target cannot hold of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, TypeVar

from core.transcript.compaction import Compaction
from core.transcript.model import (
    Block,
    CarriedSizes,
    Conversation,
    Message,
    MessageFlag,
    Source,
    SourceDocument,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import History

ANTHROPIC_FAMILY = ("claude_code", "anthropic_messages")
GEMINI_FAMILY = ("gemini", "gemini_cli")
RESPONSES_FAMILY = ("codex_rollout", "openai_responses")
"""Formats whose blocks have one shape, so that their further fields may come along."""
_T = TypeVar("_T")
_REMOVED_NOTE = "[Earlier messages were removed.]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportInput:
    """A history, or the compaction of it, to be written. ``format_reason`` is the reason for the
    source's format. ``sizes`` is how the shown sizes follow from counts, ``request_tokens`` the
    size that was shown for the next request; None for none."""

    conversation: Conversation
    history: History
    compaction: Compaction | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    format_reason: str = ""
    sizes: CarriedSizes | None = None
    request_tokens: int | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        if self.compaction is None:
            return self.history.messages
        return self.compaction.messages

    def is_from_format(self, format_name: str) -> bool:
        """Return whether the source is a file of this format whose records can be read again."""
        return self.conversation.format == format_name and is_readable(
            self.conversation.document
        )

    @property
    def is_whole_source(self) -> bool:
        file_messages = self.conversation.messages
        return len(self.messages) == len(file_messages) and all(
            message is original or message == original
            for message, original in zip(self.messages, file_messages, strict=True)
        )

    def map_messages(self, change: Callable[[Message], Message]) -> ExportInput:
        """Return the input with every message changed; a message shared by two lists is changed
        once."""
        changed_by_id: dict[int, Message] = {}

        def changed(messages: Sequence[Message]) -> tuple[Message, ...]:
            for message in messages:
                # Writers tell unchanged messages by identity, so a shared one must stay shared.
                if id(message) not in changed_by_id:
                    changed_by_id[id(message)] = change(message)
            return tuple(changed_by_id[id(message)] for message in messages)

        conversation = self.conversation
        history = self.history
        compaction = self.compaction
        return replace(
            self,
            conversation=replace(conversation, messages=changed(conversation.messages)),
            history=replace(history, messages=changed(history.messages)),
            compaction=compaction
            and replace(compaction, messages=changed(compaction.messages)),
        )


def is_readable(document: SourceDocument) -> bool:
    """Return whether the records of a document can be read again."""
    return document.path is not None or document.data is not None


def is_unsent(message: Message) -> bool:
    """Return whether a message is an error of the provider that an agent shows and never sends
    again."""
    # An error row that carries a call or its result is needed for the pair.
    if not message.flags & MessageFlag.API_ERROR:
        return False
    return not any(
        isinstance(block, ToolCall | ToolResponse) for block in message.blocks
    )


def without_unsent_messages(
    export_input: ExportInput, format_name: str
) -> tuple[ExportInput, int]:
    """Return the input without the messages that are never sent, and their count, for any format
    but that of the source: elsewhere they would be words of the assistant."""
    if export_input.conversation.format == format_name:
        return export_input, 0
    kept = [
        index
        for index, message in enumerate(export_input.messages)
        if not is_unsent(message)
    ]
    count = len(export_input.messages) - len(kept)
    if not count:
        return export_input, 0
    compaction, history = export_input.compaction, export_input.history
    if compaction is None:
        rest = replace(
            history,
            messages=tuple(history.messages[index] for index in kept),
            indices=tuple(history.indices[index] for index in kept),
        )
        return replace(export_input, history=rest), count
    return replace(export_input, compaction=_shortened(compaction, kept)), count


def _shortened(compaction: Compaction, kept: Sequence[int]) -> Compaction:
    """Return the compaction with only some of its messages, by their places in it."""
    budgets = compaction.budgets
    return replace(
        compaction,
        messages=tuple(compaction.messages[index] for index in kept),
        origins=tuple(compaction.origins[index] for index in kept),
        inserted=frozenset(
            at for at, index in enumerate(kept) if index in compaction.inserted
        ),
        budgets={
            at: budgets[index] for at, index in enumerate(kept) if index in budgets
        },
    )


class ExportMessage(NamedTuple):
    """A message to write. ``origin`` is its source message, None for a new one. ``is_unchanged``:
    it equals its origin, so that the source's own bytes may be written."""

    message: Message
    origin: Message | None
    is_unchanged: bool

    @property
    def record(self) -> tuple[int, int] | None:
        """The byte range of the first record of the source message."""
        if self.origin is None or not self.origin.sources:
            return None
        return self.origin.sources[0].start, self.origin.sources[0].end


def export_messages(export_input: ExportInput) -> tuple[ExportMessage, ...]:
    """Return all messages to write, each with its source message."""
    source = source_messages(export_input)
    if export_input.compaction is None:
        return tuple(
            ExportMessage(message, origin, message is origin)
            for message, origin in zip(
                export_input.history.messages, source, strict=True
            )
        )
    inserted = export_input.compaction.inserted
    pieces: list[ExportMessage] = []
    for index, (message, origins) in enumerate(
        zip(
            export_input.compaction.messages,
            export_input.compaction.origins,
            strict=True,
        )
    ):
        if origins and index not in inserted:
            origin = source[origins[0]]
        else:
            origin = None
        if origin is message:  # most are
            pieces.append(ExportMessage(message, origin, len(origins) == 1))
            continue
        # With another speaker it is a message of its own, and its record's fields are not its.
        if origin is not None and origin.speaker is not message.speaker:
            origin = None
        is_unchanged = len(origins) == 1 and message == origin
        pieces.append(ExportMessage(message, origin, is_unchanged))
    return tuple(pieces)


def export_messages_beginning_with_user(
    export_input: ExportInput, losses: ExportLosses
) -> tuple[ExportMessage, ...]:
    """Do as ``export_messages``, for targets whose conversations begin with the user (Anthropic,
    Gemini). If a compaction left an answer as the first message, a short message of the user is put
    before it."""
    pieces = export_messages(export_input)
    if export_input.conversation.messages:
        first_message = export_input.conversation.messages[0]
    else:
        first_message = None
    answers_first = first_message is not None and first_message.speaker is Speaker.AI
    if (
        export_input.compaction is None
        or answers_first
        or not pieces
        or pieces[0].message.speaker is not Speaker.AI
    ):
        return pieces
    losses.count_changed(
        "answer as the first message: a short user message was put before it"
    )
    return (
        ExportMessage(
            Message(speaker=Speaker.HUMAN, blocks=(Text(_REMOVED_NOTE),)), None, False
        ),
        *pieces,
    )


def source_messages(export_input: ExportInput) -> list[Message]:
    """Return the messages of the history as they are in the file, with results that were cleared
    later."""
    in_file, history = export_input.conversation.messages, export_input.history
    return [
        in_file[index] if index >= 0 else message
        for index, message in zip(history.indices, history.messages, strict=True)
    ]


def group_by_record(
    pieces: Iterable[ExportMessage], *, with_answers: bool = False
) -> Iterator[tuple[ExportMessage, ...]]:
    """Group neighbouring pieces of one source record (a tool and a human message).
    ``with_answers``: also group an answer of the model with the results in its record."""
    group: list[ExportMessage] = []
    for piece in pieces:
        if group and not _is_same_record(piece, group[-1], with_answers):
            yield tuple(group)
            group = []
        group.append(piece)
    if group:
        yield tuple(group)


def _is_same_record(
    piece: ExportMessage, previous: ExportMessage, with_answers: bool
) -> bool:
    """Return whether a piece is of the same record and role as the piece before it."""
    if previous.record is None or previous.record != piece.record:
        return False
    # Some agents write an answer and its results into one record.
    if with_answers and previous.message.speaker is Speaker.AI:
        return piece.message.speaker is Speaker.TOOL
    from_model = (
        previous.message.speaker is Speaker.AI,
        piece.message.speaker is Speaker.AI,
    )
    return from_model[0] is from_model[1]


def matched_blocks(
    old: Sequence[Block], new: Sequence[Block]
) -> Iterator[tuple[Block, int | None]]:
    """Yield the blocks of an edited message, each with the index of its block in the source, as it
    is or was; None for an added one. Calls and results are matched by their ids."""
    next_index = 0
    for number, block in enumerate(new):
        matches = (
            index
            for index in range(next_index, len(old))
            if _is_same_block(old[index], block)
        )
        index = number if len(new) == len(old) else next(matches, None)
        next_index = next_index if index is None else index + 1
        yield block, index


def _is_same_block(old: Block, new: Block) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    if isinstance(old, ToolResponse) and isinstance(new, ToolResponse):
        return old.call_id == new.call_id
    return old is new or old == new


def next_records(
    export_input: ExportInput, format_name: str
) -> Mapping[tuple[int, int], tuple[int, int]]:
    """Map each record to the one right after it in the source, by byte range; empty for another
    format."""
    if not export_input.is_from_format(format_name):
        return {}
    messages = export_input.conversation.messages
    return dict(
        pairwise(
            (source.start, source.end)
            for message in messages
            for source in message.sources
        )
    )


def results_of_calls(messages: Iterable[Message]) -> dict[int, ToolResponse]:
    """Map each answered call, by its ``id()``, to its result: the next one with the call's own
    id."""
    calls: dict[str, ToolCall] = {}
    results: dict[int, ToolResponse] = {}
    for block in (block for message in messages for block in message.blocks):
        if isinstance(block, ToolCall):
            calls[block.id] = block
        elif (
            isinstance(block, ToolResponse)
            and (call := calls.pop(block.call_id, None)) is not None
        ):
            results[id(call)] = block
    return results


def results_after_calls(
    items: Iterable[_T],
    role: Callable[[_T], Speaker],
    ids: Callable[[_T], Collection[str]],
) -> Iterator[_T]:
    """Yield the items of an API's list with results right behind their calls; the user's words
    between them are moved behind. ``ids`` are those of the calls of an answer, or that of a
    result."""
    delayed: list[_T] = []
    open_ids: set[str] = set()
    for item in items:
        speaker = role(item)
        # APIs refuse any words between calls and their results.
        if open_ids and speaker is Speaker.HUMAN:
            delayed.append(item)
            continue
        if speaker is Speaker.AI:
            yield from delayed
            delayed = []
        yield item
        if speaker is Speaker.AI:
            open_ids = set(ids(item))
        else:
            open_ids = open_ids.difference(ids(item))
        if not open_ids:
            yield from delayed
            delayed = []
    yield from delayed


def record_starts(messages: Iterable[Message]) -> frozenset[int]:
    """Return the start offsets of the records of messages."""
    return frozenset(source.start for message in messages for source in message.sources)


def split_records(conversation: Conversation) -> frozenset[tuple[int, int]]:
    """Return the byte ranges of records that became two messages."""
    sources: Iterator[Source] = (
        s for message in conversation.messages for s in message.sources
    )
    return frozenset((source.start, source.end) for source in sources if source.part)


def is_unchanged_record(
    group: Sequence[ExportMessage], split_ranges: frozenset[tuple[int, int]]
) -> bool:
    """Return whether a group is its record, unchanged and complete."""
    return all(piece.is_unchanged for piece in group) and (
        group[0].record not in split_ranges or len(group) > 1
    )


@dataclass(slots=True)
class ExportLosses:
    """Counts what a target cannot hold, and says so in one sentence each for what was left out or
    changed."""

    target: str
    _left_out: Counter[str] = field(default_factory=Counter)
    _changed: Counter[str] = field(default_factory=Counter)

    def count_left_out(self, kind: str, count: int = 1) -> None:
        """Count something that the target has no place for ("thinking")."""
        self._left_out[kind] += count

    def count_changed(self, kind: str) -> None:
        """Count something that is written differently ("system message as user")."""
        self._changed[kind] += 1

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings, in the order in which the losses were first counted."""
        warnings: list[str] = []
        if self._left_out:
            warnings.append(
                f"Left out because {self.target} has no place for it: "
                f"{_counts_text(self._left_out)}."
            )
        if self._changed:
            warnings.append(
                f"Written differently for {self.target}: {_counts_text(self._changed)}."
            )
        return tuple(warnings)


def _counts_text(counter: Counter[str]) -> str:
    return ", ".join(
        f"{kind} ({count:,})" if count > 1 else kind for kind, count in counter.items()
    )


class OutputShape(StrEnum):
    """How the written bytes are read again: as one JSON value, one JSON value per line, or plain
    text."""

    JSON = "json"
    LINES = "lines"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ExporterOutput:
    """What an exporter wrote. Each warning is one sentence on what the target could not hold.
    ``secrets`` is how many secrets it found in its texts (and redacted if asked for); None means
    that it did not look, so that the data itself is searched."""

    data: bytes
    shape: OutputShape
    warnings: tuple[str, ...] = ()
    secrets: int | None = None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    append_boundary: bool = False
    redact: bool = False


class ExportGroup(StrEnum):
    TRANSCRIPT = "Transcript"
    REPORT = "Reports"


@dataclass(frozen=True, slots=True)
class Exporter:
    """One export format. ``suffix`` begins with a dot; ``short_names`` are accepted beside
    ``name``.

    ``has_boundary``: a compaction can be recorded at the end of its files. ``has_provenance``: its
    messages can carry their provenance (core.transcript.provenance). ``carries_sizes``: its files
    say how their sizes were calibrated (core.transcript.provenance). Reports need a preview and
    name their files by ``file_label``; ``needs_no_model`` is true for one that needs no summary;
    ``is_of_run`` for one that tells of a run of the strategy, whatever other result is shown.
    ``redacts_by_default``: secrets are redacted by default. ``package`` is the plugin that declares
    it, "" for Foldline itself.
    """

    name: str
    short_names: tuple[str, ...]
    label: str
    suffix: str
    about: str
    write: Callable[[ExportInput, ExportOptions], ExporterOutput]
    _: KW_ONLY
    has_boundary: bool = False
    has_provenance: bool = False
    carries_sizes: bool = False
    group: ExportGroup = ExportGroup.TRANSCRIPT
    redacts_by_default: bool = False
    needs_no_model: bool = False
    is_of_run: bool = False
    file_label: str = ""
    package: str = ""

    @property
    def is_report(self) -> bool:
        return self.group is ExportGroup.REPORT
