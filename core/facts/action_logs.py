"""Logs of what calls did: operations on files, runs of commands and how they ended."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.facts.model import Fact, FactKind, FactState
from core.facts.sentences import shorten
from core.facts.shell_actions import FileVerb
from core.facts.tool_outcome import error_lines

_PASSED = re.compile(
    r"\bPASSED\b|\bok$|✓|^\W*\d+ (?:failed|passed|errors?)\b|^[Ff]ound \d+ "
)
"""Lines that tell of no fault, or only how many there are."""
_ORDER = (
    FileVerb.WRITTEN,
    FileVerb.EDITED,
    FileVerb.DELETED,
    FileVerb.ASKED,
    FileVerb.READ,
)
_MAX_ERRORS, _MAX_ERROR = 3, 200  # lines of a failed run, and characters of each
_CHANGES = (FileVerb.WRITTEN, FileVerb.EDITED, FileVerb.DELETED)


class FileOperationLog:
    def __init__(self) -> None:
        self._operations: dict[str, list[tuple[FileVerb, int]]] = {}
        self._outputs: dict[str, str] = {}

    def add(self, path: str, verb: FileVerb, index: int, output: str = "") -> None:
        """Add an operation; ``output`` is the first line of a result that does not tell its
        outcome."""
        if path:
            # Agents on Windows write both kinds of slashes.
            normal_path = posixpath.normpath(path.replace("\\", "/"))
        else:
            normal_path = ""
        if normal_path and normal_path != ".":
            self._operations.setdefault(normal_path, []).append((verb, index))
            self._outputs[normal_path] = output or self._outputs.get(normal_path, "")

    def facts(self) -> Iterator[Fact]:
        """Yield one fact per file; a relative path counts for the one absolute path that ends with
        it."""
        paths_by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._operations:
            if path.startswith("/"):
                # Relative paths are joined only with a file that is named in full.
                paths_by_name[posixpath.basename(path)].append(path)
        operations_by_file: defaultdict[str, list[tuple[FileVerb, int]]] = defaultdict(
            list
        )
        for path, operations in self._operations.items():
            operations_by_file[_absolute(path, paths_by_name)] += operations
        for path, operations in operations_by_file.items():
            in_order = sorted(operations, key=lambda operation: operation[1])
            yield _file_fact(path, in_order, self._outputs.get(path, ""))


def describe_counts(counts: Counter[str]) -> str:
    """Return counts as words: "written, edited ×3, read ×2"."""
    return ", ".join(
        verb if counts[verb] == 1 else f"{verb} ×{counts[verb]}"
        for verb in _ORDER
        if counts[verb]
    )


def parse_counts(text: str) -> Counter[str]:
    """Parse the output of ``describe_counts``."""
    counts: Counter[str] = Counter()
    for part in text.split(", "):
        verb, _, times = part.partition(" ×")
        if verb in _ORDER:
            counts[verb] += int(times) if times.isdigit() else 1
    return counts


def file_kind(counts: Counter[str]) -> FactKind:
    """Return the kind of a file by its operations: changed if one of them is known to have changed
    it."""
    if any(counts[verb] for verb in _CHANGES):
        return FactKind.FILE_CHANGED
    return FactKind.FILE_ASKED if counts[FileVerb.ASKED] else FactKind.FILE_READ


def _absolute(path: str, paths_by_name: defaultdict[str, list[str]]) -> str:
    if path.startswith("/"):
        return path
    named = paths_by_name.get(posixpath.basename(path), ())
    matches = [
        absolute_path for absolute_path in named if absolute_path.endswith(f"/{path}")
    ]
    # Two files may end in the same words; then nothing is joined.
    if len(matches) == 1:
        return matches[0]
    return path


def _file_fact(
    path: str, operations: Sequence[tuple[FileVerb, int]], output: str
) -> Fact:
    counts: Counter[str] = Counter(verb.value for verb, _ in operations)
    kind = file_kind(counts)
    first, last = operations[0][1], operations[-1][1]
    return Fact(
        kind=kind,
        key=path,
        text=path,
        first=first,
        last=last,
        count=len(operations),
        detail=describe_counts(counts),
        output=output if kind is FactKind.FILE_ASKED else "",
    )


def _errors(output: str) -> tuple[str, ...]:
    """Return the lines of an output that say best what failed."""
    lines = error_lines(output, _MAX_ERRORS)
    # Passed tests in an output say nothing of what failed.
    failed = [line for line in lines if not _PASSED.search(line)]
    return tuple(shorten(line, _MAX_ERROR) for line in failed or lines[:1])


@dataclass(slots=True, kw_only=True)
class _Runs:
    """The runs of one command; ``error_output`` is that of the last failed one, in message
    ``failed_at``."""

    first: int
    last: int
    passed: int = 0
    failed: int = 0
    state: FactState = FactState.NONE
    passed_at: int = -1
    failed_at: int = -1
    error_output: str = ""
    parts: tuple[str, ...] = ()
    output: str = ""


class RunLog:
    """Commands by their words. A command passes where it is run again whole, or all of its parts
    are."""

    def __init__(self) -> None:
        self._runs: dict[str, _Runs] = {}
        self._listed: set[str] = set()  # commands that are facts of their own

    def passed(
        self,
        command: str,
        index: int,
        state: FactState,
        *,
        output: str = "",
        is_listed: bool = True,
    ) -> None:
        """Add a run that is not known to have failed; ``state`` says whether that is proven,
        ``output`` is the first line of a result that does not tell."""
        runs = self._of(command, index, is_listed=is_listed)
        runs.passed = runs.passed + 1
        runs.passed_at = index
        runs.state = state
        runs.output = output

    def failed(
        self,
        command: str,
        parts: tuple[str, ...],
        output: str,
        index: int,
        *,
        is_listed: bool = True,
    ) -> None:
        runs = self._of(command, index, is_listed=is_listed)
        runs.failed = runs.failed + 1
        runs.failed_at = index
        runs.state = FactState.FAILED
        runs.error_output, runs.parts = output, parts

    def facts(self) -> Iterator[Fact]:
        """Yield the commands, ``count`` being the runs that passed and ``detail`` the number of
        those that failed, and the errors that are open."""
        for command, runs in self._runs.items():
            if command in self._listed:
                yield Fact(
                    kind=FactKind.COMMAND,
                    key=command,
                    text=command,
                    first=runs.first,
                    last=runs.last,
                    count=runs.passed,
                    state=runs.state,
                    detail=str(runs.failed or ""),
                    output=runs.output if runs.state is FactState.RAN else "",
                )
            if runs.failed_at > runs.passed_at and not self._have_passed(runs):
                for error in _errors(runs.error_output):
                    yield Fact(
                        kind=FactKind.OPEN_ERROR,
                        key=command,
                        text=error,
                        first=runs.failed_at,
                        last=runs.failed_at,
                        count=runs.failed,
                        detail=command,
                    )

    def _have_passed(self, runs: _Runs) -> bool:
        """Return whether all parts of a command passed after it failed."""
        passed = [
            self._runs[part].passed_at if part in self._runs else -1
            for part in runs.parts
        ]
        return bool(passed) and min(passed) > runs.failed_at

    def _of(self, command: str, index: int, *, is_listed: bool) -> _Runs:
        runs = self._runs.setdefault(command, _Runs(first=index, last=index))
        runs.last = index
        if is_listed:
            self._listed.add(command)
        return runs
