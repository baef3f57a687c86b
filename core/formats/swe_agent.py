"""Readers for trajectories of SWE-agent and mini-swe-agent.

In those of SWE-agent ``history`` is the conversation, ``trajectory`` repeats it. A step's ``query``
(older files: ``messages``) holds the messages sent; if it has less than the history, that is a
recorded compaction. A trajectory of mini-swe-agent is a bare list (version 1) or an object with
``trajectory_format`` (version 2).

In both, only calls through the API are calls. Actions in the text are text; the ``extra.actions``
that mini-swe-agent took from it never went to the API and stay in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    iso_timestamp,
    json_or_text,
    list_of,
    nested,
    string_of,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.messages import (
    ImportNotes,
    UsageReports,
    link_calls,
    openai_usage,
    reported_cache,
)
from core.formats.openai_chat_messages import ROLES, read_messages, read_record
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    RecordedCompaction,
    Speaker,
    ToolResponse,
    joined_text,
    tool_responses,
)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by ``history`` beside ``trajectory`` and the steps in it."""
    runs = [value for value in file.objects if _is_run(value)]
    if not runs:
        return 0.0, ""
    steps = sum("action" in fields_of(step) for step in runs[0]["trajectory"])
    share = len(runs) / len(file.head)
    return 0.98 * share, f"history beside trajectory, {steps:,} steps with an action"


def _is_run(value: Mapping[str, Json]) -> bool:
    history = value.get("history")
    steps = value.get("trajectory")
    if not isinstance(history, list) or not isinstance(steps, list):
        return False
    has_messages = any("role" in fields_of(item) for item in history)
    return has_messages or any("observation" in fields_of(item) for item in steps)


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. Observations in the user's role get MessageFlag.META: the harness wrote
    them."""
    loaded = conversation_records(file, ("history",), request)
    records = [_with_call_id(record) for record in loaded.records]
    fields = loaded.fields
    messages = link_calls(_with_flags(read_messages(loaded, records=records)))
    history = [record.value for record in loaded.records]
    elided = _ElidedMessages(history, messages)
    recorded = tuple(
        elided.compactions(list_of(fields.get("trajectory")), loaded.notes)
    )
    config = json_or_text(fields.get("replay_config"))
    return replace(
        loaded.conversation("swe_agent", messages),
        recorded=recorded,
        model=string_of(nested(config, "agent", "model", "name")),
        title=string_of(nested(config, "problem_statement", "id")),
    )


def _with_call_id(record: JsonRecord) -> JsonRecord:
    """Return a tool record with the API's ``tool_call_id``; the list of ids stays."""
    ids = list_of(nested(record.value, "tool_call_ids"))
    # SWE-agent has a list of ids, because one text may answer several calls.
    if not ids or "tool_call_id" in record.value:
        return record
    return record._replace(value={**record.value, "tool_call_id": ids[0]})


def _with_flags(messages: Sequence[Message]) -> list[Message]:
    """Flag what the harness wrote, and add empty answers to the further calls of a tool record that
    answers several with one text."""
    flagged: list[Message] = []
    has_acted = False
    for message in messages:
        is_observation = message.extra.get("message_type") == "observation"
        by_harness = message.extra.get("is_demo") is True or (
            # The first observation is the task itself.
            has_acted and is_observation and message.speaker is Speaker.HUMAN
        )
        if by_harness:
            flags = message.flags | MessageFlag.META
        else:
            flags = message.flags
        if message.speaker is Speaker.TOOL:
            ids = list_of(message.extra.get("tool_call_ids"))
        else:
            ids = ()
        answers = (ToolResponse(id_, "", "") for id_ in ids[1:] if isinstance(id_, str))
        flagged.append(
            replace(message, flags=flags, blocks=(*message.blocks, *answers))
        )
        has_acted = has_acted or (message.speaker is Speaker.AI and not by_harness)
    return flagged


