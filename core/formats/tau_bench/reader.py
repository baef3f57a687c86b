"""Reader for tau-bench: runs with a ``traj`` of OpenAI messages, one conversation for each task and
trial; and its few-shot examples, which are dialogues as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, conversation_records, first_words
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.messages import read_messages
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    Speaker,
    SystemPart,
    Text,
    ToolResponse,
)

_KEYS = ("traj",)
_RUN_FIELDS = ("task_id", "reward", "trial")
_DISPLAY_FIELD = "messages_display"
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "tool": Speaker.TOOL, "system": Speaker.SYSTEM}
_NO_CONTENT = "None"  # the content of an answer that only calls a tool


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``traj`` beside other fields of a run, or by ``messages_display``."""
    if not opened.head:
        return 0.0, ""
    runs = sum(1 for value in opened.objects if isinstance(value.get("traj"), list) and _is_run(value))
    if runs:
        return 0.98 * runs / len(opened.head), f"traj of a task in {runs:,} of {len(opened.head):,} records"
    examples = sum(1 for value in opened.objects if isinstance(value.get(_DISPLAY_FIELD), str))
    return 0.95 * examples / len(
        opened.head
    ), f"{_DISPLAY_FIELD} in {examples:,} of {len(opened.head):,} records"


def _is_run(value: Mapping[str, Json]) -> bool:
    return any(name in value for name in _RUN_FIELDS)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run or one example; InputError for an unknown number."""
    if any(_DISPLAY_FIELD in value for value in opened.objects):
        return _read_example(opened, request)
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    parsed = read_messages(raw.records, notes)
    title = next((entry.title for entry in raw.listed if entry.number == raw.number), "")
    return Conversation(
        "tau_bench",
        opened.document,
        parsed.messages,
        SystemPart(parsed.system),
        report=notes.report(),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        title=title,
        layout={**raw.layout, "system": parsed.system_places},
    )


def _read_example(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read an example from its text, which has results, but not their calls."""
    notes = ImportNotes()
    listed: list[ListedConversation] = []
    chosen: JsonRecord | None = None
    for record in iterate_records(opened, notes, request.progress, request.stop):
        text = record.value.get(_DISPLAY_FIELD) if isinstance(record.value, dict) else None
        if not isinstance(text, str):
            notes.skip(f"without {_DISPLAY_FIELD}")
            continue
        turns = list(_turns(text))
        prompt = next((turn_text for role, turn_text in turns if role == "user"), text)
        listed.append(ListedConversation(len(listed) + 1, first_words(prompt), len(turns)))
        chosen = record if len(listed) == request.conversation else chosen
    check_number(opened.document.name, request.conversation, max(1, len(listed)))
    notes.records = 1 if chosen else 0
    messages = _example_messages(chosen) if chosen else []
    if any(message.speaker is Speaker.TOOL for message in messages):
        notes.warn(chosen.line if chosen else 0, "the example shows results without the calls they answer")
    line: dict[str, Json] = (
        {"line": chosen.line} if chosen and opened.container is DocumentContainer.LINES else {}
    )
    return Conversation(
        "tau_bench",
        opened.document,
        link_calls(messages),
        report=notes.report(),
        number=request.conversation,
        siblings=max(1, len(listed)),
        listed=tuple(listed) if len(listed) > 1 else (),
        layout={"container": opened.container.value, "path": [_DISPLAY_FIELD], **line},
    )


def _turns(text: str) -> Iterator[tuple[str, str]]:
    parts = _TURN.split(text)
    return zip(parts[1::2], (turn_text.rstrip("\n") for turn_text in parts[2::2]), strict=True)


def _example_messages(record: JsonRecord) -> list[Message]:
    messages: list[Message] = []
    for part, (role, turn_text) in enumerate(_turns(record.value[_DISPLAY_FIELD])):
        source = record.source(part)
        speaker = _SPEAKERS[role]
        if speaker is Speaker.TOOL:
            messages.append(Message(speaker, (ToolResponse("", "", turn_text),), (source,)))
        else:
            is_empty = not turn_text or (speaker is Speaker.AI and turn_text == _NO_CONTENT)
            messages.append(Message(speaker, () if is_empty else (Text(turn_text),), (source,)))
    return messages


TAU_BENCH = Format(
    "tau_bench",
    "tau-bench",
    "Results of tau-bench, one conversation for each task and trial; its few-shot examples.",
    score,
    read,
)
