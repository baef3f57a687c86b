"""Finds facts that are values: paths, errors, to-dos, numbers, addresses, commands and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.analysis.fidelity.fact_texts import flat_text
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.sentence_matching import (
    MIN_SHARE,
    NO_MATCH,
    FactMatch,
    FactSearchIndex,
    best_sentence,
    split_text,
    unclear,
)
from core.analysis.fidelity.sentence_sense import (
    FileDeed,
    clauses,
    file_deed,
    is_called_open,
    is_done,
    is_said_done,
)

_COUNTED_NOUNS = ("passed", "failed", "errors", "warnings", "skipped")  # their number comes before them
_MAX_VALUES = 2  # of one key in a text that can contradict; more are its history


_MAX_DISTANCE = 80  # characters between a key and its value


def match_path(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
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
    for sentence in split_text(text):
        if name in sentence and _is_prose(sentence):
            for clause in clauses(sentence):
                place = clause.find(name)
                if place >= 0 and (deed := file_deed(clause, place, len(name))):
                    yield deed


def _is_prose(sentence: str) -> bool:
    """Return False for the arguments of a call and commands, whose words say nothing."""
    return len(sentence) < 400 and not re.search(r"[{}]|\":|&&|\\n|\$\(", sentence)


def match_error(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=True) if fact.needles[0] else ()
    is_whole = bool(found)
    for code in () if found else fact.needles[1:]:
        found = found or index.texts.places(code, exact=True)
    if index.is_written and (opposed := _opposed_state(fact, found, index)):
        return FactMatch(opposed, is_negated=True)
    if found:
        return FactMatch(found, is_whole)
    best = best_sentence(fact.text, index)
    if best.share < MIN_SHARE:
        return NO_MATCH
    is_opposed = index.is_written and not fact.is_resolved and is_done(best.sentence) is True
    return FactMatch((best.place,), is_negated=is_opposed, is_unclear=not is_opposed)


_ALL_PASS = re.compile(
    r"\b(?:all|every|the) (?:\w+ )?(?:tests?|checks?|builds?)(?: now)? (?:pass(?:es|ed)?\b|(?:is|"
    r"are) green|succeed)|"
    r"\bno (?:open )?(?:errors|failures)\b",
    re.IGNORECASE,
)


_TEST_NAME = re.compile(
    r"\b[A-Za-z]\w*(?:[.:]{1,2}[A-Za-z_]\w*)+|\b[a-z]+[A-Z]\w+|\b\w+_\w+|\b[A-Z]\w+[a-z][A-Z]\w+"
)


def _opposed_state(fact: SourceFact, found: tuple[int, ...], index: FactSearchIndex) -> tuple[int, ...]:
    """Return the places that call an open error fixed, or a fixed one open."""
    states = set[bool]()
    for place in found:
        text = index.texts.raw[place]
        for sentence in split_text(text):
            plain = flat_text(sentence)
            named = [flat_text(needle) for needle in fact.needles if needle and flat_text(needle) in plain]
            if named:
                state = is_done(plain.replace(max(named, key=len), " "))
                states |= {state} if state is not None else set()
    if states == {not fact.is_resolved}:
        return found
    if fact.is_resolved and (name := max(_TEST_NAME.findall(fact.text), key=len, default="")):
        return tuple(
            place
            for place in index.texts.places(name)
            for sentence in split_text(index.texts.raw[place])
            if name in sentence and is_called_open(sentence)
        )
    if fact.is_resolved or states:
        return ()
    if found or not fact.is_failing_test:
        return ()
    return tuple(place for place, text in index.sentences.texts.items() if _ALL_PASS.search(text))


def match_todo(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    text, status = fact.needles
    best = best_sentence(text, index)
    if best.share < MIN_SHARE:
        return unclear(fact, best, index)
    clause = flat_text(best.clause)
    if any(state in clause for state in (status.lower(), status.lower().replace("_", " "))):
        return FactMatch((best.place,), True)
    state = is_said_done(text, clause.replace(flat_text(text), " "))
    if state is None and best.clause != best.sentence:
        state = is_done(flat_text(best.sentence).replace(flat_text(text), " "))
    if state is None or not _is_prose(best.sentence) or '"' in best.sentence:
        return FactMatch((best.place,), False)
    agrees = state is (status.lower() == "completed")
    return FactMatch((best.place,), agrees, is_negated=not agrees)


_VALUE = (
    r"[~<>=≤≥]{0,2}[$€£]?v?\d[\d.,]*(?:\s?(?:%|(?:ms|s|min|h|px|k|kb|mb|gb|seconds|minutes|hours|days)\b))?"
)
_BOUND = (
    r"(?:\s*(?:=|:|→|->)\s*|\s+(?:is|are|was|were|at|of|to|now|stays|remains|set|raised|lowered|changed|"
    r"from \S+|per|\w+ly|be|=)\b)*\s*[`*(]*"
)


def match_number(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
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
        values = dict(sorted(_bound_values(pattern, index.texts.plain(place)), key=lambda found: found[1]))
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


def match_url(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    for position, needle in enumerate(fact.needles):
        if needle and (found := index.texts.places(needle, exact=True)):
            return FactMatch(found, position == 0)
    return NO_MATCH


def match_command(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    found = index.texts.places(fact.needles[0], is_cut=len(fact.text) > len(fact.needles[0]))
    if found:
        return FactMatch(found, True)
    command_start = " ".join(fact.needles[0].split()[:2])
    found = index.texts.places(command_start) if " " in command_start else ()
    return FactMatch(found, False) if found else NO_MATCH


def match_code(fact: SourceFact, index: FactSearchIndex) -> FactMatch:
    """Match runs of three lines: most of them, or some."""
    hits: dict[int, int] = {}
    for shingle in fact.needles:
        for place in index.texts.places(shingle):
            hits[place] = hits.get(place, 0) + 1
    if not hits:
        return NO_MATCH
    place = max(hits, key=lambda candidate: (hits[candidate], -candidate))
    return FactMatch((place,), hits[place] >= MIN_SHARE * len(fact.needles))
