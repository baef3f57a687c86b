"""Converts entries of a Pi session to messages, by role, and builds the tree that they form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import coerce_text, fields_of, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import first_words
from core.transcript.model import (
    Block,
    ConversationBranch,
    Media,
    Message,
    MessageFlag,
    Opaque,
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
        return fields_of(value.get("message")).get("excludeFromContext") is not True
    return kind == "custom_message" or (kind == "branch_summary" and bool(value.get("summary")))


def prompt_text(value: Mapping[str, Json]) -> str:
    message = fields_of(value.get("message"))
    if value.get("type") != "message" or message.get("role") != "user":
        return ""
    return " ".join(block.text for block in _content(message, ImportNotes(), 0) if isinstance(block, Text))


def read_entry(value: Mapping[str, Json], source: Source, notes: ImportNotes) -> Message:
    """Return the message of an entry for which ``is_message`` is true, or of a compaction; never raises."""
    message, role = value, coerce_text(value.get("type"))
    if role == "message":
        message = fields_of(value.get("message"))
        role = coerce_text(message.get("role"))
    speaker, blocks, flags = _role_content(role, message, notes, source.line)
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return Message(speaker, tuple(blocks), (source,), flags | opaque_flag(blocks), id_, time)


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
        case "assistant":  # one that ended in a provider's error is not sent again, unless it calls tools
            has_calls = any(isinstance(block, ToolCall) for block in blocks)
            failed = message.get("stopReason") == "error" and not has_calls
            return Speaker.AI, blocks, MessageFlag.API_ERROR if failed else MessageFlag.NONE
        case "toolResult":
            return Speaker.TOOL, _tool_result(message, blocks), MessageFlag.NONE
        case "custom" | "hookMessage" | "custom_message":
            return Speaker.HUMAN, blocks, MessageFlag.META
    notes.warn(line, f"the role {role[:40]!r} is not known; kept as unknown")
    return Speaker.UNKNOWN, blocks, MessageFlag.NONE


def _tool_result(message: Mapping[str, Json], blocks: Sequence[Block]) -> Sequence[Block]:
    texts = [block.text for block in blocks if isinstance(block, Text)]
    other_blocks = [block for block in blocks if not isinstance(block, Text)]
    result: Json = "".join(texts) if len(texts) < 2 else [{"type": "text", "text": text} for text in texts]
    error = "\n".join(texts) if message.get("isError") is True else MISSING
    id_, name = coerce_text(message.get("toolCallId")), coerce_text(message.get("toolName"))
    return [ToolResponse(id_, name, result, error), *other_blocks]


def _bash(message: Mapping[str, Json]) -> Text:
    """Read a command of the user with its output, worded as for the model."""
    output, code = coerce_text(message.get("output")), message.get("exitCode")
    shown = f"```\n{output}\n```" if output else "(no output)"
    end = f"\n\nCommand exited with code {code}" if isinstance(code, int) and code else ""
    if message.get("cancelled") is True:
        end = "\n\n(command cancelled)"
    return Text(f"Ran `{coerce_text(message.get('command'))}`\n{shown}{end}")


def _content(message: Mapping[str, Json], notes: ImportNotes, line: int, role: str = "") -> Sequence[Block]:
    content, api = message.get("content"), coerce_text(message.get("api")) if role == "assistant" else ""
    signature = next((name for start, name in _API_SIGNATURES.items() if api.startswith(start)), "")
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if isinstance(content, list):
        return tuple(_block(block, notes, line, signature) for block in content)
    if content is not None or not message:
        notes.warn(line, "the message has no readable content; kept as it is")
        return (Opaque("content", content),)
    return ()


def _block(block: Json, notes: ImportNotes, line: int, signature: str) -> Block:
    """Read a content block; Pi's field for signatures is renamed to ``signature``, that of the API that
    signed, which needs it again."""
    if not isinstance(block, dict):
        notes.warn(line, "a content block is not an object; kept as it is")
        return Opaque("unknown", block)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"], other_fields(block, ("type", "text")))
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        extra = other_fields(block, ("type", "thinking"))
        if signature and "thinkingSignature" in extra:
            extra = {signature if key == "thinkingSignature" else key: item for key, item in extra.items()}
        return Thinking(block["thinking"], extra)
    if kind == "toolCall":
        id_, name = coerce_text(block.get("id")), coerce_text(block.get("name"))
        extra = other_fields(block, ("type", "id", "name", "arguments"))
        return ToolCall(id_, name, block.get("arguments", {}), extra)
    if kind == "image" and isinstance(block.get("data"), str):
        extra = other_fields(block, ("type", "data", "mimeType"))
        return Media(coerce_text(block.get("mimeType")), block["data"], "", extra)
    return Opaque(string_of(kind) or "unknown", block)


HEADER_TYPE = "session"
"""The type of the first line."""


@dataclass(slots=True, eq=False)
class PiNode:
    """One entry. ``message_count`` counts those from the root to it, ``number`` is its place among all
    records of the file, header included, from 0."""

    record: JsonRecord
    number: int
    parent: PiNode | None
    message_count: int
    child_count: int = 0


def build_tree(records: Iterable[JsonRecord], notes: ImportNotes) -> list[PiNode]:
    """Return the nodes of a file's objects in file order. An entry without a parent field continues the entry
    before it (files of the first version have no ids); a parent that is not before it is noted."""
    nodes: list[PiNode] = []
    by_id: dict[str, PiNode] = {}
    for number, record in enumerate(records):
        value = record.value
        if value.get("type") == HEADER_TYPE:
            continue
        parent = nodes[-1] if nodes else None
        if "parentId" in value:
            parent_id = coerce_text(value["parentId"])
            if parent_id and parent_id not in by_id and parent is not None:
                notes.repair(record.line, f"parent {parent_id} is not before it; the entry before is used")
            elif parent_id in by_id or not parent_id:
                parent = by_id.get(parent_id)
        count = (parent.message_count if parent else 0) + is_message(value)
        node = PiNode(record, number, parent, count)
        if parent is not None:
            parent.child_count += 1
        nodes.append(node)
        if id_ := coerce_text(value.get("id")):
            if id_ in by_id:
                notes.warn(record.line, f"the id {id_} comes again; what follows belongs to the later entry")
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
    """Return the last nodes of the branches: the newest entry, which the agent would continue, then the
    others in file order that have messages of their own."""
    leaves = [node for node in nodes[:-1] if not node.child_count]
    others = (leaf for leaf in leaves if any(is_message(n.record.value) for n in _nodes_after_fork(leaf)))
    return [*nodes[-1:], *others]


def pi_branches(ends: Sequence[PiNode]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker; none if there is only one."""
    branches: list[ConversationBranch] = []
    for number, leaf in enumerate(ends, 1):
        nodes = _nodes_after_fork(leaf)
        starts = (first_words(prompt_text(node.record.value)) for node in nodes)
        title = next(filter(None, starts), "")
        branches.append(ConversationBranch(number, title, leaf.message_count, nodes[0].record.line))
    return tuple(branches) if len(branches) > 1 else ()


def _nodes_after_fork(leaf: PiNode) -> list[PiNode]:
    nodes = [leaf]
    while (parent := nodes[-1].parent) is not None and parent.child_count < 2:
        nodes.append(parent)
    return nodes[::-1]
