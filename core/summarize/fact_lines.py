"""Formats facts as lines of a summary that can be parsed back."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.facts.model import Fact, FactCategory, Facts, FactState
from core.facts.other_actions import is_query_tool
from core.facts.prose_facts import identifiers, last_question, leading_sentences
from core.facts.sentences import shorten
from core.summarize.summary_sections import SnapshotSlot
from core.transcript.todos import COMPLETED, IN_PROGRESS

LAST_REQUEST_PREFIX = "Last request: "
STATE_PREFIX = "Where it stood: "
REQUEST_PREFIX = "Asked: "
NAMES_PREFIX = "Names in use: "
PLAN_PREFIX = "Work plan: "
NO_REQUEST_PREFIX = "No new request in this part. "
EMPTY_SECTIONS_PREFIX = "None noted: "  # precedes the names of empty sections
FOLDER_PREFIX = "Folder of the paths: "
TRANSCRIPT_PREFIX = "Full transcript before this summary: "
ANSWER_MARK = "(user)"
FOCUS_PREFIX = "Focus asked for: "

_MAX_LINES = 300  # candidates per slot; no budget fits more
_TOOL_USE_ERRORS = (
    "string to replace not found",
    "file has not been read",
    "file content (",
    "file does not exist",
    "found multiple matches",
    "file has been modified",
)
_NAMES_PER_LINE = 12
_MIN_GOAL_LENGTH = 60  # characters; shorter requests seldom state the goal
_GOAL_SENTENCES = 3
_REPEATED_GOAL_LENGTH = 100  # characters of a request already quoted as the goal
_MAX_NAMED = 3  # files or tools named in place of a request


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate line: a lower ``rank`` is selected earlier; ``order`` is its position in the section."""

    text: str
    rank: tuple[float, ...]
    order: int


