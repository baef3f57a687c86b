"""Finds what a result still holds of each fact: word for word, reworded, or gone. Strings alone
decide, so that what stands in the result is never called gone (LOSS-2.3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.analysis.losses.model import Evidence, EvidenceStatus
from core.analysis.losses.texts import (
    ParsedTexts,
    SentenceIndex,
    TextIndex,
    content_words,
    index_sentences,
    text_index,
)
from core.facts.model import Fact, FactKind
from core.facts.name_patterns import canonical, names_in
from core.facts.searched_text import searchable_text
from core.facts.sentences import sentences, shorten
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Progress, no_progress

_NEAR_SHARE = 0.5  # of the content words of a sentence, in one sentence of the result
_NEAR_WORDS = 2  # content words; fewer meet by chance
_MAX_NEAREST = 400  # characters
_WORDS, _REWORDED, _GONE = (
    EvidenceStatus.WORD_FOR_WORD,
    EvidenceStatus.REWORDED,
    EvidenceStatus.GONE,
)
_MARKUP = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_ENDS = " .!?:;,…\"'“”’)"
_LABELS = "Asked|Last request|Focus asked for|Rule|Instruction|Task|Command|Your message"
"""What the summaries without a model and the hooks write before the words of a person."""
_STARTS = re.compile(
    rf"(?i)(?:^|\n|[.!?;…][\"'”)\]]*[ \n])[ \n]*(?:[-+•>#]+ *|\d{{1,3}}[.)] *|\[[ \w]+\] *)*"
    rf"(?:(?:{_LABELS}): *)?[\"'“(]*$"
)
"""What stands before a sentence that is none's part; the first group of blanks may be the end of a
line."""
_STOPS = re.compile(
    r"[\"'”)\]]*(?:[.!?;:…]+[\"'”)\]]*)?(?: *\n| *$|</[\w-]+>|(?<=[.!?;:…\"'”)\]]) )"
)
_WRAPPED_WIDTH = 60  # characters; shorter lines are not wrapped by hand
_BULLET = re.compile(r"[-+•>#|]|\d{1,3}[.)] ")
_BEFORE, _AFTER = 60, 12  # characters around a sentence that are looked at


@lru_cache(maxsize=2_000)
def said_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text of a person, each once; the text itself where it has none."""
    return tuple(dict.fromkeys(sentences(text))) or (" ".join(text.split()),)


def folded(text: str) -> str:
    """Return a text in lower case without markup, its white space folded; ends of lines stay."""
    lines = (" ".join(line.split()) for line in _MARKUP.sub("", text.lower()).splitlines())
    return "\n".join(filter(None, lines))


def find_evidence(
    compaction: Compaction,
    facts: Sequence[Fact],
    progress: Progress = no_progress,
    parsed: ParsedTexts | None = None,
) -> Iterator[Evidence]:
    """Yield what a result holds of each of the ``facts`` of its source, in order and in linear
    time. ``parsed`` caches texts of other results of the same source."""
    index = _Result(compaction, facts, progress, parsed)
    for number, fact in enumerate(facts):
        progress(number / len(facts), "Looking for facts in the result")
        yield index.evidence(fact)


def _written_indices(compaction: Compaction) -> Iterator[int]:
    """Yield the indices of messages that the run wrote or edited: a kept one says nothing for
    another."""
    for result_index, sources in enumerate(compaction.origins):
        is_kept = all(compaction.fates[index].kind is FateKind.KEPT for index in sources)
        if result_index in compaction.inserted or not is_kept:
            yield result_index