class _ElidedMessages:
    """Finds the steps that sent less of a message than the history has. ``messages`` are the
    history without its leading system records."""

    def __init__(self, history: Sequence[Json], messages: Sequence[Message]) -> None:
        self._history, self._messages = history, messages
        self._leading = len(history) - len(messages)
        # Most steps send the same ones.
        self._sent_messages: dict[tuple[int, str], Message] = {}

    def compactions(
        self, steps: Sequence[Json], notes: ImportNotes
    ) -> Iterator[RecordedCompaction]:
        """Yield a compaction for each step that sent less of an earlier message than the step
        before.

        A query that does not match the history (another agent's, or one without demonstrations) is
        noted and skipped.
        """
        previous: dict[int, str] = {}
        actions = [
            index for index, record in enumerate(self._history) if _is_action(record)
        ]
        for action_index, step in zip(actions, steps, strict=False):
            query = list_of(nested(step, "query") or nested(step, "messages"))
            if not query:
                continue
            changed = self._changed_texts(query, action_index)
            if changed is None:
                notes.warn(
                    0,
                    "some queries do not match the history; what they left out is not shown",
                )
                continue
            if any(previous.get(index) != text for index, text in changed.items()):
                yield self._compaction(query, action_index, changed)
            previous = changed

    def _changed_texts(
        self, query: Sequence[Json], action_index: int
    ) -> dict[int, str] | None:
        """Return the history indices whose text was sent differently, with it; None if roles
        differ."""
        # What is sent can be shorter in its texts, never in its messages.
        if len(query) < action_index:
            return None
        changed: dict[int, str] = {}
        for index, (record, sent) in enumerate(
            zip(self._history[:action_index], query, strict=False)
        ):
            are_messages = isinstance(record, dict) and isinstance(sent, dict)
            if not are_messages or record.get("role") != sent.get("role"):
                return None
            text = plain_text(sent.get("content"))
            if record.get("content") != sent.get("content") and text != plain_text(
                record.get("content")
            ):
                changed[index] = text
        return changed

    def _compaction(
        self, query: Sequence[Json], action_index: int, changed: Mapping[int, str]
    ) -> RecordedCompaction:
        boundary = action_index - self._leading
        context_after: list[int | Message] = [*range(boundary)]
        for index in (index for index in changed if index >= self._leading):
            key = (index, changed[index])
            place = index - self._leading
            if key not in self._sent_messages:
                self._sent_messages[key] = _sent_message(
                    query[index], self._messages[place]
                )
            context_after[place] = self._sent_messages[key]
        if boundary < len(self._messages):
            source = self._messages[boundary].sources[0]
        else:
            source = None
        return RecordedCompaction(
            # The history processors shorten outputs and summarise nothing.
            kind="microcompact",
            boundary=boundary,
            trigger="auto",
            source=source,
            context_after=tuple(context_after),
        )


def _is_action(record: Json) -> bool:
    fields = fields_of(record)
    if fields.get("role") != "assistant":
        return False
    return fields.get("message_type", "action") == "action" and not fields.get(
        "is_demo"
    )


def _sent_message(value: Json, original: Message) -> Message:
    message = read_record(_with_call_id(JsonRecord(0, 0, 0, value)), ImportNotes())
    name = next((response.name for response in tool_responses(original)), "")
    blocks = tuple(
        replace(b, name=name) if isinstance(b, ToolResponse) else b
        for b in message.blocks
    )
    return replace(
        message, blocks=blocks, sources=(), flags=original.flags, timestamp=""
    )


SWE_AGENT = Format(
    name="swe_agent",
    label="SWE-agent",
    about=(
        "Trajectories of SWE-agent (.traj): history, the steps, and what was sent at each of them."
    ),
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)

# mini-swe-agent

_EXIT_ROLE = "exit"
_ROLES = {**ROLES, _EXIT_ROLE: Speaker.SYSTEM}
_OBSERVATION_START = (
    "<returncode>"  # start of the agent's template for the output of a command
)
_TEMPLATE, _TASK_TEMPLATES = "_template", ("instance", "system")
_LEAST_START = 12  # characters of a template that tell its texts from others
_BY_THE_PERSON = "UserInterruption"
_SUBMIT_MARKERS = (
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    "MINI_SWE_AGENT_FINAL_OUTPUT",
)
"""Texts that the agent asks its model to print at the end; bare lists have no other sign."""
_MESSAGE_FIELDS = {"role", "content", "timestamp", "extra"}


def _mini_score(file: OpenedDocument) -> FormatScore:
    """Judge by ``trajectory_format``, the role ``exit``, or the words that end every run."""
    sample = detection_sample(file, ("messages",))
    format_name = sample.fields.get("trajectory_format")
    if isinstance(format_name, str) and format_name.startswith("mini-swe-agent"):
        return 0.99, f"trajectory_format is {format_name}"
    if _is_run_info(sample.fields.get("info")):
        return 0.98, "messages beside the info of a run"
    objects = [value for value in sample.records if isinstance(value, dict)]
    if any(value.get("role") == _EXIT_ROLE for value in objects):
        return 0.97, "a last message with the role exit"
    # Older versions wrote nothing but a list of messages, as many programs do: only the words of
    # its prompt tell them apart.
    is_bare = all(value.keys() <= _MESSAGE_FIELDS for value in objects[:3])
    if sample.fields or not is_bare:
        return 0.0, ""
    for marker in _SUBMIT_MARKERS:
        if _mentions(objects[:2], marker):
            return 0.97, f"a list of messages that speaks of {marker}"
    return 0.0, ""


