"""Writes facts as lines of a summary, which can be read back: the one writer of every summary that
no model writes. What strings cannot tell is left out."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from core.facts.model import FILE_KINDS, Fact, FactKind, Facts, FactState, name_weight
from core.facts.sentences import has_modal_word, sentences, shorten
from core.transcript.todos import COMPLETED, IN_PROGRESS

# The first meaningful sentences of a text, and its last question.


_STARTS_WORK = re.compile(
    r"^(?:let me|now (?:let|i)|i'll|i will|i(?:'m| am) going to|let's|perfect|great|good|looking (?:at|for)|"
    r"next,|first,)(?!\w)",
    re.IGNORECASE,
)


_FEWEST_CHARACTERS = 12  # of a sentence of a model that says anything


def leading_sentences(
    text: str, limit: int, *, titles: bool = False, max_sentences: int = 0
) -> str:
    """Return the first meaningful sentences of a text, at most ``limit`` characters, on one line.
    Announcements ("Now let me look …") are replaced by what follows them, if anything does. With
    ``titles`` every sentence counts, as in a user's text. ``max_sentences``: number of sentences; 0
    for any."""
    chosen: list[str] = []
    fallback = ""
    remaining = limit
    for sentence in sentences(text):
        if titles:
            words = sentence
        else:
            words = sentence.replace("**", "")
        if not titles and _says_little(words):
            fallback = fallback or words
            continue
        is_full = bool(max_sentences) and len(chosen) >= max_sentences
        if chosen and (is_full or len(words) > remaining):
            break
        chosen.append(words)
        remaining -= len(words) + 1
    # What a colon announces was left out.
    while len(chosen) > 1 and chosen[-1].endswith(":"):
        chosen.pop()
    closed = [*map(_closed, chosen[:-1]), *chosen[-1:]]
    return shorten(" ".join(closed) or fallback, limit)


def _says_little(words: str) -> bool:
    if len(words) < _FEWEST_CHARACTERS:
        return True
    return bool(_STARTS_WORK.match(words)) or _opens_a_list(words)


def _closed(words: str) -> str:
    if words[-1] in ".!?:;,…":
        return words
    return f"{words};"


def is_announcement(sentence: str) -> bool:
    """Return True for an announcement ("Now let me look …", "Here it is:")."""
    return bool(_STARTS_WORK.match(sentence)) or sentence.endswith(":")


def _opens_a_list(words: str) -> bool:
    """Return True for a line with a colon that only introduces a list."""
    return words.endswith(":") and (
        len(words) < 25 or words.lower().startswith(("here is", "here's"))
    )


def last_question(text: str) -> str:
    return next(
        (words for words in reversed(tuple(sentences(text))) if words.endswith("?")), ""
    )


class SnapshotSlot(Enum):
    """The topics of a summary, in their order within one section. ``title`` is the heading where no
    prompt names sections; ``share`` is the fraction of the budget available before the others had
    theirs; ``patterns`` match names of suitable sections, best first."""

    GOAL = (
        "Goal",
        0.06,
        "goal|objective|intent|purpose|task state|user context; request; overview|task; summary",
    )
    RULES = (
        "Rules of the user",
        0.25,
        (
            "constraint|directive|guidance|instruction|preference|rule|requirement; "
            "user message; knowledge|context; goal|intent"
        ),
    )
    FILES = (
        "Files changed",
        0.2,
        (
            "artifact|files|file system|changes$; "
            "done$|completed$; progress|done|accomplished|state|completed; code|reference; knowledge"
        ),
    )
    READS = (
        "Files read",
        0.07,
        "code|reference; file system; artifact|files; knowledge|context",
    )
    COMMANDS = (
        "Commands",
        0.08,
        (
            "command|tool|action|history; done$|completed$; "
            "progress|recent|done|accomplished|state; knowledge"
        ),
    )
    ERRORS = (
        "Errors",
        0.1,
        "error|failure|fix|problem|issue|blocker; discover|learn; recent action; progress|state",
    )
    REQUESTS = (
        "Requests",
        0.1,
        "user message|task context; context; request|intent|goal; progress",
    )
    TODOS = (
        "Open todos",
        0.05,
        (
            "active task|todo|pending|open task|remaining|task tracking; "
            "next; task state|plan; task; progress|state"
        ),
    )
    QUESTIONS = (
        "Open questions",
        0.01,
        "question|unresolved|unknown|blocked; next; current|progress|pending",
    )
    CURRENT = (
        "Current work",
        0.12,
        (
            "current work|current progress|current state|in progress|active$; "
            "progress|recent; state|done|accomplished; next"
        ),
    )
    NAMES = (
        "Names",
        0.03,
        "key knowledge|knowledge|concept; code|reference; critical|data|discover; decision; files",
    )

    def __init__(self, title: str, share: float, patterns: str) -> None:
        self.title = title
        self.share = share
        self.patterns = patterns.split("; ")


SPENDING_ORDER = tuple(
    SnapshotSlot[name]
    for name in (
        *("RULES", "GOAL", "TODOS", "FILES", "ERRORS", "CURRENT", "REQUESTS"),
        *("COMMANDS", "QUESTIONS", "READS", "NAMES"),
    )
)
"""The order in which tokens are spent."""

_CATCH_ALL = "progress|state|context|knowledge|summary|overview|work"


def assign_slots(sections: Sequence[str]) -> Mapping[SnapshotSlot, str]:
    """Return the section of each slot; every slot has one unless there are no sections."""
    named_sections = [(_normalised(section), section) for section in sections]
    if named_sections:
        return {slot: _best(slot, named_sections) for slot in SnapshotSlot}
    return {}


def slot_for_title(title: str) -> SnapshotSlot | None:
    """Return the slot of an earlier summary's section by its name; None for others."""
    for slot in SnapshotSlot:
        if title == slot.title:
            return slot
    name = _normalised(title)
    for depth in range(max(len(slot.patterns) for slot in SnapshotSlot)):
        for slot in SnapshotSlot:
            if depth < len(slot.patterns) and _matches(slot.patterns[depth], name):
                return slot
    return None


