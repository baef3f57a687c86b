"""Logs of file operations, errors, and calls of tools other than shell, file and lookup tools."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.facts.file_calls import FileVerb, normalised_tool_name, tool_verb
from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentences import shorten
from core.facts.tool_failures import error_messages
from core.transcript.model import ToolCall

REPORTED = "reported"
"""The target of an error that a person or a harness reports."""
_ORDER = (FileVerb.WRITTEN, FileVerb.EDITED, FileVerb.DELETED, FileVerb.READ)


class FileOperationLog:
    def __init__(self) -> None:
        self._operations: dict[str, list[tuple[FileVerb, int]]] = {}

    def add(self, path: str, verb: FileVerb, index: int) -> None:
        normal_path = posixpath.normpath(path.replace("\\", "/")) if path else ""
        if normal_path and normal_path != ".":
            self._operations.setdefault(normal_path, []).append((verb, index))

    def paths(self) -> tuple[str, ...]:
        return tuple(self._operations)

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


class ErrorLog:
    """The errors of tools; an error is resolved if its target, or all parts of its command, pass later."""

    def __init__(self) -> None:
        self._errors: dict[tuple[str, str], Fact] = {}
        self._parts: dict[tuple[str, str], tuple[str, ...]] = {}
        self._last_success: dict[str, int] = {}

    def add(self, target: str, parts: tuple[str, ...], text: str, index: int) -> None:
        """Add the errors in the output of ``target``, a tool or a command with these parts."""
        for words in error_messages(text):
            key = (target, words[:60].lower())
            previous = self._errors.get(key)
            first, count = (previous.first, previous.count + 1) if previous else (index, 1)
            name = f"{target}: {key[1]}"
            self._errors[key] = Fact(
                FactCategory.ERROR, name, words, first, index, count, FactState.OPEN, target
            )
            self._parts[key] = parts or (target,)

    def resolve(self, target: str, index: int) -> None:
        self._last_success[target] = index

    def facts(self) -> Iterator[Fact]:
        passed = self._last_success
        for key, fact in self._errors.items():
            parts_passed = all(passed.get(part, -1) > fact.last for part in self._parts[key])
            is_resolved = passed.get(key[0], -1) > fact.last or parts_passed
            yield replace(fact, state=FactState.RESOLVED) if is_resolved else fact


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
    category, detail = file_category(counts), describe_counts(counts)
    return Fact(category, path, path, first, last, len(operations), detail=detail)


_READ_ONLY_NAMES = """
grep glob ls list listdir listdirectory listfiles listtree searchfiles searchfilecontent search
codebasesearch grepsearch filesearch websearch webfetch fetch think sequentialthinking reasoning task agent
skill toolsearch todowrite todoread updateplan taskcreate taskupdate tasklist taskget taskoutput taskstop
writetodos todolistwrite updatetodolist managetodolist bashoutput killshell killbash askuserquestion
askfollowupquestion requestuserinput exitplanmode enterplanmode attemptcompletion finish submit done
switchmode newtask readlints getdiagnostics searchcode listcodedefinitionnames listmcpresources
readmcpresource memory savememory writestdin viewimage
"""
_READ_ONLY = frozenset(_READ_ONLY_NAMES.split())
_QUERY_NAME = re.compile(
    r"(?:.*__)?(?:get|search|find|list|check|fetch|read|query|lookup|calculate|validate)(?![a-z])"
)
_ARGUMENTS_PER_CALL = 3
_MAX_ARGUMENT_LENGTH = 40  # characters of one argument
_MAX_LISTED_CALLS = 8  # newest calls of one tool whose arguments are listed


@dataclass(slots=True)
class _ToolCalls:
    first: int
    last: int
    state: FactState
    state_counts: Counter[FactState] = field(default_factory=Counter)
    argument_texts: dict[str, None] = field(default_factory=dict)


def is_query_tool(tool: str) -> bool:
    """Return True for a tool that changes nothing, according to its name."""
    return _QUERY_NAME.match(tool) is not None


class CallLog:
    def __init__(self) -> None:
        self._calls: dict[str, _ToolCalls] = {}

    def add(self, call: ToolCall, index: int, state: FactState) -> None:
        """Record a call that was answered in message ``index``, OK or FAILED."""
        if not call.name or normalised_tool_name(call.name) in _READ_ONLY or tool_verb(call.name):
            return
        calls = self._calls.setdefault(call.name, _ToolCalls(index, index, state))
        calls.last, calls.state = index, state
        calls.state_counts[state] += 1
        words = _argument_text(call)
        if words:
            calls.argument_texts.pop(words, None)
            calls.argument_texts[words] = None

    def facts(self) -> Iterator[Fact]:
        """Yield one fact per tool: ``count`` successful calls, ``detail`` the arguments of the newest."""
        for name, calls in self._calls.items():
            detail = "; ".join([*calls.argument_texts][-_MAX_LISTED_CALLS:])
            failed = calls.state_counts[FactState.FAILED]
            count, text = calls.state_counts[FactState.OK], str(failed or "")
            yield Fact(FactCategory.CALL, name, text, calls.first, calls.last, count, calls.state, detail)


def _argument_text(call: ToolCall) -> str:
    """Return the short arguments of a call on one line, or the start of a long one, or ""."""
    arguments = call.arguments
    if not isinstance(arguments, Mapping):
        return ""
    argument_texts = [
        " ".join(str(value).split()).replace(";", ",")
        for value in arguments.values()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
    short_texts = [value for value in argument_texts if 0 < len(value) <= _MAX_ARGUMENT_LENGTH]
    return ", ".join(short_texts[:_ARGUMENTS_PER_CALL]) or shorten(
        next(iter(argument_texts), "")[: 4 * _MAX_ARGUMENT_LENGTH], _MAX_ARGUMENT_LENGTH
    )
