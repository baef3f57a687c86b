"""Reader for threads of Amp (T-*.json), whose blocks are like those of Anthropic."""

from __future__ import annotations

from functools import partial

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    coerce_text,
    content_parts,
    fields_of,
    list_of,
    nested,
    string_of,
    sum_of,
)
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.transcript.model import (
    Block,
    Conversation,
    Speaker,
    ToolResponse,
)

_AMP_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_INPUT_FIELDS = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")


def _read_amp(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages")
    trees = list_of(nested(log.fields, "env", "initial", "trees"))
    if trees:
        uri = string_of(nested(trees[0], "uri"))
    else:
        uri = ""
    log.cwd = uri.removeprefix("file://")
    for record in log.records:
        value = record.value
        usage = fields_of(record.value.get("usage"))
        blocks = [
            _amp_block(part, log, record.line)
            for part in content_parts(value.get("content"))
        ]
        speaker = _AMP_SPEAKERS.get(string_of(value.get("role")), Speaker.UNKNOWN)
        time = usage.get("timestamp", nested(value, "meta", "sentAt"))
        log.add(
            record, speaker, blocks, id=coerce_text(value.get("messageId")), time=time
        )
        size = sum_of(*map(usage.get, _INPUT_FIELDS))
        model = string_of(usage.get("model"))
        log.report(size, usage.get("outputTokens"), model)
    return log.conversation("amp", file)


def _amp_block(part: Json, log: SessionLog, line: int) -> Block:
    run = nested(part, "run")
    if nested(part, "type") != "tool_result" or not isinstance(run, dict):
        return read_block(part, log.notes, line)
    call_id = coerce_text(part.get("toolUseID", part.get("tool_use_id")))
    status = run.get("status")
    said = nested(run, "error", "message")
    result = run.get("result", "" if said is None else said)
    # A run that was cancelled has a status and no error.
    has_failed = status in ("error", "cancelled") or said is not None
    error = (said or status) if has_failed else MISSING
    return ToolResponse(call_id, "", result, error)


AMP = Format(
    name="amp",
    label="Amp",
    about="Threads of Amp (T-*.json).",
    score=partial(shape_score, format="amp", sign="an id T-… beside messages"),
    read=_read_amp,
    evidence=ReaderEvidence.DESCRIPTION,
)
