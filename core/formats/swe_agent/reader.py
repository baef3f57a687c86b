"""Reader for SWE-agent trajectories: ``history`` is the conversation, ``trajectory`` repeats it.

A step's ``query`` (older files: ``messages``) holds the messages sent; if it has less than the history, that
is a recorded compaction (formats.md section 13). Actions in the text are text: only calls through the API
are calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import parse_text
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import conversation_records
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.records import read_messages
from core.formats.swe_agent.queries import elided_compactions
from core.transcript.model import Conversation, Message, MessageFlag, Speaker, SystemPart, ToolResponse

_KEYS = ("history",)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``history`` beside ``trajectory`` and the steps in it."""
    runs = [value for value in opened.objects if _is_run(value)]
    if not runs:
        return 0.0, ""
    steps = sum(1 for step in runs[0]["trajectory"] if isinstance(step, dict) and "action" in step)
    share = len(runs) / len(opened.head)
    return 0.98 * share, f"history beside trajectory, {steps:,} steps with an action"


def _is_run(value: Mapping[str, Json]) -> bool:
    history, steps = value.get("history"), value.get("trajectory")
    if not isinstance(history, list) or not isinstance(steps, list):
        return False
    has_messages = any(isinstance(item, dict) and "role" in item for item in history)
    return has_messages or any(isinstance(item, dict) and "observation" in item for item in steps)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. Observations in the user's role get MessageFlag.META: the harness wrote them."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    parsed = read_messages((_with_call_id(record) for record in raw.records), notes)
    messages = link_calls(_with_flags(parsed.messages))
    history = [record.value for record in raw.records]
    recorded = elided_compactions(history, raw.fields.get("trajectory"), messages, notes)
    config = _config(raw.fields.get("replay_config"))
    return Conversation(
        "swe_agent",
        opened.document,
        messages,
        SystemPart(parsed.system),
        recorded=recorded,
        report=notes.report(),
        model=_nested_text(config, "agent", "model", "name"),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        title=_nested_text(config, "problem_statement", "id"),
        layout={**raw.layout, "system": parsed.system_places},
    )


def _with_call_id(record: JsonRecord) -> JsonRecord:
    """Return a tool record with the API's ``tool_call_id``; the list of ids stays."""
    value = record.value
    ids = value.get("tool_call_ids") if isinstance(value, dict) else None
    if not isinstance(ids, list) or not ids or "tool_call_id" in value:
        return record
    return record._replace(value={**value, "tool_call_id": ids[0]})


def _with_flags(messages: Sequence[Message]) -> list[Message]:
    flagged: list[Message] = []
    has_acted = False
    for message in messages:
        by_harness = message.extra.get("is_demo") is True or (has_acted and _is_observation(message))
        flags = message.flags | MessageFlag.META if by_harness else message.flags
        flagged.append(replace(message, flags=flags, blocks=(*message.blocks, *_further_answers(message))))
        has_acted = has_acted or (message.speaker is Speaker.AI and not by_harness)
    return flagged


def _is_observation(message: Message) -> bool:
    return message.speaker is Speaker.HUMAN and message.extra.get("message_type") == "observation"


def _further_answers(message: Message) -> tuple[ToolResponse, ...]:
    """Return empty answers to the further calls of a tool record that answers several with one text."""
    ids = message.extra.get("tool_call_ids") if message.speaker is Speaker.TOOL else None
    others = ids[1:] if isinstance(ids, list) else ()
    return tuple(ToolResponse(id_, "", "") for id_ in others if isinstance(id_, str))


def _config(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    try:
        return parse_text(value)
    except ValueError:
        return None


def _nested_text(value: Json, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


SWE_AGENT = Format(
    "swe_agent",
    "SWE-agent",
    "Trajectories of SWE-agent (.traj): history, the steps, and what was sent at each of them.",
    score,
    read,
)
