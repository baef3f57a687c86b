"""The words of a row: its line, the sentence of a screen reader, the lines of a summary, and where
two lines differ."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from core.common import excerpts, number_format
from core.common.number_format import message_number
from core.facts.sentences import is_tool_text
from core.presentation.lists.aligned_rows import (
    HAS_MESSAGE,
    PUT_BACK,
    AlignedColumns,
    AlignedPlan,
)
from core.presentation.lists.row_plan import (
    RowKind,
    fate_word,
    media_text,
    opaque_text,
    origin_text,
    speaker_word,
)
from core.presentation.lists.side_rows import ListContent
from core.presentation.model import (
    EXCERPTED,
    KINDS,
    SPEAKERS,
    SUMMARISED,
    UNREPORTED,
    MessageRows,
    RecordedRow,
)
from core.tokens.counter import is_unreported
from core.transcript.compaction import Compaction
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    MessageFlag,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import is_failed_result

RowText: TypeAlias = tuple[str, str, bool, bool]
"""Lead, text, whether the text is code-like, whether the message failed."""

_SPEAKER = {Speaker(name): code for code, name in enumerate(SPEAKERS)}
_KIND = {name: code for code, name in enumerate(KINDS)}
_KIND_OF_SPEAKER = {
    Speaker.HUMAN: _KIND["human"],
    Speaker.AI: _KIND["ai"],
    Speaker.TOOL: _KIND["tool"],
    Speaker.SYSTEM: _KIND["system"],
    Speaker.UNKNOWN: _KIND["system"],
}
SUMMARY_CODE = _KIND["summary"]


def message_rows(
    messages: Sequence[Message], counts: array[int] | None = None, cwd: str = ""
) -> MessageRows:
    """Return rows of messages; without ``counts`` (tokens) they are uncounted."""
    texts = [row_text(message, cwd) for message in messages]
    if counts is None:
        tokens = array("q", [-1]) * len(texts)
    else:
        tokens = _token_column(messages, counts)
    speakers = [display_speaker(message) for message in messages]
    return _rows(
        speakers, [message_kind(message) for message in messages], texts, tokens
    )


def _rows(
    speakers: Sequence[Speaker],
    kinds: Sequence[int],
    texts: Sequence[RowText],
    tokens: array[int],
) -> MessageRows:
    lead, text, mono, errors = zip(*texts, strict=True) if texts else ((), (), (), ())
    codes = bytes([_SPEAKER[speaker] for speaker in speakers])
    return MessageRows(
        speakers=codes,
        kinds=bytes(kinds),
        errors=bytes(errors),
        mono=bytes(mono),
        tokens=tokens,
        lead=lead,
        text=text,
    )


def with_counts(
    uncounted: MessageRows, messages: Sequence[Message], counts: array[int]
) -> MessageRows:
    return replace(uncounted, tokens=_token_column(messages, counts))


def after_rows(
    compaction: Compaction,
    sources: Sequence[Message],
    before: MessageRows,
    counts: array[int],
    cwd: str = "",
    unwritten: str = "",
    speakers: Sequence[Speaker] = (),
) -> MessageRows:
    """Return rows of a result; unchanged messages share the texts of their source. ``unwritten`` is
    the text of a summary that is not written yet; ``speakers`` are those of the messages as they
    are written."""
    kinds = bytearray()
    texts = list[RowText]()
    for index, message in enumerate(compaction.messages):
        origin = compaction.origins[index]
        is_inserted = index in compaction.inserted
        if len(origin) == 1 and sources[origin[0]] is message:
            at = origin[0]
            kinds.append(before.kinds[at])
            texts.append(
                (
                    before.lead[at],
                    before.text[at],
                    bool(before.mono[at]),
                    bool(before.errors[at]),
                )
            )
            continue
        is_written = is_inserted and message.speaker is not Speaker.AI
        kinds.append(SUMMARY_CODE if is_written else message_kind(message))
        is_unwritten = unwritten and kinds[-1] == SUMMARY_CODE and is_inserted
        texts.append(
            ("", unwritten, False, False) if is_unwritten else row_text(message, cwd)
        )
    speakers = speakers or list(map(display_speaker, compaction.messages))
    return _rows(speakers, kinds, texts, _token_column(compaction.messages, counts))


def _token_column(messages: Sequence[Message], counts: array[int]) -> array[int]:
    figures = array("q", counts)
    for index, count in enumerate(counts) if 0 in counts else ():
        if not count and is_unreported(messages[index]):
            figures[index] = UNREPORTED
    return figures


def message_kind(message: Message) -> int:
    if (
        message.flags is not MessageFlag.NONE
        and message.flags & MessageFlag.RECORDED_SUMMARY
    ):
        return SUMMARY_CODE
    if message.speaker is Speaker.AI and any(
        type(block) is ToolCall for block in message.blocks
    ):
        return _KIND["call"]
    return _KIND_OF_SPEAKER[display_speaker(message)]


def display_speaker(message: Message) -> Speaker:
    """Return whose message it is: a tool's where an agent sent its result as user text."""
    return Speaker.TOOL if is_tool_text(message) else message.speaker


