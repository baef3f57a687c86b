"""What a search has evaluated, in the cache folder: a run that was killed goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from core.analysis.compare.folder_job import FileComparisonJob, file_state
from core.analysis.tune.evaluation import Candidate, Evaluation
from core.analysis.tune.tune import Results
from core.common.errors import InputError
from core.common.paths import cache_dir, installed_version
from core.common.redaction.redact import redact_except_mail
from core.tokens.counter import COUNTER_VERSION

_VERSION = 1


class TuneProgressFile:
    """Lines of evaluations, one a session and stage, for one folder and one set of settings. A session that
    changed since is evaluated again. It holds names of files and figures, no text of a session."""

    def __init__(self, folder: Path, job: FileComparisonJob) -> None:
        self._path = cache_dir() / "tune" / f"{_hash(folder, job)}.jsonl"

    def clear(self) -> None:
        """Forget everything. Raises InputError if the file cannot be deleted."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(f"{self._path} cannot be removed: {cause}.", "Leave --fresh out.") from None

    def known(self, jobs: Sequence[FileComparisonJob]) -> Results:
        """Return the evaluations of sessions that are as they were; incomplete lines are skipped."""
        states = {state: job.name for job in jobs if (state := file_state(job)) is not None}
        found: Results = {}
        for line in self._lines():
            with suppress(ValueError, TypeError, KeyError, RecursionError):
                record = json.loads(line)
                name = states.get((record["name"], record["size"], record["mtime_ns"]))
                for entry in record["evaluations"] if name is not None else ():
                    vector = tuple((key, value) for key, value in entry["vector"])
                    candidate = Candidate(entry["strategy"], vector)
                    found[str(name), candidate] = Evaluation(**entry["found"])
        return found

    def add(
        self, job: FileComparisonJob, evaluations: Mapping[Candidate, Evaluation], reason: str = ""
    ) -> None:
        """Append what a session gave. A write error only costs the resuming."""
        state = file_state(job)
        if state is None or reason or not evaluations:
            return
        entries = [
            {"strategy": one.strategy, "vector": one.vector, "found": asdict(evaluation)}
            for one, evaluation in evaluations.items()
        ]
        name, size, mtime_ns = state
        record = {"name": name, "size": size, "mtime_ns": mtime_ns, "evaluations": entries}
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:  # the leading break ends a line cut off by a kill
                file.write(f"\n{json.dumps(record)}\n".encode())

    def _lines(self) -> list[bytes]:
        try:
            return self._path.read_bytes().splitlines()
        except OSError:
            return []


def _hash(folder: Path, job: FileComparisonJob) -> str:
    settings = sorted((key, repr(one.value)) for key, one in job.values.by_key.items())
    place = redact_except_mail(str(folder.resolve()))
    parts = (place, settings, job.scope, job.model, job.format)
    version = (installed_version(), COUNTER_VERSION, _VERSION)
    return hashlib.blake2b(json.dumps([*parts, *version]).encode(), digest_size=16).hexdigest()
