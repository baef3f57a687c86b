"""Reader and exporter for items of OpenAI's Responses API: a list, a request, a response, a list
object, JSONL, a session with its items, the state of a run and the database of openai-agents.

Items become messages by the rules of ``core.formats.openai_responses_items``: an answer of the
model is one message, however many items it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.facts.sentences import begins_as_summary
from core.formats.common.databases import Database, json_of
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.message_lists import (
    DetectionSample,
    conversation_records,
    detection_sample,
)
from core.formats.common.messages import link_calls
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
    stored_document,
)
from core.formats.openai_responses_item_writer import (
    items_at,
    new_items,
    written_messages,
)
from core.formats.openai_responses_items import (
    ResponseItem,
    ResponseItemHistory,
    is_known,
    item_compactions,
    item_type,
    read_item,
)
from core.formats.writing.api_requests import responses_tools
from core.formats.writing.exporter import ExportInput, ExportLosses
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Conversation, Message, Speaker, Text

_KEYS = ("input", "output", "data", "items")
_PART_TYPES = ("input_text", "output_text", "input_image", "input_file")
_COMPACTED = "response.compaction"
_OBJECT_TYPES = ("response", _COMPACTED)
_RUN_FIELDS = ("$schemaVersion", "original_input", "generated_items")
"""Fields of the state of a run (RunState), which is read as a request: its input, then the items
since."""


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the types of the items, and by the fields of a request or response around them."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, _SESSIONS)
    if _is_run_state(file):
        return 0.99, "original_input and generated_items of a run of openai-agents"
    sample = detection_sample(file, _KEYS)
    if not sample.has_records:
        return 0.0, ""
    is_response = sample.fields.get("object") in _OBJECT_TYPES
    if not sample.records and (is_response or _is_request(sample)):
        return 0.6, "an empty list of items in a request or response"
    # Records of Codex hold such items as their payload.
    objects = [
        value
        for value in sample.records
        if isinstance(value, dict) and "payload" not in value
    ]
    api_items = sum(map(_is_api_only_item, objects))
    items = sum(map(_is_item, objects))
    reason = f"items of the Responses API in {sample.counted(api_items or items)}"
    if api_items or (objects and is_response):
        return 0.95 * sample.share(items), reason
    if objects and _is_request(sample):
        return 0.9 * sample.share(items), f"{reason}, under input"
    return 0.0, ""


def _is_request(sample: DetectionSample) -> bool:
    return bool(
        {"instructions", "max_output_tokens", "previous_response_id", "model"}
        & sample.fields.keys()
    )


def _is_item(value: Mapping[str, Json]) -> bool:
    if item_type(value) == "message":
        return "role" in value and "content" in value
    return (
        is_known(item_type(value)) and "role" not in value and "parentId" not in value
    )


def _is_api_only_item(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    content = value.get("content")
    has_role = "role" in value
    # Entries of Pi have parents.
    has_parent = "parentId" in value
    if kind == "message" and has_role and isinstance(content, str):
        return not has_parent
    # In requests, messages need no type.
    if kind == "message" or (kind is None and has_role):
        return any(nested(part, "type") in _PART_TYPES for part in list_of(content))
    if not isinstance(kind, str) or has_parent:
        return False
    return _is_kind_of_item(kind, value)


def _is_kind_of_item(kind: str, value: Mapping[str, Json]) -> bool:
    if kind in (
        "function_call",
        "function_call_output",
        "compaction",
        "item_reference",
    ):
        return True
    if kind == "reasoning":
        return "summary" in value
    return kind.endswith(("_call", "_call_output")) and "role" not in value


def _stored_sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "agent_sessions", "session_id", "ORDER BY updated_at DESC"
    ):
        yield StoredSession(row["session_id"])


def _stored_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
    rows = database.rows(
        "agent_messages", "message_data", "WHERE session_id = ? ORDER BY id", session
    )
    return {"session_id": session}, (json_of(row["message_data"]) for row in rows)


_SESSIONS = SessionStore(
    "agent_sessions.session_id agent_messages.message_data",
    "items",
    _stored_sessions,
    _stored_session,
)
"""The database of openai-agents (SQLiteSession)."""


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation, or one session of a database."""
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, (_SESSIONS,), _read_items)
    return _read_items(file, request)


def _prompt_of(item: ResponseItem) -> list[str]:
    """Return the texts of a system message that has only words; a summary is no prompt."""
    texts = [block.text for block in item.blocks if isinstance(block, Text)]
    if item.speaker is not Speaker.SYSTEM or begins_as_summary("".join(texts)):
        return []
    return texts if len(texts) == len(item.blocks) else []


