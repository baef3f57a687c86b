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
from core.common.redaction.redact import redact_except_mail
from core.common.version import installed_version
from core.preview.preview import strategy_prompts
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
        self._path = cache_dir() / "compare" / f"{_settings_hash(folder, job)}.jsonl"

    def clear(self) -> None:
        """Delete the progress. Raises InputError if it cannot be deleted."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(f"{self._path} cannot be removed: {cause}.", "Leave --fresh out.") from None

    def finished_results(self, jobs: Sequence[FileComparisonJob]) -> dict[int, FileComparisonResult]:
        """Return the known results by the index of their job. Incomplete lines are skipped."""
        finished: dict[tuple[str, int, int], FileComparisonResult] = {}
        for record in self._records():
            with suppress(KeyError, TypeError, InputError):
                state = record["name"], record["size"], record["mtime_ns"]
                finished[state] = _parse_result(record)
        states = {index: _file_state(job) for index, job in enumerate(jobs)}
        return {
            index: _with_file_name(finished[state], jobs[index].name)
            for index, state in states.items()
            if state is not None and state in finished
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
            "problem": redact_except_mail(result.problem),
            "about": dict(result.file_info),
            "lines": [to_json(replace(row, file="")) for row in result.rows],
        }
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # the leading break ends a line cut off by a kill
                file.write(f"\n{json.dumps(record)}\n".encode())

    def _records(self) -> list[Json]:
        try:
            content = self._path.read_bytes()
        except OSError:
            return []
        records = []
        for line in content.splitlines():
            with suppress(ValueError, RecursionError):
                records.append(json.loads(line))
        return records


def _parse_result(record: Json) -> FileComparisonResult:
    rows = tuple(from_json(row) for row in record["lines"])
    return FileComparisonResult(record["name"], rows, record["problem"], record["about"])


def _with_file_name(result: FileComparisonResult, name: str) -> FileComparisonResult:
    return replace(result, name=name, rows=tuple(replace(row, file=name) for row in result.rows))


def _file_state(job: FileComparisonJob) -> tuple[str, int, int] | None:
    try:
        status = Path(job.path).stat()
    except OSError:
        return None
    return redact_except_mail(job.name), status.st_size, status.st_mtime_ns


def _settings_hash(folder: Path, job: FileComparisonJob) -> str:
    """Hash everything but the file that decides the result."""
    settings = sorted((key, repr(setting.value)) for key, setting in job.values.by_key.items())
    mode = Mode(job.values.text(MODE))
    prompts = [sorted(strategy_prompts(setting, job.profile, mode).items()) for setting in STRATEGIES]
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
