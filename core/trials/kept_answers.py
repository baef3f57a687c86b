"""What a job over a folder has finished, in the cache folder: a run that was killed goes on from
there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import cache_dir, installed_version
from core.common.redaction.redact import redact_except_mail
from core.settings.keys import STRATEGY
from core.tokens.counter import COUNTER_VERSION
from core.trials.sessions import SessionFile

FileState: TypeAlias = tuple[str, int, int]
"""Name, size and time of a file, by which its results are known again."""


def file_state(file: SessionFile) -> FileState | None:
    """Return the state of a file's file; None if it is gone."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return None
    return redact_except_mail(file.name), status.st_size, status.st_mtime_ns


class ProgressFile:
    """A JSON Lines file for one kind of work, one folder and one set of settings. Written by json,
    since orjson rejects file names that are not UTF-8."""

    def __init__(self, kind: str, folder: Path, file: SessionFile, *settings: Json) -> None:
        """``file`` may be any file of the folder: all have the same settings. ``settings`` is what
        else decides the results. The strategy that is set does not: the work runs those that are
        named."""
        by_key = file.values.by_key.items()
        values = sorted((key, repr(setting.value)) for key, setting in by_key if key != STRATEGY)
        parts = (str(folder.resolve()), values, file.scope, file.model, file.format, *settings)
        versions = (installed_version(), COUNTER_VERSION)
        digest = hashlib.blake2b(json.dumps([*parts, *versions]).encode(), digest_size=16)
        self._path = cache_dir() / kind / f"{digest.hexdigest()}.jsonl"

    def clear(self) -> None:
        """Delete the progress. Raises InputError if it cannot be deleted."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(
                f"{self._path} cannot be removed: {cause}.", "Leave --fresh out."
            ) from None

    def records(self) -> Iterator[tuple[FileState, Json]]:
        """Yield what was added, with the state that the file had then. Incomplete lines are
        skipped."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return
        for line in content.splitlines():
            with suppress(ValueError, RecursionError, KeyError, TypeError):
                record = json.loads(line)
                state = record["name"], record["size"], record["mtime_ns"]
                yield state, record

    def add(self, file: SessionFile, content: Mapping[str, Json]) -> None:
        """Append what a file gave. A write error only costs the resuming."""
        state = file_state(file)
        if state is None:
            return
        record = {**dict(zip(("name", "size", "mtime_ns"), state, strict=True)), **content}
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as lines:  # the leading break ends a line cut off by a kill
                lines.write(f"\n{json.dumps(record)}\n".encode())
