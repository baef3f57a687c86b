"""Checks a summary for omissions and errors before its result is used (field.md section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.fidelity.contradictions import Contradiction, contradictions
from core.analysis.fidelity.fact_matching import find_fact
from core.analysis.fidelity.fact_texts import TextIndex, flat_text, index_sentences, stems, text_index
from core.analysis.fidelity.model import FidelityCategory
from core.analysis.fidelity.sentence_matching import FactSearchIndex
from core.analysis.fidelity.source_facts import source_fact
from core.analysis.summary_check.summary_sentences import SummaryPart, invented_facts
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactCategory
from core.facts.sentences import shorten
from core.summarize.fact_lines import EMPTY_SECTIONS_PREFIX
from core.transcript.model import Message, Speaker
from core.transcript.todos import COMPLETED, Todo, todo_states

ERROR, WARNING = "error", "warning"

_MIN_TODO_SHARE = 0.6  # of the content words of a todo, in one sentence
_MIN_REQUEST_SHARE = 0.5  # of the content words of a request, anywhere in the summaries
_MAX_REQUEST = 400  # characters of a request to match
_FEW_WORDS = 3  # requests up to this length are like "yes" or "go on"
_MAX_QUOTATION = 90  # characters of a quotation
_MAX_FINDINGS = 10  # findings per rule; the rest is counted
_JUDGED = (FactCategory.CONSTRAINT, FactCategory.NUMBER, FactCategory.DECISION, FactCategory.USER_MESSAGE)
_BEFORE_TITLE, _AFTER_TITLE = r"^[ \t]*(?:<|[#*_\d.)\s]*)", r"[ \t]*(?:[>:*_–—-]|$)"


@dataclass(frozen=True, slots=True)
class SummaryFinding:
    """``rule`` is a stable id ("dropped-todo"), ``text`` one sentence, ``messages`` are source indices,
    ``index`` is the index of the summary in the result."""

    severity: str
    rule: str
    text: str
    messages: tuple[int, ...]
    index: int


@dataclass(frozen=True, slots=True)
class SummaryCheckInput:
    """The summaries of a result, and the history to check them against. ``kept_messages`` are source messages
    unchanged in the result, ``sections`` those that the prompt required of the first summary. ``sizes`` are
    (source tokens, summary tokens) by place. ``source`` is indexed by the words of the summaries."""

    messages: Sequence[Message]
    parts: tuple[SummaryPart, ...]
    source: TextIndex
    kept_messages: frozenset[int] = frozenset()
    sections: tuple[str, ...] = ()
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def summary_check(check_input: SummaryCheckInput) -> tuple[SummaryFinding, ...]:
    """Return all findings, errors first. Deterministic. Checks the last request, reversed constraints, open
    tasks, required sections, invented paths and addresses, and summaries larger than their source."""
    if not check_input.parts:
        return ()
    context = _check_context(check_input)
    findings = [*_turned_round(context), *_missing_last_request(context), *_missing_todos(context)]
    findings += [
        *_missing_sections(check_input),
        *_invented_paths(check_input),
        *_oversized_summaries(check_input),
    ]
    return tuple(sorted(findings, key=lambda finding: finding.severity != ERROR))


@dataclass(frozen=True, slots=True)
class _CheckContext:
    """The input with the facts of users and system, and an index of the summaries."""

    input: SummaryCheckInput
    facts: tuple[Fact, ...]
    index: FactSearchIndex
    contradictions: tuple[Contradiction, ...]

    def summary_place(self, index: int) -> int:
        """Return the place of the summary of a source message, -1 if none."""
        return next((part.place for part in self.input.parts if index in part.origins), -1)


def _check_context(check_input: SummaryCheckInput) -> _CheckContext:
    speakers = (Speaker.HUMAN, Speaker.SYSTEM)
    indices = [index for index, message in enumerate(check_input.messages) if message.speaker in speakers]
    facts = extract_facts([check_input.messages[index] for index in indices]).all
    texts = [part.message_text for part in check_input.parts]
    fact_index = FactSearchIndex(
        text_index(texts),
        index_sentences({part.place: part.message_text for part in check_input.parts}),
    )
    return _CheckContext(
        check_input,
        tuple(_with_history_indices(fact, indices) for fact in facts),
        fact_index,
        tuple(
            contradictions(
                check_input.messages,
                [(part.place, part.message_text) for part in check_input.parts],
                check_input.source,
            )
        ),
    )


def _with_history_indices(fact: Fact, indices: Sequence[int]) -> Fact:
    """Return the fact with indices of the whole history."""
    return replace(fact, first=indices[fact.first], last=indices[min(fact.last, len(indices) - 1)])


def _turned_round(context: _CheckContext) -> Iterator[SummaryFinding]:
    """Report what the person said that a summary reverses and no kept message holds, rules first."""
    for kind in _JUDGED:
        findings = []
        for fact in context.facts:
            place = context.summary_place(fact.first) if fact.category is kind else -1
            if place < 0 or {fact.first, fact.last} & context.input.kept_messages:
                continue
            match = find_fact(source_fact(fact, context.input.messages), context.index)
            opposed = next((one for one in context.contradictions if _contradicts(one, fact)), None)
            if match.is_negated or opposed:
                is_rule = kind is FactCategory.CONSTRAINT
                subject = f"The rule {_quoted(fact.text)}" if is_rule else _quoted(fact.text)
                text = f"{subject} of #{fact.first + 1} is turned round."
                severity, rule = (ERROR, "flipped-constraint") if is_rule else (WARNING, "turned-round")
                findings.append(SummaryFinding(severity, rule, text, (fact.first,), place))
        yield from _capped(findings, "rules" if kind is FactCategory.CONSTRAINT else "things")
        if findings:
            return


def _contradicts(found: Contradiction, fact: Fact) -> bool:
    """Return whether a contradicted sentence is in a fact."""
    return found.message in (fact.first, fact.last) and flat_text(found.source) in flat_text(fact.text)


def _missing_last_request(context: _CheckContext) -> Iterator[SummaryFinding]:
    """Report the last request if it was summarised and its summary omits it."""
    requests = [fact for fact in context.facts if fact.category is FactCategory.USER_MESSAGE]
    substantial = [fact for fact in requests if len(fact.text.split()) > _FEW_WORDS] or requests
    if not substantial:
        return
    last_request = max(substantial, key=lambda fact: fact.first)
    summary_place = context.summary_place(last_request.first)
    words = stems(last_request.text[:_MAX_REQUEST])
    if summary_place < 0 or not words:
        return
    summary_words = frozenset[str]().union(*(stems(part.message_text) for part in context.input.parts))
    if len(words & summary_words) < _MIN_REQUEST_SHARE * len(words):
        text = f"The last request, #{last_request.first + 1}, is missing: {_quoted(last_request.text)}."
        yield SummaryFinding(ERROR, "last-request", text, (last_request.first,), summary_place)


def _missing_todos(context: _CheckContext) -> Iterator[SummaryFinding]:
    """Report open tasks of the last list that neither a summary nor a kept message holds."""
    findings = []
    for todo, message_indices in _open_todos(context.input.messages):
        summary_place = next(
            (part_place for index in message_indices if (part_place := context.summary_place(index)) >= 0), -1
        )
        if summary_place < 0 or context.input.kept_messages.intersection(message_indices):
            continue
        words = stems(todo.content)
        if context.index.sentences.best_match(words, _MIN_TODO_SHARE)[0] < _MIN_TODO_SHARE:
            text = f"The open task {_quoted(todo.content)} of #{message_indices[-1] + 1} is missing."
            findings.append(
                SummaryFinding(WARNING, "dropped-todo", text, (message_indices[-1],), summary_place)
            )
    yield from _capped(findings, "open tasks")


def _open_todos(messages: Sequence[Message]) -> Iterator[tuple[Todo, tuple[int, ...]]]:
    """Yield the open tasks of the last list with the messages that wrote them."""
    message_indices: dict[Todo, list[int]] = {}
    last_list: Sequence[Todo] = ()
    for index, last_list in todo_states(messages):
        for todo in last_list:
            message_indices.setdefault(todo, []).append(index)
    for todo in last_list:
        if todo.status != COMPLETED:
            yield todo, tuple(message_indices[todo])


def _missing_sections(check_input: SummaryCheckInput) -> Iterator[SummaryFinding]:
    first_part = check_input.parts[0]
    missing_sections = [name for name in check_input.sections if not has_section(first_part.text, name)]
    if not missing_sections:
        return
    if len(missing_sections) == len(check_input.sections) > 1:
        text = f"None of the {len(missing_sections)} sections that the prompt asks for is there."
    else:
        section_list = ", ".join(missing_sections)
        noun, verb = (
            ("Section", "asks for it") if len(missing_sections) == 1 else ("Sections", "asks for them")
        )
        text = f"{noun} missing: {section_list}; the prompt {verb}."
    yield SummaryFinding(WARNING, "missing-section", text, (), first_part.place)


def has_section(text: str, name: str) -> bool:
    """Return whether a text has a section of this name, as a tag or as a heading."""
    name_pattern = r"[ _]".join(map(re.escape, re.split(r"[ _]", name)))
    title_pattern = rf"{_BEFORE_TITLE}{name_pattern}{_AFTER_TITLE}"
    empty_pattern = rf"^{re.escape(EMPTY_SECTIONS_PREFIX)}(?:.*, )?{name_pattern}[,.]"  # listed as empty
    return re.search(f"{title_pattern}|{empty_pattern}", text, re.IGNORECASE | re.MULTILINE) is not None


def _invented_paths(check_input: SummaryCheckInput) -> Iterator[SummaryFinding]:
    """Report paths and addresses that no source contains."""
    findings = []
    texts = ((part.place, part.text) for part in check_input.parts)
    kinds = (FidelityCategory.PATH, FidelityCategory.URL)
    for fact in invented_facts(texts, check_input.source, kinds):
        noun = "address" if fact.kind is FidelityCategory.URL else "path"
        text = f"The {noun} {shorten(fact.text, _MAX_QUOTATION)} stands nowhere in the source."
        findings.append(SummaryFinding(WARNING, "invented-path", text, (), fact.place))
    yield from _capped(findings, "paths and addresses")


def _oversized_summaries(check_input: SummaryCheckInput) -> Iterator[SummaryFinding]:
    """Report summaries with more tokens than their source."""
    findings = []
    for part in check_input.parts:
        source_size, size = check_input.sizes.get(part.place, (0, 0))
        if size > source_size > 0:
            text = f"It is larger than its source: {size:,} tokens for {source_size:,}."
            findings.append(SummaryFinding(WARNING, "larger-than-source", text, part.origins[:1], part.place))
    yield from _capped(findings, "summaries larger than their source")


def _capped(findings: list[SummaryFinding], noun: str) -> Iterator[SummaryFinding]:
    yield from findings[:_MAX_FINDINGS]
    uncapped = findings[_MAX_FINDINGS:]
    if uncapped:
        text = f"And {len(uncapped):,} more {noun}."
        messages = tuple(sorted({index for finding in uncapped for index in finding.messages}))
        yield SummaryFinding(uncapped[0].severity, uncapped[0].rule, text, messages, uncapped[0].index)


def _quoted(text: str) -> str:
    return f"“{shorten(text, _MAX_QUOTATION)}”"
