"""What a summary lacks or gets wrong, looked at before its result is taken anywhere (field.md section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.fidelity.fact_matching import FactSearchIndex, find_fact
from core.analysis.fidelity.fact_texts import content_words, index_sentences, text_index
from core.analysis.fidelity.model import FidelityCategory
from core.analysis.fidelity.source_facts import source_fact
from core.analysis.fidelity.source_index import SourceIndex
from core.analysis.summary_check.invented_names import invented_facts
from core.analysis.summary_check.summary_sentences import SummaryPart
from core.facts import Fact, FactCategory, extract_facts
from core.facts.sentences import shorten
from core.summarize.fact_lines import EMPTY
from core.transcript.model import Message, Speaker
from core.transcript.todos import COMPLETED, Todo, todo_states

ERROR, WARNING = "error", "warning"

_ENOUGH = 0.6  # of the content words of a todo, in one sentence
_HALF = 0.5  # of the content words of a request, anywhere in the summaries
_REQUEST = 400  # characters of a request that are looked for
_FEW_WORDS = 3  # a request of no more is "yes" or "go on"
_SHOWN = 90  # characters of a quotation
_MOST = 10  # findings of one rule; the rest is counted
_BEFORE_TITLE, _BEHIND_TITLE = r"^[ \t]*(?:<|[#*_\d.)\s]*)", r"[ \t]*(?:[>:*_–—-]|$)"


@dataclass(frozen=True, slots=True)
class SummaryFinding:
    """``severity`` is "error" or "warning", ``rule`` a stable id ("dropped-todo"), ``text`` one sentence.

    ``messages`` are those of the source that it is about (from 0), ``place`` the summary in the result.
    """

    severity: str
    rule: str
    text: str
    messages: tuple[int, ...]
    place: int


@dataclass(frozen=True, slots=True)
class SummaryCheckInput:
    """What is checked: the summaries of a result, whoever wrote them, against the history.

    ``kept`` are the source messages that stand in the result as they were, ``sections`` those that the
    prompt asked the first summary for. ``sizes`` are the tokens of what a summary stands for, and its
    own, by its place. ``source`` is indexed by the words of the summaries.
    """

    messages: Sequence[Message]
    parts: tuple[SummaryPart, ...]
    source: SourceIndex
    kept: frozenset[int] = frozenset()
    sections: tuple[str, ...] = ()
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def summary_check(given: SummaryCheckInput) -> tuple[SummaryFinding, ...]:
    """All findings, errors first; none for summaries that lack nothing. Deterministic.

    Looked for: the last request, constraints that were turned round, open tasks, sections that the prompt
    asks for, paths and addresses that no source has, summaries larger than what they stand for.
    """
    if not given.parts:
        return ()
    bench = _bench(given)
    found = [*_flipped(bench), *_last_request(bench), *_todos(bench), *_sections(given)]
    found += [*_made_up(given), *_larger(given)]
    return tuple(sorted(found, key=lambda one: one.severity != ERROR))


@dataclass(frozen=True, slots=True)
class _CheckContext:
    """A check on its way: what people demanded and asked for, and the summaries to look it up in."""

    given: SummaryCheckInput
    facts: tuple[Fact, ...]
    shelf: FactSearchIndex

    def place(self, index: int) -> int:
        """The summary that stands for a source message, -1 where none does."""
        return next((part.place for part in self.given.parts if index in part.origins), -1)


def _bench(given: SummaryCheckInput) -> _CheckContext:
    speakers = (Speaker.HUMAN, Speaker.SYSTEM)
    at = [index for index, message in enumerate(given.messages) if message.speaker in speakers]
    facts = extract_facts([given.messages[index] for index in at]).all
    texts = [part.shown for part in given.parts]
    shelf = FactSearchIndex(
        text_index(texts), index_sentences((part.place, part.shown) for part in given.parts)
    )
    return _CheckContext(given, tuple(_placed(fact, at) for fact in facts), shelf)


def _placed(fact: Fact, at: Sequence[int]) -> Fact:
    """A fact of some messages as one of the whole history."""
    return replace(fact, first=at[fact.first], last=at[min(fact.last, len(at) - 1)])


def _flipped(bench: _CheckContext) -> Iterator[SummaryFinding]:
    """Constraints whose words a summary has with the opposite sense, and that stand nowhere else."""
    found = []
    for fact in bench.facts:
        place = bench.place(fact.first) if fact.category is FactCategory.CONSTRAINT else -1
        if place >= 0 and not {fact.first, fact.last} & bench.given.kept:
            match = find_fact(source_fact(fact, bench.given.messages), bench.shelf)
            if match.flipped:
                text = f"The rule {_quoted(fact.text)} of #{fact.first + 1} is turned round."
                found.append(
                    SummaryFinding(ERROR, "flipped-constraint", text, (fact.first,), match.places[0])
                )
    yield from _capped(found, "constraints")


def _last_request(bench: _CheckContext) -> Iterator[SummaryFinding]:
    """What was asked for last, where a summary stands for it and does not tell it."""
    asked = [fact for fact in bench.facts if fact.category is FactCategory.USER_MESSAGE]
    told = [fact for fact in asked if len(fact.text.split()) > _FEW_WORDS] or asked
    if not told:
        return
    last = max(told, key=lambda fact: fact.first)
    place = bench.place(last.first)
    wanted = content_words(last.text[:_REQUEST])
    if place < 0 or not wanted:
        return
    said = frozenset[str]().union(*(content_words(part.shown) for part in bench.given.parts))
    if len(wanted & said) < _HALF * len(wanted):
        text = f"The last request, #{last.first + 1}, is missing: {_quoted(last.text)}."
        yield SummaryFinding(ERROR, "last-request", text, (last.first,), place)


def _todos(bench: _CheckContext) -> Iterator[SummaryFinding]:
    """Open tasks of the last list that no summary names, where no message that wrote them stayed."""
    found = []
    for todo, places in _open_todos(bench.given.messages):
        place = next((at for index in places if (at := bench.place(index)) >= 0), -1)
        if place < 0 or bench.given.kept.intersection(places):
            continue
        wanted = content_words(todo.content)
        if bench.shelf.sentences.best(wanted, _ENOUGH)[0] < _ENOUGH:
            text = f"The open task {_quoted(todo.content)} of #{places[-1] + 1} is missing."
            found.append(SummaryFinding(WARNING, "dropped-todo", text, (places[-1],), place))
    yield from _capped(found, "open tasks")


def _open_todos(messages: Sequence[Message]) -> Iterator[tuple[Todo, tuple[int, ...]]]:
    """The tasks of the last list that are not completed, each with the messages that wrote it so."""
    written: dict[Todo, list[int]] = {}
    last: Sequence[Todo] = ()
    for index, last in todo_states(messages):
        for todo in last:
            written.setdefault(todo, []).append(index)
    for todo in last:
        if todo.status != COMPLETED:
            yield todo, tuple(written[todo])


def _sections(given: SummaryCheckInput) -> Iterator[SummaryFinding]:
    """The sections that the prompt asks for and the summary does not have, in one sentence."""
    first = given.parts[0]
    lacks = [name for name in given.sections if not has_section(first.text, name)]
    if not lacks:
        return
    if len(lacks) == len(given.sections) > 1:
        text = f"None of the {len(lacks)} sections that the prompt asks for is there."
    else:
        listed = ", ".join(lacks)
        noun, verb = ("Section", "asks for it") if len(lacks) == 1 else ("Sections", "asks for them")
        text = f"{noun} missing: {listed}; the prompt {verb}."
    yield SummaryFinding(WARNING, "missing-section", text, (), first.place)


def has_section(text: str, name: str) -> bool:
    """True where a text has a section of this name: as a tag, or as what a line begins with."""
    words = r"[ _]".join(map(re.escape, re.split(r"[ _]", name)))
    title = rf"{_BEFORE_TITLE}{words}{_BEHIND_TITLE}"
    empty = rf"^{re.escape(EMPTY)}(?:.*, )?{words}[,.]"  # the summary says that nothing is in it
    return re.search(f"{title}|{empty}", text, re.IGNORECASE | re.MULTILINE) is not None


def _made_up(given: SummaryCheckInput) -> Iterator[SummaryFinding]:
    """Paths and addresses that no source has."""
    found = []
    for what in invented_facts(((part.place, part.text) for part in given.parts), given.source):
        if what.kind in (FidelityCategory.PATH, FidelityCategory.URL):
            noun = "address" if what.kind is FidelityCategory.URL else "path"
            text = f"The {noun} {shorten(what.text, _SHOWN)} stands nowhere in the source."
            found.append(SummaryFinding(WARNING, "invented-path", text, (), what.place))
    yield from _capped(found, "paths and addresses")


def _larger(given: SummaryCheckInput) -> Iterator[SummaryFinding]:
    """Summaries of more tokens than the messages that they stand for."""
    found = []
    for part in given.parts:
        source, own = given.sizes.get(part.place, (0, 0))
        if own > source > 0:
            text = f"It is larger than its source: {own:,} tokens for {source:,}."
            found.append(SummaryFinding(WARNING, "larger-than-source", text, part.origins[:1], part.place))
    yield from _capped(found, "summaries larger than their source")


def _capped(found: list[SummaryFinding], what: str) -> Iterator[SummaryFinding]:
    """The first findings of a rule; the rest in one sentence."""
    yield from found[:_MOST]
    rest = found[_MOST:]
    if rest:
        text = f"And {len(rest):,} more {what}."
        messages = tuple(sorted({index for one in rest for index in one.messages}))
        yield SummaryFinding(rest[0].severity, rest[0].rule, text, messages, rest[0].place)


def _quoted(text: str) -> str:
    return f"“{shorten(text, _SHOWN)}”"
