"""What the calls of a history do to files, kept up to date while messages come: for read-write pruning.

Messages go by numbers that stay when others before them are taken away, and blocks by the places that
they had when their message came.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.facts.file_accesses import FileAccess, file_accesses, moves_shell
from core.strategies.density.pass_result import concrete_paths
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_kinds import MANY, FileOperation
from core.transcript.tool_outcomes import is_failed_result
from core.transcript.tool_pairs import ToolPairJoiner

CallPlace: TypeAlias = tuple[int, int]
"""Number of a message, place of a block."""


@dataclass(slots=True)
class FileUse:
    """A call that touches files, the first response to it, and all responses, in order of joining.

    ``paths`` are the files of a read; empty for a call that changes some.
    """

    place: CallPlace
    call: ToolCall
    accesses: tuple[FileAccess, ...]
    paths: tuple[str, ...]
    response: ToolResponse | None = None
    answers: list[tuple[int, CallPlace]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A successful change of a part of a file."""

    place: CallPlace
    access: FileAccess


class FileUses:
    """All uses of files in a history, and which reads have to be looked at again.

    ``written`` has the last successful write of a whole file by path, ``edits`` the other changes in
    order, ``doubtful`` the reads that something new concerns.
    """

    def __init__(self, root: str) -> None:
        self.written: dict[str, int] = {}
        self.edits: dict[str, list[FileEdit]] = {}
        self.doubtful: dict[CallPlace, FileUse] = {}
        self._root = root
        self._moved = False
        self._joiner = ToolPairJoiner()
        self._joined = 0  # pairs that were looked at
        self._responses: dict[CallPlace, ToolResponse] = {}  # those without a call
        self._uses: dict[CallPlace, FileUse] = {}
        self._reads: dict[str, dict[CallPlace, FileUse]] = {}
        self._ids: set[str] = set()
        self._repeated: set[str] = set()

    def add(self, numbered: Sequence[tuple[int, Message]]) -> None:
        """Take the next messages; their numbers ascend."""
        for number, message in numbered:
            for position, block in enumerate(message.blocks):
                if isinstance(block, ToolCall):
                    self._note_id(block.id)
                    if message.speaker is Speaker.AI:
                        self._call((number, position), block)
                elif isinstance(block, ToolResponse):
                    self._responses[number, position] = block
        self._joiner.add(numbered)
        self._answer()

    def can_forget(self, uses: Iterable[FileUse]) -> bool:
        """True where the rest stands for the history without these reads and all that answered them."""
        return not any(use.call.id in self._repeated or moves_shell(use.call) for use in uses)

    def forget(self, uses: Iterable[FileUse]) -> None:
        """These reads are gone, with all that answered them."""
        for use in uses:
            self._joiner.forget(use.call.id)
            self._ids.discard(use.call.id)
            del self._uses[use.place]
            self.doubtful.pop(use.place, None)
            for path in use.paths:
                self._reads[path].pop(use.place, None)

    def _note_id(self, id_: str) -> None:
        if id_ in self._ids:
            self._repeated.add(id_)
        self._ids.add(id_)

    def _call(self, place: CallPlace, call: ToolCall) -> None:
        found = file_accesses(call, self._root, moved=self._moved)
        self._moved = self._moved or moves_shell(call)
        paths: tuple[str, ...] = ()
        if call.name == MANY:
            paths = concrete_paths(call.arguments, self._root)
        elif all(access.act is FileOperation.READ for access in found):
            paths = tuple(access.path for access in found)
        if not found and not paths:
            return
        use = self._uses[place] = FileUse(place, call, found, paths)
        for path in paths:
            self._reads.setdefault(path, {})[place] = use
            self.doubtful[place] = use

    def _answer(self) -> None:
        """Note the pairs that the last messages made."""
        pairs = self._joiner.pairs
        for order in range(self._joined, len(pairs)):
            pair = pairs[order]
            place = pair.response, pair.response_block
            response = self._responses.pop(place)
            use = self._uses.get((pair.call, pair.call_block))
            if use is not None:
                use.answers.append((order, place))
                if use.response is None:
                    use.response = response
                    self._first(use, response)
        self._joined = len(pairs)

    def _first(self, use: FileUse, response: ToolResponse) -> None:
        """The first response to a call: a read may be covered now, a change that succeeded counts."""
        if use.paths:
            self.doubtful[use.place] = use
        elif not is_failed_result(response):
            for access in use.accesses:
                self._changed(use, access)

    def _changed(self, use: FileUse, access: FileAccess) -> None:
        if access.act is FileOperation.READ:
            return
        if access.act is FileOperation.WRITE:
            self.written[access.path] = max(use.place[0], self.written.get(access.path, -1))
        else:
            insort(self.edits.setdefault(access.path, []), FileEdit(use.place, access), key=_place_of)
        self.doubtful.update(self._reads.get(access.path, {}))


def _place_of(edit: FileEdit) -> CallPlace:
    return edit.place
