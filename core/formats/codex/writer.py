"""Writes Codex rollouts: surviving source lines, and lines for new messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.codex.source_lines import (
    CodexLine,
    CodexLines,
    changed_line,
    item_line,
    read_lines,
    sorted_lines,
)
from core.formats.common.source_bytes import read_document
from core.formats.openai_responses.item_writer import FAMILY
from core.formats.openai_responses.items import item_type
from core.formats.openai_responses.source_items import WrittenResponseItems as Items
from core.formats.openai_responses.source_items import written_messages
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.made_ids import made_uuid
from core.formats.writing.raw_json import dump_json, dump_lines, record_json
from core.formats.writing.recorded_compaction import run_of, summary_place, summary_text
from core.formats.writing.tool_definitions import codex_tools
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation

NAME = "codex_rollout"
_NO_TIME = "1970-01-01T00:00:00.000Z"
_VERSION = "0.0.0"  # Codex requires one; it did not write this session


@dataclass(slots=True)
class _CodexOutput:
    """The lines written so far. ``flushed`` counts the session's own lines among them, ``time`` is that of
    the last line that had one, ``done`` holds the starts of message lines written."""

    source: CodexLines
    lines: list[bytes | dict[str, Json]] = field(default_factory=list)
    flushed: int = 0
    time: str = _NO_TIME
    done: set[int] = field(default_factory=set)


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the rollout, or a new one from another format; with a boundary, append to the source."""
    losses = ExportLosses("Codex")
    if options.append_boundary:
        return _with_boundary(given, losses)
    if not given.comes_from(NAME):
        return _new_rollout(given, losses)
    if given.is_whole_source:
        return ExporterOutput(read_document(given.conversation.document), _shape(given.conversation))
    return _survivors(given, losses)


def _shape(conversation: Conversation) -> OutputShape:
    return OutputShape.JSON if conversation.layout.get("container") == "array" else OutputShape.LINES


