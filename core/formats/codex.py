"""Reader for Codex rollouts: lines of ``{timestamp, type, payload}``, and the older bare items.

Messages are the ``response_item`` lines, by the rules of ``core.formats.openai_responses_items``:
an answer of the model is one message, however many items it has. ``event_msg`` lines repeat them
for the screen and are no messages, unless a rollout has nothing else. Leading developer messages
are the system part, with the instructions of ``session_meta``; those of ``turn_context`` belong to
it only if no message repeats them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.codex_compactions import (
    NEVER_SENT,
    CodexUsageReports,
    EarlierMessages,
    ItemWithSource,
    event_message,
    event_model_limit,
    event_token_counts,
    read_compaction,
    with_reported_reasoning,
    without_repeated_items,
)
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
    object_records,
)
from core.formats.common.format import (
    Format,
    FormatScore,
    ReadRequest,
    RowPublisher,
    never_stop,
)
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    parse_bytes,
    string_of,
)
from core.formats.common.message_lists import check_branch, check_number, first_words
from core.formats.common.messages import ImportNotes, link_calls
from core.formats.common.open_document import (
    DocumentLine,
    document_lines,
    open_document,
)
from core.formats.openai_responses_items import (
    ResponseItemHistory,
    is_harness_text,
    item_compactions,
    item_type,
    read_item,
)
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    Message,
    MessageFlag,
    RecordedCompaction,
    ReportedUsage,
    SourceDocument,
    Speaker,
    SystemPart,
    Text,
    joined_text,
    no_progress,
)

_BASE_FIELD, _META_TYPE = "history_base", "session_meta"
# Codex packs a rollout with zstd once it was idle for seven days.
_ENDINGS = (".jsonl", ".jsonl.zst", ".jsonl.gz")
MAX_JOINED_SIZE = 512 << 20
"""Largest size in bytes of a joined document, which is held in memory."""


class _NotJoined(Exception):
    """Says why a rollout is read without the history that it continues."""


@dataclass(slots=True)
class _RolloutChain:
    """The files joined so far; ``notes`` says of each how many lines were joined."""

    folder: Path
    names: list[str]
    notes: list[str] = field(default_factory=list)


def has_history_base(file: OpenedDocument) -> bool:
    """Return whether a rollout continues another one."""
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    return _is_meta(first) and bool(first["payload"].get(_BASE_FIELD))


def with_history_base(file: OpenedDocument, notes: ImportNotes) -> OpenedDocument:
    """Return the rollout with the history that it continues in front, or unchanged if that is
    missing; add a repair or warning to ``notes``."""
    try:
        document, repairs = _joined_document(file.document)
    except (_NotJoined, InputError) as error:
        if isinstance(error, InputError):
            reason = error.message.rstrip(".")
        else:
            reason = str(error)
        text = "this rollout continues another file's history (history_base), which is missing"
        notes.warn(1, f"{text}: {reason}")
        return file
    for text in repairs:
        notes.repair(1, text)
    return replace(file, document=document)


def _joined_document(document: SourceDocument) -> tuple[SourceDocument, list[str]]:
    # Standard input, a file of a zip.
    if document.path is None or document.data is not None or document.member:
        raise _NotJoined("only a rollout in a file of its own can be joined")
    rollouts = _RolloutChain(
        document.path.resolve().parent, [document.path.resolve().name]
    )
    own_lines = document_lines(document)
    meta = parse_bytes(next(own_lines).data).value
    if not _is_meta(meta):
        raise _NotJoined("its first line cannot be read")
    # The field goes: the joined document must not claim to continue the other file once more.
    base = meta["payload"].pop(_BASE_FIELD)
    data = [json.dumps(meta).encode()]
    size = 0
    for line in chain(_base_lines(rollouts, fields_of(base)), own_lines):
        data.append(line.data)
        size += len(line.data)
        if size > MAX_JOINED_SIZE:
            raise _NotJoined(f"together they hold more than {MAX_JOINED_SIZE >> 20} MB")
    return replace(document, data=b"\n".join(data) + b"\n", packing=""), rollouts.notes


def _end_of_base(
    base: Mapping[str, Json], document: SourceDocument
) -> tuple[int | None, int | None]:
    """Return how far a rollout continues another: up to a byte, or up to a number of a line."""
    end = number_of(base.get("end_byte_offset"))
    ordinal = number_of(base.get("end_ordinal_exclusive"))
    if end is None and ordinal is None:
        raise _NotJoined(f"it does not say how much of {document.name} it continues")
    return end, ordinal


def _check_length(document: SourceDocument, last_end: int, end: int | None) -> None:
    if end is not None and last_end + 2 < end:  # the line end is not in it
        raise _NotJoined(f"{document.name} is shorter than it was when this one began")


def _base_lines(
    rollouts: _RolloutChain, base: Mapping[str, Json]
) -> Iterator[DocumentLine]:
    """Yield the lines of the rollout named by ``base``, up to the given point, after those of its
    own base."""
    document = open_document(_base_path(rollouts, string_of(base.get("thread_id"))))
    end, ordinal = _end_of_base(base, document)
    count = last_end = 0
    for line in document_lines(document):
        value = parse_bytes(line.data).value
        is_meta = count == 0 and _is_meta(value)
        if is_meta and value["payload"].get(_BASE_FIELD):
            yield from _base_lines(rollouts, fields_of(value["payload"][_BASE_FIELD]))
        number = number_of(nested(value, "ordinal"))
        # Where lines have no number of their own, their place counts.
        place = count if number is None else number
        is_after = line.end > end if end is not None else place >= (ordinal or 0)
        if is_after:
            break
        count = count + 1
        last_end = line.end
        if not is_meta:
            yield line
    else:
        _check_length(document, last_end, end)
    rollouts.notes.append(
        f"joined with {count:,} lines of {document.name}, the history that it continues"
    )


def _files_of_rollout(folder: Path, id_: str) -> list[Path]:
    """Return the files of that name in the folder; links to elsewhere are none."""
    # File names hold a time that the id does not tell, so the folder is searched.
    names = tuple(id_ + ending for ending in _ENDINGS)
    try:
        named = [path for path in folder.iterdir() if path.name.endswith(names)]
    except OSError as error:
        raise _NotJoined("the folder cannot be read") from error
    # A link could lead to a file that the caller must not read.
    return [
        path for path in named if path.is_file() and path.resolve().parent == folder
    ]


def _base_path(rollouts: _RolloutChain, id_: str) -> Path:
    # An id with a slash or dots could name a file elsewhere.
    if not id_.replace("-", "").replace("_", "").isalnum():
        raise _NotJoined("it does not name the other file")
    found = _files_of_rollout(rollouts.folder, id_)
    if len(found) != 1:
        raise _NotJoined(
            f"its folder has {len(found) or 'no'} files named rollout-…-{id_}.jsonl"
        )
    if found[0].name in rollouts.names:
        raise _NotJoined(f"{found[0].name} continues itself")
    rollouts.names.append(found[0].name)
    return found[0]


def _is_meta(value: Json) -> bool:
    return nested(value, "type") == _META_TYPE and isinstance(
        value.get("payload"), dict
    )


ROLLBACK = "thread_rolled_back"
# Shell commands of the person are stored as user messages, but begin no turn.
_SHELL = "<user_shell_command>"


@dataclass(frozen=True, slots=True)
class CodexBranch:
    """A session as it was when turns of it were taken back. ``cut`` is the index of the first
    message of these; ``withdrawn`` are the bytes from which to which lines are not on this
    branch."""

    cut: int
    messages: tuple[Message, ...] = ()
    recorded: tuple[RecordedCompaction, ...] = ()
    usage: tuple[ReportedUsage, ...] = ()
    request_tokens: int = 0
    withdrawn: tuple[tuple[int, int], ...] = ()


def rollback_cut(messages: Sequence[Message], payload: Mapping[str, Json]) -> int:
    """Return the index of the first message that an event takes back; the number of messages if
    none."""
    turns = number_of(payload.get("num_turns")) or 0
    starts = [index for index, message in enumerate(messages) if _begins_turn(message)]
    if turns <= 0 or not starts:
        return len(messages)
    # More turns than there are take back everything.
    cut = starts[max(0, len(starts) - turns)]
    # Codex writes the context of a turn in front of its prompt; both are taken back.
    while cut > starts[0] and _is_context(messages[cut - 1]):
        cut -= 1
    return cut


def _begins_turn(message: Message) -> bool:
    """Return whether the person or another agent began a turn with a message."""
    if message.speaker is not Speaker.HUMAN or _is_summary(message):
        return False
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    # An image without words begins a turn, too.
    if not texts:
        return True
    by_harness = [is_harness_text(text) or text.startswith(_SHELL) for text in texts]
    return not all(by_harness)


def _is_context(message: Message) -> bool:
    """Return whether Codex wrote a message for the turn that follows it."""
    return message.speaker is Speaker.SYSTEM or (
        message.speaker is Speaker.HUMAN
        and not _begins_turn(message)
        and not _is_summary(message)
    )


def _is_summary(message: Message) -> bool:
    return bool(message.flags & MessageFlag.RECORDED_SUMMARY)


def listed_branches(
    branches: Sequence[CodexBranch], messages: Sequence[Message]
) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker: the history as it is, then what was taken back, in file
    order."""
    if not branches:
        return ()
    listed = [_listed(1, messages, branches[-1].cut)]
    for number, branch in enumerate(branches, 2):
        listed.append(_listed(number, branch.messages, branch.cut))
    return tuple(listed)


