"""Readers for exports of ChatGPT and Claude.ai (conversations.json, or the zip that holds it).

A conversation of ChatGPT is a tree of messages: the path from the current node to the root is the
conversation; the other leaves are its branches. A call is an answer to a recipient other than all,
its result the next message of a tool; they have no ids. A conversation of Claude.ai is a flat list
of messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from core.common.json_value import Json
from core.formats.anthropic_blocks import read_block
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, ReaderEvidence, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    json_or_text,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    check_branch,
    check_number,
    first_words,
    numbered,
)
from core.formats.common.messages import ImportNotes
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.common.stored_sessions import stored_document, with_outer_notes
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    ConversationBranch,
    ListedConversation,
    Media,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}


def _listed_branches(paths: Iterable[Sequence[Json]]) -> tuple[ConversationBranch, ...]:
    return tuple(
        ConversationBranch(number, first_words(_last_prompt(path)), len(path), 0)
        for number, path in enumerate(paths, 1)
    )


def _listed_trees(trees: Iterable[Mapping[str, Json]]) -> list[ListedConversation]:
    titles = (string_of(one.get("title")) or string_of(one.get("id")) for one in trees)
    return [
        ListedConversation(number, first_words(title))
        for number, title in enumerate(titles, 1)
    ]


def _read_tree(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    found = iterate_records(file, notes, request.progress, request.stop)
    trees = [
        record.value
        for record in found
        if isinstance(nested(record.value, "mapping"), dict)
    ]
    check_number(file.document.name, request.conversation, max(1, len(trees)))
    tree = fields_of(trees[request.conversation - 1] if trees else None)
    nodes = {
        id_: fields_of(node) for id_, node in fields_of(tree.get("mapping")).items()
    }
    leaves = _leaves(nodes, string_of(tree.get("current_node")))
    check_branch(file.document.name, request.branch, len(leaves))
    paths = [[*_path(nodes, end)] for end in leaves]
    about = {name: tree.get(name) for name in ("id", "title", "create_time")}
    # Exports name a conversation by one or the other.
    about["id"] = about["id"] or tree.get("conversation_id")
    inner, _ = stored_document(
        file.document, about, "messages", paths[request.branch - 1] if paths else ()
    )
    conversation = _read_messages(inner, request)
    branches = _listed_branches(paths) if len(paths) > 1 else ()
    listed = _listed_trees(trees)
    report = with_outer_notes(conversation.report, notes.report())
    conversation = replace(
        conversation, branches=branches, branch=request.branch, report=report
    )
    return numbered(conversation, request.conversation, listed)


def _leaves(nodes: Mapping[str, Mapping[str, Json]], current: str) -> list[str]:
    """Return the ends of all branches, the current one first; a current node that is no end goes on
    to the newest answer."""
    children: dict[str, list[str]] = {}
    for id_, node in nodes.items():
        children.setdefault(coerce_text(node.get("parent")), []).append(id_)
    passed: set[str] = set()
    while current in children and current not in passed:
        passed.add(current)
        current = children[current][-1]
    ends = [id_ for id_ in nodes if id_ not in children]
    return list(
        dict.fromkeys([*([current] if current in nodes else []), *reversed(ends)])
    )


def _path(nodes: Mapping[str, Mapping[str, Json]], leaf: str) -> Iterator[Json]:
    """Yield the messages from the root to a leaf."""
    path: dict[str, None] = {}
    while leaf in nodes and leaf not in path:
        path[leaf] = None
        leaf = coerce_text(nodes[leaf].get("parent"))
    yield from (
        nodes[id_]["message"]
        for id_ in reversed(path)
        if isinstance(nodes[id_].get("message"), dict)
    )


def _last_prompt(messages: Sequence[Json]) -> str:
    prompts = [
        message for message in messages if nested(message, "author", "role") == "user"
    ]
    if prompts:
        parts = list_of(nested(prompts[-1], "content", "parts"))
    else:
        parts = ()
    return next((part for part in parts if isinstance(part, str)), "")


def _read_messages(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages")
    for record in log.records:
        _add(record, log)
    return log.conversation("chatgpt", file)


def _add(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    metadata = fields_of(record.value.get("metadata"))
    speaker = _SPEAKERS.get(string_of(nested(value, "author", "role")), Speaker.UNKNOWN)
    blocks = _blocks(fields_of(value.get("content")))
    recipient = string_of(value.get("recipient"))
    name = coerce_text(nested(value, "author", "name"))
    log.model = string_of(metadata.get("model_slug")) or log.model
    if all(isinstance(block, Text) and not block.text.strip() for block in blocks):
        log.notes.skip("empty message", line=record.line)
    elif speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, _text(blocks))
    else:
        if speaker is Speaker.TOOL:
            # No ids join calls and results: the next tool message answers.
            blocks = [ToolResponse("", name, _text(blocks) or [value.get("content")])]
        # A call is what the model says to a tool instead of to all.
        elif speaker is Speaker.AI and recipient not in ("", "all"):
            blocks = [ToolCall("", recipient, json_or_text(_text(blocks)))]
        id_ = string_of(value.get("id"))
        time = value.get("create_time")
        log.add(record, speaker, blocks, id=id_, time=time, flags=_flags_of(metadata))


def _flags_of(metadata: Mapping[str, Json]) -> MessageFlag:
    """Mark what the page of the conversation hides."""
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return MessageFlag.META
    return MessageFlag.NONE


_TEXTS = ("title", "text", "result", "summary", "content")


def _thoughts(content: Mapping[str, Json]) -> Iterator[Thinking]:
    for one in map(fields_of, list_of(content.get("thoughts"))):
        yield Thinking(string_of(one.get("content")) or string_of(one.get("summary")))


def _blocks(content: Mapping[str, Json]) -> list[Block]:
    kind = string_of(content.get("content_type"))
    if kind == "thoughts":
        return [*_thoughts(content)]
    if kind == "reasoning_recap":
        return [Thinking(string_of(content.get("content")))]
    if kind == "code":
        return [
            Code(string_of(content.get("text")), string_of(content.get("language")))
        ]
    parts = list(map(_part, list_of(content.get("parts"))))
    # of pages and quotes
    texts = [Text(content[name]) for name in _TEXTS if string_of(content.get(name))]
    if parts or texts or isinstance(content.get("text"), str):
        return [*parts, *texts]
    if content:
        return [Opaque(kind or "content", dict(content))]
    return []


def _part(part: Json) -> Block:
    if isinstance(part, str):
        return Text(part)
    pointer = fields_of(part).get("asset_pointer")
    if isinstance(pointer, str):
        return Media("", pointer)
    if isinstance(text := fields_of(part).get("text"), str):
        return Text(text)
    return Opaque(coerce_text(nested(part, "content_type")) or "part", part)


def _text(blocks: list[Block]) -> str:
    return "\n".join(
        block.code if isinstance(block, Code) else getattr(block, "text", "")
        for block in blocks
    )


CHATGPT = Format(
    name="chatgpt",
    label="ChatGPT",
    about="Exports of ChatGPT: conversations.json, or the zip that holds it.",
    score=partial(shape_score, format="chatgpt", sign="mapping of a tree"),
    read=_read_tree,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.RECORD,
)

# Claude.ai

_SENDERS = {"human": Speaker.HUMAN, "assistant": Speaker.AI}
_FLAGS = ("start_timestamp", "stop_timestamp", "citations", "flags")
"""Fields of every block that say nothing."""


def _read_list(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Results follow their calls; what is said after them is a message of
    its own."""
    log = object_log(file, request, "chat_messages", title="name", session_id="uuid")
    for record in log.records:
        value = record.value
        speaker = _SENDERS.get(string_of(value.get("sender")), Speaker.UNKNOWN)
        id_ = string_of(value.get("uuid"))
        time = value.get("created_at")
        blocks = _claude_blocks(record, log)
        if not blocks:
            log.notes.skip("empty message", line=record.line)
        for is_result, group in groupby(
            blocks, key=lambda block: isinstance(block, ToolResponse)
        ):
            log.add(
                record,
                Speaker.TOOL if is_result else speaker,
                [*group],
                id=id_,
                time=time,
            )
    return log.conversation("claude_ai", file)


def _claude_blocks(record: JsonRecord, log: SessionLog) -> list[Block]:
    """Return the content, or the flat text if there is none, and the texts of attachments."""
    value: Mapping[str, Json] = record.value
    blocks: list[Block] = []
    for part in list_of(value.get("content")):
        known = other_fields(fields_of(part), _FLAGS)
        blocks.append(read_block(dict(known), log.notes, record.line))
    text = string_of(value.get("text"))
    is_empty = all(isinstance(block, Text) and not block.text for block in blocks)
    if text and is_empty:
        blocks = [Text(text)]
    blocks += _attached_texts(value)
    return [block for block in blocks if not isinstance(block, Text) or block.text]


def _attached_texts(value: Mapping[str, Json]) -> Iterator[Text]:
    for attachment in map(fields_of, list_of(value.get("attachments"))):
        if content := string_of(attachment.get("extracted_content")):
            yield Text(content, {"file_name": attachment.get("file_name")})


CLAUDE_AI = Format(
    name="claude_ai",
    label="Claude.ai",
    about="Exports of Claude.ai: conversations.json, or the zip that holds it.",
    score=partial(shape_score, format="claude_ai", sign="uuid and chat_messages"),
    read=_read_list,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.RECORD,
)
