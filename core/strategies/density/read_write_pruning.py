"""Read-write pruning: removes reads whose content appears, newer, elsewhere (REQ-HD-005). Beyond
the reference: only a successful write of the whole file supersedes every earlier read; an edit
supersedes only a read whose lines it all replaced; a call that reads several files goes only when
all of them are superseded; calls and responses go as pairs."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from core.facts.file_accesses import (
    FileAccess,
    file_accesses,
    may_change_shell_folder,
    path_argument,
    resolve_path,
)
from core.strategies.density.pass_result import (
    NO_CHANGES,
    READ_WRITE_RULE,
    DensityPassResult,
    concrete_paths,
    is_blank_text,
    is_message_content,
    is_response,
    last_rewrite,
)
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Message, Speaker, ToolCall, ToolResponse
from core.transcript.tool_kinds import (
    READ_MANY_FILES,
    REFERENCE_READS,
    REFERENCE_WRITES,
    FileOperation,
)
from core.transcript.tool_pairs import (
    BlockPlace,
    ToolPairJoiner,
    is_failed_result,
    result_text,
)


@dataclass(slots=True)
class FileUse:
    """A call that touches files, the first response to it, and all responses in order of
    joining."""

    place: BlockPlace
    call: ToolCall
    accesses: tuple[FileAccess, ...]
    paths: tuple[str, ...]
    response: ToolResponse | None = None
    answers: list[tuple[int, BlockPlace]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileEdit:
    place: BlockPlace
    access: FileAccess


class FileUses:
    """All file uses of a history, and the reads to check again. ``written`` is the last successful
    whole-file write by path, ``edits`` the other changes in order, ``reads_to_check`` the reads
    concerned by anything new."""

    def __init__(self, root: str) -> None:
        self.written: dict[str, int] = {}
        self.edits: dict[str, list[FileEdit]] = {}
        self.reads_to_check: dict[BlockPlace, FileUse] = {}
        self._root = root
        self._shell_moved = False
        self._joiner = ToolPairJoiner()
        self._processed_pairs = 0  # pairs already processed
        # Not yet joined with a call.
        self._responses: dict[BlockPlace, ToolResponse] = {}
        self._uses: dict[BlockPlace, FileUse] = {}
        self._reads: dict[str, dict[BlockPlace, FileUse]] = {}

    def add(self, numbered: Sequence[tuple[int, Message]]) -> None:
        """Add the next messages; their numbers ascend."""
        for number, message in numbered:
            for block_index, block in enumerate(message.blocks):
                # Only the model reads and writes; a call of the person shows what the person
                # wants.
                if isinstance(block, ToolCall) and message.speaker is Speaker.AI:
                    self._add_call((number, block_index), block)
                elif isinstance(block, ToolResponse):
                    self._responses[number, block_index] = block
        self._joiner.add(numbered)
        self._add_responses()

    def _add_call(self, place: BlockPlace, call: ToolCall) -> None:
        accesses = file_accesses(call, self._root, shell_moved=self._shell_moved)
        # After a cd of the shell a relative path may mean another file.
        self._shell_moved = self._shell_moved or may_change_shell_folder(call)
        paths: tuple[str, ...] = ()
        # A pattern names files that cannot be told from the call.
        if call.name == READ_MANY_FILES:
            paths = concrete_paths(call.arguments, self._root)
        # A call that also writes is no read that could go.
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
                    if use.paths:
                        # A failed read is checked too: it can go as well.
                        self.reads_to_check[use.place] = use
                    # A failed write changed nothing.
                    elif not is_failed_result(response):
                        self._record_changes(use)
        self._processed_pairs = len(pairs)

    def _record_changes(self, use: FileUse) -> None:
        """Record the changes of a successful call, and recheck the reads of the same files."""
        for access in use.accesses:
            if access.operation is FileOperation.READ:
                continue
            if access.operation is FileOperation.WRITE:
                # Results come out of order where calls ran at the same time.
                self.written[access.path] = max(
                    use.place[0], self.written.get(access.path, -1)
                )
            else:
                edit = FileEdit(use.place, access)
                insort(
                    self.edits.setdefault(access.path, []),
                    edit,
                    key=lambda other: other.place,
                )
            self.reads_to_check.update(self._reads.get(access.path, {}))


_MAX_EDITS = 50  # later edits of a file compared with one read; keeps the pass linear
_LINE_NUMBER = re.compile(r"^\s*\d+(?:\t|→|\||: ?)", re.MULTILINE)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)

_WRITTEN = (
    "Superseded by the write in #{newer}: the file was written again, whole, and the write "
    "succeeded."
)
_EDITED = "Superseded by the edit in #{newer}: it replaced every line that was read, and succeeded."
_SEVERAL = "All {count} files that it read are superseded, the last in #{newer}."
_ALL_WRITTEN = "All its files were written again, whole, the last in #{newer}."


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A read that can go, the message that supersedes it, the reason, and the fix."""

    use: FileUse
    newer: int
    reason: str
    fix: str


