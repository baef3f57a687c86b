"""Readers for chats of VS Code: sessions (chatSessions), and replays of Copilot.

A session is one JSON value, or the log of its changes. The requests of the model are in the
metadata of an answer: rounds with calls, and the results by call. A summary in them replaces
everything up to its round.

A replay holds prompts with their requests, tool calls and answers. Each prompt is a conversation:
the messages of its last request with tools, which includes earlier turns, then the answer. Earlier
requests of a prompt are beginnings of the last one; requests without tools (for a title or a commit
message) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.document import OpenedDocument, iterate_records
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
    json_or_text,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    check_number,
    first_words,
    inner_document,
    numbered,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    link_calls,
    shaped_block,
    unreadable_message,
)
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.common.stored_sessions import stored_document, with_outer_notes
from core.formats.openai_chat_messages import function_call, read_call
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Media,
    Message,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
)

# Numbers as VS Code writes them, which has no names for them in the file.
_SET_WHOLE, _SET, _APPEND = 0, 1, 2


def _read_chat(file: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(file.document.name, request.conversation, 1)
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    # Probably older versions write the state itself, newer ones the log of its changes.
    if "requests" in first:
        return _read_session(file, request)
    notes = ImportNotes()
    state: dict[str, Json] = {}
    for record in iterate_records(file, notes, request.progress, request.stop):
        notes.records += 1
        state = _changed(state, fields_of(record.value), notes, record.line)
    fields = {name: value for name, value in state.items() if name != "requests"}
    inner, _ = stored_document(
        file.document, fields, "requests", list_of(state.get("requests"))
    )
    conversation = _read_session(inner, request)
    return replace(
        conversation, report=with_outer_notes(conversation.report, notes.report())
    )


def _changed(
    state: dict[str, Json], change: Mapping[str, Json], notes: ImportNotes, line: int
) -> dict[str, Json]:
    """Apply a change: a whole value, or one set or appended at a path."""
    kind = change.get("kind")
    path = list_of(change.get("k"))
    value = change.get("v")
    if kind == _SET_WHOLE:
        return dict(fields_of(value))
    target: Json = state
    try:
        for step in path[:-1]:
            target = target[step]
        if kind == _SET:
            # Probably a set right behind the end of a list adds an entry.
            if isinstance(target, list) and path[-1] == len(target):
                target.append(value)
            else:
                target[path[-1]] = value
        elif kind == _APPEND:
            if isinstance(target, dict):
                own = target.setdefault(path[-1], [])
            else:
                own = target[path[-1]]
            own.extend(list_of(value))
        else:
            notes.skip(f"change of kind {coerce_text(kind)}", line=line)
    # A change may name what an unread one would have made.
    except (LookupError, TypeError, AttributeError):
        notes.warn(line, "the change has no place in the session; it was skipped")
    return state


def _read_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(
        file, request, "requests", title="customTitle", session_id="sessionId"
    )
    for record in log.records:
        _add(record, log)
    return log.conversation("vscode_chat", file)


def _add(record: JsonRecord, log: SessionLog) -> None:
    """Add a prompt and all that followed it, unless the user took it back."""
    value = record.value
    # VS Code marks what was taken back and leaves it in the file.
    if value.get("isHidden") is True or value.get("shouldBeRemovedOnSend"):
        log.notes.skip("taken back", line=record.line)
        return
    time = value.get("timestamp")
    prompt = string_of(nested(value, "message", "text")) or string_of(
        value.get("message")
    )
    id_ = string_of(value.get("requestId"))
    metadata = fields_of(nested(value, "result", "metadata"))
    log.model = (
        string_of(metadata.get("resolvedModel"))
        or string_of(value.get("modelId"))
        or log.model
    )
    log.add(record, Speaker.HUMAN, [Text(prompt)], id=id_, time=time)
    summaries = _summaries(metadata)
    # The rounds are what was sent to the model; the response is what the window shows.
    rounds = [fields_of(one) for one in list_of(metadata.get("toolCallRounds"))]
    for round_ in rounds:
        _add_round(record, round_, log)
        # A summary replaces what came before its round, so it is noted behind the round.
        summary = summaries.get(coerce_text(round_.get("id")))
        if summary:
            before = number_of(summary.get("contextLengthBefore"))
            log.compact(record, _text(summary.get("text")), before=before)
    # Probably only an answer without tools has no rounds.
    if not rounds and (blocks := _shown_answer(value)):
        log.add(record, Speaker.AI, blocks, id=id_, time=time)
    log.report(metadata.get("promptTokens"), metadata.get("outputTokens"))


def _summaries(metadata: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    """Return the summaries of a request by the id of the round that they were made at."""
    # Probably newer versions have a list and older ones a single summary.
    listed = (*list_of(metadata.get("summaries")), metadata.get("summary"))
    found = [fields_of(one) for one in listed]
    return {coerce_text(one.get("toolCallRoundId")): one for one in found if one}


def _add_round(record: JsonRecord, round_: Mapping[str, Json], log: SessionLog) -> None:
    """Add what the model said and called in a round, and the results."""
    id_ = string_of(record.value.get("requestId"))
    time = record.value.get("timestamp")
    said: list[Block] = []
    if thought := _text(round_.get("thinking")):
        said.append(Thinking(thought))
    if text := _text(round_.get("response")):
        said.append(Text(text))
    calls = [fields_of(call) for call in list_of(round_.get("toolCalls"))]
    said += [_call(call) for call in calls]
    if said:
        log.add(record, Speaker.AI, said, id=id_, time=time)
    results = fields_of(nested(record.value, "result", "metadata", "toolCallResults"))
    ids = [coerce_text(call.get("id")) for call in calls]
    answers: list[Block] = [
        ToolResponse(one, "", _result(results[one], log, record))
        for one in ids
        if one in results
    ]
    if answers:
        log.add(record, Speaker.TOOL, answers, id=id_, time=time)


def _call(call: Mapping[str, Json]) -> ToolCall:
    function = {"name": call.get("name"), "arguments": call.get("arguments", "{}")}
    return function_call(function, coerce_text(call.get("id")), {})


def _shown_answer(value: Mapping[str, Json]) -> list[Block]:
    """Return what the window shows of an answer without rounds."""
    texts: list[str] = []
    thoughts: list[Block] = []
    for part in map(fields_of, list_of(value.get("response"))):
        kind = part.get("kind")
        if kind == "thinking":
            thoughts.append(Thinking(_text(part.get("value"))))
        # Parts without a kind are plain Markdown.
        elif kind in (None, "markdownContent"):
            texts.append(_text(part.get("value", part.get("content"))))
    text = "".join(texts)
    return [*thoughts, *([Text(text)] if text else [])]


def _result(value: Json, log: SessionLog, record: JsonRecord) -> Json:
    """Return the words of a result; one that has content but no words stays as it is, with a
    warning."""
    if (text := _text(value)) or not (
        content := fields_of(value).get("content", value)
    ):
        return text
    log.notes.warn(
        record.line, "a tool result has no words that are understood; kept as it is"
    )
    return content


def _text(value: Json) -> str:
    """Return the words in a text, in values and parts nested in one another, or in a prompt's
    tree."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        if isinstance(node := value.get("node"), dict):
            # The first break belongs to what stands in front of the tree.
            return _node_text(node).removeprefix("\n")
        return next(
            (
                _text(value[name])
                for name in ("value", "text", "content", "children")
                if name in value
            ),
            "",
        )
    return ""


