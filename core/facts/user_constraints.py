"""Constraints and revocations in user text, and which constraints still hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentence_cues import CONSTRAINT_CUES, accepts, sentence_cues
from core.facts.sentences import CACHED_TEXTS, authored_prose, lower_case, prose_sentences

_MAX_LENGTH = 400
_LONG_TEXT = 1500  # a message beyond this many characters is mostly pasted
_SHORT_TEXT = 7  # sentences; how many fewer there are tells nothing
_IN_LONG_TEXT, _IN_RULES, _DEMAND = "<long text>", "<rules>", "<demand>"  # cues
_INSTRUCTING_FILE = re.compile(
    r"(?:^|[\\/])(?:(?:AGENTS|CLAUDE|GEMINI|QWEN|CONVENTIONS|SKILL|copilot-instructions)\.md|"
    r"\.(?:cursor|cline|windsurf)rules|"
    r"\.(?:agents|claude|clinerules|codex|cursor|gemini|roo|windsurf)[\\/].*\.mdc?)$",
    re.IGNORECASE,
)
_LINE_NUMBER = re.compile(r"^ *\d+[→\t]", re.MULTILINE)

_STRONG = re.compile(
    r"\b((?:ask|check with|consult|tell) (?:me|us|first|\w+(?: \w+){0,2} (?:before|first))|"
    r"(?:hold|wait|pause)\b[^.?]{0,60}\b(?:until|for (?:my|the|\w+'s))|everywhere|throughout|at all times|"
    r"from now on|it(?:'s| is) (?:important|crucial|essential|vital)|"
    r"don't|dont|do not|never|must|always|make sure|be sure to|"
    r"ensure|avoid|no need|not allowed|forbidden|"
    r"prohibited|mandatory|off limits|hands off|(?:is|are|be) required|required to|please not|mustn't|"
    r"cannot|can't|"
    r"shall|under no circumstances|let's not|without|(?:can|may) only|only (?:after|when|if|with|once)|"
    r"at (?:most|least)|no (?:more|less|fewer|longer|later) than|or (?:fewer|less)|"
    # German, French, Spanish
    r"tu dois|vous devez|interdit\w*|obligatoire|uniquement|seulement|jamais|keinesfalls|"
    r"ausschließlich|kein\w* \w+|"
    r"bitte nicht|nicht (?:ver)?änder\w+|prohibid\w+|obligatori\w+|únicamente|hay que|tiene que|"
    r"niemals|darf(?:st)? nicht|dürfen nicht|nicht ohne|muss|müssen|ne \w+ (?:pas|jamais)|il faut|doit|"
    r"doivent|"
    r"no debes|nunca|debe[ns]?)\b|(?:請勿|请勿|不要|不可|不能|必須|必须|務必|务必|禁止|一定要|只能)"
)
"""Of a text in lower case, as are those below without a flag."""
_PREFERS = re.compile(r"\b(?:prefers?|wants|(?:'d|would) rather)\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PRONOUN = re.compile(r"\b(?:it|that|this|those|them|so)\b", re.IGNORECASE)
_FORBIDS = re.compile(r"\b(don't|dont|do not|never|must not|mustn't|avoid)\b", re.IGNORECASE)
_REQUESTS = re.compile(r"(?:please )?(?:can|could|would|will) you\b", re.IGNORECASE)
"""A question that is an order."""
_ASKS = re.compile(
    r"^(?:why|how|what|when|where|who|which|is|are|was|do|does|did|should|can|could|would)\b", re.I
)
_ASKS_ITSELF = re.compile(r"\?[*_\"')]* *(?:→|->|=>|[-–—:] )|^[\w ]{3,40}: only (?!if|when|after|use)\w+ ")
"""A question with its answer, or a property of a thing: "Cache: only names at startup"."""
_OUTPUT = re.compile(r"^\W*(?:[\w.]*(?:Error|Exception|Warning)\b: |(?:FAILED|PASSED|ERROR|SKIPPED)\b )")
"""A line of a test run or a stack trace."""
_THINKS = re.compile(
    r"\b(I don't (?:know|think|see|understand|care|mind)|don't worry|I'm not sure|I'?m wondering|I wonder)\b",
    re.I,
)
_LIFTS = re.compile(
    r"\b(forget|ignore|disregard|scrap|revoke|lift|drop|cancel|never ?mind|withdraw)\b.{0,60}"
    r"\b(rule|constraint|instruction|restriction|requirement|said|about|limit|ban)\b"
    r"|\b(no longer (?:applies|needed|required|holds)|(?:doesn't|does not) apply|"
    r"changed my mind about|hat sich erledigt|gilt nicht mehr|ist hinfällig|"
    r"n'est plus nécessaire|ne s'applique plus|ya no (?:hace falta|aplica))\b"
)
_PERMITS = re.compile(
    r"\b(you (?:can|may)|feel free to|"
    r"it'?s (?:ok|okay|fine|allowed) to|(?:is|are) (?:fine|ok|okay|allowed))\b"
    r".*\b(now|any ?more|after all|again|from now on)\b|\b(?:is|are) now (?:fine|ok|okay|allowed)\b"
)
_NEGATIVE = re.compile(
    r"\b(don't|dont|not|never|no|avoid|mustn't|shouldn't|without|stop|forbidden|cannot)\b", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z_][\w./-]*[\w/]|[A-Za-z]|\d+(?:\.\d+)*")
_EMPTY_WORDS = """
a an the and or of to in on for with at by from as is are be it this that these those i you we they he she
my your our their me us please do does don't dont not never no always must should shouldn't only make sure
avoid need keep leave use used using prefer required allowed can may will would could now then so just also
any all every each rule rules constraint instruction restriction said about what forget ignore disregard
scrap drop lift revoke cancel fine ok okay actually longer anymore again after free feel requirement earlier
previous mind changed ban without want like thing things stuff business
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