def _listed(number: int, messages: Sequence[Message], cut: int) -> ConversationBranch:
    turns = [one for one in messages if _begins_turn(one)]
    shown = next(
        (one for one in messages[cut:] if _begins_turn(one)),
        turns[-1] if turns else None,
    )
    if shown:
        title = first_words(joined_text(shown))
    else:
        title = ""
    if shown and shown.sources:
        line = shown.sources[0].line
    else:
        line = 0
    return ConversationBranch(number, title, len(messages), line)


def lines_elsewhere(branches: Sequence[CodexBranch], chosen: CodexBranch) -> set[int]:
    """Return the lines of messages and compactions that are not on the chosen branch."""
    if len(branches) == 1:
        return set()
    return {line for branch in branches for line in _lines(branch)} - {*_lines(chosen)}


def _lines(branch: CodexBranch) -> Iterator[int]:
    for message in branch.messages:
        for source in message.sources:
            yield source.line
    for compaction in branch.recorded:
        if compaction.source is not None:
            yield compaction.source.line


_LINE_TYPES = (
    *(
        "session_meta",
        "response_item",
        "turn_context",
        "event_msg",
        "compacted",
        "world_state",
    ),
    *(
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "security_risk_score",
    ),
    *("realtime_item", "token_usage_record"),
)
_TURN_STARTS = ("task_started", "turn_started")
_END_OF_FILE = 1 << 62
# Instructions are repeated at the start, if at all; a long session is not searched whole.
_SEARCHED_MESSAGES = 40  # messages to search for repeated instructions


