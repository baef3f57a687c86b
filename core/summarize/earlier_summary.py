"""Reads earlier summaries back: lines in the form of ours as facts, all others as they stand."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from core.common.excerpts import as_json
from core.common.json_value import Json
from core.facts.action_logs import describe_counts, file_kind, parse_counts
from core.facts.extract import extract_facts
from core.facts.model import (
    EARLIER_SUMMARY,
    FILE_KINDS,
    Fact,
    FactKind,
    Facts,
    FactState,
    ordered_facts,
)
from core.facts.name_patterns import names_in
from core.facts.sentences import (
    DIGEST_TITLE,
    authored_prose,
    clean_text,
    has_modal_word,
    is_summary,
    plain_text,
    sentences,
)
from core.summarize import summary_lines
from core.summarize.summary_lines import (
    Snapshot,
    SnapshotSlot,
    fitting_count,
    is_announcement,
    slot_for_title,
)
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Progress,
    ServerTool,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    no_progress,
)
from core.transcript.todos import COMPLETED
from core.transcript.tool_pairs import is_failed_result, response_content, result_text

# Converts messages to a text record in the form of opencode 2, and back.


USER, ASSISTANT, CALL = "User", "Assistant", "Assistant tool call"
RESULT, ERROR = "Tool result", "Tool error"
_SPEAKER_NAMES = {Speaker.HUMAN: USER, Speaker.AI: ASSISTANT}
_ENTRY = re.compile(
    rf"^\[({USER}|{CALL}|{ASSISTANT}|{RESULT}|{ERROR})\]: ", re.MULTILINE
)
_RECENT_CONTEXT = re.compile(r"<recent-context>\n(.*)\n</recent-context>", re.DOTALL)
_CALL_TEXT = re.compile(r"([\w.:/-]+)\((.*)\)\s*\Z", re.DOTALL)


def conversation_text(messages: Sequence[Message], max_characters: int) -> str:
    """Return each block after its speaker, without thinking; ``max_characters`` characters per
    result, 0: all."""
    message_texts = (
        "\n".join(filter(None, _lines(message, max_characters))) for message in messages
    )
    return "\n\n".join(filter(None, message_texts))


def recorded_messages(text: str) -> tuple[Message, ...]:
    """Return the messages of the record in a checkpoint's text; empty without a record."""
    record = _RECENT_CONTEXT.search(text)
    if record:
        parts = _ENTRY.split(record[1])[1:]
    else:
        parts = []
    unanswered_calls: list[ToolCall] = []
    messages = []
    for number, (kind, content) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        content = content.strip()
        if kind == CALL:
            unanswered_calls.append(_call(f"record-{number}", content))
            messages.append(Message(speaker=Speaker.AI, blocks=(unanswered_calls[-1],)))
        elif kind in (RESULT, ERROR):
            if unanswered_calls:
                call = unanswered_calls.pop(0)
            else:
                call = ToolCall("", "", None)
            error: Json = content if kind == ERROR else None
            messages.append(
                Message(
                    speaker=Speaker.TOOL,
                    blocks=(ToolResponse(call.id, call.name, content, error),),
                )
            )
        else:
            speaker = Speaker.HUMAN if kind == USER else Speaker.AI
            messages.append(Message(speaker=speaker, blocks=(Text(content),)))
    return tuple(messages)


def _call(id_: str, words: str) -> ToolCall:
    match = _CALL_TEXT.match(words)
    try:
        if match:
            return ToolCall(id_, match[1], json.loads(match[2]))
        return ToolCall(id_, words, None)
    except json.JSONDecodeError:
        return ToolCall(id_, match[1] if match else words, None)


def _lines(message: Message, max_characters: int) -> Iterator[str]:
    label = _SPEAKER_NAMES.get(message.speaker, USER)
    return (_line(block, label, max_characters) for block in message.blocks)


