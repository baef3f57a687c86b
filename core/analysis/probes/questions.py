"""Makes questions about compacted facts from templates, and selects which to ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from urllib.parse import urlsplit

from core.analysis.fidelity.fact_texts import TextIndex, content_words, text_index, text_of
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.probes.absent_questions import absent_questions
from core.analysis.probes.grading import grade_by_facts
from core.analysis.probes.model import ProbeKind, ProbeQuestion
from core.facts import prose_facts
from core.transcript.compaction import Fate, FateKind
from core.transcript.model import Message

MANY = 20
"""Default number of questions."""

_MOST_FACTS = 8  # of one question
_ALL_FILES = 25  # of the question about modified files
_SHORT_WORDS = 25  # content words of a message to quote in full
_LEAST_TOPIC = 4  # characters
_NEGATIVES = 6  # one question in six has no answer
_DONE = "completed"
_EMPTY_WORDS = """
never always must should only dont without avoid cannot please make sure keep want need like prefer leave stay
already just also then them they would could every each other same still after before when what which there
here have been does done into from that this with because instead rather than than while more most some such
first last next both either about again anything something nothing everything being create change take give
very real needs asks good
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that are no topic."""


@dataclass(frozen=True, slots=True)
class QuestionMaterial:
    """Facts of the compacted part, and the texts of the whole history."""

    facts: tuple[SourceFact, ...]
    source: TextIndex
    opening: int  # first user message, -1 for none
    closing: int  # last user message

    def of(self, kind: FidelityCategory) -> list[SourceFact]:
        """Return the facts of a category."""
        return [fact for fact in self.facts if fact.kind is kind]


def past_of(
    messages: Sequence[Message], fates: Sequence[Fate], facts: Sequence[SourceFact]
) -> QuestionMaterial:
    """Return the facts that no kept message mentions."""
    removed = tuple(
        fact
        for fact in facts
        if not fact.resolved and all(fates[index].kind is not FateKind.KEPT for index in fact.messages)
    )
    user_messages = [fact.messages[0] for fact in facts if fact.kind is FidelityCategory.USER_MESSAGE]
    texts = text_index([text_of(message) for message in messages])
    return QuestionMaterial(removed, texts, min(user_messages, default=-1), max(user_messages, default=-1))


def questions_of(material: QuestionMaterial, most: int = MANY) -> tuple[ProbeQuestion, ...]:
    """Return at most ``most`` questions, kinds in rotation; deterministic. Each expected answer grades as
    correct and the question does not reveal it. Empty without facts."""
    seed = sha256("\n".join(material.source.plain).encode("utf-8", "replace")).hexdigest()
    by_kind: defaultdict[ProbeKind, list[ProbeQuestion]] = defaultdict(list)
    for question in dict.fromkeys(_all_questions(material)):
        by_kind[question.kind].append(question)
    chosen = {kind: _first_n(filter(_is_fair, _shuffled(seed, some)), most) for kind, some in by_kind.items()}
    if not any(chosen.values()):
        return ()
    negatives = max(1, most // _NEGATIVES)
    chosen[ProbeKind.NEGATIVE] = _first_n(_shuffled(seed, absent_questions(material.source)), negatives)
    return _interleaved([chosen.get(kind, []) for kind in ProbeKind], most)


def _first_n(questions: Iterable[ProbeQuestion], most: int) -> list[ProbeQuestion]:
    return list(islice(questions, most))


def _is_fair(question: ProbeQuestion) -> bool:
    """Return whether the expected answer grades as correct and the question does not reveal it."""
    return grade_by_facts(question, question.expected) == 1 and not grade_by_facts(question, question.text)


def _shuffled(seed: str, questions: Iterable[ProbeQuestion]) -> list[ProbeQuestion]:
    """Sort by a seeded hash: random but reproducible."""
    return sorted(questions, key=lambda one: sha256(f"{seed}{one.text}".encode("utf-8", "replace")).digest())


def _interleaved(by_kind: Sequence[Sequence[ProbeQuestion]], most: int) -> tuple[ProbeQuestion, ...]:
    """Take the first of each kind, then the second, up to ``most``; sorted by kind."""
    turns = range(max(map(len, by_kind)))
    chosen = [one[turn] for turn in turns for one in by_kind if turn < len(one)][:most]
    places = list(ProbeKind)
    return tuple(sorted(chosen, key=lambda one: places.index(one.kind)))


def _all_questions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for make in (
        _constraints,
        _files,
        _paths,
        _numbers,
        _errors,
        _urls,
        _commands,
        _user_messages,
        _open_work,
        _decisions,
    ):
        yield from make(material)


def _constraints(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for topic, facts in _grouped(
        material.of(FidelityCategory.CONSTRAINT), lambda fact: _topic(fact.text, material.source)
    ):
        text = f"What did the person demand or forbid about “{topic}”? Quote it word for word."
        yield _question(ProbeKind.CONSTRAINT, text, facts)


def _decisions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    decisions = [_answer_only(fact) for fact in material.of(FidelityCategory.DECISION)]
    for fact in decisions:
        if fact.text != fact.key:
            text = f"What did the person answer when asked: {fact.key}"
            yield _question(ProbeKind.DECISION, text, [fact])
    statements = [fact for fact in decisions if fact.text == fact.key]
    for topic, facts in _grouped(statements, lambda fact: _topic(fact.text, material.source)):
        text = f"What was decided about “{topic}”, and why? Answer in one full sentence for each decision."
        yield _question(ProbeKind.DECISION, text, facts)


def _answer_only(fact: SourceFact) -> SourceFact:
    """Reduce a decision that answers a question to the answer."""
    question, arrow, answer = fact.text.rpartition(" → ")
    return replace(fact, key=question, text=answer, needles=(answer,)) if arrow else fact


def _files(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    files = material.of(FidelityCategory.FILE)
    if 0 < len(files) <= _ALL_FILES:
        text = "Which files were written, edited, moved or deleted? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, files)
    if len(files) > 1:
        yield from _by_folder(files, "were written, edited, moved or deleted")


def _paths(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    yield from _by_folder(material.of(FidelityCategory.PATH), "were read but not changed")


def _by_folder(facts: Sequence[SourceFact], action: str) -> Iterator[ProbeQuestion]:
    for folder, group in _grouped(facts, lambda fact: fact.text.rpartition("/")[0]):
        location = f"in {folder}/ " if folder else "that were named without a folder "
        text = f"Which files {location}{action}? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, group)


def _numbers(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for fact in material.of(FidelityCategory.NUMBER):
        name = fact.needles[0]
        text = f"What was the last value of “{name}”? Answer as {name} = value."
        yield _question(ProbeKind.RECALL, text, [fact])


def _errors(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for target, facts in _grouped(material.of(FidelityCategory.ERROR), _failed):
        text = f"With what error did “{target}” fail? Quote its message word for word."
        yield _question(ProbeKind.RECALL, text, facts)


def _failed(fact: SourceFact) -> str:
    """Return the command or call that failed."""
    return fact.key.removesuffix(f": {fact.text[:60].lower()}")


def _urls(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for host, facts in _grouped(material.of(FidelityCategory.URL), _host):
        text = f"Which addresses at {host} were named? Write each in full."
        yield _question(ProbeKind.RECALL, text, facts)


def _host(fact: SourceFact) -> str:
    try:
        return urlsplit(fact.text).hostname or ""
    except ValueError:  # invalid brackets
        return ""


def _commands(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for program, facts in _grouped(
        material.of(FidelityCategory.COMMAND), lambda fact: fact.text.split(" ", 1)[0]
    ):
        text = f"Which `{program}` commands were run? Write each on a line of its own, as it was typed."
        yield _question(ProbeKind.RECALL, text, facts)


def _user_messages(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    """Ask for the first and last user message if short and compacted."""
    for fact in material.of(FidelityCategory.USER_MESSAGE):
        if len(content_words(fact.text)) > _SHORT_WORDS:
            continue
        if fact.messages[0] == material.opening:
            text = "What did the person ask for first? Quote the message word for word."
            yield _question(ProbeKind.RECALL, text, [fact])
        if fact.messages[0] == material.closing:
            text = "What did the person ask for last? Quote the message word for word."
            yield _question(ProbeKind.CONTINUATION, text, [fact])


def _open_work(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    todos = material.of(FidelityCategory.TODO)
    groups = (
        ("What is still open on the todo list?", [todo for todo in todos if todo.needles[1] != _DONE]),
        ("What is done on the todo list?", [todo for todo in todos if todo.needles[1] == _DONE]),
    )
    for text, facts in groups:
        if facts:
            how = "List each point on a line of its own, its state (pending, in_progress, completed) first."
            yield _question(ProbeKind.CONTINUATION, f"{text} {how}", facts, _state)
    errors = material.of(FidelityCategory.ERROR)
    if 0 < len(errors) <= _MOST_FACTS:
        text = "Which errors are not resolved yet? Quote the message of each word for word."
        yield _question(ProbeKind.CONTINUATION, text, errors)


def _state(fact: SourceFact) -> str:
    return f"{fact.needles[1]}: {fact.text}"


def _text(fact: SourceFact) -> str:
    return fact.text


def _question(
    kind: ProbeKind,
    text: str,
    facts: Sequence[SourceFact],
    say: Callable[[SourceFact], str] = _text,
) -> ProbeQuestion:
    return ProbeQuestion(kind, text, "\n".join(map(say, facts)), tuple(facts))


def _grouped(
    facts: Iterable[SourceFact], key: Callable[[SourceFact], str]
) -> Iterator[tuple[str, list[SourceFact]]]:
    """Group facts by a non-empty key, without groups too large for one question."""
    groups: defaultdict[str, list[SourceFact]] = defaultdict(list)
    for fact in facts:
        groups[key(fact)].append(fact)
    return ((name, group) for name, group in groups.items() if name and len(group) <= _MOST_FACTS)


def _topic(text: str, source: TextIndex) -> str:
    """Return the rarest code identifier of a sentence, else its rarest longer word."""
    names = [name for name in dict.fromkeys(prose_facts.identifiers(text)) if len(name) >= _LEAST_TOPIC]
    if names:
        return min(names, key=lambda name: (len(source.places(name, exact=True)), -len(name), name))
    words = [word for word in content_words(text) - _EMPTY if word.isalpha() and len(word) >= _LEAST_TOPIC]
    return min(words, key=lambda word: (len(source.words.get(word, ())), -len(word), word), default="")