@lru_cache(maxsize=CACHED_TEXTS)
def rule_candidates(text: str, *, instructs: bool = False) -> tuple[Fact, ...]:
    """Return constraints and revocations in the user's sentences, verbatim, as of message 0; one whose object
    is a mere pronoun takes the sentence before it along. ``instructs``: the text is a file of rules or a
    system prompt."""
    found: list[Fact] = []
    before = ""
    for sentence, cues in constraint_sentences(text, instructs=instructs):
        previous, before = before, sentence
        if len(sentence) >= _MAX_LENGTH:
            continue
        plain = lower_case(sentence)
        if _LIFTS.search(plain) or _PERMITS.search(plain):
            found.append(Fact(FactCategory.REVOCATION, _key(plain), sentence, 0, 0))
        elif cues and accepts(CONSTRAINT_CUES, cues):
            whole = f"{previous} {sentence}" if _lacks_object(plain) and previous else sentence
            state = FactState.LONG if _IN_LONG_TEXT in cues else rule_strength(sentence)
            found.append(rule_fact(whole[-_MAX_LENGTH:], 0, state))
    return tuple(found)


def file_rules(path: str, text: str) -> tuple[Fact, ...]:
    """Return the demands of a file that instructs agents, which a tool has read; none of other files."""
    return _demands(text) if _INSTRUCTING_FILE.search(path) else ()


@lru_cache(maxsize=CACHED_TEXTS)
def _demands(text: str) -> tuple[Fact, ...]:
    prose = authored_prose(_LINE_NUMBER.sub("", text))
    found = constraint_sentences(prose, instructs=True, demands_only=True)
    return tuple(
        rule_fact(sentence, 0, FactState.READ)
        for sentence, cues in found
        if cues and accepts(CONSTRAINT_CUES, cues)
    )