class _Result:
    """A result, prepared for the search: kept messages by identity, the texts by their words."""

    def __init__(
        self,
        compaction: Compaction,
        facts: Sequence[Fact],
        progress: Progress,
        parsed: ParsedTexts | None,
    ) -> None:
        self._fates = compaction.fates
        self._result_indices = {
            source: index for index, sources in enumerate(compaction.origins) for source in sources
        }
        searched = [fact.text for fact in facts if self._kept_index(fact) < 0]
        self._texts = [searchable_text(message) for message in compaction.messages]
        self._index: TextIndex = text_index(self._texts, progress, parsed, searched)
        sentences = [
            fact.text for fact in facts if fact.kind in _SENTENCES and self._kept_index(fact) < 0
        ]
        texts = (
            {index: self._texts[index] for index in _written_indices(compaction)}
            if sentences
            else {}
        )
        self._sentences: SentenceIndex = index_sentences(texts, parsed, sentences)
        self._tails = Counter(
            tail for fact in facts if fact.kind in _FILES for tail in _tails(fact.text)
        )
        self._folded: dict[int, str] = {}

    def evidence(self, fact: Fact) -> Evidence:
        if (index := self._kept_index(fact)) >= 0:
            count = len(said_sentences(fact.text)) if fact.kind is FactKind.YOUR_MESSAGE else 0
            return Evidence(fact=fact, status=_WORDS, result_index=index, sentences=(count, count))
        if fact.kind is FactKind.NAME:
            index = self._index_of(fact.text)
            return Evidence(fact=fact, status=_WORDS if index >= 0 else _GONE, result_index=index)
        if fact.kind in _FILES:
            return self._file(fact)
        if fact.kind is FactKind.YOUR_MESSAGE:
            return self._message(fact)
        status, index, nearest = self._sentence(fact.text, may_be_part=fact.kind in _PARTS)
        return Evidence(fact=fact, status=status, result_index=index, nearest=nearest)

    def _kept_index(self, fact: Fact) -> int:
        """Return the index of a kept message that mentions a fact; a message is no mention of its
        answer, and a to-do needs the message with its state."""
        mentions = (fact.last,) if fact.kind is FactKind.TODO else (fact.first, fact.last)
        for index in mentions:
            if 0 <= index < len(self._fates) and self._fates[index].kind is FateKind.KEPT:
                return self._result_indices.get(index, -1)
        return -1

    def _message(self, fact: Fact) -> Evidence:
        """A message stands word for word if all of its sentences do; it is gone if all of them are.
        Where its other sentences are gone, the nearest one is one that stands there."""
        said = said_sentences(fact.text)
        found = [self._sentence(sentence) for sentence in said]
        statuses = [status for status, _, _ in found]
        counts = statuses.count(_WORDS), len(found)
        if counts[0] == counts[1]:
            return Evidence(fact=fact, status=_WORDS, result_index=found[0][1], sentences=counts)
        changed_words = tuple(
            sentence for sentence, one in zip(said, found, strict=True) if one[0] is not _WORDS
        )
        present = [one for one in found if one[0] is not _GONE]
        if not present:
            return Evidence(fact=fact, status=_GONE, sentences=counts, changed=changed_words)
        changed = next((one for one in present if one[0] is _REWORDED), present[0])
        standing = shorten(said[found.index(changed)], _MAX_NEAREST) if changed[0] is _WORDS else ""
        return Evidence(
            fact=fact,
            status=_REWORDED,
            result_index=changed[1],
            nearest=standing or changed[2],
            sentences=counts,
            changed=changed_words,
        )

    def _file(self, fact: Fact) -> Evidence:
        """A file stands there by its path, or by an end of it of two parts and more that no other
        file has; its name alone is a part of it."""
        for tail in (fact.text, *_tails(fact.text)):
            index = self._index_of(tail) if tail == fact.text or self._tails[tail] == 1 else -1
            if index >= 0:
                return Evidence(fact=fact, status=_WORDS, result_index=index)
        name = fact.text.rpartition("/")[2]
        index = self._index_of(name) if name and name != fact.text else -1
        if index < 0:
            return Evidence(fact=fact, status=_GONE)
        return Evidence(
            fact=fact, status=_REWORDED, result_index=index, nearest=self._line_with(name, index)
        )

    def _sentence(self, text: str, *, may_be_part: bool = False) -> tuple[EvidenceStatus, int, str]:
        """Return the status of a sentence, the index of its message, and the nearest sentence where
        it is reworded. A sentence that is part of a longer one does not stand word for word, unless
        it ``may_be_part``."""
        core = folded(text).replace("\n", " ").strip(_ENDS) or text.strip()
        if not any(map(str.isalnum, core)):  # nothing but marks
            indices = self._index.messages_with(text)
            return (_WORDS, indices[0], "") if indices else (_GONE, -1, "")
        pattern = re.compile(re.escape(core).replace(r"\ ", "[ \n]"))
        inside = -1
        for index in self._index.candidates(text):
            plain = self._folded_text(index)
            for match in pattern.finditer(plain):
                if may_be_part or _stands_alone(plain, match.start(), match.end()):
                    return _WORDS, index, ""
                inside = index if inside < 0 else inside
        if inside >= 0:
            return _REWORDED, inside, self._line_with(core, inside)
        return self._reworded(text)

    def _reworded(self, text: str) -> tuple[EvidenceStatus, int, str]:
        words = content_words(text)
        share, number = self._sentences.best_match(words) if words else (0.0, -1)
        nearest, index = "", -1
        if number >= 0:
            nearest, index = (
                shorten(self._sentences.sentence(number), _MAX_NEAREST),
                self._sentences.text_indices[number],
            )
            if share >= _NEAR_SHARE and share * len(words) >= _NEAR_WORDS:
                return _REWORDED, index, nearest
        for name in dict.fromkeys(found.text for found in names_in(text)):
            if (named := self._index_of(name)) >= 0:
                near = index >= 0 and name in nearest
                return (
                    _REWORDED,
                    index if near else named,
                    nearest if near else self._line_with(name, named),
                )
        return _GONE, -1, ""

    def _index_of(self, name: str) -> int:
        """Return the first message of the result with a name, -1 for none."""
        return self._index.first(canonical(name) if "/" in name else name)

    def _line_with(self, words: str, index: int) -> str:
        """Return the line of a result's message that holds words."""
        lines = self._texts[index].splitlines()
        wanted = folded(words).replace("\n", " ")[:40]
        return shorten(next((line for line in lines if wanted in folded(line)), ""), _MAX_NEAREST)

    def _folded_text(self, index: int) -> str:
        text = self._folded.get(index)
        if text is None:
            if len(self._folded) >= _MAX_FOLDED:
                self._folded.clear()
            text = self._folded[index] = folded(self._texts[index])
        return text