def _is_run_info(info: Json) -> bool:
    if not isinstance(info, dict):
        return False
    return "mini_version" in info or {"exit_status", "submission"} <= info.keys()


def _mentions(values: Sequence[Mapping[str, Json]], marker: str) -> bool:
    contents = (value.get("content") for value in values)
    return any(isinstance(content, str) and marker in content for content in contents)


def _read_mini(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one run. What the harness wrote in the user's role gets MessageFlag.META: the message
    with the role ``exit``, outputs of commands, and what the file's own marks name."""
    loaded = conversation_records(file, ("messages",), request)
    by_harness = _harness_words(fields_of(loaded.fields.get("info")))
    messages = read_messages(loaded, _ROLES)
    reports = UsageReports()
    for record in loaded.records:
        response = fields_of(nested(record.value, "extra", "response"))
        usage = openai_usage(response.get("usage"))
        model = coerce_text(response.get("model"))
        cached = nested(response, "usage", "prompt_tokens_details", "cached_tokens")
        cost = nested(record.value, "extra", "cost")
        cache = reported_cache(cached, cost=cost)
        reports.add(record.source(), *usage, model, cache)
    return replace(
        loaded.conversation("mini_swe_agent", tuple(_flagged(messages, by_harness))),
        model=coerce_text(
            nested(loaded.fields.get("info"), "config", "model", "model_name")
        ),
        usage=reports.reported_usage(messages),
        title=coerce_text(loaded.fields.get("instance_id")),
    )


def _harness_words(info: Mapping[str, Json]) -> Callable[[str], bool]:
    """Return what tells a text of the harness in the user's role: how its templates for outputs and
    errors begin, or what was submitted at the end."""
    configs = (fields_of(nested(info, "config", part)) for part in ("agent", "model"))
    templates = (
        string_of(template)
        for config in configs
        for name, template in config.items()
        if name.endswith(_TEMPLATE) and not name.startswith(_TASK_TEMPLATES)
    )
    starts = (
        re.split(r"\{[{%#]", template, maxsplit=1)[0].strip() for template in templates
    )
    words = (_OBSERVATION_START, *(one for one in starts if len(one) >= _LEAST_START))
    submission = string_of(info.get("submission")).strip()
    return lambda text: (
        text.startswith(words) or (bool(submission) and text == submission)
    )


def _flagged(
    messages: Sequence[Message], by_harness: Callable[[str], bool]
) -> Iterator[Message]:
    """Yield the messages with flags and times; the task in front of all answers is the person's."""
    has_answered = False
    for message in messages:
        has_answered = has_answered or message.speaker is Speaker.AI
        details = fields_of(message.extra.get("extra"))
        is_answer = message.speaker is Speaker.HUMAN and has_answered
        flags = message.flags
        if _is_of_harness(message, is_answer, by_harness):
            flags |= MessageFlag.META
        # Presumably newer versions keep the time beside the answer of the API.
        time = (details or message.extra).get("timestamp")
        yield replace(message, flags=flags, timestamp=iso_timestamp(time))


def _is_of_harness(
    message: Message, is_answer: bool, by_harness: Callable[[str], bool]
) -> bool:
    """Return whether the harness wrote a message, by its role, its marks, or its words."""
    if message.extra.get("role") == _EXIT_ROLE:
        return True
    details = fields_of(message.extra.get("extra"))
    mark = string_of(details.get("interrupt_type"))
    # Other marks are those of limits and errors of the format.
    if mark and mark != _BY_THE_PERSON:
        return True
    if not is_answer:
        return False
    if "returncode" in details or "raw_output" in details:
        return True
    return mark != _BY_THE_PERSON and by_harness(joined_text(message).strip())


MINI_SWE_AGENT = Format(
    name="mini_swe_agent",
    label="mini-swe-agent",
    about=(
        "Trajectories of mini-swe-agent (.traj.json), with commands as tool calls or in the text."
    ),
    score=_mini_score,
    read=_read_mini,
    read_only=ReadOnly.RECORD,
)
