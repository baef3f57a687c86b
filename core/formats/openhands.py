"""Reader for OpenHands: event lists of version 0 and 1, and runs that hold one as ``history``.

Messages have no ``extra``: their records are the events, one source each, re-read by
``core.formats.common.open_document.read_source``. Parallel calls of one answer form one message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
from core.formats.common.archives import ArchiveMember, open_member, read_members
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    parse_bytes,
    string_of,
)
from core.formats.common.message_lists import (
    check_number,
    conversation_records,
    detection_sample,
    numbered,
)
from core.formats.common.messages import (
    MADE_ID,
    ImportNotes,
    UsageReports,
    link_calls,
    openai_usage,
    record_messages,
)
from core.formats.openai_chat_messages import ROLES, read_arguments
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    SourceDocument,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SYSTEM_PROMPT, STATE_UPDATE = "SystemPromptEvent", "ConversationStateUpdateEvent"
REDACTED, REASONING_ITEM = "redacted_thinking", "reasoning"
"""Kinds of encrypted reasoning: a block, and an item of the Responses API."""
_V1_KINDS = (
    *(
        SYSTEM_PROMPT,
        "MessageEvent",
        "ActionEvent",
        "ObservationEvent",
        "AgentErrorEvent",
    ),
    *("UserRejectObservation", "Condensation", "CondensationRequest", STATE_UPDATE),
)
"""The kinds that identify such a file; others are counted and skipped."""
# The observation is sometimes the word "null" instead of the value.
_HIDDEN_V0_EVENTS = (
    *("null", "change_agent_state", "agent_state_changed", "recall"),
    *("pause", "resume", "stop", "start", "condensation_request"),
)
"""Actions and observations that are in no request to the model."""


@dataclass(slots=True, eq=False)
class OpenHandsEvent:
    """One event that the model sees, as a message. Events of one ``group`` are one message of the
    conversation: the parallel calls of one answer. ``slot`` is the place of that message; -1 for a
    system prompt or a summary, which are in the model's view only."""

    message: Message
    group: str = ""
    slot: int = -1


def visible_event(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker,
    blocks: Sequence[Block],
    *,
    group: str = "",
    flags: MessageFlag = MessageFlag.NONE,
) -> OpenHandsEvent:
    id_ = coerce_text(value.get("id"))
    time = coerce_text(value.get("timestamp"))
    return OpenHandsEvent(
        record_messages(source, [(speaker, blocks)], flags, id_, time)[0], group
    )


def is_v1_event(value: Json) -> bool:
    return (
        isinstance(value, dict) and value.get("kind") in _V1_KINDS and "source" in value
    )


