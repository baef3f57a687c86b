"""Parses earlier summaries into facts, and merges these with newer facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.facts import user_constraints, value_facts
from core.facts.model import EARLIER_SUMMARY, Fact, FactCategory, Facts, FactState, ordered_facts
from core.facts.other_actions import describe_counts, file_category, parse_counts
from core.facts.sentences import DIGEST_TITLE
from core.summarize import fact_lines
from core.summarize.summary_sections import SnapshotSlot, slot_for_title
from core.transcript.todos import COMPLETED

_TAG = re.compile(r"^<(/?)([A-Za-z][\w-]*)>$")
_INLINE = re.compile(r"^<([A-Za-z][\w-]*)>(.*\S.*)</\1>$")
_TITLE = re.compile(
    r"^(?:#{1,6}\s+(?:\d+[.)]\s*)?(.{2,60}?)|(?:\d{1,2}[.)]\s+)?\**([A-Z][\w /&'-]{1,48}?)\**):?\**$"
)
_PASSED = (FactState.OK, FactState.RAN)  # nothing of the run told of a failure
_FILE = re.compile(r"^`([^`]+)`: ((?:written|edited|deleted|read)\b[^`]*)$")
_COMMAND = re.compile(
    r"^Ran `([^`]+|.+(?=`:))`(?:: (ok|failed))?(?: ×(\d+))?(?:, (ok|ran|failed)(?: ×(\d+))? before)?$"
)
_CALL = re.compile(r"^Called `([^`]+)`(?: ×(\d+))?(?:, failed ×(\d+))?(?:: (.+))?$")
_ERROR = re.compile(r"^(open|resolved): `(.+?)`: (.+?)(?: \(×(\d+)\))?$")
_TODO = re.compile(r"^\[(in_progress|pending|completed)\] (.+)$")
_ASKED = re.compile(rf'^{fact_lines.REQUEST_PREFIX}"(.*?)"(?: → (.*))?$')
_ANSWER = re.compile(rf"^(.+?) → (.+) {re.escape(fact_lines.ANSWER_MARK)}$")
_VALUE = re.compile(r"^([A-Za-z][\w.-]*) = (v?\d\S*(?: \S+)?)$")
_NUMBERED_POINT = re.compile(r"^\d{1,2}[.)]\s+([A-Z][\w /&'-]{1,40}?):\s+(\S.*)$")
_BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_SKIPPED = re.compile(r"^(?:<(?:analysis|scratchpad|read-files|modified-files|recent-context)>|Analysis:)$")
_SUMMARY_START = re.compile(
    r"^(?:</(?:analysis|scratchpad|read-files|modified-files|recent-context)>"
    r"|<(?:summary|state_snapshot)>|Summary:)$"
)
_ENVELOPE = re.compile(
    r"^(?:This session (?:is being continued|continues)|The summary below covers|"
    r"If you need specific details from before|"
    r"Please continue the conversation from where|Continue the conversation from|The above is a summary|"
    r"The conversation up to here was compacted)"
)
_EMPTY_LINES = frozenset({"none", "none.", "none noted.", "n/a", "-"})
_IGNORED = (
    *(fact_lines.TRANSCRIPT_PREFIX, fact_lines.FOLDER_PREFIX, fact_lines.FOCUS_PREFIX),
    *(fact_lines.EMPTY_SECTIONS_PREFIX, fact_lines.NO_REQUEST_PREFIX),
)
_MAX_NOTE_LENGTH = 400


def parse_summary(text: str) -> Facts:
    """Return the facts of a summary, ours or another's; all are older than any message."""
    content = tuple(_content(text))
    prefix, folder = fact_lines.FOLDER_PREFIX, ""
    for _, line in content:
        folder = line[len(prefix) :].strip("` ") if line.startswith(prefix) else folder
    facts: list[Fact] = []
    for slot, line in sorted(content, key=lambda pair: pair[1].startswith(fact_lines.LAST_REQUEST_PREFIX)):
        facts += _facts(slot, line, folder)
    return ordered_facts(facts)


def merge_facts(old: Facts, new: Facts) -> Facts:
    """Merge two sets of facts: duplicates once, newest text, counts added."""
    if not old.all:
        return new
    result = list(_final_rules(old, new))
    for category in FactCategory:
        if category in (FactCategory.CONSTRAINT, FactCategory.REVOCATION):
            continue
        before, after = old.of_category(category), new.of_category(category)
        if category is FactCategory.GOAL:
            result += before or after
        elif category is FactCategory.CURRENT_WORK:
            result += after or before
        elif category is FactCategory.TODO:
            kept_todos = [fact for fact in before if fact.detail == COMPLETED] if after else before
            result += _union(tuple(kept_todos), after)
        elif category in (FactCategory.USER_MESSAGE, FactCategory.FILE_MODIFIED, FactCategory.FILE_READ):
            result += (*before, *after)
        else:
            result += _union(before, after)
    return ordered_facts(_merge_files(_without_stale(_resolved(result, new), new)))


