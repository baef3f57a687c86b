"""Judges an answer by its content: whether it is a whole summary of what it was asked to summarise.

In which words a model declines is not looked at. What its prompt says, and what it says twice, is
taken out first. What is left has to have words or names of the history; of a long one, whose prompt
asks for sections, also at least one of these."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from core.common.excerpts import trim
from core.common.json_value import Json
from core.facts.name_patterns import names_in
from core.llm.protocol import SummaryRequest, SummaryResponse, block_text, ending_fault
from core.settings.prompts import (
    SectionStyle,
    SummaryLayout,
    summary_layout,
)
from core.transcript.model import Message

LONG_TOKENS = 2000  # tokens of a history that is no short one
MIN_WORDS = (
    8  # fewest visible words of its summary, headings and what its prompt says aside
)
_BUDGET_SHARE = 10  # where the budget is small: a word for every ten of its tokens
_NAMELESS_WORDS, _MIN_SHARED_WORDS = 3, 2
_LONG_SHARE, _SHORT_SHARE = 0.45, 0.25
"""Long words that a summary takes from its source, at least: how many, and what part of them. A long
source has many of the words with which a model declines; where no name is shared, two meet by
chance."""
_SAME_LANGUAGE = 0.5  # of the short words of a text, in its source
_PROMPT_SHARE = (
    0.6  # of the triples of words of a piece, in the prompt, from which it is an echo
)
_OWN_TITLES = 2  # headings of a summary that translates those of its prompt
_STEM = 6  # letters of a long word, of which only these are compared
_MARKUP = re.compile(
    r"</?[A-Za-z][\w:.-]*[ \t]*/?>|^[ \t]*(?:#{1,6}|\d{1,2}[.)]|[-*>])[ \t]+",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W_]+(?:[’'._/-]+[^\W_]+)*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)  # Thai, Japanese, Chinese …
_PAIRS = re.compile(rf"(?=({_UNSPACED.pattern}{{2}}))")
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_STEM},}}")
_PROPER = re.compile(
    r"\b[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)+"
)  # "Harbour Row"
_CAPITALISED = re.compile(r"(?<=[\w,;:)] )[^\W\d_a-z][^\W\d_]{3,}")  # within a sentence
_CODED = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z-])[\w-]{4,}(?![\w-])"
)  # "R-5581"
_SHORT_WORD = re.compile(r"(?<![\w/.`-])[^\W\dA-Z_]{1,4}(?![\w/`-]|\.\w)")
_PIECE_END = re.compile(r"(\n|(?<=[^\W\d_][.!?])\s+|(?<=[。！？])|</?[\w:.-]+>)")
_FOLDED_WORD = re.compile(r"\w+")
_TITLE_LINE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+\S.*|\*\*[^*\n]{2,60}\*\*:?[ \t]*|\d{1,2}[.)][ \t]+[^\n:：]{2,50}[:：].*)$",
    re.MULTILINE,
)
_NO_WORDS = "wrote an empty summary"
_EMPTY = frozenset({"none", "n/a", "empty", "nothing"})


def answer_fault(
    request: SummaryRequest,
    response: SummaryResponse,
    count: Callable[[Sequence[Message]], int],
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
    if not visible_words(text):
        return _NO_WORDS
    if _is_error(text):
        return "wrote an error and no summary"
    layout = summary_layout(request.prompt)
    own = _own_words(text, request.prompt, layout)
    words = visible_words(_without_titles(own, layout))
    if not words:
        return "wrote no summary: all that it says stands in its prompt"
    is_long = not request.is_addition and count(request.messages) >= LONG_TOKENS
    needed = min(MIN_WORDS, request.max_tokens // _BUDGET_SHARE)
    if is_long and words < needed:
        noun = "word" if words == 1 else "words"
        return f"wrote {words} {noun} of its own for a long history, whose summary has {needed} at least"
    if is_long and layout.sections and not _has_sections(own, layout):
        return "wrote no summary: its answer has none of the sections that its prompt asks for"
    if _is_of_its_source(own, request, is_long=is_long):
        return ""
    return "wrote no summary: too few of its words stand in the history"


def visible_words(text: str) -> int:
    """Return the words of a text without markup, control and zero-width characters; two characters
    of a script without spaces count as one."""
    text = "".join(
        " " if character.isspace() else character
        for character in _MARKUP.sub(" ", text)
        if character.isspace()
        or unicodedata.category(character) not in ("Cc", "Cf", "Cn", "Co")
    )
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (unspaced + 1) // 2


def _is_error(text: str) -> bool:
    """Return whether a text is JSON, and not the object or list that a summary could be."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not isinstance(value, dict | list) or (
        isinstance(value, dict) and ("error" in value or value.get("type") == "error")
    )


