"""Counts of file operations, with relative and absolute spellings of a path joined."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterator

from core.facts.file_calls import FileVerb
from core.facts.model import Fact, FactCategory, FactState

_ORDER = (FileVerb.WRITTEN, FileVerb.EDITED, FileVerb.DELETED, FileVerb.READ)


class FileOperationLog:
    def __init__(self) -> None:
        self._operations: dict[str, list[tuple[FileVerb, int]]] = {}

    def add(self, path: str, verb: FileVerb, index: int) -> None:
        normal_path = posixpath.normpath(path.replace("\\", "/")) if path else ""
        if normal_path and normal_path != ".":
            self._operations.setdefault(normal_path, []).append((verb, index))

    def facts(self) -> Iterator[Fact]:
        """Yield one fact per file; a relative path counts for the one absolute path that ends with it."""
        paths_by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._operations:
            if path.startswith("/"):
                paths_by_name[posixpath.basename(path)].append(path)
        operations_by_file: defaultdict[str, list[tuple[FileVerb, int]]] = defaultdict(list)
        for path, operations in self._operations.items():
            operations_by_file[_absolute(path, paths_by_name)] += operations
        for path, operations in operations_by_file.items():
            yield _fact(path, sorted(operations, key=lambda operation: operation[1]))


def describe_counts(counts: Counter[str]) -> str:
    """Return counts as words: "written, edited ×3, read ×2"."""
    return ", ".join(
        verb if counts[verb] == 1 else f"{verb} ×{counts[verb]}" for verb in _ORDER if counts[verb]
    )


def parse_counts(text: str) -> Counter[str]:
    """Parse the output of ``describe_counts``."""
    counts: Counter[str] = Counter()
    for part in text.split(", "):
        verb, _, times = part.partition(" ×")
        if verb in _ORDER:
            counts[verb] += int(times) if times.isdigit() else 1
    return counts


def file_category(counts: Counter[str]) -> FactCategory:
    return FactCategory.FILE_READ if set(+counts) == {FileVerb.READ.value} else FactCategory.FILE_MODIFIED


def _absolute(path: str, paths_by_name: defaultdict[str, list[str]]) -> str:
    if path.startswith("/"):
        return path
    matches = [
        absolute_path
        for absolute_path in paths_by_name.get(posixpath.basename(path), ())
        if absolute_path.endswith(f"/{path}")
    ]
    return matches[0] if len(matches) == 1 else path


def _fact(path: str, operations: list[tuple[FileVerb, int]]) -> Fact:
    counts: Counter[str] = Counter(verb.value for verb, _ in operations)
    first, last = operations[0][1], operations[-1][1]
    return Fact(
        file_category(counts),
        path,
        path,
        first,
        last,
        len(operations),
        FactState.NONE,
        describe_counts(counts),
    )
