"""Questions made of the facts of what was compacted, by templates; which of them are asked."""

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
"""Questions that are asked unless somebody wants more or fewer."""

_MOST_FACTS = 8  # that one question asks for
_ALL_FILES = 25  # the same of "which files were modified"
_SHORT_WORDS = 25  # content words of a message that can be asked for word for word
_LEAST_TOPIC = 4  # characters
_NEGATIVES = 6  # one question in so many has no answer
_DONE = "completed"
_EMPTY_WORDS = """
never always must should only dont without avoid cannot please make sure keep want need like prefer leave stay
already just also then them they would could every each other same still after before when what which there
here have been does done into from that this with because instead rather than than while more most some such
first last next both either about again anything something nothing everything being create change take give
very real needs asks good
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that no question can be about."""


@dataclass(frozen=True, slots=True)
class QuestionMaterial:
    """What questions are made of: the facts of the compacted part, and the texts of the whole history."""

    facts: tuple[SourceFact, ...]
    source: TextIndex
    opening: int  # the first message of a person, -1 for none
    closing: int  # the last one

    def of(self, kind: FidelityCategory) -> list[SourceFact]:
        """The facts of a category."""
        return [fact for fact in self.facts if fact.kind is kind]


def past_of(
    messages: Sequence[Message], fates: Sequence[Fate], facts: Sequence[SourceFact]
) -> QuestionMaterial:
    """What a compaction took out of a history: the facts of which no mention stayed as it was."""
    gone = tuple(
        fact
        for fact in facts
        if not fact.resolved and all(fates[place].kind is not FateKind.KEPT for place in fact.messages)
    )
    said = [fact.messages[0] for fact in facts if fact.kind is FidelityCategory.USER_MESSAGE]
    texts = text_index([text_of(message) for message in messages])
    return QuestionMaterial(gone, texts, min(said, default=-1), max(said, default=-1))


