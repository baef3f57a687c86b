"""Sentences that instruct: those with a modal word, of a person or of a file that instructs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from core.facts.sentences import CACHED_TEXTS, authored_prose, lower_case, sentences

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
_FRONT_MATTER = re.compile(r"^---[ \t]*\n(?:[\w-]+:.*\n|[ \t]+.*\n|\n)+---[ \t]*$", re.MULTILINE)
"""What a skill says of itself before its text: its name, when it is used."""
_MODAL = re.compile(
    r"\b(?:never|must(?:n't)?|only|don't|dont|do not|please|always|should(?:n't)?|shall|cannot|can't|may not|"
    r"avoid|ensure|make sure|be sure|required?|requires|forbidden|prohibited|not allowed|mandatory|prefer|"
    r"without|unless|at (?:most|least)|no (?:more|less|fewer|later) than|from now on|instead of|"
    r"niemals|nie|nur|muss|müssen|darf|dürfen|nicht|bitte|jamais|doit|doivent|il faut|ne pas|uniquement|"
    r"nunca|siempre|debe[ns]?|solo|sólo)\b|不要|不能|不可|必須|必须|禁止|務必|务必|請|请|只能"
)
"""Of a text in lower case with straight apostrophes."""


def has_modal_word(sentence: str) -> bool:
    """Return whether a sentence demands, forbids or asks in so many words; a question never
    does."""
    return not sentence.endswith("?") and _MODAL.search(lower_case(sentence)) is not None


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
    """Return the sentences with a modal word of a text that instructs, without front matter, fenced
    code and logs."""
    prose = authored_prose(_FRONT_MATTER.sub("", _LINE_NUMBER.sub("", text)))
    found = (
        sentence
        for sentence in sentences(prose, headings=False)
        if _MIN_LENGTH <= len(sentence) <= _MAX_LENGTH and has_modal_word(sentence)
    )
    return tuple(dict.fromkeys(found))
