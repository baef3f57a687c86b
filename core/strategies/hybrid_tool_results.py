"""The texts with which hybrid replaces others, marked as compressed as in the reference program;
and tool results as short texts about their calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING
from core.facts.sentences import shorten
from core.facts.tool_outcome import TAG, Outcome, ToolOutcome, left_out, not_recorded
from core.settings.schema import HYBRID_OTHER
from core.strategies.base import StrategyContext
from core.strategies.draft import (
    begin_draft,
    finish_compaction,
    with_edited,
    with_removed,
)
from core.strategies.helpers import single_fate
from core.strategies.hybrid_state import clip_bytes
from core.strategies.tracker import (
    FileModification,
    FileSection,
    FileTracker,
    ReadFile,
    ToolWork,
    key_sections,
    last_change,
    read_file,
    read_text,
    response_at,
)
from core.transcript.compaction import (
    Compaction,
    Fate,
    FateKind,
    FateStep,
    HybridStats,
    ModelCall,
    StrategyFigures,
)
from core.transcript.model import Block, Message, Speaker, ToolResponse
from core.transcript.tool_pairs import BlockPlace, response_content, result_text

READ = "📄 [Compressed] "
WRITE = "✏️ [Compressed] "
TOOL = "🔧 [Compressed] "
SUMMARY = "💬 [Compressed] "
CUT = "💬 [Compressed/Truncated] "
INJECTION = "💭 [Compressed] "

# The variation selector behind the pencil is lost in some files.
_MARKED = re.compile(r"\s*(?:📄|✏️?|🔧|💬|💭) \[Compressed")
_MAX_SECTIONS = 4
_SECTIONS_WIDTH = 160  # characters
_TITLE_WIDTH = 40
_TODO_WIDTH = 80
_INJECTION_WIDTH = 120
_FRAME = 120  # characters of the frame around half of a result


def is_marked(text: str) -> bool:
    """Return whether an earlier run wrote the text."""
    return _MARKED.match(text) is not None


def read_lines(read: ReadFile) -> Iterator[str]:
    """Yield texts for a read, the fullest first: path, lines and digest; summary and sections where
    known."""
    ranges = ", ".join(f"{low}-{high}" for low, high in read.ranges)
    size = f"{read.lines} {'line' if read.lines == 1 else 'lines'}" + (
        f": {ranges}" if ranges else ""
    )
    plain = f"{READ}Read {read.path} ({size})"
    if read.hash:
        head = f"{READ}Read {read.path} ({size}, hash:{read.hash:x})"
    else:
        head = plain
    if read.summary:
        rest = [f"• Curator Summary: {read.summary}"]
    else:
        rest = []
    if sections := _sections(read.sections):
        rest.append(f"• Key Sections: {sections}")
    # An empty result has nothing that could be read again.
    if not read.lines:
        yield f"{READ}Read {read.path}"
        return
    yield "\n".join(
        (head, *rest, "• Text left out; read the file again where it is needed")
    )
    if rest:
        yield "\n".join((head, *rest))
        yield "\n".join((head, rest[0]))
    yield head
    yield plain


def several_read_line(paths: Sequence[str], lines: int) -> str:
    """Return the text for a result that holds several files."""
    return f"{READ}Read {shorten(', '.join(paths), 400)} ({lines} lines together)"


def write_lines(change: FileModification, newest_time: int | None) -> Iterator[str]:
    """Yield texts for a file change, the fullest first: kind, lines, age and task."""
    if change.lines:
        details = [f"lines {change.lines[0]}-{change.lines[1]}"]
    else:
        details = []
    if newest_time is not None and change.timestamp is not None:
        # Clocks of an agent may go backwards, and an age below 0 reads as nonsense.
        details.append(f"{max(0, newest_time - change.timestamp) // 60_000} min ago")
    head = f"{WRITE}{change.kind.capitalize()} {change.path}"
    if details:
        described = f"{head} ({', '.join(details)})"
    else:
        described = head
    kind = f"• Type: {change.kind}"
    if change.todo:
        task = f"• Related to active todo: '{shorten(change.todo, _TODO_WIDTH)}'"
        yield f"{described}\n{kind}\n{task}"
        yield f"{described}\n{task}"
    else:
        yield f"{described}\n{kind}"
    yield described
    yield head


def several_write_lines(changes: Sequence[FileModification]) -> Iterator[str]:
    """Yield texts for a change of several files: each file, else the number of each kind."""
    kinds = dict.fromkeys(change.kind for change in changes)
    paths = {
        kind: [change.path for change in changes if change.kind == kind]
        for kind in kinds
    }
    yield WRITE + "; ".join(
        f"{kind.capitalize()} {', '.join(paths[kind])}" for kind in kinds
    )
    yield WRITE + "; ".join(
        f"{kind.capitalize()} {_shortened_paths(paths[kind])}" for kind in kinds
    )


def tool_line(
    name: str, outcome: ToolOutcome, response: ToolResponse, *, quotes: bool = False
) -> str:
    """Return the general text for a call: that it succeeded only where its result proves it.
    ``quotes``: a part of the output follows."""
    head = f"{TOOL}{name or response.name or 'tool'}"
    if outcome.has_error:
        return failure_line(name, (), outcome, response)
    if outcome.kind is Outcome.SUCCEEDED:
        return f"{head} executed successfully"
    # The output that follows says more than a claim on its success.
    if quotes:
        return head
    return f"{head}: {left_out(response)}"


def failure_line(
    name: str, paths: Sequence[str], outcome: ToolOutcome, response: ToolResponse
) -> str:
    """Return the text for a call with an error: the tool, its files, and the line of the error,
    which is called a failure only where the result proves one."""
    verb = "failed" if outcome.kind is Outcome.FAILED else "reported"
    if outcome.error:
        error_text = f": {outcome.error}"
    else:
        error_text = ""
    return f"{TOOL}{_tool_and_files(name, paths, response)} {verb}{error_text}"


def unproven_change_line(
    name: str, paths: Sequence[str], response: ToolResponse
) -> str:
    """Return the text for a call that should change files and whose result does not say that it
    did."""
    tool = _tool_and_files(name, paths, response)
    return f"{WRITE}{tool}: {not_recorded(response)}"


def _tool_and_files(name: str, paths: Sequence[str], response: ToolResponse) -> str:
    tool = name or response.name or "tool"
    if paths:
        return f"{tool} on {shorten(', '.join(paths), 200)}"
    return tool


def half_of_result(head: str, text: str) -> str:
    """Return half of a result below ``head``: its beginning and end, in whole lines where
    possible."""
    # Half in all, so a quarter at each side.
    side = max(1, (len(text) - _FRAME) // 4)
    start, end = text[:side], text[-side:]
    start = start[: start.rfind("\n") + 1] or start
    end = end[end.find("\n") + 1 :] or end
    left_out = text.count("\n", len(start), len(text) - len(end))
    return (
        f"{head}; half of its output:\n{start.rstrip()}\n… [{left_out} lines left out] "
        f"…\n{end.lstrip()}"
    )


def injection_line(text: str) -> str:
    """Return one line for context injected by a harness."""
    lines = (TAG.sub("", line).strip(" \t#*=-") for line in text.splitlines())
    first = next((line for line in lines if line), "")
    return f"{INJECTION}Earlier context: {shorten(first, _INJECTION_WIDTH)}"


def cut_text(text: str, max_bytes: int) -> str:
    """Return the first ``max_bytes`` of UTF-8 without half a character; … where it was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return f"{CUT}{text}"
    # Cut inside a character the rest of its bytes would be no text.
    return f"{CUT}{data[:max_bytes].decode('utf-8', 'ignore').rstrip()}…"


