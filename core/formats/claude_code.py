"""Reader for Claude Code sessions: JSONL lines with uuid and parentUuid, read in file order.

Each assistant ``message.id`` is one message, at its first line, with the blocks of all its lines;
each user line is one message, or two if it holds tool results and more. Sub-agents are
conversations of their own: ``conversation=1`` is the main one, then the side chains of the file in
file order, then the files of sub-agents beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.anthropic_blocks import writes_hour_cache
from core.formats.claude_code_history import (
    ClaudeBranches,
    ClaudeLinks,
    SubAgentIndex,
    check_links,
    find_branches,
    listed_branches,
)
from core.formats.claude_code_messages import (
    ATTACHMENT,
    QUEUE,
    ClaudeMessages,
    ClaudeRow,
    QueuedPrompts,
    attachment_kind,
    read_attachment_row,
    read_row,
)
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    object_records,
    open_transcript,
)
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    sum_of,
)
from core.formats.common.message_lists import (
    check_branch,
    check_number,
    first_words,
    numbered,
)
from core.formats.common.messages import (
    INPUT_TOKEN_FIELDS,
    ImportNotes,
    UsageReports,
    link_calls,
    reported_cache,
)
from core.transcript.model import (
    NO_MODEL,
    Conversation,
    ListedConversation,
    Message,
    RecordedCompaction,
    Source,
    Speaker,
)

BOUNDARY = "compact_boundary"
MICRO_BOUNDARY = "microcompact_boundary"
_METADATA_FIELDS = {  # in the file, and in a live stream
    BOUNDARY: ("compactMetadata", "compact_metadata"),
    MICRO_BOUNDARY: ("microcompactMetadata", "microcompact_metadata"),
}


@dataclass(slots=True, kw_only=True)
class ClaudeCompaction:
    """A boundary, with its summary; ``source`` is None for a summary without one. ``row_count``
    counts the rows before it."""

    row_count: int
    kind: str
    uuid: str = ""
    parent: str = ""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    summary: list[ClaudeRow] = field(default_factory=list)
    source: Source | None = None

    def is_copy_of(self, other: ClaudeCompaction) -> bool:
        return (self.uuid, self.metadata) == (other.uuid, other.metadata)

    def is_of_summary(self, last: ClaudeCompaction) -> bool:
        """Return whether the summary just before has no boundary yet, and this is its boundary."""
        # On disk the summary may stand in front of its boundary; a live stream has them the other
        # way.
        is_adjacent = last.source is None and last.row_count == self.row_count
        return is_adjacent and self.uuid in ("", last.parent)

    @property
    def removed_nothing(self) -> bool:
        """Whether results were to be cleared, and none was."""
        is_empty = self.metadata.get(
            "compactedToolIds"
        ) == [] and not self.metadata.get("tokensSaved")
        return self.kind == "microcompact" and is_empty

    @property
    def uuid_and_source(self) -> tuple[str, Source]:
        """Uuid and place of the boundary, or of a summary that has none."""
        if self.source:
            return (self.uuid, self.source)
        return (self.summary[0].uuid, self.summary[0].source)


def add_boundary(
    compactions: list[ClaudeCompaction], record: JsonRecord, row_count: int
) -> bool:
    """Note a boundary line; a summary written just before it belongs to it. Return False for one
    that is written again."""
    line, subtype = record.value, record.value["subtype"]
    metadata = next(
        (line[name] for name in _METADATA_FIELDS[subtype] if name in line), None
    )
    entry = ClaudeCompaction(
        row_count=row_count,
        kind="microcompact" if subtype == MICRO_BOUNDARY else "summary",
        uuid=coerce_text(line.get("uuid")),
        parent=coerce_text(line.get("parentUuid")),
        metadata=fields_of(metadata),
        source=record.source(),
    )
    # After a second /compact in one process Claude Code writes old lines again, with their uuids.
    if entry.uuid and any(map(entry.is_copy_of, compactions)):
        return False
    if subtype == BOUNDARY and compactions and entry.is_of_summary(compactions[-1]):
        entry.summary = compactions.pop().summary
    compactions.append(entry)
    return True


def add_summary(
    compactions: list[ClaudeCompaction], row: ClaudeRow, row_count: int
) -> None:
    """Note a summary line: it belongs to its parent boundary, else to the one just before it."""
    for entry in reversed(compactions):
        is_near = entry.uuid == row.parent != "" or entry.row_count == row_count
        if is_near and entry.kind == "summary" and entry.source:
            entry.summary.append(row)
            return
    compactions.append(
        ClaudeCompaction(
            row_count=row_count, kind="summary", parent=row.parent, summary=[row]
        )
    )


@dataclass(frozen=True, slots=True)
class MessageIndices:
    """Where the messages of a branch are. ``highest_starts`` are the bytes at which they begin,
    each the highest so far. ``other_starts`` has the bytes of lines that are no messages, which may
    be named, too, where something was kept."""

    by_uuid: Mapping[str, range]
    highest_starts: Sequence[int]
    other_starts: Mapping[str, int]

    def index_behind(self, start: int) -> int:
        """Return the index of the first message that begins behind a byte."""
        return bisect_left(self.highest_starts, start)

    def nearest(self, uuid: str) -> range:
        """Return the messages of a line; of one that is no message the nearest message before
        it."""
        if (
            found := self.by_uuid.get(uuid)
        ) is not None or uuid not in self.other_starts:
            return found or range(0)
        # A kept segment may begin or end at the line of a hook, which is no message.
        index = self.index_behind(self.other_starts[uuid]) - 1
        if index >= 0:
            return range(index, index + 1)
        return range(0)

    def segment(self, head: str, tail: str) -> range:
        """Return the messages from one line to another."""
        first = self.nearest(head)
        last = self.nearest(tail)
        if not first or not last:
            return range(0)
        # A head that is no message stands for the message before it, which was not kept itself.
        is_behind_head = head not in self.by_uuid and first.stop < last.stop
        return range(first.stop if is_behind_head else first.start, last.stop)


def recorded_compaction(
    entry: ClaudeCompaction, indices: MessageIndices
) -> RecordedCompaction:
    """Return the compaction. Kept messages that Claude Code writes again right behind the boundary
    count as before it."""
    before, after, tokens_saved = (
        number_of(entry.metadata.get(name))
        for name in ("preTokens", "postTokens", "tokensSaved")
    )
    # Cleared results are recorded with what they saved, not with the size after them.
    if after is None and before is not None and tokens_saved is not None:
        after = max(0, before - tokens_saved)
    kept_messages = _kept_messages(entry.metadata, indices)
    boundary = indices.index_behind(entry.uuid_and_source[1].start)
    while boundary in kept_messages:
        boundary += 1
    kept = tuple(sorted(index for index in kept_messages if index < boundary))
    summary = tuple(
        Message(
            speaker=Speaker.HUMAN,
            blocks=row.blocks,
            sources=(row.source,),
            flags=row.flags,
            id=row.uuid,
            timestamp=row.timestamp,
            extra=row.extra,
        )
        for row in entry.summary
    )
    return RecordedCompaction(
        kind=entry.kind,
        boundary=boundary,
        trigger=coerce_text(entry.metadata.get("trigger")),
        tokens_before=before,
        tokens_after=after,
        summary=summary,
        kept=kept,
        source=entry.uuid_and_source[1],
        context_after=(*kept, *summary)
        if kept and _keeps_before_summary(entry)
        else (),
        cleared=tuple(
            dict.fromkeys(
                map(coerce_text, list_of(entry.metadata.get("compactedToolIds")))
            )
        ),
    )


def _keeps_before_summary(entry: ClaudeCompaction) -> bool:
    """Return whether kept messages follow the boundary itself, with the summary after them; else
    the agent resumes with the summary, then the kept messages."""
    names = ("preservedMessages", "preservedSegment")
    return bool(entry.uuid) and any(
        coerce_text(nested(entry.metadata, name, "anchorUuid")) == entry.uuid
        for name in names
    )


def _kept_messages(metadata: Mapping[str, Json], indices: MessageIndices) -> set[int]:
    """Return the messages that stayed: those named one by one, else the segment from head to
    tail."""
    messages = fields_of(metadata.get("preservedMessages"))
    segment = fields_of(metadata.get("preservedSegment"))
    uuids = messages.get("uuids") or messages.get("allUuids")
    kept_indices = {
        index for uuid in list_of(uuids) for index in indices.nearest(coerce_text(uuid))
    }
    head, tail = (coerce_text(segment.get(name)) for name in ("headUuid", "tailUuid"))
    return kept_indices or set(indices.segment(head, tail))


_MESSAGE_TYPES = ("user", "assistant")
_RECORD_TYPES = (
    *("summary", "file-history-snapshot", "queue-operation", "progress"),
    *("attachment", "custom-title", "system"),
)
_RECORD_FIELDS = (
    "sessionId",
    "uuid",
    "leafUuid",
    "snapshot",
    "operation",
    "isSidechain",
)
_COPY = "copy of an earlier line"


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the share of values that are lines of such a session."""
    values = file.objects
    if not values:
        return 0.0, ""
    # One object with a list of messages is a request of the API; it has no lines to link.
    if file.container is DocumentContainer.OBJECT and "messages" in values[0]:
        return 0.0, ""
    noun = "line" if file.container is DocumentContainer.LINES else "record"
    total = plural(len(values), noun)
    known_count = sum(map(_is_line, values))
    linked_count = sum("uuid" in one and "parentUuid" in one for one in values)
    share = known_count / len(values)
    if linked_count:
        return share, f"uuid and parentUuid in {linked_count} of {total}"
    # Lines without links are what other logs look like, too, so a closer format may win.
    reason = f"user and assistant records with a message in {known_count} of {total}"
    return 0.9 * share, reason