def questions_of(past: QuestionMaterial, most: int = MANY) -> tuple[ProbeQuestion, ...]:
    """At most so many questions, kinds by turns; the same ones for the same history and compaction.

    Only those are asked whose expected answer is graded right and which do not give it away. Nothing
    where there is no fact to ask for.
    """
    seed = sha256("\n".join(past.source.plain).encode("utf-8", "replace")).hexdigest()
    by_kind: defaultdict[ProbeKind, list[ProbeQuestion]] = defaultdict(list)
    for one in dict.fromkeys(_all(past)):
        by_kind[one.kind].append(one)
    found = {kind: _chosen(filter(_is_fair, _mixed(seed, made)), most) for kind, made in by_kind.items()}
    if not any(found.values()):
        return ()
    negatives = max(1, most // _NEGATIVES)
    found[ProbeKind.NEGATIVE] = _chosen(_mixed(seed, absent_questions(past.source)), negatives)
    return _by_turns([found.get(kind, []) for kind in ProbeKind], most)


def _chosen(found: Iterable[ProbeQuestion], most: int) -> list[ProbeQuestion]:
    return list(islice(found, most))


def _is_fair(one: ProbeQuestion) -> bool:
    """True where the expected answer is graded right and the question itself does not give it away."""
    return grade_by_facts(one, one.expected) == 1 and not grade_by_facts(one, one.text)


def _mixed(seed: str, found: Iterable[ProbeQuestion]) -> list[ProbeQuestion]:
    """In an order that looks like chance and is the same every time."""
    return sorted(found, key=lambda one: sha256(f"{seed}{one.text}".encode("utf-8", "replace")).digest())


def _by_turns(found: Sequence[Sequence[ProbeQuestion]], most: int) -> tuple[ProbeQuestion, ...]:
    """The first of each kind, then the second, until there are enough; shown by kind."""
    turns = range(max(map(len, found)))
    chosen = [one[turn] for turn in turns for one in found if turn < len(one)][:most]
    places = list(ProbeKind)
    return tuple(sorted(chosen, key=lambda one: places.index(one.kind)))


def _all(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for make in (
        _constraints,
        _files,
        _paths,
        _numbers,
        _errors,
        _urls,
        _commands,
        _first,
        _open,
        _decisions,
    ):
        yield from make(past)


def _constraints(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for topic, facts in _by(
        past.of(FidelityCategory.CONSTRAINT), lambda fact: _topic(fact.text, past.source)
    ):
        text = f"What did the person demand or forbid about “{topic}”? Quote it word for word."
        yield _question(ProbeKind.CONSTRAINT, text, facts)


def _decisions(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    found = [_answered(fact) for fact in past.of(FidelityCategory.DECISION)]
    for fact in found:
        if fact.text != fact.key:
            text = f"What did the person answer when asked: {fact.key}"
            yield _question(ProbeKind.DECISION, text, [fact])
    own = [fact for fact in found if fact.text == fact.key]
    for topic, facts in _by(own, lambda fact: _topic(fact.text, past.source)):
        text = f"What was decided about “{topic}”, and why? Answer in one full sentence for each decision."
        yield _question(ProbeKind.DECISION, text, facts)


def _answered(fact: SourceFact) -> SourceFact:
    """A decision; of one that answers a question only the answer."""
    question, arrow, answer = fact.text.rpartition(" → ")
    return replace(fact, key=question, text=answer, needles=(answer,)) if arrow else fact


def _files(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    files = past.of(FidelityCategory.FILE)
    if 0 < len(files) <= _ALL_FILES:
        text = "Which files were written, edited, moved or deleted? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, files)
    if len(files) > 1:
        yield from _by_folder(files, "were written, edited, moved or deleted")


def _paths(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    yield from _by_folder(past.of(FidelityCategory.PATH), "were read but not changed")


def _by_folder(facts: Sequence[SourceFact], done: str) -> Iterator[ProbeQuestion]:
    for folder, found in _by(facts, lambda fact: fact.text.rpartition("/")[0]):
        where = f"in {folder}/ " if folder else "that were named without a folder "
        text = f"Which files {where}{done}? List every path in full."
        yield _question(ProbeKind.ARTIFACT, text, found)


def _numbers(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for fact in past.of(FidelityCategory.NUMBER):
        name = fact.needles[0]
        text = f"What was the last value of “{name}”? Answer as {name} = value."
        yield _question(ProbeKind.RECALL, text, [fact])


def _errors(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for target, facts in _by(past.of(FidelityCategory.ERROR), _failed):
        text = f"With what error did “{target}” fail? Quote its message word for word."
        yield _question(ProbeKind.RECALL, text, facts)


def _failed(fact: SourceFact) -> str:
    """The command or call that an error ended."""
    return fact.key.removesuffix(f": {fact.text[:60].lower()}")


def _urls(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for host, facts in _by(past.of(FidelityCategory.URL), _host):
        text = f"Which addresses at {host} were named? Write each in full."
        yield _question(ProbeKind.RECALL, text, facts)


def _host(fact: SourceFact) -> str:
    try:
        return urlsplit(fact.text).hostname or ""
    except ValueError:  # brackets that are no address
        return ""


def _commands(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    for program, facts in _by(past.of(FidelityCategory.COMMAND), lambda fact: fact.text.split(" ", 1)[0]):
        text = f"Which `{program}` commands were run? Write each on a line of its own, as it was typed."
        yield _question(ProbeKind.RECALL, text, facts)


def _first(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    """What the person asked for first and last, where that is short and was compacted."""
    for fact in past.of(FidelityCategory.USER_MESSAGE):
        if len(content_words(fact.text)) > _SHORT_WORDS:
            continue
        if fact.messages[0] == past.opening:
            text = "What did the person ask for first? Quote the message word for word."
            yield _question(ProbeKind.RECALL, text, [fact])
        if fact.messages[0] == past.closing:
            text = "What did the person ask for last? Quote the message word for word."
            yield _question(ProbeKind.CONTINUATION, text, [fact])


def _open(past: QuestionMaterial) -> Iterator[ProbeQuestion]:
    todos = past.of(FidelityCategory.TODO)
    asked = (
        ("What is still open on the todo list?", [one for one in todos if one.needles[1] != _DONE]),
        ("What is done on the todo list?", [one for one in todos if one.needles[1] == _DONE]),
    )
    for text, facts in asked:
        if facts:
            how = "List each point on a line of its own, its state (pending, in_progress, completed) first."
            yield _question(ProbeKind.CONTINUATION, f"{text} {how}", facts, _state)
    errors = past.of(FidelityCategory.ERROR)
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


def _by(
    facts: Iterable[SourceFact], key: Callable[[SourceFact], str]
) -> Iterator[tuple[str, list[SourceFact]]]:
    """Facts that share a key, as many as one question can ask for; those without a key are left out."""
    found: defaultdict[str, list[SourceFact]] = defaultdict(list)
    for fact in facts:
        found[key(fact)].append(fact)
    return ((name, group) for name, group in found.items() if name and len(group) <= _MOST_FACTS)


def _topic(text: str, source: TextIndex) -> str:
    """What a sentence is about: the rarest name in it as code spells it, else its rarest longer word."""
    names = [name for name in dict.fromkeys(prose_facts.identifiers(text)) if len(name) >= _LEAST_TOPIC]
    if names:
        return min(names, key=lambda name: (len(source.places(name, exact=True)), -len(name), name))
    words = [word for word in content_words(text) - _EMPTY if word.isalpha() and len(word) >= _LEAST_TOPIC]
    return min(words, key=lambda word: (len(source.words.get(word, ())), -len(word), word), default="")
