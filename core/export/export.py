"""Exports a history in one format, then counts or redacts its secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module

from core.common.errors import InputError, nearest_names
from core.common.late_names import LazySequence
from core.common.plugins import PluginRegistry, guarded, load_plugins
from core.common.redaction import Secret, SecretFinder, find_secrets
from core.formats.common.document import restore_images
from core.formats.registry import FORMATS
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportOptions,
    without_unsent_messages,
)
from core.formats.writing.format_capabilities import (
    CAPABILITIES,
    count_front_as_user,
    has_text_after_call,
    summary_role_note,
    with_written_roles,
)
from core.formats.writing.plain_text import documents_as_texts
from core.formats.writing.recorded_compaction import applied_compaction
from core.formats.writing.redacted_output import (
    SecretLocation,
    count_output_secrets,
    find_with_named_secrets,
    named_secrets_in,
    redact_output,
    secret_locations_in,
    secrets_summary,
    strict_output,
)
from core.lint.fitting import fitted_input
from core.reports.request_writer import lost_settings_warning
from core.strategies.stubs import stubbed_results
from core.transcript.model import Conversation, Message
from core.transcript.provenance import with_provenance
from core.transcript.scopes import ALL, history_of_scope, opening_scope

_MODULES: Mapping[str, tuple[str, str]] = {
    "claude_code": ("formats.claude_code_writer", "EXPORTER"),
    "openai_chat": ("formats.openai_chat", "EXPORTER"),
    "anthropic_messages": ("formats.anthropic", "EXPORTER"),
    "gemini": ("formats.gemini", "EXPORTER"),
    "gemini_cli": ("formats.gemini_cli_writer", "EXPORTER"),
    "llxprt": ("formats.llxprt", "EXPORTER"),
    "openai_responses": ("formats.openai_responses", "EXPORTER"),
    "codex_rollout": ("formats.codex_writer", "EXPORTER"),
    "pi_agent": ("formats.pi_writer", "EXPORTER"),
    "opencode": ("formats.opencode_writer", "EXPORTER"),
    "openhands": ("formats.openhands_writer", "EXPORTER"),
    "markdown": ("reports.text_writers", "EXPORTER"),
    "html": ("reports.html_page", "EXPORTER"),
    "csv": ("reports.text_writers", "CSV_EXPORTER"),
    "request": ("reports.request_writer", "EXPORTER"),
    "request_text": ("reports.request_writer", "TEXT_EXPORTER"),
    "command": ("reports.request_writer", "COMMAND_EXPORTER"),
    "golden": ("reports.golden_case", "EXPORTER"),
}
"""Modules of exporters by name, each with the name of its declaration."""


def _load_exporter(module: str, declaration: str) -> Exporter:
    loaded: Exporter = getattr(import_module(f"..{module}", __package__), declaration)
    return loaded


_BUILT_IN: Sequence[Exporter] = LazySequence(
    [partial(_load_exporter, *declared) for declared in _MODULES.values()]
)


@cache
def _plugin_exporters() -> tuple[Exporter, ...]:
    own_names = [
        name
        for exporter in _BUILT_IN
        for name in (exporter.name, *exporter.short_names)
    ]
    plugins = load_plugins("foldline.exporters", Exporter, own_names)
    return tuple(
        replace(one, write=guarded(one.write, package), package=package)
        for package, one in plugins
    )


EXPORTERS: Sequence[Exporter] = PluginRegistry(_BUILT_IN, _plugin_exporters)
"""Every kind of output, imported when it is first used; those of plugins come last."""


def find_exporter(name: str) -> Exporter:
    """Return the exporter with that name or short name. Raises InputError that lists the known
    ones."""
    if name in _MODULES:
        return _load_exporter(*_MODULES[name])
    for exporter in EXPORTERS:
        if name == exporter.name or name in exporter.short_names:
            return exporter
    names = [
        one for exporter in EXPORTERS for one in (exporter.name, *exporter.short_names)
    ]
    hint = nearest_names(name, names, "See all of them with: foldline list formats.")
    raise InputError(f"Foldline cannot write a format {name!r}.", hint)


def format_names(is_target: bool = False) -> tuple[str, ...]:
    """Return all names of the formats that are read, or of what can be exported, short names
    first."""
    short = [name for one in EXPORTERS for name in one.short_names]
    if is_target:
        names = [one.name for one in EXPORTERS]
        known = short
    else:
        names = [one.name for one in FORMATS]
        known = [name for name in short if reader_name(name) in names]
    return tuple(dict.fromkeys((*known, *names)))


def reader_name(name: str) -> str:
    """Return the full name of a format for the short name of its exporter; any other name as it
    is."""
    return next((one.name for one in EXPORTERS if name in one.short_names), name)


__all__ = [
    "EXPORTERS",
    "ExportedFile",
    "check_options",
    "export_history",
    "find_exporter",
    "reader_name",
]


_WHOLE_SESSION = (
    "The boundary covers the whole session, although the agent had only what its last compaction left; "
    "use the scope current (--scope current) to cover only that."
)
_MAX_REMEMBERED = (
    16 << 20
)  # characters of texts whose secrets are remembered while an export is made
_NO_MESSAGE = "The export has no messages; other programs may be unable to open it."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFile:
    """The bytes to save. ``secrets`` counts the secrets found, and redacted if ``redacted``;
    ``secret_locations`` are those inside messages. ``source`` is the input of the export,
    ``reopened`` what was written as it opens again, None for what is not saved or not read."""

    data: bytes
    warnings: tuple[str, ...]
    secrets: int
    exporter: Exporter
    source: ExportInput
    redacted: bool = False
    appended: bool = False
    secret_locations: tuple[SecretLocation, ...] = ()
    reopened: Conversation | None = None


STUBS_NOTE = "Results became stubs: the agent needs the tool expand of foldline mcp to get them back."


def export_history(
    export_input: ExportInput,
    format_name: str,
    *,
    append_boundary: bool = False,
    provenance: bool = False,
    redact: bool | None = None,
) -> ExportedFile:
    """Write a history or its compaction in a format (a name or short name of EXPORTERS). ``redact``
    None means the default of the format. Raises InputError for an unknown format, a source that
    changed since it was read, a boundary in a format without one, and a report that has no data."""
    exporter = find_exporter(format_name)
    check_options(exporter, append_boundary=append_boundary, provenance=provenance)
    redacted = exporter.redacts_by_default if redact is None else redact
    unsent_count = 0
    if not (append_boundary or provenance):
        export_input = _source_without_effect(export_input, exporter.name)
    if exporter.name in CAPABILITIES:
        export_input, unsent_count = without_unsent_messages(
            export_input, exporter.name
        )
    if (
        provenance
    ):  # of what is written: messages that are not sent are among the removed
        export_input = _with_provenance(export_input)
    export_input, fitted_counts = fitted_input(export_input, exporter.name)
    source, document_count, relabelled_count = export_input, 0, 0
    if (
        not exporter.is_report
    ):  # reports show no images and name documents as the source does
        with_images = export_input.map_messages(
            partial(restore_images, document=export_input.conversation.document)
        )
        source, document_count = documents_as_texts(with_images, exporter.name)
        relabelled_count = count_front_as_user(source, exporter.name)
        source = with_written_roles(source, exporter.name)
    output = exporter.write(source, ExportOptions(append_boundary, redacted))
    if not exporter.is_report:
        output = strict_output(output)
    find = _remembering(find_secrets)
    data, secrets = _redacted_data(output, export_input.conversation, redacted, find)
    differently = f"Written differently for {exporter.label}:"
    counted = (
        (
            "Left out: errors of the API, which the agent never sends again",
            unsent_count,
        ),
        ("Documents of plain text became texts of their messages", document_count),
        (
            f"{differently} words after a call before it",
            _count_moved_words(source, exporter),
        ),
        (f"{differently} system message in front as user", relabelled_count),
        *((f"{differently} {words}", number) for words, number in fitted_counts),
    )
    warnings = [
        *output.warnings,
        *(f"{words} ({number:,})." for words, number in counted if number),
    ]
    if role_note := summary_role_note(export_input.compaction, exporter.name):
        warnings.append(role_note)
    compaction = export_input.compaction
    if compaction is not None and stubbed_results(
        export_input.history.messages, compaction
    ):
        warnings.append(STUBS_NOTE)
    if not exporter.is_report:
        warnings += _transcript_warnings(
            export_input, exporter.name, append_boundary=append_boundary
        )
    if secrets:
        locations = secret_locations_in(_numbered_messages(export_input), find)
    else:
        locations = ()
    warnings += _secret_warnings(secrets, locations, redacted)
    return ExportedFile(
        data=data,
        warnings=tuple(warnings),
        secrets=secrets,
        exporter=exporter,
        source=source,
        redacted=redacted,
        appended=append_boundary,
        secret_locations=locations,
    )


def _source_without_effect(export_input: ExportInput, format_name: str) -> ExportInput:
    """Return the whole source in place of a run without effect over what the file opens with, in
    the format of the source: the file stays as it is."""
    conversation, compaction = export_input.conversation, export_input.compaction
    scope = export_input.history.scope
    if (
        compaction is None
        or compaction.no_op is None
        or scope == ALL
        or scope != opening_scope(conversation)
    ):
        return export_input
    if not export_input.is_from_format(format_name):
        return export_input
    return replace(
        export_input,
        history=history_of_scope(conversation, ALL),
        compaction=None,
        sizes=None,
    )


def _remembering(find: SecretFinder) -> SecretFinder:
    """Return a finder that searches a text once as long as it is remembered. Most texts are twice
    in a line (Claude Code repeats each result), and in the source, in its messages and in the
    output; all texts of a large export would take much memory."""
    found: dict[str, Sequence[Secret]] = {}
    length = 0

    def find_once(text: str) -> Sequence[Secret]:
        nonlocal length
        if (known := found.get(text)) is not None:
            return known
        if length > _MAX_REMEMBERED:
            found.clear()
            length = 0
        length += len(text)
        return found.setdefault(text, find(text))

    return find_once


def _count_moved_words(export_input: ExportInput, exporter: Exporter) -> int:
    """Count the messages with words behind a call, if the format has no place for words there."""
    holds = CAPABILITIES.get(exporter.name)
    if (
        holds is None
        or not holds.calls_after_text
        or export_input.is_from_format(exporter.name)
    ):
        return 0
    return sum(map(has_text_after_call, export_input.messages))


def _numbered_messages(export_input: ExportInput) -> Iterator[tuple[int, Message]]:
    """Yield the messages of an export with their numbers in the source; 0 for an inserted one."""
    if export_input.compaction is None:
        yield from enumerate(export_input.messages, 1)
        return
    for origins, message in zip(
        export_input.compaction.origins, export_input.messages, strict=True
    ):
        yield (origins[0] + 1 if origins else 0), message


def _redacted_data(
    output: ExporterOutput,
    conversation: Conversation,
    redacted: bool,
    find: SecretFinder,
) -> tuple[bytes, int]:
    if output.secrets is not None:
        return output.data, output.secrets
    if not redacted:
        return output.data, count_output_secrets(output, find)
    known_secrets = named_secrets_in(conversation.messages, find)
    return redact_output(
        output, partial(find_with_named_secrets, named_secrets=known_secrets, find=find)
    )


def check_options(
    exporter: Exporter, *, append_boundary: bool, provenance: bool
) -> None:
    """Raise InputError if a format does not support a requested option."""
    if append_boundary and not exporter.has_boundary:
        names = [supporting.name for supporting in EXPORTERS if supporting.has_boundary]
        raise InputError(
            f"A compaction cannot be appended to a file of {exporter.label}.",
            f"Write {', '.join(names[:-1])} or {names[-1]}, or leave --append-boundary out.",
        )
    if provenance and not exporter.has_provenance:
        names = [
            supporting.name for supporting in EXPORTERS if supporting.has_provenance
        ]
        raise InputError(
            f"A file of {exporter.label} has no place for provenance.",
            f"Formats that have one: {', '.join(names)}.",
        )


def _with_provenance(export_input: ExportInput) -> ExportInput:
    if export_input.compaction is None:
        raise InputError("A source has no provenance.", "Export a compaction of it.")
    return replace(
        export_input,
        compaction=with_provenance(
            export_input.compaction, export_input.history.messages
        ),
    )


def _transcript_warnings(
    export_input: ExportInput, format_name: str, *, append_boundary: bool
) -> Iterator[str]:
    if not export_input.is_from_format(format_name):
        yield from lost_settings_warning(export_input.conversation)
    if (
        append_boundary
        and applied_compaction(export_input)
        and export_input.conversation.recorded
        and export_input.history.scope == ALL
    ):
        yield _WHOLE_SESSION
    if not export_input.messages:
        yield _NO_MESSAGE


def _secret_warnings(
    count: int, locations: Sequence[SecretLocation], redacted: bool
) -> tuple[str, ...]:
    if not count:
        return ()
    if locations:
        location_text = f": {secrets_summary(locations)}"
    else:
        location_text = ""
    count_text = f"{count:,} secret{'s' if count > 1 else ''}"
    if redacted:
        return (f"{count_text} written over{location_text}.",)
    return (f"The export holds {count_text}; redaction is off{location_text}.",)