def _shortened_paths(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return paths[0]
    return f"{len(paths)} files, the first of them {paths[0]}"


def _sections(parts: Sequence[FileSection]) -> str:
    listed = ""
    for part in key_sections(parts, _MAX_SECTIONS):
        entry = f"{shorten(part.title, _TITLE_WIDTH)} (lines {part.start}-{part.end})"
        if len(listed) + len(entry) > _SECTIONS_WIDTH:
            break
        if listed:
            listed = f"{listed}, {entry}"
        else:
            listed = entry
    return listed


# The state of a direct run of hybrid, and its tool results as short texts about their calls, the
# largest first; the texts of an agent's compress_tool_result too (LH-74).


_TARGET_REACHED = single_fate(
    FateKind.KEPT, "target reached", "The target was reached before its turn came."
)
_NOT_SHORTENED = single_fate(
    FateKind.KEPT, "nothing to shorten", "Nothing in it could get shorter."
)


@dataclass(slots=True, kw_only=True)
class HybridSummaries:
    """Calls for summaries and what came of them; ``budgets`` are the tokens of messages whose
    summary is not written yet."""

    budgets: dict[int, int] = field(default_factory=dict)
    calls: list[ModelCall] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unwritten: bool = False


@dataclass(slots=True, kw_only=True)
class HybridRun:
    """A run in progress, used inside one call of ``compress``. ``total`` are the current tokens,
    hidden ones included; ``second_changes`` are second changes of a message; ``unwritten_budgets``
    are the token budgets of messages whose summary is not written yet."""

    strategy: str
    context: StrategyContext
    tracker: FileTracker
    tool_work: Mapping[BlockPlace, ToolWork]
    target: int
    protected: frozenset[int]
    total: int
    changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    second_changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    drops: dict[int, FateStep] = field(default_factory=dict)
    kept_fates: dict[int, Fate] = field(default_factory=dict)
    summaries: HybridSummaries = field(default_factory=HybridSummaries)
    fates: dict[tuple[str, str], Fate] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Return whether the target is met."""
        return self.total <= self.target

    def tokens(self, message: Message) -> int:
        return self.context.estimate_tokens((message,))

    def keep(self, index: int, rule: str, reason: str) -> None:
        fate = self.fates.get((rule, reason))
        if fate is None:
            fate = self.fates[rule, reason] = single_fate(FateKind.KEPT, rule, reason)
        self.kept_fates[index] = fate

    def drop(self, index: int, step: FateStep) -> None:
        self.drops[index] = step
        self.total -= self.tokens(self.context.history[index])

    def message(self, index: int) -> Message:
        """Return a message in its current form."""
        changed = self.changes.get(index)
        if changed is None:
            return self.context.history[index]
        return changed[0]

    def change(
        self, index: int, message: Message, step: FateStep, size: int | None = None
    ) -> None:
        """Replace a message; ``size`` is its token budget where its text is not written yet."""
        self.total += (self.tokens(message) if size is None else size) - self.tokens(
            self.message(index)
        )
        (self.second_changes if index in self.changes else self.changes)[index] = (
            message,
            step,
        )


def finish_run(run: HybridRun) -> Compaction:
    history, estimate = run.context.history, run.context.estimate_tokens
    draft = with_edited(
        with_edited(begin_draft(history), run.changes), run.second_changes
    )
    default_fate = _TARGET_REACHED if run.is_done else _NOT_SHORTENED
    compaction = finish_compaction(
        run.context,
        with_removed(draft, run.drops),
        run.strategy,
        run.kept_fates,
        default_fate,
        llm_call_made=bool(run.summaries.calls or run.summaries.failures),
    )
    result_indices = {
        sources[0]: result_index
        for result_index, sources in enumerate(compaction.origins)
    }
    before = estimate(history)
    # A text that is not written yet is counted by its budget.
    if run.summaries.unwritten:
        after = run.total - run.context.hidden
    else:
        after = estimate(compaction.messages)
    # Each message counts once.
    speakers = [history[index].speaker for index in run.changes]
    return replace(
        compaction,
        target=run.target,
        calls=tuple(run.summaries.calls),
        warnings=tuple(run.summaries.warnings),
        budgets={
            result_indices[index]: size for index, size in run.summaries.budgets.items()
        },
        figures=StrategyFigures(
            stats=HybridStats(
                original_tokens=before,
                compressed_tokens=after,
                compression_ratio=after / before if before else 1.0,
                tool_results_compressed=speakers.count(Speaker.TOOL),
                user_messages_compressed=speakers.count(Speaker.HUMAN),
                assistant_messages_compressed=speakers.count(Speaker.AI),
                display_data_deleted=len(run.drops),
                messages_protected=len(run.protected),
            )
        ),
        protected=tuple(sorted(run.protected)),
    )


# Values of hybrid.other: what happens to results of other tools.
LINE, HALF, KEEP = (
    "line",
    "half",
    "keep",
)

RULE = "tool result"
MAX_READ_TOKENS = 150  # tokens of the text for a read (LH-10)

MAX_WRITE_TOKENS = 50  # tokens of the text for a file change (LH-11)


def shorten_results(run: HybridRun) -> None:
    """Replace tool results by short texts, the largest message first, until the target is met."""
    history = run.context.history
    newest = min(run.protected, default=len(history))
    largest_first = list(dict.fromkeys(index for index, _ in run.tool_work))
    largest_first.sort(
        # What stands behind the oldest protected message is newer, so its turn comes last.
        key=lambda index: (index > newest, -run.tokens(history[index]), index)
    )
    for index in largest_first:
        if run.is_done:
            return
        _shorten(run, index)


def _shorten(run: HybridRun, index: int) -> None:
    """Shorten the results of one message, each where its text is shorter."""
    message = run.context.history[index]
    lines: dict[int, Block] = {}
    works = []
    has_marked = False
    for number, block in enumerate(message.blocks):
        if not isinstance(block, ToolResponse):
            continue
        works.append(run.tool_work[index, number])
        # A text about a text would say less each time.
        if is_marked(result_text(block.result)):
            has_marked = True
            continue
        line = _replacement(run, (index, number), block)
        if line is not None:
            lines[number] = line
    if lines:
        blocks = tuple(
            lines.get(number, block) for number, block in enumerate(message.blocks)
        )
        run.change(
            index, replace(message, blocks=blocks), _step(run, works, len(lines))
        )
    elif has_marked:
        run.keep(
            index,
            "shortened before",
            "An earlier run shortened it; nothing is shortened twice.",
        )
    elif run.context.values.text(HYBRID_OTHER) == KEEP and not any(
        work.files for work in works
    ):
        run.keep(
            index,
            "other tool",
            f"{HYBRID_OTHER} is {KEEP}: results of other tools stay.",
        )
    else:
        run.keep(
            index, "not shorter", "A line would hardly be shorter than the result."
        )


def _replacement(
    run: HybridRun, place: BlockPlace, block: ToolResponse
) -> ToolResponse | None:
    """Return the result with the fullest text within bounds that saves a third, else the shortest,
    if any."""
    message, work = run.context.history[place[0]], run.tool_work[place]
    size = run.tokens(replace(message, blocks=(block,)))
    max_tokens = size
    if work.is_read:
        max_tokens = MAX_READ_TOKENS
    elif work.is_change:
        max_tokens = MAX_WRITE_TOKENS
    shortest = None
    for text in _replacement_texts(run, work, block):
        line = with_text(block, text)
        tokens = run.tokens(replace(message, blocks=(line,)))
        # A replacement that saves less than a third is not worth what it loses.
        if tokens * 3 <= size * 2:
            shortest = line
            if tokens <= max_tokens:
                break
    return shortest


def with_text(block: ToolResponse, text: str) -> ToolResponse:
    """Replace the answer of a response; an error stays marked as one, with the text as its only
    words."""
    has_error_text = isinstance(block.error, str) and bool(block.error)
    # The words of a failure may stand in the error alone.
    if has_error_text and block.result in (None, "", MISSING):
        return replace(block, error=text)
    return replace(block, result=text, error=text if has_error_text else block.error)


def _replacement_texts(
    run: HybridRun, work: ToolWork, block: ToolResponse
) -> Iterator[str]:
    """Yield possible replacements of a result, the fullest first."""
    paths = [file.path for file in work.files]
    if not paths:
        yield from _other_texts(run, work, block)
    elif work.failed:
        yield failure_line(work.name, paths, work.outcome, block)
        yield failure_line(work.name, (), work.outcome, block)
    elif work.is_read:
        if len(paths) > 1:
            text, _ = read_text(block)
            yield several_read_line(paths, text.count("\n") + 1)
        else:
            yield from read_lines(_tracked_read(run, work))
    else:
        yield from _change_texts(run, work, block)


def _other_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """Yield the text for a result without files, as the setting says."""
    choice = run.context.values.text(HYBRID_OTHER)
    if choice == LINE:
        yield tool_line(work.name, work.outcome, block)
    elif choice == HALF:
        answer = response_content(block)
        text = result_text(answer)
        # A result without words still has content, such as data.
        if not text and answer and answer is not MISSING:
            text = json.dumps(answer, ensure_ascii=False)
        yield half_of_result(
            tool_line(work.name, work.outcome, block, quotes=True), text
        )


def _tracked_read(run: HybridRun, work: ToolWork) -> ReadFile:
    """Return the tracker's record of a read or of one with the same text, else the read's own
    record."""
    tracked = run.tracker.read_files.get(work.files[0].path)
    if tracked is not None and tracked.message == work.place[0]:
        return tracked
    untracked = read_file(run.context.history, work, work.files[0])
    if tracked is None or (tracked.hash != untracked.hash and tracked.message >= 0):
        return untracked
    return replace(
        untracked, hash=tracked.hash, summary=tracked.summary, sections=tracked.sections
    )


def _change_texts(run: HybridRun, work: ToolWork, block: ToolResponse) -> Iterator[str]:
    """Yield the tracker's texts for changed files; the general line where it does not know them."""
    changed = [file.path for file in work.files if file.change is not None]
    records = [
        last_change(run.tracker, path, work.place[0]) for path in dict.fromkeys(changed)
    ]
    known_records = [record for record in records if record is not None]
    # A change is told as made only where the result proves it.
    if work.outcome.kind is not Outcome.SUCCEEDED:
        yield unproven_change_line(work.name, changed, block)
        yield unproven_change_line(work.name, (), block)
    elif len(known_records) == 1:
        yield from write_lines(known_records[0], run.tracker.newest_time)
    elif known_records:
        yield from several_write_lines(known_records)
    else:
        yield tool_line(work.name, work.outcome, block)


def _step(run: HybridRun, works: Sequence[ToolWork], count: int) -> FateStep:
    """Return why a result was shortened, with a link to the call that it answers."""
    calls = sorted({work.call[0] for work in works if work.call is not None})
    if count == 1:
        subject = "Its result is"
    else:
        subject = f"Its {count} results are"
    if calls:
        origin = f", from the call in {run.context.span(calls[0], calls[0] + 1)}"
    else:
        origin = ""
    reason = (
        f"{subject} told by what is known of it{origin}: the target of {run.target:,} tokens "
        f"was not met."
    )
    return FateStep(
        RULE,
        FateKind.EDITED,
        reason,
        tuple(run.context.source_index(index) for index in calls),
    )


CURATOR = "use_curator_cache"
MODIFICATION = "use_modification_metadata"
GENERIC = "generic"
REPLACEMENTS = (CURATOR, MODIFICATION, GENERIC)

_SUMMARY_BYTES = 200
_AVAILABLE = "• Full content cached and available"
_MINUTE = 60_000  # ms


def replacement_text(
    tracker: FileTracker, history: Sequence[Message], work: ToolWork, strategy: str
) -> str:
    """Return the replacement of a result: the file's summary, the record of its change, or a plain
    line."""
    response = response_at(history, work.place)
    paths = tuple(dict.fromkeys(file.path for file in work.files))
    if work.failed:
        return failure_line(work.name, paths, work.outcome, response)
    if strategy == GENERIC or (work.name and not paths):
        return tool_line(work.name, work.outcome, response)
    if strategy == CURATOR:
        return _agent_read_text(tracker, history, work, paths)
    if paths and work.outcome.kind is not Outcome.SUCCEEDED:
        return unproven_change_line(work.name, paths, response)
    return _agent_change_text(tracker, paths, work.place[0])


def _agent_read_text(
    tracker: FileTracker,
    history: Sequence[Message],
    work: ToolWork,
    paths: Sequence[str],
) -> str:
    if not paths:
        return f"{READ}File read result (parsing failed)"
    read = read_file(history, work, work.files[0])
    if len(paths) > 1:
        return several_read_line(paths, read.lines)
    tracked = tracker.read_files.get(read.path)
    if (
        tracked is not None
        and tracked.hash != read.hash
        and tracked.message not in (read.message, -1)
    ):
        tracked = read  # the text was older
    if tracked is None or not (tracked.summary or tracked.sections):
        *_, plain_line = read_lines(ReadFile(path=read.path, hash=0, lines=read.lines))
        return plain_line
    described = replace(
        tracked, lines=read.lines, summary=clip_bytes(tracked.summary, _SUMMARY_BYTES)
    )
    full_text, *_ = read_lines(described)
    return "\n".join((*full_text.splitlines()[:-1], _AVAILABLE))


def _agent_change_text(tracker: FileTracker, paths: Sequence[str], message: int) -> str:
    """Return the change that the result reports, else the file's newest, with its age and task."""
    if not paths:
        return f"{WRITE}File modification (parsing failed)"
    record = last_change(tracker, paths[0], message)
    if record is None:
        return f"{WRITE}Modified {', '.join(paths)}"
    head = f"{WRITE}{record.kind.capitalize()} {', '.join(paths)}"
    if tracker.newest_time is not None and record.timestamp is not None:
        head += (
            f" ({max(0, tracker.newest_time - record.timestamp) // _MINUTE} min ago)"
        )
    if record.todo:
        return f"{head}\n• Related to todo: '{record.todo}'"
    return head
