"""What the installer wrote: the digest of every installed prompt, kept in the prompts folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.settings.prompts.prompt_files import check_inside

NAME = ".installed.json"
_VERSION = 1


def prompt_digest(data: bytes) -> str:
    """The digest that the manifest remembers."""
    return hashlib.sha256(data).hexdigest()


def read(folder: Path) -> dict[str, str]:
    """Digests by path below the folder.

    Empty where there is no manifest or a broken one: every prompt then counts as the person's own
    and is left alone.
    """
    try:
        found = json.loads((folder / NAME).read_bytes())
        prompts = found["prompts"] if found["version"] == _VERSION else {}
        return {str(path): str(known) for path, known in prompts.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Remember the digests; InputError where the folder cannot be written to."""
    text = json.dumps({"version": _VERSION, "prompts": dict(sorted(digests.items()))}, indent=2)
    check_inside(folder / NAME, folder)
    write_atomic(folder / NAME, f"{text}\n".encode(), overwrite=True)


def installed_digest(folder: Path, path: Path) -> str:
    """The digest of what was installed at ``path``, "" where nothing was."""
    return read(folder).get(path.relative_to(folder).as_posix(), "")


def matches_digest(path: Path, known: str) -> bool:
    """True where the file still is what the digest was made of."""
    try:
        return prompt_digest(path.read_bytes()) == known
    except OSError:
        return False
