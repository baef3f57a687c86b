"""Saves an export to a file or to standard output."""

from __future__ import annotations

from pathlib import Path

from core.app.services.export import check_export, save_export
from core.cli.opened_transcript import OpenedConversation
from core.cli.output import console
from core.common import number_format
from core.common.atomic_file import TargetExistsError
from core.common.errors import InputError
from core.formats.writing.export_messages import ExportInput
from core.presentation.dialog_model import ExportRequest


def export_request(opened: OpenedConversation) -> ExportRequest:
    """Return the export to ``--out`` ("-" is standard output), in the source's format unless ``--to`` names
    one. Raises InputError for what could not be saved, before anything is counted or paid for."""
    options = opened.options
    request = ExportRequest(
        "" if options.out == "-" else options.out,
        options.to or opened.reader.name,
        overwrite=options.yes or console.can_ask(),  # asks when it is saved
        redact=options.redact,
        append=options.append_boundary,
        provenance=options.provenance,
        force=options.force,
    )
    try:
        check_export(request, opened.conversation.document.path)
    except TargetExistsError as error:
        raise InputError(error.message, "Choose another name, or add --yes.") from None
    return request


def save_output(opened: OpenedConversation, content: ExportInput) -> tuple[str, ...]:
    """Export as the options ask, and return the exporter's warnings, which are also printed.

    Raises InputError; never replaces the source, another file only with ``--yes`` or a yes on the terminal.
    The result is read back first, except with ``--force`` (core.export.checked_saving).
    """
    options, request = opened.options, export_request(opened)
    is_replaced = request.path and not options.yes and Path(request.path).exists()
    if is_replaced and not console.ask_yes_no(f"{request.path} exists already. Replace it?"):
        raise InputError(f"{request.path} was left as it is.", "Choose another name.")
    with console.ConsoleProgress(options) as progress:
        exported = save_export(content, request, progress)
    if request.path:
        messages = number_format.plural(len(content.messages), "message")
        size = number_format.size(len(exported.data))
        what = exported.exporter.label if exported.exporter.is_report else messages
        console.print_note(options, f"Wrote {options.out}: {what}, {size}.")
    else:
        console.write_bytes(exported.data)
    for text in exported.warnings:
        console.print_note(options, f"warning: {text}")
    return exported.warnings
