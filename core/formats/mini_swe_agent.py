"""Reader for mini-swe-agent trajectories: a bare list (version 1) or an object with
``trajectory_format`` (version 2).

Only calls through the API (``tool_calls``) are calls. Commands in the text are text; the ``extra.actions``
that the agent took from them never went to the API and stay in ``extra``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import coerce_text, fields_of, iso_timestamp, nested
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.messages import UsageReports, openai_usage
from core.formats.openai_chat.messages import ROLES, read_messages
from core.transcript.model import Conversation, Message, MessageFlag, Speaker, Text

_KEYS = ("messages",)
_EXIT_ROLE = "exit"
_ROLES = {**ROLES, _EXIT_ROLE: Speaker.SYSTEM}
_OBSERVATION_START = "<returncode>"  # start of the agent's template for the output of a command
_SUBMIT_MARKERS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
"""Texts that the agent asks its model to print at the end; bare lists have no other sign."""
_MESSAGE_FIELDS = {"role", "content", "timestamp", "extra"}


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``trajectory_format``, the role ``exit``, or the words that end every run."""
    sample = detection_sample(opened, _KEYS)
    format_name = sample.fields.get("trajectory_format")
    if isinstance(format_name, str) and format_name.startswith("mini-swe-agent"):
        return 0.99, f"trajectory_format is {format_name}"
    info = sample.fields.get("info")
    if isinstance(info, dict) and ("mini_version" in info or {"exit_status", "submission"} <= info.keys()):
        return 0.98, "messages beside the info of a run"
    objects = [value for value in sample.records if isinstance(value, dict)]
    if any(value.get("role") == _EXIT_ROLE for value in objects):
        return 0.97, "a last message with the role exit"
    if not sample.fields and objects and all(value.keys() <= _MESSAGE_FIELDS for value in objects[:3]):
        marker = next((marker for marker in _SUBMIT_MARKERS if _mentions(objects[:2], marker)), "")
        return (0.97, f"a list of messages that speaks of {marker}") if marker else (0.0, "")
    return 0.0, ""


def _mentions(values: Sequence[Mapping[str, Json]], marker: str) -> bool:
    contents = (value.get("content") for value in values)
    return any(isinstance(content, str) and marker in content for content in contents)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. The message with the role ``exit`` and the output of commands in the user's role get
    MessageFlag.META: the harness wrote them."""
    loaded = conversation_records(opened, _KEYS, request)
    messages = read_messages(loaded, _ROLES)
    return replace(
        loaded.conversation("mini_swe_agent", tuple(map(_with_flags_and_time, messages))),
        model=coerce_text(nested(loaded.fields.get("info"), "config", "model", "model_name")),
        usage=_usage_reports(loaded).reported_usage(messages),
        title=coerce_text(loaded.fields.get("instance_id")),
    )


def _with_flags_and_time(message: Message) -> Message:
    flags = message.flags
    first = next(iter(message.blocks), None)
    is_observation = isinstance(first, Text) and first.text.startswith(_OBSERVATION_START)
    if message.extra.get("role") == _EXIT_ROLE or (message.speaker is Speaker.HUMAN and is_observation):
        flags |= MessageFlag.META
    details = message.extra.get("extra")
    time = details.get("timestamp") if isinstance(details, dict) else message.extra.get("timestamp")
    return replace(message, flags=flags, timestamp=iso_timestamp(time))


def _usage_reports(raw: ConversationRecords) -> UsageReports:
    reports = UsageReports()
    for record in raw.records:
        response = fields_of(nested(record.value, "extra", "response"))
        source = record.source()
        reports.add(source, *openai_usage(response.get("usage")), coerce_text(response.get("model")))
    return reports


MINI_SWE_AGENT = Format(
    "mini_swe_agent",
    "mini-swe-agent",
    "Trajectories of mini-swe-agent (.traj.json), with commands as tool calls or in the text.",
    score,
    read,
    read_only=ReadOnly.RECORD,
)
