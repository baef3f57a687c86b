"""Searches the settings that keep most, over the sessions of a folder, on all cores or on a
cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.app.services.folder import POLL_STEP
from core.app.services.service import save_table
from core.common import number_format
from core.common.errors import Cancelled, InputError
from core.common.process_pool import ProcessPool
from core.formats.discovery.find_sessions import SessionFile
from core.formats.discovery.session_contents import chosen_sessions
from core.presentation.compare.tune_page import nothing_better, settings_toml, tune_csv
from core.settings.schema import offline_values
from core.trials.sessions import (
    TrialSession,
    answer,
    answers,
    core_count,
    folder_files,
    is_cluster,
)
from core.trials.tune_evaluation import at_defaults, general_strategies
from core.trials.tune_search import TuneProgressFile, tune
from core.trials.tune_values import BUDGET, TuneRequest, Tuning, parse_budget

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.services.sessions import CancellableWorkspace
    from core.formats.discovery.session_contents import SessionFilter
    from core.settings.schema import Values
    from core.trials.sessions import SessionAnswer, SessionJob


@dataclass(slots=True)
class _Sessions:
    files: tuple[TrialSession, ...]
    progress_file: TuneProgressFile
    tuning: Tuning


class TuneService:
    """Finds settings within a budget; evaluated sessions stay known after a cancel."""

    def __init__(self, workspace: CancellableWorkspace) -> None:
        self._workspace = workspace
        self._sessions: _Sessions | None = None

    def choose(
        self,
        folder: str,
        names: tuple[str, ...] = (),
        budget: str = "",
        for_session: str = "",
        model: str = "",
    ) -> Generator[Tuning, None, None]:
        """Yield a folder's files and what is asked of them, with what an earlier run found.

        ``budget`` as ``parse_budget`` takes it; ``for_session`` is the path of the session that
        the settings are for.
        """
        size, unit = parse_budget(budget or BUDGET)
        request = TuneRequest(
            strategies=names or general_strategies(), budget=size, unit=unit
        )
        paths = (Path(folder),)
        yield self.open(
            paths, request, for_session=for_session, model=model, counts_typed=True
        )

    def open(
        self,
        paths: Sequence[Path],
        request: TuneRequest,
        *,
        for_session: str = "",
        model: str = "",
        format: str = "",
        chosen: SessionFilter | None = None,
        fresh: bool = False,
        counts_typed: bool = False,
    ) -> Tuning:
        """Return the files of folders, or files, with what an earlier run evaluated; ``fresh``
        forgets it. Raises InputError without files, or if none is ``chosen``."""
        template = TrialSession(
            path="",
            name="",
            values=self._values(request),
            scope="all",
            model=model,
            format=format,
            counts_typed=counts_typed,
        )
        folder, files, problems = _files(paths, self._check)
        if not files:
            raise InputError(
                f"{folder} holds no files.", "Name a folder that holds transcripts."
            )
        if chosen:
            files = _chosen(files, chosen, self._check)
        if for_session and Path(for_session).resolve() not in [
            path.resolve() for path in files
        ]:
            files = (*files, Path(for_session))
        jobs = tuple(
            replace(template, path=str(path.resolve()), name=_name(path, folder))
            for path in files
        )
        least = 3 if for_session else 2
        if len(files) < least:
            count = number_format.plural(len(files), "file")
            why = (
                f"{count} is too few to tune on: one half of the sessions chooses the settings, "
                "and the other half measures them."
            )
            raise InputError(why, "Name a folder with more.")
        request = replace(
            request, for_session=_name(Path(for_session), folder) if for_session else ""
        )
        progress_file = TuneProgressFile(folder, jobs[0])
        if fresh:
            progress_file.clear()
        resumed = len(progress_file.finished_evaluations(jobs))
        tuning = Tuning(
            folder=folder,
            files=len(jobs),
            request=request,
            resumed=resumed,
            problems=tuple(problems),
        )
        self._sessions = _Sessions(jobs, progress_file, tuning)
        return tuning

    def tune(
        self, fresh: bool = False, engine: str = "cores"
    ) -> Generator[Tuning, None, None]:
        """Search, and yield the state several times a second, at last with the result.

        ``fresh``: forget what is known. ``engine``: "cores", "cores:N" or "dask://HOST:PORT".
        """
        sessions = self._current()
        size = 0 if is_cluster(engine) else core_count(engine)
        if fresh:
            sessions.progress_file.clear()
        known = sessions.progress_file.finished_evaluations(sessions.files)
        head = replace(sessions.tuning, is_running=True)

        def run_all(
            jobs: Sequence[SessionJob],
        ) -> Generator[tuple[int, SessionAnswer[Any]] | None, None, None]:
            with closing(answers(engine, jobs, pool)) as ended:
                for one in ended:
                    self._check()
                    yield one

        started = last_report = time.monotonic()
        yield head
        searched = tune(
            head.request,
            sessions.files,
            run_all,
            known,
            sessions.progress_file.add_evaluations,
        )
        with ProcessPool(answer, size).kept_open() as pool, closing(searched) as states:
            for state in states:
                now = time.monotonic()
                tuning = replace(head, result=state, seconds=now - started)
                sessions.tuning = replace(tuning, is_running=False)
                if state.is_over:
                    yield self._as_of_now(sessions.tuning)
                elif now - last_report > POLL_STEP:
                    last_report = now
                    yield tuning

    def current_state(self) -> Generator[Tuning, None, None]:
        """Yield the state so far, with what is known of it by now."""
        sessions = self._current()
        sessions.tuning = replace(
            sessions.tuning,
            resumed=len(sessions.progress_file.finished_evaluations(sessions.files)),
        )
        yield self._as_of_now(sessions.tuning)

    def _as_of_now(self, tuning: Tuning) -> Tuning:
        """Return the state of a search with whether settings have changed since it was chosen."""
        then = self._current().files[0].values.by_key
        now = self._values(tuning.request).by_key
        return replace(
            tuning,
            is_outdated=any(now[key].value != one.value for key, one in then.items()),
        )

    def _values(self, request: TuneRequest) -> Values:
        """Return the settings that a search starts from."""
        return at_defaults(
            offline_values(self._workspace.layers.resolve()),
            [key for key, _ in request.held],
        )

    def save_file(self, strategy: str, path: str) -> FileExportedEvent:
        """Write the best settings of a strategy as a settings file."""
        result = self._current().tuning.result
        if result:
            tuned = next(
                (one for one in result.strategies if one.best.strategy == strategy),
                None,
            )
        else:
            tuned = None
        if result is None or tuned is None:
            raise InputError("Nothing was found yet.", "Run the search first.")
        if not result.is_proven_better(tuned):
            raise InputError(nothing_better(result, tuned), "Keep the defaults.")
        self._refuse_source(path)
        return save_table(path, settings_toml(result, tuned))

    def save_table(self, path: str) -> FileExportedEvent:
        """Write the table as CSV."""
        self._refuse_source(path)
        return save_table(path, tune_csv(self._current().tuning))

    def _refuse_source(self, path: str) -> None:
        target = Path(path).resolve()
        if any(Path(job.path) == target for job in self._current().files):
            raise InputError(
                f"{target.name} is one of the sessions.", "Choose another name."
            )

    def _current(self) -> _Sessions:
        if self._sessions is None:
            raise InputError("No folder was chosen yet.", "Choose one first.")
        return self._sessions

    def _check(self, fraction: float = 0.0, text: str = "") -> None:
        if self._workspace.is_cancelled():
            raise Cancelled


def _chosen(
    files: Sequence[Path], chosen: SessionFilter, check: Callable[[], None]
) -> tuple[Path, ...]:

    stats = [(path, path.stat()) for path in files]
    sessions = [
        SessionFile(path, "", stat.st_size, stat.st_mtime) for path, stat in stats
    ]
    found = tuple(one.path for one in chosen_sessions(sessions, chosen, check))
    if not found:
        raise InputError(
            f"None of {len(files):,} files is chosen.",
            "Leave one of --since, --project and --search out.",
        )
    return found


def _files(
    paths: Sequence[Path], check: Callable[[float, str], None]
) -> tuple[Path, tuple[Path, ...], list[str]]:
    """Return the folder that holds all of the paths, their files, and what could not be read."""
    found: dict[Path, None] = {}
    problems: list[str] = []
    for path in paths:
        if path.is_dir():
            files, missing = folder_files(path, check)
            found.update(dict.fromkeys(files))
            problems += missing
        elif path.is_file():
            found[path] = None
        else:
            raise InputError(
                f"{path} is neither a file nor a folder.",
                "Name transcripts or folders of them.",
            )
    folders = [
        str(path if path.is_dir() else path.parent)
        for path in map(Path.absolute, paths)
    ]
    return Path(os.path.commonpath(folders)), tuple(found), problems


def _name(path: Path, folder: Path) -> str:
    """Return a path as it is shown: below the folder, else whole."""
    absolute = path.absolute()
    return (
        absolute.relative_to(folder) if absolute.is_relative_to(folder) else absolute
    ).as_posix()
