"""Readers for tau-bench and tau2.

A file of tau-bench holds runs with a ``traj`` of OpenAI messages, one conversation for each task
and trial, or few-shot examples, which are dialogues as text; one of tau2 holds simulations, each
with the messages of user, agent and their tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from core.common.json_value import Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import (
    Format,
    FormatScore,
    ReaderEvidence,
    ReadOnly,
    ReadRequest,
)
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    string_of,
)
from core.formats.common.message_lists import (
    check_number,
    conversation_records,
    first_words,
    numbered,
)
from core.formats.common.messages import ImportNotes, link_calls, openai_usage
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.common.stored_sessions import stored_document
from core.formats.openai_chat_messages import read_messages
from core.formats.traces_model_calls import read_message
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    Speaker,
    Text,
    ToolResponse,
)

_KEYS = ("traj",)
_DISPLAY_FIELD = "messages_display"
_TURN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)
_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}


def score(file: OpenedDocument) -> FormatScore:
    """Judge by ``traj`` beside other fields of a run, or by ``messages_display``."""
    total = max(1, len(file.head))
    runs = sum(
        isinstance(value.get("traj"), list)
        and not value.keys().isdisjoint(("task_id", "reward", "trial"))
        for value in file.objects
    )
    if runs:
        return 0.98 * runs / total, f"traj of a task in {runs:,} of {total:,} records"
    examples = sum(isinstance(value.get(_DISPLAY_FIELD), str) for value in file.objects)
    return (
        0.95 * examples / total,
        f"{_DISPLAY_FIELD} in {examples:,} of {total:,} records",
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run or one example; InputError for an unknown number."""
    if any(_DISPLAY_FIELD in value for value in file.objects):
        return _read_example(file, request)
    loaded = conversation_records(file, _KEYS, request)
    conversation = loaded.conversation("tau_bench", read_messages(loaded))
    title = next(
        (entry.title for entry in loaded.listed if entry.number == loaded.number), ""
    )
    return replace(conversation, title=title)


def _read_example(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    listed: list[ListedConversation] = []
    chosen: JsonRecord | None = None
    for record in iterate_records(file, notes, request.progress, request.stop):
        text = nested(record.value, _DISPLAY_FIELD)
        if not isinstance(text, str):
            notes.skip(f"without {_DISPLAY_FIELD}")
            continue
        turns = _turns(text)
        prompt = next((turn_text for role, turn_text in turns if role == "user"), text)
        listed.append(
            ListedConversation(len(listed) + 1, first_words(prompt), len(turns))
        )
        chosen = record if len(listed) == request.conversation else chosen
    check_number(file.document.name, request.conversation, max(1, len(listed)))
    layout: dict[str, Json] = {
        "container": file.container.value,
        "path": [_DISPLAY_FIELD],
    }
    messages: list[Message] = []
    if chosen:
        notes.records = 1
        messages = [
            _message(chosen, part, role, text)
            for part, (role, text) in enumerate(_turns(chosen.value[_DISPLAY_FIELD]))
        ]
        if file.container is DocumentContainer.LINES:
            layout["line"] = chosen.line
        if any(message.speaker is Speaker.TOOL for message in messages):
            notes.warn(
                chosen.line, "the example shows results without the calls they answer"
            )
    conversation = Conversation(
        format="tau_bench",
        document=file.document,
        messages=link_calls(messages),
        report=notes.report(),
        layout=layout,
    )
    return numbered(conversation, request.conversation, listed)


def _turns(text: str) -> Sequence[tuple[str, str]]:
    parts = _TURN.split(text)
    return [
        (role, words.rstrip("\n"))
        for role, words in zip(parts[1::2], parts[2::2], strict=True)
    ]


def _message(record: JsonRecord, part: int, role: str, text: str) -> Message:
    speaker = _SPEAKERS[role]
    source = record.source(part)
    if speaker is Speaker.TOOL:
        return Message(
            speaker=speaker, blocks=(ToolResponse("", "", text),), sources=(source,)
        )
    # Python's word for no content.
    is_call_only = speaker is Speaker.AI and text == "None"
    return Message(
        speaker=speaker,
        blocks=(Text(text),) if text and not is_call_only else (),
        sources=(source,),
    )


TAU_BENCH = Format(
    name="tau_bench",
    label="tau-bench",
    about="Results of tau-bench, one conversation for each task and trial; its few-shot examples.",
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)

# tau2


def _read_simulation(file: OpenedDocument, request: ReadRequest) -> Conversation:
    simulations: list[Json] = []
    info: Json = None
    for record in iterate_records(file, ImportNotes(), request.progress, request.stop):
        runs = nested(record.value, "simulations")
        # A line of JSONL is one simulation; a file of JSON holds them all.
        simulations += list_of(runs) if isinstance(runs, list) else [record.value]
        info = nested(record.value, "info") or info
    check_number(file.document.name, request.conversation, max(1, len(simulations)))
    chosen = fields_of(simulations[request.conversation - 1] if simulations else None)
    about = {
        "id": chosen.get("id"),
        "model": nested(info, "agent_info", "llm"),
        "title": _title(chosen),
    }
    inner, _ = stored_document(
        file.document, about, "messages", list_of(chosen.get("messages"))
    )
    log = object_log(inner, replace(request, conversation=1), "messages")
    log.model = string_of(log.fields.get("model"))
    for record in log.records:
        _add(record, log)
    listed = [
        ListedConversation(number, _title(one), len(list_of(nested(one, "messages"))))
        for number, one in enumerate(simulations, 1)
    ]
    return numbered(log.conversation("tau2", inner), request.conversation, listed)


def _title(simulation: Json) -> str:
    trial = nested(simulation, "trial")
    task = f"task {coerce_text(nested(simulation, 'task_id'))}"
    if isinstance(trial, int):
        return f"{task}, trial {trial}"
    return task


def _add(record: JsonRecord, log: SessionLog) -> None:
    speaker, blocks = read_message(record.value, log.notes, record.line)
    if speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(
            record, *(block.text for block in blocks if isinstance(block, Text))
        )
        return
    log.add(record, speaker, blocks, time=record.value.get("timestamp"))
    if speaker is Speaker.AI:
        log.report(*openai_usage(record.value.get("usage")))


TAU2 = Format(
    name="tau2",
    label="tau2",
    about="Results of tau2, one conversation for each simulation.",
    score=partial(shape_score, format="tau2", sign="simulations of tasks"),
    read=_read_simulation,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.RECORD,
)