def _best(slot: SnapshotSlot, named_sections: Sequence[tuple[str, str]]) -> str:
    for pattern in (*slot.patterns, _CATCH_ALL):
        for name, section in named_sections:
            if _matches(pattern, name):
                return section
    return named_sections[0][1]


def _matches(pattern: str, name: str) -> bool:
    return re.search(rf"\b(?:{pattern})", name) is not None


def _normalised(section: str) -> str:
    return section.replace("_", " ").replace("-", " ").lower()


LAST_REQUEST_PREFIX = "Last request: "
STATE_PREFIX = "Where it stood: "
NAMES_PREFIX = "Names in use: "
PLAN_PREFIX = "Work plan: "
NO_REQUEST_PREFIX = "No new request in this part. "
EMPTY_SECTIONS_PREFIX = "None noted: "  # precedes the names of empty sections
FOLDER_PREFIX = "Folder of the paths: "
TRANSCRIPT_PREFIX = "Full transcript before this summary: "
FOCUS_PREFIX = "Focus asked for: "
UNRECORDED = "; outcome not recorded"

INSTRUCTION_RANK = (2.0,)
"""Of sentences of files that instruct: behind all that the person said."""
_MAX_LINES = 300  # candidates per slot; no budget fits more
_NAMES_PER_LINE, _MAX_NAMES = 8, 800
_MIN_GOAL_LENGTH = 60  # characters; shorter requests seldom state the goal
_GOAL_SENTENCES = 3
_SHORT_MESSAGE = 160  # characters; one with a modal word is a rule as a whole
_MESSAGE_LENGTH = 240  # characters of a longer message
_MAX_NAMED = 3  # files named in place of a request
_SAID = (SnapshotSlot.RULES, SnapshotSlot.REQUESTS)
_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]\s*)?(?:[A-Z][A-Z _-]{2,30}:\s+)?")
_NUMBER = re.compile(r"\d+")
_PARTICULAR = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|[$€£]?\w*\d[\w.,:%/-]*|"
    r"(?![a-z]+-[a-z]+(?![\w/@-]|\.\w))\w+(?:[-_/.@]\w+)+|"  # no mere compound: "event-driven"
    r"(?<=[a-z,:] )[A-Z]\w+(?: [A-Z]\w+)*"
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Facts to write, and ``lines`` of earlier summaries as they stand, by slot."""

    facts: Facts = field(default_factory=Facts)
    lines: Mapping[SnapshotSlot, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A candidate line: a lower ``rank`` is selected earlier; ``order`` is its position in the
    section."""

    text: str
    rank: tuple[float, ...]
    order: int


