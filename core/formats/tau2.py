"""Reader for results of tau2: simulations, each with the messages of user, agent and their tools."""

from __future__ import annotations

from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, numbered
from core.formats.common.messages import openai_usage
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.common.stored_sessions import stored_document
from core.formats.traces.model_calls import read_message
from core.transcript.model import Conversation, ListedConversation, Speaker, Text


def score(opened: OpenedDocument) -> FormatScore:
    return shape_score(opened, "tau2", "simulations of tasks")


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    simulations: list[Json] = []
    info: Json = None
    for record in iterate_records(opened, ImportNotes(), request.progress, request.stop):
        runs = nested(record.value, "simulations")
        simulations += list_of(runs) if isinstance(runs, list) else [record.value]
        info = nested(record.value, "info") or info
    check_number(opened.document.name, request.conversation, max(1, len(simulations)))
    chosen = fields_of(simulations[request.conversation - 1] if simulations else None)
    about = {"id": chosen.get("id"), "model": nested(info, "agent_info", "llm"), "title": _title(chosen)}
    inner, _ = stored_document(opened.document, about, "messages", list_of(chosen.get("messages")))
    log = object_log(inner, replace(request, conversation=1), "messages")
    log.model = string_of(log.fields.get("model"))
    for record in log.records:
        _add(record, log)
    listed = tuple(
        ListedConversation(number, _title(one), len(list_of(nested(one, "messages"))))
        for number, one in enumerate(simulations, 1)
    )
    return numbered(log.conversation("tau2", inner), request.conversation, listed)


def _title(simulation: Json) -> str:
    trial = nested(simulation, "trial")
    task = f"task {coerce_text(nested(simulation, 'task_id'))}"
    return f"{task}, trial {trial}" if isinstance(trial, int) else task


def _add(record: JsonRecord, log: SessionLog) -> None:
    speaker, blocks = read_message(record.value, log.notes, record.line)
    if speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, *(block.text for block in blocks if isinstance(block, Text)))
        return
    log.add(record, speaker, blocks, time=record.value.get("timestamp"))
    if speaker is Speaker.AI:
        log.report(*openai_usage(record.value.get("usage")))


TAU2 = Format(
    "tau2",
    "tau2",
    "Results of tau2, one conversation for each simulation.",
    score,
    read,
    real_file_seen=False,
    read_only=ReadOnly.RECORD,
)
