"""A Claude Code session with one more compaction recorded at its end, as that agent records them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.claude_code.new_lines import boundary_line, last_line_context, summary_line
from core.formats.claude_code.source_lines import ClaudeLine, message_starts, read_entries
from core.formats.common.source_bytes import read_document
from core.formats.writing.base import ExporterOutput, ExportInput, OutputShape
from core.formats.writing.raw_json import dump_lines
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    boundary_warnings,
    kept_starts,
    kept_summaries,
    lost_summary_warning,
    run_of,
    summary_text,
)
from core.transcript.model import Conversation

_WAY_OUT = "Leave --append-boundary out."


def with_boundary(given: ExportInput) -> ExporterOutput:
    """The source byte for byte, then the boundary and the summary.

    Messages that stay are named in the boundary; they cannot be changed there, so those that the
    compaction edited stay whole, with a warning. Raises InputError for another source format.
    """
    conversation = given.conversation
    _check(given)
    data = read_document(conversation.document)
    compaction = run_of(given)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no boundary was appended.",)
        )
    entries = read_entries(conversation)
    _check_way(conversation, entries)
    around = last_line_context(entries, conversation.model)
    last = next((entry.uuid for entry in reversed(entries) if entry.uuid and not entry.is_side), "")
    place = len(entries)
    summary = summary_line(around, "", place + 1, summary_text(compaction) or NO_SUMMARY)
    metadata = _metadata(given, entries, summary["uuid"])
    boundary = boundary_line(around, last, place, metadata)
    summary["parentUuid"] = boundary["uuid"]
    end = b"" if not data or data.endswith(b"\n") else b"\n"
    goes = (lost_summary_warning("Claude Code"),) if kept_summaries(given) else ()
    said = (*boundary_warnings(given), *goes, *_ambiguous(given, entries))
    return ExporterOutput(data + end + dump_lines((boundary, summary)), OutputShape.LINES, said)


def _check(given: ExportInput) -> None:
    """Raise InputError where there is no session of lines."""
    conversation = given.conversation
    if not given.comes_from("claude_code") or conversation.layout.get("container") == "array":
        raise InputError(
            f"{conversation.document.name} is no Claude Code session of lines; no boundary can be appended.",
            _WAY_OUT,
        )


def _check_way(conversation: Conversation, entries: Sequence[ClaudeLine]) -> None:
    """Raise InputError where the agent would not go on from behind a boundary."""
    name, branch = conversation.document.name, conversation.branch
    if branch != 1:
        text = f"{name} goes on with branch 1, not with branch {branch}; no boundary can be appended."
        raise InputError(text, _WAY_OUT)
    of_messages = message_starts(conversation)
    if any(entry.is_side for entry in entries if entry.start in of_messages):
        text = f"No agent goes on with a sub-agent's conversation of {name}; no boundary can be appended."
        raise InputError(text, _WAY_OUT)


def _metadata(given: ExportInput, entries: Sequence[ClaudeLine], anchor: Json) -> Mapping[str, Json]:
    found: dict[str, Json] = {"trigger": "manual"}
    if given.tokens_before is not None:
        found["preTokens"] = given.tokens_before
    if given.tokens_after is not None:
        found["postTokens"] = given.tokens_after
    kept = kept_starts(given) - kept_summaries(given)
    uuids = [entry.uuid for entry in entries if entry.start in kept and entry.uuid]
    if not uuids:
        return found
    if _is_tail(given, kept) and not _repeated(entries, kept):
        found["preservedSegment"] = {"headUuid": uuids[0], "anchorUuid": anchor, "tailUuid": uuids[-1]}
    else:
        found["preservedMessages"] = {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids}
    return found


def _repeated(entries: Sequence[ClaudeLine], kept: frozenset[int]) -> frozenset[str]:
    """The uuids of lines that stay which other lines have, too."""
    counts = Counter(entry.uuid for entry in entries if entry.uuid)
    return frozenset(entry.uuid for entry in entries if entry.start in kept and counts[entry.uuid] > 1)


def _ambiguous(given: ExportInput, entries: Sequence[ClaudeLine]) -> tuple[str, ...]:
    """That a uuid does not say which line stays."""
    count = len(_repeated(entries, kept_starts(given)))
    if not count:
        return ()
    what = "uuid of a message that stays comes" if count == 1 else "uuids of messages that stay come"
    return (f"{count:,} {what} more than once in the session; the boundary may be read as keeping others.",)


def _is_tail(given: ExportInput, kept: frozenset[int]) -> bool:
    """True where what stays is all messages from some point to the end."""
    stays = [
        any(source.start in kept for source in message.sources) for message in given.conversation.messages
    ]
    return stays == sorted(stays)