def _node_text(node: Mapping[str, Json]) -> str:
    """Return the text of a node of prompt-tsx and of those below it, with their line breaks."""
    text = string_of(node.get("text"))
    if text and node.get("lineBreakBefore"):
        own = f"\n{text}"
    else:
        own = text
    # Breaks are a mark of a node, not characters of its text.
    return own + "".join(
        _node_text(fields_of(child)) for child in list_of(node.get("children"))
    )


VSCODE_CHAT = Format(
    name="vscode_chat",
    label="VS Code chat",
    about="Chat sessions of VS Code and its relatives (chatSessions/*.json, *.jsonl).",
    score=partial(
        shape_score,
        format="vscode_chat",
        sign="requests of a chat, or the log of its changes",
    ),
    read=_read_chat,
    evidence=ReaderEvidence.DESCRIPTION,
)

# replays

_SPEAKERS = (Speaker.SYSTEM, Speaker.HUMAN, Speaker.AI, Speaker.TOOL)
_ROLE_NAMES = ("system", "user", "assistant", "tool")
# Roles are numbers in a log of the extension and words in one of the API.
_ROLES: Mapping[Json, Speaker] = dict(
    zip((*range(4), *_ROLE_NAMES), 2 * _SPEAKERS, strict=True)
)
# A breakpoint marks where the cache ends and has no words.
_IMAGE, _TEXT, _BREAKPOINT = 0, 1, 3
_ID_SUFFIX = "__vscode"
_SENT = ("requestMessages", "messages")


