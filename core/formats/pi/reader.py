"""Reader for Pi sessions (and those of its family): JSONL entries that form a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, nested, number_of, string_of, sum_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_branch, check_number, first_words
from core.formats.common.tool_linking import link_calls
from core.formats.common.usage_reports import UsageReports
from core.formats.pi.entries import (
    HEADER_TYPE,
    ROLES,
    PiNode,
    branch_ends,
    build_tree,
    is_message,
    path_to,
    pi_branches,
    read_entry,
)
from core.transcript.model import Conversation, Message, RecordedCompaction

_ENTRY_TYPES = (
    *("compaction", "branch_summary", "model_change", "thinking_level_change"),
    *("custom", "custom_message", "label", "session_info"),
)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the session line at the top, and by entries whose message has one of Pi's roles."""
    values = opened.objects
    if not values or (opened.container is DocumentContainer.OBJECT and not _is_session_header(values[0])):
        return 0.0, ""
    roles, types = [_role(value) for value in values], [value.get("type") for value in values]
    pi_messages = sum(kind == "message" and role in ROLES for kind, role in zip(types, roles, strict=True))
    reason = f"messages with Pi's roles in {pi_messages} of {len(values)} line{'s'[: len(values) > 1]}"
    if any(map(_is_session_header, values)):
        return 1.0, f"a session line at the top, {reason}"
    has_results = any(role in ROLES[2:] for role in roles)
    if not has_results and not any(v.get("type") in _ENTRY_TYPES and "parentId" in v for v in values):
        return 0.0, ""
    known = pi_messages + sum(kind in _ENTRY_TYPES for kind in types)
    return 0.85 * known / len(values), reason


def _is_session_header(value: Mapping[str, Json]) -> bool:
    return value.get("type") == HEADER_TYPE and "id" in value and ("cwd" in value or "version" in value)


def _role(value: Mapping[str, Json]) -> str:
    return string_of(nested(value, "message", "role"))


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the path to the newest entry, or another branch; InputError for an unknown number."""
    check_number(opened.document.name, request.conversation, 1)
    notes = ImportNotes()
    records = _read_records(opened, request, notes)
    nodes = build_tree(records, notes)
    leaves = branch_ends(nodes)
    check_branch(opened.document.name, request.branch, len(leaves))
    path = path_to(leaves[request.branch - 1]) if leaves else []
    count = sum(is_message(node.record.value) for node in nodes) - (path[-1].message_count if path else 0)
    if count:
        notes.skip("message of another branch", count)
    messages, recorded = _messages(path, notes)
    headers = (record.value for record in records if record.value.get("type") == HEADER_TYPE)
    header: Mapping[str, Json] = next(headers, {})
    model, context, reports = _model_context_and_usage(path, coerce_text(header.get("modelId")))
    return Conversation(
        "pi_agent",
        opened.document,
        link_calls(messages, notes),
        recorded=recorded,
        report=notes.report(),
        model=model,
        cwd=coerce_text(header.get("cwd")),
        session_id=coerce_text(header.get("id")),
        reported_context=context,
        usage=reports.reported_usage(messages),
        branches=pi_branches(leaves),
        branch=request.branch,
        title=_title(path),
        layout={"container": "array" if opened.container is DocumentContainer.ARRAY else "jsonl", "path": []},
    )


def _read_records(opened: OpenedDocument, request: ReadRequest, notes: ImportNotes) -> list[JsonRecord]:
    records: list[JsonRecord] = []
    for record in iterate_records(opened, notes, request.progress, request.stop):
        notes.records += 1
        if not isinstance(record.value, dict):
            notes.warn(record.line, "the line is JSON but not an object; it was skipped")
            notes.skip("not an object")
            continue
        records.append(record)
        if record.value.get("type") == HEADER_TYPE:
            notes.skip(HEADER_TYPE)
    return records


def _messages(
    path: Sequence[PiNode], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    for node in path:
        value, source = node.record.value, node.record.source()
        if is_message(value):
            messages.append(read_entry(value, source, notes))
        elif value.get("type") == "compaction":
            compaction = RecordedCompaction(
                "summary",
                len(messages),
                trigger="extension" if value.get("fromHook") is True else "",
                tokens_before=number_of(value.get("tokensBefore")),
                summary=(read_entry(value, source, notes),),
                kept=tuple(range(_first_kept(node, path, len(messages)), len(messages))),
                source=source,
            )
            recorded.append(compaction)
        else:
            kind = coerce_text(value.get("type"))
            notes.skip("shown only" if kind == "message" else kind, line=source.line)
    return messages, tuple(recorded)


def _first_kept(node: PiNode, path: Sequence[PiNode], position: int) -> int:
    """Return the first message that a compaction keeps, which it names by the id of its entry or by its
    index among all records."""
    value = node.record.value
    id_, index = coerce_text(value.get("firstKeptEntryId")), value.get("firstKeptEntryIndex")
    for earlier in path[: path.index(node)]:
        own_id = earlier.record.value.get("id")
        if (id_ and own_id == id_) or (not id_ and earlier.number == index):
            return earlier.message_count - is_message(earlier.record.value)
    return position


def _model_context_and_usage(path: Sequence[PiNode], model: str) -> tuple[str, int | None, UsageReports]:
    context, reports = None, UsageReports()
    for node in path:
        value = node.record.value
        if value.get("type") == "model_change":
            model = coerce_text(value.get("modelId")) or model
        elif _role(value) == "assistant":
            message = value["message"]
            model = coerce_text(message.get("model")) or model
            usage = fields_of(message.get("usage"))
            size = sum_of(*(usage.get(name) for name in ("input", "cacheRead", "cacheWrite")))
            context = size or context
            reports.add(node.record.source(), size, number_of(usage.get("output")), model)
    return model, context, reports


def _title(path: Sequence[PiNode]) -> str:
    infos = (node.record.value for node in reversed(path) if node.record.value.get("type") == "session_info")
    return next((first_words(coerce_text(info.get("name"))) for info in infos), "")


PI = Format(
    "pi_agent",
    "Pi",
    "Sessions of Pi and its family: JSONL entries with messages, as a line or a tree; no real file with"
    " branches or compactions was seen.",
    score,
    read,
)
