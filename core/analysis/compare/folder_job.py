"""The comparison of one file of a folder, as a job that any process can do: plain values in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.compare.compare import compare, contenders, ranked
from core.analysis.compare.flat_rows import Line, line_of
from core.analysis.compare.row_computation import Contest, baseline
from core.analysis.cost.summary_price import PriceAs, price_as, priced_row
from core.app.processes import Ended
from core.common.errors import FoldlineError, InputError
from core.formats.registry import load
from core.preview.options import Ask, Stages
from core.settings.profiles import BUILT_IN, Profile
from core.settings.values import Values
from core.transcript.model import Progress, no_progress
from core.transcript.scopes import check_scope

if TYPE_CHECKING:
    from core.analysis.compare.paid_compare import Total


@dataclass(frozen=True, slots=True)
class FileJob:
    """One file and what to compare over it; ``name`` is the path as the table shows it."""

    path: str
    name: str
    names: tuple[str, ...]
    values: Values
    scope: str
    model: str = ""
    format: str = ""
    profile: Profile = BUILT_IN
    price_as: str = ""


@dataclass(frozen=True, slots=True)
class FileLines:
    """What became of a job: its lines, or the ``problem`` why there are none, in one sentence."""

    name: str
    lines: tuple[Line, ...] = ()
    problem: str = ""
    about: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The problem with the file's place in the folder, once: its sentence may begin with the name."""
        base = self.name.rsplit("/", 1)[-1]
        rest = self.problem.removeprefix(base)
        return f"{self.name}{rest}" if rest != self.problem else f"{self.name}: {self.problem}"


def compare_file(job: FileJob, progress: Progress = no_progress) -> FileLines:
    """Do a job. Whatever goes wrong with a file is its problem and not that of the others."""
    try:
        return _compared(job, progress)
    except FoldlineError as error:
        return FileLines(job.name, problem=str(error))
    except (RecursionError, MemoryError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        return FileLines(job.name, problem=f"Foldline failed: {type(error).__name__}: {error}.")


def settled(job: FileJob, result: object) -> tuple[FileLines, bool]:
    """What a crew or cluster made of a job, and whether to keep it: what may go better next time, a process
    that died or a model that failed, is done again by the next run."""
    if isinstance(result, Ended):
        return FileLines(job.name, problem=result.why), False
    assert isinstance(result, FileLines)
    return result, job.profile.is_offline or not any(line.error for line in result.lines)


def jobs_of(
    folder: Path, like: FileJob, progress: Progress = no_progress
) -> tuple[tuple[FileJob, ...], tuple[str, ...]]:
    """A job as ``like`` for every file below a folder, and what of it may not be read."""
    files, problems = files_of(folder, progress)
    jobs = (
        replace(like, path=str(path.resolve()), name=path.relative_to(folder).as_posix()) for path in files
    )
    return tuple(jobs), problems


def unwatched(event: object) -> None:
    """Nobody watches the calls of a folder."""


def never() -> bool:
    """A job is not cancelled; its process is ended."""
    return False


def price_file(job: FileJob) -> Total:
    """What the calls of a job's profile can come to at most; nothing for a file that cannot be read."""
    from core.analysis.compare.paid_compare import bills_of, total

    try:
        conversation = load(Path(job.path), format=job.format)
        check_scope(conversation, job.scope)
        contest = Contest(conversation, job.values, Ask(job.scope, job.model), Stages())
        return total(bills_of(contest, contenders(conversation, job.names), job.profile))
    except FoldlineError:  # it will be the problem of its file
        return total(())


def _compared(job: FileJob, progress: Progress) -> FileLines:
    conversation = load(Path(job.path), format=job.format)
    check_scope(conversation, job.scope)
    if not conversation.messages:
        raise InputError("It holds no messages.", "")
    ask = Ask(job.scope, job.model, progress=progress)
    stages, ask_for = Stages(), None
    if not job.profile.is_offline:
        from core.analysis.compare.paid_compare import writers  # late: only those who call a model need it

        ask_for = writers(job.profile, job.values, unwatched, never)
    rows = list(compare(conversation, job.names, job.values, ask, stages, ask_for))
    source = baseline(Contest(conversation, job.values, ask, stages))
    price = PriceAs("") if ask_for else price_as(job.price_as, source.window.model)
    priced = [priced_row(row, price) for row in rows]
    lines = tuple(line_of(job.name, row, source.method.mark) for row in ranked(priced, job.scope))
    about: dict[str, str | int] = {"format": conversation.format, "conversations": conversation.siblings}
    return FileLines(job.name, lines, about=about)


def files_of(folder: Path, progress: Progress = no_progress) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Every file below a folder, in order, and what of it may not be read, in sentences.

    Hidden files and folders are passed over; links are followed to files, never to folders.
    ``progress`` is called for each folder; Cancelled comes out of it.
    """
    found: list[Path] = []
    problems: list[str] = []

    def fail(error: OSError) -> None:
        problems.append(f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}.")

    for place, folders, names in os.walk(folder, onerror=fail):
        progress(0.0, f"Looking into {place}")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(place, name) for name in sorted(names) if not name.startswith(".")]
    files = tuple(path for path in found if os.path.isfile(path))  # unlike Path's it never fails
    return files, tuple(problems)
