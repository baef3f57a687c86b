"""Finds the value or the name that a source gives to what a clause of a summary gives another one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, permutations, product

from core.analysis.fidelity.sentence_sense import Stance
from core.analysis.fidelity.source_statements import ME, SourceClause, SourceStatements, is_rule
from core.analysis.fidelity.statements import LABEL, NOUN, Clause, Filler, place_of_role, plain_words
from core.transcript.model import Speaker

SURE = 0.9  # weight of shared words: about one word that no other sentence has
_KEY = 0.5  # weight of the key of a value that changed
_MARGIN = 0.45
_PASSIVE = re.compile(r"\bby\b|\bvon\b|\bpar\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom (\d[\d.]*) (?:\w+ )?to (\d[\d.]*\d|\d)")
PAST = re.compile(
    r"\b(?:was|were|from|first|initial\w*|previous\w*|earlier|original\w*|formerly|old|draft|instead of|"
    r"before|used to|rather than|not|suggested|proposed|zuerst|vorher|avant)\b",
    re.IGNORECASE,
)
NEWER = re.compile(
    r"\b(?:now|moved|wrong|instead|actually|chang\w+|from now on|make (?:it|that)|after all|no longer|new|"
    r"jetzt|doch|désormais|ahora)\b",
    re.IGNORECASE,
)


def is_negative(clause: Clause) -> bool:
    return bool(clause.negated) or clause.stance in (Stance.FORBIDS, Stance.LIFTED)


def outdated_value(parts: Sequence[Clause], number: int, source: SourceStatements) -> SourceClause | None:
    """Return what gave a key its newer value, where a clause states the old one as valid."""
    part = parts[number]
    if PAST.search(part.text) or (len(parts) > 1 and PAST.search(" ".join(one.text for one in parts))):
        return None
    said = {filler.text for one in parts for filler in one.fillers}
    for filler in part.fillers if part.words else ():
        near = [
            one for one in source.sharing(part.words) if source.weight(part.words & one.clause.words) >= _KEY
        ]
        own = [one for one in near if any(_same(filler, other) for other in one.clause.fillers)]
        for found in near:
            is_newer = bool(own) and found.message > max(one.message for one in own) and is_rule(found)
            is_said = NEWER.search(source.sentences[found.sentence].text) or all(
                one.speaker is Speaker.TOOL for one in own
            )
            if (
                is_newer
                and is_said
                and any(
                    _rival(filler, other) and filler.kind == other.kind and other.text not in said
                    for other in found.clause.fillers
                    if other.kind != "name"
                )
            ):
                return found
    return None


def backwards_change(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return the first mention of a value that a sentence takes for the earlier of two."""
    for part in parts:
        match = _FROM_TO.search(part.text)
        values = [filler for filler in part.fillers if match and filler.text in (match[1], match[2])]
        first = [source.by_value.get(filler.text, ()) for filler in values]
        if len(first) == 2 and all(first):
            old, new = (source.clauses[numbers[0]] for numbers in first)
            if old.message > new.message:
                return old
    return None


def other_value(parts: Sequence[Clause], number: int, source: SourceStatements) -> SourceClause | None:
    """Return a clause of the source that gives another value or name to what a clause speaks of."""
    part = parts[number]
    key = part.words if part.words or not number else parts[number - 1].words
    said = {filler.text for one in parts for filler in one.fillers} if PAST.search(part.text) else set()
    said |= {filler.text for filler in part.fillers} | part.roles
    words = frozenset[str]().union(*(one.words for one in parts))
    is_alone = not any(one.fillers or one.roles for one in parts if one is not part)
    for filler in _own_fillers(part):
        if source.is_hidden(filler.text) or not (
            filler.kind != "name" or filler.text.isupper() or source.is_name(filler.text, part.text)
        ):
            continue
        found = _better(filler, key, said, source)
        if not found and is_alone:
            found = _better(filler, words, said, source, is_wide=True)
        if found := found or _other_date(filler, source):
            return found
    return None


def _other_date(filler: Filler, source: SourceStatements) -> SourceClause | None:
    """Return what gives another month to the day of a date that is nowhere."""
    if filler.kind != "date" or filler.text in source.by_value:
        return None
    day = filler.text.partition(" ")[0]
    numbers = (numbers[0] for text, numbers in source.by_value.items() if text.startswith(f"{day} "))
    return next((source.clauses[number] for number in numbers if is_rule(source.clauses[number])), None)


def _own_fillers(part: Clause) -> tuple[Filler, ...]:
    return (*part.fillers, *(Filler(role, "name") for role in sorted(part.roles)))


