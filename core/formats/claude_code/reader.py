"""Reader for Claude Code sessions: JSONL lines with uuid and parentUuid, read in file order.

Each assistant ``message.id`` is one message, at its first line, with the blocks of all its lines; each user
line is one message, or two if it holds tool results and more. Sub-agents are conversations of their own:
``conversation=1`` is the main one, then the side chains of the file in file order, then the files of
sub-agents beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.anthropic.blocks import hour_cache, text_of
from core.formats.claude_code.branches import ClaudeBranches, check_links, find_branches, listed_branches
from core.formats.claude_code.compactions import (
    BOUNDARY,
    MICRO,
    ClaudeCompactionRecord,
    add_boundary,
    add_summary,
    recorded_compaction,
)
from core.formats.claude_code.messages import ClaudeMessageBuilder
from core.formats.claude_code.rows import ClaudeRow, read_row
from core.formats.claude_code.sub_agents import SubAgent, SubAgentIndex, sub_agent_files
from core.formats.claude_code.usage import ClaudeUsageReports, reported_input_tokens
from core.formats.common.conversation_list import check_number, first_words
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records, open_transcript
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.media import trim_images
from core.formats.common.row_streaming import RowPublisher
from core.formats.common.text_ranges import LONG, FileTextStore
from core.formats.common.tool_linking import link_calls
from core.transcript.model import Conversation, ListedConversation, RecordedCompaction

_MESSAGE_TYPES = ("user", "assistant")
_OWN_TYPES = (
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "attachment",
    "custom-title",
    "system",
)
_OWN_FIELDS = ("sessionId", "uuid", "leafUuid", "snapshot", "operation", "isSidechain")
_DROPPED = ("toolUseResult", "data", "snapshot")  # fields of a line; only ids are read from them
_BULKY = ("progress", "file-history-snapshot")  # records; only ids are read from them
_NO_MODEL = "<synthetic>"


@dataclass(slots=True)
class _Session:
    """State of one pass over the lines. ``lanes`` are the side chains met so far."""

    wanted: int
    notes: ImportNotes = field(default_factory=ImportNotes)
    rows: list[ClaudeRow] = field(default_factory=list)
    builder: ClaudeMessageBuilder = field(default_factory=ClaudeMessageBuilder)  # of all rows
    compactions: list[ClaudeCompactionRecord] = field(default_factory=list)
    parents: dict[str, str] = field(default_factory=dict)
    logical: set[str] = field(default_factory=set)  # uuids whose only parent is a ``logicalParentUuid``
    last: str = ""  # uuid
    repeated: list[tuple[int, str]] = field(default_factory=list)
    lanes: dict[str, int] = field(default_factory=dict)
    lane_of: dict[str, int] = field(default_factory=dict)
    agents: SubAgentIndex = field(default_factory=SubAgentIndex)
    main_rows: int = 0
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    hour_cache: bool = False
    reports: ClaudeUsageReports = field(default_factory=ClaudeUsageReports)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the share of values that are lines of such a session."""
    values = opened.objects
    if not values or (opened.container is DocumentContainer.OBJECT and "messages" in values[0]):
        return 0.0, ""
    linked = sum(1 for value in values if "uuid" in value and "parentUuid" in value)
    known = sum(1 for value in values if _is_line(value))
    unit = "line" if opened.container is DocumentContainer.LINES else "record"
    total = f"{len(values)} {unit}{'' if len(values) == 1 else 's'}"
    if linked:
        return known / len(values), f"uuid and parentUuid in {linked} of {total}"
    return 0.9 * known / len(values), f"user and assistant records with a message in {known} of {total}"


