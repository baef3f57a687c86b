"""Learns the weights by which a sentence of the model is a decision or a finding, a sentence of a person or
of a text that instructs is a constraint, and a name, a path or an address in any text is a fact.

``python -m tests.labelled.training`` learns from all labelled sessions but the last, constraints and names
from our own conversations as well, and writes the tables of ``sentence_cues.py`` and ``names.py`` in
``core/facts``. A sentence with any label of the kinds below is an example, every other one a counterexample;
so is a name."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path

from core.analysis.fidelity.model import FidelityCategory
from core.analysis.fidelity.source_facts import source_fact
from core.facts.extract import name_candidates
from core.facts.names import NAME_CUES
from core.facts.prose_facts import decision_sentences
from core.facts.sentence_cues import BIAS, CONSTRAINT_CUES, DECISION_CUES
from core.facts.sentences import authored_prose, authored_text, clean_text, is_instruction, plain_text
from core.facts.user_constraints import constraint_sentences
from core.transcript.model import Message, MessageFlag, Speaker
from tests.labelled.reading import NAMES, load_labelled
from tests.labelled.sessions import HALVES, Label, LabelledSession, load_sessions, means, says

_PARTLY_LISTED = ("seen", "unseen", "hidden", "blind")
"""Halves whose labels leave facts out, so that a sentence without a label is a weaker counterexample."""
_DOUBT = 0.3  # importance of such a counterexample
_STEPS = 400
_MIN_WEIGHT = 0.05
_OWN_IMPORTANCE = 5.0  # our own conversations show what is promised


@dataclass(frozen=True, slots=True)
class Task:
    """What to learn. ``fit`` is the weight of the examples against that of small weights."""

    table: Path
    kinds: frozenset[FidelityCategory]
    importance: Mapping[str, float]
    min_sessions: int
    fit: float
    partly_listed: tuple[str, ...] = _PARTLY_LISTED


_DECISIONS = Task(
    DECISION_CUES,
    frozenset({FidelityCategory.DECISION, FidelityCategory.CONSTRAINT, FidelityCategory.TODO}),
    {"!": 2.0, "+": 1.5, "~": 0.7},
    min_sessions=4,
    fit=0.1,
)
_CONSTRAINTS = Task(
    CONSTRAINT_CUES,
    frozenset({FidelityCategory.CONSTRAINT}),
    {"!": 2.0, "+": 1.0, "~": 0.7},
    min_sessions=3,
    fit=0.2,
)

_NAMES = Task(
    NAME_CUES,
    frozenset({FidelityCategory.IDENTIFIER, FidelityCategory.PATH, FidelityCategory.URL}),
    {"!": 1.5, "+": 1.1, "~": 0.4},  # below others': a name must be as right as other facts are
    min_sessions=8,
    fit=0.03,
    partly_listed=(*_PARTLY_LISTED, "final"),
)


@dataclass(frozen=True, slots=True)
class Example:
    session: str
    cues: frozenset[str]
    is_fact: bool
    importance: float


ExamplesOf = Callable[[LabelledSession], Iterator[Example]]


def decision_examples(session: LabelledSession) -> Iterator[Example]:
    for message in session.messages:
        is_model = message.speaker is Speaker.AI
        for sentence, cues in decision_sentences(authored_text(message)) if is_model else ():
            yield _example(_DECISIONS, session, sentence, cues)


def constraint_examples(session: LabelledSession) -> Iterator[Example]:
    """Yield the sentences of people, system prompts and files that instruct in a session."""
    for text, instructs in (found for message in session.messages for found in _instructing_texts(message)):
        for sentence, cues in constraint_sentences(authored_prose(text), instructs=instructs):
            if cues:
                yield _example(_CONSTRAINTS, session, sentence, cues)


def _instructing_texts(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield what a message says that is not the model's, and whether it is a text of rules."""
    if message.speaker in (Speaker.HUMAN, Speaker.SYSTEM):
        by_harness = clean_text(plain_text(message)) if message.flags & MessageFlag.META else ""
        if is_instruction(by_harness):
            yield by_harness, True
        text = authored_text(message)
        yield text, message.speaker is Speaker.SYSTEM or is_instruction(text)


