"""Facts of a history in twelve categories, with the needles to find each again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.fidelity.fact_texts import flat_text
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.facts.extract import extract_facts
from core.facts.model import Fact, FactCategory, FactState
from core.facts.sentences import is_summary
from core.transcript.model import Code, Message, Progress, Speaker, Text, ToolCall, no_progress

_KINDS = {
    FactCategory.CONSTRAINT: FidelityCategory.CONSTRAINT,
    FactCategory.FILE_MODIFIED: FidelityCategory.FILE,
    FactCategory.FILE_READ: FidelityCategory.PATH,
    FactCategory.PATH: FidelityCategory.PATH,
    FactCategory.ERROR: FidelityCategory.ERROR,
    FactCategory.TODO: FidelityCategory.TODO,
    FactCategory.DECISION: FidelityCategory.DECISION,
    FactCategory.IDENTIFIER: FidelityCategory.IDENTIFIER,
    FactCategory.NUMBER: FidelityCategory.NUMBER,
    FactCategory.URL: FidelityCategory.URL,
    FactCategory.COMMAND: FidelityCategory.COMMAND,
    FactCategory.USER_MESSAGE: FidelityCategory.USER_MESSAGE,
}
_TEST_RUN = re.compile(r"\b(?:py)?tests?\b|\bjest\b|\bvitest\b|\bcheck\b|\bspec\b", re.IGNORECASE)
_FENCE = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_SHINGLE_LINES = 3  # lines
_MAX_SHINGLES = 60
_CODE_ARGUMENTS = (
    "new_string",
    "new_str",
    "newText",
    "content",
    "file_text",
    "code",
    "patch",
    "diff",
    "new_content",
)
CONSTRAINT_HEAD = 60
ERROR_HEAD = 60
COMMAND_HEAD = 80


def extract_source_facts(
    messages: Sequence[Message], progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """Return all facts of a history, by category, then by first mention, in linear time. Leaves out earlier
    summaries among the messages: they are not first-hand."""
    extracted = extract_facts(messages, progress).all
    failing = _failing_tests(extracted)
    facts = [
        replace(source_fact(fact, messages), is_failing_test=fact in failing)
        for fact in extracted
        if _is_judged(fact)
    ]
    facts += _withdrawn_rules(extracted)
    facts += _code_facts(messages)
    order = {kind: position for position, kind in enumerate(FidelityCategory)}
    return tuple(sorted(facts, key=lambda fact: (order[fact.kind], fact.messages)))


def _failing_tests(facts: Sequence[Fact]) -> frozenset[Fact]:
    """Return the errors of test runs after which no test run passed."""
    runs = [fact for fact in facts if fact.category is FactCategory.COMMAND and _TEST_RUN.search(fact.text)]
    last_pass = max((run.last for run in runs if run.state in (FactState.OK, FactState.RAN)), default=-1)
    errors = (fact for fact in facts if fact.category is FactCategory.ERROR and fact.last > last_pass)
    return frozenset(error for error in errors if _TEST_RUN.search(error.detail))


def _withdrawn_rules(facts: Sequence[Fact]) -> Iterator[SourceFact]:
    """Yield what a person said to take a rule back, with the rule, which no result may state as valid."""
    words = {fact.first: fact.text for fact in facts if fact.category is FactCategory.REVOCATION}
    for rule in facts:
        if rule.state is FactState.REVOKED and rule.last in words:
            text = words[rule.last]
            yield SourceFact(
                FidelityCategory.DECISION, text, text, (rule.last,), (text, rule.text), by_user=True
            )


def _is_judged(fact: Fact) -> bool:
    return fact.category in _KINDS and fact.state is not FactState.REVOKED


def source_fact(fact: Fact, messages: Sequence[Message]) -> SourceFact:
    """Return an extracted fact of a judged category with its needles."""
    kind = _KINDS[fact.category]
    mention_places = {fact.first, fact.last}
    if kind is FidelityCategory.USER_MESSAGE:
        mention_places = {fact.first}  # the last is its answer
    elif kind is FidelityCategory.NUMBER:
        mention_places = {fact.last}  # earlier values differ
    mentions = tuple(sorted(min(max(place, 0), len(messages) - 1) for place in mention_places))
    needles = _needles(kind, fact)
    speaker = messages[mentions[0]].speaker if messages else Speaker.AI
    return SourceFact(
        kind,
        fact.key,
        fact.text,
        mentions,
        needles,
        fact.state is FactState.RESOLVED,
        by_user=speaker in (Speaker.HUMAN, Speaker.SYSTEM),
        is_read=fact.category is FactCategory.FILE_READ,
    )


def _needles(kind: FidelityCategory, fact: Fact) -> tuple[str, ...]:
    match kind:
        case FidelityCategory.CONSTRAINT:
            return (flat_text(fact.text)[:CONSTRAINT_HEAD],)
        case FidelityCategory.ERROR:
            return (flat_text(fact.text)[:ERROR_HEAD], *_error_codes(fact.text))
        case FidelityCategory.FILE | FidelityCategory.PATH:
            return (fact.text, *_short_path(fact.text))
        case FidelityCategory.NUMBER:
            key, _, value = fact.text.partition(" = ")
            return (key, value)
        case FidelityCategory.URL:
            return (fact.text, fact.text.partition("://")[2].partition("?")[0].rstrip("/"))
        case FidelityCategory.COMMAND:
            return (fact.text[:COMMAND_HEAD],)
        case FidelityCategory.IDENTIFIER:
            return (fact.text.removesuffix("()"),)
        case FidelityCategory.TODO:
            return (fact.text, fact.detail)
        case _:
            return (fact.text,)


def _short_path(path: str) -> tuple[str, ...]:
    name = path.rpartition("/")[2]
    return (name,) if name and name != path else ()


_ERROR_CODE = re.compile(
    r"\b(?:TS\d{3,5}|E\d{3,4}|[A-Z][A-Za-z]+(?:Error|Exception|Warning)|exit code \d+)\b"
)


def _error_codes(text: str) -> tuple[str, ...]:
    """Return the types or codes that identify an error."""
    return tuple(dict.fromkeys(_ERROR_CODE.findall(text)))[:3]


def _code_facts(messages: Sequence[Message]) -> Iterator[SourceFact]:
    """Yield fenced code and written file contents of at least three lines, each once."""
    seen_keys: set[str] = set()
    for index, message in enumerate(messages):
        if message.speaker is Speaker.TOOL or is_summary(message):
            continue
        for text in _code_texts(message):
            lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
            if len(lines) < _SHINGLE_LINES or (key := "\n".join(lines)) in seen_keys:
                continue
            seen_keys.add(key)
            step = max(1, (len(lines) - _SHINGLE_LINES + 1) // _MAX_SHINGLES)
            shingles = [
                " ".join(lines[start : start + _SHINGLE_LINES])
                for start in range(0, len(lines) - _SHINGLE_LINES + 1, step)
            ]
            longest = max(lines, key=len)  # says most of what it is
            yield SourceFact(
                FidelityCategory.CODE, key[:200], longest, (index,), tuple(map(flat_text, shingles))
            )


def _code_texts(message: Message) -> Iterator[str]:
    for block in message.blocks:
        if isinstance(block, Code):
            yield block.code
        elif isinstance(block, Text):
            yield from _FENCE.findall(block.text)
        elif isinstance(block, ToolCall) and isinstance(block.arguments, dict):
            yield from (
                block.arguments[key] for key in _CODE_ARGUMENTS if isinstance(block.arguments.get(key), str)
            )
