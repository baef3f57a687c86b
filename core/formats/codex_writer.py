"""Writes Codex rollouts: surviving source lines, and lines for new messages.

The session's own lines (``session_meta``, ``turn_context``, ``world_state`` and unknown ones)
always stay. What was taken back is not written. An event stays with the message that it shows: the
next one if Codex writes the event first, else the one before. Token counts and recorded compactions
describe a history that no longer exists, so they are dropped.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL

from core.common.json_value import Json
from core.common.number_format import plural
from core.formats.codex import ROLLBACK
from core.formats.common.compressed_files import MAX_LINE_SIZE
from core.formats.common.json_parsing import list_of, nested, string_of
from core.formats.common.open_document import open_binary, read_document
from core.formats.openai_responses_item_writer import (
    WrittenResponseItems,
    written_messages,
)
from core.formats.openai_responses_items import item_type
from core.formats.writing.api_requests import codex_tools
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    OutputShape,
)
from core.formats.writing.plain_text import dump_json, dump_lines
from core.formats.writing.raw_json import (
    SourceLine,
    deterministic_uuid,
    record_json,
    source_lines,
    source_shape,
    transcript_exporter,
)
from core.formats.writing.recorded_compaction import (
    append_records,
    cannot_append_error,
    recorded_within,
    summary_index,
    summary_text,
)
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, SourceDocument

NAME = "codex_rollout"
_EVENTS_BEFORE_MESSAGE = (
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
)
_DROPPED_EVENTS = ("token_count", "context_compacted", ROLLBACK)
_NO_TIME = "1970-01-01T00:00:00.000Z"
_VERSION = "0.0.0"  # Codex requires one; it did not write this session


@dataclass(slots=True, kw_only=True)
class _Rollout:
    """The lines of the source by their role, and the lines written so far. ``session_lines`` are
    those that always stay and are not written yet, in order; ``lines_before`` and ``lines_after``
    go with a message line, by its start, when it is written first. ``time`` is that of the last
    line that had one."""

    by_start: dict[int, SourceLine] = field(default_factory=dict)
    has_payloads: bool = False
    session_lines: deque[SourceLine] = field(default_factory=deque)
    lines_before: dict[int, list[SourceLine]] = field(
        default_factory=lambda: defaultdict(list)
    )
    lines_after: dict[int, list[SourceLine]] = field(
        default_factory=lambda: defaultdict(list)
    )
    written: list[bytes | dict[str, Json]] = field(default_factory=list)
    time: str = _NO_TIME

    def sort_lines(
        self,
        lines: Iterable[SourceLine],
        message_starts: Collection[int],
        withdrawn: Sequence[Sequence[int]],
    ) -> None:
        """Sort the lines by their role; ``message_starts`` are the starts of message lines. Of what
        was withdrawn only lines about the session stay."""
        waiting_events: list[SourceLine] = []
        last_message: SourceLine | None = None
        for line in lines:
            self.by_start[line.start], value = line, line.value
            self.has_payloads = self.has_payloads or "payload" in value
            kind = string_of(nested(value, "payload", "type"))
            if line.start in message_starts:
                self.lines_before[line.start], waiting_events = waiting_events, []
                last_message = line
            elif _is_session_line(value):
                self.session_lines.append(line)
            elif not _is_kept_event(value, kind) or any(
                a <= line.start < b for a, b in withdrawn
            ):
                continue
            elif kind in _EVENTS_BEFORE_MESSAGE and not _shows_message(
                value, last_message
            ):
                waiting_events.append(line)
            elif last_message is None:
                self.session_lines.append(line)
            else:
                self.lines_after[last_message.start].append(line)

    def write_session_lines(self, start: int | None) -> None:
        """Write the session's own lines up to a byte of the source, or all that are left."""
        while self.session_lines and (
            start is None or self.session_lines[0].start <= start
        ):
            self._write(self.session_lines.popleft())

    def write_line(self, start: int, item: Json = None) -> None:
        """Write a line of the source with those that go along; ``item`` None if it is unchanged."""
        self.write_session_lines(start)
        self.written += [event.data for event in self.lines_before.pop(start, ())]
        self._write(self.by_start[start], item)
        self.written += [event.data for event in self.lines_after.pop(start, ())]

    def write_message(self, message: WrittenResponseItems) -> None:
        for write in message.items:
            if write.number is not None:
                source = message.sources[write.number]
            else:
                source = None
            if source:
                line = self.by_start.get(source.start)
            else:
                line = None
            # An item of a replacement history has no line of its own that could stay.
            if line is None or line.text("type") == "compacted":
                self.written.append(
                    _item_line(write.item, self.time, wrapped=self.has_payloads)
                )
            else:
                self.write_line(
                    line.start, None if message.is_unchanged else write.item
                )

    def _write(self, line: SourceLine, item: Json = None) -> None:
        value = line.value
        if "payload" in value:
            changed = {**value, "payload": item}
        else:
            changed = item
        self.written.append(line.data if item is None else dump_json(changed))
        self.time = string_of(value.get("timestamp")) or self.time