def _survivors(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Write lines of kept messages with those that go along, edited lines, and new lines."""
    conversation = given.conversation
    lines = read_lines(conversation)
    system = {start for _, start, _ in conversation.layout.get("system", ())}
    of_messages = system | {source.start for m in conversation.messages for source in m.sources}
    out = _CodexOutput(sorted_lines(lines, of_messages))
    for start in sorted(system):
        _put_line(out, start, None)
    _flush(out, min(of_messages, default=None))  # the opening lines stay in front of new items
    for message in written_messages(given, losses):
        _put_message(out, message)
    _flush(out, None)
    newline = b"\r\n" if lines and _ends_in_crlf(conversation) else b"\n"
    return ExporterOutput(_joined(out, conversation, newline), _shape(conversation), _warnings(given, losses))


def _put_message(out: _CodexOutput, message: Items) -> None:
    for put in message.items:
        source = message.sources[put.number] if put.number is not None else None
        line = out.source.by_start.get(source.start) if source else None
        if source is None or line is None or line.value.get("type") == "compacted":
            item = normal_item(put.item)
            out.lines.append(item_line(item, out.time, wrapped=out.source.wrapped))
        else:
            _put_line(out, source.start, None if message.is_unchanged else put.item)


def _put_line(out: _CodexOutput, start: int, item: Json) -> None:
    """Write a line of the source with those that go along; ``item`` None if it is unchanged."""
    line = out.source.by_start[start]
    _flush(out, start)
    along = start not in out.done
    out.done.add(start)
    if along:
        out.lines += [event.data for event in out.source.before.get(start, ())]
    out.lines.append(line.data if item is None else changed_line(line, item))
    if along:
        out.lines += [event.data for event in out.source.after.get(start, ())]
    out.time = _time(line) or out.time


def _time(line: CodexLine) -> str:
    time = line.value.get("timestamp")
    return time if isinstance(time, str) else ""


def _flush(out: _CodexOutput, start: int | None) -> None:
    """Write the session's own lines up to a byte of the source, or all that are left."""
    while out.flushed < len(out.source.session):
        line = out.source.session[out.flushed]
        if start is not None and line.start > start:
            return
        out.lines.append(line.data)
        out.time = _time(line) or out.time
        out.flushed += 1


def _ends_in_crlf(conversation: Conversation) -> bool:
    first = read_document(conversation.document).partition(b"\n")[0]
    return first.endswith(b"\r")


def _joined(out: _CodexOutput, conversation: Conversation, newline: bytes) -> bytes:
    written = [line if isinstance(line, bytes) else dump_json(line) for line in out.lines]
    if conversation.layout.get("container") == "array":
        return b"[\n" + b",\n".join(written) + b"\n]\n"
    return b"".join(line + newline for line in written)


def _warnings(given: ExportInput, losses: ExportLosses) -> tuple[str, ...]:
    count = sum(1 for one in given.conversation.recorded if one.context_after or one.summary)
    if not count:
        return losses.sentences()
    what = "compaction is" if count == 1 else "compactions are"
    return (
        *losses.sentences(),
        f"{count:,} recorded {what} not repeated; the export is a history of its own.",
    )


def normal_item(item: Json) -> Json:
    """Return an item as Codex reads it: with a type, and message content as parts."""
    if item_type(item) != "message":
        return item
    content = item.get("content")
    kind = "output_text" if item.get("role") == "assistant" else "input_text"
    parts = [{"type": kind, "text": content}] if isinstance(content, str) else content or []
    return {"type": "message", **item, "content": parts}


def _new_rollout(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = given.conversation
    family = conversation.format in FAMILY
    leave_out_extra(given, losses, *ExtraContent, family=family)
    written = written_messages(given, losses)
    time = next((m.timestamp for m in given.messages if m.timestamp), _NO_TIME)
    lines: list[Json] = [_session_meta(conversation, time, losses)]
    if conversation.model:
        lines.append({"timestamp": time, "type": "turn_context", "payload": _turn(conversation)})
    for text in conversation.system.texts[1:]:
        content = [{"type": "input_text", "text": text}]
        lines.append(
            item_line({"type": "message", "role": "developer", "content": content}, time, wrapped=True)
        )
    for message in written:
        time = message.time or time
        lines += [item_line(normal_item(put.item), time, wrapped=True) for put in message.items]
    return ExporterOutput(dump_lines(lines), OutputShape.LINES, losses.sentences())


def _session_meta(conversation: Conversation, time: str, losses: ExportLosses) -> Json:
    id_ = str(made_uuid(NAMESPACE_URL, conversation.session_id or conversation.document.name))
    payload: dict[str, Json] = {
        "id": id_,
        "timestamp": time,
        "cwd": conversation.cwd or "/",
        "originator": "foldline",
        "cli_version": _VERSION,
    }
    if conversation.system.texts:
        payload["base_instructions"] = {"text": conversation.system.texts[0]}
    if conversation.system.tools:
        payload["dynamic_tools"] = codex_tools(conversation.system.tools, losses)
    return {"timestamp": time, "type": "session_meta", "payload": payload}


def _turn(conversation: Conversation) -> Mapping[str, Json]:
    """Return turn settings with Codex's cautious defaults, because the model's name needs them."""
    return {
        "cwd": conversation.cwd or "/",
        "approval_policy": "on-request",
        "sandbox_policy": {"type": "read-only"},
        "model": conversation.model,
        "summary": "auto",
    }


def _with_boundary(given: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Return the source byte for byte, then one more compaction as Codex records it. Raises InputError for
    another source format."""
    conversation, compaction = given.conversation, run_of(given)
    if (
        not given.comes_from(NAME)
        or _shape(conversation) is OutputShape.JSON
        or not conversation.layout["wrapped"]
    ):
        raise InputError(
            f"{conversation.document.name} is not a Codex rollout in JSONL; no compaction can be appended.",
            "Leave --append-boundary out.",
        )
    data = read_document(conversation.document)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no compaction was appended.",)
        )
    name = conversation.document.name
    leading = [record_json(data, start, end, name) for _, start, end in conversation.layout["system"]]
    items = [value.get("payload", value) for value in leading]
    items += [normal_item(put.item) for message in written_messages(given, losses) for put in message.items]
    time = next((m.timestamp for m in reversed(conversation.messages) if m.timestamp), _NO_TIME)
    payload = {"message": _summary_message(compaction), "replacement_history": items}
    end = b"" if not data or data.endswith(b"\n") else b"\n"
    new = (
        {"timestamp": time, "type": "compacted", "payload": payload},
        {"timestamp": time, "type": "event_msg", "payload": {"type": "context_compacted"}},
    )
    return ExporterOutput(data + end + dump_lines(new), OutputShape.LINES, losses.sentences())


def _summary_message(compaction: Compaction) -> str:
    """Return the summary if it is a message of its own; otherwise the items hold it."""
    return summary_text(compaction) if summary_place(compaction) >= 0 else ""


EXPORTER = Exporter(
    NAME,
    ("codex",),
    "Codex",
    ".jsonl",
    "A rollout of the Codex CLI: the surviving lines unchanged, with lines for new messages.",
    write,
    has_boundary=True,
)
