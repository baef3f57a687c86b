"""Writes what ``opencode import`` reads: a new session, ``{info, messages: [{info, parts}]}``.

The import keeps records whose ids its database has already, so the session, its messages and parts
get new ids, in order; the fields of surviving records stay. A call and its result become one part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.common.number_format import to_milliseconds
from core.formats.common.json_parsing import nested, number_of
from core.formats.opencode import WITHOUT_CALL
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages_beginning_with_user,
    results_of_calls,
)
from core.formats.writing.plain_text import (
    code_as_text,
    count_error_losses,
    data_url,
    fields_without_notes,
    object_arguments,
    provider_of_model,
    result_media,
    texts_of_result,
)
from core.formats.writing.raw_json import json_file, transcript_exporter
from core.formats.writing.recorded_compaction import valid_usage_starts
from core.transcript.model import (
    Block,
    Media,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import is_failed_result

NAME = "opencode"
_NO_TOKENS: Json = {
    "input": 0,
    "output": 0,
    "reasoning": 0,
    "cache": {"read": 0, "write": 0},
}
_LOST_FIELDS = ("summary", "parentID")
"""Fields of a record that name messages which the export may not hold."""


@dataclass(slots=True, kw_only=True)
class _Session:
    """The records written so far, with what the next one needs."""

    export_input: ExportInput
    losses: ExportLosses
    id: str
    results: Mapping[int, ToolResponse]
    usage_starts: frozenset[int]
    records: list[Json] = field(default_factory=list)
    time: int = 0
    user_id: str = ""

    def add(self, piece: ExportMessage) -> None:
        message = piece.message
        same_format = piece.origin is not None and self._is_own
        parts: list[Json] = []
        for block in self._blocks(piece):
            parts += self._parts(block, same_format)
        if not parts:
            # The results of a message of tools went into the parts of their calls.
            if message.speaker is not Speaker.TOOL:
                self.losses.count_left_out("message without content")
            return
        if message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
            self.losses.count_changed(f"{message.speaker.value} message as user")
        # opencode sorts by time, so no message may be older than the one before it.
        self.time = max(self.time, to_milliseconds(message.timestamp) or 0)
        id_ = f"msg_{len(self.records):012x}{self.id[-14:]}"
        info: dict[str, Json] = {"id": id_, "sessionID": self.id}
        is_answer = message.speaker in (Speaker.AI, Speaker.TOOL)
        if is_answer:
            info |= self._answer_info(id_)
        else:
            info |= self._user_info()
            self.user_id = id_
        if same_format:
            for name, value in fields_without_notes(message.extra).items():
                if name not in _LOST_FIELDS:
                    info[name] = value
            self._put_in_order(info)
        record = piece.record
        has_usage = record is not None and record[0] in self.usage_starts
        if is_answer and not has_usage:
            info["tokens"] = _NO_TOKENS
        self.records.append({"info": info, "parts": list(self._numbered(parts, id_))})

    def _put_in_order(self, info: dict[str, Json]) -> None:
        """Move a time that is before the previous message's: opencode sorts messages by it."""
        times = info["time"]
        if (
            isinstance(times, dict)
            and (number_of(times.get("created")) or 0) < self.time
        ):
            info["time"] = {
                name: max(number_of(at) or 0, self.time) for name, at in times.items()
            }

    @property
    def _is_own(self) -> bool:
        return self.export_input.is_from_format(NAME)

    def _blocks(self, piece: ExportMessage) -> Iterator[Block]:
        """Yield the blocks that become parts; results with a call are written with it."""
        written = set(map(id, self.results.values()))
        blocks = (block for block in piece.message.blocks if id(block) not in written)
        return code_as_text(blocks, self.losses)

    def _numbered(
        self, parts: Sequence[dict[str, Json]], message_id: str
    ) -> Iterator[Json]:
        for number, part in enumerate(parts):
            id_ = f"prt_{len(self.records):08x}{number:04x}{self.id[-14:]}"
            yield {"id": id_, "sessionID": self.id, "messageID": message_id, **part}

    def _user_info(self) -> dict[str, Json]:
        model = self.export_input.conversation.model
        return {
            "role": "user",
            "time": {"created": self.time},
            "agent": "build",
            "model": {"providerID": provider_of_model(model), "modelID": model},
        }

    def _answer_info(self, id_: str) -> dict[str, Json]:
        conversation = self.export_input.conversation
        return {
            "role": "assistant",
            "time": {"created": self.time, "completed": self.time},
            "parentID": self.user_id or id_,
            "modelID": conversation.model,
            "providerID": provider_of_model(conversation.model),
            "mode": "build",
            "agent": "build",
            "path": {"cwd": conversation.cwd, "root": conversation.cwd},
            "cost": 0,
            "tokens": _NO_TOKENS,
            "finish": "stop",
        }

    def _parts(self, block: Block, same_format: bool) -> Iterator[dict[str, Json]]:
        part: dict[str, Json]
        match block:
            case Text():
                if not same_format and not block.text.strip():
                    return
                part = {"type": "text", "text": block.text}
            case Thinking():
                part = {
                    "type": "reasoning",
                    "text": block.text,
                    "time": {"start": self.time},
                }
            case Media():
                if same_format:
                    url = block.data
                else:
                    url = data_url(block.mime, block.data)
                if block.caption:
                    name = {"filename": block.caption}
                else:
                    name = {}
                part = {
                    "type": "file",
                    "mime": block.mime or "image/png",
                    "url": url,
                    **name,
                }
            case ToolCall():
                if same_format:
                    arguments = block.arguments
                else:
                    arguments = object_arguments(block, self.losses)
                part = self._tool(block, arguments, self.results.get(id(block)))
            case ToolResponse():
                call = ToolCall(block.call_id, block.name, {})
                part = self._tool(call, {}, block)
                part["state"]["metadata"] = {WITHOUT_CALL: True}
            case _:
                kind = block.kind if isinstance(block, Opaque) else ""
                self.losses.count_left_out(kind or "unknown block")
                return
        # A result's are in its state.
        has_own_fields = same_format and not isinstance(block, ToolResponse)
        yield {**part, **fields_without_notes(block.extra)} if has_own_fields else part

    def _tool(
        self, call: ToolCall, arguments: Json, response: ToolResponse | None
    ) -> dict[str, Json]:
        part: dict[str, Json] = {"type": "tool", "callID": call.id, "tool": call.name}
        if response is None:
            return {
                **part,
                "state": {"status": "pending", "input": arguments, "raw": ""},
            }
        has_failed = is_failed_result(response)
        state: dict[str, Json] = (
            {"status": "error"} if has_failed else {"status": "completed", "title": ""}
        )
        state |= {
            "input": arguments,
            "metadata": {},
            "time": {"start": self.time, "end": self.time},
        }
        if self._is_own:
            state |= fields_without_notes(response.extra)
        else:
            count_error_losses(response, self.losses, counts_mark=False)
            if media := result_media(response):
                self.losses.count_left_out("media in a tool result", len(media))
        return {**part, "state": {**state, **_result(response, state)}}