def row_text(message: Message, cwd: str = "") -> RowText:
    """Return a message's line: calls, else results, else excerpts."""
    calls: list[ToolCall] = []
    responses: list[ToolResponse] = []
    for block in message.blocks:
        if type(block) is ToolCall:
            calls.append(block)
        elif isinstance(block, ToolResponse):
            responses.append(block)
    # Most messages have no flag, and ``&`` of flags is slow: every row of a session comes here.
    has_flags = message.flags is not MessageFlag.NONE
    is_refused = has_flags and bool(message.flags & MessageFlag.API_ERROR)
    if calls:
        lead, text = _calls_text(calls, cwd)
        text = " · ".join(filter(None, (text, _opening_text(message))))
        return lead, excerpts.ellipsize(text), True, is_refused
    if responses:
        text, error = _results_text(responses)
        return "", text, True, error or is_refused
    text = _opening_text(message)
    if text:
        return "", text, False, is_refused
    return (*_fallback_text(message), is_refused)


def _opening_text(message: Message) -> str:
    for block in message.blocks:
        if type(block) is not Text:
            continue
        text = excerpts.without_caption_glyph(excerpts.one_line_start(block.text))
        if text:
            media = next((one for one in message.blocks if type(one) is Media), None)
            if media:
                return excerpts.ellipsize(f"{text} · {media_text(media)}")
            return text
    return ""


def _fallback_text(message: Message) -> tuple[str, str, bool]:
    """Return the row of a message without text, calls and results."""
    # Code and pictures say more of a message than what the model thought before them.
    for told in (_shown_text, _hidden_text):
        for block in message.blocks:
            found = told(block)
            if found is not None:
                return found
    is_encrypted = message.blocks and type(message.blocks[0]) is Thinking
    return "", "thinking: encrypted" if is_encrypted else "empty", False


def _shown_text(block: Block) -> tuple[str, str, bool] | None:
    if type(block) is Code and block.code.strip():
        return "", excerpts.first_line(block.code), True
    if type(block) is Media:
        return "", media_text(block), False
    return None


def _hidden_text(block: Block) -> tuple[str, str, bool] | None:
    if type(block) is Thinking and block.text.strip():
        return (
            "",
            excerpts.ellipsize(f"thinking: {excerpts.one_line_start(block.text)}"),
            False,
        )
    if type(block) is ServerTool and block.description:
        return excerpts.one_line_text(block.description[0].name, 60), "", False
    if type(block) is Opaque:
        return "", opaque_text(block), False
    return None


def _calls_text(calls: Sequence[ToolCall], cwd: str) -> tuple[str, str]:
    if len(calls) == 1:
        return excerpts.one_line_text(calls[0].name, 60), excerpts.main_argument(
            calls[0].arguments, cwd
        )
    names = Counter(excerpts.one_line_text(call.name, 60) for call in calls)
    texts = (f"{name} ×{times}" if times > 1 else name for name, times in names.items())
    return f"{len(calls)} calls:", excerpts.ellipsize(", ".join(texts))


def _results_text(responses: Sequence[ToolResponse]) -> tuple[str, bool]:
    firsts = (excerpts.first_line(response_text(response)) for response in responses)
    lines = [
        excerpts.without_caption_glyph(first) or "empty result" for first in firsts
    ]
    error = any(map(is_failed_result, responses))
    if len(lines) == 1:
        return lines[0], error
    results = ", ".join(excerpts.ellipsize(line, 60) for line in lines)
    return excerpts.ellipsize(f"{len(lines)} results: {results}"), error


