"""Finds facts in the texts of a result by what is said of them, one rule per category. A match is complete,
partial, contradicted, or cannot be told; words alone decide nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from core.analysis.fidelity.fact_texts import SentenceIndex, TextIndex, flat_text, stems
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_sense import (
    FileDeed,
    Stance,
    clauses,
    file_deed,
    is_done,
    is_negated_before,
    is_reversed,
    skips_condition,
    speaks_of_the_model,
    stance,
    without_ground,
)

_MIN_SHARE = 0.6  # of the content words
_UNCLEAR_SHARE = 0.5  # of them; less is another subject
_COUNTED_NOUNS = ("passed", "failed", "errors", "warnings", "skipped")  # their number comes before them
_MAX_VALUES = 2  # of one key in a text that can contradict; more are its history
_MAX_DISTANCE = 80  # characters between a key and its value
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_OPPOSED = {
    Stance.FORBIDS: (Stance.PERMITS, Stance.DEMANDS),
    Stance.ON_CONDITION: (),
    Stance.DEMANDS: (Stance.FORBIDS,),
    Stance.PERMITS: (Stance.FORBIDS,),
    Stance.NONE: (Stance.FORBIDS,),
}


@dataclass(frozen=True, slots=True)
class FactMatch:
    """``places`` that hold a fact, ``is_complete`` or in part; ``is_negated``: the opposite is said;
    ``is_reworded``: in other words; ``is_unclear``: its subject is there, its sense cannot be told."""

    places: tuple[int, ...] = ()
    is_complete: bool = False
    is_negated: bool = False
    is_reworded: bool = False
    is_unclear: bool = False


NO_MATCH = FactMatch()


@dataclass(frozen=True, slots=True)
class FactSearchIndex:
    """Texts indexed by words and by sentences. ``is_written``: a summary wrote them, so that they can say
    the opposite; the source's own text cannot."""

    texts: TextIndex
    sentences: SentenceIndex
    is_written: bool = True


def find_fact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Return the best match of a fact, or NO_MATCH."""
    match = _MATCH_RULES[fact.kind](fact, index)
    if not match.is_negated or index.is_written:
        return match
    return replace(match, is_negated=False, is_unclear=True)


def _match_exact(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], exact=True)
    return FactMatch(found, True) if found else NO_MATCH


@dataclass(frozen=True, slots=True)
class _Found:
    """The sentence that best holds the words of a fact, and its clause with most of them."""

    share: float
    sentence: str
    clause: str
    place: int


_MODAL_WORDS = (
    "never must always should only please don doesn not avoid ensure make sure keep need want prefer may can "
    "allowed forbidden required shall cannot without after before until stay remain also once have "
    "rather instead"
)


def _subject(text: str) -> frozenset[str]:
    """Return the content words of a sentence without those that only say how it is meant."""
    return (stems(text) - stems(_MODAL_WORDS)) or stems(text)


def _best_sentence(text: str, index: FactSearchIndex) -> _Found:
    wanted = _subject(text)
    share, number = index.sentences.best_match(wanted, 0.2)
    if number < 0:
        return _Found(0.0, "", "", -1)
    sentence = index.sentences.texts[number]
    parts = tuple(clauses(sentence)) or (sentence,)
    clause = max(parts, key=lambda part: len(wanted & stems(part)))
    return _Found(share, sentence, clause, index.sentences.places[number])


def _match_said(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match a request: the whole text, else most content words in one sentence."""
    if found := index.texts.places(fact.needles[0]):
        return FactMatch(found, True)
    best = _best_sentence(fact.needles[0], index)
    if best.share < _MIN_SHARE:
        return _unclear(fact, best, index)
    return FactMatch(
        (best.place,), not _is_soup(best.sentence), is_reworded=True, is_unclear=_is_soup(best.sentence)
    )


def _match_decision(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """As a request, unless options or steps are the other way round or the choice is denied."""
    match = _match_said(fact, index)
    if match.is_complete and not match.is_reworded:
        return match
    best = _best_sentence(without_ground(fact.text), index)
    if best.share < _UNCLEAR_SHARE:
        return match
    if is_reversed(fact.text, best.sentence) or (
        best.share >= _MIN_SHARE and _is_denial(best.clause) and not _is_denial(fact.text)
    ):
        return FactMatch((best.place,), is_negated=True)
    return match


def _is_denial(clause: str) -> bool:
    return stance(clause) in (Stance.FORBIDS, Stance.LIFTED)


def _unclear(fact: SourceFact, best: _Found, index: FactSearchIndex) -> FactMatch:
    """Return a match that cannot be told where the subject is there, or the text is in another language."""
    names = _names(fact.text)
    if best.share >= _UNCLEAR_SHARE and not _is_soup(best.sentence):
        return FactMatch((best.place,), is_unclear=True)
    if names and index.is_written and fact.kind is FidelityCategory.CONSTRAINT:
        for place in index.texts.places(max(names, key=len)):
            return FactMatch((place,), is_unclear=True)
    if index.is_written and len(stems(fact.text)) > 1:
        for place, text in index.texts.plain.items():
            if is_foreign(text) and not is_foreign(fact.text):
                return FactMatch((place,), is_unclear=True)
    return NO_MATCH


_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "the a an of to in is are was were be and or for with on at by it that this not no as from has have "
        "had will must should may can i we you he she they its but only all",
    )
)
_WORD = re.compile(r"[^\W\d_]+")


