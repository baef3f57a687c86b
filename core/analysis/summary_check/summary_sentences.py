"""Finds the summaries of a result and splits them into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.facts.sentences import DIGEST_TITLE, plain_text
from core.summarize.fact_lines import EMPTY, FOLDER, TRANSCRIPT
from core.transcript.compaction import Compaction
from core.transcript.model import Speaker

_TAG_LINE = re.compile(r"^(?:</?[\w-]+>\s*)+$")
_TAGS = re.compile(r"^(?:</?[\w-]+>\s*)+|(?:\s*</?[\w-]+>)+$")
_HEADING = re.compile(
    r"^(?:#{1,6}\s.*|(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*[^*]{2,60}\*\*:?|[A-Z][\w&/' -]{1,48}:))$"
)
_LEAD = re.compile(r"^(?:[-*•>→]\s+|\d{1,2}[.)]\s+)+")
_NOTHING = re.compile(r"^\W*(?:none|none noted|n/a|nothing)?\W*$|^… and [\d,]+ more .*$", re.IGNORECASE)
_SHORT = 4  # words; shorter sentences join the next one
_FRAME = (EMPTY, FOLDER, TRANSCRIPT, DIGEST_TITLE)
_END = re.compile(r"\s+→\s+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"')”]?\s+(?=[\"'`(“]?[A-Z0-9])")


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """The text of a summary, its place in the result, and the source messages that it covers. ``shown`` is
    the whole text of its message."""

    place: int
    text: str
    origins: tuple[int, ...]
    shown: str


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
            bare = summary_text if summary_text and summary_text in text else text
            parts.append(SummaryPart(place, bare, origins, text))
    return tuple(parts)


def sentences_in(text: str) -> Iterator[SummarySentence]:
    """Split a summary into sentences, without tags, headings and empty phrases."""
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        plain = line.strip()
        if not plain or _TAG_LINE.match(plain) or _HEADING.match(plain) or plain.startswith(("```", "~~~")):
            continue
        if not plain.startswith(_FRAME):
            yield from _line_sentences(line, start)


def _line_sentences(line: str, start: int) -> Iterator[SummarySentence]:
    position = 0
    for end in (*_END.finditer(line), None):
        if end is not None and len(line[position : end.start()].split()) < _SHORT and "→" not in end[0]:
            continue
        until = len(line) if end is None else end.start()
        # closing quotes belong to the sentence before the blanks
        until += len(end[0]) - len(end[0].lstrip("\"')”")) if end is not None else 0
        sentence = _stripped(line[position:until], start + position)
        if sentence is not None:
            yield sentence
        position = until


def _stripped(text: str, start: int) -> SummarySentence | None:
    """Return the sentence without bullets and tags around it; None if nothing is left."""
    for pattern in (_TAGS, _LEAD):
        stripped = text.lstrip()
        start += len(text) - len(stripped)
        match = pattern.match(stripped)
        cut = match.end() if match is not None and match.start() == 0 else 0
        text, start = stripped[cut:], start + cut
    text = _TAGS.sub("", text).strip()
    return None if _NOTHING.match(text) else SummarySentence(start, text)
