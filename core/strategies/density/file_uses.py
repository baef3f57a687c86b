"""Index of the file uses of a growing history, for read-write pruning. Messages have numbers that survive the
removal of earlier ones; blocks keep their original positions."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.facts.file_accesses import FileAccess, file_accesses, may_change_shell_folder
from core.strategies.density.pass_result import concrete_paths
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_kinds import READ_MANY_FILES, FileOperation
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import ToolPairJoiner

CallPlace: TypeAlias = tuple[int, int]  # message number and block position


@dataclass(slots=True)
class FileUse:
    """A call that touches files, the first response to it, and all responses in order of joining. ``paths``
    are the files of a read; empty for a call that changes files."""

    place: CallPlace
    call: ToolCall
    accesses: tuple[FileAccess, ...]
    paths: tuple[str, ...]
    response: ToolResponse | None = None
    answers: list[tuple[int, CallPlace]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileEdit:
    place: CallPlace
    access: FileAccess


class FileUses:
    """All file uses of a history, and the reads to check again. ``written`` is the last successful
    whole-file write by path, ``edits`` the other changes in order, ``reads_to_check`` the reads concerned
    by anything new."""

    def __init__(self, root: str) -> None:
        self.written: dict[str, int] = {}
        self.edits: dict[str, list[FileEdit]] = {}
        self.reads_to_check: dict[CallPlace, FileUse] = {}
        self._root = root
        self._shell_moved = False
        self._joiner = ToolPairJoiner()
        self._processed_pairs = 0  # pairs already processed
        self._responses: dict[CallPlace, ToolResponse] = {}  # not yet joined with a call
        self._uses: dict[CallPlace, FileUse] = {}
        self._reads: dict[str, dict[CallPlace, FileUse]] = {}
        self._ids: set[str] = set()
        self._repeated: set[str] = set()

    def add(self, numbered: Sequence[tuple[int, Message]]) -> None:
        """Add the next messages; their numbers ascend."""
        for number, message in numbered:
            for position, block in enumerate(message.blocks):
                if isinstance(block, ToolCall):
                    self._add_id(block.id)
                    if message.speaker is Speaker.AI:
                        self._add_call((number, position), block)
                elif isinstance(block, ToolResponse):
                    self._responses[number, position] = block
        self._joiner.add(numbered)
        self._add_responses()

    def can_remove(self, uses: Iterable[FileUse]) -> bool:
        """Return whether removing these reads and their responses leaves the index consistent."""
        return not any(use.call.id in self._repeated or may_change_shell_folder(use.call) for use in uses)

    def remove(self, reads: Iterable[FileUse]) -> None:
        """Remove these reads and their responses."""
        for read in reads:
            self._joiner.forget(read.call.id)
            self._ids.discard(read.call.id)
            del self._uses[read.place]
            self.reads_to_check.pop(read.place, None)
            for path in read.paths:
                self._reads[path].pop(read.place, None)

    def _add_id(self, id_: str) -> None:
        if id_ in self._ids:
            self._repeated.add(id_)
        self._ids.add(id_)

    def _add_call(self, place: CallPlace, call: ToolCall) -> None:
        accesses = file_accesses(call, self._root, shell_moved=self._shell_moved)
        self._shell_moved = self._shell_moved or may_change_shell_folder(call)
        paths: tuple[str, ...] = ()
        if call.name == READ_MANY_FILES:
            paths = concrete_paths(call.arguments, self._root)
        elif all(access.operation is FileOperation.READ for access in accesses):
            paths = tuple(access.path for access in accesses)
        if not accesses and not paths:
            return
        use = self._uses[place] = FileUse(place, call, accesses, paths)
        for path in paths:
            self._reads.setdefault(path, {})[place] = use
            self.reads_to_check[place] = use

    def _add_responses(self) -> None:
        """Record the pairs completed by the last messages."""
        pairs = self._joiner.pairs
        for order in range(self._processed_pairs, len(pairs)):
            pair = pairs[order]
            place = pair.response, pair.response_block
            response = self._responses.pop(place)
            use = self._uses.get((pair.call, pair.call_block))
            if use is not None:
                use.answers.append((order, place))
                if use.response is None:
                    use.response = response
                    self._record_first_response(use, response)
        self._processed_pairs = len(pairs)

    def _record_first_response(self, use: FileUse, response: ToolResponse) -> None:
        """Recheck a read that was answered, or record the changes of a successful call."""
        if use.paths:
            self.reads_to_check[use.place] = use
        elif not is_failed_result(response):
            for access in use.accesses:
                self._add_change(use, access)

    def _add_change(self, use: FileUse, access: FileAccess) -> None:
        if access.operation is FileOperation.READ:
            return
        if access.operation is FileOperation.WRITE:
            self.written[access.path] = max(use.place[0], self.written.get(access.path, -1))
        else:
            insort(self.edits.setdefault(access.path, []), FileEdit(use.place, access), key=_place_of)
        self.reads_to_check.update(self._reads.get(access.path, {}))


def _place_of(edit: FileEdit) -> CallPlace:
    return edit.place
