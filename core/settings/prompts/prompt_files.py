"""Reading prompt files: those that ship with the program and those of the person."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.common import paths
from core.common.errors import InputError

FOLDER = "compression"
"""The folder of the summary prompts, at every level and among the built-in ones."""

MAX_BYTES = 1_000_000
"""No prompt is longer; a file that is was put there by mistake."""

_REINSTALL = "Reinstall Foldline to get its prompts back."
_REPAIR = "Correct or delete it; the prompt of the next level is used where it is gone."


class PromptLevel(StrEnum):
    """Where a prompt may lie, most specific first (REQ-CS-005.2)."""

    MODEL = "model"
    PROVIDER = "provider"
    BASE = "base"
    BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt text, the file that it came from, and the level of that file."""

    name: str
    text: str
    path: Path
    level: PromptLevel = PromptLevel.BUILT_IN


def prompts_folder() -> Path:
    """The person's prompts folder; created by the first save or install, not here."""
    return paths.config_dir() / "prompts"


def prompt_names() -> tuple[str, ...]:
    """The names of the prompts that ship, sorted."""
    return tuple(sorted(path.stem for path in (paths.PROMPTS / FOLDER).glob("*.md")))


def built_in_path(name: str) -> Path:
    """The file of a prompt that ships."""
    return paths.PROMPTS / FOLDER / f"{name}.md"


def built_in(name: str) -> PromptText:
    """The prompt that ships with the program under ``name`` (REQ-CS-005.3).

    Raises InputError that names the file where it is missing, empty or not UTF-8 (REQ-CS-006A.3).
    """
    path = built_in_path(name)
    return PromptText(name, read_text(path, _REINSTALL), path)


def read_override(path: Path, folder: Path) -> str:
    """The text of a prompt file below ``folder``.

    Raises InputError that names it where it leads out of the folder, is no file, cannot be read, is
    empty, too long or not UTF-8 (REQ-CS-006A.3).
    """
    check_inside(path, folder)
    return read_text(path, _REPAIR)


def check_inside(path: Path, folder: Path) -> None:
    """Refuse a path that links lead out of ``folder``, whether or not the file exists yet."""
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link that leads to itself, or a folder that nobody may enter
        inside = False
    if not inside:
        raise InputError(f"The prompt file {path} leads out of the prompts folder.", "Remove the link.")


def read_text(path: Path, hint: str) -> str:
    """The text of a prompt file without its byte order mark; InputError names the file and the fault."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device might never end
            raise InputError(f"The prompt file {path} is not a regular file.", hint)
        if found.st_size > MAX_BYTES:
            raise InputError(f"The prompt file {path} is longer than {MAX_BYTES:,} bytes.", hint)
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"The prompt file {path} is missing.", hint) from None
    except OSError as error:
        raise InputError(f"The prompt file {path} cannot be read: {error.strerror}.", hint) from None
    except UnicodeDecodeError as error:
        raise InputError(f"The prompt file {path} is not UTF-8 (byte {error.start}).", hint) from None
    if not text.strip():
        raise InputError(f"The prompt file {path} is empty.", hint)
    return text