def _content(text: str) -> Iterator[tuple[SnapshotSlot, str]]:
    """Yield the lines of a summary with the slot of their section, without titles and tags."""
    slot = SnapshotSlot.CURRENT
    is_skipped = False
    for line in _unwrapped(text):
        if _SKIPPED.match(line) or _SUMMARY_START.match(line):
            is_skipped = _SKIPPED.match(line) is not None
            continue
        inline, point = _INLINE.match(line), _NUMBERED_POINT.match(line)
        tag = _TAG.match(line)
        title = tag[2] if tag and not tag[1] else _title(line)
        if is_skipped or not line or line == DIGEST_TITLE or _ENVELOPE.match(line):
            continue
        if inline:
            yield slot_for_title(inline[1]) or slot, inline[2].strip()
        elif point:
            yield from _section_of_point(point[1], point[2])
        elif title:
            slot = slot_for_title(title) or slot
        elif not tag:
            content = _BULLET.sub("", line)
            if content.lower() not in _EMPTY_LINES:
                yield slot, content


def _unwrapped(text: str) -> Iterator[str]:
    """Yield stripped lines; wrapped lines of a list point are joined to it."""
    pending_point = ""
    for raw in text.splitlines():
        line = raw.strip()
        if pending_point and raw.startswith("  ") and line[0] not in "<`#|" and not _BULLET.match(line):
            pending_point = f"{pending_point} {line}"
            continue
        if pending_point:
            yield pending_point
        pending_point = line if _NUMBERED_POINT.match(line) else ""
        if not pending_point:
            yield line
    if pending_point:
        yield pending_point


def _section_of_point(label: str, text: str) -> Iterator[tuple[SnapshotSlot, str]]:
    """Yield a numbered point that names its own section: "2. Rules: never push; no new files"."""
    slot = slot_for_title(label)
    if slot is SnapshotSlot.CONSTRAINTS:
        yield from ((slot, part.strip()) for part in text.split(";") if part.strip())
    elif slot is SnapshotSlot.GOAL or label.lower().endswith("request"):
        yield SnapshotSlot.GOAL, text
    else:
        yield slot or SnapshotSlot.CURRENT, f"{label}: {text}"


def _title(line: str) -> str:
    match = _TITLE.match(line)
    if not match or (not line.endswith((":", "**")) and not line.startswith("#") and line != line.upper()):
        return ""
    title = match[1] or match[2]
    return title if len(title.split()) <= 6 and slot_for_title(title) else ""


def _facts(slot: SnapshotSlot, line: str, folder: str) -> Iterator[Fact]:
    """Yield the facts of a line; a line in no known form becomes a note."""
    if line.startswith(_IGNORED):
        return
    if line.startswith(fact_lines.NAMES_PREFIX):
        for name in re.findall(r"`([^`]+)`", line):
            yield _fact(FactCategory.IDENTIFIER, name, name, count=2)
    elif line.startswith(fact_lines.LAST_REQUEST_PREFIX):
        text = line[len(fact_lines.LAST_REQUEST_PREFIX) :].strip('"')
        yield _fact(FactCategory.USER_MESSAGE, f"earlier {text}", text)
    elif line.startswith(fact_lines.STATE_PREFIX):
        yield _fact(FactCategory.CURRENT_WORK, "work", line[len(fact_lines.STATE_PREFIX) :])
    else:
        yield _known_form(line, folder) or _by_slot(slot, line)


def _known_form(line: str, folder: str) -> Fact | None:
    """Parse a line as ``fact_lines`` writes it."""
    if match := _FILE.match(line):
        path = match[1] if match[1].startswith("/") or not folder else f"{folder}/{match[1]}"
        counts = parse_counts(match[2])
        return _fact(file_category(counts), path, path, count=counts.total(), detail=describe_counts(counts))
    if match := _COMMAND.match(line):
        return _command(match)
    if match := _CALL.match(line):
        return _call(match)
    if match := _ERROR.match(line):
        target, text, count = match[2], match[3], int(match[4] or 1)
        key, state = f"{target}: {text[:60].lower()}", FactState(match[1])
        return _fact(FactCategory.ERROR, key, text, count=count, state=state, detail=target)
    if match := _TODO.match(line):
        return _fact(FactCategory.TODO, match[2], match[2], detail=match[1])
    if match := _ASKED.match(line):
        return _fact(FactCategory.USER_MESSAGE, f"earlier {match[1]}", match[1], detail=match[2] or "")
    if match := _ANSWER.match(line):
        return _fact(FactCategory.DECISION, match[1], f"{match[1]} → {match[2]}", state=FactState.ANSWERED)
    if match := _VALUE.match(line):
        return _fact(FactCategory.NUMBER, match[1].lower(), line)
    return _fact(FactCategory.URL, line, line) if re.fullmatch(r"https?://\S+", line) else None


