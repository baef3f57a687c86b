"""Converts messages to a text record in the form of opencode 2, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from core.common.json_value import Json
from core.facts.instructions import has_modal_word
from core.facts.name_patterns import names_in
from core.facts.sentences import authored_prose, clean_text, plain_text, sentences
from core.summarize.leading_sentences import is_announcement
from core.summarize.token_budget import fitting_count
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import is_failed_result, response_content, result_text

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
            return f"[{CALL}]: {block.name}({_json(block.arguments)})"
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
    text = result_text(response_content(block)) or _json(response_content(block))
    if max_characters and len(text) > max_characters:
        text = f"{text[:max_characters]}\n[truncated]"
    label = ERROR if is_failed_result(block) else RESULT
    return f"[{label}]: {text}"


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


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
        if count(_joined(texts, chosen | {index})) <= max_tokens:
            chosen.add(index)
    if chosen:
        return _joined(texts, chosen)
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


def _joined(texts: list[str], chosen: set[int]) -> str:
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
