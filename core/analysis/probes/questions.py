"""Makes questions about compacted facts from templates, and selects which to ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from urllib.parse import urlsplit

from core.analysis.fidelity.fact_matching import find_fact
from core.analysis.fidelity.fact_texts import (
    TextIndex,
    content_words,
    flat_text,
    index_sentences,
    searchable_text,
    stems,
    text_index,
)
from core.analysis.fidelity.model import STATUS_WEIGHTS, FactStatus, FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_matching import FactSearchIndex
from core.analysis.probes.askable_facts import (
    MAX_QUOTED_WORDS,
    failed_command,
    is_answer,
    is_askable,
    is_statement,
    topics_of,
)
from core.analysis.probes.model import ProbeKind, ProbeQuestion
from core.transcript.compaction import Fate, FateKind
from core.transcript.model import Message
from core.transcript.todos import last_todos

DEFAULT_QUESTIONS = 20
"""Default number of questions."""

_MAX_FACTS = 8  # of one question
_MAX_FILES = 25  # of the question about modified files
_QUESTIONS_PER_NEGATIVE = 6  # one question in six has no answer
_SAME_WORDS = 0.8  # of an answer, at which another one is the same
_COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class QuestionMaterial:
    """Facts of the compacted part that a person would ask about, all facts of the history, and its texts."""

    facts: tuple[SourceFact, ...]
    all_facts: tuple[SourceFact, ...]
    source: TextIndex
    todo_list: frozenset[str]  # the points of the last one
    first_user_message: int  # first user message, -1 for none
    last_user_message: int  # last user message

    def facts_of_kind(self, kind: FidelityCategory) -> list[SourceFact]:
        return [fact for fact in self.facts if fact.kind is kind]


def compacted_material(
    messages: Sequence[Message], fates: Sequence[Fate], facts: Sequence[SourceFact]
) -> QuestionMaterial:
    """Return the facts that no kept message mentions and that a person would ask about."""
    compacted_facts = tuple(
        fact
        for fact in facts
        if not fact.is_resolved
        and all(fates[index].kind is not FateKind.KEPT for index in fact.messages)
        and is_askable(fact, messages)
    )
    user_messages = [fact.messages[0] for fact in facts if fact.kind is FidelityCategory.USER_MESSAGE]
    return QuestionMaterial(
        compacted_facts,
        tuple(facts),
        text_index([searchable_text(message) for message in messages]),
        frozenset(todo.content for todo in last_todos(messages)),
        min(user_messages, default=-1),
        max(user_messages, default=-1),
    )


def select_questions(
    material: QuestionMaterial, max_questions: int = DEFAULT_QUESTIONS
) -> tuple[ProbeQuestion, ...]:
    """Return at most ``max_questions`` questions, kinds in rotation; deterministic. Each expected answer
    grades as correct and the question does not reveal it. Empty without facts."""
    seed = sha256("\n".join(map(flat_text, material.source.raw)).encode("utf-8", "replace")).hexdigest()
    by_kind: defaultdict[ProbeKind, list[ProbeQuestion]] = defaultdict(list)
    for question in dict.fromkeys(_all_questions(material)):
        by_kind[question.kind].append(question)
    chosen_by_kind = {
        kind: list(islice(filter(_is_fair, _shuffled(seed, kind_questions)), max_questions))
        for kind, kind_questions in by_kind.items()
    }
    if not any(chosen_by_kind.values()):
        return ()
    answerable_count = len(_interleaved(list(chosen_by_kind.values()), max_questions))
    question_count = min(max_questions, answerable_count + answerable_count // (_QUESTIONS_PER_NEGATIVE - 1))
    absent = _shuffled(seed, absent_questions(material.source))
    chosen_by_kind[ProbeKind.NEGATIVE] = absent[: max(1, question_count // _QUESTIONS_PER_NEGATIVE)]
    return _interleaved([chosen_by_kind.get(kind, []) for kind in ProbeKind], max_questions)


def _is_fair(question: ProbeQuestion) -> bool:
    """Return whether the expected answer grades as correct and the question does not reveal it."""
    return grade_by_facts(question, question.expected) == 1 and not grade_by_facts(question, question.text)


def _shuffled(seed: str, questions: Iterable[ProbeQuestion]) -> list[ProbeQuestion]:
    """Sort by a seeded hash: random but reproducible."""
    return sorted(
        questions, key=lambda question: sha256(f"{seed}{question.text}".encode("utf-8", "replace")).digest()
    )


def _interleaved(by_kind: Sequence[Sequence[ProbeQuestion]], max_questions: int) -> tuple[ProbeQuestion, ...]:
    """Take the first of each kind, then the second, up to ``max_questions``, none with the answer of another;
    sorted by kind."""
    chosen: list[ProbeQuestion] = []
    for rank in range(max(map(len, by_kind))):
        for question in (one[rank] for one in by_kind if rank < len(one)):
            if len(chosen) < max_questions and not any(_same_answer(question, other) for other in chosen):
                chosen.append(question)
    kind_order = list(ProbeKind)
    return tuple(sorted(chosen, key=lambda one: kind_order.index(one.kind)))


def _same_answer(first: ProbeQuestion, second: ProbeQuestion) -> bool:
    """Return whether two questions ask for one fact, or one of them says the answer of the other."""
    if ProbeKind.NEGATIVE in (first.kind, second.kind):
        return False
    return (
        not set(first.facts).isdisjoint(second.facts)
        or any(_says_answer(first, text) for text in (second.expected, second.text))
        or any(_says_answer(second, text) for text in (first.expected, first.text))
    )


def _says_answer(question: ProbeQuestion, text: str) -> bool:
    """Return whether a text answers a question in nearly the expected words."""
    expected = stems(question.expected)
    is_worded = len(expected & stems(text)) >= _SAME_WORDS * len(expected)
    return is_worded and grade_by_facts(question, text) == 1


def _host(fact: SourceFact) -> str:
    try:
        return urlsplit(fact.text).hostname or ""
    except ValueError:  # invalid brackets
        return ""


def _program(fact: SourceFact) -> str:
    return fact.text.split(" ", 1)[0]


def _number_name(fact: SourceFact) -> str:
    """Return the key of a value, "" for dates and counts of a test run."""
    return "" if fact.needles[0] in _UNASKED or fact.needles[0].startswith("date of") else fact.needles[0]


_UNASKED = ("passed", "failed", "errors", "warnings", "skipped")
_RULE = "What rule was set about “{0}”? Quote it word for word."
_DECISION = "What was decided about “{0}”, and why? Answer in one full sentence."
_PLAN = "What was still to be done about “{0}”? Answer in one full sentence."
_VALUE = "What was the last value of “{0}”? Answer as {0} = value."
_ERROR = "With what error did “{0}” fail? Quote its message word for word."
_GROUPED_QUESTIONS: tuple[tuple[FidelityCategory, Callable[[SourceFact], str], str], ...] = (
    (FidelityCategory.NUMBER, _number_name, _VALUE),
    (FidelityCategory.ERROR, failed_command, _ERROR),
    (FidelityCategory.URL, _host, "Which addresses at {0} were named? Write each in full."),
    (
        FidelityCategory.COMMAND,
        _program,
        "Which `{0}` commands were run? Write each on a line of its own, as it was typed.",
    ),
)
"""A question for each group of facts of a category: what names the group, its template."""
_TOPIC_QUESTIONS = (
    (ProbeKind.CONSTRAINT, FidelityCategory.CONSTRAINT, _RULE),
    (ProbeKind.DECISION, FidelityCategory.DECISION, _DECISION),
    (ProbeKind.CONTINUATION, FidelityCategory.TODO, _PLAN),
)
"""A question for each sentence of a category: its kind, its template."""


def _all_questions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for category, group_name, template in _GROUPED_QUESTIONS:
        for name, facts in _grouped(material.facts_of_kind(category), group_name):
            yield _question(ProbeKind.RECALL, template.format(name), facts)
    for kind, category, template in _TOPIC_QUESTIONS:
        yield from _about_topics(material, kind, category, template)
    yield from _files(material)
    yield from _user_messages(material)
    yield from _open_tasks(material)
    yield from _answers(material)


def _about_topics(
    material: QuestionMaterial, kind: ProbeKind, category: FidelityCategory, template: str
) -> Iterator[ProbeQuestion]:
    """Ask for each sentence by a topic that it alone has; points of the todo list are asked for together."""
    alike = text_index([fact.text for fact in material.all_facts if fact.kind is category])
    for fact in material.facts_of_kind(category):
        if is_statement(fact) and fact.text not in material.todo_list:
            topics = topics_of(fact, alike, material.source)
            asked = (_question(kind, template.format(topic), [_timeless(fact)]) for topic in topics)
            yield from islice(filter(_is_fair, asked), 1)


def _timeless(fact: SourceFact) -> SourceFact:
    """Return what is still to be done as a statement, which is right without its state."""
    return (
        replace(fact, kind=FidelityCategory.DECISION, needles=(fact.text,))
        if fact.kind is FidelityCategory.TODO
        else fact
    )


def _answers(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for fact in material.facts_of_kind(FidelityCategory.DECISION):
        question, _, answer = fact.text.rpartition(" → ")
        if is_answer(fact):
            text = f"What did the person answer when asked: {question}"
            yield _question(
                ProbeKind.DECISION, text, [replace(fact, key=question, text=answer, needles=(answer,))]
            )


def _files(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    changed = material.facts_of_kind(FidelityCategory.FILE)
    read = [fact for fact in material.facts_of_kind(FidelityCategory.PATH) if fact.is_read]
    for files, deed in ((changed, "written, edited, moved or deleted"), (read, "read, but not changed")):
        if files is changed or len(files) > 1:
            yield from _files_of_deed(files, f"Which files {{0}}were {deed}? List every path in full.")


def _files_of_deed(files: Sequence[SourceFact], template: str) -> Iterator[ProbeQuestion]:
    """Ask for all files, or for those of each folder with several if they are many."""
    if 0 < len(files) <= _MAX_FILES:
        yield _question(ProbeKind.ARTIFACT, template.format(""), files)
        return
    folders = {_folder(fact) for fact in files}
    counts = Counter(end for folder in folders for end in _ends(folder))
    for folder, facts in _grouped(files, _folder):
        if len(facts) > 1:
            name = next(end for end in _ends(folder) if counts[end] == 1 or end == folder)
            yield _question(ProbeKind.ARTIFACT, template.format(f"in {name}/ "), facts)


def _folder(fact: SourceFact) -> str:
    return fact.text.rpartition("/")[0]


def _ends(folder: str) -> Iterator[str]:
    """Yield the ends of a folder by which it can be named, the shortest first."""
    segments = folder.split("/")
    return ("/".join(segments[start:]) for start in range(len(segments) - 1, -1, -1))


def _user_messages(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    """Ask for the first and last user message if short and compacted."""
    wanted = (
        (material.first_user_message, "first", ProbeKind.RECALL),
        (material.last_user_message, "last", ProbeKind.CONTINUATION),
    )
    for fact in material.facts_of_kind(FidelityCategory.USER_MESSAGE):
        for index, word, kind in wanted:
            if fact.messages[0] == index and len(content_words(fact.text)) <= MAX_QUOTED_WORDS:
                text = f"What did the person ask for {word}? Quote the message word for word."
                yield _question(kind, text, [fact])


def _open_tasks(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    todos = [
        todo for todo in material.facts_of_kind(FidelityCategory.TODO) if todo.text in material.todo_list
    ]
    form = "List each point on a line of its own, its state (pending, in_progress, completed) first."
    for word, is_done in (("still open", False), ("done", True)):
        facts = [todo for todo in todos if (todo.needles[1] == _COMPLETED) is is_done]
        expected = "\n".join(f"{todo.needles[1]}: {todo.text}" for todo in facts)
        if facts:
            text = f"What is {word} on the todo list? {form}"
            yield ProbeQuestion(ProbeKind.CONTINUATION, text, expected, tuple(facts))
    errors = material.facts_of_kind(FidelityCategory.ERROR)
    if 0 < len(errors) <= _MAX_FACTS:
        text = "Which errors are not resolved yet? Quote the message of each word for word."
        yield _question(ProbeKind.CONTINUATION, text, errors)


def _question(kind: ProbeKind, text: str, facts: Sequence[SourceFact]) -> ProbeQuestion:
    by_text = {fact.text: fact for fact in facts}
    return ProbeQuestion(kind, text, "\n".join(by_text), tuple(by_text.values()))


def _grouped(
    facts: Iterable[SourceFact], group_name: Callable[[SourceFact], str]
) -> Iterator[tuple[str, list[SourceFact]]]:
    """Group facts by a non-empty name, without groups too large for one question."""
    groups: defaultdict[str, list[SourceFact]] = defaultdict(list)
    for fact in facts:
        groups[group_name(fact)].append(fact)
    return ((name, group) for name, group in groups.items() if name and len(group) <= _MAX_FACTS)


ABSENT = "not in the context"
"""Start of an answer that the context does not hold."""

_QUOTES = " \"'`*_.“”«»("


def grade_by_facts(question: ProbeQuestion, answer: str) -> float:
    """Return the share of expected facts in an answer, from 0 to 1; a partial match counts half. A negative
    question is answered correctly by ``ABSENT``, any other one wrongly."""
    says_absent = flat_text(answer).lstrip(_QUOTES).startswith(ABSENT)
    if question.kind is ProbeKind.NEGATIVE:
        return float(says_absent)
    if says_absent or not question.facts:
        return 0.0
    index = FactSearchIndex(text_index([answer]), index_sentences({0: answer}))
    return sum(_match_weight(fact, index) for fact in question.facts) / len(question.facts)


def _match_weight(fact: SourceFact, index: FactSearchIndex) -> float:
    match = find_fact(fact, index)
    is_partial = match.places and not match.is_negated and not match.is_unclear
    status = (
        FactStatus.VERBATIM if match.is_complete else FactStatus.PARTIAL if is_partial else FactStatus.LOST
    )
    return STATUS_WEIGHTS[status]


_ABSENT_TOPICS = {
    _VALUE: ("max_upload_jitter", "cache_warmup_ratio", "session_grace_days"),
    _RULE: ("Kubernetes", "GraphQL", "telemetry"),
    _ERROR: ("terraform apply", "bazel coverage"),
    _DECISION: ("WebAssembly", "Kafka"),
    _PLAN: ("legacy_bridge.cfg", "nightly_rollup.sql"),
}


def absent_questions(source: TextIndex) -> Iterator[ProbeQuestion]:
    """Yield the questions whose subject does not occur in the source."""
    for text, names in _ABSENT_TOPICS.items():
        for name in names:
            if not any(word in source.words for word in content_words(name) - {"apply", "coverage"}):
                yield ProbeQuestion(ProbeKind.NEGATIVE, text.format(name), f"{ABSENT.capitalize()}.")