def _command(match: re.Match[str]) -> Fact:
    state = FactState(match[2] or FactState.RAN)
    count, earlier_count = int(match[3] or 1), int(match[5] or 1) if match[4] else 0
    ok, failed = (count, earlier_count) if state is not FactState.FAILED else (earlier_count, count)
    return _fact(FactCategory.COMMAND, match[1], match[1], count=ok, state=state, detail=str(failed or ""))


def _call(match: re.Match[str]) -> Fact:
    failed = int(match[3] or 0)
    count = int(match[2] or 1) - failed
    state, text = FactState.OK if count else FactState.FAILED, str(failed or "")
    return _fact(FactCategory.CALL, match[1], text, count=count, state=state, detail=match[4] or "")


def _by_slot(slot: SnapshotSlot, line: str) -> Fact:
    if slot is SnapshotSlot.GOAL:
        return _fact(FactCategory.GOAL, line, line)
    if slot is SnapshotSlot.CONSTRAINTS:
        words = line[:_MAX_NOTE_LENGTH]
        return user_constraints.rule_fact(words, EARLIER_SUMMARY, user_constraints.rule_strength(words))
    if slot is SnapshotSlot.DECISIONS:
        return _fact(FactCategory.DECISION, line, line)
    return _fact(FactCategory.NOTE, line, line[:_MAX_NOTE_LENGTH], detail=slot.name)


def _fact(
    category: FactCategory,
    key: str,
    text: str,
    *,
    count: int = 1,
    state: FactState = FactState.NONE,
    detail: str = "",
) -> Fact:
    return Fact(category, key, text, EARLIER_SUMMARY, EARLIER_SUMMARY, count, state, detail)


def _final_rules(old: Facts, new: Facts) -> tuple[Fact, ...]:
    constraints = (*old.of_category(FactCategory.CONSTRAINT), *new.of_category(FactCategory.CONSTRAINT))
    revocations = new.of_category(FactCategory.REVOCATION)
    return (*user_constraints.final_rules((*constraints, *revocations)), *revocations)


def _union(before: tuple[Fact, ...], after: tuple[Fact, ...]) -> list[Fact]:
    facts = {fact.key: fact for fact in before}
    for fact in after:
        old = facts.get(fact.key)
        facts[fact.key] = _joined(old, fact) if old else fact
    return list(facts.values())


def _joined(old: Fact, new: Fact) -> Fact:
    merged = replace(new, first=old.first, count=old.count + new.count)
    if new.category is FactCategory.CALL:
        failed = int(old.text or 0) + int(new.text or 0)
        return replace(merged, text=str(failed or ""), detail=new.detail or old.detail)
    if new.category is FactCategory.COMMAND:
        failed = int(old.detail or 0) + int(new.detail or 0)
        return replace(merged, detail=str(failed or ""))
    return merged


def _merge_files(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Merge a file that was read earlier and changed later, whichever category it had."""
    files: dict[str, Fact] = {}
    for fact in facts:
        if fact.category not in (FactCategory.FILE_MODIFIED, FactCategory.FILE_READ):
            yield fact
            continue
        old = files.get(fact.key, fact)
        if old is not fact:
            uses = parse_counts(old.detail) + parse_counts(fact.detail)
            first, last = min(old.first, fact.first), max(old.last, fact.last)
            detail, category = describe_counts(uses), file_category(uses)
            fact = Fact(category, old.key, old.text, first, last, uses.total(), detail=detail)
        files[fact.key] = fact
    yield from files.values()


def _resolved(facts: list[Fact], new: Facts) -> Iterator[Fact]:
    """Mark earlier errors as resolved whose command passed or whose file was changed later."""
    passed = {fact.key for fact in new.of_category(FactCategory.COMMAND) if fact.state in _PASSED}
    changed = {fact.key for fact in new.of_category(FactCategory.FILE_MODIFIED)}
    for fact in facts:
        is_old_error = fact.category is FactCategory.ERROR and fact.last == EARLIER_SUMMARY
        is_solved = fact.detail in passed or fact.detail.split(" ", 1)[-1] in changed
        yield replace(fact, state=FactState.RESOLVED) if is_old_error and is_solved else fact


def _without_stale(facts: Iterable[Fact], new: Facts) -> Iterator[Fact]:
    """Drop earlier notes and decisions with values that have changed since."""
    values = {fact.key: fact.text for fact in new.of_category(FactCategory.NUMBER)}
    for fact in facts:
        is_checked = (
            fact.last == EARLIER_SUMMARY
            and fact.category in (FactCategory.NOTE, FactCategory.DECISION)
            and len(fact.text) <= 120
        )
        numbers = value_facts.numbers(fact.text) if is_checked else ()
        if not any(
            values.get(key.lower(), f"{key} = {value}") != f"{key} = {value}" for key, value in numbers
        ):
            yield fact