@dataclass(slots=True, kw_only=True)
class _Sizes:
    """Tokens; ``context_tokens`` is None if not counted since the last compaction."""

    request_tokens: int = 0  # of the last request
    context_tokens: int | None = None
    limit: int = 0


@dataclass(slots=True, kw_only=True)
class _WithdrawnTurns:
    """Turns that were taken back, and where the last turn began."""

    # Of turns that were taken back.
    branches: list[CodexBranch] = field(default_factory=list)
    # Bytes of these, up to their events.
    withdrawn: list[tuple[int, int]] = field(default_factory=list)
    turn_start: int = 0  # byte of the event that began the last turn


@dataclass(slots=True, kw_only=True)
class _Session:
    """State of one pass over the lines. ``event_messages`` are used if there are no items;
    ``usage`` links reports to their answers."""

    file: OpenedDocument
    notes: ImportNotes = field(default_factory=ImportNotes)
    history: ResponseItemHistory = field(default_factory=ResponseItemHistory)
    system_items: ResponseItemHistory = field(default_factory=ResponseItemHistory)
    event_messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    earlier: EarlierMessages = field(default_factory=EarlierMessages)
    items_by_id: dict[str, ItemWithSource] | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)
    turn_context: Mapping[str, Json] = field(default_factory=dict)
    sizes: _Sizes = field(default_factory=_Sizes)
    usage: CodexUsageReports = field(default_factory=CodexUsageReports)
    turns: _WithdrawnTurns = field(default_factory=_WithdrawnTurns)
    item_count: int = 0
    has_payloads: bool = False

    @property
    def messages(self) -> list[Message]:
        """The messages so far; the last one may still grow
        (core.formats.openai_responses_items)."""
        return self.history.messages

    @property
    def system(self) -> list[Message]:
        return self.system_items.messages


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the share of lines that are such records, wrapped or bare."""
    if not file.objects:
        return 0.0, ""
    total = len(file.head)
    first = file.objects[0]
    wrapped_count = sum(map(_is_wrapped, file.objects))
    if wrapped_count:
        reason = (
            f"type and payload of Codex in {wrapped_count} of {plural(total, 'line')}"
        )
        # No other format begins this way.
        is_header = _is_wrapped(first) and first["type"] == "session_meta"
        if is_header and wrapped_count > 1:
            return 1.0, reason
        return wrapped_count / total, reason
    if file.container is DocumentContainer.OBJECT:
        return 0.0, ""
    # Old rollouts held bare items behind a header.
    states = sum(value.get("record_type") == "state" for value in file.objects)
    if not states and not _is_header(first):
        return 0.0, ""
    items = sum(bool(item_type(value)) for value in file.objects)
    known_count = states + items + _is_header(first)
    reason = f"bare items of Codex in {known_count} of {total} lines"
    return 0.96 * min(1.0, known_count / total), reason


def _is_wrapped(value: Mapping[str, Json]) -> bool:
    return value.get("type") in _LINE_TYPES and isinstance(value.get("payload"), dict)


def _is_header(value: Mapping[str, Json]) -> bool:
    """Return whether it is the first line of an old rollout: an id and a time, no type."""
    names = value.keys()
    has_own_field = not names.isdisjoint(("instructions", "git"))
    return (
        has_own_field
        and {"id", "timestamp"} <= names
        and names.isdisjoint(("type", "role"))
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the one conversation of a rollout. Raises InputError for another number."""
    check_number(file.document.name, request.conversation, 1)
    session = _Session(file=file)
    if has_history_base(file):
        session.file = file = with_history_base(file, session.notes)
    publisher = RowPublisher(request.on_messages)
    for record in object_records(file, session.notes, request.progress, request.stop):
        _read_line(session, record)
        if publisher.is_due:  # the last message may still grow
            publisher.show(session.messages, len(session.messages) - 1)
    check_branch(file.document.name, request.branch, 1 + len(session.turns.branches))
    return _conversation(session, request.branch)


