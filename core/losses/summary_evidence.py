"""What a summary names or gives to the person and the source does not have (LOSS-2.4.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.facts.model import FactKind
from core.facts.name_patterns import Name, NameKind, names_in
from core.facts.sentences import DIGEST_TITLE, plain_text
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    NowhereName,
    SummaryEvidence,
    UnsaidWords,
)
from core.losses.said_by_nobody import PersonsWords, attributions_in
from core.losses.texts import TextIndex, nearest_sentence
from core.summarize.summary_lines import (
    EMPTY_SECTIONS_PREFIX,
    FOLDER_PREFIX,
    TRANSCRIPT_PREFIX,
)
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Speaker

# Finds the summaries of a result and splits them into sentences.


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


_CHECKED = frozenset(NameKind) - {NameKind.CODE}
_MAX_NEAREST = 400  # characters
_CUT = re.compile(r"\S*\s?(?:…|\.\.\.(?=\s|$))\S*|\S*\s*\[truncated\]")
"""Words that a text cuts off: nobody can say whether they stand in the source."""
_ESCAPE = re.compile(r"\\[nrt]")
"""A line break or a tab, or where a part of a Windows path begins."""
_DRIVE_FOLDER = re.compile(r"(?<!\w)[A-Za-z]:(?:\\[\w@-]+)*$")
_PART_BEFORE, _PART_AFTER = re.compile(r"[\w.@-]+$"), re.compile(r"[\w.@-]+")
_MAX_PATH = 400  # characters
_HARNESS = re.compile(r"(?i:\bfull transcript\b.*|\bsession(?:[ _]?id)?: \S+)")
"""What a harness writes of itself."""
_EXCERPT_HEAD = re.compile(r"^#\d+ (?:pasted|model|other)\b", re.MULTILINE)
"""From which message the lines below it are, and who wrote them: a head of the strategy excerpt."""
_APPROXIMATE = re.compile(
    r"(?:[~≈<>≤≥+]|\b(?:about|around|approximately|approx\.?|roughly|some|over|under|nearly|almost|more than|"
    r"less than|up to|at (?:most|least)))\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:(?:new|more|other|failing|passing)\s+)?(?:calls?|messages?|tokens)\b"
)
"""What a summary counts of the session itself."""
_DIGITS = re.compile(r"\d[\d,_]*(?:\.\d+)?")
_PARTS = re.compile(r"\.|::")


def summary_evidence(
    parts: Sequence[SummaryPart], messages: Sequence[Message], source: TextIndex
) -> SummaryEvidence:
    """Return what the summaries name that no message has, and what they give to the person who did
    not say it. ``source`` is indexed by their words."""
    nowhere: dict[str, NowhereName] = {}
    count = 0
    for part in parts:
        covered = frozenset(part.origins)
        for sentence in sentences_in(part.text):
            count += 1
            for name in absent_names(sentence.text, source):
                if name.text not in nowhere:
                    nearest, message = nearest_sentence(
                        sentence.text, messages, source, covered
                    )
                    nowhere[name.text] = NowhereName(
                        name.kind,
                        name.text,
                        sentence.text,
                        part.index,
                        nearest=nearest[:_MAX_NEAREST],
                        nearest_message=message,
                    )
    unsaid = {
        one.text: one for part in parts for one in _unsaid_words(part, messages, source)
    }
    return SummaryEvidence(count, tuple(nowhere.values()), tuple(unsaid.values()))


def _unsaid_words(
    part: SummaryPart, messages: Sequence[Message], source: TextIndex
) -> Iterator[UnsaidWords]:
    """Yield what a summary gives to the person and stands in none of the person's messages."""
    words = PersonsWords(messages)
    for given in attributions_in(part.text):
        if words.hold(given):
            continue
        text = " ".join(given.text.split())
        nearest, message = nearest_sentence(
            text, messages, source, frozenset(part.origins)
        )
        yield UnsaidWords(
            text, part.index, given.is_quoted, nearest[:_MAX_NEAREST], message
        )


