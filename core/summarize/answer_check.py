"""Judges an answer by its content: whether it is a whole summary of what it was asked to summarise.

In which words a model declines is not looked at. The summary of a long history has a section that
its prompt asks for, or names that stand in the history; that of a short one has at least words of
it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from core.common.characters import trim
from core.common.json_value import Json
from core.facts.name_patterns import names_in
from core.llm.chat_messages import block_text
from core.llm.protocol import SummaryRequest, SummaryResponse, ending_fault
from core.settings.prompts.prompt_sections import SectionStyle, SummaryLayout, summary_layout
from core.transcript.model import Message

LONG_TOKENS = 2000  # tokens of a history that is no short one
MIN_WORDS = 20  # fewest visible words of its summary
_BUDGET_SHARE = 10  # where the budget is small: a word for every ten of its tokens
_MIN_SHARED_WORDS, _MIN_SHARE = 2, 0.25
"""Long words that the summary of a short history takes from it, at least: how many, and what part
of them."""
_STEM = 6  # letters of a long word, of which only these are compared
_MARKUP = re.compile(
    r"</?[A-Za-z][\w:.-]*[ \t]*/?>|^[ \t]*(?:#{1,6}|\d{1,2}[.)]|[-*>])[ \t]+", re.MULTILINE
)
_WORD = re.compile(r"[^\W_]+(?:[’'._/-]+[^\W_]+)*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)  # Thai, Japanese, Chinese …
_PAIRS = re.compile(rf"(?=({_UNSPACED.pattern}{{2}}))")
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_STEM},}}")
_PROPER = re.compile(
    r"\b[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)+"
)  # of several words: "Harbour Row"
_NO_WORDS = "wrote an empty summary"
_EMPTY = frozenset({"none", "n/a", "empty", "nothing"})


def answer_fault(
    request: SummaryRequest, response: SummaryResponse, count: Callable[[Sequence[Message]], int]
) -> str:
    """Return why an answer is no whole summary of what its request holds, as the end of a sentence
    about the model; "" for a summary. ``count`` returns the tokens of messages."""
    if response.unwritten:
        return ""
    if fault := ending_fault(response.finish_reason, "write the summary"):
        return fault
    if response.unjudged:
        return "" if trim(response.text) else _NO_WORDS
    return text_fault(response.text, request, count)


def text_fault(
    text: str, request: SummaryRequest, count: Callable[[Sequence[Message]], int]
) -> str:
    """Return the same of a whole text, whoever wrote it."""
    words = visible_words(text)
    if not words:
        return _NO_WORDS
    if _is_error(text):
        return "wrote an error and no summary"
    is_long = not request.is_addition and count(request.messages) >= LONG_TOKENS
    needed = min(MIN_WORDS, request.max_tokens // _BUDGET_SHARE)
    if is_long and words < needed:
        noun = "word" if words == 1 else "words"
        return f"wrote {words} {noun} for a long history, whose summary has {needed} at least"
    layout = summary_layout(request.prompt)
    if _has_section(text, layout) or _has_name(text, request):
        return ""
    source = (
        "\n".join(_texts(request.messages))
        if not is_long or not _names_anything(request.messages)
        else ""
    )
    if source and _shares_words(text, source, request):
        return ""
    sections = "none of the sections that its prompt asks for and " if layout.sections else ""
    return f"wrote no summary: its answer has {sections}none of the names that stand in the history"


def visible_words(text: str) -> int:
    """Return the words of a text without markup, control and zero-width characters; two characters
    of a script without spaces count as one."""
    text = "".join(
        " " if character.isspace() else character
        for character in _MARKUP.sub(" ", text)
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cn", "Co")
    )
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (unspaced + 1) // 2


def _is_error(text: str) -> bool:
    """Return whether a text is JSON, and not the object or list that a summary could be."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, dict | list) or (isinstance(value, dict) and "error" in value)


def _has_section(text: str, layout: SummaryLayout) -> bool:
    """Return whether a section of a layout stands in a text with words of its own."""
    if layout.style is SectionStyle.XML:
        names = "|".join(map(re.escape, layout.sections))
        found = re.finditer(rf"<({names})>(.*?)(?:</\1>|(?=<(?:{names})>)|\Z)", text, re.DOTALL)
        return any(_says_something(match[2]) for match in found)
    titles = {section.lower() for section in layout.sections}
    body: list[str] | None = None
    for line in (*text.splitlines(), *layout.sections[:1]):
        head, _, rest = line.strip(" \t#*_0123456789.)").partition(":")
        if head.strip(" \t*_").lower() in titles:
            if body is not None and _says_something("\n".join(body)):
                return True
            body = [rest]
        elif body is not None:
            body.append(line)
    return False


def _says_something(text: str) -> bool:
    return visible_words(text) > 0 and text.strip(" \t\n-*.").lower() not in _EMPTY


def _has_name(text: str, request: SummaryRequest) -> bool:
    """Return whether a name of a text stands in the history, other than those of the
    instructions."""
    instructions = f"{request.prompt}\n{request.trigger}"
    text = _MARKUP.sub(" ", text)
    proper = (name for name in _PROPER.findall(text) if name.istitle())
    names = {*(name.text for name in names_in(text)), *proper}
    names = {name for name in names if not re.search(_whole(name), instructions)}
    if not names:
        return False
    pattern = re.compile("|".join(map(_whole, sorted(names))))
    return any(map(pattern.search, _texts(request.messages)))


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    return (block_text(block, "") for message in messages for block in message.blocks)


def _names_anything(messages: Sequence[Message]) -> bool:
    return any(next(names_in(text), None) for text in _texts(messages))


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _shares_words(text: str, source: str, request: SummaryRequest) -> bool:
    """Return whether a part of the long words of a text stands in its source, those of the
    instructions aside, with which a model also speaks about its task; True for a source without
    such words."""
    instructions = _stems(f"{request.prompt}\n{request.trigger}")
    stems, known = _stems(_MARKUP.sub(" ", text)) - instructions, _stems(source) - instructions
    shared = len(stems & known)
    return not known or (shared >= _MIN_SHARED_WORDS and shared >= len(stems) * _MIN_SHARE)


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the long words of a text; of scripts without spaces, pairs of
    characters."""
    folded = text.casefold()
    return frozenset(
        {word[:_STEM] for word in _LONG_WORD.findall(folded)} | set(_PAIRS.findall(folded))
    )
