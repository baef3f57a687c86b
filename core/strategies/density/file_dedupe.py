"""File dedupe: removes older inclusions of a file from human messages; the newest stays
(REQ-HD-006)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from core.common.excerpts import (
    LINE_END,
    trim,
)
from core.facts.file_accesses import resolve_path
from core.strategies.density.pass_result import NO_CHANGES, DensityPassResult
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message, Speaker, Text
from core.transcript.tool_kinds import INCLUSIONS, InclusionSyntax

RULE = "file dedupe"

_REFERENCE_OPENER = re.compile(
    rf"(?:(?<=[{LINE_END}])|\A)--- (?P<path>[^{LINE_END}]+) ---(?=[{LINE_END}]|\Z)"
)
_REFERENCE_CLOSER = re.compile(r"--- End of content ---")
_LINE_END = re.compile(r"\r?\n")
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoundInclusion:
    """An inclusion, the span of its text, markers included, and the file it shows. ``order`` counts
    the inclusions of a message in the order of finding."""

    message: int
    order: int
    block: int
    start: int
    end: int
    path: str
    lines: str


_Span = tuple[str, str, int, int]  # path, lines ("" for the whole file), start, end
_File = tuple[str, str]  # resolved path and lines
_Stale = tuple[_FoundInclusion, int]
_Cut = Callable[[Text, Sequence[_FoundInclusion]], Text | None]


class FileInclusions:
    """All inclusions of a growing history."""

    def __init__(self, root: str, *, safe: bool = True) -> None:
        self._root = root
        self._find: Callable[[str], Iterator[_Span]] = (
            _find_all if safe else _find_reference
        )
        self._cut: _Cut = _cut_safe if safe else _cut_reference
        self._by_file: dict[_File, list[_FoundInclusion]] = {}
        self._repeated_files: set[_File] = set()

    def add(self, numbered: Iterable[tuple[int, Message]]) -> None:
        """Add messages, each with its number."""
        for number, message in numbered:
            # Files come into the words of the person only; results are another pass's work.
            if message.speaker is Speaker.HUMAN:
                for order, (block, (path, lines, start, end)) in enumerate(
                    self._spans(message)
                ):
                    # The same file by another path is the same inclusion.
                    file = resolve_path(path, self._root), lines
                    inclusions = self._by_file.setdefault(file, [])
                    if inclusions:
                        self._repeated_files.add(file)
                    inclusions.append(
                        _FoundInclusion(
                            message=number,
                            order=order,
                            block=block,
                            start=start,
                            end=end,
                            path=path,
                            lines=lines,
                        )
                    )

    def dedupe(
        self, messages: Sequence[Message], skipped: frozenset[int]
    ) -> DensityPassResult:
        """Cut older inclusions, those of ``skipped`` messages not counted."""
        stale: dict[int, list[_Stale]] = defaultdict(list)
        for inclusions in self._repeated_inclusions(skipped):
            newest, *older = sorted(
                inclusions, key=lambda inclusion: (-inclusion.message, -inclusion.start)
            )
            for inclusion in older:
                stale[inclusion.message].append((inclusion, newest.message))
        replacements: dict[int, Message] = {}
        steps: dict[int, FateStep] = {}
        count = 0
        for index, stale_inclusions in stale.items():
            message, cut = _cut_inclusions(messages[index], stale_inclusions, self._cut)
            if cut:
                replacements[index] = message
                steps[index] = _step(messages[index], cut, self._find)
                count += len(cut)
        if count:
            return DensityPassResult((), replacements, steps, count)
        return NO_CHANGES

    def _spans(self, message: Message) -> Iterator[tuple[int, _Span]]:
        for block_index, block in enumerate(message.blocks):
            if isinstance(block, Text):
                for span in self._find(block.text):
                    yield block_index, span

    def _repeated_inclusions(
        self, skipped: frozenset[int]
    ) -> list[list[_FoundInclusion]]:
        """Return the inclusions of repeated files, ordered by the first of each."""
        groups = [
            [
                inclusion
                for inclusion in self._by_file[file]
                if inclusion.message not in skipped
            ]
            for file in self._repeated_files
        ]
        return sorted(
            filter(None, groups),
            key=lambda group: min((o.message, o.order) for o in group),
        )


def _cut_inclusions(
    message: Message, stale: Sequence[_Stale], cut: _Cut
) -> tuple[Message, list[_Stale]]:
    """Return the message without the stale inclusions, and those that were cut."""
    by_block: dict[int, list[_Stale]] = defaultdict(list)
    for item in stale:
        by_block[item[0].block].append(item)
    blocks = list(message.blocks)
    cut_items: list[_Stale] = []
    for block_index, spans in by_block.items():
        block = blocks[block_index]
        if isinstance(block, Text):
            new = cut(
                block,
                # From the end, so that the places of the others stay right.
                sorted(
                    (inclusion for inclusion, _ in spans), key=lambda item: -item.start
                ),
            )
            if new is not None:
                blocks[block_index] = new
                cut_items += spans
    return replace(message, blocks=tuple(blocks)), cut_items


def _step(
    message: Message, cut: Sequence[_Stale], find: Callable[[str], Iterator[_Span]]
) -> FateStep:
    inclusion, newest = cut[0]
    if len(cut) > 1:
        more = f" and {len(cut) - 1} more"
    else:
        more = ""
    if inclusion.lines:
        description = f"{inclusion.path} lines {inclusion.lines}"
    else:
        description = inclusion.path
    reason = f"{description}{more} is included again in #{newest + 1}; the newest inclusion stays."
    is_reference = find is _find_reference or all(
        _is_reference(message, item) for item, _ in cut
    )
    return FateStep(
        RULE, FateKind.EDITED, reason, (newest,), "" if is_reference else "FD-01"
    )


def _is_reference(message: Message, inclusion: _FoundInclusion) -> bool:
    """Return whether the reference finds the same inclusion, so that no fix applies."""
    block = message.blocks[inclusion.block]
    spans = _find_reference(block.text) if isinstance(block, Text) else ()
    return any(
        path == inclusion.path and start == inclusion.start
        for path, _, start, _ in spans
    )


def _find_reference(text: str) -> Iterator[_Span]:
    """Yield inclusions in the reference's syntax; an opener without a closer ends the search."""
    position = 0
    while opener := _REFERENCE_OPENER.search(text, position):
        closer = _REFERENCE_CLOSER.search(text, opener.end())
        if closer is None:
            # The reference stops at an opener that is never closed.
            return
        position = closer.end() + (text[closer.end() : closer.end() + 1] == "\n")
        yield trim(opener["path"]), "", opener.start(), position


