"""The manifest of installed prompts: their digests, kept in the prompts folder."""

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
    return hashlib.sha256(data).hexdigest()


def read(folder: Path) -> dict[str, str]:
    """Return digests by path below the folder.

    Empty if the manifest is missing or broken: every prompt then counts as the user's own and is kept.
    """
    try:
        manifest = json.loads((folder / NAME).read_bytes())
        prompts = manifest["prompts"] if manifest["version"] == _VERSION else {}
        return {str(path): str(known) for path, known in prompts.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Write the digests; raises InputError if the folder is not writable."""
    text = json.dumps({"version": _VERSION, "prompts": dict(sorted(digests.items()))}, indent=2)
    check_inside(folder / NAME, folder)
    write_atomic(folder / NAME, f"{text}\n".encode(), overwrite=True)


def installed_digest(folder: Path, path: Path) -> str:
    """Return the digest of the prompt installed at ``path``, or ""."""
    return read(folder).get(path.relative_to(folder).as_posix(), "")


def matches_digest(path: Path, known: str) -> bool:
    try:
        return prompt_digest(path.read_bytes()) == known
    except OSError:
        return False
