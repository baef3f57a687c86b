"""Reader for Pi sessions (and those of its family): JSONL entries that form a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import MISSING, Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    object_records,
)
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    nested,
    number_of,
    string_of,
    sum_of,
)
from core.formats.common.message_lists import check_branch, check_number, first_words
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    record_messages,
    reported_cache,
    shaped_block,
)
from core.formats.common.session_log import SessionLog
from core.transcript.model import (
    Block,
    Conversation,
    ConversationBranch,
    LostParent,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

ROLES = (
    *("user", "assistant", "toolResult", "bashExecution"),
    *("custom", "hookMessage", "branchSummary", "compactionSummary"),
)
"""Roles of Pi's messages; ``hookMessage`` is the older name of ``custom``."""


_API_SIGNATURES = {"anthropic-messages": "signature", "google": "thoughtSignature"}
"""By start of an API's name, its field for the signature of a thought."""


def is_message(value: Mapping[str, Json]) -> bool:
    """Return whether the model gets the entry: not for settings, labels or entries only shown."""
    kind = value.get("type")
    if kind == "message":
        # A command behind two exclamation marks is shown to the person and never sent.
        return fields_of(value.get("message")).get("excludeFromContext") is not True
    return kind == "custom_message" or (
        kind == "branch_summary" and bool(value.get("summary"))
    )


def prompt_text(value: Mapping[str, Json]) -> str:
    message = fields_of(value.get("message"))
    if value.get("type") != "message" or message.get("role") != "user":
        return ""
    return " ".join(
        block.text
        for block in _content(message, ImportNotes(), 0)
        if isinstance(block, Text)
    )


def read_entry(
    value: Mapping[str, Json], source: Source, notes: ImportNotes
) -> Message:
    """Return the message of an entry for which ``is_message`` is true, or of a compaction; never
    raises."""
    message = value
    role = coerce_text(value.get("type"))
    if role == "message":
        message = fields_of(value.get("message"))
        role = coerce_text(message.get("role"))
    speaker, blocks, flags = _role_content(role, message, notes, source.line)
    id_ = coerce_text(value.get("id"))
    time = coerce_text(value.get("timestamp"))
    return record_messages(source, [(speaker, blocks)], flags, id_, time)[0]


def _answer(
    message: Mapping[str, Json], blocks: Sequence[Block]
) -> tuple[Sequence[Block], MessageFlag]:
    """Mark an answer that ended in a provider's error: it is not sent again, unless it calls
    tools."""
    error = string_of(message.get("errorMessage"))
    if error and not blocks:
        return (Text(error),), MessageFlag.API_ERROR
    has_calls = any(isinstance(block, ToolCall) for block in blocks)
    if message.get("stopReason") == "error" and not has_calls:
        return blocks, MessageFlag.API_ERROR
    return blocks, MessageFlag.NONE