def _read_line(session: _Session, record: JsonRecord) -> None:
    line = record.value
    payload = line.get("payload")
    kind = coerce_text(line.get("type"))
    if not isinstance(payload, dict) or kind not in _LINE_TYPES:
        _read_bare(session, record, kind)
        return
    session.has_payloads = True
    if kind == "response_item":
        _read_item(session, record, payload, coerce_text(line.get("timestamp")))
    elif kind == "compacted":
        _read_compacted(session, record)
    elif kind == "event_msg":
        _read_event(session, record, payload)
    else:
        _note_context(session, record, kind, payload)
        session.notes.skip(kind)


def _read_bare(session: _Session, record: JsonRecord, kind: str) -> None:
    line = record.value
    if _is_header(line):
        session.meta = session.meta or line
        session.notes.skip("session header")
    elif "record_type" in line:
        session.notes.skip(f"record_type: {coerce_text(line['record_type'])}")
    elif "payload" not in line and item_type(line):
        _read_item(session, record, line, coerce_text(line.get("timestamp")))
    else:
        if kind in _LINE_TYPES:
            session.notes.warn(
                record.line, "the payload is not an object; the line was skipped"
            )
        session.notes.skip(kind or "without a type")


def _read_item(
    session: _Session, record: JsonRecord, item: Json, timestamp: str
) -> None:
    kind = item_type(item)
    session.item_count += 1
    # Items and events tell the same; beside items the events are an echo.
    session.event_messages.clear()
    if kind in NEVER_SENT:
        session.notes.skip(f"response_item: {kind}")
        return
    parsed = read_item(item, session.notes, record.line)
    source = record.source()
    is_system_item = (
        parsed.speaker is Speaker.SYSTEM
        and not session.messages
        and not session.recorded
    )
    history = session.system_items if is_system_item else session.history
    history.add(parsed, source, timestamp)
    if parsed.speaker is Speaker.AI:
        session.usage.add_answer(len(session.messages) - 1)


