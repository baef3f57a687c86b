"""Sentences that instruct: those with a modal word, of a person or of a file that instructs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from core.facts.modal_words import demands, is_order, may_be_order
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
    items = {sentence for line in prose.splitlines() for sentence in _item_sentences(line)}
    found = (
        sentence
        for sentence in sentences(prose, headings=False)
        if _length(sentence) >= _MIN_LENGTH
        and len(sentence) <= _MAX_LENGTH
        and _instructs(sentence, is_item=sentence in items)
    )
    return tuple(dict.fromkeys(found))


def _item_sentences(line: str) -> tuple[str, ...]:
    return tuple(sentences(line)) if _ITEM.match(line) else ()


def _length(sentence: str) -> int:
    """Return the length of a sentence; a character of a script without blanks is worth two."""
    return len(sentence) if sentence.isascii() else sum(1 + (one > "\u2e80") for one in sentence)


def _instructs(sentence: str, *, is_item: bool) -> bool:
    if sentence.endswith(("?", "？", ":", "：")):
        return has_modal_word(sentence) and sentence.endswith((":", "："))
    lowered = lower_case(sentence)
    return demands(lowered) or is_order(lowered) or (is_item and may_be_order(lowered))
