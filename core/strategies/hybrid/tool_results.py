"""Replaces hybrid's tool results by short texts about their calls, the largest first (LH)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from core.common.json_value import MISSING
from core.settings.keys import HYBRID_OTHER
from core.strategies.hybrid.direct_run import HybridRun
from core.strategies.hybrid.placeholder_lines import (
    failure_line,
    half_of_result,
    is_marked,
    read_lines,
    several_read_line,
    several_write_lines,
    tool_line,
    write_lines,
)
from core.strategies.tool_work import BlockPlace, ToolWork, read_text
from core.strategies.tracker import ReadFile
from core.strategies.tracker_extraction import last_change, read_file
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, ToolResponse
from core.transcript.tool_outcomes import response_content, result_text

LINE, HALF, KEEP = "line", "half", "keep"  # values of hybrid.other: what happens to results of other tools

RULE = "tool result"
MAX_READ_TOKENS = 150  # tokens of the text for a read (LH-10)

MAX_WRITE_TOKENS = 50  # tokens of the text for a file change (LH-11)


def shorten_results(run: HybridRun) -> None:
    """Replace tool results by short texts, the largest message first, until the target is met. Results among
    the protected messages come last, since those messages refer to them."""
    history = run.context.history
    newest = min(run.protected, default=len(history))
    places = list(dict.fromkeys(index for index, _ in run.tool_work))
    places.sort(key=lambda index: (index > newest, -run.tokens(history[index]), index))
    for index in places:
        if run.is_done:
            return
        _shorten(run, index)


def _shorten(run: HybridRun, index: int) -> None:
    """Shorten the results of one message, each where its text is shorter."""
    message = run.context.history[index]
    results = [
        (position, block) for position, block in enumerate(message.blocks) if isinstance(block, ToolResponse)
    ]
    unmarked = [(position, block) for position, block in results if not is_marked(result_text(block.result))]
    replaced = ((position, _replacement(run, (index, position), block)) for position, block in unmarked)
    lines: dict[int, Block] = {position: line for position, line in replaced if line is not None}
    if lines:
        blocks = tuple(lines.get(position, block) for position, block in enumerate(message.blocks))
        run.change(index, replace(message, blocks=blocks), _step(run, index, len(lines)))
    elif len(unmarked) < len(results):
        run.keep(index, "shortened before", "An earlier run shortened it; nothing is shortened twice.")
    elif _is_kept_by_setting(run, index):
        run.keep(index, "other tool", f"{HYBRID_OTHER} is {KEEP}: results of other tools stay.")
    else:
        run.keep(index, "not shorter", "A line would hardly be shorter than the result.")


def _is_kept_by_setting(run: HybridRun, index: int) -> bool:
    """Return whether the setting is the reason why no result of a message was replaced."""
    blocks = range(len(run.context.history[index].blocks))
    works = [work for position in blocks if (work := run.tool_work.get((index, position))) is not None]
    return run.context.values.text(HYBRID_OTHER) == KEEP and not any(work.files for work in works)


def _replacement(run: HybridRun, place: BlockPlace, block: ToolResponse) -> ToolResponse | None:
    """Return the result with the fullest text within bounds that saves a third, else the shortest, if any."""
    message, work = run.context.history[place[0]], run.tool_work[place]
    size = run.tokens(replace(message, blocks=(block,)))
    max_tokens = MAX_READ_TOKENS if work.is_read else MAX_WRITE_TOKENS if work.is_change else size
    shortest = None
    for text in _replacement_texts(run, work, block):
        line = with_text(block, text)
        tokens = run.tokens(replace(message, blocks=(line,)))
        if tokens * 3 <= size * 2:
            shortest = line
            if tokens <= max_tokens:
                break
    return shortest


def with_text(block: ToolResponse, text: str) -> ToolResponse:
    """Replace the answer of a response; an error stays marked as one, with the text as its only words."""
    has_error_text = isinstance(block.error, str) and bool(block.error)
    if has_error_text and block.result in (None, "", MISSING):
        return replace(block, error=text)
    return replace(block, result=text, error=text if has_error_text else block.error)


def _replacement_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """Yield possible replacements of a result, the fullest first."""
    paths = [file.path for file in work.files]
    if not paths:
        yield from _other_texts(run, work, block)
    elif work.failed:
        yield failure_line(work.name, paths, block)
        yield failure_line(work.name, (), block)
    elif work.is_read:
        yield from _read_texts(run, work, block)
    else:
        yield from _change_texts(run, work, block)


def _other_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """Yield the text for a result without files, as the setting says."""
    line = failure_line(work.name, (), block) if work.failed else tool_line(work.name, block)
    choice = run.context.values.text(HYBRID_OTHER)
    if choice == LINE:
        yield line
    elif choice == HALF:
        answer = response_content(block)
        text = result_text(answer)
        if not text and answer and answer is not MISSING:
            text = json.dumps(answer, ensure_ascii=False)
        yield half_of_result(line, text)


def _read_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    if len(work.files) > 1:
        text, _ = read_text(block)
        yield several_read_line([file.path for file in work.files], text.count("\n") + 1)
        return
    yield from read_lines(_tracked_read(run, work))


def _tracked_read(run: HybridRun, work: ToolWork) -> ReadFile:
    """Return the tracker's record of a read or of one with the same text, else the read's own record."""
    tracked = run.tracker.read_files.get(work.files[0].path)
    if tracked is not None and tracked.message == work.place[0]:
        return tracked
    untracked = read_file(run.context.history, work, work.files[0])
    if tracked is None or (tracked.hash != untracked.hash and tracked.message >= 0):
        return untracked
    return replace(untracked, hash=tracked.hash, summary=tracked.summary, sections=tracked.sections)


def _change_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """Yield the tracker's texts for changed files; the general line where it does not know them."""
    changed = [file.path for file in work.files if file.change is not None]
    records = [last_change(run.tracker, path, work.place[0]) for path in dict.fromkeys(changed)]
    known_records = [record for record in records if record is not None]
    if len(known_records) == 1:
        yield from write_lines(known_records[0], run.tracker.newest_time)
    elif known_records:
        yield from several_write_lines(known_records)
    else:
        yield tool_line(work.name, block)


def _step(run: HybridRun, index: int, count: int) -> FateStep:
    """Return why a result was shortened, with a link to the call that it answers."""
    blocks = range(len(run.context.history[index].blocks))
    works = (run.tool_work.get((index, position)) for position in blocks)
    calls = sorted({work.call[0] for work in works if work is not None and work.call is not None})
    subject = "Its result is" if count == 1 else f"Its {count} results are"
    origin = f", from the call in {run.context.span(calls[0], calls[0] + 1)}" if calls else ""
    reason = (
        f"{subject} told by what is known of it{origin}: the target of {run.target:,} tokens was not met."
    )
    return FateStep(RULE, FateKind.EDITED, reason, tuple(run.context.source_index(place) for place in calls))