def find_stale_reads(candidates: Iterable[FileUse], uses: FileUses) -> list[StaleRead]:
    """Return the stale ones of these reads in order, multi-file reads last."""
    stale = [read for use in candidates if (read := _stale_read(use, uses)) is not None]
    return sorted(
        stale, key=lambda read: (read.use.call.name == READ_MANY_FILES, read.use.place)
    )


def _stale_read(use: FileUse, uses: FileUses) -> StaleRead | None:
    """Return the read as stale if each of its files is superseded."""
    if use.call.name == READ_MANY_FILES:
        newer = last_rewrite(use.paths, use.place[0], uses.written)
        if newer is None:
            return None
        return StaleRead(use, newer, _ALL_WRITTEN, "")
    last, sentence = -1, ""
    for access in use.accesses:
        newer, why = _superseding_change(use, access, uses)
        # One file that nothing supersedes keeps the whole read.
        if newer < 0:
            return None
        if newer > last:
            last, sentence = newer, why
    fix = "" if use.call.name in REFERENCE_READS else "RW-03"
    return StaleRead(use, last, _SEVERAL if len(use.accesses) > 1 else sentence, fix)


def _superseding_change(
    use: FileUse, read: FileAccess, uses: FileUses
) -> tuple[int, str]:
    """Return the message that superseded a file after its read, -1 if none, and the reason."""
    written = uses.written.get(read.path, -1)
    if written > use.place[0]:
        return written, _WRITTEN
    later = uses.edits.get(read.path)
    if later:
        start = bisect_right(later, use.place[0], key=lambda edit: edit.place[0])
        edits = later[start : start + _MAX_EDITS]
        shown = _shown_text(
            use, max((len(edit.access.replaced) for edit in edits), default=0)
        )
        for number, edit in enumerate(edits):
            if _covers(edit.access, read, shown, first=number == 0):
                return edit.place[0], _EDITED
    return -1, ""


class _ShownText(NamedTuple):
    """The lines that a read showed, without numbers and reminders; ``length`` is that of the whole
    result."""

    lines: str = ""
    length: int = 0


def _shown_text(use: FileUse, longest: int) -> _ShownText:
    """Return what a read showed, nothing where no text of ``longest`` characters could hold it."""
    if use.response is not None:
        text = result_text(use.response.result)
    else:
        text = ""
    # A longer text cannot lie within what an edit replaced.
    if len(text) > _most_characters(longest):
        return _ShownText()
    # The numbers and reminders are the harness's; the edit replaced the lines themselves.
    return _ShownText(_LINE_NUMBER.sub("", _REMINDER.sub("", text)).strip(), len(text))


def _most_characters(replaced: int) -> int:
    return 2 * replaced + 2000


def _covers(
    edit: FileAccess, read: FileAccess, shown: _ShownText, *, first: bool
) -> bool:
    """Return whether the edit replaced every line of the read. Line numbers are valid only for the
    first edit after the read: an earlier one may have moved the lines."""
    # An earlier edit may have moved the lines, so only the first one can be compared by number.
    if first and edit.lines and read.lines:
        low, high = edit.lines
        return low <= read.lines[0] and read.lines[1] <= high
    if not shown.lines or shown.length > _most_characters(len(edit.replaced)):
        return False
    return shown.lines in edit.replaced


def _by_message(
    parts: Iterable[tuple[tuple[int, int], StaleRead]],
) -> dict[int, dict[int, StaleRead]]:
    """Return the reads by the index of the message, then by the place of the block in it."""
    reads_by_block: dict[int, dict[int, StaleRead]] = defaultdict(dict)
    for (index, block), read in parts:
        reads_by_block[index][block] = read
    return reads_by_block


def _step(first: StaleRead, remaining: Sequence[Block], *, is_kept: bool) -> FateStep:
    kind = FateKind.EDITED if is_kept else FateKind.PRUNED
    fix = first.fix or ("RW-04" if remaining and not is_kept else "")
    reason = first.reason.format(newer=first.newer + 1, count=len(first.use.accesses))
    return FateStep(READ_WRITE_RULE, kind, reason, (first.newer,), fix)


def _blocks_without(message: Message, places: Collection[int]) -> tuple[Block, ...]:
    return tuple(
        block for place, block in enumerate(message.blocks) if place not in places
    )


