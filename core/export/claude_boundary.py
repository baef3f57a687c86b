"""A Claude Code session with one more compaction recorded at its end, as that agent records them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.conversation import Json
from core.errors import InputError
from core.export.base import ExportInput, Shape, Written
from core.export.boundary import NO_SUMMARY, kept_starts, run_of, summary_text, warnings
from core.export.claude_lines import boundary_line, summary_line, surroundings
from core.export.claude_source import Entry, read_entries
from core.export.rawjson import dump_lines
from core.formats.raw import read_document


def with_boundary(given: ExportInput) -> Written:
    """The source byte for byte, then the boundary and the summary.

    Messages that stay are named in the boundary; they cannot be changed there, so those that the
    compaction edited stay whole, with a warning. Raises InputError for another source format.
    """
    conversation = given.conversation
    if not given.comes_from("claude_code") or conversation.layout.get("container") == "array":
        raise InputError(
            f"{conversation.document.name} is no Claude Code session of lines; no boundary can be appended.",
            "Leave --append-boundary out.",
        )
    data = read_document(conversation.document)
    compaction = run_of(given)
    if compaction is None:
        return Written(data, Shape.LINES, ("Nothing was compacted, so no boundary was appended.",))
    entries = read_entries(conversation)
    around = surroundings(entries, conversation.model)
    last = next((entry.uuid for entry in reversed(entries) if entry.uuid and not entry.is_side), "")
    place = len(entries)
    summary = summary_line(around, "", place + 1, summary_text(compaction) or NO_SUMMARY)
    metadata = _metadata(given, entries, summary["uuid"])
    boundary = boundary_line(around, last, place, metadata)
    summary["parentUuid"] = boundary["uuid"]
    end = b"" if not data or data.endswith(b"\n") else b"\n"
    return Written(data + end + dump_lines((boundary, summary)), Shape.LINES, warnings(compaction))


def _metadata(given: ExportInput, entries: Sequence[Entry], anchor: Json) -> Mapping[str, Json]:
    found: dict[str, Json] = {"trigger": "manual"}
    if given.tokens_before is not None:
        found["preTokens"] = given.tokens_before
    if given.tokens_after is not None:
        found["postTokens"] = given.tokens_after
    kept = kept_starts(given)
    uuids = [entry.uuid for entry in entries if entry.start in kept and entry.uuid]
    if not uuids:
        return found
    if _is_tail(given, kept):
        found["preservedSegment"] = {"headUuid": uuids[0], "anchorUuid": anchor, "tailUuid": uuids[-1]}
    else:
        found["preservedMessages"] = {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids}
    return found


def _is_tail(given: ExportInput, kept: frozenset[int]) -> bool:
    """True where what stays is all messages from some point to the end."""
    stays = [
        any(source.start in kept for source in message.sources) for message in given.conversation.messages
    ]
    return stays == sorted(stays)
