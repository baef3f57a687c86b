"""Finds the summaries of a result and splits them into sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from core.analysis.fidelity.fact_texts import TextIndex
from core.analysis.fidelity.model import FidelityCategory, InventedFact
from core.facts import prose_facts, value_facts
from core.facts.sentences import DIGEST_TITLE, plain_text
from core.summarize.fact_lines import EMPTY_SECTIONS_PREFIX, FOLDER_PREFIX, TRANSCRIPT_PREFIX
from core.transcript.compaction import Compaction
from core.transcript.model import Speaker

_TAG_LINE = re.compile(r"^(?:</?[\w-]+>\s*)+$")
_TAGS = re.compile(r"^(?:</?[\w-]+>\s*)+|(?:\s*</?[\w-]+>)+$")
_HEADING = re.compile(
    r"^(?:#{1,6}\s.*|(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*[^*]{2,60}\*\*:?|[A-Z][\w&/' -]{1,48}:))$"
)
_LEAD = re.compile(r"^(?:[-*•>→]\s+|\d{1,2}[.)]\s+)+")
_EMPTY_PHRASE = re.compile(r"^\W*(?:none|none noted|n/a|nothing)?\W*$|^… and [\d,]+ more .*$", re.IGNORECASE)
_MIN_WORDS = 4  # words; shorter sentences join the next one
_FRAME_STARTS = (EMPTY_SECTIONS_PREFIX, FOLDER_PREFIX, TRANSCRIPT_PREFIX, DIGEST_TITLE)
_SENTENCE_END = re.compile(
    r"\s+→\s+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"')”]?\s+(?=[\"'`(“]?[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """The text of a summary, its place in the result, and the source messages that it covers.
    ``message_text`` is the whole text of its message."""

    place: int
    text: str
    origins: tuple[int, ...]
    message_text: str


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence at ``start`` of a text, without bullets and tags around it."""

    start: int
    text: str


