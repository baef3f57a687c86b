"""Recognises an answer in which a model declines to write a summary."""

from __future__ import annotations

import re

_MAX_OTHER_WORDS = 60  # most words after the refusal, such as reasons and offers; a summary has more
_MARKUP = re.compile(r"</?[\w:.-]+>|^\s*(?:#{1,6}|\d+[.)]|[-*>])\s+|[*_`\"“”]", re.MULTILINE)
_ENDS = re.compile(r"(?<=[.!?:])\s+|\n+")
_NOT = (
    r"(?:can ?not|can't|could ?not|couldn't|(?:will not|won't)(?: be able to)?|would not"
    r"|(?:am|'m) (?:unable|not able|not allowed|not permitted|not comfortable|programmed not|prohibited from)"
    r"|(?:do not|don't) feel comfortable|(?:must|have to|need to) (?:decline|refuse)|decline|refuse)"
)
_DOING = (
    r"(?:help|assist|summari[sz]\w*|comply|complete|continu\w*|proceed\w*|fulfil\w*|process\w*|engage|respond"
    r"|answer|provid\w*|creat\w*|generat\w*|produc\w*|writ\w*|mak\w*|giv\w*|do|doing|condens\w*|compress\w*)"
)
_ADJECTIVE = r"(?: (?:entire|whole|full|following|above|given|detailed|concise|brief|requested|kind of))?"
_TASK = (
    rf"(?:\b(?:this|that|the|your|such|any|a){_ADJECTIVE} (?:summar\w+|snapshot|recap|requests?|conversation"
    r"|transcript|chat|dialogue|task|content|material|discussion)\b|\b(?:with|do|doing) (?:that|this|it|so)\b"
    r"|\b(?:help|assist|comply|continue|proceed|answer|respond|that|this|so)[.!,;:]?$"
    r"|\b(?:help|assist) you\b)"
)
_I_DO_NOT = re.compile(rf"\b(?:i|we) ?{_NOT}(?:,? (?!comply)\w+ly)? ?(?:to |from )?(?P<rest>.*)")
_WORK = re.compile(rf"^(?:\w+ ){{0,2}}?{_DOING}\b.*{_TASK}|^{_DOING}[.!,;:]?$|^{_TASK}")
_BARE = re.compile(rf"^(?:but )?i ?{_NOT}[.!]?$")
_RULED_OUT = re.compile(
    r"^(?:(?:this|that|the|your) (?:request|content|conversation|transcript|task)\b.{0,40}"
    r"\b(?:violates?|against|breach\w*)\b.{0,30}\b(?:polic\w+|guidelines|terms)"
    r"|(?:that|this)(?: is|'s) not something (?:that )?i(?:'m| am)? (?:can|able)"
    r"|request (?:denied|refused|declined|blocked)[.!]?$"
    r"|it (?:is|would be) (?:not possible|impossible|inappropriate|against)\b.{0,60}"
    r"\b(?:summar\w+|guidelines|this request|help|assist))"
)
_REGRET = re.compile(
    r"^(?:(?:i|we)(?:'m|'re| am| are) )?(?:so |very |really )?(?:sorry|afraid)\b|^i (?:do )?apologi[sz]e\b"
    r"|^(?:my )?apologies\b|^unfortunately\b|^no[.,!]?$|^as an? (?:ai|large|language)\b|^summary\b"
)


def is_refusal(text: str) -> bool:
    """Return whether an answer begins by declining the task and contains no summary."""
    sentences = [
        sentence
        for sentence in (_normalised(part) for part in _ENDS.split(_MARKUP.sub(" ", text)))
        if sentence
    ]
    opening = next((index for index, sentence in enumerate(sentences[:3]) if _declines(sentence)), None)
    if opening is None or not all(_REGRET.search(sentence) for sentence in sentences[:opening]):
        return False
    return sum(len(sentence.split()) for sentence in sentences[opening + 1 :]) <= _MAX_OTHER_WORDS


def _normalised(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).lower()


def _declines(sentence: str) -> bool:
    if _RULED_OUT.search(sentence) or _BARE.search(sentence):
        return True
    match = _I_DO_NOT.search(sentence)
    if match is None or not _WORK.search(match["rest"]):
        return False
    before = sentence[: match.start()].strip()
    return not before or (bool(_REGRET.search(before)) and len(before.split()) <= 12)