def is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English: words, but none of its small ones."""
    words = _WORD.findall(text.lower())[:400]
    return (
        len(words) >= 6
        and sum(word in _FUNCTION_WORDS for word in words) <= 0.08 * len(words)
        and (not text.isascii() or any(word in _FOREIGN for word in words))
    )


_FOREIGN = frozenset(
    re.findall(
        r"\w+", "der die das und nicht ist les des une est pas et que los las una y el para con ein eine"
    )
)


def _is_soup(sentence: str) -> bool:
    """Return whether a long sentence is a mere row of words."""
    words = _WORD.findall(sentence.lower())
    return len(words) >= 14 and sum(word in _FUNCTION_WORDS for word in words) < 0.08 * len(words)


_NAME = re.compile(r"[\w.-]*[./_]\w[\w./-]*|\b[\w.-]+/|\b\w*[a-z][A-Z]\w*|\b\d[\d.]+\b|`[^`]+`")


def _names(text: str) -> tuple[str, ...]:
    """Return the words of a sentence that no other word could replace: paths, code, numbers."""
    return tuple(name.strip("`.") for name in _NAME.findall(text) if len(name.strip("`.")) > 1)


def _match_constraint(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match a rule with its sense: forbidden, on condition, or asked; lifted or given to someone else is
    the opposite. Its names with the same sense are enough, whatever the verb."""
    found = index.texts.places(fact.needles[0], is_cut=len(flat_text(fact.text)) > len(fact.needles[0]))
    if found:
        is_opposed = index.is_written and _is_opposed_around(fact, index.texts.plain[found[0]])
        return FactMatch(found, not is_opposed, is_opposed)
    parts = [part for part in clauses(fact.text) if len(_subject(part)) > 1] or [fact.text]
    matches = [_match_clause(replace(fact, text=part), index) for part in dict.fromkeys((fact.text, *parts))]
    reversed_match = next((match for match in matches if match.is_negated), None)
    if reversed_match or matches[0].is_complete or len(parts) == 1:
        return reversed_match or matches[0]
    complete = [match for match in matches[1:] if match.is_complete]
    if complete:
        return replace(complete[0], is_complete=len(complete) == len(parts))
    return next((match for match in matches if match.places), NO_MATCH)


