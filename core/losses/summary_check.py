"""Checks a summary by strings before its result is used: sections, size, names that no source has,
words of the person that nobody said."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

from core.facts.name_patterns import NameKind, names_in
from core.facts.sentences import DIGEST_TITLE, plain_text, shorten
from core.losses.evidence import NowhereName, SummaryEvidence, UnsaidWords
from core.losses.summary_evidence import (
    SummaryPart,
    absent_names,
    find_summaries,
    sentences_in,
    summary_evidence,
)
from core.losses.texts import (
    WORD,
    TextIndex,
    contains_needle,
    content_words,
    flat_text,
    similar_messages,
    source_index,
    split_sentences,
)
from core.preview.options import Preview, StageCache
from core.settings.prompts import required_sections
from core.summarize.summary_lines import EMPTY_SECTIONS_PREFIX
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Progress, Speaker, no_progress

WARNING = "warning"
"""No finding is an error: a summary that lacks something can still be what the person wants."""

_MAX_QUOTATION = 90  # characters of a quotation
_MAX_FINDINGS = 10  # findings per rule; the rest is counted
_BEFORE_TITLE, _AFTER_TITLE = r"^[ \t]*(?:<|[#*_\d.)\s]*)", r"[ \t]*(?:[>:*_–—-]|$)"
_NOUNS = {NameKind.PATH: "path", NameKind.URL: "address", NameKind.NUMBER: "number"}


@dataclass(frozen=True, slots=True)
class SummaryFinding:
    """``rule`` is a stable id ("dropped-todo"), ``text`` one sentence, ``messages`` are source
    indices, ``index`` is the index of the summary in the result."""

    severity: str
    rule: str
    text: str
    messages: tuple[int, ...]
    index: int


def summary_check(
    parts: Sequence[SummaryPart],
    evidence: SummaryEvidence,
    sections: Sequence[str],
    sizes: Mapping[int, tuple[int, int]],
) -> tuple[SummaryFinding, ...]:
    """Return all findings about the summaries of a result. ``sections`` are those that the prompt
    required of the first; ``sizes`` are (source tokens, summary tokens) by index."""
    if not parts:
        return ()
    return (
        *_missing_sections(parts[0], sections),
        *_said_by_nobody(evidence.unsaid),
        *_names_from_nowhere(evidence.nowhere),
        *_oversized_summaries(parts, sizes),
    )


def _missing_sections(
    first_part: SummaryPart, sections: Sequence[str]
) -> Iterator[SummaryFinding]:
    missing_sections = [
        name for name in sections if not has_section(first_part.text, name)
    ]
    if not missing_sections:
        return
    if len(missing_sections) == len(sections) > 1:
        text = f"None of the {len(missing_sections)} sections that the prompt asks for is there."
    else:
        section_list = ", ".join(missing_sections)
        noun, verb = (
            ("Section", "asks for it")
            if len(missing_sections) == 1
            else ("Sections", "asks for them")
        )
        text = f"{noun} missing: {section_list}; the prompt {verb}."
    yield SummaryFinding(WARNING, "missing-section", text, (), first_part.index)


def has_section(text: str, name: str) -> bool:
    """Return whether a text has a section of this name, as a tag or as a heading."""
    name_pattern = r"[ _]".join(map(re.escape, re.split(r"[ _]", name)))
    title_pattern = rf"{_BEFORE_TITLE}{name_pattern}{_AFTER_TITLE}"
    empty_pattern = rf"^{re.escape(EMPTY_SECTIONS_PREFIX)}(?:.*, )?{name_pattern}[,.]"  # listed as empty
    tag_pattern = rf"<{name_pattern}>"  # a snapshot may stand on one line
    return (
        re.search(
            f"{title_pattern}|{empty_pattern}|{tag_pattern}",
            text,
            re.IGNORECASE | re.MULTILINE,
        )
        is not None
    )


def _said_by_nobody(unsaid: Sequence[UnsaidWords]) -> Iterator[SummaryFinding]:
    """Report quotations and orders given to the person that no message of the person holds."""
    findings = []
    for one in unsaid:
        words = shorten(one.text, _MAX_QUOTATION)
        text = f"It gives “{words}” to you; these words stand in none of your messages."
        if not one.is_quoted:
            text = f"It says that you asked “{words}”; none of your messages says so in like words."
        findings.append(
            SummaryFinding(WARNING, "said-by-nobody", text, (), one.result_index)
        )
    yield from _capped(findings, "that stand in none of your messages")


def _names_from_nowhere(nowhere: Sequence[NowhereName]) -> Iterator[SummaryFinding]:
    """Report names, paths, addresses and numbers that no message has."""
    findings = []
    for name in nowhere:
        noun = _NOUNS.get(name.kind, "name")
        text = f"The {noun} {shorten(name.text, _MAX_QUOTATION)} stands nowhere in the source."
        findings.append(SummaryFinding(WARNING, "nowhere", text, (), name.result_index))
    yield from _capped(findings, "names and numbers")


def _oversized_summaries(
    parts: Sequence[SummaryPart], sizes: Mapping[int, tuple[int, int]]
) -> Iterator[SummaryFinding]:
    """Report summaries with more tokens than their source."""
    findings = []
    for part in parts:
        source_size, size = sizes.get(part.index, (0, 0))
        if size > source_size > 0:
            text = f"It is larger than its source: {size:,} tokens for {source_size:,}."
            findings.append(
                SummaryFinding(
                    WARNING, "larger-than-source", text, part.origins[:1], part.index
                )
            )
    yield from _capped(findings, "summaries larger than their source")


def _capped(findings: list[SummaryFinding], noun: str) -> Iterator[SummaryFinding]:
    yield from findings[:_MAX_FINDINGS]
    uncapped = findings[_MAX_FINDINGS:]
    if uncapped:
        text = f"And {len(uncapped):,} more {noun}."
        messages = tuple(
            sorted({index for finding in uncapped for index in finding.messages})
        )
        yield SummaryFinding(
            uncapped[0].severity, uncapped[0].rule, text, messages, uncapped[0].index
        )


# Finds the source messages of each sentence of a summary by what both name, and by its words.


_MAX_FROM_EACH_END = 100  # messages with a common word that are searched
MAX_LINKS = 5
"""Most sources per sentence."""
QUOTED_WORDS, MOST_WORDS = "word for word", "most of its words"
"""What is shared of a sentence that is quoted in full or nearly."""

_MIN_SHARE = 0.6  # of the content words of a sentence
_MIN_WORDS = 4  # content words needed to search for a sentence
_MAX_CHARACTERS = 20_000  # characters of a message to split into sentences
_MIN_OF_BEST = 0.3  # of what the best source shares; weaker ones are left out
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,300})[\"”]")
_LABELS = re.compile(
    r"^(?:\[[\w ]{2,20}\]\s+)?(?:(?:[A-Z][\w ]{2,30}|resolved|open):\s+[\"“]?)*"
)
"""What a summary writes before the words of somebody."""
_CODE_OR_PATH = re.compile(r"`[^`\n]*`|\S*/\S*")
_QUOTE_CHARACTERS = " \"“”'*.;"


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A source message (from 0) and the facts it shares with a sentence, the most significant
    first."""

    message: int
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence of a summary, at ``start`` of its text. ``links`` are its sources, best first,
    empty for "no source found"; ``nowhere`` are its names and numbers that stand nowhere in the
    source."""

    start: int
    text: str
    links: tuple[SourceLink, ...]
    nowhere: tuple[str, ...] = ()


def summary_links(
    part: SummaryPart, messages: Sequence[Message], source: TextIndex
) -> tuple[LinkedSentence, ...]:
    """Return every sentence of a summary with its sources. Deterministic. ``source`` is indexed by
    the summary's words. Linear in the messages that share a rare word with a sentence."""
    context = _LinkInput(messages, source, frozenset(part.origins))
    return tuple(
        LinkedSentence(
            sentence.start,
            sentence.text,
            context.links(sentence.text),
            tuple(
                dict.fromkeys(name.text for name in absent_names(sentence.text, source))
            ),
        )
        for sentence in sentences_in(part.text)
    )


