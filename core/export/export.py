"""Exports a history in one format, then counts or redacts its secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.common.errors import InputError
from core.export.registry import EXPORTERS, find_exporter
from core.formats.common.media import untrimmed
from core.formats.writing.base import Exporter, ExporterOutput, ExportInput, ExportOptions
from core.formats.writing.format_capabilities import HOLDS, SystemPlacement, has_words_behind
from core.formats.writing.named_secrets import find_known, known_in
from core.formats.writing.recorded_compaction import run_of
from core.formats.writing.redacted_output import count_written, redact_written
from core.formats.writing.secret_list import SecretLocation, secret_locations_in, secrets_in_words
from core.formats.writing.text_documents import as_texts
from core.reports.request_settings import not_carried
from core.transcript.model import Conversation, Message, Speaker
from core.transcript.provenance import with_provenance
from core.transcript.scopes import ALL

__all__ = ["EXPORTERS", "ExportedFile", "check_options", "export_history", "find_exporter"]


_WHOLE_SESSION = (
    "The boundary covers the whole session, although the agent had only what its last compaction left; "
    "use the scope current (--scope current) to cover only that."
)
_NO_MESSAGE = "The export has no messages; other programs may be unable to open it."


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """The bytes to save. ``secrets`` counts the secrets found, and redacted if ``redacted``;
    ``secret_locations`` are those inside messages. ``source`` is the input of the export."""

    data: bytes
    warnings: tuple[str, ...]
    secrets: int
    exporter: Exporter
    source: ExportInput
    redacted: bool = False
    appended: bool = False
    secret_locations: tuple[SecretLocation, ...] = ()


def export_history(
    given: ExportInput,
    to: str,
    *,
    append_boundary: bool = False,
    provenance: bool = False,
    redact: bool | None = None,
) -> ExportedFile:
    """Write a history or its compaction in a format (a name or short name of EXPORTERS). ``redact`` None
    means the default of the format. Raises InputError for an unknown format, a source that changed since it
    was read, a boundary in a format without one, and a report that has no data."""
    exporter = find_exporter(to)
    check_options(exporter, append_boundary=append_boundary, provenance=provenance)
    if provenance:
        given = _with_provenance(given)
    redacted = exporter.redacts if redact is None else redact
    source, documents, relabelled = given, 0, 0
    if not exporter.is_report:  # reports show no images and name documents as the source does
        with_images = given.each(partial(untrimmed, document=given.conversation.document))
        source, documents = as_texts(with_images, exporter.name)
        source, relabelled = _system_as_user(source, exporter)
    written = exporter.write(source, ExportOptions(append_boundary, redacted))
    data, secrets = _redacted_data(written, given.conversation, redacted)
    warnings = [*written.warnings, *_about_documents(documents)]
    if moved := _count_moved_words(source, exporter):
        warnings.append(
            f"Written differently for {exporter.label}: words behind a call before it ({moved:,})."
        )
    if relabelled:
        warnings.append(
            f"Written differently for {exporter.label}: system message in front as user ({relabelled:,})."
        )
    if not exporter.is_report:
        warnings += _about_transcript(given, exporter.name, append_boundary=append_boundary)
    places = secret_locations_in(_numbered(given)) if secrets else ()
    warnings += _about_secrets(secrets, places, redacted)
    return ExportedFile(data, tuple(warnings), secrets, exporter, source, redacted, append_boundary, places)


def _system_as_user(given: ExportInput, exporter: Exporter) -> tuple[ExportInput, int]:
    """Return the input with leading system messages as messages of the user, and their count, for formats
    that would read them as the system prompt."""
    messages, run = given.messages, given.compaction
    count = next((at for at, one in enumerate(messages) if one.speaker is not Speaker.SYSTEM), len(messages))
    holds = HOLDS.get(exporter.name)
    if not count or holds is None or holds.system is not SystemPlacement.BEHIND:
        return given, 0
    relabelled = (*(replace(one, speaker=Speaker.HUMAN) for one in messages[:count]), *messages[count:])
    if run is not None:
        return replace(given, compaction=replace(run, messages=relabelled)), count
    return replace(given, history=replace(given.history, messages=relabelled)), count


def _count_moved_words(given: ExportInput, exporter: Exporter) -> int:
    """Count the messages with words behind a call, if the format has no place for words there."""
    holds = HOLDS.get(exporter.name)
    if holds is None or not holds.calls_beside or given.comes_from(exporter.name):
        return 0
    return sum(map(has_words_behind, given.messages))


def _numbered(given: ExportInput) -> Iterator[tuple[int, Message]]:
    """Yield the messages of an export with their numbers in the source; 0 for an inserted one."""
    if given.compaction is None:
        yield from enumerate(given.messages, 1)
        return
    for origins, message in zip(given.compaction.origins, given.messages, strict=True):
        yield (origins[0] + 1 if origins else 0), message


def _redacted_data(written: ExporterOutput, conversation: Conversation, redacted: bool) -> tuple[bytes, int]:
    if written.secrets is not None:
        return written.data, written.secrets
    if not redacted:
        return written.data, count_written(written)
    known = known_in(conversation.messages)
    return redact_written(written, partial(find_known, known=known))


def check_options(exporter: Exporter, *, append_boundary: bool, provenance: bool) -> None:
    """Raise InputError if a format does not support a requested option."""
    if append_boundary and not exporter.has_boundary:
        raise InputError(
            f"{exporter.label} has no compaction boundary to append.",
            f"Export as {_boundary_formats()}, or without --append-boundary.",
        )
    if provenance and not exporter.has_provenance:
        able = ", ".join(one.name for one in EXPORTERS if one.has_provenance)
        raise InputError(f"{exporter.label} has no place for provenance.", f"Formats that have: {able}.")


def _with_provenance(given: ExportInput) -> ExportInput:
    if given.compaction is None:
        raise InputError("A source has no provenance.", "Export a compaction of it.")
    return replace(given, compaction=with_provenance(given.compaction, given.history.messages))


def _boundary_formats() -> str:
    names = [exporter.name for exporter in EXPORTERS if exporter.has_boundary]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _about_documents(count: int) -> tuple[str, ...]:
    return (f"Documents of plain text became texts of their messages ({count:,}).",) if count else ()


def _about_transcript(given: ExportInput, to: str, *, append_boundary: bool) -> Iterator[str]:
    if not given.comes_from(to):
        yield from not_carried(given.conversation)
    if append_boundary and run_of(given) and given.conversation.recorded and given.history.scope == ALL:
        yield _WHOLE_SESSION
    if not given.messages:
        yield _NO_MESSAGE


def _about_secrets(count: int, places: Sequence[SecretLocation], redacted: bool) -> tuple[str, ...]:
    if not count:
        return ()
    where = f": {secrets_in_words(places)}" if places else ""
    what = f"{count:,} secret{'s' if count > 1 else ''}"
    if redacted:
        return (f"{what} written over{where}.",)
    return (f"The export holds {what}; redaction is off{where}.",)