def _better(
    filler: Filler, key: frozenset[str], said: set[str], source: SourceStatements, *, is_wide: bool = False
) -> SourceClause | None:
    """Return the clause that shares most with a key and has another filler, where none with this one shares
    as much. ``is_wide``: whole sentences are compared, those of the source with one filler of its kind."""
    words = key - plain_words(filler.text)
    own = others = 0.0
    best: SourceClause | None = None
    for candidate in source.sharing(key):
        wide = source.sentences[candidate.sentence]
        theirs = wide.fillers if is_wide else _fillers(candidate)
        shared = source.weight(words & (wide.words if is_wide else candidate.clause.words))
        rivals = [one for one in theirs if _rival(filler, one) and one.text not in said]
        if any(_same(filler, one) for one in theirs):
            own = max(own, shared)
        elif any(_same(filler, one) for one in wide.fillers) and not any(
            _rival(filler, one) for one in wide.fillers
        ):
            own = max(own, source.weight(words & wide.words))
        elif (
            shared > others
            and rivals
            and (not is_wide or _is_one(rivals, wide.text) or filler.kind.endswith(LABEL))
        ):
            others, best = shared, candidate
    if filler.kind == "name":
        return best if own == 0 and others >= SURE else None
    needed = _KEY if filler.text not in source.by_value and _is_exact(filler) else SURE
    return best if others >= needed and others - own >= min(needed, _MARGIN) else None


def _is_one(rivals: Sequence[Filler], text: str) -> bool:
    """Return whether fillers are one: a value, or the parts of a name."""
    return len(rivals) == 1 or any(
        " ".join(order) in text for order in permutations(rival.text for rival in rivals[:3])
    )


def _is_exact(filler: Filler) -> bool:
    """Return whether nobody counts or derives a value: it is long, broken, a date or has a unit."""
    return len(filler.text) > 2 or _is_hard(filler.kind)


def _fillers(candidate: SourceClause) -> tuple[Filler, ...]:
    """Return what a clause of the source binds; what it denies of a person is not bound to that person."""
    if is_negative(candidate.clause):
        return candidate.clause.fillers
    return (*candidate.clause.fillers, *(Filler(role, "name") for role in candidate.roles))


def _is_hard(kind: str) -> bool:
    return bool(kind) and not kind.endswith((LABEL, NOUN))


def _same(ours: Filler, theirs: Filler) -> bool:
    """Return whether two values can be one; a unit or a label is not a counted noun."""
    kinds = {ours.kind, theirs.kind}
    return ours.text == theirs.text and (
        len(kinds) == 1 or "" in kinds or all(kind.endswith(NOUN) for kind in kinds)
    )


def _rival(ours: Filler, theirs: Filler) -> bool:
    """Return whether a filler can stand in the place of another."""
    kinds = {ours.kind, theirs.kind}
    if ours.text == theirs.text or ("name" in kinds and len(kinds) > 1):
        return False
    return len(kinds) == 1 or (
        not any(map(_is_hard, kinds)) and ("" in kinds or all(kind.endswith(NOUN) for kind in kinds))
    )


def crossed_values(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a sentence that has the same two values the other way round."""
    for one, other in combinations(parts, 2):
        for first, second in product(one.fillers, other.fillers):
            if first.text == second.text or "name" in (first.kind, second.kind):
                continue
            for found in (source.clauses[number] for number in source.by_value.get(first.text, ())):
                holders = (source.clauses[number] for number in source.by_value.get(second.text, ()))
                holder = next((one for one in holders if _are_apart(one, found)), None)
                if holder and _is_crossed((one, other), (found.clause, holder.clause)):
                    return found
    return None


def _are_apart(one: SourceClause, other: SourceClause) -> bool:
    return one.sentence == other.sentence and one is not other


def _is_crossed(ours: tuple[Clause, Clause], theirs: tuple[Clause, Clause]) -> bool:
    """Return whether the words that tell two clauses apart are with the other clause of a source."""
    first, second = ours[0].words - ours[1].words, ours[1].words - ours[0].words
    straight = (first & theirs[0].words) | (second & theirs[1].words)
    return not straight and bool(first & theirs[1].words and second & theirs[0].words)


def crossed_persons(
    parts: Sequence[Clause], sentence: str, alike: Sequence[int], source: SourceStatements
) -> SourceClause | None:
    """Return a clause in which the person does to another what a clause says that the other did."""
    for part in parts:
        names = [one.text for one in part.fillers if one.kind == "name"]
        if not part.roles or len(names) != 1 or _PASSIVE.search(part.text):
            continue
        is_first = part.text.find(names[0]) < place_of_role(part.text)
        for found in source.sharing(part.words):
            me = ME.search(found.clause.text)
            place = found.clause.text.find(names[0])
            if (
                me is not None
                and place >= 0
                and found.roles == part.roles
                and (place < me.start()) is not is_first
                and not _PASSIVE.search(found.clause.text)
                and source.weight(part.words & found.clause.words) >= 2 * SURE
            ):
                return found
    return None