@dataclass(frozen=True, slots=True)
class _LinkInput:
    """Shared by the sentences of one summary; caches the messages of names and sentence words."""

    messages: Sequence[Message]
    source: TextIndex
    origins: frozenset[int]
    _indices: dict[tuple[str, bool], Sequence[int]] = field(default_factory=dict)
    _sentence_words: dict[int, Sequence[frozenset[str]]] = field(default_factory=dict)

    def links(self, sentence: str) -> tuple[SourceLink, ...]:
        """Return the messages that share most with a sentence: what few messages have counts most.
        Of equal ones those of the person come first, and those that the summary replaces."""
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for text, indices in self._shared(sentence):
            for index in indices:
                scores[index] += 1 / len(indices)
                shared[index].append((len(indices), text))
        least = _MIN_OF_BEST * max(scores.values(), default=0.0)
        best = sorted(
            (index for index in scores if scores[index] >= least),
            key=lambda index: (
                -scores[index],
                *self._speaks(index),
                index not in self.origins,
                index,
            ),
        )
        return tuple(
            SourceLink(index, _rarest_first(shared[index]))
            for index in best[:MAX_LINKS]
        )

    def _speaks(self, index: int) -> tuple[bool, bool]:
        """Return a key: the person first, the output of tools last."""
        speaker = self.messages[index].speaker
        return speaker is Speaker.TOOL, speaker is not Speaker.HUMAN

    def _shared(self, sentence: str) -> Iterator[tuple[str, Sequence[int]]]:
        """Yield what a sentence shares with messages, and these: its words, quotations and
        names."""
        yield from self._messages_by_wording(
            _LABELS.sub("", sentence).strip(_QUOTE_CHARACTERS)
        )
        for text, is_exact in _names(sentence):
            if indices := self._find_messages(text, exact=is_exact):
                yield text, indices

    def _messages_by_wording(self, wording: str) -> Iterator[tuple[str, Sequence[int]]]:
        wanted_words = content_words(_CODE_OR_PATH.sub(" ", wording))
        if len(wanted_words) > 1:
            quoting = self._find_messages(wording, exact=False)
        else:
            quoting = ()
        if quoting:
            yield QUOTED_WORDS, quoting
        if quoting or len(wanted_words) < _MIN_WORDS:
            return
        alike = [
            index
            for index in similar_messages(
                wanted_words, self.messages, self.source, self.origins
            )
            if self._has_sentence(index, wanted_words)
        ]
        if alike:
            yield MOST_WORDS, sorted(alike)

    def _has_sentence(self, index: int, wanted_words: frozenset[str]) -> bool:
        if index not in self._sentence_words:
            text = plain_text(self.messages[index])[:_MAX_CHARACTERS]
            sentence_words = [
                *map(content_words, split_sentences(text)),
                frozenset[str](),
            ]
            self._sentence_words[index] = tuple(
                current | following for current, following in pairwise(sentence_words)
            )
        return any(
            len(wanted_words & words) >= _MIN_SHARE * len(wanted_words)
            for words in self._sentence_words[index]
        )

    def _find_messages(self, needle: str, *, exact: bool) -> Sequence[int]:
        key = (needle, exact)
        if key not in self._indices:
            self._indices[key] = self._messages_with(needle, exact=exact)
        return self._indices[key]

    def _messages_with(self, needle: str, *, exact: bool) -> Sequence[int]:
        """Return messages that mention a needle, ascending, the first and last if there are very
        many. A single word matches in any case."""
        search_text = needle if exact else flat_text(needle)
        source = self.source
        indices = [
            index
            for index in source.candidates(search_text)
            if index < len(self.messages)
        ]
        if len(indices) > 2 * _MAX_FROM_EACH_END:
            indices = [*indices[:_MAX_FROM_EACH_END], *indices[-_MAX_FROM_EACH_END:]]
        if WORD.fullmatch(search_text):
            return indices
        text_at = source.raw.__getitem__ if exact else source.plain
        return [
            index
            for index in indices
            if contains_needle(search_text, text_at(index), False)
        ]


