"""Facts as lines of a summary: each says one thing and can be read back."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.facts import Fact, FactCategory, Facts, FactState
from core.facts.other_actions import only_asks
from core.facts.prose_facts import identifiers, last_question, leading_sentences
from core.facts.sentences import shorten
from core.summarize.summary_sections import SnapshotSlot
from core.transcript.todos import COMPLETED, IN_PROGRESS

LAST_REQUEST = "Last request: "
STOOD = "Where it stood: "
ASKED = "Asked: "
NAMES = "Names in use: "
PLAN = "Work plan: "
WORK = "No new request in this part. "
EMPTY = "None noted: "
"""Before the names of sections that hold nothing."""
FOLDER = "Folder of the paths: "
TRANSCRIPT = "Full transcript before this summary: "
ANSWER = "(user)"
FOCUS = "Focus asked for: "

_MAX_LINES = 300  # candidates per slot; no budget has room for more
_MECHANICAL = (
    "string to replace not found",
    "file has not been read",
    "file content (",
    "file does not exist",
    "found multiple matches",
    "file has been modified",
)
_NAMES_PER_LINE = 12
_WEIGHTY = 60  # characters; shorter requests seldom say what it is all about
_GOAL_SENTENCES = 3
_GOAL_AGAIN = 100  # characters of a request that the goal has quoted already
_NAMED = 3  # files or tools named where there is no request


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate line: the lower ``rank``, the sooner it is taken; ``order`` is its place if it is."""

    text: str
    rank: tuple[float, ...]
    order: int


