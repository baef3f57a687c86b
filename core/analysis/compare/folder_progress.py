"""Stores finished files of a folder comparison in the cache folder, to resume after an interruption."""

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
    """A JSON Lines file for one folder and one set of settings, one line per finished transcript. A line
    holds the transcript's size and time; a transcript that changed since is compared again. Keys in names and
    problems are redacted. Written by json, since orjson rejects file names that are not UTF-8."""

    def __init__(self, folder: Path, job: FileComparisonJob) -> None:
        """``job`` may be any job of the folder: all have the same settings."""
        self._path = cache_dir() / "compare" / f"{_key(folder, job)}.jsonl"

    def start_anew(self) -> None:
        """Delete the progress. Raises InputError if it cannot be deleted."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(f"{self._path} cannot be removed: {cause}.", "Leave --fresh out.") from None

    def done(self, jobs: Sequence[FileComparisonJob]) -> dict[int, FileComparisonResult]:
        """Return the known results by the index of their job. Incomplete lines are skipped."""
        known: dict[tuple[str, int, int], FileComparisonResult] = {}
        for record in self._records():
            with suppress(KeyError, TypeError, InputError):
                state = record["name"], record["size"], record["mtime_ns"]
                known[state] = _result_of(record)
        states = {index: _file_state(job) for index, job in enumerate(jobs)}
        return {
            index: _renamed(known[state], jobs[index].name)
            for index, state in states.items()
            if state is not None and state in known
        }

    def add(self, job: FileComparisonJob, result: FileComparisonResult) -> None:
        """Append a finished transcript. A write error only costs the resuming."""
        state = _file_state(job)
        if state is None:
            return
        name, size, mtime_ns = state
        record = {
            "name": name,
            "size": size,
            "mtime_ns": mtime_ns,
            "problem": without_keys(result.problem),
            "about": dict(result.about),
            "lines": [to_json(replace(line, file="")) for line in result.lines],
        }
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # the leading break ends a line cut off by a kill
                file.write(f"\n{json.dumps(record)}\n".encode())

    def _records(self) -> list[Json]:
        try:
            raw = self._path.read_bytes()
        except OSError:
            return []
        records = []
        for line in raw.splitlines():
            with suppress(ValueError, RecursionError):
                records.append(json.loads(line))
        return records


def _result_of(record: Json) -> FileComparisonResult:
    lines = tuple(from_json(line) for line in record["lines"])
    return FileComparisonResult(record["name"], lines, record["problem"], record["about"])


def _renamed(result: FileComparisonResult, name: str) -> FileComparisonResult:
    return replace(result, name=name, lines=tuple(replace(line, file=name) for line in result.lines))


def _file_state(job: FileComparisonJob) -> tuple[str, int, int] | None:
    try:
        status = Path(job.path).stat()
    except OSError:
        return None
    return without_keys(job.name), status.st_size, status.st_mtime_ns


def _key(folder: Path, job: FileComparisonJob) -> str:
    """Hash everything but the file that decides the result."""
    settings = sorted((key, repr(setting.value)) for key, setting in job.values.by_key.items())
    mode = Mode(job.values.text(MODE))
    prompts = [sorted(prompts_of(setting, job.profile, mode).items()) for setting in STRATEGIES]
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
