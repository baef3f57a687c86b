"""Reads lists of messages: finds the list, lists several for a picker, and builds the
Conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.facts.sentences import begins_as_summary, plain_text
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
    line_records,
    note_problems,
)
from core.formats.common.format import ReadRequest
from core.formats.common.json_parsing import (
    JsonDocument,
    JsonRecord,
    fields_of,
    list_of,
    parse_json_document,
)
from core.formats.common.messages import ImportNotes, link_calls
from core.formats.common.open_document import (
    check_unchanged,
    document_lines,
    read_document,
    read_line,
    read_range,
)
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Message,
    Speaker,
    SystemPart,
    joined_text,
)

_SAMPLE_SIZE = 200
_MAX_RECORDS_PER_CONVERSATION = (
    3  # in a list of conversations, one in this many records must hold one
)
_ID_FIELDS = (
    "id",
    "instance_id",
    "task_id",
    "session_id",
    "conversation_id",
    "name",
    "title",
)
# Of LangChain and OpenHands.
_INNER_MESSAGE_FIELDS = (
    "data",
    "kwargs",
    "llm_message",
    "args",
)
_MAX_TITLE_LENGTH = 80


def check_number(name: str, number: int, count: int) -> None:
    """Raise InputError for a conversation number that the document does not have."""
    if not 1 <= number <= count:
        raise InputError(
            f"There is no conversation {number} in {name}, which holds {count:,}.",
            f"Choose a number from 1 to {count}."
            if count > 1
            else "Leave the number out.",
        )


def check_branch(name: str, branch: int, count: int) -> None:
    """Raise InputError for a branch that the conversation does not have."""
    if not 1 <= branch <= max(1, count):
        raise InputError(
            f"There is no branch {branch} in {name}, which has {count:,}.",
            f"Choose a number from 1 to {count}."
            if count > 1
            else "Leave the branch out.",
        )


def numbered(
    conversation: Conversation, number: int, listed: Sequence[ListedConversation]
) -> Conversation:
    """Return a conversation with its number, and the list of all in the document if there are
    several."""
    if len(listed) > 1:
        others = tuple(listed)
    else:
        others = ()
    return replace(
        conversation, number=number, siblings=max(1, len(listed)), listed=others
    )


def first_words(text: str) -> str:
    """Return the beginning of a text on one line, short enough for a list."""
    line = " ".join(text[: 4 * _MAX_TITLE_LENGTH].split())
    if len(line) <= _MAX_TITLE_LENGTH:
        return line
    return f"{line[: _MAX_TITLE_LENGTH - 1].rstrip()}…"


def _is_prompt(message: Message) -> bool:
    # Some agents put their summary in front of all as the system's words.
    return message.speaker is Speaker.SYSTEM and not begins_as_summary(
        plain_text(message)
    )


@dataclass(slots=True, kw_only=True)
class ConversationRecords:
    """The records of one conversation. ``fields`` are the other fields of the object that holds
    them; ``layout`` is the conversation's (FORMATS.md); ``listed`` are all conversations if there
    are several. ``system_texts`` are those of the messages of the system that ``read_messages``
    found in front."""

    file: OpenedDocument
    notes: ImportNotes
    records: tuple[JsonRecord, ...]
    fields: Mapping[str, Json]
    layout: dict[str, Json]
    number: int = 1
    siblings: int = 1
    listed: tuple[ListedConversation, ...] = ()
    system_texts: list[str] = field(default_factory=list)

    def read_messages(
        self,
        read_record: Callable[[JsonRecord, ImportNotes], Sequence[Message]],
        records: Sequence[JsonRecord] | None = None,
    ) -> tuple[Message, ...]:
        """Return the messages of all records, linked, without those of the system in front of a
        summary or of the first words."""
        messages: list[Message] = []
        for record in self.records if records is None else records:
            record_messages = read_record(record, self.notes)
            if not messages and record_messages and _is_prompt(record_messages[0]):
                self.add_system(record, joined_text(record_messages[0]))
            else:
                messages += record_messages
        return link_calls(messages, self.notes)

    def add_system(self, record: JsonRecord, *texts: str) -> None:
        self.system_texts += texts
        self.layout.setdefault("system", []).append(
            [record.line, record.start, record.end]
        )

    def conversation(
        self, format: str, messages: tuple[Message, ...], tools: Sequence[Json] = ()
    ) -> Conversation:
        """Return the conversation with what every list of messages has."""
        self.notes.records = len(self.records)
        return Conversation(
            format=format,
            document=self.file.document,
            messages=messages,
            system=SystemPart(tuple(self.system_texts), tuple(tools)),
            report=self.notes.report(),
            number=self.number,
            siblings=self.siblings,
            listed=self.listed,
            layout=self.layout,
        )


@dataclass(frozen=True, slots=True)
class DetectionSample:
    """First records of the first conversation; ``has_records`` is False if there is no list of
    records."""

    has_records: bool
    records: tuple[Json, ...] = ()
    fields: Mapping[str, Json] = field(default_factory=dict)
    unit: str = "messages"

    def share(self, count: int) -> float:
        return count / len(self.records)

    def counted(self, count: int) -> str:
        return f"{count} of {len(self.records)} {self.unit}"


def detection_sample(file: OpenedDocument, keys: Sequence[str]) -> DetectionSample:
    """Return the list under the first of ``keys``, else the top array or lines."""
    if not file.head:
        return DetectionSample(file.container is DocumentContainer.ARRAY)
    conversations = [value for value in file.head if _messages_key(value, keys)]
    message_count = sum(
        _is_message(value) and not _messages_key(value, keys) for value in file.head
    )
    if conversations and len(conversations) >= message_count:
        # A few lists among many other records are fields of these, no conversations.
        if _MAX_RECORDS_PER_CONVERSATION * len(conversations) < len(file.head):
            return DetectionSample(False)
        first = conversations[0]
        key = _messages_key(first, keys)
        return DetectionSample(
            True, tuple(first[key][:_SAMPLE_SIZE]), _other_fields(first, key)
        )
    if file.container is DocumentContainer.OBJECT:
        return DetectionSample(False)
    unit = "lines" if file.container is DocumentContainer.LINES else "messages"
    return DetectionSample(True, file.head, {}, unit)


def _place_of_list(
    file: OpenedDocument, index: int, record: JsonRecord, key: str
) -> dict[str, Json]:
    if file.container is DocumentContainer.LINES:
        return {"path": [key], "line": record.line}
    return {"path": [index, key]}


def _note_without_list(
    records: Iterable[JsonRecord], key: str, notes: ImportNotes
) -> None:
    for record in records:
        notes.warn(record.line, f"the record has no list of {key}; it was skipped")
        notes.skip(f"without {key}", line=record.line)


def conversation_records(
    file: OpenedDocument,
    keys: Sequence[str],
    request: ReadRequest,
    notes: ImportNotes | None = None,
) -> ConversationRecords:
    """Return the requested records. Raises InputError if no conversation has that number."""
    notes = notes or ImportNotes()
    if file.container is DocumentContainer.OBJECT:
        return _object_records(file, keys, request, notes)
    selected: tuple[int, JsonRecord] | None = None
    plain_records: list[JsonRecord] = []
    listed: list[ListedConversation] = []
    for index, record in enumerate(
        iterate_records(file, notes, request.progress, request.stop)
    ):
        if not (key := _messages_key(record.value, keys)):
            plain_records.append(record)
            continue
        title = _id_title(record.value, key) or _first_prompt(record.value[key])
        listed.append(
            ListedConversation(
                len(listed) + 1, title, _message_count(record.value[key])
            )
        )
        if len(listed) == request.conversation:
            selected = index, record
    message_count = sum(_is_message(record.value) for record in plain_records)
    # Plain messages that happen to hold a list are messages: more of them have none.
    if 0 < len(listed) < message_count:
        notes.skip(f"with {keys[0]} of its own", len(listed))
        notes.warn(
            0,
            f"{len(listed)} of the records hold {keys[0]} of their own; they were skipped",
        )
        listed, selected = [], None
    check_number(file.document.name, request.conversation, max(1, len(listed)))
    container = file.container.value
    if selected is None:
        return ConversationRecords(
            file=file,
            notes=notes,
            records=tuple(plain_records),
            fields={},
            layout={"container": container, "path": []},
        )
    _note_without_list(plain_records, keys[0], notes)
    index, record = selected
    key = _messages_key(record.value, keys)
    fields = _other_fields(record.value, key)
    place = _place_of_list(file, index, record, key)
    layout = {"container": container, **place, "beside": [*fields]}
    records = inner_document(file, record).arrays[key]
    entries = tuple(listed) if len(listed) > 1 else ()
    return ConversationRecords(
        file=file,
        notes=notes,
        records=records,
        fields=fields,
        layout=layout,
        number=request.conversation,
        siblings=len(listed),
        listed=entries,
    )


def inner_document(file: OpenedDocument, record: JsonRecord) -> JsonDocument:
    """Parse a record again, with the places of what is in it."""
    # The first reading keeps no places of inner values, which would take memory for all lines.
    data = read_range(file.document, record.start, record.end)
    return parse_json_document(data, line=record.line, start=record.start)


def _object_records(
    file: OpenedDocument, keys: Sequence[str], request: ReadRequest, notes: ImportNotes
) -> ConversationRecords:
    assert file.json is not None, "an object was read whole"
    note_problems(file.json, notes)
    if not (key := _messages_key(file.json.value, keys)):
        names = " or ".join(f'"{name}"' for name in keys)
        raise InputError(
            f"{file.document.name} has no list {names} at its top.",
            "Choose a transcript of this format, or let the format be found by content.",
        )
    check_number(file.document.name, request.conversation, 1)
    fields = _other_fields(file.json.value, key)
    layout: dict[str, Json] = {
        "container": "object",
        "path": [key],
        "beside": [*fields],
    }
    return ConversationRecords(
        file=file,
        notes=notes,
        records=file.json.arrays[key],
        fields=fields,
        layout=layout,
    )


def iterate_source_records(conversation: Conversation) -> Iterator[JsonRecord]:
    """Yield the same one by one; of lines no more than one is in memory."""
    if "line" in conversation.layout or conversation.layout.get("container") != "jsonl":
        yield from source_records(conversation)
        return
    check_unchanged(conversation.document)
    document = conversation.document
    yield from line_records(document, document_lines(document), ImportNotes())


def source_records(conversation: Conversation) -> Sequence[JsonRecord]:
    """Read the records of a conversation's list again. Raises InputError if the file changed."""
    document, layout = conversation.document, conversation.layout
    path = layout.get("path", ())
    if "line" in layout:
        line = read_line(document, layout["line"])
        return parse_json_document(
            line.data, line=line.number, start=line.start
        ).arrays[path[-1]]
    if layout.get("container") == "jsonl":
        return list(iterate_source_records(conversation))
    data = read_document(document)
    parsed = parse_json_document(data)
    if len(path) < 2:
        if path:
            return parsed.arrays[path[0]]
        return parsed.records or ()
    run = (parsed.records or ())[path[0]]
    return parse_json_document(
        data[run.start : run.end], line=run.line, start=run.start
    ).arrays[path[-1]]


