"""Sentences that instruct: those with a modal word, of a person or of a file that instructs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from core.facts.sentences import CACHED_TEXTS, authored_prose, lower_case, sentences

MODAL_WORDS: Mapping[str, str] = {
    "English": (
        "never|must(?:n't)?|only|don't|dont|do not|please|always|should(?:n't)?|shall|cannot|can't|"
        "may not|avoid|ensure|make sure|be sure|required?|requires|forbidden|prohibited|not allowed|"
        "mandatory|prefer|without|unless|at (?:most|least)|no (?:more|less|fewer|later) than|"
        "from now on|instead of"
    ),
    "German": (
        "niemals|nie|nur|muss|müssen|musst|soll|sollen|sollst|sollte|darf|dürfen|darfst|nicht|kein\\w{0,2}|"
        "bitte|immer|stets|vermeide\\w*|verboten|erforderlich|mindestens|höchstens|statt|ohne"
    ),
    "French": (
        "jamais|doit|doivent|dois|devez|il faut|ne pas|n'\\w+ pas|ne \\w+ pas|uniquement|seulement|toujours|"
        "évite\\w*|interdite?s?|obligatoires?|veuillez|s'il (?:vous|te) plaît|au (?:moins|plus)|sans"
    ),
    "Spanish": (
        "nunca|jamás|siempre|debe[ns]?|hay que|tiene[ns]? que|solo|sólo|solamente|evit[ae]\\w*|"
        "prohibid[oa]s?|obligatori[oa]s?|por favor|al menos|como máximo|sin"
    ),
    "Portuguese": (
        "nunca|jamais|sempre|deve[ms]?|devem|é preciso|tem que|só|somente|apenas|não|evite\\w*|"
        "proibid[oa]s?|obrigatóri[oa]s?|por favor|pelo menos|no máximo|sem"
    ),
    "Russian": (
        "никогда|всегда|должн\\w+|нужно|надо|необходимо|нельзя|только|не|пожалуйста|запрещ\\w+|"
        "обязательно|избегай\\w*|без|минимум|максимум"
    ),
}
MODAL_SIGNS: Mapping[str, str] = {
    "Chinese": (
        "不要|不能|不可|不得|不准|必須|必须|禁止|務必|务必|請|请|只能|只准|"
        "总是|總是|始终|始終|绝不|绝对|切勿|应当|應當|一律"
    ),
    "Japanese": (
        "しないで|ないでください|てください|ください|なければならない|なければなりません|べき|必ず|"
        "決して|絶対に|常に|禁止|してはいけ|てはならない|のみ|こと(?:。|$)"
    ),
}
"""Of scripts without blanks, where words have no boundaries."""
FIRST_WORDS: Mapping[str, str] = {
    "English": (
        "add|answer|apply|ask|avoid|build|call|change|check|choose|commit|confirm|copy|create|delete|"
        "describe|document|do|ensure|explain|export|fix|follow|format|give|handle|ignore|import|include|"
        "install|keep|leave|limit|list|log|look|make|mark|merge|name|note|open|pass|place|prefer|push|"
        "put|raise|read|rebase|remove|rename|replace|report|respect|respond|return|reuse|review|run|save|"
        "say|send|set|skip|sort|start|stay|stick|stop|store|test|treat|update|use|validate|verify|wait|"
        "wrap|write"
    ),
    "German": (
        "verwende|benutze|nutze|nimm|schreibe?|führe?|antworte|prüfe|halte?|lass|starte|teste|achte|"
        "erstelle|ändere|lösche|dokumentiere|formatiere|lies|frage?|beachte|behalte|gib|setze?|\\w+en sie"
    ),
    "French": (
        "utilis(?:e|ez|er)|exécut(?:e|ez|er)|lanc(?:e|ez|er)|écri(?:s|vez|re)|répond(?:s|ez|re)|"
        "vérifi(?:e|ez|er)|gard(?:e|ez|er)|ajout(?:e|ez|er)|test(?:e|ez|er)|li(?:s|sez|re)|"
        "demand(?:e|ez|er)|fai(?:s|tes)|supprim(?:e|ez|er)|ne"
    ),
    "Spanish": (
        "us[ae]n?|utili[cz][ea]|ejecut[ae]|respond[ea]|escrib[ea]|comprueb[ae]|verifi(?:ca|que)|mant[eé]n\\w*|"
        "añad[ea]|prueb[ae]|le[ea]|pregunt[ea]|haga|haz|corre|revis[ae]"
    ),
    "Portuguese": (
        "us[ea]|utilize|execute|rode|respond[ae]|escrev[ae]|verifique|mantenha|adicione|teste|leia|"
        "pergunte|faça|revise|rode"
    ),
    "Russian": r"\w+(?:йте|ите|ьте|й|ь)",
}
"""The first words of orders, as far as files that instruct begin with them."""
_CONDITIONS = (
    "before|after|when|whenever|if|while|for|in|on|at|vor|nach|wenn|bei|avant|après|si|quand|pour|antes|"
    "después|depois|cuando|quando|se|para|en|em|перед|после|если|когда|при"
)
_BEFORE_ORDER = rf"^(?:(?:{_CONDITIONS})(?!\w)[^,:]{{2,60}}, )?"
"""A condition before the order: "Before each commit, run make check"."""
_STATES = "is|are|was|were"
_NO_ORDER = rf"(?!\w|[-:–—]| +(?:of|has|have|for|that|{_STATES})\b| +[-–—=]| +\w+ +(?:{_STATES})\b)"
"""What does not follow an order: the English words are nouns as well."""
_SPANISH_NO = re.compile(
    r"no \w+(?:s|a|e|an|en) .*\b(?:el|la|los|las|de|del|para|con|un|una|por|que|al)\b"
)
"""An order not to do something, which has no word of its own."""


def _any(words: Iterable[str]) -> str:
    return "|".join(words)


_MODAL = re.compile(
    rf"\b(?:{_any(MODAL_WORDS.values())})(?!\w)|{_any(MODAL_SIGNS.values())}"
)
_ORDER = re.compile(rf"{_BEFORE_ORDER}(?:{_any(FIRST_WORDS.values())}){_NO_ORDER}")
_ENGLISH = re.compile(
    r"\b(?:the|a|an|is|are|was|of|to|and|in|for|with|on|this|that|it|has|have)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_CODE = re.compile(r"[`/\\={}()<>]|\w\.\w")


def demands(sentence: str) -> bool:
    """Return whether a sentence, in lower case, has a modal word of one of the languages."""
    return _MODAL.search(sentence) is not None


def is_order(sentence: str) -> bool:
    """Return whether a sentence, in lower case, begins as an order of one of the languages."""
    return _ORDER.match(sentence) is not None or _SPANISH_NO.match(sentence) is not None


def may_be_order(sentence: str) -> bool:
    """Return whether a sentence, in lower case, is in none of the Latin scripts' English and long
    enough to be an order; for languages of which there is no table."""
    if _ENGLISH.search(sentence) or _LATIN_CODE.search(sentence):
        return False
    words = _WORD.findall(sentence)
    is_other = any(not word.isascii() for word in words)
    return is_other and (len(words) >= 3 or sum(map(len, words)) >= 8)


_MAX_LENGTH = 400  # characters of a sentence
_MIN_LENGTH = 8
_INSTRUCTING_FILE = re.compile(
    r"(?:^|[\\/])(?:(?:AGENTS|CLAUDE|GEMINI|QWEN|CONVENTIONS|SKILL|copilot-instructions)(?:\.local)?\.md|"
    r"\.(?:cursor|cline|windsurf)rules|"
    r"\.(?:agents|claude|clinerules|codex|cursor|gemini|roo|windsurf)[\\/].*\.mdc?)$",
    re.IGNORECASE,
)
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_QUOTE_START = "Contents of "
_QUOTED_FILE = re.compile(
    rf"{_QUOTE_START}(\S+?)(?: \([^)\n]*\))?:\s*\n(.*?)(?=\n{_QUOTE_START})", re.DOTALL
)
_LINE_NUMBER = re.compile(r"^ *\d+[→\t]", re.MULTILINE)
_FRONT_MATTER = re.compile(
    r"^---[ \t]*\n(?:[\w-]+:.*\n|[ \t]+.*\n|\n)+---[ \t]*$", re.MULTILINE
)
"""What a skill says of itself before its text: its name, when it is used."""
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+")


def has_modal_word(sentence: str) -> bool:
    """Return whether a sentence demands, forbids or asks in so many words; a question never
    does."""
    return not sentence.endswith(("?", "？")) and demands(lower_case(sentence))


def is_instructing_file(path: str) -> bool:
    """Return whether agents take a file as instructions: CLAUDE.md, AGENTS.md, a skill …"""
    return _INSTRUCTING_FILE.search(path) is not None


def reminded_files(text: str) -> Iterator[str]:
    """Yield what a harness quotes of instructing files in reminders within a text of the person."""
    for reminder in _REMINDER.findall(text) if "<system-reminder>" in text else ():
        for path, content in _QUOTED_FILE.findall(f"{reminder}\n{_QUOTE_START}"):
            if is_instructing_file(path):
                yield content


@lru_cache(maxsize=CACHED_TEXTS)
def instruction_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text that instructs which demand something: those with a modal word
    or that begin as an order, and list items in a language without a table. Front matter, fenced
    code, headings and logs are left out."""
    prose = authored_prose(_FRONT_MATTER.sub("", _LINE_NUMBER.sub("", text)))
    items = {
        sentence for line in prose.splitlines() for sentence in _item_sentences(line)
    }
    found = (
        sentence
        for sentence in sentences(prose, headings=False)
        if _length(sentence) >= _MIN_LENGTH
        and len(sentence) <= _MAX_LENGTH
        and _instructs(sentence, is_item=sentence in items)
    )
    return tuple(dict.fromkeys(found))


def _item_sentences(line: str) -> tuple[str, ...]:
    if _ITEM.match(line):
        return tuple(sentences(line))
    return ()


def _length(sentence: str) -> int:
    """Return the length of a sentence; a character of a script without blanks is worth two."""
    if sentence.isascii():
        return len(sentence)
    return sum(1 + (one > "\u2e80") for one in sentence)


def _instructs(sentence: str, *, is_item: bool) -> bool:
    if sentence.endswith(("?", "？", ":", "：")):
        return has_modal_word(sentence) and sentence.endswith((":", "："))
    lowered = lower_case(sentence)
    return demands(lowered) or is_order(lowered) or (is_item and may_be_order(lowered))
