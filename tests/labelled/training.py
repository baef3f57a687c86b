"""Learns the weights by which a sentence of the model is a decision or a finding.

``python -m tests.labelled.training`` learns from all labelled sessions but the last and writes
``core/facts/decision_cues.tsv``. A sentence with any label of the kinds below is an example, every other
sentence of the model a counterexample."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from core.analysis.fidelity.model import FidelityCategory
from core.facts.decision_cues import BIAS, CUES, sentence_cues
from core.facts.prose_facts import decision_sentences
from core.facts.sentences import authored_text
from core.transcript.model import Speaker
from tests.labelled.sessions import HALVES, LabelledSession, load_sessions, says

_KINDS = (FidelityCategory.DECISION, FidelityCategory.CONSTRAINT, FidelityCategory.TODO)
_IMPORTANCE = {"!": 2.0, "+": 1.5, "~": 0.7}
_MIN_SESSIONS = 4
_FIT = 0.1  # weight of the examples against that of small weights
_STEPS = 400
_MIN_WEIGHT = 0.05


@dataclass(frozen=True, slots=True)
class Example:
    session: str
    cues: frozenset[str]
    is_fact: bool
    importance: float


def examples(session: LabelledSession) -> Iterator[Example]:
    """Yield the sentences of the model in a session."""
    labels = [label for label in session.labels if label.kind in _KINDS]
    for message in session.messages:
        is_model = message.speaker is Speaker.AI
        for sentence, is_only in decision_sentences(authored_text(message)) if is_model else ():
            marks = [_IMPORTANCE[label.mark] for label in labels if says(label, sentence)]
            cues = sentence_cues(sentence, is_only=is_only)
            yield Example(session.name, cues, bool(marks), max(marks, default=1.0))


def learn(samples: Sequence[Example]) -> Mapping[str, float]:
    """Return the weights of the cues: logistic regression by accelerated gradient descent."""
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    for one in samples:
        for cue in one.cues:
            sessions[cue].add(one.session)
    common = {cue for cue, names in sessions.items() if len(names) >= _MIN_SESSIONS}
    rows = [(sorted(one.cues & common), one.is_fact, one.importance) for one in samples]
    reach: defaultdict[str, float] = defaultdict(float)
    for cues, _, importance in rows:
        for cue in cues:
            reach[cue] += importance * len(cues)
    step = 1 / (1 + 0.25 * _FIT * max(reach.values()))
    weights, ahead, pace = dict.fromkeys(sorted(common), 0.0), dict.fromkeys(sorted(common), 0.0), 1.0
    for _ in range(_STEPS):
        gradient = dict(ahead)
        gradient[BIAS] = 0.0  # how many sentences are facts is no matter of small weights
        for cues, is_fact, importance in rows:
            error = 1 / (1 + exp(-sum(ahead[cue] for cue in cues))) - is_fact
            for cue in cues:
                gradient[cue] += _FIT * importance * error
        former, weights = weights, {cue: ahead[cue] - step * gradient[cue] for cue in ahead}
        next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
        push, pace = (pace - 1) / next_pace, next_pace
        ahead = {cue: weight + push * (weight - former[cue]) for cue, weight in weights.items()}
    return {cue: weight for cue, weight in weights.items() if abs(weight) >= _MIN_WEIGHT}


if __name__ == "__main__":
    sessions = [session for half in HALVES[:-1] for session in load_sessions(half)]
    found = learn([one for session in sessions for one in examples(session)])
    CUES.write_text("".join(f"{cue}\t{weight:.2f}\n" for cue, weight in found.items()), encoding="utf-8")
    print(f"{len(found)} cues")