def _role_content(
    role: str, message: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[Speaker, Sequence[Block], MessageFlag]:
    summary = (Text(coerce_text(message.get("summary"))),)
    match role:
        case "bashExecution":
            return Speaker.HUMAN, (_bash(message),), MessageFlag.COMMAND
        case "branchSummary" | "branch_summary":
            return Speaker.HUMAN, summary, MessageFlag.META
        case "compactionSummary" | "compaction":
            return Speaker.HUMAN, summary, MessageFlag.RECORDED_SUMMARY
    blocks = _content(message, notes, line, role)
    match role:
        case "user":
            return Speaker.HUMAN, blocks, MessageFlag.NONE
        case "assistant":
            return Speaker.AI, *_answer(message, blocks)
        case "toolResult":
            return Speaker.TOOL, _tool_result(message, blocks), MessageFlag.NONE
        case "custom" | "hookMessage" | "custom_message":
            return Speaker.HUMAN, blocks, MessageFlag.META
    notes.warn(line, f"the role {role[:40]!r} is not known; kept as unknown")
    return Speaker.UNKNOWN, blocks, MessageFlag.NONE


def _tool_result(
    message: Mapping[str, Json], blocks: Sequence[Block]
) -> Sequence[Block]:
    texts = [block.text for block in blocks if isinstance(block, Text)]
    other_blocks = [block for block in blocks if not isinstance(block, Text)]
    result: Json = (
        "".join(texts)
        if len(texts) < 2
        else [{"type": "text", "text": text} for text in texts]
    )
    error = "\n".join(texts) if message.get("isError") is True else MISSING
    id_ = coerce_text(message.get("toolCallId"))
    name = coerce_text(message.get("toolName"))
    return [ToolResponse(id_, name, result, error), *other_blocks]


def _bash(message: Mapping[str, Json]) -> Text:
    """Read a command of the user with its output, worded as for the model."""
    output = coerce_text(message.get("output"))
    code = message.get("exitCode")
    if output:
        shown = f"```\n{output}\n```"
    else:
        shown = "(no output)"
    if isinstance(code, int) and code:
        end = f"\n\nCommand exited with code {code}"
    else:
        end = ""
    if message.get("cancelled") is True:
        end = "\n\n(command cancelled)"
    return Text(f"Ran `{coerce_text(message.get('command'))}`\n{shown}{end}")


def _content(
    message: Mapping[str, Json], notes: ImportNotes, line: int, role: str = ""
) -> Sequence[Block]:
    content = message.get("content")
    api = coerce_text(message.get("api")) if role == "assistant" else ""
    signature = next(
        (name for start, name in _API_SIGNATURES.items() if api.startswith(start)), ""
    )
    if isinstance(content, str):
        if content:
            return (Text(content),)
        return ()
    if isinstance(content, list):
        return tuple(_block(block, notes, line, signature) for block in content)
    if content is not None or not message:
        notes.warn(line, "the message has no readable content; kept as it is")
        return (Opaque("content", content),)
    return ()


_BLOCKS: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "thinking": BlockShape(Thinking, ("thinking",), required=("thinking",)),
    "toolCall": BlockShape(ToolCall, ("id", "name"), ("arguments",), default={}),
    "image": BlockShape(Media, ("mimeType", "data"), required=("data",)),
}


def _block(block: Json, notes: ImportNotes, line: int, signature: str) -> Block:
    """Read a content block; Pi's field for signatures is renamed to ``signature``, that of the API
    that signed, which needs it again."""
    if not isinstance(block, dict):
        notes.warn(line, "a content block is not an object; kept as it is")
    read = shaped_block(block, _BLOCKS)
    if not (
        isinstance(read, Thinking) and signature and "thinkingSignature" in read.extra
    ):
        return read
    extra = {
        signature if key == "thinkingSignature" else key: item
        for key, item in read.extra.items()
    }
    return Thinking(read.text, extra)


HEADER_TYPE = "session"
"""The type of the first line."""


@dataclass(slots=True, eq=False)
class PiNode:
    """One entry. ``message_count`` counts those from the root to it, ``number`` is its place among
    all records of the file, header included, from 0."""

    record: JsonRecord
    number: int
    parent: PiNode | None
    message_count: int
    child_count: int = 0
    is_lost: bool = False  # its parent is not before it


def _parent(
    value: Mapping[str, Json], before: PiNode | None, by_id: Mapping[str, PiNode]
) -> tuple[PiNode | None, bool]:
    """Return the parent of an entry, and whether the one that it names is lost."""
    if "parentId" not in value:
        return before, False
    parent_id = coerce_text(value["parentId"])
    if parent_id in by_id or not parent_id:
        return by_id.get(parent_id), False
    return before, before is not None


def build_tree(records: Iterable[JsonRecord], notes: ImportNotes) -> list[PiNode]:
    """Return the nodes of a file's objects in file order. An entry without a parent field continues
    the entry before it (files of the first version have no ids); a parent that is not before it is
    noted."""
    nodes: list[PiNode] = []
    by_id: dict[str, PiNode] = {}
    for number, record in enumerate(records):
        value = record.value
        if value.get("type") == HEADER_TYPE:
            continue
        before = nodes[-1] if nodes else None
        parent, is_lost = _parent(value, before, by_id)
        if is_lost:
            lost = coerce_text(value["parentId"])
            notes.repair(
                record.line, f"parent {lost} is not before it; the entry before is used"
            )
        count = (parent.message_count if parent else 0) + is_message(value)
        node = PiNode(record, number, parent, count, is_lost=is_lost)
        if parent is not None:
            parent.child_count += 1
        nodes.append(node)
        if id_ := coerce_text(value.get("id")):
            if id_ in by_id:
                notes.warn(
                    record.line,
                    f"the id {id_} comes again; what follows belongs to the later entry",
                )
            by_id[id_] = node
    return nodes


