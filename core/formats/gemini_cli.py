"""Reader for sessions of Gemini CLI: one JSON object with its messages, a log of records (JSONL),
or what it prints as a stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    number_of,
    parse_json_document,
    string_of,
)
from core.formats.common.message_lists import (
    check_branch,
    check_number,
    conversation_records,
    first_words,
)
from core.formats.common.messages import ImportNotes, reported_cache
from core.formats.common.open_document import read_range
from core.formats.common.session_log import SessionLog, log_records
from core.formats.gemini_cli_records import (
    DISPLAY_ONLY,
    SNAPSHOT,
    call_ids,
    content_key,
    is_said,
    read_record,
    record_text,
    request_tokens,
    results_of,
)
from core.transcript.model import (
    Conversation,
    ConversationBranch,
    Message,
    MessageFlag,
    RecordedCompaction,
    Source,
    SourceDocument,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

_UPDATE_FIELDS = ("id", "content", "toolCalls")
_PATCH_FIELDS = (*_UPDATE_FIELDS, "updates", "removeIds", "orderIds")


@dataclass(slots=True, eq=False)
class GeminiEntry:
    """One record of the history: its newest value and the place of that. ``patches`` are the lines
    that changed it; it is inactive once a rewind removed it."""

    value: Mapping[str, Json]
    source: Source
    patches: tuple[Source, ...] = ()
    is_active: bool = True


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    source: Source
    entries: tuple[GeminiEntry, ...]


@dataclass(slots=True, kw_only=True)
class GeminiReplay:
    """``log`` holds all records ever written, ``history`` the history by id, ``rewound`` the
    history before each rewind as a branch. The replay ends before the rewind to ``branch``, if it
    is not the first. ``rewrite`` is a history with less than before that nothing has followed yet.
    """

    document: SourceDocument
    branch: int = 1
    notes: ImportNotes = field(default_factory=ImportNotes)
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    history: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewound: list[ConversationBranch] = field(default_factory=list)
    rewrite: tuple[dict[str, GeminiEntry], Source] | None = None

    def add_line(self, record: JsonRecord) -> bool:
        """Apply one line of the log; return False if the replay ends before it."""
        value = record.value
        source = record.source()
        if not isinstance(value, dict):
            self.notes.warn(
                record.line, "the line is JSON but not an object; it was skipped"
            )
            self.notes.skip("not an object")
        elif "$rewindTo" in value:
            return self._rewind(coerce_text(value["$rewindTo"]), record.line)
        elif "$set" in value:
            self._apply_set(value["$set"], source)
        elif "$patch" in value:
            self._apply_patch(fields_of(value["$patch"]), source)
        elif "type" in value or "id" in value:
            self.add_entry(value, source)
        else:
            self.notes.skip("session fields")
            self._update_fields(value)
        return True

    def add_entry(self, value: Mapping[str, Json], source: Source) -> None:
        """Add a record, or update the one in the history with its id."""
        self.end_rewrite()
        id_ = coerce_text(value.get("id"))
        existing = self.history.get(id_)
        if existing is not None and id_:
            # The CLI writes a record again once its calls are done; the last one counts.
            existing.value, existing.source, existing.patches = value, source, ()
            self.notes.skip("written again with the same id")
            return
        entry = GeminiEntry(value, source)
        self.history[id_ or f"at {source.start}"] = entry
        self.log.append(entry)

    def messages(
        self, notes: ImportNotes
    ) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
        """Return the messages that were not rewound, and the compactions between them."""
        messages: list[Message] = []
        indices: dict[GeminiEntry, range] = {}
        recorded: list[RecordedCompaction] = []
        answered_ids: set[str] = set()
        size: int | None = None  # of the last request, in tokens
        for entry in self.log:
            if isinstance(entry, GeminiRewrite):
                recorded.append(
                    _compaction(entry, indices, len(messages), answered_ids, size)
                )
                # The size belongs to the history that was just replaced.
                size = None
            elif entry.is_active:
                size = request_tokens(entry.value) or size
                start = len(messages)
                messages += _entry_messages(entry, notes, answered_ids)
                indices[entry] = range(start, len(messages))
        return messages, tuple(recorded)

    def _update_fields(self, fields: Mapping[str, Json]) -> None:
        self.fields |= {
            key: value for key, value in fields.items() if key != "messages"
        }

    def _apply_set(self, fields: Json, source: Source) -> None:
        if isinstance(fields, dict):
            self._update_fields(fields)
            if isinstance(fields.get("messages"), list):
                self._write_again(fields["messages"], source)
                return
        else:
            self.notes.warn(source.line, "$set holds no fields; it was skipped")
        self.notes.skip("$set")

    def end_rewrite(self) -> None:
        """Replace the history by what was written last, if that is less than it was."""
        if self.rewrite is not None:
            new, source = self.rewrite
            self.rewrite = None
            self._log_rewrite(new, source)
            self.history = new

    def _write_again(self, values: Sequence[Json], source: Source) -> None:
        """Read a whole history, which the CLI writes where it compressed it, and where it only
        added to it."""
        # A resumed session writes its first record, then all of it, then perhaps its compression:
        # only the last of these is sent.
        if self.rewrite is not None:
            self.notes.skip("history rewritten before it was sent")
            self.rewrite = None
        old = [entry.value for entry in self.history.values()]
        old_results = results_of(old)
        new_results = results_of(map(fields_of, values))
        changed = {
            id_
            for id_, result in old_results.items()
            if new_results.get(id_, MISSING) != result
        }
        new, known = self._matched(values, source, changed)
        said = [entry for entry in self.history.values() if is_said(entry.value)]
        kept = [entry for entry in new.values() if is_said(entry.value)]
        if not changed and [entry for entry in kept if entry in known] == said:
            self.notes.skip("history written again, nothing gone")
            self._insert_new_entries(new.values(), known)
            self.history = new
        else:
            self.rewrite = new, source

    def _matched(
        self, values: Sequence[Json], source: Source, changed: Set[str]
    ) -> tuple[dict[str, GeminiEntry], set[GeminiEntry]]:
        """Return the records of a history by id, and those that are known: a record with the
        content of an earlier one is that, whatever its id, but for a call whose result
        ``changed``."""
        by_content: dict[str, list[GeminiEntry]] = defaultdict(list)
        for entry in self.history.values():
            if not call_ids(entry.value) & changed:
                by_content[content_key(entry.value)].append(entry)
        new: dict[str, GeminiEntry] = {}
        known: set[GeminiEntry] = set()
        record_sources: Sequence[Source] = ()
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                continue
            id_ = coerce_text(value.get("id"))
            same = [
                entry
                for entry in by_content.get(content_key(value), ())
                # Two equal prompts are two records: each is matched once.
                if entry not in known
            ]
            if same:
                same_id = self.history.get(id_)
                entry = same_id if same_id in same else same[0]
                known.add(entry)
            else:
                record_sources = record_sources or _record_sources(
                    self.document, source
                )
                entry = GeminiEntry(value, record_sources[index])
            new[id_ or f"{index} of {source.start}"] = entry
        return new, known

    def _log_rewrite(self, new: Mapping[str, GeminiEntry], source: Source) -> None:
        self.notes.skip("history rewritten", line=source.line)
        self.log.append(GeminiRewrite(source, tuple(new.values())))

    def _insert_new_entries(
        self, entries: Iterable[GeminiEntry], known: set[GeminiEntry]
    ) -> None:
        """Insert new records into the log, each before the known one that follows it."""
        new_entries: list[GeminiEntry] = []
        for entry in entries:
            if entry not in known:
                new_entries.append(entry)
            elif new_entries:
                if entry in self.log:
                    index = self.log.index(entry)
                else:
                    index = len(self.log)
                self.log[index:index] = new_entries
                new_entries = []
        self.log.extend(new_entries)

    def _apply_patch(self, patch: Mapping[str, Json], source: Source) -> None:
        """Update records in place where a patch only adds what they lack (a pending result); other
        changes are a rewrite of the history."""

        def fail(error: str) -> None:
            self.notes.skip("$patch that could not be applied")
            self.notes.warn(
                source.line, f"a part of this $patch could not be applied: {error}"
            )

        self.end_rewrite()
        self.notes.skip("$patch")
        if not patch:
            fail("it names nothing to change")
        own = {name: patch[name] for name in _UPDATE_FIELDS if name in patch}
        updates = [
            *([own] if "id" in patch else []),
            *map(fields_of, list_of(patch.get("updates"))),
        ]
        new = dict(self.history)
        for update in updates:
            id_ = coerce_text(update.get("id"))
            entry = new.get(id_) if id_ else None
            if entry is None:
                fail(f"there is no record {id_[:40]!r}")
                continue
            value, only_fills = _updated(entry.value, update, fail)
            if value == entry.value:
                continue
            if not only_fills:
                entry = new[id_] = replace(entry, is_active=True)
            patches = dict.fromkeys((*entry.patches, source))
            entry.value = value
            entry.patches = tuple(patches)
        for name in patch:
            if name not in _PATCH_FIELDS:
                fail(f'the meaning of "{name[:40]}" is not known')
        removed, last = (
            [coerce_text(id_) for id_ in list_of(patch.get(n))]
            for n in ("removeIds", "orderIds")
        )
        new = {id_: entry for id_, entry in new.items() if id_ not in removed}
        new |= {id_: new.pop(id_) for id_ in dict.fromkeys(last) if id_ in new}
        if list(new.values()) != list(self.history.values()):
            self._log_rewrite(new, source)
            self.history = new

    def _rewind(self, id_: str, line: int) -> bool:
        self.end_rewrite()
        number = len(self.rewound) + 2
        if self.branch == number:
            return False
        ids = list(self.history)
        start = 0
        if id_ in self.history:
            start = ids.index(id_)
        else:
            self.notes.warn(
                line,
                "the rewind names a record that is not there; it took back everything",
            )
        # The branch is what was there until the rewind, so it is measured before.
        size = len(self.messages(ImportNotes())[0])
        removed = [self.history.pop(one) for one in ids[start:]]
        for entry in removed:
            entry.is_active = False
        self.notes.skip("$rewindTo")
        self.notes.skip("taken back by a rewind", len(removed))
        values = [entry.value for entry in removed]
        prompts = [
            record_text(value) for value in values if value.get("type") == "user"
        ]
        title = first_words(prompts[0]) if prompts else ""
        self.rewound.append(ConversationBranch(number, title, size, line))
        return True


def _entry_messages(
    entry: GeminiEntry, notes: ImportNotes, answered_ids: set[str]
) -> list[Message]:
    """Return the messages of a record; lines that patched it are sources, too."""
    messages = read_record(entry.value, entry.source, notes, answered_ids)
    return [
        replace(
            m,
            sources=(
                *m.sources,
                *(replace(patch, part=m.sources[0].part) for patch in entry.patches),
            ),
        )
        for m in messages
    ]


def _compaction(
    rewrite: GeminiRewrite,
    indices: Mapping[GeminiEntry, range],
    boundary: int,
    answered_ids: set[str],
    tokens_before: int | None,
) -> RecordedCompaction:
    context_after: list[int | Message] = []
    summary: list[Message] = []
    answered_here: set[str] = set()
    for entry in rewrite.entries:
        if entry in indices:
            context_after += indices[entry]
            answered_here |= results_of([entry.value]).keys()
        elif entry.is_active:
            messages = _entry_messages(entry, ImportNotes(), answered_here)
            # The CLI leaves no mark of a compression; only the snapshot in a new record tells of
            # it.
            if SNAPSHOT in record_text(entry.value):
                messages = [
                    replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY)
                    for m in messages
                ]
                summary += messages
            context_after += messages
    answered_ids |= answered_here
    return RecordedCompaction(
        kind="summary" if summary else "replace",
        boundary=boundary,
        tokens_before=tokens_before,
        summary=tuple(summary),
        kept=tuple(index for index in context_after if isinstance(index, int)),
        source=rewrite.source,
        context_after=tuple(context_after),
    )


def _record_sources(document: SourceDocument, source: Source) -> Sequence[Source]:
    data = read_range(document, source.start, source.end)
    fields = parse_json_document(data, line=source.line, start=source.start).objects[
        "$set"
    ]
    data = read_range(document, fields.start, fields.end)
    inner = parse_json_document(data, line=fields.line, start=fields.start)
    return [record.source() for record in inner.arrays["messages"]]


def _index_of_call(calls: Sequence[Json], id_: str) -> int:
    """Return the place of the call with that id; -1 if none has it."""
    if not id_:
        return -1
    ids = (fields_of(call).get("id") for call in calls)
    return next((index for index, one in enumerate(ids) if one == id_), -1)


def _updated(
    old: Mapping[str, Json], update: Mapping[str, Json], fail: Callable[[str], None]
) -> tuple[dict[str, Json], bool]:
    """Return a record after an update, and whether that only added what the record lacked."""
    for name in update:
        if name not in _UPDATE_FIELDS:
            fail(f'the meaning of "{name[:40]}" is not known')
    new = dict(old)
    only_fills = True
    if "content" in update and update["content"] != old.get("content"):
        new["content"], only_fills = update["content"], not old.get("content")
    for change in map(fields_of, list_of(update.get("toolCalls"))):
        calls = list_of(new.get("toolCalls"))
        id_ = coerce_text(change.get("id"))
        index = _index_of_call(calls, id_)
        if index < 0:
            fail(f"there is no call {id_[:40]!r}")
            continue
        call = fields_of(calls[index])
        new["toolCalls"] = [*calls[:index], {**call, **change}, *calls[index + 1 :]]
        is_same = "result" not in change or call.get("result") == change["result"]
        only_fills = only_fills and (is_same or call.get("result") is None)
    return new, only_fills


_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_EVENT_TYPES = ("init", "message", "tool_use", "tool_result", "error", "result")


# Scripts that run the agent print lines of their own into the same file.
_MIN_SHARE = 0.8  # of records that are events


def is_stream(file: OpenedDocument) -> bool:
    """Return whether lines are events, one of them with the model and the id of a session; who
    runs the agent may write lines of its own in front."""
    values = file.objects if file.container is DocumentContainer.LINES else ()
    count = sum(one.get("type") in _EVENT_TYPES for one in values)
    return any(map(_is_start, values)) and count >= _MIN_SHARE * len(values)


def _is_start(value: Mapping[str, Json]) -> bool:
    return value.get("type") == "init" and {"session_id", "model"} <= value.keys()


def read_stream(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    is_begun = False
    # Some look like items of Responses.
    for record in log_records(replace(file, format=""), request, log):
        is_begun = is_begun or _is_start(record.value)
        if is_begun:
            _add_event(record, log)
        else:
            log.notes.skip("in front of the stream", line=record.line)
    return log.conversation("gemini_cli", file)


def _add_event(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    kind = string_of(record.value.get("type"))
    time = value.get("timestamp")
    id_ = coerce_text(value.get("tool_id"))
    if kind == "message":
        _add_words(record, log)
    elif kind == "tool_use":
        call = ToolCall(
            id_, coerce_text(value.get("tool_name")), value.get("parameters", {})
        )
        log.extend(record, Speaker.AI, [call], time=time)
    elif kind == "tool_result":
        error = fields_of(value.get("error"))
        output = value.get("output", error.get("message", ""))
        failed = value.get("status") not in (None, "success")
        response = ToolResponse(
            id_, "", output, error.get("message", output) if failed else MISSING
        )
        log.extend(record, Speaker.TOOL, [response], time=time)
    else:
        if kind == "init":
            log.session_id = coerce_text(value.get("session_id"))
            log.model = string_of(value.get("model"))
        log.notes.skip(kind or "without a type", line=record.line)


def _add_words(record: JsonRecord, log: SessionLog) -> None:
    """Add a message, or the next piece of the answer."""
    value = record.value
    speaker = _SPEAKERS.get(string_of(value.get("role")), Speaker.UNKNOWN)
    text = Text(coerce_text(value.get("content")))
    if log.messages:
        last = log.messages[-1]
    else:
        last = None
    if last and last.blocks:
        end = last.blocks[-1]
    else:
        end = None
    if (
        last
        and value.get("delta") is True
        and last.speaker is speaker
        and isinstance(end, Text)
    ):
        sources = tuple(dict.fromkeys((*last.sources, record.source())))
        blocks = (*last.blocks[:-1], Text(end.text + text.text))
        log.messages[-1] = replace(last, blocks=blocks, sources=sources)
    elif text.text:
        log.add(record, speaker, [text], time=value.get("timestamp"))


_RECORD_TYPES = ("user", "gemini", *DISPLAY_ONLY)
_OPERATIONS = ("$set", "$rewindTo", "$patch")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by sessionId and projectHash, and by records of the types user and gemini."""
    values = file.objects
    if not values:
        return 0.0, ""
    if is_stream(file):
        return 0.99, "the events of its stream"
    if _is_object(file):
        return _object_score(values[0])
    known = sum(map(_is_line, values))
    if any(map(_is_session_header, values)):
        return 0.98 * known / len(values), "sessionId and projectHash in the first line"
    # The beginning of a file may be cut off.
    if any(value.get("type") == "gemini" and "content" in value for value in values):
        return 0.98 * known / len(values), "records of the type gemini"
    return 0.0, ""


