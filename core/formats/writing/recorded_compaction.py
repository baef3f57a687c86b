"""Shared by exporters that record a compaction at the end of its source."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import plural
from core.facts.sentences import plain_text
from core.formats.common.json_parsing import fields_of
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.common.open_document import read_document
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    OutputShape,
    export_messages,
    record_starts,
    source_messages,
)
from core.formats.writing.plain_text import dump_lines
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, MessageFlag, RecordedCompaction, Speaker
from core.transcript.scopes import ALL, BEFORE, CURRENT
from core.transcript.tool_pairs import find_pairs

NO_SUMMARY = "The earlier part of this session was shortened without a summary."


def cannot_append_error(export_input: ExportInput, required_source: str) -> InputError:
    """Return the error for a source that is not ``required_source`` ("a Pi session")."""
    name = export_input.conversation.document.name
    return InputError(
        f"{name} is not {required_source}, so no compaction can be appended.",
        "Leave --append-boundary out.",
    )


def append_records(
    export_input: ExportInput,
    noun: str,
    records: Callable[[ExportInput, Compaction], tuple[Iterable[Json], Sequence[str]]],
) -> ExporterOutput:
    """Return the source byte for byte and the records of its compaction (``noun``) as lines after
    it. ``records`` returns them with their warnings."""
    data = read_document(export_input.conversation.document)
    compaction = applied_compaction(export_input)
    if compaction is None:
        warning = f"Nothing was compacted, so no {noun} was appended."
        return ExporterOutput(data, OutputShape.LINES, (warning,))
    lines, warnings = records(export_input, compaction)
    # The agent may have been ended in the middle of its last line.
    separator = b"" if not data or data.endswith(b"\n") else b"\n"
    return ExporterOutput(
        data + separator + dump_lines(lines), OutputShape.LINES, tuple(warnings)
    )


def applied_compaction(export_input: ExportInput) -> Compaction | None:
    """Return the compaction to record; None if nothing was compacted."""
    compaction = export_input.compaction
    return None if compaction is None or compaction.no_op is not None else compaction


def summary_index(compaction: Compaction) -> int:
    """Return the index of the summary in the result: the first inserted text not by the model; -1
    if none."""
    for index in sorted(compaction.inserted):
        message = compaction.messages[index]
        if message.speaker is not Speaker.AI and plain_text(message):
            return index
    return -1


def summary_text(compaction: Compaction) -> str:
    """Return the text of the summary, "" if there is none."""
    index = summary_index(compaction)
    # What Foldline inserted has no record.
    if index >= 0:
        return plain_text(compaction.messages[index])
    if compaction.summary:
        return compaction.summary.text
    return ""


def kept_record_starts(export_input: ExportInput) -> frozenset[int]:
    """Return the start offsets of records that stay: those of kept or edited messages, and of their
    pairs."""
    messages = source_messages(export_input)
    indices = _with_partners(messages, _kept_indices(export_input))
    return record_starts(messages[index] for index in indices)


def _kept_indices(export_input: ExportInput) -> frozenset[int]:
    kept = {
        id(piece.origin)
        for piece in export_messages(export_input)
        if piece.origin is not None
    }
    return frozenset(
        index
        for index, message in enumerate(source_messages(export_input))
        if id(message) in kept
    )


def _with_partners(messages: Sequence[Message], kept: frozenset[int]) -> frozenset[int]:
    """Add the other halves of tool pairs: a record keeps an edited message whole, with its
    calls."""
    partners = find_pairs(messages).partners
    # An agent that resumes with half a pair is refused by its API.
    complete_indices = set(kept)
    open_indices = list(kept)
    while open_indices:
        new = [
            partner
            for partner in partners.get(open_indices.pop(), ())
            if partner not in complete_indices
        ]
        complete_indices.update(new)
        open_indices += new
    return frozenset(complete_indices)


def kept_summary_starts(export_input: ExportInput) -> frozenset[int]:
    """Return the start offsets of records of earlier summaries that stay."""
    return kept_record_starts(export_input) - record_starts(
        export_input.conversation.messages
    )


def lost_summary_warning(agent: str) -> str:
    return (
        f"The file loses the earlier summary that the result keeps: {agent} has one summary at "
        f"a time."
    )


def boundary_warnings(export_input: ExportInput) -> tuple[str, ...]:
    """Return warnings about what a record that only names messages cannot hold."""
    compaction = applied_compaction(export_input)
    if compaction is None:
        return ()
    kinds = (FateKind.EDITED, FateKind.SUMMARISED)
    changed_count = sum(
        len(origins) == 1
        and index not in compaction.inserted
        and compaction.fates[origins[0]].kind in kinds
        for index, origins in enumerate(compaction.origins)
    )
    warnings: list[str] = []
    if changed_count:
        edited = plural(changed_count, "edited message is", "edited messages are")
        warnings.append(
            f"{edited} kept whole after the boundary, which only names them."
        )
    kept = _kept_indices(export_input)
    if added_count := len(_with_partners(source_messages(export_input), kept) - kept):
        added = plural(added_count, "more message is", "more messages are")
        warnings.append(f"{added} kept, so that no result is without its call.")
    if not compaction.inserted:
        warnings.append(
            "There is no summary; the line after the boundary only says so."
        )
    if missing_count := _left_out_count(compaction):
        missing = plural(
            missing_count, "more inserted message has", "more inserted messages have"
        )
        warnings.append(f"{missing} no place in the record and will be missing.")
    return tuple(warnings)


def _left_out_count(compaction: Compaction) -> int:
    summary = summary_index(compaction)
    return sum(
        index != summary
        and (bool(compaction.origins[index]) or message.speaker is not Speaker.AI)
        for index, message in enumerate(compaction.messages)
        if index in compaction.inserted
    )


_OPENAI = ("prompt_tokens", "total_tokens")
_USAGE_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude_code": (("message", "usage"), INPUT_TOKEN_FIELDS),
    "pi_agent": (
        ("message", "usage"),
        ("input", "cacheRead", "cacheWrite", "totalTokens"),
    ),
    "gemini_cli": (("tokens",), ("input", "cached", "total")),
    "openhands": (("tool_call_metadata", "model_response", "usage"), _OPENAI),
}
"""By format: the path in a record to the reported sizes, and the fields with the size of the
request."""


def recorded_within(export_input: ExportInput) -> tuple[RecordedCompaction, ...]:
    """Return the recorded compactions that happened in an exported history: those up to its end."""
    recorded, scope = export_input.conversation.recorded, export_input.history.scope
    if not scope.startswith(BEFORE):
        return recorded
    return recorded[: _compaction_count(scope, len(recorded))]


def valid_usage_starts(export_input: ExportInput) -> frozenset[int]:
    """Return the start offsets of records whose requests had the same messages before them as the
    export: those up to the first changed message, on the same side of every recorded compaction.
    Empty answers and errors do not count."""
    conversation, history = export_input.conversation, export_input.history
    compaction_boundaries = [
        compaction.boundary for compaction in conversation.recorded
    ]
    compaction_count = _compaction_count(history.scope, len(compaction_boundaries))
    starts: set[int] = set()
    exported = (
        message for message in export_input.messages if _is_in_requests(message)
    )
    for index, original in zip(history.indices, history.messages, strict=True):
        if not _is_in_requests(original):
            continue
        message = next(exported, None)
        # A later request held the changed message, so its size is none of the new history.
        if message is not original and message != original:
            break
        if (
            index >= 0
            and bisect_right(compaction_boundaries, index) == compaction_count
        ):
            starts.update(
                source.start for source in conversation.messages[index].sources
            )
    return frozenset(starts)


def _is_in_requests(message: Message) -> bool:
    # No request ever held these.
    return bool(message.blocks) and not message.flags & MessageFlag.API_ERROR


def _compaction_count(scope: str, count: int) -> int:
    """Count the recorded compactions before the requests that had a scope's history."""
    if scope in (ALL, CURRENT):
        return 0 if scope == ALL else count
    return int(scope.removeprefix(BEFORE)) - 1