def _line(block: Block, label: str, max_characters: int) -> str:
    match block:
        case Text():
            if block.text.strip():
                return f"[{label}]: {block.text}"
            return ""
        case Code():
            return f"[{label}]: ```{block.language}\n{block.code}\n```"
        case ToolCall():
            return f"[{CALL}]: {block.name}({as_json(block.arguments)})"
        case ToolResponse():
            return _response_line(block, max_characters)
        case ServerTool():
            return "\n".join(
                _line(inner, label, max_characters) for inner in block.description
            )
        case Media():
            return f"[{label}]: [{block.mime}, not shown]"
        case Opaque():
            return f"[{label}]: [{block.kind}, not shown]"
        case _:
            return ""


def _response_line(block: ToolResponse, max_characters: int) -> str:
    text = result_text(response_content(block)) or as_json(response_content(block))
    if max_characters and len(text) > max_characters:
        text = f"{text[:max_characters]}\n[truncated]"
    label = ERROR if is_failed_result(block) else RESULT
    return f"[{label}]: {text}"


_MAX_CHARACTERS = 20_000  # characters of a message that are read
_MAX_SENTENCES = 12  # sentences considered
_CLAUSE = re.compile(r"(?<=[a-z)\]][.!?;])\s+")
"""Where a long sentence may be split, since users do not always begin with a capital."""

_MIN_CHARACTERS = (
    16  # shorter sentences of a model without identifiers are uninformative
)
_NOISE = re.compile(r"\*\*|^#+ ")


def message_digest(
    message: Message, max_tokens: int, count: Callable[[str], int]
) -> str:
    """Return a digest of at most ``max_tokens`` tokens by ``count``; "" where not even a word fits.
    For users: the first sentence, those with a modal word, and the last question. For models: the
    first sentence that is no announcement, those that name most, and the end. Chosen sentences stay
    in their order."""
    full_text = plain_text(message)[:_MAX_CHARACTERS]
    text = clean_text(full_text) or full_text
    parts: list[str] = []
    for sentence in sentences(authored_prose(text) or text):
        cleaned = _NOISE.sub("", sentence)
        parts += [cleaned] if count(cleaned) <= max_tokens else _CLAUSE.split(cleaned)
    texts = list(dict.fromkeys(parts))
    if not texts:
        return _cut(" ".join(text.split()), max_tokens, count)
    if message.speaker is Speaker.HUMAN:
        ranking = _rank_user(texts)
    else:
        ranking = _rank_model(texts)
    ranked = list(dict.fromkeys(ranking))
    chosen: set[int] = set()
    for index in ranked[:_MAX_SENTENCES]:
        if count(_joined_texts(texts, chosen | {index})) <= max_tokens:
            chosen.add(index)
    if chosen:
        return _joined_texts(texts, chosen)
    return _cut(texts[ranked[0]], max_tokens, count)


def _rank_user(texts: list[str]) -> Iterator[int]:
    """Yield indices of sentences, most valuable first."""
    yield 0
    yield from (
        index for index, sentence in enumerate(texts) if has_modal_word(sentence)
    )
    yield from (
        index for index in range(len(texts) - 1, -1, -1) if texts[index].endswith("?")
    )
    yield from range(1, len(texts))


def _rank_model(texts: list[str]) -> Iterator[int]:
    """Yield indices like ``_rank_user``; announcements count only without other sentences."""
    informative = [
        index for index, candidate in enumerate(texts) if _is_informative(candidate)
    ] or list(range(len(texts)))
    names = {
        index: len({name.text for name in names_in(texts[index])})
        for index in informative
    }
    yield informative[0]
    yield from sorted(
        (index for index in informative if names[index]),
        key=lambda index: -names[index],
    )
    yield informative[-1]
    yield from informative


def _is_informative(sentence: str) -> bool:
    if is_announcement(sentence):
        return False
    return (
        len(sentence) >= _MIN_CHARACTERS or next(names_in(sentence), None) is not None
    )


def _joined_texts(texts: list[str], chosen: set[int]) -> str:
    closed = (
        texts[index] if texts[index][-1] in ".!?:;,…" else f"{texts[index]};"
        for index in sorted(chosen)
    )
    return " ".join(closed).removesuffix(";")


