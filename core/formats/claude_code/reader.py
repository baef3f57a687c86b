"""Reader for Claude Code sessions: JSONL lines with uuid and parentUuid, read in file order.

Each assistant ``message.id`` is one message, at its first line, with the blocks of all its lines; each user
line is one message, or two if it holds tool results and more. Sub-agents are conversations of their own:
``conversation=1`` is the main one, then the side chains of the file in file order, then the files of
sub-agents beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import writes_hour_cache
from core.formats.claude_code.branches import ClaudeBranches, check_links, find_branches, listed_branches
from core.formats.claude_code.compactions import (
    BOUNDARY,
    MICRO_BOUNDARY,
    ClaudeCompactionRecord,
    add_boundary,
    add_summary,
    recorded_compaction,
)
from core.formats.claude_code.messages import (
    ClaudeMessageBuilder,
    ClaudeRow,
    ClaudeUsageReports,
    read_row,
    reported_input_tokens,
)
from core.formats.claude_code.sub_agents import SubAgentIndex, sub_agent_files
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records, open_transcript
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, nested
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.media import trim_images
from core.formats.common.message_lists import check_branch, check_number, first_words
from core.formats.common.tool_linking import link_calls
from core.transcript.model import Conversation, ListedConversation, RecordedCompaction

_MESSAGE_TYPES = ("user", "assistant")
_RECORD_TYPES = (
    *("summary", "file-history-snapshot", "queue-operation", "progress"),
    *("attachment", "custom-title", "system"),
)
_RECORD_FIELDS = ("sessionId", "uuid", "leafUuid", "snapshot", "operation", "isSidechain")
_NO_MODEL = "<synthetic>"


@dataclass(slots=True)
class _Session:
    """State of one pass over the lines."""

    conversation_number: int
    notes: ImportNotes = field(default_factory=ImportNotes)
    rows: list[ClaudeRow] = field(default_factory=list)
    builder: ClaudeMessageBuilder = field(default_factory=ClaudeMessageBuilder)  # of all rows
    compactions: list[ClaudeCompactionRecord] = field(default_factory=list)
    parents: dict[str, str] = field(default_factory=dict)
    logical_children: set[str] = field(default_factory=set)  # uuids with only a ``logicalParentUuid``
    last_uuid: str = ""
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
    linked_count = sum(1 for value in values if "uuid" in value and "parentUuid" in value)
    known_count = sum(1 for value in values if _is_line(value))
    unit = "line" if opened.container is DocumentContainer.LINES else "record"
    total = f"{len(values)} {unit}{'' if len(values) == 1 else 's'}"
    if linked_count:
        return known_count / len(values), f"uuid and parentUuid in {linked_count} of {total}"
    return 0.9 * known_count / len(
        values
    ), f"user and assistant records with a message in {known_count} of {total}"


def _is_line(value: Mapping[str, Json]) -> bool:
    if value.get("type") in _MESSAGE_TYPES:
        message, own_fields = value.get("message"), ("uuid", "sessionId", "isSidechain", "parentUuid")
        if not isinstance(message, dict):
            return "message" in value and any(name in value for name in own_fields)
        return "content" in message or any(name in value for name in own_fields)
    if "sessionId" in value and "uuid" in value:
        return True
    return value.get("type") in _RECORD_TYPES and any(name in value for name in _RECORD_FIELDS)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation of a session. Raises InputError if no conversation has that number."""
    session = _read_lines(opened, request, request.conversation)
    chains = session.agents.chains
    if not session.main_rows and chains:
        # A sub-agent's own file: every line is a side chain, so those are numbered from 1.
        check_number(opened.document.name, request.conversation, len(chains))
        session = _read_lines(opened, request, request.conversation + 1)
        list_entries = [
            replace(chain, number=chain.number - 1) for chain in _side_chain_entries(session.agents)
        ]
        return _with_conversation_list(
            _conversation(opened, session, request), request.conversation, list_entries
        )
    files = sub_agent_files(
        opened.document.path, session.agents.agents_in_file(), session.agents.named_agents()
    )
    list_entries = [
        ListedConversation(1, first_words(session.agents.task)),
        *_side_chain_entries(session.agents),
    ]
    list_entries += [
        session.agents.list_entry(len(list_entries) + number, chain) for number, chain in enumerate(files, 1)
    ]
    check_number(opened.document.name, request.conversation, len(list_entries))
    file_index = request.conversation - len(chains) - 2
    path = files[file_index].path if file_index >= 0 else None
    if path is not None:
        conversation = read(open_transcript(path), replace(request, conversation=1))
    else:
        conversation = _conversation(opened, session, request)
    return _with_conversation_list(conversation, request.conversation, list_entries)


def _side_chain_entries(agents: SubAgentIndex) -> list[ListedConversation]:
    return [agents.list_entry(number, chain) for number, chain in sorted(agents.chains.items())]


def _with_conversation_list(
    conversation: Conversation, number: int, entries: list[ListedConversation]
) -> Conversation:
    """Add the list of conversations of the file; the entry of the one just read gets its exact count."""
    if len(entries) < 2:
        return replace(conversation, number=number, siblings=1, listed=())
    entries[number - 1] = replace(entries[number - 1], messages=len(conversation.messages))
    return replace(conversation, number=number, siblings=len(entries), listed=tuple(entries))


def _read_lines(opened: OpenedDocument, request: ReadRequest, conversation_number: int) -> _Session:
    session = _Session(conversation_number)
    publisher = RowPublisher(request.on_messages)
    record_source = opened, session.notes, request.progress, request.stop
    for record in iterate_records(*record_source, trim_images):
        session.notes.records += 1
        if isinstance(record.value, dict):
            _read_line(session, record)
        else:
            session.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            session.notes.skip("not an object")
        if publisher.is_due:
            publisher.show(session.builder.new_messages())
    return session