def slot_lines(
    facts: Facts, folder: str, *, todos: str = "", focus: str = "", budget: int = 4000
) -> Mapping[SnapshotSlot, Sequence[CandidateLine]]:
    """Candidate lines by slot, best first; those that hold a word of the focus before all others.

    ``budget``: tokens of the whole summary, so that one quotation does not take it all.
    """
    room = max(100, min(500, budget // 3))  # characters
    makers: Mapping[SnapshotSlot, Iterable[CandidateLine]] = {
        SnapshotSlot.GOAL: _goal(facts, room, folder),
        SnapshotSlot.CONSTRAINTS: _constraints(facts),
        SnapshotSlot.FILES: _files(facts.of(FactCategory.FILE_MODIFIED), folder),
        SnapshotSlot.READS: _files(facts.of(FactCategory.FILE_READ), folder),
        SnapshotSlot.COMMANDS: (*_commands(facts), *_calls(facts)),
        SnapshotSlot.ERRORS: _errors(facts, folder),
        SnapshotSlot.DECISIONS: _decisions(facts),
        SnapshotSlot.VALUES: _values(facts),
        SnapshotSlot.REQUESTS: _requests(facts),
        SnapshotSlot.TODOS: _todos(facts, todos),
        SnapshotSlot.QUESTIONS: _questions(facts),
        SnapshotSlot.CURRENT: _current(facts, focus, room),
        SnapshotSlot.NAMES: _names(facts),
        SnapshotSlot.FINDINGS: _findings(facts),
    }
    words = frozenset(word for word in focus.lower().split() if len(word) > 2)
    notes = _notes(facts)
    ranked = {slot: _ranked((*notes[slot], *made), words) for slot, made in makers.items()}
    return {
        **ranked,
        SnapshotSlot.FINDINGS: _not_said(
            ranked[SnapshotSlot.FINDINGS], (*ranked[SnapshotSlot.CURRENT], *ranked[SnapshotSlot.REQUESTS])
        ),
    }


def _not_said(lines: Sequence[CandidateLine], others: Iterable[CandidateLine]) -> Sequence[CandidateLine]:
    """The lines whose words no other line holds."""
    said = "\n".join(line.text for line in others)
    return [line for line in lines if line.text.removeprefix("- ") not in said]


def common_folder(facts: Facts) -> str:
    """The deepest folder that holds at least four in five of the absolute paths; "" for few paths."""
    paths = [fact.key for kind in _FILE_KINDS for fact in facts.of(kind) if fact.key.startswith("/")]
    counts: Counter[str] = Counter()
    for path in paths:
        parent = posixpath.dirname(path)
        while parent.count("/") > 1:
            counts[parent] += 1
            parent = posixpath.dirname(parent)
    enough = [folder for folder, count in counts.items() if count >= max(2, 0.8 * len(paths))]
    return max(enough, key=len, default="")


_FILE_KINDS = (FactCategory.FILE_MODIFIED, FactCategory.FILE_READ)


def _ranked(lines: Iterable[CandidateLine], words: frozenset[str]) -> Sequence[CandidateLine]:
    unique = {line.text: line for line in lines}.values()
    ranked = sorted(unique, key=lambda line: (not _matches(line.text, words), line.rank, line.order))
    return ranked[:_MAX_LINES]


def _matches(text: str, words: frozenset[str]) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in words)


def _goal(facts: Facts, room: int, folder: str) -> Iterator[CandidateLine]:
    """What it is about: as an earlier summary said, as the user asked, or as the work shows."""
    known = facts.of(FactCategory.GOAL)
    for place, fact in enumerate(known):
        yield CandidateLine(fact.text, (0,), place)
    if known:
        return
    request = _first_request(facts)
    weighty = len(request) >= _WEIGHTY or request.startswith("/")
    if request:
        yield CandidateLine(_quoted_goal(request, room), (0,), 0 if weighty else 1)
    todos = [fact.text for fact in facts.of(FactCategory.TODO)]
    if todos and not weighty:
        yield CandidateLine(f"{PLAN}{shorten('; '.join(todos), room)}", (1,), 0)
    if not request and not todos and (work := _work(facts, folder)):
        yield CandidateLine(f"{WORK}{shorten(work, room)}", (2,), 2)


def _first_request(facts: Facts) -> str:
    """The first message that tells what is wanted; "" where the user only said yes or nothing."""
    requests = [fact.text for fact in facts.of(FactCategory.USER_MESSAGE) if _substantial(fact.text)]
    weighty = [text for text in requests if len(text) >= _WEIGHTY]
    return requests[0] if requests and requests[0].startswith("/") else next(iter(weighty or requests), "")


def _quoted_goal(request: str, room: int) -> str:
    return leading_sentences(request, room, titles=True, most=_GOAL_SENTENCES)


def _work(facts: Facts, folder: str) -> str:
    """What was done, in one sentence, where nobody said what for."""
    parts = []
    for verb, category in (("Changed", FactCategory.FILE_MODIFIED), ("Read", FactCategory.FILE_READ)):
        files = sorted(facts.of(category), key=lambda fact: (-fact.count, fact.first))
        if files:
            named = ", ".join(f"`{_relative(fact.key, folder)}`" for fact in files[:_NAMED])
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            parts.append(f"{verb} {named}{more}.")
    tools = [f"`{fact.key}`{_times(_calls_of(fact))}" for fact in facts.of(FactCategory.CALL)]
    if tools:
        parts.append(f"Called {', '.join(tools[:_NAMED])}.")
    ran = (fact for fact in facts.of(FactCategory.COMMAND) if fact.state is not FactState.NONE)
    commands = [f"`{fact.text}`" for fact in ran]
    if commands:
        parts.append(f"Ran {', '.join(commands[-_NAMED:])}.")
    return " ".join(parts)


def _constraints(facts: Facts) -> Iterator[CandidateLine]:
    weight = {FactState.STRONG: 0, FactState.WEAK: 1, FactState.LONG: 2}
    for place, fact in enumerate(_by_first(facts.of(FactCategory.CONSTRAINT))):
        if fact.state is not FactState.REVOKED:
            yield CandidateLine(f"- {fact.text}", (weight.get(fact.state, 1), -fact.last), place)


def _files(files: Sequence[Fact], folder: str) -> Iterator[CandidateLine]:
    for place, fact in enumerate(_by_first(files)):
        yield CandidateLine(
            f"- `{_relative(fact.key, folder)}`: {fact.detail}", (-fact.count, -fact.last), place
        )


def _commands(facts: Facts) -> Iterator[CandidateLine]:
    for place, fact in enumerate(_by_first(facts.of(FactCategory.COMMAND))):
        if fact.state is FactState.NONE:
            continue  # the error of which it was a part tells of it
        failed = int(fact.detail or 0)
        times = f" ×{fact.count}" if fact.count > 1 else ""
        if fact.state is FactState.OK:
            outcome = f"ok{times}" + (f", failed ×{failed} before" if failed else "")
        else:
            outcome = f"failed ×{failed}" if failed > 1 else "failed"
            outcome += f", ok{times} before" if fact.count else ""
        yield CandidateLine(f"- Ran `{fact.text}`: {outcome}", (-fact.last,), place)


def _calls(facts: Facts) -> Iterator[CandidateLine]:
    """Tools that are no shell and touch no file, with the arguments of their newest calls."""
    for place, fact in enumerate(_by_first(facts.of(FactCategory.CALL))):
        failed = f", failed ×{fact.text}" if fact.text else ""
        with_what = f": {shorten(fact.detail, 240)}" if fact.detail else ""
        text = f"- Called `{fact.key}`{_times(_calls_of(fact))}{failed}{with_what}"
        rank = 0.5 if only_asks(fact.key) else -fact.last
        yield CandidateLine(text, (rank,), place + _MAX_LINES)


def _calls_of(fact: Fact) -> int:
    return fact.count + int(fact.text or 0)


def _times(count: int) -> str:
    return f" ×{count}" if count > 1 else ""


def _errors(facts: Facts, folder: str) -> Iterator[CandidateLine]:
    for place, fact in enumerate(_by_first(facts.of(FactCategory.ERROR))):
        mechanical = fact.text.lower().startswith(_MECHANICAL)
        solved = fact.state is FactState.RESOLVED
        if mechanical and solved:
            continue
        times = f" (×{fact.count})" if fact.count > 1 else ""
        target = fact.detail.replace(f"{folder}/", "") if folder else fact.detail
        target = shorten(target, 100)
        text = f"- {fact.state.value}: `{target}`: {fact.text}{times}"
        yield CandidateLine(text, (mechanical, solved, -fact.last), place)


def _decisions(facts: Facts) -> Iterator[CandidateLine]:
    for place, fact in enumerate(_by_first(facts.of(FactCategory.DECISION))):
        answered = fact.state is FactState.ANSWERED
        text = shorten(fact.text.replace("**", ""), 320)
        yield CandidateLine(
            f"- {text} {ANSWER}" if answered else f"- {text}", (not answered, -fact.last), place
        )


def _values(facts: Facts) -> Iterator[CandidateLine]:
    for place, fact in enumerate(_by_first((*facts.of(FactCategory.NUMBER), *facts.of(FactCategory.URL)))):
        yield CandidateLine(f"- {fact.text}", (-fact.count, -fact.last), place)


def _requests(facts: Facts) -> Iterator[CandidateLine]:
    """What the user asked, and what the model said when it was done with it."""
    goal = _first_request(facts) if not facts.of(FactCategory.GOAL) else ""
    rules = {fact.text for fact in facts.of(FactCategory.CONSTRAINT)}
    work = {fact.text for fact in facts.of(FactCategory.CURRENT_WORK)}
    for place, fact in enumerate(facts.of(FactCategory.USER_MESSAGE)[:-1]):  # the last is current work
        outcome = "" if fact.detail in work else leading_sentences(fact.detail, 220)
        if not _substantial(fact.text) or (fact.text in rules and not outcome):
            continue
        length = _GOAL_AGAIN if fact.text == goal else 240
        asked = f'- {ASKED}"{leading_sentences(fact.text, length, titles=True, most=_GOAL_SENTENCES)}"'
        yield CandidateLine(f"{asked} → {outcome}" if outcome else asked, (-place,), place)


def _todos(facts: Facts, todos: str) -> Iterator[CandidateLine]:
    lines = [line.strip() for line in todos.splitlines() if line.strip()] or [
        f"- [{fact.detail}] {fact.text}" for fact in facts.of(FactCategory.TODO) if fact.detail != COMPLETED
    ]
    lines.sort(key=lambda line: not line.startswith(f"- [{IN_PROGRESS}]"))
    for place, line in enumerate(lines):
        yield CandidateLine(line if line.startswith("-") else f"- {line}", (place,), place)


def _questions(facts: Facts) -> Iterator[CandidateLine]:
    """What the model asked last, if nobody has answered."""
    requests = facts.of(FactCategory.USER_MESSAGE)
    answered = requests[-1].first if requests else -1
    for fact in facts.of(FactCategory.CURRENT_WORK):
        asked = last_question(fact.text)
        if fact.last > answered and asked:
            yield CandidateLine(f"- {shorten(asked.replace('**', ''), 240)}", (0,), 0)


def _current(facts: Facts, focus: str, room: int) -> Iterator[CandidateLine]:
    if focus.strip():
        yield CandidateLine(f"- {FOCUS}{shorten(focus, 200)}", (0,), 2)
    goals = {line.text for line in _goal(facts, room, "")}
    for fact in facts.of(FactCategory.USER_MESSAGE)[-1:]:
        request = _quoted_goal(fact.text, room)
        if request not in goals:
            yield CandidateLine(f'- {LAST_REQUEST}"{request}"', (0,), 0)
    for fact in facts.of(FactCategory.CURRENT_WORK):
        stood = leading_sentences(fact.text, max(100, room * 3 // 4))
        if stood:
            yield CandidateLine(f"- {STOOD}{stood}", (1,), 1)
    for place, fact in enumerate(facts.of(FactCategory.TODO)):
        if fact.detail == COMPLETED:
            yield CandidateLine(f"- [{COMPLETED}] {fact.text}", (2, place), place - _MAX_LINES)


def _names(facts: Facts) -> Iterator[CandidateLine]:
    """Names that came more than once and that no listed path spells, most frequent first."""
    paths = {posixpath.basename(fact.key) for kind in _FILE_KINDS for fact in facts.of(kind)}
    named = [
        fact for fact in facts.of(FactCategory.IDENTIFIER) if fact.count > 1 and _base(fact.text) not in paths
    ]
    named = [fact for fact in named if not (fact.text.isalpha() and fact.text.islower())]
    named.sort(key=lambda fact: (-fact.count, fact.text))
    for start in range(0, len(named), _NAMES_PER_LINE):
        names = ", ".join(f"`{fact.text}`" for fact in named[start : start + _NAMES_PER_LINE])
        yield CandidateLine(f"- {NAMES}{names}", (start,), start)


def _findings(facts: Facts) -> Iterator[CandidateLine]:
    """Sentences that name what no newer one names, those that name most first."""
    covered: set[str] = set()
    found = _by_first(facts.of(FactCategory.FINDING))
    for place in range(len(found) - 1, -1, -1):
        new = set(identifiers(found[place].text)) - covered
        covered |= new
        if new:
            yield CandidateLine(f"- {found[place].text.replace('**', '')}", (-len(new), -place), place)


def _notes(facts: Facts) -> Mapping[SnapshotSlot, Sequence[CandidateLine]]:
    """Lines of earlier summaries that are no facts of a known kind; they stand before newer ones."""
    notes: defaultdict[SnapshotSlot, list[CandidateLine]] = defaultdict(list)
    for place, fact in enumerate(facts.of(FactCategory.NOTE)):
        slot = SnapshotSlot[fact.detail] if fact.detail in SnapshotSlot.__members__ else SnapshotSlot.CURRENT
        notes[slot].append(CandidateLine(f"- {fact.text}", (0.5,), place - _MAX_LINES * 100))
    return notes


def _by_first(facts: Sequence[Fact]) -> Sequence[Fact]:
    return sorted(facts, key=lambda fact: fact.first)


def _relative(path: str, folder: str) -> str:
    return path[len(folder) + 1 :] if folder and path.startswith(f"{folder}/") else path


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _substantial(text: str) -> bool:
    """False for "yes", "continue" and the like."""
    return len(text.split()) > 3 or len(text) > 30 or "/" in text or "`" in text