def is_v0_event(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    has_name = isinstance(value.get("action"), str) or isinstance(
        value.get("observation"), str
    )
    return has_name and any(name in value for name in ("args", "content", "message"))


def event_name(value: Mapping[str, Json]) -> str:
    names = (coerce_text(value.get(name)) for name in ("kind", "action", "observation"))
    return next(filter(None, names), "no action or observation")


def condensation_fields(value: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return what a condensation forgets and adds; None for another event."""
    if "kind" in value:
        return value if value["kind"] == "Condensation" else None
    if value.get("action") == "condensation":
        return fields_of(value.get("args"))
    return None


def system_part(value: Mapping[str, Json]) -> tuple[list[str], Json] | None:
    """Return the texts of a system prompt event, with its additions for this run, and its tools."""
    if value.get("kind") == SYSTEM_PROMPT:
        # Probably what is added for one run stands apart so that the prompt stays in the cache.
        parts = (value.get("system_prompt"), value.get("dynamic_context"))
        texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
        words = [text for text in texts if isinstance(text, str) and text]
        return words, value.get("tools")
    # Version 0 has actions instead of kinds.
    if "kind" not in value and value.get("action") == "system":
        text = string_of(nested(value, "args", "content"))
        return [text] if text else [], nested(value, "args", "tools")
    return None


def _observed(observation: Json) -> tuple[Json, Json]:
    """Return the result of an observation, and its error."""
    if not isinstance(observation, dict):
        return observation, MISSING
    others = dict(other_fields(observation, ("kind",)))
    # Some tools give neither content nor output, so the model gets their fields as they are.
    result = observation.get("content", observation.get("output", others))
    result = _with_affixes(result, *affixes(observation))
    if observation.get("is_error") is True:
        return result, plain_text(result)
    return result, MISSING


def read_v1_event(value: Mapping[str, Json], source: Source) -> OpenHandsEvent | None:
    """Convert an event of version 1; None for one that the model never sees."""
    error: Json = MISSING
    match value.get("kind"):
        case "SystemPromptEvent":
            return visible_event(value, source, Speaker.SYSTEM, ())
        case "MessageEvent":
            inner = fields_of(value.get("llm_message"))
            blocks = [*_thoughts(inner), *_content(inner.get("content"))]
            blocks += (
                Text(block.text, {**block.extra, "$field": "extended_content"})
                if isinstance(block, Text)
                else block
                for block in _content(value.get("extended_content"))
            )
            speaker = ROLES.get(string_of(inner.get("role")), Speaker.UNKNOWN)
            return visible_event(value, source, speaker, blocks)
        case "ActionEvent":
            blocks = [
                *_thoughts(value),
                *_content(value.get("thought")),
                _v1_call(value),
            ]
            # Parallel calls are events of their own; only the id of the answer joins them.
            group = coerce_text(value.get("llm_response_id"))
            return visible_event(value, source, Speaker.AI, blocks, group=group)
        case "ObservationEvent":
            result, error = _observed(value.get("observation"))
        case "AgentErrorEvent":
            # The error is all that the model is told.
            result = error = value.get("error", "")
        case "UserRejectObservation":
            result = error = value.get("rejection_reason", "")
        case _:
            return None
    id_ = coerce_text(value.get("tool_call_id"))
    name = coerce_text(value.get("tool_name"))
    return visible_event(
        value, source, Speaker.TOOL, (ToolResponse(id_, name, result, error),)
    )


def affixes(observation: Mapping[str, Json]) -> tuple[str, str]:
    """Return what the model is told before and behind the content of an observation."""
    metadata = fields_of(observation.get("metadata"))
    return string_of(metadata.get("prefix")), string_of(metadata.get("suffix"))


def _with_affixes(content: Json, prefix: str, suffix: str) -> Json:
    if not (prefix or suffix):
        return content
    return _changed_ends(
        content, lambda text: prefix + text, lambda text: text + suffix
    )


def without_affixes(content: Json, prefix: str, suffix: str) -> Json:
    """Return the content of an observation as its event has it."""
    return _changed_ends(
        content,
        lambda text: text.removeprefix(prefix),
        lambda text: text.removesuffix(suffix),
    )


def _changed_ends(
    content: Json, first: Callable[[str], str], last: Callable[[str], str]
) -> Json:
    """Change the beginning and the end of a text, or of the first and the last text of content
    parts."""
    if isinstance(content, str):
        return last(first(content))
    parts = list(list_of(content))
    # The harness adds its words once at each end, however many parts there are.
    texts = [n for n, part in enumerate(parts) if isinstance(nested(part, "text"), str)]
    if not texts:
        return content
    for place, change in ((texts[0], first), (texts[-1], last)):
        parts[place] = {**parts[place], "text": change(parts[place]["text"])}
    return parts


def token_usage(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the token usage of the agent's own model in a state update; empty if there is none."""
    state = fields_of(value.get("value"))
    metrics = fields_of(nested(state.get("stats", state), "usage_to_metrics"))
    # The condenser's own requests are counted apart, under its name.
    own = fields_of(
        next((metric for name, metric in metrics.items() if name != "condenser"), None)
    )
    tokens = own.get("accumulated_token_usage")
    if isinstance(tokens, dict):
        return {**tokens, "model": own.get("model_name")}
    return {}


def _v1_call(value: Mapping[str, Json]) -> ToolCall:
    call = fields_of(value.get("tool_call"))
    function = fields_of(call.get("function")) or call
    name = coerce_text(value.get("tool_name")) or coerce_text(function.get("name"))
    id_ = coerce_text(value.get("tool_call_id")) or coerce_text(call.get("id"))
    # Probably the action has the arguments as the tool checked them, the call those of the model.
    if "arguments" in function:
        return ToolCall(id_, name, *read_arguments(function["arguments"]))
    return ToolCall(
        id_, name, dict(other_fields(fields_of(value.get("action")), ("kind",)))
    )


def _thoughts(value: Mapping[str, Json]) -> list[Block]:
    """Return signed thinking blocks if there are any, else the plain reasoning."""
    thoughts: list[Block] = []
    for block in list_of(value.get("thinking_blocks")):
        if isinstance(nested(block, "thinking"), str):
            thoughts.append(
                Thinking(block["thinking"], other_fields(block, ("type", "thinking")))
            )
        else:
            thoughts.append(Opaque(REDACTED, block))
    if not thoughts and (plain := string_of(value.get("reasoning_content"))):
        thoughts.append(Thinking(plain, {"$field": "reasoning_content"}))
    if value.get("responses_reasoning_item"):
        thoughts.append(Opaque(REASONING_ITEM, value["responses_reasoning_item"]))
    return thoughts


def _content(content: Json) -> list[Block]:
    if isinstance(content, str):
        if content:
            return [Text(content)]
        return []
    blocks: list[Block] = []
    for part in list_of(content):
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            blocks.append(Text(part["text"], other_fields(part, ("type", "text"))))
        elif isinstance(part, dict) and isinstance(part.get("image_urls"), list):
            blocks += [
                Media("", url) for url in part["image_urls"] if isinstance(url, str)
            ]
        else:
            blocks.append(Opaque("content", part))
    return blocks


@dataclass(slots=True)
class EventLinks:
    """Links between events of version 0. ``calls``: the call of each event by its id ("" for a
    message); ``open_call_id``: the last unanswered call in files without ids; ``call_count``: calls
    so far."""

    calls: dict[str, str] = field(default_factory=dict)
    open_call_id: str = ""
    call_count: int = 0


def read_v0_event(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> OpenHandsEvent | None:
    """Convert an event of version 0; None for one that the model never sees."""
    action = value.get("action")
    if not isinstance(action, str):
        if value.get("observation") in _HIDDEN_V0_EVENTS:
            return None
        return _v0_response(value, source, links)
    if action in _HIDDEN_V0_EVENTS:
        return None
    by_user = value.get("source") == "user"
    if action == "system":
        return visible_event(value, source, Speaker.SYSTEM, ())
    if action in ("message", "finish"):
        return visible_event(
            value, source, Speaker.HUMAN if by_user else Speaker.AI, _v0_message(value)
        )
    if by_user:
        text = coerce_text(nested(value, "args", "command")) or coerce_text(
            value.get("message")
        )
        # A command that the person runs has no call that its output could answer.
        links.calls[coerce_text(value.get("id"))] = ""
        blocks = (Text(text),) if text else ()
        return visible_event(
            value, source, Speaker.HUMAN, blocks, flags=MessageFlag.COMMAND
        )
    return _v0_call(value, source, links)


def model_response(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the API's answer that an event of version 0 came from; empty if it is not recorded."""
    return fields_of(nested(value, "tool_call_metadata", "model_response"))


def _v0_message(value: Mapping[str, Json]) -> list[Block]:
    args = fields_of(value.get("args"))
    names = (
        ("final_thought", "thought")
        if value.get("action") == "finish"
        else ("content",)
    )
    texts = (coerce_text(args.get(name)) for name in names)
    text = next(filter(None, texts), coerce_text(value.get("message")))
    images = [
        Media("", url)
        for url in list_of(args.get("image_urls"))
        if isinstance(url, str)
    ]
    return [*([Text(text)] if text else []), *images]


def _v0_call(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> OpenHandsEvent:
    metadata = fields_of(value.get("tool_call_metadata"))
    args = fields_of(value.get("args"))
    id_ = coerce_text(metadata.get("tool_call_id"))
    extra = NO_EXTRA
    if not id_:
        links.call_count += 1
        id_ = f"event-{value.get('id', f'no-{links.call_count}')}"
        extra = MADE_ID
    name = coerce_text(metadata.get("function_name")) or coerce_text(
        value.get("action")
    )
    answer = model_response(value)
    # The thought is what the model said beside the call, not an argument of it.
    arguments: Json = dict(other_fields(args, ("thought",)))
    for choice in list_of(answer.get("choices"))[:1]:
        for call in list_of(nested(choice, "message", "tool_calls")):
            function = fields_of(nested(call, "function"))
            if nested(call, "id") == id_ and "arguments" in function:
                arguments = read_arguments(function["arguments"])[0]
                break
    links.open_call_id = id_
    # Ids begin at 0, so the field itself is asked for, not its truth.
    if "id" in value:
        links.calls[coerce_text(value["id"])] = id_
    thought = coerce_text(args.get("thought"))
    blocks = (
        *((Text(thought),) if thought else ()),
        ToolCall(id_, name, arguments, extra),
    )
    return visible_event(
        value, source, Speaker.AI, blocks, group=coerce_text(answer.get("id"))
    )


def _v0_response(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> OpenHandsEvent | None:
    """Convert the answer to a call; without a call it is a note of the harness."""
    content = value.get("content", "")
    metadata = fields_of(value.get("tool_call_metadata"))
    # A cause of 0 is the first event of the file, not a missing one.
    if value.get("cause") is None:
        cause = None
    else:
        cause = coerce_text(value["cause"])
    id_ = coerce_text(metadata.get("tool_call_id"))
    if not id_ and cause is not None:
        id_ = links.calls.get(cause, "")
    # Old files have no ids at all: an observation answers the call just before it.
    elif not id_ and "id" not in value:
        id_ = links.open_call_id
    if not id_:
        flag = MessageFlag.COMMAND if cause in links.calls else MessageFlag.META
        text = coerce_text(content)
        if text:
            return visible_event(
                value, source, Speaker.HUMAN, (Text(text),), flags=flag
            )
        return None
    links.open_call_id = ""
    error = content if value.get("observation") == "error" else MISSING
    # The id was made for a call without one, so it must not be written back.
    extra = MADE_ID if id_.startswith("event-") else {}
    response = ToolResponse(
        id_, string_of(metadata.get("function_name")), content, error, extra
    )
    return visible_event(value, source, Speaker.TOOL, (response,))


_CONDENSATION_REQUESTS = ("CondensationRequest", "condensation_request")
_MAX_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(slots=True, kw_only=True)
class OpenHandsReplay:
    """State of one pass over the events. ``slots`` are the events of each message."""

    notes: ImportNotes
    slots: list[list[OpenHandsEvent]] = field(default_factory=list)
    view: list[OpenHandsEvent] = field(default_factory=list)  # what the model sees
    recorded: list[RecordedCompaction] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tools: list[Json] = field(default_factory=list)
    system_places: list[list[int]] = field(default_factory=list)
    usage: Mapping[str, Json] = field(default_factory=dict)
    reports: UsageReports = field(default_factory=UsageReports)
    _links: EventLinks = field(default_factory=EventLinks)
    _slot_by_group: dict[str, int] = field(default_factory=dict)
    _is_condensation_requested: bool = False
    _reported_answers: set[str] = field(default_factory=set)  # of version 0
    _pending_usage: tuple[int, int, str] | None = (
        None  # of version 1: a report precedes its answer
    )

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(map(_joined, self.slots))

    def add(self, value: Json, source: Source) -> None:
        if not isinstance(value, dict):
            self.notes.skip("not an object", line=source.line)
            return
        if (system := system_part(value)) is not None:
            self.texts += system[0]
            self.tools += list_of(system[1])
            self.system_places.append([source.line, source.start, source.end])
        self._add_usage(value, source)
        fields = condensation_fields(value)
        if fields is not None:
            self._condense(value, fields, source)
            return
        is_v1 = "kind" in value
        if is_v1:
            event = read_v1_event(value, source)
        else:
            event = read_v0_event(value, source, self._links)
        self._is_condensation_requested |= event_name(value) in _CONDENSATION_REQUESTS
        if event is None:
            self.notes.skip(event_name(value), line=source.line)
            return
        self.view.append(event)
        if system is None:
            self._add_message(event, source)

    def _add_message(self, event: OpenHandsEvent, source: Source) -> None:
        if self._pending_usage is not None and event.message.speaker is Speaker.AI:
            self.reports.add(source, *self._pending_usage)
            self._pending_usage = None
        event.slot = len(self.slots)
        if event.group:
            event.slot = self._slot_by_group.setdefault(event.group, event.slot)
        if event.slot == len(self.slots):
            self.slots.append([])
        self.slots[event.slot].append(event)

    def _add_usage(self, value: Mapping[str, Json], source: Source) -> None:
        if value.get("kind") == STATE_UPDATE:
            self._add_total_usage(token_usage(value))
        answer = model_response(value)
        if "kind" in value or not isinstance(answer.get("usage"), dict):
            return
        # The counts of one answer are those of its own request, not of all so far.
        self.usage = {**answer["usage"], "model": answer.get("model")}
        id_ = coerce_text(answer.get("id")) or str(source.start)
        if id_ not in self._reported_answers:  # each action of an answer repeats it
            self._reported_answers.add(id_)
            self.reports.add(
                source, *openai_usage(answer["usage"]), coerce_text(answer.get("model"))
            )

    def _add_total_usage(self, usage: Mapping[str, Json]) -> None:
        """Take the growth of the sums of all requests as one request, if the turn had no other."""
        if not usage:
            return
        (prompt, output), before = openai_usage(usage), openai_usage(self.usage)
        growth = (prompt or 0) - (before[0] or 0), (output or 0) - (before[1] or 0)
        # A growth by several requests does not equal the reported size of the turn.
        if growth[0] > 0 and sum(growth) == usage.get("per_turn_token"):
            self._pending_usage = (*growth, coerce_text(usage.get("model")))
        self.usage = usage

    def _forget(self, forgotten: Set[str], *, with_summaries: bool) -> None:
        self.view = [entry for entry in self.view if entry.message.id not in forgotten]
        if with_summaries:
            self.view = [entry for entry in self.view if not is_summary(entry)]

    def _condense(
        self, value: Mapping[str, Json], fields: Mapping[str, Json], source: Source
    ) -> None:
        """Remove the forgotten events from the view; a new summary replaces an older one. It is not
        shown to the model without an offset."""
        summary = coerce_text(fields.get("summary"))
        self._forget(_forgotten_ids(fields), with_summaries=bool(summary))
        offset = fields.get("summary_offset")
        if summary and isinstance(offset, int) and offset >= 0:
            message = _summary_message(value, summary, source)
            self.view.insert(offset, OpenHandsEvent(message))
        summaries = tuple(entry.message for entry in self.view if is_summary(entry))
        self.recorded.append(
            RecordedCompaction(
                kind="summary" if summaries else "truncate",
                boundary=len(self.slots),
                trigger="request" if self._is_condensation_requested else "",
                summary=summaries,
                source=source,
                context_after=tuple(self._context()),
            )
        )
        self._is_condensation_requested = False

    def _context(self) -> Iterator[int | Message]:
        visible_by_slot: dict[int, list[OpenHandsEvent]] = {}
        for entry in self.view:
            visible_by_slot.setdefault(entry.slot, []).append(entry)
        for entry in self.view:
            if is_summary(entry):
                yield entry.message
            elif entry.slot >= 0 and (visible := visible_by_slot.pop(entry.slot, None)):
                is_whole = len(visible) == len(self.slots[entry.slot])
                yield entry.slot if is_whole else _joined(visible)


def _summary_message(
    value: Mapping[str, Json], summary: str, source: Source
) -> Message:
    return Message(
        speaker=Speaker.HUMAN,
        blocks=(Text(summary),),
        sources=(source,),
        flags=MessageFlag.RECORDED_SUMMARY,
        id=f"{coerce_text(value.get('id'))}-summary",
        timestamp=coerce_text(value.get("timestamp")),
    )


def is_summary(entry: OpenHandsEvent) -> bool:
    return bool(entry.message.flags & MessageFlag.RECORDED_SUMMARY)


def _forgotten_ids(fields: Mapping[str, Json]) -> frozenset[str]:
    """Return the ids of forgotten events, which are named one by one, or by the first and the
    last."""
    ids = list_of(fields.get("forgotten_event_ids"))
    first = fields.get("forgotten_events_start_id")
    last = fields.get("forgotten_events_end_id")
    if (
        not ids
        and isinstance(first, int)
        and isinstance(last, int)
        # A hostile file could name a range that fills the memory.
        and last - first < _MAX_EVENTS
    ):
        ids = range(first, last + 1)
    return frozenset(map(coerce_text, ids))


def _joined(events: list[OpenHandsEvent]) -> Message:
    first, flags = events[0].message, MessageFlag.NONE
    for event in events:
        flags |= event.message.flags
    blocks = tuple(block for event in events for block in event.message.blocks)
    sources = tuple(source for event in events for source in event.message.sources)
    return Message(
        speaker=first.speaker,
        blocks=blocks,
        sources=sources,
        flags=flags,
        id=first.id,
        timestamp=first.timestamp,
    )


_KEYS = ("history", "trajectory", "events")
_EVENT_FILE = re.compile(r"(?:^|/)event[-_](\d{1,18})[^/]*\.json$")
_STATE_FILE = "base_state.json"


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the kinds of version 1, or the actions and observations of version 0."""
    if file.container is DocumentContainer.ARCHIVE:
        event = _first_event(file)
        is_known = is_v1_event(event) or is_v0_event(event)
        if is_known:
            return (0.97, "a file for each event of OpenHands")
        return (0.0, "")
    sample = detection_sample(_as_lines(file), _KEYS)
    values = [
        item
        for value in sample.records
        for item in (value if isinstance(value, list) else [value])
    ]
    if not sample.has_records or not values:
        return 0.0, ""
    total = len(values)
    if kinds := sum(map(is_v1_event, values)):
        return (
            0.97 * kinds / total,
            f"kinds of OpenHands events in {kinds} of {total} {sample.unit}",
        )
    events = sum(map(is_v0_event, values))
    unit = "events" if sample.unit == "messages" else sample.unit
    return (
        0.97 * events / total,
        f"an action or an observation in {events} of {total} {unit}",
    )


def _as_lines(file: OpenedDocument) -> OpenedDocument:
    is_object = file.container is DocumentContainer.OBJECT
    if is_object and (is_v1_event(file.head[0]) or is_v0_event(file.head[0])):
        return replace(file, container=DocumentContainer.LINES)
    return file


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is not DocumentContainer.ARCHIVE:
        return _read_events(file, request)
    folders = _event_folders(file.members)
    check_number(file.document.name, request.conversation, len(folders))
    folder = list(folders)[request.conversation - 1]
    joined = _joined_events(file, request, folder, folders[folder])
    conversation = _read_events(joined, replace(request, conversation=1))
    listed = tuple(
        ListedConversation(number, name or "events", None, "file")
        for number, name in enumerate(folders, 1)
    )
    conversation = replace(
        conversation, model=conversation.model or _model(file, folder)
    )
    return numbered(conversation, request.conversation, listed)


def _read_events(file: OpenedDocument, request: ReadRequest) -> Conversation:
    notes = ImportNotes()
    raw = conversation_records(_as_lines(file), _KEYS, request, notes)
    replay = OpenHandsReplay(notes=notes)
    for value, source in event_values(raw.records):
        replay.add(value, source)
    messages, usage = replay.messages, replay.usage
    raw.system_texts += replay.texts
    raw.layout["system"] = replay.system_places
    return replace(
        raw.conversation("openhands", link_calls(messages, notes), replay.tools),
        recorded=tuple(replay.recorded),
        model=coerce_text(usage.get("model")),
        # The accumulated prompt_tokens are the sum of all requests, no size of one.
        reported_context=number_of(
            usage.get("per_turn_token", usage.get("prompt_tokens"))
        )
        or None,
        reported_limit=number_of(usage.get("context_window")) or None,
        usage=replay.reports.reported_usage(messages),
        session_id=coerce_text(raw.fields.get("instance_id")),
    )


def event_values(records: Sequence[JsonRecord]) -> Iterator[tuple[Json, Source]]:
    """Yield all events with their place; old runs hold pairs of an action and its observation."""
    for record in records:
        if isinstance(record.value, list):
            values = record.value
        else:
            values = [record.value]
        for part, value in enumerate(values):
            yield value, record.source(part)


def _event_folders(members: Sequence[ArchiveMember]) -> Mapping[str, list[str]]:
    folders: dict[str, list[tuple[int, str]]] = {}
    for member in members:
        if match := _EVENT_FILE.search(member.name):
            folder = member.name.rpartition("/")[0]
            folders.setdefault(folder, []).append((int(match[1]), member.name))
    return {
        folder: [name for _, name in sorted(names)] for folder, names in folders.items()
    }


def _first_event(file: OpenedDocument) -> Json:
    names = next(iter(_event_folders(file.members).values()), [])
    try:
        if names:
            return _member_value(file.document, names[0])
        return None
    except InputError:
        return None


def _joined_events(
    file: OpenedDocument, request: ReadRequest, folder: str, names: Sequence[str]
) -> OpenedDocument:
    parts: list[bytes] = []
    for part in read_members(file.document, names):
        parts.append(part.strip())
        request.progress(len(parts) / len(names), f"reading event {len(parts):,}")
        if request.stop():
            break
    if folder:
        name = f"{file.document.name}/{folder}"
    else:
        name = file.document.name
    return open_text(
        replace(file.document, name=name, data=b"[" + b",\n".join(parts) + b"]")
    )


def _model(file: OpenedDocument, folder: str) -> str:
    places = (folder, folder.rpartition("/")[0])
    state_files = {f"{place}/{_STATE_FILE}".lstrip("/") for place in places}
    name = next(
        (member.name for member in file.members if member.name in state_files), ""
    )
    if name:
        return string_of(
            nested(_member_value(file.document, name), "agent", "llm", "model")
        )
    return ""


def _member_value(document: SourceDocument, name: str) -> Json:
    return parse_bytes(open_member(document, name).data or b"").value


OPENHANDS = Format(
    name="openhands",
    label="OpenHands",
    about="Events of OpenHands 0 and 1 as a list, JSONL or zipped files, and output.jsonl with one run a "
    "line; no real file with a condensation was seen.",
    score=score,
    read=read,
)
