"""Makes questions of facts of the compacted part: files changed, open errors, the last request,
to-dos; and what the judge is asked about an answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from core.analysis.judge.model import JudgeQuestion
from core.analysis.losses.model import is_done
from core.analysis.quiz.model import QuizKind, QuizQuestion
from core.facts.model import Fact, FactKind
from core.transcript.compaction import Fate, FateKind

DEFAULT_QUESTIONS = 20
"""Default number of questions."""
MAX_QUESTIONS = 200
"""Most questions of either kind: from facts, and written by a model."""

_MAX_FILES = 25  # of the question about changed files
_MAX_REQUEST = 400  # characters of a request that can be quoted
_FILES = "Which files {}were written, edited, moved or deleted? List every path in full."
_REQUEST = "What did the person ask for last? Quote the message word for word."
_TODOS = (
    "What is {} on the to-do list? List each point on a line of its own, as it is written there."
)
_STATEMENT = "The answer to “{}” is this, or has this among other things: {}"
_ERROR = "With what error did “{}” fail? Quote its message word for word."


def select_questions(
    facts: Sequence[Fact], fates: Sequence[Fate], max_questions: int = DEFAULT_QUESTIONS
) -> tuple[QuizQuestion, ...]:
    """Return at most ``max_questions`` questions about facts that no kept message mentions, in the
    order of their kinds; none without such facts."""
    compacted = [fact for fact in facts if not _is_kept(fact, fates)]
    requests = [fact for fact in facts if fact.kind is FactKind.YOUR_MESSAGE]
    questions = [*_files(compacted), *_about_work(compacted, requests[-1:])]
    return tuple(questions[:max_questions])


def _is_kept(fact: Fact, fates: Sequence[Fate]) -> bool:
    return any(fates[index].kind is FateKind.KEPT for index in (fact.first, fact.last))


def _files(facts: Sequence[Fact]) -> Iterator[QuizQuestion]:
    """Ask for all changed files, or for those of each folder with several if they are many."""
    files = [fact for fact in facts if fact.kind is FactKind.FILE_CHANGED]
    if len(files) <= _MAX_FILES:
        if files:
            yield _question(QuizKind.ARTIFACT, _FILES.format(""), files)
        return
    by_folder: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in files:
        by_folder[fact.text.rpartition("/")[0]].append(fact)
    counts = Counter(end for folder in by_folder for end in _ends(folder))
    for folder, group in by_folder.items():
        if 1 < len(group) <= _MAX_FILES:
            name = next(end for end in _ends(folder) if counts[end] == 1 or end == folder)
            yield _question(QuizKind.ARTIFACT, _FILES.format(f"in {name}/ "), group)


def _ends(folder: str) -> Iterator[str]:
    """Yield the ends of a folder by which it can be named, the shortest first."""
    segments = folder.split("/")
    return ("/".join(segments[start:]) for start in range(len(segments) - 1, -1, -1))


def _about_work(compacted: Sequence[Fact], last_request: Sequence[Fact]) -> Iterator[QuizQuestion]:
    for fact in last_request:
        if fact in compacted and len(fact.text) <= _MAX_REQUEST:
            yield _question(QuizKind.CONTINUATION, _REQUEST, [fact])
    todos = [fact for fact in compacted if fact.kind is FactKind.TODO]
    for word, are_done in (("still open", False), ("done", True)):
        if listed := [todo for todo in todos if is_done(todo) is are_done]:
            yield _question(QuizKind.CONTINUATION, _TODOS.format(word), listed)
    for fact in compacted:
        if fact.kind is FactKind.OPEN_ERROR and fact.text not in fact.detail:
            yield _question(QuizKind.CONTINUATION, _ERROR.format(fact.detail), [fact])


def _question(kind: QuizKind, text: str, facts: Sequence[Fact]) -> QuizQuestion:
    points = tuple(dict.fromkeys(fact.text for fact in facts))
    messages = sorted({index for fact in facts for index in (fact.first, fact.last)})
    return QuizQuestion(kind, text, points, tuple(messages))


def grading_questions(question: QuizQuestion, answer: str) -> tuple[JudgeQuestion, ...]:
    """Return what the judge is asked about an answer: whether it says each expected point."""
    return tuple(
        JudgeQuestion(_STATEMENT.format(question.text, point), answer, question.kind.value)
        for point in question.points
    )