def slot_lines(
    snapshot: Snapshot,
    folder: str,
    *,
    todos: str = "",
    focus: str = "",
    budget: int = 4000,
) -> dict[SnapshotSlot, Sequence[CandidateLine]]:
    """Return candidate lines by slot, best first; lines with a word of the focus come first."""
    facts, max_chars = snapshot.facts, max(100, min(500, budget // 3))  # characters
    rules, requests = _said(facts)
    lines_by_slot: Mapping[SnapshotSlot, Iterable[CandidateLine]] = {
        SnapshotSlot.GOAL: _goal(snapshot, max_chars, folder),
        SnapshotSlot.RULES: (*rules, *_instructions(facts)),
        SnapshotSlot.FILES: (
            *_files(facts.of_kind(FactKind.FILE_CHANGED), folder),
            *_files(facts.of_kind(FactKind.FILE_ASKED), folder),
        ),
        SnapshotSlot.READS: _files(facts.of_kind(FactKind.FILE_READ), folder),
        SnapshotSlot.COMMANDS: _commands(facts),
        SnapshotSlot.ERRORS: _errors(facts, folder),
        SnapshotSlot.REQUESTS: requests,
        SnapshotSlot.TODOS: (*_running(facts), *_todos(facts, todos)),
        SnapshotSlot.QUESTIONS: _questions(facts),
        SnapshotSlot.CURRENT: _current(snapshot, focus, max_chars),
        SnapshotSlot.NAMES: name_lines(_name_texts(facts)),
    }
    candidates = {
        slot: [*_earlier(snapshot, slot), *lines]
        for slot, lines in lines_by_slot.items()
    }
    _move_corrected(candidates)
    focus_words = frozenset(word for word in focus.lower().split() if len(word) > 2)
    return {slot: _ranked(lines, focus_words) for slot, lines in candidates.items()}


def common_folder(facts: Facts) -> str:
    """Return the deepest folder of at least 80 % of the absolute paths; "" for few paths."""
    paths = [
        fact.key
        for kind in FILE_KINDS
        for fact in facts.of_kind(kind)
        if fact.key.startswith("/")
    ]
    counts: Counter[str] = Counter()
    for path in paths:
        parent = posixpath.dirname(path)
        while parent.count("/") > 1:
            counts[parent] += 1
            parent = posixpath.dirname(parent)
    candidates = [
        folder for folder, count in counts.items() if count >= max(2, 0.8 * len(paths))
    ]
    return max(candidates, key=len, default="")


def without_label(text: str) -> str:
    """Return a text without the label that a harness put before it: "[12:04] NOTE: text" is
    "text"."""
    if match := _LABEL.match(text):
        return text[match.end() :]
    return text


def particulars(text: str) -> int:
    """Return the characters of the codes, names, numbers and dates in a text, each once."""
    return sum(map(len, set(_PARTICULAR.findall(text))))


def _earlier(snapshot: Snapshot, slot: SnapshotSlot) -> Iterator[CandidateLine]:
    first = -_MAX_LINES * (
        99 if slot is SnapshotSlot.RULES else 100
    )  # what was corrected is a request
    for number, text in enumerate(snapshot.lines.get(slot, ())):
        order = first + number
        yield CandidateLine(
            text, _rank(text, order) if slot in _SAID else (0.5,), order
        )


def _move_corrected(candidates: dict[SnapshotSlot, list[CandidateLine]]) -> None:
    """Move what a later line of the person says again with other numbers behind all requests: it
    was probably corrected."""
    lines = (
        line
        for slot in _SAID
        for line in candidates[slot]
        if line.rank < INSTRUCTION_RANK
    )
    said = sorted(lines, key=lambda line: line.order)
    newest = {_NUMBER.sub("0", line.text): line.text for line in said}
    corrected = {
        line.text: line
        for line in said
        if newest[_NUMBER.sub("0", line.text)] != line.text
    }
    for slot in _SAID:
        candidates[slot] = [
            line for line in candidates[slot] if line.text not in corrected
        ]
    waiting = (replace(line, rank=(1, -line.order)) for line in corrected.values())
    candidates[SnapshotSlot.REQUESTS] += waiting


def _ranked(
    lines: Iterable[CandidateLine], words: frozenset[str]
) -> Sequence[CandidateLine]:
    def rank(line: CandidateLine) -> tuple[object, ...]:
        lowered = line.text.lower()
        return not any(word in lowered for word in words), line.rank, line.order

    unique = {line.text: line for line in lines}
    return sorted(unique.values(), key=rank)[:_MAX_LINES]


def _said(facts: Facts) -> tuple[list[CandidateLine], list[CandidateLine]]:
    """Return the rules and the other words of the person, each message once, the most particular
    first. A short message with a modal word is a rule as a whole, of a longer one the sentences
    with one are."""
    rules: dict[str, CandidateLine] = {}
    requests: dict[str, CandidateLine] = {}
    for order, fact in enumerate(facts.of_kind(FactKind.YOUR_MESSAGE)):
        said = list(map(without_label, sentences(fact.text)))
        modal = [sentence for sentence in said if has_modal_word(sentence)]
        if modal and len(fact.text) <= _SHORT_MESSAGE:
            modal = [" ".join(said)]
            said = []
        for sentence in modal:
            line = f"- {sentence}"
            rules[line] = CandidateLine(line, _rank(line, order), order)
        rest = " ".join(sentence for sentence in said if sentence not in modal)
        if _substantial(rest):
            line = f"- {leading_sentences(rest, _MESSAGE_LENGTH, titles=True)}"
            requests[line] = CandidateLine(line, _rank(line, order), order)
    return list(rules.values()), list(requests.values())


def _rank(line: str, order: int) -> tuple[float, ...]:
    return -particulars(line) / len(line), -order


def _instructions(facts: Facts) -> Iterator[CandidateLine]:
    for number, fact in enumerate(facts.of_kind(FactKind.INSTRUCTION)):
        yield CandidateLine(
            f"- {fact.text}", (*INSTRUCTION_RANK, -fact.last), _MAX_LINES + number
        )


def _goal(snapshot: Snapshot, max_chars: int, folder: str) -> Iterator[CandidateLine]:
    """Yield the goal: the first request that states one, else the plan, else the work done."""
    facts = snapshot.facts
    if snapshot.lines.get(SnapshotSlot.GOAL):
        return
    request = _first_request(facts)
    is_clear = len(request) >= _MIN_GOAL_LENGTH or request.startswith("/")
    if request:
        yield CandidateLine(
            _quoted_goal(request, max_chars), (0,), 0 if is_clear else 1
        )
    todos = [fact.text for fact in facts.of_kind(FactKind.TODO)]
    if todos and not is_clear:
        yield CandidateLine(
            f"{PLAN_PREFIX}{shorten('; '.join(todos), max_chars)}", (1,), 0
        )
    if not request and not todos and (work_done := _work_sentence(facts, folder)):
        yield CandidateLine(
            f"{NO_REQUEST_PREFIX}{shorten(work_done, max_chars)}", (2,), 2
        )


def _first_request(facts: Facts) -> str:
    """Return the first message that states a request; "" where the user only said yes or
    nothing."""
    requests = [
        fact.text
        for fact in facts.of_kind(FactKind.YOUR_MESSAGE)
        if _substantial(fact.text)
    ]
    longer = [text for text in requests if len(text) >= _MIN_GOAL_LENGTH]
    if requests and requests[0].startswith("/"):
        return requests[0]
    return next(iter(longer or requests), "")


def _quoted_goal(request: str, max_chars: int) -> str:
    return leading_sentences(
        request, max_chars, titles=True, max_sentences=_GOAL_SENTENCES
    )


def _work_sentence(facts: Facts, folder: str) -> str:
    """Return what was done in one sentence, where no request is known."""
    parts = []
    for verb, kind in (
        ("Changed", FactKind.FILE_CHANGED),
        ("Read", FactKind.FILE_READ),
    ):
        files = sorted(facts.of_kind(kind), key=lambda fact: (-fact.count, fact.first))
        if files:
            file_names = ", ".join(
                f"`{_relative(fact.key, folder)}`" for fact in files[:_MAX_NAMED]
            )
            if len(files) > _MAX_NAMED:
                others = f" and {len(files) - _MAX_NAMED} more"
            else:
                others = ""
            parts.append(f"{verb} {file_names}{others}.")
    if commands := [f"`{fact.text}`" for fact in facts.of_kind(FactKind.COMMAND)]:
        parts.append(f"Called {', '.join(commands[-_MAX_NAMED:])}.")
    return " ".join(parts)


def _files(files: Sequence[Fact], folder: str) -> Iterator[CandidateLine]:
    for number, fact in enumerate(files):
        text = f"- `{_relative(fact.key, folder)}`: {fact.detail}{_unrecorded(fact)}"
        yield CandidateLine(text, (-fact.count, -fact.last), number)


def _unrecorded(fact: Fact) -> str:
    """Return what is said of a fact whose outcome is not recorded; ``earlier_summary`` reads it."""
    if fact.kind is not FactKind.FILE_ASKED and fact.state is not FactState.RAN:
        return ""
    output = fact.output.replace("«", '"').replace("»", '"')
    if output:
        return f"{UNRECORDED}: «{output}»"
    return UNRECORDED


def _commands(facts: Facts) -> Iterator[CandidateLine]:
    for number, fact in enumerate(facts.of_kind(FactKind.COMMAND)):
        yield CandidateLine(f"- {command_text(fact)}", (-fact.last,), number)


def command_text(fact: Fact) -> str:
    """Return a command with its outcome, as far as one is known; ``earlier_summary`` reads it
    again."""
    failed = int(fact.detail or 0)
    if fact.count > 1:
        times = f" ×{fact.count}"
    else:
        times = ""
    if fact.state is FactState.FAILED:
        if failed > 1:
            outcome = f": failed ×{failed}"
        else:
            outcome = ": failed"
        return f"Ran `{fact.text}`{outcome}" + (
            f", called{times} before" if fact.count else ""
        )
    if failed:
        before = f", failed ×{failed} before"
    else:
        before = ""
    if fact.state is FactState.OK:
        return f"Ran `{fact.text}`: ok{times}{before}"
    return f"Called `{fact.text}`{times}{before}{_unrecorded(fact)}"


def _errors(facts: Facts, folder: str) -> Iterator[CandidateLine]:
    for number, fact in enumerate(facts.of_kind(FactKind.OPEN_ERROR)):
        target = shorten(
            fact.detail.replace(f"{folder}/", "") if folder else fact.detail, 100
        )
        yield CandidateLine(f"- open: `{target}`: {fact.text}", (-fact.last,), number)


def _running(facts: Facts) -> Iterator[CandidateLine]:
    """Yield what still runs, before all that is to be done."""
    for number, fact in enumerate(facts.of_kind(FactKind.RUNNING)):
        yield CandidateLine(
            f"- still running: `{fact.text}` ({fact.detail})", (-1,), number - 99
        )


def _todos(facts: Facts, todos: str) -> Iterator[CandidateLine]:
    lines = [line.strip() for line in todos.splitlines() if line.strip()] or [
        f"- [{fact.detail}] {fact.text}"
        for fact in facts.of_kind(FactKind.TODO)
        if fact.detail != COMPLETED
    ]
    lines.sort(key=lambda line: not line.startswith(f"- [{IN_PROGRESS}]"))
    for number, line in enumerate(lines):
        yield CandidateLine(
            line if line.startswith("-") else f"- {line}", (number,), number
        )


def _questions(facts: Facts) -> Iterator[CandidateLine]:
    """Yield the model's last question if the person did not speak since."""
    last_request = max(
        (fact.last for fact in facts.of_kind(FactKind.YOUR_MESSAGE)), default=-1
    )
    question = last_question(facts.last_answer)
    if question and facts.last_answer_at > last_request:
        yield CandidateLine(f"- {shorten(question.replace('**', ''), 240)}", (0,), 0)


def _current(snapshot: Snapshot, focus: str, max_chars: int) -> Iterator[CandidateLine]:
    facts = snapshot.facts
    if focus.strip():
        yield CandidateLine(f"- {FOCUS_PREFIX}{shorten(focus, 200)}", (0,), 2)
    goals = {line.text for line in _goal(snapshot, max_chars, "")}
    for fact in facts.of_kind(FactKind.YOUR_MESSAGE)[-1:]:
        request = _quoted_goal(fact.text, max_chars)
        if request not in goals:
            yield CandidateLine(f'- {LAST_REQUEST_PREFIX}"{request}"', (0,), 0)
    state = leading_sentences(facts.last_answer, max(100, max_chars * 3 // 4))
    if state:
        yield CandidateLine(f"- {STATE_PREFIX}{state}", (1,), 1)
    for number, fact in enumerate(facts.of_kind(FactKind.TODO)):
        if fact.detail == COMPLETED:
            yield CandidateLine(
                f"- [{COMPLETED}] {fact.text}", (2, number), number - _MAX_LINES
            )


def _name_texts(facts: Facts) -> list[str]:
    """Return the names that several messages have and that are no listed file, best first."""
    paths = {
        posixpath.basename(fact.key)
        for kind in FILE_KINDS
        for fact in facts.of_kind(kind)
    }
    last = max((fact.last for fact in facts.all), default=0)
    repeated = [fact for fact in facts.of_kind(FactKind.NAME) if fact.count > 1]
    repeated.sort(key=lambda fact: (-name_weight(fact, last), fact.text))
    return [
        fact.text for fact in repeated if fact.text.rsplit("/", 1)[-1] not in paths
    ][:_MAX_NAMES]


def name_lines(names: Sequence[str]) -> Iterator[CandidateLine]:
    for start in range(0, len(names), _NAMES_PER_LINE):
        listed = ", ".join(
            f"`{name}`" for name in names[start : start + _NAMES_PER_LINE]
        )
        yield CandidateLine(f"- {NAMES_PREFIX}{listed}", (start,), start)


def _relative(path: str, folder: str) -> str:
    if folder and path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    return path


def _substantial(text: str) -> bool:
    """Return False for "yes", "continue" and the like."""
    return len(text.split()) > 3 or len(text) > 30 or "/" in text or "`" in text


# Spends a token budget on candidate lines: shares first, then the rest, in order of value.


_ROUNDS = (
    1.0,
    1.6,
    float("inf"),
)  # multiples of its share that a slot may spend by the end of each round
_MIN_TOKENS = 3  # tokens; shorter lines are useless


class TokenBudget:
    """The tokens left of a budget, and the lines taken."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self.remaining = budget
        self._count = count
        self._prices: dict[str, int] = {}
        self.selected: list[tuple[SnapshotSlot, CandidateLine]] = []

    def line_cost(self, line: CandidateLine) -> int:
        """Return the tokens of a line with its line end, counted once."""
        if line.text not in self._prices:
            self._prices[line.text] = self._count(line.text + "\n")
        return self._prices[line.text]

    def take(self, slot: SnapshotSlot, line: CandidateLine) -> None:
        self.remaining -= self.line_cost(line)
        self.selected.append((slot, line))

    def refund(self, tokens: int) -> bool:
        """Give back the lines taken last until ``tokens`` are freed; False where none is left."""
        freed = 0
        while self.selected and freed < tokens:
            freed += self.line_cost(self.selected.pop()[1])
        return freed > 0


def spend_budget(
    candidates: Mapping[SnapshotSlot, Sequence[CandidateLine]],
    token_budget: TokenBudget,
) -> None:
    """Take lines: best first within a slot, slots in the order in which they are spent."""
    budget = token_budget.remaining
    spent = dict.fromkeys(SPENDING_ORDER, 0)
    waiting = {slot: list(candidates.get(slot, ())) for slot in SPENDING_ORDER}
    for factor in _ROUNDS:
        for slot in SPENDING_ORDER:
            limit = min(slot.share * budget * factor, float(budget))
            left: list[CandidateLine] = []
            for index, line in enumerate(waiting[slot]):
                room = min(limit - spent[slot], token_budget.remaining)
                if room < _MIN_TOKENS:
                    left += waiting[slot][index:]
                    break
                price = token_budget.line_cost(line)
                if price > room:
                    left.append(line)
                    continue
                spent[slot] += price
                token_budget.take(slot, line)
            waiting[slot] = left


def fitting_count(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to ``most`` that fits, 0 where none does; ``fits`` is
    monotonic."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
