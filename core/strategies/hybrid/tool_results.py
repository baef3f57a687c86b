"""Hybrid's tool results: each becomes a short text from what is known of its call, the largest first (LH)."""

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
from core.transcript.tool_outcomes import answer_of, result_text

LINE, HALF, KEEP = "line", "half", "keep"
"""What becomes of results of other tools, by the setting."""

RULE = "tool result"
_BEFORE = "shortened before", "An earlier run shortened it; nothing is shortened twice."
MOST_READ = 150
"""Tokens of the text for a read (LH-10)."""

MOST_WRITE = 50
"""Tokens of the text for a change of a file (LH-11)."""


def shorten_results(run: HybridRun) -> None:
    """Put short texts in the place of tool results, the largest message first, until the target is met.

    Results among the protected talk come last: the talk that stays speaks of them.
    """
    history = run.context.history
    newest = min(run.protected, default=len(history))
    places = list(dict.fromkeys(index for index, _ in run.work))
    places.sort(key=lambda index: (index > newest, -run.tokens(history[index]), index))
    for index in places:
        if run.is_done:
            return
        _shorten(run, index)


def _shorten(run: HybridRun, index: int) -> None:
    """The results of one message, each where its text is shorter."""
    message, known = run.context.history[index], run.memory.marked
    if id(message) in known:
        run.keep(index, *_BEFORE)
        return
    results = [(at, block) for at, block in enumerate(message.blocks) if isinstance(block, ToolResponse)]
    left = [(at, block) for at, block in results if not is_marked(result_text(block.result))]
    found = ((at, _line(run, (index, at), block)) for at, block in left)
    lines: dict[int, Block] = {at: line for at, line in found if line is not None}
    if not left:
        known[id(message)] = message
    if lines:
        blocks = tuple(lines.get(position, block) for position, block in enumerate(message.blocks))
        run.change(index, replace(message, blocks=blocks), _step(run, index, len(lines)))
    elif len(left) < len(results):
        run.keep(index, *_BEFORE)
    elif _are_kept(run, index):
        run.keep(index, "other tool", f"{HYBRID_OTHER} is {KEEP}: results of other tools stay.")
    else:
        run.keep(index, "not shorter", "A line would hardly be shorter than the result.")


def _are_kept(run: HybridRun, index: int) -> bool:
    """True where the setting is why no result of a message was told by a line."""
    blocks = range(len(run.context.history[index].blocks))
    found = [work for position in blocks if (work := run.work.get((index, position))) is not None]
    return run.context.values.text(HYBRID_OTHER) == KEEP and not any(work.files for work in found)


def _line(run: HybridRun, place: BlockPlace, block: ToolResponse) -> ToolResponse | None:
    """The result with the fullest text within bounds that saves a third, else the shortest, if any."""
    message, work = run.context.history[place[0]], run.work[place]
    texts = tuple(_texts(run, work, block))
    key = id(message), place[1]
    if (known := run.memory.stuck.get(key)) is not None and known[1] == texts:
        return None
    size = run.tokens(replace(message, blocks=(block,)))
    most = MOST_READ if work.is_read else MOST_WRITE if work.is_change else size
    shortest = None
    for text in texts:
        line = with_text(block, text)
        tokens = run.tokens(replace(message, blocks=(line,)))
        if tokens * 3 <= size * 2:
            shortest = line
            if tokens <= most:
                break
    if shortest is None:
        run.memory.stuck[key] = message, texts
    return shortest


def with_text(block: ToolResponse, text: str) -> ToolResponse:
    """The response with another answer; its mark of an error stays, with no other words than that."""
    worded = isinstance(block.error, str) and bool(block.error)
    if worded and block.result in (None, "", MISSING):
        return replace(block, error=text)
    return replace(block, result=text, error=text if worded else block.error)


def _texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """The texts that may stand for a result, the fullest first."""
    paths = [file.path for file in work.files]
    if not paths:
        yield from _other(run, work, block)
    elif work.failed:
        yield failure_line(work.name, paths, block)
        yield failure_line(work.name, (), block)
    elif work.is_read:
        yield from _read(run, work, block)
    else:
        yield from _changed(run, work, block)


def _other(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """A tool that is known for no file, as the setting says."""
    line = failure_line(work.name, (), block) if work.failed else tool_line(work.name, block)
    wanted = run.context.values.text(HYBRID_OTHER)
    if wanted == LINE:
        yield line
    elif wanted == HALF:
        answer = answer_of(block)
        text = result_text(answer)
        if not text and answer and answer is not MISSING:
            text = json.dumps(answer, ensure_ascii=False)
        yield half_of_result(line, text)


def _read(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    if len(work.files) > 1:
        text, _ = read_text(block)
        yield several_read_line([file.path for file in work.files], text.count("\n") + 1)
        return
    yield from read_lines(_known(run, work))


def _known(run: HybridRun, work: ToolWork) -> ReadFile:
    """What the tracker holds of a read, or of another one that gave the same text; else its own record."""
    known = run.tracker.read_files.get(work.files[0].path)
    if known is not None and known.message == work.place[0]:
        return known
    own = read_file(run.context.history, work, work.files[0])
    if known is None or (known.hash != own.hash and known.message >= 0):
        return own
    return replace(own, hash=known.hash, summary=known.summary, sections=known.sections)


def _changed(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """What the tracker says of the changed files; the general line where it does not know them."""
    changed = [file.path for file in work.files if file.change is not None]
    found = [last_change(run.tracker, path, work.place[0]) for path in dict.fromkeys(changed)]
    known = [record for record in found if record is not None]
    if len(known) == 1:
        yield from write_lines(known[0], run.tracker.now)
    elif known:
        yield from several_write_lines(known)
    else:
        yield tool_line(work.name, block)


def _step(run: HybridRun, index: int, count: int) -> FateStep:
    """Why a result was shortened, with a link to the call that it answers."""
    blocks = range(len(run.context.history[index].blocks))
    known = (run.work.get((index, position)) for position in blocks)
    calls = sorted({work.call[0] for work in known if work is not None and work.call is not None})
    what = "Its result is" if count == 1 else f"Its {count} results are"
    told = f", from the call in {run.context.span(calls[0], calls[0] + 1)}" if calls else ""
    reason = f"{what} told by what is known of it{told}: the target of {run.target:,} tokens was not met."
    return FateStep(RULE, FateKind.EDITED, reason, tuple(run.context.source_of(place) for place in calls))
