"""Constraints and revocations in user text, and which constraints still hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.facts.listed_facts import listed
from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentences import sentences

_MAX_LENGTH = 400
_LONG_TEXT = 1500  # a message beyond this many characters is mostly pasted
_APOSTROPHE = str.maketrans("’", "'")

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
    r"no debes|nunca|debe[ns]?)\b|(?:請勿|请勿|不要|不可|不能|必須|必须|務必|务必|禁止|一定要|只能)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(only|exactly|instead of|(?<=, )not (?:in|on|with|by|from)|but not|should(?:n't)?|prefer(?:s|red|"
    r"ably)?|keep|"
    r"leave|stop (?:using|doing)|not correct|is wrong|I'd (?:prefer|rather)|(?:he|she|they|"
    r"\w+) wants? (?:the|to|it|all)|"
    r"insists?|expects?|want (?:it|the|all|this|that|them|every)\b|want to use|"
    r"(?:has|have|needs?) to (?:be|stay|work|run|fit|remain)|needs? (?:a|an|clear|explicit)\b|"
    r"(?:keeps|stays?|remains?) (?:its|the|their|as|at|in|un\w+|private|public)|"
    r"in full|the full|single \w+ to|belongs? in|are justified|"
    r"[~≤<≈]? ?\d+ (?:words|characters|lines|chars|tokens) (?:total|max\w*)|"
    r"(?:max(?:imum)?|up to|below|under|within) \d[\d.,]*|darf|sollen?|nur)\b|"
    r"(?:希望|應該|应该|最好|統一成|统一成|改成)",
    re.IGNORECASE,
)
_INSTRUCTS = re.compile(
    r"^\W*(?:(?:use|prefer|keep|follow|write|wrap|put|include|provide|respect|ask|verify|treat|omit|limit|"
    r"start|translate|rewrite|capture|publish|push|merge|create|commit|return|report|respond|answer|"
    r"enumerate|document|audit|research|confirm|inspect|grep|gather|check|edit|modify|do|run|re-?run|"
    r"follow)\b(?! of\b)"
    r"|you (?:issue|can|may|cannot|should)\b)",
    re.IGNORECASE,
)
"""Sentences that begin as an order, in a text that instructs."""
_RULES_HEAD = re.compile(
    r"^(?=\s*[#*]|.*:$)[#*\d.) ]*(?:[\w'’-]+ ){0,4}(?:rules|conventions|constraints|guidelines|requirements|"
    r"goals|non-goals|out of scope|must(?: not)?|policy|policies|security|(?:acceptance|success) criteria|"
    r"règles|consignes|instructions|regeln|anforderungen|reglas|requisitos)\b.{0,40}$",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:(?:please )?(?:(?:use|write|put|run|take|make)\b[^.;]*, not\b|(?:cap|limit|restrict)\b|"
    r"rather [a-z]+ (?:the|a|an|it)\b|"
    r"(?:every|each)\b.*\b(?:needs?|gets?|has|goes|belongs|requires?)\b|"
    r"all new\b.*\b(?:goes|go|belongs?|needs?)\b|"
    r"(?!(?:it|this|that|there|they|we|you|i)\b)\w+(?: \w+){0,2} may not (?!be\b|work|need|have)\w+))",
    re.IGNORECASE,
)
"""Sentences that begin as an order."""
_DESCRIBES = re.compile(
    r"\b(?!(?:you|we|please|and|but|so|or|then|also|just|again|still|that)\b)(?<!, )[a-z]\w+s`? (?:don't|"
    r"do not)\b|"
    r"\b(?:these|those|they|who|which|that|so (?:that )?you|so (?:that )?we) (?:don't|do not|never|cannot)\b|"
    r"\bI (?:don't|do not|cannot|never) (?!want|like|need|wish|allow|accept)\w+|"
    r"\bshould(?:n't)? have (?:been|\w+ed)\b|\bnever (?:on|in|at|from) (?:my|our|his|her|the|this|that)\b|"
    r"\b(?:who|which|that|they|it|I|is|are|was|were|has|have) only (?!to\b|allowed|permitted)|"
    r"\(\w+ only\)|\b(?:there's|there (?:is|are|was|were)) only\b|"
    r"\bgoes without saying\b|\bwithout (?:success|luck|any luck)\b",
    re.IGNORECASE,
)
"""Descriptions of events or facts, which contain no demand."""
_NONE_OF = re.compile(
    r"(?:^|[,;] )no (?!sign|trace|evidence|reply|answer|problem|"
    r"worr|idea|luck|error|thank|one|rush|longer|doubt|wonder|way|clue|hurry|need|change|"
    r"it\b|that|i\b|i'|we|you|he|she|they|this|there|result|output|difference|matter|pun)"
    r"[\w-]+(?: [\w-]+){0,8}(?:, please)?[.!]?$",
    re.IGNORECASE,
)
"""A ban in a list of rules: "No new dependencies."."""
_FOUND = re.compile(r"\b(?:found|exists?|were|is|are|was|has|have|happen\w*|left)\b", re.IGNORECASE)
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
_THINKS = re.compile(
    r"\b(I don't (?:know|think|see|understand|care|mind)|don't worry|I'm not sure|I'?m wondering|I wonder)\b",
    re.I,
)
_LIFTS = re.compile(
    r"\b(forget|ignore|disregard|scrap|revoke|lift|drop|cancel|never ?mind|withdraw)\b.{0,60}"
    r"\b(rule|constraint|instruction|restriction|requirement|said|about|limit|ban)\b"
    r"|\b(no longer (?:applies|needed|required|holds)|(?:doesn't|does not) apply|"
    r"changed my mind about|hat sich erledigt|gilt nicht mehr|ist hinfällig|"
    r"n'est plus nécessaire|ne s'applique plus|ya no (?:hace falta|aplica))\b",
    re.IGNORECASE,
)
_PERMITS = re.compile(
    r"\b(you (?:can|may)|feel free to|"
    r"it'?s (?:ok|okay|fine|allowed) to|(?:is|are) (?:fine|ok|okay|allowed))\b"
    r".*\b(now|any ?more|after all|again|from now on)\b|\b(?:is|are) now (?:fine|ok|okay|allowed)\b",
    re.IGNORECASE,
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


def lifts(text: str) -> bool:
    """Return whether a text takes something back."""
    return bool(_LIFTS.search(text.translate(_APOSTROPHE)))


def rule_candidates(text: str, index: int, *, instructs: bool = False) -> Iterator[Fact]:
    """Yield constraints and revocations in the user's sentences, verbatim; one whose object is a mere pronoun
    takes the sentence before it along. ``instructs``: the text is a file of rules or a system prompt."""
    is_pasted = len(text) > _LONG_TEXT
    items = listed(text, _RULES_HEAD, is_direct=True)
    list_items = frozenset(words for item in items for words in sentences(item))
    before = ""
    for sentence in sentences(text, headings=False):
        previous, before = before, sentence
        if len(sentence) >= _MAX_LENGTH:
            continue
        normalised = sentence.translate(_APOSTROPHE)
        if _LIFTS.search(normalised) or _PERMITS.search(normalised):
            yield Fact(FactCategory.REVOCATION, _key(normalised), sentence, index, index)
            continue
        state = _strength(normalised) or (FactState.WEAK if sentence in list_items else FactState.NONE)
        if not state and (instructs or is_pasted) and _INSTRUCTS.match(normalised):
            state = FactState.WEAK
        opens_list = normalised.endswith(":") and not (instructs and state is FactState.STRONG)
        if state and not opens_list:
            whole = f"{previous} {sentence}" if _lacks_object(normalised) and previous else sentence
            yield rule_fact(whole[-_MAX_LENGTH:], index, FactState.LONG if is_pasted else state)


def _lacks_object(sentence: str) -> bool:
    """Return whether a rule names nothing but a pronoun: "Leave it.", "Don't do that."."""
    return len(_words(sentence)) <= 1 and bool(_PRONOUN.search(sentence))


def rule_fact(sentence: str, index: int, state: FactState) -> Fact:
    """Return a constraint as a fact; the same demand with another number or polarity has the same key."""
    return Fact(
        FactCategory.CONSTRAINT, _key(sentence.translate(_APOSTROPHE)), sentence, index, index, state=state
    )


def rule_strength(sentence: str) -> FactState:
    """Return STRONG, WEAK or NONE for a sentence of an earlier summary."""
    return _strength(sentence.translate(_APOSTROPHE))


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
    return replace(fact, first=older.first if same else fact.first, count=older.count + fact.count)


def _strength(plain: str) -> FactState:
    if _THINKS.search(plain) or len(plain) < 8 or _ASKS_ITSELF.search(plain):
        return FactState.NONE
    is_order = _REQUESTS.match(plain) and _STRONG.search(plain)
    if plain.endswith("?") and not is_order and (_ASKS.match(plain) or not _FORBIDS.search(plain)):
        return FactState.NONE
    if _NONE_OF.search(plain) and not _FOUND.search(plain):
        return FactState.STRONG
    if _DESCRIBES.search(plain):
        plain = _DESCRIBES.sub("", plain)
    if _STRONG.search(plain):
        return FactState.STRONG
    return FactState.WEAK if _WEAK.search(plain) or _ORDERS.match(plain) else FactState.NONE


def _words(text: str) -> frozenset[str]:
    plain = text.translate(_APOSTROPHE).lower()
    return frozenset(word for word in _WORD.findall(plain) if word not in _EMPTY and not word[0].isdigit())


def _key(plain: str) -> str:
    found = (word for word in _WORD.findall(plain.lower()) if word not in _EMPTY and not word[0].isdigit())
    return " ".join(dict.fromkeys(found)) or plain.lower()


def _revokes(revocation: Fact, constraint: Fact) -> bool:
    """Return True if a revocation lifts a constraint; in doubt False, since a lost rule does more harm."""
    lift = _LIFTS.search(revocation.text)
    is_order = lift is not None and lift[1] is not None
    lifting = (
        re.split(r"[,;] | and ", revocation.text[lift.start() :])[0]
        if is_order and lift
        else (revocation.text)
    )
    revoked_words, rule_words = _words(lifting), _words(constraint.text)
    if _LIFTS.search(revocation.text) and set(_NUMBER.findall(revocation.text)) & set(
        _NUMBER.findall(constraint.text)
    ):
        return True
    shared_count = len(revoked_words & rule_words)
    if not shared_count:
        return False
    if _LIFTS.search(revocation.text):
        return shared_count == len(revoked_words) or shared_count / len(rule_words) >= 0.6
    return bool(_NEGATIVE.search(constraint.text)) and shared_count / len(rule_words) > 0.5