def _read_items(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system and developer messages become the system part."""
    if _is_run_state(file):
        file = _run_state_request(file)
    loaded = conversation_records(file, _KEYS, request)
    fields, notes = loaded.fields, loaded.notes
    history = ResponseItemHistory()
    if instructions := string_of(fields.get("instructions")):
        loaded.system_texts.append(instructions)
    for record in loaded.records:
        item = read_item(record.value, notes, record.line)
        prompt = _prompt_of(item)
        if prompt and not history.messages:
            loaded.add_system(record, "\n".join(prompt))
        else:
            history.add(item, record.source())
    history.close()
    if isinstance(fields.get("output"), list):
        notes.warn(0, "the list output beside input was not read")
    messages = link_calls(history.messages, notes)
    reported_context = number_of(nested(fields.get("usage"), "input_tokens"))
    recorded = [compaction for _, compaction in item_compactions(history.messages)]
    # The compact endpoint reports the tokens before.
    if fields.get("object") == _COMPACTED:
        recorded = [
            replace(item, tokens_before=reported_context) for item in recorded[-1:]
        ]
    return replace(
        loaded.conversation("openai_responses", messages, list_of(fields.get("tools"))),
        recorded=tuple(recorded),
        model=coerce_text(fields.get("model")),
        reported_context=reported_context,
    )


def _is_run_state(file: OpenedDocument) -> bool:
    if file.objects:
        fields = file.objects[0]
    else:
        fields = {}
    return file.container is DocumentContainer.OBJECT and all(
        name in fields for name in _RUN_FIELDS
    )


def _run_state_request(file: OpenedDocument) -> OpenedDocument:
    """Return the state as a document that holds ``{usage, input}``."""
    state = file.objects[0]
    responses = [fields_of(one) for one in list_of(state.get("model_responses"))]
    fields = {"usage": responses[-1].get("usage") if responses else None}
    return stored_document(file.document, fields, "input", _run_items(state))[0]


def _run_items(state: Mapping[str, Json]) -> Iterator[Json]:
    original_input = state["original_input"]
    if text := string_of(original_input):
        yield {"role": "user", "content": text}
    yield from list_of(original_input)
    for item in list_of(state["generated_items"]):
        raw = nested(item, "raw_item")
        yield item if raw is None else raw
    yield from list_of(state.get("pending_input"))


OPENAI_RESPONSES = Format(
    name="openai_responses",
    label="OpenAI Responses",
    about="Items of the Responses API: a JSON list, {input, instructions}, responses, list objects,"
    " or JSONL; runs and sessions of openai-agents, also in its database (SQLiteSession).",
    score=score,
    read=read,
)


NAME = "openai_responses"
_CODEX_FIELDS = (
    "internal_chat_message_metadata_passthrough",
    "metadata",
    "encrypted_content",
)
_CALL_TYPES = ("function_call", "custom_tool_call")
_ENCRYPTED_TYPES = (
    "reasoning",
    "compaction",
    "compaction_summary",
    "context_compaction",
)


def _records(export_input: ExportInput, losses: ExportLosses) -> Sequence[Json]:
    items = [
        write.item
        for message in written_messages(export_input, losses)
        for write in message.items
    ]
    is_own = export_input.conversation.format == NAME
    if is_own:
        return items
    return list(_without_codex_fields(items, losses))


def _without_codex_fields(
    items: Sequence[Json], losses: ExportLosses
) -> Iterator[Json]:
    """Yield items of a rollout without what only Codex understands."""
    for item in items:
        kind = item_type(item)
        if (
            kind == "reasoning"
            and not item.get("id")
            and not item.get("encrypted_content")
        ):
            losses.count_left_out("reasoning without its encrypted content")
        elif kind == "agent_message":
            if texts := _readable(item.get("content")):
                losses.count_changed("message of another agent as user")
                yield {"type": "message", "role": "user", "content": texts}
            else:
                losses.count_left_out("encrypted message of another agent")
        elif isinstance(item, dict):
            yield _plain_item(item, kind)
        else:
            yield item


def _plain_item(item: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """Return an item without the fields of Codex and those without a value."""
    removed = _CODEX_FIELDS[:2] if kind in _ENCRYPTED_TYPES else _CODEX_FIELDS
    kept = {
        key: value
        for key, value in item.items()
        if value is not None and key not in removed
    }
    # Some servers only write the id, and answer it.
    if kind in _CALL_TYPES and "call_id" not in kept and "id" in kept:
        kept["call_id"] = kept["id"]
    return kept


def _readable(content: Json) -> Json:
    """Return the content without encrypted parts, which only the provider of Codex can read."""
    if not isinstance(content, list):
        return content
    return [part for part in content if nested(part, "type") == "input_text"]


def source_records(
    data: bytes, message: Message, conversation: Conversation
) -> list[Json]:
    """Return what a request has for a message as it is in the file. Raises InputError if that
    changed."""
    items = items_at(data, message.sources, conversation.document.name)
    is_own = conversation.format == NAME
    if is_own:
        return items
    return list(_without_codex_fields(items, ExportLosses("")))


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    items."""
    losses = ExportLosses("")
    return list(_without_codex_fields(new_items(message, same_family, losses), losses))


def _request(
    export_input: ExportInput, items: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    """Return a request: the first system text is ``instructions``, further ones are developer
    messages."""
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    if system.texts:
        value["instructions"] = system.texts[0]
    further = [[{"type": "input_text", "text": text}] for text in system.texts[1:]]
    messages = (
        {"type": "message", "role": "developer", "content": content}
        for content in further
    )
    value["input"] = [*messages, *items]
    return value | (
        {"tools": responses_tools(system.tools, losses)} if system.tools else {}
    )


EXPORTER = json_exporter(
    (NAME, "responses"),
    "OpenAI Responses",
    "the Responses API",
    "A request for OpenAI's Responses API: instructions, input items and tools.",
    records=_records,
    request=_request,
)