def name_examples(session: LabelledSession) -> Iterator[Example]:
    for name, cues in name_candidates(session.messages):
        fact = source_fact(name, session.messages)
        yield _labelled(_NAMES, session, cues, (label for label in session.labels if means(label, fact)))


def _example(task: Task, session: LabelledSession, sentence: str, cues: frozenset[str]) -> Example:
    labels = (label for label in session.labels if label.kind in task.kinds and says(label, sentence))
    return _labelled(task, session, cues, labels)


def _labelled(task: Task, session: LabelledSession, cues: frozenset[str], labels: Iterable[Label]) -> Example:
    marks = [task.importance[label.mark] for label in labels]
    return Example(session.name, cues, bool(marks), max(marks, default=1.0))


def own_conversations() -> Iterator[LabelledSession]:
    for conversation in map(load_labelled, NAMES):
        revoked = ((FidelityCategory.CONSTRAINT, text) for text in conversation.revoked)
        labels = tuple(Label("+", kind, 0, text) for kind, text in (*conversation.labels, *revoked))
        yield LabelledSession(conversation.name, conversation.messages, labels)


def learn(samples: Sequence[Example], task: Task) -> dict[str, float]:
    """Return the weights of the cues: logistic regression by accelerated gradient descent."""
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    for one in samples:
        for cue in one.cues:
            sessions[cue].add(one.session)
    common = {cue for cue, names in sessions.items() if len(names) >= task.min_sessions}
    rows = [(sorted(one.cues & common), one.is_fact, one.importance) for one in samples]
    reach: defaultdict[str, float] = defaultdict(float)
    for cues, _, importance in rows:
        for cue in cues:
            reach[cue] += importance * len(cues)
    step = 1 / (1 + 0.25 * task.fit * max(reach.values()))
    weights, ahead, pace = dict.fromkeys(sorted(common), 0.0), dict.fromkeys(sorted(common), 0.0), 1.0
    for _ in range(_STEPS):
        gradient = dict(ahead)
        gradient[BIAS] = 0.0  # how many sentences are facts is no matter of small weights
        for cues, is_fact, importance in rows:
            error = 1 / (1 + exp(-sum(ahead[cue] for cue in cues))) - is_fact
            for cue in cues:
                gradient[cue] += task.fit * importance * error
        former, weights = weights, {cue: ahead[cue] - step * gradient[cue] for cue in ahead}
        next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        push, pace = (pace - 1) / next_pace, next_pace
        ahead = {cue: weight + push * (weight - former[cue]) for cue, weight in weights.items()}
    return {cue: weight for cue, weight in weights.items() if abs(weight) >= _MIN_WEIGHT}


def _write(task: Task, samples: Sequence[Example]) -> None:
    found = learn(samples, task)
    rows = "".join(f"{cue}\t{weight:.2f}\n" for cue, weight in found.items())
    task.table.write_text(rows, encoding="utf-8")
    print(f"{task.table.name}: {len(found)} cues")


def _examples(task: Task, examples_of: ExamplesOf) -> Iterator[Example]:
    """Yield the examples of all halves but the last."""
    for half in HALVES[:-1]:
        for one in (example for session in load_sessions(half) for example in examples_of(session)):
            is_doubtful = half in task.partly_listed and not one.is_fact
            yield replace(one, importance=_DOUBT) if is_doubtful else one


def _promised(examples_of: ExamplesOf) -> Iterator[Example]:
    for one in (example for session in own_conversations() for example in examples_of(session)):
        yield replace(one, importance=_OWN_IMPORTANCE)


if __name__ == "__main__":
    _write(_DECISIONS, [*_examples(_DECISIONS, decision_examples)])
    _write(_CONSTRAINTS, [*_examples(_CONSTRAINTS, constraint_examples), *_promised(constraint_examples)])
    _write(_NAMES, [*_examples(_NAMES, name_examples), *_promised(name_examples)])