def _has_section(text: str, layout: SummaryLayout) -> bool:
    """Return whether a section of a layout stands in a text with words of its own."""
    if layout.style is SectionStyle.XML:
        names = "|".join(map(re.escape, layout.sections))
        found = re.finditer(
            rf"<({names})>(.*?)(?:</\1>|(?=<(?:{names})>)|\Z)", text, re.DOTALL
        )
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


def _has_sections(text: str, layout: SummaryLayout) -> bool:
    """Return whether a text has a section of a layout, or headings of its own in another
    language."""
    return _has_section(text, layout) or len(_TITLE_LINE.findall(text)) >= _OWN_TITLES


def _own_words(text: str, prompt: str, layout: SummaryLayout) -> str:
    """Return a text without what its prompt says and what it says twice; headings stay."""
    prompt_words = _FOLDED_WORD.findall(prompt.casefold())
    said = f" {' '.join(prompt_words)} "
    triples = _triples(prompt_words)
    titles = {" ".join(_FOLDED_WORD.findall(one.casefold())) for one in layout.sections}
    seen = set[str]()
    kept = list[str]()
    for piece in _PIECE_END.split(text):
        words = _FOLDED_WORD.findall(piece.casefold())
        folded = " ".join(words)
        is_mark = (
            not words
            or _MARKUP.fullmatch(piece)
            or folded.lstrip("0123456789 ") in titles
        )
        if is_mark:
            kept.append(piece)
            continue
        own = _triples(words)
        is_echo = f" {folded} " in said or len(own & triples) > _PROMPT_SHARE * len(own)
        if not is_echo and folded not in seen:
            kept.append(piece)
        seen.add(folded)
    return "".join(kept)


def _triples(words: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], strict=False))


def _without_titles(text: str, layout: SummaryLayout) -> str:
    titles = "|".join(map(re.escape, layout.sections)) or "(?!)"
    return re.sub(rf"(?im)^[\s#*\d.)]*(?:{titles})[*:：\s]*|^#{{1,6}} .*$", " ", text)


def _is_of_its_source(text: str, request: SummaryRequest, *, is_long: bool) -> bool:
    """Return whether a text has words or names of its source. A name alone proves it only in
    another language: who declines in that of the source may name what it is about."""
    instructions = request.prompt  # the last message may hold an earlier summary
    text = _MARKUP.sub(" ", text)
    source = "\n".join(_texts(request.messages))
    has_name = _has_name(text, source, instructions)
    if has_name and (not is_long or not _is_in_language_of(text, source)):
        return True
    declining = _stems(instructions)
    stems = _stems(text) - declining
    known = _stems(source) - declining
    shared = len(stems & known)
    share = _LONG_SHARE if is_long else _SHORT_SHARE
    least = _NAMELESS_WORDS if is_long and not has_name else _MIN_SHARED_WORDS
    return not known or (shared >= least and shared >= len(stems) * share)


def _has_name(text: str, source: str, instructions: str) -> bool:
    """Return whether a name of a text stands in its source, other than those of the
    instructions."""
    proper = (name for name in _PROPER.findall(text) if name.istitle())
    names = {*(name.text for name in names_in(text)), *proper}
    names |= {*_CAPITALISED.findall(text), *_CODED.findall(text)}
    return any(
        re.search(_whole(name), source) and not re.search(_whole(name), instructions)
        for name in names
    )


def _is_in_language_of(text: str, source: str) -> bool:
    """Return whether the short words of a text are those of its source."""
    words = set(_SHORT_WORD.findall(text))
    known = words & set(_SHORT_WORD.findall(source.lower()))
    return bool(words) and len(known) >= _SAME_LANGUAGE * len(words)


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    return (block_text(block, "") for message in messages for block in message.blocks)


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the long words of a text; of scripts without spaces, pairs of
    characters."""
    folded = text.casefold()
    return frozenset(
        {word[:_STEM] for word in _LONG_WORD.findall(folded)}
        | set(_PAIRS.findall(folded))
    )
