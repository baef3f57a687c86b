"""Makes questions about compacted facts from templates, and selects which to ask."""

from __future__ import annotations

from collections import defaultdict
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
    text_index,
)
from core.analysis.fidelity.model import STATUS_WEIGHTS, FactStatus, FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_matching import FactSearchIndex
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
_UNASKED = ("passed", "failed", "errors", "warnings", "skipped")
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
    seed = sha256("\n".join(material.source.plain.values()).encode("utf-8", "replace")).hexdigest()
    by_kind: defaultdict[ProbeKind, list[ProbeQuestion]] = defaultdict(list)
    for question in dict.fromkeys(_all_questions(material)):
        by_kind[question.kind].append(question)
    chosen_by_kind = {
        kind: list(islice(filter(_is_fair, _shuffled(seed, kind_questions)), max_questions))
        for kind, kind_questions in by_kind.items()
    }
    if not any(chosen_by_kind.values()):
        return ()
    negative_count = max(1, max_questions // _QUESTIONS_PER_NEGATIVE)
    absent = _shuffled(seed, absent_questions(material.source))
    chosen_by_kind[ProbeKind.NEGATIVE] = absent[:negative_count]
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
    """Take the first of each kind, then the second, up to ``max_questions``, none about a fact that another
    asks for; sorted by kind."""
    chosen: list[ProbeQuestion] = []
    asked: set[SourceFact] = set()
    for rank in range(max(map(len, by_kind))):
        for question in (one[rank] for one in by_kind if rank < len(one)):
            if len(chosen) < max_questions and asked.isdisjoint(question.facts):
                chosen.append(question)
                asked.update(question.facts)
    kind_order = list(ProbeKind)
    return tuple(sorted(chosen, key=lambda one: kind_order.index(one.kind)))


def _topic_of(fact: SourceFact, source: TextIndex) -> str:
    text = fact.text
    names = [name for name in dict.fromkeys(prose_facts.identifiers(text)) if len(name) >= _MIN_TOPIC]
    if names:
        return min(names, key=lambda name: (len(source.places(name, exact=True)), -len(name), name))
    words = [word for word in content_words(text) - _NON_TOPICS if word.isalpha() and len(word) >= _MIN_TOPIC]
    return min(words, key=lambda word: (len(source.words.get(word, ())), -len(word), word), default="")


def _folder(fact: SourceFact, source: TextIndex) -> str:
    return fact.text.rpartition("/")[0]


def _failed_command(fact: SourceFact, source: TextIndex) -> str:
    return fact.key.removesuffix(f": {fact.text[:60].lower()}")


def _host(fact: SourceFact, source: TextIndex) -> str:
    try:
        return urlsplit(fact.text).hostname or ""
    except ValueError:  # invalid brackets
        return ""


def _program(fact: SourceFact, source: TextIndex) -> str:
    return fact.text.split(" ", 1)[0]


def _number_name(fact: SourceFact, source: TextIndex) -> str:
    """Return the key of a value, "" for dates and counts of a test run."""
    return "" if fact.needles[0] in _UNASKED or fact.needles[0].startswith("date of") else fact.needles[0]


_GROUPED_QUESTIONS: tuple[
    tuple[ProbeKind, FidelityCategory, Callable[[SourceFact, TextIndex], str], str], ...
] = (
    (
        ProbeKind.CONSTRAINT,
        FidelityCategory.CONSTRAINT,
        _topic_of,
        "What rule did the person set about “{0}”? Quote it word for word.",
    ),
    (
        ProbeKind.RECALL,
        FidelityCategory.NUMBER,
        _number_name,
        "What was the last value of “{0}”? Answer as {0} = value.",
    ),
    (
        ProbeKind.RECALL,
        FidelityCategory.ERROR,
        _failed_command,
        "With what error did “{0}” fail? Quote its message word for word.",
    ),
    (ProbeKind.RECALL, FidelityCategory.URL, _host, "Which addresses at {0} were named? Write each in full."),
    (
        ProbeKind.RECALL,
        FidelityCategory.COMMAND,
        _program,
        "Which `{0}` commands were run? Write each on a line of its own, as it was typed.",
    ),
)
"""A question for each group of facts of a category: its kind, what names the group, its template."""


def _all_questions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for kind, category, group_name, template in _GROUPED_QUESTIONS:
        for name, facts in _grouped(material.facts_of_kind(category), material.source, group_name):
            yield _question(kind, template.format(name), facts)
    yield from _files(material)
    yield from _user_messages(material)
    yield from _open_tasks(material)
    yield from _decisions(material)


def _decisions(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    decisions = [_answer_only(fact) for fact in material.facts_of_kind(FidelityCategory.DECISION)]
    for fact in decisions:
        if fact.text != fact.key:
            text = f"What did the person answer when asked: {fact.key}"
            yield _question(ProbeKind.DECISION, text, [fact])
    statements = [fact for fact in decisions if fact.text == fact.key]
    for topic, facts in _grouped(statements, material.source, _topic_of):
        text = f"What was decided about “{topic}”, and why? Answer in one full sentence for each decision."
        yield _question(ProbeKind.DECISION, text, facts)


def _answer_only(fact: SourceFact) -> SourceFact:
    question, separator, answer = fact.text.rpartition(" → ")
    return replace(fact, key=question, text=answer, needles=(answer,)) if separator else fact


def _files(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    files = material.facts_of_kind(FidelityCategory.FILE)
    text = "Which files {}were written, edited, moved or deleted? List every path in full."
    if 0 < len(files) <= _MAX_FILES:
        yield _question(ProbeKind.ARTIFACT, text.format(""), files)
    if len(files) > 1:
        for folder, facts in _grouped(files, material.source, _folder):
            yield _question(ProbeKind.ARTIFACT, text.format(f"in {folder}/ "), facts)


def _user_messages(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    """Ask for the first and last user message if short and compacted."""
    wanted = (
        (material.first_user_message, "first", ProbeKind.RECALL),
        (material.last_user_message, "last", ProbeKind.CONTINUATION),
    )
    for fact in material.facts_of_kind(FidelityCategory.USER_MESSAGE):
        for index, word, kind in wanted:
            if fact.messages[0] == index and len(content_words(fact.text)) <= _MAX_QUOTED_WORDS:
                text = f"What did the person ask for {word}? Quote the message word for word."
                yield _question(kind, text, [fact])


def _open_tasks(material: QuestionMaterial) -> Iterator[ProbeQuestion]:
    todos = material.facts_of_kind(FidelityCategory.TODO)
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
    return ProbeQuestion(kind, text, "\n".join(fact.text for fact in facts), tuple(facts))


def _grouped(
    facts: Iterable[SourceFact], source: TextIndex, group_name: Callable[[SourceFact, TextIndex], str]
) -> Iterator[tuple[str, list[SourceFact]]]:
    """Group facts by a non-empty name, without groups too large for one question."""
    groups: defaultdict[str, list[SourceFact]] = defaultdict(list)
    for fact in facts:
        groups[group_name(fact, source)].append(fact)
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
    index = FactSearchIndex(text_index([answer]), index_sentences([(0, answer)]))
    return sum(_match_weight(fact, index) for fact in question.facts) / len(question.facts)


def _match_weight(fact: SourceFact, index: FactSearchIndex) -> float:
    match = find_fact(fact, index)
    is_partial = match.places and not match.is_negated and not match.is_unclear
    status = (
        FactStatus.VERBATIM if match.is_complete else FactStatus.PARTIAL if is_partial else FactStatus.LOST
    )
    return STATUS_WEIGHTS[status]


_ABSENT_TOPICS = {
    "What was the last value of `{}`?": ("max_upload_jitter", "cache_warmup_ratio", "session_grace_days"),
    "What rule did the person set about {}?": ("Kubernetes", "GraphQL", "telemetry"),
    "What error did `{}` end with?": ("terraform apply", "bazel coverage"),
    "What was decided about {}?": ("WebAssembly", "Kafka"),
    "Which change was made to `{}`?": ("legacy_bridge.cfg", "nightly_rollup.sql"),
}


def absent_questions(source: TextIndex) -> Iterator[ProbeQuestion]:
    """Yield the questions whose subject does not occur in the source."""
    for text, names in _ABSENT_TOPICS.items():
        for name in names:
            if not any(word in source.words for word in content_words(name) - {"apply", "coverage"}):
                yield ProbeQuestion(ProbeKind.NEGATIVE, text.format(name), f"{ABSENT.capitalize()}.")