def find_summaries(compaction: Compaction) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result in order, without framing text."""
    summary_text = compaction.summary.text if compaction.summary is not None else ""
    parts = []
    for place in sorted(compaction.inserted):
        message, origins = compaction.messages[place], compaction.origins[place]
        text = plain_text(message)
        if origins and text.strip() and message.speaker is not Speaker.TOOL:
            unframed_text = summary_text if summary_text and summary_text in text else text
            parts.append(SummaryPart(place, unframed_text, origins, text))
    return tuple(parts)


def sentences_in(text: str) -> Iterator[SummarySentence]:
    """Split a summary into sentences, without tags, headings and empty phrases."""
    next_start = 0
    for line in text.splitlines(keepends=True):
        start, next_start = next_start, next_start + len(line)
        stripped_line = line.strip()
        if (
            not stripped_line
            or _TAG_LINE.match(stripped_line)
            or _HEADING.match(stripped_line)
            or stripped_line.startswith(("```", "~~~"))
        ):
            continue
        if not stripped_line.startswith(_FRAME_STARTS):
            yield from _line_sentences(line, start)


def _line_sentences(line: str, start: int) -> Iterator[SummarySentence]:
    position = 0
    for end in (*_SENTENCE_END.finditer(line), None):
        if end is not None and len(line[position : end.start()].split()) < _MIN_WORDS and "→" not in end[0]:
            continue
        sentence_end = len(line) if end is None else end.start()
        # closing quotes belong to the sentence before the blanks
        sentence_end += len(end[0]) - len(end[0].lstrip("\"')”")) if end is not None else 0
        sentence = _strip_markup(line[position:sentence_end], start + position)
        if sentence is not None:
            yield sentence
        position = sentence_end


def _strip_markup(text: str, start: int) -> SummarySentence | None:
    """Return the sentence without bullets and tags around it; None if nothing is left."""
    for pattern in (_TAGS, _LEAD):
        stripped = text.lstrip()
        start += len(text) - len(stripped)
        match = pattern.match(stripped)
        prefix_length = match.end() if match is not None and match.start() == 0 else 0
        text, start = stripped[prefix_length:], start + prefix_length
    text = _TAGS.sub("", text).strip()
    return None if _EMPTY_PHRASE.match(text) else SummarySentence(start, text)


PATH = re.compile(r"(?<![\w/<])(?:[\w.@-]*/)+[\w.@-]*\w\.\w{1,8}\b")
"""A file path with a folder and a suffix."""
_HASH = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_DIGITS = re.compile(r"\d[\d.,]*")
_MACRO = re.compile(r"(?<![\w\\])\\[A-Za-z]{4,}\b")
_LONG_NUMBER = re.compile(
    r"(?<![\w.,:/#~≈$-])(?<!about )(?<!some )(?<!over )(?<!nearly )(?:\d{1,3}(?:,\d{3})+|\d{3,5}|"
    r"\d{1,4}[.:]\d{1,2})"
    r"(?![\w:/%-]|[.,]\d| ?%)"
)
"""A number that nobody counts: of three digits, or broken."""
_NO_FACTS = re.compile(
    r"</?[\w-]+>|^[#* ]*[A-Z][A-Z_ ]+:?[* ]*$|\S*\s?…\S*|\S*\s*\[truncated\]|\b\d+ calls?\b|\\[nrt]|"
    r"(?i:\bfull transcript\b.*|\bsession(?:[ _]?id)?: \S+)",
    re.MULTILINE,
)
"""Text without facts: tags and headings, counts, truncated words, JSON escapes, a harness of itself."""


def invented_facts(
    summaries: Iterable[tuple[int, str]],
    source: TextIndex,
    kinds: Collection[FidelityCategory] = tuple(FidelityCategory),
) -> Iterator[InventedFact]:
    """Yield each path, address, identifier, hash and value that the source does not contain, once. ``source``
    is indexed by the words of the summaries."""
    seen: set[tuple[FidelityCategory, str]] = set()
    for place, text in summaries:
        fact_text = _NO_FACTS.sub(" ", text)
        for kind, words in _names_in(fact_text):
            if kind not in kinds or (kind, words) in seen or _is_known(kind, words, source):
                continue
            seen.add((kind, words))
            yield InventedFact(kind, words, place)


def _names_in(text: str) -> Iterator[tuple[FidelityCategory, str]]:
    for path in PATH.findall(text):
        yield FidelityCategory.PATH, path
    for url in prose_facts.urls(text):
        yield FidelityCategory.URL, url
    for name in prose_facts.identifiers(text):
        yield FidelityCategory.IDENTIFIER, name
    for name in prose_facts.ids(text):
        yield FidelityCategory.IDENTIFIER, name
    for digest in _HASH.findall(text):
        yield FidelityCategory.IDENTIFIER, digest
    for macro in _MACRO.findall(text):
        yield FidelityCategory.IDENTIFIER, macro
    for key, value in value_facts.numbers(text):
        yield FidelityCategory.NUMBER, f"{key} = {value}"
    for value in _LONG_NUMBER.findall(text):
        yield FidelityCategory.NUMBER, value


def _is_known(kind: FidelityCategory, words: str, source: TextIndex) -> bool:
    if kind is FidelityCategory.NUMBER:
        value = words.rpartition(" = ")[2]
        digits = _DIGITS.search(value)
        return source.contains(value) or (
            digits is not None
            and (
                source.contains(digits[0])
                or source.contains(digits[0].replace(",", ""))
                or source.contains(digits[0], is_cut=True)
            )
        )
    if kind is FidelityCategory.PATH:
        return _is_known_path(words, source)
    name = words.removesuffix("()")
    return (
        "[data" in words
        or source.contains(name, exact=True)
        or source.contains(name, exact=True, is_cut=True)
    )


def _is_known_path(path: str, source: TextIndex) -> bool:
    """Return whether the source has the path, its end, or its folder and name apart."""
    segments = path.strip("/").split("/")
    path_ends = ("/".join(segments[start:]) for start in range(max(1, len(segments) - 1)))
    folder, _, name = path.rpartition("/")
    parts = [part for part in (folder, name) if part]
    return any(source.contains(path_end, exact=True) for path_end in path_ends) or (
        len(parts) > 1 and all(source.contains(part, exact=True) for part in parts)
    )