def _is_line(value: Mapping[str, Json]) -> bool:
    if value.get("type") in _MESSAGE_TYPES:
        message, own = value.get("message"), ("uuid", "sessionId", "isSidechain", "parentUuid")
        if not isinstance(message, dict):
            return "message" in value and any(name in value for name in own)
        return "content" in message or any(name in value for name in own)
    if "sessionId" in value and "uuid" in value:
        return True
    return value.get("type") in _OWN_TYPES and any(name in value for name in _OWN_FIELDS)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation of a session. Raises InputError if no conversation has that number."""
    session = _read_lines(opened, request, request.conversation)
    chains = session.agents.chains
    if not session.main_rows and session.lanes:
        # A sub-agent's own file: every line is a side chain, so those are numbered from 1.
        check_number(opened.document.name, request.conversation, len(chains))
        session = _read_lines(opened, request, request.conversation + 1)
        listed = [replace(chain, number=chain.number - 1) for chain in _chains(session.agents)]
        return _with_list(_conversation(opened, session, request), request.conversation, listed)
    files = sub_agent_files(opened.document.path, session.agents.known(), session.agents.named())
    listed = [ListedConversation(1, first_words(session.agents.task)), *_chains(session.agents)]
    listed += [session.agents.listed(len(listed) + number, chain) for number, chain in enumerate(files, 1)]
    check_number(opened.document.name, request.conversation, len(listed))
    place = request.conversation - len(chains) - 2
    if place >= 0:
        conversation = _from_file(files[place], request)
    else:
        conversation = _conversation(opened, session, request)
    return _with_list(conversation, request.conversation, listed)


def _chains(agents: SubAgentIndex) -> list[ListedConversation]:
    return [agents.listed(number, chain) for number, chain in sorted(agents.chains.items())]


def _from_file(chain: SubAgent, request: ReadRequest) -> Conversation:
    assert chain.path is not None
    return read(open_transcript(chain.path), replace(request, conversation=1))


def _with_list(conversation: Conversation, number: int, entries: list[ListedConversation]) -> Conversation:
    """Add the list of conversations of the file; the entry of the one just read gets its exact count."""
    if len(entries) < 2:
        return replace(conversation, number=number, siblings=1, listed=())
    entries[number - 1] = replace(entries[number - 1], messages=len(conversation.messages))
    return replace(conversation, number=number, siblings=len(entries), listed=tuple(entries))


def _read_lines(opened: OpenedDocument, request: ReadRequest, wanted: int) -> _Session:
    session = _Session(wanted)
    publisher = RowPublisher(request.on_messages)
    store = FileTextStore(opened.document)
    source = opened, session.notes, request.progress, request.stop
    for record in iterate_records(*source, partial(_shorten, store), least=store.least, kept=_kept):
        session.notes.records += 1
        if isinstance(record.value, dict):
            _read_line(session, record)
        else:
            session.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            session.notes.skip("not an object")
        if publisher.is_due:
            publisher.show(session.builder.fresh())
    return session


def _shorten(store: FileTextStore, line: Json, data: bytes, start: int) -> None:
    """Leave images and, in a large file, long results in the file."""
    trim_images(line, data, start, _DROPPED)
    if len(data) < LONG or not isinstance(line, dict) or not isinstance(message := line.get("message"), dict):
        return
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_result" and not block.get("is_error"):
            text = block.get("content")
            if isinstance(text, str):
                block["content"] = store.leave(text, data, start)


def _kept(line: Json) -> Iterable[Json]:
    """Return the parts of a line that the reader keeps: ids and the content of a message; other records
    except dropped fields."""
    if type(line) is not dict:
        return (line,)
    kind, message = line.get("type"), line.get("message")
    if kind in _MESSAGE_TYPES and type(message) is dict:
        ids = line.get("uuid"), line.get("parentUuid"), message.get("id"), line.get("timestamp")
        return (message.get("content"), *ids)
    return (line.get("uuid"), line.get("parentUuid")) if kind in _BULKY else (line,)


def _read_line(session: _Session, record: JsonRecord) -> None:
    line = record.value
    kind = line.get("type")
    if not isinstance(kind, str) or not kind:
        kind = text_of(kind) or "without a type"
    is_message = kind in _MESSAGE_TYPES
    is_summary = line.get("isCompactSummary") is True
    lane = 1
    if line.get("isSidechain") is True:
        lane = _lane(session, line)
        session.agents.add_side(lane, line)
    else:
        session.agents.add_main(line)
        if is_message and not is_summary:
            session.main_rows += 1
    if lane != session.wanted:
        session.notes.skip("side chain" if lane > 1 else "main conversation" if is_message else kind)
        return
    _remember_line(session, record)
    if not is_message:
        _read_other(session, record, kind)
        return
    row = read_row(record, session.notes)
    if is_summary:
        add_summary(session.compactions, row, len(session.rows))
    else:
        session.rows.append(row)
        session.builder.add(row)
        if not row.user:
            _remember_model(session, line, row.api_id)


def _read_other(session: _Session, record: JsonRecord, kind: str) -> None:
    """Read a line that is no message: a compaction, or one that is only counted."""
    subtype = record.value.get("subtype")
    if kind == "system" and subtype in (BOUNDARY, MICRO):
        add_boundary(session.compactions, record, len(session.rows))
        return
    if kind == "without a type":
        session.notes.warn(record.line, "the record has no type; it was skipped")
    session.notes.skip(f"{kind}: {subtype}" if isinstance(subtype, str) else kind)


def _lane(session: _Session, line: Mapping[str, Json]) -> int:
    """Return the conversation of a side chain's line, from 2 in file order."""
    uuid, parent = text_of(line.get("uuid")), text_of(line.get("parentUuid"))
    agent = text_of(line.get("agentId"))
    lane = session.lanes.get(agent) if agent else session.lane_of.get(parent)
    if lane is None:
        lane = len(session.lanes) + 2
        session.lanes[agent or f"chain {lane}"] = lane
    session.lane_of[uuid] = lane
    return lane


