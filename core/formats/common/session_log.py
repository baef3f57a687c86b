"""Collects a session from its records, for readers whose records follow one another in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from core.common.json_value import Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    iso_timestamp,
    number_of,
    string_of,
)
from core.formats.common.message_lists import (
    ConversationRecords,
    check_number,
    conversation_records,
    first_words,
)
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    opaque_flag,
    record_messages,
    split_by_speaker,
)
from core.formats.common.open_document import format_shapes
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    ConversationBranch,
    LostParent,
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    SystemPart,
    Text,
    tool_calls,
    tool_responses,
)


def joined_answers(
    messages: Sequence[Message], recorded: Sequence[RecordedCompaction]
) -> tuple[tuple[Message, ...], tuple[RecordedCompaction, ...]]:
    """Return the history with parallel calls in one message, and its compactions at their places.

    The model says nothing before it has the results of its calls. So an answer goes on in the next
    record while a call of it waits for a result that comes later; calls that are never answered
    join nothing, because many logs hold no results at all.
    """
    groups = _answers(messages, {compaction.boundary for compaction in recorded})
    if len(groups) == len(messages):
        return tuple(messages), tuple(recorded)
    places = [place for place, group in enumerate(groups) for _ in group]
    places.append(len(groups))  # a compaction may be behind the last message
    moved = tuple(_moved(compaction, places) for compaction in recorded)
    return tuple(map(_joined, groups)), moved


def _answers(messages: Sequence[Message], borders: set[int]) -> list[list[Message]]:
    """Return the messages in groups, those of one answer together; no answer goes on beyond one of
    the ``borders``."""
    # Where an id recurs, the last result counts: an answer waits for the latest.
    answered_at = {
        response.call_id: index
        for index, message in enumerate(messages)
        for response in tool_responses(message)
    }
    groups: list[list[Message]] = []
    last_result = -1  # index of the last result of the current answer
    for index, message in enumerate(messages):
        # A command of the person is stored as a call, but is no answer.
        is_answer = (
            message.speaker is Speaker.AI and not message.flags & MessageFlag.COMMAND
        )
        # Calls behind the result of an earlier one were made later.
        goes_on = is_answer and last_result > index and index not in borders
        if goes_on:
            groups[-1].append(message)
        else:
            groups.append([message])
            last_result = -1
        if is_answer:
            results = (answered_at.get(call.id, -1) for call in tool_calls(message))
            last_result = max((last_result, *results))
        else:
            last_result = -1
    return groups


def _joined(group: Sequence[Message]) -> Message:
    first = group[0]
    if len(group) == 1:
        return first
    flags = first.flags
    extra = dict(first.extra)
    for message in group[1:]:
        flags |= message.flags
        # The first record's fields win, as its id and time do.
        extra = {**message.extra, **extra}
    return replace(
        first,
        blocks=tuple(block for message in group for block in message.blocks),
        sources=tuple(
            dict.fromkeys(source for message in group for source in message.sources)
        ),
        flags=flags,
        extra=extra,
    )


def _moved(compaction: RecordedCompaction, places: Sequence[int]) -> RecordedCompaction:
    context = [
        places[entry] if isinstance(entry, int) else entry
        for entry in compaction.context_after
    ]
    # Two kept messages may have become one.
    kept = dict.fromkeys(places[index] for index in compaction.kept)
    return replace(
        compaction,
        boundary=places[compaction.boundary],
        kept=tuple(kept),
        context_after=_without_repetition(context),
    )


def _without_repetition(context: Sequence[int | Message]) -> tuple[int | Message, ...]:
    """Return the context with each message that stayed once."""
    seen: set[int] = set()
    once: list[int | Message] = []
    for entry in context:
        if isinstance(entry, int):
            if entry in seen:
                continue
            seen.add(entry)
        once.append(entry)
    return tuple(once)


@dataclass(slots=True)
class RecordTree:
    """Records by id; those of one id are one record, whose parent the first of them names."""

    parents: dict[str, str] = field(default_factory=dict)
    last_lines: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    """Records whose parent is not in the file, with their lines; they follow the one before."""

    def add(self, id: str, parent: str, line: int) -> None:
        self.parents.setdefault(id, parent)
        self.last_lines[id] = line

    def chains(self) -> list[set[str]]:
        """Return the ids of each branch, from a record that none follows to the root, the last one
        first."""
        leaves = self.parents.keys() - {*self.parents.values()}
        return [
            *map(
                self._chain,
                # The branch that was written last is where the agent goes on.
                sorted(leaves, key=self.last_lines.__getitem__, reverse=True),
            )
        ]

    def lost_parents(self, chain: set[str]) -> list[LostParent]:
        """Return the records of a chain whose parent is not in the file: who resumes it gets what
        follows the last of these."""
        lost = [id for id in self.lost if id in chain]
        if not lost:
            return []
        order = [id for id in self.parents if id in chain]
        total = len(order)
        reached = total - order.index(lost[-1])
        # Where the first record of a chain has lost its parent, a resume reaches all of it.
        if reached == total:
            return []
        return [LostParent(self.lost[id], reached, total) for id in lost]

    def _chain(self, leaf: str) -> set[str]:
        chain: set[str] = set()
        # A cycle of parents must end.
        while leaf and leaf not in chain:
            chain.add(leaf)
            leaf = self.parents.get(leaf, "")
        return chain


def listed_branches(
    chains: Sequence[set[str]],
    messages: Sequence[JsonRecord],
    id_of: Callable[[JsonRecord], str],
    text_of: Callable[[JsonRecord], str],
) -> tuple[ConversationBranch, ...]:
    """Describe each branch by its first words that not all branches have; none if there is only
    one."""
    if len(chains) < 2:
        return ()
    # The first words that all branches share tell none of them apart.
    shared = set.intersection(*chains)
    branches: list[ConversationBranch] = []
    for number, chain in enumerate(chains, 1):
        own = [record for record in messages if id_of(record) in chain]
        later = [record for record in own if id_of(record) not in shared] or own
        title = first_words(next(filter(None, map(text_of, later)), ""))
        branches.append(
            ConversationBranch(number, title, len(own), later[0].line if later else 0)
        )
    return tuple(branches)


_MAX_SIDE_FILE_SIZE = 10_000_000


@dataclass(slots=True, kw_only=True)
class SessionLog:
    """What a reader has collected so far; ``model`` and ``cwd`` are the last known ones.
    ``answers_are_records``: the agent writes an answer as one record, so that none are joined."""

    answers_are_records: bool = False

    notes: ImportNotes = field(default_factory=ImportNotes)
    messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    reports: UsageReports = field(default_factory=UsageReports)
    system: list[str] = field(default_factory=list)
    system_places: list[Json] = field(default_factory=list)
    tools: Sequence[Json] = ()
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    title: str = ""
    reported_context: int | None = None
    reported_limit: int | None = None
    loaded: ConversationRecords | None = None  # of a list of records inside an object

    def add(
        self,
        record: JsonRecord,
        speaker: Speaker,
        blocks: Sequence[Block],
        *,
        id: str = "",
        time: Json = None,
        flags: MessageFlag = MessageFlag.NONE,
        extra: Mapping[str, Json] = NO_EXTRA,
    ) -> None:
        """Add what a record says; the results in a user's record become a message of their own."""
        blocks = tuple(blocks)
        if speaker is Speaker.HUMAN and blocks:
            split = split_by_speaker(blocks)
        else:
            split = ((speaker, blocks),)
        for own_speaker, own in split:
            if self.messages:
                last = self.messages[-1].sources[0]
            else:
                last = None
            if last and (last.line, last.start) == (record.line, record.start):
                part = last.part + 1
            else:
                part = 0
            source = record.source(part)
            parts = [(own_speaker, own)]
            self.messages += record_messages(
                source, parts, flags, id, iso_timestamp(time), extra
            )

    def extend(
        self,
        record: JsonRecord,
        speaker: Speaker,
        blocks: Sequence[Block],
        **fields: Any,
    ) -> None:
        """Add blocks to the last message if it is of that speaker, else as a new message."""
        if not self.messages or self.messages[-1].speaker is not speaker:
            self.add(record, speaker, blocks, **fields)
        else:
            self.extend_at(-1, record, blocks)

    def extend_at(
        self, index: int, record: JsonRecord, blocks: Sequence[Block]
    ) -> None:
        """Add blocks to the message at an index."""
        message = self.messages[index]
        self.messages[index] = replace(
            message,
            blocks=(*message.blocks, *blocks),
            sources=tuple(dict.fromkeys((*message.sources, record.source()))),
            flags=message.flags | opaque_flag(blocks),
        )

    def report(self, context: Json, output: Json, model: str | None = None) -> None:
        """Note the tokens of the request that the last message answers, if they are reported."""
        model = self.model if model is None else model
        self.reports.add(
            self.messages[-1].sources[0], number_of(context), number_of(output), model
        )

    @property
    def fields(self) -> Mapping[str, Json]:
        """The fields beside the list of records."""
        if self.loaded:
            return self.loaded.fields
        return NO_EXTRA

    @property
    def records(self) -> Iterator[JsonRecord]:
        for record in self.loaded.records if self.loaded else ():
            if isinstance(record.value, dict):
                yield record
            else:
                self.notes.skip("not an object", line=record.line)

    def add_system(self, record: JsonRecord, *texts: str) -> None:
        self.system += texts
        self.system_places.append([record.line, record.start, record.end])

    def compact(
        self,
        record: JsonRecord,
        *texts: str,
        trigger: str = "",
        before: int | None = None,
        after: int | None = None,
        kept: Sequence[int] = (),
        context_after: Sequence[int | Message] = (),
    ) -> None:
        """Note a compaction after the messages so far."""
        source = record.source()
        blocks = tuple(Text(text) for text in texts if text)
        message = Message(
            speaker=Speaker.HUMAN,
            blocks=blocks,
            sources=(source,),
            flags=MessageFlag.RECORDED_SUMMARY,
        )
        summary = (message,) if blocks else ()
        self.recorded.append(
            RecordedCompaction(
                kind="summary",
                boundary=len(self.messages),
                trigger=trigger,
                tokens_before=before,
                tokens_after=after,
                summary=summary,
                kept=tuple(kept),
                source=source,
                context_after=tuple(context_after),
            )
        )

    def clear(self, record: JsonRecord) -> bool:
        """Note that the person cleared the context; return False where nothing was in it."""
        if self.recorded:
            last = self.recorded[-1]
        else:
            last = None
        is_left = last is not None and bool(
            last.summary or last.kept or last.context_after
        )
        # A context that was cleared before and is still empty cannot be cleared again.
        start = last.boundary if last else 0
        if len(self.messages) == start and not is_left:
            return False
        self.recorded.append(
            RecordedCompaction(
                kind="truncate",
                boundary=len(self.messages),
                trigger="manual",
                source=record.source(),
            )
        )
        return True

    def conversation(self, format: str, file: OpenedDocument) -> Conversation:
        messages = link_calls(self.messages, self.notes)
        recorded = tuple(self.recorded)
        if not self.answers_are_records:
            # Ids are given before answers are joined, because the joining goes by ids.
            messages, recorded = joined_answers(messages, recorded)
        usage = self.reports.reported_usage(messages)
        own = self.loaded
        return Conversation(
            format=format,
            document=file.document,
            messages=messages,
            system=SystemPart(tuple(self.system), tuple(self.tools)),
            recorded=recorded,
            report=self.notes.report(),
            model=self.model
            or next((one.model for one in reversed(usage) if one.model), ""),
            cwd=self.cwd,
            session_id=self.session_id,
            reported_context=self.reported_context
            or (usage[-1].context if usage else None),
            reported_limit=self.reported_limit,
            usage=usage,
            title=first_words(self.title),
            number=own.number if own else 1,
            siblings=own.siblings if own else 1,
            listed=own.listed if own else (),
            layout=self._layout(file),
        )

    def _layout(self, file: OpenedDocument) -> dict[str, Json]:
        """Return where the records stand in the file, and where the system prompt does."""
        layout: dict[str, Json] = {"container": file.container.value, "path": []}
        if self.loaded:
            layout = {**self.loaded.layout}
        if self.system_places:
            layout["system"] = self.system_places
        return layout


