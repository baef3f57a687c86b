"""What a comparison of a folder has done so far, in the cache folder, so that it goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.analysis.compare.flat_rows import from_json, to_json
from core.analysis.compare.folder_job import FileComparisonJob, FileComparisonResult
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import cache_dir
from core.common.redaction.redact import without_keys
from core.common.version import installed_version
from core.preview.preview import prompts_of
from core.settings.keys import MODE
from core.settings.schema import Mode
from core.strategies.registry import STRATEGIES
from core.tokens.counter import COUNTER_VERSION

_VERSION = 3


class FolderProgressFile:
    """One file, a finished transcript per line, for one folder and one set of settings. A line holds the
    size and time of its transcript: one that changed since is done again. Keys in names and problems are
    written over. Python's own json writes it, for orjson takes no name of a file whose bytes are no UTF-8."""

    def __init__(self, folder: Path, job: FileComparisonJob) -> None:
        """``job`` is any of the folder's: all have the same settings."""
        self._path = cache_dir() / "compare" / f"{_key(folder, job)}.jsonl"

    def start_anew(self) -> None:
        """Forget what was done. Raises InputError where it cannot be."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(f"{self._path} cannot be removed: {cause}.", "Leave --fresh out.") from None

    def done(self, jobs: Sequence[FileComparisonJob]) -> dict[int, FileComparisonResult]:
        """What is known already, by the place of its job. Lines that are not whole are as good as none."""
        known: dict[tuple[str, int, int], FileComparisonResult] = {}
        for record in self._records():
            with suppress(KeyError, TypeError, InputError):
                state = record["name"], record["size"], record["mtime_ns"]
                known[state] = _file_lines(record)
        states = {place: _state(job) for place, job in enumerate(jobs)}
        return {
            place: _named(known[state], jobs[place].name)
            for place, state in states.items()
            if state is not None and state in known
        }

    def add(self, job: FileComparisonJob, found: FileComparisonResult) -> None:
        """Note a finished transcript at once. A disk that cannot be written to only costs the resuming."""
        state = _state(job)
        if state is None:
            return
        name, size, mtime_ns = state
        record = {
            "name": name,
            "size": size,
            "mtime_ns": mtime_ns,
            "problem": without_keys(found.problem),
            "about": dict(found.about),
            "lines": [to_json(replace(line, file="")) for line in found.lines],
        }
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # a line that a kill cut off ends at this line break
                file.write(f"\n{json.dumps(record)}\n".encode())

    def _records(self) -> list[Json]:
        try:
            raw = self._path.read_bytes()
        except OSError:
            return []
        found = []
        for line in raw.splitlines():
            with suppress(ValueError, RecursionError):
                found.append(json.loads(line))
        return found


def _file_lines(record: Json) -> FileComparisonResult:
    lines = tuple(from_json(line) for line in record["lines"])
    return FileComparisonResult(record["name"], lines, record["problem"], record["about"])


def _named(found: FileComparisonResult, name: str) -> FileComparisonResult:
    return replace(found, name=name, lines=tuple(replace(line, file=name) for line in found.lines))


def _state(job: FileComparisonJob) -> tuple[str, int, int] | None:
    try:
        status = Path(job.path).stat()
    except OSError:
        return None
    return without_keys(job.name), status.st_size, status.st_mtime_ns


def _key(folder: Path, job: FileComparisonJob) -> str:
    """All that decides the result beside the file itself."""
    settings = sorted((key, repr(one.value)) for key, one in job.values.by_key.items())
    mode = Mode(job.values.text(MODE))
    prompts = [sorted(prompts_of(one, job.profile, mode).items()) for one in STRATEGIES]
    profile = job.profile
    parts = (
        str(folder.resolve()),
        (profile.name, profile.provider, profile.model, profile.base_url, repr(profile.parameters)),
        job.names,
        settings,
        prompts,
        (job.scope, job.model, job.format, job.price_as),
        (installed_version(), COUNTER_VERSION, _VERSION),
    )
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