def _read_compacted(session: _Session, record: JsonRecord) -> None:
    notes, messages = session.notes, session.messages
    session.history.close()

    def find_item(id_: str) -> ItemWithSource | None:
        if session.items_by_id is None:
            session.items_by_id = _items_by_id(session.file)
        return session.items_by_id.get(id_)

    compaction = read_compaction(
        record, messages, session.system, session.earlier, find_item, notes
    )
    # The line has no size of its own; the last count is that of the history that goes.
    session.recorded.append(
        replace(compaction, tokens_before=session.sizes.context_tokens)
    )
    session.sizes.context_tokens = None
    session.usage.add_compaction()


def _items_by_id(file: OpenedDocument) -> dict[str, ItemWithSource]:
    places: dict[str, ItemWithSource] = {}
    for record in iterate_records(file, ImportNotes(), no_progress, never_stop):
        if nested(record.value, "type") == "response_item":
            payload = record.value.get("payload")
            if id_ := string_of(nested(payload, "id")):
                places[id_] = (payload, record.source())
    return places


def _size_last_compaction(session: _Session, context_tokens: int) -> None:
    """Note the size after a compaction: the first that is reported before another message."""
    if not session.recorded:
        return
    last = session.recorded[-1]
    if last.tokens_after is None and last.boundary == len(session.messages):
        session.recorded[-1] = replace(last, tokens_after=context_tokens)


def _read_event(
    session: _Session, record: JsonRecord, payload: Mapping[str, Json]
) -> None:
    kind = coerce_text(payload.get("type"))
    session.notes.skip(f"event_msg: {kind}" if kind else "event_msg")
    session.sizes.limit = event_model_limit(payload) or session.sizes.limit
    if kind in _TURN_STARTS:
        session.turns.turn_start = record.start
    elif kind == ROLLBACK:
        _roll_back(session, record, payload)
    tokens = event_token_counts(payload)
    if tokens is not None:
        session.usage.add_report(
            payload, coerce_text(session.turn_context.get("model"))
        )
        session.sizes.request_tokens, session.sizes.context_tokens = tokens
        _size_last_compaction(session, tokens[1])
    if not session.item_count:
        message = event_message(payload, record.source())
        if message is not None:
            timestamp = coerce_text(record.value.get("timestamp"))
            session.event_messages.append(replace(message, timestamp=timestamp))


def _roll_back(
    session: _Session, record: JsonRecord, payload: Mapping[str, Json]
) -> None:
    """Take the newest turns back: what they hold goes on to a branch of its own."""
    session.history.close()
    messages = session.messages if session.item_count else session.event_messages
    cut = rollback_cut(messages, payload)
    if cut == len(messages):
        return
    ranges = tuple(session.turns.withdrawn)
    end = record.start - 1
    session.turns.branches.append(
        CodexBranch(
            cut,
            with_reported_reasoning(messages, session.usage.reasoning),
            tuple(session.recorded),
            tuple(session.usage.reports),
            session.sizes.request_tokens,
            (*ranges, (end, _END_OF_FILE)),
        )
    )
    if cut:
        last_end = messages[cut - 1].sources[-1].end
    else:
        last_end = 0
    first_start = messages[cut].sources[0].start
    # The event that began the turn is taken back, too, unless an older message follows it.
    if last_end <= session.turns.turn_start < first_start:
        start = session.turns.turn_start
    else:
        start = first_start
    session.turns.withdrawn.append((start, record.end))
    del messages[cut:]
    session.recorded = [one for one in session.recorded if one.boundary <= cut]
    # Indices of messages that were taken back must not be found again.
    session.earlier = EarlierMessages()
    session.usage.take_back(cut)
    reports = session.usage.reports
    session.sizes.request_tokens = reports[-1].context if reports else 0
    session.sizes.context_tokens = None


