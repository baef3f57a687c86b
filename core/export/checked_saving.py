"""An export put in its place: written beside it, opened again, compared, and only then given its name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.garbage_collection import paused_collection
from core.export.export import ExportedFile
from core.formats.common.media import restored, shorten
from core.formats.common.open_document import open_binary
from core.formats.registry import load_conversation
from core.formats.writing.format_capabilities import HOLDS
from core.formats.writing.round_trip import as_read, first_difference, to_write
from core.transcript.model import Conversation, Message, Progress, no_progress
from core.transcript.scopes import ALL, CURRENT, history_of_scope

_BY_LINE = (
    "claude_code",
    "anthropic_messages",
    "openai_chat",
    "openai_responses",
    "codex_rollout",
    "gemini_cli",
    "pi_agent",
    "llxprt",
)
"""Formats whose files may have a record a line, and whose readers look into no long text."""
SAVE_ANYWAY = "Choose another format, or add --force to save it as it is."


Compare: TypeAlias = Callable[[Sequence[Message], Sequence[Message]], str]
"""The first difference of messages that were read, "" where there is none."""


class RoundTripError(InputError):
    """What was written does not say, opened again, what was to be written."""


def place_export(
    made: ExportedFile,
    path: Path,
    *,
    overwrite: bool,
    source: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> None:
    """Write an export to ``path`` as ``write_atomic`` does.

    Raises RoundTripError, with nothing written, where it would not open again as what was to be written;
    ``force`` leaves that check out.
    """
    check = None if force else partial(check_written, made, name=path.name, progress=progress)
    write_atomic(path, made.data, overwrite=overwrite, source=source, check=check)


def check_spooled(made: ExportedFile, progress: Progress = no_progress) -> None:
    """The same check for what goes elsewhere than to a file. Raises RoundTripError."""
    if made.exporter.name not in HOLDS:
        return
    handle, name = tempfile.mkstemp(prefix="foldline-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(made.data)
        check_written(made, Path(name), name="The export", progress=progress)
    finally:
        os.unlink(name)


def check_written(made: ExportedFile, written: Path, *, name: str, progress: Progress = no_progress) -> None:
    """Open what was written and compare it message by message. Raises RoundTripError where it differs."""
    if made.exporter.name not in HOLDS or not made.source.messages:
        return
    try:
        with paused_collection():  # it would look through all of the source again and again
            why = _difference(made, written, progress)
    except InputError as error:
        why = error.message.replace(written.name, name).rstrip(".")
    if why:
        what = f"{name} was not saved: opened again it would differ from what was to be written"
        raise RoundTripError(f"{what}. The first difference: {why}.", SAVE_ANYWAY)


def _difference(made: ExportedFile, written: Path, progress: Progress) -> str:
    found = _opened(made, written, progress)
    progress(0.0, "Comparing")
    with open_binary(found.document) as stream:
        read = partial(as_read, whole=partial(restored, stream=stream))
        compare = partial(
            first_difference, holds=HOLDS[made.exporter.name], redacted=made.redacted, progress=progress
        )
        if made.appended:
            return _behind(made, found, lambda ours, theirs: compare(as_read(ours), read(theirs)))
        expected = to_write(made.source, made.exporter.name)
        why = compare(expected, read(found.messages))
        if why and found.recorded and made.source.history.scope != ALL:
            # the summary of an earlier compaction was written as the record that it was
            return compare(expected, read(history_of_scope(found, CURRENT).messages)) and why
        return why


def _opened(made: ExportedFile, written: Path, progress: Progress) -> Conversation:
    """The conversation that was written; where others stand beside it, by its number in the source.

    Its long texts are left in the file where its format writes a record a line.
    """
    talk = made.source.conversation
    open_again = partial(load_conversation, written, progress=progress)
    if made.exporter.name in _BY_LINE:
        open_again = partial(open_again, shorten=shorten)
    if made.source.comes_from(made.exporter.name) and (talk.number, talk.branch) != (1, 1):
        try:
            return open_again(conversation=talk.number, branch=talk.branch)
        except InputError:
            pass  # it was written alone
    return open_again()


def _behind(made: ExportedFile, found: Conversation, compare: Compare) -> str:
    """What differs where a compaction was appended: the source stands in front, then the compaction."""
    talk = made.source.conversation
    if why := compare(talk.messages, found.messages[: len(talk.messages)]):
        return why
    run = made.source.compaction
    added = run is not None and run.no_op is None
    if len(found.recorded) - len(talk.recorded) != added:
        return "the compaction is not recorded in the file"
    return ""
