"""Appends one more compaction to a Claude Code session, as that agent records them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.claude_code.new_lines import (
    boundary_line,
    is_side_chain,
    last_line_context,
    message_starts,
    summary_line,
)
from core.formats.common.open_document import read_document
from core.formats.writing.base import ExporterOutput, ExportInput, OutputShape
from core.formats.writing.raw_json import SourceLine, dump_lines, source_lines
from core.formats.writing.recorded_compaction import (
    NO_SUMMARY,
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    kept_summary_starts,
    lost_summary_warning,
    summary_text,
)
from core.transcript.model import Conversation

_WAY_OUT = "Leave --append-boundary out."


def with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Return the source byte for byte, then the boundary and the summary. The boundary can only name messages
    that stay, so messages that the compaction edited stay whole, with a warning. Raises InputError for
    another source format."""
    conversation = export_input.conversation
    if not export_input.is_from_format("claude_code") or conversation.layout.get("container") == "array":
        raise cannot_append_error(export_input, "Claude Code JSONL")
    data = read_document(conversation.document)
    compaction = applied_compaction(export_input)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no boundary was appended.",)
        )
    entries = source_lines(conversation)
    _check_resumable(conversation, entries)
    context = last_line_context(entries, conversation.model)
    main_uuids = [entry.text("uuid") for entry in entries if not is_side_chain(entry)]
    last_uuid = next(filter(None, reversed(main_uuids)), "")
    line_index = len(entries)
    summary = summary_line(context, "", line_index + 1, summary_text(compaction) or NO_SUMMARY)
    metadata = _metadata(export_input, entries, summary["uuid"])
    boundary = boundary_line(context, last_uuid, line_index, metadata)
    summary["parentUuid"] = boundary["uuid"]
    separator = b"" if not data or data.endswith(b"\n") else b"\n"
    lost_summary = (lost_summary_warning("Claude Code"),) if kept_summary_starts(export_input) else ()
    warnings = (*boundary_warnings(export_input), *lost_summary, *_ambiguity_warnings(export_input, entries))
    return ExporterOutput(data + separator + dump_lines((boundary, summary)), OutputShape.LINES, warnings)


def _check_resumable(conversation: Conversation, entries: Sequence[SourceLine]) -> None:
    """Raise InputError if the agent would not resume behind a boundary."""
    name, branch = conversation.document.name, conversation.branch
    if branch != 1:
        text = f"{name} continues with branch 1, not with branch {branch}; no boundary can be appended."
        raise InputError(text, _WAY_OUT)
    of_messages = message_starts(conversation)
    if any(is_side_chain(entry) for entry in entries if entry.start in of_messages):
        text = f"No agent continues a sub-agent's conversation of {name}; no boundary can be appended."
        raise InputError(text, _WAY_OUT)


def _metadata(export_input: ExportInput, entries: Sequence[SourceLine], anchor: Json) -> Mapping[str, Json]:
    metadata: dict[str, Json] = {"trigger": "manual"}
    if export_input.tokens_before is not None:
        metadata["preTokens"] = export_input.tokens_before
    if export_input.tokens_after is not None:
        metadata["postTokens"] = export_input.tokens_after
    kept = kept_record_starts(export_input) - kept_summary_starts(export_input)
    uuids = [entry.text("uuid") for entry in entries if entry.start in kept and entry.text("uuid")]
    if not uuids:
        return metadata
    if _is_tail(export_input, kept) and not _repeated(entries, kept):
        metadata["preservedSegment"] = {"headUuid": uuids[0], "anchorUuid": anchor, "tailUuid": uuids[-1]}
    else:
        metadata["preservedMessages"] = {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids}
    return metadata


def _repeated(entries: Sequence[SourceLine], kept: frozenset[int]) -> frozenset[str]:
    """Return the uuids of lines that stay and that other lines have, too."""
    counts = Counter(entry.text("uuid") for entry in entries)
    kept_uuids = {entry.text("uuid") for entry in entries if entry.start in kept} - {""}
    return frozenset(uuid for uuid in kept_uuids if counts[uuid] > 1)


def _ambiguity_warnings(export_input: ExportInput, entries: Sequence[SourceLine]) -> tuple[str, ...]:
    """Return a warning if a uuid does not identify the line that stays."""
    count = len(_repeated(entries, kept_record_starts(export_input)))
    if not count:
        return ()
    phrase = "uuid of a kept message appears" if count == 1 else "uuids of kept messages appear"
    return (f"{count:,} {phrase} more than once in the session; the boundary may be read as keeping others.",)


def _is_tail(export_input: ExportInput, kept: frozenset[int]) -> bool:
    """Return whether all messages from some point to the end stay, and no others."""
    are_kept = [
        any(source.start in kept for source in message.sources)
        for message in export_input.conversation.messages
    ]
    return are_kept == sorted(are_kept)