def constraint_sentences(
    text: str, *, instructs: bool = False, demands_only: bool = False
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield all sentences, and the cues of those that can state a constraint, or only of those that demand in
    so many words."""
    found = prose_sentences(text)
    count, is_long = max(len(found), _SHORT_TEXT), len(text) > _LONG_TEXT
    context = (*([_IN_LONG_TEXT] if is_long else []), *([_IN_RULES] if instructs else []))
    for sentence, is_item in found:
        plain, lowered = sentence.replace("’", "'"), lower_case(sentence)
        demands = (_STRONG.search(lowered) or _PREFERS.search(lowered)) is not None
        opens_list = plain.endswith(":") and not (demands and (instructs or is_long))
        is_skipped = opens_list or (demands_only and not demands) or _OUTPUT.match(plain) is not None
        if len(plain) >= _MAX_LENGTH or is_skipped or _asks(plain, demands=demands):
            yield sentence, frozenset()
        else:
            demand = (_DEMAND,) if demands else ()
            yield sentence, sentence_cues(plain, *context, *demand, is_item=is_item, count=count)


def _asks(plain: str, *, demands: bool) -> bool:
    """Return whether a sentence only asks or wonders."""
    if _THINKS.search(plain) or len(plain) < 8 or _ASKS_ITSELF.search(plain):
        return True
    is_order = demands and _REQUESTS.match(plain)
    return plain.endswith("?") and not is_order and bool(_ASKS.match(plain) or not _FORBIDS.search(plain))


def _lacks_object(sentence: str) -> bool:
    """Return whether a rule names nothing but a pronoun: "Leave it.", "Don't do that."."""
    return len(_words(sentence)) <= 1 and bool(_PRONOUN.search(sentence))


def rule_fact(sentence: str, index: int, state: FactState) -> Fact:
    """Return a constraint as a fact; the same demand with another number or polarity has the same key."""
    return Fact(FactCategory.CONSTRAINT, _key(lower_case(sentence)), sentence, index, index, state=state)


def rule_strength(sentence: str) -> FactState:
    """Return STRONG or WEAK for a constraint."""
    return FactState.STRONG if _STRONG.search(lower_case(sentence)) else FactState.WEAK


def final_rules(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return the newest constraint of each key, and the revoked ones with the state REVOKED. A permission
    that clearly lifts no constraint becomes a constraint itself if it concerns the same thing, so that the
    reader sees both."""
    in_order = sorted(facts, key=lambda fact: fact.first)
    valid: dict[str, Fact] = {}
    revoked: list[Fact] = []
    by_word: dict[str, set[str]] = {}
    for fact in in_order:
        if fact.category is FactCategory.CONSTRAINT:
            older = valid.pop(fact.key, None)
            valid[fact.key] = _newer(older, fact)
            for word in _words(fact.text):
                by_word.setdefault(word, set()).add(fact.key)
            continue
        related = {key for word in _words(fact.text) for key in by_word.get(word, ()) if key in valid}
        lifted = sorted(key for key in related if _revokes(fact, valid[key]))
        revoked += [replace(valid.pop(key), state=FactState.REVOKED, last=fact.last) for key in lifted]
        if related and not lifted:
            valid[fact.key] = replace(fact, category=FactCategory.CONSTRAINT, state=FactState.WEAK)
    return (*valid.values(), *revoked)


def _newer(older: Fact | None, fact: Fact) -> Fact:
    if older is None:
        return fact
    same = older.text == fact.text
    state = older.state if fact.state is FactState.READ else fact.state
    first = older.first if same else fact.first
    return replace(fact, first=first, count=older.count + fact.count, state=state)


def _words(text: str) -> frozenset[str]:
    return frozenset(_telling_words(lower_case(text)))


def _key(plain: str) -> str:
    return " ".join(dict.fromkeys(_telling_words(plain))) or plain


def _telling_words(plain: str) -> Iterator[str]:
    return (word for word in _WORD.findall(plain) if word not in _EMPTY and not word[0].isdigit())


def _revokes(revocation: Fact, constraint: Fact) -> bool:
    """Return True if a revocation lifts a constraint; in doubt False, since a lost rule does more harm."""
    text = revocation.text.lower()
    lift = _LIFTS.search(text)
    lifting = re.split(r"[,;] | and ", text[lift.start() :])[0] if lift and lift[1] else text
    revoked_words, rule_words = _words(lifting), _words(constraint.text)
    if lift and set(_NUMBER.findall(text)) & set(_NUMBER.findall(constraint.text)):
        return True
    shared_count = len(revoked_words & rule_words)
    if not shared_count:
        return False
    if lift:
        return shared_count == len(revoked_words) or shared_count / len(rule_words) >= 0.6
    return bool(_NEGATIVE.search(constraint.text)) and shared_count / len(rule_words) > 0.5