def _is_line(value: Mapping[str, Json]) -> bool:
    # Qwen Code has the same links, with messages of Gemini.
    message = fields_of(value.get("message"))
    if "systemPayload" in value or "parts" in message:
        return False
    if value.get("type") in _MESSAGE_TYPES:
        return _is_message_line(value)
    if "sessionId" in value and "uuid" in value:
        return True
    # Summaries and snapshots have neither uuid nor session.
    has_field = any(name in value for name in _RECORD_FIELDS)
    return has_field and value.get("type") in _RECORD_TYPES


def _is_message_line(value: Mapping[str, Json]) -> bool:
    message = value.get("message")
    if isinstance(message, dict) and "content" in message:
        return True
    own_fields = ("uuid", "sessionId", "isSidechain", "parentUuid")
    return "message" in value and any(name in value for name in own_fields)


@dataclass(slots=True, kw_only=True)
class _Usage:
    """What the answers reported."""

    context: int | None = None  # of the last request
    sizes: dict[str, int] = field(default_factory=dict)  # by answer
    reports: UsageReports = field(default_factory=UsageReports)
    hour_cache: bool = False


@dataclass(slots=True, kw_only=True)
class _Session:
    """State of one pass over the lines."""

    conversation_number: int
    notes: ImportNotes = field(default_factory=ImportNotes)
    rows: list[ClaudeRow] = field(default_factory=list)
    messages: ClaudeMessages = field(default_factory=ClaudeMessages)  # of all rows
    compactions: list[ClaudeCompaction] = field(default_factory=list)
    links: ClaudeLinks = field(default_factory=ClaudeLinks)
    queue: QueuedPrompts = field(default_factory=QueuedPrompts)
    rows_by_uuid: dict[str, ClaudeRow] | None = None  # once a uuid is repeated
    agents: SubAgentIndex = field(default_factory=SubAgentIndex)
    has_main_rows: bool = False
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    usage: _Usage = field(default_factory=_Usage)


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation of a session. Raises InputError if no conversation has that number."""
    number, path = request.conversation, file.document.path
    session = _read_lines(file, request, number)
    agents = session.agents
    if not session.has_main_rows and agents.chains:
        # A sub-agent's own file: every line is a side chain, so those are numbered from 1.
        check_number(file.document.name, number, len(agents.chains))
        session = _read_lines(file, request, number + 1)
        entries = [
            agents.list_entry(list_number, chain)
            for list_number, chain in enumerate(agents.chains.values(), 1)
        ]
        return _with_entries(_conversation(file, session, request), number, entries)
    chains = [*agents.chains.values(), *agents.agents_with_files(path)]
    entries = [ListedConversation(1, first_words(agents.task))]
    entries += [
        agents.list_entry(list_number, chain)
        for list_number, chain in enumerate(chains, 2)
    ]
    check_number(file.document.name, number, len(entries))
    if number > 1:
        own_file = chains[number - 2].path
    else:
        own_file = None
    if own_file is not None:
        conversation = read(open_transcript(own_file), replace(request, conversation=1))
    else:
        conversation = _conversation(file, session, request)
    return _with_entries(conversation, number, entries)


def _with_entries(
    conversation: Conversation, number: int, entries: list[ListedConversation]
) -> Conversation:
    """Add the list of conversations of the file; the entry of the one just read gets its exact
    count."""
    entries[number - 1] = replace(
        entries[number - 1], messages=len(conversation.messages)
    )
    return numbered(conversation, number, entries)


def _read_lines(
    file: OpenedDocument, request: ReadRequest, conversation_number: int
) -> _Session:
    session = _Session(conversation_number=conversation_number)
    publisher = RowPublisher(request.on_messages)
    for record in object_records(file, session.notes, request.progress, request.stop):
        _read_line(session, record)
        if publisher.is_due:
            publisher.show(session.messages.messages, session.messages.open_answer)
    # A prompt may have been taken in behind the last answer of the file.
    for prompt in session.queue.rest():
        _add_message_row(session, prompt)
    session.queue.note_unsent(session.notes)
    return session


def _row_of(record: JsonRecord, kind: str, notes: ImportNotes) -> ClaudeRow | None:
    """Return what a line says; None for bookkeeping."""
    if kind == ATTACHMENT:
        return read_attachment_row(record, notes)
    if kind in _MESSAGE_TYPES:
        return read_row(record, notes)
    return None


def _read_line(session: _Session, record: JsonRecord) -> None:
    line = record.value
    kind = coerce_text(line.get("type")) or "without a type"
    is_message = kind in _MESSAGE_TYPES
    is_summary = line.get("isCompactSummary") is True
    conversation_number = 1
    if line.get("isSidechain") is True:
        conversation_number = session.agents.add_side_chain_line(line)
    else:
        session.agents.add_main_line(line)
        # Probably the summary in a sub-agent's own file is not always marked as a side chain.
        session.has_main_rows |= is_message and not is_summary
    if conversation_number != session.conversation_number:
        main_kind = "main conversation" if is_message else kind
        session.notes.skip("side chain" if conversation_number > 1 else main_kind)
        return
    is_repeated = _note_links(session, record)
    row = _row_of(record, kind, session.notes)
    if row is None:
        _read_other(session, record, kind, is_repeated=is_repeated)
    elif is_repeated and _is_copy(session, row):
        session.notes.skip(_COPY)
    elif is_summary:
        add_summary(session.compactions, row, len(session.rows))
    else:
        _add_row(session, line, row)


def _add_row(session: _Session, line: Mapping[str, Json], row: ClaudeRow) -> None:
    # What waited in the queue was sent in front of the answer that follows it.
    for prompt in session.queue.add_row(row, session.notes):
        _add_message_row(session, prompt)
    message = _add_message_row(session, row)
    if not row.is_user:
        _note_usage(session, line, row.api_id, message)


def _add_message_row(session: _Session, row: ClaudeRow) -> Message:
    session.rows.append(row)
    if session.rows_by_uuid is not None:
        session.rows_by_uuid.setdefault(row.uuid, row)
    return session.messages.add(row)


def _is_copy(session: _Session, row: ClaudeRow) -> bool:
    """Return whether a row is written again, as Claude Code does after a second compaction."""
    # Nearly no session repeats a uuid, so the lookup is built at the first one that does.
    if session.rows_by_uuid is None:
        summaries = [
            summary for entry in session.compactions for summary in entry.summary
        ]
        # Walked backwards, the first line with a uuid wins.
        session.rows_by_uuid = {
            one.uuid: one for one in reversed([*session.rows, *summaries])
        }
    first = session.rows_by_uuid.get(row.uuid)
    if first is not None and _content(first) == _content(row):
        return True
    # A real session has one uuid on two different lines; neither of them is a copy.
    session.notes.warn(
        row.source.line, f"the uuid {row.uuid} is repeated; both lines were read"
    )
    return False


def _content(row: ClaudeRow) -> tuple[object, ...]:
    return row.is_user, row.is_attachment, row.flags, row.api_id, row.blocks


def _read_boundary(session: _Session, record: JsonRecord, label: str) -> None:
    if not add_boundary(session.compactions, record, len(session.rows)):
        session.notes.skip(_COPY)
    elif session.compactions[-1].removed_nothing:
        session.compactions.pop()
        session.notes.skip(f"{label} that cleared nothing")


def _read_other(
    session: _Session, record: JsonRecord, kind: str, *, is_repeated: bool
) -> None:
    subtype = record.value.get("subtype")
    if kind == QUEUE:
        # A record of the queue names no parent; the row before it is the only hint at its place.
        parent = session.rows[-1].uuid if session.rows else ""
        session.queue.add_operation(record, parent, session.notes)
        return
    if kind == "system" and subtype in (BOUNDARY, MICRO_BOUNDARY):
        _read_boundary(session, record, f"{kind}: {subtype}")
        return
    if not is_repeated and (uuid := coerce_text(record.value.get("uuid"))):
        session.links.other_starts[uuid] = record.start
    if kind == "without a type":
        session.notes.warn(record.line, "the record has no type; it was skipped")
    if kind == ATTACHMENT:
        session.notes.skip(attachment_kind(record.value))
    else:
        session.notes.skip(f"{kind}: {subtype}" if isinstance(subtype, str) else kind)


def _note_links(session: _Session, record: JsonRecord) -> bool:
    """Note what a line follows and what it says of the session; return whether its uuid is
    repeated."""
    line = record.value
    uuid = record.value.get("uuid")
    # A file may hold two session ids, as after a resume; the first one names the session.
    session.cwd = session.cwd or coerce_text(line.get("cwd"))
    session.session_id = session.session_id or coerce_text(line.get("sessionId"))
    if not isinstance(uuid, str) or not uuid:
        return False
    if uuid in session.links.parents:
        return True
    parent = coerce_text(line.get("parentUuid"))
    logical_parent = coerce_text(line.get("logicalParentUuid"))
    session.links.add(uuid, parent, logical_parent, record.line)
    return False


def _note_usage(
    session: _Session, line: Mapping[str, Json], api_id: str, message: Message
) -> None:
    """Note model and request size. The first line of an answer has the size of the request; later
    ones repeat it, and the last has the whole output."""
    answer = fields_of(line.get("message"))
    model = answer.get("model")
    usage = fields_of(answer.get("usage"))
    # Claude Code makes such answers itself, say for an error of the API; no request stands
    # behind.
    if (
        not isinstance(model, str)
        or model == NO_MODEL
        or line.get("isApiErrorMessage") is True
    ):
        return
    session.model = model or session.model
    fresh, read, written = map(usage.get, INPUT_TOKEN_FIELDS)
    size = sum_of(fresh, read, written)
    if size is None:
        return
    # A request of 0 tokens was never sent: exported lines report 0.
    session.usage.context = size or None
    session.usage.hour_cache = writes_hour_cache(usage, session.usage.hour_cache)
    if size and api_id:
        size = session.usage.sizes.setdefault(api_id, size)
    cache = reported_cache(read, written, line.get("costUSD"))
    session.usage.reports.add(
        message.sources[0], size, number_of(usage.get("output_tokens")), model, cache
    )


def _conversation(
    file: OpenedDocument, session: _Session, request: ReadRequest
) -> Conversation:
    """Build the conversation. ``reported_context`` is the size of the last request (input, cache
    read and cache creation) without the answer."""
    check_links(session.links, session.notes)
    messages = session.messages.messages
    # Sorting is paid for only where it is needed: version 2.1.121 wrote results above their
    # calls.
    if session.links.is_out_of_order:
        session.rows = session.links.in_order(session.rows)
        messages = _messages_of(session.rows)
    branches = find_branches(session.rows, session.links)
    check_branch(file.document.name, request.branch, max(1, len(branches.prompts)))
    rows = session.rows
    if branches.prompts:
        rows = _branch_rows(session, branches, request.branch)
        messages = _messages_of(rows)
    # A resume starts at the last summary, so parents that are lost before it do not matter.
    resumed_from = next(
        (
            one.uuid_and_source[1].start
            for one in reversed(session.compactions)
            if one.kind == "summary"
        ),
        0,
    )
    session.notes.lose_parents(session.links.lost_parents(rows, resumed_from))
    usage = session.usage.reports.reported_usage(messages)
    context = session.usage.context
    # The last request of the file may belong to another branch.
    if branches.prompts:
        if usage:
            context = usage[-1].context
        else:
            context = None
    return Conversation(
        format="claude_code",
        document=file.document,
        messages=link_calls(messages, session.notes),
        recorded=_recorded(session, branches, request.branch, messages),
        report=session.notes.report(),
        model=session.model,
        cwd=session.cwd,
        session_id=session.session_id,
        reported_context=context,
        hour_cache=session.usage.hour_cache,
        usage=usage,
        branches=listed_branches(branches, session.rows),
        branch=request.branch,
        layout=file.layout,
    )


def _messages_of(rows: Iterable[ClaudeRow]) -> list[Message]:
    messages = ClaudeMessages()
    for row in rows:
        messages.add(row)
    return messages.messages


def _branch_rows(
    session: _Session, branches: ClaudeBranches, branch: int
) -> list[ClaudeRow]:
    """Return the rows of one branch; what else the file holds is counted."""
    ends = branches.ends(branch)
    on_branch: list[ClaudeRow] = []
    for row in session.rows:
        # Queued prompts have no uuid; they belong where the row before them belongs.
        if branches.contains(ends, row.uuid or row.parent, row.source):
            on_branch.append(row)
        else:
            session.notes.skip("other branch", line=row.source.line)
    return on_branch


def _recorded(
    session: _Session, branches: ClaudeBranches, branch: int, messages: list[Message]
) -> tuple[RecordedCompaction, ...]:
    if not session.compactions:
        return ()
    ends = branches.ends(branch)
    starts = [message.sources[0].start for message in messages]
    indices_by_start: dict[int, list[int]] = {}
    for index, message in enumerate(messages):
        for source in message.sources:
            indices_by_start.setdefault(source.start, []).append(index)
    by_uuid: dict[str, range] = {}
    for row in session.rows:
        own = indices_by_start.get(row.source.start)
        if own and row.uuid:
            by_uuid.setdefault(row.uuid, range(own[0], own[-1] + 1))
    message_indices = MessageIndices(
        by_uuid, [*accumulate(starts, max)], session.links.other_starts
    )
    recorded = [
        recorded_compaction(entry, message_indices)
        for entry in session.compactions
        if branches.contains(ends, *entry.uuid_and_source)
    ]
    # Copies of kept messages move a boundary backwards, which may change the order.
    return tuple(sorted(recorded, key=lambda compaction: compaction.boundary))


CLAUDE_CODE = Format(
    name="claude_code",
    label="Claude Code",
    about="Session files of Claude Code: JSONL, one record a line, with uuid and parentUuid;"
    " no real file with cleared results or kept messages was seen.",
    score=score,
    read=read,
)
