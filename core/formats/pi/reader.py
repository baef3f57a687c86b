"""Reader for Pi sessions (and those of its family): JSONL entries that form a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.conversation_list import check_number, first_words
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, number_of, sum_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports
from core.formats.pi.branches import PiNode, branch_ends, build_tree, path_to, pi_branches
from core.formats.pi.entries import ROLES, is_message, read_entry, summary_of
from core.transcript.model import Conversation, Message, RecordedCompaction, Source

_HEAD = "session"
_KINDS = (
    "compaction",
    "branch_summary",
    "model_change",
    "thinking_level_change",
    "custom",
    "custom_message",
    "label",
    "session_info",
)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the session line at the top, and by entries whose message has one of Pi's roles."""
    values = opened.objects
    if not values or (opened.container is DocumentContainer.OBJECT and not _is_head(values[0])):
        return 0.0, ""
    head = any(map(_is_head, values))
    own = sum(1 for value in values if value.get("type") == "message" and _role(value) in ROLES)
    known = own + sum(1 for value in values if _is_head(value) or value.get("type") in _KINDS)
    results = any(_role(value) in ROLES[2:] for value in values)
    entries = any(value.get("type") in _KINDS and "parentId" in value for value in values)
    if not head and not results and not entries:
        return 0.0, ""
    total = f"{len(values)} line{'' if len(values) == 1 else 's'}"
    why = f"messages with Pi's roles in {own} of {total}"
    if head:
        return 1.0, f"a session line at the top, {why}"
    return 0.85 * known / len(values), why


def _is_head(value: Mapping[str, Json]) -> bool:
    return value.get("type") == _HEAD and "id" in value and ("cwd" in value or "version" in value)


def _role(value: Mapping[str, Json]) -> Json:
    message = value.get("message")
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else None


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the path to the newest entry, or another branch; InputError for an unknown number."""
    check_number(opened.document.name, request.conversation, 1)
    notes = ImportNotes()
    head, nodes = _nodes(opened, request, notes)
    ends = branch_ends(nodes)
    if not 1 <= request.branch <= max(1, len(ends)):
        raise InputError(
            f"{opened.document.name} has {len(ends)} branch{'' if len(ends) == 1 else 'es'},"
            f" not {request.branch}.",
            f"Choose a number from 1 to {len(ends)}." if len(ends) > 1 else "Leave the branch out.",
        )
    path = path_to(ends[request.branch - 1]) if ends else []
    if others := _others(nodes, path):
        notes.skip("message of another branch", others)
    messages, recorded = _messages(path, notes)
    model, context, reports = _last_answer(path, text_of(head.get("modelId")))
    return Conversation(
        "pi_agent",
        opened.document,
        link_calls(messages, notes),
        recorded=recorded,
        report=notes.report(),
        model=model,
        cwd=text_of(head.get("cwd")),
        session_id=text_of(head.get("id")),
        reported_context=context,
        usage=reports.reported_usage(messages),
        branches=pi_branches(ends),
        branch=request.branch,
        title=_title(path),
        layout={"container": "array" if opened.container is DocumentContainer.ARRAY else "jsonl", "path": []},
    )


def _nodes(
    opened: OpenedDocument, request: ReadRequest, notes: ImportNotes
) -> tuple[Mapping[str, Json], list[PiNode]]:
    head: Mapping[str, Json] = {}
    entries: list[tuple[int, JsonRecord]] = []
    for number, record in enumerate(iterate_records(opened, notes, request.progress, request.stop)):
        notes.records += 1
        if not isinstance(record.value, dict):
            notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            notes.skip("not an object")
        elif record.value.get("type") == _HEAD:
            head = head or record.value
            notes.skip(_HEAD)
        else:
            entries.append((number, record))
    return head, build_tree(entries, notes)


def _others(nodes: Sequence[PiNode], path: Sequence[PiNode]) -> int:
    count = sum(is_message(node.record.value) for node in nodes)
    return count - (path[-1].messages if path else 0)


def _messages(
    path: Sequence[PiNode], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    for node in path:
        value, record = node.record.value, node.record
        source = Source(record.line, record.start, record.end)
        if is_message(value):
            messages.append(read_entry(value, source, notes))
        elif value.get("type") == "compaction":
            recorded.append(_recorded(node, path, len(messages), source))
        else:
            kind = text_of(value.get("type"))
            notes.skip("shown only" if kind == "message" else kind, line=record.line)
    return messages, tuple(recorded)


def _recorded(node: PiNode, path: Sequence[PiNode], position: int, source: Source) -> RecordedCompaction:
    """Return a compaction; messages from the first kept entry on stay, its index counts all records."""
    value = node.record.value
    return RecordedCompaction(
        "summary",
        position,
        trigger="extension" if value.get("fromHook") is True else "",
        tokens_before=number_of(value.get("tokensBefore")),
        summary=(summary_of(value, source),),
        kept=tuple(range(_first_kept(value, node, path, position), position)),
        source=source,
    )


def _first_kept(value: Mapping[str, Json], node: PiNode, path: Sequence[PiNode], position: int) -> int:
    id_, index = text_of(value.get("firstKeptEntryId")), value.get("firstKeptEntryIndex")
    for n in path:
        if n is node:
            break
        if (id_ and n.record.value.get("id") == id_) or (not id_ and n.number == index):
            return n.messages - is_message(n.record.value)
    return position


def _last_answer(path: Sequence[PiNode], model: str) -> tuple[str, int | None, UsageReports]:
    context, reports = None, UsageReports()
    for node in path:
        value = node.record.value
        if value.get("type") == "model_change":
            model = text_of(value.get("modelId")) or model
        elif _role(value) == "assistant":
            message = value["message"]
            model = text_of(message.get("model")) or model
            usage = fields_of(message.get("usage"))
            size = sum_of(*(usage.get(name) for name in ("input", "cacheRead", "cacheWrite")))
            record, context = node.record, size or context
            source = Source(record.line, record.start, record.end)
            reports.add(source, size, number_of(usage.get("output")), model)
    return model, context, reports


def _title(path: Sequence[PiNode]) -> str:
    infos = (node.record.value for node in reversed(path) if node.record.value.get("type") == "session_info")
    return next((first_words(text_of(info.get("name"))) for info in infos), "")


PI = Format(
    "pi_agent",
    "Pi",
    "Sessions of Pi and its family: JSONL entries with messages, as a line or a tree; no real file with"
    " branches or compactions was seen.",
    score,
    read,
)