def _replay_score(file: OpenedDocument) -> FormatScore:
    """Judge by prompts that each hold a log."""
    for value in file.objects:
        prompts = value.get("prompts")
        if isinstance(prompts, list) and prompts and all(map(_is_prompt, prompts)):
            return 0.97, f"prompt and logs in {len(prompts)} of {len(prompts)} prompts"
    return 0.0, ""


def _is_prompt(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and "prompt" in value
        and isinstance(value.get("logs"), list)
    )


def _read_replay(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read the conversation of one prompt; InputError for an unknown number."""
    if file.json:
        all_prompts = file.json.arrays.get("prompts", ())
    else:
        all_prompts = ()
    prompts = [record for record in all_prompts if _is_prompt(record.value)]
    if not prompts:
        raise InputError(
            f'{file.document.name} has no "prompts" with logs.',
            "Choose a chat replay file.",
        )
    check_number(file.document.name, request.conversation, len(prompts))
    notes = ImportNotes()
    chosen = prompts[request.conversation - 1]
    last_request, later_calls = _last_request(
        inner_document(file, chosen).arrays["logs"], notes
    )
    titles = [first_words(coerce_text(record.value["prompt"])) for record in prompts]
    listed = [ListedConversation(*entry) for entry in enumerate(titles, 1)]
    response: JsonRecord | None = None
    if last_request is None:
        text = Text(coerce_text(chosen.value["prompt"]))
        sent_messages = [
            Message(speaker=Speaker.HUMAN, blocks=(text,), sources=(chosen.source(),))
        ]
        metadata: Mapping[str, Json] = {}
    else:
        parts = inner_document(file, last_request).objects
        records = inner_document(file, parts["requestMessages"]).arrays["messages"]
        sent_messages = [_message(record, notes) for record in records]
        response = parts.get("response")
        metadata = _metadata(last_request)
    system = list(
        # The system prompt is sent as the first messages.
        takewhile(lambda message: message.speaker is Speaker.SYSTEM, sent_messages)
    )
    answers = _answer_and_results(response, later_calls)
    conversation = Conversation(
        format="vscode_chat_replay",
        document=file.document,
        messages=link_calls([*sent_messages[len(system) :], *answers], notes),
        system=SystemPart(
            tuple(map(joined_text, system)), tuple(list_of(metadata.get("tools")))
        ),
        report=notes.report(),
        model=coerce_text(metadata.get("model")),
        reported_context=number_of(nested(metadata, "usage", "prompt_tokens")),
        reported_limit=number_of(metadata.get("maxPromptTokens")),
        title=titles[request.conversation - 1],
    )
    return numbered(conversation, request.conversation, listed)


def _last_request(
    logs: Sequence[JsonRecord], notes: ImportNotes
) -> tuple[JsonRecord | None, list[JsonRecord]]:
    chosen = _place_of_last_request(logs)
    later_calls: list[JsonRecord] = []
    for number, record in enumerate(logs):
        kind = coerce_text(nested(record.value, "kind"))
        notes.records += 1
        if number > chosen and kind == "toolCall":
            later_calls.append(record)
        elif number != chosen:
            skipped = "earlier tool call" if kind == "toolCall" else kind or "unknown"
            notes.skip(skipped, line=record.line)
    return (logs[chosen] if chosen >= 0 else None), later_calls


def _place_of_last_request(logs: Sequence[JsonRecord]) -> int:
    """Return the place of the last request, of those with tools if there are any; -1 for none."""
    last = last_with_tools = -1
    for place, record in enumerate(logs):
        if not isinstance(nested(record.value, *_SENT), list):
            continue
        last = place
        # Probably requests without tools are small helpers, such as for a title.
        if _metadata(record).get("tools"):
            last_with_tools = place
    return last if last_with_tools < 0 else last_with_tools


def _metadata(request: JsonRecord) -> Mapping[str, Json]:
    return fields_of(nested(request.value, "metadata"))


def _answer_and_results(
    response: JsonRecord | None, later_calls: Sequence[JsonRecord]
) -> list[Message]:
    if response is not None:
        message = response.value.get("message")
    else:
        message = None
    if isinstance(message, list):
        parts = message
    else:
        parts = [message]
    text = "".join(part for part in parts if isinstance(part, str))
    blocks: list[Block] = [Text(text)] if text else []
    answers: list[Message] = []
    for record in later_calls:
        call, tool_response = _logged_call(record.value)
        blocks.append(call)
        answers.append(
            Message(
                # A logged call is a record of its own behind the request that it answers.
                speaker=Speaker.TOOL,
                blocks=(tool_response,),
                sources=(record.source(),),
            )
        )
    first = next(filter(None, (response, *later_calls)), None)
    if first is None or not blocks:
        return answers
    return [
        Message(speaker=Speaker.AI, blocks=tuple(blocks), sources=(first.source(),)),
        *answers,
    ]


def _logged_call(value: Mapping[str, Json]) -> tuple[ToolCall, ToolResponse]:
    """Read a logged tool call without the suffix that VS Code adds to its id."""
    id_, name = (
        # Probably the suffix makes ids unique for VS Code; the model never saw it.
        coerce_text(value.get("id")).split(_ID_SUFFIX)[0],
        coerce_text(value.get("tool")),
    )
    arguments = json_or_text(value.get("args"))
    answer = value.get("response")
    if isinstance(answer, list):
        parts = answer
    else:
        parts = [answer]
    texts = [part for part in parts if isinstance(part, str)]
    result: Json = "\n".join(texts) if len(texts) == len(parts) else answer
    return ToolCall(id_, name, arguments), ToolResponse(
        id_, name, "" if result is None else result
    )


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    value = record.value
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    role = value.get("role")
    content = value.get("content")
    if isinstance(role, int | str):
        speaker = _ROLES.get(role)
    else:
        speaker = None
    if speaker is None:
        notes.warn(
            record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown"
        )
    blocks = _parts(content)
    if speaker is Speaker.TOOL:
        texts = [block.text for block in blocks if isinstance(block, Text)]
        result = "\n".join(texts) if len(texts) == len(blocks) else content
        blocks = (ToolResponse(coerce_text(value.get("toolCallId")), "", result),)
    calls = (
        read_call(call, notes, record.line) for call in list_of(value.get("toolCalls"))
    )
    extra = other_fields(value, ("role", "content", "toolCalls", "toolCallId"))
    return Message(
        speaker=speaker or Speaker.UNKNOWN,
        blocks=(*blocks, *calls),
        sources=(record.source(),),
        extra=extra,
    )


def _parts(content: Json) -> tuple[Block, ...]:
    if isinstance(content, str):
        if content:
            return (Text(content),)
        return ()
    blocks = [
        _part(part) for part in list_of(content) if nested(part, "type") != _BREAKPOINT
    ]
    return tuple(block for block in blocks if not isinstance(block, Text) or block.text)


_PARTS = {str(_TEXT): BlockShape(Text, ("text",), required=("text",))}


def _part(part: Json) -> Block:
    image = fields_of(nested(part, "imageUrl"))
    if nested(part, "type") == _IMAGE and isinstance(image.get("url"), str):
        extra = other_fields(part, ("type", "imageUrl"))
        return Media(coerce_text(image.get("mediaType")), image["url"], "", extra)
    return shaped_block(part, _PARTS)


VSCODE_CHAT_REPLAY = Format(
    name="vscode_chat_replay",
    label="VS Code chat replay",
    about=(
        "Chat replays of VS Code's Copilot: each prompt a conversation, as its last request "
        "sent it."
    ),
    score=_replay_score,
    read=_read_replay,
    read_only=ReadOnly.RECORD,
)
