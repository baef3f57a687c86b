"""Finds the summaries of a result and splits them into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.facts.sentences import DIGEST_TITLE, plain_text
from core.summarize.summary_lines import (
    EMPTY_SECTIONS_PREFIX,
    FOLDER_PREFIX,
    TRANSCRIPT_PREFIX,
)
from core.transcript.compaction import Compaction
from core.transcript.model import Speaker

_TAG_LINE = re.compile(r"^(?:</?[\w-]+>\s*)+$")
_TAGS = re.compile(r"^(?:</?[\w-]+>\s*)+|(?:\s*</?[\w-]+>)+$")
_HEADING = re.compile(
    r"^(?:#{1,6}\s.*|(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*[^*]{2,60}\*\*:?|[A-Z][\w&/' -]{1,48}:))$"
)
_LEAD = re.compile(r"^(?:[-*•>→]\s+|\d{1,2}[.)]\s+)+")
_EMPTY_PHRASE = re.compile(
    r"^\W*(?:none|none noted|n/a|nothing)?\W*$|^… and [\d,]+ more .*$", re.IGNORECASE
)
_MIN_WORDS = 4  # words; shorter sentences join the next one
_FRAME_STARTS = (EMPTY_SECTIONS_PREFIX, FOLDER_PREFIX, TRANSCRIPT_PREFIX, DIGEST_TITLE)
_SENTENCE_END = re.compile(
    r"\s+→\s+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"')”]?\s+(?=[\"'`(“]?[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """The text of a summary, its index in the result, and the source messages that it covers."""

    index: int
    text: str
    origins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence at ``start`` of a text, without bullets and tags around it."""

    start: int
    text: str


def find_summaries(compaction: Compaction) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result in order, without framing text."""
    if compaction.summary is not None:
        summary_text = compaction.summary.text
    else:
        summary_text = ""
    parts = []
    for index in sorted(compaction.inserted):
        message, origins = compaction.messages[index], compaction.origins[index]
        text = plain_text(message)
        if origins and text.strip() and message.speaker is not Speaker.TOOL:
            unframed_text = (
                summary_text if summary_text and summary_text in text else text
            )
            parts.append(SummaryPart(index, unframed_text, origins))
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
        if (
            end is not None
            and len(line[position : end.start()].split()) < _MIN_WORDS
            and "→" not in end[0]
        ):
            continue
        if end is None:
            sentence_end = len(line)
        else:
            sentence_end = end.start()
        # closing quotes belong to the sentence before the blanks
        sentence_end += (
            len(end[0]) - len(end[0].lstrip("\"')”")) if end is not None else 0
        )
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
        if match is not None and match.start() == 0:
            prefix_length = match.end()
        else:
            prefix_length = 0
        text, start = stripped[prefix_length:], start + prefix_length
    text = _TAGS.sub("", text).strip()
    if _EMPTY_PHRASE.match(text):
        return None
    return SummarySentence(start, text)