def _messages_key(value: Json, keys: Sequence[str]) -> str:
    # A call's result may be a list.
    if not isinstance(value, dict) or "call_id" in value:
        return ""
    return next((key for key in keys if isinstance(value.get(key), list)), "")


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and not value.keys().isdisjoint(
        ("role", "from", "speaker")
    )


def _other_fields(value: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    return {name: item for name, item in value.items() if name != key}


def _id_title(record: Mapping[str, Json], key: str) -> str:
    """Return the id of a conversation, with its trial, as its title; "" if it has none."""
    for name in _ID_FIELDS:
        if name == key:
            value = None
        else:
            value = record.get(name)
        if (
            isinstance(value, str | int)
            and not isinstance(value, bool)
            and str(value).strip()
        ):
            trial = record.get("trial")
            if str(value).isdecimal():
                title = f"{name.removesuffix('_id')} {value}"
            else:
                title = str(value)
            return first_words(title) + (
                f", trial {trial}" if isinstance(trial, int) else ""
            )
    return ""


def _message_count(records: Sequence[Json]) -> int | None:
    """Count records without leading system messages, as readers count them; a user's record with a
    tool result beside other content counts as two. None for records of other kinds."""
    count = 0
    for record in records:
        fields = fields_of(record)
        role = fields.get("role", fields.get("from", fields.get("speaker")))
        if not isinstance(role, str) or not fields.keys().isdisjoint(
            ("type", "parts", "call_id")
        ):
            # How many messages these become only their reader knows.
            return None
        if count or role not in ("system", "developer"):
            if role == "user":
                parts = list_of(fields.get("content"))
            else:
                parts = ()
            is_result = {
                part.get("type") == "tool_result"
                for part in parts
                if isinstance(part, dict)
            }
            # A reader makes two messages of results and words: one of the tools, one of the user.
            count += max(1, len(is_result))
    return count


def _first_prompt(records: Sequence[Json]) -> str:
    for record in map(fields_of, records):
        if _is_of_person(record):
            words = first_words(_said(record))
            if words:
                return words
    return ""


def _is_of_person(record: Mapping[str, Json]) -> bool:
    roles = [record.get(name) for name in ("role", "from", "speaker", "type", "source")]
    # In LangChain's constructors the path of a class.
    roles += list_of(record.get("id"))[-1:]
    return any(name in ("user", "human", "HumanMessage") for name in roles)


def _said(record: Mapping[str, Json]) -> str:
    """Return the text of a record, wherever formats have it; "" without any."""
    message = record
    for name in _INNER_MESSAGE_FIELDS:
        if isinstance(record.get(name), dict):
            message = record[name]
            break
    names = ("content", "value", "parts", "blocks")
    content = next((message[name] for name in names if name in message), None)
    if isinstance(content, str):
        return content
    texts = [fields_of(part).get("text") for part in list_of(content)]
    return " ".join(text for text in texts if isinstance(text, str))