def without_usage(value: dict[str, Json], format_name: str) -> dict[str, Json]:
    """Return a record with 0 as the size of its request; itself if it reports none."""
    path, names = _USAGE_FIELDS[format_name]
    # The agent would take the old size for that of the shorter history.
    value = _with_zero_sizes(value, path, names)
    if format_name == "openhands":
        return _state_without_usage(value)
    return value


def _state_without_usage(value: dict[str, Json]) -> dict[str, Json]:
    """Do the same for a state update of OpenHands 1, which holds the last request of each model;
    its other fields are sums of all requests."""
    state = fields_of(value.get("value"))
    path = (
        ("value", "stats", "usage_to_metrics")
        if "stats" in state
        else ("value", "usage_to_metrics")
    )
    for name in fields_of(fields_of(state.get("stats", state)).get("usage_to_metrics")):
        value = _with_zero_sizes(
            value, (*path, name, "accumulated_token_usage"), ("per_turn_token",)
        )
    return value


def _with_zero_sizes(
    value: dict[str, Json], path: Sequence[str], names: Sequence[str]
) -> dict[str, Json]:
    if not path:
        sizes = {name: 0 for name in names if value.get(name)}
        if sizes:
            return {**value, **sizes}
        return value
    inner_value = value.get(path[0])
    changed = (
        _with_zero_sizes(inner_value, path[1:], names)
        if isinstance(inner_value, dict)
        else inner_value
    )
    if changed is inner_value:
        return value
    return {**value, path[0]: changed}