def response_text(response: ToolResponse) -> str:
    """Return a response's result, else its error."""
    text = excerpts.result_excerpt(response.result)
    if text.strip() or not is_failed_result(response):
        return text
    return excerpts.result_excerpt(response.error)


# A row of the list as one sentence, for screen readers and tooltips.


@dataclass(frozen=True, slots=True)
class HalfWords:
    """A text, and the message to which the part ``text[start:end]`` of it leads."""

    text: str
    start: int = 0
    end: int = 0
    side: str = ""
    index: int = -1


def right_words(
    plan: AlignedPlan,
    row: int,
    fates: bytes,
    columns: AlignedColumns,
    origin: array[int],
) -> HalfWords:
    """Return what stands beside a source message that has no message of the result beside it."""
    source = plan.left[row]
    if source < len(columns.results):
        result = columns.results[source]
    else:
        result = -1
    if result < 0:
        return _reason(columns.reason(source) or "removed", columns.reason_link(source))
    there = plan.row_of("after", result)
    arrow = ""
    if there >= 0:
        arrow = " ↓" if there > row else " ↑"
    number = message_number(result)
    if fates[source] == SUMMARISED:
        block = plan.block_at(there)
        if block is None:
            return _leading("in the summary, ", number, " of After", "after", result)
        return _after_words("in the summary ", block.sources[0], arrow, result)
    if fates[source] == EXCERPTED:
        return _leading("lines in the excerpts, ", number, " of After", "after", result)
    if there >= 0 and plan.left[there] >= 0:
        beside = message_number(plan.left[there])
        return _leading("together with ", beside, arrow, "after", result)
    if result:
        before = origin[result - 1]
    else:
        before = -1
    return _after_words("moved to ", before + 1, arrow, result)


def left_words(plan: AlignedPlan, row: int, origin: array[int]) -> HalfWords:
    """Return what stands beside a message of the result that has no source message beside it."""
    source = origin[plan.right[row]]
    if source >= 0:
        return _leading("from ", message_number(source), "", "before", source)
    for above in range(row - 1, -1, -1):
        if plan.kinds[above] == RowKind.COLLAPSED:
            return HalfWords(_after(plan.collapsed[plan.left[above]].end))
        if plan.kinds[above] in HAS_MESSAGE and plan.left[above] >= 0:
            return HalfWords(_after(plan.left[above] + 1))
    return HalfWords("at the start")


def _after(boundary: int) -> str:
    if boundary > 0:
        return f"after {message_number(boundary - 1)}"
    return "at the start"


def _reason(text: str, named: int) -> HalfWords:
    """Return a reason that leads to the message ``named`` where its number stands in it."""
    if named < 0:
        return HalfWords(text)
    number = message_number(named)
    head, found, tail = text.partition(number)
    if found:
        return _leading(head, number, tail, "before", named)
    return HalfWords(text)


def _after_words(head: str, boundary: int, arrow: str, result: int) -> HalfWords:
    """Return "moved to after #12 ↓"; at the start there is no number, so its first word leads."""
    if boundary > 0:
        head = f"{head}after "
        number = message_number(boundary - 1)
        return _leading(head, number, arrow, "after", result)
    first = head[: head.index(" ")]
    rest = head[head.index(" ") :]
    return _leading("", first, f"{rest}at the start{arrow}", "after", result)


def _leading(head: str, link: str, tail: str, side: str, index: int) -> HalfWords:
    """Join a text of which the part ``link`` leads to a message."""
    return HalfWords(
        f"{head}{link}{tail}", len(head), len(head) + len(link), side, index
    )


SPOKEN_CHARS = 1200
"""The most characters of a summary that are read with its cell."""


