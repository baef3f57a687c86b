"""Saves an export to a file or to standard output."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.cli.opened_conversation import OpenedConversation
from core.cli.output import console
from core.common import number_format
from core.common.atomic_file import TargetExistsError, check_target
from core.common.errors import InputError
from core.export.checked_saving import check_unsaved, write_export
from core.export.export import ExportedFile, check_options, export_history, find_exporter
from core.formats.writing.base import ExportInput


def check_output_path(
    opened: OpenedConversation, out: str, to: str, *, append_boundary: bool = False, provenance: bool = False
) -> None:
    """Refuse what could not be saved, before anything is counted or paid for. Raises InputError."""
    exporter = find_exporter(to or opened.reader.name)
    check_options(exporter, append_boundary=append_boundary, provenance=provenance)
    if out == "-":
        return
    replaces = opened.options.yes or console.can_ask()  # the question follows when it is saved
    try:
        check_target(Path(out), overwrite=replaces, source=opened.conversation.document.path)
    except TargetExistsError:
        raise _exists(Path(out)) from None


def _exists(path: Path) -> InputError:
    return InputError(f"{path} exists already.", "Choose another name, or add --yes.")


def save_output(
    opened: OpenedConversation,
    content_to_export: ExportInput,
    out: str,
    to: str,
    *,
    append_boundary: bool = False,
    provenance: bool = False,
    redact: bool | None = None,
    force: bool = False,
) -> tuple[str, ...]:
    """Export to ``out`` ("-" is standard output), in the source's format unless ``to`` names one.

    Returns the exporter's warnings, which it also prints. Raises InputError; never replaces the source,
    another file only with ``--yes`` or a yes on the terminal. The result is read back first, except with
    ``force`` (core.export.checked_saving).
    """
    options = opened.options
    name = to or opened.reader.name
    exported = export_history(
        content_to_export, name, append_boundary=append_boundary, provenance=provenance, redact=redact
    )
    progress = console.ConsoleProgress(options)
    try:
        if out != "-":
            _write(opened, Path(out), exported, progress, force=force)
        elif not force:
            check_unsaved(exported, progress)
    finally:
        progress.done()
    if out == "-":
        console.write_bytes(exported.data)
    else:
        exporter = find_exporter(name)
        content = (
            exporter.label
            if exporter.is_report
            else number_format.plural(len(content_to_export.messages), "message")
        )
        console.print_note(options, f"Wrote {out}: {content}, {number_format.size(len(exported.data))}.")
    for text in exported.warnings:
        console.print_note(options, f"warning: {text}")
    return exported.warnings


def _write(
    opened: OpenedConversation,
    path: Path,
    exported: ExportedFile,
    progress: console.ConsoleProgress,
    *,
    force: bool,
) -> None:
    source = opened.conversation.document.path
    save_export = partial(write_export, exported, path, source=source, force=force, progress=progress)
    try:
        save_export(overwrite=opened.options.yes)
    except TargetExistsError:
        if not console.can_ask():
            raise _exists(path) from None
        if not console.ask_yes_no(f"{path} exists already. Replace it?"):
            raise InputError(f"{path} was left as it is.", "Choose another name.") from None
        save_export(overwrite=True)
