"""Reader for Codex rollouts: lines of ``{timestamp, type, payload}``, and the older bare items.

Messages are the ``response_item`` lines, by the rules of ``core.formats.openai_responses.items``:
an answer of the model is one message, however many items it has. ``event_msg`` lines repeat them
for the screen and are no messages, unless a rollout has nothing else. Leading developer messages
are the system part, with the instructions of ``session_meta``; those of ``turn_context`` belong to
it only if no message repeats them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.codex.compactions import (
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
from core.formats.codex.history_base import has_history_base, with_history_base
from core.formats.codex.rollbacks import (
    ROLLBACK,
    CodexBranch,
    lines_elsewhere,
    listed_branches,
    rollback_cut,
)
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
    object_records,
)
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher, never_stop
from core.formats.common.json_access import coerce_text, list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_branch, check_number
from core.formats.common.messages import ImportNotes, link_calls
from core.formats.openai_responses.items import (
    ResponseItemHistory,
    item_compactions,
    item_type,
    read_item,
)
from core.transcript.model import (
    Conversation,
    Message,
    RecordedCompaction,
    Speaker,
    SystemPart,
    joined_text,
    no_progress,
)

_LINE_TYPES = (
    *("session_meta", "response_item", "turn_context", "event_msg", "compacted", "world_state"),
    *("inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score"),
    *("realtime_item", "token_usage_record"),
)
_SKIPPED_ITEM_TYPES = ("ghost_snapshot", "compaction_trigger")
_TURN_STARTS = ("task_started", "turn_started")
_END_OF_FILE = 1 << 62
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

    branches: list[CodexBranch] = field(default_factory=list)  # of turns that were taken back
    withdrawn: list[tuple[int, int]] = field(
        default_factory=list
    )  # bytes of these, up to their events
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
        (core.formats.openai_responses.items)."""
        return self.history.messages

    @property
    def system(self) -> list[Message]:
        return self.system_items.messages


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the share of lines that are such records, wrapped or bare."""
    total = len(file.head)
    wrapped_count = sum(1 for value in file.objects if _is_wrapped(value))
    if wrapped_count:
        reason = f"type and payload of Codex in {wrapped_count} of {plural(total, 'line')}"
        first = file.objects[0]
        if wrapped_count > 1 and _is_wrapped(first) and first["type"] == "session_meta":
            return 1.0, reason  # no other format begins this way
        return wrapped_count / total, reason
    if file.container is DocumentContainer.OBJECT or not file.objects:
        return 0.0, ""
    state_count = sum(1 for value in file.objects if value.get("record_type") == "state")
    item_count = sum(1 for value in file.objects if item_type(value))
    if state_count or _is_header(file.objects[0]):
        known_count = state_count + item_count + _is_header(file.objects[0])
        return 0.96 * min(
            1.0, known_count / total
        ), f"bare items of Codex in {known_count} of {total} lines"
    return 0.0, ""


def _is_wrapped(value: Mapping[str, Json]) -> bool:
    return value.get("type") in _LINE_TYPES and isinstance(value.get("payload"), dict)


def _is_header(value: Mapping[str, Json]) -> bool:
    """Return whether it is the first line of an old rollout: an id and a time, no type."""
    names = value.keys()
    has_own_field = not names.isdisjoint(("instructions", "git"))
    return has_own_field and {"id", "timestamp"} <= names and names.isdisjoint(("type", "role"))


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
            session.notes.warn(record.line, "the payload is not an object; the line was skipped")
        session.notes.skip(kind or "without a type")


def _read_item(session: _Session, record: JsonRecord, item: Json, timestamp: str) -> None:
    kind = item_type(item)
    session.item_count += 1
    session.event_messages.clear()
    if kind in _SKIPPED_ITEM_TYPES:
        session.notes.skip(f"response_item: {kind}")
        return
    parsed = read_item(item, session.notes, record.line)
    source = record.source()
    is_system_item = (
        parsed.speaker is Speaker.SYSTEM and not session.messages and not session.recorded
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
    session.recorded.append(replace(compaction, tokens_before=session.sizes.context_tokens))
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


def _read_event(session: _Session, record: JsonRecord, payload: Mapping[str, Json]) -> None:
    kind = coerce_text(payload.get("type"))
    session.notes.skip(f"event_msg: {kind}" if kind else "event_msg")
    session.sizes.limit = event_model_limit(payload) or session.sizes.limit
    if kind in _TURN_STARTS:
        session.turns.turn_start = record.start
    elif kind == ROLLBACK:
        _roll_back(session, record, payload)
    tokens = event_token_counts(payload)
    if tokens is not None:
        session.usage.add_report(payload, coerce_text(session.turn_context.get("model")))
        session.sizes.request_tokens, session.sizes.context_tokens = tokens
        last = session.recorded[-1] if session.recorded else None
        if (
            last is not None
            and last.tokens_after is None
            and last.boundary == len(session.messages)
        ):
            session.recorded[-1] = replace(last, tokens_after=tokens[1])
    if not session.item_count:
        message = event_message(payload, record.source())
        if message is not None:
            timestamp = coerce_text(record.value.get("timestamp"))
            session.event_messages.append(replace(message, timestamp=timestamp))


def _roll_back(session: _Session, record: JsonRecord, payload: Mapping[str, Json]) -> None:
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
    last_end = messages[cut - 1].sources[-1].end if cut else 0
    first_start = messages[cut].sources[0].start
    start = (
        session.turns.turn_start
        if last_end <= session.turns.turn_start < first_start
        else first_start
    )
    session.turns.withdrawn.append((start, record.end))
    del messages[cut:]
    session.recorded = [one for one in session.recorded if one.boundary <= cut]
    session.earlier = EarlierMessages()
    session.usage.take_back(cut)
    reports = session.usage.reports
    session.sizes.request_tokens, session.sizes.context_tokens = (
        (reports[-1].context if reports else 0),
        None,
    )


def _note_context(
    session: _Session, record: JsonRecord, kind: str, payload: Mapping[str, Json]
) -> None:
    if kind == "turn_context":
        new_fields = {key: value for key, value in payload.items() if value}
        session.turn_context = {**session.turn_context, **new_fields}
    elif kind == "session_meta" and not session.meta:
        session.meta = payload


def _conversation(session: _Session, branch: int) -> Conversation:
    meta, context = session.meta, session.turn_context
    session.history.close()
    from_events = not session.item_count and bool(session.event_messages or session.turns.branches)
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
    chosen = now if branch == 1 else session.turns.branches[branch - 2]
    messages, tools = chosen.messages, meta.get("dynamic_tools")
    others = lines_elsewhere((*session.turns.branches, now), chosen)
    if others and not from_events:
        session.notes.skip("other branch", len(others), line=min(others))
    return Conversation(
        format="codex_rollout",
        document=session.file.document,
        messages=link_calls(messages, session.notes),
        system=SystemPart(
            tuple(_instructions(session)), tuple(list_of(nested(tools, "tools") or tools))
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
                [s.line, s.start, s.end] for message in session.system for s in message.sources
            ],
            **({"withdrawn": [[*one] for one in chosen.withdrawn]} if chosen.withdrawn else {}),
        },
    )


def _instructions(session: _Session) -> Iterable[str]:
    base = session.meta.get("base_instructions") or session.turn_context.get("base_instructions")
    texts = [text for text in (base, nested(base, "text")) if isinstance(text, str) and text]
    texts += [joined_text(message) for message in session.system]
    known_text = "\n".join([*texts, *map(joined_text, session.messages[:_SEARCHED_MESSAGES])])
    candidates = (
        session.meta.get("instructions"),
        session.turn_context.get("user_instructions"),
        session.turn_context.get("developer_instructions"),
    )
    for candidate in candidates:
        if isinstance(candidate, str) and candidate.strip() and candidate.strip() not in known_text:
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