def _shows_message(event: Mapping[str, Json], message: SourceLine | None) -> bool:
    if message:
        content = list_of(nested(message.value, "payload", "content"))
    else:
        content = ()
    return event["payload"].get("message") in [nested(part, "text") for part in content]


def _is_kept_event(line: Mapping[str, Json], kind: str) -> bool:
    if line.get("type") == "event_msg":
        return kind not in _DROPPED_EVENTS
    return "record_type" in line or kind == "ghost_snapshot"


def _is_session_line(line: Mapping[str, Json]) -> bool:
    """Return whether a line is about the session as a whole, items and recorded compactions
    aside."""
    if "payload" in line:
        return line.get("type") not in ("response_item", "compacted", "event_msg")
    return "record_type" not in line and not item_type(line)


def _item_line(item: Json, time: str, *, wrapped: bool = True) -> dict[str, Json]:
    item = normal_item(item)
    if wrapped:
        return {"timestamp": time, "type": "response_item", "payload": item}
    return {**item}


def _edited_rollout(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    with source_lines(export_input.conversation, ("type",)) as lines:
        return _edited_lines(export_input, losses, lines)


def _edited_lines(
    export_input: ExportInput, losses: ExportLosses, lines: Iterable[SourceLine]
) -> ExporterOutput:
    conversation = export_input.conversation
    system = {start for _, start, _ in conversation.layout.get("system", ())}
    message_starts = system | {
        source.start for m in conversation.messages for source in m.sources
    }
    rollout = _Rollout()
    rollout.sort_lines(lines, message_starts, conversation.layout.get("withdrawn", ()))
    for start in sorted(system):
        rollout.write_line(start)
    # the opening lines stay in front of new items
    rollout.write_session_lines(min(message_starts, default=None))
    for message in written_messages(export_input, losses):
        rollout.write_message(message)
    rollout.write_session_lines(None)
    written = [
        line if isinstance(line, bytes) else dump_json(line) for line in rollout.written
    ]
    # Rollouts of 2025 end their lines as Windows does; mixed ends would change what survives.
    newline = b"\r\n" if _has_windows_ends(conversation.document) else b"\n"
    is_array = conversation.layout.get("container") == "array"
    if is_array:
        data = b"[\n" + b",\n".join(written) + b"\n]\n"
    else:
        data = b"".join(line + newline for line in written)
    warnings = _unrepeated_compactions(export_input)
    return ExporterOutput(data, source_shape(export_input, NAME), warnings)


def _unrepeated_compactions(export_input: ExportInput) -> tuple[str, ...]:
    within = recorded_within(export_input)
    count = sum(bool(item.context_after or item.summary) for item in within)
    if not count:
        return ()
    recorded = plural(count, "recorded compaction is", "recorded compactions are")
    return (f"{recorded} not repeated; the export is a history of its own.",)


def _has_windows_ends(document: SourceDocument) -> bool:
    with open_binary(document) as stream:
        return stream.readline(MAX_LINE_SIZE + 2).endswith(b"\r\n")


def normal_item(item: Json) -> Json:
    """Return an item as Codex reads it: with a type, and message content as parts."""
    if item_type(item) != "message":
        return item
    content = item.get("content")
    kind = "output_text" if item.get("role") == "assistant" else "input_text"
    if isinstance(content, str):
        parts = [{"type": kind, "text": content}]
    else:
        parts = content or []
    return {"type": "message", **item, "content": parts}


def _session_meta(
    conversation: Conversation, time: str, cwd: str, losses: ExportLosses
) -> dict[str, Json]:
    system = conversation.system
    id_ = deterministic_uuid(
        NAMESPACE_URL, conversation.session_id or conversation.document.name
    )
    meta: dict[str, Json] = {
        "id": str(id_),
        "timestamp": time,
        "cwd": cwd,
        "originator": "foldline",
        "cli_version": _VERSION,
    }
    if system.texts:
        meta["base_instructions"] = {"text": system.texts[0]}
    if system.tools:
        meta["dynamic_tools"] = codex_tools(system.tools, losses)
    return meta


def _new_rollout(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    # Probably Codex needs a folder to resume in; the root exists on every system.
    system = conversation.system
    cwd = conversation.cwd or "/"
    written = written_messages(export_input, losses)
    time = next((m.timestamp for m in export_input.messages if m.timestamp), _NO_TIME)
    meta = _session_meta(conversation, time, cwd, losses)
    lines: list[Json] = [{"timestamp": time, "type": "session_meta", "payload": meta}]
    # Codex's cautious defaults, because the model's name needs them.
    if conversation.model:
        context = {
            "cwd": cwd,
            "approval_policy": "on-request",
            "sandbox_policy": {"type": "read-only"},
            "model": conversation.model,
            "summary": "auto",
        }
        lines.append({"timestamp": time, "type": "turn_context", "payload": context})
    # Only one text fits base_instructions; the model reads the others as developer messages.
    for text in system.texts[1:]:
        lines.append(
            _item_line({"type": "message", "role": "developer", "content": text}, time)
        )
    for message in written:
        time = message.time or time
        lines += [_item_line(write.item, time) for write in message.items]
    return ExporterOutput(dump_lines(lines), OutputShape.LINES)


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Return the source byte for byte, then one more compaction as Codex records it. Raises
    InputError for another source format."""
    conversation = export_input.conversation
    # Bare rollouts of old versions have no line for a compaction.
    if (
        source_shape(export_input, NAME) is OutputShape.JSON
        or not conversation.layout["wrapped"]
    ):
        raise cannot_append_error(export_input, "a Codex rollout in JSONL")
    return append_records(export_input, "compaction", _compaction_lines)


def _compaction_lines(
    export_input: ExportInput, compaction: Compaction
) -> tuple[Sequence[Json], Sequence[str]]:
    conversation = export_input.conversation
    losses = ExportLosses("Codex")
    data = read_document(conversation.document)
    name = conversation.document.name
    records = [
        record_json(data, start, end, name)
        for _, start, end in conversation.layout["system"]
    ]
    items = [value.get("payload", value) for value in records]
    for message in written_messages(export_input, losses):
        items += [normal_item(write.item) for write in message.items]
    time = next(
        (m.timestamp for m in reversed(conversation.messages) if m.timestamp), _NO_TIME
    )
    # without a message of its own, the items hold the summary
    if summary_index(compaction) >= 0:
        message_text = summary_text(compaction)
    else:
        message_text = ""
    payload = {"message": message_text, "replacement_history": items}
    new_lines = (
        {"timestamp": time, "type": "compacted", "payload": payload},
        # Codex lets this event follow each compaction, for the screen.
        {
            "timestamp": time,
            "type": "event_msg",
            "payload": {"type": "context_compacted"},
        },
    )
    return new_lines, losses.warnings()


EXPORTER = transcript_exporter(
    (NAME, "codex"),
    "Codex",
    ".jsonl",
    "A rollout of the Codex CLI: the surviving lines unchanged, with lines for new messages.",
    new=_new_rollout,
    edited=_edited_rollout,
    append=_with_boundary,
    carries_sizes=True,
)
