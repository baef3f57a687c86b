"""Finds what a result still holds of each fact: word for word, reworded, or gone. Strings alone
decide, so that what stands in the result is never called gone (LOSS-2.3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

from core.facts.model import FILE_KINDS, Fact, FactKind, name_weight
from core.facts.name_patterns import NameKind, canonical, names_in, spellings
from core.facts.sentences import searchable_text, sentences, shorten
from core.losses.needed_later import NeededLater
from core.losses.texts import (
    ParsedTexts,
    SentenceIndex,
    TextIndex,
    argument_names,
    index_sentences,
    near_words,
    parts_of,
    places_of_name,
    read_texts,
    split_sentences,
    text_index,
)
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Progress, no_progress, tool_calls
from core.transcript.todos import COMPLETED

# What stands of single sentences in texts: word for word, nearest, or gone (LOSS-2.3.1).


NEAR_SHARE = 0.5
"""Share of the words of a sentence that one sentence of a result has if it is near."""
_NEAR_WORDS = 2
"""Words that it has at least: one word of a short sentence stands in many that mean another thing."""
MAX_NEAREST = 400  # characters

_MARKUP = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_ENDS = " .!?:;,…\"'“”’)"
_LABELS = (
    "Asked|Last request|Focus asked for|Rule|Instruction|Task|Command|Your message"
)
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
_NEW_LINE = re.compile(r"\n|[-+•>#|]|\d{1,3}[.)] |</|<[\w-]+>(?:\n|$)")
"""What begins a line that does not go on with the one before: an empty line, a bullet, a heading, a
tag."""
_EMPTY_LINES = re.compile(r"\n{3,}")
_BEFORE, _AFTER = 60, 12  # characters around a sentence that are looked at
_ROW_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"[\W_]{1,40}(?:\d+[\W_]{1,40})?"  # blanks, marks, the number of a line
_WORD_SPAN = re.compile(r"[\w](?:[\w'’./:@-]*\w)?")


def is_near(share: float, count: int) -> bool:
    """Return whether a sentence is near that has this share of the ``count`` words of another."""
    return share >= NEAR_SHARE and round(share * count) >= _NEAR_WORDS


class SentenceStatus(StrEnum):
    STANDS = "stands"  # word for word; case counts, white space, markup and line breaks do not
    NEAREST = "nearest"  # one sentence of the result has some of its names or words
    GONE = "gone"


class WordSpan(NamedTuple):
    """A word, and where it starts in its sentence, in characters."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class WordDifferences:
    """The words of a sentence that its nearest one lacks, and those that only that one has."""

    missing: tuple[WordSpan, ...] = ()
    added: tuple[WordSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceEvidence:
    """What stands of a sentence in a result. ``result_index`` is the message that holds it, or its
    ``nearest`` sentence, "" where it stands or is gone; -1 for none."""

    text: str
    status: SentenceStatus
    result_index: int = -1
    nearest: str = ""

    @property
    def differs(self) -> WordDifferences:
        """The words in which the sentence and its nearest one differ."""
        if self.nearest:
            return word_differences(self.text, self.nearest)
        return WordDifferences()


@lru_cache(maxsize=2_000)
def person_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text of a person, each once; the text itself where it has none."""
    return tuple(dict.fromkeys(sentences(text))) or (" ".join(text.split()),)


def folded(text: str) -> str:
    """Return a text without markup, its white space folded; case, ends of lines and an empty line
    between paragraphs stay."""
    parts = "\n".join(map(_folded_lines, parts_of(text)))
    return _EMPTY_LINES.sub("\n\n", parts).strip("\n")


def _folded_lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in _MARKUP.sub("", text).splitlines())
    return "\n".join(lines)


@lru_cache(maxsize=5_000)
def sentence_core(text: str) -> str:
    """Return a sentence folded to one line, without marks at its ends."""
    return " ".join(folded(text).split()).strip(_ENDS) or text.strip()


class Standing(NamedTuple):
    """Whether a text holds a sentence as one of its own, or at least inside a longer one."""

    alone: bool
    inside: bool


def standing_in(core: str, plain: str, *, may_be_part: bool = False) -> Standing:
    """Look for the core of a sentence in a folded text. ``may_be_part``: it is no sentence, so that
    no words around it can turn it round."""
    is_inside = False
    for match in _core_pattern(core).finditer(plain):
        # Inside a longer sentence the same words may mean the opposite.
        if may_be_part or _stands_alone(plain, match.start(), match.end()):
            return Standing(alone=True, inside=True)
        is_inside = True
    return Standing(alone=False, inside=is_inside)


@lru_cache(maxsize=5_000)
def _core_pattern(core: str) -> re.Pattern[str]:
    return re.compile(re.escape(core).replace(r"\ ", r"(?: |\n\n?)"))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of a text is a sentence and no part of a longer one that quotes
    it."""
    before = text[max(0, start - _BEFORE) : start]
    # The beginning of the text begins a sentence, as a new line does.
    if not _STARTS.search(before if start > _BEFORE else f"\n{before}"):
        return False
    stop = _STOPS.match(text[end : end + _AFTER])
    line_start = text.rfind("\n", 0, start) + 1
    wraps_before = start == line_start and _is_wrapped(text, line_start - 1)
    wraps_after = (
        stop is not None and stop[0].strip(" ") == "\n" and _is_wrapped(text, end)
    )
    return stop is not None and not wraps_before and not wraps_after


def _is_wrapped(text: str, line_end: int) -> bool:
    """Return whether a long line ends within a sentence that goes on in the next one."""
    if line_end <= 0 or _NEW_LINE.match(text, line_end + 1):
        return False
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    # A short line ends where its writer wanted; a long one may have been broken by an editor.
    return len(line) >= _WRAPPED_WIDTH and (line[-1].isalnum() or line[-1] == ",")


def word_differences(sentence: str, nearest: str) -> WordDifferences:
    """Return the words in which two sentences differ; case and punctuation count only where nothing
    else differs."""
    first = list(_word_spans(sentence))
    second = list(_word_spans(nearest))
    found = _differences(
        first,
        second,
        [one.text.lower() for one in first],
        [one.text.lower() for one in second],
    )
    if found.missing or found.added:
        return found
    return _differences(
        first, second, [one.text for one in first], [one.text for one in second]
    )


def _word_spans(text: str) -> Iterator[WordSpan]:
    return (WordSpan(match[0], match.start()) for match in _WORD_SPAN.finditer(text))


def _differences(
    first: Sequence[WordSpan],
    second: Sequence[WordSpan],
    first_words: Sequence[str],
    second_words: Sequence[str],
) -> WordDifferences:
    missing = list[WordSpan]()
    added = list[WordSpan]()
    matcher = SequenceMatcher(None, first_words, second_words, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag != "equal":
            missing += first[start:end]
            added += second[other_start:other_end]
    return WordDifferences(tuple(missing), tuple(added))


# What a result holds of the facts of its source, as strings prove it (LOSS-2.3.1).


class EvidenceStatus(StrEnum):
    WORD_FOR_WORD = "word for word"  # the whole sentence or name stands there
    REWORDED = "not word for word"  # some of its names or words stand there
    GONE = "gone"


SENTENCE_STATUS = {
    SentenceStatus.STANDS: EvidenceStatus.WORD_FOR_WORD,
    SentenceStatus.NEAREST: EvidenceStatus.REWORDED,
    SentenceStatus.GONE: EvidenceStatus.GONE,
}
COUNTED_KINDS = (
    FactKind.YOUR_MESSAGE,
    FactKind.ATTACHMENT,
    FactKind.INSTRUCTION,
    FactKind.RUNNING,
    FactKind.OPEN_ERROR,
)
"""The kinds whose losses are counted beside the names that later turns used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What stands of a fact in a result.

    ``result_index`` is the first message of the result that holds it, or that of ``nearest``, its
    nearest sentence there; -1 for none. ``sentences`` are those of a message, an instruction, an
    error or a to-do; ``needed`` is the number of later uses of a name that is gone."""

    fact: Fact
    status: EvidenceStatus
    result_index: int = -1
    nearest: str = ""
    sentences: tuple[SentenceEvidence, ...] = ()
    needed: int = 0

    @property
    def not_standing(self) -> list[SentenceEvidence]:
        """The sentences that do not stand word for word: those that are gone first."""
        missing = (
            one for one in self.sentences if one.status is not SentenceStatus.STANDS
        )
        return sorted(missing, key=lambda one: one.status is SentenceStatus.NEAREST)


class MustStatus(StrEnum):
    """What a result holds of a must, in the order of the list: worst first."""

    GONE = "gone"
    IN_PART = "in part"
    NOT_WRITTEN = "not written"  # it depends on what the model writes
    WORD_FOR_WORD = "word for word"
    NOT_SAID = "not said in this session"


@dataclass(frozen=True, slots=True)
class MustMark:
    """A must and what a result holds of it; ``message`` is the first of the source that holds it,
    -1 for none."""

    text: str
    status: MustStatus
    message: int = -1


class JudgedMust(Protocol):
    @property
    def status(self) -> MustStatus: ...


_Must = TypeVar("_Must", bound=JudgedMust)


def counted_musts(musts: Iterable[_Must]) -> list[_Must]:
    """Return the musts that count: what the session does not say can neither stand nor be gone."""
    return [one for one in musts if one.status is not MustStatus.NOT_SAID]


@dataclass(frozen=True, slots=True)
class KindCount:
    kind: FactKind
    total: int
    word_for_word: int
    reworded: int
    gone: int


@dataclass(frozen=True, slots=True)
class NowhereName:
    """A name, path, URL or number of a summary's ``sentence`` that stands nowhere in the source.
    ``result_index`` is the message of the result; ``nearest`` the nearest sentence of the source,
    in ``nearest_message`` (-1: no sentence is near)."""

    kind: NameKind
    text: str
    sentence: str
    result_index: int
    nearest: str = ""
    nearest_message: int = -1


@dataclass(frozen=True, slots=True)
class UnsaidWords:
    """Words that a summary gives to the person and that stand in none of the person's messages.
    ``is_quoted``: the summary gives them word for word. ``nearest`` is the nearest sentence of the
    source, in ``nearest_message`` (-1: none is near)."""

    text: str
    result_index: int
    is_quoted: bool = True
    nearest: str = ""
    nearest_message: int = -1


@dataclass(frozen=True, slots=True)
class SummaryEvidence:
    """Number of sentences of the summaries, what in them stands nowhere in the source, and what
    they give to the person who said it nowhere."""

    sentences: int = 0
    nowhere: tuple[NowhereName, ...] = ()
    unsaid: tuple[UnsaidWords, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What a result lost. ``removed_tokens`` of text in ``removed_messages`` are removed. ``items``
    are in the order of the facts of the source. ``is_written``: every summary is; else what is not
    word for word depends on what ``summary_profile`` writes. ``needed``: None where the session
    ends with the source."""

    removed_tokens: int
    removed_messages: int
    items: tuple[Evidence, ...]
    summary: SummaryEvidence
    needed: NeededLater | None = None
    is_written: bool = True
    summary_profile: str = ""

    @property
    def kinds(self) -> tuple[KindCount, ...]:
        """The counts of each kind that the source has."""
        counts = (_kind_count(kind, self.items) for kind in FactKind)
        return tuple(count for count in counts if count.total)

    @property
    def your_sentences(self) -> KindCount:
        """The counts of the sentences of the person's messages."""
        own = (one for one in self.items if one.fact.kind is FactKind.YOUR_MESSAGE)
        statuses = [
            SENTENCE_STATUS[found.status] for one in own for found in one.sentences
        ]
        counts = (statuses.count(status) for status in EvidenceStatus)
        return KindCount(FactKind.YOUR_MESSAGE, len(statuses), *counts)

    @property
    def messages_word_for_word(self) -> tuple[int, int] | None:
        return count_word_for_word(self.kinds)

    @property
    def worst_first(self) -> list[Evidence]:
        """What is gone or reworded, by kind in their order: of each what later turns used, then
        what is gone, the newest first."""
        changed = [
            one for one in self.items if one.status is not EvidenceStatus.WORD_FOR_WORD
        ]
        latest = max((one.fact.last for one in self.items), default=0)
        return sorted(changed, key=lambda one: _order(one, latest))

    @property
    def gone_count(self) -> int:
        """Number of needed names, messages of the person, instructions and open errors that are
        gone."""
        gone = sum(
            one.fact.kind in COUNTED_KINDS
            for one in self.items
            if one.status is EvidenceStatus.GONE
        )
        return gone + (len(self.needed.gone) if self.needed is not None else 0)


def count_word_for_word(kinds: Iterable[KindCount]) -> tuple[int, int] | None:
    """Return the messages of the person that stand word for word in a result, and all; None without
    any."""
    found = (one for one in kinds if one.kind is FactKind.YOUR_MESSAGE)
    return next(((one.word_for_word, one.total) for one in found), None)


_KIND_ORDER = tuple(FactKind)


def _order(evidence: Evidence, latest: int) -> tuple[float, ...]:
    fact = evidence.fact
    is_gone = evidence.status is EvidenceStatus.GONE
    kind = _KIND_ORDER.index(fact.kind)
    if fact.kind is FactKind.NAME:
        return kind, -evidence.needed, not is_gone, -name_weight(fact, latest)
    return kind, -evidence.needed, not is_gone, is_done(fact), -fact.last


def is_done(fact: Fact) -> bool:
    """Return whether a to-do is completed."""
    return fact.kind is FactKind.TODO and fact.detail == COMPLETED


def _kind_count(kind: FactKind, items: Iterable[Evidence]) -> KindCount:
    statuses = [one.status for one in items if one.fact.kind is kind]
    counts = (statuses.count(status) for status in EvidenceStatus)
    return KindCount(kind, len(statuses), *counts)


_WORDS = EvidenceStatus.WORD_FOR_WORD
_REWORDED = EvidenceStatus.REWORDED
_GONE = EvidenceStatus.GONE


def find_evidence(
    compaction: Compaction,
    facts: Sequence[Fact],
    progress: Progress = no_progress,
    parsed: ParsedTexts | None = None,
    system: Sequence[str] = (),
) -> Iterator[Evidence]:
    """Yield what a result holds of each of the ``facts`` of its source, in order and in linear
    time. ``parsed`` caches texts of other results of the same source; ``system`` are the texts of
    the system prompt, which is sent with each result."""
    index = _Result(compaction, facts, progress, parsed, system)
    for number, fact in enumerate(facts):
        progress(number / len(facts), "Looking for facts in the result")
        yield index.evidence(fact)


def _written_indices(compaction: Compaction) -> Iterator[int]:
    """Yield the indices of messages that the run wrote or edited: a kept one says nothing for
    another."""
    for result_index, sources in enumerate(compaction.origins):
        is_kept = all(
            compaction.fates[index].kind is FateKind.KEPT for index in sources
        )
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
        system: Sequence[str],
    ) -> None:
        self._fates = compaction.fates
        self._result_indices: dict[int, int] = {}
        for index, sources in enumerate(compaction.origins):
            self._result_indices.update(dict.fromkeys(sources, index))
        changed = [fact for fact in facts if self._kept_index(fact) < 0]
        searched = [fact.text for fact in changed if fact.kind is not FactKind.NAME]
        for fact in changed:
            if fact.kind is FactKind.NAME:
                searched += spellings(fact.text)
        places = tuple(_searched_texts(compaction, system))
        self._owners = [owner for owner, _ in places]
        self._texts = [text for _, text in places]
        self._index: TextIndex = text_index(self._texts, progress, parsed, searched)
        sentences = [fact.text for fact in changed if fact.kind in _SENTENCES]
        texts: dict[int, str] = {}
        if sentences:
            written = _written_indices(compaction)
            texts = {index: self._texts[index] for index in written}
        self._sentences: SentenceIndex = index_sentences(texts, parsed, sentences)
        self._tails = Counter[str]()
        for fact in facts:
            if fact.kind in FILE_KINDS:
                self._tails.update(_tails(fact.text))
        self._folded: dict[int, str] = {}

    def evidence(self, fact: Fact) -> Evidence:
        if (index := self._kept_index(fact)) >= 0:
            return Evidence(
                fact=fact,
                status=_WORDS,
                result_index=index,
                sentences=_standing(fact, index),
            )
        if fact.kind is FactKind.ATTACHMENT:
            return self._attachment(fact)
        if fact.kind in (FactKind.NAME, FactKind.RUNNING):
            place = self._place_of_name(fact.text)
            return Evidence(
                fact=fact,
                status=_WORDS if place >= 0 else _GONE,
                result_index=self._owner(place),
            )
        if fact.kind in FILE_KINDS:
            return self._file(fact)
        found = tuple(
            self._sentence(sentence, may_be_part=fact.kind in _NEEDS_NO_CONTEXT)
            for sentence in _sentences_of(fact)
        )
        first = _sentence_to_show(found)
        return Evidence(
            fact=fact,
            status=_status_of(found),
            result_index=first.result_index,
            nearest=first.nearest,
            sentences=found if fact.kind in TOLD_BY_SENTENCE else (),
        )

    def _kept_index(self, fact: Fact) -> int:
        """Return the index of a kept message that mentions a fact; a message is no mention of its
        answer, and a to-do needs the message with its state."""
        mentions = (
            (fact.last,) if fact.kind is FactKind.TODO else (fact.first, fact.last)
        )
        for index in mentions:
            if (
                0 <= index < len(self._fates)
                and self._fates[index].kind is FateKind.KEPT
            ):
                return self._result_indices.get(index, -1)
        return -1

    def _attachment(self, fact: Fact) -> Evidence:
        """An attachment that is not in its message any more may be named; its type says nothing."""
        if fact.text != fact.detail:
            place = self._index_of(fact.text)
        else:
            place = -1
        return Evidence(
            fact=fact,
            status=_REWORDED if place >= 0 else _GONE,
            result_index=self._owner(place),
        )

    def _file(self, fact: Fact) -> Evidence:
        """A file stands there by its path, or by an end of it of two parts and more that no other
        file has; its name alone is a part of it."""
        for tail in (fact.text, *_tails(fact.text)):
            if tail == fact.text or self._tails[tail] == 1:
                place = self._index_of(tail)
            else:
                place = -1
            if place >= 0:
                return Evidence(
                    fact=fact, status=_WORDS, result_index=self._owner(place)
                )
        name = fact.text.rpartition("/")[2]
        if name and name != fact.text:
            place = self._index_of(name)
        else:
            place = -1
        if place < 0:
            return Evidence(fact=fact, status=_GONE)
        return Evidence(
            fact=fact,
            status=_REWORDED,
            result_index=self._owner(place),
            nearest=self._sentence_with(name, place),
        )

    def _sentence(self, text: str, *, may_be_part: bool = False) -> SentenceEvidence:
        """Return what stands of a sentence. One that is part of a longer one does not stand word
        for word, unless it ``may_be_part``."""
        core = sentence_core(text)
        if not any(map(str.isalnum, core)):  # nothing but marks
            indices = self._index.messages_with(text)
            if indices:
                return _stands(text, self._owner(indices[0]))
            return _is_gone(text)
        inside = -1
        for place in self._index.candidates(text):
            standing = standing_in(
                core, self._folded_text(place), may_be_part=may_be_part
            )
            if standing.alone:
                return _stands(text, self._owner(place))
            if standing.inside and inside < 0:
                inside = place
        if inside >= 0:
            return self._inside(text, core, inside)
        return self._in_a_row(text, core) or self._nearest(text)

    def _in_a_row(self, text: str, core: str) -> SentenceEvidence | None:
        """Return what stands of a sentence whose words follow each other in another case, or with
        other marks between them: in lines that are quoted, numbered or commented out."""
        for place in self._index.candidates(core):
            # Compiled here, as most sentences that are gone have no candidate.
            if _row_pattern(core).search(self._index.plain(place)):
                return self._inside(text, core, place)
        return None

    def _inside(self, text: str, core: str, place: int) -> SentenceEvidence:
        nearest = self._sentence_with(core, place)
        found = _row_pattern(core).search(self._texts[place])
        if not nearest and found:
            nearest = shorten(found[0], MAX_NEAREST)
        return self._near(text, place, nearest)

    def _near(self, text: str, place: int, nearest: str) -> SentenceEvidence:
        owner = self._owner(place)
        return SentenceEvidence(text, SentenceStatus.NEAREST, owner, nearest)

    def _nearest(self, text: str) -> SentenceEvidence:
        words = near_words(text)
        share, number = self._sentences.best_match(words) if words else (0.0, -1)
        nearest, place = "", -1
        if number >= 0:
            nearest = shorten(self._sentences.sentence(number), MAX_NEAREST)
            place = self._sentences.text_indices[number]
            if is_near(share, len(words)):
                return self._near(text, place, nearest)
        for name in dict.fromkeys(found.text for found in names_in(text)):
            named = self._index_of(name)
            if named < 0:
                continue
            if name not in nearest:
                nearest = self._sentence_with(name, named)
                place = named
            return self._near(text, place, nearest)
        return _is_gone(text)

    def _owner(self, place: int) -> int:
        """Return the message of the result that has a searched text, -1 for none."""
        return self._owners[place] if place >= 0 else -1

    def _index_of(self, name: str) -> int:
        """Return the place of the first searched text with a name, -1 for none."""
        return self._index.first(canonical(name) if "/" in name else name)

    def _place_of_name(self, name: str) -> int:
        """Return the same in any spelling of the name, over any blanks."""
        place = next(places_of_name(self._index, name), -1)
        if place >= 0 or " " not in name:
            return place
        words = r"\s+".join(map(re.escape, name.split()))
        blanks = rf"(?<!\w){words}(?!\w)"
        among = self._index.candidates(name)
        return next((one for one in among if re.search(blanks, self._texts[one])), -1)

    def _sentence_with(self, words: str, place: int) -> str:
        """Return the sentence of a searched text that holds words."""
        return sentence_with(words, self._texts[place])

    def _folded_text(self, place: int) -> str:
        text = self._folded.get(place)
        if text is None:
            # The texts of a long session, folded, take as much memory as the session.
            if len(self._folded) >= _MAX_FOLDED:
                self._folded.clear()
            text = self._folded[place] = folded(self._texts[place])
        return text


def _searched_texts(
    compaction: Compaction, system: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield all texts that are sent, each with its message (-1: the system prompt). Those of the
    messages come first, at their indices; then what JSON in them escapes, and names of
    arguments."""
    texts = [searchable_text(message) for message in compaction.messages]
    yield from enumerate(texts)
    for index, text in enumerate(texts):
        _, *read = read_texts(text)
        yield from ((index, one) for one in read)
    for index, message in enumerate(compaction.messages):
        for call in tool_calls(message):
            if names := " ".join(argument_names(call.arguments)):
                yield index, names
    # The system prompt is sent with every result, so what stands there is not lost.
    yield from ((-1, text) for text in system)


@lru_cache(maxsize=5_000)
def _row_pattern(core: str) -> re.Pattern[str]:
    words = map(re.escape, _ROW_WORD.findall(core.lower()))
    return re.compile(rf"(?i)(?<!\w){_BETWEEN.join(words)}(?!\w)")


def sentence_with(words: str, text: str) -> str:
    """Return the first sentence of a text that holds words, else its first line with their
    beginning."""
    wanted = sentence_core(words)
    whole = (
        one for one in split_sentences(text) if wanted in " ".join(folded(one).split())
    )
    found = next(whole, None)
    if found is None and len(wanted.split()) == 1:  # one word is found in any case
        word = wanted.lower()
        found = next(
            (one for one in split_sentences(text) if word in one.lower()), None
        )
    if found is None:
        lines = (line for line in text.splitlines() if wanted[:40] in folded(line))
        found = next(lines, "")
    return shorten(found, MAX_NEAREST)


def _stands(text: str, index: int) -> SentenceEvidence:
    return SentenceEvidence(text, SentenceStatus.STANDS, index)


def _is_gone(text: str) -> SentenceEvidence:
    return SentenceEvidence(text, SentenceStatus.GONE)


def _sentences_of(fact: Fact) -> tuple[str, ...]:
    """Return the sentences of a fact that are looked for one by one."""
    if fact.kind is FactKind.YOUR_MESSAGE:
        return person_sentences(fact.text)
    return (fact.text,)


def _standing(fact: Fact, index: int) -> tuple[SentenceEvidence, ...]:
    """Return the sentences of a fact in a message that is kept."""
    if fact.kind not in TOLD_BY_SENTENCE:
        return ()
    return tuple(_stands(sentence, index) for sentence in _sentences_of(fact))


def _status_of(sentences: Sequence[SentenceEvidence]) -> EvidenceStatus:
    """A text stands word for word if all of its sentences do; it is gone if all of them are."""
    statuses = {SENTENCE_STATUS[one.status] for one in sentences}
    if len(statuses) == 1:
        return statuses.pop()
    return _REWORDED


def _sentence_to_show(sentences: Sequence[SentenceEvidence]) -> SentenceEvidence:
    """Return the sentence that a line shows: the first that is near, else the first that stands,
    else the first."""
    order = (SentenceStatus.NEAREST, SentenceStatus.STANDS, SentenceStatus.GONE)
    return min(sentences, key=lambda one: order.index(one.status))


_MAX_FOLDED = 500  # texts in memory; all would double it
_NEEDS_NO_CONTEXT = (FactKind.OPEN_ERROR, FactKind.TODO, FactKind.COMMAND)
"""Kinds that may stand inside a longer sentence: no words around them turn their meaning round, as
"never" does with a sentence of the person."""
TOLD_BY_SENTENCE = (
    FactKind.YOUR_MESSAGE,
    FactKind.INSTRUCTION,
    FactKind.OPEN_ERROR,
    FactKind.TODO,
)
"""Kinds whose evidence has sentences; the others are names, or a command as it was run."""
_SENTENCES = (*TOLD_BY_SENTENCE, FactKind.COMMAND)


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path with two parts and more, the longest first."""
    parts = path.strip("/").split("/")
    return (
        "/".join(parts[start:])
        for start in range(1 if path[0] != "/" else 0, len(parts) - 1)
    )
