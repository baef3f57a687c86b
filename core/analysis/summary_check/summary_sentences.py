"""The summaries of a result, and a summary cut into the sentences that say something."""

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
_SHORT = 4  # words; fewer are read with what follows them
_FRAME = (EMPTY, FOLDER, TRANSCRIPT, DIGEST_TITLE)
_END = re.compile(r"\s+→\s+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"')”]?\s+(?=[\"'`(“]?[A-Z0-9])")


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """A text of a result that stands for source messages: its place in the result, and theirs.

    ``shown`` is all that its message says: the text, what frames it and what is told beside it.
    """

    place: int
    text: str
    origins: tuple[int, ...]
    shown: str


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a text, which has it at ``start``; bullets and tags around it are left out."""

    start: int
    text: str


def find_summaries(run: Compaction) -> tuple[SummaryPart, ...]:
    """Every summary of a result, in order; the words that only frame it are left out."""
    whole = run.summary.text if run.summary is not None else ""
    found = []
    for place in sorted(run.inserted):
        message, origins = run.messages[place], run.origins[place]
        text = plain_text(message)
        if origins and text.strip() and message.speaker is not Speaker.TOOL:
            found.append(SummaryPart(place, whole if whole and whole in text else text, origins, text))
    return tuple(found)


def sentences_in(text: str) -> Iterator[SummarySentence]:
    """The sentences of a summary. Tags, headings and lines that say nothing are left out."""
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        plain = line.strip()
        if not plain or _TAG_LINE.match(plain) or _HEADING.match(plain) or plain.startswith(("```", "~~~")):
            continue
        if not plain.startswith(_FRAME):
            yield from _in_line(line, start)


def _in_line(line: str, start: int) -> Iterator[SummarySentence]:
    at = 0
    for end in (*_END.finditer(line), None):
        if end is not None and len(line[at : end.start()].split()) < _SHORT and "→" not in end[0]:
            continue
        until = len(line) if end is None else end.start()
        # what closes a quotation stands before the blanks that part two sentences
        until += len(end[0]) - len(end[0].lstrip("\"')”")) if end is not None else 0
        one = _bare(line[at:until], start + at)
        if one is not None:
            yield one
        at = until


def _bare(text: str, start: int) -> SummarySentence | None:
    """The sentence without what stands around it; None where nothing is left."""
    for around in (_TAGS, _LEAD):
        stripped = text.lstrip()
        start += len(text) - len(stripped)
        head = around.match(stripped)
        cut = head.end() if head is not None and head.start() == 0 else 0
        text, start = stripped[cut:], start + cut
    text = _TAGS.sub("", text).strip()
    return None if _NOTHING.match(text) else SummarySentence(start, text)
