"""The one way to export: a format's writer, then the count or redaction of secrets."""

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
    "The boundary stands for the whole session; the agent had only what its last compaction left. "
    "In the scope current (--scope current) it stands for that."
)
_NO_MESSAGE = "There is no message to write; the file may be one that nothing opens."


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """What is to be saved. ``secrets`` is how many were found, written over if asked for (``redacted``);
    ``source`` is what was handed to the exporter, ``secret_locations_in`` are those secrets that stand in
    messages."""

    data: bytes
    warnings: tuple[str, ...]
    secrets: int
    exporter: Exporter
    source: ExportInput
    redacted: bool = False
    appended: bool = False
    places: tuple[SecretLocation, ...] = ()


def export_history(
    given: ExportInput,
    to: str,
    *,
    append_boundary: bool = False,
    provenance: bool = False,
    redact: bool | None = None,
) -> ExportedFile:
    """Write a history or its compaction in a format (a name or short name of EXPORTERS).

    ``redact`` None: as the format does by default. Raises InputError for an unknown format, a source
    that changed since it was read, a boundary asked for where there can be none, and a report that
    there is nothing for.
    """
    exporter = find_exporter(to)
    check_options(exporter, append_boundary=append_boundary, provenance=provenance)
    if provenance:
        given = _with_provenance(given)
    covers = exporter.redacts if redact is None else redact
    source, documents, led = given, 0, 0
    if not exporter.is_report:  # reports show no images, and name a document as the source has it
        with_images = given.each(partial(untrimmed, document=given.conversation.document))
        source, documents = as_texts(with_images, exporter.name)
        source, led = _led_by_user(source, exporter)
    written = exporter.write(source, ExportOptions(append_boundary, covers))
    data, secrets = _looked_through(written, given.conversation, covers)
    said = [*written.warnings, *_about_documents(documents)]
    if moved := _moved(source, exporter):
        said.append(f"Written differently for {exporter.label}: words behind a call before it ({moved:,}).")
    if led:
        said.append(f"Written differently for {exporter.label}: system message in front as user ({led:,}).")
    if not exporter.is_report:
        said += _about_transcript(given, exporter.name, append_boundary=append_boundary)
    found = secret_locations_in(_numbered(given)) if secrets else ()
    warnings = (*said, *_about_secrets(secrets, found, covers))
    return ExportedFile(data, warnings, secrets, exporter, source, covers, append_boundary, found)


def _led_by_user(given: ExportInput, exporter: Exporter) -> tuple[ExportInput, int]:
    """The same where system messages in front would be read as the system prompt: those as the user's, and
    how many there are."""
    messages, run = given.messages, given.compaction
    count = next((at for at, one in enumerate(messages) if one.speaker is not Speaker.SYSTEM), len(messages))
    holds = HOLDS.get(exporter.name)
    if not count or holds is None or holds.system is not SystemPlacement.BEHIND:
        return given, 0
    led = (*(replace(one, speaker=Speaker.HUMAN) for one in messages[:count]), *messages[count:])
    if run is not None:
        return replace(given, compaction=replace(run, messages=led)), count
    return replace(given, history=replace(given.history, messages=led)), count


def _moved(given: ExportInput, exporter: Exporter) -> int:
    """How many messages have words behind a call that the format, not their own, has no place for."""
    holds = HOLDS.get(exporter.name)
    if holds is None or not holds.calls_beside or given.comes_from(exporter.name):
        return 0
    return sum(map(has_words_behind, given.messages))


def _numbered(given: ExportInput) -> Iterator[tuple[int, Message]]:
    """The messages of an export, each with its number in the source; 0 for one that was put in."""
    if given.compaction is None:
        yield from enumerate(given.messages, 1)
        return
    for origins, message in zip(given.compaction.origins, given.messages, strict=True):
        yield (origins[0] + 1 if origins else 0), message


def _looked_through(written: ExporterOutput, conversation: Conversation, covers: bool) -> tuple[bytes, int]:
    """What was written, without its secrets where they are to be covered, and how many there were."""
    if written.secrets is not None:
        return written.data, written.secrets
    if not covers:
        return written.data, count_written(written)
    known = known_in(conversation.messages)
    return redact_written(written, partial(find_known, known=known))


def check_options(exporter: Exporter, *, append_boundary: bool, provenance: bool) -> None:
    """Raise InputError where a format has no place for what is asked of it."""
    if append_boundary and not exporter.has_boundary:
        raise InputError(
            f"{exporter.label} has no compaction boundary to append.",
            f"Export as {_listed()}, or without --append-boundary.",
        )
    if provenance and not exporter.has_provenance:
        able = ", ".join(one.name for one in EXPORTERS if one.has_provenance)
        raise InputError(f"{exporter.label} has no place for provenance.", f"Formats that have: {able}.")


def _with_provenance(given: ExportInput) -> ExportInput:
    """The same, each message with what it was before the compaction. Raises InputError for a source."""
    if given.compaction is None:
        raise InputError("A source has no provenance.", "Export a compaction of it.")
    return replace(given, compaction=with_provenance(given.compaction, given.history.messages))


def _listed() -> str:
    """The formats that can record a compaction: "claude_code, codex_rollout, pi_agent or openhands"."""
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


def _about_secrets(count: int, found: Sequence[SecretLocation], redacted: bool) -> tuple[str, ...]:
    if not count:
        return ()
    where = f": {secrets_in_words(found)}" if found else ""
    what = f"{count:,} secret{'s' if count > 1 else ''}"
    if redacted:
        return (f"{what} written over{where}.",)
    return (f"The export holds {what}; redaction is off{where}.",)
