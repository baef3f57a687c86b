"""What a job over a folder has finished, in the cache folder: a run that was killed goes on from
there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeAlias

from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import cache_dir, installed_version
from core.common.redaction.redact import redact_except_mail
from core.common.typed_values import typed_value
from core.preview.strategy_input import strategy_prompts
from core.settings.keys import MODE, STRATEGY
from core.settings.profile import Profile
from core.settings.schema import Mode
from core.strategies.registry import STRATEGIES
from core.tokens.counter import COUNTER_VERSION
from core.trials.session_work import Results
from core.trials.sessions import SessionAnswer, TrialSession
from core.trials.trial import TrialResult

FileState: TypeAlias = tuple[str, int, int]
"""Name, size and time of a file, by which its results are known again."""


def file_state(file: TrialSession) -> FileState | None:
    """Return the state of a file; None if it is gone."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return None
    return redact_except_mail(file.name), status.st_size, status.st_mtime_ns


class ProgressFile:
    """A JSON Lines file for one kind of work, one folder and one set of settings. Written by json,
    since orjson rejects file names that are not UTF-8."""

    def __init__(
        self, kind: str, folder: Path, file: TrialSession, *settings: Json
    ) -> None:
        """``file`` may be any file of the folder: all have the same settings. ``settings`` is what
        else decides the results. The strategy that is set does not: the work runs those that are
        named."""
        by_key = file.values.by_key.items()
        values = sorted(
            (key, repr(setting.value)) for key, setting in by_key if key != STRATEGY
        )
        parts = (
            str(folder.resolve()),
            values,
            file.scope,
            file.model,
            file.format,
            *settings,
        )
        versions = (installed_version(), COUNTER_VERSION)
        digest = hashlib.blake2b(
            json.dumps([*parts, *versions]).encode(), digest_size=16
        )
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

    def add(self, file: TrialSession, content: Mapping[str, Json]) -> None:
        """Append what a file gave. A write error only costs the resuming."""
        state = file_state(file)
        if state is None:
            return
        record = {
            **dict(zip(("name", "size", "mtime_ns"), state, strict=True)),
            **content,
        }
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open(
                "ab"
            ) as lines:  # the leading break ends a line cut off by a kill
                lines.write(f"\n{json.dumps(record)}\n".encode())


_COMPARE_VERSION = 5


class FolderProgressFile(ProgressFile):
    """One line per finished transcript; one that changed since is compared again. Keys in names and
    problems are redacted."""

    def __init__(
        self, folder: Path, file: TrialSession, names: tuple[str, ...]
    ) -> None:
        """``file`` may be any file of the folder: all have the same settings."""
        mode = Mode(file.values.text(MODE))
        prompts = [
            sorted(strategy_prompts(one, profile, mode).items())
            for profile in file.profiles
            for one in STRATEGIES
        ]
        writers = [_writer_key(profile) for profile in file.profiles]
        settings = (writers, names, prompts, file.price_as, _COMPARE_VERSION)
        super().__init__("compare", folder, file, *settings)

    def finished_results(
        self, files: Sequence[TrialSession]
    ) -> dict[int, SessionAnswer[Results]]:
        """Return the known results by the index of their file. Incomplete lines are skipped."""
        finished: dict[FileState, SessionAnswer[Results]] = {}
        for state, record in self.records():
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                rows = tuple(typed_value(TrialResult, row) for row in record["lines"])
                finished[state] = SessionAnswer(
                    name=state[0],
                    found=rows or None,
                    problem=record["problem"],
                    about=record["about"],
                )
        states = {index: file_state(file) for index, file in enumerate(files)}
        return {
            index: _with_file_name(finished[state], files[index].name)
            for index, state in states.items()
            if state is not None and state in finished
        }

    def add_result(self, file: TrialSession, result: SessionAnswer[Results]) -> None:
        """Append a finished transcript. A write error only costs the resuming."""
        content = {
            "problem": redact_except_mail(result.problem),
            "about": dict(result.about),
            "lines": [_row_json(row) for row in result.found or ()],
        }
        self.add(file, content)


def _writer_key(profile: Profile) -> tuple[str, ...]:
    """Return what of a profile decides its summaries."""
    parameters = repr(profile.parameters)
    where = profile.provider, profile.model, profile.base_url
    return (profile.name, *where, parameters)


def _row_json(row: TrialResult) -> Json:
    """Return a row of a folder, which has no ``statuses``, without its file."""
    content = asdict(replace(row, file=""))
    del content["kept"]["statuses"]
    return content


def _with_file_name(
    result: SessionAnswer[Results], name: str
) -> SessionAnswer[Results]:
    if result.found is None:
        rows = None
    else:
        rows = tuple(replace(row, file=name) for row in result.found)
    return replace(result, name=name, found=rows)
