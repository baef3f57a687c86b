"""Reader for tau-bench: runs with a ``traj`` of OpenAI messages, one conversation for each task and
trial; and its few-shot examples, which are dialogues as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import nested
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, conversation_records, first_words
from core.formats.common.messages import link_calls
from core.formats.openai_chat.messages import read_messages
from core.transcript.model import Conversation, ListedConversation, Message, Speaker, Text, ToolResponse

_KEYS = ("traj",)
_DISPLAY_FIELD = "messages_display"
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "tool": Speaker.TOOL, "system": Speaker.SYSTEM}


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``traj`` beside other fields of a run, or by ``messages_display``."""
    total = max(1, len(opened.head))
    runs = sum(
        isinstance(value.get("traj"), list) and not value.keys().isdisjoint(("task_id", "reward", "trial"))
        for value in opened.objects
    )
    if runs:
        return 0.98 * runs / total, f"traj of a task in {runs:,} of {total:,} records"
    examples = sum(isinstance(value.get(_DISPLAY_FIELD), str) for value in opened.objects)
    return 0.95 * examples / total, f"{_DISPLAY_FIELD} in {examples:,} of {total:,} records"


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run or one example; InputError for an unknown number."""
    if any(_DISPLAY_FIELD in value for value in opened.objects):
        return _read_example(opened, request)
    loaded = conversation_records(opened, _KEYS, request)
    conversation = loaded.conversation("tau_bench", read_messages(loaded))
    title = next((entry.title for entry in loaded.listed if entry.number == loaded.number), "")
    return replace(conversation, title=title)


def _read_example(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    listed: list[ListedConversation] = []
    chosen: JsonRecord | None = None
    for record in iterate_records(opened, notes, request.progress, request.stop):
        text = nested(record.value, _DISPLAY_FIELD)
        if not isinstance(text, str):
            notes.skip(f"without {_DISPLAY_FIELD}")
            continue
        turns = _turns(text)
        prompt = next((turn_text for role, turn_text in turns if role == "user"), text)
        listed.append(ListedConversation(len(listed) + 1, first_words(prompt), len(turns)))
        chosen = record if len(listed) == request.conversation else chosen
    check_number(opened.document.name, request.conversation, max(1, len(listed)))
    layout: dict[str, Json] = {"container": opened.container.value, "path": [_DISPLAY_FIELD]}
    messages: list[Message] = []
    if chosen:
        notes.records = 1
        messages = [
            _message(chosen, part, role, text)
            for part, (role, text) in enumerate(_turns(chosen.value[_DISPLAY_FIELD]))
        ]
        if opened.container is DocumentContainer.LINES:
            layout["line"] = chosen.line
        if any(message.speaker is Speaker.TOOL for message in messages):
            notes.warn(chosen.line, "the example shows results without the calls they answer")
    return Conversation(
        "tau_bench",
        opened.document,
        link_calls(messages),
        report=notes.report(),
        number=request.conversation,
        siblings=max(1, len(listed)),
        listed=tuple(listed) if len(listed) > 1 else (),
        layout=layout,
    )


def _turns(text: str) -> Sequence[tuple[str, str]]:
    parts = _TURN.split(text)
    return [(role, words.rstrip("\n")) for role, words in zip(parts[1::2], parts[2::2], strict=True)]


def _message(record: JsonRecord, part: int, role: str, text: str) -> Message:
    speaker, source = _SPEAKERS[role], record.source(part)
    if speaker is Speaker.TOOL:
        return Message(speaker, (ToolResponse("", "", text),), (source,))
    is_call_only = speaker is Speaker.AI and text == "None"  # Python's word for no content
    return Message(speaker, (Text(text),) if text and not is_call_only else (), (source,))


TAU_BENCH = Format(
    "tau_bench",
    "tau-bench",
    "Results of tau-bench, one conversation for each task and trial; its few-shot examples.",
    score,
    read,
    read_only=ReadOnly.RECORD,
)
