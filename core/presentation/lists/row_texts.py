"""The one-line text of every message, for lists and ruler."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from core.common import excerpts
from core.presentation.model import KINDS, SPEAKERS, UNREPORTED, MessageRows
from core.presentation.preview_wording import media_text, opaque_text
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
    speakers = [message.speaker for message in messages]
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
    kinds, texts = bytearray(), list[RowText]()
    for index, message in enumerate(compaction.messages):
        origin, is_inserted = compaction.origins[index], index in compaction.inserted
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
    speakers = speakers or [message.speaker for message in compaction.messages]
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
    return _KIND_OF_SPEAKER[message.speaker]


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