def _names(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield quotations and names of a sentence, once each, and whether their case counts."""
    found: dict[str, bool] = dict.fromkeys(_QUOTED.findall(sentence), False)
    for name in names_in(sentence):
        found.setdefault(
            name.text.removesuffix("()"),
            name.kind is not NameKind.CODE or " " not in name.text,
        )
    for text, is_exact in found.items():
        if not any(text != other and text in other for other in found):
            yield text, is_exact


def _rarest_first(shared: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(text for _, text in sorted(shared, key=itemgetter(0)))


# Checks the summaries of a preview and finds the source messages of their sentences, once for
# each.


_T = TypeVar("_T")


def summary_findings(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> tuple[SummaryFinding, ...] | None:
    """Return the findings about a result's summaries; None if it has none or they are not written
    yet."""
    parts = summary_parts(preview)
    if not parts:
        return None

    def check() -> tuple[SummaryFinding, ...]:
        sizes = {
            part.index: (
                _source_tokens(preview, part),
                preview.result.after_counts[part.index],
            )
            for part in parts
        }
        evidence = summary_evidence_of(preview, stages, progress)
        return summary_check(
            parts, evidence, _required_sections(preview, parts[0].text), sizes
        )

    return _cached(preview, stages, "summary check", -1, check)


def summary_evidence_of(
    preview: Preview, stages: StageCache, progress: Progress = no_progress
) -> SummaryEvidence:
    """Return what the summaries of a result name that no message has."""
    parts = summary_parts(preview)

    def look() -> SummaryEvidence:
        return summary_evidence(
            parts, preview.messages, _summary_source_index(preview, parts, progress)
        )

    if parts:
        return _cached(preview, stages, "summary names", -1, look)
    return SummaryEvidence()


def prompt_sections(preview: Preview) -> tuple[tuple[str, bool], ...]:
    """Return the sections that the prompt asks the first summary for, and whether it has each."""
    text = next((part.text for part in summary_parts(preview)), "")
    return tuple(
        (name, has_section(text, name)) for name in _required_sections(preview, text)
    )


def linked_summary(
    preview: Preview,
    result_index: int,
    stages: StageCache,
    progress: Progress = no_progress,
) -> tuple[LinkedSentence, ...]:
    """Return the sentences of the summary at ``result_index`` with their sources; none for other
    messages."""
    part = next(
        (
            candidate
            for candidate in summary_parts(preview)
            if candidate.index == result_index
        ),
        None,
    )
    if part is None:
        return ()

    def link() -> tuple[LinkedSentence, ...]:
        return summary_links(
            part, preview.messages, _summary_source_index(preview, (part,), progress)
        )

    return _cached(preview, stages, "summary links", result_index, link)


def summary_parts(preview: Preview) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result; none while they are not written."""
    if preview.summary.unwritten or preview.summary.provisional:
        return ()
    return find_summaries(preview.result.compaction)


def _cached(
    preview: Preview,
    stages: StageCache,
    name: str,
    result_index: int,
    compute: Callable[[], _T],
) -> _T:
    """Cache by the id of the compaction, which is unique while the stage holds it."""
    compaction = preview.result.compaction

    def compute_entry() -> tuple[Compaction, _T]:
        return compaction, compute()

    return stages.get_or_compute(name, (id(compaction), result_index), compute_entry)[1]


def _summary_source_index(
    preview: Preview, parts: tuple[SummaryPart, ...], progress: Progress
) -> TextIndex:
    known_texts = preview.source.conversation.names
    return source_index(
        preview.messages, (part.text for part in parts), known_texts, progress
    )


def _source_tokens(preview: Preview, part: SummaryPart) -> int:
    return sum(preview.source.counts[index] for index in part.origins)


def _required_sections(preview: Preview, text: str) -> tuple[str, ...]:
    """Return the required sections of the first prompt that the text answers. A strategy of two
    prompts may have sent only the second."""
    if preview.result.result_source or preview.result.compaction.summary is None:
        return ()
    sections_by_prompt = [
        required_sections(prompt) for prompt in preview.context.prompts.values()
    ]
    answered_sections = (
        sections
        for sections in sections_by_prompt
        if any(has_section(text, name) for name in sections)
    )
    answered = next(answered_sections, ())
    if answered or not sections_by_prompt:
        return answered
    # Without a model, in too little room for tags or headings, it has titles of its own.
    if DIGEST_TITLE in text.splitlines():
        return ()
    return sections_by_prompt[0]