def slot_lines(
    facts: Facts, folder: str, *, todos: str = "", focus: str = "", budget: int = 4000
) -> Mapping[SnapshotSlot, Sequence[CandidateLine]]:
    """Return candidate lines by slot, best first; lines with a word of the focus come first."""
    max_chars = max(100, min(500, budget // 3))  # characters
    lines_by_slot: Mapping[SnapshotSlot, Iterable[CandidateLine]] = {
        SnapshotSlot.GOAL: _goal(facts, max_chars, folder),
        SnapshotSlot.CONSTRAINTS: _constraints(facts),
        SnapshotSlot.FILES: _files(facts.of_category(FactCategory.FILE_MODIFIED), folder),
        SnapshotSlot.READS: _files(facts.of_category(FactCategory.FILE_READ), folder),
        SnapshotSlot.COMMANDS: (*_commands(facts), *_calls(facts)),
        SnapshotSlot.ERRORS: _errors(facts, folder),
        SnapshotSlot.DECISIONS: _decisions(facts),
        SnapshotSlot.VALUES: _values(facts),
        SnapshotSlot.REQUESTS: _requests(facts),
        SnapshotSlot.TODOS: _todos(facts, todos),
        SnapshotSlot.QUESTIONS: _questions(facts),
        SnapshotSlot.CURRENT: _current(facts, focus, max_chars),
        SnapshotSlot.NAMES: _names(facts),
        SnapshotSlot.FINDINGS: _findings(facts),
    }
    focus_words = frozenset(word for word in focus.lower().split() if len(word) > 2)
    notes = _notes(facts)
    ranked = {slot: _ranked((*notes[slot], *lines), focus_words) for slot, lines in lines_by_slot.items()}
    others = *ranked[SnapshotSlot.CURRENT], *ranked[SnapshotSlot.REQUESTS]
    other_text = "\n".join(line.text for line in others)
    ranked[SnapshotSlot.FINDINGS] = [
        line for line in ranked[SnapshotSlot.FINDINGS] if line.text.removeprefix("- ") not in other_text
    ]
    return ranked


def common_folder(facts: Facts) -> str:
    """Return the deepest folder of at least 80 % of the absolute paths; "" for few paths."""
    paths = [fact.key for kind in _FILE_KINDS for fact in facts.of_category(kind) if fact.key.startswith("/")]
    counts: Counter[str] = Counter()
    for path in paths:
        parent = posixpath.dirname(path)
        while parent.count("/") > 1:
            counts[parent] += 1
            parent = posixpath.dirname(parent)
    candidates = [folder for folder, count in counts.items() if count >= max(2, 0.8 * len(paths))]
    return max(candidates, key=len, default="")


_FILE_KINDS = (FactCategory.FILE_MODIFIED, FactCategory.FILE_READ)


def _ranked(lines: Iterable[CandidateLine], words: frozenset[str]) -> Sequence[CandidateLine]:
    def rank(line: CandidateLine) -> tuple[object, ...]:
        lowered = line.text.lower()
        return not any(word in lowered for word in words), line.rank, line.order

    return sorted({line.text: line for line in lines}.values(), key=rank)[:_MAX_LINES]


def _goal(facts: Facts, max_chars: int, folder: str) -> Iterator[CandidateLine]:
    """Yield the goal: from an earlier summary, the user's request, or the work done."""
    earlier_goals = facts.of_category(FactCategory.GOAL)
    for place, fact in enumerate(earlier_goals):
        yield CandidateLine(fact.text, (0,), place)
    if earlier_goals:
        return
    request = _first_request(facts)
    is_clear = len(request) >= _MIN_GOAL_LENGTH or request.startswith("/")
    if request:
        yield CandidateLine(_quoted_goal(request, max_chars), (0,), 0 if is_clear else 1)
    todos = [fact.text for fact in facts.of_category(FactCategory.TODO)]
    if todos and not is_clear:
        yield CandidateLine(f"{PLAN_PREFIX}{shorten('; '.join(todos), max_chars)}", (1,), 0)
    if not request and not todos and (work_done := _work_sentence(facts, folder)):
        yield CandidateLine(f"{NO_REQUEST_PREFIX}{shorten(work_done, max_chars)}", (2,), 2)


def _first_request(facts: Facts) -> str:
    """Return the first message that states a request; "" where the user only said yes or nothing."""
    requests = [fact.text for fact in facts.of_category(FactCategory.USER_MESSAGE) if _substantial(fact.text)]
    longer = [text for text in requests if len(text) >= _MIN_GOAL_LENGTH]
    return requests[0] if requests and requests[0].startswith("/") else next(iter(longer or requests), "")


def _quoted_goal(request: str, max_chars: int) -> str:
    return leading_sentences(request, max_chars, titles=True, max_sentences=_GOAL_SENTENCES)


def _work_sentence(facts: Facts, folder: str) -> str:
    """Return what was done in one sentence, where no request is known."""
    parts = []
    for verb, category in (("Changed", FactCategory.FILE_MODIFIED), ("Read", FactCategory.FILE_READ)):
        files = sorted(facts.of_category(category), key=lambda fact: (-fact.count, fact.first))
        if files:
            file_names = ", ".join(f"`{_relative(fact.key, folder)}`" for fact in files[:_MAX_NAMED])
            others = f" and {len(files) - _MAX_NAMED} more" if len(files) > _MAX_NAMED else ""
            parts.append(f"{verb} {file_names}{others}.")
    tools = [f"`{fact.key}`{_repeat_mark(_calls_of(fact))}" for fact in facts.of_category(FactCategory.CALL)]
    if tools:
        parts.append(f"Called {', '.join(tools[:_MAX_NAMED])}.")
    executed = (fact for fact in facts.of_category(FactCategory.COMMAND) if fact.state is not FactState.NONE)
    commands = [f"`{fact.text}`" for fact in executed]
    if commands:
        parts.append(f"Ran {', '.join(commands[-_MAX_NAMED:])}.")
    return " ".join(parts)


def _constraints(facts: Facts) -> Iterator[CandidateLine]:
    weight = {FactState.STRONG: 0, FactState.WEAK: 1, FactState.LONG: 2, FactState.READ: 2}
    for place, fact in enumerate(facts.of_category(FactCategory.CONSTRAINT)):
        if fact.state is not FactState.REVOKED:
            yield CandidateLine(f"- {fact.text}", (weight.get(fact.state, 1), -fact.last), place)


def _files(files: Sequence[Fact], folder: str) -> Iterator[CandidateLine]:
    for place, fact in enumerate(files):
        yield CandidateLine(
            f"- `{_relative(fact.key, folder)}`: {fact.detail}", (-fact.count, -fact.last), place
        )


def _commands(facts: Facts) -> Iterator[CandidateLine]:
    for place, fact in enumerate(facts.of_category(FactCategory.COMMAND)):
        if fact.state is FactState.NONE:
            continue  # already part of an error line
        yield CandidateLine(f"- {command_text(fact)}", (-fact.last,), place)


def command_text(fact: Fact) -> str:
    """Return a command with its outcome, as far as one is known; ``previous_summary`` reads it again."""
    failed = int(fact.detail or 0)
    times = f" ×{fact.count}" if fact.count > 1 else ""
    if fact.state is FactState.FAILED:
        outcome = f": failed ×{failed}" if failed > 1 else ": failed"
        return f"Ran `{fact.text}`{outcome}" + (f", ran{times} before" if fact.count else "")
    outcome = f": ok{times}" if fact.state is FactState.OK else f"{times}"
    return f"Ran `{fact.text}`{outcome}" + (f", failed ×{failed} before" if failed else "")


def _calls(facts: Facts) -> Iterator[CandidateLine]:
    """Yield tools that are no shell and touch no file, with the arguments of their newest calls."""
    for place, fact in enumerate(facts.of_category(FactCategory.CALL)):
        failed = f", failed ×{fact.text}" if fact.text else ""
        arguments = f": {shorten(fact.detail, 240)}" if fact.detail else ""
        text = f"- Called `{fact.key}`{_repeat_mark(_calls_of(fact))}{failed}{arguments}"
        rank = 0.5 if is_query_tool(fact.key) else -fact.last
        yield CandidateLine(text, (rank,), place + _MAX_LINES)


def _calls_of(fact: Fact) -> int:
    return fact.count + int(fact.text or 0)


def _repeat_mark(count: int) -> str:
    return f" ×{count}" if count > 1 else ""


def _errors(facts: Facts, folder: str) -> Iterator[CandidateLine]:
    for place, fact in enumerate(facts.of_category(FactCategory.ERROR)):
        is_tool_use = fact.text.lower().startswith(_TOOL_USE_ERRORS)
        is_resolved = fact.state is FactState.RESOLVED
        if is_tool_use and is_resolved:
            continue
        times = f" (×{fact.count})" if fact.count > 1 else ""
        target = fact.detail.replace(f"{folder}/", "") if folder else fact.detail
        target = shorten(target, 100)
        text = f"- {fact.state.value}: `{target}`: {fact.text}{times}"
        yield CandidateLine(text, (is_tool_use, is_resolved, -fact.last), place)


def _decisions(facts: Facts) -> Iterator[CandidateLine]:
    for place, fact in enumerate(facts.of_category(FactCategory.DECISION)):
        answered = fact.state is FactState.ANSWERED
        text = shorten(fact.text.replace("**", ""), 320)
        yield CandidateLine(
            f"- {text} {ANSWER_MARK}" if answered else f"- {text}", (not answered, -fact.last), place
        )


def _values(facts: Facts) -> Iterator[CandidateLine]:
    values = *facts.of_category(FactCategory.NUMBER), *facts.of_category(FactCategory.URL)
    for place, fact in enumerate(sorted(values, key=lambda fact: fact.first)):
        yield CandidateLine(f"- {fact.text}", (-fact.count, -fact.last), place)


def _requests(facts: Facts) -> Iterator[CandidateLine]:
    """Yield the user's requests with the model's final statement on each."""
    goal = _first_request(facts) if not facts.of_category(FactCategory.GOAL) else ""
    rules = {fact.text for fact in facts.of_category(FactCategory.CONSTRAINT)}
    work = {fact.text for fact in facts.of_category(FactCategory.CURRENT_WORK)}
    earlier = facts.of_category(FactCategory.USER_MESSAGE)[:-1]  # the last is current work
    for index, fact in enumerate(earlier):
        outcome = "" if fact.detail in work else leading_sentences(fact.detail, 220)
        if not _substantial(fact.text) or (fact.text in rules and not outcome):
            continue
        length = _REPEATED_GOAL_LENGTH if fact.text == goal else 240
        sentences = leading_sentences(fact.text, length, titles=True, max_sentences=_GOAL_SENTENCES)
        request_line = f'- {REQUEST_PREFIX}"{sentences}"'
        yield CandidateLine(f"{request_line} → {outcome}" if outcome else request_line, (-index,), index)


def _todos(facts: Facts, todos: str) -> Iterator[CandidateLine]:
    lines = [line.strip() for line in todos.splitlines() if line.strip()] or [
        f"- [{fact.detail}] {fact.text}"
        for fact in facts.of_category(FactCategory.TODO)
        if fact.detail != COMPLETED
    ]
    lines.sort(key=lambda line: not line.startswith(f"- [{IN_PROGRESS}]"))
    for place, line in enumerate(lines):
        yield CandidateLine(line if line.startswith("-") else f"- {line}", (place,), place)


def _questions(facts: Facts) -> Iterator[CandidateLine]:
    """Yield the model's last question if it is unanswered."""
    requests = facts.of_category(FactCategory.USER_MESSAGE)
    last_request = requests[-1].first if requests else -1
    for fact in facts.of_category(FactCategory.CURRENT_WORK):
        question = last_question(fact.text)
        if fact.last > last_request and question:
            yield CandidateLine(f"- {shorten(question.replace('**', ''), 240)}", (0,), 0)


def _current(facts: Facts, focus: str, max_chars: int) -> Iterator[CandidateLine]:
    if focus.strip():
        yield CandidateLine(f"- {FOCUS_PREFIX}{shorten(focus, 200)}", (0,), 2)
    goals = {line.text for line in _goal(facts, max_chars, "")}
    for fact in facts.of_category(FactCategory.USER_MESSAGE)[-1:]:
        request = _quoted_goal(fact.text, max_chars)
        if request not in goals:
            yield CandidateLine(f'- {LAST_REQUEST_PREFIX}"{request}"', (0,), 0)
    for fact in facts.of_category(FactCategory.CURRENT_WORK):
        state = leading_sentences(fact.text, max(100, max_chars * 3 // 4))
        if state:
            yield CandidateLine(f"- {STATE_PREFIX}{state}", (1,), 1)
    for place, fact in enumerate(facts.of_category(FactCategory.TODO)):
        if fact.detail == COMPLETED:
            yield CandidateLine(f"- [{COMPLETED}] {fact.text}", (2, place), place - _MAX_LINES)


def _names(facts: Facts) -> Iterator[CandidateLine]:
    """Yield identifiers that occurred repeatedly and are no listed file, most frequent first."""
    paths = {posixpath.basename(fact.key) for kind in _FILE_KINDS for fact in facts.of_category(kind)}
    repeated = [fact for fact in facts.of_category(FactCategory.IDENTIFIER) if fact.count > 1]
    listed = [
        fact
        for fact in sorted(repeated, key=lambda fact: (-fact.count, fact.text))
        if fact.text.rsplit("/", 1)[-1] not in paths and not (fact.text.isalpha() and fact.text.islower())
    ]
    yield from name_lines([fact.text for fact in listed], _NAMES_PER_LINE)


def name_lines(names: Sequence[str], per_line: int) -> Iterator[CandidateLine]:
    for start in range(0, len(names), per_line):
        listed = ", ".join(f"`{name}`" for name in names[start : start + per_line])
        yield CandidateLine(f"- {NAMES_PREFIX}{listed}", (start,), start)


def _findings(facts: Facts) -> Iterator[CandidateLine]:
    """Yield sentences with identifiers that no newer one has, those with most first."""
    covered: set[str] = set()
    findings = facts.of_category(FactCategory.FINDING)
    for place in range(len(findings) - 1, -1, -1):
        new = set(identifiers(findings[place].text)) - covered
        covered |= new
        if new:
            yield CandidateLine(f"- {findings[place].text.replace('**', '')}", (-len(new), -place), place)


def _notes(facts: Facts) -> Mapping[SnapshotSlot, Sequence[CandidateLine]]:
    """Return notes of earlier summaries by slot; they come before newer lines."""
    notes: defaultdict[SnapshotSlot, list[CandidateLine]] = defaultdict(list)
    for place, fact in enumerate(facts.of_category(FactCategory.NOTE)):
        slot = SnapshotSlot[fact.detail] if fact.detail in SnapshotSlot.__members__ else SnapshotSlot.CURRENT
        notes[slot].append(CandidateLine(f"- {fact.text}", (0.5,), place - _MAX_LINES * 100))
    return notes


def _relative(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder and path.startswith(f"{folder}/") else path


def _substantial(text: str) -> bool:
    """Return False for "yes", "continue" and the like."""
    return len(text.split()) > 3 or len(text) > 30 or "/" in text or "`" in text
