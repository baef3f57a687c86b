"""Reader for SWE-agent trajectories: ``history`` is the conversation, ``trajectory`` repeats it.

A step's ``query`` (older files: ``messages``) is what was really sent; where it holds less than the
history, that is a recorded compaction (formats.md section 13). Actions that stand in the text are
text: a call is only what the model called through its API.
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
    talk = any(isinstance(one, dict) and "role" in one for one in history)
    return talk or any(isinstance(one, dict) and "observation" in one for one in steps)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. Observations in the person's role carry Flag.META: the agent's harness wrote them."""
    notes = ImportNotes()
    held = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(held.records)
    talk = read_messages((_answering(record) for record in held.records), notes)
    messages = link_calls(_told_apart(talk.messages))
    history = [record.value for record in held.records]
    recorded = elided_compactions(history, held.fields.get("trajectory"), messages, notes)
    config = _config(held.fields.get("replay_config"))
    return Conversation(
        "swe_agent",
        opened.document,
        messages,
        SystemPart(talk.system),
        recorded=recorded,
        report=notes.report(),
        model=_text(config, "agent", "model", "name"),
        number=held.number,
        siblings=held.siblings,
        listed=held.listed,
        title=_text(config, "problem_statement", "id"),
        layout={**held.layout, "system": talk.leading},
    )


def _answering(record: JsonRecord) -> JsonRecord:
    """A tool record with ``tool_call_id`` as the API has it; the list of ids stays beside it."""
    value = record.value
    ids = value.get("tool_call_ids") if isinstance(value, dict) else None
    if not isinstance(ids, list) or not ids or "tool_call_id" in value:
        return record
    return record._replace(value={**value, "tool_call_id": ids[0]})


def _told_apart(messages: Sequence[Message]) -> list[Message]:
    found: list[Message] = []
    acted = False
    for message in messages:
        harness = message.extra.get("is_demo") is True or (acted and _is_observation(message))
        flags = message.flags | MessageFlag.META if harness else message.flags
        found.append(replace(message, flags=flags, blocks=(*message.blocks, *_further(message))))
        acted = acted or (message.speaker is Speaker.AI and not harness)
    return found


def _is_observation(message: Message) -> bool:
    return message.speaker is Speaker.HUMAN and message.extra.get("message_type") == "observation"


def _further(message: Message) -> tuple[ToolResponse, ...]:
    """Empty answers to the other calls of a tool record that answers several with one text."""
    ids = message.extra.get("tool_call_ids") if message.speaker is Speaker.TOOL else None
    others = ids[1:] if isinstance(ids, list) else ()
    return tuple(ToolResponse(id_, "", "") for id_ in others if isinstance(id_, str))


def _config(value: Json) -> Json:
    """``replay_config``: an object, or the text of one."""
    if not isinstance(value, str):
        return value
    try:
        return parse_text(value)
    except ValueError:
        return None


def _text(value: Json, *names: str) -> str:
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
