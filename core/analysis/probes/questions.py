"""Makes questions about compacted facts from templates, and selects which to ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from urllib.parse import urlsplit

from core.analysis.fidelity.fact_matching import FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import (
    TextIndex,
    content_words,
    flat_text,
    index_sentences,
    searchable_text,
    text_index,
)
from core.analysis.fidelity.model import STATUS_WEIGHTS, FactStatus, FidelityCategory, SourceFact
from core.analysis.probes.model import ProbeKind, ProbeQuestion
from core.facts import prose_facts
from core.transcript.compaction import Fate, FateKind
from core.transcript.model import Message

DEFAULT_QUESTIONS = 20
"""Default number of questions."""

_MAX_FACTS = 8  # of one question
_MAX_FILES = 25  # of the question about modified files
_MAX_QUOTED_WORDS = 25  # content words of a message to quote in full
_MIN_TOPIC = 4  # characters
_QUESTIONS_PER_NEGATIVE = 6  # one question in six has no answer
_COMPLETED = "completed"
_NON_TOPIC_WORDS = """
never always must should only dont without avoid cannot please make sure keep want need like prefer leave stay
already just also then them they would could every each other same still after before when what which there
here have been does done into from that this with because instead rather than than while more most some such
first last next both either about again anything something nothing everything being create change take give
very real needs asks good
"""
_NON_TOPICS = frozenset(_NON_TOPIC_WORDS.split())
"""Words that are no topic."""


@dataclass(frozen=True, slots=True)
class QuestionMaterial:
    """Facts of the compacted part, and the texts of the whole history."""

    facts: tuple[SourceFact, ...]
    source: TextIndex
    first_user_message: int  # first user message, -1 for none
    last_user_message: int  # last user message

    def facts_of_kind(self, kind: FidelityCategory) -> list[SourceFact]:
        """Return the facts of a category."""
        return [fact for fact in self.facts if fact.kind is kind]


def compacted_material(
    messages: Sequence[Message], fates: Sequence[Fate], facts: Sequence[SourceFact]
) -> QuestionMaterial:
    """Return the facts that no kept message mentions."""
    compacted_facts = tuple(
        fact
        for fact in facts
        if not fact.is_resolved and all(fates[index].kind is not FateKind.KEPT for index in fact.messages)
    )
    user_messages = [fact.messages[0] for fact in facts if fact.kind is FidelityCategory.USER_MESSAGE]
    texts = text_index([searchable_text(message) for message in messages])
    return QuestionMaterial(
        compacted_facts, texts, min(user_messages, default=-1), max(user_messages, default=-1)
    )


def select_questions(
    material: QuestionMaterial, max_questions: int = DEFAULT_QUESTIONS
) -> tuple[ProbeQuestion, ...]:
    """Return at most ``max_questions`` questions, kinds in rotation; deterministic. Each expected answer
    grades as correct and the question does not reveal it. Empty without facts."""
    seed = sha256("\n".join(material.source.plain).encode("utf-8", "replace")).hexdigest()
    by_kind: defaultdict[ProbeKind, list[ProbeQuestion]] = defaultdict(list)
    for question in dict.fromkeys(_all_questions(material)):
        by_kind[question.kind].append(question)
    chosen_by_kind = {
        kind: _first_n(filter(_is_fair, _shuffled(seed, kind_questions)), max_questions)
        for kind, kind_questions in by_kind.items()
    }
    if not any(chosen_by_kind.values()):
        return ()
    negative_count = max(1, max_questions // _QUESTIONS_PER_NEGATIVE)
    chosen_by_kind[ProbeKind.NEGATIVE] = _first_n(
        _shuffled(seed, absent_questions(material.source)), negative_count
    )
    return _interleaved([chosen_by_kind.get(kind, []) for kind in ProbeKind], max_questions)


def _first_n(questions: Iterable[ProbeQuestion], max_questions: int) -> list[ProbeQuestion]:
    return list(islice(questions, max_questions))


def _is_fair(question: ProbeQuestion) -> bool:
    """Return whether the expected answer grades as correct and the question does not reveal it."""
    return grade_by_facts(question, question.expected) == 1 and not grade_by_facts(question, question.text)


def _shuffled(seed: str, questions: Iterable[ProbeQuestion]) -> list[ProbeQuestion]:
    """Sort by a seeded hash: random but reproducible."""
    return sorted(
        questions, key=lambda question: sha256(f"{seed}{question.text}".encode("utf-8", "replace")).digest()
    )


def _interleaved(by_kind: Sequence[Sequence[ProbeQuestion]], max_questions: int) -> tuple[ProbeQuestion, ...]:
    """Take the first of each kind, then the second, up to ``max_questions``; sorted by kind."""
    ranks = range(max(map(len, by_kind)))
    chosen = [one[rank] for rank in ranks for one in by_kind if rank < len(one)][:max_questions]
    kind_order = list(ProbeKind)
    return tuple(sorted(chosen, key=lambda one: kind_order.index(one.kind)))


def _all_questions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for question_source in (
        _constraints,
        _files,
        _paths,
        _numbers,
        _errors,
        _urls,
        _commands,
        _user_messages,
        _open_tasks,
        _decisions,
    ):
        yield from question_source(material)


def _constraints(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for topic, facts in _grouped(
        material.facts_of_kind(FidelityCategory.CONSTRAINT), lambda fact: _topic(fact.text, material.source)
    ):
        text = f"What did the person demand or forbid about “{topic}”? Quote it word for word."
        yield _question(ProbeKind.CONSTRAINT, text, facts)


def _decisions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    decisions = [_answer_only(fact) for fact in material.facts_of_kind(FidelityCategory.DECISION)]
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
    question, separator, answer = fact.text.rpartition(" → ")
    return replace(fact, key=question, text=answer, needles=(answer,)) if separator else fact


def _files(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    files = material.facts_of_kind(FidelityCategory.FILE)
    if 0 < len(files) <= _MAX_FILES:
        text = "Which files were written, edited, moved or deleted? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, files)
    if len(files) > 1:
        yield from _by_folder(files, "were written, edited, moved or deleted")


def _paths(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    yield from _by_folder(material.facts_of_kind(FidelityCategory.PATH), "were read but not changed")


def _by_folder(facts: Sequence[SourceFact], action: str) -> Iterator[ProbeQuestion]:
    for folder, group in _grouped(facts, lambda fact: fact.text.rpartition("/")[0]):
        location = f"in {folder}/ " if folder else "that were named without a folder "
        text = f"Which files {location}{action}? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, group)


def _numbers(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for fact in material.facts_of_kind(FidelityCategory.NUMBER):
        name = fact.needles[0]
        text = f"What was the last value of “{name}”? Answer as {name} = value."
        yield _question(ProbeKind.RECALL, text, [fact])


def _errors(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for target, facts in _grouped(material.facts_of_kind(FidelityCategory.ERROR), _failed_command):
        text = f"With what error did “{target}” fail? Quote its message word for word."
        yield _question(ProbeKind.RECALL, text, facts)


def _failed_command(fact: SourceFact) -> str:
    """Return the command or call that failed."""
    return fact.key.removesuffix(f": {fact.text[:60].lower()}")


def _urls(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for host, facts in _grouped(material.facts_of_kind(FidelityCategory.URL), _host):
        text = f"Which addresses at {host} were named? Write each in full."
        yield _question(ProbeKind.RECALL, text, facts)


def _host(fact: SourceFact) -> str:
    try:
        return urlsplit(fact.text).hostname or ""
    except ValueError:  # invalid brackets
        return ""


def _commands(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for program, facts in _grouped(
        material.facts_of_kind(FidelityCategory.COMMAND), lambda fact: fact.text.split(" ", 1)[0]
    ):
        text = f"Which `{program}` commands were run? Write each on a line of its own, as it was typed."
        yield _question(ProbeKind.RECALL, text, facts)


def _user_messages(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    """Ask for the first and last user message if short and compacted."""
    for fact in material.facts_of_kind(FidelityCategory.USER_MESSAGE):
        if len(content_words(fact.text)) > _MAX_QUOTED_WORDS:
            continue
        if fact.messages[0] == material.first_user_message:
            text = "What did the person ask for first? Quote the message word for word."
            yield _question(ProbeKind.RECALL, text, [fact])
        if fact.messages[0] == material.last_user_message:
            text = "What did the person ask for last? Quote the message word for word."
            yield _question(ProbeKind.CONTINUATION, text, [fact])


def _open_tasks(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    todos = material.facts_of_kind(FidelityCategory.TODO)
    groups = (
        ("What is still open on the todo list?", [todo for todo in todos if todo.needles[1] != _COMPLETED]),
        ("What is done on the todo list?", [todo for todo in todos if todo.needles[1] == _COMPLETED]),
    )
    for text, facts in groups:
        if facts:
            format_instruction = (
                "List each point on a line of its own, its state (pending, in_progress, completed) first."
            )
            yield _question(ProbeKind.CONTINUATION, f"{text} {format_instruction}", facts, _todo_text)
    errors = material.facts_of_kind(FidelityCategory.ERROR)
    if 0 < len(errors) <= _MAX_FACTS:
        text = "Which errors are not resolved yet? Quote the message of each word for word."
        yield _question(ProbeKind.CONTINUATION, text, errors)


def _todo_text(fact: SourceFact) -> str:
    return f"{fact.needles[1]}: {fact.text}"


def _text(fact: SourceFact) -> str:
    return fact.text


def _question(
    kind: ProbeKind,
    text: str,
    facts: Sequence[SourceFact],
    expected_text: Callable[[SourceFact], str] = _text,
) -> ProbeQuestion:
    return ProbeQuestion(kind, text, "\n".join(map(expected_text, facts)), tuple(facts))


def _grouped(
    facts: Iterable[SourceFact], key: Callable[[SourceFact], str]
) -> Iterator[tuple[str, list[SourceFact]]]:
    """Group facts by a non-empty key, without groups too large for one question."""
    groups: defaultdict[str, list[SourceFact]] = defaultdict(list)
    for fact in facts:
        groups[key(fact)].append(fact)
    return ((name, group) for name, group in groups.items() if name and len(group) <= _MAX_FACTS)


def _topic(text: str, source: TextIndex) -> str:
    """Return the rarest code identifier of a sentence, else its rarest longer word."""
    names = [name for name in dict.fromkeys(prose_facts.identifiers(text)) if len(name) >= _MIN_TOPIC]
    if names:
        return min(names, key=lambda name: (len(source.places(name, exact=True)), -len(name), name))
    words = [word for word in content_words(text) - _NON_TOPICS if word.isalpha() and len(word) >= _MIN_TOPIC]
    return min(words, key=lambda word: (len(source.words.get(word, ())), -len(word), word), default="")


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
    index = FactSearchIndex(text_index([answer]), index_sentences([(0, answer)]))
    return sum(_match_weight(fact, index) for fact in question.facts) / len(question.facts)


def _match_weight(fact: SourceFact, index: FactSearchIndex) -> float:
    match = find_fact(fact, index)
    if match.is_complete:
        return STATUS_WEIGHTS[FactStatus.VERBATIM]
    return (
        STATUS_WEIGHTS[FactStatus.PARTIAL]
        if match.places and not match.is_negated
        else STATUS_WEIGHTS[FactStatus.LOST]
    )


_TEMPLATES = (
    ("What was the last value of `{}`?", "max_upload_jitter"),
    ("What was the last value of `{}`?", "cache_warmup_ratio"),
    ("What was the last value of `{}`?", "session_grace_days"),
    ("What did the person demand or forbid about {}?", "Kubernetes"),
    ("What did the person demand or forbid about {}?", "GraphQL"),
    ("What did the person demand or forbid about {}?", "telemetry"),
    ("What error did `{}` end with?", "terraform apply"),
    ("What error did `{}` end with?", "bazel coverage"),
    ("What was decided about {}?", "WebAssembly"),
    ("What was decided about {}?", "Kafka"),
    ("Which change was made to `{}`?", "legacy_bridge.cfg"),
    ("Which change was made to `{}`?", "nightly_rollup.sql"),
)


def absent_questions(source: TextIndex) -> Iterator[ProbeQuestion]:
    """Yield the questions whose subject does not occur in the source."""
    for text, name in _TEMPLATES:
        if not any(word in source.words for word in content_words(name) - {"apply", "coverage"}):
            yield ProbeQuestion(ProbeKind.NEGATIVE, text.format(name), f"{ABSENT.capitalize()}.")
