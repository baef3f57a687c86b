"""Saves and deletes overrides, and detects changes by other programs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from core.common.atomic_file import ABSENT, FileSignature, write_atomic
from core.common.errors import InputError
from core.settings.prompts.prompt_files import MAX_BYTES, check_inside, override_path, read_override
from core.settings.prompts.resolution import make_folder, path_exists, prompt_digest


class PromptFileChangedError(InputError):
    """Another program changed the file since it was read."""


def prompt_signature(path: Path) -> FileSignature:
    """Return the current state of a prompt file, to compare with that of the last read or save."""
    try:
        status = path.stat()
        if not path.is_file() or status.st_size > MAX_BYTES:
            return FileSignature(status.st_mtime_ns, status.st_size, "")
        return FileSignature(status.st_mtime_ns, status.st_size, prompt_digest(path.read_bytes()))
    except OSError:
        return ABSENT


def save_override(
    level: str,
    text: str,
    name: str,
    provider: str,
    model: str,
    folder: Path,
    known_signature: FileSignature | None = None,
) -> Path:
    """Write the override of a level (a PromptLevel or its value) atomically; return its path.

    ``known_signature`` is the file's state when it was read; other content raises PromptFileChangedError,
    None overwrites. Raises InputError for a blank or overlong text, the built-in level and a file that is
    not writable.
    """
    path = override_path(level, name, provider, model, folder)
    data = _data(text)
    if known_signature is not None and prompt_signature(path).digest != known_signature.digest:
        raise PromptFileChangedError(
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
        raise InputError(f"Character {error.start + 1} of the prompt is not valid Unicode.", hint) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"The prompt is longer than {MAX_BYTES:,} bytes.", hint)
    return data


def revert_override(level: str, name: str, provider: str, model: str, folder: Path) -> Path:
    """Delete the override of a level and emptied folders; return the file's old path.

    Raises InputError if there is none or it cannot be deleted. A link is removed, never its target.
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
    with suppress(OSError):  # stops at the first folder that is not empty
        for parent in path.parents:
            if parent == folder:
                break
            parent.rmdir()
    return path
