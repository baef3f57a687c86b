"""What a sentence says about the things it names: forbids or asks, changed or read, open or done, which
before which. Tables of patterns; in German, French, Spanish and Chinese only what forbids and lifts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum


class Stance(StrEnum):
    """What a clause asks for."""

    FORBIDS = "forbids"
    ON_CONDITION = "on condition"
    LIFTED = "lifted"
    PERMITS = "permits"
    DEMANDS = "demands"
    NONE = ""


_RULE = (
    r"(?:rules?|constraints?|bans?|limits?|restrictions?|requirements?|instructions?|demands?|conditions?)"
)
_STANCES: tuple[tuple[Stance, str], ...] = (
    (
        Stance.LIFTED,
        r"no longer (?:needed|required|necessary|appl\w+|holds?|valid|forbidden|off[- ]limits|in force|"
        r"(?:has|have) to|must|matters?)|"
        rf"(?:withdr[ae]w\w*|lift(?:s|ed)?|revok\w+|cancell?ed|(?:took|taken|takes) back|overrul\w+|"
        rf"waived?|relaxed|"
        rf"dropped|removed|scrapped|retracted)\b(?: \w+){{0,3}} {_RULE}|"
        rf"\b{_RULE}\b.{{0,60}}\b(?:withdrawn|lifted|revoked|cancelled|dropped|waived|retracted|no longer|"
        rf"gone|void)|"
        r"(?:withdrew|withdrawn|lifted|revoked|took back) (?:it|that|this)|"
        r"do(?:es)?(?:n't| not) (?:apply|matter|have to|need(?: to)?)|need(?:n't| not)|no need|"
        r"(?:not|n't) (?:required|necessary|needed|mandatory|forbidden|off[- ]limits)|optional|"
        r"(?:is|are) now (?:fine|ok|okay|allowed)|aufgehoben|nicht mehr (?:nötig|verboten)|plus nécessaire|"
        r"ya no",
    ),
    (
        Stance.ON_CONDITION,
        r"only (?:after|when|if|with|once|by|from|upon)|(?:not|n't|never|no)\b.{0,80}\b(?:without|until|"
        r"before|unless)|"
        r"unless|ask\w* (?:\w+ ){0,3}(?:first|before)|requires? (?:my|the user's|their|his|her|a|an|prior)|"
        r"(?:wait|waits|waiting) for|"
        r"after (?:my|the user's)|"
        r"(?:needs?|awaits?|pending) (?:my|the user's|their|his|her|approval|review)|erst nach|nur (?:nach|"
        r"mit)|"
        r"seulement après|solo después",
    ),
    (
        Stance.FORBIDS,
        r"don't|dont|do(?:es)? not|never|mustn't|must not|may not|shall not|should(?:n't| not)|cannot|"
        r"can't|can not|"
        r"avoid\w*|forb[ai]d\w*|prohibit\w*|bann?(?:s|ed)?|off[- ]limits|hands off|untouched|unchanged|"
        r"unedited|alone|"
        r"(?:stay|stays|keep|keeps|kept|left|leave) (?:out|away|off|clear)|refrain\w*|ruled out|"
        r"without|nothing|none|not|no|stop|nor|neither|excluded?|"
        r"nicht|kein\w*|niemals|nie|tabu|ne|pas|jamais|interdit\w*|nunca|jamás|prohibid\w*|intocable",
    ),
    (
        Stance.PERMITS,
        r"may|can|allowed|permitted|free to|(?:fine|ok|okay) to|welcome to|(?:is|are) (?:fine|ok|okay)|"
        r"go ahead|freely|"
        r"agreed to|wants? (?:to|it|them)",
    ),
    (
        Stance.DEMANDS,
        r"must|always|should|shall|ensure\w*|make sure|needs? to|ha(?:s|ve) to|requir\w+|mandatory|every|"
        r"each|only|"
        r"insist\w*|asked|prefers?|muss|müssen|immer|doit|il faut|toujours|debe\w*|siempre",
    ),
)
_STANCE = tuple((stance, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for stance, pattern in _STANCES)
_FORBIDS_IN_CHINESE = re.compile("不|禁止|勿|别|別")
_CONTRAST = re.compile(r",\s+not\s[^.;]*")
"""The contrast in a rule, "must raise, not retry"; a summary may omit it."""
_REMINDER = re.compile(
    r"\b(?:never|don't|do not|nie|nicht|ne|nunca)\W+(?:[^\W\d]+\W+|`[^`]+`\W+){0,5}?"
    r"(?:forget|skip|omit|fail to|vergessen|oublie\w*|olvid\w*)\b",
    re.IGNORECASE,
)
"""A double negation: "never forget to"."""
_SKIPS_CONDITION = re.compile(r"\bwithout (?:wait\w*|ask\w*|any|my|the|a|an|prior|further)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[;:]\s+|,\s+(?=(?:but|and|so|while|then|never|not|do|don't|always|only|yet|without)\b)|"
    r"\s+(?:but|while|whereas|although)\s+|\s[–—]\s|\s-\s",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"\b(?:assistant|agent|model|AI)(?:'s)?\b(?: (?:itself|has|had|then|also))? "
    r"(?:wants?|wanted|asked|insist\w*|requir\w+|prefers?|preferred|request\w*|ruled|forbade|demand\w*|"
    r"wish\w*|rule|demand)\b",
    re.IGNORECASE,
)
_BEFORE_IT = re.compile(
    r"(?:\b(?:do not|don't|never|no need to|needn't|not|no longer|don't have to|not necessary to|stop|"
    r"refuse[sd]? to)\b"
    r"[\s\"'“`]*(?:\w+ )?)$",
    re.IGNORECASE,
)


def clauses(sentence: str) -> Iterator[str]:
    """Yield the parts of a sentence that have a sense of their own."""
    yield from filter(None, map(str.strip, _CLAUSE.split(sentence.replace("’", "'"))))


def stance(clause: str) -> Stance:
    """Return the first stance of the table that a clause takes."""
    plain = _REMINDER.sub("always ", _CONTRAST.sub("", clause.replace("’", "'")))
    for found, pattern in _STANCE:
        if pattern.search(plain):
            return found
    return Stance.FORBIDS if _FORBIDS_IN_CHINESE.search(plain) else Stance.NONE


def skips_condition(clause: str) -> bool:
    """Return whether a clause does without what a rule waits for: "merge without waiting for my review"."""
    others = _SKIPS_CONDITION.sub("", clause)
    return others != clause and stance(others) not in (Stance.FORBIDS, Stance.ON_CONDITION)


def speaks_of_the_model(sentence: str) -> bool:
    """Return whether a sentence gives a demand to the model instead of the person."""
    return bool(_MODEL.search(sentence))


def is_negated_before(text: str) -> bool:
    """Return whether a text ends with a negation of what follows."""
    return bool(_BEFORE_IT.search(text.replace("’", "'")))


class FileDeed(StrEnum):
    CHANGED = "changed"
    READ = "read"


_NOT = r"(?:\b(?:not|never|n't|no|without|un)\s?(?:been |be |being )?)"
_DEEDS = re.compile(
    rf"(?P<not>{_NOT})?\b(?:(?P<changed>edit\w*|modif\w+|chang(?:e[sd]?|ing)|updat\w+|wr[io]t\w*|creat\w+|"
    rf"add(?:s|ed|ing)?|"
    r"fix(?:ed|es|ing)?|patch\w*|rewr\w+|replac\w+|remov\w+|delet\w+|renam\w+|mov(?:ed|ing)|refactor\w*|"
    r"implement\w*)|"
    r"(?P<read>read(?:s|ing)?|view\w*|open(?:ed|ing)?|look(?:ed|ing)? (?:at|into)|inspect\w*|consult\w*|"
    r"stud(?:y|ied)|"
    r"review\w*|examin\w*)|(?P<kept>untouched|unchanged|unmodified|as[- ]is|alone))\b",
    re.IGNORECASE,
)


_PASSIVE = re.compile(r"[`\"')]*(?: (?:was|were|is|has|have|had|been|only|just|left|being|not|then))+ ")


def file_deed(clause: str, place: int, length: int) -> FileDeed | None:
    """Return what a clause says was done to the name at ``place``: the nearest verb before it, else after."""
    before = [match for match in _DEEDS.finditer(clause) if match.end() <= place]
    after = [match for match in _DEEDS.finditer(clause) if match.start() >= place + length]
    passive = [match for match in after[:1] if _PASSIVE.fullmatch(clause[place + length : match.start()])]
    for match in (*passive, *before[-1:], *after[:1]):
        if match["kept"] or (match["changed"] and match["not"]):
            return FileDeed.READ
        if match["changed"] and not match["not"]:
            return FileDeed.CHANGED
        if match["read"] and not match["not"]:
            return FileDeed.READ
    return None


_STATES = (
    (True, r"fixed|resolved|solved|gone|green|repaired|cured|no longer (?:fails?|occurs?|happens?|crash\w*)|"
     r"(?:all|every) (?:\w+ )?(?:tests?|checks?|suites?)(?: now)? (?:pass\w*|succeed\w*|(?:is|are) green)|"
     r"works? (?:now|again)|"
     r"done|complet\w+|finished|closed|merged|shipped|deployed|\[x\]|behoben|erledigt|corrigé|resuelto"),
    (False, r"still (?:fails?|failing|open|broken|red|occurs?|happens?|to do|missing)|open|pending|"
     r"unresolved|unsolved|"
     r"not (?:yet )?(?:fixed|resolved|done|started|finished|complete\w*)|fails?|failing|remains?|remaining|"
     r"to ?do|todo|"
     r"in[ _-]progress|outstanding|next|left|\[ \]|offen|noch nicht"),
)  # fmt: skip
_STATE = tuple((done, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)) for done, pattern in _STATES)
_NOT_DONE = re.compile(r"\b(?:not|n't|never|nothing|isn't|wasn't|un)\s?(?:yet |been |be )*$", re.IGNORECASE)


def is_done(sentence: str) -> bool | None:
    """Return whether a sentence calls a thing done (True) or open (False); None for neither or both."""
    found = set[bool]()
    for done, pattern in _STATE:
        for match in pattern.finditer(sentence):
            is_denied = done and _NOT_DONE.search(sentence[: match.start()])
            found.add(done and not is_denied)
    return found.pop() if len(found) == 1 else None


_LEFT_FIRST = (
    r"instead of|rather than|in place of|over|before|ahead of|prior to|replac(?:es|ing)|,? not|,? and not"
)
_RELATIONS = (  # the first that fits
    re.compile(r"^(?:[\w ]+ )?(?:replaced?|(?:switched|moved|migrated) from|swapped|instead of)\s+(?P<b>.*?)"
               r"(?:,| with| by| to| for| →)\s+(?P<a>.*)$", re.IGNORECASE),
    re.compile(rf"^(?P<a>.*?)\s(?:{_LEFT_FIRST})\s+(?P<b>.*)$", re.IGNORECASE),
    re.compile(r"^(?:first|after)\s+(?P<a>.*?),?\s+(?:then\s+)?(?P<b>.*)$", re.IGNORECASE),
    re.compile(r"^(?P<b>.*?)\s(?:after|following)\s+(?P<a>.*)$", re.IGNORECASE),
)  # fmt: skip
_GROUND = re.compile(r",?\s+(?:because|since|as|due to|so that|which)\b")
_PART = re.compile(r"[\w./-]*\w")
_SMALL_WORDS = "a an the to of in on for with by and or is are was it its we i they use used using run"
_SMALL = frozenset(_SMALL_WORDS.split())


def without_ground(sentence: str) -> str:
    """Return a sentence up to "because", "since" and the like."""
    return _GROUND.split(sentence)[0] or sentence


def order_of(sentence: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words chosen and those rejected, or the earlier and the later ones; None without order."""
    plain = without_ground(sentence).strip().rstrip(".!")
    for pattern in _RELATIONS:
        if match := pattern.match(plain):
            first, second = (frozenset(_PART.findall(match[side].lower())) for side in ("a", "b"))
            return first - second, second - first
    return None


def is_reversed(source: str, sentence: str) -> bool:
    """Return whether two sentences put the same things in opposite order."""
    ours, theirs = order_of(source), order_of(sentence)
    if ours is None or theirs is None:
        return False
    crossed = len(ours[0] & theirs[1] - _SMALL) + len(ours[1] & theirs[0] - _SMALL)
    straight = len(ours[0] & theirs[0] - _SMALL) + len(ours[1] & theirs[1] - _SMALL)
    return crossed >= 2 and crossed > straight
