"""Reader for Claude Code sessions: JSONL lines with uuid and parentUuid, read in file order.

Each assistant ``message.id`` is one message, at its first line, with the blocks of all its lines;
each user line is one message, or two where it holds tool results and more. Sub-agents are
conversations of their own: ``conversation=1`` is the main one, side chains of the file follow in
file order, then the files of sub-agents beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from core.conversation import Conversation, Json, Listed, Message, RecordedCompaction
from core.errors import InputError
from core.formats.anthropic_blocks import text_of
from core.formats.base import Format, Request, Score
from core.formats.claude_agents import Agents, Chain, beside
from core.formats.claude_compactions import BOUNDARY, MICRO, Found, add_boundary, add_summary, recorded
from core.formats.claude_messages import finished, joined, row_messages
from core.formats.claude_rows import Row, read_row
from core.formats.claude_tree import Ways, branches, check_links, find_ways
from core.formats.linking import link
from core.formats.listing import check_number, first_words
from core.formats.notes import Notes
from core.formats.opened import Container, Opened, open_transcript, records
from core.formats.shelf import LONG, Shelf
from core.formats.showing import Showing
from core.formats.trimmed import trim
from core.formats.whole import Record

_TALK = ("user", "assistant")
_OWN_TYPES = (
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "attachment",
    "custom-title",
    "system",
)
_DROPPED = ("toolUseResult", "data", "snapshot")  # of a line: only ids are taken from them
_NO_MODEL = "<synthetic>"


@dataclass(slots=True)
class _Session:
    """What one pass over the lines gathers. ``lanes`` are the side chains met so far."""

    wanted: int
    notes: Notes = field(default_factory=Notes)
    rows: list[Row] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    parents: dict[str, str] = field(default_factory=dict)
    last: str = ""  # uuid
    repeated: list[tuple[int, str]] = field(default_factory=list)
    lanes: dict[str, int] = field(default_factory=dict)
    lane_of: dict[str, int] = field(default_factory=dict)
    agents: Agents = field(default_factory=Agents)
    main_rows: int = 0
    model: str = ""
    cwd: str = ""
    session_id: str = ""
    context: int | None = None


def score(opened: Opened) -> Score:
    """Judge by the share of values that are lines of such a session."""
    values = opened.objects
    if not values or (opened.container is Container.OBJECT and "messages" in values[0]):
        return 0.0, ""
    linked = sum(1 for value in values if "uuid" in value and "parentUuid" in value)
    known = sum(1 for value in values if _is_line(value))
    unit = "line" if opened.container is Container.LINES else "record"
    total = f"{len(values)} {unit}{'' if len(values) == 1 else 's'}"
    if linked:
        return 0.5 + 0.5 * known / len(values), f"uuid and parentUuid in {linked} of {total}"
    return 0.9 * known / len(values), f"user and assistant records with a message in {known} of {total}"


def _is_line(value: Mapping[str, Json]) -> bool:
    if value.get("type") in _TALK:
        own = ("uuid", "sessionId", "isSidechain", "parentUuid")
        return "message" in value and any(name in value for name in own)
    if "sessionId" in value and "uuid" in value:
        return True
    return value.get("type") in _OWN_TYPES and "payload" not in value and "data" not in value


def read(opened: Opened, request: Request) -> Conversation:
    """Read one conversation of a session. Raises InputError where there is none of that number."""
    session = _read_lines(opened, request, request.conversation)
    chains = session.agents.chains
    if not session.main_rows and session.lanes:
        # A sub-agent's own file: every line is a side chain, so those are numbered from 1.
        check_number(opened.document.name, request.conversation, len(chains))
        session = _read_lines(opened, request, request.conversation + 1)
        found = [replace(one, number=one.number - 1) for one in _chains(session.agents)]
        return _with_list(_conversation(opened, session, request), request.conversation, found)
    files = beside(opened.document.path, session.agents.known(), session.agents.named())
    found = [Listed(1, first_words(session.agents.task)), *_chains(session.agents)]
    found += [session.agents.listed(len(found) + number, one) for number, one in enumerate(files, 1)]
    check_number(opened.document.name, request.conversation, len(found))
    place = request.conversation - len(chains) - 2
    if place >= 0:
        conversation = _from_file(files[place], request)
    else:
        conversation = _conversation(opened, session, request)
    return _with_list(conversation, request.conversation, found)


def _chains(agents: Agents) -> list[Listed]:
    return [agents.listed(number, chain) for number, chain in sorted(agents.chains.items())]


def _from_file(chain: Chain, request: Request) -> Conversation:
    """The conversation of a sub-agent that has a file of its own."""
    assert chain.path is not None
    return read(open_transcript(chain.path), replace(request, conversation=1))


def _with_list(conversation: Conversation, number: int, found: list[Listed]) -> Conversation:
    """The conversation among those of its file; the one that was read is counted by what it is."""
    if len(found) < 2:
        return replace(conversation, number=number, siblings=1, listed=())
    found[number - 1] = replace(found[number - 1], messages=len(conversation.messages))
    return replace(conversation, number=number, siblings=len(found), listed=tuple(found))


def _read_lines(opened: Opened, request: Request, wanted: int) -> _Session:
    session = _Session(wanted)
    showing, shown = Showing(request.seen), 0
    shorten = partial(_shorten, Shelf(opened.document))
    for record in records(opened, session.notes, request.progress, request.stop, shorten):
        session.notes.records += 1
        if isinstance(record.value, dict):
            _read_line(session, record)
        else:
            session.notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            session.notes.skip("not an object")
        if showing.is_due:
            messages, shown = finished(session.rows, shown)
            showing.show(messages)
    return session


def _shorten(shelf: Shelf, line: Json, data: bytes, start: int) -> None:
    """Leave images and, of a large file, long results where they are."""
    trim(line, data, start, _DROPPED)
    if len(data) < LONG or not isinstance(line, dict) or not isinstance(message := line.get("message"), dict):
        return
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_result" and not block.get("is_error"):
            text = block.get("content")
            if isinstance(text, str):
                block["content"] = shelf.leave(text, data, start)


def _read_line(session: _Session, record: Record) -> None:
    line = record.value
    lane = _lane(session, line)
    if lane == 1:
        session.agents.add_main(line)
    else:
        session.agents.add_side(lane, line)
    kind = text_of(line.get("type")) or "without a type"
    if kind in _TALK and lane == 1 and line.get("isCompactSummary") is not True:
        session.main_rows += 1
    if lane != session.wanted:
        session.notes.skip("side chain" if lane > 1 else "main conversation" if kind in _TALK else kind)
        return
    _remember(session, record)
    subtype = line.get("subtype")
    if kind in _TALK:
        row = read_row(record, session.notes)
        if line.get("isCompactSummary") is True:
            add_summary(session.found, row, len(session.rows))
        else:
            session.rows.append(row)
            _remember_model(session, line)
    elif kind == "system" and subtype in (BOUNDARY, MICRO):
        add_boundary(session.found, record, len(session.rows))
    else:
        if kind == "without a type":
            session.notes.warn(record.line, "the record has no type; it was skipped")
        session.notes.skip(f"{kind}: {subtype}" if isinstance(subtype, str) else kind)


def _lane(session: _Session, line: Mapping[str, Json]) -> int:
    """Which conversation a line belongs to: 1 the main one, side chains from 2 in file order."""
    if line.get("isSidechain") is not True:
        return 1
    uuid, parent = text_of(line.get("uuid")), text_of(line.get("parentUuid"))
    agent = text_of(line.get("agentId"))
    lane = session.lanes.get(agent) if agent else session.lane_of.get(parent)
    if lane is None:
        lane = len(session.lanes) + 2
        session.lanes[agent or f"chain {lane}"] = lane
    session.lane_of[uuid] = lane
    return lane


def _remember(session: _Session, record: Record) -> None:
    line = record.value
    uuid = line.get("uuid")
    if line.get("parentUuid") == session.last:
        line["parentUuid"] = session.last  # one text for both
    if isinstance(uuid, str) and uuid:
        if uuid in session.parents:
            session.repeated.append((record.line, uuid))
        else:
            # a boundary has no parent, but it follows one
            session.parents[uuid] = text_of(line.get("parentUuid") or line.get("logicalParentUuid"))
            session.last = uuid
    session.cwd = session.cwd or text_of(line.get("cwd"))
    session.session_id = session.session_id or text_of(line.get("sessionId"))


def _remember_model(session: _Session, line: Mapping[str, Json]) -> None:
    message = line.get("message")
    if line.get("type") != "assistant" or not isinstance(message, dict):
        return
    model = message.get("model")
    if not isinstance(model, str) or model == _NO_MODEL or line.get("isApiErrorMessage") is True:
        return
    session.model = model or session.model
    usage = message.get("usage")
    if isinstance(usage, dict):
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        parts = [usage.get(name) for name in names]
        numbers = [part for part in parts if isinstance(part, int)]
        session.context = sum(numbers) if numbers else session.context


def _conversation(opened: Opened, session: _Session, request: Request) -> Conversation:
    """``reported_context`` is the size of the last request (input, cache read and cache creation);
    the answer to it is not in it."""
    check_links(session.parents, session.repeated, session.notes)
    ways = find_ways(session.rows, session.parents)
    if not 1 <= request.branch <= len(ways.older) + 1:
        raise _no_branch(opened, request.branch, len(ways.older) + 1)
    until = ways.until(request.branch)
    messages, places, counts = _messages(session, ways, until)
    compactions = tuple(
        recorded(entry, counts[entry.at], places)
        for entry in session.found
        if ways.holds(until, *entry.place)
    )
    array = opened.container is Container.ARRAY
    return Conversation(
        "claude_code",
        opened.document,
        link(messages, session.notes),
        recorded=_ordered(compactions),
        report=session.notes.report(),
        model=session.model,
        cwd=session.cwd,
        session_id=session.session_id,
        reported_context=session.context,
        branches=branches(ways, session.rows),
        branch=request.branch,
        layout={"container": "array" if array else "jsonl", "path": []},
    )


def _no_branch(opened: Opened, number: int, count: int) -> InputError:
    has = f"has {count} branches" if count > 1 else "has no branches"
    hint = f"Choose a number from 1 to {count}." if count > 1 else "Leave the branch out."
    return InputError(f"{opened.document.name} {has}, so there is no branch {number}.", hint)


def _ordered(compactions: tuple[RecordedCompaction, ...]) -> tuple[RecordedCompaction, ...]:
    return tuple(sorted(compactions, key=_position))


def _position(compaction: RecordedCompaction) -> int:
    return compaction.position


def _messages(
    session: _Session, ways: Ways, until: Mapping[str, int]
) -> tuple[list[Message], dict[str, range], list[int]]:
    """Messages of one way; where each uuid went; how many lie before each row."""
    messages: list[Message] = []
    places: dict[str, range] = {}
    by_api_id: dict[str, int] = {}
    counts: list[int] = []
    asked = bool(session.found)  # only recorded compactions want to know where a line went
    for row in session.rows:
        counts.append(len(messages))
        if ways.older and not ways.holds(until, row.uuid, row.source.line):
            session.notes.skip("other branch")
            continue
        known = by_api_id.get(row.api_id) if row.api_id else None
        if known is not None:
            messages[known] = joined(messages[known], row)
            if asked:
                places.setdefault(row.uuid, range(known, known + 1))
            continue
        if row.api_id:
            by_api_id[row.api_id] = len(messages)
        own = row_messages(row)
        if asked:
            places.setdefault(row.uuid, range(len(messages), len(messages) + len(own)))
        messages.extend(own)
    counts.append(len(messages))
    return messages, places, counts


CLAUDE_CODE = Format(
    "claude_code",
    "Claude Code",
    "Session files of Claude Code: JSONL, one record a line, with uuid and parentUuid;"
    " no real file with cleared results or kept messages was seen.",
    score,
    read,
)