def _object_score(value: Mapping[str, Json]) -> FormatScore:
    """Judge a file of older versions, which is one object."""
    if _is_session_header(value):
        return 0.98, "sessionId and projectHash beside messages"
    records = [record for record in value["messages"] if isinstance(record, dict)]
    if any(record.get("type") == "gemini" for record in records):
        share = sum(map(_is_record, records)) / len(records)
        return 0.8 * share, "messages of the types user and gemini"
    return 0.0, ""


def _is_line(value: Mapping[str, Json]) -> bool:
    """Return whether a line is one of its log: a header, a record, an operation."""
    if _is_session_header(value) or _is_record(value):
        return True
    return any(name in value for name in _OPERATIONS)


def _is_object(file: OpenedDocument) -> bool:
    return file.container is DocumentContainer.OBJECT and isinstance(
        file.objects[0].get("messages"), list
    )


def _is_session_header(value: Mapping[str, Json]) -> bool:
    return "sessionId" in value and "projectHash" in value


def _is_record(value: Mapping[str, Json]) -> bool:
    return (
        value.get("type") in _RECORD_TYPES
        and "id" in value
        and "content" in value
        # Records have a type where messages of the API have a role.
        and "role" not in value
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session; the history before each rewind is a branch."""
    check_number(file.document.name, request.conversation, 1)
    if is_stream(file):
        return read_stream(file, request)
    is_object = _is_object(file)
    if is_object:
        main = _read_object(file, request)
    else:
        main = _replay_log(file, request, 1)
    check_branch(file.document.name, request.branch, 1 + len(main.rewound))
    if request.branch == 1:
        replay = main
    else:
        replay = _replay_log(file, request, request.branch)
    messages, recorded = replay.messages(replay.notes)
    log = SessionLog(
        answers_are_records=True,
        notes=replay.notes,
        messages=messages,
        recorded=[*recorded],
        title=coerce_text(replay.fields.get("summary")),
    )
    log.session_id = coerce_text(replay.fields.get("sessionId"))
    _add_usage(log, replay)
    is_array = file.container is DocumentContainer.ARRAY
    container = DocumentContainer.OBJECT if is_object else DocumentContainer.LINES
    return replace(
        log.conversation("gemini_cli", file),
        branches=(_default_branch(main), *main.rewound) if main.rewound else (),
        branch=request.branch,
        layout={
            "container": (file.container if is_array else container).value,
            "path": ["messages"] if is_object else [],
        },
    )


def _read_object(file: OpenedDocument, request: ReadRequest) -> GeminiReplay:
    replay = GeminiReplay(document=file.document)
    raw = conversation_records(file, ("messages",), request, replay.notes)
    replay.fields |= raw.fields
    for record in raw.records:
        replay.notes.records += 1
        if isinstance(record.value, dict):
            replay.add_entry(record.value, record.source())
        else:
            replay.notes.warn(record.line, "a record is not an object; it was skipped")
            replay.notes.skip("not an object")
    return replay


def _replay_log(
    file: OpenedDocument, request: ReadRequest, branch: int
) -> GeminiReplay:
    replay = GeminiReplay(document=file.document, branch=branch)
    for record in iterate_records(file, replay.notes, request.progress, request.stop):
        if not replay.add_line(record):
            break
        replay.notes.records += 1
    replay.end_rewrite()
    return replay


def _default_branch(main: GeminiReplay) -> ConversationBranch:
    """Return the branch that the session ended in; it begins at the last rewind."""
    messages, _ = main.messages(ImportNotes())
    line = main.rewound[-1].line
    new_prompts = (
        m.blocks
        for m in messages
        if m.sources[0].line > line and m.speaker is Speaker.HUMAN
    )
    texts = [block.text for block in next(new_prompts, ()) if isinstance(block, Text)]
    return ConversationBranch(1, first_words(" ".join(texts)), len(messages), line)


def _add_usage(log: SessionLog, replay: GeminiReplay) -> None:
    for entry in replay.log:
        if (
            isinstance(entry, GeminiEntry)
            and entry.is_active
            and entry.value.get("type") == "gemini"
        ):
            model = coerce_text(entry.value.get("model"))
            size = request_tokens(entry.value)
            log.model, log.reported_context = (
                model or log.model,
                size or log.reported_context,
            )
            tokens = fields_of(entry.value.get("tokens"))
            cache = reported_cache(tokens.get("cached"))
            log.reports.add(
                entry.source, size, number_of(tokens.get("output")), model, cache
            )


GEMINI_CLI = Format(
    name="gemini_cli",
    label="Gemini CLI",
    about="Sessions of Gemini CLI: JSON with sessionId and messages, the log (JSONL) that later versions "
    "write, and its stream-json.",
    score=score,
    read=read,
)
