"""What a summary names or gives to the person and the source does not have (LOSS-2.4.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.facts.name_patterns import Name, NameKind, names_in
from core.losses.model import NowhereName, SummaryEvidence, UnsaidWords
from core.losses.said_by_nobody import PersonsWords, attributions_in
from core.losses.source_texts import nearest_sentence
from core.losses.summary_sentences import SummaryPart, sentences_in
from core.losses.texts import TextIndex
from core.transcript.model import Message

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