def _result(response: ToolResponse, state: Mapping[str, Json]) -> dict[str, Json]:
    """Return the result; an edited one without the copies of its text that tools keep in the
    metadata."""
    if isinstance(response.result, str):
        text = response.result
    else:
        text = texts_of_result(response)
    result: dict[str, Json] = {
        "error" if state["status"] == "error" else "output": text
    }
    if isinstance(metadata := state["metadata"], dict):
        result["metadata"] = {
            name: value
            for name, value in metadata.items()
            if not isinstance(value, str) or value in text
        }
    return result


def _session(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    pieces = export_messages_beginning_with_user(export_input, losses)
    # The id follows from what is written: the same export twice is one session, and a changed one
    # never takes the place of another in the program's store.
    content = "".join(repr(piece.message.blocks) for piece in pieces)
    digest = hashlib.sha256(
        f"{conversation.session_id}\n{content}".encode("utf-8", "replace")
    ).hexdigest()
    results = results_of_calls(piece.message for piece in pieces)
    usage_starts = valid_usage_starts(export_input)
    session = _Session(
        export_input=export_input,
        losses=losses,
        id=f"ses_{digest[:26]}",
        results=results,
        usage_starts=usage_starts,
    )
    for piece in pieces:
        session.add(piece)
    times = [
        number_of(nested(record, "info", "time", "created")) or 0
        for record in session.records
    ] or [0]
    info: dict[str, Json] = {
        "id": session.id,
        "slug": f"foldline-{digest[:8]}",
        "projectID": "global",
        "directory": conversation.cwd,
        "title": conversation.title or conversation.document.name,
        "version": "foldline",
        "time": {"created": times[0], "updated": times[-1]},
    }
    return json_file({"info": info, "messages": session.records})


EXPORTER = transcript_exporter(
    (NAME,),
    "opencode",
    ".json",
    "A new session for opencode import, with new ids.",
    new=_session,
    edited=_session,
    carries_sizes=True,
)
