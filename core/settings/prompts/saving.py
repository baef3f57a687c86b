"""Saving and deleting overrides, with an eye on what other programs do to the same file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.file_identity import ABSENT, FileSignature
from core.settings.prompts.install_manifest import prompt_digest
from core.settings.prompts.installation import make_folder
from core.settings.prompts.override_paths import override_path
from core.settings.prompts.prompt_files import MAX_BYTES, check_inside, read_override
from core.settings.prompts.resolution import path_exists


class ChangedOutside(InputError):
    """Another program changed the file since it was read."""


def prompt_signature(path: Path) -> FileSignature:
    """The state of a prompt file now; compare it with that of the last read or save."""
    try:
        found = path.stat()
        if not path.is_file() or found.st_size > MAX_BYTES:
            return FileSignature(found.st_mtime_ns, found.st_size, "")
        return FileSignature(found.st_mtime_ns, found.st_size, prompt_digest(path.read_bytes()))
    except OSError:
        return ABSENT


def save_override(
    level: str,
    text: str,
    name: str,
    provider: str,
    model: str,
    folder: Path,
    seen: FileSignature | None = None,
) -> Path:
    """Write the override of a level (a Level or its word), whole or not at all; returns its file.

    No other file is written. ``seen`` is what the file was when it was read; a
    file with another content raises ChangedOutside, None overwrites. Raises InputError for a blank or
    overlong text, for the built-in level and for a file that cannot be written.
    """
    path = override_path(level, name, provider, model, folder)
    data = _data(text)
    if seen is not None and prompt_signature(path).digest != seen.digest:
        raise ChangedOutside(
            f"The prompt file {path} was changed by another program.", "Load it again, or save over it."
        )
    make_folder(path.parent, folder)
    check_inside(path, folder)
    write_atomic(path, data, overwrite=True)
    read_override(path, folder)
    return path


def _data(text: str) -> bytes:
    hint = "Nothing was saved; delete the override to use the text below it."
    if not text.strip():
        raise InputError("An empty prompt cannot be used.", hint)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"Character {error.start + 1} of the prompt is no character.", hint) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"The prompt is longer than {MAX_BYTES:,} bytes.", hint)
    return data


def revert_override(level: str, name: str, provider: str, model: str, folder: Path) -> Path:
    """Delete the override of a level, and folders that are then empty; returns the file's old path.

    Raises InputError where there is none or it cannot be deleted. A link is removed, never its target.
    """
    path = override_path(level, name, provider, model, folder)
    if not path_exists(path):
        raise InputError(f"There is no prompt file {path}.", "Nothing was deleted.")
    check_inside(path.parent, folder)
    try:
        path.unlink()
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(f"The prompt file {path} cannot be deleted: {cause}.") from None
    with suppress(OSError):  # the first folder that still holds something ends it
        for parent in path.parents:
            if parent == folder:
                break
            parent.rmdir()
    return path