def _cut(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of a text that fits with an ellipsis: in words, else in
    characters."""
    if count(text) <= max_tokens:
        return text
    return _fitting(text.split(), " ", max_tokens, count) or _fitting(
        list(text[: max_tokens * 8]), "", max_tokens, count
    )


def _fitting(
    parts: list[str], separator: str, max_tokens: int, count: Callable[[str], int]
) -> str:
    """Return as many of the first parts as fit; "" where not even one does."""
    most = min(len(parts), max_tokens * 8)
    fitting = fitting_count(
        most, lambda n: count(f"{separator.join(parts[:n])} …") <= max_tokens
    )
    if fitting:
        return f"{separator.join(parts[:fitting])} …"
    return ""


_TAG = re.compile(r"^<(/?)([A-Za-z][\w-]*)>$")
_INLINE = re.compile(r"^<([A-Za-z][\w-]*)>(.*\S.*)</\1>$")
_TITLE = re.compile(
    r"^(?:#{1,6}\s+(?:\d+[.)]\s*)?(.{2,60}?)|(?:\d{1,2}[.)]\s+)?\**([A-Z][\w "
    r"/&'-]{1,48}?)\**):?\**$"
)
_POINT = re.compile(r"^\d{1,2}[.)]\s+([A-Z][\w /&'-]{1,40}?):\s+(\S.*)$")
_BULLET = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_ASIDE = "analysis|scratchpad|read-files|modified-files|recent-context"
_SKIPPED = re.compile(rf"^(?:<(?:{_ASIDE})>|Analysis:)$")
_SUMMARY_START = re.compile(
    rf"^(?:</(?:{_ASIDE})>|<(?:summary|state_snapshot)>|Summary:)$"
)
_ENVELOPE = re.compile(
    r"^(?:This session (?:is being continued|continues)|The summary below covers|"
    r"If you need specific details from before|Please continue the conversation from where|"
    r"Continue the conversation from|The above is a summary|The conversation up to here was compacted)"
)
_EMPTY_LINES = frozenset({"none", "none.", "none noted.", "n/a", "-"})
_IGNORED = (
    *(
        summary_lines.TRANSCRIPT_PREFIX,
        summary_lines.FOLDER_PREFIX,
        summary_lines.FOCUS_PREFIX,
    ),
    *(
        summary_lines.EMPTY_SECTIONS_PREFIX,
        summary_lines.NO_REQUEST_PREFIX,
        summary_lines.STATE_PREFIX,
    ),
)
_OUTPUT = rf"(?:{summary_lines.UNRECORDED}(?:: «(?P<output>.*)»)?)?"
_VERBS = "written|edited|deleted|change asked for|read"
_FILE = re.compile(rf"^`([^`]+)`: ((?:{_VERBS})\b[^`;]*){_OUTPUT}$")
_PASSED = (FactState.OK, FactState.RAN)  # nothing of the run told of a failure
_COMMAND = re.compile(
    r"^(?:Ran|Called) `([^`]+|.+(?=`:))`(?:: (ok|failed))?(?: ×(\d+))?"
    rf"(?:, (ok|ran|called|failed)(?: ×(\d+))? before)?{_OUTPUT}$"
)
_ERROR = re.compile(r"^open: `(.+?)`: (.+)$")
_TODO = re.compile(r"^\[(in_progress|pending|completed)\] (.+)$")
_REQUEST = re.compile(rf'^{summary_lines.LAST_REQUEST_PREFIX}"(.*)"$')
_BY_TEXT = (FactKind.YOUR_MESSAGE, FactKind.OPEN_ERROR)
"""Facts that are the same only with the same words: a command may have several errors."""
_MAX_LINE = 400  # characters of a line in no known form


def read_snapshot(
    messages: Sequence[Message], progress: Progress = no_progress
) -> Snapshot:
    """Return the facts of messages, and what earlier summaries among them say."""
    facts = Facts()
    lines = defaultdict[SnapshotSlot, list[str]](list)
    for text in (plain_text(message) for message in messages if is_summary(message)):
        parsed = parse_summary(text)
        facts = merge_facts(
            facts, merge_facts(parsed.facts, extract_facts(recorded_messages(text)))
        )
        for slot, earlier in parsed.lines.items():
            lines[slot] = [*dict.fromkeys((*lines[slot], *earlier))]
    return Snapshot(merge_facts(facts, extract_facts(messages, progress)), lines)


def read_facts(messages: Sequence[Message]) -> Facts:
    """Return the facts of messages and of earlier summaries among them."""
    return read_snapshot(messages).facts


def parse_summary(text: str) -> Snapshot:
    """Return the facts and the other lines of a summary, ours or another's; all are older than any
    message."""
    content = tuple(_content(text))
    prefix, folder = summary_lines.FOLDER_PREFIX, ""
    for _, line in content:
        if line.startswith(prefix):
            folder = line[len(prefix) :].strip("` ")
    facts: list[Fact] = []
    lines = defaultdict[SnapshotSlot, list[str]](list)
    for slot, line in content:
        if line.startswith(_IGNORED):
            continue
        if found := tuple(_known_form(line, folder)):
            facts += found
        else:
            lines[slot].append(
                line[:_MAX_LINE]
                if slot is SnapshotSlot.GOAL
                else f"- {line[:_MAX_LINE]}"
            )
    return Snapshot(Facts(ordered_facts(facts)), lines)


def merge_facts(old: Facts, new: Facts) -> Facts:
    """Merge two sets of facts: duplicates once, newest text, counts added; a newer list of to-dos
    replaces the older one but for what is done, and an error whose command passed is gone."""
    if not old.all:
        return new
    has_todos = bool(new.of_kind(FactKind.TODO))
    settled = _settled_errors(new)
    merged: dict[tuple[FactKind, str], Fact] = {}
    for fact in (*old.all, *new.all):
        is_earlier = fact.last == EARLIER_SUMMARY
        if is_earlier and _is_outdated(fact, settled, has_todos=has_todos):
            continue
        key = fact.kind, fact.text if fact.kind in _BY_TEXT else fact.key
        merged[key] = _joined(merged.get(key), fact)
    facts = ordered_facts(_merged_files(merged.values()))
    newest = new if new.last_answer else old
    return Facts(facts, newest.last_answer, newest.last_answer_at)


def _settled_errors(new: Facts) -> set[str]:
    """Return the commands that passed since, and those of which a newer error is known."""
    commands = new.of_kind(FactKind.COMMAND)
    passed = {fact.key for fact in commands if fact.state in _PASSED}
    return passed | {fact.key for fact in new.of_kind(FactKind.OPEN_ERROR)}


def _is_outdated(fact: Fact, settled: set[str], *, has_todos: bool) -> bool:
    if fact.kind is FactKind.TODO:
        return has_todos and fact.detail != COMPLETED
    return fact.kind is FactKind.OPEN_ERROR and fact.key in settled


def _joined(old: Fact | None, new: Fact) -> Fact:
    if old is None or new.kind in FILE_KINDS:
        if old is None:
            return new
        return _joined_file(old, new)
    joined = replace(new, first=old.first, count=old.count + new.count)
    if new.kind is FactKind.COMMAND:
        failed = int(old.detail or 0) + int(new.detail or 0)
        return replace(joined, detail=str(failed or ""))
    return joined


def _joined_file(old: Fact, new: Fact) -> Fact:
    uses = parse_counts(old.detail) + parse_counts(new.detail)
    first = min(old.first, new.first)
    last = max(old.last, new.last)
    kind = file_kind(uses)
    return Fact(
        kind=kind,
        key=old.key,
        text=old.text,
        first=first,
        last=last,
        count=uses.total(),
        detail=describe_counts(uses),
        output=(new.output or old.output) if kind is FactKind.FILE_ASKED else "",
    )


def _merged_files(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Merge a file that was read earlier and changed later."""
    files: dict[str, Fact] = {}
    for fact in facts:
        if fact.kind not in FILE_KINDS:
            yield fact
        else:
            files[fact.key] = (
                _joined_file(files[fact.key], fact) if fact.key in files else fact
            )
    yield from files.values()


def _content(text: str) -> Iterator[tuple[SnapshotSlot, str]]:
    """Yield the lines of a summary with the slot of their section, without titles and tags."""
    slot, is_skipped = SnapshotSlot.CURRENT, False
    for line in _unwrapped(text):
        if _SKIPPED.match(line) or _SUMMARY_START.match(line):
            is_skipped = _SKIPPED.match(line) is not None
            continue
        if is_skipped or _is_frame(line):
            continue
        inline = _INLINE.match(line)
        point = _POINT.match(line)
        tag = _TAG.match(line)
        if tag and not tag[1]:
            title = tag[2]
        else:
            title = _title(line)
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


def _is_frame(line: str) -> bool:
    """Return True for what stands around the content of a summary."""
    return not line or line == DIGEST_TITLE or _ENVELOPE.match(line) is not None


def _unwrapped(text: str) -> Iterator[str]:
    """Yield stripped lines; wrapped lines of a list point are joined to it."""
    pending_point = ""
    for raw in text.splitlines():
        line = raw.strip()
        if (
            pending_point
            and raw.startswith("  ")
            and line[:1] not in "<`#|"
            and not _BULLET.match(line)
        ):
            pending_point = f"{pending_point} {line}"
            continue
        if pending_point:
            yield pending_point
        pending_point = line if _POINT.match(line) else ""
        if not pending_point:
            yield line
    if pending_point:
        yield pending_point


def _section_of_point(label: str, text: str) -> Iterator[tuple[SnapshotSlot, str]]:
    """Yield a numbered point that names its own section: "2. Rules: never push; no new files"."""
    slot = slot_for_title(label)
    if slot is SnapshotSlot.RULES:
        yield from ((slot, part.strip()) for part in text.split(";") if part.strip())
    elif slot is SnapshotSlot.GOAL or label.lower().endswith("request"):
        yield SnapshotSlot.GOAL, text
    else:
        yield slot or SnapshotSlot.CURRENT, f"{label}: {text}"


def _title(line: str) -> str:
    match = _TITLE.match(line)
    if not match or (
        not line.endswith((":", "**"))
        and not line.startswith("#")
        and line != line.upper()
    ):
        return ""
    title = match[1] or match[2]
    return title if len(title.split()) <= 6 and slot_for_title(title) else ""


def _known_form(line: str, folder: str) -> Iterator[Fact]:
    """Yield the facts of a line as ``summary_lines`` writes it; none of others."""
    if line.startswith(summary_lines.NAMES_PREFIX):
        for name in re.findall(r"`([^`]+)`", line):
            yield _fact(FactKind.NAME, name, name, count=2)
    elif match := _FILE.match(line):
        if match[1].startswith("/") or not folder:
            path = match[1]
        else:
            path = f"{folder}/{match[1]}"
        counts = parse_counts(match[2])
        file = _fact(
            file_kind(counts),
            path,
            path,
            count=counts.total(),
            detail=describe_counts(counts),
        )
        yield replace(file, output=match["output"] or "")
    elif match := _COMMAND.match(line):
        yield _command(match)
    elif match := _ERROR.match(line):
        yield _fact(FactKind.OPEN_ERROR, match[1], match[2], detail=match[1])
    elif match := _TODO.match(line):
        yield _fact(FactKind.TODO, match[2], match[2], detail=match[1])
    elif match := _REQUEST.match(line):
        yield _fact(FactKind.YOUR_MESSAGE, f"earlier {match[1]}", match[1])


def _command(match: re.Match[str]) -> Fact:
    state = FactState(match[2] or FactState.RAN)
    count = int(match[3] or 1)
    earlier_count = int(match[5] or 1) if match[4] else 0
    passed, failed = (
        (count, earlier_count)
        if state is not FactState.FAILED
        else (earlier_count, count)
    )
    command = _fact(
        FactKind.COMMAND,
        match[1],
        match[1],
        count=passed,
        state=state,
        detail=str(failed or ""),
    )
    return replace(command, output=match["output"] or "")


def _fact(
    kind: FactKind,
    key: str,
    text: str,
    *,
    count: int = 1,
    state: FactState = FactState.NONE,
    detail: str = "",
) -> Fact:
    at = EARLIER_SUMMARY
    return Fact(
        kind=kind,
        key=key,
        text=text,
        first=at,
        last=at,
        count=count,
        state=state,
        detail=detail,
    )