def _note_context(
    session: _Session, record: JsonRecord, kind: str, payload: Mapping[str, Json]
) -> None:
    if kind == "turn_context":
        # Probably later contexts leave empty what did not change.
        new_fields = {key: value for key, value in payload.items() if value}
        session.turn_context = {**session.turn_context, **new_fields}
    # Probably a fork repeats the session_meta of its origin behind its own.
    elif kind == "session_meta" and not session.meta:
        session.meta = payload


def _conversation(session: _Session, branch: int) -> Conversation:
    meta, context = session.meta, session.turn_context
    session.history.close()
    from_events = not session.item_count and bool(
        session.event_messages or session.turns.branches
    )
    if from_events:
        session.notes.warn(
            0, "the rollout has no items, only events; messages were read from those"
        )
    now = CodexBranch(
        0,
        tuple(session.event_messages)
        if from_events
        else with_reported_reasoning(session.messages, session.usage.reasoning),
        tuple(session.recorded),
        tuple(session.usage.reports),
        session.sizes.request_tokens,
        tuple(session.turns.withdrawn),
    )
    if branch == 1:
        chosen = now
    else:
        chosen = session.turns.branches[branch - 2]
    messages = chosen.messages
    tools = meta.get("dynamic_tools")
    others = lines_elsewhere((*session.turns.branches, now), chosen)
    if others and not from_events:
        session.notes.skip("other branch", len(others), line=min(others))
    return Conversation(
        format="codex_rollout",
        document=session.file.document,
        messages=link_calls(messages, session.notes),
        system=SystemPart(
            tuple(_instructions(session)),
            tuple(list_of(nested(tools, "tools") or tools)),
        ),
        recorded=without_repeated_items(item_compactions(messages), chosen.recorded),
        report=session.notes.report(),
        model=coerce_text(context.get("model")),
        cwd=coerce_text(meta.get("cwd")) or coerce_text(context.get("cwd")),
        session_id=coerce_text(meta.get("id")),
        reported_context=chosen.request_tokens or None,
        reported_limit=session.sizes.limit or None,
        usage=() if from_events else chosen.usage,
        branches=listed_branches(session.turns.branches, now.messages),
        branch=branch,
        layout={
            **session.file.layout,
            "wrapped": session.has_payloads,
            "events": from_events,
            "system": [
                [s.line, s.start, s.end]
                for message in session.system
                for s in message.sources
            ],
            **(
                {"withdrawn": [[*one] for one in chosen.withdrawn]}
                if chosen.withdrawn
                else {}
            ),
        },
    )


def _instructions(session: _Session) -> Iterable[str]:
    base = session.meta.get("base_instructions") or session.turn_context.get(
        "base_instructions"
    )
    # Older versions store the text itself, newer ones an object with the text.
    texts = [
        text for text in (base, nested(base, "text")) if isinstance(text, str) and text
    ]
    texts += [joined_text(message) for message in session.system]
    known_text = "\n".join(
        [*texts, *map(joined_text, session.messages[:_SEARCHED_MESSAGES])]
    )
    candidates = (
        session.meta.get("instructions"),
        session.turn_context.get("user_instructions"),
        session.turn_context.get("developer_instructions"),
    )
    for candidate in candidates:
        if (
            isinstance(candidate, str)
            and candidate.strip()
            and candidate.strip() not in known_text
        ):
            texts.append(candidate)
            known_text = f"{known_text}\n{candidate}"
    return texts


CODEX_ROLLOUT = Format(
    name="codex_rollout",
    label="Codex",
    about=(
        "Rollouts of the Codex CLI: JSONL with a type and a payload a line; older ones with "
        "bare items."
    ),
    score=score,
    read=read,
)