def _read_line(session: _Session, record: JsonRecord) -> None:
    line = record.value
    kind = line.get("type")
    if not isinstance(kind, str) or not kind:
        kind = coerce_text(kind) or "without a type"
    is_message = kind in _MESSAGE_TYPES
    is_summary = line.get("isCompactSummary") is True
    conversation_number = 1
    if line.get("isSidechain") is True:
        conversation_number = session.agents.add_side_chain_line(line)
    else:
        session.agents.add_main_line(line)
        if is_message and not is_summary:
            session.main_rows += 1
    if conversation_number != session.conversation_number:
        session.notes.skip(
            "side chain" if conversation_number > 1 else "main conversation" if is_message else kind
        )
        return
    _note_line(session, record)
    if not is_message:
        _read_other(session, record, kind)
        return
    row = read_row(record, session.notes)
    if is_summary:
        add_summary(session.compactions, row, len(session.rows))
    else:
        session.rows.append(row)
        session.builder.add(row)
        if not row.is_user:
            _note_model(session, line, row.api_id)


def _read_other(session: _Session, record: JsonRecord, kind: str) -> None:
    """Read a line that is no message: a compaction, or one that is only counted."""
    subtype = record.value.get("subtype")
    if kind == "system" and subtype in (BOUNDARY, MICRO_BOUNDARY):
        add_boundary(session.compactions, record, len(session.rows))
        return
    if kind == "without a type":
        session.notes.warn(record.line, "the record has no type; it was skipped")
    session.notes.skip(f"{kind}: {subtype}" if isinstance(subtype, str) else kind)


def _note_line(session: _Session, record: JsonRecord) -> None:
    line, parents = record.value, session.parents
    uuid, parent = line.get("uuid"), line.get("parentUuid")
    if parent == session.last_uuid:
        line["parentUuid"] = parent = session.last_uuid  # share one string
    if isinstance(uuid, str) and uuid:
        if uuid in parents:
            session.notes.warn(record.line, f"the uuid {uuid} is repeated; both lines were read")
        else:
            if not parent and (parent := line.get("logicalParentUuid")):  # for a boundary
                session.logical_children.add(uuid)
            parents[uuid] = parent if isinstance(parent, str) else coerce_text(parent)
            session.last_uuid = uuid
    if not session.cwd or not session.session_id:
        session.cwd = session.cwd or coerce_text(line.get("cwd"))
        session.session_id = session.session_id or coerce_text(line.get("sessionId"))


def _note_model(session: _Session, line: Mapping[str, Json], api_id: str) -> None:
    model, usage = nested(line, "message", "model"), nested(line, "message", "usage")
    if not isinstance(model, str) or model == _NO_MODEL or line.get("isApiErrorMessage") is True:
        return
    session.model = model or session.model
    if isinstance(usage, dict) and reported_input_tokens(usage) is not None:
        session.reports.add(len(session.rows) - 1, api_id, usage, model)
        session.hour_cache = writes_hour_cache(usage, session.hour_cache)


def _conversation(opened: OpenedDocument, session: _Session, request: ReadRequest) -> Conversation:
    """Build the conversation. ``reported_context`` is the size of the last request (input, cache read and
    cache creation) without the answer."""
    check_links(session.parents, session.logical_children, session.notes)
    branches = find_branches(session.rows, session.parents)
    check_branch(opened.document.name, request.branch, len(branches.older_prompts) + 1)
    builder = (
        _branch_messages(session, branches, request.branch) if branches.older_prompts else session.builder
    )
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
        reported_context=reported_input_tokens(session.reports.last_usage) or None,
        hour_cache=session.hour_cache,
        usage=session.reports.reported_usage(builder),
        branches=listed_branches(branches, session.rows),
        branch=request.branch,
        layout={"container": "array" if array else "jsonl", "path": []},
    )


def _branch_messages(session: _Session, branches: ClaudeBranches, branch: int) -> ClaudeMessageBuilder:
    """Build the messages of one branch as if the file held nothing else."""
    end_lines = branches.end_lines(branch)
    builder = ClaudeMessageBuilder()
    for row in session.rows:
        if branches.contains(end_lines, row.uuid, row.source.line):
            builder.add(row)
        else:
            session.notes.skip("other branch", line=row.source.line)
            builder.skip_row()
    return builder


def _recorded(
    session: _Session, branches: ClaudeBranches, branch: int, builder: ClaudeMessageBuilder
) -> tuple[RecordedCompaction, ...]:
    if not session.compactions:
        return ()
    end_lines = branches.end_lines(branch)
    ranges_by_uuid: dict[str, range] = {}
    for row_number, row in enumerate(session.rows):
        if message_range := builder.message_range(row_number):
            ranges_by_uuid.setdefault(row.uuid, message_range)
    messages_before = (*builder.messages_before, len(builder.messages))
    recorded = [
        recorded_compaction(entry, messages_before[entry.rows_before], ranges_by_uuid)
        for entry in session.compactions
        if branches.contains(end_lines, *entry.uuid_and_line)
    ]
    return tuple(sorted(recorded, key=lambda compaction: compaction.position))


CLAUDE_CODE = Format(
    "claude_code",
    "Claude Code",
    "Session files of Claude Code: JSONL, one record a line, with uuid and parentUuid;"
    " no real file with cleared results or kept messages was seen.",
    score,
    read,
)