def _cut_reference(block: Text, spans: Sequence[_FoundInclusion]) -> Text:
    text = block.text
    for inclusion in spans:
        text = text[: inclusion.start] + text[inclusion.end :]
    # The reference folds blank lines everywhere, also where nothing was cut.
    return Text(_BLANK_LINES.sub("\n\n", text))


@cache
def _patterns(inclusion: InclusionSyntax) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(inclusion.opener, re.MULTILINE), re.compile(
        inclusion.closer, re.MULTILINE
    )


def _find_all(text: str) -> Iterator[_Span]:
    """Yield inclusions in every known syntax; none overlap."""
    found_ranges: list[tuple[int, int]] = []
    for inclusion in INCLUSIONS:
        opener, closer = _patterns(inclusion)
        for path, lines, start, end in _find(text, opener, closer):
            # Syntaxes resemble each other; what one has found is not found again.
            if all(end <= low or high <= start for low, high in found_ranges):
                found_ranges.append((start, end))
                yield path, lines, start, end


def _find(
    text: str, opener: re.Pattern[str], closer: re.Pattern[str]
) -> Iterator[_Span]:
    """Yield spans from an opener to a closer before the next opener; closing markers are no
    openers."""
    starts = [
        match
        for match in opener.finditer(text)
        # A closing marker can have the form of an opener.
        if not closer.fullmatch(match[0].rstrip("\r"))
    ]
    for index, match in enumerate(starts):
        if index + 1 < len(starts):
            limit = starts[index + 1].start()
        else:
            limit = len(text)
        close = closer.search(text, match.end(), limit)
        if close is not None:
            line_end = _LINE_END.match(text, close.end())
            lines = match.groupdict().get("lines") or ""
            yield (
                match["path"].strip(),
                lines,
                match.start(),
                line_end.end() if line_end else close.end(),
            )


def _cut_safe(block: Text, spans: Sequence[_FoundInclusion]) -> Text | None:
    """Cut the spans, folding blank lines at the seams only; None where that saves nothing."""
    text = block.text
    for inclusion in spans:
        before, after = text[: inclusion.start], text[inclusion.end :]
        # A blank line on each side of a cut would leave two.
        if before.endswith("\n\n") and after.startswith("\n"):
            after = after.lstrip("\n")
        text = before + after
    # An empty text is refused by the APIs.
    if not text.strip():
        text = f"[{spans[-1].path} is included again below]"
    if len(text) >= len(block.text):
        return None
    return replace(block, text=text)