def _match_clause(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    best = _best_sentence(fact.text, index)
    names = _names(fact.text)
    has_names = bool(names) and all(flat_text(name) in flat_text(best.sentence) for name in names)
    if best.share < _MIN_SHARE and not has_names:
        return _unclear(fact, best, index)
    ours, theirs = stance(fact.text), _stance_of(best)
    if _contradicts(ours, theirs, best, fact):
        return FactMatch((best.place,), is_negated=True)
    agrees = theirs is ours or {ours, theirs} <= {Stance.FORBIDS, Stance.ON_CONDITION}
    agrees = agrees or (not {ours, theirs} & {Stance.FORBIDS, Stance.ON_CONDITION, Stance.LIFTED})
    if agrees and not _is_soup(best.sentence):
        return FactMatch((best.place,), True, is_reworded=True)
    return FactMatch((best.place,), is_unclear=True)


def _stance_of(best: _Found) -> Stance:
    """Return the stance of the clause, or LIFTED where a short part of the sentence lifts it."""
    for part in clauses(best.sentence):
        if part != best.clause and len(stems(part)) <= 4 and stance(part) is Stance.LIFTED:
            return Stance.LIFTED
    own = stance(best.clause)
    return own if own is not Stance.NONE else stance(best.sentence)


_CONDITION = re.compile(r"\b(?:only|without|until|unless|before|after)\b", re.IGNORECASE)


def _contradicts(ours: Stance, theirs: Stance, best: _Found, fact: SourceFact) -> bool:
    if fact.by_user and speaks_of_the_model(best.sentence):
        return True
    if theirs is Stance.LIFTED:
        return ours is not Stance.LIFTED
    if ours is Stance.ON_CONDITION:
        action = _subject(_CONDITION.split(fact.text)[0])
        shared = len(action & stems(best.clause)) >= _MIN_SHARE * len(action)
        return skips_condition(best.clause) or (theirs is Stance.PERMITS and shared)
    if (ours, theirs) == (Stance.DEMANDS, Stance.ON_CONDITION):  # "never run it before a commit"
        first, second = (stems(text.lower().partition(" before ")[0]) for text in (fact.text, best.clause))
        return (
            "before" in best.clause
            and "before" in fact.text
            and len(first & second) >= _MIN_SHARE * len(first)
        )
    if best.share < _MIN_SHARE and theirs is not Stance.PERMITS:
        return False
    if ours is Stance.FORBIDS and theirs is Stance.NONE:  # the bare order
        verb = next(iter(_WORD.findall(best.clause.lower())), "")
        return bool(stems(verb) & stems(fact.text))
    return theirs in _OPPOSED.get(ours, ())


def _is_opposed_around(fact: SourceFact, text: str) -> bool:
    """Return whether the words around a rule take it back in every place."""
    needle = flat_text(fact.text)[: len(fact.needles[0])]
    senses = []
    for match in re.finditer(re.escape(needle), text):
        before = re.split(r"[.!?] | [-*•] ", text[max(0, match.start() - 120) : match.start()])[-1]
        after = re.split(r"(?<=[.!?]) | [-*•] ", text[match.end() : match.end() + 400] + " ")[0][:120]
        around = f"{before[-120:]} … {after[len(flat_text(fact.text)) - len(needle) :]}"
        senses.append(
            is_negated_before(before)
            or stance(around) is Stance.LIFTED
            or (fact.by_user and speaks_of_the_model(before))
        )
    return bool(senses) and all(senses)


def _match_path(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the path from any folder on, the file name alone in part; a changed file that was only read, and
    the reverse, is the opposite."""
    segments = fact.needles[0].strip("/").split("/")
    for start in range(len(segments)):
        name = "/".join(segments[start:])
        if found := index.texts.places(name, exact=True):
            if index.is_written and _has_other_deed(fact, name, found, index):
                return FactMatch(found, is_negated=True)
            return FactMatch(found, len(segments) == 1 or start < len(segments) - 1)
    return NO_MATCH


def _has_other_deed(fact: SourceFact, name: str, places: tuple[int, ...], index: FactSearchIndex) -> bool:
    wanted = FileDeed.CHANGED if fact.kind is FidelityCategory.FILE else FileDeed.READ
    deeds = {deed for place in places for deed in _deeds(name, index.texts.raw[place])}
    return bool(deeds) and wanted not in deeds and (wanted is FileDeed.CHANGED or fact.is_read)


def _deeds(name: str, text: str) -> Iterator[FileDeed]:
    for sentence in _SENTENCE_END.split(text):
        if name in sentence and _is_prose(sentence):
            for clause in clauses(sentence):
                place = clause.find(name)
                if place >= 0 and (deed := file_deed(clause, place, len(name))):
                    yield deed


def _is_prose(sentence: str) -> bool:
    """Return False for the arguments of a call and commands, whose words say nothing."""
    return len(sentence) < 400 and not re.search(r"[{}]|\":|&&|\\n|\$\(", sentence)


def _match_error(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=True) if fact.needles[0] else ()
    is_whole = bool(found)
    for code in () if found else fact.needles[1:]:
        found = found or index.texts.places(code, exact=True)
    if index.is_written and (opposed := _opposed_state(fact, found, index)):
        return FactMatch(opposed, is_negated=True)
    if found:
        return FactMatch(found, is_whole)
    best = _best_sentence(fact.text, index)
    return FactMatch((best.place,), is_unclear=True) if best.share >= _MIN_SHARE else NO_MATCH


_ALL_PASS = re.compile(
    r"\b(?:all|every|the) (?:\w+ )?(?:tests?|checks?|builds?)(?: now)? (?:pass(?:es|ed)?\b|(?:is|"
    r"are) green|succeed)|"
    r"\bno (?:open )?(?:errors|failures)\b",
    re.IGNORECASE,
)


def _opposed_state(fact: SourceFact, found: tuple[int, ...], index: FactSearchIndex) -> tuple[int, ...]:
    """Return the places that call an open error fixed, or a fixed one open."""
    states = set[bool]()
    for place in found:
        text = index.texts.raw[place]
        for sentence in _SENTENCE_END.split(text):
            plain = flat_text(sentence)
            named = [flat_text(needle) for needle in fact.needles if needle and flat_text(needle) in plain]
            if named:
                state = is_done(plain.replace(max(named, key=len), " "))
                states |= {state} if state is not None else set()
    if states == {not fact.is_resolved}:
        return found
    if fact.is_resolved or states:
        return ()
    failing = fact.is_test_run
    return tuple(
        place
        for place, text in enumerate(index.texts.raw)
        if failing and not found and _ALL_PASS.search(text)
    )


def _match_todo(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    text, status = fact.needles
    best = _best_sentence(text, index)
    if best.share < _MIN_SHARE:
        return _unclear(fact, best, index)
    sentence = flat_text(best.sentence)
    if any(state in sentence for state in (status.lower(), status.lower().replace("_", " "))):
        return FactMatch((best.place,), True)
    state = is_done(re.sub(re.escape(flat_text(text)), " ", sentence))
    if state is None or not _is_prose(best.sentence) or '"' in best.sentence:
        return FactMatch((best.place,), False)
    return FactMatch(
        (best.place,), state is (status.lower() == "completed"), state is not (status.lower() == "completed")
    )


_VALUE = (
    r"[~<>=≤≥]{0,2}[$€£]?v?\d[\d.,]*(?:\s?(?:%|(?:ms|s|min|h|px|k|kb|mb|gb|seconds|minutes|hours|days)\b))?"
)
_BOUND = (
    r"(?:\s*(?:=|:|→|->)\s*|\s+(?:is|are|was|were|at|of|to|now|stays|remains|set|raised|lowered|changed|"
    r"from \S+|per|\w+ly|be|=)\b)*\s*[`*(]*"
)


def _match_number(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match the value that is bound to the key: next to it, else nearest in the sentence. Another value there
    is the opposite; one too far away is not told."""
    key, value = fact.needles
    if key.startswith("date of") or not re.match(_VALUE, value):
        found = index.texts.places(value)
        return FactMatch(found, True) if found else NO_MATCH
    names = [flat_text(key), flat_text(key).replace("_", " ")]
    places = dict.fromkeys(place for name in names for place in index.texts.places(name))
    pattern = "|".join(map(re.escape, dict.fromkeys(names)))
    other: list[int] = []
    for place in places:
        values = dict(sorted(_bound_values(pattern, index.texts.plain[place]), key=lambda found: found[1]))
        if _same_value(value) in values:
            return FactMatch((place,), True)
        other += [place] if 0 < sum(values.values()) <= _MAX_VALUES else []
    return FactMatch(tuple(other), is_negated=True) if other and index.is_written else NO_MATCH


def _bound_values(key: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the value at each mention of a key, and whether it is next to it, not merely near."""
    for match in re.finditer(rf"(?<![\w-])(?:{key})(?![\w-])", text):
        after = text[match.end() : match.end() + _MAX_DISTANCE]
        before = text[max(0, match.start() - 24) : match.start()]
        bound = key not in _COUNTED_NOUNS and re.match(rf"[`*\"]*{_BOUND}({_VALUE})(?![\w-])", after)
        bound = bound or re.search(rf"(?<![\w.])({_VALUE})[\s`*]*(?:tests?|checks?)?\s*$", before)
        near = re.match(rf"[^.;\n]*?(?<![\w.])({_VALUE})(?![\w-])", after)
        if found := bound or near:
            yield _same_value(found[1]), bool(bound)


def _same_value(value: str) -> str:
    plain = re.sub(r"[~<>=≤≥$€£,\s]", "", flat_text(value)).removeprefix("v").rstrip(".")
    for long, short in (("seconds", "s"), ("minutes", "min"), ("hours", "h")):
        plain = plain.replace(long, short)
    return plain


def _match_url(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    for position, needle in enumerate(fact.needles):
        if needle and (found := index.texts.places(needle, exact=True)):
            return FactMatch(found, position == 0)
    return NO_MATCH


def _match_command(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(fact.text) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    command_start = " ".join(fact.needles[0].split()[:2])
    found = index.texts.places(command_start) if " " in command_start else ()
    return FactMatch(found, False) if found else NO_MATCH


def _match_code(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match runs of three lines: most of them, or some."""
    hits: dict[int, int] = {}
    for shingle in fact.needles:
        for place in index.texts.places(shingle):
            hits[place] = hits.get(place, 0) + 1
    if not hits:
        return NO_MATCH
    place = max(hits, key=lambda candidate: (hits[candidate], -candidate))
    return FactMatch((place,), hits[place] >= _MIN_SHARE * len(fact.needles))


_MATCH_RULES: Mapping[FidelityCategory, Callable[[SourceFact, FactSearchIndex], FactMatch]] = {
    FidelityCategory.CONSTRAINT: _match_constraint,
    FidelityCategory.FILE: _match_path,
    FidelityCategory.PATH: _match_path,
    FidelityCategory.ERROR: _match_error,
    FidelityCategory.TODO: _match_todo,
    FidelityCategory.DECISION: _match_decision,
    FidelityCategory.IDENTIFIER: _match_exact,
    FidelityCategory.NUMBER: _match_number,
    FidelityCategory.URL: _match_url,
    FidelityCategory.COMMAND: _match_command,
    FidelityCategory.USER_MESSAGE: _match_said,
    FidelityCategory.CODE: _match_code,
}