def row_speech(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> str:
    """Return "33, summarised, AI, 85 tokens, Edit src/a.py; in the summary of 88 messages"."""
    kind, index = plan.kinds[row], plan.left[row]
    before, after = sides
    if kind in HAS_MESSAGE:
        return _message_row_speech(plan, row, sides, columns)
    if kind in (RowKind.COLLAPSED, RowKind.EXPANDED):
        return plan.collapsed[index].text
    if kind == RowKind.SYSTEM:
        tokens = number_format.plural(before.hidden, "token")
        return f"{tokens} of {before.hidden_name}, in no message"
    content = before if plan.rows["before"] or not plan.rows["after"] else after
    if kind in (RowKind.CUT, RowKind.COMPACTED):
        cut = content.cuts[index]
        return ", ".join(filter(None, (cut.text, cut.detail)))
    recorded = content.recorded[index]
    if kind == RowKind.SUMMARY:
        is_first = plan.kinds[row - 1] == RowKind.RECORDED
        if is_first:
            return recorded.summary
        return f"summary of recorded compaction {recorded.number}"
    return _recorded_speech(recorded)


def _message_row_speech(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> str:
    side, message = plan.message_at(row)
    if side == "before":
        content = sides[0]
    else:
        content = sides[1]
    if message >= 0:
        said = message_speech(content, message)
    else:
        said = ""
    return "; ".join(filter(None, (said, *_other_half(plan, row, sides, columns))))


def _recorded_speech(recorded: RecordedRow) -> str:
    parts = [f"{recorded.text} {recorded.detail}"]
    if recorded.summary:
        parts.append("Enter shows its summary")
    if recorded.scope:
        parts.append("O shows the session as it was before it")
    return "; ".join(parts)


def message_speech(content: ListContent, index: int) -> str:
    """Return "33, summarised, AI, 85 tokens, Edit src/a.py"."""
    rows = content.rows
    fate = content.fate(index)
    parts = [number_format.message_number(index).removeprefix("#")]
    if fate >= 0:
        parts.append(fate_word(fate))
    parts.append(speaker_word(rows.speakers[index]))
    if content.side == "after" and (was := origin_text(content.source(index), index)):
        parts.append(f"was {was}")
    if rows.tokens[index] >= 0:
        parts.append(number_format.plural(rows.tokens[index], "token"))
    elif rows.tokens[index] == UNREPORTED:
        parts.append("tokens not reported")
    if rows.errors[index]:
        parts.append("error")
    return ", ".join(
        filter(None, (*parts, f"{rows.lead[index]} {rows.text[index]}".strip()))
    )


def _cell_speech(
    plan: AlignedPlan, row: int, columns: AlignedColumns, *, is_outdated: bool
) -> tuple[str, ...]:
    """Return what the cell beside a message says: the whole of it at its first row."""
    left = plan.left[row]
    block = plan.block_at(row)
    if block is not None:
        cell = columns.cells.get(block.result)
    else:
        cell = None
    if block is None or cell is None:
        if left >= 0:
            return (columns.reason(left),)
        return ()
    if row == block.first:
        outdated = "out of date" if is_outdated else ""
        return (
            cell.title,
            cell.state,
            outdated,
            cell.sizes.text,
            cell.text[:SPOKEN_CHARS],
        )
    return (f"in the summary of {cell.subject}",)


def _other_half(
    plan: AlignedPlan,
    row: int,
    sides: tuple[ListContent, ListContent],
    columns: AlignedColumns,
) -> tuple[str, ...]:
    """Return what stands beside the message of a row."""
    before, after = sides
    left, right = plan.left[row], plan.right[row]
    if plan.kinds[row] == RowKind.CELL:
        return _cell_speech(plan, row, columns, is_outdated=after.stale)
    if plan.kinds[row] == RowKind.MESSAGE:
        if left in columns.put_back:
            return (PUT_BACK,)
        return ()
    if left < 0:
        return (left_words(plan, row, after.origins).text,)
    if right < 0:
        return (right_words(plan, row, before.fates, columns, after.origins).text,)
    return (f"now {message_speech(after, right).partition(', ')[2]}",)


# The text of a summary as lines to set: heads, bullets and paragraphs.


_TAG = re.compile(r"\s*<(/?)([A-Za-z][\w.-]*)>\s*")
_HEAD = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*")
_STRONG_HEAD = re.compile(r"\s*\*\*([^*]+)\*\*:?\s*")
_CODE = re.compile(r"`([^`]+)`")
_BULLET = re.compile(r"\s*[-*•]\s+(.*)")


NAMES_PREFIX = "Names in use: "
EMPTY_SECTION = "None noted."
"""Those of the offline summary; a test compares them, as the window does not load what writes
it."""
_WRAPPERS = ("state_snapshot", "context-summary", "conversation-checkpoint", "summary")
"""Tags around a whole summary, which head nothing."""
_MAX_NAMES_CHARS = 100  # about three lines of a cell


class LineKind(IntEnum):
    TEXT = 0
    HEAD = 1
    BULLET = 2


class CellLine(NamedTuple):
    kind: LineKind
    text: str


def cell_lines(text: str) -> tuple[CellLine, ...]:
    """Return a summary's lines without blank ones; a tag or a Markdown heading becomes a head, left
    out where nothing stands below it. The names in use stand once, at the end."""
    lines = list(_lines(text))
    listed = [
        line.text.removeprefix(NAMES_PREFIX) for line in lines if _has_names(line)
    ]
    names = dict.fromkeys(
        name.strip(" .`") for part in listed for name in part.split(", ")
    )
    others = [
        line for line in lines if not _has_names(line) and line.text != EMPTY_SECTION
    ]
    return (*_filled(others), *_names_lines([name for name in names if name]))


def _filled(lines: Sequence[CellLine]) -> Iterator[CellLine]:
    """Yield the lines without heads that are followed by no text."""
    for place, line in enumerate(lines):
        if place + 1 < len(lines):
            below = lines[place + 1]
        else:
            below = None
        has_text = below is not None and below.kind is not LineKind.HEAD
        if line.kind is not LineKind.HEAD or has_text:
            yield line


def _has_names(line: CellLine) -> bool:
    return line.text.startswith(NAMES_PREFIX)


def _names_lines(names: Sequence[str]) -> Iterator[CellLine]:
    """Yield a head and the names that fit on about three lines, with how many more there are."""
    if not names:
        return
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join((*shown, name))) > _MAX_NAMES_CHARS:
            break
        shown.append(name)
    text = ", ".join(f"`{name}`" for name in shown)
    more = len(names) - len(shown)
    yield CellLine(LineKind.HEAD, NAMES_PREFIX.strip(" :"))
    yield CellLine(LineKind.TEXT, f"{text} and {more:,} more" if more else text)


def line_parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line without the marks of code, each with whether it is code."""
    for number, part in enumerate(_CODE.split(text)):
        if part:
            yield part, bool(number % 2)


def _lines(text: str) -> Iterator[CellLine]:
    for line in text.splitlines():
        if tag := _TAG.fullmatch(line):
            if not tag[1] and tag[2] not in _WRAPPERS:
                yield CellLine(
                    LineKind.HEAD,
                    tag[2].replace("_", " ").replace("-", " ").capitalize(),
                )
        elif head := (_HEAD.fullmatch(line) or _STRONG_HEAD.fullmatch(line)):
            yield CellLine(LineKind.HEAD, head[1].replace("**", ""))
        elif bullet := _BULLET.fullmatch(line):
            yield CellLine(LineKind.BULLET, bullet[1].replace("**", ""))
        elif line.strip():
            yield CellLine(LineKind.TEXT, line.strip().replace("**", ""))


# Where two lines differ, so that both can be shown from there on.


LEAD = 24
"""Characters that are shown before the first difference."""
LEAST_SAME = 0.4
"""Least share of a line that stays for its other parts to be marked (aligned rows)."""


class LineDifference(NamedTuple):
    """Both lines are shown from character ``start`` on; [first, old_end) of the old and [first,
    new_end) of the new one differ. ``is_marked`` says whether enough of the line stays to mark
    that."""

    start: int
    first: int
    old_end: int
    new_end: int
    is_marked: bool


def line_difference(old: str, new: str) -> LineDifference:
    """Return where two lines begin and end to differ."""
    shorter = min(len(old), len(new))
    first = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = 0
    while tail < shorter - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    same = first + tail
    if old:
        is_marked = same >= LEAST_SAME * len(old)
    else:
        is_marked = False
    if is_marked and first > LEAD:
        start = max(0, first - LEAD)
    else:
        start = 0
    return LineDifference(start, first, len(old) - tail, len(new) - tail, is_marked)
