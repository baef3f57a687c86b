"""What a sentence says about the things it names: forbids or asks, changed or read, open or done, which
before which. Tables of patterns; in German, French, Spanish and Chinese only what forbids and lifts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from core.analysis.fidelity.fact_texts import stems

_WORD = re.compile(r"\w+")


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
        r"not only|(?:any|every)(?:one|body) (?:may|can|is|but)|regardless of|"
        r"no longer (?:needed|required|necessary|appl\w+|holds?|valid|forbidden|off[- ]limits|in force|"
        r"(?:has|have) to|must|matters?)|"
        rf"(?:withdr[ae]w\w*|lift(?:s|ed)?|revok\w+|cancell?ed|(?:took|taken|takes) back|overrul\w+|"
        rf"waived?|relaxed|"
        rf"dropped|removed|scrapped|retracted)\b(?: \w+){{0,3}} {_RULE}|"
        rf"\b{_RULE}\b.{{0,60}}\b(?:withdrawn|lifted|revoked|cancelled|dropped|waived|retracted|no longer|"
        rf"gone|void)|"
        r"(?:withdrew|withdrawn|lifted|revoked|took back) (?:it|that|this)|"
        r"do(?:es)?(?:n't| not) (?:apply|matter|have to|require|need(?: to)?)|need(?:n't| not)|no need|"
        r"(?:not|n't) (?:required|necessary|needed|mandatory|forbidden|off[- ]limits)|optional|"
        r"(?:is|are) now (?:fine|ok|okay|allowed)|aufgehoben|nicht mehr (?:nötig|verboten)|plus nécessaire|"
        r"ya no",
    ),
    (
        Stance.ON_CONDITION,
        r"only (?:\w+ )?(?:after|when|if|with|once|by|from|upon)|"
        r"only (?:\w+ ){1,3}(?:may|can|(?:is|are) (?:allowed|"
        r"permitted|free))|(?:nobody|no one|none|no-one) (?:but|except|other than)|reserved (?:for|to)|"
        r"exclusively|(?:for|by) (?:\w+ ){1,2}alone|(?:not|\w+n't|never|no)\b.{0,80}\b(?:without|until|"
        r"before|unless)|"
        r"unless|(?:ask|consult|check with|tell)\w* (?:\w+ ){0,3}(?:first|before)|"
        r"(?:hold|wait|pause|stop)\w*\b.{0,40}\b(?:until|for)|"
        r"requires? (?:my|the user's|their|his|her|a|an|prior)|"
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
        r"unedited|alone|intact|(?<!long )as (?:it|they) (?:is|are|was|were)|free of|"
        r"(?:stay|stays|keep|keeps|kept|left|leave) (?:[\w`/.-]+ ){0,4}(?:out|away|off|clear|alone)|"
        r"refrain\w*|ruled out|unwanted|undesired|unwelcome|refused|rejected|"
        r"without|nothing|none|not|no|stop|nor|neither|excluded?|"
        r"nichts?|kein\w*|niemand|niemals|nie|weder|tabu|ne|pas|jamais|rien|aucune?|interdit\w*|nunca|jamás|nada|"
        r"ningun[oa]|prohibid\w*|intocable",
    ),
    (
        Stance.PERMITS,
        r"may|can|allowed|permitted|free to|(?:fine|ok|okay) to|welcome to|(?:is|are) (?:fine|ok|okay)|"
        r"go ahead|freely|tolerated|acceptable|erlaubt|dürfen|darf|können|kannst|toléré\w*|"
        r"autorisé\w*|permis\w*|"
        r"agreed to|wants? (?:to|it|them)",
    ),
    (
        Stance.DEMANDS,
        r"must|always|should|shall|(?:is|are) to|soll(?:en|te)?|ensure\w*|make sure|needs? to|"
        r"ha(?:s|ve) to|requir\w+|mandatory|every|"
        r"each|only|"
        r"insist\w*|asked|prefers?|muss|müssen|immer|doit|il faut|toujours|debe\w*|siempre",
    ),
)
_STANCE = tuple((stance, re.compile(rf"\b(?:{pattern})\b")) for stance, pattern in _STANCES)
"""Of a text in lower case, as are those below without a flag."""
_ONLY_SOMEBODY = re.compile(r"\b(?i:only) [A-Z]\w+ \w+s\b")
_FORBIDS_IN_CHINESE = re.compile("不|禁止|勿|别|別")
_CONTRAST = re.compile(r"(?:,\s+|\()not\s[^.;)]*")
"""The contrast in a rule, "must raise, not retry"; a summary may omit it."""
_ANSWER = re.compile(r"^\W*(?:no|yes|nein|ja|non|oui|sí),\s", re.IGNORECASE)
_REMINDER = re.compile(
    r"\b(?:never|don't|do not|nie|nicht|ne|nunca)\W+(?:[^\W\d]+\W+|`[^`]+`\W+){0,5}?"
    r"(?:forget|skip|omit|fail to|vergessen|oublie\w*|olvid\w*)\b"
)
"""A double negation: "never forget to"."""
_SKIPS_CONDITION = re.compile(
    r"\b(?:without (?:wait\w*|ask\w*|any|my|the|a|an|prior|further)|ohne (?:rück\w+|zu|vorherige\w*)|"
    r"sans (?:attendre|demander)|sin (?:esperar|preguntar))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:]\s+|,\s+(?=(?:but|and|so|while|then|never|not|do|don't|always|only|yet|without)\b)|"
    r"\s+(?:but|while|whereas|although|während|aber|alors que|tandis que|mais|mientras|pero)\s+|"
    r"\s[–—]\s|\s-\s",
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
    clause = _ANSWER.sub("", clause)
    plain = _CONTRAST.sub("", _LIMIT.sub("at", clause.replace("’", "'")))
    lowered = _REMINDER.sub("always ", plain.lower())
    for found, pattern in _STANCE:
        if pattern.search(lowered) or (found is Stance.ON_CONDITION and _ONLY_SOMEBODY.search(plain)):
            return found
    return Stance.FORBIDS if _FORBIDS_IN_CHINESE.search(plain) else Stance.NONE


_NEGATION = re.compile(
    r"\b(?:never|not(?! only)|no(?! (?:more|less|fewer|later) than)|without|neither|nor|nothing|nobody|none|"
    r"avoid\w*|forb[ai]d\w*|prohibit\w*|refrain\w* from|stop|refus\w+ to|nichts?|nie|niemals|kein\w*|ohne|"
    r"ne|n'|pas|jamais|sans|nunca|jamás|sin|cannot|dont)\b|n't\b"
)


def is_negated(clause: str) -> bool:
    """Return whether a clause has words after a negation."""
    plain = _REMINDER.sub("always ", _LIMIT.sub("at", clause.replace("’", "'")).lower())
    match = _NEGATION.search(plain)
    return match is not None and _WORD.search(plain, match.end()) is not None


def skips_condition(clause: str) -> bool:
    """Return whether a clause does without what a rule waits for: "merge without waiting for my review"."""
    others = _SKIPS_CONDITION.sub("", clause)
    return others != clause and stance(others) not in (Stance.FORBIDS, Stance.ON_CONDITION)


_KEEPS = re.compile(
    r"\b(?:stay|stays|remain\w*|keep\w*|kept|left(?! for| to| over)|leave\w*|retain\w*|preserve\w*|"
    r"intact|un(?:changed|touched)|"
    r"as[- ]is|as (?:it|they) (?:is|are|was|were))\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:remov|delet|drop|renam|chang|edit|modif|touch|alter|eras|rewrit|rewrot|mov|replac|overwr|updat|"
    r"re-?design|re-?work|adapt|adjust|(?:ver|ge)änder|änder|(?:ge|be)arbeit|modifi)\w*",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|longer|earlier|lower|higher) than\b", re.IGNORECASE
)
"""A limit, not a ban."""


def keeps(clause: str) -> bool:
    """Return whether a clause asks that a thing stays as it is."""
    return bool(_KEEPS.search(clause))


def changes(clause: str) -> bool:
    """Return whether a clause speaks of the change of a thing."""
    return bool(_CHANGES.search(clause.replace("unchanged", "")))


def keeps_what_changes(rule: str, clause: str) -> bool:
    """Return whether of two clauses one forbids a change and the other asks that a thing stays."""
    for first, second in ((rule, clause), (clause, rule)):
        if (
            _KEEPS.search(second)
            and not changes(second)
            and stance(second) is not Stance.LIFTED
            and not re.search(
                r"\b(?:not|n't|never|no) (?:be |to )?(?:stay|keep|remain|kept|left)", second, re.I
            )
            and (_KEEPS.search(first) or (_CHANGES.search(first) and stance(first) is Stance.FORBIDS))
        ):
            return stance(first) is not Stance.LIFTED
    return False


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
    r"implement\w*|alter\w*|touch\w*|amend\w*|adjust\w*|correct\w*|geändert|bearbeitet|geschrieben|"
    r"angelegt|erstellt|gelöscht|angepasst|créée?s?|corrigée?s?|modifiée?s?|ajoutée?s?|supprimée?s?|écrite?s?|"
    r"cread[oa]|modificad[oa]|editad[oa])|"
    r"(?P<read>read(?:s|ing)?|view\w*|open(?:ed|ing)?|look(?:ed|ing)? (?:at|into)|inspect\w*|consult\w*|"
    r"stud(?:y|ied)|"
    r"review\w*|examin\w*|gelesen|eingesehen|consultée?s?|lue?s?|leíd[oa]|served as input)|"
    r"(?P<kept>untouched|unchanged|unmodified|as[- ]is|alone))\b",
    re.IGNORECASE,
)


_PASSIVE = re.compile(r"[`\"')]*(?: (?:was|were|is|has|have|had|been|only|just|left|being|not|then|\w+ly))+ ")
_MAX_OBJECT_DISTANCE = 20  # characters between a verb and the file that it is about
_PART_END = re.compile(r",\s+|\s+and\s+|\s+und\s+|\s+et\s+")


def _part_around(clause: str, place: int, length: int) -> tuple[int, int]:
    """Return where the part of a clause around a name starts and ends."""
    ends = [match.end() for match in _PART_END.finditer(clause, 0, place)]
    next_end = _PART_END.search(clause, place + length)
    return (ends[-1] if ends else 0), (next_end.start() if next_end else len(clause))


def file_deed(clause: str, place: int, length: int) -> FileDeed | None:
    """Return what a clause says was done to the name at ``place``: the nearest verb before it, else after."""
    start, end = _part_around(clause, place, length)
    if _DEEDS.search(clause, start, end):
        clause, place = clause[start:end], place - start
    before = [match for match in _DEEDS.finditer(clause) if 0 <= place - match.end() <= _MAX_OBJECT_DISTANCE]
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
     r"done|complet\w+|finished|closed|merged|shipped|deployed|\[x\]|behoben|erledigt|corrigée?s?|"
     r"résolue?s?|resuelt[oa]s?|went away|gone away|applied"),
    (False, r"still (?:fails?|failing|open|broken|red|occurs?|happens?|to do|missing)|open|pending|"
     r"unresolved|unsolved|"
     r"not (?:yet )?(?:fixed|resolved|done|started|finished|complete\w*)|fails?|failing|remains?|remaining|"
     r"to ?do|todo|still (?:has|have|needs?) to|"
     r"in[ _-]progress|outstanding|next|left|\[ \]|offen|noch nicht"),
)  # fmt: skip
_STATE = tuple((done, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")) for done, pattern in _STATES)
_DONE_VERB = re.compile(
    r"\b(?:is|are|was|were|been|gets?|got)(?: (?:now|already|also|all|finally))? (\w+)|"
    r"^\W*(?:I|we)?\b ?(?:have |has )?(\w+ed|\w+en)\b",
    re.IGNORECASE,
)
_STILL_OPEN = re.compile(
    r"\bstill (?:\w+ ){0,2}?(?:fail|broken|open|crash|red\b|occur|happen|wrong|halt|stop|report|left|"
    r"block|not\b|"
    r"does(?:n't| not)|unable|unsolved|missing)|\bremains? (?:open|broken|unfixed)|\bpersists?\b|"
    r"\bunresolved|"
    r"\bnot (?:yet )?(?:been )?(?:fixed|resolved|solved)|\b(?:besteht|weiterhin|immer noch|"
    r"nach wie vor|bricht ab)\b|"
    r"\b(?:toujours|persiste|sigue|todavía)\b|\beven after\b",
    re.IGNORECASE,
)
_BANNED_VERB = re.compile(r"\b(?:never|not|n't|don't)\s+(?:ever )?([a-z]{3,})\b", re.IGNORECASE)


def is_called_open(sentence: str) -> bool:
    """Return whether a sentence says that a fault is still there, not merely that there was one."""
    return bool(_STILL_OPEN.search(sentence))


def does_what_is_banned(rule: str, clause: str) -> bool:
    """Return whether a clause says, as a habit, that what a rule bans is done."""
    verb = _BANNED_VERB.search(rule.replace("’", "'"))
    return bool(verb and re.search(rf"\b{verb[1]}e?s\b", clause, re.IGNORECASE))


def is_said_done(todo: str, clause: str) -> bool | None:
    """Return whether a clause calls a todo done: its state, else its verb as done to its object."""
    state = is_done(clause)
    if state is not None:
        return state
    verb = next(iter(_WORD.findall(todo)), "")
    for match in _DONE_VERB.finditer(clause):
        if stems(verb) & stems(match[1] or match[2]) and stance(clause) is not Stance.FORBIDS:
            return True
    return None


_NOT_DONE = re.compile(
    r"\b(?:not|n't|never|nothing|isn't|wasn't|un|no|nicht|pas)\s?(?:yet |been |be )*$|\b(?:until|once|"
    r"when|bis)\b[^,]*$"
)


def is_done(sentence: str) -> bool | None:
    """Return whether a sentence calls a thing done (True) or open (False); None for neither or both."""
    found, lowered = set[bool](), sentence.lower()
    for done, pattern in _STATE:
        for match in pattern.finditer(lowered):
            is_denied = done and _NOT_DONE.search(lowered[: match.start()])
            found.add(done and not is_denied)
    return found.pop() if len(found) == 1 else None
