"""Saves an export: writes it to a temporary file, opens that again, compares, and only then renames it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.export.export import ExportedFile
from core.formats.registry import load_conversation
from core.formats.writing.format_capabilities import CAPABILITIES
from core.formats.writing.round_trip import expected_messages, first_difference
from core.transcript.model import Conversation, Message, Progress, no_progress
from core.transcript.scopes import ALL, CURRENT, history_of_scope

SAVE_ANYWAY_HINT = "Choose another format, or add --force to save it as it is."


Compare: TypeAlias = Callable[[Sequence[Message], Sequence[Message]], str]
"""Returns the first difference between expected messages and messages that were read; "" if there is none."""


class RoundTripError(InputError):
    """The written file, opened again, differs from the export."""


def write_export(
    exported: ExportedFile,
    path: Path,
    *,
    overwrite: bool,
    source: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> None:
    """Write an export to ``path`` as ``write_atomic`` does. Raises RoundTripError, with nothing written, if
    the file opened again would differ from the export; ``force`` skips that check."""
    check = None if force else partial(check_written, exported, name=path.name, progress=progress)
    write_atomic(path, exported.data, overwrite=overwrite, source=source, check=check)


def check_unsaved(exported: ExportedFile, progress: Progress = no_progress) -> None:
    """Run the same check on an export that is not written to a file. Raises RoundTripError."""
    if exported.exporter.name not in CAPABILITIES:
        return
    handle, name = tempfile.mkstemp(prefix="foldline-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(exported.data)
        check_written(exported, Path(name), name="The export", progress=progress)
    finally:
        os.unlink(name)


def check_written(
    exported: ExportedFile, written: Path, *, name: str, progress: Progress = no_progress
) -> None:
    """Open the written file and compare it message by message. Raises RoundTripError if it differs."""
    if exported.exporter.name not in CAPABILITIES or not exported.source.messages:
        return
    try:
        difference = _difference(exported, written, progress)
    except InputError as error:
        difference = error.message.replace(written.name, name).rstrip(".")
    if difference:
        failure = f"{name} was not saved: opened again it would differ from what was to be written"
        raise RoundTripError(f"{failure}. The first difference: {difference}.", SAVE_ANYWAY_HINT)


def _difference(exported: ExportedFile, written: Path, progress: Progress) -> str:
    name = exported.exporter.name
    reopened = _reopen(exported, written, progress)
    compare = partial(first_difference, name=name, redacted=exported.redacted, progress=progress)
    if exported.appended:
        return _appended_difference(exported, reopened, compare)
    expected = expected_messages(exported.source, name)
    difference = compare(expected, reopened.messages)
    if difference and reopened.recorded and exported.source.history.scope != ALL:
        # the summary of an earlier compaction was written as its own record
        return compare(expected, history_of_scope(reopened, CURRENT).messages) and difference
    return difference


def _reopen(exported: ExportedFile, written: Path, progress: Progress) -> Conversation:
    """Return the conversation that was written; in a file with several, by its number in the source."""
    original = exported.source.conversation
    place = original.number, original.branch
    if exported.source.is_from_format(exported.exporter.name) and place != (1, 1):
        try:
            return load_conversation(written, conversation=place[0], branch=place[1], progress=progress)
        except InputError:
            pass  # the conversation was written alone
    return load_conversation(written, progress=progress)


def _appended_difference(exported: ExportedFile, reopened: Conversation, compare: Compare) -> str:
    """Return what differs where a compaction was appended to an unchanged source."""
    original = exported.source.conversation
    if difference := compare(original.messages, reopened.messages[: len(original.messages)]):
        return difference
    compaction = exported.source.compaction
    added = compaction is not None and compaction.no_op is None
    if len(reopened.recorded) - len(original.recorded) != added:
        return "the compaction is not recorded in the file"
    return ""