def without_calls(
    messages: Sequence[Message], stale: Sequence[StaleRead]
) -> DensityPassResult:
    """Remove the stale calls and every response joined to one of them, block by block."""
    if not stale:
        return NO_CHANGES
    answers = sorted(
        (
            (*answer, number)
            for number, read in enumerate(stale)
            for answer in read.use.answers
        )
    )
    parts = [(read.use.place, read) for read in stale]
    parts += [(place, stale[number]) for _, place, number in answers]
    reads_by_block = _by_message(parts)
    removals: list[int] = []
    replacements: dict[int, Message] = {}
    steps: dict[int, FateStep] = {}
    for index, blocks in sorted(reads_by_block.items()):
        message = messages[index]
        remaining = _blocks_without(message, blocks)
        is_kept = any(map(is_message_content, remaining))
        if is_kept:
            replacements[index] = replace(message, blocks=remaining)
        else:
            removals.append(index)
        steps[index] = _step(next(iter(blocks.values())), remaining, is_kept=is_kept)
    return DensityPassResult(tuple(removals), replacements, steps, len(answers))


def prune_reference_reads(messages: Sequence[Message], root: str) -> DensityPassResult:
    """Remove reads followed by any later write of the same file; joined by id alone."""
    # The reference asks for a later write and not whether it succeeded.
    writes = _latest_writes(messages, root)
    by_message: dict[int, set[str]] = defaultdict(set)
    newer: dict[str, int] = {}
    for index, call in _calls(messages):
        if call.name in REFERENCE_READS:
            write = _superseded_by(call, index, writes, root)
        else:
            write = None
        if write is not None:
            by_message[index].add(call.id)
            newer[call.id] = write
    removals: list[int] = []
    replacements: dict[int, Message] = {}
    for index, ids in by_message.items():
        _cut_calls(index, messages[index], ids, removals, replacements)
    count = _cut_responses(messages, set(newer), removals, replacements)
    steps = _steps(messages, removals, replacements, newer)
    return DensityPassResult(tuple(removals), replacements, steps, count)


def _calls(messages: Sequence[Message]) -> list[tuple[int, ToolCall]]:
    return [
        (index, block)
        for index, message in enumerate(messages)
        if message.speaker is Speaker.AI
        for block in message.blocks
        if isinstance(block, ToolCall)
    ]


def _latest_writes(messages: Sequence[Message], root: str) -> Mapping[str, int]:
    latest: dict[str, int] = {}
    for index, call in _calls(messages):
        path = path_argument(call.arguments)
        if call.name in REFERENCE_WRITES and path is not None:
            latest[resolve_path(path, root)] = index
    return latest


def _superseded_by(
    call: ToolCall, index: int, writes: Mapping[str, int], root: str
) -> int | None:
    """Return the index of the write that makes a read stale, None if there is none (REQ-HD-005.1,
    .9)."""
    if call.name == READ_MANY_FILES:
        return last_rewrite(concrete_paths(call.arguments, root), index, writes)
    path = path_argument(call.arguments)
    if path is None:
        write = -1
    else:
        write = writes.get(resolve_path(path, root), -1)
    return write if write > index else None


def _cut_calls(
    index: int,
    message: Message,
    ids: set[str],
    removals: list[int],
    replacements: dict[int, Message],
) -> None:
    rest = tuple(
        b for b in message.blocks if not (isinstance(b, ToolCall) and b.id in ids)
    )
    calls = sum(isinstance(block, ToolCall) for block in message.blocks)
    # The reference keeps a message as soon as it says a word.
    if len(ids) == calls and all(is_blank_text(block) for block in rest):
        removals.append(index)
    else:
        replacements[index] = replace(message, blocks=rest)


def _cut_responses(
    messages: Sequence[Message],
    stale: set[str],
    removals: list[int],
    replacements: dict[int, Message],
) -> int:
    count = 0
    for index, message in enumerate(messages):
        if message.speaker is not Speaker.TOOL:
            continue
        rest = tuple(
            b
            for b in message.blocks
            if not (isinstance(b, ToolResponse) and b.call_id in stale)
        )
        removed = len(message.blocks) - len(rest)
        if not removed:
            continue
        count += removed
        if not rest or (
            all(map(is_response, message.blocks)) and not any(map(is_response, rest))
        ):
            removals.append(index)
        else:
            replacements[index] = replace(message, blocks=rest)
    return count


def _steps(
    messages: Sequence[Message],
    removals: Sequence[int],
    replacements: Mapping[int, Message],
    newer: Mapping[str, int],
) -> Mapping[int, FateStep]:
    steps: dict[int, FateStep] = {}
    for index in (*removals, *replacements):
        ids = [
            b.id if isinstance(b, ToolCall) else getattr(b, "call_id", "")
            for b in messages[index].blocks
        ]
        write = max((newer[id_] for id_ in ids if id_ in newer), default=-1)
        kind = FateKind.EDITED if index in replacements else FateKind.PRUNED
        reason = f"The file is written later, in #{write + 1}; the reference asks no more than that."
        steps[index] = FateStep(
            READ_WRITE_RULE, kind, reason, (write,) if write >= 0 else ()
        )
    return steps