def _remember_line(session: _Session, record: JsonRecord) -> None:
    line, parents = record.value, session.parents
    uuid, parent = line.get("uuid"), line.get("parentUuid")
    if parent == session.last:
        line["parentUuid"] = parent = session.last  # share one string
    if isinstance(uuid, str) and uuid:
        if uuid in parents:
            session.repeated.append((record.line, uuid))
        else:
            if not parent and (parent := line.get("logicalParentUuid")):  # for a boundary
                session.logical.add(uuid)
            parents[uuid] = parent if isinstance(parent, str) else text_of(parent)
            session.last = uuid
    if not session.cwd or not session.session_id:
        session.cwd = session.cwd or text_of(line.get("cwd"))
        session.session_id = session.session_id or text_of(line.get("sessionId"))


def _remember_model(session: _Session, line: Mapping[str, Json], api_id: str) -> None:
    message = line.get("message")
    if not isinstance(message, dict):
        return
    model = message.get("model")
    if not isinstance(model, str) or model == _NO_MODEL or line.get("isApiErrorMessage") is True:
        return
    session.model = model or session.model
    usage = message.get("usage")
    if isinstance(usage, dict) and reported_input_tokens(usage) is not None:
        session.reports.add(len(session.rows) - 1, api_id, usage, model)
        session.hour_cache = hour_cache(usage, session.hour_cache)


def _conversation(opened: OpenedDocument, session: _Session, request: ReadRequest) -> Conversation:
    """Build the conversation. ``reported_context`` is the size of the last request (input, cache read and
    cache creation) without the answer."""
    check_links(session.parents, session.logical, session.repeated, session.notes)
    branches = find_branches(session.rows, session.parents)
    if not 1 <= request.branch <= len(branches.older) + 1:
        raise _no_branch(opened, request.branch, len(branches.older) + 1)
    builder = _branch_messages(session, branches, request.branch) if branches.older else session.builder
    array = opened.container is DocumentContainer.ARRAY
    return Conversation(
        "claude_code",
        opened.document,
        link_calls(builder.messages, session.notes),
        recorded=_recorded(session, branches, request.branch, builder),
        report=session.notes.report(),
        model=session.model,
        cwd=session.cwd,
        session_id=session.session_id,
        reported_context=reported_input_tokens(session.reports.last) or None,
        hour_cache=session.hour_cache,
        usage=session.reports.reported_usage(builder),
        branches=listed_branches(branches, session.rows),
        branch=request.branch,
        layout={"container": "array" if array else "jsonl", "path": []},
    )


def _no_branch(opened: OpenedDocument, number: int, count: int) -> InputError:
    has = f"has {count} branches" if count > 1 else "has no branches"
    hint = f"Choose a number from 1 to {count}." if count > 1 else "Leave the branch out."
    return InputError(f"{opened.document.name} {has}, so there is no branch {number}.", hint)


def _position(compaction: RecordedCompaction) -> int:
    return compaction.position


def _branch_messages(session: _Session, branches: ClaudeBranches, branch: int) -> ClaudeMessageBuilder:
    """Build the messages of one branch as if the file held nothing else."""
    until = branches.until(branch)
    builder = ClaudeMessageBuilder()
    for row in session.rows:
        if branches.holds(until, row.uuid, row.source.line):
            builder.add(row)
        else:
            session.notes.skip("other branch", line=row.source.line)
            builder.leave_out()
    return builder


def _recorded(
    session: _Session, branches: ClaudeBranches, branch: int, builder: ClaudeMessageBuilder
) -> tuple[RecordedCompaction, ...]:
    if not session.compactions:
        return ()
    until = branches.until(branch)
    places: dict[str, range] = {}
    for number, row in enumerate(session.rows):
        if place := builder.place(number):
            places.setdefault(row.uuid, place)
    befores = (*builder.before, len(builder.messages))
    recorded = [
        recorded_compaction(entry, befores[entry.at], places)
        for entry in session.compactions
        if branches.holds(until, *entry.place)
    ]
    return tuple(sorted(recorded, key=_position))


CLAUDE_CODE = Format(
    "claude_code",
    "Claude Code",
    "Session files of Claude Code: JSONL, one record a line, with uuid and parentUuid;"
    " no real file with cleared results or kept messages was seen.",
    score,
    read,
)