def log_records(
    file: OpenedDocument, request: ReadRequest, log: SessionLog
) -> Sequence[JsonRecord]:
    """Return the records that are objects; others are counted. Raises InputError for a second
    session."""
    check_number(file.document.name, request.conversation, 1)
    records: list[JsonRecord] = []
    for record in iterate_records(file, log.notes, request.progress, request.stop):
        log.notes.records += 1
        if isinstance(record.value, dict):
            records.append(record)
        else:
            log.notes.skip("not an object", line=record.line)
    return records


def object_log(
    file: OpenedDocument,
    request: ReadRequest,
    key: str,
    *,
    title: str = "title",
    session_id: str = "id",
) -> SessionLog:
    """Return a log for the records under ``key`` of an object, or of one of several objects, with
    what its fields ``title`` and ``session_id`` say."""
    loaded = conversation_records(file, (key,), request)
    loaded.notes.records = len(loaded.records)
    log = SessionLog(notes=loaded.notes, loaded=loaded)
    log.title = string_of(log.fields.get(title))
    log.session_id = coerce_text(log.fields.get(session_id))
    return log


def shape_score(file: OpenedDocument, format: str, sign: str) -> FormatScore:
    """Judge by the share of records with the format's shapes; ``sign`` names what they have."""
    values = file.objects
    if not values:
        return 0.0, ""
    count = sum(map(format_shapes(format).match, values))
    unit = "line" if file.container is DocumentContainer.LINES else "record"
    return 0.98 * count / len(
        values
    ), f"{sign} in {count} of {len(values)} {unit}{'s'[: len(values) > 1]}"


def without_element(element: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what an element, its first group, holds of a prompt, and what the harness wrote around
    it."""
    if not (found := element.search(text)):
        return text, ""
    around = (text[: found.start()].strip(), text[found.end() :].strip())
    return found[1], "\n".join(filter(None, around))


def side_file(file: OpenedDocument, name: str) -> Mapping[str, Json]:
    """Return the fields of a JSON file beside the session, nothing if it cannot be read."""
    if file.document.path is None:
        return NO_EXTRA
    path = file.document.path.absolute().parent / name
    try:
        # A file beside the session is only an extra, so a huge one is left alone.
        if path.stat().st_size < _MAX_SIDE_FILE_SIZE:
            return fields_of(orjson.loads(path.read_bytes()))
        return NO_EXTRA
    except (OSError, ValueError):
        return NO_EXTRA
