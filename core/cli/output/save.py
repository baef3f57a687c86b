"""Saves an export to a file or to standard output."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.cli.opened_transcript import OpenedConversation
from core.cli.output import console
from core.common import number_format
from core.common.atomic_file import TargetExistsError, check_target
from core.common.errors import InputError
from core.export.checked_saving import check_unsaved, write_export
from core.export.export import ExportedFile, check_options, export_history, find_exporter
from core.formats.writing.base import ExportInput


def check_output_path(opened: OpenedConversation) -> None:
    """Refuse what could not be saved, before anything is counted or paid for. Raises InputError."""
    options = opened.options
    exporter = find_exporter(options.to or opened.reader.name)
    check_options(exporter, append_boundary=options.append_boundary, provenance=options.provenance)
    if options.out == "-":
        return
    path, replaces = Path(options.out), options.yes or console.can_ask()  # asks when it is saved
    try:
        check_target(path, overwrite=replaces, source=opened.conversation.document.path)
    except TargetExistsError:
        raise _exists(path) from None


def _exists(path: Path) -> InputError:
    return InputError(f"{path} exists already.", "Choose another name, or add --yes.")


def save_output(opened: OpenedConversation, content: ExportInput) -> tuple[str, ...]:
    """Export to ``--out`` ("-" is standard output), in the source's format unless ``--to`` names one.

    Returns the exporter's warnings, which it also prints. Raises InputError; never replaces the source,
    another file only with ``--yes`` or a yes on the terminal. The result is read back first, except with
    ``--force`` (core.export.checked_saving).
    """
    options, exporter = opened.options, find_exporter(opened.options.to or opened.reader.name)
    exported = export_history(
        content,
        exporter.name,
        append_boundary=options.append_boundary,
        provenance=options.provenance,
        redact=options.redact,
    )
    with console.ConsoleProgress(options) as progress:
        if options.out != "-":
            _write(opened, exported, progress)
        elif not options.force:
            check_unsaved(exported, progress)
    if options.out == "-":
        console.write_bytes(exported.data)
    else:
        messages = number_format.plural(len(content.messages), "message")
        size = number_format.size(len(exported.data))
        what = exporter.label if exporter.is_report else messages
        console.print_note(options, f"Wrote {options.out}: {what}, {size}.")
    for text in exported.warnings:
        console.print_note(options, f"warning: {text}")
    return exported.warnings


def _write(opened: OpenedConversation, exported: ExportedFile, progress: console.ConsoleProgress) -> None:
    options, path = opened.options, Path(opened.options.out)
    source = opened.conversation.document.path
    save_export = partial(write_export, exported, path, source=source, force=options.force, progress=progress)
    try:
        save_export(overwrite=options.yes)
    except TargetExistsError:
        if not console.can_ask():
            raise _exists(path) from None
        if not console.ask_yes_no(f"{path} exists already. Replace it?"):
            raise InputError(f"{path} was left as it is.", "Choose another name.") from None
        save_export(overwrite=True)