def absent_names(sentence: str, source: TextIndex) -> Iterator[Name]:
    """Yield the names of a sentence that stand nowhere in the source."""
    text = _HARNESS.sub(" ", _CUT.sub(" ", _EXCERPT_HEAD.sub(" ", sentence)))
    text = _ESCAPE.sub(
        lambda escape: escape[0] if _is_in_path(escape, source) else " ", text
    )
    for name in names_in(text):
        if name.kind in _CHECKED and not _is_known(name, text, source):
            yield name


def _is_in_path(escape: re.Match[str], source: TextIndex) -> bool:
    """Return whether a part of a path begins at a backslash: what is before it is a folder of a
    drive, or the source has the parts before and after it as a path."""
    text, start = escape.string, escape.start()
    path = text[max(0, start - _MAX_PATH) : start]
    if _DRIVE_FOLDER.search(path):
        return True
    before, after = _PART_BEFORE.search(path), _PART_AFTER.match(text, start + 1)
    if before is None or after is None:
        return False
    return source.contains(f"{before[0]}/{after[0].rstrip('.')}", exact=True)


def _is_known(name: Name, text: str, source: TextIndex) -> bool:
    words = name.text
    if name.kind is NameKind.NUMBER:
        return _is_known_number(name, text, source)
    if source.contains(words, exact=True) or "[data" in words:
        return True
    if name.kind is NameKind.PATH:
        return _is_known_path(words, source)
    if name.kind is NameKind.URL:
        bare = words.rstrip("/")
        return source.contains(bare, exact=True, is_cut=True)
    parts = [part for part in _PARTS.split(words.removesuffix("()")) if part]
    if len(parts) > 1:  # a member of a class, a module of a package
        return all(source.contains(part, exact=True) for part in parts)
    return source.contains(words, exact=True, is_cut=True) or source.contains(words)


def _is_known_number(name: Name, text: str, source: TextIndex) -> bool:
    """A number is known with and without separators and unit. One that is said to be about right,
    or that counts the session itself, is not looked for."""
    end = name.start + len(name.text)
    if _APPROXIMATE.search(
        text[max(0, name.start - 20) : name.start]
    ) or _COUNTED.match(text, end):
        return True
    digits = _DIGITS.search(name.text)
    if digits is None:
        return True
    bare = digits[0].replace(",", "").replace("_", "")
    spellings = {digits[0], bare, f"{int(bare):,}" if bare.isdigit() else bare}
    return any(
        source.contains(one) or source.contains(one, is_cut=True) for one in spellings
    )


def _is_known_path(path: str, source: TextIndex) -> bool:
    """Return whether the source has the path, an end of it, or its folder and name apart."""
    segments = [
        part
        for part in path.replace("\\", "/").strip("/").split("/")
        if part not in (".", "..", "~")
    ]
    ends = ("/".join(segments[start:]) for start in range(max(1, len(segments) - 1)))
    if any(source.contains(end, exact=True) for end in ends if end):
        return True
    folder, name = "/".join(segments[:-1]), segments[-1] if segments else ""
    return bool(folder) and all(
        source.contains(part, exact=True) for part in (folder, name)
    )


# What the summaries of a result hold word for word of what they replace.


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Messages of the person and open errors that stand word for word in the result."""

    messages: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], compaction: Compaction, items: Sequence[Evidence]
) -> SummaryRetention:
    """Count what the result holds of messages all of which were summarised."""
    kept = {
        index
        for index, fate in enumerate(compaction.fates)
        if fate.kind is FateKind.KEPT
    }
    summarised = {index for part in parts for index in part.origins} - kept
    replaced = [one for one in items if {one.fact.first, one.fact.last} <= summarised]
    return SummaryRetention(
        _proportion(FactKind.YOUR_MESSAGE, replaced),
        _proportion(FactKind.OPEN_ERROR, replaced),
    )


def _proportion(kind: FactKind, items: Sequence[Evidence]) -> Proportion:
    statuses = [one.status for one in items if one.fact.kind is kind]
    return Proportion(statuses.count(EvidenceStatus.WORD_FOR_WORD), len(statuses))