def path_to(leaf: PiNode) -> list[PiNode]:
    path: list[PiNode] = []
    node: PiNode | None = leaf
    while node is not None:
        path.append(node)
        node = node.parent
    return path[::-1]


def branch_ends(nodes: Sequence[PiNode]) -> list[PiNode]:
    """Return the last nodes of the branches that have messages or a compaction of their own: the
    newest, which the agent would continue, then the others in file order."""
    leaves = [
        n
        for n in nodes
        if not n.child_count and any(map(_has_content, _nodes_after_fork(n)))
    ]
    return [*leaves[-1:], *leaves[:-1]] or [*nodes[-1:]]


def _has_content(node: PiNode) -> bool:
    return (
        is_message(node.record.value) or node.record.value.get("type") == "compaction"
    )


def pi_branches(ends: Sequence[PiNode]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker; none if there is only one."""
    branches: list[ConversationBranch] = []
    for number, leaf in enumerate(ends, 1):
        nodes = _nodes_after_fork(leaf)
        starts = (first_words(prompt_text(node.record.value)) for node in nodes)
        title = next(filter(None, starts), "")
        branches.append(
            ConversationBranch(number, title, leaf.message_count, nodes[0].record.line)
        )
    if len(branches) > 1:
        return tuple(branches)
    return ()


def _nodes_after_fork(leaf: PiNode) -> list[PiNode]:
    nodes = [leaf]
    while (parent := nodes[-1].parent) is not None and parent.child_count < 2:
        nodes.append(parent)
    return nodes[::-1]


_ENTRY_TYPES = (
    *("compaction", "branch_summary", "model_change", "thinking_level_change"),
    *("custom", "custom_message", "label", "session_info"),
)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the session line at the top, and by entries whose message has one of Pi's roles."""
    values = file.objects
    if not values:
        return 0.0, ""
    is_lone_object = file.container is DocumentContainer.OBJECT
    if is_lone_object and not _is_session_header(values[0]):
        return 0.0, ""
    roles = [_role(value) for value in values]
    types = [value.get("type") for value in values]
    pi_messages = sum(
        kind == "message" and role in ROLES
        for kind, role in zip(types, roles, strict=True)
    )
    lines = "line" if len(values) == 1 else "lines"
    reason = f"messages with Pi's roles in {pi_messages} of {len(values)} {lines}"
    if any(map(_is_session_header, values)):
        return 1.0, f"a session line at the top, {reason}"
    # User and assistant alone are roles of many formats.
    has_results = any(role in ROLES[2:] for role in roles)
    if not has_results and not any(map(_is_linked_entry, values)):
        return 0.0, ""
    known = pi_messages + sum(kind in _ENTRY_TYPES for kind in types)
    return 0.85 * known / len(values), reason


def _is_linked_entry(value: Mapping[str, Json]) -> bool:
    return value.get("type") in _ENTRY_TYPES and "parentId" in value


def _is_session_header(value: Mapping[str, Json]) -> bool:
    return (
        value.get("type") == HEADER_TYPE
        and "id" in value
        and ("cwd" in value or "version" in value)
    )


def _role(value: Mapping[str, Json]) -> str:
    return string_of(nested(value, "message", "role"))


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the path to the newest entry, or another branch; InputError for an unknown number."""
    check_number(file.document.name, request.conversation, 1)
    notes = ImportNotes()
    records = _read_records(file, request, notes)
    nodes = build_tree(records, notes)
    leaves = branch_ends(nodes)
    check_branch(file.document.name, request.branch, len(leaves))
    if leaves:
        path = path_to(leaves[request.branch - 1])
    else:
        path = []
    notes.lose_parents(_lost_parents(path))
    count = sum(is_message(node.record.value) for node in nodes) - (
        path[-1].message_count if path else 0
    )
    if count:
        notes.skip("message of another branch", count)
    headers = (
        record.value for record in records if record.value.get("type") == HEADER_TYPE
    )
    header: Mapping[str, Json] = next(headers, {})
    log = SessionLog(
        answers_are_records=True,
        notes=notes,
        # Probably some of the family name the model in the header alone.
        model=coerce_text(header.get("modelId")),
        title=_title(path),
    )
    log.cwd = coerce_text(header.get("cwd"))
    log.session_id = coerce_text(header.get("id"))
    for node in path:
        _read_node(log, node, path)
    conversation = log.conversation("pi_agent", file)
    return replace(
        conversation,
        branches=pi_branches(leaves),
        branch=request.branch,
        layout=file.layout,
    )


def _lost_parents(path: Sequence[PiNode]) -> list[LostParent]:
    """Return the entries whose parent is not before them: Pi resumes from the last of these."""
    lost = [node for node in path if node.is_lost]
    if not lost:
        return []
    total = path[-1].message_count
    reached = total - lost[-1].message_count + is_message(lost[-1].record.value)
    return [
        LostParent(node.record.line, reached, total) for node in lost if reached < total
    ]


def _read_records(
    file: OpenedDocument, request: ReadRequest, notes: ImportNotes
) -> list[JsonRecord]:
    records = list(object_records(file, notes, request.progress, request.stop))
    for record in records:
        if record.value.get("type") == HEADER_TYPE:
            notes.skip(HEADER_TYPE, line=record.line)
    return records


def _read_node(log: SessionLog, node: PiNode, path: Sequence[PiNode]) -> None:
    value = node.record.value
    source = node.record.source()
    position = len(log.messages)
    kind = coerce_text(value.get("type"))
    if is_message(value):
        log.messages.append(read_entry(value, source, log.notes))
    elif kind == "compaction":
        compaction = RecordedCompaction(
            kind="summary",
            boundary=position,
            # An extension wrote the summary, so no trigger of Pi is known.
            trigger="extension" if value.get("fromHook") is True else "",
            tokens_before=number_of(value.get("tokensBefore")),
            summary=(read_entry(value, source, log.notes),),
            kept=tuple(range(_first_kept(node, path, position), position)),
            source=source,
        )
        log.recorded.append(compaction)
    else:
        log.notes.skip("shown only" if kind == "message" else kind, line=source.line)
    if kind == "model_change":
        log.model = coerce_text(value.get("modelId")) or log.model
    elif _role(value) == "assistant":
        message = value["message"]
        log.model = coerce_text(message.get("model")) or log.model
        usage = fields_of(message.get("usage"))
        # Pi counts what came from the cache apart from the input.
        size = sum_of(
            *(usage.get(name) for name in ("input", "cacheRead", "cacheWrite"))
        )
        log.reported_context = size or log.reported_context
        cost = nested(usage, "cost", "total")
        cache = reported_cache(usage.get("cacheRead"), usage.get("cacheWrite"), cost)
        log.reports.add(source, size, number_of(usage.get("output")), log.model, cache)


def _first_kept(node: PiNode, path: Sequence[PiNode], boundary: int) -> int:
    """Return the first message that a compaction keeps, which it names by the id of its entry or by
    its index among all records."""
    value = node.record.value
    id_ = coerce_text(value.get("firstKeptEntryId"))
    index = value.get("firstKeptEntryIndex")
    for earlier in path[: path.index(node)]:
        own_id = earlier.record.value.get("id")
        # Files of the first version have no ids; they count records instead.
        if (id_ and own_id == id_) or (not id_ and earlier.number == index):
            return earlier.message_count - is_message(earlier.record.value)
    # Probably Pi starts at the summary where the first kept entry is not found.
    return boundary


def _title(path: Sequence[PiNode]) -> str:
    infos = (
        node.record.value
        for node in reversed(path)
        if node.record.value.get("type") == "session_info"
    )
    return next((coerce_text(info.get("name")) for info in infos), "")


PI = Format(
    name="pi_agent",
    label="Pi",
    about="Sessions of Pi and its family: JSONL entries with messages, as a line or a tree; no real file with"
    " branches or compactions was seen.",
    score=score,
    read=read,
)