_MAX_FOLDED = 500  # texts in memory; all would double it
_FILES = (FactKind.FILE_CHANGED, FactKind.FILE_READ)
_PARTS = (FactKind.OPEN_ERROR, FactKind.TODO, FactKind.COMMAND)
"""No sentences, so that no words around them can turn them round."""
_SENTENCES = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
    FactKind.COMMAND,
)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of a text is a sentence and no part of a longer one that quotes
    it."""
    before = text[max(0, start - _BEFORE) : start]
    if not _STARTS.search(before if start > _BEFORE else f"\n{before}"):
        return False
    stop = _STOPS.match(text[end : end + _AFTER])
    line_start = text.rfind("\n", 0, start) + 1
    wraps_before = start == line_start and _is_wrapped(text, line_start - 1)
    wraps_after = stop is not None and stop[0].strip(" ") == "\n" and _is_wrapped(text, end)
    return stop is not None and not wraps_before and not wraps_after


def _is_wrapped(text: str, line_end: int) -> bool:
    """Return whether a long line ends within a sentence that goes on in the next one."""
    if line_end <= 0 or _BULLET.match(text, line_end + 1):
        return False
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    return len(line) >= _WRAPPED_WIDTH and (line[-1].isalnum() or line[-1] == ",")


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path with two parts and more, the longest first."""
    parts = path.strip("/").split("/")
    return ("/".join(parts[start:]) for start in range(1 if path[0] != "/" else 0, len(parts) - 1))
